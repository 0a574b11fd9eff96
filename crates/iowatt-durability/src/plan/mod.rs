//! What is assessed: groups of drives under a code, what fails, and how it is repaired.
//!
//! SI units throughout; rates are per second. Unknown fields are refused.

mod code;
mod domain;
mod drives;
mod repair;

pub use code::CodePlan;
pub use domain::{DomainPlan, LayoutPlan};
pub use drives::{BatchPlan, ErrorPlan, FrailtyPlan, LifePlan};
pub use repair::{DelayPlan, Law, RepairPlan};

use iowatt_volume::PlanFault::{Conflict, Range, Reference};
use iowatt_volume::{PlanError, Under, check};
use serde::Deserialize;

/// A year of 8,760 hours, in seconds: what "a year" means in plan and results.
pub const YEAR_S: f64 = 31_536_000.0;

/// A whole assessment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// How far ahead losses are asked for.
    pub horizon_s: f64,
    /// Seed of the Monte Carlo engine.
    pub seed: u64,
    /// Which engine.
    #[serde(default)]
    pub method: Method,
    /// Half of the 95 % interval of the probability of loss, relative to it, at which trials end.
    #[serde(default = "relative_error")]
    pub relative_error: f64,
    /// Most trials of a group.
    #[serde(default = "most_trials")]
    pub most_trials: u64,
    /// Most CPU seconds of a group; where this ends it, the figures depend on the machine.
    #[serde(default = "most_cpu_s")]
    pub most_cpu_s: f64,
    /// Groups, each independent of the others.
    pub groups: Vec<GroupPlan>,
}

/// Which engine computes.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The Markov chain where it holds the group, else Monte Carlo.
    #[default]
    Auto,
    /// A continuous-time Markov chain; what it cannot hold is replaced, and the result says by what.
    Markov,
    /// Simulation with importance sampling.
    MonteCarlo,
}

/// Like groups, each with drives of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupPlan {
    /// Like groups.
    #[serde(default = "one")]
    pub count: u64,
    /// Drives of one group that hold data or parity; hot spares are not among them.
    pub members: u32,
    /// What losses the data survives.
    pub code: CodePlan,
    /// Bytes of users in one group.
    pub user_bytes: f64,
    /// Bytes of a drive that a rebuild reads: its capacity, or what is in use of it.
    pub drive_bytes: f64,
    /// When drives fail.
    pub life: LifePlan,
    /// Drives of a production batch that are good or bad together.
    #[serde(default)]
    pub batches: Option<BatchPlan>,
    /// From a failure back to full redundancy.
    pub repair: RepairPlan,
    /// Sectors that cannot be read.
    #[serde(default)]
    pub errors: ErrorPlan,
    /// Enclosures, controllers, nodes, racks.
    #[serde(default)]
    pub domains: Vec<DomainPlan>,
}

const fn relative_error() -> f64 {
    0.05
}

const fn most_trials() -> u64 {
    1 << 22
}

const fn most_cpu_s() -> f64 {
    60.0
}

const fn one() -> u64 {
    1
}

/// Whether `value` is finite and above zero.
pub(super) fn positive(value: f64, field: &str) -> Result<(), PlanError> {
    check(value.is_finite() && value > 0.0, Range, field, "must be above 0")
}

/// Whether `value` is finite and not below zero.
pub(super) fn not_negative(value: f64, field: &str) -> Result<(), PlanError> {
    check(value.is_finite() && value >= 0.0, Range, field, "must be 0 or above")
}

impl Plan {
    /// Checks what the types cannot say.
    ///
    /// # Errors
    /// [`PlanError`] with the field at fault.
    pub fn validate(&self) -> Result<(), PlanError> {
        positive(self.horizon_s, "horizon_s")?;
        positive(self.relative_error, "relative_error")?;
        positive(self.most_cpu_s, "most_cpu_s")?;
        check(self.most_trials > 0, Range, "most_trials", "must be above 0")?;
        check(!self.groups.is_empty(), Range, "groups", "there must be one at least")?;
        for (number, group) in self.groups.iter().enumerate() {
            group.validate().under_item("groups", number)?;
        }
        Ok(())
    }
}

impl GroupPlan {
    /// Expected unreadable sectors of one drive that is read whole; without scrubs they gather with its age.
    #[must_use]
    pub fn errors_by_drive(&self, age_s: f64) -> f64 {
        let there_s = self.errors.scrub_s.map_or(age_s, |scrub_s| scrub_s / 2.0);
        self.errors.latent_per_s * there_s + self.errors.unrecoverable_per_byte * self.drive_bytes
    }

    fn validate(&self) -> Result<(), PlanError> {
        check(self.count > 0, Range, "count", "must be above 0")?;
        check((1..=1 << 20).contains(&self.members), Range, "members", "must be 1 to 1048576")?;
        positive(self.user_bytes, "user_bytes")?;
        positive(self.drive_bytes, "drive_bytes")?;
        self.code.validate(self.members).under("code")?;
        self.life.validate().under("life")?;
        self.batches.as_ref().map_or(Ok(()), BatchPlan::validate).under("batches")?;
        self.repair.validate().under("repair")?;
        self.errors.validate().under("errors")?;
        for (number, domain) in self.domains.iter().enumerate() {
            domain.validate(self.members).under_item("domains", number)?;
        }
        if let CodePlan::Declustered { width, apart: Some(apart), .. } = self.code {
            let domain = self.domains.get(apart);
            check(domain.is_some(), Reference, "code.apart", "there is no such domain")?;
            let fits = domain.is_some_and(|domain| {
                domain.units >= width
                    && self.members.is_multiple_of(domain.units)
                    && !matches!(domain.layout, LayoutPlan::Given { .. })
            });
            let message = "needs as many units as a set is wide, like ones, by a rule of layout";
            check(fits, Conflict, "code.apart", message)?;
        }
        Ok(())
    }
}
