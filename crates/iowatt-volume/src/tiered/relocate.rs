//! Pages are relocated, a step at a time.
//!
//! While a page is relocated, reads go to its old place. Writes go there too, and to the new place as well as far as that is
//! copied already; writes to the step that is being copied wait until that is done, and the copying of a step waits for
//! the writes to it that were under way. So both places have all that was written when the last step is copied.

use super::{MOVING, Tiered, WRITE};
use crate::io::VolumeIo;
use crate::plan::{DAY_S, TieredPoolPlan};
use crate::run::Span;
use crate::time::{Nanos, nanos};
use crate::waiting::{Piece, Queue};

/// When relocations may go on.
#[derive(Debug)]
pub struct Pace {
    ns_per_byte: Option<f64>,
    /// Earliest start of the next step.
    next: Nanos,
    clock: Nanos,
    /// Start and length of the daily window.
    window: Option<(Nanos, Nanos)>,
}

impl Pace {
    pub fn new(plan: &TieredPoolPlan) -> Self {
        Self {
            ns_per_byte: plan.rate_bytes_per_s.map(|rate| 1e9 / rate),
            next: 0,
            clock: nanos(plan.clock_s),
            window: plan.window.map(|window| (nanos(window.start_s), nanos(window.length_s))),
        }
    }

    /// The earliest time from `now` on that is within the daily window.
    pub fn opens(&self, now: Nanos) -> Nanos {
        let Some((start, length)) = self.window else { return now };
        let day = nanos(DAY_S);
        let since = (self.clock + now + day - start) % day;
        if since < length { now } else { now + (day - since) }
    }

    /// A step of so many bytes starts.
    fn spend(&mut self, now: Nanos, bytes: u64) {
        if let Some(cost) = self.ns_per_byte {
            self.next = self.next.max(now) + (bytes as f64 * cost) as Nanos;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Waits for the writes to the page that were under way; writes wait.
    Drain,
    /// Waits for its turn.
    Paced,
    /// Waits for the writes to the step that were under way; those that come wait.
    DrainStep,
    /// The step is read from the old place.
    Read,
    /// The step is written to the new place.
    Write,
}

/// A page that is being relocated.
#[derive(Clone, Copy, Debug)]
pub struct Relocation {
    pub page: u32,
    from: u32,
    pub to: u32,
    stage: Stage,
    /// The step that is next or under way.
    step: u32,
    held: Queue,
}

impl Relocation {
    /// Whether writes to the present step have to wait.
    fn copies(&self) -> bool {
        matches!(self.stage, Stage::DrainStep | Stage::Read | Stage::Write)
    }

    fn waits(&self) -> bool {
        matches!(self.stage, Stage::Drain | Stage::DrainStep)
    }
}

impl Tiered {
    /// Steps of a page.
    fn steps(&self) -> u32 {
        self.page.div_ceil(self.step) as u32
    }

    /// Starts as many relocations as there may be.
    pub(super) fn start_relocations(&mut self, io: &mut impl VolumeIo) {
        if io.draining() {
            return;
        }
        let opens = self.pace.opens(io.now());
        if opens > io.now() {
            if !self.up.is_empty() || !self.down.is_empty() {
                io.set_alarm(opens);
            }
            return;
        }
        while let Some(place) = self.relocations.iter().position(Option::is_none) {
            let Some((page, to)) = self.next_relocation() else { return };
            let from = self.home[page as usize];
            self.home[page as usize] |= MOVING;
            let held = Queue::default();
            self.relocations[place] = Some(Relocation { page, from, to, stage: Stage::Drain, step: 0, held });
            self.blocked += 1;
            self.go_on(place, io);
        }
    }

    /// The hottest page that is to go up, or the coldest that is to go down where its tier has no free slot.
    fn next_relocation(&mut self) -> Option<(u32, u32)> {
        if self.tiers.iter().map(|tier| tier.free.len()).sum::<usize>() <= self.unallocated {
            return None; // what is free is for pages to come
        }
        for up in [true, false] {
            let list = if up { &mut self.up } else { &mut self.down };
            while let Some(&page) = list.last() {
                let home = self.home[page as usize];
                let target = usize::from(self.target[page as usize]);
                let there = home & MOVING != 0 || {
                    let tier = &self.tiers[target];
                    (tier.first..tier.first + tier.slots).contains(&home)
                };
                if there {
                    list.pop();
                    continue;
                }
                let Some(slot) = self.tiers[target].free.pop() else { break };
                list.pop();
                return Some((page, slot));
            }
        }
        None
    }

    /// A write to a page that is being relocated.
    pub(super) fn write_moving(&mut self, piece: &Piece, page: u32, io: &mut impl VolumeIo) {
        let Some(place) = self.relocations.iter().position(|r| r.is_some_and(|r| r.page == page)) else {
            return;
        };
        let Some(relocation) = &mut self.relocations[place] else { return };
        let before = u64::from(page) * self.page;
        let (from, until) = (piece.from - before, piece.until - before);
        let (first, last) = ((from / self.step) as u32, ((until - 1) / self.step) as u32);
        let now = *relocation;
        let meets = now.copies() && (first..=last).contains(&now.step);
        if now.stage == Stage::Drain || meets {
            self.waiting.hold(&mut relocation.held, *piece, io);
            return;
        }
        // What is copied is written to both places, the rest to the old one.
        let copied = u64::from(now.step + u32::from(now.copies())) * self.step;
        let (mine, old, new) = (piece.request, self.start(now.from), self.start(now.to));
        if from < copied.min(until) {
            let end = copied.min(until);
            for (slot, start) in [(now.from, old), (now.to, new)] {
                self.under_way[slot as usize][WRITE] += 1;
                let tag = Span { first: slot, count: 1, kind: false, write: true }.tag();
                io.transfer_tagged(mine, tag, self.tier_of(slot), (start + from, start + end), true);
            }
        }
        if copied.max(from) < until {
            let begin = copied.max(from);
            let first = (begin / self.step) as u32;
            for step in first..=last {
                self.writing[place][step as usize] += 1;
            }
            self.under_way[now.from as usize][WRITE] += 1;
            let count = first << 15 | last;
            let tag = Span { first: place as u32, count, kind: true, write: true }.tag();
            io.transfer_tagged(mine, tag, self.tier_of(now.from), (old + begin, old + until), true);
        }
    }

    /// A write to steps that were not copied is done; their relocation has waited for it.
    pub(super) fn step_written(&mut self, span: Span) {
        let place = span.first as usize;
        let Some(relocation) = self.relocations[place] else { return };
        self.under_way[relocation.from as usize][WRITE] -= 1;
        for step in span.count >> 15..=span.count & 0x7fff {
            self.writing[place][step as usize] -= 1;
        }
    }

    /// Transfers of requests have ended: relocations that waited for them go on.
    pub(super) fn resume(&mut self, io: &mut impl VolumeIo) {
        for place in 0..self.relocations.len() {
            if self.relocations[place].is_some_and(|r| r.waits()) {
                self.go_on(place, io);
            }
        }
    }

    /// Relocations that wait for their turn have it.
    pub(super) fn continue_paced(&mut self, io: &mut impl VolumeIo) {
        for place in 0..self.relocations.len() {
            if self.relocations[place].is_some_and(|r| r.stage == Stage::Paced) {
                self.begin_step(place, io);
            }
        }
    }

    /// The next step starts, if it is its turn.
    fn begin_step(&mut self, place: usize, io: &mut impl VolumeIo) {
        let Some(relocation) = &mut self.relocations[place] else { return };
        relocation.stage = Stage::Paced;
        if self.pace.next > io.now() {
            io.set_alarm(self.pace.next);
            return;
        }
        relocation.stage = Stage::DrainStep;
        self.pace.spend(io.now(), self.step);
        self.blocked += 1;
        self.go_on(place, io);
    }

    /// Takes a relocation on, if nothing that it waits for is under way.
    fn go_on(&mut self, place: usize, io: &mut impl VolumeIo) {
        let Some(mut now) = self.relocations[place] else { return };
        match now.stage {
            Stage::Drain if self.under_way[now.from as usize][WRITE] == 0 => {
                self.blocked -= 1;
                let mut held = std::mem::take(&mut now.held);
                now.stage = Stage::Paced;
                self.relocations[place] = Some(now);
                self.begin_step(place, io);
                self.let_go(&mut held, io);
            }
            Stage::DrainStep if self.writing[place][now.step as usize] == 0 => {
                self.blocked -= 1;
                now.stage = Stage::Read;
                self.relocations[place] = Some(now);
                self.copy(place, &now, false, io);
            }
            _ => {}
        }
    }

    fn let_go(&mut self, held: &mut Queue, io: &mut impl VolumeIo) {
        while let Some(piece) = self.waiting.take(held, io) {
            self.pass_held(&piece, io);
        }
    }

    /// Reads or writes the present step.
    fn copy(&self, place: usize, now: &Relocation, write: bool, io: &mut impl VolumeIo) {
        let slot = if write { now.to } else { now.from };
        let from = u64::from(now.step) * self.step;
        let until = (from + self.step).min(self.page);
        let start = self.start(slot);
        io.background(place as u64, self.tier_of(slot), (start + from, start + until), write);
    }

    /// A transfer of a relocation is done.
    pub(super) fn transferred(&mut self, place: usize, io: &mut impl VolumeIo) {
        let Some(mut now) = self.relocations[place] else { return };
        if now.stage == Stage::Read {
            now.stage = Stage::Write;
            self.relocations[place] = Some(now);
            self.copy(place, &now, true, io);
            return;
        }
        now.step += 1;
        let mut held = std::mem::take(&mut now.held);
        if now.step < self.steps() {
            now.stage = Stage::Paced;
            self.relocations[place] = Some(now);
            self.begin_step(place, io);
            self.let_go(&mut held, io);
            return;
        }
        self.relocations[place] = None;
        self.home[now.page as usize] = now.to;
        self.vacate(now.from);
        let (up, bytes, tier) = (now.to < now.from, self.page, self.tier_of(now.to));
        if let Some(counts) = io.counts() {
            counts.migrations += 1;
            let counts = &mut counts.parts[tier];
            *(if up { &mut counts.promoted_bytes } else { &mut counts.demoted_bytes }) += bytes;
        }
        self.let_go(&mut held, io);
        self.start_relocations(io);
    }

    /// Sets the alarm for whatever comes next.
    pub(super) fn set_alarms(&mut self, io: &mut impl VolumeIo) {
        if io.draining() {
            return;
        }
        if let Some(end) = self.cycle_end {
            io.set_alarm(end);
        }
        let opens = self.pace.opens(io.now());
        if opens > io.now() && (!self.up.is_empty() || !self.down.is_empty()) {
            io.set_alarm(opens);
        }
        if self.relocations.iter().flatten().any(|r| r.stage == Stage::Paced) {
            io.set_alarm(self.pace.next);
        }
    }
}
