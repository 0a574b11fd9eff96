//! What a run leaves behind, in SI numbers and plain columns, ready for serde and NumPy.

mod cluster;
mod controller;
mod heat;
mod idle;
mod library;
mod parity_log;
mod path;
mod qos;
mod replication;
mod serial;
mod series;
mod ssd;
mod volume;

pub use cluster::{ClusterPoolResult, ClusterResult, MoveResult, NodeResult, PortResult};
pub use controller::{CacheResult, ControllerResult, StationResult};
pub use heat::HeatResult;
pub use library::LibraryResult;
pub use parity_log::ParityLogResult;
pub use path::PathResult;
pub use qos::QosResult;
pub use replication::ReplicationResult;
pub use serial::Serial;
pub use series::PointResult;
pub use ssd::FlashResult;
pub use volume::VirtualPoolResult;

use crate::bus::Bus;
use crate::clock::{Nanos, seconds};
use crate::cluster::Clusters;
use crate::controller::Controller;
use crate::controller::drive_path::DrivePath;
use crate::device::Drive;
use crate::library::Library;
use crate::observe::{Flow, IdleResult, Observer};
use crate::path::Paths;
use crate::power::{CAUSE_NAMES, Foreseen, SpinUps};
use crate::raid::Pool;
use crate::replication::Replication;
use crate::state::{STATE_NAMES, STATES};
use crate::volume::PoolCounts;
use serde::Serialize;
use std::collections::BTreeMap;

/// Moments of response times.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Moments {
    /// Requests.
    pub count: u64,
    /// Mean, seconds.
    pub mean_s: f64,
    /// Standard deviation of the population, seconds.
    pub std_s: f64,
    /// Maximum, seconds.
    pub max_s: f64,
    /// Means of consecutive batches of equal count, seconds.
    pub batch_means_s: Vec<f64>,
}

/// Moments of all requests and of each direction.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Responses {
    /// Both directions.
    pub all: Moments,
    /// Reads.
    pub read: Moments,
    /// Writes.
    pub write: Moments,
}

/// Figures of one flow.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FlowResult {
    /// Requests that arrived in the window.
    pub arrived: u64,
    /// Of those, completed.
    pub completed: u64,
    /// Of those, not completed at the end.
    pub in_flight_at_end: u64,
    /// Arrived reads.
    pub reads: u64,
    /// Arrived writes.
    pub writes: u64,
    /// Bytes of completed reads.
    pub bytes_read: u64,
    /// Bytes of completed writes.
    pub bytes_written: u64,
    /// All that completed in the window, the warm-up's stragglers included: the throughput.
    pub completions: Completions,
    /// Time average of the requests in flight.
    pub in_flight_mean: f64,
    /// Response times of the completed requests.
    pub response: Responses,
}

/// Figures of one drive.
#[derive(Clone, Debug, Serialize)]
pub struct DriveResult {
    /// Operations that arrived.
    pub arrivals: u64,
    /// Operations completed.
    pub accesses: u64,
    /// Of those, reads.
    pub reads: u64,
    /// Of those, writes.
    pub writes: u64,
    /// Of all completed, those of a rebuild.
    pub background_accesses: u64,
    /// Arrived, but redirected when the drive failed.
    pub redirected: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Reads served whole from the on-board buffer.
    pub buffer_hits: u64,
    /// Arm movements.
    pub seeks: u64,
    /// Cylinders moved by them.
    pub seek_cylinders: u64,
    /// Seek, settle, head switch.
    pub seek_ns: Nanos,
    /// Rotational waits.
    pub rotation_ns: Nanos,
    /// Media transfer.
    pub transfer_ns: Nanos,
    /// Command processing, and bus time that holds the disk.
    pub overhead_ns: Nanos,
    /// Service times of the completed operations.
    pub service_ns: Nanos,
    /// Queueing and service times of the completed operations.
    pub response_ns: Nanos,
    /// Time average of the operations present.
    pub queue_length_mean: f64,
    /// Of those, the commands that the drive held, the one in service included; none where it takes one at a time.
    pub commands_mean: Option<f64>,
    /// Sum over arrivals of the operations that they found, themselves included.
    pub queue_seen_sum: u64,
    /// Idle periods, from a completion that left nothing to do to the next arrival.
    pub idle_periods: IdleResult,
    /// Spindle starts.
    pub spin_ups: u64,
    /// Spindle stops.
    pub spin_downs: u64,
    /// Changes to a deeper power level, stops of the spindle included.
    pub descents: u64,
    /// Operations that arrived while the drive was not ready, going to, at or coming from a lower power level.
    pub delayed: u64,
    /// Time that they waited until it was.
    pub delay_ns: Nanos,
    /// Of that, because they were held back to be served together.
    pub batch_delay_ns: Nanos,
    /// Time in each state.
    pub state_ns: BTreeMap<&'static str, Nanos>,
    /// Joules in each state.
    pub energy_j: BTreeMap<&'static str, f64>,
    /// Time at each further level, by number.
    pub level_ns: Vec<Nanos>,
    /// Joules at each further level.
    pub level_j: Vec<f64>,
    /// Joules by what they were for.
    pub cause_j: BTreeMap<&'static str, f64>,
    /// Of an SSD, the fraction of its rated bytes (TBW) written; none where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wear_fraction: Option<f64>,
    /// Of an SSD, its flash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flash: Option<FlashResult>,
    /// Of a tape drive, times that the tape ran out of data, or of room for it, and had to go back.
    #[serde(skip_serializing_if = "is_zero")]
    pub repositions: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Figures of one bus.
#[derive(Clone, Debug, Serialize)]
pub struct BusResult {
    /// Transfers.
    pub transfers: u64,
    /// Time occupied.
    pub busy_ns: Nanos,
    /// Time that transfers waited.
    pub wait_ns: Nanos,
}

/// A drive that failed and its rebuild, over the whole run.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RebuildResult {
    /// Index of its pool.
    pub pool: usize,
    /// Drive within the pool.
    pub drive: usize,
    /// Spare drive within the pool that takes its place; none without, or with distributed sparing.
    pub spare: Option<usize>,
    /// When it failed.
    pub failed_ns: Nanos,
    /// When its rebuild began.
    pub started_ns: Option<Nanos>,
    /// When its rebuild ended.
    pub finished_ns: Option<Nanos>,
    /// Bytes restored.
    pub rebuilt_bytes: u64,
    /// Bytes of data, copies and parity that it held.
    pub lost_bytes: u64,
}

/// The observed span.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WindowResult {
    /// Its start.
    pub start_ns: Nanos,
    /// Its end.
    pub end_ns: Nanos,
    /// The last arrival of any workload; what follows it is draining.
    pub last_arrival_ns: Nanos,
}

/// What completed inside the window, whenever it arrived.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Completions {
    /// Requests.
    pub requests: u64,
    /// Bytes read by them.
    pub bytes_read: u64,
    /// Bytes written by them.
    pub bytes_written: u64,
}

/// The figures of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The observed span.
    pub window: WindowResult,
    /// Everything.
    pub total: FlowResult,
    /// By workload.
    pub workloads: Vec<FlowResult>,
    /// By volume.
    pub volumes: Vec<FlowResult>,
    /// By drive.
    pub devices: Vec<DriveResult>,
    /// By failed drive, in order of pool and failure.
    pub rebuilds: Vec<RebuildResult>,
    /// By pool that logs parity updates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parity_logs: Vec<ParityLogResult>,
    /// By bus.
    pub buses: Vec<BusResult>,
    /// By pool, the most drives that were spinning up at once.
    pub spinning_up_most: Vec<usize>,
    /// The controller, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<ControllerResult>,
    /// By cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<ClusterResult>,
    /// By path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathResult>,
    /// By volume, where any has limits or turns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub qos: Vec<QosResult>,
    /// By replication.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replications: Vec<ReplicationResult>,
    /// By virtual pool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub virtual_pools: Vec<VirtualPoolResult>,
    /// By library.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<LibraryResult>,
    /// Response times at the points within the path, where requests pass any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointResult>,
    /// What the rows of the heat map are, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heat: Option<HeatResult>,
    /// Requests completed, the warm-up's included.
    pub requests_simulated: u64,
    /// Of those, trims, by workload, which no other figure counts; only SSDs without parity are sent any. Empty where
    /// there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trims: Vec<u64>,
    /// Events scheduled.
    pub events: u64,
    /// Width of the intervals.
    pub interval_ns: Nanos,
}

/// A column of numbers.
#[derive(Clone, Debug)]
pub enum Column {
    /// Integers.
    U64(Vec<u64>),
    /// Reals.
    F64(Vec<f64>),
}

/// Named columns of equal length. Further levels share the name `energy_level_j`, and the work
/// of kinds of nodes `node_busy_ns`, in order of their numbers.
pub type Table = Vec<(&'static str, Column)>;

/// All that a run leaves behind.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Figures.
    pub summary: Summary,
    /// The course over time.
    pub intervals: Table,
    /// Response-time histograms: workload, op, bin edges, count.
    pub latency: Table,
    /// Response times in blocks of time, by point, workload and direction.
    pub series: Table,
    /// The bins of their histograms, in order of those rows.
    pub series_bins: Table,
    /// Idle periods that an oracle can use in a second run; those of drives with another policy are not among them.
    pub foreseen: Foreseen,
    /// Where requests went, where that was asked for: point, space, extent, period, requests and bytes.
    pub heat: Option<Table>,
    /// Idle periods kept one by one, and those that are only counted by length, where they were kept in bounded memory.
    pub idle: Option<[Table; 2]>,
    /// Where the time of requests on paths went, where there are any.
    pub hops: Option<Table>,
    /// Counts and map of each virtual pool at the end, where tests ask for them.
    #[doc(hidden)]
    pub pool_ends: Vec<(PoolCounts, Vec<u32>)>,
    /// Threads that simulated.
    pub threads: usize,
    /// Why it was one, where parts of the run could not be simulated at once.
    pub serial: Option<Serial>,
    /// Requests that were simulated again from the true state, because a part had begun in another.
    pub again: u64,
}

/// The parts of a system at the end of a run.
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    /// All drives.
    pub drives: &'a [Drive],
    /// All pools.
    pub pools: &'a [Pool],
    /// All buses.
    pub buses: &'a [Bus],
    /// Spin-ups of each pool.
    pub spin_ups: &'a [SpinUps],
    /// The controller, where there is one.
    pub controller: Option<&'a Controller>,
    /// What commands pass on their way to the drives, where that takes time.
    pub drive_path: Option<&'a DrivePath>,
    /// The clusters, where there are any.
    pub clusters: Option<&'a Clusters>,
    /// The paths to it, where there are any.
    pub paths: Option<&'a Paths>,
    /// What happened at the door of the array, by volume.
    pub qos: Vec<QosResult>,
    /// The replications, where there are any.
    pub replication: Option<&'a Replication>,
    /// Requests completed that were trims, by workload.
    pub trims: &'a [u64],
    /// What virtual pools did.
    pub virtual_pools: Vec<VirtualPoolResult>,
    /// The libraries.
    pub libraries: &'a [Library],
}

/// Gathers the outcome of a finished run.
#[must_use]
pub fn collect(observer: &Observer, parts: Parts<'_>, requests_simulated: u64, events: u64) -> Outcome {
    let (copied, parts_of_clusters) = (parts.replication, parts.clusters);
    let Parts {
        drives,
        pools,
        buses,
        spin_ups,
        controller,
        drive_path,
        paths,
        qos,
        trims,
        virtual_pools,
        libraries,
        ..
    } = parts;
    let (window, flows) = (observer.window(), observer.flows());
    let (start_ns, end_ns) = (window.start.min(window.end), window.end);
    let span = end_ns - start_ns;
    // A run without workloads has no flow at all.
    let flow = |index: Option<usize>| {
        index.map_or_else(FlowResult::default, |i| flow_result(observer.flow(i), span))
    };
    let summary = Summary {
        window: WindowResult { start_ns, end_ns, last_arrival_ns: observer.last_arrival() },
        total: flow(flows.total()),
        workloads: flows.workloads().map(flow).collect(),
        volumes: flows.volumes().map(flow).collect(),
        devices: (0..drives.len())
            .map(|i| drive_result(observer, &drives[i], i, span))
            .chain(library::devices(observer, libraries, drives.len(), span))
            .collect(),
        rebuilds: pools.iter().enumerate().flat_map(|(i, pool)| rebuild_results(i, pool)).collect(),
        parity_logs: parity_log::results(pools),
        buses: buses
            .iter()
            .map(|b| BusResult { transfers: b.transfers, busy_ns: b.busy, wait_ns: b.waited })
            .collect(),
        spinning_up_most: spin_ups.iter().map(SpinUps::most).collect(),
        controller: ControllerResult::new(controller, drive_path, span),
        clusters: parts_of_clusters.map(|all| cluster::results(all, pools)).unwrap_or_default(),
        paths: paths.map(path::results).unwrap_or_default(),
        qos,
        replications: copied.map(|all| replication::results(all, span)).unwrap_or_default(),
        virtual_pools,
        libraries: libraries.iter().map(LibraryResult::new).collect(),
        points: PointResult::all(observer),
        heat: observer.heat().map(HeatResult::new),
        requests_simulated,
        trims: if trims.iter().any(|&n| n > 0) { trims.to_vec() } else { Vec::new() },
        events,
        interval_ns: observer.intervals().width(),
    };
    let foreseen = drives.iter().zip(0..).filter_map(|(drive, index)| Some((index, drive.managed()?)));
    let foreseen = foreseen.flat_map(|(index, managed)| {
        managed.recorded().iter().map(move |&(start, length)| (index, start, length))
    });
    let (series, series_bins) = series::tables(observer, flows.workloads().len());
    Outcome {
        summary,
        intervals: interval_table(observer, end_ns),
        latency: latency_table(observer),
        series,
        series_bins,
        foreseen: foreseen.collect(),
        heat: observer.heat().map(heat::table),
        idle: observer.idle_kept().map(idle::tables),
        hops: paths.map(path::table),
        pool_ends: Vec::new(),
        threads: 1,
        serial: None,
        again: 0,
    }
}

fn flow_result(flow: &Flow, span: Nanos) -> FlowResult {
    FlowResult {
        arrived: flow.arrived.iter().sum(),
        completed: flow.completed.iter().sum(),
        in_flight_at_end: flow.unfinished(),
        reads: flow.arrived[0],
        writes: flow.arrived[1],
        bytes_read: flow.bytes[0],
        bytes_written: flow.bytes[1],
        completions: Completions {
            requests: flow.departed.iter().sum(),
            bytes_read: flow.departed_bytes[0],
            bytes_written: flow.departed_bytes[1],
        },
        in_flight_mean: ratio(flow.area, span),
        response: responses(flow),
    }
}

fn responses(flow: &Flow) -> Responses {
    let moments = |ways: &[usize], batch: usize| {
        let count: u64 = ways.iter().map(|&w| flow.completed[w]).sum();
        if count == 0 {
            return Moments::default();
        }
        let n = count as f64;
        let mean = ways.iter().map(|&w| flow.sum[w]).sum::<u128>() as f64 / n;
        let square = ways.iter().map(|&w| flow.squares[w]).sum::<u128>() as f64 / n;
        Moments {
            count,
            mean_s: mean / 1e9,
            std_s: (square - mean * mean).max(0.0).sqrt() / 1e9,
            max_s: seconds(ways.iter().map(|&w| flow.longest[w]).max().unwrap_or(0)),
            batch_means_s: flow.batches[batch].means().map(|m| m / 1e9).collect(),
        }
    };
    Responses { all: moments(&[0, 1], 2), read: moments(&[0], 0), write: moments(&[1], 1) }
}

fn ratio(area: u128, span: Nanos) -> f64 {
    if span == 0 { 0.0 } else { area as f64 / span as f64 }
}

fn drive_result(observer: &Observer, drive: &Drive, index: usize, span: Nanos) -> DriveResult {
    let t = &drive.totals;
    let used = observer.ledger().used(index, observer.states());
    let waits = drive.managed().map(|m| m.totals).unwrap_or_default();
    DriveResult {
        arrivals: t.arrivals,
        accesses: t.completed.iter().sum(),
        reads: t.completed[0],
        writes: t.completed[1],
        background_accesses: t.background,
        redirected: t.redirected,
        bytes_read: t.bytes[0],
        bytes_written: t.bytes[1],
        buffer_hits: t.buffer_hits,
        seeks: t.seeks,
        seek_cylinders: t.seek_cylinders,
        seek_ns: t.seek,
        rotation_ns: t.rotation,
        transfer_ns: t.transfer,
        overhead_ns: t.overhead,
        service_ns: t.service,
        response_ns: t.response,
        queue_length_mean: ratio(observer.queue_area(index), span),
        commands_mean: drive.commands_area().map(|area| ratio(area, span)),
        queue_seen_sum: t.queue_seen,
        idle_periods: t.idle.result(),
        spin_ups: t.spin_ups,
        spin_downs: t.spin_downs,
        descents: waits.descents,
        delayed: waits.operations,
        delay_ns: waits.wait as Nanos,
        batch_delay_ns: waits.batched as Nanos,
        state_ns: STATE_NAMES.into_iter().zip(used.state_ns.iter().copied()).collect(),
        energy_j: STATE_NAMES.into_iter().zip(used.state_j.iter().copied()).collect(),
        level_ns: used.state_ns[STATES..].to_vec(),
        level_j: used.state_j[STATES..].to_vec(),
        cause_j: CAUSE_NAMES.into_iter().zip(used.cause_j).collect(),
        wear_fraction: drive.ssd().and_then(ssd::wear_fraction),
        flash: drive.ssd().map(|ssd| FlashResult::new(ssd, observer.ledger().by_operation(index))),
        repositions: 0,
    }
}

fn rebuild_results(number: usize, pool: &Pool) -> impl Iterator<Item = RebuildResult> {
    pool.lost().iter().map(move |lost| RebuildResult {
        pool: number,
        drive: lost.drive,
        spare: lost.spare,
        failed_ns: lost.failed,
        started_ns: lost.started,
        finished_ns: lost.finished,
        rebuilt_bytes: lost.rebuilt * pool.sector_bytes(),
        lost_bytes: lost.held * pool.sector_bytes(),
    })
}

fn interval_table(observer: &Observer, end: Nanos) -> Table {
    let intervals = observer.intervals();
    let rows: Vec<_> = intervals.rows().filter(|(start, _)| *start < end).collect();
    let stop = |start: Nanos| (start + intervals.width()).min(end);
    let integers = |f: &dyn Fn(usize) -> u64| Column::U64((0..rows.len()).map(f).collect());
    let reals = |f: &dyn Fn(usize) -> f64| Column::F64((0..rows.len()).map(f).collect());
    let mean = |i: usize, area: u128| ratio(area, stop(rows[i].0) - rows[i].0);
    let quantiles: Vec<_> = (0..rows.len()).map(|i| intervals.quantiles(i, [0.50, 0.95, 0.99])).collect();
    let mut table = vec![
        ("start_ns", integers(&|i| rows[i].0)),
        ("end_ns", integers(&|i| stop(rows[i].0))),
        ("arrivals", integers(&|i| rows[i].1.arrivals)),
        ("completions", integers(&|i| rows[i].1.completed.iter().sum())),
        ("reads", integers(&|i| rows[i].1.completed[0])),
        ("writes", integers(&|i| rows[i].1.completed[1])),
        ("bytes_read", integers(&|i| rows[i].1.bytes[0])),
        ("bytes_written", integers(&|i| rows[i].1.bytes[1])),
        ("response_sum_ns", reals(&|i| rows[i].1.response as f64)),
        ("response_max_ns", integers(&|i| rows[i].1.longest)),
        ("response_p50_ns", integers(&|i| quantiles[i][0])),
        ("response_p95_ns", integers(&|i| quantiles[i][1])),
        ("response_p99_ns", integers(&|i| quantiles[i][2])),
        ("in_flight_mean", reals(&|i| mean(i, rows[i].1.in_flight))),
        ("queue_length_mean", reals(&|i| mean(i, rows[i].1.queued))),
    ];
    const ENERGY: [&str; STATES] = [
        "energy_active_j",
        "energy_positioning_j",
        "energy_idle_j",
        "energy_standby_j",
        "energy_spin_up_j",
        "energy_spin_down_j",
    ];
    for (state, name) in ENERGY.into_iter().enumerate() {
        table.push((name, reals(&|i| intervals.joules(i, state))));
    }
    for level in 0..observer.states() - STATES {
        table.push(("energy_level_j", reals(&|i| intervals.joules(i, STATES + level))));
    }
    for kind in 0..rows.first().map_or(0, |_| intervals.work(0).len()) {
        table.push(("node_busy_ns", integers(&|i| intervals.work(i)[kind])));
    }
    table
}

fn latency_table(observer: &Observer) -> Table {
    let mut columns: [Vec<u64>; 5] = Default::default();
    for workload in 0..observer.flows().workloads().len() {
        for (way, histogram) in observer.histograms(workload).iter().enumerate() {
            for bin in histogram.iter_recorded() {
                let value = bin.value_iterated_to();
                let row = [
                    workload as u64,
                    way as u64,
                    histogram.lowest_equivalent(value),
                    histogram.highest_equivalent(value),
                    bin.count_at_value(),
                ];
                for (column, v) in columns.iter_mut().zip(row) {
                    column.push(v);
                }
            }
        }
    }
    ["workload", "op", "low_ns", "high_ns", "count"]
        .into_iter()
        .zip(columns)
        .map(|(name, column)| (name, Column::U64(column)))
        .collect()
}
