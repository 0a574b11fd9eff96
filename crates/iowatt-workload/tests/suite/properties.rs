//! Whatever the plan, requests lie in their range, have sizes of their mix, and never go back in time.

use super::requests;
use iowatt_workload::{Generator, Plan};
use proptest::prelude::*;
use serde_json::{Value, json};

fn access() -> impl Strategy<Value = Value> {
    let extent = prop_oneof![Just(512u64), Just(4096), Just(65_536), 1u64..100_000];
    let order = prop_oneof![Just("ascending"), Just("scattered")];
    prop_oneof![
        Just(json!({"pattern": "uniform"})),
        Just(json!({"pattern": "hot-band"})),
        (1u32..9, any::<bool>(), 1.0f64..5.0, prop_oneof![Just("start"), Just("spread"), Just("random")]).prop_map(
            |(cursors, runs, turn, begin)| json!({
                "pattern": "sequential", "cursors": cursors, "run_bytes": runs.then_some(20_000.0), "turn_requests": turn, "begin": begin,
            })
        ),
        (0.05f64..3.0, extent.clone(), order.clone()).prop_map(
            |(exponent, bytes, order)| json!({"pattern": "zipf", "exponent": exponent, "extent_bytes": bytes, "order": order})
        ),
        (1.0f64..60.0, extent.clone(), order.clone()).prop_map(
            |(k, bytes, order)| json!({"pattern": "skew", "k": k, "extent_bytes": bytes, "order": order})
        ),
        (0.0f64..0.99, extent.clone(), 2u32..9).prop_map(
            |(climb, bytes, fanout)| json!({"pattern": "hierarchical-reuse", "leaf_bytes": bytes, "climb": climb, "fanout": fanout})
        ),
        (0.0f64..1.0, extent, order).prop_map(|(fraction, bytes, order)| json!({
            "pattern": "reuse-distance", "block_bytes": bytes, "hits": [{"blocks": 8, "fraction": fraction / 2.0}, {"blocks": 500, "fraction": fraction}], "order": order,
        })),
    ]
}

fn run() -> impl Strategy<Value = Value> {
    let addresses = prop_oneof![Just("sequential"), Just("same"), Just("law")];
    prop_oneof![
        Just(Value::Null),
        (1.0f64..20.0, any::<bool>(), 0.0f64..0.1, any::<bool>(), addresses).prop_map(
            |(mean, geometric, gap, exponential, addresses)| json!({
                "mean_requests": mean, "geometric": geometric, "gap_s": gap, "exponential": exponential, "addresses": addresses,
            })
        ),
    ]
}

fn stream() -> impl Strategy<Value = Value> {
    let size = prop_oneof![Just(512u32), Just(4096), Just(8192), 1u32..200_000];
    let sizes = proptest::collection::vec((size, 0.1f64..10.0), 1..5);
    let align = prop_oneof![Just(None), Just(Some(512u64)), Just(Some(4096)), (1u64..50_000).prop_map(Some)];
    (access(), run(), sizes, 0.0f64..=1.0, 0u64..1 << 40, 200_000u64..1 << 33, align).prop_map(
        |(access, run, sizes, reads, start, bytes, align)| {
            let sizes: Vec<Value> = sizes.iter().map(|(b, w)| json!({"bytes": b, "weight": w})).collect();
            // Reuse holds 16 bytes a block: keep the range small for it.
            let bytes = if access["pattern"] == "reuse-distance" { 200_000 } else { bytes };
            json!({
                "name": "s", "read_fraction": reads, "read_sizes": sizes, "write_sizes": sizes, "start_bytes": start,
                "end_bytes": start + bytes, "align_bytes": align, "access": access, "run": run,
            })
        },
    )
}

proptest! {
    #[test]
    fn requests_keep_to_their_plan(streams in proptest::collection::vec(stream(), 1..4), seed in any::<u64>()) {
        let members: Vec<Value> = (0..streams.len()).map(|i| json!({"stream": i, "weight": 1.0})).collect();
        let plan = json!({
            "name": "any", "seed": seed, "workload": 0, "requests": 2000, "duration_s": null, "streams": streams,
            "processes": [{"law": {"law": "poisson", "rate": 100.0}, "modulation": null, "members": members, "stay": 2.0}],
            "envelopes": [], "phases": [],
        });
        let made = requests(&plan, 3000);
        prop_assert_eq!(made.len(), 2000);
        let mut last = 0;
        for request in made {
            let of = &streams[request.stream as usize];
            let (start, end) = (of["start_bytes"].as_u64().unwrap(), of["end_bytes"].as_u64().unwrap());
            prop_assert!(request.offset >= start && request.offset + u64::from(request.size) <= end, "{:?} {}", request, of);
            prop_assert!(of["read_sizes"].as_array().unwrap().iter().any(|s| s["bytes"] == request.size));
            if let Some(align) = of["align_bytes"].as_u64() {
                prop_assert_eq!((request.offset - start) % align, 0, "{:?} {}", request, of);
            }
            prop_assert!(request.time_ns >= last);
            last = request.time_ns;
        }
    }

    #[test]
    fn hostile_numbers_are_refused_or_run(value in prop_oneof![Just(f64::MAX), Just(-1.0), Just(0.0), Just(1e-300), any::<f64>()], key in 0usize..6) {
        let mut plan = super::plan(&super::poisson(10.0), &[super::stream(1.0, 0.5, 512, 1 << 20, &super::uniform())]);
        plan["envelopes"] = json!([{"period_s": 10.0, "factors": [1.0, 2.0]}]);
        plan["requests"] = 50.into();
        let path = ["/streams/0/read_fraction", "/processes/0/law/rate", "/processes/0/stay", "/envelopes/0/period_s", "/envelopes/0/factors/1", "/processes/0/members/0/weight"][key];
        *plan.pointer_mut(path).unwrap() = json!(value);
        // Numbers that JSON cannot have are refused by serde.
        if let Ok(plan) = serde_json::from_value::<Plan>(plan)
            && let Ok(mut source) = Generator::new(&plan, None)
        {
            let mut out = Vec::new();
            // An error, or requests: no panic and no endless loop.
            let _ = iowatt_trace::Source::fill(&mut source, &mut out, 100);
        }
    }
}
