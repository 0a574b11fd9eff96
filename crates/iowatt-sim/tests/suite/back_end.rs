//! The controller's back end through the whole engine: what it limits, what it adds, and which commands pass what.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::solid::{offered, sheet};
use crate::common::{MS, S, capacity, given, one_pool, poisson, refusal, request, run, trouble};
use iowatt_sim::testing::{ControllerResult, StationResult};
use iowatt_sim::{BackEndRow, Outcome, Plan, Simulation};
use iowatt_trace::{Op, Request, Source};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const US: u64 = 1_000;
const UNIT: u64 = 16_384;

/// A controller of a back end alone: times in microseconds and processors of every command, and of those for writes.
fn back_end(command: (u64, u32), write: (u64, u32)) -> Value {
    json!({"processing": null, "host_bandwidth_bytes_per_s": null, "cache": null, "back_end": {
        "command_s": command.0 as f64 * 1e-6, "processors": command.1,
        "write_command_s": write.0 as f64 * 1e-6, "write_processors": write.1,
    }})
}

/// `count` SSDs of 90 us a read and 20 us a write, and so quick that they limit nothing here.
fn flash_pool(level: &str, count: usize) -> Value {
    let mut plan = one_pool(level, count);
    plan["pools"][0]["device"] = sheet();
    plan["pools"][0]["scheduler"] = json!("fcfs");
    plan["volumes"][0]["capacity_bytes"] = json!(offered(&sheet()) / 2);
    plan
}

fn controller(outcome: &Outcome) -> &ControllerResult {
    outcome.summary.controller.as_ref().unwrap()
}

fn stations(outcome: &Outcome) -> [&StationResult; 2] {
    let controller = controller(outcome);
    [controller.back_end.as_ref().unwrap(), controller.write_path.as_ref().unwrap()]
}

/// Commands that passed the back end, and of those the ones made for writes.
fn commands(outcome: &Outcome) -> (u64, u64) {
    let [all, writes] = stations(outcome);
    (all.visits, writes.visits)
}

fn figures(outcome: &Outcome) -> String {
    let mut summary = serde_json::to_value(&outcome.summary).unwrap();
    // The count of events is the effort, not a figure of the system.
    summary.as_object_mut().unwrap().remove("events");
    format!("{summary}{:?}{:?}", outcome.intervals, outcome.latency)
}

/// Host requests a second with 256 outstanding, 8 KiB at random on eight drives.
fn throughput(level: &str, read_share: f64, controller: &Value) -> (f64, Outcome) {
    let mut plan = flash_pool(level, 8);
    plan["controller"] = controller.clone();
    plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": 256, "per": "workload"});
    let outcome = run(&plan, poisson(3, 20_000, 1.0, read_share, 8_192, offered(&sheet()) / 2));
    let window = &outcome.summary.window;
    let rate = outcome.summary.total.completed as f64 * 1e9 / (window.end_ns - window.start_ns) as f64;
    (rate, outcome)
}

#[track_caller]
fn assert_near(found: f64, expected: f64, within: f64) {
    assert!((found / expected - 1.0).abs() < within, "{found} instead of {expected}");
}

#[test]
fn reads_go_as_fast_as_commands() {
    for processors in 1..4 {
        let (rate, outcome) = throughput("5", 1.0, &back_end((50, processors), (33, 1)));
        assert_near(rate, f64::from(processors) / 50e-6, 0.01);
        let [all, writes] = stations(&outcome);
        assert!(all.utilisation > 0.99 && all.utilisation <= 1.0, "{}", all.utilisation);
        assert_eq!((all.visits, writes.visits, writes.utilisation), (20_000, 0, 0.0));
    }
}

/// A small write is two commands of RAID-10, four of RAID-5 and six of RAID-6; the slower station limits.
#[test]
fn small_writes_go_as_fast_as_their_commands() {
    for (level, count) in [("0", 1), ("10", 2), ("5", 4), ("6", 6)] {
        let (rate, outcome) = throughput(level, 0.0, &back_end((25, 1), (33, 1)));
        assert_near(rate, 1.0 / (f64::from(count) * 33e-6), 0.02);
        assert_eq!(commands(&outcome), (20_000 * u64::from(count as u32), 20_000 * u64::from(count as u32)));
        assert!(stations(&outcome)[1].utilisation > 0.98);
        let (rate, _) = throughput(level, 0.0, &back_end((25, 1), (10, 1)));
        assert_near(rate, 1.0 / (f64::from(count) * 25e-6), 0.02);
    }
}

/// What one pool of processors with a cost by kind of command cannot do: both limits of the same array.
#[test]
fn a_mix_is_limited_by_the_station_it_loads_more() {
    let path = back_end((25, 1), (33, 1));
    // 70 % reads on RAID-5: 0.7 + 0.3 x 4 commands a request on one, 0.3 x 4 on the other; on RAID-10, 1.3 and 0.6.
    let (mixed, outcome) = throughput("5", 0.7, &path);
    let reads = outcome.summary.total.reads as f64 / 20_000.0;
    assert_near(mixed, 1.0 / ((reads + 4.0 * (1.0 - reads)) * 25e-6), 0.01);
    let (mirrored, outcome) = throughput("10", 0.7, &path);
    let reads = outcome.summary.total.reads as f64 / 20_000.0;
    assert_near(mirrored, 1.0 / ((reads + 2.0 * (1.0 - reads)) * 25e-6), 0.01);
    // 20 % reads: the write path, 0.8 x 4 x 33 us against 3.4 x 25 us.
    let (writes, outcome) = throughput("5", 0.2, &path);
    let share = outcome.summary.total.writes as f64 / 20_000.0;
    assert_near(writes, 1.0 / (4.0 * share * 33e-6), 0.02);
}

/// One request at a time: the response time is longer by the times of the commands that it waits for, to the nanosecond.
#[test]
fn an_idle_back_end_adds_the_times_of_the_critical_path() {
    let longest = |plan: &Value, op: Op, size: u32| {
        let requests = (0..50).map(|i| request(i * 10 * MS, op, i * 7 % 50 * 5 * UNIT, size)).collect();
        let outcome = run(plan, requests);
        let all = &outcome.summary.total.response.all;
        assert!((all.mean_s - all.max_s).abs() < 1e-12, "each takes the same: {} {}", all.mean_s, all.max_s);
        (all.max_s * 1e9).round() as u64
    };
    let added = |level: &str, path: Value, op: Op, size: u32| {
        let mut plan = flash_pool(level, 6);
        let alone = longest(&plan, op, size);
        plan["controller"] = path;
        longest(&plan, op, size) - alone
    };
    let one = || back_end((25, 1), (33, 1));
    let many = || back_end((25, 6), (33, 6));
    for level in ["0", "5", "10"] {
        assert_eq!(added(level, one(), Op::Read, 8_192), 25 * US, "RAID-{level}");
    }
    assert_eq!(added("0", one(), Op::Write, 8_192), (33 + 25) * US);
    // Two copies: side by side, or the second behind the first on the slower of the two.
    assert_eq!(added("10", many(), Op::Write, 8_192), (33 + 25) * US);
    assert_eq!(added("10", one(), Op::Write, 8_192), (33 + 33 + 25) * US);
    assert_eq!(added("10", back_end((40, 1), (33, 1)), Op::Write, 8_192), (33 + 40 + 40) * US);
    // RAID-5: old data and parity, then both anew; the parity's turn comes second both times, but the second time it has
    // been behind already.
    assert_eq!(added("5", many(), Op::Write, 8_192), 2 * (33 + 25) * US);
    assert_eq!(added("5", one(), Op::Write, 8_192), (2 * (33 + 25) + 33) * US);
    // A whole stripe of five units and parity, one after the other.
    assert_eq!(added("5", one(), Op::Write, 5 * UNIT as u32), (6 * 33 + 25) * US);
    assert_eq!(added("5", back_end((25, 1), (0, 1)), Op::Write, 5 * UNIT as u32), 6 * 25 * US);
}

#[test]
fn a_disk_sees_the_command_when_the_back_end_is_done() {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    plan["controller"] = back_end((20, 1), (33, 1));
    let outcome = run(&plan, vec![request(0, Op::Read, 0, 8_192); 2]);
    // Sector 0 has gone by after 20 us and returns at 5 ms; 16 sectors of 200 take 0.4 ms, and a turn later again.
    assert_eq!(outcome.summary.window.end_ns, 10_400_000);
    let drive = &outcome.summary.devices[0];
    assert_eq!(
        drive.response_ns,
        5_400_000 - 20_000 + 10_400_000 - 40_000,
        "from when it joins the drive's queue"
    );
    let all = controller(&outcome).back_end.as_ref().unwrap();
    assert_eq!((all.visits, all.wait_ns), (2, 20_000));
    assert!((all.utilisation - 40e-6 / 10.4e-3).abs() < 1e-12);
}

#[test]
fn what_takes_no_time_changes_nothing() {
    let requests = poisson(4, 2_000, 200.0, 0.6, 8_192, capacity("5", 5));
    let mut plan = one_pool("5", 5);
    let alone = figures(&run(&plan, requests.clone()));
    plan["controller"] = back_end((0, 1), (0, 3));
    let free = run(&plan, requests.clone());
    assert!(free.summary.controller.is_none());
    assert_eq!(figures(&free), alone);
    plan["controller"] = back_end((0, 1), (50, 1));
    let writes_only = run(&plan, requests.clone());
    assert!(controller(&writes_only).back_end.is_none() && controller(&writes_only).write_path.is_some());
    assert_ne!(figures(&writes_only), alone);
    assert_eq!(figures(&run(&plan, requests.clone())), figures(&writes_only), "the same again");
    plan["controller"] = back_end((1, 64), (0, 1));
    let mut quick = run(&plan, requests);
    assert!(quick.summary.controller.take().is_some());
    assert_ne!(figures(&quick), alone);
}

fn cache(write: &str, transfers: &str) -> Value {
    json!({
        "capacity_bytes": 8 * UNIT, "line_bytes": UNIT, "replacement": "lru", "read": true, "write": write,
        "high_watermark": 0.0, "low_watermark": 0.0, "destage_bytes": UNIT, "destage_outstanding": 1,
        "transfers": transfers,
    })
}

/// Half a line is written and answered at once; its destage is for a write, and so is what is read to fill the line.
#[test]
fn destages_and_what_fills_their_lines_are_for_writes() {
    for (transfers, reads) in [("mixed", 0), ("whole", 1)] {
        let mut plan = one_pool("0", 1);
        plan["controller"] = back_end((25, 1), (33, 1));
        plan["controller"]["cache"] = cache("back", transfers);
        let found = run(&plan, vec![request(0, Op::Write, 0, 8_192), request(S, Op::Read, 9 * UNIT, 8_192)]);
        let drive = &found.summary.devices[0];
        assert_eq!((drive.reads, drive.writes), (reads + 1, 1));
        assert_eq!(commands(&found), (reads + 2, reads + 1), "{transfers}: not the read that missed");
        assert_eq!(found.summary.total.response.write.max_s, 0.0, "the cache answers");
    }
}

#[test]
fn a_write_through_is_for_a_write() {
    let mut plan = one_pool("5", 5);
    plan["controller"] = back_end((25, 1), (33, 1));
    plan["controller"]["cache"] = cache("through", "mixed");
    let found = run(&plan, vec![request(0, Op::Write, 0, 8_192), request(S, Op::Read, 9 * UNIT, 8_192)]);
    assert_eq!(commands(&found), (5, 4));
}

/// A lost drive is restored by commands for no write; a degraded write needs fewer.
#[test]
fn a_rebuild_passes_the_back_end_only() {
    let mut plan = one_pool("5", 5);
    let drive = 400 * UNIT;
    plan["pools"][0]["device"]["sectors"] = json!(drive / 512);
    plan["volumes"][0]["capacity_bytes"] = json!(4 * drive);
    plan["controller"] = back_end((25, 1), (33, 1));
    trouble(&mut plan, 1, "dedicated", &[(1, 0.0)]);
    plan["observe"]["end_s"] = json!(30.0);
    let found = run(&plan, vec![request(20 * S, Op::Read, 0, 8_192)]);
    assert_eq!(found.summary.rebuilds[0].rebuilt_bytes, drive);
    let background: u64 = found.summary.devices.iter().map(|d| d.background_accesses).sum();
    assert!(
        background >= 5 * 7,
        "{background}: seven steps of 1 MiB, read from four drives and written to one"
    );
    assert_eq!(commands(&found), (background + 1, 0));
    // The same with commands that are on their way when the drive fails: they are redirected, none is lost.
    let mut plan = one_pool("5", 5);
    plan["controller"] = back_end((2_000, 1), (3_000, 1));
    trouble(&mut plan, 0, "dedicated", &[(1, 0.05)]);
    let found = run(&plan, poisson(9, 400, 1_000.0, 0.5, 8_192, capacity("5", 5)));
    assert_eq!((found.summary.total.completed, found.summary.total.in_flight_at_end), (400, 0));
    let arrivals: u64 = found.summary.devices.iter().map(|d| d.arrivals).sum();
    assert!(commands(&found).0 > arrivals, "some arrived where there was no drive any more");
}

/// What is copied for a snapshot moves data, parity included: it passes the back end only.
#[test]
fn moves_pass_the_back_end_only() {
    const MIB: u64 = 1 << 20;
    let mut plan = one_pool("5", 5);
    let part = json!({"pool": 0, "offset_bytes": 0, "capacity_bytes": 8 * MIB});
    plan["virtual_pools"] = json!([{"parts": [part], "scheme": {
        "kind": "reduced", "capacity_bytes": 4 * MIB, "page_bytes": UNIT, "stored_bytes": UNIT / 2, "filled": 1.0,
        "duplicates": 0.0, "page_s": 0.0, "snapshots": {"interval_s": 0.5, "retain": 2, "method": "copy-on-write"},
    }}]);
    plan["volumes"] = json!([{"pool": 1, "offset_bytes": 0, "capacity_bytes": 4 * MIB}]);
    plan["controller"] = back_end((25, 1), (33, 1));
    // Before the snapshot a part of a page is read and written, as a small write of RAID-5: 1 + 4 commands, all for the
    // write.
    let before = run(&plan, vec![request(0, Op::Write, 0, 4_096)]);
    assert_eq!(commands(&before), (5, 5));
    // After it, the old page is copied first: a read and four commands more, which the write waits for, yet they move data.
    let after = run(&plan, vec![request(S, Op::Write, 0, 4_096)]);
    let reduced = serde_json::to_value(&after.summary).unwrap()["virtual_pools"][0]["reduced"].clone();
    assert_eq!(reduced["copied_bytes"], json!(UNIT / 2));
    assert_eq!(commands(&after), (9, 4));
}

/// Two reads of one place at the same time go to both copies, though neither has reached its drive when the other is made.
#[test]
fn copies_are_chosen_by_commands_on_their_way_too() {
    let mut plan = one_pool("1", 2);
    plan["controller"] = back_end((500, 2), (0, 1));
    let pairs = (0..40).map(|i| request(i / 2 * S / 10, Op::Read, i / 2 * UNIT, 8_192)).collect();
    let found = run(&plan, pairs);
    assert_eq!([0, 1].map(|d| found.summary.devices[d].accesses), [20, 20]);
}

/// A lost controller takes half of the processors of both stations.
#[test]
fn a_lost_controller_halves_the_back_end() {
    let mut plan = flash_pool("0", 4);
    plan["controller"] = back_end((100, 2), (200, 2));
    plan["controller"]["cache"] = cache("through", "mixed");
    plan["controller"]["losses"] = json!([{"of": "controller", "at_s": 1.0, "back_s": 2.0}]);
    let waits = |at: u64, op: Op| {
        let two = (0..2).map(|i| request(at, op, i * 9 * UNIT, 8_192)).collect();
        stations(&run(&plan, two)).map(|station| station.wait_ns)
    };
    for at in [S / 2, 3 * S] {
        assert_eq!((waits(at, Op::Read), waits(at, Op::Write)), ([0, 0], [0, 0]));
    }
    assert_eq!(waits(3 * S / 2, Op::Read), [100 * US, 0]);
    assert_eq!(waits(3 * S / 2, Op::Write), [0, 200 * US]);
}

fn spooled(plan: &Value, requests: Vec<Request>) -> Vec<BackEndRow> {
    let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
    let rows = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&rows);
    let mut source = given(requests);
    let mut simulation = Simulation::new(&plan, vec![&mut source as &mut dyn Source]).unwrap();
    simulation.log_back_end(Box::new(move |batch| seen.lock().unwrap().extend_from_slice(batch)));
    simulation.run(&mut |_| true).unwrap();
    std::mem::take(&mut *rows.lock().unwrap())
}

/// The back-end stream is what pools are handed: the back end comes behind.
#[test]
fn the_back_end_stream_is_told_before_the_back_end() {
    let requests = poisson(4, 500, 200.0, 0.6, 8_192, capacity("5", 5));
    let mut plan = one_pool("5", 5);
    let alone = spooled(&plan, requests.clone());
    plan["controller"] = back_end((300, 1), (400, 1));
    assert_eq!(alone.len(), 500);
    assert_eq!(spooled(&plan, requests), alone);
}

#[test]
fn contradictions_are_refused() {
    for (key, value) in [
        ("processors", json!(0)),
        ("write_processors", json!(0)),
        ("command_s", json!(-1.0)),
        ("write_command_s", json!(-1e-9)),
    ] {
        let mut plan = one_pool("0", 1);
        plan["controller"] = back_end((25, 1), (33, 1));
        plan["controller"]["back_end"][key] = value;
        assert_eq!(refusal(&plan), (format!("controller.back_end.{key}"), "range"));
    }
}
