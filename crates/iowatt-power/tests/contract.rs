//! What the contract of [`iowatt_power::Policy`] promises, asked of every policy over any drive and any periods.
#![allow(clippy::unwrap_used)]

mod common;

use common::{every, ladders, lengths};
use iowatt_power::policies::Prediction;
use iowatt_power::{Change, Ended, Levels, Policy, PolicyPlan, evaluate};
use proptest::prelude::*;

/// A policy that checks what passes between it and the drive.
#[derive(Debug)]
struct Watched {
    policy: Box<dyn Policy>,
    levels: Levels,
    /// In a period; when it was to be woken in it, and how often; the answers in it.
    open: bool,
    woken_s: Option<f64>,
    wakes: usize,
    answers: Vec<(usize, Option<Change>)>,
    /// The answers of all periods.
    log: Vec<Vec<(usize, Option<Change>)>>,
}

impl Watched {
    fn new(plan: &PolicyPlan, levels: &Levels) -> Self {
        let policy = plan.build(levels, 7).unwrap();
        assert_eq!(policy.foresees(), plan.foresees(), "{plan:?}");
        Self {
            policy,
            levels: levels.clone(),
            open: false,
            woken_s: None,
            wakes: 0,
            answers: vec![],
            log: vec![],
        }
    }
}

impl Policy for Watched {
    fn foresees(&self) -> bool {
        self.policy.foresees()
    }

    fn begin(&mut self, level: usize, length_s: Option<f64>) {
        assert!(!self.open, "a period begins in another");
        (self.open, self.woken_s, self.wakes) = (true, None, 0);
        self.policy.begin(level, length_s);
    }

    fn next(&mut self, level: usize) -> Option<Change> {
        assert!(self.open);
        let change = self.policy.next(level);
        assert_eq!(change, self.policy.next(level), "the same question, another answer");
        if let Some(Change { after_s, to }) = change {
            assert!(after_s >= 0.0 && after_s.is_finite(), "{change:?}");
            assert!(
                to < self.levels.count() && (to > level || to == 0 && level > 0),
                "{change:?} at {level}"
            );
            if let Some(woken_s) = self.woken_s.filter(|_| to > 0) {
                assert!(after_s >= woken_s, "{change:?} before the drive was to be up");
                self.woken_s = None;
            }
            if to == 0 {
                self.woken_s = Some(after_s + self.levels.ascent(level).seconds);
                self.wakes += 1;
                assert!(self.wakes < 10_000, "it never comes to rest");
            }
        }
        self.answers.push((level, change));
        change
    }

    fn serves(&self, level: usize, waiting: usize) -> bool {
        let served = self.policy.serves(level, waiting);
        assert!(level != 0 || served, "full speed serves");
        served
    }

    fn ended(&mut self, ended: &Ended) {
        assert!(self.open && ended.wait_s >= 0.0 && ended.level < self.levels.count());
        self.open = false;
        self.log.push(std::mem::take(&mut self.answers));
        self.policy.ended(ended);
    }
}

/// Periods that are past, others to come, and those in another order.
fn futures() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, Vec<f64>)> {
    (lengths(), lengths())
        .prop_flat_map(|(past, future)| (Just(past), Just(future.clone()), Just(future).prop_shuffle()))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

proptest! {
    /// Answers are sound, and the books balance: the times at the levels and on the way are those of the periods and the
    /// waits (V22), and the draw lies between nothing and the dearest that there is.
    #[test]
    fn answers_are_sound_and_times_add_up(levels in ladders(), lengths in lengths(), threshold_s in 0.0..50.0f64) {
        for plan in every(&levels, threshold_s) {
            let mut watched = Watched::new(&plan, &levels);
            let found = evaluate(&levels, &mut watched, lengths.iter().copied());
            prop_assert!(!watched.open);
            let booked = found.level_s.iter().sum::<f64>() + found.descending_s + found.ascending_s;
            prop_assert!(close(booked, found.length_s + found.added_s), "{plan:?}: {found:?}");
            let at_levels: f64 = found.level_s.iter().enumerate().map(|(l, s)| s * levels.watts(l)).sum();
            prop_assert!(found.energy_j >= at_levels - 1e-6 * at_levels.max(1.0), "{plan:?}");
            prop_assert_eq!(found.periods, lengths.len() as u64);
            prop_assert!(found.spin_downs <= found.descents);
            prop_assert!(found.longest_wait_s <= found.added_s * (1.0 + 1e-12));
            prop_assert_eq!(found.delayed == 0, found.added_s == 0.0);
            // A wait is never longer than the longest way there and back (an oracle's last bits aside).
            let longest = (1..levels.count()).map(|l| levels.round_trip_s(l)).fold(0.0, f64::max);
            prop_assert!(found.longest_wait_s <= longest + 1e-9, "{plan:?}: {found:?}");
        }
    }

    /// A policy that does not foresee cannot know how long the present period is: with another last period, all its answers
    /// are the same as far as they go.
    #[test]
    fn only_oracles_know_the_future(levels in ladders(), lengths in lengths(), threshold_s in 0.0..50.0f64) {
        for plan in every(&levels, threshold_s).into_iter().filter(|p| !p.foresees()) {
            let mut longer = lengths.clone();
            if let Some(last) = longer.last_mut() {
                *last = 1e7;
            }
            let logs = [&lengths, &longer].map(|lengths| {
                let mut watched = Watched::new(&plan, &levels);
                evaluate(&levels, &mut watched, lengths.iter().copied());
                watched.log
            });
            let (short, long) = (logs[0].last().unwrap(), logs[1].last().unwrap());
            prop_assert!(long.starts_with(short), "{plan:?}: {short:?} against {long:?}");
            prop_assert_eq!(&logs[0][..lengths.len() - 1], &logs[1][..lengths.len() - 1]);
        }
    }

    /// The same parameters, seed and periods give the same figures.
    #[test]
    fn results_repeat(levels in ladders(), lengths in lengths(), threshold_s in 0.0..50.0f64) {
        for plan in every(&levels, threshold_s) {
            let run = || evaluate(&levels, plan.build(&levels, 3).unwrap().as_mut(), lengths.iter().copied());
            prop_assert_eq!(run(), run(), "{:?}", plan);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// With all later periods in another order, the answers up to there are the same, and those in the present period as
    /// far as both lists go.
    #[test]
    fn a_shuffled_future_changes_no_decision_before_it(
        levels in ladders(), (past, future, other) in futures(), threshold_s in 0.0..50.0f64,
    ) {
        let best = PolicyPlan::LawDriven {
            level: 1,
            prediction: Prediction { certainty: 0.5, memory: 50.0 },
            law: None,
        };
        for plan in every(&levels, threshold_s).into_iter().chain([best]).filter(|p| !p.foresees()) {
            let logs = [&future, &other].map(|future| {
                let mut watched = Watched::new(&plan, &levels);
                evaluate(&levels, &mut watched, past.iter().chain(future).copied());
                watched.log
            });
            let known = past.len();
            prop_assert_eq!(&logs[0][..known], &logs[1][..known], "{:?}", &plan);
            let (a, b) = (&logs[0][known], &logs[1][known]);
            let both = a.len().min(b.len());
            prop_assert_eq!(&a[..both], &b[..both], "{:?}", &plan);
        }
    }
}

#[test]
fn impossible_parameters_are_refused() {
    let levels = common::ultrastar_36z15();
    let refused = |json: &str| {
        let plan: PolicyPlan = serde_json::from_str(json).unwrap();
        plan.build(&levels, 1).unwrap_err()
    };
    assert!(refused(r#"{"policy": "fixed-threshold", "threshold_s": 1, "level": 2}"#).contains("level 2"));
    assert!(
        refused(r#"{"policy": "fixed-threshold", "threshold_s": -1, "level": 1}"#).contains("0 s or more")
    );
    let experts =
        r#"{"policy": "share", "level": 1, "sharing": {"experts": 0, "learning_rate": 4, "share": 0.1}}"#;
    assert!(refused(experts).contains("experts"));
    let predicted = |more: &str| {
        refused(&format!(r#"{{"policy": "law-driven", "level": 1, "law": null, "prediction": {more}}}"#))
    };
    assert!(predicted(r#"{"certainty": 1, "memory": 100}"#).contains("certainty"));
    assert!(predicted(r#"{"certainty": 0, "memory": 1}"#).contains("memory"));
    let order = r#"{"policy": "arima", "level": 1, "prediction": {"certainty": 0, "memory": 100},
        "order": {"autoregressive": 9, "differences": 0, "moving_average": 4}}"#;
    assert!(refused(order).contains("12"));
    let unknown = r#"{"policy": "fixed-threshold", "threshold_s": 1, "level": 1, "after": 2}"#;
    assert!(serde_json::from_str::<PolicyPlan>(unknown).is_err());
    let rising = Levels { idle_w: 1.0, ..levels };
    assert!(PolicyPlan::Never.build(&rising, 1).unwrap_err().contains("more than the one above"));
}
