//! Stops when idle periods that were forecast like this one turned out long enough, and starts again before most of them
//! ended.
//!
//! The series is the logarithm of past periods longer than the floor; an ARIMA model (`forecast`) predicts the next one.
//! Idle periods come in kinds, a burst's pauses and a clock's half hours, and a residual added to a forecast would smear them:
//! the distribution of a period is that of the periods whose forecast was alike, within two octaves. Forecasts of idle
//! periods from a series: Golding, Bosch, Staelin, Sullivan, Wilkes, Idleness is not sloth, USENIX 1995 (moving averages);
//! ARIMA: Box, Jenkins 1970.

use super::counts::Counts;
use super::forecast::{Forecast, Order};
use super::outlook::{Costs, Course, Grid, OCTAVES, Outing, Outlook, STEPS};
use super::prediction::{LEARNS_FROM, Prediction};
use crate::level::Levels;
use crate::policy::{Change, Ended, Policy};

/// Forecasts are alike within so many octaves.
const ALIKE: usize = 2;
const CLASSES: usize = OCTAVES.div_ceil(ALIKE);

/// Goes to a level when a period is forecast to be long, and comes back before most arrivals.
#[derive(Clone, Debug)]
pub struct Arima {
    how: Prediction,
    level: usize,
    costs: Costs,
    /// None where the level never pays.
    learned: Option<Box<Learned>>,
    course: Course,
}

#[derive(Clone, Debug)]
struct Learned {
    /// Of positions on the grid, in octaves above the floor.
    forecast: Forecast,
    /// Lengths of past periods, by their forecast, and of all.
    alike: [Counts; CLASSES],
    all: Counts,
    outlook: Outlook,
    first: Option<Outing>,
}

impl Arima {
    /// A forecast of this order.
    #[must_use]
    pub fn new(how: Prediction, order: Order, levels: &Levels, level: usize) -> Self {
        let learned = Grid::of(levels, level).map(|grid| {
            Box::new(Learned {
                forecast: Forecast::new(order, how.memory),
                alike: std::array::from_fn(|_| Counts::new(grid, how.memory)),
                all: Counts::new(grid, how.memory),
                outlook: Outlook::new(grid),
                first: None,
            })
        });
        Self { how, level, costs: Costs::of(levels, level), learned, course: Course::default() }
    }
}

impl Learned {
    /// The class of the present forecast.
    fn class(&self) -> usize {
        (self.forecast.next().max(0.0) as usize / ALIKE).min(CLASSES - 1)
    }

    /// Learns from a period; false where it is no longer than the floor.
    fn add(&mut self, length_s: f64) -> bool {
        let class = self.class();
        let known = self.all.add(length_s) && self.alike[class].add(length_s);
        if known {
            self.forecast.observe(self.outlook.grid.position(length_s) / STEPS as f64);
        }
        known
    }

    /// Whether enough is known of periods like the next one, or else of all.
    fn look_ahead(&mut self) -> bool {
        let class = &self.alike[self.class()];
        let counts = if class.total() >= LEARNS_FROM { class } else { &self.all };
        if counts.total() < LEARNS_FROM {
            return false;
        }
        self.outlook.set_counted(counts);
        true
    }
}

impl Policy for Arima {
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
        if learned.add(ended.length_s) && learned.look_ahead() {
            let floor_s = learned.outlook.grid.floor_s;
            learned.first = learned.outlook.outing(&self.costs, self.how.certainty, floor_s);
        }
    }
}
