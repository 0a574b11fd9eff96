//! What is found.

use serde::{Deserialize, Serialize};

/// Reads and writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Of reads.
    pub read: u64,
    /// Of writes.
    pub write: u64,
}

impl Counts {
    /// Adds a number, and how many of it belong to writes.
    pub(super) fn add(&mut self, [all, writes]: [u64; 2]) {
        self.read += all - writes;
        self.write += writes;
    }
}

/// What passed by, or the part of it that hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// Requests; hits are those all of whose blocks are here.
    pub requests: Counts,
    /// Their bytes; hits are those in blocks that are here.
    pub bytes: Counts,
    /// References to blocks or objects.
    pub references: Counts,
}

/// What became of one cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheOutcome {
    /// Blocks or objects that it may hold.
    pub slots: u64,
    /// Blocks or objects that it held in the end.
    pub held: u64,
    /// Blocks or objects that gave way, the warm-up included.
    pub evictions: u64,
    /// What hit after the warm-up.
    pub hits: Pass,
}

/// What became of all caches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Reads and writes of the warm-up, of which nothing else is counted.
    pub warm_up_requests: u64,
    /// What passed by afterwards.
    pub all: Pass,
    /// Different blocks or objects that were touched, the warm-up included.
    pub footprint: u64,
    /// Greatest end of a request, in bytes.
    pub span_bytes: u64,
    /// Trims and flushes, which are passed over.
    pub other_requests: u64,
    /// The caches.
    pub caches: Vec<CacheOutcome>,
}
