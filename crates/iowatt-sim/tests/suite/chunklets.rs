//! Pools of chunklets: wide striping, several levels on the same drives, failures and rebuilds (docs/models/raid.md).
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{Lcg, S, given, one_pool, poisson, refusal, request, run, try_run};
use iowatt_sim::SimError;
use iowatt_trace::{Op, Request};
use proptest::prelude::*;
use serde_json::{Value, json};

const UNIT: u64 = 16_384;
/// 64 stripe units; a drive of `common::disk` has 390 of them.
const CHUNKLET: u64 = 1 << 20;
const EACH: u64 = 390;

fn raid(level: &str) -> Value {
    json!({"level": level, "stripe_unit_bytes": UNIT, "layout": "left-symmetric", "small_write": "auto",
           "parity_check_on_read": false})
}

/// Bytes of a region.
fn bytes(level: &str, size: u64, sets: u64) -> u64 {
    let data = match level {
        "0" => size,
        "10" => size / 2,
        "5" => size - 1,
        _ => size - 2,
    };
    sets * data * CHUNKLET
}

/// `drives` in all; regions of (level, set size, sets), one volume and workload on each.
fn pool(drives: usize, spares: usize, sparing: &str, regions: &[(&str, usize, u64)]) -> Value {
    let mut plan = one_pool("0", drives - spares);
    let each_spare = if sparing == "dedicated" { 0 } else { (EACH * spares as u64).div_ceil(drives as u64) };
    let list = regions
        .iter()
        .map(|&(level, size, sets)| json!({"raid": raid(level), "set_size": size, "sets": sets}));
    plan["pools"][0]["chunklets"] =
        json!({"bytes": CHUNKLET, "spare": each_spare, "regions": list.collect::<Vec<_>>()});
    let mut offset = 0;
    let mut volumes = Vec::new();
    for &(level, size, sets) in regions {
        let capacity = bytes(level, size as u64, sets);
        volumes.push(json!({"pool": 0, "offset_bytes": offset, "capacity_bytes": capacity}));
        offset += capacity;
    }
    let one = plan["workloads"][0].clone();
    plan["workloads"] =
        (0..regions.len()).map(|volume| json!({"volume": volume, "replay": one["replay"]})).collect();
    plan["volumes"] = json!(volumes);
    recover(&mut plan, spares, sparing, &[], 4, None);
    plan
}

fn recover(
    plan: &mut Value,
    spares: usize,
    sparing: &str,
    failures: &[(usize, f64)],
    outstanding: u32,
    rate: Option<f64>,
) {
    let failures: Vec<Value> = failures.iter().map(|(d, at)| json!({"drive": d, "at_s": at})).collect();
    plan["pools"][0]["recovery"] = json!({
        "spares": spares, "sparing": sparing, "failures": failures,
        "rebuild": {"delay_s": 0.0, "rate_bytes_per_s": rate, "outstanding": outstanding,
                    "step_bytes": CHUNKLET, "priority": "equal"},
    });
}

/// Operations of small requests are those of a set, whatever the number of drives.
#[test]
fn small_requests_cost_what_their_set_costs() {
    for (level, size, reads, writes) in
        [("0", 1, 0, 1), ("10", 2, 0, 2), ("5", 4, 2, 2), ("6", 8, 3, 3), ("5", 9, 2, 2)]
    {
        let plan = pool(16, 0, "distributed", &[(level, size, 20)]);
        let span = bytes(level, size as u64, 20);
        let mut random = Lcg(7);
        let of = |op, random: &mut Lcg| -> Vec<Request> {
            (0..200).map(|i| request(i * S / 5, op, random.below(span / 4096) * 4096, 4096)).collect()
        };
        let outcome = run(&plan, of(Op::Read, &mut random));
        let d = &outcome.summary.devices;
        assert_eq!(d.iter().map(|d| d.accesses).sum::<u64>(), 200, "RAID-{level} reads");
        let outcome = run(&plan, of(Op::Write, &mut random));
        let d = &outcome.summary.devices;
        assert_eq!(d.iter().map(|d| d.reads).sum::<u64>(), 200 * reads, "RAID-{level}");
        assert_eq!(d.iter().map(|d| d.writes).sum::<u64>(), 200 * writes, "RAID-{level}");
    }
}

/// Random requests to one small volume reach all drives alike.
#[test]
fn a_volume_lies_on_all_drives() {
    let plan = pool(24, 0, "distributed", &[("5", 4, 60)]);
    let span = bytes("5", 4, 60);
    let outcome = run(&plan, poisson(3, 24_000, 100.0, 1.0, 4096, span));
    for (i, d) in outcome.summary.devices.iter().enumerate() {
        // 1,000 expected each: 10 chunklets of every drive; 5 sigma is 155.
        assert!((845..1155).contains(&d.reads), "drive {i}: {}", d.reads);
    }
    // A large request is on all of them at once.
    let outcome = run(&plan, vec![request(0, Op::Read, 0, (6 * 3 * UNIT) as u32)]);
    assert_eq!(outcome.summary.devices.iter().filter(|d| d.reads > 0).count(), 18);
    let outcome = run(&plan, vec![request(0, Op::Write, 0, (6 * 3 * UNIT) as u32)]);
    assert_eq!(outcome.summary.devices.iter().filter(|d| d.writes > 0).count(), 24);
    assert_eq!(
        outcome.summary.devices.iter().map(|d| d.reads).sum::<u64>(),
        0,
        "whole stripes need no reads"
    );
}

/// Two levels on the same drives: each volume costs what its level costs, and both use all drives.
#[test]
fn levels_share_drives() {
    let plan = pool(12, 0, "distributed", &[("10", 2, 60), ("5", 4, 30)]);
    let spans = [bytes("10", 2, 60), bytes("5", 4, 30)];
    let sources = [0usize, 1].map(|v| given(poisson(v as u64 + 5, 600, 20.0, 0.0, 4096, spans[v])));
    let outcome = try_run(&plan, sources.into()).unwrap();
    let d = &outcome.summary.devices;
    assert_eq!(d.iter().map(|d| d.reads).sum::<u64>(), 600 * 2);
    assert_eq!(d.iter().map(|d| d.writes).sum::<u64>(), 600 * 2 + 600 * 2);
    assert!(d.iter().all(|d| d.writes > 100));
}

/// A set as large as the pool, of chunklets as large as the drives, is RAID-5 over whole drives: same reads and
/// writes, by drive up to its place in the set.
#[test]
fn one_set_over_all_drives_is_the_ordinary_level() {
    let drive = 25_000 * UNIT;
    let mut plan = one_pool("5", 5);
    let requests = poisson(11, 2_000, 50.0, 0.5, 8192, 4 * drive);
    let whole = run(&plan, requests.clone());
    plan["pools"][0]["chunklets"] = json!({"bytes": drive, "spare": 0, "regions": [
        {"raid": plan["pools"][0]["raid"], "set_size": 5, "sets": 1}]});
    let set = run(&plan, requests);
    let sorted = |o: &iowatt_sim::Outcome| {
        let mut counts: Vec<_> = o.summary.devices.iter().map(|d| (d.reads, d.writes)).collect();
        counts.sort_unstable();
        counts
    };
    assert_eq!(sorted(&whole), sorted(&set));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever the level: all requests complete before, during and after a rebuild, a drive that has failed does
    /// nothing any more, what it held is restored, and a second drive may fail then.
    #[test]
    fn a_pool_survives_failures(
        drives in 8usize..14, level in 0usize..3, failed in 0usize..6, second in 0usize..6, seed in any::<u64>(), outstanding in 1u32..20, dedicated in any::<bool>(),
    ) {
        let (level, size, sets) = [("10", 2, 60), ("5", 4, 40), ("6", 6, 25)][level];
        let sparing = if dedicated { "dedicated" } else { "distributed" };
        let mut plan = pool(drives, 2, sparing, &[(level, size, sets)]);
        let mut failures = vec![(failed, 2.0)];
        if second != failed {
            failures.push((second, 60.0));
        }
        recover(&mut plan, 2, sparing, &failures, outstanding, None);
        let span = bytes(level, size as u64, sets);
        let requests = poisson(seed, 3_000, 40.0, 0.6, 24_576, span);
        let outcome = run(&plan, requests);
        prop_assert_eq!(outcome.summary.total.completed, 3_000);
        prop_assert_eq!(outcome.summary.rebuilds.len(), failures.len());
        for rebuild in &outcome.summary.rebuilds {
            prop_assert!(rebuild.finished_ns.is_some());
            prop_assert_eq!(rebuild.rebuilt_bytes, rebuild.lost_bytes);
        }
    }
}

/// What is in a second failed drive before the first is restored is lost in RAID-5, kept in RAID-6.
#[test]
fn two_failures_at_once() {
    for (level, size, sets, lost) in [("5", 4, 60, true), ("6", 8, 30, false), ("0", 1, 60, true)] {
        let mut plan = pool(12, 2, "distributed", &[(level, size, sets)]);
        recover(&mut plan, 2, "distributed", &[(3, 0.0), (4, 0.001)], 1, None);
        let requests = poisson(1, 2_000, 50.0, 0.6, 8192, bytes(level, size as u64, sets));
        let outcome = try_run(&plan, vec![given(requests)]);
        match outcome {
            Err(SimError::DataLost { .. }) => assert!(lost, "RAID-{level}"),
            other => assert!(!lost && other.unwrap().summary.total.completed == 2_000, "RAID-{level}"),
        }
    }
}

/// With distributed sparing a rebuild reads and writes capacity x G bytes on N - 1 drives, with a dedicated
/// spare that spare writes all of it. Without other load the bounds are nearly reached.
#[test]
fn rebuild_time_is_near_its_bound() {
    let took = |sparing: &str, drives: usize, outstanding| {
        let mut plan = pool(drives, 1, sparing, &[("5", 4, 24 * 20)]);
        plan["workloads"] = json!([]);
        plan["volumes"] = json!([]);
        plan["observe"]["end_s"] = json!(400.0);
        recover(&mut plan, 1, sparing, &[(2, 0.0)], outstanding, None);
        let outcome = try_run(&plan, vec![]).unwrap();
        let rebuild = &outcome.summary.rebuilds[0];
        assert_eq!(rebuild.rebuilt_bytes, rebuild.lost_bytes);
        // Reads of 3 others and a write for every chunklet.
        let moved: u64 = outcome.summary.devices.iter().map(|d| d.bytes_read + d.bytes_written).sum();
        assert_eq!(moved, 4 * rebuild.lost_bytes);
        let busiest = outcome.summary.devices.iter().map(|d| d.bytes_read + d.bytes_written).max().unwrap();
        (rebuild.finished_ns.unwrap() as f64 / 1e9, rebuild.lost_bytes as f64, busiest as f64)
    };
    // A drive passes whole chunklets at: 200 sectors a turn of 5 ms, a switch of 20 sectors every 200.
    let bandwidth = 200.0 * 512.0 / (0.005 * 220.0 / 200.0);
    let (seconds, held, busiest) = took("distributed", 24, 64);
    let bound = held * 4.0 / (23.0 * bandwidth);
    assert!(seconds > bound, "{seconds} s under the bound of {bound} s");
    // The busiest drive has 1.3 times the mean, and an arm travels between chunklets of 1 MiB (56 ms of transfer).
    assert!(seconds < 1.6 * bound, "{seconds} s, bound {bound} s");
    assert!(busiest < 1.35 * held * 4.0 / 23.0, "{}", busiest / (held * 4.0 / 23.0));
    let (one, held, busiest) = took("dedicated", 25, 64);
    assert!(one > held / bandwidth && one < 1.3 * held / bandwidth, "{one} s, bound {} s", held / bandwidth);
    assert_eq!(busiest, held);
    assert!(one > 3.0 * seconds);
}

/// A rate holds the rebuild back, and what it may restore a second is what it restores.
#[test]
fn a_rebuild_keeps_to_its_rate() {
    let mut plan = pool(12, 1, "distributed", &[("5", 4, 100)]);
    plan["workloads"] = json!([]);
    plan["volumes"] = json!([]);
    plan["observe"]["end_s"] = json!(200.0);
    recover(&mut plan, 1, "distributed", &[(2, 1.0)], 8, Some(1e6));
    let outcome = try_run(&plan, vec![]).unwrap();
    let rebuild = &outcome.summary.rebuilds[0];
    let took = (rebuild.finished_ns.unwrap() - rebuild.started_ns.unwrap()) as f64 / 1e9;
    let expected = rebuild.lost_bytes as f64 / 1e6;
    // The last step begins one step before the time is up.
    assert!((took - expected).abs() < 1.5, "{took} s, expected {expected} s");
}

#[test]
fn contradictions_are_refused() {
    let cases: [(&str, &str, Value); 5] = [
        (
            ".regions[0].raid.stripe_unit_bytes",
            "capacity",
            json!({"bytes": 8192, "spare": 0, "regions": [{"raid": raid("5"), "set_size": 4, "sets": 1}]}),
        ),
        (
            ".regions[0].set_size",
            "capacity",
            json!({"bytes": CHUNKLET, "spare": 0, "regions": [{"raid": raid("5"), "set_size": 9, "sets": 1}]}),
        ),
        (
            ".regions",
            "capacity",
            json!({"bytes": CHUNKLET, "spare": 0, "regions": [{"raid": raid("5"), "set_size": 4, "sets": 781}]}),
        ),
        (
            ".regions[0].raid.level",
            "conflict",
            json!({"bytes": CHUNKLET, "spare": 0, "regions": [{"raid": raid("4"), "set_size": 4, "sets": 1}]}),
        ),
        (
            ".spare",
            "capacity",
            json!({"bytes": CHUNKLET, "spare": 390, "regions": [{"raid": raid("5"), "set_size": 4, "sets": 1}]}),
        ),
    ];
    for (field, code, chunklets) in cases {
        let mut plan = pool(8, 1, "distributed", &[("5", 4, 1)]);
        plan["pools"][0]["chunklets"] = chunklets;
        assert_eq!(refusal(&plan), (format!("pools[0].chunklets{field}"), code));
    }
}
