//! What is recorded of where requests go.

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
    pub(super) fn validate(&self) -> Result<(), String> {
        if self.extent_bytes < iowatt_trace::heat::LEAST_EXTENT {
            return Err("an extent of the heat map has 64 KiB at least".into());
        }
        if self.period_s.is_some_and(|s| !(s.is_finite() && s >= 1e-3)) {
            return Err("a period of the heat map has 1 ms at least".into());
        }
        Ok(())
    }
}
