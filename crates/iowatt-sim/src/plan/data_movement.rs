//! Schemes that move data so that drives may stop.

use super::VirtualPoolPlan;
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

fn check(ok: bool, what: &str) -> Result<(), String> {
    if ok { Ok(()) } else { Err(what.to_owned()) }
}

impl WriteOffLoadingPlan {
    pub(super) fn validate(&self, pool: &VirtualPoolPlan) -> Result<(), String> {
        check(self.off_load_after_s >= 0.0, "writes are off-loaded after a time that is not negative")?;
        check(self.log_fill > 0.0 && self.log_fill <= 1.0, "the fill of a log is a share")?;
        check(self.reclaims_at_once > 0, "reclaiming takes a move at least")?;
        check((4096..=1 << 40).contains(&self.log_bytes), "a log has 4 KiB to 1 TiB")?;
        let room = pool.parts.iter().all(|p| p.capacity_bytes / 4096 > self.log_bytes / 4096);
        check(room, "a part holds no more than its log")
    }
}

impl MaidPlan {
    pub(super) fn validate(&self, pool: &VirtualPoolPlan) -> Result<(), String> {
        let line = self.line_bytes;
        check(
            line.is_power_of_two() && (512..=65_536).contains(&line),
            "a line is a power of two, 512 B to 64 KiB",
        )?;
        check(self.log_after_s >= 0.0, "writes are logged after a time that is not negative")?;
        check(self.log_fill > 0.0 && self.log_fill <= 1.0, "the fill of a cache is a share")?;
        check(self.destages_at_once > 0, "destaging takes a line at least")?;
        check(pool.parts.len() > 1, "MAID needs a cache and a data part")?;
        check(pool.parts.iter().all(|p| p.capacity_bytes >= line), "a part holds no line")
    }
}

impl PdcPlan {
    pub(super) fn validate(&self, pool: &VirtualPoolPlan) -> Result<(), String> {
        let (extent, step) = (self.extent_bytes, self.step_bytes);
        check(extent > 0 && extent.is_multiple_of(512), "an extent has whole sectors")?;
        check(
            step > 0 && step <= extent && step.is_multiple_of(512),
            "a step has whole sectors, within an extent",
        )?;
        check(extent / step <= 1 << 20, "an extent has no more than 2^20 steps")?;
        check(self.period_s > 0.0, "a period lasts some time")?;
        check((0.0..1.0).contains(&self.memory), "the weight of the past is a share, below 1")?;
        check(self.load_per_s.is_none_or(|load| load > 0.0), "a part may be given some load")?;
        check(self.migrations_at_once > 0, "migrating takes a move at least")?;
        let slots = |bytes: u64| bytes / extent;
        let spare = self.migrations_at_once as u64;
        check(
            pool.parts.iter().all(|p| slots(p.capacity_bytes) > spare),
            "a part has no extent beyond its free ones",
        )?;
        let extents: u64 = pool.parts.iter().map(|p| slots(p.capacity_bytes)).sum();
        check(extents <= 1 << 31, "no more than 2^31 extents")
    }
}
