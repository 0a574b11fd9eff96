//! A power cap: energy beyond that of being active passes at no more than the watts that are left, first come first
//! served, and what waits for it waits.
//!
//! So no interval however short draws more than the cap, and where the cap binds, throughput is what the energy of a
//! request allows: linear in the cap.

use crate::clock::Nanos;
use crate::observe::Observer;
use crate::power::{CAUSES, Cause, FLASH_OPERATIONS, FlashOperation};

/// The cap of one drive.
#[derive(Clone, Debug)]
pub struct Limit {
    watts: f64,
    /// What is owed passes until then.
    free: Nanos,
    /// What has passed by then is booked.
    settled: Nanos,
    owed: [[f64; FLASH_OPERATIONS]; CAUSES],
}

impl Limit {
    /// A cap that leaves `watts` for operations.
    #[must_use]
    pub fn new(watts: f64) -> Self {
        Self { watts, free: 0, settled: 0, owed: [[0.0; FLASH_OPERATIONS]; CAUSES] }
    }

    /// When all has passed.
    #[must_use]
    pub fn free_at(&self) -> Nanos {
        self.free
    }

    /// More energy wants through.
    pub fn add(
        &mut self,
        now: Nanos,
        cause: Cause,
        operation: FlashOperation,
        joules: f64,
        observer: &mut Observer,
        drive: usize,
    ) {
        self.settle(now, observer, drive);
        let takes = (joules / self.watts * 1e9).ceil() as Nanos;
        self.free = self.free.max(now) + takes;
        self.owed[cause as usize][operation as usize] += joules;
    }

    /// Books what has passed by `now`: all that is owed in equal measure.
    pub fn settle(&mut self, now: Nanos, observer: &mut Observer, drive: usize) {
        if now <= self.settled {
            return;
        }
        let until = now.min(self.free);
        if until > self.settled {
            let share = (until - self.settled) as f64 / (self.free - self.settled) as f64;
            for cause in Cause::ALL {
                for operation in FlashOperation::ALL {
                    let owed = &mut self.owed[cause as usize][operation as usize];
                    if *owed > 0.0 {
                        let passes = if until == self.free { *owed } else { *owed * share };
                        *owed -= passes;
                        observer.add_energy(drive, cause, operation, passes, (self.settled, until));
                    }
                }
            }
        }
        self.settled = now;
    }
}
