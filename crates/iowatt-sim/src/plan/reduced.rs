//! The plan of a virtual pool whose data is reduced: thin, without duplicates, compressed, with snapshots.

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
    /// Whether so many bytes can hold it.
    pub(super) fn validate(&self, part_bytes: u64) -> Result<(), String> {
        let check = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        check(self.page_bytes > 0 && self.stored_bytes > 0, "a page takes space")?;
        check(self.stored_bytes <= self.page_bytes, "a stored page is not larger than the page")?;
        let whole = self.capacity_bytes > 0 && self.capacity_bytes.is_multiple_of(self.page_bytes);
        check(whole, "what is offered must be whole pages")?;
        check(self.capacity_bytes / self.page_bytes < 1 << 31, "a virtual pool has at most 2^31 pages")?;
        let slots = part_bytes / self.stored_bytes;
        check(slots > 0 && slots < 1 << 31, "a part must hold from 1 to 2^31 stored pages")?;
        check((0.0..=1.0).contains(&self.filled), "filled must be a share")?;
        check((0.0..=0.999).contains(&self.duplicates), "duplicates must be a share under 0.999")?;
        check(self.page_s.is_finite() && self.page_s >= 0.0, "a page's time must not be negative")?;
        self.snapshots.map_or(Ok(()), |s| {
            check(s.interval_s.is_finite() && s.interval_s > 0.0, "snapshots need a time between them")?;
            check(s.retain > 0, "at least 1 snapshot must be kept")
        })
    }
}
