//! A bus that drives share: one transfer at a time, first come first served.
//!
//! Requests reach it in time order, so its queue is one number: when it is free next.

use crate::clock::{Nanos, nanos};
use crate::plan::BusPlan;
use crate::power::Window;

/// A granted transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Data starts to flow.
    pub from: Nanos,
    /// Data has flowed.
    pub until: Nanos,
}

/// State and totals of one bus.
#[derive(Clone, Debug)]
pub struct Bus {
    ns_per_byte: f64,
    arbitration: Nanos,
    free_at: Nanos,
    /// Transfers that ended in the window.
    pub transfers: u64,
    /// Time occupied within the window, arbitration included.
    pub busy: Nanos,
    /// Time that those transfers waited for it.
    pub waited: Nanos,
}

impl Bus {
    /// A free bus.
    #[must_use]
    pub fn new(plan: &BusPlan) -> Self {
        Self {
            ns_per_byte: 1e9 / plan.bandwidth_bytes_per_s,
            arbitration: nanos(plan.arbitration_s),
            free_at: 0,
            transfers: 0,
            busy: 0,
            waited: 0,
        }
    }

    /// Duration of a transfer without waiting or arbitration.
    #[must_use]
    pub fn transfer_time(&self, bytes: u64) -> Nanos {
        (bytes as f64 * self.ns_per_byte).round() as Nanos
    }

    /// Takes the bus for `bytes` at `now` or as soon as it is free.
    pub fn acquire(&mut self, now: Nanos, bytes: u64, window: &Window) -> Grant {
        let start = now.max(self.free_at);
        let from = start + self.arbitration;
        let until = from + self.transfer_time(bytes);
        if let Some((from, until)) = window.clip(start, until) {
            self.busy += until - from;
        }
        if window.ends(until) {
            self.transfers += 1;
            self.waited += start - now;
        }
        self.free_at = until;
        Grant { from, until }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_transfer_waits_for_the_first() {
        // 100 MB/s: 16,384 bytes take 163,840 ns; arbitration 1 us.
        let mut bus = Bus::new(&BusPlan { bandwidth_bytes_per_s: 1e8, arbitration_s: 1e-6 });
        let all = Window { start: 0, end: Nanos::MAX };
        assert_eq!(bus.acquire(0, 16_384, &all), Grant { from: 1_000, until: 164_840 });
        assert_eq!(bus.acquire(100, 16_384, &all), Grant { from: 165_840, until: 329_680 });
        assert_eq!((bus.transfers, bus.busy, bus.waited), (2, 329_680, 164_740));
    }
}
