//! PDC, popular data concentration: now and then extents change places, so that the most popular lie on the first drives and the
//! last may stop.
//!
//! After Pinheiro and Bianchini, ICS 2004, with extents in place of files. Every period extents are ranked by how often they were
//! asked for, the parts are filled in that order ([`ranking`]), and what lies elsewhere is moved step by step in the background,
//! whether the drives concerned spin or not. Drives stop by their own power policy.
//!
//! While an extent moves, requests go to its old place. A write to a step that has been copied, or is being copied, makes the step
//! be copied again. Once no more than one step is left, or twice as many have been copied as there are, writes to the extent are held back until it has changed its place.

mod places;
mod ranking;
#[cfg(test)]
mod tests;

use super::io::{VolumeIo, counting};
use super::movement::{Movement, PdcTotals};
use super::{Scheme, VolumeRequest};
use crate::plan::{PdcPlan, VirtualPoolPlan};
use crate::time::{Nanos, nanos};
use places::{Place, Places};
use ranking::Ranking;
use std::collections::VecDeque;

/// A write that waits until its extent has changed its place.
#[derive(Clone, Copy, Debug)]
struct Held {
    request: u32,
    extent: u32,
    /// Bytes within the extent.
    from: u64,
    until: u64,
    since: Nanos,
}

/// An extent on its way.
#[derive(Debug)]
struct Move {
    /// None: this mover has nothing to do.
    extent: Option<u32>,
    to: Place,
    /// Steps to be copied (again), by bit.
    todo: Vec<u64>,
    /// How many those are.
    left: u32,
    /// The step being copied.
    step: u32,
    /// A write came to it meanwhile.
    stale: bool,
    writing: bool,
    /// Steps copied so far.
    copied: u32,
    /// Writes are held back until the end.
    closing: bool,
}

/// The scheme.
#[derive(Debug)]
pub struct Pdc {
    extent_bytes: u64,
    step_bytes: u64,
    steps: u32,
    period: Nanos,
    seconds: f64,
    memory: f64,
    load: f64,
    spare: u32,
    parts: usize,
    places: Places,
    ranking: Ranking,
    /// Extents that are to move to each part, the most popular first.
    queues: Vec<VecDeque<u32>>,
    movers: Vec<Move>,
    held: Vec<Held>,
    began: bool,
    totals: PdcTotals,
}

impl Pdc {
    /// The scheme of `given` over the parts of `plan`.
    #[must_use]
    pub fn new(plan: &VirtualPoolPlan, given: &PdcPlan) -> Self {
        let slots = |bytes: u64| u32::try_from(bytes / given.extent_bytes).unwrap_or(u32::MAX - 1);
        let slots: Vec<u32> = plan.parts.iter().map(|part| slots(part.capacity_bytes)).collect();
        let spare = given.migrations_at_once as u32;
        let places = Places::new(&slots, spare);
        let steps = given.extent_bytes.div_ceil(given.step_bytes) as u32;
        let mover = || Move {
            extent: None,
            to: Place { part: 0, slot: 0 },
            todo: vec![0; steps.div_ceil(64) as usize],
            left: 0,
            step: 0,
            stale: false,
            writing: false,
            copied: 0,
            closing: false,
        };
        Self {
            extent_bytes: given.extent_bytes,
            step_bytes: given.step_bytes,
            steps,
            period: nanos(given.period_s),
            seconds: given.period_s,
            memory: given.memory,
            load: given.load_per_s.unwrap_or(f64::INFINITY),
            spare,
            parts: slots.len(),
            ranking: Ranking::new(places.extents()),
            places,
            queues: vec![VecDeque::new(); slots.len()],
            movers: (0..given.migrations_at_once).map(|_| mover()).collect(),
            held: vec![],
            began: false,
            totals: PdcTotals { requests_by_part: vec![0; slots.len()], ..PdcTotals::default() },
        }
    }

    /// Totals so far.
    fn totals(&self) -> PdcTotals {
        self.totals.clone()
    }

    fn mover_of(&mut self, extent: u32) -> Option<&mut Move> {
        self.movers.iter_mut().find(|m| m.extent == Some(extent))
    }

    fn submit_to(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        if !self.began {
            self.began = true;
            io.set_alarm(io.now() + self.period);
        }
        let counted = io.counted();
        let mut from = request.from;
        while from < request.until {
            let extent = (from / self.extent_bytes) as u32;
            let start = u64::from(extent) * self.extent_bytes;
            let until = request.until.min(start + self.extent_bytes);
            self.ranking.count(extent);
            let part = self.places.of(extent).part as usize;
            self.totals.requests_by_part[part] += u64::from(counted);
            let within = (from - start, until - start);
            if request.write && self.disturbs(extent, within) {
                self.totals.held_writes += u64::from(counted);
                io.hold(request.key);
                let (from, until) = within;
                self.held.push(Held { request: request.key, extent, from, until, since: io.now() });
            } else {
                self.transfer(request.key, extent, within, request.write, io);
            }
            from = until;
        }
    }

    fn transfer(
        &self,
        request: u32,
        extent: u32,
        (from, until): (u64, u64),
        write: bool,
        io: &mut impl VolumeIo,
    ) {
        let Place { part, slot } = self.places.of(extent);
        let start = u64::from(slot) * self.extent_bytes;
        io.transfer(request, part as usize, (start + from, start + until), write);
    }

    /// A write to bytes of an extent: if that is moving, the steps concerned are to be copied again, or the write is held
    /// back, which is said.
    fn disturbs(&mut self, extent: u32, (from, until): (u64, u64)) -> bool {
        let step_bytes = self.step_bytes;
        let Some(it) = self.mover_of(extent) else { return false };
        if it.closing {
            return true;
        }
        for step in (from / step_bytes) as u32..=((until - 1) / step_bytes) as u32 {
            if step == it.step {
                it.stale = true;
            } else {
                it.mark(step);
            }
        }
        false
    }

    /// A period is over: extents are ranked, and what should lie elsewhere waits for a mover.
    fn plan_moves(&mut self, io: &mut impl VolumeIo) {
        if io.draining() {
            return;
        }
        io.set_alarm(io.now() + self.period);
        let waiting: usize = self.queues.iter().map(VecDeque::len).sum();
        self.totals.given_up += u64::from(io.counted()) * waiting as u64;
        self.queues.iter_mut().for_each(VecDeque::clear);
        let bounds = (self.spare, self.load);
        self.ranking.rank(self.seconds, self.memory, bounds, &self.places, self.parts);
        for extent in 0..self.places.extents() {
            let wanted = self.ranking.wanted[extent as usize];
            if wanted != self.places.of(extent).part && self.movers.iter().all(|m| m.extent != Some(extent)) {
                self.queues[wanted as usize].push_back(extent);
            }
        }
        let ranking = &self.ranking;
        for queue in &mut self.queues {
            queue.make_contiguous().sort_by(|&a, &b| ranking.rate(b).total_cmp(&ranking.rate(a)));
        }
        self.start_moves(io);
    }

    /// Gives idle movers something to do: of the parts with a free slot that wait for extents, the first one's.
    fn start_moves(&mut self, io: &mut impl VolumeIo) {
        for tag in 0..self.movers.len() {
            if io.draining() || self.movers[tag].extent.is_some() {
                continue;
            }
            let part = (0..self.parts).find(|&p| !self.queues[p].is_empty() && self.places.has_room(p));
            let Some(part) = part else { return };
            let (Some(extent), Some(to)) = (self.queues[part].pop_front(), self.places.reserve(part)) else {
                return;
            };
            let it = &mut self.movers[tag];
            (it.extent, it.to, it.copied, it.closing) = (Some(extent), to, 0, false);
            it.step = u32::MAX;
            (0..self.steps).for_each(|step| it.mark(step));
            self.copy_next(tag, io);
        }
    }

    /// Begins to copy the next step of a move, or ends the move where there is none.
    fn copy_next(&mut self, tag: usize, io: &mut impl VolumeIo) {
        let it = &mut self.movers[tag];
        let Some(extent) = it.extent else { return };
        let Some(step) = it.take() else {
            self.arrive(tag, extent, io);
            return;
        };
        (it.step, it.stale, it.writing) = (step, false, false);
        it.copied += 1;
        it.closing |= it.left == 0 || it.copied > 2 * self.steps;
        let from = self.places.of(extent);
        io.background(tag as u64, from.part as usize, self.step_range(from, step), false);
    }

    /// Bytes of a step of the extent in a slot.
    fn step_range(&self, place: Place, step: u32) -> (u64, u64) {
        let start = u64::from(place.slot) * self.extent_bytes;
        let from = u64::from(step) * self.step_bytes;
        (start + from, start + (from + self.step_bytes).min(self.extent_bytes))
    }

    fn transferred(&mut self, tag: u64, io: &mut impl VolumeIo) {
        let tag = tag as usize;
        let it = &mut self.movers[tag];
        if it.writing {
            let step = std::mem::replace(&mut it.step, u32::MAX);
            if it.stale {
                it.mark(step);
            }
            self.copy_next(tag, io);
        } else {
            it.writing = true;
            let (to, step) = (it.to, it.step);
            let range = self.step_range(to, step);
            self.totals.migrated_bytes += u64::from(io.counted()) * (range.1 - range.0);
            io.background(tag as u64, to.part as usize, range, true);
        }
    }

    /// An extent is at its new place: requests go there from now on, those first that were held back.
    fn arrive(&mut self, tag: usize, extent: u32, io: &mut impl VolumeIo) {
        let to = self.movers[tag].to;
        self.movers[tag].extent = None;
        self.places.background_done(extent, to);
        self.totals.migrations += u64::from(io.counted());
        if let Some(counts) = io.counts() {
            counts.migrations += 1;
        }
        for i in 0..self.held.len() {
            let Held { request, extent: of, from, until, since } = self.held[i];
            if of == extent {
                let waited = io.now() - since;
                if let Some(counts) = io.counts() {
                    counts.held += 1;
                    counts.held_ns += waited;
                }
                self.transfer(request, extent, (from, until), true, io);
                io.release(request);
            }
        }
        self.held.retain(|held| held.extent != extent);
        self.start_moves(io);
    }
}

impl Move {
    /// A step is to be copied.
    fn mark(&mut self, step: u32) {
        let (word, bit) = (&mut self.todo[step as usize / 64], 1 << (step % 64));
        self.left += u32::from(*word & bit == 0);
        *word |= bit;
    }

    /// The first step to be copied, which then is not any more.
    fn take(&mut self) -> Option<u32> {
        let word = self.todo.iter().position(|&w| w != 0)?;
        let bit = self.todo[word].trailing_zeros();
        self.todo[word] &= self.todo[word] - 1;
        self.left -= 1;
        Some(word as u32 * 64 + bit)
    }
}

impl Scheme for Pdc {
    fn capacity_bytes(&self) -> u64 {
        u64::from(self.places.extents()) * self.extent_bytes
    }

    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        counting(request, io, |io| self.submit_to(request, io));
    }

    fn background_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        self.transferred(tag, io);
    }

    fn alarm(&mut self, io: &mut impl VolumeIo) {
        self.plan_moves(io);
    }

    fn movement(&self) -> Option<Movement> {
        Some(Movement::Pdc(self.totals()))
    }

    fn audit(&self) -> Result<(), String> {
        let reserved: Vec<Place> = self.movers.iter().filter(|m| m.extent.is_some()).map(|m| m.to).collect();
        self.places.audit(&reserved)?;
        let loose = |h: &Held| !self.movers.iter().any(|m| m.extent == Some(h.extent) && m.closing);
        if self.held.iter().any(loose) { Err("a write is held back for no move".into()) } else { Ok(()) }
    }
}
