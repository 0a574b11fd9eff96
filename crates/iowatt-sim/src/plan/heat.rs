//! What is recorded of where requests go.

use iowatt_volume::PlanFault::Range;
use iowatt_volume::{PlanError, check};
use serde::Deserialize;

/// Requests and bytes by extent and period.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HeatPlan {
    /// Bytes of an extent.
    pub extent_bytes: u64,
    /// Length of a period in seconds; left out, it starts at 1 s and doubles to stay bounded.
    pub period_s: Option<f64>,
    /// Requests of hosts, by address in their volume, when they are issued.
    pub front: bool,
    /// Requests that a pool (or what stands for one) is handed, by address in it: what a cache leaves over.
    pub back: bool,
}

impl HeatPlan {
    pub(super) fn validate(&self) -> Result<(), PlanError> {
        let large = self.extent_bytes >= iowatt_trace::heat::LEAST_EXTENT;
        check(large, Range, "extent_bytes", "must be at least 64 KiB")?;
        let long = self.period_s.is_none_or(|s| s.is_finite() && s >= 1e-3);
        check(long, Range, "period_s", "must be at least 1 ms")
    }
}
