//! Parity logging: a small write reads old data and writes new data; how parity changes is kept in a buffer of the
//! controller, then in a log, and parity is updated later, much of it at once (Stodolsky, Gibson and Holland, Parity
//! Logging: Overcoming the Small Write Problem in Redundant Disk Arrays, ISCA 1993).
//!
//! The stripes of a pool are divided into regions of consecutive ones. Each has a log of two halves and two buffers. A
//! full buffer is written at the end of the half in use, in full stripes of the pool's own code, so that what the pool
//! survives the log survives, too. A full half is reintegrated ([`work`]) while the other is used. A write that finds no
//! room waits: its operations are made, and held.
//!
//! Full stripes and writes of most of a stripe make parity anew: what is logged of it is superseded.
//!
//! When a drive fails, buffers are written out and all logs reintegrated, before the rebuild; until then what needs the
//! parity of a stripe with logged updates waits. From then on parity is updated in place.

mod regions;
mod work;

use super::write::RowUpdate;
use super::{Layout, Pool, Splitting, Touched};
use crate::clock::Nanos;
use crate::device::NO_OP;
use crate::plan::{ParityLogPlan, RebuildPlan};
use crate::slab::Slab;
use regions::{Dirty, Held, Region};
use std::collections::VecDeque;
use work::{Step, Sweep};

/// What became of logged updates, over the whole run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Updates: small writes, by stripe.
    pub updates: u64,
    /// Sectors of them.
    pub update_sectors: u64,
    /// Buffers written to a log.
    pub log_writes: u64,
    /// Halves of logs reintegrated, and the updates in them.
    pub reintegrations: u64,
    /// Of the updates, those in logs that were reintegrated.
    pub reintegrated_updates: u64,
    /// Their sectors.
    pub reintegrated_sectors: u64,
    /// Sectors of parity that reintegrations read, and wrote: from the first to the last stale unit of a run.
    pub parity_sectors: u64,
    /// Times that a parity unit became stale: half a log got its first update of it.
    pub stale_units: u64,
    /// Of these, those that a reintegration read and wrote.
    pub updated_units: u64,
    /// Of these, those that a write made anew before.
    pub superseded_units: u64,
    /// Writes, and requests in a degraded array, that waited for a log.
    pub waits: u64,
    /// Time that they waited.
    pub wait_ns: Nanos,
}

/// The log of a pool.
#[derive(Debug)]
pub struct ParityLog {
    /// The time, as last told.
    pub(super) now: Nanos,
    /// First stripe of the logs.
    first_stripe: u64,
    region_stripes: u64,
    /// Stripes with their parity on the same drives.
    run_stripes: u64,
    buffer_stripes: u64,
    /// Sectors of updates in a buffer.
    buffer_sectors: u64,
    /// Buffers in half a log.
    half_buffers: u64,
    /// Stale parity units, by half of the logs.
    dirty: [Dirty; 2],
    regions: Vec<Region>,
    /// Buffers that may be written.
    full: VecDeque<u32>,
    /// Halves that wait for their reintegration: region, half.
    queue: VecDeque<(usize, usize)>,
    sweep: Option<Sweep>,
    steps: Slab<Step>,
    outstanding: u32,
    step_stripes: u64,
    /// Nanoseconds a sector at least.
    pace: f64,
    alarm: Option<Nanos>,
    /// A drive has failed: what is logged is reintegrated, and no more is.
    closing: bool,
    /// There is something to do.
    pub(super) wants: bool,
    /// What was done.
    pub counts: Counts,
}

impl ParityLog {
    /// The log of `plan` over drives of so many sectors, reintegrated at the pace of a rebuild.
    pub(super) fn new(
        plan: &ParityLogPlan,
        pace: &RebuildPlan,
        layout: &Layout,
        (drive_sectors, sector_bytes): (u64, u64),
    ) -> Self {
        let (data, unit) = (layout.data_drives(), layout.unit());
        let unit_bytes = unit * sector_bytes;
        let buffer_stripes = plan.buffer_stripes(data, unit_bytes);
        let first_stripe = drive_sectors / unit - plan.drive_bytes / unit_bytes;
        let bits = first_stripe * layout.parity_units() as u64;
        Self {
            now: 0,
            first_stripe,
            region_stripes: first_stripe.div_ceil(plan.regions).next_multiple_of(plan.run_stripes),
            run_stripes: plan.run_stripes,
            buffer_stripes,
            buffer_sectors: buffer_stripes * data * unit,
            half_buffers: plan.half_buffers(data, unit_bytes),
            dirty: [Dirty::new(bits), Dirty::new(bits)],
            regions: (0..plan.regions).map(|_| Region::default()).collect(),
            full: VecDeque::new(),
            queue: VecDeque::new(),
            sweep: None,
            steps: Slab::default(),
            outstanding: pace.outstanding,
            step_stripes: pace.step_bytes.div_ceil(unit_bytes),
            pace: pace.rate_bytes_per_s.map_or(0.0, |rate| sector_bytes as f64 * 1e9 / rate),
            alarm: None,
            closing: false,
            wants: false,
            counts: Counts::default(),
        }
    }

    /// Stripes of data, below those of the logs.
    pub(super) fn data_stripes(&self) -> u64 {
        self.first_stripe
    }

    /// Parity units with updates in logs or buffers; one that both halves of a log have counts twice.
    #[must_use]
    pub fn pending_units(&self) -> u64 {
        self.dirty.iter().map(|dirty| dirty.count).sum()
    }

    /// Log writes and steps of the reintegration under way.
    #[must_use]
    pub fn steps_under_way(&self) -> usize {
        self.steps.len()
    }

    /// Sectors of a buffer.
    #[must_use]
    pub fn buffer_sectors(&self) -> u64 {
        self.buffer_sectors
    }

    fn region_of(&self, stripe: u64) -> usize {
        (stripe / self.region_stripes) as usize
    }

    /// Whether updates of a stripe's parity are logged and not yet done.
    pub(super) fn is_stale(&self, stripe: u64, units: u64) -> bool {
        let bits = stripe * units..(stripe + 1) * units;
        self.dirty.iter().any(|dirty| bits.clone().any(|bit| dirty.has(bit)))
    }

    /// Parity unit `number` of a stripe is made anew.
    fn supersede(&mut self, bit: u64) {
        for dirty in &mut self.dirty {
            self.counts.superseded_units += u64::from(dirty.clear(bit));
        }
    }

    /// Operations wait until nothing of a region is logged any more.
    pub(super) fn stall(&mut self, stripe: u64, operations: impl Iterator<Item = u32>) {
        let region = self.region_of(stripe);
        let before = self.regions[region].stalled.len();
        self.regions[region].stalled.extend(operations);
        if self.regions[region].stalled.len() > before {
            self.regions[region].stalls.push(self.now);
            self.counts.waits += 1;
        }
    }
}

impl Pool {
    /// Writes a part of a stripe and logs how its parity changes: reads old data, writes new. Where there is no room, all
    /// of that waits.
    #[inline(never)]
    pub(super) fn write_logged(&mut self, t: &Touched, split: &mut Splitting<'_>) {
        let row = self.rows.insert(RowUpdate::for_log(t.units() as u32));
        let from = split.ready.len();
        for index in t.first..=t.last {
            let extent = self.data_extent(t, index);
            let write = self.make(extent, true, NO_OP, NO_OP, split);
            self.pre_read(extent, row, write, split);
        }
        let numbers = self.layout.code().covering(t.first, t.last);
        let sectors = numbers.map(|number| self.parity_part(t, number).1).sum();
        let Some(mut log) = self.log.take() else { return };
        let region = log.region_of(t.stripe);
        let waits = !log.regions[region].held.is_empty();
        let held = Held { row, sectors, touched: *t, since: log.now, operations: 0 };
        if waits || !self.enter_log(&mut log, region, &held) {
            let operations = split.ready.len() - from;
            let of_region = &mut log.regions[region];
            of_region.held.push_back(Held { operations, ..held });
            of_region.held_operations.extend(split.ready.drain(from..));
            log.counts.waits += 1;
        }
        self.log = Some(log);
    }

    /// An update takes its place in a buffer; returns whether there was room.
    fn enter_log(&mut self, log: &mut ParityLog, region: usize, held: &Held) -> bool {
        let Some((buffer, half)) = log.reserve(region, held.sectors) else { return false };
        self.rows.get_mut(held.row).enter_buffer(buffer);
        let units = self.layout.parity_units() as u64;
        for number in self.layout.code().covering(held.touched.first, held.touched.last) {
            let bit = held.touched.stripe * units + number as u64;
            log.counts.stale_units += u64::from(log.dirty[half].set(bit));
        }
        true
    }

    /// Parity of what is touched is made anew, as far as that covers whole units: logged updates of it are void.
    #[inline(never)]
    pub(super) fn supersede(&mut self, t: &Touched) {
        let Some(mut log) = self.log.take() else { return };
        let (units, unit) = (self.layout.parity_units() as u64, self.layout.unit());
        for number in self.layout.code().covering(t.first, t.last) {
            if self.parity_part(t, number) == (0, unit) {
                log.supersede(t.stripe * units + number as u64);
            }
        }
        self.log = Some(log);
    }

    /// Tells the log the time.
    #[inline]
    pub fn tell_log(&mut self, now: Nanos) {
        if let Some(log) = &mut self.log {
            log.now = now;
        }
    }

    /// Whether [`Self::rebuild`] has something to do for the log.
    #[must_use]
    #[inline]
    pub fn log_wants(&self) -> bool {
        self.log.as_ref().is_some_and(|log| log.wants)
    }

    /// The log of parity updates, where there is one.
    #[must_use]
    pub fn parity_log(&self) -> Option<&ParityLog> {
        self.log.as_deref()
    }

    /// Whether what is touched must wait until the parity of its stripe is true again, in a degraded pool.
    pub(super) fn waits_for_log(&self, t: &Touched, write: bool) -> bool {
        let units = self.layout.parity_units() as u64;
        self.log.as_ref().is_some_and(|log| {
            log.is_stale(t.stripe, units)
                && (write || (t.first..=t.last).any(|index| !self.has_data(t.stripe, index)))
        })
    }
}
