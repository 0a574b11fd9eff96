//! The array's cache: lines over the address spaces of the pools, read and write caching, destaging.
//!
//! The cache decides and counts; it takes no time of its own. What it needs of the pools it asks of
//! [`BackEnd`], and it learns of the completion by [`Cache::completed`]. See docs/models/cache.md.

mod destage;
mod lines;
#[cfg(test)]
mod tests;

use super::back_end::{BackEnd, BackEndRequest, NONE, Purpose};
use crate::plan::{CachePlan, WriteCaching};
use destage::{Bounds, Sweep};
use iowatt_cache::{Policy, Replacement};
use lines::{Lines, key_of};

/// Bytes of one pool, rounded out to granules of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The pool.
    pub pool: u32,
    /// First granule.
    pub from: u64,
    /// One past the last granule.
    pub until: u64,
}

/// The part of a span in one line.
#[derive(Clone, Copy, Debug)]
struct Part {
    key: u64,
    /// First granule of the line in its pool.
    base: u64,
    /// The granules of the part.
    mask: u64,
    /// End of the part in its pool.
    until: u64,
}

/// What is counted; bytes in whole granules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheTotals {
    /// Requests looked up: reads, writes.
    pub requests: [u64; 2],
    /// Of those, hits. A read hits where all of its data is here, a write where all of its lines are.
    pub hits: [u64; 2],
    /// Bytes looked up: reads, writes.
    pub bytes: [u64; 2],
    /// Of those, bytes that were here (reads) or lie in lines that were (writes).
    pub hit_bytes: [u64; 2],
    /// Reads that asked the pools for nothing and waited for what others had asked for. No hits.
    pub delayed_hits: u64,
    /// Reads from the pools.
    pub fetches: u64,
    /// Their bytes.
    pub fetched_bytes: u64,
    /// Completed writes of dirty data to the pools.
    pub destages: u64,
    /// Their bytes.
    pub destaged_bytes: u64,
    /// Clean lines that gave way.
    pub evictions: u64,
    /// Writes that found no clean or free line.
    pub waits_for_space: u64,
    /// Time that they waited for one.
    pub space_wait_ns: u64,
}

/// The cache.
#[derive(Debug)]
pub struct Cache {
    granule_bytes: u64,
    line_granules: u32,
    capacity: usize,
    keeps_reads: bool,
    /// What happens to writes.
    pub writes: WriteCaching,
    /// Bytes of each pool, which the last line may reach beyond.
    pool_bytes: Vec<u64>,
    lines: Lines,
    policy: Policy,
    sweep: Sweep,
    bounds: Bounds,
    /// Lines with data that is nowhere else.
    held: usize,
    /// Lines with data that no destage covers yet.
    dirty: usize,
    high: usize,
    low: usize,
    /// Between the high and the low watermark.
    draining: bool,
    destages: usize,
    most_destages: usize,
    /// What is counted, within the window.
    pub totals: CacheTotals,
}

impl Cache {
    /// The cache of `plan` over pools with the given sectors and capacities in bytes; `None` where it
    /// holds no line.
    #[must_use]
    pub fn new(plan: &CachePlan, sectors: &[u64], pool_bytes: Vec<u64>) -> Option<Self> {
        let granule_bytes = plan.granule(sectors).filter(|_| plan.is_there())?;
        let capacity = (plan.capacity_bytes / plan.line_bytes) as usize;
        let share = |watermark: f64| watermark * capacity as f64;
        let line_granules = (plan.line_bytes / granule_bytes) as u32;
        Some(Self {
            granule_bytes,
            line_granules,
            capacity,
            keeps_reads: plan.read,
            writes: plan.write,
            pool_bytes,
            lines: Lines::default(),
            policy: Policy::new(plan.replacement, capacity),
            sweep: Sweep::default(),
            bounds: Bounds { line: line_granules, run: plan.destage_bytes / granule_bytes },
            held: 0,
            dirty: 0,
            high: share(plan.high_watermark).ceil() as usize,
            low: share(plan.low_watermark).floor() as usize,
            draining: false,
            destages: 0,
            most_destages: plan.destage_outstanding,
            totals: CacheTotals::default(),
        })
    }

    /// The granules that hold bytes `from..until` of a pool.
    #[must_use]
    pub fn span(&self, pool: u32, from: u64, until: u64) -> Span {
        Span { pool, from: from / self.granule_bytes, until: until.div_ceil(self.granule_bytes) }
    }

    /// Looks up a read and asks for what is missing; returns the number of back-end requests that `visit`
    /// waits for. None is a hit.
    pub fn read(&mut self, span: Span, visit: u32, counted: bool, back: &mut BackEnd) -> u32 {
        let (mut waits, mut asked, mut present) = (0, NONE, 0);
        let mut at = span.from;
        let mut own = 0;
        while let Some(part) = self.part(&span, at) {
            at = part.until;
            let slot = self.lines.find(part.key).inspect(|&slot| self.policy.used(slot));
            let valid = slot.map_or(0, |slot| self.lines.get(slot).valid);
            present += u64::from((valid & part.mask).count_ones());
            if valid & part.mask == part.mask {
                continue;
            }
            let fetch = slot.map_or(NONE, |slot| self.lines.get(slot).fetch);
            if fetch != NONE {
                back.join(fetch, visit);
                waits += 1;
                continue;
            }
            let kept =
                if self.keeps_reads { slot.or_else(|| self.make_room(part.key, counted)) } else { None };
            // A line that is kept is filled as a whole, else the missing part is read.
            let missing = if kept.is_some() { !valid & self.full() } else { !valid & part.mask };
            let purpose = if kept.is_some() { Purpose::Fetch } else { Purpose::Pass };
            let range = self.bytes(&span, part.base, missing);
            if asked == NONE || !back.extend(asked, purpose, range) {
                asked = back.open(purpose, span.pool, range, false, visit);
                own += 1;
            }
            if let Some(slot) = kept {
                self.lines.get_mut(slot).fetch = asked;
            }
        }
        if counted {
            self.count(&span, false, present, waits + own == 0);
            self.totals.delayed_hits += u64::from(own == 0 && waits > 0);
        }
        waits + own
    }

    /// Takes a write's data from granule `at` of its span on, as far as there is room; returns how far.
    /// `resident` grows by the granules whose lines were here.
    pub fn accept(&mut self, span: &Span, mut at: u64, counted: bool, resident: &mut u64) -> u64 {
        while let Some(part) = self.part(span, at) {
            let found = self.lines.find(part.key);
            if let Some(slot) = found {
                self.policy.used(slot);
                *resident += u64::from(part.mask.count_ones());
            }
            let Some(slot) = found.or_else(|| self.make_room(part.key, counted)) else { return at };
            self.soil(slot, part.mask);
            at = part.until;
        }
        at
    }

    /// Keeps what a write puts on the drives at the same time; returns the granules whose lines were here.
    pub fn update(&mut self, span: &Span, counted: bool) -> u64 {
        let (mut at, mut resident) = (span.from, 0);
        while let Some(part) = self.part(span, at) {
            at = part.until;
            let found = self.lines.find(part.key);
            if let Some(slot) = found {
                self.policy.used(slot);
                resident += u64::from(part.mask.count_ones());
            }
            let takes_lines = self.writes != WriteCaching::Around;
            let slot = found.or_else(|| if takes_lines { self.make_room(part.key, counted) } else { None });
            if let Some(slot) = slot {
                self.lines.get_mut(slot).valid |= part.mask;
            }
        }
        resident
    }

    /// Counts a request of which `present` granules were here.
    pub fn count(&mut self, span: &Span, write: bool, present: u64, hit: bool) {
        let way = usize::from(write);
        self.totals.requests[way] += 1;
        self.totals.hits[way] += u64::from(hit);
        self.totals.bytes[way] += (span.until - span.from) * self.granule_bytes;
        self.totals.hit_bytes[way] += present * self.granule_bytes;
    }

    /// Starts as many destages as the watermarks, or a write that waits for space, ask for.
    pub fn destage(&mut self, forced: bool, back: &mut BackEnd) {
        self.draining |= self.held >= self.high;
        while self.destages < self.most_destages {
            self.draining &= self.dirty > self.low;
            let wanted = self.draining || forced && self.dirty > 0;
            if !wanted {
                return;
            }
            let Some((pool, from, until)) = self.sweep.next_run(&mut self.lines, self.bounds) else { return };
            let span = Span { pool, from, until };
            self.destages += 1;
            let range = self.clip(&span);
            back.open(Purpose::Destage, pool, range, true, NONE);
            self.each(&span, |cache, slot, mask| {
                let line = cache.lines.get_mut(slot);
                line.dirty &= !mask;
                line.destaging |= mask;
                cache.dirty -= usize::from(line.dirty == 0);
            });
        }
    }

    /// A request of [`Self::read`] or [`Self::destage`] has completed.
    pub fn completed(&mut self, key: u32, request: &BackEndRequest, counted: bool) {
        let (counted, bytes) = (u64::from(counted), request.until - request.from);
        let span = self.span(request.pool, request.from, request.until);
        if !request.write {
            self.totals.fetches += counted;
            self.totals.fetched_bytes += counted * bytes;
        }
        match request.purpose {
            Purpose::Pass => {}
            Purpose::Fetch => self.each(&span, |cache, slot, _| {
                let full = cache.full();
                let line = cache.lines.get_mut(slot);
                if line.fetch == key {
                    line.fetch = NONE;
                    line.valid = full;
                    cache.release(slot);
                }
            }),
            Purpose::Destage => {
                self.totals.destages += counted;
                self.totals.destaged_bytes += counted * bytes;
                self.destages -= 1;
                self.each(&span, |cache, slot, mask| {
                    let line = cache.lines.get_mut(slot);
                    line.destaging &= !mask;
                    let (key, relist) = (line.key, line.dirty != 0 && !line.listed);
                    line.listed |= relist;
                    cache.held -= usize::from(!line.is_held());
                    if relist {
                        cache.sweep.list(key);
                    }
                    cache.release(slot);
                });
            }
        }
    }

    /// Bytes whose only copy is here, those of destages under way included.
    #[must_use]
    pub fn dirty_bytes(&self) -> u64 {
        let granules = |slot| {
            let line = self.lines.get(slot);
            u64::from((line.dirty | line.destaging).count_ones())
        };
        (0..self.lines.len() as u32).map(granules).sum::<u64>() * self.granule_bytes
    }

    /// A line for an address that has none: a free one, or the one that gives way.
    fn make_room(&mut self, key: u64, counted: bool) -> Option<u32> {
        let slot = if self.lines.len() < self.capacity {
            self.lines.add(key)
        } else {
            let lines = &self.lines;
            let slot = self.policy.victim(key, |line| lines.get(line).is_evictable())?;
            self.totals.evictions += u64::from(counted);
            self.lines.reuse(slot, key);
            slot
        };
        self.policy.insert(slot, key);
        Some(slot)
    }

    /// Marks granules of a line valid and dirty.
    fn soil(&mut self, slot: u32, mask: u64) {
        let line = self.lines.get_mut(slot);
        self.held += usize::from(!line.is_held());
        self.dirty += usize::from(line.dirty == 0);
        line.valid |= mask;
        line.dirty |= mask;
        if !line.listed {
            line.listed = true;
            self.sweep.list(line.key);
        }
    }

    /// Tells the policy about a line that may give way again.
    fn release(&mut self, slot: u32) {
        if self.lines.get(slot).is_evictable() {
            self.policy.released(slot);
        }
    }

    /// Calls `action` with each line of `span` that is here and the granules of the span in it.
    fn each(&mut self, span: &Span, mut action: impl FnMut(&mut Self, u32, u64)) {
        let mut at = span.from;
        while let Some(part) = self.part(span, at) {
            at = part.until;
            if let Some(slot) = self.lines.find(part.key) {
                action(self, slot, part.mask);
            }
        }
    }

    /// The part of `span` in the line of granule `at`; `None` at its end.
    fn part(&self, span: &Span, at: u64) -> Option<Part> {
        if at >= span.until {
            return None;
        }
        let granules = u64::from(self.line_granules);
        let number = at / granules;
        let base = number * granules;
        let until = span.until.min(base + granules);
        Some(Part { key: key_of(span.pool, number), base, mask: ones(until - at) << (at - base), until })
    }

    /// All granules of a line.
    fn full(&self) -> u64 {
        ones(u64::from(self.line_granules))
    }

    /// Bytes from the first to the last granule of `mask` in the line that starts at `base`.
    fn bytes(&self, span: &Span, base: u64, mask: u64) -> (u64, u64) {
        let from = base + u64::from(mask.trailing_zeros());
        let until = base + u64::from(64 - mask.leading_zeros());
        self.clip(&Span { pool: span.pool, from, until })
    }

    /// The bytes of a span, as far as its pool reaches.
    fn clip(&self, span: &Span) -> (u64, u64) {
        let until = span.until * self.granule_bytes;
        (span.from * self.granule_bytes, until.min(self.pool_bytes[span.pool as usize]))
    }
}

/// A word with the lowest `count` bits set.
fn ones(count: u64) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
