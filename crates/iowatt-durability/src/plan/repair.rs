//! From a failure back to full redundancy: detection, a spare or a replacement, the rebuild.

use super::{not_negative, positive};
use iowatt_volume::PlanFault::Range;
use iowatt_volume::{PlanError, check};
use serde::Deserialize;

/// The repair of lost members.
///
/// A detected loss orders a drive, which arrives after `replace`. A rebuild takes a spare where there is one, else the
/// next drive that arrives; what arrives unneeded restores the spares. Spares and drives under rebuild do not fail.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairPlan {
    /// From the failure until it is noticed.
    #[serde(default)]
    pub detect: DelayPlan,
    /// Hot spares of one group, or spare space in drives.
    #[serde(default)]
    pub spares: u32,
    /// From notice until people have put in another drive.
    #[serde(default)]
    pub replace: DelayPlan,
    /// Mean time of the rebuild of one member, by members lost at the time (the last holds for more): `[0]` is with one.
    pub rebuild_s: Vec<f64>,
    /// The law of the rebuild's time.
    #[serde(default)]
    pub rebuild_law: Law,
    /// Whether all lost members are rebuilt at once, or one after the other.
    #[serde(default)]
    pub at_once: bool,
    /// Whether what has the least redundancy left is rebuilt first; else any, drawn at random.
    #[serde(default)]
    pub critical_first: bool,
}

/// A time that passes before something happens.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct DelayPlan {
    /// Mean; 0 is at once.
    pub mean_s: f64,
    /// Its law.
    #[serde(default)]
    pub law: Law,
}

/// The law of a time.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Always its mean.
    Fixed,
    /// Exponential.
    #[default]
    Exponential,
}

impl RepairPlan {
    pub(super) fn validate(&self) -> Result<(), PlanError> {
        not_negative(self.detect.mean_s, "detect.mean_s")?;
        not_negative(self.replace.mean_s, "replace.mean_s")?;
        check(self.spares <= 1024, Range, "spares", "must not be above 1024")?;
        check(!self.rebuild_s.is_empty(), Range, "rebuild_s", "there must be one at least")?;
        self.rebuild_s.iter().try_for_each(|&mean_s| positive(mean_s, "rebuild_s"))
    }

    /// Whether a time has a fixed length.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        let delays = [self.detect, self.replace];
        self.rebuild_law == Law::Fixed
            || delays.iter().any(|delay| delay.mean_s > 0.0 && delay.law == Law::Fixed)
    }

    /// Mean time of the rebuild of one member with so many lost.
    #[must_use]
    pub fn rebuild_s(&self, lost: usize) -> f64 {
        self.rebuild_s[lost.clamp(1, self.rebuild_s.len()) - 1]
    }
}
