//! What the SSD model is told: host interface, flash and its translation layer (or a data sheet), power, wear.
//!
//! Where this differs from the sketch in the step's plan, this file is what holds:
//!
//! - joules by operation are in [`FlashPlan::energy`], watts by direction in [`RatedPlan::active_w`] of a data sheet;
//!   [`SsdPowerPlan::active_w`] is what the drive draws while it does anything, operations apart;
//! - a *superblock* is the same block of all planes of all dies; it is written, collected and erased as one. Garbage
//!   collection keeps [`GcPlan::free_blocks`] of them free (one number, not a low and a high one): it runs in step with the
//!   host's writes and not in bursts;
//! - a data sheet's latency is all of a command's: of the interface only `queue_depth` counts then;
//! - levels of power are those of HDDs but that none may serve (`serves_at`) or be `stopped`; an operational NVMe state is
//!   `cap_w`.

use super::{check_reported, reported};
use iowatt_power::{Levels, unknown_as_nan};
use serde::Deserialize;

/// A solid-state drive.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SsdPlan {
    /// Bytes of a sector.
    pub sector_bytes: u32,
    /// Sectors that the drive offers.
    pub sectors: u64,
    /// Between host and media.
    pub interface: SsdInterfacePlan,
    /// What holds the data.
    pub media: MediaPlan,
    /// Electrical figures.
    pub power: SsdPowerPlan,
    /// How much it may be written.
    #[serde(default)]
    pub wear: WearPlan,
}

/// The host interface and the controller behind it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SsdInterfacePlan {
    /// Data to the host, bytes per second.
    pub read_bytes_per_s: f64,
    /// Data from the host, bytes per second.
    pub write_bytes_per_s: f64,
    /// Fixed latency of a read in link and controller, seconds; it overlaps with that of other commands.
    pub command_read_s: f64,
    /// The same of a write or a trim.
    pub command_write_s: f64,
    /// Most commands a second that the controller takes; none: as many as there are.
    #[serde(default)]
    pub commands_per_s: Option<f64>,
    /// Most commands outstanding at the drive; others wait at the host, first come first served. A pool's
    /// `command_queue.depth` can only make it less.
    pub queue_depth: usize,
}

/// What holds the data.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum MediaPlan {
    /// NAND flash behind a translation layer.
    Flash(Box<FlashPlan>),
    /// Unknown insides: a service centre with the figures of a data sheet.
    DataSheet(DataSheetPlan),
}

/// NAND flash behind a page-mapping translation layer.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FlashPlan {
    /// Channels.
    pub channels: u32,
    /// Dies on each.
    pub dies_per_channel: u32,
    /// Planes of a die, programmed, read and erased together where addresses allow.
    pub planes: u32,
    /// Blocks of a plane: so many superblocks there are. All that the host is not offered is spare.
    pub blocks_per_plane: u32,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Bytes that the map keeps track of as one (the indirection unit): a divisor of a page's, or a multiple that divides
    /// the pages of all planes of a die. Smaller writes read what they leave.
    pub mapping_bytes: u32,
    /// Sensing a page (of one or all planes), seconds.
    pub read_s: f64,
    /// Programming a page (of all planes), seconds.
    pub program_s: f64,
    /// Erasing a block (of all planes), seconds.
    pub erase_s: f64,
    /// Bytes per second of a channel.
    pub channel_bytes_per_s: f64,
    /// Whether reads interrupt programs and erases; none: they wait for the operation under way.
    #[serde(default)]
    pub suspend: Option<SuspendPlan>,
    /// Write buffer behind power-loss protection: a write is complete once it holds it. 0: once it is on flash, and
    /// every write fills up its pages.
    pub buffer_bytes: u64,
    /// Garbage collection.
    pub gc: GcPlan,
    /// Difference of the erase counts of two superblocks above which the least worn one is collected, whatever it
    /// holds; none: never.
    #[serde(default)]
    pub wear_levelling: Option<u32>,
    /// What the drive holds at the start.
    pub initial: FlashInitialPlan,
    /// Joules of operations.
    pub energy: FlashEnergyPlan,
}

/// Interrupting operations for reads.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SuspendPlan {
    /// Programs can be interrupted.
    pub program: bool,
    /// Erases can be interrupted.
    pub erase: bool,
    /// From the request to the start of the read, seconds.
    pub latency_s: f64,
}

/// Garbage collection.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GcPlan {
    /// Which superblock is collected next.
    pub policy: GcPolicy,
    /// Superblocks kept free, those being written apart. At least 1; at least 2 with `hot_cold`.
    pub free_blocks: u32,
    /// What is moved goes to superblocks of its own, apart from what the host writes.
    pub hot_cold: bool,
}

/// Choice of a victim.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GcPolicy {
    /// The one with the least valid data.
    Greedy,
    /// The one written longest ago.
    Fifo,
    /// The one with the greatest age x free share / (2 x valid share) (Rosenblum and Ousterhout 1992, Kawaguchi et
    /// al. 1995).
    CostBenefit,
}

/// State of the map at time zero.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum FlashInitialPlan {
    /// Nothing has been written.
    Fresh,
    /// As after a long time of random writes: garbage collection goes on at its steady rate from the first write.
    Steady(SteadyPlan),
}

/// A drive in steady state.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SteadyPlan {
    /// Share of the host's addresses that hold data, from the first on; the rest is trimmed. In (0, 1].
    pub fill: f64,
    /// Classes of traffic over what is filled, in the order of addresses: shares of space and of writes, each adding up
    /// to 1. Empty: uniform.
    #[serde(default)]
    pub traffic: Vec<TrafficPlan>,
    /// Bytes of consecutive addresses that lie together on flash, a multiple of `mapping_bytes`; none: that.
    #[serde(default)]
    pub run_bytes: Option<u64>,
}

/// A class of traffic.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TrafficPlan {
    /// Share of the space.
    pub space: f64,
    /// Share of the writes.
    pub writes: f64,
}

/// Joules of operations on flash, beyond what the drive draws while active.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FlashEnergyPlan {
    /// Sensing one page of one plane.
    #[serde(deserialize_with = "unknown_as_nan")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>", required))]
    pub read_j: f64,
    /// Programming one page of one plane.
    #[serde(deserialize_with = "unknown_as_nan")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>", required))]
    pub program_j: f64,
    /// Erasing one block of one plane.
    #[serde(deserialize_with = "unknown_as_nan")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>", required))]
    pub erase_j: f64,
    /// Each byte to or from the host.
    #[serde(deserialize_with = "unknown_as_nan")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>", required))]
    pub transfer_j_per_byte: f64,
    /// Each command.
    #[serde(default, deserialize_with = "unknown_as_nan")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub command_j: f64,
}

/// The figures of a data sheet.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DataSheetPlan {
    /// Reads.
    pub read: RatedPlan,
    /// Writes: sustained figures.
    pub write: RatedPlan,
    /// Bytes programmed for a byte written, for wear alone: the figures above contain what it costs.
    pub write_amplification: f64,
    /// Bytes of flash, for wear in P/E cycles; none: the bytes offered.
    #[serde(default)]
    pub raw_bytes: Option<u64>,
}

/// The figures of one direction. A command holds the drive for the longer of 1 / `iops` and its bytes / `bytes_per_s`; what
/// else its latency contains overlaps with other commands.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RatedPlan {
    /// Latency of a small command alone (queue depth 1), seconds.
    pub latency_s: f64,
    /// Most small commands a second.
    pub iops: f64,
    /// Most bytes a second.
    pub bytes_per_s: f64,
    /// Draw of the whole drive at those rates, watts.
    #[serde(deserialize_with = "unknown_as_nan")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>", required))]
    pub active_w: f64,
}

/// Electrical figures.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SsdPowerPlan {
    /// Draw while a command or an operation on flash is under way, the energy of operations apart, watts; no less than
    /// idling. Of a data sheet: the draw that its `active_w` are counted from, normally that of idling.
    #[serde(deserialize_with = "unknown_as_nan")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>", required))]
    pub active_w: f64,
    /// How long it goes on drawing that after its last work, before it idles, seconds. A run that begins without work begins
    /// idle.
    #[serde(default)]
    pub awake_s: f64,
    /// Idling, and what lies below that (NVMe: the non-operational states).
    pub levels: Levels,
    /// The state that each level below idling is reported as: 3 is standby, 6 and more are further ones.
    #[serde(default)]
    pub states: Vec<usize>,
    /// Most that the drive draws (NVMe: the operational state's), watts; commands are held up so that it does not draw
    /// more. None: there is no limit.
    #[serde(default)]
    pub cap_w: Option<f64>,
}

/// How much a drive may be written; none: not known.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WearPlan {
    /// Program/erase cycles of a block.
    #[serde(default)]
    pub pe_cycles: Option<f64>,
    /// Bytes that the maker lets the host write (TBW).
    #[serde(default)]
    pub rated_bytes_written: Option<f64>,
}

/// Most units of the map: they are numbered in 32 bits, with some numbers to spare.
const MOST_UNITS: u64 = u32::MAX as u64 - 15;

fn check(ok: bool, what: &str) -> Result<(), String> {
    if ok { Ok(()) } else { Err(format!("SSD: {what}")) }
}

fn positive(x: f64) -> bool {
    x.is_finite() && x > 0.0
}

fn sound(x: f64) -> bool {
    x.is_finite() && x >= 0.0
}

impl SsdPlan {
    /// Bytes offered.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.sectors.saturating_mul(u64::from(self.sector_bytes))
    }

    /// Whether the plan is consistent with itself.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn validate(&self) -> Result<(), String> {
        check(self.sector_bytes > 0 && self.sectors > 0, "it must offer sectors")?;
        check(self.sectors.checked_mul(u64::from(self.sector_bytes)).is_some(), "its capacity is too large")?;
        let i = &self.interface;
        check(
            positive(i.read_bytes_per_s) && positive(i.write_bytes_per_s),
            "the interface must move bytes",
        )?;
        check(sound(i.command_read_s) && sound(i.command_write_s), "command latencies must be 0 s or more")?;
        check(i.commands_per_s.is_none_or(positive), "commands a second must be above 0")?;
        check(i.queue_depth > 0, "it takes at least 1 command")?;
        let WearPlan { pe_cycles, rated_bytes_written } = self.wear;
        check(
            pe_cycles.is_none_or(positive) && rated_bytes_written.is_none_or(positive),
            "endurance must be above 0",
        )?;
        match &self.media {
            MediaPlan::Flash(flash) => flash.validate(self)?,
            MediaPlan::DataSheet(sheet) => sheet.validate(self)?,
        }
        self.power.validate()
    }
}

impl FlashPlan {
    /// Dies.
    #[must_use]
    pub fn dies(&self) -> u32 {
        self.channels * self.dies_per_channel
    }

    /// Bytes that one program operation writes: a page of each plane.
    #[must_use]
    pub fn stripe_bytes(&self) -> u64 {
        u64::from(self.planes) * u64::from(self.page_bytes)
    }

    /// Bytes of a superblock.
    #[must_use]
    pub fn superblock_bytes(&self) -> u64 {
        self.stripe_bytes() * u64::from(self.dies()) * u64::from(self.pages_per_block)
    }

    /// Bytes of flash.
    #[must_use]
    pub fn raw_bytes(&self) -> u64 {
        self.superblock_bytes() * u64::from(self.blocks_per_plane)
    }

    fn validate(&self, drive: &SsdPlan) -> Result<(), String> {
        let counts = [
            self.channels,
            self.dies_per_channel,
            self.planes,
            self.blocks_per_plane,
            self.pages_per_block,
            self.page_bytes,
            self.mapping_bytes,
        ];
        check(counts.iter().all(|&n| n > 0), "every number of the flash's geometry must be at least 1")?;
        let dies = u64::from(self.channels) * u64::from(self.dies_per_channel);
        check(dies <= 4_096, "it has more than 4096 dies")?;
        let product = counts[2..6].iter().try_fold(dies, |all, &n| all.checked_mul(u64::from(n)));
        check(product.is_some(), "its flash is too large")?;
        let (page, unit) = (u64::from(self.page_bytes), u64::from(self.mapping_bytes));
        check(
            page.is_multiple_of(unit)
                || (unit.is_multiple_of(page) && self.stripe_bytes().is_multiple_of(unit)),
            "mapping_bytes must divide a page, or be whole pages that divide those of all planes",
        )?;
        check(unit.is_multiple_of(u64::from(drive.sector_bytes)), "mapping_bytes must be whole sectors")?;
        check(
            self.raw_bytes() / unit <= MOST_UNITS,
            "its flash has too many mapping units (at most 4294967280): larger mapping_bytes are needed",
        )?;
        let times = [self.read_s, self.program_s, self.erase_s];
        check(
            times.iter().all(|&t| positive(t) && t < 1.0),
            "operations on flash take above 0 s and less than 1 s",
        )?;
        check(positive(self.channel_bytes_per_s), "a channel must move bytes")?;
        check(
            self.suspend.is_none_or(|s| sound(s.latency_s)),
            "the latency of suspending must be 0 s or more",
        )?;
        check(self.gc.free_blocks > u32::from(self.gc.hot_cold), "too few superblocks are kept free")?;
        let offered = drive.capacity_bytes().div_ceil(unit) * unit;
        let kept = u64::from(self.gc.free_blocks) + 2 + u64::from(self.gc.hot_cold);
        check(
            self.raw_bytes() >= offered.saturating_add(kept * self.superblock_bytes()),
            "its flash must hold what it offers and the superblocks that are free or being written",
        )?;
        let e = &self.energy;
        check(
            [e.read_j, e.program_j, e.erase_j, e.transfer_j_per_byte, e.command_j]
                .into_iter()
                .all(|joules| joules.is_nan() || sound(joules)),
            "energies of operations must be 0 J or more",
        )?;
        let FlashInitialPlan::Steady(steady) = &self.initial else { return Ok(()) };
        check(steady.fill > 0.0 && steady.fill <= 1.0, "the filled share must be above 0 and at most 1")?;
        check(
            steady.run_bytes.is_none_or(|n| n > 0 && n.is_multiple_of(unit)),
            "run_bytes must be a multiple of mapping_bytes",
        )?;
        let traffic = &steady.traffic;
        check(traffic.len() <= 16, "at most 16 classes of traffic")?;
        check(
            traffic.iter().all(|t| positive(t.space) && sound(t.writes)),
            "a class of traffic needs a share of the space above 0 and of the writes of 0 or more",
        )?;
        let one = |x: f64| traffic.is_empty() || (x - 1.0).abs() < 1e-6;
        check(
            one(traffic.iter().map(|t| t.space).sum()) && one(traffic.iter().map(|t| t.writes).sum()),
            "the shares of the classes of traffic must add up to 1",
        )
    }
}

impl DataSheetPlan {
    fn validate(&self, drive: &SsdPlan) -> Result<(), String> {
        for rated in [&self.read, &self.write] {
            check(
                sound(rated.latency_s) && positive(rated.iops) && positive(rated.bytes_per_s),
                "a data sheet's latency, IOPS and bytes a second must be above 0",
            )?;
            check(
                not_below(rated.active_w, drive.power.active_w),
                "a data sheet's watts of work must be no less than those of idling",
            )?;
        }
        check(
            self.write_amplification.is_finite() && self.write_amplification > 0.0,
            "write amplification must be above 0",
        )?;
        check(self.raw_bytes != Some(0), "its flash must have bytes")
    }
}

/// Whether some watts are no less than others, as far as both are known.
fn not_below(watts: f64, least: f64) -> bool {
    watts.is_nan() || least.is_nan() || (watts.is_finite() && watts >= least)
}

impl SsdPowerPlan {
    fn validate(&self) -> Result<(), String> {
        self.levels.validate()?;
        check_reported(&self.levels, &self.states)?;
        check(
            self.levels.below.iter().all(|l| l.serves_at.is_none() && !l.stopped),
            "a level below idling neither serves nor stops a spindle",
        )?;
        check(not_below(self.active_w, self.levels.idle_w), "working must draw no less than idling")?;
        check(sound(self.awake_s), "it stays awake for 0 s or more")?;
        check(
            self.cap_w.is_none_or(|w| w.is_finite() && w > self.active_w),
            "a power cap must leave some power for operations",
        )
    }

    /// Number of states that its levels are reported as, those of every drive included.
    #[must_use]
    pub fn states(&self) -> usize {
        reported(&self.states)
    }
}
