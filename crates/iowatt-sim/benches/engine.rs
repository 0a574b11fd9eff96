//! Host requests a second through the whole engine, by RAID level; requests are made beforehand.
#![allow(missing_docs, clippy::unwrap_used)] // a benchmark, not an interface

#[path = "../tests/common/mod.rs"]
mod common;

use common::solid::{flash, offered, one_drive};
use common::{capacity, one_pool, poisson, run};
use divan::Bencher;
use divan::counter::ItemsCount;
use serde_json::json;

const REQUESTS: usize = 100_000;

fn main() {
    divan::main();
}

#[divan::bench(args = ["0", "10", "5", "6"], sample_count = 5)]
fn open_arrivals_on_32_drives(bencher: Bencher, level: &str) {
    let plan = one_pool(level, 32);
    let requests = poisson(1, REQUESTS, 400.0, 0.66, 8_192, capacity(level, 32));
    bencher
        .counter(ItemsCount::new(REQUESTS))
        .with_inputs(|| requests.clone())
        .bench_values(|requests| run(&plan, requests));
}

#[divan::bench(args = ["fcfs", "look", "sptf"], sample_count = 5)]
fn one_drive_at_depth_32(bencher: Bencher, scheduler: &str) {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["scheduler"] = serde_json::json!(scheduler);
    plan["workloads"][0]["replay"] =
        serde_json::json!({"mode": "closed", "outstanding": 32, "per": "workload"});
    let requests = poisson(1, REQUESTS, 1.0, 1.0, 8_192, capacity("0", 1));
    bencher
        .counter(ItemsCount::new(REQUESTS))
        .with_inputs(|| requests.clone())
        .bench_values(|requests| run(&plan, requests));
}

/// RAID-5 behind a cache of a fiftieth of its capacity, line by line or without one.
#[divan::bench(args = ["none", "through", "back"], sample_count = 5)]
fn behind_a_cache(bencher: Bencher, write: &str) {
    let mut plan = one_pool("5", 32);
    let space = capacity("5", 32) / 10;
    if write != "none" {
        plan["controller"] = serde_json::json!({
            "processing": {"read_s": 20e-6, "write_s": 30e-6, "processors": 2},
            "host_bandwidth_bytes_per_s": 400e6,
            "cache": {"capacity_bytes": space / 5, "line_bytes": 16_384, "replacement": "lru", "read": true,
                      "write": write, "high_watermark": 0.8, "low_watermark": 0.6,
                      "destage_bytes": 262_144, "destage_outstanding": 32},
        });
    }
    let requests = poisson(1, REQUESTS, 400.0, 0.66, 8_192, space);
    bencher
        .counter(ItemsCount::new(REQUESTS))
        .with_inputs(|| requests.clone())
        .bench_values(|requests| run(&plan, requests));
}

/// 4 KiB anywhere on an SSD of 1 TB (64 dies, 1.28 TB of flash, greedy collection) in steady state, 32 outstanding, by the
/// share of reads in per cent: collection is active but for reads alone.
#[divan::bench(args = [100, 70, 0], sample_count = 5)]
fn ssd_at_depth_32(bencher: Bencher, reads: u32) {
    let mut drive = flash(640, 0.28);
    let media = &mut drive["media"];
    (media["channels"], media["dies_per_channel"]) = (json!(16), json!(4));
    media["pages_per_block"] = json!(1_024);
    media["suspend"] = json!({"program": true, "erase": true, "latency_s": 20e-6});
    media["gc"]["policy"] = json!("greedy");
    // 64 dies x 2 planes x 1,024 pages of 16 KiB: superblocks of 2 GiB.
    let raw = 640.0 * 2.0 * f64::from(1 << 30);
    drive["sectors"] = json!((raw / 1.28 / 4_096.0) as u64);
    let plan = one_drive(&drive, 32);
    let capacity = offered(&drive) / 4_096 * 4_096;
    let requests = poisson(1, REQUESTS, 1.0, f64::from(reads) / 100.0, 4_096, capacity);
    bencher
        .counter(ItemsCount::new(REQUESTS))
        .with_inputs(|| requests.clone())
        .bench_values(|requests| run(&plan, requests));
}
