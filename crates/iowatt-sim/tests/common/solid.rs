//! Plans of SSDs.

use serde_json::{Value, json};

/// 4 channels x 2 dies x 2 planes, blocks of 64 pages of 16 KiB: superblocks of 16 MiB (4,096 units of 4 KiB).
/// Read 50 us, program 500 us, erase 3 ms; 1 GB/s a channel and each way to the host. `blocks` superblocks, of which the host
/// is offered the part that leaves `spare` times as much, in steady state with superblock FIFO.
pub fn flash(blocks: u32, spare: f64) -> Value {
    let raw = u64::from(blocks) * 16 * (1 << 20);
    let sectors = (raw as f64 / (1.0 + spare) / 4_096.0) as u64;
    json!({
        "kind": "ssd", "sector_bytes": 4096, "sectors": sectors,
        "interface": {"read_bytes_per_s": 1e9, "write_bytes_per_s": 1e9, "command_read_s": 10e-6,
                      "command_write_s": 10e-6, "commands_per_s": null, "queue_depth": 64},
        "media": {"kind": "flash", "channels": 4, "dies_per_channel": 2, "planes": 2, "blocks_per_plane": blocks,
                  "pages_per_block": 64, "page_bytes": 16384, "mapping_bytes": 4096,
                  "read_s": 50e-6, "program_s": 500e-6, "erase_s": 3e-3, "channel_bytes_per_s": 1e9,
                  "suspend": null, "buffer_bytes": 8 << 20,
                  "gc": {"policy": "fifo", "free_blocks": 1, "hot_cold": false}, "wear_levelling": null,
                  "initial": {"kind": "steady", "fill": 1.0},
                  "energy": {"read_j": 20e-6, "program_j": 80e-6, "erase_j": 200e-6, "transfer_j_per_byte": 50e-12,
                             "command_j": 1e-6}},
        "power": {"active_w": 2.0, "levels": {"idle_w": 1.0, "below": []}, "states": []},
        "wear": {"pe_cycles": 3000.0, "rated_bytes_written": 1e12},
    })
}

/// Bytes that a drive offers.
pub fn offered(drive: &Value) -> u64 {
    drive["sectors"].as_u64().unwrap() * drive["sector_bytes"].as_u64().unwrap()
}

/// One closed loop of `outstanding` requests on one volume over one drive.
pub fn one_drive(drive: &Value, outstanding: u32) -> Value {
    json!({
        "seed": 1,
        "workloads": [{"volume": 0, "replay": {"mode": "closed", "outstanding": outstanding, "per": "workload",
                       "think": null}}],
        "volumes": [{"pool": 0, "offset_bytes": 0, "capacity_bytes": offered(drive)}],
        "pools": [{
            "count": 1, "device": drive,
            "raid": {"level": "0", "stripe_unit_bytes": 4096, "layout": "left-symmetric",
                     "small_write": "auto", "parity_check_on_read": false},
            "scheduler": "fcfs", "power_policy": {"policy": "never"}, "bus_of_drive": [],
        }],
        "buses": [],
        "observe": {"warmup_s": 0.0, "end_s": null, "interval_s": null},
    })
}

/// The same with arrivals at their recorded times.
pub fn open(drive: &Value) -> Value {
    let mut plan = one_drive(drive, 1);
    plan["workloads"][0]["replay"] = json!({"mode": "open", "speed": 1.0});
    plan
}

/// A data sheet: 90 and 20 us alone, 400,000 and 100,000 IOPS, 3 and 1 GB/s, 9 and 11 W; 1 W idle. Almost 100 GB.
pub fn sheet() -> Value {
    json!({
        "kind": "ssd", "sector_bytes": 512, "sectors": 195_312_496,
        "interface": {"read_bytes_per_s": 4e9, "write_bytes_per_s": 4e9, "command_read_s": 0.0,
                      "command_write_s": 0.0, "commands_per_s": null, "queue_depth": 256},
        "media": {"kind": "data-sheet",
                  "read": {"latency_s": 90e-6, "iops": 400e3, "bytes_per_s": 3e9, "active_w": 9.0},
                  "write": {"latency_s": 20e-6, "iops": 100e3, "bytes_per_s": 1e9, "active_w": 11.0},
                  "write_amplification": 2.0},
        "power": {"active_w": 1.0, "levels": {"idle_w": 1.0, "below": []}, "states": []},
        "wear": {"pe_cycles": 1e4, "rated_bytes_written": 1e15},
    })
}
