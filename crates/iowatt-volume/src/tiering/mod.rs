//! Tiering: every extent lives in exactly one of two parts, a fast and a slow one.
//!
//! Both parts are cut into slots of one extent; all are full but as many slow ones as there may be moves at a time. An
//! extent of the slow part that has been accessed `promotion_threshold` times changes places with the extent of the fast
//! part that was used longest ago: the cold one is copied to a free slow slot, then the hot one to where the cold one was.
//! An extent's home is where it was until its copy is complete, so that a read always finds it there. Writes to an extent
//! on the move wait until it has arrived, and a move waits for the writes that were under way before it: so no write is
//! lost. A slot is only overwritten once the reads that were sent there are done.

mod initial;
mod moves;
mod restore;

use super::Scheme;
use super::initial::Initial;
use super::io::{VolumeIo, VolumeRequest};
use super::run::{Run, Span};
use super::waiting::{Piece, Waiting};
use crate::grain::Grain;
use crate::plan::{TieringPlan, VirtualPoolPlan};
use crate::recency::Recency;

use moves::Move;

/// Set in the home of an extent that is on the move.
const MOVING: u32 = 1 << 31;

/// The fast part and the slow one, as parts are numbered.
const FAST: usize = 0;
const SLOW: usize = 1;

/// A fast and a slow part; each extent lives in one of them.
#[derive(Debug)]
pub struct Tiering {
    extent: Grain,
    threshold: u16,
    /// Slots of the fast part; slow ones are numbered behind them.
    fast: u32,
    /// Where each extent lives, and whether it is [`MOVING`].
    home: Vec<u32>,
    /// Accesses of each extent since it came to the slow part.
    heat: Vec<u16>,
    /// The extent in each fast slot.
    holder: Vec<u32>,
    /// Fast slots that no move has taken.
    recency: Recency,
    /// Reads and writes of requests under way in each slot.
    under_way: Vec<[u32; 2]>,
    /// Free slow slots.
    spares: Vec<u32>,
    /// Fast slots without an extent: of moves that ended between their halves.
    vacant: Vec<u32>,
    moves: Vec<Option<Move>>,
    /// Moves that wait for transfers of requests to end.
    blocked: u32,
    waiting: Waiting,
    initial: Initial,
}

impl Tiering {
    /// The scheme of virtual pool `number`, over the two parts of `pool`.
    #[must_use]
    pub fn new(pool: &VirtualPoolPlan, plan: &TieringPlan, seed: u64, number: usize) -> Self {
        let slots = |part: usize| (pool.parts[part].capacity_bytes / plan.extent_bytes) as u32;
        let (fast, slow, moves) = (slots(FAST), slots(SLOW), plan.max_migrations);
        let extents = fast + slow - moves as u32;
        let mut new = Self {
            extent: Grain::new(plan.extent_bytes),
            threshold: plan.promotion_threshold,
            fast,
            home: vec![0; extents as usize],
            heat: vec![0; extents as usize],
            holder: vec![0; fast as usize],
            recency: Recency::new(fast),
            under_way: vec![[0; 2]; (fast + slow) as usize],
            spares: (extents..fast + slow).rev().collect(),
            vacant: Vec::new(),
            moves: vec![None; moves],
            blocked: 0,
            waiting: Waiting::default(),
            initial: Initial::new(&plan.initial, extents),
        };
        new.place(&plan.initial, seed, number);
        new
    }

    /// First byte of a slot in its part.
    fn start(&self, slot: u32) -> u64 {
        u64::from(if slot < self.fast { slot } else { slot - self.fast }) * self.extent.bytes()
    }

    /// The part of a slot.
    fn part(&self, slot: u32) -> usize {
        if slot < self.fast { FAST } else { SLOW }
    }

    /// Bytes `from..until` of the virtual pool, within extent `extent`, in the slot that is its home.
    fn within(&self, extent: u32, slot: u32, (from, until): (u64, u64)) -> (u64, u64) {
        let before = u64::from(extent) * self.extent.bytes();
        let start = self.start(slot);
        (start + (from - before), start + (until - before))
    }

    /// Another access to an extent of the slow part; whether that makes it due.
    fn warm(&mut self, extent: u32) -> bool {
        let heat = &mut self.heat[extent as usize];
        *heat = heat.saturating_add(1);
        *heat >= self.threshold
    }

    /// A piece that was held back goes where its extent is now.
    fn pass_held(&mut self, piece: &Piece, io: &mut impl VolumeIo) {
        let extent = self.extent.of(piece.from) as u32;
        let slot = self.home[extent as usize] & !MOVING;
        self.under_way[slot as usize][usize::from(piece.write)] += 1;
        let (from, until) = self.within(extent, slot, (piece.from, piece.until));
        let span = Span { first: slot, count: 1, kind: false, write: piece.write };
        io.piece(piece.request, piece.from, self.part(slot), (from, until));
        io.transfer_tagged(piece.request, span.tag(), self.part(slot), (from, until), piece.write);
        io.release(piece.request);
    }
}

impl Scheme for Tiering {
    fn capacity_bytes(&self) -> u64 {
        self.home.len() as u64 * self.extent.bytes()
    }

    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let mut runs = [FAST, SLOW].map(|part| Run::on(part, false));
        let mut found = [0; 2];
        for (extent, from, until) in self.extent.split(request.from, request.until) {
            if !request.trim {
                self.touch(extent, io);
            }
            let home = self.home[extent as usize];
            let slot = home & !MOVING;
            let part = self.part(slot);
            found[part] += until - from;
            if home & MOVING != 0 && request.write {
                self.hold(
                    Piece { request: request.key, from, until, write: true, trim: request.trim },
                    extent,
                    io,
                );
            } else {
                // Counted before anything may start to move, so that a move sees the piece.
                self.under_way[slot as usize][usize::from(request.write)] += 1;
                runs[part].add(slot, from, self.within(extent, slot, (from, until)), request, io);
            }
            if home & MOVING == 0 && !request.trim {
                if part == FAST {
                    self.recency.touch(slot);
                } else if self.warm(extent) {
                    self.promote(extent, io);
                }
            }
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
    }

    fn transfer_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        let span = Span::of(tag);
        for slot in span.first..span.first + span.count {
            self.under_way[slot as usize][usize::from(span.write)] -= 1;
        }
        if self.blocked > 0 {
            self.resume(io);
        }
    }

    fn background_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        self.transferred(tag as usize, io);
    }

    fn background_failed(&mut self, tag: u64, io: &mut impl VolumeIo) -> bool {
        self.give_up(tag as usize, io)
    }

    fn restore(&mut self, slots: &[u32], _clean: bool) -> Result<(), String> {
        self.take_map(slots)
    }

    fn map(&self) -> Vec<u32> {
        self.home.iter().map(|home| home & !MOVING).collect()
    }

    fn alarm(&mut self, _io: &mut impl VolumeIo) {}

    fn occupied_bytes(&self, part: usize) -> Option<u64> {
        let own = self.home.iter().filter(|&&home| self.part(home & !MOVING) == part).count();
        Some(own as u64 * self.extent.bytes())
    }

    fn hottest(&self) -> Option<Vec<u32>> {
        self.initial.hottest(self.fast as usize, false)
    }

    fn audit(&self) -> Result<(), String> {
        let mut taken = vec![false; self.under_way.len()];
        let mut take = |slot: u32, what: &str| {
            let was = std::mem::replace(&mut taken[slot as usize], true);
            if was { Err(format!("slot {slot} is taken twice, at last by {what}")) } else { Ok(()) }
        };
        for (extent, &home) in self.home.iter().enumerate() {
            let (slot, moving) = (home & !MOVING, home & MOVING != 0);
            take(slot, &format!("extent {extent}"))?;
            if slot < self.fast && !moving && self.holder[slot as usize] != extent as u32 {
                return Err(format!("fast slot {slot} does not know that it holds extent {extent}"));
            }
            if moving && !self.moves.iter().flatten().any(|m| m.concerns(extent as u32)) {
                return Err(format!("extent {extent} waits for a move that is not there"));
            }
        }
        for &slot in self.spares.iter().chain(&self.vacant) {
            take(slot, "nothing")?;
        }
        for held in self.moves.iter().flatten() {
            // Once the cold extent is out, the fast slot is nobody's home; until then the free one is not.
            take(held.empty_slot(), "a move")?;
        }
        if let Some(slot) = taken.iter().position(|taken| !taken) {
            return Err(format!("slot {slot} is lost"));
        }
        let listed = self.recency.len() + self.vacant.len() + self.moves.iter().flatten().count();
        if listed != self.fast as usize {
            return Err(format!("{listed} of {} fast slots are on the list or on the move", self.fast));
        }
        if self.moves.iter().flatten().count() == 0 && self.waiting.len() > 0 {
            return Err("a request waits for no move".into());
        }
        Ok(())
    }
}
