//! Capacity optimisation through the whole engine: what each method costs and saves in back-end I/O.
#![allow(clippy::unwrap_used)] // tests fail by panicking

mod common;

use common::{MS, S, given, one_pool, refusal, request, try_run};
use iowatt_sim::Outcome;
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

const PAGE: u64 = 16_384;

/// A reduced volume of `pages` over one drive.
fn reduced(pages: u64, change: impl FnOnce(&mut Value)) -> Value {
    let mut plan = one_pool("0", 1);
    let mut scheme = json!({
        "kind": "reduced", "capacity_bytes": pages * PAGE, "page_bytes": PAGE, "stored_bytes": PAGE, "filled": 1.0,
        "duplicates": 0.0, "page_s": 0.0, "snapshots": null,
    });
    change(&mut scheme);
    let part = json!({"pool": 0, "offset_bytes": 0, "capacity_bytes": 24_000 * PAGE});
    plan["virtual_pools"] = json!([{"parts": [part], "scheme": scheme}]);
    plan["volumes"] = json!([{"pool": 1, "offset_bytes": 0, "capacity_bytes": pages * PAGE}]);
    plan
}

fn of(plan: &Value, requests: Vec<Request>) -> Outcome {
    let count = requests.len() as u64;
    let outcome = try_run(plan, vec![given(requests)]).unwrap();
    assert_eq!(outcome.summary.total.completed, count);
    outcome
}

/// Reads, writes, bytes of each at the drive.
fn back_end(outcome: &Outcome) -> [u64; 4] {
    let d = &outcome.summary.devices[0];
    [d.reads, d.writes, d.bytes_read, d.bytes_written]
}

/// One request to each of the first `count` pages, 20 ms apart.
fn each(op: Op, count: u64, at: u64, size: u64) -> Vec<Request> {
    (0..count).map(|page| request(at + page * 20 * MS, op, page * PAGE, size as u32)).collect()
}

#[test]
fn without_any_method_it_is_the_pool() {
    let plan = reduced(20_000, |_| {});
    let requests = vec![
        request(0, Op::Read, 3 * PAGE + 512, 4 * PAGE as u32),
        request(S, Op::Write, 9 * PAGE + 1024, 512),
    ];
    assert_eq!(back_end(&of(&plan, requests)), [1, 1, 4 * PAGE, 512]);
}

#[test]
fn what_was_never_written_is_read_without_a_drive() {
    let plan = reduced(40_000, |s| s["filled"] = json!(0.0));
    let mut requests = each(Op::Read, 50, 0, PAGE);
    requests.extend(each(Op::Write, 10, 2 * S, 4096));
    requests.extend(each(Op::Read, 50, 4 * S, 4096));
    let outcome = of(&plan, requests);
    assert_eq!(back_end(&outcome), [10, 10, 10 * 4096, 10 * 4096]);
    let Some(state) = outcome.summary.virtual_pools[0].reduced.as_ref() else { unreachable!() };
    assert_eq!(state.allocated, 10);
    assert_eq!((state.logical_bytes, state.stored_bytes), (10 * PAGE, 10 * PAGE));
    assert_eq!(state.unallocated_bytes, 50 * PAGE + 40 * 4096);
}

#[test]
fn half_filled_volumes_answer_half_of_the_reads() {
    let plan = reduced(40_000, |s| s["filled"] = json!(0.5));
    let outcome =
        of(&plan, (0..4_000).map(|i| request(i * 10 * MS, Op::Read, i * 10 * PAGE, 4096)).collect());
    let reads = back_end(&outcome)[0];
    assert!((1_800..2_200).contains(&reads), "{reads}"); // runs of 64 pages, a tenth of each looked at
}

#[test]
fn compressed_pages_move_as_wholes() {
    let plan = reduced(40_000, |s| s["stored_bytes"] = json!(PAGE / 2));
    let pages = back_end(&of(&plan, each(Op::Read, 20, 0, PAGE)));
    assert_eq!(pages, [20, 0, 20 * PAGE / 2, 0]);
    assert_eq!(back_end(&of(&plan, each(Op::Write, 20, 0, PAGE))), [0, 20, 0, 20 * PAGE / 2]);
    // A part of a page: all of it is read, and for a write written.
    assert_eq!(back_end(&of(&plan, each(Op::Read, 20, 0, 4096))), [20, 0, 20 * PAGE / 2, 0]);
    assert_eq!(back_end(&of(&plan, each(Op::Write, 20, 0, 4096))), [20, 20, 20 * PAGE / 2, 20 * PAGE / 2]);
    // Neighbours are one transfer.
    assert_eq!(back_end(&of(&plan, vec![request(0, Op::Write, 0, 8 * PAGE as u32)])), [0, 1, 0, 4 * PAGE]);
}

#[test]
fn duplicates_are_not_written() {
    let plan = reduced(20_000, |s| s["duplicates"] = json!(0.4));
    let requests = (0..3_000).map(|i| request(i * 10 * MS, Op::Write, i * 7 % 20_000 * PAGE, PAGE as u32));
    let outcome = of(&plan, requests.collect());
    let [reads, writes, _, bytes] = back_end(&outcome);
    let Some(state) = outcome.summary.virtual_pools[0].reduced.as_ref() else { unreachable!() };
    assert_eq!(state.pages_written, 3_000);
    assert_eq!((reads, writes, bytes), (0, 3_000 - state.duplicates, (3_000 - state.duplicates) * PAGE));
    // 1,200 expected; 5 sigma is 134.
    assert!((1_066..1_334).contains(&state.duplicates), "{}", state.duplicates);
}

#[test]
fn a_snapshot_makes_the_first_write_dear() {
    let snapshots = |method: &str| {
        let plan = reduced(10_000, |s| {
            s["snapshots"] = json!({"interval_s": 10.0, "retain": 2, "method": method});
        });
        // Twice after the snapshot at 10 s, and once after that at 20 s, which is taken when it comes to it.
        let mut requests = each(Op::Write, 20, 0, PAGE);
        for at in [11, 12, 21] {
            requests.extend(each(Op::Write, 20, at * S, PAGE));
        }
        of(&plan, requests)
    };
    let copied = snapshots("copy-on-write");
    assert_eq!(back_end(&copied), [40, 80 + 40, 40 * PAGE, 120 * PAGE]);
    let Some(state) = copied.summary.virtual_pools[0].reduced.as_ref() else { unreachable!() };
    assert_eq!((state.copied_bytes, state.snapshots), (40 * PAGE, 2));
    assert_eq!(state.snapshot_bytes, 40 * PAGE);
    assert_eq!(copied.summary.devices[0].cause_j.get("migration").map(|j| *j > 0.0), Some(true));
    let redirected = snapshots("redirect-on-write");
    assert_eq!(back_end(&redirected), [0, 80, 0, 80 * PAGE]);
    let Some(state) = redirected.summary.virtual_pools[0].reduced.as_ref() else { unreachable!() };
    assert_eq!((state.copied_bytes, state.snapshot_bytes), (0, 40 * PAGE));
    // A part of a page that goes elsewhere must bring the rest along.
    let plan = reduced(10_000, |s| {
        s["snapshots"] = json!({"interval_s": 10.0, "retain": 2, "method": "redirect-on-write"});
    });
    assert_eq!(back_end(&of(&plan, each(Op::Write, 20, 11 * S, 4096))), [20, 20, 20 * PAGE, 20 * PAGE]);
    // The copy is finished before the write begins.
    let one = |at| {
        of(
            &reduced(10_000, |s| {
                s["snapshots"] = json!({"interval_s": 10.0, "retain": 2, "method": "copy-on-write"});
            }),
            vec![request(at, Op::Write, 0, PAGE as u32)],
        )
        .summary
        .total
        .response
        .all
        .mean_s
    };
    assert!(one(11 * S) > 2.5 * one(0));
}

#[test]
fn space_that_runs_out_is_told() {
    let plan = reduced(24_000, |s| {
        s["snapshots"] = json!({"interval_s": 1.0, "retain": 9, "method": "redirect-on-write"});
    });
    let outcome = of(&plan, each(Op::Write, 5, 2 * S, PAGE));
    let Some(state) = outcome.summary.virtual_pools[0].reduced.as_ref() else { unreachable!() };
    assert_eq!((state.no_space, back_end(&outcome)[1]), (5, 0));
}

#[test]
fn the_controller_takes_its_time() {
    let of_time = |page_s: f64, gap: u64| {
        let plan = reduced(40_000, |s| {
            s["stored_bytes"] = json!(PAGE / 2);
            s["page_s"] = json!(page_s);
        });
        let requests = (0..40).map(|i| request(i * gap, Op::Write, i * 64 * PAGE, 2 * PAGE as u32));
        of(&plan, requests.collect()).summary.total.response.all.mean_s
    };
    let free = of_time(0.0, 50 * MS);
    let slow = of_time(0.001, 50 * MS);
    assert!((slow - free - 0.002).abs() < 0.0035, "{free} {slow}"); // rotation differs by 2 ms
    // One page at a time: all at once they queue for (1 + .. + 40) x 2 ms.
    assert!(of_time(0.01, 0) > 0.01 * 2.0 * 20.5);
}

/// Whatever is mixed: all requests complete and the tables are sound.
#[test]
fn all_methods_at_once() {
    for seed in 0..6u64 {
        let plan = reduced(30_000, |s| {
            s["stored_bytes"] = json!(PAGE / 2);
            s["filled"] = json!(0.7);
            s["duplicates"] = json!(0.3);
            s["page_s"] = json!(20e-6);
            s["snapshots"] = json!({"interval_s": 5.0, "retain": 3, "method": if seed % 2 == 0 { "copy-on-write" } else { "redirect-on-write" }});
        });
        // A hot area, faster than the drive: requests to the same pages meet.
        let mut requests = common::poisson(seed, 3_000, 150.0, 0.5, 8192, 400 * PAGE);
        requests.extend((0..50).map(|i| request(i * 400 * MS, Op::Write, i * 600 * PAGE + 512, 300_000)));
        requests.sort_by_key(|r| r.time_ns);
        let outcome = of(&plan, requests);
        let Some(state) = outcome.summary.virtual_pools[0].reduced.as_ref() else { unreachable!() };
        assert!(state.waited > 0 && state.duplicates > 0 && state.modify_bytes > 0);
        assert_eq!(state.no_space, 0);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let plan = reduced(50_000, |_| {});
    assert_eq!(refusal(&plan), ("virtual_pools[0].scheme.filled".into(), "capacity"));
}
