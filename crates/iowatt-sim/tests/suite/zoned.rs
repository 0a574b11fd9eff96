//! Zoned volumes through the whole engine: the order in which pools are written, and what cleaning costs.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{MS, given, one_pool, refusal, request, run};
use iowatt_sim::{BackEndRow, Plan, Simulation};
use iowatt_trace::{Op, Request, Source};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

const UNIT: u64 = 16_384;
const ZONE: u64 = 64 * UNIT;

/// 40 zones of a pool, of which 35 rotate, for 1,800 of their 2,240 units.
fn zoned(level: &str, count: usize) -> Value {
    let mut plan = one_pool(level, count);
    plan["virtual_pools"] = json!([{
        "parts": [{"pool": 0, "offset_bytes": 0, "capacity_bytes": 40 * ZONE}],
        "scheme": {
            "kind": "zoned", "capacity_bytes": 1_800 * UNIT, "unit_bytes": UNIT, "zone_bytes": ZONE, "free_zones": 3,
            "policy": "greedy", "hot_cold": true, "in_step": true, "write_bytes": 16 * UNIT,
            "step_bytes": 16 * UNIT, "steps_at_once": 2, "reads_through": true,
            "initial": {"fill": 1.0, "run_bytes": UNIT},
        },
    }]);
    plan["volumes"] = json!([{"pool": 1, "offset_bytes": 0, "capacity_bytes": 1_800 * UNIT}]);
    plan
}

/// Every second request a read, units drawn by a multiplication, 20 ms apart.
fn mixed(count: u64) -> Vec<Request> {
    let unit = |i: u64| (i * 7_919 + i / 3 * 104_729) % 1_800;
    let op = |i: u64| if i.is_multiple_of(2) { Op::Write } else { Op::Read };
    (0..count).map(|i| request(i * 20 * MS, op(i), unit(i) * UNIT, UNIT as u32)).collect()
}

/// The requests to the pool.
fn rows(plan: &Value, requests: Vec<Request>) -> Vec<BackEndRow> {
    let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
    let mut source = given(requests);
    let mut simulation = Simulation::new(&plan, vec![&mut source as &mut dyn Source]).unwrap();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let rows = Arc::clone(&kept);
    simulation.log_back_end(Box::new(move |batch| rows.lock().unwrap().extend_from_slice(batch)));
    simulation.run(&mut |_| true).unwrap();
    kept.lock().unwrap().clone()
}

#[test]
fn a_pool_is_written_zone_by_zone_in_order() {
    for (level, count) in [("0", 1), ("10", 4)] {
        let rows = rows(&zoned(level, count), mixed(6_000));
        let mut pointers: HashMap<u64, u64> = HashMap::new();
        let mut begun = 0;
        for row in rows.iter().filter(|row| row.write) {
            let (zone, end) = (row.offset / ZONE, row.offset + u64::from(row.size));
            if row.offset == zone * ZONE {
                begun += 1;
            } else {
                assert_eq!(pointers.get(&zone), Some(&row.offset), "zone {zone} at {} ns", row.at);
            }
            assert!(end <= (zone + 1) * ZONE);
            pointers.insert(zone, end);
        }
        // 3,000 units of the host alone fill 46 zones.
        assert!(begun > 46, "{begun} zones");
    }
}

#[test]
fn cleaning_is_work_of_the_drive() {
    let outcome = run(&zoned("0", 1), mixed(6_000));
    let figures = serde_json::to_value(&outcome.summary).unwrap();
    let moved = &figures["virtual_pools"][0]["movement"];
    let bytes = |name: &str| moved[name].as_u64().unwrap();
    assert_eq!(bytes("written_bytes"), 3_000 * UNIT);
    assert!(bytes("moved_bytes") > bytes("written_bytes") / 2, "{moved}");
    let drive = &outcome.summary.devices[0];
    assert_eq!(drive.bytes_written, bytes("written_bytes") + bytes("moved_bytes"));
    assert_eq!(drive.bytes_read, 3_000 * UNIT + bytes("cleaning_read_bytes"));
    let parts = &figures["virtual_pools"][0]["parts"][0]["migration_bytes"];
    assert_eq!(parts, &json!([bytes("cleaning_read_bytes"), bytes("moved_bytes")]));
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut plan = zoned("0", 1);
    plan["virtual_pools"][0]["scheme"]["capacity_bytes"] = json!(35 * ZONE);
    assert!(refusal(&plan).0.ends_with("scheme.capacity_bytes"), "{:?}", refusal(&plan));
    let mut plan = zoned("0", 1);
    plan["virtual_pools"][0]["scheme"]["zone_bytes"] = json!(ZONE + 1);
    assert!(refusal(&plan).0.ends_with("scheme.zone_bytes"), "{:?}", refusal(&plan));
}
