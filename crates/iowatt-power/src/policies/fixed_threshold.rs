//! A fixed timeout (Li, Kumpf, Horton, Anderson, USENIX 1994, took 2 s on laptops).

use crate::policy::{Change, Ended, Policy};

/// Goes to a level after a fixed time without work; the arrival wakes it.
#[derive(Clone, Copy, Debug)]
pub struct FixedThreshold {
    /// Idle time before the change, seconds.
    pub threshold_s: f64,
    /// Where it goes.
    pub level: usize,
}

impl Policy for FixedThreshold {
    fn begin(&mut self, _: usize, _: Option<f64>) {}

    fn next(&mut self, level: usize) -> Option<Change> {
        (level == 0).then_some(Change { after_s: self.threshold_s, to: self.level })
    }

    fn ended(&mut self, _: &Ended) {}
}
