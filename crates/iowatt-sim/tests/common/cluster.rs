//! Plans of clusters.

use super::{disk, one_pool};
use serde_json::{Value, json};

/// Bytes of a chunklet and of an object (a stripe unit); a drive of `common::disk` has 48 chunklets.
pub const CHUNKLET: u64 = 8 << 20;
pub const OBJECT: u64 = 1 << 20;

/// Racks of nodes of drives.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub racks: usize,
    pub nodes: usize,
    pub drives: usize,
}

impl Size {
    pub fn all(self) -> usize {
        self.racks * self.nodes * self.drives
    }
}

/// Data members of a set; a code has two of parity.
pub fn data(level: &str, size: u64) -> u64 {
    match level {
        "1" => 1,
        "5" => size - 1,
        _ => size - 2,
    }
}

/// Ports of 1 GB/s to clients and 500 MB/s between nodes; 100 us a request, 50 us an operation; 20, 5 and 10 us of latency.
pub fn cluster(size: Size, (level, members): (&str, usize), sets: u64, domain: &str) -> Value {
    let mut plan = one_pool("0", size.all());
    let mut raid = json!({"level": level, "stripe_unit_bytes": OBJECT, "layout": "left-symmetric", "small_write": "auto",
                      "parity_check_on_read": false});
    if level == "ec" {
        raid["code"] = json!({"data": members - 2, "parity": 2});
    }
    plan["pools"][0]["device"] = disk();
    plan["pools"][0]["chunklets"] = json!({"bytes": CHUNKLET, "spare": 0, "regions": [{"raid": raid, "set_size": members, "sets": sets}]});
    plan["volumes"][0]["capacity_bytes"] = json!(sets * data(level, members as u64) * CHUNKLET);
    let nodes = size.racks * size.nodes;
    plan["clusters"] = json!([{
        "classes": [{"processors": 2, "request_s": 100e-6, "request_byte_s": 0.0, "operation_s": 50e-6,
                     "operation_byte_s": 0.0, "code_byte_s": 1e-9, "front_bytes_per_s": 1e9, "back_bytes_per_s": 500e6}],
        "nodes": (0..nodes).map(|n| json!({"class": 0, "rack": n / size.nodes})).collect::<Vec<_>>(),
        "network": {"client_latency_s": 20e-6, "rack_latency_s": 5e-6, "core_latency_s": 10e-6,
                    "uplink_bytes_per_s": null, "message_bytes": 200},
        "pools": [{"pool": 0, "node_of_drive": (0..size.all()).map(|d| d / size.drives).collect::<Vec<_>>(),
                   "failure_domain": domain}],
    }]);
    plan
}

/// Recovery of 4 steps of a chunklet at once onto each drive, without delay.
pub fn recover(plan: &mut Value, failures: &[(usize, f64)], rate: Option<f64>) {
    let failures: Vec<Value> = failures.iter().map(|(d, at)| json!({"drive": d, "at_s": at})).collect();
    plan["pools"][0]["chunklets"]["spare"] = json!(16);
    plan["pools"][0]["recovery"] = json!({
        "spares": 0, "sparing": "distributed", "failures": failures,
        "rebuild": {"delay_s": 0.0, "rate_bytes_per_s": rate, "outstanding": 4, "step_bytes": CHUNKLET,
                    "priority": "host-first"},
    });
}
