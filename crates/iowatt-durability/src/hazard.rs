//! The cumulative hazard of a drive by age, and the factors of batches.

use crate::plan::{BatchPlan, FrailtyPlan, LifePlan};
use crate::rng::Random;

/// The law of a drive's life.
#[derive(Clone, Debug)]
pub enum Hazard {
    /// One rate.
    Constant(f64),
    /// Shape and scale.
    Weibull(f64, f64),
    /// Ages, rates from there on, and the cumulative hazard at each age.
    Table(Vec<f64>, Vec<f64>, Vec<f64>),
}

impl Hazard {
    /// The hazard of a plan's drives, and their age at the start.
    #[must_use]
    pub fn new(plan: &LifePlan) -> (Self, f64) {
        match plan {
            LifePlan::Exponential { per_s } => (Self::Constant(*per_s), 0.0),
            LifePlan::Weibull { shape, scale_s, age_s } => (Self::Weibull(*shape, *scale_s), *age_s),
            LifePlan::Table { from_s, per_s, age_s } => {
                let mut sum = 0.0;
                let mut sums = vec![0.0];
                for (pair, rate) in from_s.windows(2).zip(per_s) {
                    sum += (pair[1] - pair[0]) * rate;
                    sums.push(sum);
                }
                (Self::Table(from_s.clone(), per_s.clone(), sums), *age_s)
            }
        }
    }

    /// Expected failures of a place from age 0 to `age`, were it refilled at the same age.
    #[must_use]
    pub fn until(&self, age: f64) -> f64 {
        match self {
            Self::Constant(rate) => rate * age,
            Self::Weibull(shape, scale) => (age.max(0.0) / scale).powf(*shape),
            Self::Table(from, rates, sums) => {
                let span = from.partition_point(|&start| start <= age).max(1) - 1;
                sums[span] + (age - from[span]) * rates[span]
            }
        }
    }

    /// The hazard from one age to another.
    #[must_use]
    pub fn between(&self, from: f64, to: f64) -> f64 {
        match self {
            Self::Constant(rate) => rate * (to - from),
            // The difference of powers of almost equal ages would lose its digits.
            Self::Weibull(shape, scale) if from > 0.0 && to - from < 1e-3 * from => {
                (from / scale).powf(*shape) * (shape * ((to - from) / from).ln_1p()).exp_m1()
            }
            _ => self.until(to) - self.until(from),
        }
    }

    /// Failures a second at an age.
    #[must_use]
    pub fn at(&self, age: f64) -> f64 {
        match self {
            Self::Constant(rate) => *rate,
            Self::Weibull(shape, scale) => shape / scale * (age.max(1.0) / scale).powf(shape - 1.0),
            Self::Table(from, rates, _) => rates[from.partition_point(|&start| start <= age).max(1) - 1],
        }
    }
}

/// The factor of a batch's hazard.
#[derive(Clone, Copy, Debug)]
pub enum Frailty {
    /// Share of bad batches, their factor, and that of good ones.
    TwoPoint(f64, f64, f64),
    /// Variance.
    Gamma(f64),
}

impl Frailty {
    /// The law of a plan, scaled to a mean of 1.
    #[must_use]
    pub fn new(plan: &BatchPlan) -> Self {
        match plan.frailty {
            FrailtyPlan::TwoPoint { bad_share, factor } => {
                let good = 1.0 / (1.0 - bad_share + bad_share * factor);
                Self::TwoPoint(bad_share, factor * good, good)
            }
            FrailtyPlan::Gamma { variance } => Self::Gamma(variance),
        }
    }

    /// A factor.
    pub fn draw(self, random: &mut Random) -> f64 {
        match self {
            Self::TwoPoint(share, bad, good) => {
                if random.unit() < share {
                    bad
                } else {
                    good
                }
            }
            Self::Gamma(variance) => random.gamma(1.0 / variance) * variance,
        }
    }

    /// A factor drawn so that bad batches come often, and the likelihood ratio of that.
    pub fn draw_often(self, batches: u32, random: &mut Random) -> (f64, f64) {
        match self {
            Self::TwoPoint(share, bad, good) if batches <= 4 && share < 0.4 => {
                if random.unit() < 0.4 {
                    (bad, share / 0.4)
                } else {
                    (good, (1.0 - share) / 0.6)
                }
            }
            _ => (self.draw(random), 1.0),
        }
    }
}
