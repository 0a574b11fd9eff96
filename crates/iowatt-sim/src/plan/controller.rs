//! The controller's part of the plan. What is left out costs nothing and makes no events.

pub use iowatt_cache::ReplacementPlan;
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

/// Write policies.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WriteCaching {
    /// A write completes once it is in the cache, and reaches the drives later.
    Back,
    /// A write completes once it is on the drives, and stays in the cache for reads.
    Through,
    /// As through, but a write takes no new line.
    Around,
}

impl ControllerPlan {
    /// Whether the plan is consistent with itself and with the sectors of its pools.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn validate(&self, sectors: &[u64]) -> Result<(), String> {
        let check = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        if let Some(p) = &self.processing {
            check(p.processors > 0, "a controller needs a processor")?;
            let sane = |s: f64| s.is_finite() && s >= 0.0;
            let times = [p.read_s, p.write_s, p.ready_s, p.interrupt_s, p.moderation_s];
            check(times.into_iter().all(sane), "processing times must be at least 0")?;
            check(p.moderation_count > 0, "a visit at least raises an interrupt")?;
        }
        if let Some(b) = &self.back_end {
            check(b.processors > 0 && b.write_processors > 0, "a back end needs processors")?;
            let sane = |s: f64| s.is_finite() && s >= 0.0;
            check(sane(b.command_s) && sane(b.write_command_s), "times of commands must be at least 0")?;
        }
        check(
            self.host_bandwidth_bytes_per_s.is_none_or(|b| b > 0.0),
            "the host link's bandwidth must be positive",
        )?;
        check(
            self.split.is_none_or(|s| s.bytes > 0 && s.outstanding > 0),
            "pieces must have a size and a number",
        )?;
        let sector = sectors.iter().copied().fold(1, least_common_multiple).max(1);
        check(self.split.is_none_or(|s| s.bytes.is_multiple_of(sector)), "pieces must be whole sectors")?;
        let Some(cache) = self.cache.filter(CachePlan::is_there) else {
            return check(self.losses.is_empty(), "what can be lost is a cache's");
        };
        check(cache.granule(sectors).is_some(), "a cache line must be whole sectors, in 64 parts at most")?;
        check(
            cache.capacity_bytes / cache.line_bytes < u64::from(u32::MAX),
            "a cache has fewer than 2^32 lines",
        )?;
        check(
            0.0 <= cache.low_watermark
                && cache.low_watermark <= cache.high_watermark
                && cache.high_watermark <= 1.0,
            "watermarks must be shares, the low one not above the high one",
        )?;
        check(
            cache.destage_bytes >= cache.line_bytes && cache.destage_bytes.is_multiple_of(cache.line_bytes),
            "a destage must be whole cache lines",
        )?;
        cache.replacement.validate()?;
        check(cache.destage_outstanding > 0, "at least one destage must be allowed at a time")?;
        check(
            self.split.is_none_or(|s| cache.granule(sectors).is_some_and(|g| s.bytes.is_multiple_of(g))),
            "pieces must be whole parts of cache lines",
        )?;
        if let Some(ahead) = &cache.read_ahead {
            check(cache.read, "reading ahead needs a cache that keeps reads")?;
            check(ahead.streams > 0 && ahead.after > 0, "reading ahead must follow a stream")?;
            check(
                0 < ahead.least_bytes && ahead.least_bytes <= ahead.most_bytes,
                "distances read ahead must be positive, the least not above the most",
            )?;
            check(0.0 < ahead.share && ahead.share <= 1.0, "a share of the lines must be read ahead")?;
        }
        if let Some(mirror) = &cache.mirror {
            check(cache.write == WriteCaching::Back, "only write-back is mirrored")?;
            let sane = mirror.latency_s.is_finite() && mirror.latency_s >= 0.0;
            check(mirror.bandwidth_bytes_per_s > 0.0 && sane, "a mirror link must have a bandwidth")?;
        }
        self.check_losses(&cache)
    }

    fn check_losses(&self, cache: &CachePlan) -> Result<(), String> {
        let span = |loss: &LossPlan| (loss.at_s, loss.back_s.unwrap_or(f64::INFINITY));
        for (number, loss) in self.losses.iter().enumerate() {
            let (at, back) = span(loss);
            if !(at.is_finite() && at >= 0.0 && back > at) {
                return Err("what is lost must be so at a time, and be back after it".into());
            }
            if loss.of == Lost::Controller && cache.write == WriteCaching::Back && cache.mirror.is_none() {
                return Err("a controller that is lost with the only copy of dirty data loses data".into());
            }
            let overlaps =
                |other: &LossPlan| other.of == loss.of && at < span(other).1 && span(other).0 < back;
            if self.losses[..number].iter().any(overlaps) {
                return Err("a part that is lost cannot be lost again before it is back".into());
            }
        }
        Ok(())
    }
}

impl CachePlan {
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
