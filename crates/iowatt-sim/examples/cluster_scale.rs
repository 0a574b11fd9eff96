//! What a request costs in a cluster and in one array, and the memory that it takes: CPU time of the simulation alone.
//!
//!     cargo run --release -p iowatt-sim --example cluster_scale -- array|cluster RACKS NODES DRIVES [REQUESTS]
//!
//! The array has the drives of one node, divided into chunklets that hold three copies; the cluster holds three replicas. Both
//! serve 70 % reads of 4 KiB at 20 requests a second for each drive.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)] // a measurement, not an interface

#[path = "../tests/common/mod.rs"]
mod common;

use common::cluster::{CHUNKLET, Size, cluster};
use common::{given, poisson};
use iowatt_sim::{Plan, Progress, Simulation};
use iowatt_trace::Source;
use serde_json::{Value, json};
use std::fs;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, other: usize| arguments.get(at).map_or(other, |text| text.parse().unwrap());
    let size = Size { racks: number(1, 1), nodes: number(2, 1), drives: number(3, 36) };
    let requests = number(4, 400_000);
    let sets = size.all() as u64 * 100 / 3;
    let mut plan = cluster(size, ("1", 3), sets, if size.racks > 2 { "rack" } else { "node" });
    // 100 members of 2 MiB on each drive.
    plan["pools"][0]["chunklets"]["bytes"] = json!(CHUNKLET / 4);
    plan["volumes"][0]["capacity_bytes"] = json!(sets * CHUNKLET / 4);
    if arguments[0] == "array" {
        plan["clusters"] = Value::Array(Vec::new());
    }
    let plan: Plan = serde_json::from_value(plan).unwrap();
    let capacity = sets * CHUNKLET / 4;
    let mut source = given(poisson(1, requests, 20.0 * size.all() as f64, 0.7, 4_096, capacity));
    let (start, memory) = (cpu_ns(), memory_mb());
    let simulation = Simulation::new(&plan, vec![&mut source as &mut dyn Source]).unwrap();
    let built = cpu_ns();
    // The run in stretches: other work on the machine slows some of them, and the quickest say what a request costs.
    let (mut stretches, mut last) = (Vec::new(), (0, built));
    let hook = &mut |progress: Progress| {
        let here = (progress.requests, cpu_ns());
        if here.0 >= last.0 + 10_000 {
            stretches.push((here.1 - last.1) as f64 / (here.0 - last.0) as f64);
            last = here;
        }
        true
    };
    let outcome = simulation.run(hook).unwrap();
    let ran = (cpu_ns() - built) as f64;
    let result = cpu_ns() - last.1;
    stretches.sort_by(f64::total_cmp);
    let operations: u64 = outcome.summary.devices.iter().map(|d| d.accesses).sum();
    println!(
        "{} {} drives: built in {:.2} s; {:.0} ns a request (quickest tenth {:.0}, median {:.0}), {:.0} ns a drive operation \
         ({:.2} a request), {:.2} events a request; results in {:.2} s; mean response {:.3} ms; peak memory {} MB ({memory} before)",
        arguments[0],
        size.all(),
        (built - start) as f64 / 1e9,
        ran / requests as f64,
        stretches[stretches.len() / 10],
        stretches[stretches.len() / 2],
        ran / operations as f64,
        operations as f64 / requests as f64,
        outcome.summary.events as f64 / requests as f64,
        result as f64 / 1e9,
        outcome.summary.total.response.all.mean_s * 1e3,
        memory_mb(),
    );
}

/// CPU time of this thread so far.
fn cpu_ns() -> u64 {
    let times = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    times.split(' ').next().unwrap().parse().unwrap()
}

/// Most memory so far.
fn memory_mb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}
