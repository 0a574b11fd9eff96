//! Counts of the schemes that move data by themselves.

use crate::time::Nanos;
use serde::Serialize;

/// Counts within the observed window.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Movement {
    /// MAID.
    Maid(MaidTotals),
    /// Popular data concentration.
    Pdc(PdcTotals),
    /// Write off-loading.
    WriteOffLoading(WriteOffLoadingTotals),
    /// A log over zones.
    Zoned(ZonedTotals),
}

/// MAID, over the observed window.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct MaidTotals {
    /// Requests to read.
    pub reads: u64,
    /// Of those, answered by the cache alone.
    pub read_hits: u64,
    /// Their bytes.
    pub read_bytes: u64,
    /// Bytes of reads that the cache answered.
    pub read_hit_bytes: u64,
    /// Requests to write, each part that lies on one data drive by itself.
    pub writes: u64,
    /// Of those, taken by the cache alone.
    pub logged_writes: u64,
    /// Their bytes.
    pub logged_bytes: u64,
    /// Bytes copied to the cache after they were read.
    pub copied_bytes: u64,
    /// Dirty bytes that went to the data drives.
    pub destaged_bytes: u64,
    /// Lines that gave way.
    pub evictions: u64,
    /// Times that a data drive's dirty lines were written because too much of the cache was dirty.
    pub drains: u64,
    /// Bytes that the cache alone holds, now.
    pub dirty_bytes_at_end: u64,
}

/// Popular data concentration, over the observed window.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PdcTotals {
    /// Requests by part, each piece of one that lies in another extent by itself.
    pub requests_by_part: Vec<u64>,
    /// Extents that changed their place.
    pub migrations: u64,
    /// Bytes copied for that, copies that had to be repeated included.
    pub migrated_bytes: u64,
    /// Moves that were still waiting when the next period began.
    pub given_up: u64,
    /// Writes that waited for a move to end.
    pub held_writes: u64,
}

/// Write off-loading, over the observed window; what logs hold is that of the whole run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct WriteOffLoadingTotals {
    /// Requests to write (parts of them, where they span homes) that went to a log.
    pub off_loaded_writes: u64,
    /// Their bytes.
    pub off_loaded_bytes: u64,
    /// Requests to write that went home although it did not spin, because no log could take them.
    pub refused_writes: u64,
    /// Requests to read, or parts of them, that logs answered at least in part.
    pub log_reads: u64,
    /// Bytes that logs answered.
    pub log_read_bytes: u64,
    /// Off-loaded bytes that were written anew before they were reclaimed.
    pub superseded_bytes: u64,
    /// Bytes moved home.
    pub reclaimed_bytes: u64,
    /// Moves that brought them.
    pub reclaims: u64,
    /// Times that a home was emptied because a log filled up.
    pub drains: u64,
    /// Most bytes that logs held together at any time, before the window too.
    pub log_bytes_most: u64,
    /// Bytes that only logs hold, now.
    pub log_bytes_at_end: u64,
}

/// A log over zones, over the observed window.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ZonedTotals {
    /// Bytes of hosts' units written to zones.
    pub written_bytes: u64,
    /// Bytes that cleaning moved.
    pub moved_bytes: u64,
    /// Bytes that cleaning read, what lies between valid units included.
    pub cleaning_read_bytes: u64,
    /// Bytes read so that a part of a unit could be written.
    pub modify_bytes: u64,
    /// Bytes of reads of what was never written.
    pub unwritten_bytes: u64,
    /// Writes of hosts' data to zones.
    pub zone_writes: u64,
    /// Transfers that reads took.
    pub read_transfers: u64,
    /// Zones reset.
    pub zones_reset: u64,
    /// Times that writes of hosts had to wait for a free zone.
    pub stalls: u64,
    /// How long, together, nanoseconds.
    pub stalled_ns: Nanos,
}
