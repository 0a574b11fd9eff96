//! Rates, envelopes, phases, runs and recorded stamps.

use super::{for_each, generator, plan, poisson, requests, stream, uniform};
use iowatt_trace::{NO_RESPONSE, NO_STREAM, Op, Request, Source, TraceError};
use iowatt_workload::{Generator, Plan};
use serde_json::{Value, json};

fn one(law: &Value) -> Value {
    plan(law, &[stream(100.0, 1.0, 4096, 1 << 30, &uniform())])
}

/// Requests a second, by the stamp of the last of `n`.
fn rate(plan: &Value, n: usize) -> f64 {
    let made = requests(plan, n);
    made.len() as f64 / (made.last().unwrap().time_ns as f64 * 1e-9)
}

#[test]
fn every_law_has_its_rate() {
    let phases = json!([{"weight": 0.9, "rate": 900.0}, {"weight": 0.1, "rate": 11.111_111_111}]);
    for (law, error) in [
        (json!({"law": "constant", "rate": 100.0}), 1e-9),
        (poisson(100.0), 0.02),
        (json!({"law": "hyper-exponential", "phases": phases}), 0.06),
        (json!({"law": "batch", "rate": 100.0, "mean_requests": 8.0, "spacing_s": 1e-4}), 0.05),
    ] {
        let found = rate(&one(&law), 100_000);
        assert!((found / 100.0 - 1.0).abs() < error, "{law}: {found}");
    }
}

#[test]
fn an_envelope_moves_requests_and_keeps_their_number() {
    let mut daily = one(&poisson(10.0));
    daily["envelopes"] = json!([{"period_s": 1000.0, "factors": [0.5, 1.5]}]);
    daily["duration_s"] = 10_000.0.into();
    let mut halves = [0u32; 2];
    for_each(&daily, u64::MAX, |request| {
        halves[usize::from(request.time_ns % 1_000_000_000_000 >= 500_000_000_000)] += 1
    });
    let share = f64::from(halves[1]) / f64::from(halves[0] + halves[1]);
    assert!((share - 0.75).abs() < 0.006, "{share}");
    let total = f64::from(halves[0] + halves[1]);
    assert!((total / 100_000.0 - 1.0).abs() < 0.013, "{total}");
}

#[test]
fn phases_change_rates_and_shares() {
    let mut phased = plan(
        &poisson(100.0),
        &[stream(50.0, 1.0, 4096, 1 << 30, &uniform()), stream(50.0, 1.0, 8192, 1 << 30, &uniform())],
    );
    phased["phases"] = json!([
        {"duration_s": 10.0, "factor": 1.0, "weights": null},
        {"duration_s": 10.0, "factor": 3.0, "weights": [10.0, 90.0]},
    ]);
    phased["duration_s"] = 2000.0.into();
    let mut counts = [[0u32; 2]; 2];
    for_each(&phased, u64::MAX, |request| {
        counts[usize::from(request.time_ns % 20_000_000_000 >= 10_000_000_000)][request.stream as usize] += 1;
    });
    let [first, second] = counts.map(|[a, b]| (f64::from(a + b), f64::from(a) / f64::from(a + b)));
    assert!((first.0 / 100_000.0 - 1.0).abs() < 0.015 && (first.1 - 0.5).abs() < 0.008, "{first:?}");
    assert!((second.0 / 300_000.0 - 1.0).abs() < 0.01 && (second.1 - 0.1).abs() < 0.003, "{second:?}");
}

#[test]
fn streams_with_processes_of_their_own_keep_their_rates() {
    let mut two = plan(
        &poisson(100.0),
        &[stream(1.0, 1.0, 4096, 1 << 30, &uniform()), stream(1.0, 0.0, 4096, 1 << 30, &uniform())],
    );
    let own = |stream: usize, law: Value| json!({"law": law, "modulation": null, "members": [{"stream": stream, "weight": 1.0}], "stay": 1.0});
    two["processes"] = json!([own(0, poisson(300.0)), own(1, json!({"law": "constant", "rate": 50.0}))]);
    two["duration_s"] = 500.01.into();
    let mut counts = [0u32; 2];
    let mut last = 0;
    for_each(&two, u64::MAX, |request| {
        assert!(request.time_ns >= last);
        last = request.time_ns;
        counts[request.stream as usize] += 1;
    });
    assert!((f64::from(counts[0]) / 150_000.0 - 1.0).abs() < 0.013, "{counts:?}");
    assert_eq!(counts[1], 25_000);
}

#[test]
fn a_run_follows_its_first_request() {
    let mut runs = one(&json!({"law": "constant", "rate": 1.0}));
    runs["streams"][0]["run"] = json!({
        "mean_requests": 3.0, "geometric": false, "gap_s": 0.01, "exponential": false, "addresses": "sequential",
    });
    let made = requests(&runs, 9);
    let times: Vec<u64> = made.iter().map(|r| r.time_ns / 1_000_000).collect();
    assert_eq!(times, [1000, 1010, 1020, 2000, 2010, 2020, 3000, 3010, 3020]);
    assert!(made.chunks(3).all(|run| run.windows(2).all(|w| w[1].offset == w[0].offset + 4096)));
    runs["streams"][0]["run"]["addresses"] = "same".into();
    assert!(requests(&runs, 9).chunks(3).all(|run| run.windows(2).all(|w| w[1].offset == w[0].offset)));
}

#[test]
fn geometric_runs_multiply_the_rate_by_their_mean() {
    let mut runs = one(&poisson(10.0));
    runs["streams"][0]["run"] = json!({
        "mean_requests": 10.0, "geometric": true, "gap_s": 0.5, "exponential": true, "addresses": "law",
    });
    let found = rate(&runs, 200_000);
    // 20,000 runs of a variation of 1.4: 1 %.
    assert!((found / 100.0 - 1.0).abs() < 0.05, "{found}");
}

struct Stamps(Vec<u64>);

impl Source for Stamps {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        let taken: Vec<u64> = self.0.drain(..limit.min(self.0.len())).collect();
        out.extend(taken.into_iter().map(|time_ns| Request {
            time_ns,
            offset: 0,
            response_ns: NO_RESPONSE,
            size: 512,
            device: 0,
            stream: NO_STREAM,
            op: Op::Read,
        }));
        Ok(!self.0.is_empty())
    }

    fn devices(&self) -> &[String] {
        &[]
    }
}

#[test]
fn recorded_stamps_are_taken_from_their_first_on() {
    let recorded = one(&json!({"law": "recorded", "trace": {"path": "x"}, "speed": 2.0}));
    let plan: Plan = serde_json::from_value(recorded).unwrap();
    let stamps = Stamps(vec![5_000_000_000, 5_000_000_400, 7_000_000_000]);
    let mut source = Generator::new(&plan, Some(Box::new(stamps))).unwrap();
    let mut out = Vec::new();
    while source.fill(&mut out, 2).unwrap() {}
    assert_eq!(out.iter().map(|r| r.time_ns).collect::<Vec<_>>(), [0, 200, 1_000_000_000]);
    assert!(Generator::new(&plan, None).err().unwrap().contains("recorded stamps"));
}

#[test]
fn a_closed_loop_has_no_stamps() {
    let made = requests(&one(&json!({"law": "closed"})), 100);
    assert!(made.len() == 100 && made.iter().all(|request| request.time_ns == 0));
}

#[test]
fn it_ends_where_it_is_told_to_and_says_how_far_it_is() {
    let mut ends = one(&json!({"law": "constant", "rate": 10.0}));
    ends["duration_s"] = 5.05.into();
    assert_eq!(requests(&ends, 1000).len(), 50);
    ends["requests"] = 20.into();
    assert_eq!(requests(&ends, 1000).len(), 20);
    let mut source = generator(&ends);
    let mut out = Vec::new();
    assert!(source.fill(&mut out, 5).unwrap());
    assert_eq!(source.progress(), Some(0.25));
    assert!(!source.fill(&mut out, 100).unwrap());
    assert_eq!((source.progress(), out.len()), (Some(1.0), 20));
    assert_eq!(source.summary().unwrap().requests, 20);
}
