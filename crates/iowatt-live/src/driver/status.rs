//! What a volume in service tells of itself.

use super::{Driver, lock};
use iowatt_volume::time::seconds;
use iowatt_volume::{PartCounts, PoolCounts, Scheme, Schemes};
use serde::Serialize;
use std::sync::atomic::Ordering;

/// A part since the volume was started.
#[derive(Clone, Debug, Serialize)]
pub struct PartStatus {
    /// Its counts.
    #[serde(flatten)]
    pub counts: PartCounts,
    /// Bytes that hold data, where the policy counts them.
    pub occupied_bytes: Option<u64>,
}

/// Counts since the volume was started, and its state.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Seconds since then.
    pub uptime_s: f64,
    /// Counts; those of parts are in `parts` alone.
    #[serde(flatten)]
    pub counts: PoolCounts,
    /// By part.
    pub parts: Vec<PartStatus>,
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
    /// Lets somebody look at what is counted, and at the policy.
    pub fn inspect<T>(&self, look: impl FnOnce(&PoolCounts, &Schemes) -> T) -> T {
        let core = lock(&self.core);
        look(&core.io.counts, &core.scheme)
    }

    /// What was counted, and the map as the policy has it: tests compare both with the simulator's.
    #[doc(hidden)]
    pub fn results(&self) -> (PoolCounts, Vec<u32>) {
        self.inspect(|counts, scheme| (counts.clone(), scheme.map()))
    }

    /// How the volume stands.
    #[must_use]
    pub fn status(&self) -> Status {
        let map_generation = self.journal.as_ref().map(|journal| lock(journal).generation());
        let core = lock(&self.core);
        let (io, scheme) = (&core.io, &core.scheme);
        let part = |(number, counts): (usize, &PartCounts)| PartStatus {
            counts: counts.clone(),
            occupied_bytes: scheme.occupied_bytes(number),
        };
        Status {
            uptime_s: seconds(self.clock.now()),
            counts: io.counts.clone(),
            parts: io.counts.parts.iter().enumerate().map(part).collect(),
            dirty_bytes: scheme.dirty_bytes(),
            in_flight: io.requests.len(),
            commits: self.commits.load(Ordering::Relaxed),
            map_generation,
            store_errors: io.store_errors,
            failed: io.failed.clone(),
        }
    }
}
