//! Figures of quality of service over the window.

use crate::clock::Nanos;
use crate::qos::{QosTotals, Waits};
use serde::Serialize;

/// What happened to the requests of a volume at the door of the array.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct QosResult {
    /// Requests that came.
    pub visits: u64,
    /// Waiting for the limits of the volume.
    pub limits: WaitResult,
    /// Waiting for a place in the array.
    pub turns: WaitResult,
}

/// Waiting for one thing.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WaitResult {
    /// Requests that waited.
    pub requests: u64,
    /// How long they did.
    pub wait_ns: Nanos,
    /// Integral of the number that waited.
    pub area_ns: u64,
}

impl From<&QosTotals> for QosResult {
    fn from(totals: &QosTotals) -> Self {
        Self { visits: totals.visits, limits: totals.limits.into(), turns: totals.turns.into() }
    }
}

impl From<Waits> for WaitResult {
    fn from(waits: Waits) -> Self {
        Self { requests: waits.requests, wait_ns: waits.time, area_ns: waits.area as u64 }
    }
}
