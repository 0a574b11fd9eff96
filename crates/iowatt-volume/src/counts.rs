//! Counts of a virtual pool within the observed window, under the names that they have in results.

use crate::time::Nanos;
use serde::Serialize;

/// Counts of one part. Pairs are of reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PartCounts {
    /// Requests with all of their bytes on the part.
    pub hits: [u64; 2],
    /// Bytes of requests that were on the part.
    pub hit_bytes: [u64; 2],
    /// Bytes migrated to it from a slower part.
    pub promoted_bytes: u64,
    /// Bytes migrated to it from a faster part.
    pub demoted_bytes: u64,
    /// Bytes read and written for requests.
    pub request_bytes: [u64; 2],
    /// Bytes read and written by background moves.
    pub migration_bytes: [u64; 2],
    /// The counter that the present request is measured by, as it was before: request bytes, or hit bytes.
    #[serde(skip)]
    mark: u64,
}

impl PartCounts {
    /// Counts a transfer of `bytes`.
    pub fn transferred(&mut self, bytes: u64, write: bool, own: bool) {
        let way = if own { &mut self.migration_bytes } else { &mut self.request_bytes };
        way[usize::from(write)] += bytes;
    }
}

/// Counts of a virtual pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PoolCounts {
    /// Requests of each direction.
    pub requests: [u64; 2],
    /// Their bytes.
    pub bytes: [u64; 2],
    /// Of each part; who serialises adds what the part holds.
    #[serde(skip)]
    pub parts: Vec<PartCounts>,
    /// Completed moves: of an extent, or of a pair that changed places.
    pub migrations: u64,
    /// Moves that were due while too many were in flight or no space was free.
    pub postponed: u64,
    /// Copies that were written back.
    pub write_backs: u64,
    /// Copies that were evicted.
    pub evictions: u64,
    /// Requests that waited for a move.
    pub held: u64,
    /// Time that they waited.
    pub held_ns: Nanos,
}

impl PoolCounts {
    /// Zero counts, for so many parts.
    #[must_use]
    pub fn new(parts: usize) -> Self {
        Self {
            requests: [0; 2],
            bytes: [0; 2],
            parts: vec![PartCounts::default(); parts],
            migrations: 0,
            postponed: 0,
            write_backs: 0,
            evictions: 0,
            held: 0,
            held_ns: 0,
        }
    }

    /// Begins a request whose transfers show where its bytes are.
    pub fn begin(&mut self) {
        for part in &mut self.parts {
            part.mark = part.request_bytes[0] + part.request_bytes[1];
        }
    }

    /// Ends the request that began with [`Self::begin`]: its transfers are open.
    pub fn end(&mut self, bytes: u64, write: bool) {
        self.request(bytes, write);
        for part in &mut self.parts {
            let there = part.request_bytes[0] + part.request_bytes[1] - part.mark;
            part.hit_bytes[usize::from(write)] += there;
            part.hits[usize::from(write)] += u64::from(there >= bytes);
        }
    }

    /// Begins a request whose scheme reports where its bytes are ([`Self::located`]).
    pub fn begin_located(&mut self, write: bool) {
        for part in &mut self.parts {
            part.mark = part.hit_bytes[usize::from(write)];
        }
    }

    /// Ends the request that began with [`Self::begin_located`].
    pub fn end_located(&mut self, bytes: u64, write: bool) {
        self.request(bytes, write);
        for part in &mut self.parts {
            let there = part.hit_bytes[usize::from(write)] - part.mark;
            part.hits[usize::from(write)] += u64::from(there >= bytes);
        }
    }

    /// Counts a request of so many bytes.
    pub fn request(&mut self, bytes: u64, write: bool) {
        self.requests[usize::from(write)] += 1;
        self.bytes[usize::from(write)] += bytes;
    }

    /// Counts bytes of a request that were on `part`.
    pub fn located(&mut self, part: usize, bytes: u64, write: bool) {
        self.parts[part].hit_bytes[usize::from(write)] += bytes;
    }

    /// Counts a request that lay wholly on `part`.
    pub fn hit(&mut self, part: usize, write: bool) {
        self.parts[part].hits[usize::from(write)] += 1;
    }
}
