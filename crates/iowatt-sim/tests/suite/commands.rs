//! Command queueing: what the host sends ahead, and what the drive makes of it.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{Lcg, capacity, one_pool, poisson, refusal, request, run, trouble};
use iowatt_sim::Outcome;
use iowatt_trace::{Op, Request};
use proptest::prelude::*;
use serde_json::{Value, json};

const SCHEDULERS: [&str; 7] = ["fcfs", "sstf", "scan", "look", "c-look", "sptf", "spctf"];
/// More than any test has in flight.
const UNBOUNDED: usize = 1 << 20;

fn queues(mut plan: Value, host: &str, depth: usize, drive: &str) -> Value {
    plan["pools"][0]["scheduler"] = json!(host);
    plan["pools"][0]["command_queue"] = json!({"depth": depth, "scheduler": drive});
    plan
}

/// All figures but the length of the drive's own queue.
fn figures(outcome: &Outcome) -> (Value, String, String) {
    let mut summary = serde_json::to_value(&outcome.summary).unwrap();
    for device in summary["devices"].as_array_mut().unwrap() {
        device["commands_mean"] = Value::Null;
    }
    (summary, format!("{:?}", outcome.intervals), format!("{:?}", outcome.latency))
}

fn closed(outstanding: u32) -> Value {
    let mut plan = one_pool("0", 1);
    plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": outstanding, "per": "workload"});
    plan
}

/// Reads of 4 KiB anywhere on one drive.
fn scattered(count: usize) -> Vec<Request> {
    let mut random = Lcg(3);
    (0..count).map(|_| request(0, Op::Read, random.below(90_000) * 4_096, 4_096)).collect()
}

fn mean_ms(plan: &Value, requests: Vec<Request>) -> f64 {
    run(plan, requests).summary.total.response.all.mean_s * 1e3
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A drive that takes one command at a time has nothing to choose from.
    #[test]
    fn depth_one_is_no_command_queue(
        seed in any::<u64>(), rate in 20.0..3_000.0, host in 0usize..7, drive in 0usize..7, raid5 in any::<bool>(),
    ) {
        let level = if raid5 { "5" } else { "0" };
        let mut without = one_pool(level, 4);
        without["pools"][0]["scheduler"] = json!(SCHEDULERS[host]);
        let with = queues(one_pool(level, 4), SCHEDULERS[host], 1, SCHEDULERS[drive]);
        let requests = poisson(seed, 200, rate, 0.6, 8_192, capacity(level, 4));
        prop_assert!(figures(&run(&without, requests.clone())) == figures(&run(&with, requests)));
    }

    /// A host that sends everything at once leaves the order to the drive, which then does what a host that sees the
    /// arm and sends one at a time does: for every discipline, also through spin-downs, failures and rebuilds.
    #[test]
    fn an_unbounded_drive_queue_is_the_hosts(
        seed in any::<u64>(), rate in 20.0..3_000.0, scheduler in 0usize..7, kind in 0usize..4,
    ) {
        let scheduler = SCHEDULERS[scheduler];
        let level = if kind == 3 { "5" } else { "0" };
        let mut plan = one_pool(level, 4);
        match kind {
            1 => {
                plan["buses"] = json!([{"bandwidth_bytes_per_s": 40e6, "arbitration_s": 2e-6}]);
                plan["pools"][0]["bus_of_drive"] = json!([0, 0, 0, 0]);
            }
            2 => plan["pools"][0]["power_policy"] = json!({"policy": "fixed-threshold", "threshold_s": 0.02, "level": 1}),
            3 => {
                trouble(&mut plan, 1, "dedicated", &[(1, 0.05)]);
                plan["observe"]["end_s"] = json!(3.0);
                // What gives way to requests waits at the host, in the host's order.
                plan["pools"][0]["recovery"]["rebuild"]["priority"] = json!("equal");
            }
            _ => {}
        }
        let requests = poisson(seed, 200, rate, 0.6, 8_192, capacity(level, 4));
        let at_drive = run(&queues(plan.clone(), "fcfs", UNBOUNDED, scheduler), requests.clone());
        let at_host = run(&queues(plan, scheduler, 1, "fcfs"), requests);
        prop_assert!(figures(&at_drive) == figures(&at_host));
    }

    /// A host that sends everything at once has no order of its own.
    #[test]
    fn an_unbounded_drive_queue_leaves_the_host_no_choice(seed in any::<u64>(), host in 0usize..5) {
        let requests = poisson(seed, 200, 800.0, 0.6, 8_192, capacity("0", 2));
        let plan = |host| queues(one_pool("0", 2), host, UNBOUNDED, "look");
        let own = figures(&run(&plan(SCHEDULERS[host]), requests.clone()));
        prop_assert!(own == figures(&run(&plan("fcfs"), requests)));
    }
}

#[test]
fn sptf_in_the_drive_gains_with_the_depth() {
    let mean = |depth, drive| mean_ms(&queues(closed(64), "fcfs", depth, drive), scattered(3_000));
    let (one, four, thirty_two) = (mean(1, "sptf"), mean(4, "sptf"), mean(32, "sptf"));
    assert_eq!(one, mean_ms(&queues(closed(64), "fcfs", 1, "fcfs"), scattered(3_000)));
    assert!(thirty_two < four && four < one, "{one} {four} {thirty_two}");
    // Knowing the angle beats knowing the LBN: the host's elevator alone against the same with a drive that chooses.
    let look = |depth, drive| mean_ms(&queues(closed(64), "look", depth, drive), scattered(3_000));
    assert!(look(8, "sptf") < look(1, "fcfs"));
}

/// The host goes on from the LBN it sent last; it does not know where the arm is by then.
#[test]
fn the_host_works_ahead_of_the_drive() {
    // Cylinders of 800 sectors; all arrive before the first is served.
    let at = |cylinder: u64| request(0, Op::Read, cylinder * 800 * 512, 4_096);
    let requests = || [0, 500, 100, 480, 20].map(at).to_vec();
    let order = |plan: &Value| {
        let outcome = run(plan, requests());
        let drive = &outcome.summary.devices[0];
        (drive.seeks, drive.seek_cylinders)
    };
    // One at a time: 0, then the nearest: 20, 100, 480, 500.
    assert_eq!(order(&queues(one_pool("0", 1), "sstf", 1, "fcfs")), (4, 500));
    // Two at a time: 0 and 500 are sent as they come; then, from 500 on: 480, 100, 20.
    assert_eq!(order(&queues(one_pool("0", 1), "sstf", 2, "fcfs")), (4, 500 + 20 + 380 + 80));
}

/// Three at once on one drive, two of them held by it.
#[test]
fn queue_lengths_of_both_levels() {
    let requests = vec![
        request(0, Op::Read, 0, 4_096),
        request(0, Op::Read, 40_960_000, 4_096),
        request(0, Op::Read, 204_800_000, 4_096),
    ];
    let outcome = run(&queues(one_pool("0", 1), "fcfs", 2, "fcfs"), requests);
    let drive = &outcome.summary.devices[0];
    let responses = &outcome.summary.total.response.all;
    let span = outcome.summary.window.end_ns as f64;
    // Responses are s1, s1 + s2 and s1 + s2 + s3 = the span; the last waits s1 at the host.
    assert_eq!(responses.max_s * 1e9, span);
    let sum = responses.mean_s * 3e9;
    assert!((drive.queue_length_mean * span - sum).abs() < 1.0);
    let first = run(&one_pool("0", 1), vec![request(0, Op::Read, 0, 4_096)]).summary.window.end_ns as f64;
    let commands = drive.commands_mean.unwrap() * span;
    assert!((commands - (sum - first)).abs() < 1.0, "{commands} {sum} {first}");
    assert_eq!(run(&one_pool("0", 1), vec![]).summary.devices[0].commands_mean, None);
}

#[test]
fn the_drive_never_holds_more_than_its_depth() {
    for depth in [2, 8, 31] {
        let outcome = run(&queues(closed(32), "look", depth, "sptf"), scattered(3_000));
        let held = outcome.summary.devices[0].commands_mean.unwrap();
        // Full until the last requests run out.
        assert!(held <= depth as f64 && held > 0.95 * depth as f64, "{depth}: {held}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refused =
        |scheduler: &str, depth: usize| refusal(&queues(one_pool("0", 1), scheduler, depth, "sptf"));
    assert_eq!(refused("sptf", 2), ("pools[0].scheduler".into(), "conflict"));
    assert_eq!(refused("look", 0), ("pools[0].command_queue.depth".into(), "range"));
}
