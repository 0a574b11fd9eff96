//! Requests and bytes by extent and period, in bounded memory.
//!
//! Only extents that were touched take space. When there would be too many cells, periods join pairwise; when there is one
//! period left, extents do.

use super::slots::Slots;

/// Cells (extents x periods) kept at most: 32 MiB.
const CELLS: usize = 1 << 20;
/// Periods kept at most where their length was left to us.
const PERIODS_AUTOMATIC: usize = 64;
/// Periods kept at most of a length that was asked for.
const PERIODS_ASKED: usize = 1_024;
/// First length of a period that was left to us, nanoseconds.
const FIRST_PERIOD: u64 = 1_000_000_000;
/// Smallest extent: a request touches so many at most.
pub const LEAST_EXTENT: u64 = 1 << 16;

/// What an extent was asked for in a period: reads, then writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Requests that begin in the extent.
    pub requests: [u64; 2],
    /// Bytes that lie in it.
    pub bytes: [u64; 2],
}

impl Cell {
    fn join(&mut self, other: Cell) {
        for way in 0..2 {
            self.requests[way] += other.requests[way];
            self.bytes[way] += other.bytes[way];
        }
    }

    fn is_empty(&self) -> bool {
        self.bytes == [0; 2]
    }
}

/// A cell that is not empty, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Number of the address space.
    pub space: u32,
    /// Number of the extent: its first byte over the extent's length.
    pub extent: u64,
    /// Start of the period, nanoseconds.
    pub start: u64,
    /// What was asked.
    pub cell: Cell,
}

/// Counts by extent and period.
#[derive(Clone, Debug)]
pub struct HeatMap {
    extent_bytes: u64,
    start: u64,
    period: u64,
    most_periods: usize,
    most_cells: usize,
    /// Row of cells of each touched extent.
    slots: Slots,
    /// By period, the cells by slot; those of slots that came later may be missing. The present period is the one that is
    /// written, and its cells lie side by side.
    periods: Vec<Vec<Cell>>,
    /// Periods that there is room for, with the extents at hand.
    room: usize,
    /// The extent asked for last, and its slot: often the next one, too.
    recent: ((u32, u64), usize),
    /// The period asked for last: when it begins, how long it is (0: ask anew), its number.
    present: (u64, u64, usize),
}

/// No slot.
const NOWHERE: ((u32, u64), usize) = ((u32::MAX, u64::MAX), 0);

impl HeatMap {
    /// An empty map from `start` on, in extents of at least [`LEAST_EXTENT`] bytes and periods of `period` ns; without one,
    /// of 1 s and longer as the run grows.
    #[must_use]
    pub fn new(extent_bytes: u64, start: u64, period: Option<u64>) -> Self {
        Self {
            extent_bytes: extent_bytes.max(LEAST_EXTENT),
            start,
            period: period.unwrap_or(FIRST_PERIOD).max(1),
            most_periods: if period.is_some() { PERIODS_ASKED } else { PERIODS_AUTOMATIC },
            most_cells: CELLS,
            slots: Slots::default(),
            periods: Vec::new(),
            room: 1,
            recent: NOWHERE,
            present: (0, 0, 0),
        }
    }

    /// Length of an extent in bytes: that asked for, or a multiple by a power of two.
    #[must_use]
    pub fn extent_bytes(&self) -> u64 {
        self.extent_bytes
    }

    /// Length of a period in nanoseconds.
    #[must_use]
    pub fn period(&self) -> u64 {
        self.period
    }

    /// Start of the first period, nanoseconds.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// A request for bytes `from..until` of a space at time `at`, which must not lie before the start.
    #[inline]
    pub fn add(&mut self, at: u64, space: u32, from: u64, until: u64, write: bool) {
        if until <= from {
            return;
        }
        let (way, mut from, mut requests) = (usize::from(write), from, 1);
        while from < until {
            // A slot that is new may make extents and periods coarser.
            let slot = self.slot(space, from);
            let period = self.period_of(at);
            let end = self.end_of_extent(from).min(until);
            let cell = self.cell(period, slot);
            cell.requests[way] += requests;
            cell.bytes[way] += end - from;
            (from, requests) = (end, 0);
        }
    }

    /// The cells that hold something, by space, extent and period.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        // Periods are read one after another, as they lie; each row goes to the next place of its extent.
        let mut held = vec![0; self.slots.len()];
        for cells in &self.periods {
            held.iter_mut().zip(cells).for_each(|(held, cell)| *held += usize::from(!cell.is_empty()));
        }
        let (mut places, mut count) = (vec![(0, 0, 0); held.len()], 0);
        for ((space, extent), slot) in self.slots.in_order() {
            places[slot as usize] = (count, space, extent);
            count += held[slot as usize];
        }
        let mut rows = vec![Row { space: 0, extent: 0, start: 0, cell: Cell::default() }; count];
        for (number, cells) in self.periods.iter().enumerate() {
            let start = self.start.saturating_add((number as u64).saturating_mul(self.period));
            for ((place, space, extent), &cell) in
                places.iter_mut().zip(cells).filter(|(_, cell)| !cell.is_empty())
            {
                rows[*place] = Row { space: *space, extent: *extent, start, cell };
                *place += 1;
            }
        }
        rows
    }

    /// The extent of byte `at`: a shift where extents are powers of two, as they mostly are.
    #[inline]
    fn extent_of(&self, at: u64) -> u64 {
        if self.extent_bytes.is_power_of_two() {
            at >> self.extent_bytes.trailing_zeros()
        } else {
            at / self.extent_bytes
        }
    }

    /// First byte behind the extent of byte `at`.
    #[inline]
    fn end_of_extent(&self, at: u64) -> u64 {
        (self.extent_of(at) * self.extent_bytes).saturating_add(self.extent_bytes)
    }

    /// The cell of a slot in a period.
    #[inline]
    fn cell(&mut self, period: usize, slot: usize) -> &mut Cell {
        let cells = &mut self.periods[period];
        if cells.len() <= slot {
            cells.resize(self.slots.len(), Cell::default());
        }
        &mut cells[slot]
    }

    /// The period of `at`, which there is from now on.
    #[inline]
    fn period_of(&mut self, at: u64) -> usize {
        let (first, length, number) = self.present;
        if at.wrapping_sub(first) < length {
            return number;
        }
        let number = self.open_period(at);
        self.present =
            (self.start.saturating_add((number as u64).saturating_mul(self.period)), self.period, number);
        number
    }

    fn open_period(&mut self, at: u64) -> usize {
        loop {
            let period = (at - self.start) / self.period;
            // A period of all time there is has no other beside it.
            let period = if self.period == u64::MAX { 0 } else { period };
            if let Ok(period) = usize::try_from(period)
                && period < self.room
            {
                if self.periods.len() <= period {
                    self.periods.resize_with(period + 1, Vec::new);
                }
                return period;
            }
            let more = 2 * self.room;
            if more <= self.most_periods && more * self.slots.len() <= self.most_cells {
                self.room = more;
            } else {
                self.join_periods();
            }
        }
    }

    /// The slot of the extent that byte `at` of a space lies in.
    fn slot(&mut self, space: u32, at: u64) -> usize {
        loop {
            let key = (space, self.extent_of(at));
            if key == self.recent.0 {
                return self.recent.1;
            }
            if let Some(slot) = self.slots.get(key) {
                self.recent = (key, slot as usize);
                return slot as usize;
            }
            let next = self.slots.len();
            if (next + 1) * self.room <= self.most_cells {
                self.slots.insert(key);
                self.recent = (key, next);
                return next;
            }
            if self.room > 1 {
                if self.periods.len() > self.room / 2 {
                    self.join_periods();
                }
                self.room /= 2;
            } else {
                self.join_extents();
            }
        }
    }

    fn join_periods(&mut self) {
        self.present = (0, 0, 0);
        self.period = self.period.saturating_mul(2);
        let mut periods = std::mem::take(&mut self.periods).into_iter();
        while let Some(mut first) = periods.next() {
            if let Some(second) = periods.next() {
                first.resize(first.len().max(second.len()), Cell::default());
                first.iter_mut().zip(second).for_each(|(cell, other)| cell.join(other));
            }
            self.periods.push(first);
        }
    }

    fn join_extents(&mut self) {
        self.extent_bytes = self.extent_bytes.saturating_mul(2);
        let order = std::mem::take(&mut self.slots).in_order();
        let periods = std::mem::take(&mut self.periods);
        self.periods.resize_with(periods.len(), Vec::new);
        for ((space, extent), slot) in order {
            let key = (space, extent / 2);
            let joined = self.slots.get(key).unwrap_or_else(|| self.slots.insert(key)) as usize;
            for (number, cells) in periods.iter().enumerate() {
                if let Some(cell) = cells.get(slot as usize) {
                    self.cell(number, joined).join(*cell);
                }
            }
        }
        self.recent = NOWHERE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MIB: u64 = 1 << 20;
    const S: u64 = 1_000_000_000;

    fn cells(map: &HeatMap) -> usize {
        map.periods.iter().map(Vec::len).sum()
    }

    fn row(space: u32, extent: u64, start: u64, requests: [u64; 2], bytes: [u64; 2]) -> Row {
        Row { space, extent, start, cell: Cell { requests, bytes } }
    }

    #[test]
    fn a_request_counts_where_it_begins_and_its_bytes_where_they_lie() {
        let mut map = HeatMap::new(MIB, 5 * S, Some(10 * S));
        map.add(5 * S, 0, 0, 4096, false);
        map.add(14 * S, 0, 4096, 8192, true);
        map.add(15 * S, 0, MIB - 4096, 2 * MIB + 1, true);
        map.add(15 * S, 1, 7 * MIB, 7 * MIB + 512, false);
        map.add(15 * S, 1, 7 * MIB, 7 * MIB, false); // nothing
        let expected = [
            row(0, 0, 5 * S, [1, 1], [4096, 4096]),
            row(0, 0, 15 * S, [0, 1], [0, 4096]),
            row(0, 1, 15 * S, [0, 0], [0, MIB]),
            row(0, 2, 15 * S, [0, 0], [0, 1]),
            row(1, 7, 15 * S, [1, 0], [512, 0]),
        ];
        assert_eq!(map.rows(), expected);
        assert_eq!((map.extent_bytes(), map.period(), map.start()), (MIB, 10 * S, 5 * S));
    }

    #[test]
    fn periods_that_were_left_to_us_join_pairwise() {
        let mut map = HeatMap::new(MIB, 0, None);
        for second in 0..100 {
            map.add(second * S, 0, 0, 512, false);
        }
        let rows = map.rows();
        assert_eq!(map.period(), 2 * S);
        assert_eq!(rows.len(), 50);
        assert!(rows.iter().all(|row| row.cell.requests == [2, 0]));
        map.add(u64::MAX, 0, 0, 512, true);
        assert_eq!(map.rows().iter().map(|row| row.cell.requests[0]).sum::<u64>(), 100);
    }

    #[test]
    fn memory_is_bounded_whatever_is_touched() {
        let mut map = HeatMap { most_cells: 64, ..HeatMap::new(MIB, 0, None) };
        for number in 0..10_000 {
            map.add(number * S / 10, 0, number * 97 * MIB, number * 97 * MIB + 512, false);
            assert!(cells(&map) <= 64);
        }
        assert!(map.extent_bytes() > MIB && map.extent_bytes().is_multiple_of(MIB));
        assert_eq!(map.rows().iter().map(|row| row.cell.requests[0]).sum::<u64>(), 10_000);
        map.add(u64::MAX, u32::MAX, u64::MAX - 512, u64::MAX, true);
        assert_eq!(map.rows().iter().map(|row| row.cell.bytes[1]).sum::<u64>(), 512);
    }

    proptest! {
        /// Whatever joins, sums stay those of a plain count in the final extents and periods.
        #[test]
        fn counts_equal_a_plain_count(
            requests in prop::collection::vec((0..400 * S, 0..3u32, 0..4096 * MIB, 1..(4 * MIB), any::<bool>()), 1..200),
            most_cells in 4..600usize,
            period in prop::option::of(1..20 * S),
        ) {
            let mut map = HeatMap { most_cells, ..HeatMap::new(MIB, 0, period) };
            let mut sorted = requests;
            sorted.sort_unstable();
            for &(at, space, from, size, write) in &sorted {
                map.add(at, space, from, from + size, write);
            }
            prop_assert!(cells(&map) <= most_cells);
            let (extent, period) = (map.extent_bytes(), map.period());
            let mut plain = std::collections::BTreeMap::<(u32, u64, u64), Cell>::new();
            for &(at, space, from, size, write) in &sorted {
                let way = usize::from(write);
                for number in from / extent..=(from + size - 1) / extent {
                    let cell = plain.entry((space, number, at / period * period)).or_default();
                    let (low, high) = (from.max(number * extent), (from + size).min((number + 1) * extent));
                    cell.requests[way] += u64::from(number == from / extent);
                    cell.bytes[way] += high - low;
                }
            }
            let expected: Vec<_> =
                plain.into_iter().map(|((space, extent, start), cell)| Row { space, extent, start, cell }).collect();
            prop_assert_eq!(map.rows(), expected);
        }
    }
}
