//! What a policy makes of a list of idle periods.

use crate::level::{Levels, Transition};
use crate::policy::{Ended, Policy};

/// Sums over all periods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// Periods.
    pub periods: u64,
    /// Their lengths together, seconds.
    pub length_s: f64,
    /// What idling through all of them draws, joules.
    pub baseline_j: f64,
    /// What the policy draws, until the drive is ready for the arrival that ends each period, joules.
    pub energy_j: f64,
    /// Periods whose arrival found the drive not ready.
    pub delayed: u64,
    /// Time that those arrivals waited, seconds together.
    pub added_s: f64,
    /// The longest of them, seconds.
    pub longest_wait_s: f64,
    /// Stops of the spindle.
    pub spin_downs: u64,
    /// Changes to a deeper level, stops included.
    pub descents: u64,
    /// Seconds at each level, idling first.
    pub level_s: Vec<f64>,
    /// Seconds on the way to a deeper level.
    pub descending_s: f64,
    /// Seconds on the way back.
    pub ascending_s: f64,
}

impl Evaluation {
    /// Share of the baseline that is saved; negative where the policy loses. 0 of nothing.
    #[must_use]
    pub fn saving(&self) -> f64 {
        if self.baseline_j > 0.0 { 1.0 - self.energy_j / self.baseline_j } else { 0.0 }
    }
}

/// Lets `policy` manage a drive of `levels` through idle periods of the given lengths, in seconds.
///
/// Each period is taken as long as it is given: an arrival that waits delays none of the following ones (in the
/// simulator it does). A transition that an arrival cuts short is finished: an arrival during a spin-down waits for its
/// end and then for the spin-up. The energy of a period is all that is drawn from its start until the drive is ready
/// again, so that waiting is paid for; the times at the levels and on the way add up to the periods' lengths and the
/// waits.
pub fn evaluate(
    levels: &Levels,
    policy: &mut dyn Policy,
    lengths_s: impl IntoIterator<Item = f64>,
) -> Evaluation {
    let mut sums = Evaluation { level_s: vec![0.0; levels.count()], ..Evaluation::default() };
    let mut level = 0;
    for length_s in lengths_s {
        level = sums.period(levels, policy, level, length_s);
    }
    sums
}

impl Evaluation {
    /// One period that begins at `level`; the level at its end.
    fn period(&mut self, levels: &Levels, policy: &mut dyn Policy, mut level: usize, length_s: f64) -> usize {
        self.periods += 1;
        self.length_s += length_s;
        self.baseline_j += levels.idle_w * length_s;
        policy.begin(level, policy.foresees().then_some(length_s));
        let (mut now, mut deepest) = (0.0, level);
        while let Some(change) = policy.next(level) {
            let at = change.after_s.max(now);
            if at >= length_s || change.to == level {
                break;
            }
            self.stay(levels, level, at - now);
            now = at;
            if change.to > level {
                now += self.descend(levels, level, change.to);
            } else {
                now += self.ascend(levels, level);
            }
            level = change.to;
            deepest = deepest.max(level);
            if now >= length_s {
                break;
            }
        }
        self.stay(levels, level, (length_s - now).max(0.0));
        let mut ready = now.max(length_s);
        let able = levels.get(level).is_none_or(|l| l.serves_at.is_some());
        if !(able && policy.serves(level, 1)) {
            ready += self.ascend(levels, level);
            level = 0;
        }
        let wait_s = ready - length_s;
        if wait_s > 0.0 {
            self.delayed += 1;
            self.added_s += wait_s;
            self.longest_wait_s = self.longest_wait_s.max(wait_s);
        }
        policy.ended(&Ended { length_s, level: deepest, wait_s });
        level
    }

    fn stay(&mut self, levels: &Levels, level: usize, seconds: f64) {
        self.level_s[level] += seconds;
        self.energy_j += levels.watts(level) * seconds;
    }

    fn descend(&mut self, levels: &Levels, from: usize, to: usize) -> f64 {
        let Transition { seconds, joules } = levels.descent(from, to);
        let stops = |level| levels.get(level).is_some_and(|l| l.stopped);
        self.descents += 1;
        self.spin_downs += u64::from(stops(to) && !stops(from));
        self.descending_s += seconds;
        self.energy_j += joules;
        seconds
    }

    fn ascend(&mut self, levels: &Levels, from: usize) -> f64 {
        let Transition { seconds, joules } = levels.ascent(from);
        self.ascending_s += seconds;
        self.energy_j += joules;
        seconds
    }
}
