//! Extents are copied to the fast part, and dirty copies written back.

use super::copies::Content;
use super::{COMING, Caching, FAST, SLOW, WRITE};
use crate::io::{MapRecord, VolumeIo};
use crate::recency::NONE;
use crate::waiting::{Piece, Queue};

/// Dirty copies looked at for one that no write is under way in.
const SEARCH: usize = 64;

/// Tags of moves: their number, which way, and what is done: the first half, the second.
const BACK: u64 = 1 << 32;
const SECOND: u64 = 1 << 33;
const KEPT: u64 = 1 << 34;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Waits for writes of requests to the extent.
    Drain,
    /// The extent is read.
    Read,
    /// Waits for requests that were sent to the slot when it was another's.
    AwaitSlot,
    /// That the slot's former copy is gone is made durable.
    Vacate,
    /// The slot is written.
    Write,
    /// That it holds the copy is made durable.
    Record,
}

/// An extent that is being copied.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    stage: Stage,
    extent: u32,
    slot: u32,
    held: Queue,
}

impl Caching {
    /// Starts to copy `extent`, if there may be another copying and there is a slot for it.
    pub(super) fn fetch(&mut self, extent: u32, io: &mut impl VolumeIo) {
        if io.draining() {
            return;
        }
        let place = self.copying.iter().position(Option::is_none);
        let room = !self.free.is_empty() || !self.clean.is_empty();
        let (Some(place), true) = (place, room) else {
            if let Some(counts) = io.counts() {
                counts.postponed += 1;
            }
            if !room {
                // Nothing but dirty copies: the next time there may be room.
                self.write_back(io);
            }
            return;
        };
        if self.free.is_empty() {
            let oldest = self.clean.oldest_first().next();
            oldest.into_iter().for_each(|copy| self.give_up(copy, io));
        }
        let Some(slot) = self.free.pop() else { return };
        self.copy[extent as usize] = COMING | place as u32;
        self.copying[place] = Some(Move { stage: Stage::Drain, extent, slot, held: Queue::default() });
        self.blocked += 1;
        self.go_on(place, io);
    }

    /// Holds a write to an extent that is being copied back until that is done.
    pub(super) fn hold(&mut self, place: u32, piece: Piece, io: &mut impl VolumeIo) {
        if let Some(copying) = &mut self.copying[place as usize] {
            self.waiting.hold(&mut copying.held, piece, io);
        }
    }

    /// Transfers of requests have ended: moves that waited for them go on.
    pub(super) fn resume(&mut self, io: &mut impl VolumeIo) {
        for place in 0..self.copying.len() {
            if self.copying[place].is_some() {
                self.go_on(place, io);
            }
        }
    }

    /// Takes a copying through the stages that wait for requests, as far as it gets.
    fn go_on(&mut self, place: usize, io: &mut impl VolumeIo) {
        let Some(now) = &mut self.copying[place] else { return };
        let tag = place as u64;
        let at = |number: u32| (u64::from(number) * self.extent, (u64::from(number) + 1) * self.extent);
        match now.stage {
            Stage::Drain if self.writing[now.extent as usize] == 0 => {
                now.stage = Stage::Read;
                let (from, until) = at(now.extent);
                io.background(tag, SLOW, (from, until), false);
            }
            Stage::AwaitSlot if self.slots[now.slot as usize].under_way == [0; 2] => {
                now.stage = Stage::Vacate;
                if io.persist(tag | KEPT, None, None) {
                    self.write(place, io);
                }
            }
            _ => return,
        }
        self.blocked -= 1;
    }

    /// Writes what was read to the slot.
    fn write(&mut self, place: usize, io: &mut impl VolumeIo) {
        let Some(now) = &mut self.copying[place] else { return };
        now.stage = Stage::Write;
        let at = |number: u32| (u64::from(number) * self.extent, (u64::from(number) + 1) * self.extent);
        io.carries(SLOW, at(now.extent));
        io.background(place as u64 | SECOND, FAST, at(now.slot), true);
    }

    /// A transfer of a move is done.
    pub(super) fn transferred(&mut self, tag: u64, io: &mut impl VolumeIo) {
        let place = tag as u32 as usize;
        let back = tag & BACK != 0;
        match (back, tag & SECOND != 0) {
            (false, _) if tag & KEPT != 0 => match self.copying[place].map(|now| now.stage) {
                Some(Stage::Vacate) => self.write(place, io),
                _ => self.copied(place, io),
            },
            (true, _) if tag & KEPT != 0 => self.cleaned(place, io),
            (false, false) => {
                if let Some(now) = &mut self.copying[place] {
                    now.stage = Stage::AwaitSlot;
                    self.blocked += 1;
                }
                self.go_on(place, io);
            }
            (false, true) => {
                let Some(now) = &mut self.copying[place] else { return };
                now.stage = Stage::Record;
                let record = MapRecord { extent: now.extent, slot: now.slot };
                if io.persist(place as u64 | KEPT, Some(FAST), Some(record)) {
                    self.copied(place, io);
                }
            }
            (true, false) => {
                let Some(slot) = self.cleanings[place] else { return };
                let start = u64::from(self.slots[slot as usize].extent) * self.extent;
                let from = u64::from(slot) * self.extent;
                io.carries(FAST, (from, from + self.extent));
                io.background(tag | SECOND, SLOW, (start, start + self.extent), true);
            }
            (true, true) => {
                if io.persist(BACK | place as u64 | KEPT, Some(SLOW), None) {
                    self.cleaned(place, io);
                }
            }
        }
    }

    /// A transfer of a move has failed. A copying is given up; a copy that cannot be written back stops everything.
    pub(super) fn fail(&mut self, tag: u64, io: &mut impl VolumeIo) -> bool {
        if tag & (BACK | KEPT) != 0 {
            return false;
        }
        let Some(mut failed) = self.copying[tag as u32 as usize].take() else { return false };
        self.copy[failed.extent as usize] = NONE;
        self.heat[failed.extent as usize] = 0;
        self.free.push(failed.slot);
        while let Some(piece) = self.waiting.take(&mut failed.held, io) {
            self.pass_held(&piece, io);
        }
        true
    }

    fn copied(&mut self, place: usize, io: &mut impl VolumeIo) {
        let Some(mut done) = self.copying[place].take() else { return };
        self.install(done.extent, done.slot);
        let bytes = self.extent;
        if let Some(counts) = io.counts() {
            counts.migrations += 1;
            counts.parts[FAST].promoted_bytes += bytes;
        }
        while let Some(piece) = self.waiting.take(&mut done.held, io) {
            self.pass_held(&piece, io);
        }
    }

    /// Starts to write back as many dirty copies as the watermarks, their age and the number of moves allow.
    pub(super) fn clean_up(&mut self, io: &mut impl VolumeIo) {
        // Copies that are on their way out already do not count.
        if self.dirty.len() > self.high as usize {
            self.cleaning = true;
        }
        while self.cleaning && !io.draining() {
            if self.dirty.len() <= self.low as usize {
                self.cleaning = false;
                return;
            }
            let oldest = self.dirty.oldest_first().next().map(|slot| self.slots[slot as usize].written);
            let ripe = oldest.map_or(0, |written| written + self.age);
            if ripe > io.now() {
                io.set_alarm(ripe);
                return;
            }
            if !self.write_back(io) {
                return;
            }
        }
    }

    /// Starts to write back the dirty copy that was written longest ago; whether one could be started.
    fn write_back(&mut self, io: &mut impl VolumeIo) -> bool {
        let Some(place) = self.cleanings.iter().position(Option::is_none) else { return false };
        let calm = |slot: &u32| self.slots[*slot as usize].under_way[WRITE] == 0;
        let Some(slot) = self.dirty.oldest_first().take(SEARCH).find(calm) else { return false };
        self.dirty.remove(slot);
        self.slots[slot as usize].content = Content::Leaving;
        self.cleanings[place] = Some(slot);
        let start = u64::from(slot) * self.extent;
        io.background(BACK | place as u64, FAST, (start, start + self.extent), false);
        true
    }

    fn cleaned(&mut self, place: usize, io: &mut impl VolumeIo) {
        let Some(slot) = self.cleanings[place].take() else { return };
        let content = &mut self.slots[slot as usize].content;
        if *content == Content::LeavingDirtied {
            *content = Content::Dirty;
            self.dirty.add(slot);
        } else {
            *content = Content::Clean;
            self.clean.add(slot);
            self.dirty_copies -= 1;
        }
        let bytes = self.extent;
        if let Some(counts) = io.counts() {
            counts.write_backs += 1;
            counts.parts[SLOW].demoted_bytes += bytes;
        }
    }
}
