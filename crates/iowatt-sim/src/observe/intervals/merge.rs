//! Intervals of a part of a run, which begin where the part does, and their addition to those of the run.

use super::{BINS, Interval, Intervals, NO_ROW};

/// The first row of intervals that hold nothing yet.
const ANYWHERE: usize = usize::MAX;

impl Intervals {
    /// Empty ones for a part of the same run.
    #[must_use]
    pub fn part(&self) -> Self {
        let Self { start, width, most, slots, first_slot, first_work, .. } = self;
        Self {
            start: *start,
            width: *width,
            most: *most,
            first: ANYWHERE,
            rows: Vec::new(),
            bins: Vec::new(),
            slots: slots.clone(),
            first_slot: first_slot.clone(),
            first_work: *first_work,
            times: Vec::new(),
            recent: NO_ROW,
        }
    }

    /// Makes row number `index` the first one, which is none of those there are.
    #[cold]
    pub(super) fn begin_at(&mut self, index: usize) {
        if self.first != ANYWHERE {
            let more = self.first - index;
            self.rows.splice(..0, std::iter::repeat_n(Interval::default(), more));
            self.bins.splice(..0, std::iter::repeat_n(0, more * BINS));
            self.times.splice(..0, std::iter::repeat_n(0, more * self.slots.len()));
        }
        (self.first, self.recent) = (index, NO_ROW);
    }

    /// Makes the number of the first row even and halves it: neighbours are about to join.
    pub(super) fn begin_evenly(&mut self) {
        if self.first != ANYWHERE {
            self.begin_at(self.first - self.first % 2);
            self.first /= 2;
        }
    }

    /// Adds what a part of the run recorded.
    pub fn absorb(&mut self, mut part: Self) {
        if part.rows.is_empty() {
            return;
        }
        loop {
            while part.width < self.width {
                part.join_neighbours();
            }
            if self.width == part.width && part.first + part.rows.len() <= self.most {
                break;
            }
            self.join_neighbours();
        }
        let slots = self.slots.len();
        let rows = self.rows.len().max(part.first + part.rows.len());
        self.rows.resize(rows, Interval::default());
        self.bins.resize(rows * BINS, 0);
        self.times.resize(rows * slots, 0);
        let first = part.first;
        self.rows[first..].iter_mut().zip(&part.rows).for_each(|(row, other)| row.add(other));
        let bins = self.bins[first * BINS..].iter_mut().zip(part.bins);
        bins.for_each(|(bin, other)| *bin = bin.saturating_add(other));
        let times = self.times[first * slots..].iter_mut().zip(part.times);
        times.for_each(|(time, other)| *time += other);
        self.recent = NO_ROW;
    }
}
