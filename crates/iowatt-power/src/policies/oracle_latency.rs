//! The oracle that looks at time only: it goes down whenever it can be up again in time.
//!
//! This is the rule that Gurumurthi et al. (2002) must have used for their oracle: with 15 s down and 26 s up it spins
//! down in every period of 41 s or more, and loses on those below the break-even time of 59.9 s, which no oracle by
//! energy can.

use super::visit::Visit;
use crate::level::Levels;
use crate::policy::{Change, Ended, Policy};

/// Goes to a level in every period that is at least as long as the way there and back.
#[derive(Clone, Debug)]
pub struct OracleLatency {
    levels: Levels,
    level: usize,
    visit: Option<Visit>,
}

impl OracleLatency {
    /// An oracle that uses `level`.
    #[must_use]
    pub fn new(levels: &Levels, level: usize) -> Self {
        Self { levels: levels.clone(), level, visit: None }
    }
}

impl Policy for OracleLatency {
    fn foresees(&self) -> bool {
        true
    }

    fn begin(&mut self, _: usize, length_s: Option<f64>) {
        let long_enough = |length: &f64| *length >= self.levels.round_trip_s(self.level);
        self.visit = length_s.filter(long_enough).map(|length| Visit::new(self.level, length));
    }

    fn next(&mut self, level: usize) -> Option<Change> {
        self.visit.as_mut()?.next(&self.levels, level)
    }

    fn ended(&mut self, _: &Ended) {}
}
