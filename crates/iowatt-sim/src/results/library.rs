//! Figures of libraries over the window.

use super::{DriveResult, ratio};
use crate::clock::{Nanos, seconds};
use crate::library::{Library, PartTotals, Stages};
use crate::observe::{IdlePeriods, Observer};
use crate::power::CAUSE_NAMES;
use crate::state::{STATE_NAMES, STATES};
use serde::Serialize;

/// Figures of one library.
#[derive(Clone, Debug, Serialize)]
pub struct LibraryResult {
    /// Mounts that ended: their number, and how long their requests waited.
    pub mounts: MountResult,
    /// Cartridges put back into their slots.
    pub dismounts: u64,
    /// Where the time of reads went.
    pub read: StageResult,
    /// The same of writes.
    pub write: StageResult,
}

/// Mounts: from the first request for a cartridge until it can be used. The five parts add up to `wait_ns`.
#[derive(Clone, Debug, Serialize)]
pub struct MountResult {
    /// Their number.
    pub count: u64,
    /// Sum of their waits.
    pub wait_ns: Nanos,
    /// Median wait, to a thousandth.
    pub p50_s: f64,
    /// The same, 95 %.
    pub p95_s: f64,
    /// Longest wait.
    pub max_s: f64,
    /// Until a drive was free.
    pub drive_ns: Nanos,
    /// Until that had rewound and unloaded the cartridge it held.
    pub clear_ns: Nanos,
    /// Until a robot was free.
    pub robot_ns: Nanos,
    /// While it moved cartridges.
    pub move_ns: Nanos,
    /// Loading.
    pub load_ns: Nanos,
}

/// Where the time of requests went; the parts add up to their response times.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StageResult {
    /// Requests, or parts of those that reach over several cartridges.
    pub requests: u64,
    /// Waiting for the mount of the cartridge.
    pub mount_ns: Nanos,
    /// Waiting behind others for the same cartridge.
    pub queue_ns: Nanos,
    /// Locating, and writing out what was buffered before.
    pub locate_ns: Nanos,
    /// Transferring.
    pub transfer_ns: Nanos,
}

impl LibraryResult {
    /// The figures of a library.
    #[must_use]
    pub fn new(library: &Library) -> Self {
        let totals = library.totals();
        let (mounts, stages) = (&totals.mounts, totals.mount_stages);
        let quantile = |share| seconds(mounts.value_at_quantile(share));
        let [read, write] = totals.stages.map(StageResult::new);
        Self {
            mounts: MountResult {
                count: mounts.len(),
                wait_ns: stages.drive + stages.clear + stages.robot + stages.moving + stages.load,
                p50_s: quantile(0.5),
                p95_s: quantile(0.95),
                max_s: seconds(mounts.max()),
                drive_ns: stages.drive,
                clear_ns: stages.clear,
                robot_ns: stages.robot,
                move_ns: stages.moving,
                load_ns: stages.load,
            },
            dismounts: totals.dismounts,
            read,
            write,
        }
    }
}

impl StageResult {
    fn new(stages: Stages) -> Self {
        let Stages { requests, mount, queue, locate, transfer } = stages;
        Self { requests, mount_ns: mount, queue_ns: queue, locate_ns: locate, transfer_ns: transfer }
    }
}

/// The drives, robots and frame of each library, whose first is device number `first`.
pub(super) fn devices(
    observer: &Observer,
    libraries: &[Library],
    first: usize,
    span: Nanos,
) -> impl Iterator<Item = DriveResult> {
    let parts = libraries.iter().flat_map(Library::parts).enumerate();
    parts.map(move |(number, part)| device(observer, &part, first + number, span))
}

fn device(observer: &Observer, t: &PartTotals, index: usize, span: Nanos) -> DriveResult {
    let used = observer.ledger().used(index, observer.states());
    DriveResult {
        arrivals: t.arrivals,
        accesses: t.completed.iter().sum(),
        reads: t.completed[0],
        writes: t.completed[1],
        background_accesses: 0,
        redirected: 0,
        bytes_read: t.bytes[0],
        bytes_written: t.bytes[1],
        buffer_hits: 0,
        seeks: t.locates,
        seek_cylinders: 0,
        seek_ns: t.locate,
        rotation_ns: 0,
        transfer_ns: t.transfer,
        overhead_ns: 0,
        service_ns: t.service,
        response_ns: t.response,
        queue_length_mean: ratio(observer.queue_area(index), span),
        commands_mean: None,
        queue_seen_sum: t.queue_seen,
        idle_periods: IdlePeriods::default().result(),
        spin_ups: 0,
        spin_downs: 0,
        descents: 0,
        delayed: 0,
        delay_ns: 0,
        batch_delay_ns: 0,
        state_ns: STATE_NAMES.into_iter().zip(used.state_ns.iter().copied()).collect(),
        energy_j: STATE_NAMES.into_iter().zip(used.state_j.iter().copied()).collect(),
        level_ns: used.state_ns[STATES..].to_vec(),
        level_j: used.state_j[STATES..].to_vec(),
        cause_j: CAUSE_NAMES.into_iter().zip(used.cause_j).collect(),
        wear_fraction: None,
        flash: None,
        repositions: t.repositions,
    }
}
