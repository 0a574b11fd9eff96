//! Failures of drives in a state: how many are expected, when the next comes, and which it is.

use super::super::model::Model;
use super::{Drive, Slot, State};
use crate::hazard::Hazard;
use crate::rng::Random;

impl State {
    /// Mean age of drives that live.
    pub fn mean_age(&self, model: &Model<'_>) -> f64 {
        let first: u32 = self.first.iter().map(|batch| batch.0).sum();
        let later: f64 = self.later.iter().map(|drive| self.time - drive.born).sum();
        let all = f64::from(first) + self.later.len() as f64;
        (f64::from(first) * (model.age + self.time) + later) / all.max(1.0)
    }

    /// Failures of drives expected from now on for `span`, and of units that destroy members.
    pub fn expected(&self, model: &Model<'_>, span: f64) -> f64 {
        let age = model.age + self.time;
        let from_first: f64 = self.first.iter().map(|batch| f64::from(batch.0) * batch.1).sum();
        let first = if from_first > 0.0 { from_first * model.hazard.between(age, age + span) } else { 0.0 };
        let of = |drive: &Drive| {
            let age = self.time - drive.born;
            drive.factor * model.hazard.between(age, age + span)
        };
        first + self.later.iter().map(of).sum::<f64>() + model.units_rate * span
    }

    /// The span in which `expected` becomes `target`; `most` is one in which it is as much at least.
    pub fn span_of(&self, model: &Model<'_>, target: f64, most: f64) -> f64 {
        let (mut low, mut high) = (0.0, most);
        let (mut below, mut above) = (-target, self.expected(model, most) - target);
        if above <= 0.0 {
            return most;
        }
        if matches!(model.hazard, Hazard::Constant(_)) {
            return (most * target / (above + target)).min(most);
        }
        // Regula falsi with the Illinois rule.
        let mut side = 0;
        for _ in 0..60 {
            let middle = (low * above - high * below) / (above - below);
            let error = self.expected(model, middle) - target;
            if error.abs() <= 1e-10 * target {
                return middle;
            }
            if error < 0.0 {
                (low, below) = (middle, error);
                above *= if side == -1 { 0.5 } else { 1.0 };
                side = -1;
            } else {
                (high, above) = (middle, error);
                below *= if side == 1 { 0.5 } else { 1.0 };
                side = 1;
            }
        }
        0.5 * (low + high)
    }

    /// A drive fails, drawn by its hazard.
    pub fn fail(&mut self, model: &Model<'_>, random: &mut Random) {
        let first_rate = model.hazard.at(model.age + self.time);
        let of = |drive: &Drive| drive.factor * model.hazard.at(self.time - drive.born);
        let by_batch = |batch: &(u32, f64)| f64::from(batch.0) * batch.1 * first_rate;
        let all: f64 = self.first.iter().map(by_batch).sum::<f64>() + self.later.iter().map(of).sum::<f64>();
        let mut left = random.unit() * all;
        for (batch, found) in self.first.iter().enumerate() {
            left -= by_batch(found);
            if left < 0.0 {
                let slot = self.first_of(batch as u32, model, random);
                self.lose(model, slot, None, random);
                self.begin(model, random);
                return;
            }
        }
        let drawn = self.later.iter().position(|drive| {
            left -= of(drive);
            left < 0.0
        });
        if let Some(drive) = drawn.or(self.later.len().checked_sub(1)) {
            let slot = self.later[drive].slot;
            self.lose(model, slot, None, random);
        } else if let Some(batch) = self.first.iter().position(|batch| batch.0 > 0) {
            let slot = self.first_of(batch as u32, model, random);
            self.lose(model, slot, None, random);
        }
        self.begin(model, random);
    }

    /// A first drive of a batch that lives.
    fn first_of(&self, batch: u32, model: &Model<'_>, random: &mut Random) -> u32 {
        let slots = (model.group.members - batch).div_ceil(model.batches);
        loop {
            let slot = batch + model.batches * random.below(slots);
            if self.slots[slot as usize] == Slot::First {
                return slot;
            }
        }
    }

    /// Failures a second of drives, now.
    pub fn drives_rate(&self, model: &Model<'_>) -> f64 {
        let first: f64 = self.first.iter().map(|batch| f64::from(batch.0) * batch.1).sum();
        let later = self.later.iter().map(|drive| drive.factor * model.hazard.at(self.time - drive.born));
        first * model.hazard.at(model.age + self.time) + later.sum::<f64>()
    }
}
