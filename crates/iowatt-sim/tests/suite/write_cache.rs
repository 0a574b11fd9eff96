//! Drives that complete writes in their buffers: what the media do in the background is work like any other.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{MS, S, capacity, one_pool, poisson, request, run};
use iowatt_sim::Outcome;
use iowatt_trace::Op;
use serde_json::{Value, json};

/// Drives with eight segments of 64 KiB, of which four take writes.
fn cached(prebuffers: bool, drives: usize) -> Value {
    let mut plan = one_pool("0", drives);
    plan["pools"][0]["device"]["buffer"] = json!({
        "segments": 8, "segment_sectors": 128, "write_segments": 4, "caching": true, "fast_write": 2,
        "combine_writes": true, "read_hits_on_writes": true, "write_prebuffering": prebuffers,
    });
    plan
}

fn check_books(outcome: &Outcome) {
    let s = &outcome.summary;
    let span = s.window.end_ns - s.window.start_ns;
    for drive in &s.devices {
        assert_eq!(drive.state_ns.values().sum::<u64>(), span);
    }
    assert_eq!(s.total.arrived, s.total.completed + s.total.in_flight_at_end);
}

#[test]
fn prebuffering_takes_the_wait_from_writes_and_nothing_from_the_media() {
    let requests = || poisson(5, 4_000, 120.0, 0.5, 8_192, capacity("0", 2));
    let (waits, takes) = (run(&cached(false, 2), requests()), run(&cached(true, 2), requests()));
    for outcome in [&waits, &takes] {
        check_books(outcome);
        assert_eq!(outcome.summary.total.completed, 4_000);
    }
    let mean = |o: &Outcome| o.summary.total.response.write.mean_s * 1e3;
    assert!(mean(&takes) < 0.8 * mean(&waits), "{} {}", mean(&takes), mean(&waits));
    // As many sectors pass under the heads, and the arm goes as far, give or take the order.
    let busy = |o: &Outcome| {
        let drives = o.summary.devices.iter();
        drives.map(|d| d.state_ns["active"] + d.state_ns["positioning"]).sum::<u64>() as f64
    };
    assert!((busy(&takes) / busy(&waits) - 1.0).abs() < 0.05, "{} {}", busy(&takes), busy(&waits));
}

/// A drive does not stop its spindle on accepted data.
#[test]
fn accepted_data_are_written_before_the_spindle_stops() {
    let mut plan = cached(true, 1);
    plan["pools"][0]["power_policy"] = json!({"policy": "fixed-threshold", "threshold_s": 0.001, "level": 1});
    plan["observe"]["end_s"] = json!(60.0);
    // Ten writes far apart at once: all accepted in microseconds, some 80 ms of work.
    let requests = (0..10).map(|i| request(S, Op::Write, i * 37_000_192 / 4_096 * 4_096, 4_096)).collect();
    let outcome = run(&plan, requests);
    check_books(&outcome);
    let drive = &outcome.summary.devices[0];
    assert_eq!((drive.spin_downs, drive.writes), (2, 10), "at the start, and once after all of them");
    let busy = drive.state_ns["active"] + drive.state_ns["positioning"];
    assert!((30 * MS..150 * MS).contains(&busy), "{busy}");
}
