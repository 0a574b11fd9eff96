//! Laws of arrival: the gap to the next request, in operational time (seconds at the stated rate).

use crate::choice::Choice;
use crate::plan::{HyperPhasePlan, LawPlan};
use crate::rng::Draws;

/// Most requests a second that a law may ask for.
const MOST_RATE: f64 = 1e12;

/// A law with its state.
#[derive(Debug)]
pub enum Law {
    /// Equal gaps.
    Constant {
        /// The gap.
        gap: f64,
    },
    /// Exponential gaps.
    Poisson {
        /// Mean gap.
        mean: f64,
    },
    /// A mixture of exponentials.
    HyperExponential {
        /// Which phase.
        phases: Choice,
        /// Mean gap of each.
        means: Vec<f64>,
    },
    /// Batches.
    Batch {
        /// Chance that a request is followed by another of its batch.
        more: f64,
        /// Between requests of a batch.
        spacing: f64,
        /// Mean of the exponential gap between batches.
        pause: f64,
    },
    /// No time passes: completions pace the requests.
    Closed,
}

impl Law {
    /// The law of a plan.
    ///
    /// # Errors
    /// A parameter that the law cannot have, in words.
    pub fn new(plan: &LawPlan) -> Result<Self, String> {
        Ok(match *plan {
            LawPlan::Constant { rate } => Self::Constant { gap: checked(rate)?.recip() },
            LawPlan::Poisson { rate } => Self::Poisson { mean: checked(rate)?.recip() },
            LawPlan::HyperExponential { ref phases } => hyper(phases)?,
            LawPlan::Batch { rate, mean_requests, spacing_s } => {
                if !(mean_requests >= 1.0 && mean_requests.is_finite() && spacing_s >= 0.0) {
                    return Err("a batch has at least one request, and no negative spacing".into());
                }
                let pause = mean_requests / checked(rate)? - (mean_requests - 1.0) * spacing_s;
                if pause <= 0.0 {
                    return Err(
                        "batches of this size and spacing leave no time between them at this rate".into()
                    );
                }
                Self::Batch { more: 1.0 - 1.0 / mean_requests, spacing: spacing_s, pause }
            }
            LawPlan::Closed => Self::Closed,
            LawPlan::Recorded { .. } | LawPlan::Cascade { .. } => {
                return Err("recorded stamps and cascades are no laws of gaps".into());
            }
        })
    }

    /// The next gap.
    #[inline]
    pub fn gap(&self, draws: &mut Draws) -> f64 {
        match self {
            Self::Constant { gap } => *gap,
            Self::Poisson { mean } => draws.exponential() * mean,
            Self::HyperExponential { phases, means } => {
                let phase = phases.draw(draws);
                draws.exponential() * means[phase]
            }
            Self::Batch { more, spacing, pause } => {
                if draws.unit() < *more {
                    *spacing
                } else {
                    draws.exponential() * pause
                }
            }
            Self::Closed => 0.0,
        }
    }
}

fn hyper(phases: &[HyperPhasePlan]) -> Result<Law, String> {
    let weights: Vec<f64> = phases.iter().map(|phase| phase.weight).collect();
    let choice = Choice::new(&weights).ok_or("the phases have no weight")?;
    let means: Result<Vec<f64>, String> = phases.iter().map(|p| checked(p.rate).map(f64::recip)).collect();
    Ok(Law::HyperExponential { phases: choice, means: means? })
}

pub(super) fn checked(rate: f64) -> Result<f64, String> {
    if rate > 0.0 && rate <= MOST_RATE {
        Ok(rate)
    } else {
        Err(format!("a rate of {rate} is not above 0 and at most {MOST_RATE:e}"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::rng::Purpose;

    /// Mean and coefficient of variation of the gaps.
    fn moments(plan: &LawPlan, n: u32) -> (f64, f64) {
        let law = Law::new(plan).unwrap();
        let mut draws = Draws::new(9, Purpose::Arrivals, 0, 0);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..n {
            let gap = law.gap(&mut draws);
            sum += gap;
            squares += gap * gap;
        }
        let mean = sum / f64::from(n);
        (mean, (squares / f64::from(n) - mean * mean).max(0.0).sqrt() / mean)
    }

    #[test]
    fn means_and_variations_are_those_of_the_laws() {
        let n = 400_000;
        let (mean, cv) = moments(&LawPlan::Constant { rate: 50.0 }, n);
        assert!((mean - 0.02).abs() < 1e-9 && cv < 1e-6);
        let (mean, cv) = moments(&LawPlan::Poisson { rate: 50.0 }, n);
        assert!((mean * 50.0 - 1.0).abs() < 0.008 && (cv - 1.0).abs() < 0.01, "{mean} {cv}");
        // Balanced means: rate 50, CV 3 by p = (1 + sqrt(8/10)) / 2.
        let p = (1.0 + (8.0f64 / 10.0).sqrt()) / 2.0;
        let phases = vec![
            HyperPhasePlan { weight: p, rate: 2.0 * p * 50.0 },
            HyperPhasePlan { weight: 1.0 - p, rate: 2.0 * (1.0 - p) * 50.0 },
        ];
        let (mean, cv) = moments(&LawPlan::HyperExponential { phases }, n);
        assert!((mean * 50.0 - 1.0).abs() < 0.024 && (cv - 3.0).abs() < 0.09, "{mean} {cv}");
        let batch = LawPlan::Batch { rate: 50.0, mean_requests: 8.0, spacing_s: 0.001 };
        let (mean, _) = moments(&batch, n);
        assert!((mean * 50.0 - 1.0).abs() < 0.03, "{mean}");
    }

    #[test]
    fn laws_that_cannot_be_are_refused() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Law::new(&LawPlan::Poisson { rate }).is_err());
        }
        assert!(Law::new(&LawPlan::HyperExponential { phases: vec![] }).is_err());
        let batch = |spacing_s| LawPlan::Batch { rate: 100.0, mean_requests: 10.0, spacing_s };
        assert!(Law::new(&batch(0.01)).is_ok() && Law::new(&batch(0.02)).is_err());
    }
}
