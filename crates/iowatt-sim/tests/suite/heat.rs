//! The heat map against counts by hand, and behind a cache against what the cache says of itself.
#![allow(clippy::unwrap_used, clippy::panic)] // tests fail by panicking

use crate::common::{S, capacity, given, one_pool, poisson, request, run, try_run};
use iowatt_sim::{Column, Outcome};
use iowatt_trace::Op;
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;

fn asked(plan: &mut Value, extent: u64) {
    plan["observe"]["heat"] = json!({"extent_bytes": extent, "period_s": 10.0, "front": true, "back": true});
}

/// Point, space, extent, start, reads, writes, bytes read, bytes written.
fn rows(outcome: &Outcome) -> Vec<[u64; 8]> {
    let table = outcome.heat.as_ref().unwrap();
    let names = ["point", "space", "extent", "start_ns", "reads", "writes", "bytes_read", "bytes_written"];
    assert_eq!(table.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
    let columns: Vec<&Vec<u64>> = table
        .iter()
        .map(|(_, column)| match column {
            Column::U64(values) => values,
            Column::F64(_) => panic!("a column of reals"),
        })
        .collect();
    (0..columns[0].len()).map(|row| std::array::from_fn(|column| columns[column][row])).collect()
}

fn sum(rows: &[[u64; 8]], point: u64, column: usize) -> u64 {
    rows.iter().filter(|row| row[0] == point).map(|row| row[column]).sum()
}

#[test]
fn counts_by_hand() {
    let mut plan = one_pool("0", 2);
    plan["volumes"] = json!([
        {"pool": 0, "offset_bytes": 0, "capacity_bytes": 10 * MIB},
        {"pool": 0, "offset_bytes": 100 * MIB, "capacity_bytes": 10 * MIB},
    ]);
    plan["workloads"].as_array_mut().unwrap()[0]["volume"] = json!(1);
    plan["observe"]["warmup_s"] = json!(5.0);
    asked(&mut plan, MIB);
    let requests = vec![
        request(4 * S, Op::Read, 0, 4_096), // before the window
        request(5 * S, Op::Read, 0, 4_096),
        request(6 * S, Op::Write, MIB - 4_096, 8_192), // on both sides of a border
        request(15 * S, Op::Write, 9 * MIB, 65_536),
    ];
    let outcome = run(&plan, requests);
    let expected = [
        [0, 1, 0, 5 * S, 1, 1, 4_096, 4_096],
        [0, 1, 1, 5 * S, 0, 0, 0, 4_096],
        [0, 1, 9, 15 * S, 0, 1, 0, 65_536],
        // The pool sees them 100 MiB further on.
        [1, 0, 100, 5 * S, 1, 1, 4_096, 4_096],
        [1, 0, 101, 5 * S, 0, 0, 0, 4_096],
        [1, 0, 109, 15 * S, 0, 1, 0, 65_536],
    ];
    assert_eq!(rows(&outcome), expected);
    let measures = outcome.summary.heat.unwrap();
    assert_eq!((measures.extent_bytes, measures.period_ns), (MIB, 10 * S));
    assert_eq!(measures.space_bytes, [capacity("0", 2)]);
}

/// A cache of two lines of 16 KiB: a miss, hits in its line, a miss, and what was written goes out once.
#[test]
fn behind_a_cache_are_misses_and_destages_by_hand() {
    let mut plan = one_pool("0", 1);
    plan["controller"] = json!({"processing": null, "host_bandwidth_bytes_per_s": null, "cache": {
        "capacity_bytes": 32_768, "line_bytes": 16_384, "replacement": "lru", "read": true, "write": "back",
        "high_watermark": 0.5, "low_watermark": 0.0, "destage_bytes": 16_384, "destage_outstanding": 1,
    }});
    asked(&mut plan, MIB);
    let requests = vec![
        request(0, Op::Read, 3 * MIB, 4_096),
        request(S, Op::Read, 3 * MIB, 4_096),
        request(2 * S, Op::Read, 3 * MIB + 8_192, 4_096), // the whole line was fetched
        request(3 * S, Op::Write, 5 * MIB, 16_384),
        request(4 * S, Op::Read, 5 * MIB, 16_384),
        request(25 * S, Op::Read, 7 * MIB, 4_096),
    ];
    let found = rows(&run(&plan, requests));
    assert_eq!(sum(&found, 0, 4), 5);
    assert_eq!(sum(&found, 0, 5), 1);
    let back: Vec<_> = found.into_iter().filter(|row| row[0] == 1).collect();
    let expected =
        [[1, 0, 3, 0, 1, 0, 16_384, 0], [1, 0, 5, 0, 0, 1, 0, 16_384], [1, 0, 7, 20 * S, 1, 0, 16_384, 0]];
    assert_eq!(back, expected);
}

#[test]
fn behind_a_cache_the_sums_are_what_the_cache_counts() {
    let mut plan = one_pool("5", 5);
    plan["controller"] = json!({"processing": null, "host_bandwidth_bytes_per_s": null, "cache": {
        "capacity_bytes": 8 * MIB, "line_bytes": 16_384, "replacement": "lru", "read": true, "write": "back",
        "high_watermark": 0.6, "low_watermark": 0.2, "destage_bytes": 131_072, "destage_outstanding": 4,
    }});
    asked(&mut plan, 4 * MIB);
    let outcome = run(&plan, poisson(3, 4_000, 150.0, 0.6, 8_192, 64 * MIB));
    let (found, summary) = (rows(&outcome), &outcome.summary);
    let cache = summary.controller.as_ref().unwrap().cache.as_ref().unwrap();
    assert!(cache.destages > 100 && cache.fetches > 100);
    assert_eq!(sum(&found, 1, 4), cache.fetches);
    assert_eq!(sum(&found, 1, 6), cache.fetched_bytes);
    assert_eq!(sum(&found, 1, 5), cache.destages);
    assert_eq!(sum(&found, 1, 7), cache.destaged_bytes);
    assert_eq!((sum(&found, 0, 4), sum(&found, 0, 5)), (summary.total.reads, summary.total.writes));
    assert_eq!(sum(&found, 0, 6), summary.total.bytes_read);
    assert!(found.iter().all(|row| row[2] < 16), "a request beyond the range that hosts ask for");
}

/// Looking on changes nothing; and without a cache both points see the same requests.
#[test]
fn a_map_changes_no_figure() {
    let requests = || poisson(9, 2_000, 100.0, 0.7, 4_096, capacity("10", 4));
    let mut plan = one_pool("10", 4);
    let without = run(&plan, requests());
    assert!(without.heat.is_none() && without.summary.heat.is_none());
    asked(&mut plan, 16 * MIB);
    let mut with = run(&plan, requests());
    let found = rows(&with);
    for column in 4..8 {
        assert_eq!(sum(&found, 0, column), sum(&found, 1, column));
    }
    with.summary.heat = None;
    let figures = |o: &Outcome| serde_json::to_string(&o.summary).unwrap();
    assert_eq!(figures(&with), figures(&without));
    plan["observe"]["heat"]["front"] = json!(false);
    assert_eq!(sum(&rows(&run(&plan, requests())), 0, 4), 0);
}

#[test]
fn measures_that_cannot_be_are_refused() {
    for (key, value) in [("extent_bytes", json!(4_096)), ("period_s", json!(0.0)), ("period_s", json!(-1.0))]
    {
        let mut plan = one_pool("0", 1);
        asked(&mut plan, MIB);
        plan["observe"]["heat"][key] = value;
        assert!(try_run(&plan, vec![given(vec![])]).is_err());
    }
}
