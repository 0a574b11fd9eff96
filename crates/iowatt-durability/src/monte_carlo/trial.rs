//! One trial: a trunk that follows the group as it is, and a branch at each loss of a healthy group.
//!
//! The probability of loss is the sum over busy periods (from a first lost member until none is lost) of the
//! probability that the group still has its data then, and that the period ends in loss. The trunk is drawn by the
//! natural laws, except that its first failure is forced into the horizon, and so gives the state at which each busy
//! period begins. From there a branch estimates the probability of loss in the period: times of repair are drawn first,
//! the next failure is then forced into the time that they leave, and the branch is weighted by its probability. It is
//! as likely for times of 1e-15 as for those of 1e-1, and holds for all laws of repair and life.

mod branch;

use super::model::Model;
use super::state::Step;
use super::{Measure, State};
use crate::availability::Unavailable;
use crate::code::Loss;
use crate::rng::Random;

/// The weights of a path: of no loss before, of no loss of members' data before, of any data left.
#[derive(Clone, Copy, Debug)]
struct Weights {
    any: f64,
    group: f64,
    data: f64,
}

impl Weights {
    fn times(self, factor: f64) -> Self {
        Self { any: self.any * factor, group: self.group * factor, data: self.data * factor }
    }
}

/// What trials need besides random numbers; it allocates once.
#[derive(Debug)]
pub struct Trial<'m> {
    model: &'m Model<'m>,
    unavailable: &'m Unavailable,
    horizon_s: f64,
    year_s: f64,
    healthy: State,
    trunk: State,
    branch: State,
    began: State,
    before: Vec<Loss>,
    after: Vec<Loss>,
    cells: Vec<(usize, u32)>,
    /// Times at which a unit is taken to fail, and its domain.
    marks: Vec<(f64, usize)>,
    /// Failures in a busy period that are forced.
    most_forced: u32,
    /// The measures of the trial, as in [`Measure`].
    pub score: Vec<f64>,
}

impl<'m> Trial<'m> {
    pub fn new(model: &'m Model<'m>, unavailable: &'m Unavailable, horizon_s: f64, year_s: f64) -> Self {
        let healthy = State::new(model);
        Self {
            model,
            unavailable,
            horizon_s,
            year_s,
            trunk: healthy.clone(),
            branch: healthy.clone(),
            began: healthy.clone(),
            healthy,
            before: Vec::new(),
            after: Vec::new(),
            cells: Vec::new(),
            marks: Vec::new(),
            most_forced: 2 * (model.code.tolerates() + 1),
            score: vec![0.0; Measure::FIXED + model.unit_rates.len()],
        }
    }

    /// Runs a trial; its measures are in `score`.
    pub fn run(&mut self, random: &mut Random) {
        let model = self.model;
        self.score.fill(0.0);
        self.trunk.copy(&self.healthy);
        let ratio = self.trunk.draw_batches(model, random);
        let expected = self.trunk.expected(model, self.horizon_s);
        let fails = -(-expected).exp_m1();
        self.mark(random);
        self.quiet(ratio * (1.0 - fails), random);
        if fails > 0.0 {
            let first = random.exponential_below(expected);
            self.follow(first, ratio * fails, random);
        }
    }

    /// Draws when units fail: one failure of each domain at an even time, weighted by how many there are.
    fn mark(&mut self, random: &mut Random) {
        self.marks.clear();
        for (domain, rate) in self.model.unit_rates.iter().enumerate() {
            if *rate > 0.0 {
                self.marks.push((random.unit() * self.horizon_s, domain));
            }
        }
        self.marks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    }

    /// What a group without failures of drives adds.
    fn quiet(&mut self, weight: f64, random: &mut Random) {
        self.score[Measure::UNAVAILABLE] += weight * self.unavailable.with(0) * self.horizon_s;
        for number in 0..self.marks.len() {
            self.branch.copy(&self.trunk);
            self.branch.time = self.marks[number].0;
            self.unit_first(
                self.marks[number].1,
                Weights { any: weight, group: weight, data: weight },
                random,
            );
        }
    }

    /// Follows the trunk; its first failure comes when so much hazard has passed.
    fn follow(&mut self, first: f64, weight: f64, random: &mut Random) {
        let model = self.model;
        let mut weights = Weights { any: weight, group: weight, data: weight };
        let mut hazard = Some(first);
        let mut mark = 0;
        while self.trunk.time < self.horizon_s {
            let left = self.horizon_s - self.trunk.time;
            let next = self.trunk.next(model).filter(|(span, _)| *span < left);
            let span = next.map_or(left, |(span, _)| span);
            let expected = self.trunk.expected(model, span);
            let hazard = hazard.take().unwrap_or_else(|| random.exponential());
            let fails = hazard < expected;
            let span = if fails { self.trunk.span_of(model, hazard, span) } else { span };
            let until = self.trunk.time + span;
            if self.trunk.missing() == 0 {
                self.score[Measure::UNAVAILABLE] += weights.data * self.unavailable.with(0) * span;
            }
            while self.marks.get(mark).is_some_and(|mark| mark.0 < until) {
                let (time, domain) = self.marks[mark];
                if self.trunk.missing() == 0 {
                    self.branch.copy(&self.trunk);
                    self.branch.pass(model, time - self.trunk.time);
                    self.unit_first(domain, weights, random);
                }
                mark += 1;
            }
            self.trunk.pass(model, span);
            self.trunk.time = until;
            if fails {
                if !self.fail(&mut weights, random) {
                    return;
                }
            } else if let Some((_, step)) = next {
                if matches!(step, Step::Rebuilt(_)) {
                    let errors = Self::errors(model, &self.trunk, &mut self.before, &mut self.cells);
                    if errors > 0.0 && random.exponential() < errors {
                        weights.any = 0.0;
                    }
                }
                self.trunk.step(model, step, random);
            } else {
                return;
            }
        }
    }

    /// A failure in the trunk; whether there is data left.
    fn fail(&mut self, weights: &mut Weights, random: &mut Random) -> bool {
        let model = self.model;
        let healthy = self.trunk.missing() == 0;
        self.trunk.pattern(&mut self.before, &mut self.cells);
        let units = model.units_rate / (model.units_rate + self.trunk.drives_rate(model));
        let of_unit = units > 0.0 && random.unit() < units;
        if of_unit {
            let domain = drawn(&model.unit_rates, random);
            self.trunk.destroy(model, domain, random);
        } else {
            self.trunk.fail(model, random);
        }
        self.trunk.pattern(&mut self.after, &mut self.cells);
        let loses = model.code.loses(&self.before, &self.after);
        // Periods that a unit begins are those of the marks.
        if healthy && !of_unit {
            self.branch.copy(&self.trunk);
            self.busy(*weights, loses, random);
            // The branch has used the patterns.
            self.trunk.pattern(&mut self.after, &mut self.cells);
        }
        if loses > 0.0 && random.unit() < loses {
            weights.any = 0.0;
            weights.group = 0.0;
            return model.code.is_declustered();
        }
        true
    }

    /// The busy period that begins as a unit destroys its members in the branch, which is healthy.
    fn unit_first(&mut self, domain: usize, weights: Weights, random: &mut Random) {
        let model = self.model;
        self.before.clear();
        self.branch.destroy(model, domain, random);
        self.branch.pattern(&mut self.after, &mut self.cells);
        let loses = model.code.loses(&self.before, &self.after);
        self.busy(weights.times(model.unit_rates[domain] * self.horizon_s), loses, random);
    }

    /// Unreadable sectors that lose data, expected in the rebuild that ends now.
    fn errors(
        model: &Model<'_>,
        state: &State,
        pattern: &mut Vec<Loss>,
        cells: &mut Vec<(usize, u32)>,
    ) -> f64 {
        let plan = &model.group.errors;
        if plan.latent_per_s == 0.0 && plan.unrecoverable_per_byte == 0.0 {
            return 0.0;
        }
        state.pattern(pattern, cells);
        model.code.critical_drives(pattern) * model.group.errors_by_drive(state.mean_age(model))
    }

    fn add_loss(&mut self, weights: Weights, loses: f64, share: f64) {
        let (any, bytes) = (weights.any * loses, weights.data * share * self.model.group.user_bytes);
        let in_year = self.branch.time <= self.year_s;
        self.score[Measure::ANY] += any;
        self.score[Measure::GROUP] += weights.group * loses;
        self.score[Measure::BYTES] += bytes;
        if in_year {
            self.score[Measure::ANY_YEAR] += any;
            self.score[Measure::BYTES_YEAR] += bytes;
        }
        let cause = self.branch.domain().map_or(Measure::DRIVES, |domain| Measure::FIXED + domain);
        self.score[cause] += any;
    }

    fn add_error(&mut self, any: f64, bytes: f64) {
        self.score[Measure::ANY] += any;
        self.score[Measure::ERRORS] += any;
        self.score[Measure::BYTES] += bytes;
        if self.branch.time <= self.year_s {
            self.score[Measure::ANY_YEAR] += any;
            self.score[Measure::BYTES_YEAR] += bytes;
        }
    }
}

/// An index, drawn by rates, whose sum is above 0.
fn drawn(rates: &[f64], random: &mut Random) -> usize {
    let mut left = random.unit() * rates.iter().sum::<f64>();
    let found = rates.iter().position(|rate| {
        left -= rate;
        left < 0.0
    });
    found.unwrap_or_else(|| rates.iter().rposition(|rate| *rate > 0.0).unwrap_or(0))
}
