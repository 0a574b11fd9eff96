//! MAID, a massive array of idle disks: a cache on drives that always spin, in front of data drives that mostly stand by.
//!
//! After Colarelli and Grunwald, SC 2002. Part 0 is the cache; the others are data drives, one behind the other, which stop by
//! their own power policy. What is read from a data drive is copied to the cache, in lines, the least recently used of which give
//! way. A write goes to its data drive and to the line, if there is one (write-through), or, with `log_writes`, to the cache alone
//! while its drives do not serve at once or have not been read for `log_after_s`; what is dirty goes to the data drives once reads
//! have brought them up, or when too much of the cache is dirty.
//!
//! A copy under way knows the age of its line, which every write raises; what is no longer true when it arrives is dropped. A line's
//! dirty sectors stay dirty until they are on the data drive in the version that was read for it.

mod lines;
#[cfg(test)]
mod tests;

use super::io::{VolumeIo, counting_located};
use super::movement::{MaidTotals, Movement};
use super::sectors::{self, SECTOR};
use super::{Scheme, VolumeRequest};
use crate::plan::{MaidPlan, VirtualPoolPlan};
use crate::slab::Slab;
use crate::time::{Nanos, nanos};
use lines::{Lines, NONE};

/// The cache's part.
const CACHE: usize = 0;
/// When nothing could be moved, how long until the next look.
const PATIENCE: Nanos = 1_000_000_000;

#[derive(Clone, Debug)]
struct Data {
    /// First block of the address space.
    first: u64,
    /// Blocks.
    blocks: u64,
    /// When a read last came for which it was needed.
    read_at: Option<Nanos>,
    /// Its dirty lines are written whether it spins or not.
    drains: bool,
}

/// What is on its way between data drives and cache.
#[derive(Clone, Copy, Debug)]
struct Copying {
    line: u32,
    age: u32,
    sectors: u128,
    part: usize,
    stage: Stage,
    /// Transfers under way.
    left: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A host reads it from the data drive.
    Fetched,
    /// It is written to the cache.
    Filled,
    /// It is read from the cache.
    Lifted,
    /// It is written to the data drive.
    Destaged,
}

/// The scheme.
#[derive(Debug)]
pub struct Maid {
    data: Vec<Data>,
    line_bytes: u64,
    lines: Lines,
    copies: Slab<Copying>,
    /// Destages among them.
    destages: usize,
    log_writes: bool,
    log_after: Nanos,
    destages_at_once: usize,
    /// Dirty lines above which drives are woken to take some.
    full: u32,
    dirty_lines: u32,
    look_at: Nanos,
    totals: MaidTotals,
}

impl Maid {
    /// The scheme of `given` over the parts of `plan`.
    #[must_use]
    pub fn new(plan: &VirtualPoolPlan, given: &MaidPlan) -> Self {
        let line_bytes = given.line_bytes;
        let mut first = 0;
        let data = plan.parts.iter().skip(1).map(|part| {
            let blocks = part.capacity_bytes / line_bytes;
            let data = Data { first, blocks, read_at: None, drains: false };
            first += blocks;
            data
        });
        let data: Vec<Data> = data.collect();
        let lines = plan.parts[CACHE].capacity_bytes / line_bytes;
        let lines = u32::try_from(lines).unwrap_or(NONE - 1).min(NONE - 1);
        Self {
            lines: Lines::new(lines, data.len()),
            data,
            line_bytes,
            copies: Slab::default(),
            destages: 0,
            log_writes: given.log_writes,
            log_after: nanos(given.log_after_s),
            destages_at_once: given.destages_at_once,
            full: (f64::from(lines) * given.log_fill) as u32,
            dirty_lines: 0,
            look_at: 0,
            totals: MaidTotals::default(),
        }
    }

    /// Totals so far.
    fn totals(&self) -> MaidTotals {
        MaidTotals { dirty_bytes_at_end: self.lines.dirty_sectors() * SECTOR, ..self.totals }
    }

    fn data_of(&self, block: u64) -> usize {
        self.data.partition_point(|d| d.first + d.blocks <= block)
    }

    /// Where a data drive's block begins in its part.
    fn place(&self, data: usize, block: u64) -> u64 {
        (block - self.data[data].first) * self.line_bytes
    }

    fn recently_read(&self, data: usize, now: Nanos) -> bool {
        self.data[data].read_at.is_some_and(|at| now - at < self.log_after)
    }

    fn submit_to(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        if request.write {
            self.write(request, io);
        } else {
            self.read(request, io);
        }
        self.destage(io);
    }

    fn read(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let (now, counted) = (io.now(), u64::from(io.counted()));
        let (bytes, mut missed) = (self.line_bytes, 0);
        for block in request.from / bytes..=(request.until - 1) / bytes {
            let wanted = sectors::touched(block, bytes, request.from, request.until);
            let line = self.lines.find(block);
            let valid = line.map_or(0, |line| self.lines.get(line).valid);
            if let Some(line) = line {
                self.lines.used(line);
                found(io, CACHE, clipped(wanted & valid, block * bytes, request), false);
                self.each_piece(wanted & valid, (block, request), u64::from(line) * bytes, |begin, end| {
                    io.transfer(request.key, CACHE, (begin, end), false);
                });
            }
            if wanted & !valid != 0 {
                let data = self.data_of(block);
                if !self.recently_read(data, now) {
                    self.look_at = 0;
                }
                self.data[data].read_at = Some(now);
                let elsewhere = clipped(wanted & !valid, block * bytes, request);
                found(io, data + 1, elsewhere, false);
                missed += elsewhere;
                self.fetch((block, wanted & !valid), line, request, io);
            }
        }
        self.totals.reads += counted;
        self.totals.read_hits += counted * u64::from(missed == 0);
        self.totals.read_bytes += counted * (request.until - request.from);
        self.totals.read_hit_bytes += counted * (request.until - request.from - missed);
    }

    /// Reads sectors of a block from its data drive, to be copied to its line; it gets one if it has none.
    fn fetch(
        &mut self,
        (block, missing): (u64, u128),
        line: Option<u32>,
        request: &VolumeRequest,
        io: &mut impl VolumeIo,
    ) {
        let data = self.data_of(block);
        let place = self.place(data, block);
        let line = line.or_else(|| {
            let (line, evicted) = self.lines.allot(block)?;
            self.evicted(evicted, io);
            Some(line)
        });
        let Some(line) = line else {
            // Every line is dirty: nothing is copied.
            self.each_piece(missing, (block, request), place, |begin, end| {
                io.transfer(request.key, data + 1, (begin, end), false);
            });
            return;
        };
        let age = self.lines.get(line).age;
        let it = Copying { line, age, sectors: missing, part: data, stage: Stage::Fetched, left: 0 };
        let tag = self.copies.insert(it);
        let mut left = 0;
        self.each_piece(missing, (block, request), place, |begin, end| {
            left += 1;
            io.transfer_tagged(request.key, u64::from(tag), data + 1, (begin, end), false);
        });
        self.copies.get_mut(tag).left = left;
    }

    /// Calls `emit` with each run of sectors of a block, cut to what was asked, as bytes from where the block lies at `place`.
    fn each_piece(
        &self,
        mut wanted: u128,
        (block, request): (u64, &VolumeRequest),
        place: u64,
        mut emit: impl FnMut(u64, u64),
    ) {
        let start = block * self.line_bytes;
        while let Some((first, end)) = sectors::first_run(wanted) {
            let begin = request.from.max(start + first * SECTOR) - start;
            let until = request.until.min(start + end * SECTOR) - start;
            emit(place + begin, place + until);
            wanted &= !sectors::run(first, end);
        }
    }

    fn write(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let mut from = request.from;
        while from < request.until {
            let (data, part) = self.on_one_drive(from, request);
            self.write_to(data, &part, io);
            from = part.until;
        }
    }

    /// What of a request from byte `from` on lies on one data drive, and which that is.
    fn on_one_drive(&self, from: u64, request: &VolumeRequest) -> (usize, VolumeRequest) {
        let data = self.data_of(from / self.line_bytes);
        let end = (self.data[data].first + self.data[data].blocks) * self.line_bytes;
        (data, VolumeRequest { from, until: request.until.min(end), ..*request })
    }

    fn write_to(&mut self, data: usize, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let (bytes, counted) = (self.line_bytes, u64::from(io.counted()));
        let serves = io.ready(data + 1) && self.recently_read(data, io.now());
        self.totals.writes += counted;
        let logs = self.log_writes && !serves && self.has_lines(request, io);
        // What goes to both is a write to its home.
        found(io, if logs { CACHE } else { data + 1 }, request.until - request.from, true);
        for block in request.from / bytes..=(request.until - 1) / bytes {
            let Some(line) = self.lines.find(block) else { continue };
            self.lines.used(line);
            let written = sectors::touched(block, bytes, request.from, request.until);
            let it = self.lines.get_mut(line);
            let was_dirty = it.dirty != 0;
            it.valid |= written;
            it.dirty = if logs { it.dirty | written } else { it.dirty & !written };
            it.age = it.age.wrapping_add(1);
            let is_dirty = it.dirty != 0;
            self.dirty_lines = self.dirty_lines + u32::from(is_dirty) - u32::from(was_dirty);
            self.lines.settle(line, data);
            self.each_piece(written, (block, request), u64::from(line) * bytes, |begin, end| {
                io.transfer(request.key, CACHE, (begin, end), true);
            });
        }
        if logs {
            self.totals.logged_writes += counted;
            self.totals.logged_bytes += counted * (request.until - request.from);
            if self.dirty_lines > self.full {
                self.drain(counted);
            }
        } else {
            let start = self.data[data].first * bytes;
            io.transfer(request.key, data + 1, (request.from - start, request.until - start), true);
        }
    }

    /// Whether all blocks of a write have a line, or get one; else none gets one.
    fn has_lines(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) -> bool {
        let bytes = self.line_bytes;
        let blocks = request.from / bytes..=(request.until - 1) / bytes;
        let (mut missing, mut own) = (0, 0);
        for block in blocks.clone() {
            match self.lines.find(block) {
                None => missing += 1,
                Some(line) => own += u64::from(self.lines.may_go(line)),
            }
        }
        if missing + own > u64::from(self.lines.room()) {
            return false;
        }
        // Its own lines become the newest, so that none of them gives way.
        for block in blocks.clone() {
            if let Some(line) = self.lines.find(block) {
                self.lines.used(line);
            }
        }
        for block in blocks {
            if self.lines.find(block).is_none() {
                let Some((_, evicted)) = self.lines.allot(block) else { return false };
                self.evicted(evicted, io);
            }
        }
        true
    }

    /// A line was given to another block; `held` says whether it had one.
    fn evicted(&mut self, held: bool, io: &mut impl VolumeIo) {
        self.totals.evictions += u64::from(held && io.counted());
        if let Some(counts) = io.counts().filter(|_| held) {
            counts.evictions += 1;
        }
    }

    /// Too much of the cache is dirty: the data drive with most dirty lines is to take them.
    fn drain(&mut self, counted: u64) {
        if self.data.iter().enumerate().any(|(d, data)| data.drains && self.lines.dirty(d) > 0) {
            return;
        }
        let most = (0..self.data.len()).max_by_key(|&d| (self.lines.dirty(d), std::cmp::Reverse(d)));
        if let Some(data) = most.filter(|&d| self.lines.dirty(d) > 0) {
            self.data[data].drains = true;
            self.totals.drains += counted;
            self.look_at = 0;
        }
    }

    /// Begins to write dirty lines to data drives that are up, or must take them, while there is room.
    fn destage(&mut self, io: &mut impl VolumeIo) {
        if self.dirty_lines == 0 || io.now() < self.look_at || io.draining() {
            return;
        }
        while self.destages < self.destages_at_once {
            let now = io.now();
            let mut waits = false;
            let found = (0..self.data.len()).find(|&d| {
                let wanted = self.lines.dirty(d) > 0 && (self.data[d].drains || self.recently_read(d, now));
                waits |= wanted;
                wanted && (self.data[d].drains || io.ready(d + 1))
            });
            let Some(data) = found else {
                self.look_at = now + PATIENCE;
                if waits {
                    io.set_alarm(self.look_at);
                }
                return;
            };
            let line = self.lines.oldest_dirty(data);
            self.lines.begin_move(line);
            let it = self.lines.get(line);
            self.destages += 1;
            let tag = self.copies.insert(Copying {
                line,
                age: it.age,
                sectors: it.dirty,
                part: data,
                stage: Stage::Lifted,
                left: 0,
            });
            self.transfer(tag, CACHE, u64::from(line) * self.line_bytes, io);
        }
    }

    /// Opens the transfers of a copy's present stage, whose block lies at `place` of a part.
    fn transfer(&mut self, tag: u32, part: usize, place: u64, io: &mut impl VolumeIo) {
        let it = self.copies.get(tag);
        let (mut wanted, mut left) = (it.sectors, 0);
        let write = matches!(it.stage, Stage::Filled | Stage::Destaged);
        while let Some((first, end)) = sectors::first_run(wanted) {
            io.background(u64::from(tag), part, (place + first * SECTOR, place + end * SECTOR), write);
            left += 1;
            wanted &= !sectors::run(first, end);
        }
        self.copies.get_mut(tag).left = left;
    }

    fn transferred(&mut self, tag: u64, io: &mut impl VolumeIo) {
        let tag = tag as u32;
        let it = self.copies.get_mut(tag);
        it.left -= 1;
        if it.left > 0 {
            return;
        }
        let it = *it;
        let line = self.lines.get(it.line);
        let (true_still, counted) = (line.age == it.age, u64::from(io.counted()));
        match it.stage {
            Stage::Fetched => {
                let sectors = it.sectors & !line.valid;
                if !true_still || sectors == 0 || io.draining() {
                    self.copies.remove(tag);
                    return;
                }
                // From here on it counts as held: whoever reads it comes behind this write.
                self.lines.get_mut(it.line).valid |= sectors;
                self.totals.copied_bytes += counted * u64::from(sectors.count_ones()) * SECTOR;
                *self.copies.get_mut(tag) = Copying { sectors, stage: Stage::Filled, ..it };
                self.transfer(tag, CACHE, u64::from(it.line) * self.line_bytes, io);
            }
            Stage::Filled => {
                self.copies.remove(tag);
            }
            Stage::Lifted if true_still => {
                self.copies.get_mut(tag).stage = Stage::Destaged;
                self.transfer(tag, it.part + 1, self.place(it.part, line.block), io);
            }
            Stage::Lifted | Stage::Destaged => {
                self.copies.remove(tag);
                self.destages -= 1;
                if true_still {
                    self.lines.get_mut(it.line).dirty &= !it.sectors;
                    self.dirty_lines -= u32::from(self.lines.get(it.line).dirty == 0);
                    self.totals.destaged_bytes += counted * u64::from(it.sectors.count_ones()) * SECTOR;
                    if let Some(counts) = io.counts() {
                        counts.write_backs += 1;
                    }
                }
                self.lines.end_move(it.line, it.part);
                if self.lines.dirty(it.part) == 0 {
                    self.data[it.part].drains = false;
                }
                self.look_at = 0;
                self.destage(io);
            }
        }
    }
}

/// So many bytes of the present request are on a part.
fn found(io: &mut impl VolumeIo, part: usize, bytes: u64, write: bool) {
    if let Some(counts) = io.counts() {
        counts.located(part, bytes, write);
    }
}

/// Bytes of the sectors `wanted` of the block at `start`, cut to what was asked.
fn clipped(mut wanted: u128, start: u64, request: &VolumeRequest) -> u64 {
    let mut bytes = 0;
    while let Some((first, end)) = sectors::first_run(wanted) {
        bytes += request.until.min(start + end * SECTOR) - request.from.max(start + first * SECTOR);
        wanted &= !sectors::run(first, end);
    }
    bytes
}

impl Scheme for Maid {
    fn capacity_bytes(&self) -> u64 {
        self.data.last().map_or(0, |d| (d.first + d.blocks) * self.line_bytes)
    }

    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        counting_located(request, io, |io| self.submit_to(request, io));
    }

    fn transfer_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        self.transferred(tag, io);
    }

    fn background_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        self.transferred(tag, io);
    }

    fn alarm(&mut self, io: &mut impl VolumeIo) {
        self.destage(io);
    }

    fn dirty_bytes(&self) -> u64 {
        self.lines.dirty_sectors() * SECTOR
    }

    fn movement(&self) -> Option<Movement> {
        Some(Movement::Maid(self.totals()))
    }

    fn audit(&self) -> Result<(), String> {
        self.lines.audit(|block| self.data_of(block))?;
        let moving = self.copies.values();
        let moving = moving.iter().filter(|c| matches!(c.stage, Stage::Lifted | Stage::Destaged)).count();
        if moving != self.destages {
            return Err(format!("{moving} destages are under way, counted {}", self.destages));
        }
        Ok(())
    }
}
