//! Write off-loading, MAID and PDC through the whole engine: they keep work away from drives that rest, what they move is
//! booked as migration, and every request has its answer.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{MS, S, one_pool, poisson, pool, request, run};
use iowatt_sim::Outcome;
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;

/// A volume on a virtual pool of parts of `mib` MiB, each on a pool of one drive that stops after 10 s (`stops`), or never.
fn plan(parts: &[(u64, bool)], scheme: Value, capacity_mib: u64) -> Value {
    let mut plan = one_pool("0", 1);
    let policy = |stops| match stops {
        true => json!({"policy": "fixed-threshold", "threshold_s": 10.0, "level": 1}),
        false => json!({"policy": "never"}),
    };
    let drive = |&(_, stops): &(u64, bool)| {
        let mut pool = pool("0", 1);
        pool["power_policy"] = policy(stops);
        pool
    };
    plan["pools"] = json!(parts.iter().map(drive).collect::<Vec<_>>());
    let part = |(pool, &(mib, _)): (usize, &(u64, bool))| json!({"pool": pool, "offset_bytes": 0, "capacity_bytes": mib * MIB});
    let places: Vec<Value> = parts.iter().enumerate().map(part).collect();
    plan["virtual_pools"] = json!([{"parts": places, "scheme": scheme}]);
    plan["volumes"] = json!([{"pool": parts.len(), "offset_bytes": 0, "capacity_bytes": capacity_mib * MIB}]);
    plan
}

fn off_loading() -> Value {
    json!({"kind": "write-off-loading", "log_bytes": 8 * MIB, "off_load_after_s": 10.0, "log_fill": 0.75,
           "reclaim_bytes": 65_536, "reclaims_at_once": 1})
}

fn summary(outcome: &Outcome) -> Value {
    serde_json::to_value(&outcome.summary).unwrap()
}

fn joules(outcome: &Outcome) -> f64 {
    let of = |d: &iowatt_sim::testing::DriveResult| d.energy_j.values().chain(&d.level_j).sum::<f64>();
    outcome.summary.devices.iter().map(of).sum()
}

fn movement(outcome: &Outcome) -> Value {
    summary(outcome)["virtual_pools"][0]["movement"].clone()
}

/// A read from the second part every 5 s, a write to the first every 7 s, for `seconds`.
fn write_only_first(seconds: u64) -> Vec<Request> {
    let mut requests: Vec<Request> = (1..seconds / 5)
        .map(|i| request(i * 5 * S, Op::Read, 24 * MIB + i % 100 * 8_192, 8_192))
        .chain((1..seconds / 7).map(|i| request(i * 7 * S + MS, Op::Write, i % 60 * 8_192, 8_192)))
        .collect();
    requests.sort_by_key(|r| r.time_ns);
    requests
}

#[test]
fn a_volume_that_is_only_written_to_stands_still_while_its_writes_go_to_another() {
    let requests = write_only_first(1_800);
    let parts = [(32, true), (32, true)];
    let homes = [(24, true), (24, true)];
    let linear = run(&plan(&homes, json!({"kind": "linear"}), 48), requests.clone());
    let moved = run(&plan(&parts, off_loading(), 48), requests.clone());
    assert!(linear.summary.devices[0].spin_ups == 0, "7 s are less than 10 s");
    assert!(joules(&moved) < 0.85 * joules(&linear), "{} J against {}", joules(&moved), joules(&linear));
    let [first, second] = &moved.summary.devices[..] else { unreachable!() };
    assert_eq!((first.spin_ups, second.spin_ups), (0, 0));
    assert_eq!(moved.summary.total.completed, requests.len() as u64);
    let counts = movement(&moved);
    let bytes = |name: &str| counts[name].as_u64().unwrap();
    assert_eq!(
        bytes("off_loaded_bytes"),
        bytes("superseded_bytes") + bytes("reclaimed_bytes") + bytes("log_bytes_at_end")
    );
    assert_eq!(bytes("reclaimed_bytes"), 0, "it is never read");
    assert_eq!(first.bytes_written, 0);
}

#[test]
fn what_was_off_loaded_comes_home_when_the_home_is_read() {
    let mut requests = write_only_first(600);
    // Both are read from then on: a log is emptied only while its drive spins.
    let tail = (1..120).map(|i| request((600 + i) * S, Op::Read, (16 + i % 2 * 16) * MIB, 8_192));
    requests.extend(tail);
    let outcome = run(&plan(&[(32, true), (32, true)], off_loading(), 48), requests);
    let counts = movement(&outcome);
    assert!(counts["reclaimed_bytes"].as_u64().unwrap() > 0);
    assert_eq!(counts["log_bytes_at_end"], 0);
    assert_eq!(outcome.summary.devices[0].spin_ups, 1, "for the first of those reads");
    assert!(summary(&outcome)["virtual_pools"][0]["migrations"].as_u64().unwrap() > 0);
}

#[test]
fn maid_answers_from_its_cache_while_the_data_drive_stands_still() {
    let scheme = json!({"kind": "maid", "line_bytes": 65_536, "log_writes": true, "log_after_s": 10.0, "log_fill": 0.5,
                        "destages_at_once": 2});
    let requests: Vec<Request> = (0..200)
        .map(|i| {
            request(
                (5 + 8 * i) * S,
                if i > 4 && i % 4 == 3 { Op::Write } else { Op::Read },
                i % 5 * 65_536,
                8_192,
            )
        })
        .collect();
    let outcome = run(&plan(&[(16, false), (64, true)], scheme, 64), requests);
    let counts = movement(&outcome);
    assert_eq!(
        (counts["reads"].as_u64(), counts["read_hits"].as_u64()),
        (Some(151), Some(146)),
        "each place misses once"
    );
    let [cache, data] = &outcome.summary.devices[..] else { unreachable!() };
    assert_eq!(data.spin_ups, 0);
    assert_eq!(data.bytes_read, 5 * 8_192);
    assert_eq!((cache.bytes_written, counts["logged_writes"].as_u64()), ((49 + 5) * 8_192, Some(49)));
}

/// A write that goes to its home and to its line is one request on one part.
#[test]
fn maid_counts_each_request_once() {
    let requests: Vec<Request> = (0..300)
        .map(|i| request((5 + i) * S, if i % 3 == 2 { Op::Write } else { Op::Read }, i % 7 * 32_768, 8_192))
        .collect();
    for log_writes in [false, true] {
        let scheme = json!({"kind": "maid", "line_bytes": 65_536, "log_writes": log_writes, "log_after_s": 10.0,
                            "log_fill": 0.5, "destages_at_once": 2});
        let outcome = run(&plan(&[(16, false), (64, true)], scheme, 64), requests.clone());
        let summary = summary(&outcome);
        let of = |part: usize, key: &str, way: usize| {
            summary["virtual_pools"][0]["parts"][part][key][way].as_u64().unwrap()
        };
        for (way, count) in [(0, 200), (1, 100)] {
            assert_eq!(of(0, "hits", way) + of(1, "hits", way), count);
            assert_eq!(of(0, "hit_bytes", way) + of(1, "hit_bytes", way), count * 8_192);
        }
        assert!(of(0, "hits", 0) > 190, "reads are answered by the cache");
        assert_eq!(of(0, "hits", 1) == 0, !log_writes, "writes through are at home");
    }
}

#[test]
fn pdc_gathers_what_is_popular_and_lets_the_last_drive_rest() {
    let scheme = json!({"kind": "pdc", "extent_bytes": MIB, "period_s": 120.0, "memory": 0.5, "load_per_s": null,
                        "migrations_at_once": 1, "step_bytes": 65_536});
    let parts = [(17, true), (17, true), (17, true)];
    // Popular extents on every part: the first of each.
    let requests: Vec<Request> = (0..1_500)
        .map(|i| request((i + 1) * 1_200 * MS, Op::Read, i % 3 * 16 * MIB + i % 7 * 8_192, 8_192))
        .collect();
    let outcome = run(&plan(&parts, scheme, 48), requests.clone());
    let counts = movement(&outcome);
    assert_eq!(counts["migrations"], 4, "two come, two give way");
    let linear = run(&plan(&parts, json!({"kind": "linear"}), 48), requests);
    assert!(joules(&outcome) < 0.9 * joules(&linear), "{} J against {}", joules(&outcome), joules(&linear));
    let by_part: Vec<u64> = serde_json::from_value(counts["requests_by_part"].clone()).unwrap();
    assert!(by_part[0] > 1_200, "{by_part:?}");
}

/// Requests at random, with everything that can stop stopping: all are answered, and the books of every drive close.
#[test]
fn random_work_comes_to_its_end_under_every_scheme() {
    let maid = json!({"kind": "maid", "line_bytes": 16_384, "log_writes": true, "log_after_s": 20.0, "log_fill": 0.3,
                      "destages_at_once": 3});
    let pdc = json!({"kind": "pdc", "extent_bytes": MIB, "period_s": 30.0, "memory": 0.2, "load_per_s": 2.0,
                     "migrations_at_once": 2, "step_bytes": 32_768});
    for (scheme, capacity_mib) in [(off_loading(), 48), (maid, 32), (pdc, 28)] {
        let plan = plan(&[(16, false), (24, true), (32, true)], scheme.clone(), capacity_mib);
        let plan = if scheme["kind"] == "pdc" {
            let mut plan = plan;
            for part in 0..3 {
                plan["virtual_pools"][0]["parts"][part]["capacity_bytes"] = json!(12 * MIB);
            }
            plan
        } else {
            plan
        };
        let requests = poisson(11, 3_000, 2.0, 0.4, 8_192, capacity_mib * MIB);
        let outcome = run(&plan, requests);
        assert_eq!(outcome.summary.total.completed, 3_000, "{scheme}");
        let again = run(&plan, poisson(11, 3_000, 2.0, 0.4, 8_192, capacity_mib * MIB));
        assert_eq!(summary(&outcome), summary(&again), "the same again");
    }
}
