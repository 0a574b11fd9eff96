//! Reclaim: pages that hold nothing any more give their places back.

use super::Reduced;
use crate::io::{VolumeIo, VolumeRequest};
use crate::time::{Nanos, nanos};

impl Reduced {
    /// Whether pages give their places back at all.
    #[must_use]
    pub fn reclaims(&self) -> bool {
        self.reclaim.is_some()
    }

    /// Whether pages that hosts trim give their places back.
    #[must_use]
    pub fn takes_trims(&self) -> bool {
        self.reclaim.is_some_and(|reclaim| reclaim.trims)
    }

    /// The unit by which writes of zeros are recognised, where they are.
    #[must_use]
    pub fn zero_page(&self) -> Option<u64> {
        self.reclaim.filter(|reclaim| reclaim.zeros).map(|_| self.page)
    }

    /// So many bytes of zeros were written, which [`Self::zero_page`] lets be given up instead.
    pub fn zeros(&mut self, bytes: u64, counted: bool) {
        self.counts.zero_bytes += if counted { bytes } else { 0 };
    }

    /// Gives up the whole pages of a request.
    pub(super) fn discard(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let (first, end) = (request.from.div_ceil(self.page), request.until / self.page);
        let counted = u64::from(io.counted());
        for page in first..end {
            self.counts.discarded += counted * u64::from(self.pages.discard(page));
        }
        if self.pages.leaving() == 0 {
            return;
        }
        if self.next_reclaim == Nanos::MAX {
            self.next_reclaim = io.now() + self.slot_time();
        }
        self.give_back(io);
    }

    /// Time that giving a slot back takes.
    fn slot_time(&self) -> Nanos {
        let rate = self.reclaim.and_then(|reclaim| reclaim.bytes_per_s);
        rate.map_or(0, |rate| nanos(self.stored as f64 / rate))
    }

    /// Gives back what is due by now, and tells the drives of it, runs at once.
    pub(super) fn give_back(&mut self, io: &mut impl VolumeIo) {
        if io.draining() {
            return;
        }
        let time = self.slot_time();
        let mut run = (0, 0);
        while self.next_reclaim <= io.now() {
            let Some(slot) = self.pages.reclaim() else { break };
            self.counts.reclaimed_bytes += if io.counted() { self.stored } else { 0 };
            let place = self.slot(slot);
            if run.1 == place.0 && run.0 < run.1 {
                run.1 = place.1;
            } else {
                if run.0 < run.1 {
                    io.reset(0, run);
                }
                run = place;
            }
            self.next_reclaim += time;
        }
        if run.0 < run.1 {
            io.reset(0, run);
        }
        if self.pages.leaving() == 0 {
            self.next_reclaim = Nanos::MAX;
        } else {
            io.set_alarm(self.next_reclaim);
        }
    }
}
