//! The volume room through the whole engine: where requests to virtual pools go, and that the room by itself changes nothing.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{capacity, given, one_pool, poisson, pool, refusal, request, run, try_run};
use iowatt_sim::{Outcome, SimError};
use iowatt_trace::Op;
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;

/// A volume on one virtual pool: the first `mib[i]` MiB of RAID-0 pool `i` of two drives, one after the other.
fn linear(mib: &[u64]) -> Value {
    let mut plan = one_pool("0", 2);
    plan["pools"] = json!(mib.iter().map(|_| pool("0", 2)).collect::<Vec<_>>());
    let part =
        |(pool, mib): (usize, &u64)| json!({"pool": pool, "offset_bytes": 0, "capacity_bytes": mib * MIB});
    let parts: Vec<Value> = mib.iter().enumerate().map(part).collect();
    plan["virtual_pools"] = json!([{"parts": parts, "scheme": {"kind": "linear"}}]);
    let whole: u64 = mib.iter().sum();
    plan["volumes"] = json!([{"pool": mib.len(), "offset_bytes": 0, "capacity_bytes": whole * MIB}]);
    plan
}

fn bytes(outcome: &Outcome) -> Vec<(u64, u64)> {
    outcome.summary.devices.iter().map(|d| (d.bytes_read, d.bytes_written)).collect()
}

/// All figures but the effort and those of the room itself.
fn figures(outcome: &Outcome) -> String {
    let mut summary = serde_json::to_value(&outcome.summary).unwrap();
    for own in ["events", "virtual_pools"] {
        summary.as_object_mut().unwrap().remove(own);
    }
    format!("{summary}{:?}{:?}", outcome.intervals, outcome.latency)
}

#[test]
fn a_request_over_the_seam_goes_to_both_parts() {
    let plan = linear(&[4, 8]);
    let unit = 16_384;
    let requests = vec![
        request(0, Op::Write, 4 * MIB - unit, 2 * unit as u32),
        request(0, Op::Read, 12 * MIB - unit, unit as u32),
    ];
    let outcome = run(&plan, requests);
    assert_eq!(outcome.summary.total.completed, 2);
    // The last unit of the first part is on its second drive, the first of the second part on that pool's first.
    assert_eq!(bytes(&outcome), [(0, 0), (0, unit), (0, unit), (unit, 0)]);
}

#[test]
fn one_part_is_as_good_as_its_pool() {
    let whole = capacity("0", 2) / MIB;
    let requests = || poisson(3, 4_000, 250.0, 0.7, 8_192, whole * MIB);
    let mut plain = one_pool("0", 2);
    plain["volumes"][0]["capacity_bytes"] = json!(whole * MIB);
    let through_room = run(&linear(&[whole]), requests());
    assert_eq!(figures(&through_room), figures(&run(&plain, requests())));
}

#[test]
fn the_room_stands_between_controller_and_pools() {
    let cache = json!({"processing": null, "host_bandwidth_bytes_per_s": null, "cache": {
        "capacity_bytes": 64 * 16_384, "line_bytes": 16_384, "replacement": "lru", "read": true, "write": "back",
        "high_watermark": 0.5, "low_watermark": 0.25, "destage_bytes": 65_536, "destage_outstanding": 4}});
    let whole = capacity("0", 2) / MIB;
    let requests = || poisson(5, 4_000, 200.0, 0.5, 8_192, whole * MIB);
    let (mut plain, mut joined) = (one_pool("0", 2), linear(&[whole]));
    plain["volumes"][0]["capacity_bytes"] = json!(whole * MIB);
    (plain["controller"], joined["controller"]) = (cache.clone(), cache);
    assert_eq!(figures(&run(&joined, requests())), figures(&run(&plain, requests())));
}

#[test]
fn parts_belong_to_nothing_else() {
    let mut plan = linear(&[4, 8]);
    plan["volumes"] = json!([{"pool": 0, "offset_bytes": 0, "capacity_bytes": MIB}]);
    assert_eq!(refusal(&plan), ("pools[0]".into(), "conflict"));
    plan["volumes"] = json!([{"pool": 2, "offset_bytes": MIB, "capacity_bytes": 12 * MIB}]);
    assert_eq!(refusal(&plan), ("volumes[0]".into(), "capacity"));
}

/// A cache of 4 extents of 64 KiB on the first pool before 1 MiB on the second, by sectors of 512 bytes.
fn cache(keys: &Value) -> Value {
    let mut plan = linear(&[1, 1]);
    let mut scheme = json!({"kind": "caching", "extent_bytes": 65_536, "promotion_threshold": 2, "max_migrations": 4,
        "write": "back", "dirty_high": 0.0, "dirty_low": 0.0, "dirty_age_s": 0.0,
        "initial": {"placement": "empty"}, "sector_bytes": 512, "allocate_on_write": true});
    for (key, value) in keys.as_object().unwrap() {
        scheme[key] = value.clone();
    }
    plan["virtual_pools"][0]["scheme"] = scheme;
    plan["virtual_pools"][0]["parts"][0]["capacity_bytes"] = json!(4 * 65_536);
    plan["volumes"][0]["capacity_bytes"] = json!(MIB);
    plan
}

/// Requests of 8 KiB, a second apart.
fn of_8_kib(requests: &[(Op, u64)]) -> Vec<iowatt_trace::Request> {
    let one = |(number, &(op, offset)): (usize, &(Op, u64))| {
        request(number as u64 * 1_000_000_000, op, offset, 8_192)
    };
    requests.iter().enumerate().map(one).collect()
}

/// Bytes that requests and moves have read and written on the fast part and on the slow one.
fn transferred(outcome: &Outcome) -> [[[u64; 2]; 2]; 2] {
    let part = |number: usize| {
        let part = &outcome.summary.virtual_pools[0].parts[number];
        [part.counts.request_bytes, part.counts.migration_bytes]
    };
    [part(0), part(1)]
}

#[test]
fn a_write_takes_a_place_at_once_and_only_its_sectors_are_written_back() {
    let work = of_8_kib(&[(Op::Write, 200_704), (Op::Read, 200_704)]);
    let outcome = run(&cache(&json!({})), work.clone());
    // Write and read of 8 KiB on the fast part; from there to the slow one go those 8 KiB of the 64.
    assert_eq!(transferred(&outcome), [[[8_192, 8_192], [8_192, 0]], [[0, 0], [0, 8_192]]]);
    let counted = &outcome.summary.virtual_pools[0];
    assert_eq!(
        (counted.counts.write_backs, counted.counts.migrations, counted.dirty_bytes_at_end),
        (1, 0, 0)
    );
    assert_eq!(counted.parts[0].counts.hits, [1, 1]);
    // Without allocation both go to the slow part: two accesses, and what the second brought is kept.
    let outcome = run(&cache(&json!({"allocate_on_write": false})), work);
    assert_eq!(transferred(&outcome), [[[0, 0], [0, 8_192]], [[8_192, 8_192], [0, 0]]]);
}

#[test]
fn what_a_read_brought_is_kept_and_the_slow_part_is_read_for_requests_alone() {
    let same = [(Op::Read, 0), (Op::Read, 8_192), (Op::Read, 8_192), (Op::Read, 0)];
    let outcome = run(&cache(&json!({})), of_8_kib(&same));
    // The second access makes the extent due and keeps its own 8 KiB; the first 8 KiB are kept when they are read again.
    assert_eq!(transferred(&outcome), [[[8_192, 0], [0, 2 * 8_192]], [[3 * 8_192, 0], [0, 0]]]);
    assert_eq!(outcome.summary.virtual_pools[0].counts.migrations, 2);
    // A read of 12 KiB of which the last 4 are not there goes to both parts.
    let mut both = of_8_kib(&[(Op::Write, 0)]);
    both.push(request(1_000_000_000, Op::Read, 0, 12_288));
    let outcome = run(&cache(&json!({})), both);
    assert_eq!(transferred(&outcome), [[[8_192, 8_192], [8_192, 4_096]], [[4_096, 0], [0, 8_192]]]);
    assert_eq!(outcome.summary.virtual_pools[0].parts[0].counts.hit_bytes, [8_192, 8_192]);
}

#[test]
fn a_cache_starts_with_the_extents_that_it_is_told() {
    let work =
        || of_8_kib(&[(Op::Read, 65_536), (Op::Read, 3 * 65_536), (Op::Write, 3 * 65_536), (Op::Read, 0)]);
    for sector in [json!(512), Value::Null] {
        let keys = |initial: Value| {
            cache(&json!({"initial": initial, "sector_bytes": sector, "allocate_on_write": sector.is_u64(),
                          "dirty_high": 1.0, "dirty_low": 1.0}))
        };
        let hits = |outcome: &Outcome| outcome.summary.virtual_pools[0].parts[0].counts.hits;
        // Extents 1 and 3 are there, 0 is not.
        let told = run(&keys(json!({"placement": "hot", "extents": [1, 3]})), work());
        assert_eq!(hits(&told), [2, 1]);
        assert_eq!(transferred(&told)[1], [[8_192, 0], [0, 0]]);
        // Not told, it counts, and all that is touched is there from its first touch on.
        let counted = run(&keys(json!({"placement": "hot"})), work());
        assert_eq!(counted.summary.virtual_pools[0].hottest, Some(vec![0, 1, 3]));
        assert_eq!(hits(&counted), [3, 1]);
        assert_eq!(hits(&run(&keys(json!({"placement": "first-touch"})), work())), [3, 1]);
    }
    for wrong in [json!({"placement": "cold"}), json!({"placement": "hot", "extents": [3, 1]})] {
        let plan = cache(&json!({"initial": wrong}));
        assert!(matches!(try_run(&plan, vec![given(vec![])]).unwrap_err(), SimError::Plan(_)));
    }
}

#[test]
fn admissions_are_bounded_and_never_read_a_saturated_slow_part() {
    // 64 reads at once, each of an extent's own 8 KiB, come back one close on the other: a single fill at a time.
    let burst: Vec<_> =
        (0..16 * 4).map(|n| request(n, Op::Read, n % 16 * 65_536 + n / 16 * 8_192, 8_192)).collect();
    let outcome = run(&cache(&json!({"promotion_threshold": 1, "max_migrations": 1})), burst);
    let [[_, fast], [slow_requests, slow]] = transferred(&outcome);
    assert_eq!((slow_requests, slow), ([64 * 8_192, 0], [0, 0]));
    let counted = &outcome.summary.virtual_pools[0].counts;
    assert_eq!(fast, [0, counted.migrations * 8_192]);
    assert!(counted.migrations > 0 && counted.held == 0, "{counted:?}");
}
