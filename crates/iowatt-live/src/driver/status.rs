//! What a volume in service tells of itself.

use super::{Driver, lock};
use iowatt_volume::time::seconds;
use iowatt_volume::{PoolCounts, Scheme};
use serde::Serialize;
use std::sync::atomic::Ordering;

/// Counts of one part since the volume was started; pairs are of reads and writes.
#[derive(Clone, Debug, Serialize)]
pub struct PartStatus {
    /// Requests with all of their bytes on the part.
    pub hits: [u64; 2],
    /// Bytes of requests that were on the part.
    pub hit_bytes: [u64; 2],
    /// Bytes moved to it from the slower part.
    pub promoted_bytes: u64,
    /// Bytes moved to it from the faster part.
    pub demoted_bytes: u64,
    /// Bytes read and written for requests.
    pub request_bytes: [u64; 2],
    /// Bytes read and written by moves.
    pub migration_bytes: [u64; 2],
    /// Bytes that hold data, where the policy counts them.
    pub occupied_bytes: Option<u64>,
}

/// Counts since the volume was started, and its state.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Seconds since then.
    pub uptime_s: f64,
    /// Requests of each direction.
    pub requests: [u64; 2],
    /// Their bytes.
    pub bytes: [u64; 2],
    /// By part.
    pub parts: Vec<PartStatus>,
    /// Completed moves.
    pub migrations: u64,
    /// Moves that were due while too many were in flight or no space was free.
    pub postponed: u64,
    /// Copies written back.
    pub write_backs: u64,
    /// Copies given up.
    pub evictions: u64,
    /// Requests that waited for a move.
    pub held: u64,
    /// Seconds that they waited.
    pub held_s: f64,
    /// Bytes of copies that are not in the slow part yet.
    pub dirty_bytes: u64,
    /// Requests in flight.
    pub in_flight: usize,
    /// Batches made durable.
    pub commits: u64,
    /// Which checkpoint of the map is in use; none where there is no map.
    pub map_generation: Option<u64>,
    /// Errors of the stores.
    pub store_errors: u64,
    /// Why every request fails since; none while the volume serves.
    pub failed: Option<String>,
}

impl Driver {
    /// What was counted, and the map as the policy has it: tests compare both with the simulator's.
    #[doc(hidden)]
    pub fn results(&self) -> (PoolCounts, Vec<u32>) {
        let core = lock(&self.core);
        (core.io.counts.clone(), core.scheme.map())
    }

    /// How the volume stands.
    #[must_use]
    pub fn status(&self) -> Status {
        let map_generation = self.journal.as_ref().map(|journal| lock(journal).generation());
        let core = lock(&self.core);
        let (io, scheme) = (&core.io, &core.scheme);
        let part = |(number, counts): (usize, &iowatt_volume::PartCounts)| PartStatus {
            hits: counts.hits,
            hit_bytes: counts.hit_bytes,
            promoted_bytes: counts.promoted_bytes,
            demoted_bytes: counts.demoted_bytes,
            request_bytes: counts.request_bytes,
            migration_bytes: counts.migration_bytes,
            occupied_bytes: scheme.occupied_bytes(number),
        };
        Status {
            uptime_s: seconds(self.clock.now()),
            requests: io.counts.requests,
            bytes: io.counts.bytes,
            parts: io.counts.parts.iter().enumerate().map(part).collect(),
            migrations: io.counts.migrations,
            postponed: io.counts.postponed,
            write_backs: io.counts.write_backs,
            evictions: io.counts.evictions,
            held: io.counts.held,
            held_s: io.counts.held_ns as f64 / 1e9,
            dirty_bytes: scheme.dirty_bytes(),
            in_flight: io.requests.len(),
            commits: self.commits.load(Ordering::Relaxed),
            map_generation,
            store_errors: io.store_errors,
            failed: io.failed.clone(),
        }
    }
}
