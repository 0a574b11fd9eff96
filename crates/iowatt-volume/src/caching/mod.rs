//! Caching: the slow part holds everything, the fast part copies of what is hot.
//!
//! Copies are of whole extents here; by sector they are in `sectored`. The fast part is cut into slots of one extent. An extent without a copy that has been accessed
//! `promotion_threshold` times is copied to a free slot, or to that of the clean copy that was used longest ago, which is
//! given up. Reads go to the copy where there is one. Writes go to the copy, which is dirty from then on (back), to both
//! (through), or to the slow part, whereupon the copy is given up (around).
//!
//! While an extent is copied, reads go to the slow part, writes wait, and the copying waits for the writes that were under
//! way before. Dirty copies are written back in the background; a write that comes meanwhile goes to the copy, which then
//! stays dirty. A slot is only overwritten once the requests that were sent there are done.

mod copies;
mod moves;
mod restore;

use super::Scheme;
use super::initial::{Initial, chosen};
use super::io::{VolumeIo, VolumeRequest};
use super::run::{Run, Span};
use super::waiting::{Piece, Waiting};
use crate::plan::{CachingPlan, PlacementPlan, VirtualPoolPlan, WriteCaching};
use crate::recency::{NONE, Recency};
use crate::time::{Nanos, nanos};
use copies::Slot;
use moves::Move;

/// Set where an extent has no copy yet and is being copied; the rest is the number of the move.
const COMING: u32 = 1 << 31;

/// The fast part and the slow one, as parts are numbered.
const FAST: usize = 0;
const SLOW: usize = 1;

const WRITE: usize = 1;

/// A slow part, and a fast one of copies.
#[derive(Debug)]
pub struct Caching {
    extent: u64,
    threshold: u16,
    writes: WriteCaching,
    /// Dirty copies above which writing back starts, and at which it ends.
    high: u32,
    low: u32,
    age: Nanos,
    /// Whether it has started and not ended.
    cleaning: bool,
    /// The slot of the copy of each extent, [`NONE`], or [`COMING`].
    copy: Vec<u32>,
    /// Accesses of each extent since it last had a copy.
    heat: Vec<u16>,
    /// Writes of requests under way to each extent of the slow part.
    writing: Vec<u32>,
    slots: Vec<Slot>,
    /// Clean copies that may go, and dirty ones that may be written back, by their last use and write.
    clean: Recency,
    dirty: Recency,
    /// Copies that are dirty, those that are being written back included.
    dirty_copies: u32,
    /// Slots without a copy.
    free: Vec<u32>,
    copying: Vec<Option<Move>>,
    cleanings: Vec<Option<u32>>,
    /// Moves that wait for transfers of requests to end.
    blocked: u32,
    waiting: Waiting,
    initial: Initial,
}

impl Caching {
    /// The scheme of virtual pool `number`, over the two parts of `pool`.
    #[must_use]
    pub fn new(pool: &VirtualPoolPlan, plan: &CachingPlan, seed: u64, number: usize) -> Self {
        let slots = |part: usize| (pool.parts[part].capacity_bytes / plan.extent_bytes) as u32;
        let (fast, slow, most) = (slots(FAST), slots(SLOW), plan.max_migrations);
        let share = |share: f64| (share * f64::from(fast)) as u32;
        let mut new = Self {
            extent: plan.extent_bytes,
            threshold: plan.promotion_threshold,
            writes: plan.write,
            high: share(plan.dirty_high),
            low: share(plan.dirty_low),
            age: nanos(plan.dirty_age_s),
            cleaning: false,
            copy: vec![NONE; slow as usize],
            heat: vec![0; slow as usize],
            writing: vec![0; slow as usize],
            slots: vec![Slot::default(); fast as usize],
            clean: Recency::new(fast),
            dirty: Recency::new(fast),
            dirty_copies: 0,
            free: (0..fast).rev().collect(),
            copying: vec![None; most],
            cleanings: vec![None; most],
            blocked: 0,
            waiting: Waiting::default(),
            initial: Initial::new(&plan.initial, slow),
        };
        if new.initial.placement != PlacementPlan::FirstTouch {
            for extent in chosen(&plan.initial, fast, slow, seed, number) {
                new.install_free(extent);
            }
        }
        new
    }

    /// `extent` has a copy as if it had always had one, if a slot is free.
    fn install_free(&mut self, extent: u32) {
        if let Some(slot) = self.free.pop() {
            self.install(extent, slot);
        }
    }

    /// The bytes of a slot, or of an extent of the slow part, that `from..until` of the virtual pool are.
    fn within(&self, extent: u32, slot: u32, (from, until): (u64, u64)) -> (u64, u64) {
        let (before, start) = (u64::from(extent) * self.extent, u64::from(slot) * self.extent);
        (start + (from - before), start + (until - before))
    }

    /// A piece goes to the parts that it concerns, as it stands with its extent now.
    fn route(
        &mut self,
        piece: &Piece,
        extent: u32,
        runs: &mut [Run; 2],
        request: &VolumeRequest,
        io: &mut impl VolumeIo,
    ) {
        let range = (piece.from, piece.until);
        let copy = self.copy[extent as usize];
        let has_copy = copy & COMING == 0;
        let (to_copy, to_slow) = match (has_copy, piece.write, self.writes) {
            (false, ..) => (false, true),
            (true, false, _) | (true, true, WriteCaching::Back) => (true, false),
            (true, true, WriteCaching::Through) => (true, true),
            (true, true, WriteCaching::Around) => {
                self.give_up(copy, io);
                (false, true)
            }
        };
        if to_copy {
            // Counted before anything may start to move, so that a move sees the piece.
            self.slots[copy as usize].under_way[usize::from(piece.write)] += 1;
            self.used(copy, request, io.now());
            runs[FAST].add(copy, piece.from, self.within(extent, copy, range), request, io);
        }
        if to_slow {
            self.writing[extent as usize] += u32::from(piece.write);
            runs[SLOW].add(extent, piece.from, self.within(extent, extent, range), request, io);
        }
    }

    /// A piece that was held back goes where its extent is now.
    fn pass_held(&mut self, piece: &Piece, io: &mut impl VolumeIo) {
        let request = VolumeRequest {
            key: piece.request,
            from: piece.from,
            until: piece.until,
            write: piece.write,
            trim: piece.trim,
        };
        let mut runs = [Run::on(FAST, false), Run::on(SLOW, true)];
        self.route(piece, (piece.from / self.extent) as u32, &mut runs, &request, io);
        runs.iter_mut().for_each(|run| run.transfer(&request, io));
        io.release(piece.request);
    }

    /// Another access to an extent without a copy; whether that makes it due.
    fn warm(&mut self, extent: u32) -> bool {
        let heat = &mut self.heat[extent as usize];
        *heat = heat.saturating_add(1);
        *heat >= self.threshold
    }
}

impl Scheme for Caching {
    fn capacity_bytes(&self) -> u64 {
        self.copy.len() as u64 * self.extent
    }

    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let mut runs = [Run::on(FAST, false), Run::on(SLOW, true)];
        let mut found = [0; 2];
        let mut from = request.from;
        while from < request.until {
            let extent = (from / self.extent) as u32;
            let until = request.until.min((u64::from(extent) + 1) * self.extent);
            if !request.trim
                && self.initial.touch(extent)
                && self.initial.placement == PlacementPlan::FirstTouch
                && self.copy[extent as usize] == NONE
            {
                self.install_free(extent);
            }
            let copy = self.copy[extent as usize];
            found[if copy & COMING == 0 { FAST } else { SLOW }] += until - from;
            let piece = Piece { request: request.key, from, until, write: request.write, trim: request.trim };
            if copy & COMING != 0 && copy != NONE && request.write {
                self.hold(copy & !COMING, piece, io);
            } else {
                self.route(&piece, extent, &mut runs, request, io);
                if copy == NONE && !request.trim && self.warm(extent) {
                    self.fetch(extent, io);
                }
            }
            from = until;
        }
        runs.iter_mut().for_each(|run| run.transfer(request, io));
        if let Some(counts) = io.counts().filter(|_| !request.trim) {
            counts.request(request.until - request.from, request.write);
            for (part, bytes) in found.into_iter().enumerate() {
                counts.located(part, bytes, request.write);
                if bytes == request.until - request.from {
                    counts.hit(part, request.write);
                }
            }
        }
        self.clean_up(io);
    }

    fn transfer_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        let span = Span::of(tag);
        for at in span.first..span.first + span.count {
            if span.kind {
                self.writing[at as usize] -= u32::from(span.write);
            } else {
                self.slots[at as usize].under_way[usize::from(span.write)] -= 1;
            }
        }
        if self.blocked > 0 {
            self.resume(io);
        }
        self.clean_up(io);
    }

    fn background_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        self.transferred(tag, io);
        self.clean_up(io);
    }

    fn background_failed(&mut self, tag: u64, io: &mut impl VolumeIo) -> bool {
        self.fail(tag, io)
    }

    fn restore(&mut self, slots: &[u32], clean: bool) -> Result<(), String> {
        self.take_map(slots, clean)
    }

    fn map(&self) -> Vec<u32> {
        self.copy_map()
    }

    fn alarm(&mut self, io: &mut impl VolumeIo) {
        self.clean_up(io);
    }

    fn occupied_bytes(&self, part: usize) -> Option<u64> {
        let copies = self.copy.iter().filter(|&&copy| copy & COMING == 0).count();
        Some(if part == FAST { copies as u64 } else { self.copy.len() as u64 } * self.extent)
    }

    fn dirty_bytes(&self) -> u64 {
        u64::from(self.dirty_copies) * self.extent
    }

    fn hottest(&self) -> Option<Vec<u32>> {
        self.initial.hottest(self.slots.len(), true)
    }

    fn audit(&self) -> Result<(), String> {
        self.check()
    }
}
