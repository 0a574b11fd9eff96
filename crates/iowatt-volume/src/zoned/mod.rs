//! Zoned: a log-structured host over a part whose zones are only ever written in order, and reset as wholes.
//!
//! Writes of hosts are appended to an open zone, in the order in which they came. One write to a zone is under way at a time, as
//! block layers of operating systems see to (Linux: zone write locking); what comes meanwhile goes with the next one. A map
//! says where each unit lies, and reads go there. Zones that hold least, or were written longest ago, are cleaned
//! ([`cleaning`]) and reset.
//!
//! A write of a part of a unit reads the unit first, and then holds its units ([`Turns`]) until it is on its way. The map is taken to
//! be in the host's memory, and to survive a crash: it costs no I/O.

mod cleaning;
mod table;
#[cfg(test)]
mod tests;

use super::io::VolumeIo;
use super::movement::{Movement, ZonedTotals};
use super::turns::Turns;
use super::{Scheme, VolumeRequest};
use crate::log::steady::Initial;
use crate::plan::{GcPolicy, VirtualPoolPlan, ZonedVolumePlan};
use crate::rng::{Component, Stream};
use crate::slab::Slab;
use crate::time::Nanos;
use cleaning::Cleaner;
use std::collections::VecDeque;
use table::Table;

/// No zone.
const NONE: u32 = u32::MAX;
/// What a transfer is for, in the upper half of its tag.
const HOST: u64 = 0;
const MODIFY: u64 = 1;
const CLEAN: u64 = 2;

/// A zone that is being written.
#[derive(Clone, Copy, Debug)]
struct Frontier {
    zone: u32,
    next: u32,
    /// A write to it is under way.
    busy: bool,
}

/// A write of a host, and its next unit that has no place yet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    request: u32,
    first: u32,
    next: u32,
    end: u32,
}

/// A write that reads its outer units first.
#[derive(Clone, Copy, Debug)]
struct Modify {
    write: Pending,
    left: u32,
}

/// The scheme.
#[derive(Debug)]
pub struct Zoned {
    unit: u64,
    zone_units: u32,
    units: u32,
    write_units: u32,
    table: Table,
    /// Of hosts and, where they are apart, of what is moved.
    fronts: [Frontier; 2],
    /// Writes in the order in which they came.
    queue: VecDeque<Pending>,
    /// Requests of the write of hosts' data that is under way; of the first `ended` that is the last.
    batch: Vec<u32>,
    ended: usize,
    turns: Turns,
    modifies: Slab<Modify>,
    cleaner: Cleaner,
    /// Since when hosts wait for a free zone.
    stalled: Option<Nanos>,
    /// Units that hosts have written since the start.
    host_units: u64,
    totals: ZonedTotals,
}

impl Zoned {
    /// The scheme of `given` over the one part of `plan`; `number` is that of the virtual pool.
    #[must_use]
    pub fn new(plan: &VirtualPoolPlan, given: &ZonedVolumePlan, seed: u64, number: usize) -> Self {
        let part = plan.parts[0].capacity_bytes;
        let zone_units = (given.zone_bytes / given.unit_bytes) as u32;
        let (zones, rotation) = (given.zones(part) as u32, given.rotation(part) as u32);
        let units = (given.capacity_bytes / given.unit_bytes) as u32;
        let initial = given.initial.map(|start| {
            let live = ((f64::from(units) * start.fill).round() as u32).clamp(1, units);
            let run = ((start.run_bytes / given.unit_bytes) as u32).min(live);
            let chance = given.policy == GcPolicy::Fifo;
            let mut random = Stream::new(seed, Component::InitialPlacement, number);
            (Initial::new((live, run), (rotation, zone_units), &[], chance, &mut random), live)
        });
        Self {
            unit: given.unit_bytes,
            zone_units,
            units,
            write_units: (given.write_bytes / given.unit_bytes) as u32,
            table: Table::new((zones, zone_units), units, initial, rotation),
            fronts: [Frontier { zone: NONE, next: 0, busy: false }; 2],
            queue: VecDeque::new(),
            batch: Vec::new(),
            ended: 0,
            turns: Turns::default(),
            modifies: Slab::default(),
            cleaner: Cleaner::new(given),
            stalled: None,
            host_units: 0,
            totals: ZonedTotals::default(),
        }
    }

    /// The part's bytes of `count` places from `place` on.
    fn bytes(&self, place: u32, count: u32) -> (u64, u64) {
        let from = u64::from(place) * self.unit;
        (from, from + u64::from(count) * self.unit)
    }

    fn submit_to(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        if !request.write {
            return self.read(request, io);
        }
        let units = request.from / self.unit..=(request.until - 1) / self.unit;
        if self.turns.waits(request, units) {
            io.hold(request.key);
        } else {
            self.begin_write(request, io);
        }
        self.proceed(io);
    }

    fn read(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let (mut run, mut transfers, mut unwritten) = ((0, 0), 0, 0);
        for unit in request.from / self.unit..=(request.until - 1) / self.unit {
            let start = unit * self.unit;
            let (from, until) = (request.from.max(start), request.until.min(start + self.unit));
            let Some(place) = self.table.locate(unit as u32) else {
                unwritten += until - from;
                continue;
            };
            let first = u64::from(place) * self.unit;
            let part = (first + from - start, first + until - start);
            if run.0 < run.1 && run.1 == part.0 {
                run.1 = part.1;
                continue;
            }
            if run.0 < run.1 {
                io.transfer(request.key, 0, run, false);
                transfers += 1;
            }
            run = part;
        }
        if run.0 < run.1 {
            io.transfer(request.key, 0, run, false);
            transfers += 1;
        }
        if io.counted() {
            self.totals.read_transfers += transfers;
            self.totals.unwritten_bytes += unwritten;
        }
    }

    /// A write holds its units from now on, and is queued once it has what it leaves of them.
    fn begin_write(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let (first, last) = (request.from / self.unit, (request.until - 1) / self.unit);
        self.turns.take(first..=last);
        io.hold(request.key);
        let write =
            Pending { request: request.key, first: first as u32, next: first as u32, end: last as u32 + 1 };
        let cut = [
            (first, !request.from.is_multiple_of(self.unit)),
            (last, !request.until.is_multiple_of(self.unit)),
        ];
        let one = first == last;
        let mut slot = NONE;
        for (number, &(unit, partial)) in cut.iter().enumerate() {
            // The only unit is read once.
            if !partial || (number == 1 && one && cut[0].1) {
                continue;
            }
            let Some(place) = self.table.locate(unit as u32) else { continue };
            if slot == NONE {
                slot = self.modifies.insert(Modify { write, left: 0 });
            }
            self.modifies.get_mut(slot).left += 1;
            self.totals.modify_bytes += if io.counted() { self.unit } else { 0 };
            let tag = MODIFY << 32 | u64::from(slot);
            io.transfer_tagged(request.key, tag, 0, self.bytes(place, 1), false);
        }
        if slot == NONE {
            self.queue.push_back(write);
        }
    }

    /// Does what can be done now.
    fn proceed(&mut self, io: &mut impl VolumeIo) {
        loop {
            while let Some((request, units)) = self.turns.next() {
                self.begin_write(&request, io);
                self.turns.pass_on(units);
                io.release(request.key);
            }
            self.clean(io);
            if !(self.write_moved(io) | self.write_queued(io)) {
                return;
            }
        }
    }

    /// The open zone of a frontier, which leaves `keep` zones free when it has to open one.
    fn open(&mut self, frontier: usize, keep: u32) -> bool {
        if self.fronts[frontier].zone != NONE {
            return true;
        }
        if self.table.free_zones() <= keep {
            return false;
        }
        let Some(zone) = self.table.open() else { return false };
        self.fronts[frontier] = Frontier { zone, next: 0, busy: false };
        true
    }

    /// Starts a write of what is queued; whether it has.
    fn write_queued(&mut self, io: &mut impl VolumeIo) -> bool {
        if self.fronts[0].busy || self.queue.is_empty() {
            return false;
        }
        // Where cleaning shares the zone, its last one is not for hosts.
        let shared = self.cleaner.frontier == 0 && self.table.free_zones() == 0;
        if shared || !self.open(0, 1) {
            if self.stalled.is_some() {
                return false;
            }
            self.stalled = Some(io.now());
            self.totals.stalls += u64::from(io.counted());
            return true; // cleaning may do more now
        }
        if let Some(since) = self.stalled.take()
            && io.counted()
        {
            self.totals.stalled_ns += io.now() - since;
        }
        let Frontier { zone, next: start, .. } = self.fronts[0];
        let end = (start + self.write_units).min(self.zone_units);
        let mut next = start;
        self.batch.clear();
        self.ended = 0;
        while next < end
            && let Some(write) = self.queue.front_mut()
        {
            let count = (write.end - write.next).min(end - next);
            let units = write.next..write.next + count;
            write.next += count;
            let Pending { request, first, next: placed, end: last } = *write;
            for unit in units {
                self.table.write(unit, zone, next);
                next += 1;
            }
            self.batch.push(request);
            if placed == last {
                self.queue.pop_front();
                self.ended += 1;
                self.turns.give(u64::from(first)..=u64::from(last) - 1);
            }
        }
        self.fronts[0].next = next;
        self.fronts[0].busy = true;
        self.host_units += u64::from(next - start);
        if io.counted() {
            self.totals.written_bytes += u64::from(next - start) * self.unit;
            self.totals.zone_writes += 1;
        }
        let range = self.bytes(zone * self.zone_units + start, next - start);
        io.transfer_joined(&self.batch, HOST << 32, 0, range);
        true
    }

    /// The write to the zone of a frontier is done.
    fn written(&mut self, frontier: usize) {
        let front = &mut self.fronts[frontier];
        front.busy = false;
        if front.next == self.zone_units {
            self.table.close(front.zone);
            front.zone = NONE;
        }
    }

    fn transferred(&mut self, tag: u64, io: &mut impl VolumeIo) {
        let number = tag as u32;
        match tag >> 32 {
            HOST => {
                self.written(0);
                // The transfer holds the first itself.
                self.batch.iter().skip(1).for_each(|&request| io.release(request));
                self.batch.iter().take(self.ended).for_each(|&request| io.release(request));
            }
            MODIFY => {
                let modify = self.modifies.get_mut(number);
                modify.left -= 1;
                if modify.left == 0 {
                    let write = modify.write;
                    self.modifies.remove(number);
                    self.queue.push_back(write);
                }
            }
            _ => self.step_done(number as usize),
        }
        self.proceed(io);
    }
}

impl Scheme for Zoned {
    fn capacity_bytes(&self) -> u64 {
        u64::from(self.units) * self.unit
    }

    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        if let Some(counts) = io.counts() {
            counts.request(request.until - request.from, request.write);
            counts.located(0, request.until - request.from, request.write);
            counts.hit(0, request.write);
        }
        self.submit_to(request, io);
    }

    fn transfer_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        self.transferred(tag, io);
    }

    fn background_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        self.transferred(tag, io);
    }

    fn alarm(&mut self, _io: &mut impl VolumeIo) {}

    fn occupied_bytes(&self, _part: usize) -> Option<u64> {
        Some(self.table.live() * self.unit)
    }

    fn movement(&self) -> Option<Movement> {
        Some(Movement::Zoned(self.totals))
    }

    fn audit(&self) -> Result<(), String> {
        self.table.audit(self.units)
    }
}
