//! What is asked for.

use crate::plan::ReplacementPlan;
use serde::{Deserialize, Serialize};

/// A cache.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheAlone {
    /// Its policy.
    pub replacement: ReplacementPlan,
    /// Blocks or objects that it holds.
    pub slots: u32,
}

/// What a cache does with writes. Either way they are counted, and a write that finds its block uses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Writes {
    /// A write that misses enters.
    #[default]
    Allocate,
    /// A write that misses does not.
    Around,
}

/// What comes before anything is counted: whichever of the two is later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarmUp {
    /// So many requests.
    #[serde(default)]
    pub requests: u64,
    /// The requests of so long a time from the origin of the trace.
    #[serde(default)]
    pub time_ns: u64,
}

/// Caches to simulate over one trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulationPlan {
    /// Bytes of a block; none: each request is one object, which its first byte names.
    pub block_bytes: Option<u64>,
    /// Writes that miss.
    #[serde(default)]
    pub writes: Writes,
    /// Where counting begins.
    #[serde(default)]
    pub warm_up: WarmUp,
    /// The caches.
    pub caches: Vec<CacheAlone>,
}

impl SimulationPlan {
    /// Checks the figures.
    ///
    /// # Errors
    /// Says which is wrong, and what would be accepted.
    pub fn validate(&self) -> Result<(), String> {
        if self.block_bytes.is_some_and(|bytes| bytes == 0 || bytes > 1 << 40) {
            return Err("block_bytes must be 1 to 2^40".to_owned());
        }
        for (number, cache) in self.caches.iter().enumerate() {
            if cache.slots == 0 || cache.slots > 1 << 31 {
                return Err(format!("cache {number} has {} slots; 1 to 2^31 are accepted", cache.slots));
            }
            cache.replacement.validate().map_err(|reason| format!("cache {number}: {reason}"))?;
        }
        Ok(())
    }
}
