//! Figures that can be worked out by hand: break-even times, the oracles' losses and savings, transitions that arrivals cut
//! short, closed forms.
#![allow(clippy::unwrap_used)]

mod common;

use common::{cheetah_15k4, instantaneous, ultrastar_36z15, ultrastar_36zx};
use iowatt_power::policies::{LawName, MultiLevel, Order, Prediction, Timer};
use iowatt_power::{Evaluation, Level, Levels, PolicyPlan, Transition, evaluate, exponential, speed};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

fn run(levels: &Levels, plan: &PolicyPlan, lengths: &[f64]) -> Evaluation {
    evaluate(levels, plan.build(levels, 1).unwrap().as_mut(), lengths.iter().copied())
}

fn printed(levels: &Levels, digits: usize) -> String {
    format!("{:.digits$}", levels.break_even_s(1).unwrap())
}

const FIXED_10S: PolicyPlan = PolicyPlan::FixedThreshold { threshold_s: 10.0, level: 1 };
const ORACLE: PolicyPlan = PolicyPlan::OracleEnergy { level: Some(1), in_time: false };
const LATENCY: PolicyPlan = PolicyPlan::OracleLatency { level: 1 };

/// V25.
#[test]
fn break_even_times_are_the_published_ones() {
    assert_eq!(printed(&ultrastar_36z15(), 2), "15.19");
    assert_eq!(printed(&ultrastar_36zx(0.0), 1), "40.0");
    assert_eq!(printed(&ultrastar_36zx(12.72), 1), "59.9");
    assert_eq!(printed(&ultrastar_36zx(22.3), 1), "74.9");
    assert_eq!(printed(&cheetah_15k4(), 2), "2.13");
}

/// At exactly 41 s the rule of the arrays2002 study saves 9.5 J, or loses 181 or 325 J, by the power of a
/// spin-down; it breaks even at the break-even time, and no oracle by energy loses.
#[test]
fn the_latency_oracle_loses_between_41_s_and_break_even() {
    for (down_w, loss_j) in [(0.0, "-9.5"), (12.72, "181.3"), (22.3, "325.0")] {
        let levels = ultrastar_36zx(down_w);
        let lost = |plan: &PolicyPlan, length: f64| {
            let found = run(&levels, plan, &[length]);
            assert_eq!(found.delayed, 0);
            found.energy_j - found.baseline_j
        };
        assert_eq!(format!("{:.1}", lost(&LATENCY, 41.0)), loss_j);
        let break_even_s = levels.break_even_s(1).unwrap();
        for length in [41.0, 41.5, 45.0, 59.0, 59.8, 70.0, 74.8, 80.0, 1000.0] {
            // Straight from the break-even time on: P_idle - P_standby for each second.
            let derived = (22.3 - 12.72) * (break_even_s - length);
            assert!((lost(&LATENCY, length) - derived).abs() < 1e-9);
            assert!((lost(&ORACLE, length) - derived.min(0.0)).abs() < 1e-9);
        }
        assert_eq!([lost(&LATENCY, 40.9), lost(&ORACLE, 39.9)], [0.0, 0.0]);
    }
}

/// A request during a spin-down waits for its end, then for the spin-up.
#[test]
fn transitions_that_an_arrival_cuts_short_are_finished() {
    let levels = ultrastar_36z15();
    // Idle 10 s; down from 10 to 11.5 s; arrival at 11 s; up from 11.5 to 22.4 s.
    let found = run(&levels, &FIXED_10S, &[11.0]);
    assert!((found.energy_j - (102.0 + 13.0 + 135.0)).abs() < 1e-9);
    assert!((found.added_s - 11.4).abs() < 1e-12);
    assert_eq!((found.delayed, found.spin_downs, found.level_s[1]), (1, 1, 0.0));
    // Arrival at 20 s: 8.5 s of standby, and the spin-up.
    let found = run(&levels, &FIXED_10S, &[20.0]);
    assert!((found.energy_j - (102.0 + 13.0 + 8.5 * 2.5 + 135.0)).abs() < 1e-9);
    assert!((found.added_s - 10.9).abs() < 1e-12);
    // An arrival at the very end of the threshold finds the drive idle.
    assert_eq!(run(&levels, &FIXED_10S, &[10.0]).energy_j, 102.0);
    assert_eq!(run(&levels, &FIXED_10S, &[3.0, 10.0]).delayed, 0);
}

/// Where transitions draw less than idling, the least energy delays the arrival, and `in_time` forbids it.
#[test]
fn an_oracle_in_time_delays_nothing() {
    let levels = cheetah_15k4();
    let free = run(&levels, &ORACLE, &[6.0]);
    assert!((free.energy_j - 46.0).abs() < 1e-12 && (free.added_s - 4.0).abs() < 1e-12);
    let in_time = PolicyPlan::OracleEnergy { level: Some(1), in_time: true };
    let bound = run(&levels, &in_time, &[6.0]);
    assert_eq!((bound.energy_j, bound.delayed), (72.0, 0));
    assert_eq!(ORACLE.in_time(), in_time);
}

/// Three levels by timers, those of a drive with power conditions: the same period by hand.
#[test]
fn idle_conditions_go_deeper_by_their_timers() {
    // Seagate PowerChoice (TP608): idle_a 2.82 W, idle_b 2.18 W (0.5 s back), idle_c 1.82 W (1 s), standby_z 1.29 W (8 s).
    let level = |watts, back_s: f64| Level {
        watts,
        enter: Transition::default(),
        leave: Transition { seconds: back_s, joules: back_s * 2.82 },
        stopped: back_s > 2.0,
        serves_at: None,
    };
    let below = vec![level(2.18, 0.5), level(1.82, 1.0), level(1.29, 8.0)];
    let levels = Levels { idle_w: 2.82, below };
    let timers = [(600.0, 1), (1800.0, 2), (3600.0, 3)].map(|(after_s, level)| Timer { after_s, level });
    let plan = PolicyPlan::MultiLevel { timers: Some(timers.to_vec()) };
    let found = run(&levels, &plan, &[100.0, 1000.0, 7200.0]);
    assert_eq!(found.level_s, [100.0 + 600.0 + 600.0, 400.0 + 1200.0, 1800.0, 3600.0]);
    assert!((found.added_s - 8.5).abs() < 1e-9);
    assert_eq!((found.delayed, found.spin_downs, found.descents), (2, 1, 4));
    let joules = 1300.0 * 2.82 + 1600.0 * 2.18 + 1800.0 * 1.82 + 3600.0 * 1.29 + 8.5 * 2.82;
    assert!((found.energy_j - joules).abs() < 1e-9);
}

/// The lower envelope of three lines: 10 t, 12 + 4 t, 60 + t cross at 2 s and 16 s; one that lies above is left out.
#[test]
fn the_envelope_enters_each_level_where_lines_cross() {
    let level = |watts, lump_j| Level {
        watts,
        enter: Transition { seconds: 0.0, joules: lump_j },
        leave: Transition::default(),
        stopped: false,
        serves_at: None,
    };
    let levels = Levels { idle_w: 10.0, below: vec![level(4.0, 12.0), level(3.0, 45.0), level(1.0, 60.0)] };
    let timers = MultiLevel::envelope(&levels).timers().to_vec();
    assert_eq!(timers, [Timer { after_s: 2.0, level: 1 }, Timer { after_s: 16.0, level: 3 }]);
}

/// V26: without costs of transition, two speeds draw the time-weighted average of their powers.
#[test]
fn two_speeds_draw_their_weighted_average() {
    let full_w = speed::spinning_w(3.0, 8.0, 2.8, 1.0);
    let half_w = speed::spinning_w(3.0, 8.0, 2.8, 0.5);
    let half = Level {
        watts: half_w,
        enter: Transition::default(),
        leave: Transition::default(),
        stopped: false,
        serves_at: Some(0.5),
    };
    let levels = Levels::two(full_w, half);
    // Full speed for the first second of each period.
    let back = PolicyPlan::MultiSpeed { timers: vec![Timer { after_s: 1.0, level: 1 }], bears: 0 };
    let found = run(&levels, &back, &[4.0; 100]);
    assert!((found.energy_j / found.length_s - (0.25 * full_w + 0.75 * half_w)).abs() < 1e-9);
    assert_eq!(found.delayed, 0);
    // One that serves at half speed stays there.
    let stays = PolicyPlan::MultiSpeed { timers: vec![Timer { after_s: 1.0, level: 1 }], bears: 8 };
    let found = run(&levels, &stays, &[4.0; 100]);
    assert_eq!((found.level_s[0], found.level_s[1], found.descents), (1.0, 399.0, 1));
}

fn exponential_periods(lambda: f64, count: usize) -> Vec<f64> {
    let mut random = Pcg64::seed_from_u64(11);
    let uniform = |random: &mut Pcg64| ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
    (0..count).map(|_| -uniform(&mut random).ln() / lambda).collect()
}

/// V23: the closed forms of exponential idle periods, within four standard errors of 200,000 periods.
#[test]
fn exponential_periods_follow_the_closed_forms() {
    let count = 200_000;
    for levels in [instantaneous(10.0, 2.0, 80.0), ultrastar_36z15(), ultrastar_36zx(12.72)] {
        for mean_s in [5.0, 20.0, 100.0] {
            let lengths = exponential_periods(1.0 / mean_s, count);
            let within = |found: f64, expected: f64, scale: f64| {
                assert!(
                    (found - expected).abs() < 4.0 * scale / (count as f64).sqrt(),
                    "mean period {mean_s} s: {found} against {expected}"
                );
            };
            // A period's energy has a standard deviation of no more than idling's plus the lump.
            let scale = levels.idle_w * mean_s + levels.round_trip_j(1);
            for timeout_s in [0.0, 4.0, 30.0] {
                let plan = PolicyPlan::FixedThreshold { threshold_s: timeout_s, level: 1 };
                let found = run(&levels, &plan, &lengths);
                let expected = exponential::timeout_mean_j(&levels, 1, 1.0 / mean_s, timeout_s);
                within(found.energy_j / count as f64, expected, scale);
                let reached = exponential::timeout_reached(1.0 / mean_s, timeout_s);
                within(found.spin_downs as f64 / count as f64, reached, 1.0);
            }
            let found = run(&levels, &ORACLE, &lengths);
            let expected = exponential::oracle_mean_saving_j(&levels, 1, 1.0 / mean_s);
            within((found.baseline_j - found.energy_j) / count as f64, expected, scale);
        }
    }
}

/// Memoryless periods: the best timeout is 0 or none, whichever side of the break-even time their mean is on.
#[test]
fn the_best_timeout_of_memoryless_periods_is_at_an_end() {
    let levels = instantaneous(10.0, 2.0, 80.0); // break-even 10 s
    for (mean_s, best_s) in [(9.9, f64::INFINITY), (10.1, 0.0)] {
        let lambda = 1.0 / mean_s;
        assert_eq!(exponential::best_timeout_s(&levels, 1, lambda), best_s);
        let drawn = |timeout| exponential::timeout_mean_j(&levels, 1, lambda, timeout);
        for timeout_s in [0.0, 0.5, 5.0, 50.0, 500.0, 1e9] {
            assert!(drawn(timeout_s) >= drawn(best_s.min(1e9)) - 1e-9);
        }
    }
}

/// The randomised threshold's mean is e / (e - 1) of the optimum's for any length, where nothing is drawn below idling.
#[test]
fn the_randomised_threshold_is_worth_e_over_e_minus_1() {
    let levels = instantaneous(10.0, 0.0, 50.0); // break-even 5 s
    let plan = PolicyPlan::TwoCompetitive { level: 1, randomised: true };
    let count = 100_000;
    for length_s in [0.5, 2.0, 4.9, 5.1, 50.0] {
        let lengths = vec![length_s; count];
        let ratio = run(&levels, &plan, &lengths).energy_j / run(&levels, &ORACLE, &lengths).energy_j;
        let expected = std::f64::consts::E / (std::f64::consts::E - 1.0);
        // A draw of a ratio lies between 1 and 1 + T / length: its standard deviation is below that.
        let error = 4.0 * (1.0 + 5.0 / length_s) / (count as f64).sqrt();
        assert!((ratio - expected).abs() < error, "{length_s} s: {ratio}");
    }
}

/// Share comes close to the best fixed timeout in hindsight, and follows a change of habit.
#[test]
fn share_follows_the_best_expert() {
    let levels = ultrastar_36z15();
    let share = PolicyPlan::Share { level: 1, sharing: common::sharing() };
    let best = |lengths: &[f64]| {
        (0..=100)
            .map(|i| PolicyPlan::FixedThreshold { threshold_s: 15.19 * f64::from(i) / 100.0, level: 1 })
            .map(|plan| run(&levels, &plan, lengths).energy_j)
            .fold(f64::INFINITY, f64::min)
    };
    // Long periods only: go down at once. Short ones of 6 s only: never before 6 s.
    for lengths in [vec![300.0; 500], vec![6.0; 500]] {
        assert!(run(&levels, &share, &lengths).energy_j < 1.02 * best(&lengths));
    }
    // A habit that changes: better than any fixed timeout.
    let changing: Vec<f64> = (0..2000).map(|i| if i / 500 % 2 == 0 { 300.0 } else { 6.0 }).collect();
    assert!(run(&levels, &share, &changing).energy_j < best(&changing));
}

/// Half-hour rests between bursts of pauses of 20 s, as those of HP's swap disk: from what it has seen, a policy that
/// predicts is up again before each rest ends, and stops in no pause.
#[test]
fn a_clock_is_known_after_a_few_strokes() {
    let levels = ultrastar_36z15();
    let lengths: Vec<f64> = (0..300).map(|i| if i % 3 == 2 { 1800.0 } else { 20.0 }).collect();
    let prediction = Prediction { certainty: 0.9, memory: 500.0 };
    let order = Order { autoregressive: 1, differences: 1, moving_average: 1 };
    let best = run(&levels, &PolicyPlan::OracleEnergy { level: Some(1), in_time: true }, &lengths);
    for plan in [
        PolicyPlan::Arima { level: 1, prediction, order },
        PolicyPlan::LawDriven { level: 1, prediction, law: None },
        PolicyPlan::LawDriven { level: 1, prediction, law: Some(LawName::Observed) },
    ] {
        let found = run(&levels, &plan, &lengths);
        assert!(found.delayed <= 3, "{plan:?}: {found:?}");
        assert!(found.saving() > 0.85 * best.saving(), "{plan:?}: {} of {}", found.saving(), best.saving());
        // Nothing at all is risked where it is to wake for certain, everything where it need not.
        let stays = PolicyPlan::LawDriven {
            level: 1,
            prediction: Prediction { certainty: 0.0, ..prediction },
            law: Some(LawName::Observed),
        };
        let found = run(&levels, &stays, &lengths);
        assert_eq!((found.delayed, found.spin_downs), (found.spin_downs, found.delayed));
        assert!(found.delayed > 90);
    }
}
