//! Regions of a log: their buffers, the halves of their logs, and what waits for room.

use super::super::Touched;
use super::ParityLog;
use crate::clock::Nanos;
use std::collections::VecDeque;

/// A set of parity units. Its memory is touched as far as writes reach.
#[derive(Debug)]
pub(super) struct Dirty {
    words: Vec<u64>,
    pub(super) count: u64,
}

impl Dirty {
    pub(super) fn new(bits: u64) -> Self {
        Self { words: vec![0; bits.div_ceil(64) as usize], count: 0 }
    }

    pub(super) fn has(&self, bit: u64) -> bool {
        self.words[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }

    /// Adds a unit; returns whether it is new.
    pub(super) fn set(&mut self, bit: u64) -> bool {
        let new = !self.has(bit);
        self.words[(bit / 64) as usize] |= 1 << (bit % 64);
        self.count += u64::from(new);
        new
    }

    /// Removes a unit; returns whether it was there.
    pub(super) fn clear(&mut self, bit: u64) -> bool {
        let there = self.has(bit);
        self.words[(bit / 64) as usize] &= !(1 << (bit % 64));
        self.count -= u64::from(there);
        there
    }

    /// The first unit of `from..end`.
    pub(super) fn next(&self, from: u64, end: u64) -> Option<u64> {
        let mut bit = from;
        while bit < end {
            let rest = self.words[(bit / 64) as usize] >> (bit % 64);
            if rest != 0 {
                return Some(bit + u64::from(rest.trailing_zeros())).filter(|&bit| bit < end);
            }
            bit = (bit / 64 + 1) * 64;
        }
        None
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Fill {
    #[default]
    Empty,
    /// Takes updates.
    Open,
    /// Full, or as full as it will be.
    Sealed,
}

/// Updates in the controller's memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Buffer {
    pub(super) fill: Fill,
    pub(super) sectors: u64,
    pub(super) updates: u64,
    /// Updates whose old data has been read.
    pub(super) arrived: u64,
    /// Half of the log that it goes to, and its place there.
    pub(super) half: usize,
    pub(super) place: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Half {
    /// Buffers with a place in it.
    pub(super) taken: u64,
    /// Of these, those written.
    pub(super) written: u64,
    pub(super) updates: u64,
    pub(super) sectors: u64,
    /// It is being reintegrated, or waits for that.
    pub(super) closed: bool,
}

/// A write that waits for room.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// Its parity update.
    pub(super) row: u32,
    pub(super) sectors: u64,
    pub(super) touched: Touched,
    pub(super) since: Nanos,
    /// Operations that it begins with.
    pub(super) operations: usize,
}

#[derive(Debug, Default)]
pub(super) struct Region {
    pub(super) buffers: [Buffer; 2],
    filling: usize,
    pub(super) halves: [Half; 2],
    active: usize,
    pub(super) held: VecDeque<Held>,
    pub(super) held_operations: VecDeque<u32>,
    /// Operations that wait until nothing is logged, and since when.
    pub(super) stalled: Vec<u32>,
    pub(super) stalls: Vec<Nanos>,
}

impl Region {
    /// Whether nothing of it is logged, nor waits to be.
    pub(super) fn is_clean(&self) -> bool {
        self.held.is_empty() && self.halves.iter().all(|half| half.taken == 0)
    }

    /// A place for another buffer in its log.
    fn take_place(&mut self, most: u64) -> Option<(usize, u64)> {
        let free = |half: &Half| !half.closed && half.taken < most;
        if !free(&self.halves[self.active]) {
            let other = 1 - self.active;
            // It is used from its front alone, so that log writes are sequential.
            (self.halves[other].taken == 0).then(|| self.active = other)?;
        }
        let half = &mut self.halves[self.active];
        half.taken += 1;
        Some((self.active, half.taken - 1))
    }
}

impl ParityLog {
    /// A place for an update of so many sectors: the buffer, and the half of the log that it goes to.
    pub(super) fn reserve(&mut self, region: usize, sectors: u64) -> Option<(u32, usize)> {
        let of_region = &self.regions[region];
        let filling = of_region.filling;
        let mut number = filling;
        let buffer = of_region.buffers[filling];
        if buffer.fill != Fill::Open || buffer.sectors + sectors > self.buffer_sectors {
            self.seal(region);
            let of_region = &mut self.regions[region];
            number = (0..2).find(|&number| of_region.buffers[number].fill == Fill::Empty)?;
            let (half, place) = of_region.take_place(self.half_buffers)?;
            of_region.filling = number;
            of_region.buffers[number] = Buffer { fill: Fill::Open, half, place, ..Buffer::default() };
        }
        let of_region = &mut self.regions[region];
        let buffer = &mut of_region.buffers[number];
        buffer.sectors += sectors;
        buffer.updates += 1;
        let (half, full) = (buffer.half, buffer.sectors == self.buffer_sectors);
        of_region.halves[half].updates += 1;
        of_region.halves[half].sectors += sectors;
        self.counts.updates += 1;
        self.counts.update_sectors += sectors;
        if full {
            self.seal(region);
        }
        Some(((region * 2 + number) as u32, half))
    }

    /// A region's buffer takes no more.
    pub(super) fn seal(&mut self, region: usize) {
        let of_region = &mut self.regions[region];
        let number = of_region.filling;
        let buffer = &mut of_region.buffers[number];
        if buffer.fill == Fill::Open {
            buffer.fill = Fill::Sealed;
            if buffer.arrived == buffer.updates {
                self.full.push_back((region * 2 + number) as u32);
                self.wants = true;
            }
        }
    }

    /// An update of a buffer is there: its old data has been read.
    pub(in super::super) fn arrive(&mut self, buffer: u32) {
        let number = buffer as usize;
        let buffer = &mut self.regions[number / 2].buffers[number % 2];
        buffer.arrived += 1;
        if buffer.fill == Fill::Sealed && buffer.arrived == buffer.updates {
            self.full.push_back(number as u32);
            self.wants = true;
        }
    }

    /// First stripe of a buffer's place in a log.
    pub(super) fn stripe_of(&self, region: usize, half: usize, place: u64) -> u64 {
        self.first_stripe
            + ((region as u64 * 2 + half as u64) * self.half_buffers + place) * self.buffer_stripes
    }
}
