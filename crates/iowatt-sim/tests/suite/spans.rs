//! One run in parts on several threads: whatever is cut how, the figures are those of the run in one piece.
#![allow(clippy::unwrap_used)] // a failed test is meant to stop

use crate::common::{S, capacity, given, one_pool, poisson, pool, request};
use iowatt_sim::{Outcome, Plan, Serial, SimError, Simulation};
use iowatt_trace::{Code, Fault, Op, Request, Source, TraceError};
use proptest::prelude::*;
use serde_json::{Value, json};

/// How a run is cut: threads, requests of a part, requests ahead of it.
type Cut = (usize, u64, usize);

fn run(plan: &Value, requests: &[Vec<Request>], cut: Option<Cut>) -> Result<Outcome, SimError> {
    let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
    let mut sources: Vec<_> = requests.iter().map(|requests| given(requests.clone())).collect();
    let inputs = sources.iter_mut().map(|source| source as &mut dyn Source).collect();
    let simulation = Simulation::new(&plan, inputs)?;
    match cut {
        None => simulation.run(&mut |_| true),
        Some((threads, size, ahead)) => simulation.threads(threads).in_parts(size, ahead).run(&mut |_| true),
    }
}

/// Summary and tables of a run as text, or its error.
fn figures(plan: &Value, requests: &[Vec<Request>], cut: Option<Cut>) -> String {
    let outcome = match run(plan, requests, cut) {
        Ok(outcome) => outcome,
        Err(error) => return error.to_string(),
    };
    if let Some((threads, ..)) = cut {
        assert_eq!((outcome.threads, outcome.serial), (threads, None));
    }
    let Outcome { summary, intervals, latency, series, series_bins, foreseen, heat, idle, hops, .. } =
        outcome;
    let tables = (intervals, latency, series, series_bins, foreseen, heat, idle, hops);
    format!("{} {tables:?}", serde_json::to_string_pretty(&summary).unwrap())
}

fn same_however_cut(
    plan: &Value,
    requests: &[Vec<Request>],
    size: u64,
    ahead: usize,
) -> Result<(), TestCaseError> {
    let whole = figures(plan, requests, None);
    for threads in 1..4 {
        prop_assert_eq!(&figures(plan, requests, Some((threads, size, ahead))), &whole);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))] // of four simulations each

    #[test]
    fn one_pool_of_disks(
        (level, count) in prop::sample::select(vec![("0", 1), ("0", 4), ("1", 3), ("10", 6), ("4", 4), ("5", 5), ("6", 6)]),
        scheduler in prop::sample::select(vec!["fcfs", "look", "scan", "c-look", "sstf", "sptf", "spctf"]),
        small_write in prop::sample::select(vec!["auto", "read-modify-write", "reconstruct"]),
        (bus, check, joined) in (any::<bool>(), any::<bool>(), any::<bool>()),
        (segments, read_ahead, fast_write, prebuffers) in (
            1usize..5,
            prop::sample::select(vec!["none", "track", "cylinder", "segment", "track-ahead", "history"]),
            0u8..3,
            any::<bool>(),
        ),
        (warmup, end) in (0.0f64..2.0, prop::option::of(2.5f64..30.0)),
        (rate, reads, size, seed) in (1.0f64..400.0, 0.0f64..1.0, 1u32..80, any::<u64>()),
        (workloads, part, ahead) in (1usize..4, 1u64..300, 0usize..200),
        beyond in prop::option::weighted(0.1, 0usize..600),
    ) {
        let mut plan = one_pool(level, count);
        let pool = &mut plan["pools"][0];
        (pool["scheduler"], pool["raid"]["small_write"]) = (json!(scheduler), json!(small_write));
        pool["raid"]["parity_check_on_read"] = json!(check && level > "3");
        pool["device"]["buffer"] = json!({
            "segments": segments, "segment_sectors": 256, "caching": true, "read_ahead": read_ahead,
            "min_read_ahead": 16, "partial_hit_at_once": true, "fast_write": fast_write, "combine_writes": true,
            "write_prebuffering": prebuffers, "write_segments": 2, "read_hits_on_writes": prebuffers,
        });
        if bus {
            pool["bus_of_drive"] = json!(vec![0; count]);
            plan["buses"] = json!([{"bandwidth_bytes_per_s": 20e6, "arbitration_s": 1e-6}]);
        }
        plan["workloads"] = json!(vec![plan["workloads"][0].clone(); workloads]);
        plan["workloads"][0]["start_s"] = json!(0.5);
        plan["workloads"][0]["replay"]["speed"] = json!(1.5);
        plan["observe"] = json!({
            "warmup_s": warmup, "end_s": end, "interval_s": if joined { json!(null) } else { json!(0.01) },
            "series_s": if joined { json!(null) } else { json!(0.001) }, "idle": true, "idle_rows": 500,
            "heat": {"extent_bytes": 1 << 20, "period_s": null, "front": true, "back": true},
        });
        let whole = capacity(level, count as u64);
        let mut requests: Vec<_> = (0..workloads as u64 / 2 + 1)
            .map(|number| poisson(seed ^ number, 600, rate, reads, 512 * size, whole)).collect();
        // The same stamps twice: ties.
        requests.resize(workloads, requests[0].clone());
        if let Some(place) = beyond {
            requests[0][place].offset = whole;
        }
        same_however_cut(&plan, &requests, part, ahead)?;
    }
}

/// Bytes 0..4096 of a volume, once a second.
fn beats(count: u64) -> Vec<Request> {
    (0..count).map(|n| request(n * S, Op::Read, 0, 4_096)).collect()
}

#[test]
fn pools_beside_each_other_and_a_drive_that_never_works() {
    let mut plan = one_pool("5", 5);
    plan["pools"] = json!([pool("5", 5), pool("10", 4), pool("0", 1)]);
    let volume = |pool: usize, level: &str, drives: u64| json!({"pool": pool, "offset_bytes": 0, "capacity_bytes": capacity(level, drives)});
    plan["volumes"] = json!([volume(0, "5", 5), volume(1, "10", 4), volume(1, "10", 4)]);
    let on = |volume: usize| json!({"volume": volume, "replay": {"mode": "open", "speed": 1.0}});
    plan["workloads"] = json!([on(0), on(1), on(2)]);
    let requests = [
        poisson(1, 2_000, 100.0, 0.5, 8_192, capacity("5", 5)),
        poisson(2, 200, 5.0, 0.7, 8_192, capacity("10", 4)),
        beats(20),
    ];
    let whole = figures(&plan, &requests, None);
    for (size, ahead) in [(64, 0), (200, 100), (500, 300), (10_000, 10)] {
        assert_eq!(figures(&plan, &requests, Some((2, size, ahead))), whole, "{size} {ahead}");
    }
}

#[test]
fn states_meet_at_half_load_and_never_above_full_load() {
    let plan = one_pool("5", 5);
    let at = |rate: f64| [poisson(3, 6_000, rate, 0.5, 8_192, capacity("5", 5))];
    let (half, over) = (at(150.0), at(500.0));
    let again = |requests: &[Vec<Request>]| run(&plan, requests, Some((2, 1_000, 300))).unwrap().again;
    assert_eq!(again(&half), 0);
    assert_eq!(again(&over), 5_000, "all but the first part");
    for requests in [&half, &over] {
        assert_eq!(figures(&plan, requests, Some((2, 1_000, 300))), figures(&plan, requests, None));
    }
}

#[test]
fn nothing_is_asked() {
    let mut plan = one_pool("5", 5);
    plan["observe"]["end_s"] = json!(3_600.0);
    assert_eq!(figures(&plan, &[vec![]], Some((2, 10, 10))), figures(&plan, &[vec![]], None));
    plan["workloads"] = json!([]);
    assert_eq!(figures(&plan, &[], Some((2, 10, 10))), figures(&plan, &[], None));
}

/// Gives some requests, then fails.
struct Failing(Vec<Request>);

impl Source for Failing {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        if self.0.is_empty() {
            return Err(TraceError::unusable("trace", Fault::new(Code::Damaged, "no more")));
        }
        let rest = self.0.split_off(limit.min(self.0.len()));
        out.append(&mut self.0);
        self.0 = rest;
        Ok(true)
    }

    fn devices(&self) -> &[String] {
        &[]
    }
}

#[test]
fn a_source_that_fails_ends_the_run_unless_its_end_comes_first() {
    let mut plan = one_pool("0", 4);
    let requests = poisson(5, 2_000, 100.0, 0.5, 8_192, capacity("0", 4));
    let outcome = |plan: &Value, cut: Option<(usize, u64, usize)>| {
        let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
        let mut source = Failing(requests.clone());
        let simulation = Simulation::new(&plan, vec![&mut source]).unwrap();
        let simulation = match cut {
            None => simulation,
            Some((threads, size, ahead)) => simulation.threads(threads).in_parts(size, ahead),
        };
        simulation
            .run(&mut |_| true)
            .map(|outcome| outcome.summary.total.completed)
            .map_err(|e| e.to_string())
    };
    assert_eq!(outcome(&plan, Some((2, 300, 100))), Err("trace: no more".to_owned()));
    plan["observe"]["end_s"] = json!(10.0);
    assert_eq!(outcome(&plan, Some((2, 300, 100))), outcome(&plan, None));
    assert!(outcome(&plan, None).is_ok());
}

#[test]
fn the_hook_sees_the_run_go_on_and_stops_it() {
    let plan: Plan = serde_json::from_value(one_pool("0", 4)).unwrap();
    let requests = poisson(5, 6_000, 100.0, 0.5, 8_192, capacity("0", 4));
    let run = |most: u64| {
        let (mut source, mut seen) = (given(requests.clone()), vec![]);
        let simulation = Simulation::new(&plan, vec![&mut source]).unwrap().threads(2).in_parts(500, 100);
        let result = simulation.run(&mut |at| {
            seen.push(at.requests);
            at.requests < most
        });
        (result, seen)
    };
    let (result, seen) = run(u64::MAX);
    assert_eq!((result.unwrap().summary.requests_simulated, seen.last()), (6_000, Some(&6_000)));
    assert!(seen.is_sorted() && seen.len() >= 12);
    let (result, seen) = run(2_000);
    assert!(matches!(result, Err(SimError::Stopped)));
    assert!(seen.last().is_some_and(|&last| (2_000..3_000).contains(&last)));
}

#[test]
fn what_is_cut_and_why_not() {
    let requests = |count: usize| poisson(5, count, 100.0, 0.5, 8_192, capacity("0", 4));
    let serial = |plan: &Value, count: usize, threads: usize| {
        let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
        let mut source = given(requests(count));
        let simulation = Simulation::new(&plan, vec![&mut source]).unwrap().threads(threads);
        let outcome = simulation.run(&mut |_| true).unwrap();
        (outcome.threads, outcome.serial)
    };
    let plan = one_pool("0", 4);
    assert_eq!(serial(&plan, 100, 1), (1, Some(Serial::OneThread)));
    assert_eq!(serial(&plan, 100, 2), (1, Some(Serial::Short)));
    assert_eq!(serial(&plan, 120_000, 2), (2, None));
    let mut closed = plan.clone();
    closed["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": 6, "per": "workload"});
    assert_eq!(serial(&closed, 100, 2), (1, Some(Serial::ClosedLoops)));
    let mut managed = plan.clone();
    managed["pools"][0]["power_policy"] =
        json!({"policy": "fixed-threshold", "level": 1, "threshold_s": 60.0});
    assert_eq!(serial(&managed, 100, 2), (1, Some(Serial::Managed)));
}
