//! A trace through the simulator.

use super::{Case, EXTENT, End, SPEEDS, Speed};
use iowatt_sim::{Plan, Simulation};
use iowatt_trace::{Request, Source, TraceError};
use serde_json::{Value, json};

struct Given<'a>(std::slice::Iter<'a, Request>);

impl Source for Given<'_> {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        out.extend(self.0.by_ref().copied().take(limit));
        Ok(self.0.len() > 0)
    }

    fn devices(&self) -> &[String] {
        &[]
    }
}

/// A pool of one drive, known by its data sheet.
fn pool(speed: Speed) -> Value {
    let rated = json!({"latency_s": speed.latency_ns as f64 / 1e9, "iops": 1e9 / speed.hold_ns as f64,
        "bytes_per_s": 1e18, "active_w": 5.0});
    json!({
        "count": 1, "device": {
            "kind": "ssd", "sector_bytes": 512, "sectors": 65_536,
            "interface": {"read_bytes_per_s": 1e18, "write_bytes_per_s": 1e18, "command_read_s": 0.0,
                          "command_write_s": 0.0, "commands_per_s": null, "queue_depth": 65_536},
            "media": {"kind": "data-sheet", "read": rated, "write": rated, "write_amplification": 1.0},
            "power": {"active_w": 1.0, "levels": {"idle_w": 1.0, "below": []}, "states": []},
            "wear": {"pe_cycles": 1e4, "rated_bytes_written": 1e15}},
        "raid": {"level": "0", "stripe_unit_bytes": 4096, "layout": "left-symmetric", "small_write": "auto",
                 "parity_check_on_read": false},
        "scheduler": "fcfs", "power_policy": {"policy": "never"}, "bus_of_drive": [],
    })
}

/// Runs `trace`: each request at its time, or so many outstanding.
pub fn run(case: &Case, trace: &[Request], outstanding: Option<usize>) -> End {
    let replay = match outstanding {
        None => json!({"mode": "open", "speed": 1.0}),
        Some(requests) => {
            json!({"mode": "closed", "outstanding": requests, "per": "workload", "think": null})
        }
    };
    let plan = json!({
        "seed": 1,
        "workloads": [{"volume": 0, "replay": replay}],
        "volumes": [{"pool": 2, "offset_bytes": 0, "capacity_bytes": case.extents * EXTENT}],
        "pools": SPEEDS.map(pool),
        "virtual_pools": [case.plan()],
        "buses": [],
        "observe": {"warmup_s": 0.0, "end_s": null, "interval_s": null},
    });
    let plan: Plan = serde_json::from_value(plan).unwrap();
    let mut source = Given(trace.iter());
    let simulation = Simulation::new(&plan, vec![&mut source]).unwrap().keep_pool_ends();
    simulation.run(&mut |_| true).unwrap().pool_ends.remove(0)
}
