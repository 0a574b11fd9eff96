//! When drives fail, and what cannot be read of them.

use super::{not_negative, positive};
use iowatt_volume::PlanFault::Range;
use iowatt_volume::{PlanError, check};
use serde::Deserialize;

/// The time to failure of a drive; a replacement begins at age 0.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "law", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LifePlan {
    /// At one rate at every age.
    Exponential {
        /// Failures a second: -ln(1 - AFR) a year.
        per_s: f64,
    },
    /// Weibull: the hazard is `shape / scale_s * (age / scale_s)^(shape - 1)`.
    Weibull {
        /// Below 1 the hazard falls with age, above 1 it rises.
        shape: f64,
        /// Age that 1 / e of drives reach.
        scale_s: f64,
        /// Age of all drives at the start.
        #[serde(default)]
        age_s: f64,
    },
    /// A field table: a rate for each span of age, the last one for ever.
    Table {
        /// Age at which each span begins; the first is 0.
        from_s: Vec<f64>,
        /// Failures a second in each span.
        per_s: Vec<f64>,
        /// Age of all drives at the start.
        #[serde(default)]
        age_s: f64,
    },
}

/// Drives of a batch share a factor of their hazard, whose mean is 1; a replacement has a factor of its own.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchPlan {
    /// Batches of a group: member i is of batch i modulo this.
    pub batches: u32,
    /// The law of the factor.
    pub frailty: FrailtyPlan,
}

/// The law of a batch's factor.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "law", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FrailtyPlan {
    /// A share of batches is bad.
    TwoPoint {
        /// Share of bad batches.
        bad_share: f64,
        /// Hazard of a bad batch over that of a good one.
        factor: f64,
    },
    /// Gamma of mean 1.
    Gamma {
        /// Variance of the factor.
        variance: f64,
    },
}

/// Sectors that cannot be read when a rebuild needs them.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorPlan {
    /// Latent sector errors that appear on one drive a second.
    #[serde(default)]
    pub latent_per_s: f64,
    /// Time between two scrubs of a sector, which remove latent errors; none is no scrubbing.
    #[serde(default)]
    pub scrub_s: Option<f64>,
    /// Unrecoverable errors by byte read: 8 x the rate per bit.
    #[serde(default)]
    pub unrecoverable_per_byte: f64,
    /// Bytes lost by an unreadable sector in a stripe without redundancy left.
    #[serde(default = "sector")]
    pub lost_bytes: f64,
}

const fn sector() -> f64 {
    4096.0
}

impl LifePlan {
    pub(super) fn validate(&self) -> Result<(), PlanError> {
        match self {
            Self::Exponential { per_s } => positive(*per_s, "per_s"),
            Self::Weibull { shape, scale_s, age_s } => {
                check((0.1..=20.0).contains(shape), Range, "shape", "must be 0.1 to 20")?;
                positive(*scale_s, "scale_s")?;
                not_negative(*age_s, "age_s")
            }
            Self::Table { from_s, per_s, age_s } => {
                not_negative(*age_s, "age_s")?;
                let rising = from_s.first() == Some(&0.0) && from_s.is_sorted_by(|a, b| a < b);
                check(rising, Range, "from_s", "must begin at 0 and rise")?;
                let like = per_s.len() == from_s.len() && per_s.iter().all(|r| r.is_finite() && *r >= 0.0);
                check(like, Range, "per_s", "must have a rate of 0 or above for each age")?;
                positive(per_s.last().copied().unwrap_or(0.0), "per_s")
            }
        }
    }
}

impl BatchPlan {
    pub(super) fn validate(&self) -> Result<(), PlanError> {
        check(self.batches > 0, Range, "batches", "must be above 0")?;
        match self.frailty {
            FrailtyPlan::TwoPoint { bad_share, factor } => {
                let share = bad_share > 0.0 && bad_share < 1.0;
                check(share, Range, "frailty.bad_share", "must be above 0 and below 1")?;
                positive(factor, "frailty.factor")
            }
            FrailtyPlan::Gamma { variance } => positive(variance, "frailty.variance"),
        }
    }
}

impl ErrorPlan {
    pub(super) fn validate(&self) -> Result<(), PlanError> {
        not_negative(self.latent_per_s, "latent_per_s")?;
        self.scrub_s.map_or(Ok(()), |scrub_s| positive(scrub_s, "scrub_s"))?;
        not_negative(self.unrecoverable_per_byte, "unrecoverable_per_byte")?;
        not_negative(self.lost_bytes, "lost_bytes")
    }
}
