//! Drives and policies for the tests.
#![allow(dead_code, clippy::unwrap_used)] // shared by several test binaries

use iowatt_power::policies::{Adaptation, LawName, Order, Prediction, Sharing, Timer};
use iowatt_power::{Level, Levels, PolicyPlan, Transition};
use proptest::prelude::*;

fn transition(seconds: f64, watts: f64) -> Transition {
    Transition { seconds, joules: seconds * watts }
}

/// IBM Ultrastar 36Z15: idle 10.2 W, standby 2.5 W, 13 J in 1.5 s down, 135 J in 10.9 s up.
pub fn ultrastar_36z15() -> Levels {
    let low = Level {
        watts: 2.5,
        enter: Transition { seconds: 1.5, joules: 13.0 },
        leave: Transition { seconds: 10.9, joules: 135.0 },
        stopped: true,
        serves_at: None,
    };
    Levels::two(10.2, low)
}

/// IBM Ultrastar 36ZX as in the arrays2002 study: 22.3 W idle, 12.72 W standby, 34.8 W for 26 s up, 15 s down at a power that
/// the study does not give.
pub fn ultrastar_36zx(down_w: f64) -> Levels {
    let low = Level {
        watts: 12.72,
        enter: transition(15.0, down_w),
        leave: transition(26.0, 34.8),
        stopped: true,
        serves_at: None,
    };
    Levels::two(22.3, low)
}

/// Seagate Cheetah 15K.4 as in the write off-loading paper: 12 W idle, 2.6 W stopped, and 20 J more than that for a
/// spin-up of 10 s.
pub fn cheetah_15k4() -> Levels {
    let low = Level {
        watts: 2.6,
        enter: Transition::default(),
        leave: Transition { seconds: 10.0, joules: 20.0 + 2.6 * 10.0 },
        stopped: true,
        serves_at: None,
    };
    Levels::two(12.0, low)
}

/// Instantaneous transitions that cost `lump_j` together.
pub fn instantaneous(idle_w: f64, low_w: f64, lump_j: f64) -> Levels {
    let low = Level {
        watts: low_w,
        enter: Transition { seconds: 0.0, joules: lump_j / 4.0 },
        leave: Transition { seconds: 0.0, joules: lump_j * 0.75 },
        stopped: true,
        serves_at: None,
    };
    Levels::two(idle_w, low)
}

/// Any two-state drive; `dear`: its way there and back draws no less than idling does.
pub fn two_states(dear: bool) -> impl Strategy<Value = Levels> {
    let shares = (0.0..1.0f64, 0.0..30.0f64, 0.0..30.0f64, 0.0..4.0f64, 0.0..4.0f64);
    (1.0..30.0f64, shares).prop_map(move |(idle_w, (low, down_s, up_s, down, up))| {
        let least = if dear { 1.0 } else { 0.0 };
        let low = Level {
            watts: idle_w * low,
            enter: transition(down_s, idle_w * (least + down)),
            leave: transition(up_s, idle_w * (least + up)),
            stopped: true,
            serves_at: None,
        };
        Levels::two(idle_w, low)
    })
}

/// Any drive with up to four levels below idling, each of which costs more to reach and to leave than the one above.
pub fn ladders() -> impl Strategy<Value = Levels> {
    let rung = (0.1..1.0f64, 0.0..5.0f64, 0.0..10.0f64, 0.0..40.0f64, 0.0..40.0f64, any::<bool>());
    (1.0..30.0f64, prop::collection::vec(rung, 1..5)).prop_map(|(idle_w, rungs)| {
        let (mut watts, mut enter, mut leave) = (idle_w, Transition::default(), Transition::default());
        let below = rungs.into_iter().map(|(share, down_s, up_s, down_w, up_w, serves)| {
            watts *= share;
            enter = Transition { seconds: enter.seconds + down_s, joules: enter.joules + down_s * down_w };
            leave = Transition { seconds: leave.seconds + up_s, joules: leave.joules + up_s * up_w };
            Level { watts, enter, leave, stopped: !serves, serves_at: serves.then_some(share) }
        });
        Levels { idle_w, below: below.collect() }
    })
}

pub fn adaptation() -> Adaptation {
    Adaptation { initial_s: 5.0, acceptable: 0.05, raise_s: 1.0, lower_s: 0.5, least_s: 0.0, most_s: 60.0 }
}

pub fn sharing() -> Sharing {
    Sharing { experts: 100, learning_rate: 4.0, share: 0.08 }
}

/// Policies that predict, and come back before the arrival that they expect.
pub fn predicting() -> Vec<PolicyPlan> {
    let how = |certainty| Prediction { certainty, memory: 50.0 };
    let order = |[autoregressive, differences, moving_average]: [usize; 3]| Order {
        autoregressive,
        differences,
        moving_average,
    };
    let arima = |certainty, order| PolicyPlan::Arima { level: 1, prediction: how(certainty), order };
    let driven = |certainty, law| PolicyPlan::LawDriven { level: 1, prediction: how(certainty), law };
    vec![
        arima(0.5, order([1, 1, 1])),
        driven(0.9, Some(LawName::BoundedPareto)),
        driven(0.0, Some(LawName::Observed)),
    ]
}

/// Every policy for a two-state drive that does not know the future.
pub fn two_state_online(threshold_s: f64) -> Vec<PolicyPlan> {
    vec![
        PolicyPlan::Never,
        PolicyPlan::FixedThreshold { threshold_s, level: 1 },
        PolicyPlan::FixedThreshold { threshold_s: 0.0, level: 1 },
        PolicyPlan::TwoCompetitive { level: 1, randomised: false },
        PolicyPlan::TwoCompetitive { level: 1, randomised: true },
        PolicyPlan::Adaptive { level: 1, adaptation: adaptation() },
        PolicyPlan::Share { level: 1, sharing: sharing() },
        PolicyPlan::MultiLevel { timers: None },
    ]
}

/// Every policy, for a drive of these levels.
pub fn every(levels: &Levels, threshold_s: f64) -> Vec<PolicyPlan> {
    let deepest = levels.below.len();
    let timers: Vec<Timer> =
        (1..=deepest).map(|level| Timer { after_s: threshold_s * level as f64, level }).collect();
    let mut plans = two_state_online(threshold_s);
    plans.extend(predicting());
    for level in [None, Some(1), Some(deepest)] {
        plans.push(PolicyPlan::OracleEnergy { level, in_time: false });
        plans.push(PolicyPlan::OracleEnergy { level, in_time: true });
    }
    plans.extend([
        PolicyPlan::OracleLatency { level: deepest },
        PolicyPlan::MultiLevel { timers: Some(timers.clone()) },
        PolicyPlan::MultiSpeed { timers: timers.clone(), bears: 0 },
        PolicyPlan::MultiSpeed { timers, bears: 3 },
    ]);
    plans
}

/// Lengths of idle periods from a microsecond to days, and none.
pub fn lengths() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(
        prop_oneof![9 => (-6.0..5.0f64).prop_map(|e| 10f64.powf(e)), 1 => Just(0.0)],
        1..120,
    )
}
