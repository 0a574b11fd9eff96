//! Flash: the translation layer's work on dies and channels, and how long commands take by it.
//!
//! Times are reserved in closed form: a die has work for later and reads that come before it ([`super::die`]); a channel,
//! and the link to the host, serve what is ready first come first served without idling while something is reserved.
//! Transfers of programs belong to the die's work (with all dies of a channel at work, their sum is what the channel
//! carries) and do not hold up those of reads.

use super::buffered::{Buffered, Gate};
use super::die::{Die, Interrupts, Job};
use super::ftl::{Ftl, Geometry, Work};
use super::meter::Meter;
use super::steady::{Initial, Share};
use crate::clock::{Nanos, nanos, whole};
use crate::grain::Grain;
use crate::plan::{FlashInitialPlan, FlashPlan, GcPolicy, SsdPlan};
use crate::power::{Cause, FlashOperation};
use crate::rng::Stream;

/// What became of a read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOut {
    /// When the last of it has come over its channel; the present where nothing had to.
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
}

/// Dies and channels with the times and energies of what they do.
#[derive(Debug)]
struct Bench {
    dies: Vec<Die>,
    channels: Vec<Nanos>,
    stripes: Buffered,
    /// All that is given will be done by then.
    until: Nanos,
    /// The stripe of the present command that is done last, and when.
    latest: (Nanos, Gate),
    interrupts: Interrupts,
    dies_per_channel: u64,
    read: Nanos,
    /// A stripe's transfer included.
    program: Nanos,
    erase: Nanos,
    /// Nanoseconds of a byte on a channel.
    byte: f64,
    unit: Grain,
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
    /// The present, and when the data are there.
    when: (Nanos, Nanos),
    meter: &'a mut Meter<'m>,
}

impl Work for At<'_, '_> {
    #[inline]
    fn program(&mut self, die: u32, of_host: bool, cause: Cause) {
        let bench = &mut *self.bench;
        let job = Job { operation: FlashOperation::Program, cause, joules: bench.program_j };
        let gate = bench.give(die, self.when, bench.program, job, self.meter);
        bench.counts.programs += 1;
        if of_host {
            bench.stripes.push(gate);
            let at = bench.time_of(gate);
            if at > bench.latest.0 {
                bench.latest = (at, gate);
            }
        }
    }

    fn sense(&mut self, die: u32, pages: u32, units: u32, cause: Cause) {
        let bytes = self.bench.unit.bytes() * u64::from(units);
        let takes = self.bench.with_transfer(self.bench.read, bytes);
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
    /// Superblocks that the host's frontier was in last, and the number of the stripe that each began with.
    recent: [(u32, u64); 2],
}

impl Flash {
    /// The flash of `drive` as it is at the start.
    #[must_use]
    pub fn new(drive: &SsdPlan, plan: &FlashPlan, random: &mut Stream) -> Self {
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
        let slots = (plan.buffer_bytes / plan.stripe_bytes()).max(1) as usize;
        let interrupts = plan.suspend.map_or(Interrupts { program: false, erase: false, latency: 0 }, |s| {
            Interrupts { program: s.program, erase: s.erase, latency: nanos(s.latency_s) }
        });
        let mut bench = Bench {
            dies: vec![Die::default(); geometry.dies as usize],
            channels: vec![0; plan.channels as usize],
            stripes: Buffered::new(slots),
            until: 0,
            latest: (0, Gate::default()),
            interrupts,
            dies_per_channel: u64::from(plan.dies_per_channel),
            read: nanos(plan.read_s).max(1),
            program: nanos(plan.program_s).max(1),
            erase: nanos(plan.erase_s).max(1),
            byte: 1e9 / plan.channel_bytes_per_s,
            unit: Grain::new(unit_bytes),
            read_j: plan.energy.read_j,
            program_j: f64::from(plan.planes) * plan.energy.program_j,
            erase_j: f64::from(plan.planes) * plan.energy.erase_j,
            counts: FlashCounts::default(),
        };
        bench.program = bench.with_transfer(bench.program, unit_bytes * u64::from(geometry.stripe_units));
        let ftl = Ftl::new(geometry, plan.gc, plan.wear_levelling, initial, live);
        Self { ftl, bench, geometry, buffered, recent: [(u32::MAX, 0); 2] }
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
                    if let Some((_, stripe, _, pages, units)) = open.take() {
                        self.sense((now, ready), stripe, (pages, units), &mut out, meter);
                    }
                    open = Some((block, stripe, page, pages, 1));
                }
            }
        }
        if let Some((_, stripe, _, pages, units)) = open {
            self.sense((now, ready), stripe, (pages, units), &mut out, meter);
        }
        out
    }

    fn sense(
        &mut self,
        (now, ready): (Nanos, Nanos),
        stripe: u32,
        (pages, units): (u32, u32),
        out: &mut ReadOut,
        meter: &mut Meter<'_>,
    ) {
        let bench = &mut self.bench;
        let die_index = stripe % self.geometry.dies;
        let die = &mut bench.dies[die_index as usize];
        let (sensed, interrupted) = die.read(ready, bench.read, &bench.interrupts, meter);
        bench.until = bench.until.max(die.free_at());
        let channels = bench.channels.len() as u32;
        let channel = &mut bench.channels[(die_index % channels) as usize];
        let transfer = whole(f64::from(units) * bench.unit.bytes() as f64 * bench.byte);
        out.done = out.done.max(sensed.max(*channel) + transfer);
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
            let mut at = At { bench: &mut self.bench, when, meter };
            self.ftl.write(address as u32, cause, &mut at);
            let (block, next) = self.ftl.frontier();
            if block != self.recent[0].0 && block != u32::MAX {
                let begun = self.bench.stripes.issued - u64::from(next / self.geometry.stripe_units);
                self.recent = [(block, begun), self.recent[0]];
            }
        }
        if !self.buffered {
            let mut at = At { bench: &mut self.bench, when, meter };
            let padded = self.ftl.pad(cause, &mut at);
            waits = at.bench.latest;
            if padded > 0 {
                self.ftl.collect(padded, &mut at);
            }
        }
        waits.1
    }

    /// Gives up all units that lie whole within bytes `from..until`.
    pub fn trim(&mut self, (from, until): (u64, u64)) {
        let unit = self.bench.unit;
        for address in unit.holding(from)..unit.of(until) {
            self.ftl.trim(address as u32);
        }
    }

    /// A write that leaves a part of a unit as it is reads that.
    fn complete_unit(&mut self, when: (Nanos, Nanos), address: u32, cause: Cause, meter: &mut Meter<'_>) {
        let Some((block, place)) = self.ftl.locate(address) else { return };
        if self.in_buffer(when.0, block, place) {
            return;
        }
        let (die, pages) = (self.geometry.die(place), self.geometry.unit_pages);
        At { bench: &mut self.bench, when, meter }.sense(die, pages, 1, cause);
    }

    /// Whether a place has not been programmed yet.
    fn in_buffer(&self, now: Nanos, block: u32, place: u32) -> bool {
        let stripes = &self.bench.stripes;
        self.recent.iter().filter(|r| r.0 == block).any(|&(_, begun)| {
            let number = begun + u64::from(place / self.geometry.stripe_units);
            if number >= stripes.issued {
                return true; // the stripe that is being filled
            }
            stripes.back(stripes.issued - number).is_some_and(|gate| self.bench.time_of(gate) > now)
        })
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
