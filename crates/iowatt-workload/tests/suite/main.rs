//! What a plan asks for is what its requests are.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed test is meant to stop

mod arrivals;
mod composition;
mod hot_band;
mod properties;

use iowatt_trace::{Request, Source};
use iowatt_workload::{Generator, Plan};
use serde_json::{Value, json};

/// A plan of one process that all streams share by their `share`, which is taken out of them.
pub(crate) fn plan(law: &Value, streams: &[Value]) -> Value {
    let members: Vec<Value> =
        streams.iter().enumerate().map(|(i, s)| json!({"stream": i, "weight": s["share"]})).collect();
    let streams: Vec<Value> = streams
        .iter()
        .cloned()
        .map(|mut stream| {
            stream.as_object_mut().unwrap().remove("share");
            stream
        })
        .collect();
    json!({
        "name": "test", "seed": 1, "workload": 0, "requests": null, "duration_s": null, "streams": streams,
        "processes": [{"law": law, "modulation": null, "members": members, "stay": 1.0}],
        "envelopes": [], "phases": [],
    })
}

/// A stream of one size over `bytes` bytes.
pub(crate) fn stream(share: f64, read_fraction: f64, size: u32, bytes: u64, access: &Value) -> Value {
    let sizes = json!([{"bytes": size, "weight": 1.0}]);
    json!({
        "share": share, "name": "s", "read_fraction": read_fraction, "read_sizes": sizes, "write_sizes": sizes,
        "start_bytes": 0, "end_bytes": bytes, "align_bytes": null, "access": access, "run": null,
    })
}

pub(crate) fn poisson(rate: f64) -> Value {
    json!({"law": "poisson", "rate": rate})
}

pub(crate) fn uniform() -> Value {
    json!({"pattern": "uniform"})
}

pub(crate) fn generator(plan: &Value) -> Generator {
    let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
    Generator::new(&plan, None).unwrap()
}

/// The first `n` requests, or all where there are fewer.
pub(crate) fn requests(plan: &Value, n: usize) -> Vec<Request> {
    let mut source = generator(plan);
    let mut out = Vec::with_capacity(n);
    loop {
        let limit = (n - out.len()).min(4096);
        if limit == 0 || !source.fill(&mut out, limit).unwrap() {
            return out;
        }
    }
}

/// Calls `each` for `n` requests without keeping them.
pub(crate) fn for_each(plan: &Value, n: u64, mut each: impl FnMut(&Request)) {
    let mut source = generator(plan);
    let (mut batch, mut left) = (Vec::with_capacity(4096), n);
    while left > 0 {
        batch.clear();
        let more = source.fill(&mut batch, left.min(4096) as usize).unwrap();
        batch.iter().for_each(&mut each);
        left -= batch.len() as u64;
        if !more {
            break;
        }
    }
}
