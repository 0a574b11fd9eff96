//! The controller's part of the plan. What is left out costs nothing and makes no events.

pub use iowatt_cache::ReplacementPlan;
use serde::Deserialize;

/// What stands between hosts and pools.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerPlan {
    /// Time that each request takes of a processor.
    pub processing: Option<ProcessingPlan>,
    /// Bytes per second of the link to the hosts, which all transfers share; left out, it has no limit.
    pub host_bandwidth_bytes_per_s: Option<f64>,
    /// The cache.
    pub cache: Option<CachePlan>,
}

/// Processors that work on one request each, first come first served.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessingPlan {
    /// Seconds for a read.
    pub read_s: f64,
    /// Seconds for a write.
    pub write_s: f64,
    /// Number of processors.
    pub processors: usize,
}

/// A cache of lines over the address spaces of all pools.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CachePlan {
    /// Its size; less than a line is no cache.
    pub capacity_bytes: u64,
    /// Unit of allocation: whole sectors of every pool, and 64 equal parts where it has more than 64.
    pub line_bytes: u64,
    /// Which line gives way: the name of a policy, or its plan.
    #[serde(deserialize_with = "iowatt_cache::plan::named_or_whole")]
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
}

/// Write policies.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
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
            check(sane(p.read_s) && sane(p.write_s), "processing times must be at least 0")?;
        }
        check(
            self.host_bandwidth_bytes_per_s.is_none_or(|b| b > 0.0),
            "the host link's bandwidth must be positive",
        )?;
        let Some(cache) = self.cache.filter(CachePlan::is_there) else { return Ok(()) };
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
        check(cache.destage_outstanding > 0, "at least one destage must be allowed at a time")
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
