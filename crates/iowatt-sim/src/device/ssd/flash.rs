//! Flash: the translation layer's work on dies and channels, and how long commands take by it.
//!
//! Times are reserved in closed form: a die has work for later and reads that come before it ([`super::die`]); a channel,
//! and the link to the host, serve what is ready first come first served without idling while something is reserved.
//! Transfers of programs belong to the die's work (with all dies of a channel at work, their sum is what the channel
//! carries) and do not hold up those of reads.

use super::buffered::{Buffered, Gate};
use super::cache::Cache;
use super::die::{Die, Interrupts, Job};
use super::ftl::{Ftl, Geometry, Work};
use super::meter::Meter;
use super::recent::{Found, Recent};
use super::sense::Senses;
use crate::clock::{Nanos, nanos, whole};
use crate::grain::Grain;
use crate::plan::{FlashInitialPlan, FlashPlan, GcPolicy, SsdPlan};
use crate::power::{Cause, FlashOperation};
use crate::rng::{KeyedDraws, Stream};
use iowatt_volume::log::steady::{Initial, Share};

/// What became of a read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOut {
    /// When the first unit and the last of it have come over their channels; the past where nothing had to.
    pub first: Nanos,
    pub done: Nanos,
    /// Pages sensed.
    pub pages: u32,
}

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlashCounts {
    /// Pages sensed for reads.
    pub pages_read: u64,
    /// Pages sensed to be moved or completed.
    pub pages_sensed: u64,
    /// Stripes programmed.
    pub programs: u64,
    /// Units read from the write buffer.
    pub buffered: u64,
    /// Programs and erases interrupted.
    pub suspended: u64,
    /// Of the stripes programmed, those of the map, and those programmed once more to fold them.
    pub map_programs: u64,
    /// Folded.
    pub folded: u64,
}

/// Dies and channels with the times and energies of what they do.
#[derive(Debug)]
struct Bench {
    dies: Vec<Die>,
    channels: Vec<Nanos>,
    stripes: Buffered,
    /// By placement handle: its stripes among them.
    recent: Vec<Recent>,
    /// All that is given will be done by then.
    until: Nanos,
    /// The stripe of the present command that is done last, and when.
    latest: (Nanos, Gate),
    interrupts: Interrupts,
    dies_per_channel: u64,
    senses: Senses,
    /// A stripe's transfer included.
    program: Nanos,
    erase: Nanos,
    /// The cache of one-bit cells, and a program in it, its transfer included.
    cache: Option<(Cache, Nanos)>,
    /// Nanoseconds of a byte on a channel.
    byte: f64,
    unit: Grain,
    stripe_bytes: u64,
    read_j: f64,
    /// Of a stripe, and of a block of all planes of a die.
    program_j: f64,
    erase_j: f64,
    counts: FlashCounts,
}

impl Bench {
    fn give(
        &mut self,
        die: u32,
        when: (Nanos, Nanos),
        takes: Nanos,
        job: Job,
        meter: &mut Meter<'_>,
    ) -> Gate {
        meter.owe(job.cause, job.operation, job.joules);
        let at = &mut self.dies[die as usize];
        let work = at.give(when, takes, job, meter);
        self.until = self.until.max(at.free_at());
        Gate { die, work }
    }

    /// Time and joules of programming a stripe, which is one of the host or not.
    #[inline]
    fn programming(&mut self, of_host: bool) -> (Nanos, f64) {
        let Some((cache, fast)) = self.cache.as_mut().filter(|_| of_host) else {
            return (self.program, self.program_j);
        };
        let quick_j = self.program_j * (*fast as f64 / self.program as f64);
        if cache.takes(self.stripe_bytes) {
            return (*fast, quick_j);
        }
        // Another one is folded to make room.
        self.counts.folded += 1;
        let sensed = self.senses.mean();
        (*fast + sensed + self.program, quick_j + self.program_j)
    }

    /// Time on a die with `bytes` over its channel, which all its dies may use as much.
    fn with_transfer(&self, takes: Nanos, bytes: u64) -> Nanos {
        let transfer = whole(bytes as f64 * self.byte);
        (takes + transfer).max(self.dies_per_channel * transfer)
    }

    fn time_of(&self, gate: Gate) -> Nanos {
        self.dies[gate.die as usize].time_of(gate.work)
    }
}

/// The dies with the moment at which something is asked of them.
struct At<'a, 'm> {
    bench: &'a mut Bench,
    /// The placement handle of what the host writes.
    handle: usize,
    /// The present, and when the data are there.
    when: (Nanos, Nanos),
    meter: &'a mut Meter<'m>,
}

impl Work for At<'_, '_> {
    #[inline]
    fn program(&mut self, die: u32, of_host: bool, cause: Cause) {
        let bench = &mut *self.bench;
        let (takes, joules) = bench.programming(of_host && cause != Cause::Background);
        let job = Job { operation: FlashOperation::Program, cause, joules };
        let gate = bench.give(die, self.when, takes, job, self.meter);
        bench.counts.programs += 1;
        if of_host {
            bench.recent[self.handle].push(bench.stripes.issued);
            bench.stripes.push(gate);
            let at = bench.time_of(gate);
            if at > bench.latest.0 {
                bench.latest = (at, gate);
            }
        }
    }

    fn sense(&mut self, stripe: u32, pages: u32, units: u32, cause: Cause) {
        let bytes = self.bench.unit.bytes() * u64::from(units);
        let dies = self.bench.dies.len() as u32;
        let die = stripe % dies;
        let takes = self.bench.with_transfer(self.bench.senses.of(stripe / dies).takes, bytes);
        let joules = f64::from(pages) * self.bench.read_j;
        self.bench.counts.pages_sensed += u64::from(pages);
        self.bench.give(
            die,
            self.when,
            takes,
            Job { operation: FlashOperation::Read, cause, joules },
            self.meter,
        );
    }

    fn erase(&mut self) {
        let joules = self.bench.erase_j;
        let job = Job { operation: FlashOperation::Erase, cause: Cause::Background, joules };
        for die in 0..self.bench.dies.len() {
            self.bench.give(die as u32, self.when, self.bench.erase, job, self.meter);
        }
    }
}

/// The flash of one drive.
#[derive(Debug)]
pub struct Flash {
    /// The translation layer.
    pub ftl: Ftl,
    bench: Bench,
    geometry: Geometry,
    buffered: bool,
    /// Bytes from which on a placement handle is used, ascending; none of them: handle 0 everywhere.
    placement: Vec<(u64, usize)>,
    /// Nanoseconds between two steps of a burst of collection, and when the next one is due.
    step: Nanos,
    due: Nanos,
    /// Units written after which a stripe of the map is programmed, and those since the last one.
    map_units: u32,
    unmapped: u32,
}

impl Flash {
    /// The flash of `drive` as it is at the start.
    #[must_use]
    pub fn new(drive: &SsdPlan, plan: &FlashPlan, draws: KeyedDraws, random: &mut Stream) -> Self {
        let unit_bytes = u64::from(plan.mapping_bytes);
        let units = |bytes: u64| (bytes / unit_bytes) as u32;
        let geometry = Geometry {
            units: drive.capacity_bytes().div_ceil(unit_bytes) as u32,
            blocks: plan.blocks_per_plane,
            block_units: units(plan.superblock_bytes()),
            stripe_units: units(plan.stripe_bytes()),
            page_units: (plan.page_bytes / plan.mapping_bytes).max(1),
            unit_pages: (plan.mapping_bytes / plan.page_bytes).max(1),
            dies: plan.dies(),
            handles: plan.placement_handles,
        };
        let (initial, live) = match &plan.initial {
            FlashInitialPlan::Fresh => (None, 0),
            FlashInitialPlan::Steady(steady) => {
                let live =
                    ((f64::from(geometry.units) * steady.fill).round() as u32).clamp(1, geometry.units);
                let shares: Vec<Share> =
                    steady.traffic.iter().map(|t| Share { space: t.space, writes: t.writes }).collect();
                let run =
                    steady.run_bytes.map_or(1, |bytes| (bytes / unit_bytes).min(u64::from(live)) as u32);
                let rotation = Ftl::rotation(&geometry, &plan.gc);
                let chance = plan.gc.policy == GcPolicy::Fifo;
                let size = (rotation, geometry.block_units);
                let initial = Initial::new((live, run.max(1)), size, &shares, chance, random);
                (Some(initial), live)
            }
        };
        let buffered = plan.buffer_bytes > 0;
        // Each further handle keeps the room of the stripe that it is filling.
        let others = u64::from(plan.placement_handles - 1);
        let slots = (plan.buffer_bytes / plan.stripe_bytes()).saturating_sub(others).max(1) as usize;
        let never = Interrupts { program: false, erase: false, latency: 0, most: 0 };
        let interrupts = plan.suspend.map_or(never, |s| Interrupts {
            program: s.program,
            erase: s.erase,
            latency: nanos(s.latency_s),
            most: s.most.unwrap_or(u32::MAX),
        });
        let mut bench = Bench {
            dies: vec![Die::default(); geometry.dies as usize],
            channels: vec![0; plan.channels as usize],
            stripes: Buffered::new(slots),
            recent: vec![Recent::new(slots); plan.placement_handles as usize],
            until: 0,
            latest: (0, Gate::default()),
            interrupts,
            dies_per_channel: u64::from(plan.dies_per_channel),
            senses: Senses::new(plan, draws),
            program: nanos(plan.program_s).max(1),
            erase: nanos(plan.erase_s).max(1),
            cache: None,
            byte: 1e9 / plan.channel_bytes_per_s,
            unit: Grain::new(unit_bytes),
            stripe_bytes: plan.stripe_bytes(),
            read_j: plan.energy.read_j,
            program_j: f64::from(plan.planes) * plan.energy.program_j,
            erase_j: f64::from(plan.planes) * plan.energy.erase_j,
            counts: FlashCounts::default(),
        };
        bench.program = bench.with_transfer(bench.program, unit_bytes * u64::from(geometry.stripe_units));
        bench.cache = plan.slc_cache.map(|cache| {
            let program = bench.with_transfer(nanos(cache.program_s).max(1), plan.stripe_bytes());
            (Cache::new(cache.bytes, nanos(cache.idle_s)), program)
        });
        let ftl = if plan.zoned {
            let filled = matches!(&plan.initial, FlashInitialPlan::Steady(_));
            Ftl::new(geometry, plan.gc, None, None, 0).with_zones(if filled { live } else { 0 })
        } else {
            Ftl::new(geometry, plan.gc, plan.wear_levelling, initial, live)
        };
        let step = plan
            .gc
            .burst
            .map_or(0.0, |burst| bench.program as f64 / (burst.share * f64::from(geometry.dies)));
        let map_units = match u64::from(plan.map_entry_bytes) {
            0 => u32::MAX,
            bytes => u32::try_from(plan.stripe_bytes() / bytes).unwrap_or(u32::MAX).max(1),
        };
        Self {
            ftl,
            bench,
            geometry,
            buffered,
            placement: plan
                .placement
                .iter()
                .map(|p| (p.from_sector * u64::from(drive.sector_bytes), p.handle as usize))
                .collect(),
            step: whole(step).max(1),
            due: 0,
            map_units,
            unmapped: 0,
        }
    }

    /// Bytes of a unit of the map.
    #[must_use]
    pub fn unit_bytes(&self) -> u64 {
        self.bench.unit.bytes()
    }

    /// Counts since the start.
    #[must_use]
    pub fn counts(&self) -> FlashCounts {
        self.bench.counts
    }

    /// Sizes.
    #[must_use]
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// When all that has been given to the dies will be done.
    #[must_use]
    pub fn busy_until(&self) -> Nanos {
        self.bench.until
    }

    /// When what is waited for is done, as far as anybody knows now.
    #[must_use]
    pub fn time_of(&self, gate: Gate) -> Nanos {
        self.bench.time_of(gate)
    }

    /// Carries out what is due of a burst of collection by `now`.
    #[inline]
    pub fn keep_pace(&mut self, now: Nanos, meter: &mut Meter<'_>) {
        if self.bench.cache.is_some() {
            self.fold(now, meter);
        }
        if self.ftl.bursting() {
            self.burst(now, meter);
        }
    }

    /// Folds what there is in the cache of one-bit cells, if the drive has rested until `now`.
    fn fold(&mut self, now: Nanos, meter: &mut Meter<'_>) {
        let (bench, dies) = (&mut self.bench, u64::from(self.geometry.dies));
        let takes = bench.senses.mean() + bench.program;
        let each = takes as f64 / dies as f64;
        let Some((cache, _)) = &mut bench.cache else { return };
        let (times, begins) = cache.folds(bench.until, now, bench.stripe_bytes, each);
        let job =
            Job { operation: FlashOperation::Program, cause: Cause::Background, joules: bench.program_j };
        for number in 0..times {
            let at = begins + (number as f64 * each) as Nanos;
            bench.give((number % dies) as u32, (at, at), takes, job, meter);
        }
        bench.counts.programs += times;
        bench.counts.folded += times;
    }

    fn burst(&mut self, now: Nanos, meter: &mut Meter<'_>) {
        while self.due <= now && self.ftl.bursting() {
            let when = (self.due, self.due);
            self.ftl.step(&mut At { bench: &mut self.bench, handle: 0, when, meter });
            self.due += self.step;
        }
    }

    /// Units have been written: programs the map that has come of it.
    #[inline]
    fn write_map(&mut self, when: (Nanos, Nanos), units: u32, meter: &mut Meter<'_>) {
        self.unmapped = self.unmapped.saturating_add(units);
        while self.unmapped >= self.map_units {
            self.unmapped -= self.map_units;
            let die = (self.bench.counts.map_programs % u64::from(self.geometry.dies)) as u32;
            self.bench.counts.map_programs += 1;
            At { bench: &mut self.bench, handle: 0, when, meter }.program(die, false, Cause::Background);
        }
    }

    /// Reads bytes `from..until`; the dies may begin at `ready`.
    pub fn read(
        &mut self,
        (now, ready): (Nanos, Nanos),
        (from, until): (u64, u64),
        meter: &mut Meter<'_>,
    ) -> ReadOut {
        let unit = self.bench.unit;
        let mut out = ReadOut::default();
        // A stripe being gathered: superblock, number of the stripe, last page, pages, units.
        let mut open: Option<(u32, u32, u32, u32, u32)> = None;
        for address in unit.of(from)..unit.holding(until) {
            let Some((block, place)) = self.ftl.locate(address as u32) else { continue };
            if self.in_buffer(now, block, place) {
                self.bench.counts.buffered += 1;
                continue;
            }
            let (stripe, page) = (place / self.geometry.stripe_units, place / self.geometry.page_units);
            let pages = self.geometry.unit_pages;
            match &mut open {
                Some((b, s, last, sensed, units)) if (*b, *s) == (block, stripe) => {
                    if *last != page {
                        (*last, *sensed) = (page, *sensed + pages);
                    }
                    *units += 1;
                }
                _ => {
                    if let Some((block, stripe, _, pages, units)) = open.take() {
                        self.sense((now, ready), (block, stripe), (pages, units), &mut out, meter);
                    }
                    open = Some((block, stripe, page, pages, 1));
                }
            }
        }
        if let Some((block, stripe, _, pages, units)) = open {
            self.sense((now, ready), (block, stripe), (pages, units), &mut out, meter);
        }
        out
    }

    fn sense(
        &mut self,
        (now, ready): (Nanos, Nanos),
        (block, stripe): (u32, u32),
        (pages, units): (u32, u32),
        out: &mut ReadOut,
        meter: &mut Meter<'_>,
    ) {
        let bench = &mut self.bench;
        let (die_index, row) = (stripe % self.geometry.dies, stripe / self.geometry.dies);
        let die = &mut bench.dies[die_index as usize];
        let sense = bench.senses.of(row);
        let times = bench.senses.times([u64::from(block) << 32 | u64::from(stripe), now, 0]);
        let (starts, interrupted) = die.read(ready, sense.holds * times, &bench.interrupts, meter);
        let sensed = starts + sense.takes * times;
        // What is sensed once more counts, and draws its watts, once more.
        let pages = pages * times as u32;
        bench.until = bench.until.max(die.free_at());
        let channels = bench.channels.len() as u32;
        let channel = &mut bench.channels[(die_index % channels) as usize];
        let transfer = whole(f64::from(units) * bench.unit.bytes() as f64 * bench.byte);
        let begins = sensed.max(*channel);
        let first = begins + whole(bench.unit.bytes() as f64 * bench.byte);
        out.first = if out.pages == 0 { first } else { out.first.min(first) };
        out.done = out.done.max(begins + transfer);
        *channel = (*channel).max(now) + transfer;
        out.pages += pages;
        bench.counts.pages_read += u64::from(pages);
        bench.counts.suspended += u64::from(interrupted);
    }

    /// Writes at `now` bytes `from..until`, which are there at `ready`; what the command then has to wait for.
    pub fn write(
        &mut self,
        (now, ready): (Nanos, Nanos),
        (from, until): (u64, u64),
        cause: Cause,
        meter: &mut Meter<'_>,
    ) -> Gate {
        let unit = self.bench.unit;
        let when = (now, ready);
        let mut waits = (ready, Gate::default());
        let idle = !self.ftl.bursting();
        let handle = self.handle(from);
        self.bench.latest = (0, Gate::default());
        for address in unit.of(from)..unit.holding(until) {
            let start = address * unit.bytes();
            if start < from || start + unit.bytes() > until {
                self.complete_unit(when, address as u32, cause, meter);
            }
            if self.buffered {
                // The stripe that this unit goes to takes the room of the one so many before.
                let gate = self.bench.stripes.oldest();
                let at = self.bench.time_of(gate);
                if at > waits.0 {
                    waits = (at, gate);
                }
            }
            let mut at = At { bench: &mut self.bench, handle, when, meter };
            self.ftl.write(address as u32, handle, cause, &mut at);
            let (block, next) = self.ftl.frontier(handle);
            if block != u32::MAX {
                self.bench.recent[handle].is_in(block, next / self.geometry.stripe_units);
            }
        }
        if !self.buffered {
            let mut at = At { bench: &mut self.bench, handle, when, meter };
            let padded = self.ftl.pad(handle, cause, &mut at);
            waits = at.bench.latest;
            if padded > 0 {
                self.ftl.collect(padded, &mut at);
            }
        }
        if idle && self.ftl.bursting() {
            self.due = now;
        }
        self.write_map(when, (unit.holding(until) - unit.of(from)) as u32, meter);
        waits.1
    }

    /// Gives up all units that lie whole within bytes `from..until`.
    pub fn trim(&mut self, (from, until): (u64, u64)) {
        let unit = self.bench.unit;
        let (first, end) = (unit.holding(from), unit.of(until));
        if self.ftl.reset_zones(first as u32, end as u32) {
            return;
        }
        for address in first..end {
            self.ftl.trim(address as u32);
        }
    }

    /// A write that leaves a part of a unit as it is reads that.
    fn complete_unit(&mut self, when: (Nanos, Nanos), address: u32, cause: Cause, meter: &mut Meter<'_>) {
        let Some((block, place)) = self.ftl.locate(address) else { return };
        if self.in_buffer(when.0, block, place) {
            return;
        }
        let (stripe, pages) = (place / self.geometry.stripe_units, self.geometry.unit_pages);
        At { bench: &mut self.bench, handle: 0, when, meter }.sense(stripe, pages, 1, cause);
    }

    /// Whether a place has not been programmed yet.
    fn in_buffer(&self, now: Nanos, block: u32, place: u32) -> bool {
        let (stripes, stripe) = (&self.bench.stripes, place / self.geometry.stripe_units);
        self.bench.recent.iter().any(|recent| match recent.find(block, stripe) {
            Found::Filling => true,
            Found::Issued(before) => {
                let gate = stripes.back(stripes.issued - before);
                gate.is_some_and(|gate| self.bench.time_of(gate) > now)
            }
            Found::Elsewhere => false,
        })
    }

    /// The placement handle of a command that writes from byte `from` on.
    #[inline]
    fn handle(&self, from: u64) -> usize {
        self.placement.iter().rev().find(|place| place.0 <= from).map_or(0, |place| place.1)
    }

    /// Books the energy of all work up to `now`.
    pub fn settle(&mut self, now: Nanos, meter: &mut Meter<'_>) {
        for die in &mut self.bench.dies {
            die.settle(now, meter);
        }
    }

    /// The drive is gone: what is left to do is dropped.
    pub fn stop(&mut self) {
        self.bench.dies.iter_mut().for_each(Die::stop);
    }
}
