//! The branch of a trial: one busy period, whose failures are forced and weighted.

use super::super::Measure;
use super::super::state::Step;
use super::{Trial, Weights, drawn};
use crate::rng::Random;

/// Share of branches whose next failure comes before any member is restored.
const SOONER: f64 = 0.75;
/// Share of forced failures that are of units, where units destroy members.
const OF_UNITS: f64 = 0.3;
/// Probability from which on a failure needs no forcing.
const LIKELY: f64 = 0.5;

impl Trial<'_> {
    /// Adds the losses of a busy period, whose first failure has just changed the branch from `before` to `after`.
    pub(super) fn busy(&mut self, mut weights: Weights, mut loses: f64, random: &mut Random) {
        let model = self.model;
        for failure in 0.. {
            let share = model.code.lost_share(&self.after) - model.code.lost_share(&self.before);
            self.add_loss(weights, loses, share.max(0.0));
            if loses >= 1.0 && !model.code.is_declustered() {
                return;
            }
            weights.any *= 1.0 - loses;
            weights.group *= 1.0 - loses;
            let start = random.clone();
            self.began.copy(&self.branch);
            let (sooner, all) = self.repair(weights, random);
            let early = -(-sooner).exp_m1();
            let late = (-sooner).exp() * -(sooner - all).exp_m1();
            let fails = early + late;
            if fails <= 0.0 || !fails.is_finite() {
                return;
            }
            let forced = fails < LIKELY && failure < self.most_forced;
            let target = if !forced {
                if random.unit() >= fails {
                    return;
                }
                random.exponential_below(all)
            } else {
                let share = if late > 0.0 { SOONER } else { 1.0 };
                if random.unit() < share {
                    weights = weights.times(early / share);
                    random.exponential_below(sooner)
                } else {
                    weights = weights.times(late / (1.0 - share));
                    sooner + random.exponential_below(all - sooner)
                }
            };
            self.branch.copy(&self.began);
            weights.any *= self.repair_until(target, start);
            self.branch.forget(model, random);
            loses = self.next_failure(&mut weights, forced, random);
        }
    }

    /// A failure in the branch, whose time has come; the probability that it loses data.
    fn next_failure(&mut self, weights: &mut Weights, forced: bool, random: &mut Random) -> f64 {
        let model = self.model;
        self.branch.pattern(&mut self.before, &mut self.cells);
        let units = model.units_rate / (model.units_rate + self.branch.drives_rate(model));
        let biased = if forced && units > 0.0 { units.max(OF_UNITS) } else { units };
        if biased > 0.0 && random.unit() < biased {
            *weights = weights.times(units / biased);
            let domain = drawn(&model.unit_rates, random);
            self.branch.destroy(model, domain, random);
        } else {
            *weights = weights.times((1.0 - units) / (1.0 - biased));
            self.branch.fail(model, random);
        }
        self.branch.pattern(&mut self.after, &mut self.cells);
        model.code.loses(&self.before, &self.after)
    }

    /// Lets the branch be repaired without further failures, and adds what that earns. The hazard that passes until a
    /// member is restored, and until none is lost.
    fn repair(&mut self, weights: Weights, random: &mut Random) -> (f64, f64) {
        let model = self.model;
        let began_with = self.branch.missing();
        let (mut hazard, mut sooner, mut no_error) = (0.0, None, 1.0);
        while self.branch.missing() > 0 && self.branch.time < self.horizon_s {
            let left = self.horizon_s - self.branch.time;
            let next = self.branch.next(model).filter(|(span, _)| *span < left);
            let span = next.map_or(left, |(span, _)| span);
            let expected = self.branch.expected(model, span);
            let meanwhile = if expected > 0.0 { -(-expected).exp_m1() / expected } else { 1.0 };
            let there = weights.data * f64::exp(-hazard) * meanwhile * span;
            self.score[Measure::DEGRADED] += there;
            self.score[Measure::UNAVAILABLE] += there * self.unavailable.with(self.branch.missing());
            hazard += expected;
            self.branch.pass(model, span);
            let Some((_, step)) = next else { break };
            if matches!(step, Step::Rebuilt(_)) {
                let errors = Self::errors(model, &self.branch, &mut self.before, &mut self.cells);
                if errors > 0.0 {
                    let alive = f64::exp(-hazard);
                    let bytes = weights.data * alive * errors * model.group.errors.lost_bytes;
                    self.add_error(weights.any * alive * no_error * -(-errors).exp_m1(), bytes);
                    no_error *= f64::exp(-errors);
                }
            }
            self.branch.step(model, step, random);
            if sooner.is_none() && self.branch.missing() < began_with {
                sooner = Some(hazard);
            }
        }
        (sooner.unwrap_or(hazard), hazard)
    }

    /// Repeats `repair` until so much hazard has passed; the probability that no error is met.
    fn repair_until(&mut self, target: f64, mut random: Random) -> f64 {
        let model = self.model;
        let (mut hazard, mut no_error) = (0.0, 1.0);
        while self.branch.missing() > 0 && self.branch.time < self.horizon_s {
            let left = self.horizon_s - self.branch.time;
            let next = self.branch.next(model).filter(|(span, _)| *span < left);
            let span = next.map_or(left, |(span, _)| span);
            let expected = self.branch.expected(model, span);
            if hazard + expected >= target {
                let span = self.branch.span_of(model, target - hazard, span);
                self.branch.pass(model, span);
                return no_error;
            }
            hazard += expected;
            self.branch.pass(model, span);
            let Some((_, step)) = next else { break };
            if matches!(step, Step::Rebuilt(_)) {
                no_error *= (-Self::errors(model, &self.branch, &mut self.before, &mut self.cells)).exp();
            }
            self.branch.step(model, step, &mut random);
        }
        no_error
    }
}
