//! The plan: everything the simulator is told, in SI numbers and indices, never names.
//!
//! Python resolves a scenario into this once; serde refuses unknown fields, so that a key that one
//! side knows and the other does not is an error and never a silent default.

mod chunklets;
mod controller;
mod data_movement;
mod hdd;
mod heat;
mod path;
mod recovery;
mod reduced;
mod ssd;
mod virtual_pool;

pub use chunklets::{ChunkletPlan, RegionPlan};
pub use controller::{
    BackEndPlan, CachePlan, ControllerPlan, DestagePlan, LineTransfers, LossPlan, Lost, ProcessingPlan,
    ReadAheadPlan, SplitPlan, WriteCaching,
};
pub use data_movement::{MaidPlan, PdcPlan, WriteOffLoadingPlan};
pub use hdd::{
    BufferPlan, DriveControllerPlan, Extraction, HddPlan, IndexedPlan, LayoutPlan, Mapping, ReadAhead,
    Requested, SeekPlan, Sparing, ZonePlan, ZonedPlan,
};
pub use heat::HeatPlan;
pub use path::{ExchangePlan, HopPlan, PathPlan};
pub use recovery::{RebuildPlan, RebuildPriority, RecoveryPlan, SpareKind};
pub use reduced::{ReducedPlan, SnapshotMethod, SnapshotPlan};
pub use ssd::{
    DataSheetPlan, FlashEnergyPlan, FlashInitialPlan, FlashPlan, GcPlan, GcPolicy, MediaPlan, RatedPlan,
    SsdInterfacePlan, SsdPlan, SsdPowerPlan, WearPlan,
};
pub use virtual_pool::{
    CachingPlan, DAY_S, InitialPlan, PartPlan, PlacementPlan, SchemePlan, TieredPoolPlan, TieringPlan,
    TieringPolicyPlan, VirtualPoolPlan,
};

use crate::state::{STATES, State};
use iowatt_power::unknown_as_nan;
pub use iowatt_power::{Levels, PolicyPlan};
use serde::Deserialize;

/// A whole simulation.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Seed of every random stream; each room derives its own.
    pub seed: u64,
    /// Streams of requests, each against one volume.
    pub workloads: Vec<WorkloadPlan>,
    /// Address ranges of spaces that workloads see.
    pub volumes: Vec<VolumePlan>,
    /// Groups of like drives under one redundancy scheme.
    pub pools: Vec<PoolPlan>,
    /// Address spaces that are made of pools.
    #[serde(default)]
    pub virtual_pools: Vec<VirtualPoolPlan>,
    /// Shared buses between controller and drives.
    pub buses: Vec<BusPlan>,
    /// Ways from hosts to the array.
    #[serde(default)]
    pub paths: Vec<PathPlan>,
    /// What stands between hosts and pools, where something does.
    pub controller: Option<ControllerPlan>,
    /// What is observed, and over which window.
    pub observe: ObservePlan,
}

/// One stream of requests.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkloadPlan {
    /// Index of the volume it addresses.
    pub volume: usize,
    /// Index of the path it takes; none: its requests are at the array as they arrive.
    #[serde(default)]
    pub path: Option<usize>,
    /// How its time stamps become arrivals.
    pub replay: ReplayPlan,
    /// Share of its writes that are all zeros.
    #[serde(default)]
    pub zero_share: f64,
    /// When its time zero is, seconds from the start of the run; a closed loop issues nothing before.
    #[serde(default)]
    pub start_s: f64,
    /// From when it issues nothing more, seconds from the start of the run; none: until its source ends.
    #[serde(default)]
    pub end_s: Option<f64>,
}

/// How a recorded or generated stream is paced.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, tag = "mode", rename_all = "kebab-case")]
pub enum ReplayPlan {
    /// Arrivals at the recorded stamps divided by `speed`, whatever the storage does.
    Open {
        /// Time compression: 2.0 replays twice as fast, 0.4 slower.
        speed: f64,
    },
    /// The next request is issued when one completes.
    Closed {
        /// Requests kept outstanding.
        outstanding: u32,
        /// Whether the limit holds for the workload or for each of its streams.
        per: ClosedPer,
        /// From a completion to the request that follows it; none: no time.
        think: Option<ThinkPlan>,
    },
}

/// Think time of a closed loop.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ThinkPlan {
    /// Its mean.
    pub mean_s: f64,
    /// Whether it is exponential; else it is always the mean.
    pub exponential: bool,
}

/// The scope of a closed loop's limit.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClosedPer {
    /// All requests of the workload together.
    Workload,
    /// Each recorded stream by itself, in its own order.
    Stream,
}

/// A range of one space's bytes.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VolumePlan {
    /// Index of the space: of a pool, or beyond the pools of a virtual pool.
    pub pool: usize,
    /// First byte in the space; a multiple of the sector size.
    pub offset_bytes: u64,
    /// Length in bytes.
    pub capacity_bytes: u64,
}

/// Like drives and the scheme that joins them.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PoolPlan {
    /// Number of drives, spares apart.
    pub count: usize,
    /// The drive.
    pub device: DevicePlan,
    /// Striping and redundancy; of drives in chunklets, each region has its own instead.
    pub raid: RaidPlan,
    /// Drives are divided into chunklets, and these are joined; none: whole drives are.
    #[serde(default)]
    pub chunklets: Option<ChunkletPlan>,
    /// Order in which the host (or controller) hands a drive its operations.
    pub scheduler: SchedulerPlan,
    /// What a drive takes before it has completed the last; none: one command at a time.
    pub command_queue: Option<CommandQueuePlan>,
    /// When an idle drive changes its power level. Levels are those of the drive, by number.
    pub power_policy: PolicyPlan,
    /// Holding requests back at a drive that is not ready; none: the first wakes it.
    #[serde(default)]
    pub batching: Option<BatchingPlan>,
    /// How many drives may spin up at once; none: as many as there are.
    #[serde(default)]
    pub spin_ups_at_once: Option<usize>,
    /// Bus of each drive, by index; empty where drives have private links.
    pub bus_of_drive: Vec<usize>,
    /// Spares, failures and rebuild; none where nothing ever fails.
    pub recovery: Option<RecoveryPlan>,
}

/// Striping and redundancy of a pool.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RaidPlan {
    /// The level.
    pub level: RaidLevel,
    /// Bytes of consecutive addresses on one drive; a multiple of the sector size. Unused by RAID-1.
    pub stripe_unit_bytes: u64,
    /// Rotation of parity, RAID-5 and RAID-6.
    pub layout: ParityLayout,
    /// How a write smaller than a stripe updates parity.
    pub small_write: SmallWrite,
    /// Reads also fetch the parity of what they read (arrays2002's text).
    pub parity_check_on_read: bool,
}

/// Redundancy schemes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RaidLevel {
    /// Striping, no redundancy.
    #[serde(rename = "0")]
    Raid0,
    /// All drives hold the same data.
    #[serde(rename = "1")]
    Raid1,
    /// Two striped halves that mirror each other.
    #[serde(rename = "10")]
    Raid10,
    /// Dedicated parity on the last drive.
    #[serde(rename = "4")]
    Raid4,
    /// Rotating parity.
    #[serde(rename = "5")]
    Raid5,
    /// Rotating double parity.
    #[serde(rename = "6")]
    Raid6,
}

/// Where parity and data units go in successive stripes (the four variants of Linux md).
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ParityLayout {
    /// Parity moves left; data starts after it. The usual default.
    LeftSymmetric,
    /// Parity moves left; data starts at drive 0.
    LeftAsymmetric,
    /// Parity moves right; data starts after it.
    RightSymmetric,
    /// Parity moves right; data starts at drive 0.
    RightAsymmetric,
}

/// Parity update of partial-stripe writes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SmallWrite {
    /// Whichever of the two needs fewer drive operations; read-modify-write on a tie.
    Auto,
    /// Read old data and old parity.
    ReadModifyWrite,
    /// Read the data that is not written.
    Reconstruct,
}

/// Commands that a drive holds at once.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CommandQueuePlan {
    /// Most commands outstanding at the drive, the one in service included; 1 is as if there were no queue.
    pub depth: usize,
    /// Order in which the drive serves them.
    pub scheduler: SchedulerPlan,
}

/// Queue disciplines. Distances are in LBN except where they must be in time.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SchedulerPlan {
    /// First come, first served.
    Fcfs,
    /// Shortest seek (cylinders) first.
    Sstf,
    /// Elevator that travels to the last cylinder before it turns.
    Scan,
    /// Elevator that turns at the last request.
    Look,
    /// One-way elevator that returns to the lowest request.
    CLook,
    /// Shortest positioning time (seek and rotation) first.
    Sptf,
    /// The same, but reads that the drive's buffer has come first (shortest positioning, with cache, time first).
    Spctf,
}

/// Requests wait at a drive that is not ready, to be served together.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BatchingPlan {
    /// Longest that the oldest of them waits before the drive is woken, seconds.
    pub max_wait_s: f64,
    /// How many wake it before that; none: time alone does.
    pub max_requests: Option<usize>,
}

/// A drive, by technology.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[allow(clippy::large_enum_variant)] // one a pool
pub enum DevicePlan {
    /// A mechanical disk.
    Hdd(HddPlan),
    /// A solid-state drive.
    Ssd(SsdPlan),
}

impl DevicePlan {
    /// Bytes of a sector.
    #[must_use]
    pub fn sector_bytes(&self) -> u64 {
        u64::from(match self {
            Self::Hdd(hdd) => hdd.sector_bytes,
            Self::Ssd(ssd) => ssd.sector_bytes,
        })
    }

    /// Sectors that the drive offers.
    #[must_use]
    pub fn sectors(&self) -> u64 {
        match self {
            Self::Hdd(hdd) => hdd.sectors,
            Self::Ssd(ssd) => ssd.sectors,
        }
    }

    /// Idling, and the levels below it.
    #[must_use]
    pub fn levels(&self) -> &Levels {
        match self {
            Self::Hdd(hdd) => &hdd.power.levels,
            Self::Ssd(ssd) => &ssd.power.levels,
        }
    }

    /// Whether all watts are known that its work draws.
    #[must_use]
    pub fn knows_watts(&self) -> bool {
        let working = match self {
            Self::Hdd(hdd) => hdd.power.active_w + hdd.power.positioning_w,
            Self::Ssd(ssd) => ssd.power.active_w,
        };
        !(working + self.levels().idle_w).is_nan()
    }

    /// Number of states that its levels are reported as, those of every drive included.
    #[must_use]
    pub fn states(&self) -> usize {
        match self {
            Self::Hdd(hdd) => hdd.power.states(),
            Self::Ssd(ssd) => ssd.power.states(),
        }
    }

    fn validate(&self) -> Result<(), String> {
        match self {
            Self::Hdd(hdd) => {
                hdd.validate()?;
                hdd.power.validate()
            }
            Self::Ssd(ssd) => ssd.validate(),
        }
    }
}

/// Rotational position at time zero.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PhasePlan {
    /// Drawn for each drive from the seed.
    Random,
    /// Sector 0 under the head, for cross-checks.
    Zero,
}

/// Watts by state, and the levels below idling with their transitions. Watts that are not known are `null` in JSON and NaN
/// here: a drive without them is simulated for time, and its joules, with all sums over them, are NaN as well.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HddPowerPlan {
    /// Media transfer, and command or bus time that holds the disk.
    #[serde(deserialize_with = "unknown_as_nan")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>", required))]
    pub active_w: f64,
    /// Seek, settle, head switch and rotational wait.
    #[serde(deserialize_with = "unknown_as_nan")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>", required))]
    pub positioning_w: f64,
    /// Spinning without work, and what lies below that.
    pub levels: Levels,
    /// The state that each level below idling is reported as: 3 is standby, 6 and more are further ones.
    #[serde(default)]
    pub states: Vec<usize>,
}

/// A bus that drives share, one transfer at a time, first come first served.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BusPlan {
    /// Bytes per second of a transfer.
    pub bandwidth_bytes_per_s: f64,
    /// Arbitration before each transfer, seconds.
    pub arbitration_s: f64,
}

/// What is observed.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ObservePlan {
    /// Seconds cut from the front of every figure.
    pub warmup_s: f64,
    /// Simulated end in seconds; left out, the end is the last completion.
    pub end_s: Option<f64>,
    /// Width of an interval in seconds; left out, it starts at 1 s and doubles to stay bounded.
    pub interval_s: Option<f64>,
    /// Width of a block of response times in seconds; left out, it starts at 1 ms and doubles to stay bounded.
    #[serde(default)]
    pub series_s: Option<f64>,
    /// Every idle period of every drive goes to the sink of [`crate::Simulation::log_idle`].
    #[serde(default)]
    pub idle: bool,
    /// Idle periods that are kept one by one, at most, in [`crate::Outcome::idle`]; shorter ones are counted by length. None:
    /// nothing is kept.
    #[serde(default)]
    pub idle_rows: Option<usize>,
    /// Where requests go, by extent and period; none: not recorded.
    #[serde(default)]
    pub heat: Option<HeatPlan>,
}

impl Plan {
    /// Whether the plan is consistent with itself. Python has checked the scenario with better messages;
    /// this catches a plan that did not come from there.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn validate(&self) -> Result<(), String> {
        let check = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        for w in &self.workloads {
            check(w.volume < self.volumes.len(), "a workload names a volume that is not there")?;
            check(w.path.is_none_or(|p| p < self.paths.len()), "a workload takes a path that is not there")?;
            check((0.0..=1.0).contains(&w.zero_share), "a share of zeros must be between 0 and 1")?;
            let started = w.start_s.is_finite() && w.start_s >= 0.0;
            check(started, "a workload cannot start before the run")?;
            check(w.end_s.is_none_or(|end| end > w.start_s), "a workload must end after its start")?;
            match w.replay {
                ReplayPlan::Open { speed } => {
                    check(speed.is_finite() && speed > 0.0, "replay speed must be positive")?;
                }
                ReplayPlan::Closed { outstanding, think, .. } => {
                    check(outstanding > 0, "outstanding must be at least 1")?;
                    let sound = think.is_none_or(|t| t.mean_s.is_finite() && t.mean_s >= 0.0);
                    check(sound, "a think time must not be negative")?;
                }
            }
        }
        check(
            self.volumes.iter().all(|v| v.pool < self.pools.len() + self.virtual_pools.len()),
            "a volume names a pool that is not there",
        )?;
        self.virtual_pools.iter().try_for_each(|v| v.validate(self.pools.len()))?;
        let parts = || self.virtual_pools.iter().flat_map(|v| &v.parts);
        let taken = parts().map(|p| (p.pool, p.offset_bytes, p.capacity_bytes));
        let taken = taken.chain(self.volumes.iter().map(|v| (v.pool, v.offset_bytes, v.capacity_bytes)));
        let mut taken: Vec<(usize, u64, u64)> = taken.filter(|t| parts().any(|p| p.pool == t.0)).collect();
        taken.sort_unstable();
        let apart = |pair: &[(usize, u64, u64)]| {
            pair[0].0 != pair[1].0 || pair[0].1.saturating_add(pair[0].2) <= pair[1].1
        };
        check(taken.windows(2).all(apart), "a part of a virtual pool belongs to something else as well")?;
        check(
            !self.workloads.is_empty() || self.observe.end_s.is_some(),
            "a run without workloads needs an end",
        )?;
        self.observe.heat.map_or(Ok(()), |heat| heat.validate())?;
        for bus in &self.buses {
            check(bus.bandwidth_bytes_per_s > 0.0, "bus bandwidth must be positive")?;
        }
        self.paths.iter().try_for_each(PathPlan::validate)?;
        if let Some(controller) = &self.controller {
            let twice = controller.host_bandwidth_bytes_per_s.is_some() && !self.paths.is_empty();
            check(!twice, "a path has the links to the hosts: the controller needs none")?;
            controller.validate(&self.sectors())?;
        }
        self.pools.iter().try_for_each(|p| p.validate(self.buses.len()))
    }

    /// Bytes of a sector of each space, the largest of its parts' for a virtual pool.
    #[must_use]
    pub fn sectors(&self) -> Vec<u64> {
        let mut sectors: Vec<u64> = self.pools.iter().map(|pool| pool.device.sector_bytes()).collect();
        let of_parts = |v: &VirtualPoolPlan| v.parts.iter().map(|p| sectors[p.pool]).max().unwrap_or(1);
        let made: Vec<u64> = self.virtual_pools.iter().map(of_parts).collect();
        sectors.extend(made);
        sectors
    }

    /// Whether the volumes on space number `pool`, and the parts of virtual pools on it, fit its `capacity_bytes`.
    ///
    /// # Errors
    /// Names the first that does not.
    pub fn check_volumes(&self, pool: usize, capacity_bytes: u64) -> Result<(), String> {
        for (number, v) in self.volumes.iter().enumerate().filter(|(_, v)| v.pool == pool) {
            let end = v.offset_bytes.saturating_add(v.capacity_bytes);
            if end > capacity_bytes {
                return Err(format!(
                    "volume {number} ends at byte {end} of pool {pool}, which offers {capacity_bytes}"
                ));
            }
        }
        let parts = self.virtual_pools.iter().flat_map(|v| &v.parts);
        for part in parts.filter(|part| part.pool == pool) {
            let end = part.offset_bytes.saturating_add(part.capacity_bytes);
            if end > capacity_bytes {
                return Err(format!(
                    "a part ends at byte {end} of pool {pool}, which offers {capacity_bytes}"
                ));
            }
        }
        Ok(())
    }
}

impl PoolPlan {
    /// Number of drives, spares included.
    #[must_use]
    pub fn drives(&self) -> usize {
        self.count + self.recovery.as_ref().map_or(0, |r| r.spares)
    }

    fn validate(&self, buses: usize) -> Result<(), String> {
        self.device.validate()?;
        let check = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        let sector = self.device.sector_bytes();
        if let Some(chunklets) = &self.chunklets {
            chunklets.validate(self, self.device.sectors() * sector, sector)?;
        }
        let (least, what) = match self.raid.level {
            _ if self.chunklets.is_some() => (1, "a pool needs a drive"),
            RaidLevel::Raid0 => (1, "RAID-0 needs a drive"),
            RaidLevel::Raid1 => (2, "RAID-1 needs 2 drives"),
            RaidLevel::Raid10 => (2, "RAID-10 needs 2 drives"),
            RaidLevel::Raid4 | RaidLevel::Raid5 => (3, "RAID-4 and RAID-5 need 3 drives"),
            RaidLevel::Raid6 => (4, "RAID-6 needs 4 drives"),
        };
        check(self.count >= least, what)?;
        check(
            self.raid.level != RaidLevel::Raid10 || self.chunklets.is_some() || self.count.is_multiple_of(2),
            "RAID-10 needs an even number of drives",
        )?;
        check(
            self.raid.stripe_unit_bytes > 0 && self.raid.stripe_unit_bytes.is_multiple_of(sector),
            "the stripe unit must be a multiple of the sector",
        )?;
        check(
            self.bus_of_drive.is_empty() || self.bus_of_drive.len() == self.drives(),
            "every drive of a pool has a bus, or none has",
        )?;
        check(self.bus_of_drive.iter().all(|&b| b < buses), "a drive is on a bus that is not there")?;
        self.recovery.as_ref().map_or(Ok(()), |r| r.validate(self))?;
        let depth = self.command_queue.map_or(1, |c| c.depth);
        check(depth > 0, "a drive takes at least 1 command")?;
        check(
            depth == 1 || !matches!(self.scheduler, SchedulerPlan::Sptf | SchedulerPlan::Spctf),
            "sptf and spctf need the position of the head, which only the drive knows when it holds commands",
        )?;
        self.power_policy.build(self.device.levels(), 0).map_err(|e| format!("power policy: {e}"))?;
        let never = self.power_policy == PolicyPlan::Never;
        check(never || self.device.knows_watts(), "a power policy needs the watts of its drives")?;
        check(!never || self.batching.is_none(), "batching needs a policy that changes the level")?;
        check(self.spin_ups_at_once != Some(0), "at least 1 drive must be able to spin up")?;
        let late = self.batching.is_some() || self.spin_ups_at_once.is_some();
        check(
            !(self.power_policy.foresees() && late),
            "an oracle is up in time: neither batching nor staggered spin-ups can hold it up",
        )?;
        self.batching.as_ref().map_or(Ok(()), |b| {
            let sound = b.max_wait_s.is_finite() && b.max_wait_s >= 0.0;
            check(sound, "a wait for others must be 0 s or more")?;
            check(b.max_requests.is_none_or(|n| n > 0), "at least 1 request must wake a drive")
        })
    }
}

impl HddPowerPlan {
    fn validate(&self) -> Result<(), String> {
        self.levels.validate()?;
        check_reported(&self.levels, &self.states)
    }

    /// Number of states that its levels are reported as, those of every drive included.
    #[must_use]
    pub fn states(&self) -> usize {
        reported(&self.states)
    }
}

/// Whether every level below idling is reported as a state that can be one.
fn check_reported(levels: &Levels, states: &[usize]) -> Result<(), String> {
    if states.len() != levels.below.len() {
        return Err("every level below idling is reported as a state".into());
    }
    for (number, (level, &state)) in levels.below.iter().zip(states).enumerate() {
        let number = number + 1;
        if state != State::Standby as usize && state < STATES {
            return Err(format!("level {number} cannot be reported as one of the states of work"));
        }
        let free = |t: iowatt_power::Transition| t.seconds > 0.0 || t.joules == 0.0;
        if !(free(level.enter) && free(level.leave)) {
            return Err(format!("level {number}: a transition that takes no time can use no energy"));
        }
    }
    Ok(())
}

/// Number of states that levels are reported as, those of every drive included.
fn reported(states: &[usize]) -> usize {
    states.iter().map(|&s| s + 1).max().unwrap_or(0).max(STATES)
}
