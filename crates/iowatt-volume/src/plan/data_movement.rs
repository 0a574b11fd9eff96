//! Schemes that move data so that drives may stop.

use super::error::PlanFault::{Capacity, Count, Range};
use super::error::{PlanError, check};
use super::{PartPlan, VirtualPoolPlan};
use serde::Deserialize;

/// Write off-loading; the parts are homes that end with a log each.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WriteOffLoadingPlan {
    /// Bytes of the log at the end of each part.
    pub log_bytes: u64,
    /// Seconds after the last read that only its home could answer, from which writes are off-loaded; a log's use keeps its part up
    /// for as long.
    pub off_load_after_s: f64,
    /// Share of a log in use above which a home is brought up to take what it has there.
    pub log_fill: f64,
    /// Most bytes that one move brings home.
    pub reclaim_bytes: u64,
    /// Moves at a time.
    pub reclaims_at_once: usize,
}

/// MAID; the first part is the cache.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MaidPlan {
    /// Bytes of a line of the cache: a power of two, 512 to 65,536.
    pub line_bytes: u64,
    /// Writes to drives that are not needed for reads go to the cache alone.
    pub log_writes: bool,
    /// Seconds after the last read from a data drive from which its writes are logged.
    pub log_after_s: f64,
    /// Share of the cache's lines that may be dirty before a drive is brought up to take some.
    pub log_fill: f64,
    /// Lines written to data drives at a time.
    pub destages_at_once: usize,
}

/// Popular data concentration; the most popular extents go to the first part.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PdcPlan {
    /// Bytes of what is ranked and moved as a whole.
    pub extent_bytes: u64,
    /// Seconds between two rankings.
    pub period_s: f64,
    /// Weight of what was before a period, 0 to below 1.
    pub memory: f64,
    /// Requests per second that a part is given at most; none: as many as there are.
    pub load_per_s: Option<f64>,
    /// Extents on their way at a time; so many slots of each part stay free for that.
    pub migrations_at_once: usize,
    /// Bytes that are copied at a time.
    pub step_bytes: u64,
}

impl WriteOffLoadingPlan {
    pub(super) fn validate(&self, pool: &VirtualPoolPlan) -> Result<(), PlanError> {
        check(self.off_load_after_s >= 0.0, Range, "off_load_after_s", "must be at least 0")?;
        check(is_fill(self.log_fill), Range, "log_fill", "must be above 0 and at most 1")?;
        check(self.reclaims_at_once > 0, Range, "reclaims_at_once", "must be at least 1")?;
        check((4096..=1 << 40).contains(&self.log_bytes), Range, "log_bytes", "must be 4 KiB to 1 TiB")?;
        let room = pool.parts.iter().all(|p| p.capacity_bytes / 4096 > self.log_bytes / 4096);
        check(room, Capacity, "log_bytes", "must be less than each part holds")
    }
}

impl MaidPlan {
    pub(super) fn validate(&self, pool: &VirtualPoolPlan) -> Result<(), PlanError> {
        let line = self.line_bytes;
        check(
            line.is_power_of_two() && (512..=65_536).contains(&line),
            Range,
            "line_bytes",
            "must be a power of two from 512 B to 64 KiB",
        )?;
        check(self.log_after_s >= 0.0, Range, "log_after_s", "must be at least 0")?;
        check(is_fill(self.log_fill), Range, "log_fill", "must be above 0 and at most 1")?;
        check(self.destages_at_once > 0, Range, "destages_at_once", "must be at least 1")?;
        check(pool.parts.len() > 1, Count, "", "MAID needs a cache part and a data part")?;
        let room = pool.parts.iter().all(|p| p.capacity_bytes >= line);
        check(room, Capacity, "line_bytes", "each part must hold a line")
    }
}

impl PdcPlan {
    pub(super) fn validate(&self, pool: &VirtualPoolPlan) -> Result<(), PlanError> {
        let (extent, step) = (self.extent_bytes, self.step_bytes);
        let sectors = |bytes: u64| bytes > 0 && bytes.is_multiple_of(512);
        check(sectors(extent), Range, "extent_bytes", "must be a multiple of 512")?;
        check(
            sectors(step) && step <= extent,
            Range,
            "step_bytes",
            "must be a multiple of 512 and at most extent_bytes",
        )?;
        check(extent / step <= 1 << 20, Range, "step_bytes", "an extent must have at most 2^20 steps")?;
        check(self.period_s > 0.0, Range, "period_s", "must be positive")?;
        check((0.0..1.0).contains(&self.memory), Range, "memory", "must be at least 0 and below 1")?;
        check(self.load_per_s.is_none_or(|load| load > 0.0), Range, "load_per_s", "must be positive")?;
        check(self.migrations_at_once > 0, Range, "migrations_at_once", "must be at least 1")?;
        let slots = |part: &PartPlan| part.capacity_bytes / extent;
        let spare = self.migrations_at_once as u64;
        let room = pool.parts.iter().all(|part| slots(part) > spare);
        check(room, Capacity, "extent_bytes", "each part must hold more extents than migrations_at_once")?;
        let extents: u64 = pool.parts.iter().map(slots).sum();
        check(extents <= 1 << 31, Capacity, "extent_bytes", "must give at most 2^31 extents")
    }
}

/// Whether a share of a log or cache is above 0 and at most 1.
fn is_fill(share: f64) -> bool {
    share > 0.0 && share <= 1.0
}
