//! The segments of the on-board buffer: what each holds, which one a request takes.

mod canonical;

use crate::plan::BufferPlan;
use crate::recency::Recency;
use std::hint::select_unpredictable;
use std::ops::Range;

/// What a segment holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    #[default]
    Empty,
    /// Data that was read.
    Read,
    /// Data that was written, on the media by now.
    Written,
    /// Data that is not on the media yet.
    Dirty,
}

/// One segment: a contiguous range of LBNs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segment {
    /// First LBN.
    pub start: u64,
    /// First LBN beyond.
    pub end: u64,
    /// Where its read-ahead ends.
    pub limit: u64,
    /// What it holds.
    content: Content,
}

impl Segment {
    /// What it holds.
    #[must_use]
    pub fn content(&self) -> Content {
        self.content
    }

    #[inline]
    fn overlaps(&self, lbn: u64, end: u64) -> bool {
        (self.content != Content::Empty) & (lbn < self.end) & (self.start < end)
    }

    /// Whether it may hold `lbn`, or the sector before: one comparison, after which few segments are left to look at.
    #[inline]
    fn may_hold(&self, lbn: u64) -> bool {
        lbn.wrapping_sub(self.start) <= self.end.wrapping_sub(self.start)
    }
}

/// How a request meets the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hit {
    /// Nothing of it.
    #[default]
    Miss,
    /// Its start.
    Partial,
    /// All of it.
    Full,
    /// A write that follows the data being written.
    Append,
}

/// The segments.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// All segments; the last one is the dedicated write segment if there is one.
    pub segments: Vec<Segment>,
    /// The order of their last use.
    uses: Recency,
    /// How many hold nothing.
    empty: usize,
    /// Segments that reads use.
    for_reads: usize,
    size: u64,
    hits_on_writes: bool,
    caching: bool,
}

impl Buffer {
    /// Empty segments.
    #[must_use]
    pub fn new(plan: &BufferPlan) -> Self {
        let count = plan.segments.max(1);
        let dedicated = plan.dedicated_write_segment && count > 1;
        let mut uses = Recency::new(count as u32);
        (0..count as u32).for_each(|index| uses.add(index));
        Self {
            segments: vec![Segment::default(); count],
            uses,
            empty: count,
            for_reads: count - usize::from(dedicated),
            size: plan.segment_sectors.max(1),
            hits_on_writes: plan.read_hits_on_writes,
            caching: plan.caching,
        }
    }

    /// Says what a segment holds.
    #[inline]
    pub fn hold(&mut self, index: usize, content: Content) {
        let before = std::mem::replace(&mut self.segments[index].content, content);
        self.empty += usize::from(content == Content::Empty);
        self.empty -= usize::from(before == Content::Empty);
    }

    /// The segment that holds `lbn`, and whether it holds everything up to `end`. `reading` is being filled: the
    /// sector that comes next into it counts as held. Of segments that are as good, the one used last: which place a
    /// segment has in the buffer never counts.
    #[must_use]
    pub fn find(&self, lbn: u64, end: u64, reading: Option<usize>) -> (Hit, usize) {
        let mut best = (Hit::Miss, 0, 0u8);
        if !self.caching {
            return (Hit::Miss, 0);
        }
        for (index, s) in self.segments[..self.for_reads].iter().enumerate() {
            if !s.may_hold(lbn) {
                continue;
            }
            let is_reading = reading == Some(index);
            if lbn < s.start || !(lbn < s.end || (is_reading && lbn == s.end)) {
                continue;
            }
            let value = match s.content {
                Content::Empty => continue,
                Content::Written | Content::Dirty if !self.hits_on_writes => continue,
                Content::Dirty => 3,
                Content::Read if is_reading => 2,
                _ => 1,
            };
            let (hit, value) = if s.end >= end { (Hit::Full, value + 4) } else { (Hit::Partial, value) };
            if value > best.2 || (value == best.2 && self.used_after(index, best.1)) {
                best = (hit, index, value);
            }
        }
        (best.0, best.1)
    }

    /// Whether a segment was used after another.
    #[cold]
    fn used_after(&self, index: usize, other: usize) -> bool {
        let both = [index as u32, other as u32];
        self.uses.oldest_first().find(|used| both.contains(used)) == Some(other as u32)
    }

    /// What a read finds, as ranges of LBNs. `reading` is being filled, as in [`Self::find`].
    pub fn held(&self, reading: Option<usize>) -> impl Iterator<Item = (u64, u64)> + '_ {
        let segments = if self.caching { &self.segments[..self.for_reads] } else { &[] };
        segments.iter().enumerate().filter_map(move |(index, s)| match s.content {
            Content::Empty => None,
            Content::Written | Content::Dirty if !self.hits_on_writes => None,
            _ => Some((s.start, s.end + u64::from(reading == Some(index)))),
        })
    }

    /// The segment for a read that misses: empty, else least recently used.
    #[must_use]
    #[inline]
    pub fn victim(&self) -> Option<usize> {
        self.unused(0..self.for_reads)
    }

    /// The segment for a write: one that the write makes stale, else as for reads; and whether others may be stale, too.
    #[must_use]
    pub fn write_victim(&self, lbn: u64, end: u64) -> Option<(usize, bool)> {
        let count = self.segments.len();
        // A dedicated segment is the last one.
        let all = if self.for_reads < count { self.for_reads..count } else { 0..count };
        let (mut stale, mut only) = (0, 0);
        for (index, s) in self.segments.iter().enumerate() {
            let overlaps = s.overlaps(lbn, end);
            stale += usize::from(overlaps);
            only = select_unpredictable(overlaps, index, only);
        }
        match stale {
            0 => Some((self.unused(all)?, false)),
            1 if all.contains(&only) && self.segments[only].content != Content::Dirty => Some((only, false)),
            _ => {
                let stale = |index: &usize| self.segments[*index].overlaps(lbn, end);
                let oldest = self.clean(all.clone()).find(stale);
                Some((oldest.or_else(|| self.unused(all))?, true))
            }
        }
    }

    /// Of some segments, the least recently used that is empty, else that is clean.
    #[inline]
    fn unused(&self, among: Range<usize>) -> Option<usize> {
        let empty = |index: &usize| self.segments[*index].content == Content::Empty;
        let emptied = if self.empty > 0 { self.clean(among.clone()).find(empty) } else { None };
        emptied.or_else(|| self.clean(among).next())
    }

    /// Those of some segments that are not dirty, the least recently used first.
    #[inline]
    fn clean(&self, among: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let clean =
            move |index: &usize| among.contains(index) && self.segments[*index].content != Content::Dirty;
        self.uses.oldest_first().map(|index| index as usize).filter(clean)
    }

    /// Marks a use.
    #[inline]
    pub fn touch(&mut self, index: usize) {
        self.uses.touch(index as u32);
    }

    /// Empties clean segments other than `except` that hold any of the sectors.
    #[inline]
    pub fn invalidate(&mut self, lbn: u64, end: u64, except: usize) {
        for (index, s) in self.segments.iter_mut().enumerate() {
            if s.overlaps(lbn, end) && index != except && s.content != Content::Dirty {
                s.content = Content::Empty;
                self.empty += 1;
            }
        }
    }

    /// Extends a segment to `end`; the oldest sectors give way.
    #[inline]
    pub fn extend(&mut self, index: usize, end: u64) {
        let size = self.size;
        let s = &mut self.segments[index];
        s.end = end;
        s.start = s.start.max(end.saturating_sub(size));
    }
}
