//! What time it is for the policy.

use iowatt_volume::time::Nanos;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Nanoseconds since the volume was started.
pub(super) enum Clock {
    /// By the system's monotonic clock.
    Runs(Instant),
    /// As tests tell it.
    Told(AtomicU64),
}

impl Clock {
    /// Starts now.
    pub fn runs() -> Self {
        Self::Runs(Instant::now())
    }

    pub fn now(&self) -> Nanos {
        match self {
            Self::Runs(started) => started.elapsed().as_nanos() as Nanos,
            Self::Told(now) => now.load(Ordering::Acquire),
        }
    }

    /// It is `now`, where the clock is told.
    pub fn tell(&self, now: Nanos) {
        if let Self::Told(at) = self {
            at.store(now, Ordering::Release);
        }
    }
}
