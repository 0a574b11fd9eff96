//! A transfer over the bus that streams behind the media: a sector may go when it is in the buffer and the
//! one before has gone. The end follows from the pieces of the media's progress, each of constant rate.

use crate::clock::Picos;

/// Bus transfer of one request.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    sectors: u64,
    sector_ps: Picos,
    /// Sectors that must be in the buffer before the transfer starts.
    watermark: u64,
    /// When they are.
    pub ready: Picos,
    /// Least end, given the progress so far.
    end: Picos,
}

impl Stream {
    /// A transfer of `sectors`.
    #[must_use]
    pub fn new(sectors: u64, sector_ps: Picos, watermark: u64) -> Self {
        Self { sectors, sector_ps, watermark, ready: 0, end: 0 }
    }

    /// Sectors `from..from + count` of the request come at `first`, the last of them at `last`.
    #[inline]
    pub fn piece(&mut self, from: u64, count: u64, first: Picos, last: Picos) {
        let left = self.sectors - from;
        let by_first = first + left * self.sector_ps;
        let by_last = last + (left + 1).saturating_sub(count) * self.sector_ps;
        self.end = self.end.max(by_first).max(by_last);
        let mark = self.watermark;
        if from < mark && mark <= from + count {
            let share = if count > 1 { (last - first) * (mark - from - 1) / (count - 1) } else { 0 };
            self.ready = self.ready.max(first + share);
        }
    }

    /// End of the transfer if it starts at `start`.
    #[must_use]
    pub fn end(&self, start: Picos) -> Picos {
        self.end.max(start + self.sectors * self.sector_ps)
    }
}
