//! Write off-loading: while a part gets no reads, its writes go to the logs of parts that spin, so that its drives may stop.
//!
//! After Narayanan, Donnelly, Rowstron, FAST 2008. Each part is a home, and ends with a log that takes writes of other homes. Its
//! drives stop by their own power policy; the scheme only keeps work away from them. A part is *up* while it is needed: a read
//! that only it could answer, or its log, was used within the last `off_load_after_s`. Writes of a part that is not needed, or whose
//! drives do not serve at once, go to a log of a part that is; those of the others go home. Where no part is needed, the writer's own
//! part is made the one that stays up, if it spins, else another that does. Reads get the latest version from wherever it
//! is. Once reads have brought a home up, what it has in logs is moved back in the background; so it is when a log fills up.
//!
//! Moves and requests may overlap in any way: an entry of the table is never written in place, so that what a move has read stays
//! what it was, and what has a later version by the time that it is written home is left out (see `table.rs`). The tables are taken to
//! survive a crash: the headers that a real log would carry are not modelled.

mod slots;
mod table;
#[cfg(test)]
mod tests;

use super::io::{VolumeIo, counting};
use super::movement::{Movement, WriteOffLoadingTotals};
use super::sectors::{self, Pieces, SECTOR};
use super::{Scheme, VolumeRequest};
use crate::plan::{VirtualPoolPlan, WriteOffLoadingPlan};
use crate::slab::Slab;
use crate::time::{Nanos, nanos};
use table::{BLOCK, NONE, Table, bytes};

/// Most blocks of one move.
const MOST: usize = 64;
/// When nothing could be moved, how long until the next look.
const PATIENCE: Nanos = 1_000_000_000;

/// How much a part is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// Not at all.
    Rests,
    /// Its log is in use, or it was chosen to stay up.
    Logs,
    /// Reads come that only it can answer.
    Read,
}

#[derive(Clone, Debug)]
struct Home {
    /// First byte in the address space, a multiple of the block.
    start: u64,
    /// Bytes, a multiple of the block; the log follows them.
    bytes: u64,
    read_at: Option<Nanos>,
    log_at: Option<Nanos>,
    /// The log that took its last write.
    log: usize,
    /// Its log's users are emptied, or it is itself: it is reclaimed whether it spins or not.
    drains: bool,
}

#[derive(Clone, Copy, Debug)]
struct Move {
    home: usize,
    log: usize,
    entries: [u32; MOST],
    count: usize,
    /// Transfers under way.
    left: u32,
    writing: bool,
}

/// The scheme.
#[derive(Debug)]
pub struct WriteOffLoading {
    homes: Vec<Home>,
    table: Table,
    moves: Slab<Move>,
    off_load_after: Nanos,
    reclaims_at_once: usize,
    reclaim_blocks: usize,
    /// Blocks in use at which a log is too full, by part.
    full: Vec<u32>,
    /// No move is looked for before this time.
    look_at: Nanos,
    next_home: usize,
    totals: WriteOffLoadingTotals,
}

impl WriteOffLoading {
    /// The scheme of `given` over the parts of `plan`.
    #[must_use]
    pub fn new(plan: &VirtualPoolPlan, given: &WriteOffLoadingPlan) -> Self {
        let (mut start, mut homes, mut logs) = (0, vec![], vec![]);
        for (number, part) in plan.parts.iter().enumerate() {
            let log = given.log_bytes / BLOCK;
            let bytes = (part.capacity_bytes / BLOCK).saturating_sub(log) * BLOCK;
            homes.push(Home { start, bytes, read_at: None, log_at: None, log: number, drains: false });
            logs.push(log as u32);
            start += bytes;
        }
        let full = logs.iter().map(|&log| (f64::from(log) * given.log_fill) as u32).collect();
        Self {
            homes,
            table: Table::new(&logs),
            moves: Slab::default(),
            off_load_after: nanos(given.off_load_after_s),
            reclaims_at_once: given.reclaims_at_once,
            reclaim_blocks: ((given.reclaim_bytes / BLOCK) as usize).clamp(1, MOST),
            full,
            look_at: 0,
            next_home: 0,
            totals: WriteOffLoadingTotals::default(),
        }
    }

    /// Totals so far.
    fn totals(&self) -> WriteOffLoadingTotals {
        WriteOffLoadingTotals { log_bytes_at_end: bytes(self.table.away.iter().sum()), ..self.totals }
    }

    fn need(&self, part: usize, now: Nanos) -> Need {
        let recent = |at: Option<Nanos>| at.is_some_and(|at| now - at < self.off_load_after);
        let home = &self.homes[part];
        if recent(home.read_at) {
            Need::Read
        } else if recent(home.log_at) {
            Need::Logs
        } else {
            Need::Rests
        }
    }

    /// The part that is to take a write of so many blocks to `home`.
    fn place(&self, home: usize, blocks: u64, io: &impl VolumeIo) -> usize {
        let now = io.now();
        let own = (io.ready(home), self.need(home, now));
        if own == (true, Need::Read) {
            return home;
        }
        // The best other log: ready, needed, the one used last, emptiest, first.
        let best = (0..self.homes.len())
            .filter(|&p| p != home && u64::from(self.table.logs[p].free()) >= blocks)
            .map(|p| {
                let rank = (io.ready(p), self.need(p, now));
                (rank, p == self.homes[home].log, self.table.logs[p].free(), std::cmp::Reverse(p))
            })
            .max();
        let Some((rank, _, _, std::cmp::Reverse(other))) = best else { return home };
        match (own, rank) {
            (_, (true, Need::Read)) => other,
            // Of two that are up for nothing but logs, the first stays.
            ((true, Need::Logs), (true, Need::Logs)) if other < home => other,
            ((true, Need::Logs), _) => home,
            (_, (true, Need::Logs)) => other,
            // Nobody is needed: stay up, or let another that spins do so.
            ((true, _), _) => home,
            (_, (true, _)) => other,
            // Nobody spins: one that is on its way up.
            ((false, Need::Rests), (false, Need::Read | Need::Logs)) => other,
            _ => home,
        }
    }

    fn submit_to(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let mut from = request.from;
        let mut home = self.homes.partition_point(|h| h.start + h.bytes <= from);
        while from < request.until {
            let until = request.until.min(self.homes[home].start + self.homes[home].bytes);
            if request.write {
                self.write(request.key, home, (from, until), io);
            } else {
                self.read(request.key, home, (from, until), io);
            }
            (from, home) = (until, home + 1);
        }
        self.reclaim(io);
    }

    fn write(&mut self, request: u32, home: usize, (from, until): (u64, u64), io: &mut impl VolumeIo) {
        let counted = u64::from(io.counted());
        let (first, last) = (from / BLOCK, (until - 1) / BLOCK);
        let log = self.place(home, last - first + 1, io);
        let now = io.now();
        let mut superseded = 0;
        if log == home {
            if self.table.away[home] > 0 {
                for block in first..=last {
                    superseded += self.table.supersede(block, home, sectors_of(block, from, until));
                }
            }
            self.totals.superseded_bytes += counted * bytes(superseded);
            if self.need(home, now) != Need::Read {
                self.homes[home].log_at = Some(now);
            }
            self.totals.refused_writes += counted * u64::from(!io.ready(home));
            let start = self.homes[home].start;
            io.transfer(request, home, (from - start, until - start), true);
            return;
        }
        self.homes[home].log = log;
        self.homes[log].log_at = Some(now);
        let log_start = self.homes[log].bytes;
        let mut block = first;
        while block <= last {
            let most = u32::try_from(last - block + 1).unwrap_or(u32::MAX);
            let Some((slot, taken)) = self.table.logs[log].take(most) else { break };
            for i in 0..taken {
                let at = block + u64::from(i);
                superseded += self.table.insert(at, home, (log, slot + i), sectors_of(at, from, until));
            }
            let next = block + u64::from(taken);
            let place = log_start + u64::from(slot) * BLOCK;
            let begin = place + (from.max(block * BLOCK) - block * BLOCK);
            let end = place + (until.min(next * BLOCK) - block * BLOCK);
            io.transfer(request, log, (begin, end), true);
            block = next;
        }
        self.totals.off_loaded_writes += counted;
        self.totals.off_loaded_bytes += counted * (until - from);
        self.totals.superseded_bytes += counted * bytes(superseded);
        let held = self.table.away.iter().sum();
        self.totals.log_bytes_most = self.totals.log_bytes_most.max(bytes(held));
        if self.table.logs[log].count() - self.table.logs[log].free() > self.full[log] {
            self.drain(log, counted);
        }
    }

    /// Log `log` is too full: the home that has most in it is emptied.
    fn drain(&mut self, log: usize, counted: u64) {
        if (0..self.homes.len()).any(|h| self.homes[h].drains && self.table.length(h, log) > 0) {
            return;
        }
        let most = (0..self.homes.len()).max_by_key(|&h| (self.table.length(h, log), std::cmp::Reverse(h)));
        if let Some(home) = most.filter(|&h| self.table.length(h, log) > 0) {
            self.homes[home].drains = true;
            self.totals.drains += counted;
            self.look_at = 0;
        }
    }

    fn read(&mut self, request: u32, home: usize, (from, until): (u64, u64), io: &mut impl VolumeIo) {
        let (now, start) = (io.now(), self.homes[home].start);
        if self.need(home, now) != Need::Read {
            self.look_at = 0; // if the home is needed from now on, what it has in logs is wanted
        }
        if self.table.away[home] == 0 {
            self.homes[home].read_at = Some(now);
            io.transfer(request, home, (from - start, until - start), false);
            return;
        }
        let counted = u64::from(io.counted());
        let mut from_logs = 0;
        let mut pieces = Pieces::default();
        let mut emit = |part, begin, end| io.transfer(request, part, (begin, end), false);
        for block in from / BLOCK..=(until - 1) / BLOCK {
            let mut wanted = u128::from(sectors_of(block, from, until));
            while let Some((sector, _)) = sectors::first_run(wanted) {
                // As many of the wanted sectors behind this one as lie in the same place.
                let (same, part, place) = match self.table.holder(block, sector) {
                    NONE => {
                        self.homes[home].read_at = Some(now);
                        let away = self.table.chain(block).fold(0, |bits, (_, e)| bits | e.sectors);
                        (u128::from(!away), home, block * BLOCK - start)
                    }
                    key => {
                        let entry = self.table.get(key);
                        let log = entry.log as usize;
                        self.homes[log].log_at = Some(now);
                        (
                            u128::from(entry.sectors),
                            log,
                            self.homes[log].bytes + u64::from(entry.slot) * BLOCK,
                        )
                    }
                };
                let Some((first, end)) = sectors::first_run(wanted & same) else { break };
                let begin = from.max(block * BLOCK + first * SECTOR) - block * BLOCK;
                let until = until.min(block * BLOCK + end * SECTOR) - block * BLOCK;
                from_logs += if part == home { 0 } else { until - begin };
                pieces.push(part, place + begin, place + until, &mut emit);
                wanted &= !sectors::run(first, end);
            }
        }
        pieces.end(&mut emit);
        self.totals.log_reads += counted * u64::from(from_logs > 0);
        self.totals.log_read_bytes += counted * from_logs;
    }

    /// Begins moves home while there is something to move and room for a move.
    fn reclaim(&mut self, io: &mut impl VolumeIo) {
        if io.now() < self.look_at || io.draining() {
            return;
        }
        while self.moves.len() < self.reclaims_at_once {
            let Some((home, log)) = self.next_move(io) else {
                if self.table.away.iter().any(|&away| away > 0) {
                    self.look_at = io.now() + PATIENCE;
                    if (0..self.homes.len()).any(|h| self.wanted(h, io.now()) && self.table.away[h] > 0) {
                        io.set_alarm(self.look_at);
                    }
                }
                return;
            };
            self.begin(home, log, io);
        }
    }

    /// Whether what a home has in logs is to be moved back now.
    fn wanted(&self, home: usize, now: Nanos) -> bool {
        self.homes[home].drains || self.need(home, now) == Need::Read
    }

    /// A home and a log that has something of it.
    fn next_move(&mut self, io: &impl VolumeIo) -> Option<(usize, usize)> {
        let (parts, now) = (self.homes.len(), io.now());
        for i in 0..parts {
            let home = (self.next_home + i) % parts;
            if self.table.away[home] == 0 {
                self.homes[home].drains = false;
                continue;
            }
            if !self.wanted(home, now) {
                continue;
            }
            let movable =
                |&log: &usize| self.table.length(home, log) > 0 && (self.homes[home].drains || io.ready(log));
            if let Some(log) = (0..parts).find(movable) {
                self.next_home = (home + 1) % parts;
                return Some((home, log));
            }
        }
        None
    }

    /// Begins to move the oldest entry of a home in a log, and what lies behind it in the home and is in that log too.
    fn begin(&mut self, home: usize, log: usize, io: &mut impl VolumeIo) {
        let mut it = Move { home, log, entries: [NONE; MOST], count: 0, left: 0, writing: false };
        let mut key = self.table.oldest(home, log);
        while key != NONE && it.count < self.reclaim_blocks {
            self.table.begin_move(key);
            it.entries[it.count] = key;
            it.count += 1;
            let next = self.table.get(key).block + 1;
            let follows =
                |&(_, e): &(u32, table::Entry)| e.log as usize == log && e.home as usize == home && !e.moving;
            key = self.table.chain(next).find(follows).map_or(NONE, |(key, _)| key);
        }
        let tag = self.moves.insert(it);
        self.transfer(tag, io);
    }

    /// Opens the transfers of a move's present half, or ends it where there are none.
    fn transfer(&mut self, tag: u32, io: &mut impl VolumeIo) {
        let it = self.moves.get(tag);
        let mut left = 0;
        let part = if it.writing { it.home } else { it.log };
        let mut pieces = Pieces::default();
        let mut emit = |part, begin, end| {
            left += 1;
            io.background(u64::from(tag), part, (begin, end), it.writing);
        };
        for &key in &it.entries[..it.count] {
            let entry = self.table.get(key);
            let place = if it.writing {
                entry.block * BLOCK - self.homes[it.home].start
            } else {
                self.homes[it.log].bytes + u64::from(entry.slot) * BLOCK
            };
            let mut wanted = u128::from(entry.sectors);
            while let Some((first, end)) = sectors::first_run(wanted) {
                pieces.push(part, place + first * SECTOR, place + end * SECTOR, &mut emit);
                wanted &= !sectors::run(first, end);
            }
        }
        pieces.end(&mut emit);
        self.moves.get_mut(tag).left = left;
        if left == 0 {
            self.end(tag, io);
        }
    }

    fn end(&mut self, tag: u32, io: &mut impl VolumeIo) {
        let counted = io.counted();
        if let Some(counts) = io.counts() {
            counts.migrations += 1;
        }
        let it = self.moves.remove(tag);
        let moved: u64 = it.entries[..it.count].iter().map(|&key| self.table.end_move(key)).sum();
        self.totals.reclaimed_bytes += u64::from(counted) * bytes(moved);
        self.totals.reclaims += u64::from(counted);
        self.look_at = 0;
    }

    fn transferred(&mut self, tag: u64, io: &mut impl VolumeIo) {
        let tag = tag as u32;
        let it = self.moves.get_mut(tag);
        it.left -= 1;
        if it.left > 0 {
            return;
        }
        if it.writing {
            self.end(tag, io);
        } else {
            it.writing = true;
            self.transfer(tag, io);
        }
        self.reclaim(io);
    }
}

/// Sectors of a block that bytes `from..until` touch.
fn sectors_of(block: u64, from: u64, until: u64) -> u8 {
    sectors::touched(block, BLOCK, from, until) as u8
}

impl Scheme for WriteOffLoading {
    fn capacity_bytes(&self) -> u64 {
        self.homes.last().map_or(0, |h| h.start + h.bytes)
    }

    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        counting(request, io, |io| self.submit_to(request, io));
    }

    fn background_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        self.transferred(tag, io);
    }

    fn alarm(&mut self, io: &mut impl VolumeIo) {
        self.reclaim(io);
    }

    fn dirty_bytes(&self) -> u64 {
        bytes(self.table.away.iter().sum())
    }

    fn movement(&self) -> Option<Movement> {
        Some(Movement::WriteOffLoading(self.totals()))
    }

    fn audit(&self) -> Result<(), String> {
        let moves = self.moves.values();
        self.table.audit(moves.iter().flat_map(|m| m.entries[..m.count].iter().copied()))
    }
}
