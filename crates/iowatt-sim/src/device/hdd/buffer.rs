//! The segments of the on-board buffer: what each holds, which one a request takes.

use crate::plan::BufferPlan;
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
    /// Their numbers, the one used last first.
    by_use: Vec<u32>,
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
        Self {
            segments: vec![Segment::default(); count],
            by_use: (0..count as u32).rev().collect(),
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
    /// sector that comes next into it counts as held.
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
            if value > best.2 {
                best = (hit, index, value);
            }
        }
        (best.0, best.1)
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
        if self.empty == 0 {
            let clean =
                |&index: &usize| index < self.for_reads && self.segments[index].content != Content::Dirty;
            return self.by_use.iter().rev().map(|&index| index as usize).find(clean);
        }
        self.least(0..self.for_reads, |_| false)
    }

    /// The segment for a write: one that the write makes stale, else as for reads.
    #[must_use]
    pub fn write_victim(&self, lbn: u64, end: u64) -> Option<usize> {
        let count = self.segments.len();
        // A dedicated segment is the last one.
        let from = if self.for_reads < count { self.for_reads } else { 0 };
        self.least(from..count, |s| s.overlaps(lbn, end))
    }

    /// Of the segments `among` that are not dirty, the least recently used of those that are stale, else of those that are
    /// empty, else of all.
    fn least(&self, among: Range<usize>, stale: impl Fn(&Segment) -> bool) -> Option<usize> {
        let (mut best, mut least) = (None, u8::MAX);
        for index in
            self.by_use.iter().rev().map(|&index| index as usize).filter(|index| among.contains(index))
        {
            let s = &self.segments[index];
            let rank = match s.content {
                Content::Dirty => continue,
                _ if stale(s) => return Some(index),
                Content::Empty => 1,
                _ => 2,
            };
            if rank < least {
                (best, least) = (Some(index), rank);
            }
        }
        best
    }

    /// Marks a use.
    #[inline]
    pub fn touch(&mut self, index: usize) {
        // It goes to the front; those before it move back by one.
        let index = index as u32;
        let mut carried = index;
        for place in &mut self.by_use {
            std::mem::swap(place, &mut carried);
            if carried == index {
                break;
            }
        }
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
