//! The plan of what goes wrong in a pool, and of how it gets well again.

use super::{PoolPlan, RaidLevel};
use iowatt_volume::PlanFault::{Conflict, Range, Reference};
use iowatt_volume::{PlanError, Under, check};
use serde::Deserialize;

/// Spares, failures and the rebuild of one pool.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RecoveryPlan {
    /// Drives' worth of spare space, in addition to the pool's `count`.
    pub spares: usize,
    /// Where the spare space lies.
    pub sparing: SpareKind,
    /// Drives that fail.
    pub failures: Vec<FailurePlan>,
    /// How lost drives are rebuilt.
    pub rebuild: RebuildPlan,
}

/// Where spare space lies.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SpareKind {
    /// On drives of its own, numbered after the others, which spin and wait.
    Dedicated,
    /// One unit of each stripe, rotated over all drives.
    Distributed,
}

/// The failure of a drive.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FailurePlan {
    /// Drive of the pool; dedicated spares come last.
    pub drive: usize,
    /// Seconds from the start.
    pub at_s: f64,
}

/// How a lost drive is rebuilt.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RebuildPlan {
    /// Seconds from the failure to the start.
    pub delay_s: f64,
    /// Bytes of the lost drive a second at most; none is without limit.
    pub rate_bytes_per_s: Option<f64>,
    /// Steps under way at a time.
    pub outstanding: u32,
    /// Bytes of each drive in a step; rounded up to whole stripe units.
    pub step_bytes: u64,
    /// Whether requests overtake the rebuild in the drives' queues.
    pub priority: RebuildPriority,
}

/// The rank of rebuild operations in a drive's queue.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RebuildPriority {
    /// Served where no operation of a request waits; what is in service is not interrupted.
    HostFirst,
    /// Among the others, as the discipline has it.
    Equal,
}

impl RecoveryPlan {
    pub(super) fn validate(&self, pool: &PoolPlan) -> Result<(), PlanError> {
        let level = pool.raid.level;
        let chunklets = pool.chunklets.is_some();
        let unused = self.spares == 0 && self.failures.is_empty();
        check(
            unused || chunklets || level != RaidLevel::Raid0,
            Conflict,
            "",
            "RAID-0 survives no failure and uses no spares",
        )?;
        let one_spare =
            self.spares == 1 && !matches!(level, RaidLevel::Raid0 | RaidLevel::Raid1 | RaidLevel::Raid4);
        check(
            self.sparing == SpareKind::Dedicated || chunklets || one_spare,
            Conflict,
            "sparing",
            "distributed sparing needs exactly one spare and RAID-10, RAID-5, RAID-6 or an erasure code",
        )?;
        for (number, failure) in self.failures.iter().enumerate() {
            let sound = || {
                check(failure.drive < pool.drives(), Reference, "drive", "the pool has no such drive")?;
                check(failure.at_s >= 0.0, Range, "at_s", "must be at least 0")?;
                let again = self.failures[..number].iter().any(|f| f.drive == failure.drive);
                check(!again, Conflict, "drive", "fails twice")
            };
            sound().under_item("failures", number)?;
        }
        self.rebuild.validate().under("rebuild")
    }
}

impl RebuildPlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(self.outstanding > 0, Range, "outstanding", "must be at least 1")?;
        check(self.step_bytes > 0, Range, "step_bytes", "must be at least 1")?;
        check(self.rate_bytes_per_s.is_none_or(|r| r > 0.0), Range, "rate_bytes_per_s", "must be positive")?;
        check(self.delay_s >= 0.0, Range, "delay_s", "must be at least 0")
    }
}
