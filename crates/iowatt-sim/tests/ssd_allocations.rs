//! An SSD in steady state allocates nothing for a request, garbage collection included.
#![allow(unsafe_code)] // a global allocator cannot be written otherwise
#![allow(clippy::unwrap_used)] // tests fail by panicking

mod common;

use common::solid::{flash, offered, one_drive};
use common::{Lcg, given, request};
use iowatt_sim::{Plan, Simulation};
use iowatt_trace::{Op, Source};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Allocations of a run of so many requests, of which 40 % are writes, behind a back end or none.
fn allocations(count: usize, back_end: bool) -> u64 {
    let drive = flash(16, 0.5);
    let mut draw = Lcg(1);
    let requests = (0..count)
        .map(|i| {
            let op = if draw.unit() < 0.6 { Op::Read } else { Op::Write };
            request(i as u64, op, draw.below(offered(&drive) / 4_096) * 4_096, 4_096)
        })
        .collect();
    let mut plan = one_drive(&drive, 32);
    // What is kept by time grows with time, up to a bound, and not with requests: here there is one interval and one block.
    plan["observe"]["interval_s"] = serde_json::json!(1e3);
    plan["observe"]["series_s"] = serde_json::json!(1e3);
    if back_end {
        let times = serde_json::json!({"command_s": 5e-6, "processors": 2, "write_command_s": 10e-6,
                                       "write_processors": 1});
        plan["controller"] = serde_json::json!({"processing": null, "host_bandwidth_bytes_per_s": null, "cache": null,
                                                "back_end": times});
    }
    let plan: Plan = serde_json::from_value(plan).unwrap();
    let mut source = given(requests);
    let simulation = Simulation::new(&plan, vec![&mut source as &mut dyn Source]).unwrap();
    let before = ALLOCATIONS.with(Cell::get);
    let outcome = simulation.run(&mut |_| true).unwrap();
    let moved = outcome.summary.devices[0].flash.as_ref().unwrap().gc_pages_moved;
    assert!(moved > count as f64 / 50.0, "collection is active: {moved}");
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn no_request_allocates() {
    // Two passes over the drive have touched every superblock and every address; three more find everything there.
    let (some, more) = (allocations(300_000, false), allocations(600_000, false));
    assert!(more < some + 50, "{some} {more}");
}

#[test]
fn no_command_allocates() {
    let (some, more) = (allocations(300_000, true), allocations(600_000, true));
    assert!(more < some + 50, "{some} {more}");
}
