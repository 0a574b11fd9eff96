//! Making requests allocates nothing, whatever the address law.
#![allow(unsafe_code)] // a global allocator cannot be written otherwise
#![allow(clippy::unwrap_used)] // a failed test is meant to stop

use iowatt_trace::Source;
use iowatt_workload::{Generator, Plan};
use serde_json::{Value, json};
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

#[test]
fn no_request_allocates() {
    let accesses = [
        json!({"pattern": "uniform"}),
        json!({"pattern": "hot-band"}),
        json!({"pattern": "sequential", "cursors": 8, "run_bytes": 1e6, "turn_requests": 2.0, "begin": "random"}),
        json!({"pattern": "zipf", "exponent": 0.9, "extent_bytes": 4096, "order": "scattered"}),
        json!({"pattern": "skew", "k": 7.0, "extent_bytes": 4096, "order": "scattered"}),
        json!({"pattern": "hierarchical-reuse", "leaf_bytes": 4096, "climb": 0.5, "fanout": 2}),
        json!({"pattern": "reuse-distance", "block_bytes": 4096, "hits": [{"blocks": 100, "fraction": 0.9}], "order": "scattered"}),
    ];
    let streams: Vec<Value> = accesses
        .iter()
        .map(|access| {
            json!({
                "name": "s", "read_fraction": 0.5, "read_sizes": [{"bytes": 4096, "weight": 1.0}, {"bytes": 8192, "weight": 1.0}],
                "write_sizes": [{"bytes": 4096, "weight": 1.0}], "start_bytes": 0, "end_bytes": 1u64 << 26, "align_bytes": null,
                "access": access, "run": {"mean_requests": 3.0, "geometric": true, "gap_s": 0.001, "exponential": true, "addresses": "law"},
            })
        })
        .collect();
    let members: Vec<Value> = (0..streams.len()).map(|i| json!({"stream": i, "weight": 1.0})).collect();
    let plan: Plan = serde_json::from_value(json!({
        "name": "all", "seed": 1, "workload": 0, "requests": null, "duration_s": null, "streams": streams,
        "processes": [{
            "law": {"law": "poisson", "rate": 1000.0}, "members": members, "stay": 1.0,
            "modulation": {"states": [{"factor": 0.5, "mean_s": 0.1}, {"factor": 1.5, "mean_s": 0.1}], "sojourn": {"law": "exponential"}},
        }],
        "envelopes": [{"period_s": 10.0, "factors": [0.5, 1.5]}], "phases": [],
    }))
    .unwrap();
    let mut source = Generator::new(&plan, None).unwrap();
    let mut out = Vec::with_capacity(1 << 16);
    source.fill(&mut out, 1000).unwrap();
    let before = ALLOCATIONS.with(Cell::get);
    for _ in 0..10 {
        out.clear();
        source.fill(&mut out, 1 << 16).unwrap();
    }
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0);
}
