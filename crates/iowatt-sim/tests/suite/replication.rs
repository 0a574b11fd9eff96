//! Copies on a remote array: what a write waits for, how far the copy is behind, and what the loss of a path does.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_precision_loss)]

use crate::common::{MS, S, given, one_pool, poisson, pool, refusal, request, run, try_run};
use iowatt_sim::{Column, Outcome};
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

const KIB: u64 = 1024;
/// One way.
const WAY: u64 = 500_000;
/// The remote array's own time.
const SERVICE: u64 = 80_000;

/// 100 km at 1 GB/s, nothing around data; commands and their answers take no time but that of the way.
fn path() -> Value {
    json!({"lanes": 1, "queue_depth": null, "host": null,
           "hops": [{"bytes_per_s": 1e9, "frame_payload_bytes": 2048, "frame_wire_bytes": 2048,
                     "latency_s": WAY as f64 * 1e-9, "whole_frames": false}],
           "port": {"command_s": 0.0, "processors": 1},
           "exchange": {"command_bytes": 50, "ready_bytes": 50, "response_bytes": 50, "unsolicited_bytes": 0,
                        "whole_only": false, "burst_bytes": null}})
}

/// What a write of `size` bytes takes on it: two round trips, 150 bytes of messages and its data.
fn exchange(size: u64) -> u64 {
    4 * WAY + 150 + size
}

fn replication(mode: &Value) -> Value {
    json!({"volumes": [{"volume": 0}], "path": path(), "mode": mode, "service_s": SERVICE as f64 * 1e-9,
           "outstanding": 64, "extent_bytes": 64 * KIB})
}

fn synchronous(when_lost: &str) -> Value {
    replication(&json!({"kind": "synchronous", "when_lost": when_lost}))
}

fn journal(bytes: u64, when_full: &str) -> Value {
    replication(&json!({"kind": "journal", "bytes": bytes, "when_full": when_full}))
}

/// Two disks whose controller answers everything from a large cache in no time, replicated.
fn cached(replication: &Value) -> Value {
    let mut plan = one_pool("0", 2);
    plan["controller"] = json!({
        "processing": null, "host_bandwidth_bytes_per_s": null,
        "cache": {"capacity_bytes": 64 << 20, "line_bytes": 8192, "replacement": "lru", "read": true,
                  "write": "back", "high_watermark": 1.0, "low_watermark": 1.0, "destage_bytes": 8192,
                  "destage_outstanding": 1},
    });
    plan["replications"] = json!([replication]);
    plan
}

fn write(at: u64, offset: u64, size: u64) -> Request {
    request(at, Op::Write, offset, size as u32)
}

/// Response times of writes, of which each bin holds one, in ascending order.
fn only(outcome: &Outcome) -> u64 {
    let moments = &outcome.summary.total.response.write;
    assert_eq!(moments.count, 1);
    (moments.mean_s * 1e9).round() as u64
}

fn longest(outcome: &Outcome) -> u64 {
    (outcome.summary.total.response.write.max_s * 1e9).round() as u64
}

#[test]
fn a_synchronous_write_takes_local_and_round_trips_and_remote() {
    // On drives: the local write as without replication, the remote one as its drive says.
    let mut plan = one_pool("0", 1);
    let local = only(&run(&plan, vec![write(0, 0, 8 * KIB)]));
    plan["pools"].as_array_mut().unwrap().push(pool("0", 1));
    let mut copy = plan["volumes"][0].clone();
    copy["pool"] = json!(1);
    plan["volumes"].as_array_mut().unwrap().push(copy);
    let mut to = synchronous("wait");
    to["volumes"][0]["copy"] = json!(1);
    plan["replications"] = json!([to]);
    let outcome = run(&plan, vec![write(0, 0, 8 * KIB)]);
    let remote = &outcome.summary.devices[1];
    assert_eq!((remote.writes, remote.bytes_written), (1, 8 * KIB));
    assert_eq!(only(&outcome), local + exchange(8 * KIB) + SERVICE + remote.response_ns);
    assert!(remote.energy_j.values().sum::<f64>() > 0.0, "the remote drives' joules are the run's");

    // With data behind the command there is one round trip.
    let mut once = synchronous("wait");
    once["path"]["exchange"]["unsolicited_bytes"] = json!(1 << 20);
    let outcome = run(&cached(&once), vec![write(0, 0, 8 * KIB)]);
    assert_eq!(only(&outcome), 2 * WAY + 100 + 8 * KIB + SERVICE);
    assert_eq!(outcome.summary.replications[0].lag.max_bytes, 0, "an answered write is there");
}

#[test]
fn the_replication_is_a_hop_of_requests_that_come_over_a_path() {
    let mut plan = cached(&synchronous("wait"));
    plan["paths"] = json!([path()]);
    plan["workloads"][0]["path"] = json!(0);
    let outcome = run(&plan, vec![write(0, 0, 8 * KIB)]);
    assert_eq!(only(&outcome), 2 * exchange(8 * KIB) + SERVICE);
    let hops = outcome.hops.as_ref().unwrap();
    let column = |name: &str| match &hops.iter().find(|(n, _)| *n == name).unwrap().1 {
        Column::U64(values) => values.clone(),
        Column::F64(_) => panic!("integers"),
    };
    let rows = column("slot").into_iter().zip(column("wait_ns").into_iter().zip(column("service_ns")));
    let by_slot: Vec<(u64, (u64, u64))> = rows.collect();
    assert_eq!(by_slot.len(), 2 + 2 + 8, "queue, HBA, a link both ways, parts of the array");
    assert_eq!(by_slot[11], (11, (0, exchange(8 * KIB) + SERVICE)));
    let all: u64 = by_slot.iter().map(|(_, (wait, service))| wait + service).sum();
    assert_eq!(all, only(&outcome));
    let shipped = &outcome.summary.replications[0];
    assert_eq!(shipped.slots.iter().map(|s| s.0 + s.1).sum::<u64>(), exchange(8 * KIB) + SERVICE);
}

#[test]
fn every_write_gets_there_and_every_nanosecond_is_booked() {
    for replication in [synchronous("wait"), journal(1 << 20, "wait"), journal(64 * KIB, "wait")] {
        let mut plan = cached(&replication);
        plan["paths"] = json!([path()]);
        plan["workloads"][0]["path"] = json!(0);
        plan["replications"][0]["path"]["lanes"] = json!(2);
        plan["replications"][0]["path"]["queue_depth"] = json!(4);
        plan["observe"]["end_s"] = json!(3.0);
        let outcome = run(&plan, poisson(3, 1_000, 800.0, 0.3, 8192, 8 << 20));
        let done = &outcome.summary.replications[0];
        assert_eq!(outcome.summary.total.in_flight_at_end, 0);
        assert_eq!((done.shipped, done.shipped_bytes), (done.writes, done.written_bytes));
        assert_eq!((done.lag.end_s, done.lag.end_bytes), (0.0, 0));
    }
}

#[test]
fn the_age_of_a_journal_is_that_of_its_oldest_write() {
    // Writes every P; each is missing for R. So from the second one on the age goes from R - P to R.
    let (period, missing, count) = (MS, exchange(8 * KIB) + SERVICE, 50);
    let writes = (0..count).map(|i| write(i * period, i * 64 * KIB, 8 * KIB)).collect();
    let outcome = run(&cached(&journal(1 << 30, "wait")), writes);
    assert_eq!(longest(&outcome), 0, "no host waits");
    let lag = outcome.summary.replications[0].lag;
    let (p, r) = (period as f64, missing as f64);
    let integral = (r * r + (count - 1) as f64 * (r * r - (r - p) * (r - p))) / 2.0;
    let end = (count - 1) as f64 * p + r;
    assert!((lag.mean_s * 1e9 - integral / end).abs() < 1e-3, "{} {}", lag.mean_s, integral / end);
    assert_eq!((lag.max_s * 1e9).round() as u64, missing);
    // Little's law: what is missing on average is the rate times the time of it.
    let bytes = (count * 8 * KIB) as f64 * r / end;
    assert!((lag.mean_bytes - bytes).abs() < 1e-6 * bytes);
    assert_eq!(lag.max_bytes, 3 * 8 * KIB, "2.1 periods");
}

#[test]
fn a_full_journal_holds_writes_or_suspends() {
    let writes = || (0..3).map(|i| write(0, i * MS, 8 * KIB)).collect::<Vec<_>>();
    let mut plan = cached(&journal(16 * KIB, "wait"));
    let outcome = run(&plan, writes());
    let got = exchange(8 * KIB) + SERVICE;
    // The third one has room when the first is there; the data of the second one goes behind.
    assert_eq!(longest(&outcome), got);
    let done = &outcome.summary.replications[0];
    assert_eq!((done.held, done.held_ns, done.overflows, done.lag.max_bytes), (1, got, 1, 16 * KIB));

    plan["replications"] = json!([journal(16 * KIB, "suspend")]);
    plan["observe"]["end_s"] = json!(1.0);
    let outcome = run(&plan, writes());
    let done = &outcome.summary.replications[0];
    assert_eq!((longest(&outcome), done.overflows, done.suspensions.len()), (0, 1, 1));
    assert!(done.suspensions[0].resumed_ns == Some(0) && done.suspensions[0].until_ns.is_some());
    assert_eq!(done.lag.end_bytes, 0);
    // Three writes of 8 KiB, 1,000,000 bytes apart: the extents that they touch, whole.
    assert_eq!(done.shipped_bytes, 3 * 64 * KIB);
}

/// An outage from 4 to 10 ms.
fn lost(mut replication: Value) -> Value {
    replication["outages"] = json!([{"at_s": 4e-3, "back_s": 10e-3}]);
    replication
}

#[test]
fn synchronous_writes_wait_for_a_lost_path() {
    let got = exchange(8 * KIB) + SERVICE;
    let plan = cached(&lost(synchronous("wait")));
    assert_eq!(only(&run(&plan, vec![write(5 * MS, 0, 8 * KIB)])), 5 * MS + got);
    let outcome = run(&plan, vec![write(4 * MS - 10, 0, 8 * KIB)]);
    assert_eq!(only(&outcome), 6 * MS + 10 + got, "what was on its way is sent again");
    let done = &outcome.summary.replications[0];
    assert_eq!((done.resent, done.held, done.held_ns, done.shipped), (1, 1, 6 * MS, 1));
    assert_eq!(done.path.queue.visits, 2);
    // A path that never returns keeps the write.
    let mut never = cached(&synchronous("wait"));
    never["replications"][0]["outages"] = json!([{"at_s": 0.0}]);
    never["observe"]["end_s"] = json!(1.0);
    let outcome = run(&never, vec![write(5, 0, 8 * KIB)]);
    assert_eq!(outcome.summary.total.in_flight_at_end, 1);
}

#[test]
fn a_suspended_replication_notes_extents_and_sends_them_later() {
    let mut plan = cached(&lost(synchronous("suspend")));
    plan["observe"]["end_s"] = json!(1.0);
    let writes = vec![
        write(4 * MS - 10, 0, 8 * KIB),   // on its way: answered when the path is lost
        write(5 * MS, 20 * KIB, 8 * KIB), // the same extent
        write(6 * MS, 10 * 64 * KIB, 8 * KIB), // another one
        write(500 * MS, 20 * 64 * KIB, 8 * KIB), // as ever
    ];
    let outcome = run(&plan, writes);
    let done = &outcome.summary.replications[0];
    assert_eq!(longest(&outcome), exchange(8 * KIB) + SERVICE);
    assert_eq!((done.writes, done.shipped, done.shipped_bytes), (4, 3, 2 * 64 * KIB + 8 * KIB));
    let [suspension] = &done.suspensions[..] else { panic!("one suspension") };
    assert_eq!((suspension.from_ns, suspension.resumed_ns), (4 * MS, Some(10 * MS)));
    // Each extent is read, from both disks, and shipped; the second one's data goes behind that of the first.
    let until = suspension.until_ns.unwrap();
    let reads: u64 = outcome.summary.devices.iter().map(|d| d.bytes_read).sum();
    assert_eq!(reads, 2 * 64 * KIB);
    assert!(until > 10 * MS + exchange(64 * KIB) + SERVICE && until < 60 * MS, "{until}");
    assert_eq!((done.lag.max_s * 1e9).round() as u64, until - 4 * MS, "of the first write");
    assert_eq!((done.lag.max_bytes, done.lag.end_bytes), (2 * 64 * KIB, 0));
}

#[test]
fn a_journal_outlives_a_lost_path_in_order() {
    let mut plan = cached(&lost(journal(1 << 20, "wait")));
    plan["observe"]["end_s"] = json!(1.0);
    let writes = (0..10).map(|i| write(i * MS, i * 64 * KIB, 8 * KIB)).collect();
    let outcome = run(&plan, writes);
    let done = &outcome.summary.replications[0];
    assert_eq!((longest(&outcome), done.shipped, done.writes), (0, 10, 10));
    // Those of 2 ms and 3 ms were on their way and are sent again (the one of 1 ms took 2.1 ms).
    assert_eq!(done.resent, 2);
    // The oldest one of them is there first, one exchange behind the path's return.
    assert_eq!((done.lag.max_s * 1e9).round() as u64, {
        let first = 10 * MS + exchange(8 * KIB) + SERVICE;
        first - 2 * MS
    });
}

#[test]
fn cycles_send_an_extent_once_however_often_it_is_written() {
    let mut plan = cached(&replication(&json!({"kind": "cycles", "period_s": 0.1})));
    plan["observe"]["end_s"] = json!(0.5);
    let writes = (0..40).map(|i| write(MS * (10 + i), (i % 4) * 64 * KIB, 8 * KIB)).collect();
    let outcome = run(&plan, writes);
    let done = &outcome.summary.replications[0];
    assert_eq!((longest(&outcome), done.writes, done.shipped_bytes), (0, 40, 4 * 64 * KIB));
    assert_eq!((done.cycles, done.late_cycles, done.lag.end_bytes), (1, 0, 0));
    let oldest = (done.lag.max_s * 1e9).round() as u64;
    let least = 90 * MS + exchange(64 * KIB) + SERVICE;
    assert!(least < oldest && oldest < least + 60 * MS, "written at 10 ms, sent from 100 ms on: {oldest}");

    // Extents that take longer than a cycle make the next one late, and nothing is lost.
    plan["replications"][0]["outstanding"] = json!(1);
    plan["replications"][0]["mode"]["period_s"] = json!(0.02);
    plan["observe"]["end_s"] = json!(5.0);
    let writes = (0..400).map(|i| write(MS * i, i * 64 * KIB, 8 * KIB)).collect();
    let outcome = run(&plan, writes);
    let done = &outcome.summary.replications[0];
    assert!(done.late_cycles > 0 && done.shipped == 400, "{done:?}");
    assert_eq!(done.lag.end_bytes, 0);
}

#[test]
fn contradictions_are_refused() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut plan = cached(&lost(synchronous("wait")));
        change(&mut plan["replications"][0]);
        refusal(&plan)
    };
    let at = |path: &str, code| (format!("replications[0].{path}"), code);
    assert_eq!(with(&|r| r["volumes"] = json!([])), at("volumes", "range"));
    assert_eq!(with(&|r| r["volumes"][0]["volume"] = json!(7)), at("volumes[0].volume", "reference"));
    assert_eq!(with(&|r| r["volumes"][0]["copy"] = json!(0)), at("volumes[0].copy", "conflict"));
    assert_eq!(with(&|r| r["extent_bytes"] = json!(100)), at("extent_bytes", "range"));
    assert_eq!(with(&|r| r["outstanding"] = json!(0)), at("outstanding", "range"));
    assert_eq!(with(&|r| r["outages"][0]["back_s"] = json!(4e-3)), at("outages[0].back_s", "range"));
    let mut twice = cached(&synchronous("wait"));
    twice["replications"] = json!([synchronous("wait"), journal(1, "wait")]);
    assert_eq!(refusal(&twice), ("replications[1].volumes".into(), "conflict"));
    assert!(try_run(&cached(&synchronous("wait")), vec![given(vec![write(S, 0, 512)])]).is_ok());
}
