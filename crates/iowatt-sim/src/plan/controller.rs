//! The controller's part of the plan. What is left out costs nothing and makes no events.

pub use iowatt_cache::ReplacementPlan;
use iowatt_volume::PlanFault::{Capacity, Conflict, Range};
use iowatt_volume::{PlanError, Under, WriteCaching, at_least_zero, check, is_share};
use serde::Deserialize;

/// What stands between hosts and pools.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ControllerPlan {
    /// Time that each request takes of a processor.
    pub processing: Option<ProcessingPlan>,
    /// Time that commands to drives take; none: they join the drives' queues at once.
    #[serde(default)]
    pub back_end: Option<BackEndPlan>,
    /// Bytes per second of the link to the hosts, which all transfers share; left out, it has no limit.
    pub host_bandwidth_bytes_per_s: Option<f64>,
    /// The cache.
    pub cache: Option<CachePlan>,
    /// Dividing large requests; none: each is served as one.
    #[serde(default)]
    pub split: Option<SplitPlan>,
    /// Whether writes of nothing but zeros are told by their data and kept from the pools.
    #[serde(default)]
    pub zero_detect: bool,
    /// What fails and returns.
    #[serde(default)]
    pub losses: Vec<LossPlan>,
    /// Several nodes; none: all of it is one.
    #[serde(default)]
    pub nodes: Option<NodesPlan>,
}

/// Controller nodes, which share processors and cache in equal parts, and the mesh between them.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NodesPlan {
    /// How many.
    pub count: usize,
    /// Bytes per second of each link of the mesh, one transfer at a time; there is one from each node to each other.
    pub mesh_bytes_per_s: f64,
    /// From the end of a transfer until it has arrived.
    pub mesh_latency_s: f64,
    /// Which node owns what.
    pub ownership: Ownership,
}

/// Which node owns a byte of a volume.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "by", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ownership {
    /// That of the volume's number.
    Volume,
    /// Extents of a volume are owned by the nodes in turn.
    Extent {
        /// Bytes of one.
        bytes: u64,
    },
}

/// Large requests are served in pieces, in turns with those of others.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SplitPlan {
    /// Pieces end at multiples of this many bytes.
    pub bytes: u64,
    /// Most pieces of one request under way at a time.
    pub outstanding: u32,
}

/// A part that fails and may return.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LossPlan {
    /// What fails.
    pub of: Lost,
    /// When, seconds from the start.
    pub at_s: f64,
    /// When it is back; none: not before the end.
    pub back_s: Option<f64>,
}

/// Parts that can fail.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Lost {
    /// One of the two controllers, with half of the cache and of the processors.
    Controller,
    /// The battery that protects what is in the cache only.
    Battery,
}

/// Processors that work on one request each, first come first served.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ProcessingPlan {
    /// Seconds for a read.
    pub read_s: f64,
    /// Seconds for a write.
    pub write_s: f64,
    /// Number of processors.
    pub processors: usize,
    /// Seconds to allocate the buffers of a write whose data has not come with its command.
    #[serde(default)]
    pub ready_s: f64,
    /// Seconds of the interrupt that tells a processor of a visit.
    #[serde(default)]
    pub interrupt_s: f64,
    /// Interrupt moderation: seconds that the first of several visits is held back at most, to share an interrupt.
    #[serde(default)]
    pub moderation_s: f64,
    /// How many raise the interrupt before that.
    #[serde(default = "one")]
    pub moderation_count: usize,
}

fn one() -> usize {
    1
}

/// Stations that commands pass on their way to the drives, first come first served. A command made for a write passes both.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BackEndPlan {
    /// Seconds of a processor for every command.
    pub command_s: f64,
    /// Number of these processors.
    pub processors: usize,
    /// Seconds of a processor of the write path, which is passed first, for a command made for a write.
    pub write_command_s: f64,
    /// Number of these processors.
    pub write_processors: usize,
}

/// A cache of lines over the address spaces of all pools.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CachePlan {
    /// Its size; less than a line is no cache.
    pub capacity_bytes: u64,
    /// Unit of allocation: whole sectors of every pool, and 64 equal parts where it has more than 64.
    pub line_bytes: u64,
    /// Which line gives way: the name of a policy, or its plan.
    #[serde(deserialize_with = "iowatt_cache::plan::named_or_whole")]
    #[cfg_attr(feature = "schema", schemars(with = "iowatt_cache::plan::NamedOrWhole"))]
    pub replacement: ReplacementPlan,
    /// Whether what reads miss is kept.
    pub read: bool,
    /// What happens to writes.
    pub write: WriteCaching,
    /// Share of the lines whose being dirty starts destaging.
    pub high_watermark: f64,
    /// Share at which destaging ends.
    pub low_watermark: f64,
    /// Most bytes of one destage, which never crosses a multiple of it; whole lines.
    pub destage_bytes: u64,
    /// Most destages under way at a time.
    pub destage_outstanding: usize,
    /// When and what is destaged.
    #[serde(default)]
    pub destage: DestagePlan,
    /// How much of a line is read and written.
    #[serde(default)]
    pub transfers: LineTransfers,
    /// Reading ahead of sequential reads; none: only what is asked for is read.
    #[serde(default)]
    pub read_ahead: Option<ReadAheadPlan>,
    /// The copy of written data in the partner controller; none: a write is in one controller only.
    #[serde(default)]
    pub mirror: Option<MirrorPlan>,
}

/// When dirty lines are written to the pools.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DestagePlan {
    /// From the high watermark down to the low one, as fast as allowed.
    #[default]
    Watermark,
    /// The more of the cache is dirty between the watermarks, the more destages at a time; lines that were
    /// rewritten since the destager last passed are kept back below the high one.
    Utilisation,
}

/// How much of a line is read from and written to the pools.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LineTransfers {
    /// A read that misses fetches whole lines, a destage writes what is dirty.
    #[default]
    Mixed,
    /// Whole lines both ways: what is missing of a dirty line is read before it is written.
    Whole,
    /// What is asked for is read, what is dirty is written.
    Needed,
}

/// Reading ahead.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReadAheadPlan {
    /// Sequential streams that are followed at a time.
    pub streams: usize,
    /// Reads in sequence that make a stream.
    pub after: u32,
    /// First distance that is read ahead; it doubles as the stream goes on.
    pub least_bytes: u64,
    /// Greatest distance.
    pub most_bytes: u64,
    /// Greatest share of the lines that hold what was read ahead and not used yet.
    pub share: f64,
}

/// The link to the partner controller.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MirrorPlan {
    /// Bytes per second, one transfer at a time.
    pub bandwidth_bytes_per_s: f64,
    /// From the end of a transfer to the partner's answer.
    pub latency_s: f64,
}

impl ControllerPlan {
    /// Whether the plan is consistent with itself, over spaces with sectors of the given sizes.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, sectors: &[u64]) -> Result<(), PlanError> {
        self.processing.map_or(Ok(()), |processing| processing.validate()).under("processing")?;
        self.back_end.map_or(Ok(()), |back_end| back_end.validate()).under("back_end")?;
        check(
            self.host_bandwidth_bytes_per_s.is_none_or(|b| b > 0.0),
            Range,
            "host_bandwidth_bytes_per_s",
            "must be positive",
        )?;
        self.nodes.map_or(Ok(()), |nodes| nodes.validate(self)).under("nodes")?;
        let sector = sectors.iter().copied().fold(1, least_common_multiple).max(1);
        if let Some(split) = self.split {
            check(split.outstanding > 0, Range, "split.outstanding", "must be at least 1")?;
            let whole = split.bytes > 0 && split.bytes.is_multiple_of(sector);
            check(whole, Range, "split.bytes", "must be a multiple of the sector size")?;
        }
        let Some(cache) = self.cache.filter(CachePlan::is_there) else {
            return check(self.losses.is_empty(), Conflict, "losses", "need a cache");
        };
        cache.validate(sectors).under("cache")?;
        let parts = |split: SplitPlan| cache.granule(sectors).is_some_and(|g| split.bytes.is_multiple_of(g));
        check(
            self.split.is_none_or(parts),
            Conflict,
            "split.bytes",
            "must be a multiple of the parts of a cache line",
        )?;
        self.check_losses(&cache)
    }

    fn check_losses(&self, cache: &CachePlan) -> Result<(), PlanError> {
        let span = |loss: &LossPlan| (loss.at_s, loss.back_s.unwrap_or(f64::INFINITY));
        for (number, loss) in self.losses.iter().enumerate() {
            let (at, back) = span(loss);
            let overlaps =
                |other: &LossPlan| other.of == loss.of && at < span(other).1 && span(other).0 < back;
            let sound = || {
                check(at_least_zero(at), Range, "at_s", "must be at least 0")?;
                check(back > at, Range, "back_s", "must be after at_s")?;
                let only_copy = loss.of == Lost::Controller
                    && cache.write == WriteCaching::Back
                    && cache.mirror.is_none()
                    && self.nodes.is_none();
                check(!only_copy, Conflict, "of", "loses data: a write-back cache needs a mirror")?;
                let again = self.losses[..number].iter().any(overlaps);
                check(!again, Conflict, "at_s", "the part is lost already and not back")
            };
            sound().under_item("losses", number)?;
        }
        Ok(())
    }
}

impl NodesPlan {
    fn validate(&self, controller: &ControllerPlan) -> Result<(), PlanError> {
        check((2..=64).contains(&self.count), Range, "count", "must be 2 to 64")?;
        check(self.mesh_bytes_per_s > 0.0, Range, "mesh_bytes_per_s", "must be positive")?;
        check(at_least_zero(self.mesh_latency_s), Range, "mesh_latency_s", "must be at least 0")?;
        let whole = self.ownership != Ownership::Extent { bytes: 0 };
        check(whole, Range, "ownership.bytes", "must be at least 1")?;
        let shared = controller.processing.is_none_or(|p| p.processors.is_multiple_of(self.count));
        check(shared, Conflict, "count", "processors must be a multiple of it")?;
        let mirror = controller.cache.is_some_and(|cache| cache.mirror.is_some());
        check(!mirror, Conflict, "count", "copies go over the mesh: cache.mirror must be null")
    }
}

impl ProcessingPlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(self.processors > 0, Range, "processors", "must be at least 1")?;
        for (field, time) in [
            ("read_s", self.read_s),
            ("write_s", self.write_s),
            ("ready_s", self.ready_s),
            ("interrupt_s", self.interrupt_s),
            ("moderation_s", self.moderation_s),
        ] {
            check(at_least_zero(time), Range, field, "must be at least 0")?;
        }
        check(self.moderation_count > 0, Range, "moderation_count", "must be at least 1")
    }
}

impl BackEndPlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(self.processors > 0, Range, "processors", "must be at least 1")?;
        check(self.write_processors > 0, Range, "write_processors", "must be at least 1")?;
        check(at_least_zero(self.command_s), Range, "command_s", "must be at least 0")?;
        check(at_least_zero(self.write_command_s), Range, "write_command_s", "must be at least 0")
    }
}

impl ReadAheadPlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(self.streams > 0, Range, "streams", "must be at least 1")?;
        check(self.after > 0, Range, "after", "must be at least 1")?;
        check(
            0 < self.least_bytes && self.least_bytes <= self.most_bytes,
            Range,
            "least_bytes",
            "must be at least 1 and at most most_bytes",
        )?;
        check(0.0 < self.share && self.share <= 1.0, Range, "share", "must be above 0 and at most 1")
    }
}

impl CachePlan {
    fn validate(&self, sectors: &[u64]) -> Result<(), PlanError> {
        check(
            self.granule(sectors).is_some(),
            Range,
            "line_bytes",
            "must be a multiple of the sector size, in at most 64 equal parts",
        )?;
        let lines = self.capacity_bytes / self.line_bytes;
        check(lines < u64::from(u32::MAX), Capacity, "capacity_bytes", "must be fewer than 2^32 lines")?;
        let (low, high) = (self.low_watermark, self.high_watermark);
        check(is_share(high), Range, "high_watermark", "must be 0 to 1")?;
        check(is_share(low) && low <= high, Range, "low_watermark", "must be 0 to high_watermark")?;
        check(
            self.destage_bytes >= self.line_bytes && self.destage_bytes.is_multiple_of(self.line_bytes),
            Range,
            "destage_bytes",
            "must be a multiple of line_bytes",
        )?;
        self.replacement.validate().map_err(|message| PlanError::new(Range, "replacement", message))?;
        check(self.destage_outstanding > 0, Range, "destage_outstanding", "must be at least 1")?;
        if let Some(ahead) = &self.read_ahead {
            check(self.read, Conflict, "read_ahead", "needs a cache of reads")?;
            ahead.validate().under("read_ahead")?;
        }
        if let Some(mirror) = &self.mirror {
            check(self.write == WriteCaching::Back, Conflict, "mirror", "needs a write-back cache")?;
            let rate = mirror.bandwidth_bytes_per_s;
            check(rate > 0.0, Range, "mirror.bandwidth_bytes_per_s", "must be positive")?;
            check(at_least_zero(mirror.latency_s), Range, "mirror.latency_s", "must be at least 0")?;
        }
        Ok(())
    }

    /// Whether it holds a line at all.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.line_bytes > 0 && self.capacity_bytes >= self.line_bytes
    }

    /// Bytes of the smallest part of a line that is known to be valid or dirty: the pools' sector, or a
    /// 64th of a line of more than 64 sectors. `None` where the line cannot be divided so.
    #[must_use]
    pub fn granule(&self, sectors: &[u64]) -> Option<u64> {
        let sector = sectors.iter().copied().fold(1, least_common_multiple);
        if sector == 0 || self.line_bytes == 0 || !self.line_bytes.is_multiple_of(sector) {
            return None;
        }
        if self.line_bytes / sector <= 64 {
            return Some(sector);
        }
        self.line_bytes.is_multiple_of(64 * sector).then_some(self.line_bytes / 64)
    }
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a.checked_div(x).unwrap_or(0).saturating_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(line_bytes: u64) -> CachePlan {
        CachePlan {
            capacity_bytes: 1 << 20,
            line_bytes,
            replacement: ReplacementPlan::Lru,
            read: true,
            write: WriteCaching::Back,
            high_watermark: 0.8,
            low_watermark: 0.6,
            destage_bytes: line_bytes,
            destage_outstanding: 1,
            destage: DestagePlan::Watermark,
            transfers: LineTransfers::Mixed,
            read_ahead: None,
            mirror: None,
        }
    }

    #[test]
    fn a_line_is_divided_into_sectors_or_into_64_parts() {
        assert_eq!(cache(16_384).granule(&[512]), Some(512));
        assert_eq!(cache(16_384).granule(&[512, 4_096]), Some(4_096));
        assert_eq!(cache(65_536).granule(&[512]), Some(1_024), "128 sectors in 64 parts");
        assert_eq!(cache(65_536 - 512).granule(&[512]), None, "127 sectors are not 64 equal parts");
        assert_eq!(cache(2_048).granule(&[512, 4_096]), None, "less than a sector");
    }
}
