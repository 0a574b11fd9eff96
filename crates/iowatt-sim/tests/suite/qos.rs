//! Limits of volumes and turns at the door of the array: closed forms (docs/models/qos.md).
#![allow(clippy::unwrap_used, clippy::panic)] // tests fail by panicking

use crate::common::{MS, S, given, one_pool, poisson, refusal, request, run, try_run};
use iowatt_sim::{Column, Outcome};
use iowatt_trace::{Op, Request};
use proptest::prelude::*;
use serde_json::{Value, json};

const BLOCK: u32 = 8_192;

/// Two volumes of two drives under one controller that answers every write from its cache, after so many seconds of its
/// only processor.
fn array(write_s: f64) -> Value {
    let mut plan = one_pool("0", 2);
    let half = 48_000 * u64::from(BLOCK);
    plan["volumes"] = json!([
        {"pool": 0, "offset_bytes": 0, "capacity_bytes": half},
        {"pool": 0, "offset_bytes": half, "capacity_bytes": half},
    ]);
    plan["controller"] = json!({
        "processing": {"read_s": write_s, "write_s": write_s, "processors": 1}, "host_bandwidth_bytes_per_s": null,
        "cache": {"capacity_bytes": 64 << 20, "line_bytes": BLOCK, "replacement": "lru", "read": true,
                  "write": "back", "high_watermark": 1.0, "low_watermark": 1.0, "destage_bytes": BLOCK,
                  "destage_outstanding": 1},
    });
    plan
}

fn write(at: u64, number: u64) -> Request {
    request(at, Op::Write, number % 100 * u64::from(BLOCK), BLOCK)
}

fn writes_at_once(count: u64) -> Vec<Request> {
    (0..count).map(|k| write(0, k)).collect()
}

/// A closed loop on a volume that never ends before the run does.
fn closed(volume: usize, outstanding: u32) -> Value {
    json!({"volume": volume, "replay": {"mode": "closed", "outstanding": outstanding, "per": "workload"}})
}

fn completed(outcome: &Outcome) -> Vec<u64> {
    outcome.summary.volumes.iter().map(|v| v.completions.requests).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Of n requests at once, number k is let in after max(0, k / r - b): the token bucket's closed form, whose waits are
    /// all there is of the response times where the array takes no time.
    #[test]
    fn a_burst_passes_and_the_rest_comes_at_the_rate(
        n in 1u64..60, rate in 5.0f64..5_000.0, burst_ms in 0u64..200, bytes in any::<bool>(),
    ) {
        let mut plan = array(0.0);
        let limit = if bytes { ("bytes_per_s", rate * f64::from(BLOCK)) } else { ("iops", rate) };
        plan["volumes"][0]["qos"] = json!({limit.0: limit.1, "burst_s": burst_ms as f64 / 1e3});
        let s = run(&plan, writes_at_once(n)).summary;
        let wait = |k: u64| (k as f64 / rate - burst_ms as f64 / 1e3).max(0.0);
        let (sum, last) = ((0..n).map(wait).sum::<f64>(), wait(n - 1));
        prop_assert!((s.total.response.all.max_s - last).abs() < 2e-9);
        let (limits, turns) = (s.qos[0].limits, s.qos[0].turns);
        prop_assert!((limits.wait_ns as f64 / 1e9 - sum).abs() < n as f64 * 2e-9);
        prop_assert_eq!(limits.requests, (0..n).filter(|&k| wait(k) > 1e-9).count() as u64);
        prop_assert_eq!((s.qos[0].visits, s.qos[1].visits, turns.requests), (n, 0, 0));
        // All of it lies in the window: the integral of the number that waits is the sum of the waits.
        prop_assert_eq!(limits.area_ns, limits.wait_ns);
    }
}

/// A limit of 50 a second lets a closed loop of 8 complete 50 a second, each after 8 / 50 s: Little's law, exactly.
#[test]
fn a_limit_is_the_rate_of_a_saturated_loop() {
    let mut plan = array(1e-3);
    plan["workloads"] = json!([closed(0, 8)]);
    plan["volumes"][0]["qos"] = json!({"iops": 50.0});
    plan["observe"]["warmup_s"] = json!(10.0);
    plan["observe"]["end_s"] = json!(30.0);
    let outcome = run(&plan, writes_at_once(5_000));
    let s = &outcome.summary;
    assert_eq!(completed(&outcome), [1_000, 0]);
    assert!((s.total.response.all.mean_s - 8.0 / 50.0).abs() < 1e-9, "{}", s.total.response.all.mean_s);
    // The array has one of them for 1 ms of 20; the others wait for the limit.
    let waiting = s.qos[0].limits.area_ns as f64 / 20e9;
    assert!((waiting - (8.0 - 0.05)).abs() < 1e-6, "{waiting}");
}

/// Both limits hold at once, and an open load beyond them completes at the tighter one and what the burst allows.
#[test]
fn the_tighter_of_two_limits_decides() {
    let mut plan = array(0.0);
    plan["observe"]["end_s"] = json!(20.0);
    plan["volumes"][0]["qos"] =
        json!({"iops": 100.0, "bytes_per_s": 40.0 * f64::from(BLOCK), "burst_s": 2.0});
    let every_5_ms: Vec<_> = (0..4_000).map(|k| write(k * 5 * MS, k)).collect();
    // 200 a second: in 20 s 40 x 20 flow in beside the 80 of the bucket, and one request may owe.
    assert_eq!(completed(&run(&plan, every_5_ms)), [40 * 20 + 80 + 1, 0]);
}

/// One place and a processor of 1 ms: two saturated loops share 1,000 requests a second by their weights.
#[test]
fn weights_share_the_array() {
    let mut plan = array(1e-3);
    plan["workloads"] = json!([closed(0, 4), closed(1, 4)]);
    plan["qos"] = json!({"outstanding": 1, "order": "weighted"});
    plan["volumes"][0]["qos"] = json!({"weight": 3.0});
    plan["observe"]["end_s"] = json!(4.0);
    let share = |plan: &Value| {
        let sources = vec![given(writes_at_once(9_000)), given(writes_at_once(9_000))];
        let outcome = try_run(plan, sources).unwrap();
        // Of each volume, 4 are under way: waiting for a turn or inside, as Little's law has it.
        for (volume, qos) in outcome.summary.volumes.iter().zip(&outcome.summary.qos) {
            let inside = volume.completions.requests as f64 * 1e-3 / 4.0;
            let waiting = qos.turns.area_ns as f64 / 4e9;
            assert!((inside + waiting - 4.0).abs() < 2e-3, "{inside} {waiting}");
        }
        completed(&outcome)
    };
    assert_eq!(share(&plan), [3_000, 1_000]);
    plan["volumes"][1]["qos"] = json!({"weight": 7.0});
    assert_eq!(share(&plan), [1_200, 2_800]);
    plan["qos"]["order"] = json!("first-come");
    assert_eq!(share(&plan), [2_000, 2_000]);
}

/// Strict priority: what waits of the higher volume comes first, and the lower one gets what that leaves.
#[test]
fn the_higher_priority_comes_first() {
    let mut plan = array(1e-3);
    plan["workloads"] = json!([closed(0, 2), {"volume": 1, "replay": {"mode": "open", "speed": 1.0}}]);
    plan["qos"] = json!({"outstanding": 1, "order": "strict"});
    plan["volumes"][0]["qos"] = json!({"priority": 0});
    plan["volumes"][1]["qos"] = json!({"priority": 1});
    plan["observe"]["end_s"] = json!(1.0);
    // One request of the higher volume every 2.5 ms finds the array busy for another ms at most, whatever the lower wants.
    let high: Vec<_> = (0..400).map(|k| write(k * 2_500_000, k)).collect();
    let outcome = try_run(&plan, vec![given(writes_at_once(9_000)), given(high)]).unwrap();
    let s = &outcome.summary;
    assert!(s.volumes[1].response.all.max_s <= 2e-3 + 1e-9);
    assert_eq!(completed(&outcome), [600, 400]);
    // A loop of two that never leaves a place takes all of them: priority starves what is below.
    plan["volumes"][0]["qos"] = json!({"priority": 2});
    let high = (0..400).map(|k| write(k * 2_500_000, k)).collect();
    let outcome = try_run(&plan, vec![given(writes_at_once(9_000)), given(high)]).unwrap();
    assert!(completed(&outcome)[1] <= 1, "{:?}", completed(&outcome));
}

/// Limits that nobody reaches, and places for all, change no figure.
#[test]
fn generous_limits_change_nothing() {
    let requests = poisson(5, 800, 400.0, 0.6, 4_096, 390_000_000);
    let figures = |plan: &Value| {
        let mut summary = serde_json::to_value(run(plan, requests.clone()).summary).unwrap();
        summary.as_object_mut().unwrap().remove("qos");
        summary.to_string()
    };
    for controlled in [true, false] {
        let mut plan = array(20e-6);
        if !controlled {
            plan["controller"] = json!(null);
        }
        let plain = figures(&plan);
        plan["qos"] = json!({"outstanding": 100_000, "order": "strict"});
        plan["volumes"][0]["qos"] = json!({"iops": 1e9, "bytes_per_s": 1e14, "burst_s": 10.0});
        assert_eq!(figures(&plan), plain);
    }
}

/// On a path every nanosecond at the door is booked to its own hop, reads and writes, and the rest as without.
#[test]
fn waiting_at_the_door_is_a_hop_of_the_budget() {
    let mut plan = array(20e-6);
    plan["paths"] = json!([{
        "lanes": 1, "queue_depth": null, "host": null,
        "hops": [{"bytes_per_s": 850e6, "frame_payload_bytes": 2048, "frame_wire_bytes": 2172, "latency_s": 1e-6,
                  "whole_frames": false}],
        "port": {"command_s": 2e-6, "processors": 1},
        "exchange": {"command_bytes": 32, "ready_bytes": 12, "response_bytes": 24, "unsolicited_bytes": 0,
                     "whole_only": false, "burst_bytes": null},
    }]);
    plan["controller"]["host_bandwidth_bytes_per_s"] = json!(null);
    plan["workloads"][0]["path"] = json!(0);
    let slots = |plan: &Value| {
        // Apart enough that nothing but the limit makes anybody wait.
        let requests: Vec<_> = (0..40)
            .map(|k| request(k * 10 * MS, if k % 2 == 0 { Op::Write } else { Op::Read }, 0, BLOCK))
            .collect();
        let outcome = run(plan, requests);
        let hops = outcome.hops.as_ref().unwrap();
        let column = |name: &str| match &hops.iter().find(|(n, _)| *n == name).unwrap().1 {
            Column::U64(values) => values.clone(),
            Column::F64(_) => panic!("integers"),
        };
        let (slot, wait, service) = (column("slot"), column("wait_ns"), column("service_ns"));
        let mut sums = vec![(0, 0); 1 + *slot.iter().max().unwrap() as usize];
        for row in 0..slot.len() {
            sums[slot[row] as usize].0 += wait[row];
            sums[slot[row] as usize].1 += service[row];
        }
        let response = (outcome.summary.total.response.all.mean_s * 40e9).round() as u64;
        assert_eq!(sums.iter().map(|s| s.0 + s.1).sum::<u64>(), response);
        (sums, outcome.summary.qos)
    };
    let (plain, _) = slots(&plan);
    // One every 25 ms, of one every 10 ms: request k waits about 15 k ms.
    plan["volumes"][0]["qos"] = json!({"iops": 40.0});
    let (limited, qos) = slots(&plan);
    assert_eq!(limited.len(), plain.len() + 1);
    assert_eq!(limited[..plain.len()], plain[..]);
    assert_eq!(limited[plain.len()], (qos[0].limits.wait_ns, 0));
    assert!(qos[0].limits.wait_ns > 15 * MS * 39 * 20 - 40 * MS);
}

#[test]
fn impossible_limits_are_refused() {
    let cases = [
        ("volumes", json!({"iops": 0.0}), "volumes[0].qos.iops"),
        ("volumes", json!({"bytes_per_s": -1.0}), "volumes[0].qos.bytes_per_s"),
        ("volumes", json!({"burst_s": -0.5}), "volumes[0].qos.burst_s"),
        ("volumes", json!({"weight": 0.0}), "volumes[0].qos.weight"),
        ("qos", json!({"outstanding": 0, "order": "strict"}), "qos.outstanding"),
    ];
    for (table, keys, field) in cases {
        let mut plan = array(0.0);
        if table == "qos" {
            plan["qos"] = keys
        } else {
            plan["volumes"][0]["qos"] = keys
        }
        plan["observe"]["end_s"] = json!(S as f64 / 1e9);
        assert_eq!(refusal(&plan), (field.to_owned(), "range"));
    }
}
