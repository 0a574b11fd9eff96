//! Workloads that start and end within a run.
#![allow(clippy::unwrap_used, clippy::panic)] // tests fail by panicking

use crate::common::{Given, S, capacity, given, one_pool, poisson, try_run};
use iowatt_sim::{Column, Plan, Summary};
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

const CLOSED: fn(usize) -> Value =
    |outstanding| json!({"mode": "closed", "outstanding": outstanding, "per": "workload"});

fn requests(seed: u64, count: usize, rate: f64) -> Vec<Request> {
    poisson(seed, count, rate, 0.7, 8192, capacity("0", 1))
}

/// Several workloads on the volume of one drive.
fn course(workloads: Vec<Value>) -> Value {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    plan["workloads"] = json!(workloads);
    plan
}

fn simulate(plan: &Value, sources: Vec<Vec<Request>>) -> Summary {
    let sources: Vec<Given> = sources.into_iter().map(given).collect();
    try_run(plan, sources).unwrap().summary
}

#[test]
fn an_open_workload_is_moved_by_its_start() {
    // Whole turns later, the drive stands as it stood.
    let at_once = course(vec![json!({"volume": 0, "replay": {"mode": "open", "speed": 1.0}})]);
    let later = course(vec![json!({"volume": 0, "replay": {"mode": "open", "speed": 1.0}, "start_s": 3.0})]);
    let (a, b) =
        (simulate(&at_once, vec![requests(1, 500, 60.0)]), simulate(&later, vec![requests(1, 500, 60.0)]));
    assert_eq!(a.total.completions.requests, 500);
    assert_eq!(a.devices[0].response_ns, b.devices[0].response_ns);
    assert_eq!(a.window.end_ns + 3 * S, b.window.end_ns);
}

#[test]
fn the_speed_divides_stamps_and_not_the_start() {
    let plan = course(vec![json!({"volume": 0, "replay": {"mode": "open", "speed": 2.0}, "start_s": 10.0})]);
    let one = crate::common::request(4 * S, Op::Read, 0, 4096);
    let end = simulate(&plan, vec![vec![one]]).window.end_ns;
    assert!((12 * S..12 * S + S / 10).contains(&end), "{end}");
}

#[test]
fn nothing_is_issued_from_the_end_on() {
    let made = requests(2, 2000, 100.0);
    let before = made.iter().filter(|r| r.time_ns < 5 * S).count();
    assert!(before < made.len());
    let plan = course(vec![json!({"volume": 0, "replay": {"mode": "open", "speed": 1.0}, "end_s": 5.0})]);
    let summary = simulate(&plan, vec![made]);
    assert_eq!(summary.total.completions.requests, before as u64);
    assert!(summary.window.end_ns < 6 * S, "the run ends with the last completion");
}

#[test]
fn closed_loops_take_turns() {
    // A second each; the second loop finds what the first had under way.
    for per in ["workload", "stream"] {
        let mut first = json!({"volume": 0, "replay": CLOSED(4), "start_s": 0.0, "end_s": 1.0});
        let mut second = json!({"volume": 0, "replay": CLOSED(2), "start_s": 1.0, "end_s": 2.0});
        for loops in [&mut first, &mut second] {
            loops["replay"]["per"] = json!(per);
        }
        let plan = course(vec![first, second]);
        let both = simulate(&plan, vec![requests(3, 5000, 1.0), requests(4, 5000, 1.0)]);
        let counts: Vec<u64> = both.workloads.iter().map(|w| w.completions.requests).collect();
        assert!(counts.iter().all(|&n| n > 30 && n < 1000), "{counts:?}");
        assert!((2 * S..2 * S + S / 10).contains(&both.window.end_ns), "{}", both.window.end_ns);
        // The first by itself completes what it completes beside the second: that comes later.
        let alone = simulate(&course(vec![plan["workloads"][0].clone()]), vec![requests(3, 5000, 1.0)]);
        assert_eq!(alone.total.completions.requests, counts[0]);
        assert!(alone.window.end_ns >= S);
    }
}

#[test]
fn a_loop_that_thinks_ends_too() {
    let mut replay = CLOSED(3);
    replay["think"] = json!({"mean_s": 0.05, "exponential": true});
    let plan = course(vec![json!({"volume": 0, "replay": replay, "start_s": 0.5, "end_s": 4.0})]);
    let summary = simulate(&plan, vec![requests(5, 50_000, 1.0)]);
    let n = summary.total.completions.requests;
    assert!((90..230).contains(&n), "{n}");
    assert!(summary.window.end_ns < 5 * S);
}

#[test]
fn a_part_of_a_run_is_the_run_up_to_there() {
    // The first of two phases does the same whether or not the second follows: what was a warm-up is its beginning.
    let open = |start: f64, end: f64| json!({"volume": 0, "replay": {"mode": "open", "speed": 1.0}, "start_s": start, "end_s": end});
    let mut short = course(vec![open(0.0, 4.0), open(4.0, 9.0)]);
    short["observe"]["end_s"] = json!(4.0);
    let mut long = short.clone();
    long["observe"]["end_s"] = json!(9.0);
    long["observe"]["interval_s"] = json!(4.0);
    let made = || vec![requests(6, 2000, 90.0), requests(7, 2000, 30.0)];
    let short = simulate(&short, made());
    let sources: Vec<Given> = made().into_iter().map(given).collect();
    let long = try_run(&long, sources).unwrap();
    let completions = long.intervals.iter().find(|(name, _)| *name == "completions").unwrap();
    let Column::U64(counts) = &completions.1 else { panic!("completions are counts") };
    assert_eq!(counts[0], short.total.completions.requests);
}

#[test]
fn times_that_cannot_be_are_refused() {
    let refused = |change: fn(&mut Value)| {
        let mut plan = course(vec![json!({"volume": 0, "replay": {"mode": "open", "speed": 1.0}})]);
        change(&mut plan["workloads"][0]);
        serde_json::from_value::<Plan>(plan).unwrap().validate().unwrap_err().path
    };
    assert_eq!(refused(|w| w["start_s"] = json!(-1.0)), "workloads[0].start_s");
    let empty = refused(|w| {
        w["start_s"] = json!(2.0);
        w["end_s"] = json!(2.0);
    });
    assert_eq!(empty, "workloads[0].end_s");
}
