//! Figures of paths, and the table of where the time of requests went.

use super::{Column, Table};
use crate::clock::Nanos;
use crate::path::Paths;
use serde::Serialize;

/// Figures of one path, over the window.
#[derive(Clone, Debug, Serialize)]
pub struct PathResult {
    /// The host queues of its lanes.
    pub queue: QueueResult,
    /// HBA, hops in both directions and port, by slot; lanes added up.
    pub stations: Vec<PathStation>,
    /// By class of writes with buffers at the port.
    pub express: Vec<ExpressResult>,
    /// Writes that asked for data and are of no class, where there are classes.
    pub not_express: u64,
}

/// A host queue.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct QueueResult {
    /// Requests that came.
    pub visits: u64,
    /// Of those, held back.
    pub held: u64,
    /// How long they were.
    pub waited_ns: Nanos,
}

/// A station of a path.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PathStation {
    /// Its slot in the table of hops.
    pub slot: usize,
    /// Messages, or commands.
    pub visits: u64,
    /// Busy time of its servers.
    pub busy_ns: Nanos,
    /// Time that was waited for it.
    pub waited_ns: Nanos,
    /// Servers, those of all lanes.
    pub servers: usize,
    /// Of the busy time, that in which frames waited for buffer credits; messages that came in the window.
    pub stalled_ns: Nanos,
}

/// Writes of a class with buffers at the port.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ExpressResult {
    /// Got one.
    pub taken: u64,
    /// Found none.
    pub refused: u64,
}

/// The figures of all paths.
pub(super) fn results(paths: &Paths) -> Vec<PathResult> {
    let one = |path: &crate::path::Path| {
        let mut stations: Vec<PathStation> = Vec::new();
        for (slot, station) in path.lanes().iter().flat_map(|lane| lane.stations(path.port())) {
            let of_slot = stations.iter_mut().find(|s| s.slot == slot);
            let (busy_ns, waited_ns) = (station.busy, station.waited);
            match of_slot {
                Some(sum) => {
                    sum.visits += station.visits;
                    sum.busy_ns += busy_ns;
                    sum.waited_ns += waited_ns;
                    sum.servers += station.servers();
                }
                None => stations.push(PathStation {
                    slot,
                    visits: station.visits,
                    busy_ns,
                    waited_ns,
                    servers: station.servers(),
                    stalled_ns: 0,
                }),
            }
        }
        for (slot, stalled) in path.lanes().iter().flat_map(|lane| lane.stalls()) {
            stations.iter_mut().filter(|s| s.slot == slot).for_each(|s| s.stalled_ns += stalled);
        }
        let queue = QueueResult { visits: path.visits, held: path.held, waited_ns: path.waited };
        let express =
            path.express.iter().map(|e| ExpressResult { taken: e.taken, refused: e.refused }).collect();
        PathResult { queue, stations, express, not_express: path.not_express }
    };
    paths.paths().iter().map(one).collect()
}

/// Where the time of requests went: by path, workload, direction and bin of the response time a row for each slot.
pub(super) fn table(paths: &Paths) -> Table {
    const NAMES: [&str; 9] =
        ["path", "workload", "way", "low_ns", "high_ns", "slot", "requests", "wait_ns", "service_ns"];
    let mut columns: [Vec<u64>; 9] = Default::default();
    for path in 0..paths.paths().len() {
        let budgets = paths.budgets(path).iter().enumerate().filter_map(|(w, b)| Some((w, b.as_ref()?)));
        for (workload, both) in budgets {
            for (way, budget) in both.iter().enumerate() {
                for row in budget.rows() {
                    for (slot, times) in row.times.chunks_exact(2).enumerate() {
                        let (low, high) = row.range;
                        let values = [
                            path as u64,
                            workload as u64,
                            way as u64,
                            low,
                            high,
                            slot as u64,
                            row.requests,
                            times[0],
                            times[1],
                        ];
                        for (column, value) in columns.iter_mut().zip(values) {
                            column.push(value);
                        }
                    }
                }
            }
        }
    }
    NAMES.into_iter().zip(columns).map(|(name, column)| (name, Column::U64(column))).collect()
}
