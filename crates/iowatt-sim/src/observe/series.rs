//! Response times in blocks of time: what a distribution was while it lasted, which one histogram of a run cannot say.
//!
//! A block holds the requests that completed in it, by point of observation, workload and direction: how many, the sum and the
//! longest of their response times, and a sparse histogram of 256 bins to the octave. Blocks of all classes have the same edges.
//! Where no width is asked for, it begins at a millisecond and doubles, so that a run longer than half a second has 256 to 512
//! blocks, and runs of equal length have blocks of equal width.
//!
//! A request costs little when it completes: its bin goes to the end of a log, of which blocks are ranges, so that joining
//! blocks moves nothing. The log is counted into the blocks' histograms when it is full. Memory is bounded by its length, and
//! neighbours are joined where there would be too many blocks or bins.

mod merge;

use crate::clock::Nanos;

/// Width that the automatic one begins with: 1 ms.
const FIRST_WIDTH: Nanos = 1_000_000;
/// Blocks kept at most where the width was left to us.
const MOST_AUTOMATIC: usize = 512;
/// Blocks kept at most of a width that was asked for.
const MOST_ASKED: usize = 20_000;
/// Bins of blocks kept at most, over all classes: 32 MiB.
const MOST_BINS: usize = 1 << 22;
/// Requests of a class that are not counted yet at most: 128 KiB.
const MOST_LOGGED: usize = 1 << 16;

/// Bins to the octave, as a power of two.
const BITS: u32 = 8;
/// Longest response time told apart, as in the histograms of the whole run: a thousand hours, in octave 51.
const LONGEST: Nanos = super::LONGEST;
/// Number of bins: values under 512 ns have one each.
const BINS: usize = bin_of(LONGEST) + 1;

/// Where response times are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Point {
    /// At the host, from arrival to completion: what every other figure is about.
    Host = 0,
    /// At the switch of the path that is told to watch.
    Switch = 1,
    /// At the array's port.
    Array = 2,
}

/// Number of points of observation.
pub(crate) const POINTS: usize = 3;

/// A block of a class.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Requests.
    pub count: u64,
    /// Sum of their response times.
    pub sum: u128,
    /// The longest of them.
    pub longest: Nanos,
    /// Requests that `bins` holds; the others are in the log.
    counted: u64,
    /// Bins that hold something, ascending: number and requests.
    bins: Vec<(u16, u32)>,
}

/// The blocks of a point, a workload and a direction.
#[derive(Clone, Debug, Default)]
struct Class {
    blocks: Vec<Block>,
    /// Number of the block asked for last, which is there, and its span: nearly always the next one asked for, too.
    current: usize,
    first: Nanos,
    length: Nanos,
    /// Bins of requests that are not counted yet, in order of their blocks.
    log: Vec<u16>,
}

/// Response times of a run in blocks of time.
#[derive(Clone, Debug)]
pub struct Series {
    start: Nanos,
    width: Nanos,
    most: usize,
    /// Points outermost, then workloads, then directions.
    classes: Vec<Class>,
    workloads: usize,
    counter: Counter,
    /// Bins of blocks, over all classes.
    kept: usize,
}

impl Series {
    /// Blocks of `width` from `start`; without a width, of 1 ms and wider as the run grows longer.
    #[must_use]
    pub fn new(start: Nanos, width: Option<Nanos>, workloads: usize) -> Self {
        Self {
            start,
            width: width.unwrap_or(FIRST_WIDTH).max(1),
            most: if width.is_some() { MOST_ASKED } else { MOST_AUTOMATIC },
            classes: vec![Class::default(); POINTS * workloads * 2],
            workloads,
            counter: Counter::default(),
            kept: 0,
        }
    }

    /// Width in use.
    #[must_use]
    pub fn width(&self) -> Nanos {
        self.width
    }

    /// A request completes at `at`, not before the start, after `response`. `way` is 0 of a read, 1 of a write.
    #[inline]
    pub fn record(&mut self, at: Nanos, point: Point, workload: usize, way: usize, response: Nanos) {
        let number = (point as usize * self.workloads + workload) * 2 + way;
        let class = &self.classes[number];
        if at.wrapping_sub(class.first) >= class.length || class.log.len() >= MOST_LOGGED {
            self.open(number, at);
        }
        let class = &mut self.classes[number];
        let block = &mut class.blocks[class.current];
        block.count += 1;
        block.sum += u128::from(response);
        block.longest = block.longest.max(response);
        class.log.push(bin_of(response.min(LONGEST)) as u16);
    }

    /// Makes the block that `at` belongs to the current one of a class, and room in its log.
    #[inline(never)]
    fn open(&mut self, number: usize, at: Nanos) {
        // As in the intervals: a completion belongs to the block that it ends.
        let since = (at - self.start).saturating_sub(1);
        self.cover(since);
        let mut current = (since / self.width) as usize;
        let class = &self.classes[number];
        if current < class.current || class.log.len() >= MOST_LOGGED {
            self.count(number);
            self.cover(since);
            current = (since / self.width) as usize;
        }
        let (from, until) = (self.start + current as u64 * self.width, self.width);
        let class = &mut self.classes[number];
        if class.blocks.len() <= current {
            class.blocks.resize(current + 1, Block::default());
        }
        class.current = current;
        // The first block takes its start, too.
        (class.first, class.length) = if current == 0 { (from, until + 1) } else { (from + 1, until) };
    }

    /// Joins neighbours until there are not too many blocks with the one that holds `since`, nor too many bins.
    fn cover(&mut self, since: Nanos) {
        let many = |s: &Self| s.kept > MOST_BINS && s.classes.iter().any(|class| class.blocks.len() > 1);
        while since / self.width >= self.most as u64 || many(self) {
            self.width *= 2;
            self.kept = self.classes.iter_mut().map(Class::join_neighbours).sum();
        }
    }

    /// Counts the log of a class into its blocks.
    fn count(&mut self, number: usize) {
        let Class { blocks, log, .. } = &mut self.classes[number];
        let mut from = 0;
        for block in blocks.iter_mut().filter(|block| block.count > block.counted) {
            let until = from + (block.count - block.counted) as usize;
            let bins = self.counter.count(&log[from..until]);
            self.kept -= block.bins.len();
            block.bins = merged(std::mem::take(&mut block.bins), bins);
            self.kept += block.bins.len();
            block.counted = block.count;
            from = until;
        }
        log.clear();
    }

    /// Ends the series with a window that ends at `end`.
    pub fn finish(&mut self, end: Nanos) {
        for number in 0..self.classes.len() {
            self.count(number);
        }
        self.cover(end.saturating_sub(self.start).saturating_sub(1));
    }

    /// The blocks of a class up to the last that holds a request, none of a class without any. Ask after [`Self::finish`].
    #[must_use]
    pub fn blocks(&self, point: usize, workload: usize, way: usize) -> &[Block] {
        &self.classes[(point * self.workloads + workload) * 2 + way].blocks
    }

    /// Span of block `index` of a window that ends at `end`.
    #[must_use]
    pub fn span(&self, index: usize, end: Nanos) -> (Nanos, Nanos) {
        let from = self.start + index as u64 * self.width;
        (from, (from + self.width).min(end.max(from)))
    }

    /// Number of blocks of a window that ends at `end`.
    #[must_use]
    pub fn count_until(&self, end: Nanos) -> usize {
        end.saturating_sub(self.start).div_ceil(self.width) as usize
    }
}

impl Class {
    /// Blocks become half as many, twice as wide; those in the log stay in order. Returns how many bins there are.
    fn join_neighbours(&mut self) -> usize {
        for index in 0..self.blocks.len().div_ceil(2) {
            let mut block = std::mem::take(&mut self.blocks[2 * index]);
            if let Some(other) = self.blocks.get_mut(2 * index + 1) {
                block.add(std::mem::take(other));
            }
            self.blocks[index] = block;
        }
        self.blocks.truncate(self.blocks.len().div_ceil(2));
        // The next request finds its block anew.
        self.current /= 2;
        self.length = 0;
        self.blocks.iter().map(|block| block.bins.len()).sum()
    }
}

impl Block {
    /// Bins that hold something, ascending: lowest and highest value (both included, ns), requests.
    pub fn bins(&self) -> impl Iterator<Item = (Nanos, Nanos, u64)> + '_ {
        self.bins.iter().map(|&(bin, count)| {
            let (low, high) = edges(usize::from(bin));
            (low, high, u64::from(count))
        })
    }

    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.longest = self.longest.max(other.longest);
        self.counted += other.counted;
        self.bins = merged(std::mem::take(&mut self.bins), other.bins);
    }
}

/// Counts bins: what it counted is zero again afterwards.
#[derive(Clone, Debug)]
struct Counter {
    counts: Vec<u32>,
    /// Which of them are not zero, a bit each: the bins in order, without sorting.
    held: [u64; BINS.div_ceil(64)],
}

impl Default for Counter {
    fn default() -> Self {
        Self { counts: vec![0; BINS], held: [0; BINS.div_ceil(64)] }
    }
}

impl Counter {
    fn count(&mut self, log: &[u16]) -> Vec<(u16, u32)> {
        let (mut lowest, mut highest) = (u16::MAX, 0);
        for &bin in log {
            self.counts[usize::from(bin)] += 1;
            self.held[usize::from(bin >> 6)] |= 1 << (bin & 63);
            (lowest, highest) = (lowest.min(bin), highest.max(bin));
        }
        if log.is_empty() {
            return Vec::new();
        }
        let words = usize::from(lowest >> 6)..=usize::from(highest >> 6);
        let distinct = self.held[words.clone()].iter().map(|word| word.count_ones() as usize).sum();
        let mut bins = Vec::with_capacity(distinct);
        for word in words {
            let mut left = std::mem::take(&mut self.held[word]);
            while left != 0 {
                let bin = word * 64 + left.trailing_zeros() as usize;
                bins.push((bin as u16, std::mem::take(&mut self.counts[bin])));
                left &= left - 1;
            }
        }
        bins
    }
}

/// Two ascending lists of bins as one.
fn merged(a: Vec<(u16, u32)>, b: Vec<(u16, u32)>) -> Vec<(u16, u32)> {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b } else { a };
    }
    let mut bins = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let ((left, m), (right, n)) = (a[i], b[j]);
        i += usize::from(left <= right);
        j += usize::from(right <= left);
        bins.push(match left.cmp(&right) {
            std::cmp::Ordering::Less => (left, m),
            std::cmp::Ordering::Greater => (right, n),
            std::cmp::Ordering::Equal => (left, m.saturating_add(n)),
        });
    }
    bins.extend_from_slice(&a[i..]);
    bins.extend_from_slice(&b[j..]);
    bins.shrink_to_fit();
    bins
}

/// Bin of a response time: the octave and the next eight bits; values under 512 ns are their own.
const fn bin_of(response: Nanos) -> usize {
    if response < 1 << (BITS + 1) {
        return response as usize;
    }
    let shift = 63 - BITS - response.leading_zeros();
    ((shift as usize) << BITS) + (response >> shift) as usize
}

/// Lowest and highest value of a bin.
const fn edges(bin: usize) -> (Nanos, Nanos) {
    if bin < 1 << (BITS + 1) {
        return (bin as u64, bin as u64);
    }
    let shift = (bin >> BITS) - 1;
    let low = ((bin - (shift << BITS)) as u64) << shift;
    (low, low + (1 << shift) - 1)
}

#[cfg(test)]
#[path = "series/tests.rs"]
mod tests;
