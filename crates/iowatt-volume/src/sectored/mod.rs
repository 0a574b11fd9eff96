//! Caching by sectors: the slow part holds everything, the fast part copies, of which each sector is valid or dirty for itself.
//!
//! The fast part is cut into slots of one extent. A slot belongs to an extent; which of its sectors are there, and which of
//! them the slow part has not, is known by sector. So
//!
//! - a write takes a slot at once (`allocate_on_write`) and goes there: nothing has to be read first;
//! - what a read brings from the slow part is written to the slot when the read is done: a copy costs the slow part nothing.
//!   An extent without a slot gets one once it was accessed `promotion_threshold` times;
//! - only dirty sectors are written back.
//!
//! Requests wait for nothing but a write to sectors that are being filled in just then, which is one write of the fast part.
//!
//! *No write is lost* as a sector only becomes valid when the transfer that brings it is done, until when reads go to the slow
//! part; and what a read has brought is dropped where a write to one of its extents was under way or has come since.

mod fills;
mod masks;
mod slots;
mod write_back;

use super::Scheme;
use super::initial::{Initial, chosen};
use super::io::{VolumeIo, VolumeRequest};
use super::sectors::Pieces;
use super::waiting::{Piece, Waiting};
use crate::grain::Grain;
use crate::plan::{CachingPlan, PlacementPlan, VirtualPoolPlan, WriteCaching};
use crate::slab::Slab;
use crate::time::nanos;
use fills::Fills;
use slots::Slots;
use write_back::WriteBacks;

/// The fast part and the slow one, as parts are numbered.
const FAST: usize = 0;
const SLOW: usize = 1;

const READ: usize = 0;
const WRITE: usize = 1;

/// Of the writes to an extent: how many have begun, and how many ended.
const BEGUN: usize = 0;
const ENDED: usize = 1;

/// A transfer of a request, bytes `from..until` of a part.
#[derive(Clone, Copy, Debug)]
struct Sent {
    part: usize,
    from: u64,
    until: u64,
    write: bool,
    /// For a read of the slow part: writes to its extents that had begun, if all of them had ended.
    begun: Option<u64>,
}

/// A slow part, and a fast one of copies.
#[derive(Debug)]
pub struct Sectored {
    extent: Grain,
    sector: Grain,
    threshold: u16,
    writes: WriteCaching,
    allocates: bool,
    /// The slot of each extent, as its complement, so that 0 is none.
    slot: Vec<u32>,
    /// Accesses of each extent since it last had a slot.
    heat: Vec<u16>,
    /// Writes of requests to each extent that have begun and that have ended, modulo 2^32.
    written: Vec<[u32; 2]>,
    slots: Slots,
    sent: Slab<Sent>,
    fills: Fills,
    write_backs: WriteBacks,
    waiting: Waiting,
    initial: Initial,
}

impl Sectored {
    /// The scheme of virtual pool `number`, over the two parts of `pool`, with sectors of so many bytes.
    #[must_use]
    pub fn new(pool: &VirtualPoolPlan, plan: &CachingPlan, sector: u64, seed: u64, number: usize) -> Self {
        let extents = |part: usize| (pool.parts[part].capacity_bytes / plan.extent_bytes) as u32;
        let (fast, slow, most) = (extents(FAST), extents(SLOW), plan.max_migrations);
        let sectors = (plan.extent_bytes / sector) as usize;
        let share = |share: f64| (share * f64::from(fast)) as u32;
        let mut new = Self {
            extent: Grain::new(plan.extent_bytes),
            sector: Grain::new(sector),
            threshold: plan.promotion_threshold,
            writes: plan.write,
            allocates: plan.allocate_on_write,
            slot: vec![0; slow as usize],
            heat: vec![0; slow as usize],
            written: vec![[0; 2]; slow as usize],
            slots: Slots::new(fast, sectors),
            sent: Slab::default(),
            fills: Fills::new(most),
            write_backs: WriteBacks::new(
                most,
                sectors,
                (share(plan.dirty_low), share(plan.dirty_high)),
                nanos(plan.dirty_age_s),
            ),
            waiting: Waiting::default(),
            initial: Initial::new(&plan.initial, slow),
        };
        if new.initial.placement != PlacementPlan::FirstTouch {
            for extent in chosen(&plan.initial, fast, slow, seed, number) {
                new.install(extent);
            }
        }
        new
    }

    /// The slot of an extent.
    fn slot_of(&self, extent: u32) -> Option<u32> {
        let slot = !self.slot[extent as usize];
        (slot != u32::MAX).then_some(slot)
    }

    /// The sectors of an extent that its bytes `from..until` (of the part) touch.
    fn sectors(&self, from: u64, until: u64) -> (u32, u32) {
        let start = self.extent.start(from);
        (self.sector.of(from - start) as u32, self.sector.holding(until - start) as u32)
    }

    /// Sectors of a slot.
    fn sectors_of_slot(&self) -> u32 {
        self.sector.of(self.extent.bytes()) as u32
    }

    /// Bytes of the slow part in slot `slot` of the fast part.
    fn in_slot(&self, slot: u32, from: u64) -> u64 {
        u64::from(slot) * self.extent.bytes() + (from - self.extent.start(from))
    }

    /// `extent` has a slot from now on.
    fn belong(&mut self, extent: u32, slot: u32) {
        self.slot[extent as usize] = !slot;
        self.heat[extent as usize] = 0;
        self.slots.begin(slot, extent);
    }

    /// `extent` has all of its sectors in the fast part, as if they had always been there, if a slot is free.
    fn install(&mut self, extent: u32) {
        if let Some(slot) = self.slots.free() {
            self.belong(extent, slot);
            self.slots.valid.fill(slot, (0, self.sectors_of_slot()), true);
        }
    }

    /// A slot for `extent`, without any of its sectors: a free one, or that of the clean extent that was used longest ago.
    fn allocate(&mut self, extent: u32, io: &mut impl VolumeIo) -> Option<u32> {
        let slot = match self.slots.free() {
            Some(slot) => Some(slot),
            None => self.slots.give_up().map(|(slot, old)| {
                self.slot[old as usize] = 0;
                self.heat[old as usize] = 0;
                if let Some(counts) = io.counts() {
                    counts.evictions += 1;
                }
                slot
            }),
        };
        match slot {
            Some(slot) => self.belong(extent, slot),
            None => {
                if let Some(counts) = io.counts() {
                    counts.postponed += 1;
                }
                // Nothing but dirty ones: the next time there may be room.
                self.write_back(io);
            }
        }
        slot
    }

    /// Bytes `from..until` of one extent go to the parts that have them or take them. Returns how many of them the fast part
    /// serves.
    fn route(&mut self, piece: &Piece, to: &mut Joined, io: &mut impl VolumeIo) -> u64 {
        let extent = self.extent.of(piece.from) as u32;
        if piece.write {
            return self.route_write(piece, extent, to, io);
        }
        let Some(slot) = self.slot_of(extent) else {
            self.warm(extent);
            to.add(self, (SLOW, piece.from, piece.until), piece, io);
            return 0;
        };
        self.slots.used(slot, false, io.now());
        let (mut first, last) = self.sectors(piece.from, piece.until);
        let start = self.extent.start(piece.from);
        let mut served = 0;
        while first < last {
            let (valid, end) = self.slots.valid.run(slot, first, last);
            let from = piece.from.max(start + u64::from(first) * self.sector.bytes());
            let until = piece.until.min(start + u64::from(end) * self.sector.bytes());
            if valid {
                // Counted before anything may start to move, so that a move sees it.
                self.slots.under_way[slot as usize][READ] += 1;
                let at = self.in_slot(slot, from);
                to.add(self, (FAST, at, at + (until - from)), piece, io);
                served += until - from;
            } else {
                to.add(self, (SLOW, from, until), piece, io);
            }
            first = end;
        }
        served
    }

    fn route_write(&mut self, piece: &Piece, extent: u32, to: &mut Joined, io: &mut impl VolumeIo) -> u64 {
        let size = piece.until - piece.from;
        let had = self.slot_of(extent);
        let around = self.writes == WriteCaching::Around;
        let slot = match had {
            Some(slot) if around => {
                let sectors = self.sectors(piece.from, piece.until);
                self.slots.valid.fill(slot, sectors, false);
                None
            }
            None if self.allocates && !around => self.allocate(extent, io),
            had => had,
        };
        let back = self.writes == WriteCaching::Back;
        if let Some(slot) = slot {
            self.slots.under_way[slot as usize][WRITE] += 1;
            self.written[extent as usize][BEGUN] = self.written[extent as usize][BEGUN].wrapping_add(1);
            self.slots.used(slot, back, io.now());
            if back {
                let sectors = self.sectors(piece.from, piece.until);
                self.slots.dirty.fill(slot, sectors, true);
            }
            let at = self.in_slot(slot, piece.from);
            to.add(self, (FAST, at, at + size), piece, io);
        } else if had.is_none() {
            self.warm(extent);
        }
        if slot.is_none() || !back {
            self.written[extent as usize][BEGUN] = self.written[extent as usize][BEGUN].wrapping_add(1);
            to.add(self, (SLOW, piece.from, piece.until), piece, io);
        }
        if slot.is_some() && (back || had.is_some()) { size } else { 0 }
    }

    /// Another access to an extent without a slot.
    fn warm(&mut self, extent: u32) {
        let heat = &mut self.heat[extent as usize];
        *heat = heat.saturating_add(1);
    }

    /// How many writes to the extents of bytes `from..until` of the slow part have begun, if all of them have ended.
    fn begun(&self, from: u64, until: u64) -> Option<u64> {
        self.extent.split(from, until).try_fold(0, |sum, (extent, ..)| {
            let written = self.written[extent as usize];
            (written[BEGUN] == written[ENDED]).then_some(sum + u64::from(written[BEGUN]))
        })
    }

    /// Passes a transfer of a request, and keeps what there is to know when it is done.
    fn send(
        &mut self,
        (part, from, until): (usize, u64, u64),
        request: u32,
        write: bool,
        io: &mut impl VolumeIo,
    ) {
        let begun = if part == SLOW && !write { self.begun(from, until) } else { None };
        let key = self.sent.insert(Sent { part, from, until, write, begun });
        io.transfer_tagged(request, u64::from(key), part, (from, until), write);
    }

    /// A piece that was held back goes where its extent is now.
    fn pass_held(&mut self, piece: &Piece, io: &mut impl VolumeIo) {
        let mut to = Joined::default();
        self.route(piece, &mut to, io);
        to.end(self, piece, io);
        io.release(piece.request);
    }
}

/// What goes to the parts for a request, in pieces that lie one behind the other.
#[derive(Default)]
struct Joined([Pieces; 2]);

impl Joined {
    fn add(
        &mut self,
        of: &mut Sectored,
        (part, from, until): (usize, u64, u64),
        piece: &Piece,
        io: &mut impl VolumeIo,
    ) {
        self.0[part].push(part, from, until, &mut |part, from, until| {
            of.send((part, from, until), piece.request, piece.write, io);
        });
    }

    fn end(&mut self, of: &mut Sectored, piece: &Piece, io: &mut impl VolumeIo) {
        for pieces in &mut self.0 {
            pieces.end(&mut |part, from, until| of.send((part, from, until), piece.request, piece.write, io));
        }
    }
}

impl Scheme for Sectored {
    fn capacity_bytes(&self) -> u64 {
        self.slot.len() as u64 * self.extent.bytes()
    }

    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let mut to = Joined::default();
        let mut fast = 0;
        let whole = Piece {
            request: request.key,
            from: request.from,
            until: request.until,
            write: request.write,
            trim: request.trim,
        };
        for (extent, from, until) in self.extent.split(request.from, request.until) {
            let piece = Piece { from, until, ..whole };
            if self.initial.touch(extent)
                && self.initial.placement == PlacementPlan::FirstTouch
                && self.slot_of(extent).is_none()
            {
                self.install(extent);
            }
            if request.write && self.hold(&piece, extent, io) {
                fast += until - from;
            } else {
                fast += self.route(&piece, &mut to, io);
            }
        }
        to.end(self, &whole, io);
        if let Some(counts) = io.counts() {
            let size = request.until - request.from;
            counts.request(size, request.write);
            for (part, bytes) in [(FAST, fast), (SLOW, size - fast)] {
                counts.located(part, bytes, request.write);
                if bytes == size {
                    counts.hit(part, request.write);
                }
            }
        }
        self.clean_up(io);
    }

    fn transfer_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        let sent = self.sent.remove(tag as u32);
        for (number, from, until) in self.extent.split(sent.from, sent.until) {
            let mut extent = number;
            if sent.part == FAST {
                extent = self.slots.extent[number as usize];
                self.slots.under_way[number as usize][usize::from(sent.write)] -= 1;
                if sent.write {
                    let sectors = self.sectors(from, until);
                    self.slots.valid.fill(number, sectors, true);
                }
            }
            if sent.write {
                let ended = &mut self.written[extent as usize][ENDED];
                *ended = ended.wrapping_add(1);
            }
        }
        if let Some(begun) = sent.begun {
            self.keep(&sent, begun, io);
        }
        self.clean_up(io);
    }

    fn background_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        if tag & fills::FILL != 0 {
            self.filled(tag as u32 as usize, io);
        } else {
            self.went_back(tag as u32 as usize, io);
        }
        self.clean_up(io);
    }

    fn alarm(&mut self, io: &mut impl VolumeIo) {
        self.clean_up(io);
    }

    fn occupied_bytes(&self, part: usize) -> Option<u64> {
        Some(if part == FAST { self.slots.taken() } else { self.slot.len() as u64 } * self.extent.bytes())
    }

    fn dirty_bytes(&self) -> u64 {
        let waiting: u64 = self.slots.dirty_sectors();
        (waiting + self.write_backs.sectors_under_way(&self.slots)) * self.sector.bytes()
    }

    fn hottest(&self) -> Option<Vec<u32>> {
        self.initial.hottest(self.slots.len(), true)
    }

    fn audit(&self) -> Result<(), String> {
        self.check()
    }
}
