//! Parameters of the SSD model: host interface, flash and its translation layer (or a data sheet), power, wear.
//!
//! Where this differs from the sketch in the step's plan, this file is what holds:
//!
//! - joules by operation are in [`FlashPlan::energy`], watts by direction in [`RatedPlan::active_w`] of a data sheet;
//!   [`SsdPowerPlan::active_w`] is what the drive draws while it does anything, operations apart;
//! - a *superblock* is the same block of all planes of all dies; it is written, collected and erased as one. Garbage
//!   collection keeps [`GcPlan::free_blocks`] of them free, in step with the host's writes or in bursts ([`BurstPlan`]);
//! - a data sheet's latency is all of a command's: of the interface only `queue_depth` counts then;
//! - levels of power are those of HDDs but that none may serve (`serves_at`) or be `stopped`; an operational NVMe state is
//!   `cap_w`.

use super::pool::{check_levels, reported};
use iowatt_power::{Levels, unknown_as_nan};
use iowatt_volume::PlanFault::{Capacity, Conflict, Count, Range, Reference};
use iowatt_volume::{GcPolicy, PlanError, Under, at_least_zero, check, positive};
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
#[derive(Clone, Debug, Deserialize)]
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
    /// How long reads hold the controller, by size, in place of `commands_per_s`: sizes and times that do not fall. A command
    /// begins when those before it let go. Empty: by `commands_per_s`.
    #[serde(default)]
    pub read_holds: Vec<HoldPlan>,
    /// The same of writes and trims.
    #[serde(default)]
    pub write_holds: Vec<HoldPlan>,
    /// Most commands outstanding at the drive; others wait at the host, first come first served. A pool's
    /// `command_queue.depth` can only make it less.
    pub queue_depth: usize,
}

/// How long a command of a size holds the controller; linear between sizes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HoldPlan {
    /// Bytes of the command.
    pub bytes: u64,
    /// Seconds.
    pub time_s: f64,
}

/// What holds the data.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum MediaPlan {
    /// NAND flash behind a translation layer.
    Flash(Box<FlashPlan>),
    /// Unknown insides: a service centre with the figures of a data sheet.
    DataSheet(Box<DataSheetPlan>),
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
    /// Sensing a page (of one or all planes), seconds; the mean over the pages of a cell.
    pub read_s: f64,
    /// The same by page type, in the order in which the pages of a block follow one another: one for each bit of a cell.
    /// Empty: `read_s` for all.
    #[serde(default)]
    pub read_by_page_s: Vec<f64>,
    /// How long the reads of hosts keep their die from other work, seconds, the mean over page types; each takes its share.
    /// None: as long as they sense.
    #[serde(default)]
    pub read_hold_s: Option<f64>,
    /// Share of the senses for hosts after which the page is sensed once more, because its data cannot be corrected. Below 1.
    #[serde(default)]
    pub retries: f64,
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
    /// Bytes of the map for a unit that is written: once they fill a stripe, that is programmed. 0: the map is not written.
    #[serde(default)]
    pub map_entry_bytes: u32,
    /// Whether hosts write each superblock in order, as a zone, and reset it as a whole: then nothing is mapped or collected.
    #[serde(default)]
    pub zoned: bool,
    /// Placement handles that hosts write with (NVMe flexible data placement): superblocks open to them at once, of which
    /// each takes the data of one handle. With more than 1, moved data go to separate superblocks, too, which handles share
    /// (initially isolated). At most 64.
    #[serde(default = "one")]
    pub placement_handles: u32,
    /// The handle that a write gets by its first sector; empty: 0 everywhere.
    #[serde(default)]
    pub placement: Vec<PlacementPlan>,
    /// Cells that are written with one bit each at first; none: there are none.
    #[serde(default)]
    pub slc_cache: Option<SlcCachePlan>,
    /// Joules of operations.
    pub energy: FlashEnergyPlan,
}

fn one() -> u32 {
    1
}

/// Writes from a sector on carry a placement handle, up to where the next begins.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlacementPlan {
    /// The first sector; ascending.
    pub from_sector: u64,
    /// The handle, below `placement_handles`.
    pub handle: u32,
}

/// A cache of cells written with one bit each. A stripe of the host is programmed there while it has room, and once more,
/// folded, when the drive rests; without room it is programmed in both at once. The joules of a program go by its time.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SlcCachePlan {
    /// Bytes of hosts that it holds.
    pub bytes: u64,
    /// Programming a page of it, seconds; no longer than `program_s`.
    pub program_s: f64,
    /// Without work for so long, the drive folds, seconds.
    pub idle_s: f64,
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
    /// How often one operation can be interrupted; then reads wait for its end. None: without limit.
    #[serde(default)]
    pub most: Option<u32>,
}

/// Garbage collection.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GcPlan {
    /// Which superblock is collected next.
    pub policy: GcPolicy,
    /// Superblocks kept free, those being written apart. At least 1; at least 2 with `hot_cold` or
    /// several placement handles.
    pub free_blocks: u32,
    /// Relocated data go to separate superblocks, apart from host writes.
    pub hot_cold: bool,
    /// Collection in bursts; none: in step with the host's writes.
    #[serde(default)]
    pub burst: Option<BurstPlan>,
}

/// Collection in bursts: it begins when no more than `free_blocks` superblocks are free.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BurstPlan {
    /// It goes on until so many more are free.
    pub blocks: u32,
    /// Share of the dies' time that its programs take meanwhile. Where hosts write faster than it frees, it takes more.
    pub share: f64,
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
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DataSheetPlan {
    /// Reads.
    pub read: RatedPlan,
    /// Writes: sustained figures.
    pub write: RatedPlan,
    /// Bytes programmed for a byte written, for wear alone: the figures above contain what it costs.
    pub write_amplification: f64,
    /// A cache of writes; none: `write` has sustained figures. With one, it has those of the cache.
    #[serde(default)]
    pub write_cache: Option<SheetCachePlan>,
    /// Bytes of flash, for wear in P/E cycles; none: the bytes offered.
    #[serde(default)]
    pub raw_bytes: Option<u64>,
}

/// A cache of writes of a drive that is known by its data sheet.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SheetCachePlan {
    /// Bytes that it holds.
    pub bytes: u64,
    /// Bytes a second at which it is emptied when the drive rests, and written when it is full.
    pub folding_bytes_per_s: f64,
    /// Without work for so long, the drive empties it, seconds.
    pub idle_s: f64,
}

/// The figures of one direction. A command holds the drive for the longer of 1 / `iops` and its bytes / `bytes_per_s`; what
/// else its latency contains overlaps with other commands.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RatedPlan {
    /// Latency of a small command alone (queue depth 1), seconds.
    pub latency_s: f64,
    /// Most small commands a second.
    pub iops: f64,
    /// Most bytes a second.
    pub bytes_per_s: f64,
    /// How long a command holds the drive, by size, in place of `iops` and `bytes_per_s`; empty: by these.
    #[serde(default)]
    pub holds: Vec<HoldPlan>,
    /// Quantiles of the latency of a small command alone, in place of `latency_s`; empty: it is always that.
    #[serde(default)]
    pub quantiles: Vec<QuantilePlan>,
    /// Draw of the whole drive at those rates, watts.
    #[serde(deserialize_with = "unknown_as_nan")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>", required))]
    pub active_w: f64,
}

/// A quantile of a latency.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct QuantilePlan {
    /// Share of the commands that take no longer; below 1.
    pub share: f64,
    /// Seconds.
    pub latency_s: f64,
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

impl SsdPlan {
    /// Bytes offered.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.sectors.saturating_mul(u64::from(self.sector_bytes))
    }

    /// Whether the plan is consistent with itself.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self) -> Result<(), PlanError> {
        check(self.sector_bytes > 0, Range, "sector_bytes", "must be at least 1")?;
        let bytes = self.sectors.checked_mul(u64::from(self.sector_bytes));
        check(
            bytes.is_some_and(|n| n > 0),
            Range,
            "sectors",
            "must be at least 1, and less than 2^64 bytes",
        )?;
        self.interface.validate().under("interface")?;
        let WearPlan { pe_cycles, rated_bytes_written } = self.wear;
        check(pe_cycles.is_none_or(positive), Range, "wear.pe_cycles", "must be positive")?;
        check(
            rated_bytes_written.is_none_or(positive),
            Range,
            "wear.rated_bytes_written",
            "must be positive",
        )?;
        match &self.media {
            MediaPlan::Flash(flash) => flash.validate(self),
            MediaPlan::DataSheet(sheet) => sheet.validate(self),
        }
        .under("media")?;
        self.power.validate().under("power")
    }
}

impl SsdInterfacePlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(positive(self.read_bytes_per_s), Range, "read_bytes_per_s", "must be positive")?;
        check(positive(self.write_bytes_per_s), Range, "write_bytes_per_s", "must be positive")?;
        check(at_least_zero(self.command_read_s), Range, "command_read_s", "must be at least 0")?;
        check(at_least_zero(self.command_write_s), Range, "command_write_s", "must be at least 0")?;
        check(self.commands_per_s.is_none_or(positive), Range, "commands_per_s", "must be positive")?;
        check_holds("read_holds", &self.read_holds)?;
        check_holds("write_holds", &self.write_holds)?;
        check(self.queue_depth > 0, Range, "queue_depth", "must be at least 1")
    }
}

/// Checks times by size.
fn check_holds(field: &'static str, holds: &[HoldPlan]) -> Result<(), PlanError> {
    check(holds.len() <= 16, Count, field, "must be at most 16 sizes")?;
    for (number, hold) in holds.iter().enumerate() {
        let before = number.checked_sub(1).map(|number| &holds[number]);
        let more = hold.bytes > before.map_or(0, |b| b.bytes);
        check(more, Range, "bytes", "must be above the size before").under_item(field, number)?;
        let longer = positive(hold.time_s) && before.is_none_or(|b| hold.time_s >= b.time_s);
        check(longer, Range, "time_s", "must be positive, and no less than that of a smaller size")
            .under_item(field, number)?;
    }
    Ok(())
}

/// Checks quantiles of a latency.
fn check_quantiles(quantiles: &[QuantilePlan]) -> Result<(), PlanError> {
    check(quantiles.len() <= 16, Count, "quantiles", "must be at most 16")?;
    for (number, quantile) in quantiles.iter().enumerate() {
        let before = number.checked_sub(1).map(|number| &quantiles[number]);
        let QuantilePlan { share, latency_s } = *quantile;
        let more = (0.0..1.0).contains(&share) && before.is_none_or(|b| share > b.share);
        check(more, Range, "share", "must be in 0..1 and above the one before")
            .under_item("quantiles", number)?;
        let longer = positive(latency_s) && before.is_none_or(|b| latency_s >= b.latency_s);
        check(longer, Range, "latency_s", "must be positive, and no less than the one before")
            .under_item("quantiles", number)?;
    }
    Ok(())
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

    fn validate(&self, drive: &SsdPlan) -> Result<(), PlanError> {
        self.check_geometry(drive)?;
        for (field, time) in
            [("read_s", self.read_s), ("program_s", self.program_s), ("erase_s", self.erase_s)]
        {
            check(positive(time) && time < 1.0, Range, field, "must be above 0 s and below 1 s")?;
        }
        let short = |s: f64| positive(s) && s < 1.0;
        check(self.read_by_page_s.len() <= 8, Count, "read_by_page_s", "must be at most 8 page types")?;
        let all = self.read_by_page_s.iter().all(|&s| short(s));
        check(all, Range, "read_by_page_s", "must be above 0 s and below 1 s")?;
        let hold = self.read_hold_s.is_none_or(short);
        check(hold, Range, "read_hold_s", "must be above 0 s and below 1 s")?;
        let share = self.retries >= 0.0 && self.retries < 1.0;
        check(share, Range, "retries", "must be at least 0 and below 1")?;
        check(positive(self.channel_bytes_per_s), Range, "channel_bytes_per_s", "must be positive")?;
        check(
            self.suspend.is_none_or(|s| at_least_zero(s.latency_s)),
            Range,
            "suspend.latency_s",
            "must be at least 0",
        )?;
        self.energy.validate().under("energy")?;
        let FlashInitialPlan::Steady(steady) = &self.initial else { return Ok(()) };
        steady.validate(u64::from(self.mapping_bytes)).under("initial")
    }

    fn check_geometry(&self, drive: &SsdPlan) -> Result<(), PlanError> {
        self.check_placement()?;
        let counts = [
            ("channels", self.channels),
            ("dies_per_channel", self.dies_per_channel),
            ("planes", self.planes),
            ("blocks_per_plane", self.blocks_per_plane),
            ("pages_per_block", self.pages_per_block),
            ("page_bytes", self.page_bytes),
            ("mapping_bytes", self.mapping_bytes),
        ];
        for (field, count) in counts {
            check(count > 0, Range, field, "must be at least 1")?;
        }
        let dies = u64::from(self.channels) * u64::from(self.dies_per_channel);
        check(dies <= 4_096, Capacity, "dies_per_channel", "the drive must have at most 4,096 dies")?;
        let product = counts[2..6].iter().try_fold(dies, |all, &(_, n)| all.checked_mul(u64::from(n)));
        check(product.is_some(), Capacity, "blocks_per_plane", "the flash must be less than 2^64 bytes")?;
        let (page, unit) = (u64::from(self.page_bytes), u64::from(self.mapping_bytes));
        let pages = unit.is_multiple_of(page) && self.stripe_bytes().is_multiple_of(unit);
        check(
            page.is_multiple_of(unit) || pages,
            Range,
            "mapping_bytes",
            "must divide a page, or be a multiple of pages that divides the pages of all planes",
        )?;
        let sectors = unit.is_multiple_of(u64::from(drive.sector_bytes));
        check(sectors, Range, "mapping_bytes", "must be a multiple of the sector size")?;
        check(
            self.raw_bytes() / unit <= MOST_UNITS,
            Capacity,
            "mapping_bytes",
            "must be larger: the flash has more than 4,294,967,280 mapping units",
        )?;
        let gc = &self.gc;
        check(
            gc.free_blocks > u32::from(gc.moves_apart(self.placement_handles)),
            Range,
            "gc.free_blocks",
            "must be at least 1, or 2 with hot_cold or placement handles",
        )?;
        let bursts = gc.burst.is_none_or(|b| b.blocks > 0 && b.share > 0.0 && b.share <= 1.0);
        check(
            bursts,
            Range,
            "gc.burst",
            "must have blocks of at least 1, and a share above 0 and at most 1",
        )?;
        let entry = u64::from(self.map_entry_bytes) <= self.stripe_bytes();
        check(entry, Range, "map_entry_bytes", "must be at most the pages of all planes of a die")?;
        if let Some(cache) = &self.slc_cache {
            let fast = positive(cache.program_s) && cache.program_s <= self.program_s;
            check(fast, Range, "slc_cache.program_s", "must be above 0 s and at most program_s")?;
            check(at_least_zero(cache.idle_s), Range, "slc_cache.idle_s", "must be at least 0")?;
        }
        let buffered = self.buffer_bytes > 0 && self.map_entry_bytes == 0;
        check(!self.zoned || buffered, Conflict, "zoned", "needs a write buffer, and no map entries")?;
        let zones = drive.capacity_bytes().is_multiple_of(self.superblock_bytes());
        check(!self.zoned || zones, Range, "zoned", "the offered bytes must be whole superblocks")?;
        let offered = drive.capacity_bytes().div_ceil(unit) * unit;
        let burst = gc.burst.map_or(0, |b| u64::from(b.blocks));
        let open = u64::from(self.placement_handles) + u64::from(gc.moves_apart(self.placement_handles));
        let kept = u64::from(gc.free_blocks) + 1 + open + burst;
        check(
            self.raw_bytes() >= offered.saturating_add(kept * self.superblock_bytes()),
            Capacity,
            "blocks_per_plane",
            "the flash must hold the offered bytes and the superblocks that are free or being written",
        )
    }
}

impl FlashPlan {
    fn check_placement(&self) -> Result<(), PlanError> {
        let handles = self.placement_handles;
        check((1..=64).contains(&handles), Range, "placement_handles", "must be 1 to 64")?;
        let mapped = handles == 1 || !self.zoned;
        check(mapped, Conflict, "placement_handles", "a zoned drive has none: its host places data")?;
        let stripes = self.stripe_bytes().saturating_mul(u64::from(handles));
        let room = handles == 1 || self.buffer_bytes == 0 || self.buffer_bytes >= stripes;
        check(room, Range, "buffer_bytes", "must hold the pages of all planes of a die for each handle")?;
        for (number, place) in self.placement.iter().enumerate() {
            let before = number.checked_sub(1).map(|number| self.placement[number].from_sector);
            let later = before.is_none_or(|before| place.from_sector > before);
            check(later, Range, "from_sector", "must be above the one before")
                .under_item("placement", number)?;
            check(place.handle < handles, Reference, "handle", "there is no such placement handle")
                .under_item("placement", number)?;
        }
        Ok(())
    }
}

impl GcPlan {
    /// Whether moved data go to superblocks apart from what hosts write with so many placement handles.
    #[inline]
    #[must_use]
    pub fn moves_apart(&self, handles: u32) -> bool {
        self.hot_cold || handles > 1
    }
}

impl FlashEnergyPlan {
    fn validate(&self) -> Result<(), PlanError> {
        for (field, joules) in [
            ("read_j", self.read_j),
            ("program_j", self.program_j),
            ("erase_j", self.erase_j),
            ("transfer_j_per_byte", self.transfer_j_per_byte),
            ("command_j", self.command_j),
        ] {
            check(joules.is_nan() || at_least_zero(joules), Range, field, "must be at least 0, or null")?;
        }
        Ok(())
    }
}

impl SteadyPlan {
    /// Checks the plan over mapping units of so many bytes.
    fn validate(&self, unit: u64) -> Result<(), PlanError> {
        check(self.fill > 0.0 && self.fill <= 1.0, Range, "fill", "must be above 0 and at most 1")?;
        let whole = self.run_bytes.is_none_or(|n| n > 0 && n.is_multiple_of(unit));
        check(whole, Range, "run_bytes", "must be a multiple of mapping_bytes")?;
        let traffic = &self.traffic;
        check(traffic.len() <= 16, Count, "traffic", "must be at most 16 classes")?;
        for (number, class) in traffic.iter().enumerate() {
            check(positive(class.space), Range, "space", "must be positive").under_item("traffic", number)?;
            let writes = at_least_zero(class.writes);
            check(writes, Range, "writes", "must be at least 0").under_item("traffic", number)?;
        }
        let one = |sum: f64| traffic.is_empty() || (sum - 1.0).abs() < 1e-6;
        let whole = one(traffic.iter().map(|t| t.space).sum()) && one(traffic.iter().map(|t| t.writes).sum());
        check(whole, Conflict, "traffic", "the shares of space and of writes must each add up to 1")
    }
}

impl DataSheetPlan {
    fn validate(&self, drive: &SsdPlan) -> Result<(), PlanError> {
        for (field, rated) in [("read", &self.read), ("write", &self.write)] {
            rated.validate(drive.power.active_w).under(field)?;
        }
        check(positive(self.write_amplification), Range, "write_amplification", "must be positive")?;
        if let Some(cache) = &self.write_cache {
            let rate = positive(cache.folding_bytes_per_s);
            check(rate, Range, "write_cache.folding_bytes_per_s", "must be positive")?;
            check(at_least_zero(cache.idle_s), Range, "write_cache.idle_s", "must be at least 0")?;
        }
        check(self.raw_bytes != Some(0), Range, "raw_bytes", "must be at least 1")
    }
}

impl RatedPlan {
    /// Checks the plan of a drive that draws so much when it is awake.
    fn validate(&self, awake_w: f64) -> Result<(), PlanError> {
        check(at_least_zero(self.latency_s), Range, "latency_s", "must be at least 0")?;
        check(positive(self.iops), Range, "iops", "must be positive")?;
        check(positive(self.bytes_per_s), Range, "bytes_per_s", "must be positive")?;
        check_holds("holds", &self.holds)?;
        check_quantiles(&self.quantiles)?;
        check(not_below(self.active_w, awake_w), Range, "active_w", "must be at least the drive's active_w")
    }
}

/// Whether some watts are no less than others, as far as both are known.
fn not_below(watts: f64, least: f64) -> bool {
    watts.is_nan() || least.is_nan() || (watts.is_finite() && watts >= least)
}

impl SsdPowerPlan {
    fn validate(&self) -> Result<(), PlanError> {
        check_levels(&self.levels, &self.states)?;
        check(
            self.levels.below.iter().all(|l| l.serves_at.is_none() && !l.stopped),
            Conflict,
            "levels.below",
            "levels of an SSD neither serve requests nor stop a spindle",
        )?;
        check(not_below(self.active_w, self.levels.idle_w), Range, "active_w", "must be at least idle_w")?;
        check(at_least_zero(self.awake_s), Range, "awake_s", "must be at least 0")?;
        check(
            self.cap_w.is_none_or(|w| w.is_finite() && w > self.active_w),
            Range,
            "cap_w",
            "must be above active_w",
        )
    }

    /// Number of states that its levels are reported as, those of every drive included.
    #[must_use]
    pub fn states(&self) -> usize {
        reported(&self.states)
    }
}
