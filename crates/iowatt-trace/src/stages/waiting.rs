//! The sectors of a bio that wait for a request to the device.
//!
//! Those that never went are one range, up to the bio's end, as a bio goes from its front on. What came back from the driver waits
//! range by range: the requests of a divided bio come back, and go again, in any order.

use std::ops::Range;

/// Ranges of one bio that came back and are remembered: twice as many requests of one bio.
const MOST_BACK: usize = 32;

#[derive(Debug)]
pub(super) struct Waiting {
    /// Up to the end of the bio; empty where all of it went.
    rest: Range<u64>,
    end: u64,
    /// What came back, by place, below the rest. Empty, and so without memory of its own, unless a part comes back alone.
    back: Vec<Range<u64>>,
}

impl Waiting {
    pub(super) fn new(start: u64, end: u64) -> Self {
        Self { rest: start..end, end, back: Vec::new() }
    }

    pub(super) fn sectors(&self) -> u64 {
        let back: u64 = self.back.iter().map(|range| range.end - range.start).sum();
        back + self.rest.end - self.rest.start
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty() && self.back.is_empty()
    }

    /// Whether the sector is one of those that wait up to the end.
    pub(super) fn rests(&self, sector: u64) -> bool {
        self.rest.contains(&sector)
    }

    /// What a request to the device may take: of each range from its front on, by place. `take` says whether it does.
    pub(super) fn offer(&mut self, request: &Range<u64>, mut take: impl FnMut(Range<u64>) -> bool) {
        let mut offer = |range: &mut Range<u64>| {
            let until = range.end.min(request.end);
            // Where its front waits still, the request is of another bio.
            if request.start <= range.start && range.start < until && take(range.start..until) {
                range.start = until;
            }
        };
        self.back.retain_mut(|range| {
            offer(range);
            !range.is_empty()
        });
        offer(&mut self.rest);
    }

    /// Sectors that were taken come back; `false` where there are too many ranges.
    #[must_use]
    pub(super) fn give_back(&mut self, range: Range<u64>) -> bool {
        if self.rest.is_empty() && range.end == self.end {
            self.rest = range;
            return true;
        }
        if self.back.len() >= MOST_BACK {
            return false;
        }
        let place = self.back.partition_point(|one| one.start < range.start);
        self.back.insert(place, range);
        true
    }
}
