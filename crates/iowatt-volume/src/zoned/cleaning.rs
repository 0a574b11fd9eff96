//! Cleaning: the valid units of a zone are read and appended elsewhere, then the zone is reset.
//!
//! One zone is cleaned at a time, in steps: a step reads the valid units of a stretch of the zone, waits for its turn at the
//! frontier, and writes those that are still valid then. In step with hosts, a zone with `v` of `s` units valid is given `v` moves
//! for `s - v` units that hosts write, so that as much is free afterwards as before; hosts that wait for a free zone lift that.

use super::table::Found;
use super::{CLEAN, Zoned};
use crate::io::VolumeIo;
use crate::plan::{GcPolicy, ZonedVolumePlan};
use std::collections::VecDeque;

/// The zone that is being cleaned.
#[derive(Clone, Copy, Debug)]
struct Victim {
    zone: u32,
    /// The first place that no step has looked at.
    next: u32,
    /// Moves for `gain` units of hosts, and units of hosts before it was chosen.
    moves: u64,
    gain: u64,
    before: u64,
    /// Units that steps have taken.
    begun: u64,
}

/// A stretch of the victim on its way.
#[derive(Debug, Default)]
struct Step {
    units: Vec<Found>,
    /// Of those, how many have been written or were not valid any more.
    done: usize,
    /// Reads under way.
    reads: u32,
    active: bool,
}

/// What cleaning is doing.
#[derive(Debug)]
pub(super) struct Cleaner {
    policy: GcPolicy,
    free_zones: u32,
    in_step: bool,
    reads_through: bool,
    /// To which frontier it writes.
    pub frontier: usize,
    step_units: u32,
    victim: Option<Victim>,
    steps: Vec<Step>,
    /// Steps that have been read, in that order.
    read: VecDeque<usize>,
}

impl Cleaner {
    pub fn new(given: &ZonedVolumePlan) -> Self {
        let step_units = (given.step_bytes.min(given.zone_bytes) / given.unit_bytes) as u32;
        let step = || Step { units: Vec::with_capacity(step_units as usize), ..Step::default() };
        Self {
            policy: given.policy,
            free_zones: given.free_zones,
            in_step: given.in_step,
            reads_through: given.reads_through,
            frontier: usize::from(given.hot_cold),
            step_units,
            victim: None,
            steps: (0..given.steps_at_once).map(|_| step()).collect(),
            read: VecDeque::new(),
        }
    }
}

impl Zoned {
    /// Goes on with cleaning as far as that may go now.
    pub(super) fn clean(&mut self, io: &mut impl VolumeIo) {
        loop {
            // Writes that wait for a free zone are no new moves.
            let rests = io.draining() && self.stalled.is_none();
            if rests || (self.cleaner.victim.is_none() && !self.choose()) {
                return;
            }
            self.start_steps(io);
            if !self.victim_is_empty() {
                return;
            }
            let Some(victim) = self.cleaner.victim.take() else { return };
            self.table.reset(victim.zone);
            self.totals.zones_reset += u64::from(io.counted());
            io.reset(0, self.bytes(victim.zone * self.zone_units, self.zone_units));
        }
    }

    /// Chooses a zone, if too few are free.
    fn choose(&mut self) -> bool {
        if self.table.free_zones() > self.cleaner.free_zones {
            return false;
        }
        let Some(zone) = self.table.choose(self.cleaner.policy) else { return false };
        let moves = u64::from(self.table.valid[zone as usize]);
        let gain = (u64::from(self.zone_units) - moves).max(1);
        self.cleaner.victim = Some(Victim { zone, next: 0, moves, gain, before: self.host_units, begun: 0 });
        true
    }

    /// Whether all of the victim has been looked at, and what was valid is elsewhere.
    fn victim_is_empty(&self) -> bool {
        let Some(victim) = self.cleaner.victim else { return false };
        victim.next == self.zone_units && self.cleaner.steps.iter().all(|step| !step.active)
    }

    fn start_steps(&mut self, io: &mut impl VolumeIo) {
        for number in 0..self.cleaner.steps.len() {
            if self.cleaner.steps[number].active {
                continue;
            }
            let Some(victim) = self.cleaner.victim.filter(|v| v.next < self.zone_units) else { return };
            let paid = (self.host_units - victim.before) * victim.moves / victim.gain;
            if self.cleaner.in_step && self.stalled.is_none() && victim.begun > paid {
                return;
            }
            self.start_step(number, victim, io);
        }
    }

    /// Looks at the next stretch of the victim with anything valid, and reads that.
    fn start_step(&mut self, number: usize, mut victim: Victim, io: &mut impl VolumeIo) {
        let step = &mut self.cleaner.steps[number];
        step.units.clear();
        let first = victim.zone * self.zone_units;
        let mut end = self.zone_units;
        while let Some(found) = self.table.next_valid(victim.zone, victim.next) {
            let place = found.place - first;
            if step.units.is_empty() {
                end = (place + self.cleaner.step_units).min(self.zone_units);
            } else if place >= end {
                break;
            }
            step.units.push(found);
            victim.next = place + 1;
            if victim.next >= end {
                break;
            }
        }
        victim.next = end;
        victim.begun += step.units.len() as u64;
        self.cleaner.victim = Some(victim);
        if step.units.is_empty() {
            return;
        }
        (step.done, step.reads, step.active) = (0, 0, true);
        let unit = self.unit;
        let tag = CLEAN << 32 | number as u64;
        let mut bytes = 0;
        let mut read = |from: u32, until: u32| {
            step.reads += 1;
            let range = (u64::from(from) * unit, u64::from(until) * unit);
            bytes += range.1 - range.0;
            io.background(tag, 0, range, false);
        };
        let (mut from, mut until) = (step.units[0].place, step.units[0].place + 1);
        for found in &step.units[1..] {
            if found.place != until && !self.cleaner.reads_through {
                read(from, until);
                from = found.place;
            }
            until = found.place + 1;
        }
        read(from, until);
        self.totals.cleaning_read_bytes += if io.counted() { bytes } else { 0 };
    }

    /// Starts a write of what has been read; whether anything has changed.
    pub(super) fn write_moved(&mut self, io: &mut impl VolumeIo) -> bool {
        let frontier = self.cleaner.frontier;
        let Some(&number) = self.cleaner.read.front() else { return false };
        if self.fronts[frontier].busy || !self.open(frontier, 0) {
            return false;
        }
        let step = &mut self.cleaner.steps[number];
        let (zone, start) = (self.fronts[frontier].zone, self.fronts[frontier].next);
        let end = (start + self.write_units).min(self.zone_units);
        let mut next = start;
        while next < end && step.done < step.units.len() {
            next += u32::from(self.table.relocate(step.units[step.done], zone, next));
            step.done += 1;
        }
        let all = step.done == step.units.len();
        if all {
            self.cleaner.read.pop_front();
        }
        if next == start {
            step.active = !all;
            return true;
        }
        self.fronts[frontier].next = next;
        self.fronts[frontier].busy = true;
        let range = self.bytes(zone * self.zone_units + start, next - start);
        self.totals.moved_bytes += if io.counted() { range.1 - range.0 } else { 0 };
        io.background(CLEAN << 32 | number as u64, 0, range, true);
        true
    }

    /// A read or the write of a step is done.
    pub(super) fn step_done(&mut self, number: usize) {
        let step = &mut self.cleaner.steps[number];
        if step.reads > 0 {
            step.reads -= 1;
            if step.reads == 0 {
                self.cleaner.read.push_back(number);
            }
            return;
        }
        step.active = step.done < step.units.len();
        self.written(self.cleaner.frontier);
    }
}
