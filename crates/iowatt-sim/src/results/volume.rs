//! Figures of virtual pools over the window.

use crate::clock::Nanos;
use crate::volume::{Movement, PartTally, Scheme, Schemes, Tally};
use serde::Serialize;

/// Figures of one virtual pool. Pairs are of reads and writes; requests count where they enter the window, bytes of
/// transfers where these are opened in it.
#[derive(Clone, Debug, Serialize)]
pub struct VirtualPoolResult {
    /// Requests.
    pub requests: [u64; 2],
    /// Their bytes.
    pub bytes: [u64; 2],
    /// Moves that ended: an extent, or a pair that changed places.
    pub migrations: u64,
    /// Moves that were due and could not start then.
    pub postponed: u64,
    /// Copies that were written back.
    pub write_backs: u64,
    /// Copies that were given up.
    pub evictions: u64,
    /// Pieces of requests that moves held up.
    pub held: u64,
    /// Time that they were held.
    pub held_ns: Nanos,
    /// Bytes of copies that their home does not have at the end.
    pub dirty_bytes_at_end: u64,
    /// Of each part.
    pub parts: Vec<PartResult>,
    /// The extents that were accessed most, where the plan asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hottest: Option<Vec<u32>>,
    /// What schemes that move data for the sake of power count besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movement: Option<Movement>,
}

/// Figures of one part.
#[derive(Clone, Debug, Serialize)]
pub struct PartResult {
    /// Requests all of which was there.
    pub hits: [u64; 2],
    /// Bytes of requests that were there.
    pub hit_bytes: [u64; 2],
    /// Bytes that came from a slower part.
    pub promoted_bytes: u64,
    /// Bytes that came from a faster part.
    pub demoted_bytes: u64,
    /// Bytes read and written for requests.
    pub request_bytes: [u64; 2],
    /// Bytes read and written by moves.
    pub migration_bytes: [u64; 2],
    /// Bytes that hold data at the end, where the scheme knows.
    pub occupied_bytes_at_end: Option<u64>,
}

impl VirtualPoolResult {
    /// The figures of a virtual pool.
    #[must_use]
    pub fn new(tally: &Tally, scheme: &Schemes) -> Self {
        let part = |(number, part): (usize, &PartTally)| PartResult {
            hits: part.hits,
            hit_bytes: part.hit_bytes,
            promoted_bytes: part.promoted_bytes,
            demoted_bytes: part.demoted_bytes,
            request_bytes: part.request_bytes,
            migration_bytes: part.migration_bytes,
            occupied_bytes_at_end: scheme.occupied_bytes(number),
        };
        Self {
            requests: tally.requests,
            bytes: tally.bytes,
            migrations: tally.migrations,
            postponed: tally.postponed,
            write_backs: tally.write_backs,
            evictions: tally.evictions,
            held: tally.held,
            held_ns: tally.held_ns,
            dirty_bytes_at_end: scheme.dirty_bytes(),
            parts: tally.parts.iter().enumerate().map(part).collect(),
            hottest: scheme.hottest(),
            movement: scheme.movement(),
        }
    }
}
