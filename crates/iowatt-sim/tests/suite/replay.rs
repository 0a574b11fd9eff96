//! One drive replayed by itself answers as it does within a whole simulation.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{Given, MS, capacity, given, one_pool, poisson, run, try_run};
use iowatt_sim::replay::{Asked, ReplayError, replay, replay_open};
use iowatt_sim::{HddPlan, SchedulerPlan};
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

const SCHEDULERS: [&str; 6] = ["fcfs", "sstf", "scan", "look", "c-look", "sptf"];

fn plan() -> Value {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    // Buffer and electronics that remember what was done before.
    plan["pools"][0]["device"]["buffer"] =
        json!({"segments": 2, "segment_sectors": 256, "caching": true, "read_ahead": "segment"});
    plan["pools"][0]["device"]["controller"] = json!({"read_miss_s": [0.3e-3, 0.4e-3], "write_miss_s": [0.5e-3, 0.2e-3], "sector_s": [0.03e-3, 0.03e-3]});
    plan
}

fn drive(plan: &Value) -> HddPlan {
    let mut device = plan["pools"][0]["device"].clone();
    device.as_object_mut().unwrap().remove("kind");
    serde_json::from_value(device).unwrap()
}

fn asked(requests: &[Request]) -> Vec<Asked> {
    let one = |r: &Request| Asked {
        lbn: r.offset / 512,
        sectors: u64::from(r.size) / 512,
        write: r.op == Op::Write,
        pace: r.time_ns,
    };
    requests.iter().map(one).collect()
}

/// Sums over all requests: response times, service times.
fn sums(plan: &HddPlan, discipline: &str, requests: &[Request]) -> (u64, u64) {
    let discipline: SchedulerPlan = serde_json::from_value(json!(discipline)).unwrap();
    let asked = asked(requests);
    let (mut response, mut service, mut free, mut seen) = (0, 0, 0, vec![0; asked.len()]);
    replay_open(plan, 0.0, discipline, &asked, |index, start, access| {
        assert!(start >= free && start >= asked[index].pace, "one at a time, and not before it arrives");
        free = access.done;
        response += access.done - asked[index].pace;
        service += access.done - start;
        seen[index] += 1;
    })
    .unwrap();
    assert!(seen.iter().all(|&times| times == 1));
    (response, service)
}

#[test]
fn open_arrivals_queue_as_they_do_in_a_simulation() {
    // From idle (20 per second) to a long queue (200 where about 120 can be served).
    for (number, rate) in [20.0, 90.0, 200.0].into_iter().enumerate() {
        let requests = poisson(number as u64 + 1, 3000, rate, 0.6, 8192, capacity("0", 1));
        for discipline in SCHEDULERS {
            let mut plan = plan();
            plan["pools"][0]["scheduler"] = json!(discipline);
            let whole = run(&plan, requests.clone()).summary;
            let (response, service) = sums(&drive(&plan), discipline, &requests);
            let device = &whole.devices[0];
            assert_eq!(
                (response, service),
                (device.response_ns, device.service_ns),
                "{discipline} at {rate}"
            );
        }
    }
}

#[test]
fn arrivals_of_one_instant_find_the_drive_at_rest_in_turn() {
    // The first is served at once although the second lies nearer to the arm.
    let requests: Vec<_> =
        [400, 4, 200].map(|mib| crate::common::request(MS, Op::Read, mib << 19, 4096)).to_vec();
    let mut plan = plan();
    plan["pools"][0]["scheduler"] = json!("sstf");
    let mut order = Vec::new();
    let alone = drive(&plan);
    replay_open(&alone, 0.0, SchedulerPlan::Sstf, &asked(&requests), |index, _, _| order.push(index))
        .unwrap();
    assert_eq!(order, [0, 2, 1]);
    let sources: Vec<Given> = vec![given(requests.clone())];
    let whole = try_run(&plan, sources).unwrap().summary;
    assert_eq!(sums(&alone, "sstf", &requests).0, whole.devices[0].response_ns);
}

#[test]
fn arrivals_far_apart_are_those_of_the_paced_replay() {
    let requests: Vec<_> = poisson(7, 300, 100.0, 0.5, 4096, capacity("0", 1))
        .into_iter()
        .enumerate()
        .map(|(i, r)| Request { time_ns: i as u64 * 100 * MS, ..r })
        .collect();
    let alone = drive(&plan());
    let mut open = Vec::new();
    replay_open(&alone, 0.25, SchedulerPlan::Fcfs, &asked(&requests), |_, start, access| {
        open.push(access.done - start);
    })
    .unwrap();
    // The same services, the rest of each 100 ms as think time.
    let thinks =
        asked(&requests).into_iter().zip(&open).map(|(a, took)| Asked { pace: 100 * MS - took, ..a });
    let mut paced = Vec::new();
    replay(&alone, 0.25, thinks, |now, access| paced.push(access.done - now)).unwrap();
    assert_eq!(open, paced);
}

#[test]
fn what_cannot_be_replayed_is_said() {
    let alone = drive(&plan());
    let said = |requests: &[Asked]| {
        replay_open(&alone, 0.0, SchedulerPlan::Fcfs, requests, |_, _, _| {}).unwrap_err()
    };
    let at = |pace, lbn, sectors| Asked { lbn, sectors, write: false, pace };
    assert!(matches!(said(&[at(5, 0, 8), at(4, 0, 8)]), ReplayError::Order { request: 2 }));
    let beyond = said(&[at(5, 799_999, 8)]);
    assert!(matches!(beyond, ReplayError::Beyond { request: 1, lbn: 799_999, end: 800_007, .. }));
    assert!(matches!(said(&[at(5, 0, 0)]), ReplayError::Beyond { request: 1, .. }));
    assert!(replay_open(&alone, 0.0, SchedulerPlan::Fcfs, &[], |_, _, _| {}).is_ok());
}
