//! The oracle that draws least: it knows how long a period will be, goes down at once or not at all, and is up again when
//! the arrival comes.

use super::visit::Visit;
use crate::level::Levels;
use crate::policy::{Change, Ended, Policy};

/// Goes, where that draws less than idling through the period, to the level that draws least.
///
/// No policy that uses the same levels draws less over the same periods, and it never draws more than idling. On a drive
/// whose transitions draw less than idling does, the least energy may be had only by delaying the arrival; with
/// `in_time` it never does that, and is the least among those that delay nothing.
#[derive(Clone, Debug)]
pub struct OracleEnergy {
    levels: Levels,
    /// The levels that it may use.
    choice: Vec<usize>,
    in_time: bool,
    visit: Option<Visit>,
}

impl OracleEnergy {
    /// An oracle that uses `level`, or any level there is.
    #[must_use]
    pub fn new(levels: &Levels, level: Option<usize>, in_time: bool) -> Self {
        let choice = level.map_or_else(|| (1..levels.count()).collect(), |l| vec![l]);
        Self { levels: levels.clone(), choice, in_time, visit: None }
    }
}

impl Policy for OracleEnergy {
    fn foresees(&self) -> bool {
        true
    }

    fn begin(&mut self, _: usize, length_s: Option<f64>) {
        self.visit = None;
        let Some(length_s) = length_s else { return };
        let mut least_j = self.levels.idle_w * length_s;
        for &level in &self.choice {
            let Some((joules, _)) = self.levels.visit(level, length_s, self.in_time) else { continue };
            if joules < least_j {
                least_j = joules;
                self.visit = Some(Visit::new(level, length_s));
            }
        }
    }

    fn next(&mut self, level: usize) -> Option<Change> {
        self.visit.as_mut()?.next(&self.levels, level)
    }

    fn ended(&mut self, _: &Ended) {}
}
