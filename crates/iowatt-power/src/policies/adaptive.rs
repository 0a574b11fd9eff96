//! A threshold that learns from its spin-ups (Douglis, Krishnan, Bershad: Adaptive disk spin-down policies for mobile
//! computers, USENIX Mobile and Location-Independent Computing 1995).
//!
//! A spin-up is acceptable where the wait is a small share of the idle time before it; after one the threshold is
//! lowered, after an unacceptable one it is raised. Both steps are additive here, within bounds.

use crate::policy::{Change, Ended, Policy};
use serde::Deserialize;

/// How the threshold moves.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Adaptation {
    /// The first threshold, seconds.
    pub initial_s: f64,
    /// Largest wait that is acceptable, as a share of the idle time before it.
    pub acceptable: f64,
    /// Added after an unacceptable spin-up, seconds.
    pub raise_s: f64,
    /// Taken off after an acceptable one, seconds.
    pub lower_s: f64,
    /// The threshold is never less, seconds.
    pub least_s: f64,
    /// The threshold is never more, seconds.
    pub most_s: f64,
}

/// Goes to a level after a time that follows from its past spin-ups.
#[derive(Clone, Copy, Debug)]
pub struct Adaptive {
    how: Adaptation,
    level: usize,
    threshold_s: f64,
}

impl Adaptive {
    /// Begins with the initial threshold.
    #[must_use]
    pub fn new(how: Adaptation, level: usize) -> Self {
        Self { how, level, threshold_s: how.initial_s.clamp(how.least_s, how.most_s) }
    }

    /// The present threshold, seconds.
    #[must_use]
    pub fn threshold_s(&self) -> f64 {
        self.threshold_s
    }
}

impl Policy for Adaptive {
    fn begin(&mut self, _: usize, _: Option<f64>) {}

    fn next(&mut self, level: usize) -> Option<Change> {
        (level == 0).then_some(Change { after_s: self.threshold_s, to: self.level })
    }

    fn ended(&mut self, ended: &Ended) {
        if ended.level == 0 {
            return; // it did not go down: nothing was learned
        }
        let acceptable = ended.wait_s <= self.how.acceptable * ended.length_s;
        let step = if acceptable { -self.how.lower_s } else { self.how.raise_s };
        self.threshold_s = (self.threshold_s + step).clamp(self.how.least_s, self.how.most_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_waits_raise_it_and_short_ones_lower_it_within_bounds() {
        let how = Adaptation {
            initial_s: 5.0,
            acceptable: 0.05,
            raise_s: 2.0,
            lower_s: 1.0,
            least_s: 3.0,
            most_s: 8.0,
        };
        let mut policy = Adaptive::new(how, 1);
        let mut after = |length_s, level, wait_s| {
            policy.ended(&Ended { length_s, level, wait_s });
            policy.threshold_s()
        };
        // 10 s of waiting are 5 % of 200 s, more than that of 100 s.
        assert_eq!(after(100.0, 1, 10.0), 7.0);
        assert_eq!(after(100.0, 1, 10.0), 8.0);
        assert_eq!(after(1.0, 0, 0.0), 8.0);
        assert_eq!([after(200.0, 1, 10.0), after(1e6, 1, 10.0)], [7.0, 6.0]);
        let falling: Vec<f64> = (0..4).map(|_| after(1e6, 1, 10.0)).collect();
        assert_eq!(falling, [5.0, 4.0, 3.0, 3.0]);
    }
}
