//! Copies of volumes on a remote array.

use super::PathPlan;
use iowatt_volume::PlanFault::{Conflict, Range, Reference};
use iowatt_volume::{PlanError, Under, at_least_zero, check};
use serde::Deserialize;

/// Volumes whose writes a remote array gets as well, in one order for all of them.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplicationPlan {
    /// The volumes.
    pub volumes: Vec<ReplicatedPlan>,
    /// The way to the remote array, from the ports of this one on. Nothing else goes by it.
    pub path: PathPlan,
    /// When a write is sent.
    pub mode: ReplicationMode,
    /// Seconds that the remote array takes for a write before its drives get it.
    pub service_s: f64,
    /// Most writes or extents on their way at a time, but for those that a host waits for.
    pub outstanding: u32,
    /// Bytes of an extent: what is sent again after a suspension, and in cycles.
    pub extent_bytes: u64,
    /// When the path carries nothing.
    #[serde(default)]
    pub outages: Vec<OutagePlan>,
}

/// A volume and its copy.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplicatedPlan {
    /// Index of the volume.
    pub volume: usize,
    /// Index of the volume on the remote array's drives; none: its drives are not simulated.
    #[serde(default)]
    pub copy: Option<usize>,
}

/// When writes are sent, and what the host waits for.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReplicationMode {
    /// A write is answered when both arrays have it.
    Synchronous {
        /// What becomes of writes while the path is lost.
        when_lost: WhenStuck,
    },
    /// A write is answered when this array has it, and sent in its turn.
    Journal {
        /// Bytes of answered writes that the remote array does not have yet, at most.
        bytes: u64,
        /// What becomes of writes that find no room.
        when_full: WhenStuck,
    },
    /// A write is answered when this array has it. Extents that were written in a cycle are sent in the next one.
    Cycles {
        /// Seconds.
        period_s: f64,
    },
}

/// What becomes of writes that cannot be sent.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WhenStuck {
    /// They wait.
    Wait,
    /// Replication is suspended: they are answered, and the extents that they change are sent when that is possible.
    Suspend,
}

/// A span in which a path carries nothing.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OutagePlan {
    /// When it begins, seconds from the start.
    pub at_s: f64,
    /// When it ends; none: not before the end.
    #[serde(default)]
    pub back_s: Option<f64>,
}

impl ReplicationPlan {
    /// Whether the plan is consistent with itself, over volumes of the given capacities.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, capacities: &[u64], sectors: u64) -> Result<(), PlanError> {
        check(!self.volumes.is_empty(), Range, "volumes", "must not be empty")?;
        for (number, pair) in self.volumes.iter().enumerate() {
            pair.validate(capacities).under_item("volumes", number)?;
        }
        self.path.validate().under("path")?;
        match self.mode {
            ReplicationMode::Synchronous { .. } => Ok(()),
            ReplicationMode::Journal { bytes, .. } => {
                check(bytes > 0, Range, "mode.bytes", "must be at least 1")
            }
            ReplicationMode::Cycles { period_s } => {
                check(period_s >= 1e-6, Range, "mode.period_s", "must be at least 1e-6")
            }
        }?;
        check(at_least_zero(self.service_s), Range, "service_s", "must be at least 0")?;
        check(self.outstanding > 0, Range, "outstanding", "must be at least 1")?;
        let whole = self.extent_bytes > 0 && self.extent_bytes.is_multiple_of(sectors.max(1));
        check(whole, Range, "extent_bytes", "must be a multiple of the sector size")?;
        let mut before = 0.0;
        for (number, outage) in self.outages.iter().enumerate() {
            let sound = || {
                let ordered = at_least_zero(outage.at_s) && outage.at_s >= before;
                check(ordered, Range, "at_s", "must be at least 0 and not before the end of the last one")?;
                check(
                    outage.back_s.is_none_or(|back| back > outage.at_s),
                    Range,
                    "back_s",
                    "must be after at_s",
                )
            };
            sound().under_item("outages", number)?;
            before = outage.back_s.unwrap_or(f64::INFINITY);
        }
        Ok(())
    }
}

impl ReplicatedPlan {
    fn validate(&self, capacities: &[u64]) -> Result<(), PlanError> {
        let own = capacities.get(self.volume);
        check(own.is_some(), Reference, "volume", "there is no such volume")?;
        let Some(copy) = self.copy else { return Ok(()) };
        check(capacities.get(copy).is_some(), Reference, "copy", "there is no such volume")?;
        check(copy != self.volume, Conflict, "copy", "is the volume itself")?;
        check(capacities.get(copy) >= own, Conflict, "copy", "is smaller than the volume")
    }
}
