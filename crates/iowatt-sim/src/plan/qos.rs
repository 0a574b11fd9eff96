//! Quality of service: limits of volumes, and whose turn it is at the array.

use iowatt_volume::PlanFault::Range;
use iowatt_volume::{PlanError, at_least_zero, check};
use serde::Deserialize;

/// How many requests the array takes at once, and in which order it takes those that wait.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct QosPlan {
    /// Most requests in the array at once.
    pub outstanding: usize,
    /// Order of those that wait.
    pub order: QosOrder,
}

/// Which volume's first waiting request comes next; the requests of a volume keep their order.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum QosOrder {
    /// The one that has waited longest.
    FirstCome,
    /// The one of the highest priority; of several the one that has waited longest.
    Strict,
    /// Shares of the requests in proportion to weights.
    Weighted,
}

/// What a volume may take of the array.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VolumeQosPlan {
    /// Most requests a second; none: no limit.
    #[serde(default)]
    pub iops: Option<f64>,
    /// Most bytes a second; none: no limit.
    #[serde(default)]
    pub bytes_per_s: Option<f64>,
    /// What a volume at rest may take at once, in seconds of each of its limits.
    #[serde(default)]
    pub burst_s: f64,
    /// Higher comes first.
    #[serde(default)]
    pub priority: u32,
    /// Its share of the requests is its weight over the sum of those that wait.
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

impl Default for VolumeQosPlan {
    fn default() -> Self {
        Self { iops: None, bytes_per_s: None, burst_s: 0.0, priority: 0, weight: one() }
    }
}

impl QosPlan {
    pub(super) fn validate(&self) -> Result<(), PlanError> {
        check(self.outstanding > 0, Range, "outstanding", "must be at least 1")
    }
}

impl VolumeQosPlan {
    pub(super) fn validate(&self) -> Result<(), PlanError> {
        let sound = |rate: Option<f64>| rate.is_none_or(|rate| (1e-6..=1e15).contains(&rate));
        check(sound(self.iops), Range, "iops", "must be from 1e-6 to 1e15")?;
        check(sound(self.bytes_per_s), Range, "bytes_per_s", "must be from 1e-6 to 1e15")?;
        let burst = at_least_zero(self.burst_s) && self.burst_s <= 1e6;
        check(burst, Range, "burst_s", "must be from 0 to 1e6")?;
        let weight = (1e-3..=1e6).contains(&self.weight);
        check(weight, Range, "weight", "must be from 0.001 to 1e6")
    }
}
