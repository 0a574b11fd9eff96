//! A bus that drives share: one transfer at a time, each in the first gap after it is ready.
//!
//! A drive knows when a service starts at which instant it will want the bus, so it reserves the slot then. The
//! reservations ahead are few (at most one a drive) and in no order: to look at all of them without a branch takes less time
//! than one wrong guess at where among them a new one belongs.

mod canonical;
mod merge;

pub use merge::Counts;

use crate::clock::{Nanos, Picos, nanos};
use crate::plan::BusPlan;
use crate::power::Window;
use std::hint::select_unpredictable;

/// A span of time for which the bus is taken.
#[derive(Clone, Copy, Debug)]
struct Slot {
    from: Nanos,
    until: Nanos,
    /// How long its transfer waited for it.
    waited: Nanos,
}

/// State and totals of one bus.
#[derive(Clone, Debug)]
pub struct Bus {
    ps_per_byte: f64,
    arbitration: Nanos,
    /// Reserved spans, no two of which overlap; those that are over give their places to new ones.
    reserved: Vec<Slot>,
    /// The place taken last.
    last: usize,
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
            last: 0,
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
        let end = |start| start + self.arbitration + hold(start + self.arbitration);
        let (mut start, mut until) = (ready, end(ready));
        while let Some(free) = self.free_after(start, until) {
            (start, until) = (free, end(free));
        }
        if until > start {
            self.book(now, Slot { from: start, until, waited: start - ready });
        }
        let (from, booked) = window.clip(start, until);
        self.busy += booked - from;
        if window.ends(until) {
            self.transfers += 1;
            self.waited += start - ready;
        }
        start + self.arbitration
    }

    /// Where another reservation is in the way between the two instants: the end of the first such one.
    #[inline]
    fn free_after(&self, start: Nanos, until: Nanos) -> Option<Nanos> {
        let end = |slot: &Slot| {
            let overlaps = (slot.from < until) & (start < slot.until);
            select_unpredictable(overlaps, slot.until, Nanos::MAX)
        };
        let first = self.reserved.iter().map(end).fold(Nanos::MAX, Nanos::min);
        (first < Nanos::MAX).then_some(first)
    }

    /// Keeps a reservation in the place of one that is over at `now`: most often, the one made longest ago.
    #[inline]
    fn book(&mut self, now: Nanos, slot: Slot) {
        for _ in 0..self.reserved.len() {
            self.last = if self.last + 1 < self.reserved.len() { self.last + 1 } else { 0 };
            let place = &mut self.reserved[self.last];
            if place.until <= now {
                *place = slot;
                return;
            }
        }
        self.reserved.push(slot);
    }

    /// Takes back what is booked beyond the end of the run.
    pub fn cut(&mut self, end: Nanos, window: &Window) {
        for &Slot { from, until, waited } in self.reserved.iter().filter(|slot| slot.until > end) {
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
    use proptest::prelude::*;

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
        assert_eq!(bus.reserved.len(), 3, "in the place of what is over");
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

    proptest! {
        /// Each transfer has the first gap that holds it: found by trying every instant at which one may begin.
        #[test]
        fn each_transfer_has_the_first_gap_that_holds_it(
            wanted in prop::collection::vec((0u64..60, 0u64..200, 0u64..40, any::<bool>()), 1..60), arbitration in 0u64..3,
        ) {
            let plan = BusPlan { bandwidth_bytes_per_s: 1e8, arbitration_s: arbitration as f64 * 1e-9 };
            let (mut bus, mut booked, mut now) = (Bus::new(&plan), Vec::<(Nanos, Nanos)>::new(), 0);
            for (passes, later, length, to_an_end) in wanted {
                now += passes;
                let ready = now + later;
                let hold = |from: Nanos| if to_an_end { (ready + 50).saturating_sub(from) } else { length };
                let end = |start: Nanos| start + arbitration + hold(start + arbitration);
                let free = |start: Nanos| booked.iter().all(|&(from, until)| end(start) <= from || until <= start);
                let ends = booked.iter().map(|b| b.1).filter(|&until| until > ready);
                let first = ends.chain([ready]).filter(|&start| free(start)).min().unwrap();
                prop_assert_eq!(bus.reserve(now, ready, hold, &ALL), first + arbitration);
                if end(first) > first {
                    booked.push((first, end(first)));
                }
            }
            prop_assert_eq!(bus.busy, booked.iter().map(|b| b.1 - b.0).sum::<Nanos>());
        }
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
