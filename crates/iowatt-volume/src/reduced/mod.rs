//! Reduced: the capacity optimisation methods over one part, each by itself or together.
//!
//! - *Thin*: a page has a place from its first write on; what was never written is read without I/O.
//! - *De-duplication*: a share of the written pages brings contents that exist; nothing is written for them, and reads
//!   go to the shared place.
//! - *Compression*: a page takes less space, is moved as a whole, and takes the controller time.
//! - *Delta snapshots*: the first write to a page after a snapshot costs a copy (read and write), or goes elsewhere.
//!
//! - *Reclaim* (of thin volumes): pages that hosts trim, or write zeros to, hold nothing any more; what nothing else refers
//!   to is given back to the pool, so many bytes a second, and its drives are told.
//!
//! Where pages are stored as wholes, a write of a part of one reads it first. Writes that need more than one step hold
//! their pages: requests to these wait, so that none meets half of a step, and none overtakes another that waits for
//! one of its pages. Tables of places are taken to be in the
//! controller's memory; they cost no I/O.

mod initial;
mod pages;
mod reclaim;
mod sparse;
#[cfg(test)]
mod tests;

use super::Scheme;
use super::io::{VolumeIo, VolumeRequest};
use super::turns::Turns;
use crate::plan::{ReclaimPlan, ReducedPlan, SnapshotPlan, VirtualPoolPlan};
use crate::rng::{Component, Stream as Random};
use crate::slab::Slab;
use crate::time::{Nanos, nanos};
use initial::initial_slots;
use pages::{Pages, Space, Write};
use std::collections::VecDeque;

/// Counts within the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReducedTally {
    /// Pages written by requests, whole or in part.
    pub pages_written: u64,
    /// Of these, those whose contents existed.
    pub duplicates: u64,
    /// Pages that got their first place.
    pub allocated: u64,
    /// Bytes of reads of what was never written.
    pub unallocated_bytes: u64,
    /// Bytes read so that a part of a page could be written.
    pub modify_bytes: u64,
    /// Bytes copied for snapshots, each read and written once.
    pub copied_bytes: u64,
    /// Requests that waited for others to the same page.
    pub waited: u64,
    /// Pages that hosts gave up, by trims or by writing zeros.
    pub discarded: u64,
    /// Bytes of whole pages of zeros that hosts wrote.
    pub zero_bytes: u64,
    /// Bytes given back to the pool.
    pub reclaimed_bytes: u64,
    /// Page writes that found no space and were dropped, in the window or not.
    pub no_space: u64,
}

/// What a reduced volume holds and has done.
#[derive(Clone, Copy, Debug)]
pub struct ReducedState {
    /// Counts.
    pub counts: ReducedTally,
    /// Bytes of pages that hold data, as hosts see them.
    pub logical_bytes: u64,
    /// Bytes that these and snapshots take.
    pub stored_bytes: u64,
    /// Bytes that snapshots keep: what would be free without them, shared contents apart.
    pub snapshot_bytes: u64,
    /// Bytes that are still to be given back, of those stored.
    pub leaving_bytes: u64,
    /// Snapshots taken since the start.
    pub snapshots: u32,
}

/// Bytes of the part; empty where there is nothing to do.
type Range = (u64, u64);

/// Steps of a write, in this order: read, copy, write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Job {
    request: u32,
    flight: u32,
    read: Range,
    copy: Range,
    write: Range,
}

impl Job {
    fn next_to(&self, other: &Self) -> bool {
        let meets = |a: Range, b: Range| if a.0 == a.1 { b.0 == b.1 } else { b.0 < b.1 && a.1 == b.0 };
        meets(self.read, other.read) && meets(self.copy, other.copy) && meets(self.write, other.write)
    }

    fn join(&mut self, other: &Self) {
        let join = |a: &mut Range, b: Range| a.1 = if a.0 == a.1 { a.1 } else { b.1 };
        join(&mut self.read, other.read);
        join(&mut self.copy, other.copy);
        join(&mut self.write, other.write);
    }
}

/// A write with jobs under way, which has its pages to itself.
#[derive(Clone, Copy, Debug)]
struct Flight {
    first: u64,
    last: u64,
    jobs: u32,
}

/// The scheme.
#[derive(Debug)]
pub struct Reduced {
    pages: Pages,
    capacity: u64,
    page: u64,
    stored: u64,
    /// Pages are stored as wholes: they are compressed, compared, or must stay for snapshots.
    whole: bool,
    page_time: Nanos,
    snapshots: Option<SnapshotPlan>,
    next_snapshot: Nanos,
    reclaim: Option<ReclaimPlan>,
    /// When the next slot is given back, where that takes time and one leaves.
    next_reclaim: Nanos,
    /// When the controller has expanded or compressed all pages that it was given, and requests that wait for theirs.
    busy_until: Nanos,
    processing: VecDeque<(Nanos, VolumeRequest)>,
    jobs: Slab<Job>,
    flights: Slab<Flight>,
    /// Pages of flights, and who waits for them.
    turns: Turns,
    counts: ReducedTally,
}

impl Reduced {
    /// Whether a part of so many bytes holds what is there at the start.
    #[must_use]
    pub fn fits(plan: &ReducedPlan, part_bytes: u64) -> bool {
        initial_slots(plan) <= part_bytes / plan.stored_bytes
    }

    /// The first part of `plan`, reduced; `number` is that of the virtual pool.
    #[must_use]
    pub fn new(plan: &VirtualPoolPlan, reduced: &ReducedPlan, seed: u64, number: usize) -> Self {
        let mut random = Random::new(seed, Component::Duplicates, number);
        let drawn = random.seed();
        let part = plan.parts[0].capacity_bytes;
        let compressed = reduced.stored_bytes < reduced.page_bytes;
        Self {
            pages: Pages::new(reduced, part, drawn, random),
            capacity: reduced.capacity_bytes,
            page: reduced.page_bytes,
            stored: reduced.stored_bytes,
            whole: compressed || reduced.duplicates > 0.0 || reduced.snapshots.is_some(),
            page_time: nanos(reduced.page_s),
            snapshots: reduced.snapshots,
            next_snapshot: reduced.snapshots.map_or(Nanos::MAX, |s| nanos(s.interval_s)),
            reclaim: reduced.reclaim,
            next_reclaim: Nanos::MAX,
            busy_until: 0,
            processing: VecDeque::new(),
            jobs: Slab::default(),
            flights: Slab::default(),
            turns: Turns::default(),
            counts: ReducedTally::default(),
        }
    }

    /// What it holds and has done.
    #[must_use]
    pub fn state(&self) -> ReducedState {
        let Space { pages, slots, kept } = self.pages.space();
        ReducedState {
            counts: self.counts,
            logical_bytes: pages * self.page,
            stored_bytes: slots * self.stored,
            snapshot_bytes: kept.min(slots) * self.stored,
            leaving_bytes: self.pages.leaving() as u64 * self.stored,
            snapshots: self.pages.taken,
        }
    }

    fn compressed(&self) -> bool {
        self.stored < self.page
    }

    fn pages_of(&self, request: &VolumeRequest) -> std::ops::RangeInclusive<u64> {
        request.from / self.page..=(request.until - 1) / self.page
    }

    /// The part's bytes of a stored page.
    fn slot(&self, slot: u32) -> Range {
        let from = u64::from(slot) * self.stored;
        (from, from + self.stored)
    }

    /// The bytes of `request` in `page`, from its start.
    fn within(&self, request: &VolumeRequest, page: u64) -> Range {
        let start = page * self.page;
        (request.from.max(start) - start, request.until.min(start + self.page) - start)
    }

    /// Requests to pages of a flight wait, and those to pages that others wait for.
    fn begin(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        if self.turns.waits(request, self.pages_of(request)) {
            io.hold(request.key);
            self.counts.waited += u64::from(io.counted());
            return;
        }
        self.go(request, io);
    }

    fn go(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        match (request.trim, request.write) {
            (true, _) => self.discard(request, io),
            (false, true) => self.write(request, io),
            (false, false) => self.read(request, io),
        }
    }

    fn read(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let mut run: Range = (0, 0);
        for page in self.pages_of(request) {
            let (from, until) = self.within(request, page);
            let Some(slot) = self.pages.place(page) else {
                self.counts.unallocated_bytes += if io.counted() { until - from } else { 0 };
                continue;
            };
            let place = self.slot(slot);
            let part = if self.compressed() { place } else { (place.0 + from, place.0 + until) };
            if run.1 == part.0 && run.0 < run.1 {
                run.1 = part.1;
                continue;
            }
            transfer(request, run, false, io);
            run = part;
        }
        transfer(request, run, false, io);
    }

    fn write(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let flight = if self.whole {
            let pages = self.pages_of(request);
            self.flights.insert(Flight { first: *pages.start(), last: *pages.end(), jobs: 0 })
        } else {
            u32::MAX
        };
        let mut run: Option<Job> = None;
        for page in self.pages_of(request) {
            let Some(job) = self.write_page(request, page, flight, io.counted()) else { continue };
            match &mut run {
                Some(run) if run.next_to(&job) => run.join(&job),
                _ => {
                    if let Some(done) = run.replace(job) {
                        self.start(done, io);
                    }
                }
            }
        }
        if let Some(last) = run {
            self.start(last, io);
        }
        if self.whole {
            if self.flights.get(flight).jobs == 0 {
                self.flights.remove(flight);
            } else {
                self.turns.take(self.pages_of(request));
            }
        }
    }

    /// What the write of a page takes; `None` where that is nothing.
    fn write_page(&mut self, request: &VolumeRequest, page: u64, flight: u32, counted: bool) -> Option<Job> {
        let (from, until) = self.within(request, page);
        let part = self.whole && until - from < self.page;
        let mut job = Job { request: request.key, flight, read: (0, 0), copy: (0, 0), write: (0, 0) };
        let written = self.pages.write(page);
        // To write a part of a stored page is to read it, and to write all of it.
        let place = |slot: u32| {
            let stored = self.slot(slot);
            if self.whole { stored } else { (stored.0 + from, stored.0 + until) }
        };
        let mut counts = ReducedTally::default();
        match written {
            Write::NoSpace => counts.no_space = 1,
            Write::Shared { old } => {
                counts.duplicates = 1;
                job.read = old.filter(|_| part).map_or((0, 0), place);
            }
            Write::InPlace(slot) => {
                job.write = place(slot);
                job.read = if part { job.write } else { (0, 0) };
            }
            Write::Elsewhere { old, new } => {
                job.write = place(new);
                job.read = old.filter(|_| part).map_or((0, 0), place);
                counts.allocated = u64::from(old.is_none());
            }
            Write::Copied { place: slot, copy } => {
                (job.read, job.copy, job.write) = (place(slot), place(copy), place(slot));
                counts.copied_bytes = self.stored;
            }
        }
        if job.copy.0 == job.copy.1 {
            counts.modify_bytes = job.read.1 - job.read.0;
        }
        // Counted outside of the window too: such a run is not to be believed.
        self.counts.no_space += counts.no_space;
        if counted {
            self.counts.pages_written += 1;
            self.counts.duplicates += counts.duplicates;
            self.counts.allocated += counts.allocated;
            self.counts.copied_bytes += counts.copied_bytes;
            self.counts.modify_bytes += counts.modify_bytes;
        }
        (job.read.0 < job.read.1 || job.write.0 < job.write.1).then_some(job)
    }

    fn start(&mut self, job: Job, io: &mut impl VolumeIo) {
        if job.flight == u32::MAX {
            io.transfer(job.request, 0, (job.write.0, job.write.1), true);
            return;
        }
        self.flights.get_mut(job.flight).jobs += 1;
        let key = self.jobs.insert(job);
        if job.copy.0 < job.copy.1 {
            io.hold(job.request);
            io.background(u64::from(key), 0, (job.read.0, job.read.1), false);
        } else if job.read.0 < job.read.1 {
            self.jobs.get_mut(key).read = (0, 0);
            io.transfer_tagged(job.request, u64::from(key), 0, (job.read.0, job.read.1), false);
        } else {
            self.last_step(key, job, io);
        }
    }

    fn last_step(&mut self, key: u32, job: Job, io: &mut impl VolumeIo) {
        self.jobs.get_mut(key).write = (0, 0);
        io.transfer_tagged(job.request, u64::from(key), 0, (job.write.0, job.write.1), true);
    }

    /// A job is done; with the last of its flight the pages are free for others.
    fn end(&mut self, key: u32, io: &mut impl VolumeIo) {
        let job = self.jobs.remove(key);
        let flight = self.flights.get_mut(job.flight);
        flight.jobs -= 1;
        if flight.jobs > 0 {
            return;
        }
        let Flight { first, last, .. } = self.flights.remove(job.flight);
        self.turns.give(first..=last);
        while let Some((request, pages)) = self.turns.next() {
            self.go(&request, io);
            self.turns.pass_on(pages);
            io.release(request.key);
        }
    }

    /// Snapshots that are due by now.
    fn take_snapshots(&mut self, now: Nanos) {
        let Some(plan) = self.snapshots else { return };
        while self.next_snapshot <= now {
            self.pages.snapshot(plan.retain);
            self.next_snapshot += nanos(plan.interval_s).max(1);
        }
    }
}

fn transfer(request: &VolumeRequest, (from, until): Range, write: bool, io: &mut impl VolumeIo) {
    if from < until {
        io.transfer(request.key, 0, (from, until), write);
    }
}

impl Scheme for Reduced {
    fn capacity_bytes(&self) -> u64 {
        self.capacity
    }

    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        self.take_snapshots(io.now());
        if request.trim {
            return self.begin(request, io);
        }
        if let Some(counts) = io.counts() {
            counts.request(request.until - request.from, request.write);
            counts.located(0, request.until - request.from, request.write);
            counts.hit(0, request.write);
        }
        if self.page_time == 0 {
            return self.begin(request, io);
        }
        let count = if request.write || self.compressed() {
            self.pages_of(request).filter(|&page| request.write || self.pages.place(page).is_some()).count()
                as u64
        } else {
            0
        };
        if count == 0 {
            return self.begin(request, io);
        }
        self.busy_until = self.busy_until.max(io.now()) + count * self.page_time;
        io.hold(request.key);
        self.processing.push_back((self.busy_until, *request));
        io.set_alarm(self.busy_until);
    }

    fn transfer_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        let key = tag as u32;
        let job = self.jobs.get(key);
        if job.write.0 < job.write.1 {
            self.last_step(key, job, io);
        } else {
            self.end(key, io);
        }
    }

    fn background_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        let key = tag as u32;
        let job = self.jobs.get(key);
        if job.read.0 < job.read.1 {
            self.jobs.get_mut(key).read = (0, 0);
            io.background(tag, 0, (job.copy.0, job.copy.1), true);
        } else {
            self.jobs.get_mut(key).copy = (0, 0);
            self.last_step(key, job, io);
            io.release(job.request);
        }
    }

    fn alarm(&mut self, io: &mut impl VolumeIo) {
        self.give_back(io);
        while let Some(&(at, request)) = self.processing.front() {
            if at > io.now() {
                io.set_alarm(at);
                break;
            }
            self.processing.pop_front();
            self.begin(&request, io);
            io.release(request.key);
        }
    }

    fn occupied_bytes(&self, _part: usize) -> Option<u64> {
        Some(self.state().stored_bytes)
    }

    fn audit(&self) -> Result<(), String> {
        self.pages.audit(self.capacity / self.page)
    }
}
