//! Results of logs of parity updates.

use crate::clock::Nanos;
use crate::raid::{ParityLog, Pool};
use serde::Serialize;

/// What became of the small writes of a pool that logs them, over the whole run.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ParityLogResult {
    /// Index of its pool.
    pub pool: usize,
    /// Small writes logged, one for each stripe that a request touches.
    pub updates: u64,
    /// Bytes of their updates of all parity units.
    pub update_bytes: u64,
    /// Buffers written to a log.
    pub log_writes: u64,
    /// Bytes of these, their own parity apart.
    pub log_bytes: u64,
    /// Halves of logs that were reintegrated.
    pub reintegrations: u64,
    /// Updates that were in them, and their bytes.
    pub reintegrated_updates: u64,
    /// See there.
    pub reintegrated_bytes: u64,
    /// Bytes of parity that reintegrations read, and wrote: runs from the first stale unit to the last.
    pub parity_bytes: u64,
    /// Parity units that became stale, by half of a log.
    pub stale_units: u64,
    /// Of these, those that a reintegration updated (or whose drive had failed).
    pub updated_units: u64,
    /// Of these, those that a larger write made anew before.
    pub superseded_units: u64,
    /// Of these, those that are stale at the end.
    pub pending_units: u64,
    /// Bytes of a parity unit.
    pub unit_bytes: u64,
    /// Updates that are in logs and buffers at the end, and their bytes.
    pub pending_updates: u64,
    /// See there.
    pub pending_bytes: u64,
    /// Log writes and steps of a reintegration that are under way at the end.
    pub under_way: usize,
    /// Writes that waited for room, and requests to a degraded pool that waited for true parity.
    pub waits: u64,
    /// Time that they waited.
    pub wait_ns: Nanos,
}

/// The figures of all logs.
pub(super) fn results(pools: &[Pool]) -> Vec<ParityLogResult> {
    let logs = pools.iter().enumerate().filter_map(|(number, pool)| Some((number, pool, pool.parity_log()?)));
    logs.map(|(number, pool, log)| one(number, pool, log)).collect()
}

fn one(number: usize, pool: &Pool, log: &ParityLog) -> ParityLogResult {
    let (counts, sector) = (&log.counts, pool.sector_bytes());
    ParityLogResult {
        pool: number,
        updates: counts.updates,
        update_bytes: counts.update_sectors * sector,
        log_writes: counts.log_writes,
        log_bytes: counts.log_writes * log.buffer_sectors() * sector,
        reintegrations: counts.reintegrations,
        reintegrated_updates: counts.reintegrated_updates,
        reintegrated_bytes: counts.reintegrated_sectors * sector,
        parity_bytes: counts.parity_sectors * sector,
        stale_units: counts.stale_units,
        updated_units: counts.updated_units,
        superseded_units: counts.superseded_units,
        pending_units: log.pending_units(),
        unit_bytes: pool.unit_bytes(),
        pending_updates: counts.updates - counts.reintegrated_updates,
        pending_bytes: (counts.update_sectors - counts.reintegrated_sectors) * sector,
        under_way: log.steps_under_way(),
        waits: counts.waits,
        wait_ns: counts.wait_ns,
    }
}
