//! The policy is woken at its alarms.

use super::{Driver, lock};
use iowatt_volume::Scheme;
use iowatt_volume::time::Nanos;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

impl Driver {
    /// The thread that wakes the policy at its alarms.
    pub(super) fn keep_time(&self) {
        let mut core = lock(&self.core);
        while !self.stopped.load(Ordering::Acquire) {
            let now = self.clock.now();
            if core.io.alarm_at <= now && core.io.failed.is_none() {
                drop(core);
                self.wake_policy();
                core = lock(&self.core);
                continue;
            }
            let left =
                Duration::from_nanos(core.io.alarm_at.saturating_sub(now)).min(Duration::from_secs(3600));
            (core, _) = self.changed.wait_timeout(core, left).unwrap_or_else(PoisonError::into_inner);
        }
    }
    /// The policy's alarm is due.
    pub(super) fn wake_policy(&self) {
        let mut jobs = Vec::new();
        self.locked(&mut jobs, |core| {
            core.io.alarm_at = Nanos::MAX;
            core.scheme.alarm(&mut core.io);
        });
        self.hand_out(&mut jobs);
    }
}
