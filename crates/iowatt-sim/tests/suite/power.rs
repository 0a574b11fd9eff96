//! Power policies on drives: levels, transitions, staggered spin-ups, batching, oracles, energy by cause.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{MS, S, capacity, given, ladder, one_pool, poisson, refusal, request, run, trouble};
use iowatt_sim::Foreseen;
use iowatt_sim::testing::DriveResult;
use iowatt_sim::{Column, Outcome, Plan, SimError, Simulation};
use iowatt_trace::{Op, Request, Source};
use proptest::prelude::*;
use serde_json::{Value, json};

fn one_drive(policy: Value) -> Value {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    plan["pools"][0]["power_policy"] = policy;
    plan
}

fn fixed(threshold_s: f64) -> Value {
    json!({"policy": "fixed-threshold", "threshold_s": threshold_s, "level": 1})
}

fn joules(drive: &DriveResult) -> f64 {
    drive.energy_j.values().chain(&drive.level_j).sum()
}

fn total(outcome: &Outcome) -> f64 {
    outcome.summary.devices.iter().map(joules).sum()
}

fn read(at: u64) -> Request {
    request(at, Op::Read, 0, 8_192)
}

/// An oracle's two runs: the second uses the idle periods of the first.
fn foreseen(plan: &Value, requests: &[Request]) -> (Outcome, Result<Outcome, SimError>) {
    let first = run(plan, requests.to_vec());
    let second = told(plan, requests, &first.foreseen);
    (first, second)
}

fn told(plan: &Value, requests: &[Request], periods: &Foreseen) -> Result<Outcome, SimError> {
    let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
    let mut source = given(requests.to_vec());
    let mut simulation = Simulation::new(&plan, vec![&mut source as &mut dyn Source])?;
    simulation.foresee(periods);
    simulation.run(&mut |_| true)
}

/// Levels by timers: the same hour by hand.
#[test]
fn levels_are_entered_by_their_timers_and_named_by_number() {
    let timers =
        [(1.0, 1), (5.0, 2), (10.0, 3)].map(|(after_s, level)| json!({"after_s": after_s, "level": level}));
    let mut plan = one_drive(json!({"policy": "multi-level", "timers": timers}));
    plan["pools"][0]["device"]["power"] = ladder();
    // Full speed to 1 s, heads unloaded to 5 s, slowing for 4 ms, slow to 10 s, stopping for 16 ms (20 less the 4 paid),
    // stopped to 20 s, 50 ms up.
    let outcome = run(&plan, vec![read(20 * S)]);
    let drive = &outcome.summary.devices[0];
    assert_eq!(drive.state_ns["idle"], S);
    assert_eq!(drive.level_ns, [4 * S, 5 * S - 4 * MS]);
    assert_eq!((drive.state_ns["spin_down"], drive.state_ns["standby"]), (20 * MS, 10 * S - 16 * MS));
    assert_eq!(
        (drive.state_ns["spin_up"], drive.spin_ups, drive.spin_downs, drive.descents),
        (50 * MS, 1, 1, 3)
    );
    let by_hand = 22.3 + 15.0 * 4.0 + 10.0 * 4.996 + 2.0 * 9.984 + 0.3 + 2.0;
    let work = drive.energy_j["active"] + drive.energy_j["positioning"];
    assert!((joules(drive) - work - by_hand).abs() < 1e-9, "{}", joules(drive) - work);
    assert!((drive.cause_j["low_power"] - (60.0 + 49.96 + 19.968)).abs() < 1e-9);
    assert!((drive.cause_j["power_management"] - 2.3).abs() < 1e-9);
    assert_eq!((drive.delayed, drive.delay_ns), (1, 50 * MS));
}

/// An arrival at a reduced speed is served there: a turn takes twice as long, and the watts are those of that speed.
#[test]
fn a_reduced_speed_serves_slower_and_draws_less() {
    let timers = json!([{"after_s": 1.0, "level": 2}]);
    let policy = |bears: usize| json!({"policy": "multi-speed", "timers": timers, "bears": bears});
    let outcome = |bears: usize| {
        let mut plan = one_drive(policy(bears));
        plan["pools"][0]["device"]["power"] = ladder();
        // 10 ms a turn from 1.004 s on: at 2 s sector 0 is under the head, and a track of 200 sectors takes a turn.
        run(&plan, vec![request(2 * S, Op::Read, 0, 200 * 512)])
    };
    let slow = outcome(4);
    let drive = &slow.summary.devices[0];
    assert_eq!(drive.state_ns["active"], 10 * MS);
    assert_eq!(drive.delayed, 0);
    // Transferring draws 39 W at full speed, 12.3 W less at this one.
    assert!((drive.energy_j["active"] - 26.7 * 0.010).abs() < 1e-12);
    assert!((drive.level_j[1] - 10.0 * 0.996).abs() < 1e-9);
    // One that bears none goes to full speed first: 10 ms, two turns of 5 ms, then one.
    let quick = outcome(0);
    let drive = &quick.summary.devices[0];
    assert_eq!((drive.state_ns["active"], drive.state_ns["spin_up"]), (5 * MS, 10 * MS));
    assert!((drive.energy_j["active"] - 39.0 * 0.005).abs() < 1e-12);
    assert_eq!((drive.delayed, drive.delay_ns), (1, 10 * MS));
}

/// More requests than a reduced speed bears bring the drive to full speed between two of them.
#[test]
fn a_queue_speeds_the_drive_up() {
    let mut plan =
        one_drive(json!({"policy": "multi-speed", "timers": [{"after_s": 1.0, "level": 2}], "bears": 2}));
    plan["pools"][0]["device"]["power"] = ladder();
    let burst: Vec<Request> = (0..10).map(|i| request(2 * S + i, Op::Read, i * 40_960_000, 8_192)).collect();
    let outcome = run(&plan, burst);
    let drive = &outcome.summary.devices[0];
    assert_eq!((drive.accesses, drive.spin_ups, drive.state_ns["spin_up"]), (10, 0, 10 * MS));
    assert_eq!(drive.level_ns[1], 996 * MS);
}

/// V36: ten drives are asked at once; two at a time may start, so the highest draw is that of two starting motors.
#[test]
fn spin_ups_are_staggered() {
    let peak = |at_once: Option<usize>| {
        let mut plan = one_pool("0", 10);
        plan["pools"][0]["power_policy"] = fixed(2.0);
        plan["observe"]["interval_s"] = json!(1.0);
        if let Some(limit) = at_once {
            plan["pools"][0]["spin_ups_at_once"] = json!(limit);
        }
        let stripe = 10 * 16_384;
        let outcome = run(&plan, vec![request(20 * S, Op::Read, 0, stripe)]);
        let drives = &outcome.summary.devices;
        assert!(drives.iter().all(|d| d.spin_ups == 1));
        assert_eq!(outcome.summary.spinning_up_most, [at_once.unwrap_or(10)]);
        let column = outcome.intervals.iter().find(|(name, _)| *name == "energy_spin_up_j").unwrap();
        let Column::F64(joules) = &column.1 else { unreachable!() };
        let longest = outcome.summary.total.response.all.max_s;
        (joules.iter().copied().fold(0.0, f64::max), longest)
    };
    let (all_w, all_s) = peak(None);
    assert!((all_w - 348.0).abs() < 1e-9 && (26.0..26.1).contains(&all_s), "{all_w} W {all_s} s");
    let (two_w, two_s) = peak(Some(2));
    assert!((two_w - 69.6).abs() < 1e-9 && (130.0..130.1).contains(&two_s), "{two_w} W {two_s} s");
}

/// A drive that fails while it waits for its turn, or takes it, holds up nobody.
#[test]
fn a_failed_drive_gives_up_its_turn() {
    for at_s in [301.0, 310.0, 340.0] {
        let mut plan = one_pool("5", 5);
        plan["pools"][0]["power_policy"] = fixed(200.0);
        plan["pools"][0]["spin_ups_at_once"] = json!(1);
        for failed in 0..5 {
            trouble(&mut plan, 0, "dedicated", &[(failed, at_s)]);
            let outcome = run(&plan, vec![request(300 * S, Op::Read, 0, 4 * 16_384)]);
            let s = &outcome.summary;
            assert_eq!(s.total.completed, 1);
            assert!(s.total.response.all.max_s < 5.0 * 26.0 + 1.0, "{}", s.total.response.all.max_s);
        }
    }
}

/// Requests at a stopped drive wait until the oldest has waited 5 s, or three of them wait; each keeps its arrival.
#[test]
fn batches_are_released_by_time_or_number() {
    let mut plan = one_drive(fixed(2.0));
    plan["pools"][0]["batching"] = json!({"max_wait_s": 5.0, "max_requests": 3});
    let by_time = run(&plan, vec![read(20 * S), read(22 * S)]);
    let drive = &by_time.summary.devices[0];
    // Up at 25 s, ready at 51 s: the two waited 5 and 3 s for the batch, 31 and 29 s in all.
    assert_eq!((drive.delayed, drive.batch_delay_ns, drive.delay_ns), (2, 8 * S, 60 * S));
    assert_eq!(drive.state_ns["standby"], 8 * S);
    assert!((31.0..31.1).contains(&by_time.summary.total.response.all.max_s));
    let by_number = run(&plan, vec![read(20 * S), read(22 * S), read(23 * S)]);
    let drive = &by_number.summary.devices[0];
    assert_eq!((drive.delayed, drive.batch_delay_ns, drive.delay_ns), (3, 4 * S, (29 + 27 + 26) * S));
    // What comes during the spin-up waits for its rest only, and is not held back.
    let late = run(&plan, vec![read(20 * S), read(40 * S)]);
    assert_eq!(late.summary.devices[0].batch_delay_ns, 5 * S);
    assert_eq!(late.summary.devices[0].delay_ns, (31 + 11) * S);
    // Without batching the first wakes it.
    plan["pools"][0].as_object_mut().unwrap().remove("batching");
    let at_once = run(&plan, vec![read(20 * S), read(22 * S)]);
    assert_eq!((at_once.summary.devices[0].batch_delay_ns, at_once.summary.devices[0].delay_ns), (0, 50 * S));
    // One that comes into the spin-down of 2 to 17 s waits for its end, which is no batch's doing.
    let early = run(&plan, vec![read(10 * S)]);
    assert_eq!((early.summary.devices[0].batch_delay_ns, early.summary.devices[0].delay_ns), (0, 33 * S));
    plan["pools"][0]["batching"] = json!({"max_wait_s": 9.0, "max_requests": 3});
    let both = run(&plan, vec![read(10 * S)]);
    assert_eq!((both.summary.devices[0].batch_delay_ns, both.summary.devices[0].delay_ns), (2 * S, 35 * S));
}

/// Idle periods between 41 s and break-even (docs/studies/arrays2002.md): in 45 s of idleness the oracle by latency
/// loses 9.58 W for each second short of break-even; the one by energy does not move. Neither moves an arrival.
#[test]
fn oracles_in_the_simulator_are_those_of_the_evaluator() {
    let requests = [read(S), read(47 * S), read(200 * S)];
    let never = run(&one_drive(json!({"policy": "never"})), requests.to_vec());
    let (first, second) = foreseen(&one_drive(json!({"policy": "oracle-latency", "level": 1})), &requests);
    let latency = second.unwrap();
    assert_eq!(format!("{:?}", never.latency), format!("{:?}", first.latency));
    assert_eq!(format!("{:?}", never.latency), format!("{:?}", latency.latency));
    let lengths: Vec<f64> = first.foreseen.iter().map(|p| p.2 as f64 / 1e9).collect();
    let [short, long] = lengths[..] else { unreachable!("{lengths:?}") };
    assert!((short - 46.0).abs() < 0.1 && (long - 153.0).abs() < 0.1);
    let break_even = (190.8 + 904.8 - 12.72 * 41.0) / (22.3 - 12.72);
    let derived = (22.3 - 12.72) * ((break_even - short) + (break_even - long));
    assert!((total(&latency) - total(&never) - derived).abs() < 1e-6);
    let drive = &latency.summary.devices[0];
    assert_eq!((drive.spin_ups, drive.spin_downs, drive.delay_ns), (2, 2, 0));

    let energy = foreseen(&one_drive(json!({"policy": "oracle-energy", "level": 1})), &requests).1.unwrap();
    let saved = (22.3 - 12.72) * (long - break_even);
    assert!((total(&never) - total(&energy) - saved).abs() < 1e-6);
    assert_eq!(energy.summary.devices[0].spin_downs, 1);
}

/// Periods of another run are noticed.
#[test]
fn what_does_not_come_true_is_an_error() {
    let plan = one_drive(json!({"policy": "oracle-energy", "level": 1}));
    let requests = [read(S), read(200 * S)];
    let periods = run(&plan, requests.to_vec()).foreseen;
    let wrong = told(&plan, &[read(S), read(150 * S)], &periods).unwrap_err();
    assert!(matches!(wrong, SimError::Foresight { drive: 0 }), "{wrong}");
    assert!(told(&plan, &requests, &periods).is_ok());
}

fn contradiction(change: &dyn Fn(&mut Value)) -> (String, &'static str) {
    let mut plan = one_drive(fixed(2.0));
    change(&mut plan["pools"][0]);
    refusal(&plan)
}

#[test]
fn contradictory_power_plans_are_refused() {
    let level = |pool: &mut Value, key: &str, value: Value| {
        pool["device"]["power"]["levels"]["below"][0][key] = value;
    };
    type Change<'a> = &'a dyn Fn(&mut Value);
    let cases: [(Change<'_>, &str, &str); 7] = [
        (&|p| p["spin_ups_at_once"] = json!(0), "spin_ups_at_once", "range"),
        (&|p| p["batching"] = json!({"max_wait_s": -1.0}), "batching.max_wait_s", "range"),
        (
            &|p| {
                p["power_policy"] = json!({"policy": "multi-level", "timers": [{"after_s": 1.0, "level": 4}]})
            },
            "power_policy",
            "range",
        ),
        (&|p| level(p, "watts", json!(30.0)), "device.power.levels", "range"),
        (
            &|p| level(p, "enter", json!({"seconds": 0.0, "joules": 5.0})),
            "device.power.levels.below[0]",
            "conflict",
        ),
        (&|p| p["device"]["power"]["states"] = json!([2]), "device.power.states[0]", "range"),
        (
            &|p| {
                p["power_policy"] = json!({"policy": "oracle-latency", "level": 1});
                p["spin_ups_at_once"] = json!(1);
            },
            "power_policy",
            "conflict",
        ),
    ];
    for (change, field, code) in cases {
        assert_eq!(contradiction(change), (format!("pools[0].{field}"), code));
    }
}

/// What drives work for, by hand: a small write of RAID-5 reads and writes data and parity, of which the write of the data is
/// what the host asked for; a mirror's second copy is redundancy.
#[test]
fn joules_go_to_what_they_are_for() {
    let sum = |outcome: &Outcome, cause: &str| -> f64 {
        outcome.summary.devices.iter().map(|d| d.cause_j[cause]).sum()
    };
    let works = ["host_read", "host_write", "redundancy", "rebuild", "background"];
    let used = |outcome: &Outcome| works.map(|cause| sum(outcome, cause) > 0.0);
    let write = || vec![request(S, Op::Write, 0, 4_096)];
    let small = run(&one_pool("5", 5), write());
    assert_eq!(used(&small), [false, true, true, false, false]);
    let mirrored = run(&one_pool("1", 2), write());
    assert_eq!(used(&mirrored), [false, true, true, false, false]);
    let by_drive: Vec<bool> =
        mirrored.summary.devices.iter().map(|d| d.cause_j["redundancy"] > 0.0).collect();
    assert_eq!(by_drive, [false, true]);
    assert_eq!(used(&run(&one_pool("0", 2), write())), [false, true, false, false, false]);
    assert_eq!(used(&run(&one_pool("5", 5), vec![read(S)])), [true, false, false, false, false]);
    // Sixty-four whole stripes in one request: a fifth of each drive's one operation is parity, exactly.
    let stripes = run(&one_pool("5", 5), vec![request(0, Op::Write, 0, 65 * 4 * 16_384)]);
    assert!(stripes.summary.devices.iter().all(|d| d.accesses == 1));
    let (parity, data) = (sum(&stripes, "redundancy"), sum(&stripes, "host_write"));
    assert!((parity / (parity + data) - 0.2).abs() < 1e-6, "{parity} {data}");
    // A rebuild.
    let mut plan = one_pool("5", 5);
    trouble(&mut plan, 1, "dedicated", &[(0, 0.5)]);
    plan["observe"]["end_s"] = json!(20.0);
    assert_eq!(used(&run(&plan, vec![])), [false, false, false, true, false]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// V24 in the simulator: the oracle by energy never loses to never, delays nothing, and its runs agree, on any
    /// workload and level.
    #[test]
    fn oracles_move_no_arrival_and_the_one_by_energy_never_loses(
        seed in 0u64..1_000, gap_s in 0.05..40.0f64, level in 0usize..4, latency in any::<bool>(), count in 5usize..60,
    ) {
        let levels = ["0", "10", "5", "6"];
        let policy = if latency { "oracle-latency" } else { "oracle-energy" };
        let mut plan = one_pool(levels[level], 4);
        let requests = poisson(seed, count, 1.0 / gap_s, 0.5, 8_192, capacity(levels[level], 4));
        let never = run(&plan, requests.clone());
        plan["pools"][0]["power_policy"] = json!({"policy": policy, "level": 1});
        let (first, second) = foreseen(&plan, &requests);
        let second = second.unwrap();
        prop_assert_eq!(format!("{:?}", never.latency), format!("{:?}", second.latency));
        prop_assert!((total(&never) - total(&first)).abs() < 1e-9);
        prop_assert!(second.summary.devices.iter().all(|d| d.delay_ns == 0));
        if !latency {
            prop_assert!(total(&second) <= total(&never) * (1.0 + 1e-12));
        }
    }
}

/// Bursts of three reads 20 s apart, and a rest after each.
fn bursts(rests_s: &[u64]) -> Vec<Request> {
    let mut at = 0;
    let bursts = rests_s.iter().flat_map(|rest| {
        let times = [at, at + 20 * S, at + 40 * S];
        at += (40 + rest) * S;
        times
    });
    bursts.map(read).collect()
}

fn predicting() -> [Value; 2] {
    let prediction = json!({"certainty": 0.9, "memory": 200.0});
    let order = json!({"autoregressive": 1, "differences": 1, "moving_average": 1});
    [
        json!({"policy": "arima", "level": 1, "prediction": prediction, "order": order}),
        json!({"policy": "law-driven", "level": 1, "prediction": prediction, "law": null}),
    ]
}

/// Half an hour of rests by the clock: both policies that predict are up again before they end, after the first few.
#[test]
fn a_drive_is_up_before_the_arrival_that_was_predicted() {
    let requests = bursts(&[1800; 40]);
    let never = total(&run(&one_drive(json!({"policy": "never"})), requests.clone()));
    for policy in predicting() {
        let outcome = run(&one_drive(policy), requests.clone());
        let drive = &outcome.summary.devices[0];
        assert!(drive.spin_ups > 25, "{drive:?}");
        assert!(drive.delayed <= 3, "{drive:?}");
        assert!(total(&outcome) < 0.75 * never);
    }
}

/// Whatever comes later: in another order, it changes no figure up to there.
#[test]
fn what_is_yet_to_come_changes_nothing_before_it() {
    let rests: Vec<u64> = (0..80).map(|i| [60, 1700, 90, 1200][i % 4]).collect();
    let mut other = rests.clone();
    other[61..].reverse();
    let [requests, others] = [&rests, &other].map(|rests| bursts(rests));
    let same = requests.iter().zip(&others).take_while(|(a, b)| a.time_ns == b.time_ns).count();
    assert!(same > 180 && same < requests.len());
    for policy in predicting() {
        let mut plan = one_drive(policy);
        plan["observe"]["end_s"] = json!(requests[same - 1].time_ns as f64 / 1e9 + 20.0);
        let [one, two] = [&requests, &others].map(|r| run(&plan, r.clone()));
        assert_eq!(one.summary.devices[0].spin_ups, two.summary.devices[0].spin_ups);
        assert!(one.summary.devices[0].spin_ups > 5);
        assert_eq!(format!("{:?}", one.intervals), format!("{:?}", two.intervals));
    }
}

/// Watts that are not known change no time, and make unknown the joules that rest on them: those of other drives, and of
/// states whose watts are known, stay.
#[test]
fn unknown_watts_leave_times_and_other_joules_alone() {
    let mut plan = one_pool("0", 1);
    let second = plan["pools"][0].clone();
    plan["pools"].as_array_mut().unwrap().push(second);
    plan["volumes"]
        .as_array_mut()
        .unwrap()
        .push(json!({"pool": 1, "offset_bytes": 0, "capacity_bytes": 81_920}));
    plan["workloads"]
        .as_array_mut()
        .unwrap()
        .push(json!({"volume": 1, "replay": {"mode": "open", "speed": 1.0}}));
    plan["observe"]["end_s"] = json!(10.0);
    let of = |plan: &Value| {
        let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
        let mut sources = [given(vec![read(S)]), given(vec![read(2 * S)])];
        let inputs = sources.iter_mut().map(|s| s as &mut dyn Source).collect();
        Simulation::new(&plan, inputs)?.run(&mut |_| true)
    };
    let known = of(&plan).unwrap().summary;
    plan["pools"][0]["device"]["power"]["active_w"] = Value::Null;
    let partly = of(&plan).unwrap();
    for (one, other) in known.devices.iter().zip(&partly.summary.devices) {
        assert_eq!(one.state_ns, other.state_ns);
    }
    assert_eq!(known.devices[1].energy_j, partly.summary.devices[1].energy_j);
    let first = &partly.summary.devices[0];
    assert!(first.energy_j["active"].is_nan() && first.cause_j["host_read"].is_nan());
    assert_eq!(first.energy_j["idle"], known.devices[0].energy_j["idle"]);
    assert_eq!(first.energy_j["standby"], 0.0);
    let told = serde_json::to_value(&partly.summary).unwrap();
    assert_eq!(told["devices"][0]["energy_j"]["active"], Value::Null);
    plan["pools"][0]["power_policy"] = fixed(1.0);
    assert!(of(&plan).is_err());
    // A drive that does nothing needs no watts of work.
    plan["pools"][0]["power_policy"] = json!({"policy": "never"});
    let mut idle = plan.clone();
    (idle["workloads"], idle["volumes"]) = (json!([]), json!([]));
    let idle: Plan = serde_json::from_value(idle).unwrap();
    let outcome = Simulation::new(&idle, vec![]).unwrap().run(&mut |_| true).unwrap();
    assert_eq!(total(&outcome), 2.0 * 10.0 * 22.3);
}
