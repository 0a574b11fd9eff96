//! Simulated time: integer nanoseconds from the start of the run.

/// Nanoseconds.
pub type Nanos = u64;

/// Picoseconds: rotation, so that no rounding accumulates along a track.
pub type Picos = u64;

/// Rounds seconds to the nearest nanosecond; negative or absurd values are clipped to the range.
#[must_use]
pub fn nanos(seconds: f64) -> Nanos {
    (seconds * 1e9).round().clamp(0.0, 9.2e18) as Nanos
}

/// Seconds as a float, for results only.
#[must_use]
pub fn seconds(ns: Nanos) -> f64 {
    ns as f64 / 1e9
}
