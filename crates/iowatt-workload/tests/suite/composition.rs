//! Seeds, independence of streams, and refusals.

use super::{plan, poisson, requests, stream, uniform};
use iowatt_workload::{Generator, Plan};
use serde_json::{Value, json};

fn two() -> Value {
    plan(
        &poisson(100.0),
        &[stream(50.0, 0.5, 4096, 1 << 30, &uniform()), stream(50.0, 0.5, 8192, 1 << 30, &uniform())],
    )
}

#[test]
fn a_seed_gives_the_same_requests_and_another_others() {
    let mut other = two();
    other["seed"] = 2.into();
    assert_eq!(requests(&two(), 1000), requests(&two(), 1000));
    assert_ne!(requests(&two(), 1000), requests(&other, 1000));
    let mut elsewhere = two();
    elsewhere["workload"] = 1.into();
    assert_ne!(requests(&two(), 1000), requests(&elsewhere, 1000));
}

#[test]
fn a_stream_added_behind_reshuffles_no_other() {
    let mut three = two();
    let added = stream(1.0, 1.0, 512, 1 << 30, &uniform());
    let mut added = added;
    added.as_object_mut().unwrap().remove("share");
    three["streams"].as_array_mut().unwrap().push(added);
    three["processes"].as_array_mut().unwrap().push(json!({
        "law": poisson(10.0), "modulation": null, "members": [{"stream": 2, "weight": 1.0}], "stay": 1.0,
    }));
    let kept: Vec<_> = requests(&three, 1100).into_iter().filter(|r| r.stream < 2).take(900).collect();
    assert_eq!(kept, requests(&two(), 900));
}

#[test]
fn staying_with_a_stream_keeps_the_shares() {
    let mut stays = two();
    stays["processes"][0]["members"] = json!([{"stream": 0, "weight": 80.0}, {"stream": 1, "weight": 20.0}]);
    stays["processes"][0]["stay"] = 10.0.into();
    let made = requests(&stays, 200_000);
    let first = made.iter().filter(|r| r.stream == 0).count() as f64 / made.len() as f64;
    assert!((first - 0.8).abs() < 0.02, "{first}");
    let changes = made.windows(2).filter(|w| w[0].stream != w[1].stream).count() as f64;
    // A draw every 10 requests, and 32 % of the draws change the stream.
    assert!((changes / made.len() as f64 - 0.032).abs() < 0.003, "{changes}");
}

#[test]
fn plans_that_cannot_be_are_refused_and_say_why() {
    let set = |path: &str, value: Value| {
        let mut plan = two();
        *plan.pointer_mut(path).unwrap() = value;
        plan
    };
    let cases = [
        (set("/streams/0/read_fraction", json!(1.5)), "share of reads"),
        (set("/streams/0/end_bytes", json!(100)), "does not hold its largest request"),
        (set("/streams/0/read_sizes", json!([])), "no sizes"),
        (set("/streams/0/read_sizes/0/bytes", json!(0)), "size of zero"),
        (set("/streams/0/align_bytes", json!(0)), "alignment"),
        (
            set(
                "/streams/0/access",
                json!({"pattern": "zipf", "exponent": -1.0, "extent_bytes": 4096, "order": "ascending"}),
            ),
            "exponent",
        ),
        (
            set(
                "/streams/0/access",
                json!({"pattern": "skew", "k": 0.0, "extent_bytes": 4096, "order": "ascending"}),
            ),
            "k = 0",
        ),
        (
            set(
                "/streams/0/access",
                json!({"pattern": "hierarchical-reuse", "leaf_bytes": 0, "climb": 0.5, "fanout": 2}),
            ),
            "at least one byte",
        ),
        (
            set(
                "/streams/0/access",
                json!({"pattern": "reuse-distance", "block_bytes": 4096, "hits": [{"blocks": 5, "fraction": 0.5}, {"blocks": 5, "fraction": 0.6}], "order": "ascending"}),
            ),
            "curve of hits",
        ),
        (
            set(
                "/streams/0/run",
                json!({"mean_requests": 0.5, "geometric": true, "gap_s": 0.0, "exponential": true, "addresses": "law"}),
            ),
            "run",
        ),
        (set("/processes/0/law", json!({"law": "poisson", "rate": 0.0})), "rate"),
        (set("/processes/0/members", json!([{"stream": 7, "weight": 1.0}])), "streams that there are"),
        (set("/processes/0/members", json!([{"stream": 0, "weight": 0.0}])), "add up to nothing"),
        (set("/processes/0/stay", json!(0.5)), "stay"),
        (set("/duration_s", json!(0.0)), "duration"),
        (set("/streams", json!([])), "no streams"),
    ];
    for (plan, words) in cases {
        let plan: Plan = serde_json::from_value(plan).unwrap();
        let error = Generator::new(&plan, None).err().unwrap();
        assert!(error.contains(words), "{error} for {words}");
    }
    let mut unknown = two();
    unknown["streams"][0]["access"] = json!({"pattern": "sideways"});
    assert!(serde_json::from_value::<Plan>(unknown).unwrap_err().to_string().contains("sideways"));
}
