//! A bus that drives share: one transfer at a time, each in the first gap after it is ready.
//!
//! A drive knows when a service starts at which instant it will want the bus, so it reserves the slot then. The
//! reservations ahead are few (at most one a drive); those of the past are dropped as time goes on.

mod canonical;
mod merge;

pub use merge::Counts;

use crate::clock::{Nanos, Picos, nanos};
use crate::plan::BusPlan;
use crate::power::Window;

/// Reservations of the past kept at most: dropping them one by one would move the others each time.
const MOST_PAST: usize = 32;

/// State and totals of one bus.
#[derive(Clone, Debug)]
pub struct Bus {
    ps_per_byte: f64,
    arbitration: Nanos,
    /// Reserved spans in time order, and how long each waited; those before `first` are over.
    reserved: Vec<(Nanos, Nanos, Nanos)>,
    first: usize,
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
            ps_per_byte: 1e12 / plan.bandwidth_bytes_per_s,
            arbitration: nanos(plan.arbitration_s),
            reserved: Vec::new(),
            first: 0,
            transfers: 0,
            busy: 0,
            waited: 0,
        }
    }

    /// Duration of a transfer without waiting or arbitration, picoseconds.
    #[must_use]
    pub fn transfer_ps(&self, bytes: u64) -> Picos {
        (bytes as f64 * self.ps_per_byte).round() as Picos
    }

    /// Takes the bus at `ready` or in the first gap after it, for as long as `hold` says of the instant from which data
    /// flow: the result. No caller asks for a time before `now` again.
    pub fn reserve(
        &mut self,
        now: Nanos,
        ready: Nanos,
        hold: impl Fn(Nanos) -> Nanos,
        window: &Window,
    ) -> Nanos {
        self.forget(now);
        let length = |start| self.arbitration + hold(start + self.arbitration);
        let (mut start, mut place) = (ready, self.reserved.len());
        for (i, &(from, until, _)) in self.reserved.iter().enumerate().skip(self.first) {
            if start + length(start) <= from {
                place = i;
                break;
            }
            start = start.max(until);
        }
        let until = start + length(start);
        if until > start {
            let span = (start, until, start - ready);
            if place == self.reserved.len() {
                self.reserved.push(span);
            } else {
                self.reserved.insert(place, span);
            }
        }
        let (from, booked) = window.clip(start, until);
        self.busy += booked - from;
        if window.ends(until) {
            self.transfers += 1;
            self.waited += start - ready;
        }
        start + self.arbitration
    }

    /// Drops what is over at `now`, now and then.
    #[inline]
    fn forget(&mut self, now: Nanos) {
        while self.reserved.get(self.first).is_some_and(|&(_, until, _)| until <= now) {
            self.first += 1;
        }
        if self.first >= MOST_PAST || self.first == self.reserved.len() {
            self.reserved.drain(..self.first);
            self.first = 0;
        }
    }

    /// Takes back what is booked beyond the end of the run.
    pub fn cut(&mut self, end: Nanos, window: &Window) {
        for &(from, until, waited) in self.reserved[self.first..].iter().filter(|&&(_, until, _)| until > end)
        {
            let (from, booked) = window.clip(from.max(end), until);
            self.busy -= booked - from;
            if window.ends(until) {
                self.transfers -= 1;
                self.waited -= waited;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Window = Window { start: 0, end: Nanos::MAX };

    #[test]
    fn second_transfer_waits_for_the_first() {
        // Arbitration 1 us, transfers of 163,840 ns.
        let mut bus = Bus::new(&BusPlan { bandwidth_bytes_per_s: 1e8, arbitration_s: 1e-6 });
        assert_eq!(bus.transfer_ps(16_384), 163_840_000);
        assert_eq!(bus.reserve(0, 0, |_| 163_840, &ALL), 1_000);
        assert_eq!(bus.reserve(100, 100, |_| 163_840, &ALL), 165_840);
        assert_eq!((bus.transfers, bus.busy, bus.waited), (2, 329_680, 164_740));
    }

    #[test]
    fn a_gap_before_a_later_transfer_is_used() {
        let mut bus = Bus::new(&BusPlan { bandwidth_bytes_per_s: 1e8, arbitration_s: 0.0 });
        assert_eq!(bus.reserve(0, 1_000, |_| 100, &ALL), 1_000);
        assert_eq!(bus.reserve(0, 500, |_| 500, &ALL), 500, "exactly fits");
        assert_eq!(bus.reserve(0, 600, |_| 50, &ALL), 1_100, "behind both");
        assert_eq!(bus.reserve(2_000, 2_000, |_| 10, &ALL), 2_000);
        assert_eq!(bus.reserved.len(), 1, "the past is dropped");
    }

    #[test]
    fn the_end_of_the_run_cuts_what_is_reserved() {
        let mut bus = Bus::new(&BusPlan { bandwidth_bytes_per_s: 1e8, arbitration_s: 0.0 });
        for ready in [0, 100, 150] {
            bus.reserve(0, ready, |_| 100, &ALL);
        }
        assert_eq!((bus.transfers, bus.busy, bus.waited), (3, 300, 50));
        bus.cut(140, &ALL);
        assert_eq!((bus.transfers, bus.busy, bus.waited), (1, 140, 0));
        let given = Window { start: 0, end: 140 };
        let mut bus = Bus::new(&BusPlan { bandwidth_bytes_per_s: 1e8, arbitration_s: 0.0 });
        bus.reserve(0, 100, |_| 100, &given);
        bus.cut(140, &given);
        assert_eq!((bus.transfers, bus.busy), (0, 40), "nothing was booked beyond a given end");
    }

    /// A transfer that keeps the bus while it waits for the media: the later it starts, the shorter it is.
    #[test]
    fn a_transfer_may_end_at_a_time_of_its_own() {
        let mut bus = Bus::new(&BusPlan { bandwidth_bytes_per_s: 1e8, arbitration_s: 10e-9 });
        let until_1_000 = |from: Nanos| 1_000 - from.min(900);
        assert_eq!(bus.reserve(0, 100, until_1_000, &ALL), 110);
        assert_eq!((bus.busy, bus.waited), (900, 0));
        assert_eq!(bus.reserve(0, 500, |_| 50, &ALL), 1_010, "behind it");
        let mut bus = Bus::new(&BusPlan { bandwidth_bytes_per_s: 1e8, arbitration_s: 0.0 });
        bus.reserve(0, 800, |_| 100, &ALL);
        assert_eq!(bus.reserve(0, 500, until_1_000, &ALL), 900, "no room for 500 before 800");
        assert_eq!(bus.busy, 200);
    }
}
