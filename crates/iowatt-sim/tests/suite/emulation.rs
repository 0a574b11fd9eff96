//! The drives alone, driven from outside: the figures are those of a simulation.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{capacity, one_pool, poisson, pool, run};
use iowatt_sim::{Emulation, Outcome, Plan, Transfer, VirtualPoolResult, Way};
use iowatt_trace::{Op, Request};
use iowatt_volume::{PoolCounts, Schemes};
use serde_json::{Value, json};
use std::collections::HashMap;

fn linear(level: &str, drives: usize) -> Value {
    let bytes = capacity(level, drives as u64) >> 20 << 20;
    let mut plan = one_pool(level, drives);
    plan["pools"] = json!([pool(level, drives)]);
    let part = json!({"pool": 0, "offset_bytes": 0, "capacity_bytes": bytes});
    plan["virtual_pools"] = json!([{"parts": [part], "scheme": {"kind": "linear"}}]);
    plan["volumes"] = json!([{"pool": 1, "offset_bytes": 0, "capacity_bytes": bytes}]);
    plan
}

fn space(plan: &Value) -> u64 {
    plan["volumes"][0]["capacity_bytes"].as_u64().unwrap()
}

/// The requests as a host of the virtual pool would make them, with its policy (none) outside.
fn emulated(plan: &Value, requests: &[Request]) -> Outcome {
    let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
    let mut drives = Emulation::new(&plan).unwrap();
    let (mut open, mut done) = (HashMap::new(), Vec::new());
    let mut coming = requests.iter().peekable();
    loop {
        let arrival = coming.peek().map(|request| request.time_ns);
        if arrival.is_none() && open.is_empty() {
            break; // a simulation ends with the last request, whatever drives would do by themselves
        }
        let Some(next) = drives.next_at().into_iter().chain(arrival).min() else { break };
        drives.advance(next, &mut done).unwrap();
        for (key, at) in done.drain(..) {
            assert_eq!(at, next, "told of at its time");
            let (arrived, range, write) = open.remove(&key).unwrap();
            drives.answered(arrived, range, write);
        }
        while let Some(request) = coming.next_if(|request| request.time_ns == next) {
            let range = (request.offset, request.offset + u64::from(request.size));
            let write = request.op == Op::Write;
            let way = if write { Way::Write } else { Way::Read };
            let arrived = drives.arrived(range, write);
            let key = drives.begin(&Transfer { part: 0, range, way, background: false }).unwrap();
            open.insert(key, (arrived, range, write));
        }
    }
    assert!(open.is_empty());
    let scheme = Schemes::new(&plan.virtual_pools[0], plan.seed, 0);
    drives.finish(VirtualPoolResult::new(&PoolCounts::new(1), &scheme)).unwrap()
}

fn figures(outcome: &Outcome) -> String {
    let mut summary = serde_json::to_value(&outcome.summary).unwrap();
    for own in ["events", "virtual_pools"] {
        summary.as_object_mut().unwrap().remove(own);
    }
    format!("{summary}{:?}{:?}", outcome.intervals, outcome.latency)
}

#[test]
fn figures_are_those_of_a_simulation() {
    for (level, drives) in [("0", 1), ("1", 2), ("5", 4)] {
        let plan = linear(level, drives);
        let requests = poisson(7, 3_000, 120.0, 0.6, 8_192, space(&plan));
        let (ours, theirs) = (emulated(&plan, &requests), run(&plan, requests.clone()));
        assert_eq!(figures(&ours), figures(&theirs), "RAID-{level}");
        assert_eq!(ours.summary.total.completed, 3_000);
    }
}

/// Drives that come up ahead of the arrival that they expect do so on emulated media too.
#[test]
fn drives_that_predict_wake_at_the_same_times() {
    let mut plan = linear("0", 1);
    plan["pools"][0]["power_policy"] = json!({"policy": "law-driven", "level": 1, "law": "observed",
                                              "prediction": {"certainty": 0.9, "memory": 200.0}});
    let read = |n: u64| {
        crate::common::request(
            n / 3 * 1_800 * crate::common::S + n % 3 * 20 * crate::common::S,
            Op::Read,
            0,
            8_192,
        )
    };
    let requests: Vec<Request> = (0..90).map(read).collect();
    let (ours, theirs) = (emulated(&plan, &requests), run(&plan, requests));
    assert_eq!(figures(&ours), figures(&theirs));
    let drive = &ours.summary.devices[0];
    assert!(drive.spin_ups > 15 && drive.delayed <= 3, "{drive:?}");
}

#[test]
fn transfers_of_a_policy_are_booked_as_migration() {
    let plan = linear("0", 1);
    let parsed: Plan = serde_json::from_value(plan).unwrap();
    let mut drives = Emulation::new(&parsed).unwrap();
    let transfer = Transfer { part: 0, range: (0, 1 << 20), way: Way::Write, background: true };
    let key = drives.begin(&transfer).unwrap();
    let mut done = Vec::new();
    drives.advance(1_000_000_000, &mut done).unwrap();
    let [(found, at)] = done[..] else { panic!("one transfer: {done:?}") };
    assert!(found == key && at > 0 && at < 1_000_000_000);
    let scheme = Schemes::new(&parsed.virtual_pools[0], parsed.seed, 0);
    let outcome = drives.finish(VirtualPoolResult::new(&PoolCounts::new(1), &scheme)).unwrap();
    let device = serde_json::to_value(&outcome.summary.devices[0]).unwrap();
    assert_eq!(device["bytes_written"], 1 << 20);
    let joules = device["energy_j"]["migration"].as_f64().or_else(|| device["cause_j"]["migration"].as_f64());
    assert!(joules.unwrap() > 0.0, "{device}");
    assert_eq!(outcome.summary.total.completed, 0);
}
