//! Requests made a second, by address law (Poisson arrivals).
#![allow(clippy::unwrap_used, missing_docs)]

use divan::{Bencher, counter::ItemsCount};
use iowatt_trace::Source;
use iowatt_workload::{Generator, Plan};
use serde_json::{Value, json};

const BATCH: usize = 1 << 16;

fn main() {
    divan::main();
}

fn law(name: &str) -> Value {
    match name {
        "zipf" => json!({"pattern": "zipf", "exponent": 0.99, "extent_bytes": 1 << 20, "order": "scattered"}),
        "skew" => json!({"pattern": "skew", "k": 7.0, "extent_bytes": 1 << 20, "order": "scattered"}),
        "sequential" => {
            json!({"pattern": "sequential", "cursors": 8, "run_bytes": null, "turn_requests": 1.0, "begin": "spread"})
        }
        "hierarchical-reuse" => {
            json!({"pattern": "hierarchical-reuse", "leaf_bytes": 4096, "climb": 0.5, "fanout": 2})
        }
        "reuse-distance" => json!({
            "pattern": "reuse-distance", "block_bytes": 1 << 20,
            "hits": [{"blocks": 1000, "fraction": 0.5}, {"blocks": 100_000, "fraction": 0.95}], "order": "scattered",
        }),
        other => json!({"pattern": other}),
    }
}

#[divan::bench(args = ["uniform", "hot-band", "sequential", "zipf", "skew", "hierarchical-reuse", "reuse-distance"])]
fn requests(bencher: Bencher<'_, '_>, name: &str) {
    let sizes = json!([{"bytes": 4096, "weight": 1.0}]);
    let plan: Plan = serde_json::from_value(json!({
        "name": name, "seed": 1, "workload": 0, "requests": null, "duration_s": null,
        "streams": [{
            "name": "s", "read_fraction": 0.7, "read_sizes": sizes, "write_sizes": sizes, "start_bytes": 0,
            "end_bytes": 1u64 << 40, "align_bytes": null, "access": law(name), "run": null,
        }],
        "processes": [{
            "law": {"law": "poisson", "rate": 1000.0}, "modulation": null, "members": [{"stream": 0, "weight": 1.0}], "stay": 1.0,
        }],
        "envelopes": [], "phases": [],
    }))
    .unwrap();
    let mut source = Generator::new(&plan, None).unwrap();
    let mut out = Vec::with_capacity(BATCH);
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        out.clear();
        source.fill(&mut out, BATCH).unwrap();
        divan::black_box(out.last().copied())
    });
}
