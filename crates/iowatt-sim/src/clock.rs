//! Simulated time: integer nanoseconds from the start of the run.

pub use iowatt_volume::time::{Nanos, nanos, seconds, whole};

/// Picoseconds: rotation, so that no rounding accumulates along a track.
pub type Picos = u64;
