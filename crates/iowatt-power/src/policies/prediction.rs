//! What the policies that predict have in common.

use serde::Deserialize;

/// Periods that must have been seen before a prediction is used; until then the drive idles.
pub(super) const LEARNS_FROM: f64 = 8.0;

/// How far a prediction is trusted.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// Share of the arrivals after a descent that must find the drive up again, from 0 to below 1; with 0 the arrival
    /// wakes it.
    pub certainty: f64,
    /// Number of past periods that count: each counts `1 - 1 / memory` of what the next one does.
    pub memory: f64,
}

impl Prediction {
    pub(crate) fn validate(&self) -> Result<(), String> {
        if !(0.0..1.0).contains(&self.certainty) {
            return Err("a certainty must be from 0 to below 1".into());
        }
        if self.memory.is_finite() && self.memory >= 10.0 {
            Ok(())
        } else {
            Err("the memory must be of at least 10 periods".into())
        }
    }
}
