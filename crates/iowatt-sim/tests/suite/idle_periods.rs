//! Idle periods as the log hands them out, against times worked out by hand and against the ledger.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{S, capacity, given, one_pool, poisson, request, run, trouble};
use iowatt_sim::{IdlePeriod, Outcome, Plan, Simulation};
use iowatt_trace::{Op, Request, Source};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn logged(plan: &Value, requests: Vec<Request>) -> (Outcome, Vec<IdlePeriod>) {
    let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
    let mut source = given(requests);
    let mut simulation = Simulation::new(&plan, vec![&mut source as &mut dyn Source]).unwrap();
    let found = Arc::new(Mutex::new(Vec::new()));
    let rows = Arc::clone(&found);
    simulation.log_idle(Box::new(move |batch| rows.lock().unwrap().extend_from_slice(batch)));
    let outcome = simulation.run(&mut |_| true).unwrap();
    let rows = std::mem::take(&mut *found.lock().unwrap());
    (outcome, rows)
}

fn asked(level: &str, drives: usize) -> Value {
    let mut plan = one_pool(level, drives);
    plan["observe"]["idle"] = json!(true);
    plan
}

fn period(drive: u32, start: u64, end: u64, cut: bool) -> IdlePeriod {
    IdlePeriod { drive, start, length: end - start, cut }
}

/// A spinning disk without work and one that stands still are idle alike; a request that waits for the spindle is work.
#[test]
fn periods_of_a_drive_that_spins_down_by_hand() {
    let mut plan = asked("0", 1);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    plan["pools"][0]["power_policy"] = json!({"policy": "fixed-threshold", "threshold_s": 2.0, "level": 1});
    plan["observe"]["end_s"] = json!(200.0);
    // Arrives at 20 s, is up at 46 s (see laws.rs), takes 16 of 200 sectors of a 5 ms turn.
    let requests = [20, 100].map(|at| request(at * S, Op::Read, 0, 8_192)).to_vec();
    let (_, rows) = logged(&plan, requests.clone());
    let first_done = 46 * S + 400_000;
    // The second time: idle until 48.0004 s, down until 63.0004 s, up 26 s after its arrival at 100 s.
    let second_done = 126 * S + 400_000;
    assert_eq!(
        rows,
        [
            period(0, 0, 20 * S, true),
            period(0, first_done, 100 * S, false),
            period(0, second_done, 200 * S, true)
        ]
    );
    plan["observe"]["warmup_s"] = json!(90.0);
    let (_, late) = logged(&plan, requests);
    assert_eq!(late, [period(0, 90 * S, 100 * S, true), period(0, second_done, 200 * S, true)]);
}

/// A drive that fails has no idle periods any more, and its last one counts as cut.
#[test]
fn a_failure_ends_a_period() {
    let mut plan = asked("1", 2);
    trouble(&mut plan, 0, "dedicated", &[(1, 5.0)]);
    plan["observe"]["end_s"] = json!(10.0);
    let (_, rows) = logged(&plan, vec![]);
    assert_eq!(rows, [period(1, 0, 5 * S, true), period(0, 0, 10 * S, true)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Without spin-downs and background work, periods are the idle time of the ledger, and lie apart.
    #[test]
    fn periods_are_the_idle_time(seed in 0u64..1_000, warmup in 0.0f64..3.0, rate in 20.0f64..200.0) {
        let mut plan = asked("5", 5);
        plan["observe"] = json!({"warmup_s": warmup, "end_s": 5.0, "interval_s": null, "idle": true});
        let requests = poisson(seed, 600, rate, 0.6, 8_192, capacity("5", 5));
        let (outcome, rows) = logged(&plan, requests.clone());
        let window = outcome.summary.window;
        for (number, drive) in outcome.summary.devices.iter().enumerate() {
            let own: Vec<_> = rows.iter().filter(|row| row.drive as usize == number).collect();
            prop_assert_eq!(own.iter().map(|row| row.length).sum::<u64>(), drive.state_ns["idle"]);
            prop_assert!(own.windows(2).all(|w| w[0].start + w[0].length < w[1].start));
            let edge = |row: &IdlePeriod| row.start == window.start_ns || row.start + row.length == window.end_ns;
            prop_assert!(own.iter().all(|row| row.cut == edge(row)));
            prop_assert!(own.iter().all(|row| row.start >= window.start_ns && row.length > 0));
        }
        // What is recorded changes nothing of what happens, and what is not asked for is not recorded.
        plan["observe"]["idle"] = json!(false);
        let (silent, none) = logged(&plan, requests.clone());
        prop_assert!(none.is_empty());
        let text = |outcome: &Outcome| serde_json::to_string(&outcome.summary).unwrap();
        prop_assert_eq!(text(&silent), text(&outcome));
        prop_assert_eq!(text(&run(&plan, requests)), text(&outcome));
    }
}
