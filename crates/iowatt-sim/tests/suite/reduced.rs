//! Capacity optimisation through the whole engine: what each method costs and saves in back-end I/O.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::solid::{flash, offered, one_drive};
use crate::common::{Lcg, MS, S, given, one_pool, refusal, request, try_run};
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
        let mut requests = crate::common::poisson(seed, 3_000, 150.0, 0.5, 8192, 400 * PAGE);
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

/// A thin volume of `pages`, all empty, that gives back what is trimmed or written as zeros at so many bytes a second.
fn reclaiming(pages: u64, bytes_per_s: Option<f64>) -> Value {
    reduced(pages, |s| {
        s["filled"] = json!(0.0);
        s["reclaim"] = json!({"trims": true, "zeros": true, "bytes_per_s": bytes_per_s});
    })
}

fn reduction(outcome: &Outcome) -> Value {
    serde_json::to_value(outcome.summary.virtual_pools[0].reduced).unwrap()
}

/// Trims give up the pages that they cover wholly; what is read there later costs nothing, and it is no access.
#[test]
fn trimmed_pages_are_given_back() {
    let mut requests = each(Op::Write, 10, 0, PAGE);
    // Pages 2 to 5 wholly, and a part of 1 and of 6, which stay.
    requests.push(request(S, Op::Trim, 2 * PAGE - 512, 4 * PAGE as u32 + 1024));
    requests.push(request(2 * S, Op::Read, 0, 10 * PAGE as u32));
    let outcome = try_run(&reclaiming(20_000, None), vec![given(requests)]).unwrap();
    let (s, found) = (&outcome.summary, reduction(&outcome));
    assert_eq!((s.total.completed, s.trims.as_slice()), (11, &[1][..]));
    assert_eq!((found["discarded"].clone(), found["reclaimed_bytes"].clone()), (json!(4), json!(4 * PAGE)));
    assert_eq!(
        (found["logical_bytes"].clone(), found["stored_bytes"].clone()),
        (json!(6 * PAGE), json!(6 * PAGE))
    );
    assert_eq!(found["unallocated_bytes"], json!(4 * PAGE));
    assert_eq!(back_end(&outcome)[2], 6 * PAGE);
}

/// At a rate r the k-th page of a trim is given back k pages / r after it: at 10 pages a second, 25 of 100 in 2.55 s.
#[test]
fn reclaim_takes_its_time() {
    let mut plan = reclaiming(20_000, Some(10.0 * PAGE as f64));
    plan["observe"]["end_s"] = json!(13.55);
    let mut requests = each(Op::Write, 100, 0, PAGE);
    requests.push(request(11 * S, Op::Trim, 0, 100 * PAGE as u32));
    let found = reduction(&try_run(&plan, vec![given(requests)]).unwrap());
    assert_eq!(
        (found["discarded"].clone(), found["reclaimed_bytes"].clone()),
        (json!(100), json!(25 * PAGE))
    );
    assert_eq!(
        (found["leaving_bytes"].clone(), found["stored_bytes"].clone()),
        (json!(75 * PAGE), json!(75 * PAGE))
    );
    assert_eq!(found["logical_bytes"], json!(0));
}

/// Whole pages of zeros are not stored, and what they overwrite is given back; the rest of such a write is data.
#[test]
fn pages_of_zeros_take_no_space() {
    let mut plan = reclaiming(20_000, None);
    plan["workloads"][0]["zero_share"] = json!(1.0);
    let requests =
        vec![request(0, Op::Write, PAGE / 2, 3 * PAGE as u32), request(S, Op::Read, 0, 4 * PAGE as u32)];
    let outcome = try_run(&plan, vec![given(requests)]).unwrap();
    let found = reduction(&outcome);
    assert_eq!(
        (found["zero_bytes"].clone(), found["stored_bytes"].clone()),
        (json!(2 * PAGE), json!(2 * PAGE))
    );
    assert_eq!(back_end(&outcome)[3], PAGE);
    // Data first, then zeros over all of it.
    plan["workloads"][0]["zero_share"] = json!(0.0);
    let second = json!({"volume": 0, "replay": {"mode": "open", "speed": 1.0}, "zero_share": 1.0});
    plan["workloads"].as_array_mut().unwrap().push(second);
    let data = given(each(Op::Write, 8, 0, PAGE));
    let zeros = given(vec![request(S, Op::Write, 0, 8 * PAGE as u32)]);
    let found = reduction(&try_run(&plan, vec![data, zeros]).unwrap());
    assert_eq!((found["discarded"].clone(), found["stored_bytes"].clone()), (json!(8), json!(0)));
}

/// What a snapshot needs stays, and what others share.
#[test]
fn reclaim_spares_what_snapshots_and_others_need() {
    let mut plan = reclaiming(20_000, None);
    plan["virtual_pools"][0]["scheme"]["snapshots"] =
        json!({"interval_s": 1.0, "retain": 5, "method": "redirect-on-write"});
    let mut requests = each(Op::Write, 10, 0, PAGE);
    requests.push(request(1_500 * MS, Op::Trim, 0, 10 * PAGE as u32));
    let found = reduction(&try_run(&plan, vec![given(requests)]).unwrap());
    assert_eq!((found["discarded"].clone(), found["reclaimed_bytes"].clone()), (json!(10), json!(0)));
    assert_eq!(
        (found["logical_bytes"].clone(), found["snapshot_bytes"].clone()),
        (json!(0), json!(10 * PAGE))
    );
}

/// Without `reclaim` trims and zeros mean nothing here, as before.
#[test]
fn without_reclaim_trims_are_left_out() {
    let mut requests = each(Op::Write, 10, 0, PAGE);
    requests.push(request(S, Op::Trim, 0, 10 * PAGE as u32));
    let outcome = try_run(&reduced(20_000, |s| s["filled"] = json!(0.0)), vec![given(requests)]).unwrap();
    assert_eq!(
        (reduction(&outcome)["stored_bytes"].clone(), outcome.summary.trims.len()),
        (json!(10 * PAGE), 0)
    );
    let mut plan = reclaiming(20_000, None);
    plan["virtual_pools"][0]["scheme"]["reclaim"]["bytes_per_s"] = json!(0.0);
    assert_eq!(refusal(&plan).1, "range");
}

/// What a thin volume gives back reaches the flash below: with half of the pages trimmed, overwriting the others has half of
/// the drive to spare, and moves less.
#[test]
fn reclaimed_space_lowers_write_amplification() {
    let drive = flash(64, 0.28);
    let pages = offered(&drive) / PAGE;
    let amplification = |trims: bool| {
        let mut plan = one_drive(&drive, 8);
        let scheme = json!({
            "kind": "reduced", "capacity_bytes": pages * PAGE, "page_bytes": PAGE, "stored_bytes": PAGE, "filled": 1.0,
            "duplicates": 0.0, "page_s": 0.0, "snapshots": null, "reclaim": {"trims": trims, "zeros": false},
        });
        let part = json!({"pool": 0, "offset_bytes": 0, "capacity_bytes": pages * PAGE});
        plan["virtual_pools"] = json!([{"parts": [part], "scheme": scheme}]);
        plan["volumes"] = json!([{"pool": 1, "offset_bytes": 0, "capacity_bytes": pages * PAGE}]);
        let (half, mut random) = (pages / 2, Lcg(9));
        let mut requests = vec![request(0, Op::Trim, 0, (half * PAGE) as u32)];
        requests.extend(
            (0..25_000)
                .map(|_| request(0, Op::Write, (half + random.below(pages - half)) * PAGE, PAGE as u32)),
        );
        let outcome = try_run(&plan, vec![given(requests)]).unwrap();
        let found = outcome.summary.devices[0].flash.as_ref().unwrap();
        assert_eq!(reduction(&outcome)["reclaimed_bytes"], json!(if trims { half * PAGE } else { 0 }));
        assert_eq!(found.trims, u64::from(trims));
        found.write_amplification.unwrap()
    };
    let (without, with) = (amplification(false), amplification(true));
    // In steady state at 28 % to spare FIFO moves more than it writes; with 156 % it moves a fraction.
    assert!(without > 2.5 && with < 1.5, "{without} {with}");
}
