//! The background work of a log: buffers are written, and full halves of logs reintegrated one at a time, in steps as a
//! rebuild makes them. A reintegration reads the log, then the stale parity units of the region in order, and writes them.

use super::super::{Extent, Pool, Splitting, Touched, Workshop};
use super::ParityLog;
use super::regions::{Buffer, Half};
use crate::clock::Nanos;
use crate::device::{DriveOp, NO_OP};

/// Operations that belong together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    /// A buffer that is written; else it is of the reintegration.
    buffer: Option<u32>,
    first: u64,
    stripes: u64,
    writing: bool,
    ops_left: u32,
    /// An operation was lost with its drive.
    spoiled: bool,
}

/// The reintegration under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep {
    region: usize,
    half: usize,
    /// The log is read; else parity is updated.
    reading: bool,
    /// The next stripe, and one past the last.
    next: u64,
    end: u64,
    next_at: Nanos,
    under_way: u32,
}

impl ParityLog {
    /// A drive fails: buffers are written as they are, and all that is logged is reintegrated.
    pub(in super::super) fn close(&mut self) {
        self.closing = true;
        self.wants = true;
        for region in 0..self.regions.len() {
            self.seal(region);
            (0..2).for_each(|half| self.queue_if_due(region, half));
        }
    }

    /// Whether a rebuild finds parity as it should be.
    pub(in super::super) fn lets_rebuild(&self) -> bool {
        !self.closing || self.regions.iter().all(|region| region.is_clean())
    }

    fn queue_if_due(&mut self, region: usize, half: usize) {
        let due = &mut self.regions[region].halves[half];
        let full = due.taken == self.half_buffers || (self.closing && due.taken > 0);
        if full && due.written == due.taken && !due.closed {
            due.closed = true;
            self.queue.push_back((region, half));
        }
    }

    fn wake_at(&mut self, at: Nanos) -> Option<Nanos> {
        (self.alarm != Some(at)).then(|| {
            self.alarm = Some(at);
            at
        })
    }
}

impl Pool {
    /// Goes on with the log as far as window and rate allow. Returns when to ask again, if at all.
    pub(in super::super) fn work_on_log(&mut self, shop: &mut Workshop<'_>) -> Option<Nanos> {
        let mut log = self.log.take()?;
        log.wants = false;
        while let Some(buffer) = log.full.pop_front() {
            self.write_buffer(&mut log, buffer, shop);
        }
        let wake = self.reintegrate(&mut log, shop);
        self.log = Some(log);
        wake
    }

    /// An operation of the log is done, or was dropped because its drive had failed.
    pub(in super::super) fn log_op_done(&mut self, op: &DriveOp, dropped: bool, shop: &mut Workshop<'_>) {
        let Some(mut log) = self.log.take() else { return };
        let step = log.steps.get_mut(op.row);
        step.ops_left -= 1;
        step.spoiled |= dropped && !op.write;
        if step.ops_left == 0 {
            self.end_phase(&mut log, op.row, shop);
        }
        self.log = Some(log);
    }

    fn end_phase(&mut self, log: &mut ParityLog, key: u32, shop: &mut Workshop<'_>) {
        let step = log.steps.get(key);
        if let Some(buffer) = step.buffer {
            log.steps.remove(key);
            self.buffer_written(log, buffer, shop);
            return;
        }
        let Some(sweep) = log.sweep else { return };
        let again = step.spoiled;
        let writes = !again && !sweep.reading && !step.writing;
        if again || writes {
            *log.steps.get_mut(key) = Step { spoiled: false, writing: writes, ops_left: 0, ..step };
            let (made, _) = self.make_step(log, key, &sweep, shop);
            log.steps.get_mut(key).ops_left = made;
            if made > 0 {
                return;
            }
        }
        self.finish_step(log, key);
    }

    /// A step of the reintegration is done.
    fn finish_step(&mut self, log: &mut ParityLog, key: u32) {
        let step = log.steps.remove(key);
        let Some(sweep) = &mut log.sweep else { return };
        sweep.under_way -= 1;
        if sweep.reading {
            return;
        }
        let units = self.layout.parity_units() as u64;
        let dirty = &mut log.dirty[sweep.half];
        for bit in step.first * units..(step.first + step.stripes) * units {
            log.counts.updated_units += u64::from(dirty.clear(bit));
        }
    }

    /// Begins steps of the reintegration.
    fn reintegrate(&mut self, log: &mut ParityLog, shop: &mut Workshop<'_>) -> Option<Nanos> {
        let units = self.layout.parity_units() as u64;
        loop {
            let Some(mut sweep) = log.sweep else {
                let (region, half) = log.queue.pop_front()?;
                let taken = log.regions[region].halves[half].taken;
                let next = log.stripe_of(region, half, 0);
                let end = next + taken * log.buffer_stripes;
                let next_at = shop.now;
                log.sweep = Some(Sweep { region, half, reading: true, next, end, next_at, under_way: 0 });
                continue;
            };
            if !sweep.reading {
                let bits = (sweep.next * units, sweep.end * units);
                sweep.next = log.dirty[sweep.half].next(bits.0, bits.1).map_or(sweep.end, |bit| bit / units);
            }
            if sweep.next == sweep.end {
                log.sweep = Some(sweep);
                if sweep.under_way > 0 {
                    return None;
                }
                if sweep.reading {
                    let first = sweep.region as u64 * log.region_stripes;
                    let end = (first + log.region_stripes).min(log.first_stripe);
                    log.sweep = Some(Sweep { reading: false, next: first.min(end), end, ..sweep });
                } else {
                    log.sweep = None;
                    self.end_sweep(log, sweep.region, sweep.half, shop);
                }
                continue;
            }
            if sweep.under_way == log.outstanding {
                log.sweep = Some(sweep);
                return None;
            }
            if sweep.next_at > shop.now {
                log.sweep = Some(sweep);
                return log.wake_at(sweep.next_at);
            }
            let of_run = log.run_stripes - sweep.next % log.run_stripes;
            let most = if sweep.reading { log.step_stripes } else { of_run };
            let stripes = most.min(sweep.end - sweep.next);
            let step = Step { first: sweep.next, stripes, ..Step::default() };
            let key = log.steps.insert(step);
            sweep.next += stripes;
            sweep.under_way += 1;
            let (made, sectors) = self.make_step(log, key, &sweep, shop);
            log.steps.get_mut(key).ops_left = made;
            log.counts.parity_sectors += if sweep.reading { 0 } else { sectors };
            sweep.next_at = shop.now + (sectors as f64 * log.pace).round() as Nanos;
            log.sweep = Some(sweep);
            if made == 0 {
                self.finish_step(log, key); // all of its parity is on failed drives
            }
        }
    }

    /// Makes the operations of a step's phase; returns how many, and their sectors.
    fn make_step(&mut self, log: &ParityLog, key: u32, sweep: &Sweep, shop: &mut Workshop<'_>) -> (u32, u64) {
        let step = log.steps.get(key);
        self.request += 1;
        let mut split = splitting(key, shop);
        if sweep.reading {
            for stripe in step.first..step.first + step.stripes {
                let whole = self.whole(stripe);
                if self.degraded {
                    self.read_degraded(&whole, &[], &mut split);
                } else {
                    self.read(&whole, &[], &mut split);
                }
            }
            return (split.made, step.stripes * self.layout.data_drives() * self.layout.unit());
        }
        // Of each parity drive of the run, from the first stale unit to the last.
        let (units, mut sectors) = (self.layout.parity_units() as u64, 0);
        for number in 0..units {
            let stale = |&stripe: &u64| log.dirty[sweep.half].has(stripe * units + number);
            let mut stripes = (step.first..step.first + step.stripes).filter(stale);
            let Some(first) = stripes.next() else { continue };
            let last = stripes.next_back().unwrap_or(first);
            if let Some(drive) = self.parity_place(first, number as usize) {
                let lbn = self.layout.stripe_lbn(first);
                let extent = Extent { drive, lbn, sectors: (last - first + 1) * self.layout.unit() };
                self.plain(extent, step.writing, &mut split);
                sectors += extent.sectors;
            }
        }
        (split.made, sectors)
    }

    /// Writes a buffer to its place in the log, in full stripes.
    fn write_buffer(&mut self, log: &mut ParityLog, buffer: u32, shop: &mut Workshop<'_>) {
        let region = buffer as usize / 2;
        let Buffer { half, place, .. } = log.regions[region].buffers[buffer as usize % 2];
        let first = log.stripe_of(region, half, place);
        let key = log.steps.insert(Step { buffer: Some(buffer), writing: true, ..Step::default() });
        self.request += 1;
        let mut split = splitting(key, shop);
        for stripe in first..first + log.buffer_stripes {
            let whole = self.whole(stripe);
            split.asked = 0;
            if self.degraded {
                self.write_degraded(&whole, &mut split);
            } else {
                self.write(&whole, &mut split);
            }
        }
        log.steps.get_mut(key).ops_left = split.made;
        log.counts.log_writes += 1;
    }

    fn buffer_written(&mut self, log: &mut ParityLog, buffer: u32, shop: &mut Workshop<'_>) {
        let region = buffer as usize / 2;
        let written = &mut log.regions[region].buffers[buffer as usize % 2];
        let half = written.half;
        *written = Buffer::default();
        log.regions[region].halves[half].written += 1;
        log.queue_if_due(region, half);
        self.release(log, region, shop);
    }

    /// Half a log is empty again.
    fn end_sweep(&mut self, log: &mut ParityLog, region: usize, half: usize, shop: &mut Workshop<'_>) {
        let Half { updates, sectors, .. } = std::mem::take(&mut log.regions[region].halves[half]);
        log.counts.reintegrations += 1;
        log.counts.reintegrated_updates += updates;
        log.counts.reintegrated_sectors += sectors;
        self.release(log, region, shop);
    }

    /// Lets writes go on for which there is room now, and what waited for a clean region.
    fn release(&mut self, log: &mut ParityLog, region: usize, shop: &mut Workshop<'_>) {
        while let Some(&held) = log.regions[region].held.front() {
            if !self.enter_log(log, region, &held) {
                break;
            }
            let of_region = &mut log.regions[region];
            of_region.held.pop_front();
            shop.ready.extend(of_region.held_operations.drain(..held.operations));
            log.counts.wait_ns += shop.now - held.since;
        }
        if log.closing {
            log.seal(region);
            (0..2).for_each(|half| log.queue_if_due(region, half));
        }
        let of_region = &mut log.regions[region];
        if of_region.is_clean() {
            shop.ready.append(&mut of_region.stalled);
            for since in of_region.stalls.drain(..) {
                log.counts.wait_ns += shop.now - since;
            }
        }
    }

    /// All data of a stripe.
    fn whole(&self, stripe: u64) -> Touched {
        Touched { stripe, first: 0, last: self.layout.data_drives() - 1, start: 0, end: self.layout.unit() }
    }
}

/// Operations of a step: they serve no request, but were made for writes.
fn splitting<'a>(key: u32, shop: &'a mut Workshop<'_>) -> Splitting<'a> {
    Splitting {
        host: NO_OP,
        row: key,
        ops: shop.ops,
        ready: shop.ready,
        asked: 0,
        migrates: false,
        for_write: true,
        made: 0,
    }
}
