//! What is counted of the cache.

/// What a request found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Requests to the pools that it asked for.
    pub asked: u32,
    /// Requests of others that it waits for.
    pub joined: u32,
    /// Granules that were here (read) or whose lines were (write).
    pub present: u64,
}

impl Found {
    /// What the parts of a request found together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            asked: self.asked + other.asked,
            joined: self.joined + other.joined,
            present: self.present + other.present,
        }
    }
}

/// Requests looked up, bytes in whole granules; reads and writes apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Requests looked up.
    pub requests: [u64; 2],
    /// Of those, hits. A read hits where all of its data is here, a write where all of its lines are.
    pub hits: [u64; 2],
    /// Bytes looked up.
    pub bytes: [u64; 2],
    /// Of those, bytes that were here (reads) or lie in lines that were (writes).
    pub hit_bytes: [u64; 2],
    /// Reads that asked the pools for nothing and waited for what others had asked for. No hits.
    pub delayed_hits: u64,
}

/// What else is counted; bytes in whole granules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheTotals {
    /// Reads from the pools.
    pub fetches: u64,
    /// Their bytes.
    pub fetched_bytes: u64,
    /// Completed writes of dirty data to the pools.
    pub destages: u64,
    /// Their bytes.
    pub destaged_bytes: u64,
    /// Clean lines that gave way.
    pub evictions: u64,
    /// Writes that found no clean or free line.
    pub waits_for_space: u64,
    /// Time that they waited for one.
    pub space_wait_ns: u64,
    /// Bytes of writes that replaced dirty ones, which are destaged once.
    pub overwritten_bytes: u64,
    /// Hot lines that the destager passed over.
    pub kept_back: u64,
    /// Bytes asked for ahead of reads.
    pub ahead_bytes: u64,
    /// Of those, bytes that a read then asked for.
    pub ahead_used_bytes: u64,
    /// Of those, bytes that gave way or were overwritten before any read asked for them.
    pub ahead_wasted_bytes: u64,
}
