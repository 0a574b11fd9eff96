//! Plans that the engine refuses: the field, and the kind of fault.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::solid::{flash, one_drive};
use crate::common::{one_pool, refusal};
use serde_json::{Value, json};

#[test]
fn contradictory_plans_are_refused() {
    type Change<'a> = &'a dyn Fn(&mut Value);
    let cases: [(Change<'_>, &str, &str); 6] = [
        (&|p| p["pools"][0]["count"] = json!(2), "pools[0].count", "count"),
        (&|p| p["workloads"][0]["volume"] = json!(7), "workloads[0].volume", "reference"),
        (&|p| p["volumes"][0]["capacity_bytes"] = json!(1u64 << 50), "volumes[0]", "capacity"),
        (
            &|p| p["pools"][0]["raid"]["stripe_unit_bytes"] = json!(1000),
            "pools[0].raid.stripe_unit_bytes",
            "range",
        ),
        (&|p| p["workloads"][0]["replay"]["speed"] = json!(0.0), "workloads[0].replay.speed", "range"),
        (
            &|p| {
                p["pools"][0]["power_policy"] =
                    json!({"policy": "fixed-threshold", "threshold_s": 1.0, "level": 1});
                p["pools"][0]["device"]["power"]["levels"]["below"] = json!([]);
                p["pools"][0]["device"]["power"]["states"] = json!([]);
            },
            "pools[0].power_policy",
            "range",
        ),
    ];
    for (change, field, code) in cases {
        let mut plan = one_pool("5", 4);
        change(&mut plan);
        assert_eq!(refusal(&plan), (field.to_owned(), code));
    }
}

#[test]
fn impossible_drives_are_refused() {
    let refused = |path: &str, value: Value, expected: (&str, &str)| {
        let mut ssd = flash(64, 0.5);
        let mut at = &mut ssd;
        for key in path.split('/').skip(1) {
            at = &mut at[key];
        }
        *at = value;
        let (field, code) = expected;
        assert_eq!(refusal(&one_drive(&ssd, 1)), (format!("pools[0].device.{field}"), code), "{path}");
    };
    refused("/media/mapping_bytes", json!(12_288), ("media.mapping_bytes", "range"));
    refused("/media/mapping_bytes", json!(2_048), ("media.mapping_bytes", "range"));
    refused("/media/blocks_per_plane", json!(40), ("media.blocks_per_plane", "capacity"));
    refused("/media/gc/free_blocks", json!(0), ("media.gc.free_blocks", "range"));
    refused("/media/retries", json!(1.0), ("media.retries", "range"));
    refused("/media/read_by_page_s", json!([50e-6, 2.0]), ("media.read_by_page_s", "range"));
    refused("/media/read_hold_s", json!(0.0), ("media.read_hold_s", "range"));
    refused("/media/map_entry_bytes", json!(1 << 20), ("media.map_entry_bytes", "range"));
    refused("/media/gc/burst", json!({"blocks": 0, "share": 0.5}), ("media.gc.burst", "range"));
    refused("/media/gc/burst", json!({"blocks": 1, "share": 1.5}), ("media.gc.burst", "range"));
    refused("/media/placement_handles", json!(0), ("media.placement_handles", "range"));
    refused("/media/placement_handles", json!(65), ("media.placement_handles", "range"));
    refused("/media/placement_handles", json!(2), ("media.gc.free_blocks", "range"));
    let unknown = json!([{"from_sector": 0, "handle": 1}]);
    refused("/media/placement", unknown, ("media.placement[0].handle", "reference"));
    let twice = json!([{"from_sector": 8, "handle": 0}, {"from_sector": 8, "handle": 0}]);
    refused("/media/placement", twice, ("media.placement[1].from_sector", "range"));
    let slow = json!({"bytes": 1 << 20, "program_s": 1e-3, "idle_s": 0.1});
    refused("/media/slc_cache", slow, ("media.slc_cache.program_s", "range"));
    let falling = json!([{"bytes": 4096, "time_s": 2e-6}, {"bytes": 8192, "time_s": 1e-6}]);
    refused("/interface/read_holds", falling, ("interface.read_holds[1].time_s", "range"));
    let same = json!([{"bytes": 4096, "time_s": 2e-6}, {"bytes": 4096, "time_s": 2e-6}]);
    refused("/interface/write_holds", same, ("interface.write_holds[1].bytes", "range"));
    refused("/media/channels", json!(0), ("media.channels", "range"));
    refused("/media/program_s", json!(0.0), ("media.program_s", "range"));
    refused("/media/initial", json!({"kind": "steady", "fill": 1.5}), ("media.initial.fill", "range"));
    refused(
        "/media/initial",
        json!({"kind": "steady", "fill": 1.0, "run_bytes": 5_000}),
        ("media.initial.run_bytes", "range"),
    );
    let halves = json!([{"space": 0.5, "writes": 0.5}]);
    refused(
        "/media/initial",
        json!({"kind": "steady", "fill": 1.0, "traffic": halves}),
        ("media.initial.traffic", "conflict"),
    );
    refused("/interface/queue_depth", json!(0), ("interface.queue_depth", "range"));
    refused("/power/cap_w", json!(1.5), ("power.cap_w", "range"));
    refused("/power/active_w", json!(0.5), ("power.active_w", "range"));
    refused("/power/awake_s", json!(-1.0), ("power.awake_s", "range"));
    refused("/wear/pe_cycles", json!(0.0), ("wear.pe_cycles", "range"));
}
