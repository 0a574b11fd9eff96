//! Pools: like drives, their redundancy, queues and power policy.

use super::{ChunkletPlan, CodePlan, HddPlan, ParityLogPlan, RecoveryPlan, SsdPlan};
use crate::state::{STATES, State};
use iowatt_power::{Levels, PolicyPlan, unknown_as_nan};
use iowatt_volume::PlanFault::{Conflict, Count, Range, Reference};
use iowatt_volume::{PlanError, Under, at_least_zero, check};
use serde::Deserialize;

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
    /// An operation that has waited there longer than so many seconds comes first; none: the order alone decides.
    #[serde(default)]
    pub deadline_s: Option<f64>,
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
    /// Rotation of parity, RAID-5, RAID-6 and erasure codes.
    pub layout: ParityLayout,
    /// The erasure code, level `ec` alone.
    #[serde(default)]
    pub code: Option<CodePlan>,
    /// How a write smaller than a stripe updates parity.
    pub small_write: SmallWrite,
    /// The log of parity updates, with `small_write` as `parity-log` alone.
    #[serde(default)]
    pub log: Option<ParityLogPlan>,
    /// Reads also fetch the parity of what they read (arrays2002's text).
    pub parity_check_on_read: bool,
    /// Which copy a read goes to, RAID-1 and RAID-10.
    #[serde(default)]
    pub mirror_reads: MirrorReads,
}

/// The choice among copies of the same data.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MirrorReads {
    /// The shorter queue, then the shorter seek, then by lot.
    #[default]
    ShorterQueue,
    /// The drive that is ready soonest, so that one that sleeps goes on sleeping; of several the shorter queue.
    Spinning,
    /// The drive that is ready soonest; of several the first, so that the others fall asleep.
    Primary,
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
    /// Rotating parity of an erasure code.
    #[serde(rename = "ec")]
    Ec,
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
    /// Read old data, and log how parity changes; it is updated later, much of it at once.
    ParityLog,
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
    /// A command that the drive has held longer than so many seconds comes first; none: the order alone decides.
    #[serde(default)]
    pub deadline_s: Option<f64>,
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

    fn validate(&self) -> Result<(), PlanError> {
        match self {
            Self::Hdd(hdd) => {
                hdd.validate()?;
                check_levels(&hdd.power.levels, &hdd.power.states).under("power")
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

impl PoolPlan {
    /// Number of drives, spares included.
    #[must_use]
    pub fn drives(&self) -> usize {
        self.count + self.recovery.as_ref().map_or(0, |r| r.spares)
    }

    /// Whether the plan is consistent with itself, over so many buses.
    pub(super) fn validate(&self, buses: usize) -> Result<(), PlanError> {
        self.device.validate().under("device")?;
        let sector = self.device.sector_bytes();
        if let Some(chunklets) = &self.chunklets {
            let bytes = self.device.sectors().saturating_mul(sector);
            chunklets.validate(self, bytes, sector).under("chunklets")?;
        } else {
            self.check_count()?;
            self.check_log()?;
        }
        check(self.count > 0, Count, "count", "must be at least 1")?;
        self.raid.validate(sector).under("raid")?;
        let on_bus = self.bus_of_drive.is_empty() || self.bus_of_drive.len() == self.drives();
        check(on_bus, Count, "bus_of_drive", "must be empty, or have an element for each drive")?;
        let exist = self.bus_of_drive.iter().all(|&bus| bus < buses);
        check(exist, Reference, "bus_of_drive", "there is no such bus")?;
        self.recovery.as_ref().map_or(Ok(()), |r| r.validate(self)).under("recovery")?;
        let depth = self.command_queue.map_or(1, |queue| queue.depth);
        check(depth > 0, Range, "command_queue.depth", "must be at least 1")?;
        let late = |limit: Option<f64>| limit.is_none_or(at_least_zero);
        check(late(self.deadline_s), Range, "deadline_s", "must be at least 0")?;
        let held = self.command_queue.and_then(|queue| queue.deadline_s);
        check(late(held), Range, "command_queue.deadline_s", "must be at least 0")?;
        check(
            depth == 1 || !matches!(self.scheduler, SchedulerPlan::Sptf | SchedulerPlan::Spctf),
            Conflict,
            "scheduler",
            "sptf and spctf need the position of the head, which only the drive knows when it holds commands",
        )?;
        self.check_power()
    }

    /// The choice among copies that asks for the drives' power, where any part of the pool has it; else the plain one.
    fn mirror_reads(&self) -> MirrorReads {
        let regions = self.chunklets.iter().flat_map(|chunklets| &chunklets.regions).map(|r| r.raid);
        let raids = std::iter::once(self.raid).chain(regions).map(|raid| raid.mirror_reads);
        raids.max_by_key(|&reads| reads != MirrorReads::ShorterQueue).unwrap_or_default()
    }

    /// Checks that there are enough drives for the RAID level.
    fn check_count(&self) -> Result<(), PlanError> {
        self.raid.check_code(self.count, "count")?;
        let (least, message) = match self.raid.level {
            RaidLevel::Raid0 => (1, "RAID-0 needs at least 1 drive"),
            RaidLevel::Raid1 => (2, "RAID-1 needs at least 2 drives"),
            RaidLevel::Raid10 => (2, "RAID-10 needs at least 2 drives"),
            RaidLevel::Raid4 | RaidLevel::Raid5 => (3, "RAID-4 and RAID-5 need at least 3 drives"),
            RaidLevel::Raid6 => (4, "RAID-6 needs at least 4 drives"),
            RaidLevel::Ec => (2, "a stripe needs at least 2 drives"),
        };
        check(self.count >= least, Count, "count", message)?;
        let even = self.raid.level != RaidLevel::Raid10 || self.count.is_multiple_of(2);
        check(even, Count, "count", "RAID-10 needs an even number of drives")
    }

    /// Checks the power policy and what goes with it.
    fn check_power(&self) -> Result<(), PlanError> {
        let policy = self.power_policy.build(self.device.levels(), 0);
        policy.map_err(|message| PlanError::new(Range, "power_policy", message))?;
        let never = self.power_policy == PolicyPlan::Never;
        let known = never || self.device.knows_watts();
        check(known, Conflict, "power_policy", "needs the watts of the drives")?;
        check(
            !never || self.batching.is_none(),
            Conflict,
            "batching",
            "needs a policy that changes the level",
        )?;
        check(self.spin_ups_at_once != Some(0), Range, "spin_ups_at_once", "must be at least 1")?;
        let late = self.batching.is_some() || self.spin_ups_at_once.is_some();
        check(
            !(self.power_policy.foresees() && late),
            Conflict,
            "power_policy",
            "an oracle is always up in time: it allows neither batching nor spin_ups_at_once",
        )?;
        check(
            !self.power_policy.foresees() || self.mirror_reads() == MirrorReads::ShorterQueue,
            Conflict,
            "power_policy",
            "an oracle's idle periods are those of drives that spin: it allows no reads that avoid sleeping drives",
        )?;
        let Some(batching) = &self.batching else { return Ok(()) };
        check(at_least_zero(batching.max_wait_s), Range, "batching.max_wait_s", "must be at least 0")?;
        let some = batching.max_requests.is_none_or(|n| n > 0);
        check(some, Range, "batching.max_requests", "must be at least 1")
    }
}

impl RaidPlan {
    /// Checks the plan over drives with sectors of so many bytes.
    pub(super) fn validate(&self, sector: u64) -> Result<(), PlanError> {
        let unit = self.stripe_unit_bytes;
        check(
            unit > 0 && unit.is_multiple_of(sector),
            Range,
            "stripe_unit_bytes",
            "must be a multiple of the sector size",
        )
    }
}

impl HddPowerPlan {
    /// Number of states that its levels are reported as, those of every drive included.
    #[must_use]
    pub fn states(&self) -> usize {
        reported(&self.states)
    }
}

/// Checks the levels below idling and the states that they are reported as.
pub(super) fn check_levels(levels: &Levels, states: &[usize]) -> Result<(), PlanError> {
    levels.validate().map_err(|message| PlanError::new(Range, "levels", message))?;
    check(
        states.len() == levels.below.len(),
        Count,
        "states",
        "must have an element for each level below idling",
    )?;
    for (number, (level, &state)) in levels.below.iter().zip(states).enumerate() {
        let reportable = state == State::Standby as usize || (STATES..STATES + 256).contains(&state);
        let message = "must be 3 (standby), or 6 and above (further states)";
        check(reportable, Range, "", message).under_item("states", number)?;
        let free = |t: iowatt_power::Transition| t.seconds > 0.0 || t.joules == 0.0;
        let message = "a transition that takes no time can use no energy";
        let sound = free(level.enter) && free(level.leave);
        check(sound, Conflict, "", message).under_item("levels.below", number)?;
    }
    Ok(())
}

/// Number of states that levels are reported as, those of every drive included.
pub(super) fn reported(states: &[usize]) -> usize {
    states.iter().map(|&s| s + 1).max().unwrap_or(0).max(STATES)
}
