//! A spindle of several speeds (DRPM: Gurumurthi, Sivasubramaniam, Kandemir, Franke, ISCA 2003): it slows down step by step
//! while it has nothing to do, and serves at the speed at which a request finds it.
//!
//! It returns to full speed when more requests wait at it than it is told to bear at a reduced one. A stopped spindle
//! does not serve: an arrival brings it to full speed.

use super::multi_level::Timer;
use crate::policy::{Change, Ended, Policy};

/// Goes to the next lower speed after each timer, and stays there while few requests wait.
#[derive(Clone, Debug)]
pub struct MultiSpeed {
    timers: Vec<Timer>,
    /// Most requests at the drive that a reduced speed may serve; 0: it serves at full speed only.
    bears: usize,
}

impl MultiSpeed {
    /// With timers that count from the start of each idle period. A period that begins at a reduced speed goes on from
    /// there.
    #[must_use]
    pub fn new(mut timers: Vec<Timer>, bears: usize) -> Self {
        timers.sort_by(|a, b| a.after_s.total_cmp(&b.after_s).then(a.level.cmp(&b.level)));
        Self { timers, bears }
    }
}

impl Policy for MultiSpeed {
    fn begin(&mut self, _: usize, _: Option<f64>) {}

    fn next(&mut self, level: usize) -> Option<Change> {
        let timer = self.timers.iter().find(|t| t.level > level)?;
        Some(Change { after_s: timer.after_s, to: timer.level })
    }

    fn serves(&self, level: usize, waiting: usize) -> bool {
        level == 0 || waiting <= self.bears
    }

    fn ended(&mut self, _: &Ended) {}
}
