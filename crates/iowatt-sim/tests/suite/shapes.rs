//! The engine is compiled for several shapes: the leanest that has what a plan needs gives the figures of the widest.
#![allow(clippy::unwrap_used)] // a failed test is meant to stop

use crate::common::solid::{flash, offered, one_drive};
use crate::common::{capacity, given, ladder, one_pool, poisson};
use iowatt_sim::{Outcome, Plan, Simulation};
use iowatt_trace::{Request, Source};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Summary and tables of a run, as text.
fn figures(plan: &Value, requests: &[Request], wide: bool) -> String {
    let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
    let mut sources: Vec<_> = plan.workloads.iter().map(|_| given(requests.to_vec())).collect();
    let inputs = sources.iter_mut().map(|source| source as &mut dyn Source).collect();
    let simulation = Simulation::new(&plan, inputs).unwrap();
    let simulation = if wide { simulation.widened() } else { simulation };
    let Outcome { summary, intervals, latency, series, series_bins, foreseen, heat, idle, hops, .. } =
        simulation.run(&mut |_| true).unwrap();
    let tables = (intervals, latency, series, series_bins, foreseen, heat, idle, hops);
    format!("{} {tables:?}", serde_json::to_string_pretty(&summary).unwrap())
}

fn same_in_every_shape(plan: &Value, requests: &[Request]) -> Result<(), TestCaseError> {
    prop_assert_eq!(figures(plan, requests, false), figures(plan, requests, true));
    Ok(())
}

/// A cache in front of the pools, which writes back or through.
fn cache(write: &str) -> Value {
    json!({
        "processing": {"read_s": 20e-6, "write_s": 30e-6, "processors": 2},
        "host_bandwidth_bytes_per_s": 400e6,
        "cache": {"capacity_bytes": 1 << 24, "line_bytes": 16_384, "replacement": "lru", "read": true,
                  "write": write, "high_watermark": 0.8, "low_watermark": 0.6,
                  "destage_bytes": 262_144, "destage_outstanding": 4},
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Disks: levels, disciplines, buses, pacing, windows, policies and caches.
    #[test]
    fn disks(
        (level, count) in prop::sample::select(vec![("0", 1), ("0", 4), ("1", 3), ("10", 6), ("4", 4), ("5", 5), ("6", 6)]),
        scheduler in prop::sample::select(vec!["fcfs", "look", "scan", "c-look", "sstf", "sptf", "spctf"]),
        small_write in prop::sample::select(vec!["auto", "read-modify-write", "reconstruct"]),
        (bus, closed, check, managed) in (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
        front in prop::sample::select(vec!["none", "through", "back"]),
        (segments, read_ahead, fast_write) in (
            1usize..5,
            prop::sample::select(vec!["none", "track", "cylinder", "segment", "track-ahead", "history"]),
            0u8..3,
        ),
        (warmup, end) in (0.0f64..2.0, prop::option::of(2.5f64..6.0)),
        (rate, reads, size, seed) in (20.0f64..400.0, 0.0f64..1.0, 1u32..80, any::<u64>()),
    ) {
        let mut plan = one_pool(level, count);
        let pool = &mut plan["pools"][0];
        (pool["scheduler"], pool["raid"]["small_write"]) = (json!(scheduler), json!(small_write));
        pool["raid"]["parity_check_on_read"] = json!(check && level > "3");
        pool["device"]["buffer"] = json!({
            "segments": segments, "segment_sectors": 256, "caching": true, "read_ahead": read_ahead,
            "min_read_ahead": 16, "partial_hit_at_once": true, "fast_write": fast_write, "combine_writes": true,
        });
        if bus {
            pool["bus_of_drive"] = json!(vec![0; count]);
            plan["buses"] = json!([{"bandwidth_bytes_per_s": 20e6, "arbitration_s": 1e-6}]);
        }
        if managed {
            plan["pools"][0]["device"]["power"] = ladder();
            plan["pools"][0]["power_policy"] = json!({"policy": "fixed-threshold", "level": 3, "threshold_s": 0.05});
        }
        if closed {
            plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": 6, "per": "workload"});
        }
        if front != "none" {
            plan["controller"] = cache(front);
        }
        plan["observe"] = json!({
            "warmup_s": warmup, "end_s": end, "interval_s": 0.5, "idle": true, "idle_rows": 500,
            "heat": {"extent_bytes": 1 << 20, "period_s": null, "front": true, "back": true},
        });
        let requests = poisson(seed, 600, rate, reads, 512 * size, capacity(level, count as u64));
        same_in_every_shape(&plan, &requests)?;
    }

    /// Drives of flash, in a closed loop.
    #[test]
    fn flash_drives(outstanding in 1u32..40, reads in 0.0f64..1.0, warmup in 0.0f64..0.01, seed in any::<u64>()) {
        let drive = flash(64, 0.28);
        let mut plan = one_drive(&drive, outstanding);
        plan["observe"]["warmup_s"] = json!(warmup);
        let requests = poisson(seed, 2_000, 1.0, reads, 4_096, offered(&drive) / 4_096 * 4_096);
        same_in_every_shape(&plan, &requests)?;
    }
}
