//! The volume room through the whole engine: where requests to virtual pools go, and that the room by itself changes nothing.
#![allow(clippy::unwrap_used)] // tests fail by panicking

mod common;

use common::{capacity, given, one_pool, poisson, pool, request, run, try_run};
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
    let error = try_run(&plan, vec![given(vec![])]).unwrap_err();
    assert!(matches!(&error, SimError::Plan(what) if what.contains("belongs to something else")), "{error}");
    plan["volumes"] = json!([{"pool": 2, "offset_bytes": MIB, "capacity_bytes": 12 * MIB}]);
    let error = try_run(&plan, vec![given(vec![])]).unwrap_err();
    assert!(matches!(&error, SimError::Plan(what) if what.contains("ends at byte")), "{error}");
}
