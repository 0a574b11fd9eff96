//! A pool: turns a request on its address space into operations on its drives, in their order of
//! dependence.
//!
//! A full-stripe write needs no reads. Any other write of a parity level reads first, per stripe: either
//! the old data and parity (read-modify-write) or the data that stays (reconstruct-write). New data may be
//! written once the old data on the same drive has been read; parity waits for all reads of its stripe.
//!
//! Once a drive has failed, [`losses`] knows where things are, `degraded` computes what is missing from
//! what is left, and `rebuild` restores it. Until then all that costs one branch a stripe.
//!
//! Where drives are divided into chunklets, [`chunklets`] says where a unit is, and `sparing` restores it.

mod canonical;
pub mod chunklets;
mod code;
mod copies;
mod degraded;
mod layout;
pub mod losses;
mod moves;
mod parity_log;
mod rebuild;
pub mod recovery;
mod serving;
mod sparing;
mod write;

pub use layout::{Extent, Layout, Role};
pub use moves::{Moves, NodeMove};

use crate::device::{Drive, DriveOp, DriveOps, NO_OP};
use crate::divisor::Divisor;
use crate::plan::{DevicePlan, MirrorReads, PoolPlan, RaidLevel, RecoveryPlan, SmallWrite, SpareKind};
use crate::power::Cause;
use crate::rng::{Component, KeyedDraws};
use crate::shape::Shape;
use crate::slab::Slab;
use chunklets::{Chunklets, Region};
use losses::Losses;
pub use parity_log::ParityLog;
use rebuild::Rebuild;
pub use rebuild::Workshop;
use sparing::Sparing;
use write::RowUpdate;

/// The part of a request in one stripe: data units `first..=last`, from sector `start` of the first to
/// sector `end` of the last.
#[derive(Clone, Copy, Debug)]
struct Touched {
    stripe: u64,
    first: u64,
    last: u64,
    start: u64,
    end: u64,
}

impl Touched {
    fn units(&self) -> u64 {
        self.last - self.first + 1
    }

    /// Sectors touched within unit `index`: offset and length.
    fn part(&self, index: u64, unit: u64) -> (u64, u64) {
        let from = if index == self.first { self.start } else { 0 };
        let until = if index == self.last { self.end } else { unit };
        (from, until - from)
    }

    /// What of it lies in the units `first..end`, some of which it touches; ends within units stay where they are.
    fn within(&self, (first, end): (u64, u64), unit: u64) -> Self {
        let mut part = *self;
        if part.first < first {
            (part.first, part.start) = (first, 0);
        }
        if part.last >= end {
            (part.last, part.end) = (end - 1, unit);
        }
        part
    }

    /// The smallest run of a unit that covers every touched part: what parity must cover.
    fn hull(&self, unit: u64) -> (u64, u64) {
        if self.units() == 1 { (self.start, self.end - self.start) } else { (0, unit) }
    }
}

/// The host asked for all that is being made.
const ALL: u64 = u64::MAX;

/// What is being split: passed down unchanged.
struct Splitting<'a> {
    host: u32,
    /// What plain operations belong to: a parity update, a rebuild step, or [`NO_OP`].
    row: u32,
    ops: &'a mut DriveOps,
    /// Operations that may start at once.
    ready: &'a mut Vec<u32>,
    /// Most sectors of an operation that the host asked for; what is beyond them is for redundancy.
    asked: u64,
    /// No host asked: data moves between parts of a virtual pool.
    migrates: bool,
    /// A write asked, of a host or of the controller.
    for_write: bool,
    /// Operations made, waiting ones included.
    made: u32,
}

/// Whom the operations of a request to a pool serve.
#[derive(Clone, Copy, Debug)]
pub struct Serves {
    /// Key of the request above: of a host, of the controller or of the volume room.
    pub upper: u32,
    /// Data moves between parts of a virtual pool, on behalf of no request.
    pub migrates: bool,
    /// A write above led to it, whatever its own direction.
    pub for_write: bool,
}

/// What the next operation is done for.
fn cause_of(split: &Splitting<'_>, write: bool) -> Cause {
    match (split.host, split.asked, write) {
        (NO_OP, ..) if split.for_write => Cause::Redundancy, // a log of parity updates
        (NO_OP, ..) => Cause::Rebuild,
        (_, 0, _) => Cause::Redundancy,
        _ if split.migrates => Cause::Migration,
        (_, _, true) => Cause::HostWrite,
        (_, _, false) => Cause::HostRead,
    }
}

/// Sectors join `last`, of which at most `asked` are `cause`, the others redundancy.
fn join_cause(last: &mut DriveOp, sectors: u64, asked: u64, cause: Cause) {
    if last.cause == Cause::Rebuild || (last.cause, cause) == (Cause::Redundancy, Cause::Redundancy) {
        return;
    }
    let own = sectors.min(asked);
    if last.cause == Cause::Redundancy {
        if own > 0 {
            // What was for redundancy alone becomes a part.
            last.redundant = (last.sectors - own) as u32;
            last.cause = cause;
        }
    } else {
        last.redundant += (sectors - own) as u32;
    }
}

/// Drives, their layout, and the parity updates under way.
#[derive(Debug)]
pub struct Pool {
    layout: Layout,
    level: RaidLevel,
    small_write: SmallWrite,
    parity_check_on_read: bool,
    mirror_reads: MirrorReads,
    /// Its drives are SSDs.
    solid: bool,
    first_drive: usize,
    sector_bytes: u64,
    /// The same, to divide by.
    sector: Divisor,
    rows: Slab<RowUpdate>,
    /// Last plain operation of each drive in the request being split (number of the request, key).
    last_plain: Vec<(u64, u32)>,
    /// Copy chosen for each drive in the request being split (number of the request, drive).
    chosen_copy: Vec<(u64, usize)>,
    /// Draws among equally good copies.
    ties: KeyedDraws,
    /// Number of the request being split.
    request: u64,
    recovery: Option<RecoveryPlan>,
    /// Sectors of a drive that the layout uses.
    used_sectors: u64,
    /// Where things are; from the first failure on.
    losses: Option<Box<Losses>>,
    rebuild: Option<Box<Rebuild>>,
    /// Where units are, if drives are divided into chunklets. Layout, level and parity updates are then those of
    /// the region of what is being split.
    chunklets: Option<Box<Chunklets>>,
    /// What is lost of them; from the first failure on.
    sparing: Option<Box<Sparing>>,
    /// A drive has failed, or chunklets move.
    degraded: bool,
    /// The drive to read copies from, where a node serves what is being split.
    preferred: Option<usize>,
    /// Updates of parity that are yet to be made, where small writes are logged.
    log: Option<Box<ParityLog>>,
}

impl Pool {
    /// The pool of `plan`, whose drives are numbered from `first_drive`.
    #[must_use]
    pub fn new(plan: &PoolPlan, seed: u64, first_drive: usize) -> Self {
        let sector_bytes = plan.device.sector_bytes();
        let unit = plan.raid.stripe_unit_bytes / sector_bytes;
        let mut layout = Layout::of(&plan.raid, plan.count, unit);
        if plan.recovery.as_ref().is_some_and(|r| r.sparing == SpareKind::Distributed) {
            layout = layout.with_distributed_spare();
        }
        if let Some(log) = &plan.raid.log {
            layout = layout.with_parity_runs(log.run_stripes);
        }
        let mut pool = Self {
            layout,
            level: plan.raid.level,
            small_write: plan.raid.small_write,
            parity_check_on_read: plan.raid.parity_check_on_read,
            mirror_reads: plan.raid.mirror_reads,
            solid: matches!(plan.device, DevicePlan::Ssd(_)),
            first_drive,
            sector_bytes,
            sector: Divisor::new(sector_bytes),
            rows: Slab::default(),
            last_plain: vec![(0, NO_OP); plan.drives()],
            chosen_copy: vec![(0, 0); plan.drives()],
            ties: KeyedDraws::new(seed, Component::CopyTie, first_drive),
            request: 0,
            recovery: plan.recovery.clone(),
            used_sectors: layout.capacity(plan.device.sectors()) / layout.data_drives(),
            losses: None,
            rebuild: None,
            chunklets: plan.chunklets.as_ref().map(|chunklets| {
                let sparing = plan.recovery.as_ref().map_or(SpareKind::Dedicated, |r| r.sparing);
                let drives = (plan.count, plan.drives() - plan.count, sparing);
                Box::new(Chunklets::new(
                    chunklets,
                    (sector_bytes, plan.device.sectors()),
                    drives,
                    seed,
                    first_drive,
                ))
            }),
            sparing: None,
            degraded: false,
            preferred: None,
            log: None,
        };
        if let Some(chunklets) = &pool.chunklets {
            pool.adopt(chunklets.regions[0]);
        }
        if let (Some(log), Some(recovery)) = (&plan.raid.log, &plan.recovery) {
            let drive = (plan.device.sectors(), sector_bytes);
            let log = ParityLog::new(log, &recovery.rebuild, &pool.layout, drive);
            pool.used_sectors = log.data_stripes() * unit;
            pool.log = Some(Box::new(log));
        }
        pool
    }

    /// Makes the region of `sector` the current one; returns where it begins and ends.
    fn enter(&mut self, sector: u64) -> (u64, u64) {
        let Some(chunklets) = &mut self.chunklets else { return (0, u64::MAX) };
        let before = chunklets.current;
        let region = chunklets.enter(sector);
        if chunklets.current != before {
            self.adopt(region);
        }
        (region.first, region.end)
    }

    fn adopt(&mut self, region: Region) {
        self.layout = region.layout;
        self.level = region.plan.raid.level;
        self.small_write = region.plan.raid.small_write;
        self.parity_check_on_read = region.plan.raid.parity_check_on_read;
        self.mirror_reads = region.plan.raid.mirror_reads;
    }

    /// Whether drives may be replaced, or are divided, see [`Shape::MANAGED`].
    #[must_use]
    pub fn is_managed(&self) -> bool {
        self.recovery.is_some() || self.chunklets.is_some()
    }

    /// Number of its first drive in the system.
    #[must_use]
    pub fn first_drive(&self) -> usize {
        self.first_drive
    }

    /// Usable bytes over drives of `drive_sectors`.
    #[must_use]
    pub fn capacity_bytes(&self, drive_sectors: u64) -> u64 {
        let logged = |log: &ParityLog| log.data_stripes() * self.layout.unit() * self.layout.data_drives();
        let whole = || self.log.as_deref().map_or_else(|| self.layout.capacity(drive_sectors), logged);
        self.chunklets.as_ref().map_or_else(whole, |chunklets| chunklets.capacity()) * self.sector_bytes
    }

    /// Splits `size` bytes at `offset` of the pool (rounded out to sectors) into drive operations: those
    /// that may start at once go to `ready`. Returns how many there are in all.
    pub fn submit<S: Shape>(
        &mut self,
        (offset, size, write): (u64, u64, bool),
        Serves { upper: host, migrates, for_write }: Serves,
        drives: &[Drive],
        ops: &mut DriveOps,
        ready: &mut Vec<u32>,
    ) -> u32 {
        self.request += 1;
        let mut split = Splitting { host, row: NO_OP, ops, ready, asked: ALL, migrates, for_write, made: 0 };
        let mut sector = self.sector.quotient(offset);
        let end = self.sector.quotient(offset + size + self.sector_bytes - 1);
        while sector < end {
            let chunked = S::MANAGED && self.chunklets.is_some();
            let (first, until) = if chunked { self.enter(sector) } else { (0, end) };
            let touched = self.touch(sector - first, end.min(until) - first);
            sector += self.sectors_of(&touched);
            let degraded = S::MANAGED && self.degraded;
            if degraded && self.waits_for_log(&touched, write) {
                self.submit_later(&touched, write, drives, &mut split);
                continue;
            }
            match (write, degraded) {
                (true, false) => self.write(&touched, &mut split),
                (false, false) => self.read(&touched, drives, &mut split),
                (true, true) => self.write_degraded(&touched, &mut split),
                (false, true) => self.read_degraded(&touched, drives, &mut split),
            }
        }
        split.made
    }

    /// Splits what must wait for the log, and makes it wait.
    #[cold]
    fn submit_later(&mut self, t: &Touched, write: bool, drives: &[Drive], split: &mut Splitting<'_>) {
        self.request += 1; // nothing of it joins what need not wait
        let from = split.ready.len();
        if write {
            self.write_degraded(t, split)
        } else {
            self.read_degraded(t, drives, split)
        }
        let waiting = split.ready.drain(from..);
        if let Some(log) = &mut self.log {
            log.stall(t.stripe, waiting);
        }
        self.request += 1;
    }

    /// Whether trims reach the drives: they are SSDs, and they are not divided into chunklets, and there is no parity that
    /// covers what they give up.
    #[must_use]
    pub fn passes_trims(&self) -> bool {
        let plain = self.solid && self.chunklets.is_none();
        plain && matches!(self.level, RaidLevel::Raid0 | RaidLevel::Raid1 | RaidLevel::Raid10)
    }

    /// Passes on that `size` bytes at `offset` (whole sectors within) hold no data any more, as operations for `host` like
    /// those of [`Self::submit`]; none where [`Self::passes_trims`] says no, or while a drive is lost.
    #[cold]
    pub fn trim(
        &mut self,
        (offset, size): (u64, u64),
        host: u32,
        ops: &mut DriveOps,
        ready: &mut Vec<u32>,
    ) -> u32 {
        let mut made = 0;
        let mut sector = offset.div_ceil(self.sector_bytes);
        let end = (offset + size) / self.sector_bytes;
        if !self.passes_trims() || self.degraded || self.losses.is_some() {
            return made;
        }
        self.request += 1;
        while sector < end {
            let touched = self.touch(sector, end);
            sector += self.sectors_of(&touched);
            for index in touched.first..=touched.last {
                let (lbn, sectors) = self.data_part(&touched, index);
                for drive in self.layout.copies(self.layout.data_drive(touched.stripe, index) as usize) {
                    // Runs on a drive are one command, as those of reads and writes are.
                    let (request, key) = self.last_plain[drive];
                    if request == self.request {
                        let last = ops.get_mut(key);
                        if last.lbn + last.sectors == lbn {
                            last.sectors += sectors;
                            continue;
                        }
                    }
                    let key = ops.insert(DriveOp {
                        lbn,
                        sectors,
                        redundant: 0,
                        cause: Cause::HostWrite,
                        arrived: 0,
                        drive: (self.first_drive + drive) as u32,
                        host,
                        row: NO_OP,
                        then: NO_OP,
                        write: false,
                        trim: true,
                        for_write: false,
                    });
                    self.last_plain[drive] = (self.request, key);
                    ready.push(key);
                    made += 1;
                }
            }
        }
        made
    }

    /// The part of `sector..end` in the stripe of `sector`.
    #[inline]
    fn touch(&self, sector: u64, end: u64) -> Touched {
        let unit = self.layout.unit();
        let (stripe, first, start) = self.layout.locate(sector);
        if end - sector <= unit - start {
            return Touched { stripe, first, last: first, start, end: start + (end - sector) };
        }
        let left_in_stripe = (self.layout.data_drives() - first).saturating_mul(unit) - start;
        let sectors = (end - sector).min(left_in_stripe);
        let (_, last, last_offset) = self.layout.locate(sector + sectors - 1);
        Touched { stripe, first, last, start, end: last_offset + 1 }
    }

    fn sectors_of(&self, t: &Touched) -> u64 {
        if t.first == t.last {
            return t.end - t.start;
        }
        (t.first..=t.last).map(|i| t.part(i, self.layout.unit()).1).sum()
    }

    #[inline]
    fn read(&mut self, t: &Touched, drives: &[Drive], split: &mut Splitting<'_>) {
        for index in t.first..=t.last {
            let (lbn, sectors) = self.data_part(t, index);
            let mut drive = self.layout.data_drive(t.stripe, index) as usize;
            if matches!(self.level, RaidLevel::Raid1 | RaidLevel::Raid10) {
                drive = self.choose_copy(drive, lbn, drives);
            }
            self.plain(Extent { drive, lbn, sectors }, false, split);
        }
        if self.parity_check_on_read {
            split.asked = 0;
            for number in self.layout.code().covering(t.first, t.last) {
                let extent = self.parity_extent(t, number);
                self.plain(extent, false, split);
            }
            split.asked = ALL;
        }
    }

    #[inline]
    fn data_part(&self, t: &Touched, index: u64) -> (u64, u64) {
        let (from, sectors) = t.part(index, self.layout.unit());
        (self.layout.stripe_lbn(t.stripe) + from, sectors)
    }

    #[inline]
    fn data_extent(&self, t: &Touched, index: u64) -> Extent {
        let (lbn, sectors) = self.data_part(t, index);
        Extent { drive: self.layout.data_drive(t.stripe, index) as usize, lbn, sectors }
    }

    /// The part of parity unit `number` that covers what is touched: offset and length.
    #[inline]
    fn parity_part(&self, t: &Touched, number: usize) -> (u64, u64) {
        let (code, unit) = (self.layout.code(), self.layout.unit());
        if code.is_local(number) { t.within(code.members(number), unit).hull(unit) } else { t.hull(unit) }
    }

    /// The same, at home.
    #[inline]
    fn parity_extent(&self, t: &Touched, number: usize) -> Extent {
        let (from, sectors) = self.parity_part(t, number);
        let drive = self.layout.parity_drive(t.stripe, number) as usize;
        Extent { drive, lbn: self.layout.stripe_lbn(t.stripe) + from, sectors }
    }

    /// `extent` on its drive, where its drive is a column.
    #[inline]
    fn on_drive(&self, extent: Extent) -> Extent {
        match &self.chunklets {
            None => extent,
            Some(chunklets) => self.physical(chunklets, extent),
        }
    }

    /// An operation that nothing depends on; runs that continue the drive's last one are joined to it.
    #[inline]
    fn plain(&mut self, extent: Extent, write: bool, split: &mut Splitting<'_>) {
        let extent = self.on_drive(extent);
        let (request, key) = self.last_plain[extent.drive];
        if request == self.request {
            let last = split.ops.get_mut(key);
            if last.write == write && last.lbn + last.sectors == extent.lbn {
                last.sectors += extent.sectors;
                let cause = cause_of(split, write);
                join_cause(split.ops.get_mut(key), extent.sectors, split.asked, cause);
                return;
            }
        }
        let key = self.make_at(extent, write, (split.row, NO_OP), split);
        self.last_plain[extent.drive] = (self.request, key);
        split.ready.push(key);
    }

    #[inline]
    fn make(&self, extent: Extent, write: bool, row: u32, then: u32, split: &mut Splitting<'_>) -> u32 {
        self.make_at(self.on_drive(extent), write, (row, then), split)
    }

    /// An operation on sectors of a drive.
    #[inline]
    fn make_at(
        &self,
        extent: Extent,
        write: bool,
        (row, then): (u32, u32),
        split: &mut Splitting<'_>,
    ) -> u32 {
        split.made += 1;
        split.ops.insert(DriveOp {
            lbn: extent.lbn,
            sectors: extent.sectors,
            redundant: if split.asked == 0 { 0 } else { extent.sectors.saturating_sub(split.asked) as u32 },
            cause: cause_of(split, write),
            arrived: 0,
            drive: (self.first_drive + extent.drive) as u32,
            host: split.host,
            row,
            then,
            write,
            trim: false,
            for_write: split.for_write,
        })
    }
}
