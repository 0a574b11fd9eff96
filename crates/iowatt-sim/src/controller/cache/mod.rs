//! The array's cache: lines over the address spaces of the pools, read and write caching, destaging.
//!
//! The cache decides and counts; it takes no time of its own. What it needs of the pools it asks of
//! [`BackEnd`], and it learns of the completion by [`Cache::completed`]. See docs/models/cache.md.

mod ahead;
mod destage;
mod lines;
#[cfg(test)]
mod tests;
mod totals;

use super::back_end::{BackEnd, BackEndRequest, NONE, Purpose};
use crate::plan::{CachePlan, DestagePlan, LineTransfers, WriteCaching};
use ahead::{Seen, Streams};
use destage::{Bounds, Sweep, Wish};
use iowatt_cache::{Policy, Replacement};
use lines::{Lines, address_of, key_of};
pub use totals::{CacheTotals, Found, Hits};

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

/// The cache.
#[derive(Debug)]
pub struct Cache {
    granule_bytes: u64,
    line_granules: u32,
    /// Lines that it may hold now.
    capacity: usize,
    /// Lines that it may hold when nothing is lost.
    full_capacity: usize,
    keeps_reads: bool,
    writes: WriteCaching,
    /// Whether writes would survive a loss of power or of a controller.
    protected: bool,
    transfers: LineTransfers,
    order: DestagePlan,
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
    streams: Option<Streams>,
    /// Lines with data that was read ahead and not asked for yet, and how many there may be.
    ahead: usize,
    most_ahead: usize,
    /// What requests found within the window, by workload.
    pub hits: Vec<Hits>,
    /// What else is counted, within the window.
    pub totals: CacheTotals,
}

impl Cache {
    /// The cache of `plan` over pools with the given sectors and capacities in bytes; `None` where it
    /// holds no line.
    #[must_use]
    pub fn new(plan: &CachePlan, sectors: &[u64], pool_bytes: Vec<u64>, workloads: usize) -> Option<Self> {
        let granule_bytes = plan.granule(sectors).filter(|_| plan.is_there())?;
        let capacity = (plan.capacity_bytes / plan.line_bytes) as usize;
        let share = |watermark: f64| watermark * capacity as f64;
        let line_granules = (plan.line_bytes / granule_bytes) as u32;
        Some(Self {
            granule_bytes,
            line_granules,
            capacity,
            full_capacity: capacity,
            keeps_reads: plan.read,
            writes: plan.write,
            protected: true,
            transfers: plan.transfers,
            order: plan.destage,
            pool_bytes,
            lines: Lines::default(),
            policy: Policy::new(plan.replacement, capacity),
            sweep: Sweep::default(),
            bounds: Bounds {
                line: line_granules,
                run: plan.destage_bytes / granule_bytes,
                whole: plan.transfers == LineTransfers::Whole,
            },
            held: 0,
            dirty: 0,
            high: share(plan.high_watermark).ceil() as usize,
            low: share(plan.low_watermark).floor() as usize,
            draining: false,
            destages: 0,
            most_destages: plan.destage_outstanding,
            streams: plan
                .read_ahead
                .map(|ahead| Streams::new(&ahead, u64::from(line_granules), plan.line_bytes)),
            ahead: 0,
            most_ahead: plan.read_ahead.map_or(0, |ahead| share(ahead.share).ceil() as usize),
            hits: vec![Hits::default(); workloads],
            totals: CacheTotals::default(),
        })
    }

    /// The granules that hold bytes `from..until` of a pool.
    #[must_use]
    pub fn span(&self, pool: u32, from: u64, until: u64) -> Span {
        Span { pool, from: from / self.granule_bytes, until: until.div_ceil(self.granule_bytes) }
    }

    /// What happens to writes now: write-back needs protection.
    #[must_use]
    pub fn writes(&self) -> WriteCaching {
        if self.is_unprotected() { WriteCaching::Through } else { self.writes }
    }

    /// Whether writes go through because nothing protects them here.
    #[must_use]
    pub fn is_unprotected(&self) -> bool {
        self.writes == WriteCaching::Back && !self.protected
    }

    /// Looks up a read and asks for what is missing; `visit` waits for all that was asked for or joined.
    pub fn read(&mut self, span: Span, visit: u32, counted: bool, back: &mut BackEnd) -> Found {
        let (mut found, mut asked) = (Found::default(), NONE);
        let mut at = span.from;
        while let Some(part) = self.part(&span, at) {
            at = part.until;
            let slot = self.lines.find(part.key).inspect(|&slot| self.policy.used(slot));
            let valid = slot.map_or(0, |slot| self.lines.get(slot).valid);
            found.present += u64::from((valid & part.mask).count_ones());
            if let Some(slot) = slot {
                let used = self.spend(slot, part.mask);
                self.totals.ahead_used_bytes += u64::from(counted) * used;
            }
            let wanted = part.mask & !valid;
            if wanted == 0 {
                continue;
            }
            let (fetch, coming) = slot.map_or((NONE, 0), |slot| {
                let line = self.lines.get(slot);
                (line.fetch, line.coming)
            });
            if fetch != NONE && wanted & !coming == 0 {
                back.join(fetch, visit);
                found.joined += 1;
                continue;
            }
            // Where another part of the line is on its way, this one is not kept.
            let keeps = self.keeps_reads && fetch == NONE;
            let kept = if keeps { slot.or_else(|| self.make_room(part.key, counted)) } else { None };
            // A line that is kept is filled as a whole, else the missing part is read.
            let whole = kept.is_some() && self.transfers != LineTransfers::Needed;
            let missing = if whole { self.whole(part.key) & !valid } else { wanted };
            let purpose = if kept.is_some() { Purpose::Fetch } else { Purpose::Pass };
            let range = self.bytes(&span, part.base, missing);
            if asked == NONE || !back.extend(asked, purpose, range) {
                asked = back.open(purpose, span.pool, range, false, visit);
                found.asked += 1;
            }
            if let Some(slot) = kept {
                self.fill(slot, asked, missing);
            }
        }
        found
    }

    /// Reads ahead where a read that found `found` continues a stream, up to byte `end` of its space.
    pub fn read_ahead(&mut self, read: &Span, found: Found, end: u64, counted: bool, back: &mut BackEnd) {
        let Some(streams) = &mut self.streams else { return };
        let seen = Seen { space: read.pool, from: read.from, until: read.until, missed: found.asked > 0 };
        let Some((from, until)) = streams.follow(seen) else { return };
        let granules = u64::from(self.line_granules);
        let until = until.min(end.div_ceil(self.granule_bytes * granules));
        let mut asked = NONE;
        for number in from..until {
            if self.ahead >= self.most_ahead {
                return;
            }
            let key = key_of(read.pool, number);
            let here = self.lines.find(key);
            let (valid, busy) = here.map_or((0, false), |slot| {
                let line = self.lines.get(slot);
                (line.valid, line.fetch != NONE)
            });
            let missing = self.whole(key) & !valid;
            if missing == 0 || busy {
                continue;
            }
            let Some(slot) = here.or_else(|| self.make_room(key, counted)) else { return };
            let range = self.bytes(read, number * granules, missing);
            if asked == NONE || !back.extend(asked, Purpose::ReadAhead, range) {
                asked = back.open(Purpose::ReadAhead, read.pool, range, false, NONE);
            }
            self.fill(slot, asked, missing);
            let line = self.lines.get_mut(slot);
            self.ahead += usize::from(line.ahead == 0);
            line.ahead |= missing;
            self.totals.ahead_bytes +=
                u64::from(counted) * u64::from(missing.count_ones()) * self.granule_bytes;
        }
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
            self.soil(slot, part.mask, counted);
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
                let line = self.lines.get_mut(slot);
                line.valid |= part.mask;
                // What is dirty here is destaged after this write all the same, or an older version that is being
                // destaged might arrive behind it.
                let again = (line.dirty | line.destaging) & part.mask;
                self.waste(slot, part.mask, counted);
                if again != 0 {
                    self.soil(slot, again, counted);
                }
            }
        }
        resident
    }

    /// Bytes `from..until` of a pool are all zeros now, and known to be: what is dirty of them need not be destaged, as
    /// far as they are whole granules.
    pub fn erase(&mut self, pool: u32, from: u64, until: u64, counted: bool) {
        let span = Span { pool, from: from.div_ceil(self.granule_bytes), until: until / self.granule_bytes };
        self.each(&span, |cache, slot, mask| {
            cache.waste(slot, mask, counted);
            let line = cache.lines.get_mut(slot);
            let (held, dirty) = (line.is_held(), line.dirty != 0);
            line.dirty &= !mask;
            line.valid |= mask;
            let freed = held && !line.is_held();
            cache.dirty -= usize::from(dirty && line.dirty == 0);
            cache.held -= usize::from(freed);
            if freed {
                cache.release(slot);
            }
        });
    }

    /// Counts a request over `span`.
    pub fn count(&mut self, workload: u32, span: &Span, write: bool, found: Found) {
        let (way, granules) = (usize::from(write), span.until - span.from);
        let hit = found.present == granules;
        let hits = &mut self.hits[workload as usize];
        hits.requests[way] += 1;
        hits.hits[way] += u64::from(hit);
        hits.bytes[way] += granules * self.granule_bytes;
        hits.hit_bytes[way] += found.present * self.granule_bytes;
        hits.delayed_hits += u64::from(found.asked == 0 && found.joined > 0);
    }

    /// Whether writes are safe here from now on. Where they are not, all that is dirty is destaged.
    pub fn protect(&mut self, protected: bool) {
        self.protected = protected;
    }

    /// Holds no more than `share` of its lines from now on; clean ones give way at once, others once they are.
    pub fn limit(&mut self, share: f64, counted: bool) {
        self.capacity = ((self.full_capacity as f64 * share) as usize).max(1);
        self.shrink(counted);
    }

    /// Lines that it may hold now.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Lines with data that is nowhere else.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held
    }

    /// Starts as many destages as its rule, or a write that waits for space, asks for.
    pub fn destage(&mut self, forced: bool, back: &mut BackEnd) {
        let by_use = self.order == DestagePlan::Utilisation;
        let urgent = forced || !self.protected;
        self.draining |= self.held >= self.high && !by_use;
        let most = if urgent || !by_use { self.most_destages } else { self.allowed() };
        while self.destages < most {
            self.draining &= self.dirty > self.low;
            let wanted = self.draining || (urgent || by_use) && self.dirty > 0;
            if !wanted {
                return;
            }
            let keeps = by_use && !urgent && self.held < self.high;
            let (line_granules, granule_bytes, pool_bytes) =
                (self.line_granules, self.granule_bytes, &self.pool_bytes);
            let whole = |key| granules_of(key, line_granules, granule_bytes, pool_bytes);
            let passed = &mut self.totals.kept_back;
            let wish = self.sweep.next(&mut self.lines, self.bounds, whole, keeps.then_some(passed));
            let Some(wish) = wish else { return };
            self.destages += 1;
            match wish {
                Wish::Fill(slot) => self.fill_first(slot, back),
                Wish::Write(pool, from, until) => {
                    let span = Span { pool, from, until };
                    let range = self.clip(&span);
                    back.open(Purpose::Destage, pool, range, true, NONE);
                    self.each(&span, |cache, slot, mask| {
                        let line = cache.lines.get_mut(slot);
                        line.dirty &= !mask;
                        line.destaging |= mask;
                        line.hot = false;
                        cache.dirty -= usize::from(line.dirty == 0);
                    });
                }
            }
        }
    }

    /// Destages at a time by utilisation: none at the low watermark, all at the high one, in proportion between.
    fn allowed(&self) -> usize {
        let (held, span) = (self.held.saturating_sub(self.low), self.high.saturating_sub(self.low));
        if held >= span.max(1) {
            return self.most_destages;
        }
        (self.most_destages * held).div_ceil(span.max(1))
    }

    /// Reads what is missing of a dirty line, so that it can be written whole.
    fn fill_first(&mut self, slot: u32, back: &mut BackEnd) {
        let line = *self.lines.get(slot);
        let (pool, number) = address_of(line.key);
        let base = number * u64::from(self.line_granules);
        let missing = self.whole(line.key) & !line.valid;
        let range = self.bytes(&Span { pool, from: base, until: base }, base, missing);
        let key = back.open(Purpose::Fill, pool, range, false, NONE);
        self.fill(slot, key, missing);
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
            Purpose::Fetch | Purpose::ReadAhead | Purpose::Fill => {
                self.destages -= usize::from(request.purpose == Purpose::Fill);
                self.each(&span, |cache, slot, mask| {
                    let line = cache.lines.get_mut(slot);
                    if line.fetch == key {
                        line.fetch = NONE;
                        line.coming = 0;
                        line.valid |= mask;
                        // One that waited to be whole may be destaged now.
                        cache.relist(slot);
                        cache.release(slot);
                    }
                });
            }
            Purpose::Destage => {
                self.totals.destages += counted;
                self.totals.destaged_bytes += counted * bytes;
                self.destages -= 1;
                self.each(&span, |cache, slot, mask| {
                    let line = cache.lines.get_mut(slot);
                    line.destaging &= !mask;
                    cache.held -= usize::from(!line.is_held());
                    cache.relist(slot);
                    cache.release(slot);
                });
            }
        }
        if self.lines.len() > self.capacity {
            self.shrink(counted > 0);
        }
    }

    /// Bytes whose only copy is here, those of destages under way included.
    #[must_use]
    pub fn dirty_bytes(&self) -> u64 {
        let granules = |slot| {
            let line = self.lines.get(slot);
            u64::from((line.dirty | line.destaging).count_ones())
        };
        (0..self.lines.made()).map(granules).sum::<u64>() * self.granule_bytes
    }

    /// A line for an address that has none: a free one, or the one that gives way.
    fn make_room(&mut self, key: u64, counted: bool) -> Option<u32> {
        let slot = if self.lines.len() < self.capacity {
            self.lines.add(key)
        } else {
            let slot = self.evict(key, counted)?;
            if self.lines.len() > self.capacity {
                self.lines.drop(slot);
                return self.make_room(key, counted);
            }
            self.lines.reuse(slot, key);
            slot
        };
        self.policy.insert(slot, key);
        Some(slot)
    }

    /// The line that gives way to `key`, forgotten by the policy.
    fn evict(&mut self, key: u64, counted: bool) -> Option<u32> {
        let lines = &self.lines;
        let slot = self.policy.victim(key, |line| lines.get(line).is_evictable())?;
        self.totals.evictions += u64::from(counted);
        self.waste(slot, u64::MAX, counted);
        Some(slot)
    }

    /// Drops clean lines beyond the capacity.
    fn shrink(&mut self, counted: bool) {
        while self.lines.len() > self.capacity {
            let Some(slot) = self.evict(u64::MAX, counted) else { return };
            self.lines.drop(slot);
        }
    }

    /// Request `fetch` brings granules `missing` of a line.
    fn fill(&mut self, slot: u32, fetch: u32, missing: u64) {
        let line = self.lines.get_mut(slot);
        line.fetch = fetch;
        line.coming = missing;
    }

    /// Granules of a line are no longer only read ahead; bytes of those that were.
    fn spend(&mut self, slot: u32, mask: u64) -> u64 {
        let line = self.lines.get_mut(slot);
        let spent = line.ahead & mask;
        if spent == 0 {
            return 0;
        }
        line.ahead &= !mask;
        self.ahead -= usize::from(line.ahead == 0);
        u64::from(spent.count_ones()) * self.granule_bytes
    }

    /// Granules of a line that may have been read ahead are lost.
    fn waste(&mut self, slot: u32, mask: u64, counted: bool) {
        let wasted = self.spend(slot, mask);
        self.totals.ahead_wasted_bytes += u64::from(counted) * wasted;
    }

    /// Puts a dirty line on the destager's list.
    fn relist(&mut self, slot: u32) {
        let line = self.lines.get_mut(slot);
        if line.dirty != 0 && !line.listed {
            line.listed = true;
            self.sweep.list(line.key);
        }
    }

    /// Marks granules of a line valid and dirty.
    fn soil(&mut self, slot: u32, mask: u64, counted: bool) {
        self.waste(slot, mask, counted);
        let line = self.lines.get_mut(slot);
        let again = u64::from((line.dirty & mask).count_ones());
        self.totals.overwritten_bytes += u64::from(counted) * again * self.granule_bytes;
        self.held += usize::from(!line.is_held());
        self.dirty += usize::from(line.dirty == 0);
        line.hot |= line.is_held();
        line.valid |= mask;
        line.dirty |= mask;
        self.relist(slot);
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

    /// All granules of a line, as far as its pool reaches.
    fn whole(&self, key: u64) -> u64 {
        granules_of(key, self.line_granules, self.granule_bytes, &self.pool_bytes)
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

/// All granules of the line at `key`, as far as its pool reaches.
fn granules_of(key: u64, line_granules: u32, granule_bytes: u64, pool_bytes: &[u64]) -> u64 {
    let (pool, number) = address_of(key);
    let granules = u64::from(line_granules);
    let end = pool_bytes[pool as usize].div_ceil(granule_bytes);
    ones(end.saturating_sub(number * granules).min(granules))
}

/// A word with the lowest `count` bits set.
fn ones(count: u64) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
