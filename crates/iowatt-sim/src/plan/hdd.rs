//! Parameters of the disk model: layout, mechanics, controller, buffer.

use super::{HddPowerPlan, PhasePlan};
use iowatt_volume::PlanFault::{Conflict, Count, Range, Reference};
use iowatt_volume::{PlanError, Under, at_least_zero, check, positive};
use serde::Deserialize;

/// A mechanical disk with its controller.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HddPlan {
    /// Revolutions per minute.
    pub rpm: f64,
    /// Bytes of a sector.
    pub sector_bytes: u32,
    /// Recording surfaces (= heads).
    pub surfaces: u32,
    /// Cylinders.
    pub cylinders: u32,
    /// Sectors that the drive offers; the layout has a place for each.
    pub sectors: u64,
    /// Where the sectors are.
    pub layout: LayoutPlan,
    /// Seek time by distance.
    pub seek: SeekPlan,
    /// Change of head within a cylinder, seconds.
    pub head_switch_s: f64,
    /// Added to any non-zero positioning of a write, seconds (may be negative).
    pub write_settle_s: f64,
    /// Overheads and transfer.
    #[serde(default)]
    pub controller: DriveControllerPlan,
    /// On-board buffer; left out, there is none.
    #[serde(default)]
    pub buffer: BufferPlan,
    /// Arms on the one spindle, each with an equal part of the sectors, in order. Layout, surfaces and seeks are those of one.
    #[serde(default = "one")]
    pub actuators: u32,
    /// Its tracks overlap in bands, which the drive hides; none: they do not, or the host takes care.
    #[serde(default)]
    pub shingled: Option<ShingledPlan>,
    /// Rotational position at time zero.
    pub phase: PhasePlan,
    /// Electrical figures.
    pub power: HddPowerPlan,
}

fn one() -> u32 {
    1
}

/// Bands of overlapping tracks, and the media cache behind them, of each arm.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ShingledPlan {
    /// Sectors of a band.
    pub band_sectors: u64,
    /// Sectors of the media cache, beyond those that the drive offers.
    pub cache_sectors: u64,
    /// Runs of sectors whose newest data the cache can hold, however short.
    pub map_entries: usize,
    /// Rest after which the drive cleans, seconds.
    pub idle_s: f64,
}

/// Layout of the sectors.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LayoutPlan {
    /// Zones of like cylinders.
    Zoned(ZonedPlan),
    /// Nested runs of like tracks.
    Indexed(IndexedPlan),
}

/// Zones of like cylinders (DiskSim's G1).
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ZonedPlan {
    /// Order of surfaces within cylinders.
    pub mapping: Mapping,
    /// Where the spares are.
    pub sparing: Sparing,
    /// Zones in LBN order.
    pub zones: Vec<ZonePlan>,
}

/// Order of surfaces within cylinders.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Mapping {
    /// Every cylinder starts at surface 0.
    #[default]
    Normal,
    /// Odd cylinders of a zone run backwards.
    SerpentineByZone,
    /// Odd cylinders of the disk run backwards.
    SerpentineByDisk,
}

/// Where a zone's spares are.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Sparing {
    /// None.
    #[default]
    None,
    /// Whole tracks at the end of the zone; slips and defects count tracks.
    Tracks,
    /// Sectors at the end (or front) of every track.
    PerTrack,
    /// Sectors at the end of every cylinder; `to_end`: slips shift the rest of the zone.
    PerCylinder {
        /// Spares lie before the data.
        front: bool,
        /// Slips shift the rest of the zone and not only of the cylinder.
        to_end: bool,
    },
    /// Sectors at the end of every range of cylinders.
    PerRange(u32),
    /// Sectors at the end of the zone.
    PerZone,
    /// Sectors at the end of the disk.
    AtEnd,
}

/// One zone.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ZonePlan {
    /// First cylinder.
    pub first_cylinder: u32,
    /// Number of cylinders.
    pub cylinders: u32,
    /// Sectors on each of its tracks.
    pub sectors_per_track: u32,
    /// Rotation of the zone's first sector from the index, sectors.
    pub first_sector_offset: f64,
    /// Offset of sector 0 between neighbouring tracks of a cylinder, sectors.
    pub track_skew_sectors: f64,
    /// Additional offset when the next track is on the next cylinder, sectors.
    pub cylinder_skew_sectors: f64,
    /// Sectors at the front that hold no LBN.
    pub reserved_sectors: u64,
    /// Spares per unit of the sparing scheme.
    pub spares: u64,
    /// Slipped sectors (or tracks) of the zone.
    pub slips: Vec<u64>,
    /// Remapped sectors (or tracks) and their replacements.
    pub remaps: Vec<(u64, u64)>,
}

/// Nested runs of like tracks (DiskSim's G4).
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct IndexedPlan {
    /// Track patterns: first and last sector that hold data, sectors per track.
    pub tracks: Vec<(u32, u32, u32)>,
    /// Nodes; the last is the root.
    pub nodes: Vec<Vec<IndexEntry>>,
    /// Skipped sectors: LBN-order position, count.
    pub slips: Vec<(u64, u64)>,
    /// LBN, count, cylinder, head, sector, sectors per track.
    pub remaps: Vec<[u64; 6]>,
}

/// A run of repetitions of one child.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct IndexEntry {
    /// First sector in its parent.
    pub lbn: u64,
    /// First cylinder in its parent.
    pub cylinder: i64,
    /// Rotation of its first sector in its parent, revolutions.
    pub offset_rev: f64,
    /// Sectors of one repetition.
    pub len: u64,
    /// Cylinders of one repetition.
    pub cylinder_len: i64,
    /// Rotation from one repetition to the next, revolutions.
    pub skew_rev: f64,
    /// Sectors of all repetitions.
    pub run: u64,
    /// Cylinders descend.
    pub descending: bool,
    /// Index of the child.
    pub child: usize,
    /// The child is a track, on this head.
    pub head: Option<u32>,
}

/// Seek time by distance; seconds.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SeekPlan {
    /// Measured: cylinders, read, write.
    Points(Vec<(u32, f64, f64)>),
    /// Lee's curve through three figures.
    Curve {
        /// One cylinder.
        single_s: f64,
        /// Average.
        average_s: f64,
        /// Full stroke.
        full_s: f64,
    },
    /// Linear between one cylinder and full stroke.
    Linear {
        /// One cylinder.
        single_s: f64,
        /// Average.
        average_s: f64,
        /// Full stroke.
        full_s: f64,
    },
    /// Every seek the same.
    Constant(f64),
    /// Ruemmler and Wilkes: boundary distance, then milliseconds; the last two are the one-cylinder seek (or
    /// negative) and the measured first ten.
    Hpl {
        /// V1 to V6.
        values: [f64; 6],
        /// Times of 1 to 10 cylinders, milliseconds; may be empty.
        first_ms: Vec<f64>,
    },
}

/// Overheads (seconds) and transfer of the drive's controller.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DriveControllerPlan {
    /// Before anything else.
    pub per_request_s: f64,
    /// Read hit, by the direction of the request before: read, write. The same order below.
    pub read_hit_s: [f64; 2],
    /// Read miss.
    pub read_miss_s: [f64; 2],
    /// Write into the buffer (fast write).
    pub write_hit_s: [f64; 2],
    /// Write to the media.
    pub write_miss_s: [f64; 2],
    /// Completion message: read, write.
    pub completion_s: [f64; 2],
    /// Before the first data of a transfer.
    pub data_preparation_s: f64,
    /// First reselection, others.
    pub reselect_s: [f64; 2],
    /// Disconnection of a read.
    pub read_disconnect_s: [f64; 2],
    /// Disconnection of a write.
    pub write_disconnect_s: f64,
    /// Extra disconnection of a write that follows a write elsewhere.
    pub extra_disconnect: Option<ExtraDisconnectPlan>,
    /// Least positioning time of a write.
    pub minimum_seek_s: f64,
    /// How the figures were obtained.
    pub extraction: Extraction,
    /// Bus time of a sector: read, write.
    pub sector_s: [f64; 2],
    /// The drive keeps the bus from command to completion.
    pub never_disconnect: bool,
    /// The drive keeps the bus during data transfer.
    pub hold_bus: [bool; 2],
    /// Part of the request that must be in the buffer before a read's transfer starts.
    pub read_watermark: f64,
    /// Part of the request that must be in the buffer before the media start to write.
    pub write_watermark: f64,
    /// The watermark is a fraction of the request and not of the segment.
    pub watermark_by_request: bool,
}

/// How overheads and seek curve were obtained, which decides what they contain.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Extraction {
    /// Seek times without command processing; hit overheads averaged over a workload.
    #[default]
    Separate,
    /// Seek times of whole SEEK commands, miss overheads as the remainder; hit overheads in two states of the
    /// drive: read-ahead running (after a read), at rest (after a write). DIXtrac's procedure.
    Commands,
}

/// Overheads of the extra disconnection (HP C2247A), seconds.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExtraDisconnectPlan {
    /// Command.
    pub command_s: f64,
    /// First disconnection.
    pub disconnect_s: f64,
    /// From there to the reconnection.
    pub between_s: f64,
    /// Second disconnection.
    pub second_s: f64,
    /// Added before the seek.
    pub seek_delta_s: f64,
}

/// On-board buffer.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BufferPlan {
    /// Segments.
    pub segments: usize,
    /// Sectors of one.
    pub segment_sectors: u64,
    /// Segments that may hold unwritten data.
    pub write_segments: usize,
    /// One segment serves writes only.
    pub dedicated_write_segment: bool,
    /// Data is kept after its request.
    pub caching: bool,
    /// Reads find data that writes left.
    pub read_hits_on_writes: bool,
    /// Read-ahead.
    pub read_ahead: ReadAhead,
    /// Least read-ahead before another request is served, sectors.
    pub min_read_ahead: u64,
    /// Most, sectors (0: the segment).
    pub max_read_ahead: u64,
    /// What becomes of sectors that the host has read.
    pub requested: Requested,
    /// A full hit restarts the read-ahead.
    pub read_ahead_on_hit: bool,
    /// Sectors that pass before the wanted one are kept.
    pub read_free_sectors: bool,
    /// A read that begins with the sector being prefetched has the overheads of a hit.
    pub almost_hits: bool,
    /// Full read hits are served while the media are busy writing.
    pub sneaky_hits: bool,
    /// Read starts wherever the head lands in the request; write too.
    pub zero_latency: [bool; 2],
    /// Writes complete when they are in the buffer: 0 never, 1 and 2.
    pub fast_write: u8,
    /// Writes that complete in the buffer are taken while the media write others, as far as there is room.
    pub write_prebuffering: bool,
    /// Writes that follow the data being written join it.
    pub combine_writes: bool,
    /// A prefetch stops within a sector.
    pub stop_in_sector: bool,
    /// A write to prefetched data ends the prefetch's limit.
    pub write_hit_stops_prefetch: bool,
    /// The start of a partial hit is sent at once.
    pub partial_hit_at_once: bool,
}

/// What becomes of sectors that the host has read.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Requested {
    /// They stay until the segment is used for something else.
    #[default]
    Keep,
    /// Read-ahead may take their place: a drive so declared does not serve them again.
    Release,
    /// They leave at once.
    Discard,
}

/// How far the drive reads on.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ReadAhead {
    /// Not at all.
    #[default]
    None,
    /// To the end of the track.
    Track,
    /// To the end of the cylinder.
    Cylinder,
    /// Until the segment is full.
    Segment,
    /// To the end of the track, and of the next one if the one before was read (DiskSim's reading of its type 4).
    TrackAhead,
    /// Like `Segment`, but only after a read that goes on where the one before it ended.
    History,
}

impl HddPlan {
    /// Sectors of each arm; the last may have one less.
    #[must_use]
    pub fn share(&self) -> u64 {
        self.sectors.div_ceil(u64::from(self.actuators.max(1)))
    }

    /// What one arm is for: its sectors, and its media cache where it has one.
    #[must_use]
    pub fn of_arm(&self) -> Self {
        let cache = self.shingled.map_or(0, |shingled| shingled.cache_sectors);
        Self { sectors: self.share() + cache, ..self.clone() }
    }

    /// Whether there is more to the drive than one arm over tracks that lie apart.
    #[must_use]
    pub fn is_special(&self) -> bool {
        self.actuators > 1 || self.shingled.is_some()
    }

    fn validate_arms(&self) -> Result<(), PlanError> {
        check((1..=2).contains(&self.actuators), Range, "actuators", "must be 1 or 2")?;
        let slower = self.power.levels.below.iter().any(|level| level.serves_at.is_some());
        let message = "drives of two actuators or shingled tracks serve at full speed only";
        check(!(self.is_special() && slower), Conflict, "power.levels", message)?;
        let Some(shingled) = self.shingled else { return Ok(()) };
        let ShingledPlan { band_sectors, cache_sectors, map_entries, idle_s } = shingled;
        check(band_sectors > 0, Range, "shingled.band_sectors", "must be at least 1")?;
        let holds = cache_sectors >= band_sectors;
        check(holds, Range, "shingled.cache_sectors", "must be at least a band")?;
        check(map_entries > 0, Range, "shingled.map_entries", "must be at least 1")?;
        check(at_least_zero(idle_s), Range, "shingled.idle_s", "must be at least 0")
    }

    /// Whether the plan is consistent with itself, power apart.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self) -> Result<(), PlanError> {
        check(positive(self.rpm), Range, "rpm", "must be positive")?;
        check(self.sector_bytes > 0, Range, "sector_bytes", "must be at least 1")?;
        check(self.surfaces > 0, Range, "surfaces", "must be at least 1")?;
        check((1..=10_000_000).contains(&self.cylinders), Range, "cylinders", "must be 1 to 10,000,000")?;
        check(self.sectors > 0, Range, "sectors", "must be at least 1")?;
        self.validate_arms()?;
        match &self.layout {
            LayoutPlan::Zoned(zoned) => zoned.validate().under("layout.zoned")?,
            LayoutPlan::Indexed(indexed) => indexed.validate().under("layout.indexed")?,
        }
        let SeekPlan::Points(points) = &self.seek else { return Ok(()) };
        check(!points.is_empty(), Count, "seek.points", "must not be empty")?;
        check(
            points.windows(2).all(|pair| pair[0].0 < pair[1].0)
                && points.iter().all(|p| p.0 > 0 && p.1 >= 0.0 && p.2 >= 0.0),
            Range,
            "seek.points",
            "distances must be at least 1 and increase, times must be at least 0",
        )
    }
}

impl ZonedPlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(!self.zones.is_empty(), Count, "zones", "must not be empty")?;
        for (number, zone) in self.zones.iter().enumerate() {
            let sound = zone.cylinders > 0 && zone.sectors_per_track > 0;
            let message = "cylinders and sectors_per_track must be at least 1";
            check(sound, Range, "", message).under_item("zones", number)?;
        }
        Ok(())
    }
}

impl IndexedPlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(!self.nodes.is_empty(), Count, "nodes", "must not be empty")?;
        for (number, node) in self.nodes.iter().enumerate() {
            let exists = |entry: &IndexEntry| match entry.head {
                Some(_) => entry.child < self.tracks.len(),
                None => entry.child < number,
            };
            check(!node.is_empty(), Count, "", "must not be empty").under_item("nodes", number)?;
            let message = "child must be a track, or a node before this one";
            check(node.iter().all(exists), Reference, "", message).under_item("nodes", number)?;
        }
        Ok(())
    }
}
