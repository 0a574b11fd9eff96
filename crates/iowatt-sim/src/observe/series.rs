//! Response times in blocks of time: what a distribution was while it lasted, which one histogram of a run cannot say.
//!
//! A block holds the requests that completed in it, by point of observation, workload and direction: how many, the sum and the
//! longest of their response times, and a sparse histogram of 256 bins to the octave. Blocks of all classes have the same edges.
//! Where no width is asked for, it begins at a millisecond and doubles, so that a run longer than half a second has 256 to 512
//! blocks, and runs of equal length have blocks of equal width. Memory is bounded: of each class one dense histogram is open,
//! closed blocks keep the bins that hold something, and neighbours are joined where there would be too many blocks or bins.

use crate::clock::Nanos;

/// Width that the automatic one begins with: 1 ms.
const FIRST_WIDTH: Nanos = 1_000_000;
/// Blocks kept at most where the width was left to us.
const MOST_AUTOMATIC: usize = 512;
/// Blocks kept at most of a width that was asked for.
const MOST_ASKED: usize = 20_000;
/// Bins of closed blocks kept at most, over all classes: 32 MiB.
const MOST_BINS: usize = 1 << 22;

/// Bins to the octave, as a power of two.
const BITS: u32 = 8;
/// Longest response time told apart, as in the histograms of the whole run: a thousand hours, in octave 51.
const LONGEST: Nanos = super::LONGEST;
/// Bins of an open block: values under 512 ns have one each.
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

/// A closed block of a class.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Requests.
    pub count: u64,
    /// Sum of their response times.
    pub sum: u128,
    /// The longest of them.
    pub longest: Nanos,
    /// Bins that hold something, ascending: number and requests.
    bins: Vec<(u16, u32)>,
}

/// The blocks of a point, a workload and a direction.
#[derive(Clone, Debug, Default)]
struct Class {
    blocks: Vec<Block>,
    /// Number of the block that is open, and its span from the start.
    current: usize,
    from: Nanos,
    until: Nanos,
    /// What the open block gained since it was opened.
    open: Block,
    /// Its bins, dense; empty before the first request of the class.
    dense: Vec<u32>,
    /// Which of them hold something, in order of their first request.
    touched: Vec<u16>,
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
    /// Bins of closed blocks, over all classes.
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
        // As in the intervals: a completion belongs to the block that it ends.
        let since = (at - self.start).saturating_sub(1);
        let class = &self.classes[number];
        if since < class.from || since >= class.until {
            self.open(number, since);
        }
        let class = &mut self.classes[number];
        class.open.count += 1;
        class.open.sum += u128::from(response);
        class.open.longest = class.open.longest.max(response);
        let bin = bin_of(response.min(LONGEST));
        let count = &mut class.dense[bin];
        if *count == 0 {
            class.touched.push(bin as u16);
        }
        *count = count.saturating_add(1);
    }

    /// Closes what is open of a class and opens the block that holds `since` the start, which may be one that was closed.
    #[inline(never)]
    fn open(&mut self, number: usize, since: Nanos) {
        self.close(number);
        self.cover(since);
        let (width, current) = (self.width, (since / self.width) as usize);
        let class = &mut self.classes[number];
        if class.dense.is_empty() {
            class.dense.resize(BINS, 0);
        }
        class.current = current;
        (class.from, class.until) = (current as u64 * width, (current as u64 + 1) * width);
    }

    /// Joins neighbours until there are not too many blocks with the one that holds `since`, nor too many bins.
    fn cover(&mut self, since: Nanos) {
        let many = |s: &Self| s.kept > MOST_BINS && s.classes.iter().any(|class| class.blocks.len() > 1);
        while since / self.width >= self.most as u64 || many(self) {
            self.width *= 2;
            self.kept = 0;
            for class in &mut self.classes {
                class.join_neighbours(self.width);
                self.kept += class.blocks.iter().map(|block| block.bins.len()).sum::<usize>();
            }
        }
    }

    fn close(&mut self, number: usize) {
        let class = &mut self.classes[number];
        if class.open.count == 0 {
            return;
        }
        let Class { blocks, current, open, dense, touched, .. } = class;
        touched.sort_unstable();
        open.bins = touched.iter().map(|&bin| (bin, std::mem::take(&mut dense[usize::from(bin)]))).collect();
        touched.clear();
        if blocks.len() <= *current {
            blocks.resize(*current + 1, Block::default());
        }
        let block = &mut blocks[*current];
        self.kept -= block.bins.len();
        block.add(std::mem::take(open));
        self.kept += block.bins.len();
    }

    /// Ends the series with a window that ends at `end`.
    pub fn finish(&mut self, end: Nanos) {
        for number in 0..self.classes.len() {
            self.close(number);
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
    pub fn count(&self, end: Nanos) -> usize {
        end.saturating_sub(self.start).div_ceil(self.width) as usize
    }
}

impl Class {
    /// Blocks become half as many of the given width; the open one stays open.
    fn join_neighbours(&mut self, width: Nanos) {
        for index in 0..self.blocks.len().div_ceil(2) {
            let mut block = std::mem::take(&mut self.blocks[2 * index]);
            if let Some(other) = self.blocks.get_mut(2 * index + 1) {
                block.add(std::mem::take(other));
            }
            self.blocks[index] = block;
        }
        self.blocks.truncate(self.blocks.len().div_ceil(2));
        if self.until > 0 {
            self.current /= 2;
            self.from = self.current as u64 * width;
            self.until = self.from + width;
        }
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
        if self.bins.is_empty() {
            self.bins = other.bins;
        } else if !other.bins.is_empty() {
            self.bins = merged(&self.bins, &other.bins);
        }
    }
}

/// Two ascending lists of bins as one.
fn merged(a: &[(u16, u32)], b: &[(u16, u32)]) -> Vec<(u16, u32)> {
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
