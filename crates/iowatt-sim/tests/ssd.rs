//! SSDs in the whole simulator.
#![allow(clippy::unwrap_used)] // tests fail by panicking

mod common;

use common::solid::{flash, offered, one_drive};
use common::{Lcg, request, run};
use iowatt_trace::{Op, Request};

fn random(count: usize, bytes: u64, reads: f64, seed: u64) -> Vec<Request> {
    let mut draw = Lcg(seed);
    (0..count)
        .map(|i| {
            let op = if draw.unit() <= reads { Op::Read } else { Op::Write };
            request(i as u64, op, draw.below(bytes / 4_096) * 4_096, 4_096)
        })
        .collect()
}

#[test]
fn smoke() {
    for spare in [0.07, 0.28, 1.0] {
        let drive = flash(512, spare);
        let plan = one_drive(&drive, 32);
        let outcome = run(&plan, random(300_000, offered(&drive), 0.0, 1));
        let device = &outcome.summary.devices[0];
        println!("{spare} {:?}", device.flash);
        println!("{:?} {:?}", outcome.summary.total.response, outcome.summary.window.end_ns);
        println!("{:?} {:?} {:?}", device.state_ns, device.energy_j, device.cause_j);
    }
}
