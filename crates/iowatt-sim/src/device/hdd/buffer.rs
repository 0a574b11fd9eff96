//! The segments of the on-board buffer: what each holds, which one a request takes.

mod canonical;

use crate::plan::BufferPlan;
use std::hint::select_unpredictable;

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
    pub content: Content,
    /// Last use.
    stamp: u64,
}

impl Segment {
    fn overlaps(&self, lbn: u64, end: u64) -> bool {
        (self.content != Content::Empty) & (lbn < self.end) & (self.start < end)
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
    size: u64,
    dedicated: bool,
    hits_on_writes: bool,
    caching: bool,
    clock: u64,
}

impl Buffer {
    /// Empty segments.
    #[must_use]
    pub fn new(plan: &BufferPlan) -> Self {
        let count = plan.segments.max(1);
        Self {
            segments: vec![Segment::default(); count],
            size: plan.segment_sectors.max(1),
            dedicated: plan.dedicated_write_segment && count > 1,
            hits_on_writes: plan.read_hits_on_writes,
            caching: plan.caching,
            clock: 0,
        }
    }

    fn for_reads(&self) -> usize {
        self.segments.len() - usize::from(self.dedicated)
    }

    /// The segment that holds `lbn`, and whether it holds everything up to `end`. `reading` is being filled: the
    /// sector that comes next into it counts as held. Of segments that are as good, the one used last: which place a
    /// segment has in the buffer never counts, so that states that differ in it alone are one.
    #[must_use]
    pub fn find(&self, lbn: u64, end: u64, reading: Option<usize>) -> (Hit, usize) {
        let mut best = (Hit::Miss, 0, (0u8, 0));
        if !self.caching {
            return (Hit::Miss, 0);
        }
        for (index, s) in self.segments[..self.for_reads()].iter().enumerate() {
            let is_reading = reading == Some(index);
            // Without short-circuits: each of the comparisons goes either way, their conjunction seldom holds.
            let inside = (s.start <= lbn) & ((lbn < s.end) | (is_reading & (lbn == s.end)));
            if !inside {
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
            if (value, s.stamp) > best.2 {
                best = (hit, index, (value, s.stamp));
            }
        }
        (best.0, best.1)
    }

    /// What a read finds, as ranges of LBNs. `reading` is being filled, as in [`Self::find`].
    pub fn held(&self, reading: Option<usize>) -> impl Iterator<Item = (u64, u64)> + '_ {
        let segments = if self.caching { &self.segments[..self.for_reads()] } else { &[] };
        segments.iter().enumerate().filter_map(move |(index, s)| match s.content {
            Content::Empty => None,
            Content::Written | Content::Dirty if !self.hits_on_writes => None,
            _ => Some((s.start, s.end + u64::from(reading == Some(index)))),
        })
    }

    /// The segment for a read that misses: empty, else least recently used, else the one being filled.
    #[must_use]
    pub fn victim(&self, reading: Option<usize>) -> Option<usize> {
        Self::least(&self.segments[..self.for_reads()], reading, |_| false)
    }

    /// The segment for a write: one that the write makes stale, else as for reads.
    #[must_use]
    pub fn write_victim(&self, lbn: u64, end: u64, reading: Option<usize>) -> Option<usize> {
        let from = if self.dedicated { self.segments.len() - 1 } else { 0 };
        Self::least(&self.segments[from..], reading.and_then(|r| r.checked_sub(from)), |s| {
            s.overlaps(lbn, end)
        })
        .map(|index| index + from)
    }

    fn least(
        segments: &[Segment],
        reading: Option<usize>,
        stale: impl Fn(&Segment) -> bool,
    ) -> Option<usize> {
        // Rank in the upper bits, last use below: the least key wins, the first of equals.
        let key = |index: usize, s: &Segment| {
            let rank = match s.content {
                Content::Dirty => return u64::MAX,
                _ if reading == Some(index) => 3,
                _ if stale(s) => 0,
                Content::Empty => 1,
                _ => 2,
            };
            (rank << 60) | s.stamp
        };
        let (mut best, mut least) = (None, u64::MAX);
        for (index, s) in segments.iter().enumerate() {
            let key = key(index, s);
            best = select_unpredictable(key < least, Some(index), best);
            least = least.min(key);
        }
        best
    }

    /// Marks a use.
    pub fn touch(&mut self, index: usize) {
        self.clock += 1;
        self.segments[index].stamp = self.clock;
    }

    /// Empties clean segments other than `except` that hold any of the sectors.
    pub fn invalidate(&mut self, lbn: u64, end: u64, except: usize) {
        for (index, s) in self.segments.iter_mut().enumerate() {
            if index != except && s.content != Content::Dirty && s.overlaps(lbn, end) {
                s.content = Content::Empty;
            }
        }
    }

    /// Extends a segment to `end`; the oldest sectors give way.
    pub fn extend(&mut self, index: usize, end: u64) {
        let size = self.size;
        let s = &mut self.segments[index];
        s.end = end;
        s.start = s.start.max(end.saturating_sub(size));
    }
}
