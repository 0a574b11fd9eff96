//! An extent of the slow part and one of the fast part change places.

use super::{FAST, MOVING, SLOW, Tiering};
use crate::io::{MapRecord, VolumeIo};
use crate::recency::NONE;
use crate::waiting::{Piece, Queue};

/// Cold slots looked at for one that no write is under way in.
const SEARCH: usize = 64;

const READ: usize = 0;
const WRITE: usize = 1;

/// How far a move is. Two stages wait for requests, three for transfers of the move itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Waits for writes of requests to both extents.
    Drain,
    /// Both are read.
    Read,
    /// Waits for reads of requests that were sent to the free slot when it was not free.
    AwaitFree,
    /// The cold extent is written to the free slot.
    Demote,
    /// Its new home is made durable: until then the fast slot must not be overwritten.
    Demoted,
    /// Waits for reads of requests that were sent to the fast slot.
    AwaitFast,
    /// The hot extent is written to the fast slot.
    Promote,
    /// Its new home is made durable: until then the slow slot must not be overwritten.
    Promoted,
}

/// A move under way.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    stage: Stage,
    /// The extent that goes to the fast part, and the slow slot where it is.
    hot: u32,
    slow: u32,
    /// The extent that makes room, and the fast slot where it is; [`NONE`] where that slot is vacant.
    cold: u32,
    fast: u32,
    /// The slow slot that it goes to.
    free: u32,
    /// Transfers of the move that are under way, or a record of it.
    left: u8,
    /// One of its reads has failed.
    failed: bool,
    /// Writes that wait for the hot extent and for the cold one.
    held: [Queue; 2],
}

impl Move {
    /// Whether `extent` is still on its way.
    pub fn concerns(&self, extent: u32) -> bool {
        extent == self.hot || (extent == self.cold && !self.cold_is_out())
    }

    fn cold_is_out(&self) -> bool {
        self.cold == NONE || matches!(self.stage, Stage::AwaitFast | Stage::Promote | Stage::Promoted)
    }

    /// The slot that the move keeps and that is nobody's home.
    pub fn empty_slot(&self) -> u32 {
        if self.cold_is_out() { self.fast } else { self.free }
    }
}

impl Tiering {
    /// Starts to bring `hot` to the fast part, if there may be another move and something can give way.
    pub(super) fn promote(&mut self, hot: u32, io: &mut impl VolumeIo) {
        if io.draining() {
            return;
        }
        let place = self.moves.iter().position(Option::is_none);
        if let (Some(place), Some(fast)) = (place, self.vacant.last().copied()) {
            self.vacant.pop();
            self.begin(place, hot, (NONE, fast, NONE), io);
            return;
        }
        let calm = |slot: &u32| self.under_way[*slot as usize][WRITE] == 0;
        let cold = self.recency.oldest_first().take(SEARCH).find(calm);
        let (Some(place), Some(fast), Some(free)) = (place, cold, self.spares.last().copied()) else {
            if let Some(counts) = io.counts() {
                counts.postponed += 1;
            }
            return;
        };
        self.spares.pop();
        self.recency.remove(fast);
        let cold = self.holder[fast as usize];
        self.home[cold as usize] |= MOVING;
        self.begin(place, hot, (cold, fast, free), io);
    }

    /// Begins the move of `hot` to `fast`, for which `cold` goes to `free`.
    fn begin(&mut self, place: usize, hot: u32, (cold, fast, free): (u32, u32, u32), io: &mut impl VolumeIo) {
        let slow = self.home[hot as usize];
        self.home[hot as usize] |= MOVING;
        let held = [Queue::default(); 2];
        self.moves[place] =
            Some(Move { stage: Stage::Drain, hot, slow, cold, fast, free, left: 0, failed: false, held });
        self.blocked += 1;
        self.go_on(place, io);
    }

    /// Holds a write to an extent on the move back until it has arrived.
    pub(super) fn hold(&mut self, piece: Piece, extent: u32, io: &mut impl VolumeIo) {
        for held in self.moves.iter_mut().flatten().filter(|m| m.concerns(extent)) {
            let queue = &mut held.held[usize::from(extent != held.hot)];
            self.waiting.hold(queue, piece, io);
        }
    }

    /// Transfers of requests have ended: moves that waited for them go on.
    pub(super) fn resume(&mut self, io: &mut impl VolumeIo) {
        for place in 0..self.moves.len() {
            let waits = |m: &Move| matches!(m.stage, Stage::Drain | Stage::AwaitFree | Stage::AwaitFast);
            if self.moves[place].as_ref().is_some_and(waits) {
                self.go_on(place, io);
            }
        }
    }

    /// A transfer of a move is done.
    pub(super) fn transferred(&mut self, place: usize, io: &mut impl VolumeIo) {
        let Some(mut now) = self.moves[place] else { return };
        if now.failed {
            self.give_up(place, io);
            return;
        }
        now.left -= 1;
        if now.left > 0 {
            self.moves[place] = Some(now);
            return;
        }
        let mut durable = |part: usize, extent: u32, slot: u32| {
            io.persist(place as u64, Some(part), Some(MapRecord { extent, slot }))
        };
        let kept = match now.stage {
            Stage::Demote => durable(SLOW, now.cold, now.free),
            Stage::Promote => durable(FAST, now.hot, now.fast),
            _ => true,
        };
        now.stage = match now.stage {
            Stage::Read if now.cold == NONE => Stage::AwaitFast,
            Stage::Read => Stage::AwaitFree,
            Stage::Demote if !kept => Stage::Demoted,
            Stage::Promote if !kept => Stage::Promoted,
            Stage::Demote | Stage::Demoted => {
                self.arrive(now.cold, now.free, &mut now.held[1], io);
                Stage::AwaitFast
            }
            Stage::Promote | Stage::Promoted => {
                self.moves[place] = None;
                self.finish(&mut now, io);
                return;
            }
            waiting => waiting,
        };
        if !kept {
            now.left = 1;
            self.moves[place] = Some(now);
            return;
        }
        self.blocked += 1;
        self.moves[place] = Some(now);
        self.go_on(place, io);
    }

    /// A transfer of a move has failed: extents stay where they are. If the cold one is out already, its slot is vacant.
    pub(super) fn give_up(&mut self, place: usize, io: &mut impl VolumeIo) -> bool {
        let Some(mut now) = self.moves[place] else { return false };
        match now.stage {
            Stage::Read if now.left > 1 => {
                // The other read is still under way, into what nobody writes any more: it ends the move.
                now.failed = true;
                now.left -= 1;
                self.moves[place] = Some(now);
                true
            }
            Stage::Read | Stage::Demote | Stage::Promote => {
                self.moves[place] = None;
                let out = now.cold_is_out();
                if out {
                    self.vacant.push(now.fast);
                } else {
                    self.spares.push(now.free);
                    self.recency.add(now.fast);
                }
                let stays = [(0, now.hot, now.slow), (1, now.cold, now.fast)];
                for (which, extent, slot) in stays.into_iter().take(if out { 1 } else { 2 }) {
                    self.home[extent as usize] = slot;
                    self.heat[extent as usize] = 0;
                    while let Some(piece) = self.waiting.take(&mut now.held[which], io) {
                        self.pass_held(&piece, io);
                    }
                }
                true
            }
            _ => false,
        }
    }

    /// Takes a move through the stages that wait for requests, as far as it gets.
    fn go_on(&mut self, place: usize, io: &mut impl VolumeIo) {
        let Some(mut now) = self.moves[place] else { return };
        let busy = |slot: u32, way: usize| self.under_way[slot as usize][way] > 0;
        let any = |slot: u32| busy(slot, READ) || busy(slot, WRITE);
        let blocked = match now.stage {
            Stage::Drain => busy(now.slow, WRITE) || now.cold != NONE && busy(now.fast, WRITE),
            Stage::AwaitFree => any(now.free),
            Stage::AwaitFast => any(now.fast),
            _ => return,
        };
        if blocked {
            return;
        }
        self.blocked -= 1;
        let tag = place as u64;
        let at = |slot: u32| (self.start(slot), self.start(slot) + self.extent.bytes());
        (now.stage, now.left) = match now.stage {
            Stage::Drain if now.cold == NONE => {
                io.background(tag, SLOW, at(now.slow), false);
                (Stage::Read, 1)
            }
            Stage::Drain => {
                io.background(tag, SLOW, at(now.slow), false);
                io.background(tag, FAST, at(now.fast), false);
                (Stage::Read, 2)
            }
            Stage::AwaitFree => {
                io.carries(FAST, at(now.fast));
                io.background(tag, SLOW, at(now.free), true);
                (Stage::Demote, 1)
            }
            _ => {
                io.carries(SLOW, at(now.slow));
                io.background(tag, FAST, at(now.fast), true);
                (Stage::Promote, 1)
            }
        };
        self.moves[place] = Some(now);
    }

    /// `extent` is complete in `slot`, which is its home from now on.
    fn arrive(&mut self, extent: u32, slot: u32, held: &mut Queue, io: &mut impl VolumeIo) {
        self.home[extent as usize] = slot;
        self.heat[extent as usize] = 0;
        let (bytes, part) = (self.extent.bytes(), self.part(slot));
        if let Some(counts) = io.counts() {
            let counts = &mut counts.parts[part];
            let came = if part == FAST { &mut counts.promoted_bytes } else { &mut counts.demoted_bytes };
            *came += bytes;
        }
        while let Some(piece) = self.waiting.take(held, io) {
            self.pass_held(&piece, io);
        }
    }

    fn finish(&mut self, done: &mut Move, io: &mut impl VolumeIo) {
        self.holder[done.fast as usize] = done.hot;
        self.recency.add(done.fast);
        self.spares.push(done.slow);
        self.arrive(done.hot, done.fast, &mut done.held[0], io);
        if let Some(counts) = io.counts() {
            counts.migrations += 1;
        }
    }
}
