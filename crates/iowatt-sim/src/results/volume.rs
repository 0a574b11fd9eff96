//! Figures of virtual pools over the window.

use crate::volume::{Movement, PartCounts, PoolCounts, ReducedState, Scheme, Schemes};
use serde::Serialize;

/// Figures of one virtual pool. Pairs are of reads and writes; requests count where they enter the window, bytes of
/// transfers where these are opened in it.
#[derive(Clone, Debug, Serialize)]
pub struct VirtualPoolResult {
    /// Counts; those of parts are in `parts` alone.
    #[serde(flatten)]
    pub counts: PoolCounts,
    /// Bytes of copies that their home does not have at the end.
    pub dirty_bytes_at_end: u64,
    /// Of each part.
    pub parts: Vec<PartResult>,
    /// The extents that were accessed most, where the plan asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hottest: Option<Vec<u32>>,
    /// Capacity optimisation, where the scheme is that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduced: Option<ReducedResult>,
    /// What schemes that move data for the sake of power count besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movement: Option<Movement>,
}

/// What capacity optimisation did in the window, and what it holds at the end.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReducedResult {
    /// Pages written by requests, whole or in part.
    pub pages_written: u64,
    /// Of these, those whose contents existed.
    pub duplicates: u64,
    /// Pages that got their first place.
    pub allocated: u64,
    /// Bytes of reads of what was never written.
    pub unallocated_bytes: u64,
    /// Bytes read so that a part of a page could be written.
    pub modify_bytes: u64,
    /// Bytes copied for snapshots.
    pub copied_bytes: u64,
    /// Requests that waited for others to the same page.
    pub waited: u64,
    /// Pages given up, by trims or by writes of zeros.
    pub discarded: u64,
    /// Bytes of whole pages of zeros that were written.
    pub zero_bytes: u64,
    /// Bytes given back to the pool.
    pub reclaimed_bytes: u64,
    /// Of the bytes that are taken at the end, those that are still to be given back.
    pub leaving_bytes: u64,
    /// Page writes that found no space and were dropped.
    pub no_space: u64,
    /// Bytes that hosts have stored, at the end.
    pub logical_bytes: u64,
    /// Bytes that these and snapshots take.
    pub stored_bytes: u64,
    /// Bytes that snapshots keep.
    pub snapshot_bytes: u64,
    /// Snapshots taken since the start.
    pub snapshots: u32,
}

impl ReducedResult {
    fn new(state: ReducedState) -> Self {
        let ReducedState { counts, logical_bytes, stored_bytes, snapshot_bytes, leaving_bytes, snapshots } =
            state;
        Self {
            pages_written: counts.pages_written,
            duplicates: counts.duplicates,
            allocated: counts.allocated,
            unallocated_bytes: counts.unallocated_bytes,
            modify_bytes: counts.modify_bytes,
            copied_bytes: counts.copied_bytes,
            waited: counts.waited,
            discarded: counts.discarded,
            zero_bytes: counts.zero_bytes,
            reclaimed_bytes: counts.reclaimed_bytes,
            leaving_bytes,
            no_space: counts.no_space,
            logical_bytes,
            stored_bytes,
            snapshot_bytes,
            snapshots,
        }
    }
}

/// Figures of one part.
#[derive(Clone, Debug, Serialize)]
pub struct PartResult {
    /// Its counts.
    #[serde(flatten)]
    pub counts: PartCounts,
    /// Bytes that hold data at the end, where the scheme knows.
    pub occupied_bytes_at_end: Option<u64>,
}

impl VirtualPoolResult {
    /// The figures of a virtual pool.
    #[must_use]
    pub fn new(counts: &PoolCounts, scheme: &Schemes) -> Self {
        let part = |(number, part): (usize, &PartCounts)| PartResult {
            counts: part.clone(),
            occupied_bytes_at_end: scheme.occupied_bytes(number),
        };
        Self {
            counts: counts.clone(),
            dirty_bytes_at_end: scheme.dirty_bytes(),
            parts: counts.parts.iter().enumerate().map(part).collect(),
            hottest: scheme.hottest(),
            reduced: scheme.reduced().map(ReducedResult::new),
            movement: scheme.movement(),
        }
    }
}
