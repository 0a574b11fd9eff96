//! What both oracles do with a period: down at once, and up so that the drive is ready when it ends.

use crate::level::Levels;
use crate::policy::Change;

/// A way there and back within one period.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    to: usize,
    length_s: f64,
    reached: bool,
}

impl Visit {
    /// To level `to`, in a period of `length_s`.
    pub(super) fn new(to: usize, length_s: f64) -> Self {
        Self { to, length_s, reached: false }
    }

    /// The next change, with the drive at `level`.
    pub(super) fn next(&mut self, levels: &Levels, level: usize) -> Option<Change> {
        if level == self.to {
            self.reached = true;
            let wake_s = self.length_s - levels.ascent(level).seconds;
            return Some(Change { after_s: wake_s.max(0.0), to: 0 });
        }
        (level == 0 && !self.reached).then_some(Change { after_s: 0.0, to: self.to })
    }
}
