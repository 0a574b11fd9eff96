//! Figures of the controller and its cache.

use crate::clock::Nanos;
use crate::controller::Controller;
use crate::controller::cache::Cache;
use crate::controller::station::Station;
use serde::Serialize;

/// Figures of one controller: of each part that it has.
#[derive(Clone, Debug, Serialize)]
pub struct ControllerResult {
    /// The processors.
    pub processors: Option<StationResult>,
    /// The link to the hosts.
    pub link: Option<StationResult>,
    /// The cache.
    pub cache: Option<CacheResult>,
}

/// Figures of a station over the window.
#[derive(Clone, Debug, Serialize)]
pub struct StationResult {
    /// Arrivals.
    pub visits: u64,
    /// Busy share of its servers.
    pub utilisation: f64,
    /// Time that arrivals waited for a server.
    pub wait_ns: Nanos,
}

/// Figures of a cache over the window. Requests and bytes are counted where they enter the window.
#[derive(Clone, Debug, Serialize)]
pub struct CacheResult {
    /// Reads looked up.
    pub reads: u64,
    /// Of those, with all of their data in the cache.
    pub read_hits: u64,
    /// Reads that waited for nothing but what others had asked for.
    pub delayed_hits: u64,
    /// Writes looked up.
    pub writes: u64,
    /// Of those, with all of their lines in the cache.
    pub write_hits: u64,
    /// Bytes of reads.
    pub read_bytes: u64,
    /// Of those, in the cache.
    pub read_hit_bytes: u64,
    /// Bytes of writes.
    pub write_bytes: u64,
    /// Of those, to lines in the cache.
    pub write_hit_bytes: u64,
    /// Reads from the pools.
    pub fetches: u64,
    /// Their bytes.
    pub fetched_bytes: u64,
    /// Writes of dirty data to the pools.
    pub destages: u64,
    /// Their bytes.
    pub destaged_bytes: u64,
    /// Lines that gave way.
    pub evictions: u64,
    /// Writes that waited for a clean or free line.
    pub waits_for_space: u64,
    /// Time that they waited.
    pub space_wait_ns: Nanos,
    /// Bytes that are in the cache only at the end.
    pub dirty_bytes_at_end: u64,
}

impl ControllerResult {
    /// The figures of `controller` over `span`.
    #[must_use]
    pub fn new(controller: &Controller, span: Nanos) -> Self {
        Self {
            processors: controller.processors().map(|s| StationResult::new(s, span)),
            link: controller.link().map(|s| StationResult::new(s, span)),
            cache: controller.cache().map(CacheResult::new),
        }
    }
}

impl StationResult {
    fn new(station: &Station, span: Nanos) -> Self {
        let available = span as f64 * station.servers() as f64;
        Self {
            visits: station.visits,
            utilisation: if span == 0 { 0.0 } else { station.busy as f64 / available },
            wait_ns: station.waited,
        }
    }
}

impl CacheResult {
    fn new(cache: &Cache) -> Self {
        let t = &cache.totals;
        let ([reads, writes], [read_hits, write_hits]) = (t.requests, t.hits);
        let ([read_bytes, write_bytes], [read_hit_bytes, write_hit_bytes]) = (t.bytes, t.hit_bytes);
        Self {
            reads,
            read_hits,
            delayed_hits: t.delayed_hits,
            writes,
            write_hits,
            read_bytes,
            read_hit_bytes,
            write_bytes,
            write_hit_bytes,
            fetches: t.fetches,
            fetched_bytes: t.fetched_bytes,
            destages: t.destages,
            destaged_bytes: t.destaged_bytes,
            evictions: t.evictions,
            waits_for_space: t.waits_for_space,
            space_wait_ns: t.space_wait_ns,
            dirty_bytes_at_end: cache.dirty_bytes(),
        }
    }
}
