//! Stops by the law of past idle periods, and starts again before the arrival that the law expects.
//!
//! The law of the remaining idle time, given the time survived, decides (as in Golding, Bosch, Staelin, Sullivan, Wilkes:
//! Idleness is not sloth, USENIX 1995, and, for a power policy by a law of any shape, Simunic, Benini, Glynn, De Micheli,
//! 2001). The laws are those of `iowatt idle`, fitted to counts of past lengths that fade, and the shares counted
//! themselves; the best by Akaike's criterion is used, unless one is named.

use super::counts::Counts;
use super::laws::{Fits, Law, LawName};
use super::outlook::{Costs, Course, Grid, Outing, Outlook};
use super::prediction::{LEARNS_FROM, Prediction};
use crate::level::Levels;
use crate::policy::{Change, Ended, Policy};

/// Goes to a level when the law of its idle periods says that it pays most, and comes back before most arrivals.
#[derive(Clone, Debug)]
pub struct LawDriven {
    how: Prediction,
    law: Option<LawName>,
    level: usize,
    costs: Costs,
    /// None where the level never pays.
    learned: Option<Box<Learned>>,
    course: Course,
}

#[derive(Clone, Debug)]
struct Learned {
    counts: Counts,
    fits: Fits,
    outlook: Outlook,
    /// Periods since the law was last fitted.
    since: u64,
    /// The first outing of a period; none until enough is known, and where none pays.
    first: Option<Outing>,
}

impl LawDriven {
    /// Follows `law`, or the best.
    #[must_use]
    pub fn new(how: Prediction, law: Option<LawName>, levels: &Levels, level: usize) -> Self {
        let learned = Grid::of(levels, level).map(|grid| {
            Box::new(Learned {
                counts: Counts::new(grid, how.memory),
                fits: Fits::default(),
                outlook: Outlook::new(grid),
                since: 0,
                first: None,
            })
        });
        Self { how, law, level, costs: Costs::of(levels, level), learned, course: Course::default() }
    }
}

impl Policy for LawDriven {
    fn begin(&mut self, _: usize, _: Option<f64>) {
        self.course.begin(self.learned.as_ref().and_then(|learned| learned.first));
    }

    fn next(&mut self, level: usize) -> Option<Change> {
        if level > 0 {
            return self.course.wake_s().map(|after_s| Change { after_s, to: 0 });
        }
        let (learned, costs, certainty) = (self.learned.as_ref()?, &self.costs, self.how.certainty);
        let again = |up_s| learned.outlook.outing(costs, certainty, up_s);
        let after_s = self.course.down_s(costs, again)?;
        Some(Change { after_s, to: self.level })
    }

    fn ended(&mut self, ended: &Ended) {
        let Some(learned) = &mut self.learned else { return };
        if !learned.counts.add(ended.length_s) {
            return;
        }
        learned.since += 1;
        // Fitted anew when an eighth has been added to what it rests on.
        let known = learned.counts.total();
        if known < LEARNS_FROM || (learned.since as f64) < known / 8.0 {
            return;
        }
        learned.since = 0;
        let grid = learned.outlook.grid;
        if let Some(law) = learned.fits.fit(&learned.counts, self.law) {
            match law {
                Law::Observed => learned.outlook.set_counted(&learned.counts),
                law => learned.outlook.set(|time_s| law.survival(grid.floor_s, time_s)),
            }
            learned.first = learned.outlook.outing(&self.costs, self.how.certainty, grid.floor_s);
        }
    }
}
