//! The plan of a virtual pool whose data is reduced: thin, without duplicates, compressed, with snapshots.

use super::error::PlanFault::{Capacity, Range};
use super::error::{PlanError, at_least_zero, check, is_share, positive};
use serde::Deserialize;

/// Capacity optimisation over one part.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReducedPlan {
    /// Bytes that are offered; whole pages.
    pub capacity_bytes: u64,
    /// Unit of allocation, of compression and of comparison; a multiple of the sector.
    pub page_bytes: u64,
    /// What a page takes when it is stored: the page, or less of it; a multiple of the sector.
    pub stored_bytes: u64,
    /// Share of the pages that hold data at the start.
    pub filled: f64,
    /// Share of the pages, those there at the start and those written, whose contents exist already.
    pub duplicates: f64,
    /// Time in the controller of a page that is written, or read and expanded; one page at a time.
    pub page_s: f64,
    /// Snapshots, if any are taken.
    pub snapshots: Option<SnapshotPlan>,
    /// Pages give their places back, where hosts trim them or write zeros; none: never.
    #[serde(default)]
    pub reclaim: Option<ReclaimPlan>,
}

/// How pages that hold nothing any more give their places back.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReclaimPlan {
    /// Pages that hosts trim.
    pub trims: bool,
    /// Whole pages of zeros that hosts write.
    pub zeros: bool,
    /// Bytes of the part given back a second, at most; none: at once.
    #[serde(default)]
    pub bytes_per_s: Option<f64>,
}

/// Delta snapshots: what is overwritten is kept as long as one of them needs it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SnapshotPlan {
    /// Time between two.
    pub interval_s: f64,
    /// How many are kept.
    pub retain: usize,
    /// What becomes of the old contents.
    pub method: SnapshotMethod,
}

/// Ways of keeping what is overwritten.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SnapshotMethod {
    /// It is copied elsewhere before the first write to its place.
    CopyOnWrite,
    /// It stays, and the write goes elsewhere.
    RedirectOnWrite,
}

impl ReducedPlan {
    /// Checks the plan over a part of so many bytes.
    pub(super) fn validate(&self, part_bytes: u64) -> Result<(), PlanError> {
        check(self.page_bytes > 0, Range, "page_bytes", "must be at least 1")?;
        check(
            self.stored_bytes > 0 && self.stored_bytes <= self.page_bytes,
            Range,
            "stored_bytes",
            "must be at least 1 and at most page_bytes",
        )?;
        let whole = self.capacity_bytes > 0 && self.capacity_bytes.is_multiple_of(self.page_bytes);
        check(whole, Range, "capacity_bytes", "must be a multiple of page_bytes")?;
        let pages = self.capacity_bytes / self.page_bytes;
        check(pages < 1 << 31, Capacity, "capacity_bytes", "must be fewer than 2^31 pages")?;
        let slots = part_bytes / self.stored_bytes;
        check(
            slots > 0 && slots < 1 << 31,
            Capacity,
            "stored_bytes",
            "the part must hold 1 to 2^31 - 1 stored pages",
        )?;
        check(is_share(self.filled), Range, "filled", "must be 0 to 1")?;
        check((0.0..=0.999).contains(&self.duplicates), Range, "duplicates", "must be 0 to 0.999")?;
        check(at_least_zero(self.page_s), Range, "page_s", "must be at least 0")?;
        let rate = self.reclaim.and_then(|reclaim| reclaim.bytes_per_s);
        let sound = rate.is_none_or(|rate| (1.0..=1e15).contains(&rate));
        check(sound, Range, "reclaim.bytes_per_s", "must be from 1 to 1e15")?;
        let Some(snapshots) = &self.snapshots else { return Ok(()) };
        check(positive(snapshots.interval_s), Range, "snapshots.interval_s", "must be positive")?;
        check(snapshots.retain > 0, Range, "snapshots.retain", "must be at least 1")
    }
}
