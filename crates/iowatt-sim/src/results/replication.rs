//! Figures of replications.

use super::path::{self, PathResult};
use crate::clock::{Nanos, seconds};
use crate::replication::{Group, Replication};
use serde::Serialize;

/// Figures of one replication, over the window.
#[derive(Clone, Debug, Serialize)]
pub struct ReplicationResult {
    /// Writes to its volumes.
    pub writes: u64,
    /// Their bytes.
    pub written_bytes: u64,
    /// Writes and extents that the remote array got.
    pub shipped: u64,
    /// Their bytes.
    pub shipped_bytes: u64,
    /// Sent again because the path was lost on the way.
    pub resent: u64,
    /// Writes that waited for the path or for room in the journal.
    pub held: u64,
    /// How long.
    pub held_ns: Nanos,
    /// Times that the journal was full.
    pub overflows: u64,
    /// Cycles that the remote array got whole.
    pub cycles: u64,
    /// Of those, when the next one was due already.
    pub late_cycles: u64,
    /// How far the remote array is behind.
    pub lag: LagResult,
    /// Suspensions, over the whole run.
    pub suspensions: Vec<SuspensionResult>,
    /// Its path.
    pub path: PathResult,
    /// Waiting and service of each slot of the path, summed over the shipments.
    pub slots: Vec<(u64, u64)>,
}

/// How far a remote array is behind.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LagResult {
    /// Time average of the age of the oldest write that it lacks, 0 where it lacks none.
    pub mean_s: f64,
    /// Its maximum.
    pub max_s: f64,
    /// At the end.
    pub end_s: f64,
    /// Time average of the bytes that it lacks.
    pub mean_bytes: f64,
    /// Their maximum.
    pub max_bytes: u64,
    /// At the end.
    pub end_bytes: u64,
}

/// A suspension.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SuspensionResult {
    /// When it began.
    pub from_ns: Nanos,
    /// When what had been noted began to be sent.
    pub resumed_ns: Option<Nanos>,
    /// When all of it was there.
    pub until_ns: Option<Nanos>,
}

/// The figures of all replications over a window of `span`, whose end the lag is counted to.
pub(super) fn results(all: &Replication, span: Nanos) -> Vec<ReplicationResult> {
    let paths = path::results(&all.paths).into_iter().enumerate();
    all.groups()
        .iter()
        .zip(paths)
        .map(|(group, (number, path))| one(all, group, number, path, span))
        .collect()
}

fn one(all: &Replication, group: &Group, number: usize, path: PathResult, span: Nanos) -> ReplicationResult {
    let (totals, lag) = (&group.totals, &group.lag);
    let (mean_s, mean_bytes) = lag.means(span);
    let suspensions = group.suspensions.iter().map(|one| SuspensionResult {
        from_ns: one.from,
        resumed_ns: one.resumed,
        until_ns: one.until,
    });
    let mut slots: Vec<(u64, u64)> = Vec::new();
    for row in all.paths.budgets(number).iter().flatten().flatten().flat_map(|budget| budget.rows()) {
        slots.resize(row.times.len() / 2, (0, 0));
        for (sum, times) in slots.iter_mut().zip(row.times.chunks_exact(2)) {
            (sum.0, sum.1) = (sum.0 + times[0], sum.1 + times[1]);
        }
    }
    ReplicationResult {
        writes: totals.writes,
        written_bytes: totals.written_bytes,
        shipped: totals.shipped,
        shipped_bytes: totals.shipped_bytes,
        resent: totals.resent,
        held: totals.held,
        held_ns: totals.held_ns,
        overflows: totals.overflows,
        cycles: totals.cycles,
        late_cycles: totals.late_cycles,
        lag: LagResult {
            mean_s,
            max_s: seconds(lag.most),
            end_s: seconds(lag.age()),
            mean_bytes,
            max_bytes: lag.most_bytes,
            end_bytes: lag.bytes,
        },
        suspensions: suspensions.collect(),
        path,
        slots,
    }
}
