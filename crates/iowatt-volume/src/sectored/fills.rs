//! What a read has brought from the slow part is written to the fast one.

use super::{BEGUN, FAST, Sectored, Sent, WRITE};
use crate::io::VolumeIo;
use crate::plan::WriteCaching;
use crate::waiting::{Piece, Queue};

/// Tags of the transfers of fills; the number of the fill is in the low 32 bits.
pub const FILL: u64 = 1 << 32;

/// Sectors of a slot that are being written.
#[derive(Clone, Copy, Debug)]
struct Fill {
    slot: u32,
    sectors: (u32, u32),
    bytes: u64,
    /// Transfers under way.
    left: u32,
    /// Writes to the extent that had begun when it began.
    begun: u32,
    /// Writes that wait for it.
    held: Queue,
}

/// Fills under way, of which there may be so many.
#[derive(Debug)]
pub struct Fills {
    places: Vec<Option<Fill>>,
    count: usize,
}

impl Fills {
    /// None, of `most`.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { places: vec![None; most], count: 0 }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl Sectored {
    /// Keeps what a read of the slow part has brought, unless a write has begun since and it may be old.
    pub(super) fn keep(&mut self, read: &Sent, begun: u64, io: &mut impl VolumeIo) {
        if io.draining() {
            return;
        }
        let pieces = self.extent.split(read.from, read.until);
        let now: u64 = pieces.map(|(extent, ..)| u64::from(self.written[extent as usize][BEGUN])).sum();
        if now == begun {
            for (extent, from, until) in self.extent.split(read.from, read.until) {
                self.fill(extent, from, until, io);
            }
        }
    }

    fn fill(&mut self, extent: u32, from: u64, until: u64, io: &mut impl VolumeIo) {
        let slot = self.slot_of(extent);
        if slot.is_none() && self.heat[extent as usize] < self.threshold {
            return;
        }
        if slot.is_some_and(|slot| self.slots.under_way[slot as usize][WRITE] > 0) {
            return; // another fill: it may be of the same sectors
        }
        let Some(place) = self.fills.places.iter().position(Option::is_none) else {
            if let Some(counts) = io.counts() {
                counts.postponed += 1;
            }
            return;
        };
        let Some(slot) = slot.or_else(|| self.allocate(extent, io)) else { return };
        let sectors = self.sectors(from, until);
        let start = u64::from(slot) * self.extent.bytes();
        let (mut at, mut left, mut bytes) = (sectors.0, 0, 0);
        while at < sectors.1 {
            let (valid, end) = self.slots.valid.run(slot, at, sectors.1);
            if !valid {
                let byte = |sector: u32| start + u64::from(sector) * self.sector.bytes();
                io.background(FILL | place as u64, FAST, (byte(at), byte(end)), true);
                (left, bytes) = (left + 1, bytes + u64::from(end - at) * self.sector.bytes());
            }
            at = end;
        }
        if left > 0 {
            self.slots.under_way[slot as usize][WRITE] += 1;
            let begun = self.written[extent as usize][BEGUN];
            self.fills.places[place] =
                Some(Fill { slot, sectors, bytes, left, begun, held: Queue::default() });
            self.fills.count += 1;
        }
    }

    /// Holds a write back whose sectors are being filled in, unless it goes around; whether it did.
    pub(super) fn hold(&mut self, piece: &Piece, extent: u32, io: &mut impl VolumeIo) -> bool {
        if self.fills.is_empty() || self.writes == WriteCaching::Around {
            return false;
        }
        let Some(slot) = self.slot_of(extent) else { return false };
        let (from, until) = self.sectors(piece.from, piece.until);
        let meets = |fill: &&mut Fill| fill.slot == slot && fill.sectors.0 < until && from < fill.sectors.1;
        let Some(fill) = self.fills.places.iter_mut().flatten().find(meets) else { return false };
        self.waiting.hold(&mut fill.held, *piece, io);
        true
    }

    /// A transfer of a fill is done.
    pub(super) fn filled(&mut self, place: usize, io: &mut impl VolumeIo) {
        let Some(fill) = &mut self.fills.places[place] else { return };
        fill.left -= 1;
        if fill.left > 0 {
            return;
        }
        let mut done = *fill;
        self.fills.places[place] = None;
        self.fills.count -= 1;
        self.slots.under_way[done.slot as usize][WRITE] -= 1;
        let extent = self.slots.extent[done.slot as usize];
        // What went around it meanwhile may have gone to these sectors.
        if self.writes != WriteCaching::Around || self.written[extent as usize][BEGUN] == done.begun {
            self.slots.valid.fill(done.slot, done.sectors, true);
        }
        if let Some(counts) = io.counts() {
            counts.migrations += 1;
            counts.parts[FAST].promoted_bytes += done.bytes;
        }
        while let Some(piece) = self.waiting.take(&mut done.held, io) {
            self.pass_held(&piece, io);
        }
    }
}
