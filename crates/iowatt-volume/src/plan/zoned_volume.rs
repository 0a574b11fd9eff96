//! The plan of a virtual pool whose part is written zone by zone, by a log-structured host.

use super::error::PlanFault::{Capacity, Range};
use super::error::{PlanError, check};
use serde::Deserialize;

/// Most units of a part: places are numbered in 32 bits, with some numbers to spare.
const MOST_UNITS: u64 = 1 << 31;

/// Choice of a victim.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GcPolicy {
    /// The one with the least valid data.
    Greedy,
    /// The one written longest ago.
    Fifo,
    /// The one with the greatest age x free share / (2 x valid share) (Rosenblum and Ousterhout 1992, Kawaguchi et
    /// al. 1995).
    CostBenefit,
}

/// A log over the zones of one part.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ZonedVolumePlan {
    /// Bytes of the address space; whole units.
    pub capacity_bytes: u64,
    /// Bytes that are mapped and moved as a whole; a multiple of the sector.
    pub unit_bytes: u64,
    /// Bytes of a zone of the part; whole units. The part begins with a zone.
    pub zone_bytes: u64,
    /// Cleaning begins when no more zones than this are free.
    pub free_zones: u32,
    /// Which zone is cleaned.
    pub policy: GcPolicy,
    /// Whether what cleaning moves goes to zones of its own.
    pub hot_cold: bool,
    /// Whether cleaning keeps step with the writes of hosts; else it goes on as fast as the drives allow.
    pub in_step: bool,
    /// Most bytes that one write to a zone has.
    pub write_bytes: u64,
    /// Bytes of a zone that a step of cleaning looks at.
    pub step_bytes: u64,
    /// Steps of cleaning under way at a time.
    pub steps_at_once: u32,
    /// Whether a step reads what lies between its valid units, too, in one transfer.
    pub reads_through: bool,
    /// What is there at the start; none: nothing.
    pub initial: Option<ZonedInitialPlan>,
}

/// Zones as after a long time of random writes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ZonedInitialPlan {
    /// Share of the addresses that hold data, from the first on; above 0 and at most 1.
    pub fill: f64,
    /// Bytes of consecutive addresses that lie together; whole units.
    pub run_bytes: u64,
}

impl ZonedVolumePlan {
    /// Zones of a part of so many bytes.
    #[must_use]
    pub fn zones(&self, part_bytes: u64) -> u64 {
        part_bytes / self.zone_bytes
    }

    /// Zones that hold data in steady state: all but those kept free and those being written.
    #[must_use]
    pub fn rotation(&self, part_bytes: u64) -> u64 {
        self.zones(part_bytes).saturating_sub(self.kept())
    }

    /// Zones that are free or being written in steady state.
    fn kept(&self) -> u64 {
        u64::from(self.free_zones) + 1 + u64::from(self.hot_cold)
    }

    pub(super) fn validate(&self, part_bytes: u64) -> Result<(), PlanError> {
        let whole = |bytes: u64, of: u64| bytes > 0 && bytes.is_multiple_of(of);
        check(self.unit_bytes > 0, Range, "unit_bytes", "must be at least 1")?;
        let unit = self.unit_bytes;
        check(whole(self.zone_bytes, unit), Range, "zone_bytes", "must be a multiple of unit_bytes")?;
        check(whole(self.capacity_bytes, unit), Range, "capacity_bytes", "must be a multiple of unit_bytes")?;
        check(whole(self.write_bytes, unit), Range, "write_bytes", "must be a multiple of unit_bytes")?;
        check(whole(self.step_bytes, unit), Range, "step_bytes", "must be a multiple of unit_bytes")?;
        check((1..=64).contains(&self.steps_at_once), Range, "steps_at_once", "must be 1 to 64")?;
        check(self.free_zones > 0, Range, "free_zones", "must be at least 1")?;
        let units = self.zones(part_bytes).saturating_mul(self.zone_bytes / unit);
        check(units < MOST_UNITS, Capacity, "unit_bytes", "must give fewer than 2^31 units")?;
        // Less than what rotates: else no zone would ever hold anything invalid.
        let room = self.rotation(part_bytes).saturating_mul(self.zone_bytes);
        check(
            self.capacity_bytes < room,
            Capacity,
            "capacity_bytes",
            "must be less than the zones hold that are neither kept free nor being written",
        )?;
        let Some(ZonedInitialPlan { fill, run_bytes }) = self.initial else { return Ok(()) };
        check(fill > 0.0 && fill <= 1.0, Range, "initial.fill", "must be above 0 and at most 1")?;
        check(whole(run_bytes, unit), Range, "initial.run_bytes", "must be a multiple of unit_bytes")
    }
}
