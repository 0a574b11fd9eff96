//! Reuse distances: an LRU stack whose depths are drawn (Mattson's stack model, the other way round). The
//! profile gives a curve of hits: which share of references an LRU cache of so many blocks would hit. A
//! reference that no cache of the curve would hit goes to a block not used before, or, once all were used, to
//! the one used longest ago.
//!
//! The stack is an array of time slots with a Fenwick tree that counts the living ones, so that the block at a
//! depth is found, and moved to the top, in logarithmic time. Both are allocated once; the slots are
//! compacted when they run out.

use super::{Range, Scatter};
use crate::plan::{HitPlan, Order};
use crate::rng::Draws;

/// Blocks held at most: 16 bytes each.
const MOST_BLOCKS: u64 = 1 << 27;
const FREE: u32 = u32::MAX;

/// Blocks in order of last use.
#[derive(Debug)]
pub struct LruStack {
    /// Block of each slot, or `FREE`; newer blocks lie higher.
    slots: Vec<u32>,
    /// Fenwick tree over living slots.
    counts: Vec<u32>,
    next: usize,
    living: usize,
}

impl LruStack {
    /// An empty stack for at most `blocks` blocks.
    #[must_use]
    pub fn new(blocks: usize) -> Self {
        let slots = (blocks * 2).max(16);
        Self { slots: vec![FREE; slots], counts: vec![0; slots + 1], next: 0, living: 0 }
    }

    /// Blocks in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.living
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.living == 0
    }

    /// Takes the block at `depth` (0: used last) and puts it on top.
    pub fn touch(&mut self, depth: usize) -> Option<u32> {
        if depth >= self.living {
            return None;
        }
        let slot = self.slot_of_rank(self.living - depth);
        let block = self.slots[slot];
        self.slots[slot] = FREE;
        self.add(slot, -1);
        self.living -= 1;
        self.push(block);
        Some(block)
    }

    /// Puts a block that is not in it on top.
    pub fn push(&mut self, block: u32) {
        if self.next == self.slots.len() {
            self.compact();
        }
        let slot = self.next;
        self.slots[slot] = block;
        self.next += 1;
        self.add(slot, 1);
        self.living += 1;
    }

    fn add(&mut self, slot: usize, change: i32) {
        let mut at = slot + 1;
        while at < self.counts.len() {
            self.counts[at] = self.counts[at].wrapping_add_signed(change);
            at += at & at.wrapping_neg();
        }
    }

    /// The slot of the living one number `rank` (from 1) from below.
    fn slot_of_rank(&self, rank: usize) -> usize {
        let (mut at, mut left) = (0, rank as u32);
        let mut step = self.counts.len().next_power_of_two() >> 1;
        while step > 0 {
            let to = at + step;
            if to < self.counts.len() && self.counts[to] < left {
                at = to;
                left -= self.counts[to];
            }
            step >>= 1;
        }
        at
    }

    /// Moves the living slots together. At most half of the slots live, so this costs a constant per push.
    fn compact(&mut self) {
        let mut to = 0;
        for from in 0..self.slots.len() {
            let block = self.slots[from];
            if block != FREE {
                self.slots[from] = FREE;
                self.slots[to] = block;
                to += 1;
            }
        }
        self.next = to;
        self.counts.fill(0);
        for at in 1..self.counts.len() {
            self.counts[at] += u32::from(at <= to);
            let above = at + (at & at.wrapping_neg());
            if above < self.counts.len() {
                self.counts[above] += self.counts[at];
            }
        }
    }
}

/// The law.
#[derive(Debug)]
pub struct Reuse {
    stack: LruStack,
    /// Cumulative shares and the depths up to which they reach.
    curve: Vec<(f64, f64)>,
    blocks: u64,
    block_bytes: u64,
    fresh: u64,
    scatter: Option<Scatter>,
}

impl Reuse {
    pub(super) fn new(
        blocks: u64,
        block_bytes: u64,
        hits: &[HitPlan],
        order: Order,
        keys: &mut Draws,
    ) -> Result<Self, String> {
        if blocks > MOST_BLOCKS {
            return Err(format!("{blocks} blocks are more than the {MOST_BLOCKS} that a stack can hold"));
        }
        let mut curve = vec![(0.0, 0.0)];
        for point in hits {
            let last = curve[curve.len() - 1];
            let next = (point.fraction, point.blocks as f64);
            if !(next.0 >= last.0 && next.0 <= 1.0 && next.1 > last.1) {
                return Err("a curve of hits rises: larger caches, shares that do not fall, at most 1".into());
            }
            curve.push(next);
        }
        let scatter = (order == Order::Scattered).then(|| Scatter::new(blocks, keys));
        Ok(Self { stack: LruStack::new(blocks as usize), curve, blocks, block_bytes, fresh: 0, scatter })
    }

    pub(super) fn next(&mut self, range: &Range, draws: &mut Draws, size: u64) -> u64 {
        let block = self.block(draws.unit());
        let place = self.scatter.as_ref().map_or(block, |scatter| scatter.place(block));
        range.within(draws, place, self.block_bytes, size)
    }

    fn block(&mut self, z: f64) -> u64 {
        let above = self.curve.partition_point(|&(share, _)| share <= z);
        if let Some(&(s1, d1)) = self.curve.get(above) {
            let (s0, d0) = self.curve[above - 1];
            let depth = (d0 + (z - s0) / (s1 - s0) * (d1 - d0)) as usize;
            if let Some(block) = self.stack.touch(depth) {
                return u64::from(block);
            }
            // Deeper than the stack is yet: a block not used so far, as for any cold reference.
        }
        if self.fresh < self.blocks {
            let block = self.fresh;
            self.fresh += 1;
            self.stack.push(block as u32);
            return block;
        }
        self.stack.touch(self.stack.len() - 1).map_or(0, u64::from)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::rng::Purpose;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_stack_is_that_of_a_list(depths in proptest::collection::vec(0usize..40, 1..400)) {
            let mut stack = LruStack::new(20);
            let mut list: Vec<u32> = Vec::new();
            for (number, depth) in depths.into_iter().enumerate() {
                if depth < list.len() {
                    let block = list.remove(list.len() - 1 - depth);
                    list.push(block);
                    prop_assert_eq!(stack.touch(depth), Some(block));
                } else if list.len() < 20 {
                    list.push(number as u32);
                    stack.push(number as u32);
                } else {
                    prop_assert_eq!(stack.touch(depth), None);
                }
                prop_assert_eq!(stack.len(), list.len());
            }
        }
    }

    #[test]
    fn an_lru_cache_hits_as_the_curve_says() {
        let hits = [HitPlan { blocks: 100, fraction: 0.5 }, HitPlan { blocks: 1000, fraction: 0.8 }];
        let mut draws = Draws::new(4, Purpose::Stream, 0, 0);
        let range = Range::new(0, 4096 * 50_000, None);
        let mut reuse = Reuse::new(50_000, 4096, &hits, Order::Scattered, &mut draws).unwrap();
        let mut list: Vec<u64> = Vec::new();
        let (mut within_100, mut within_1000) = (0, 0);
        let n = 20_000;
        for i in 0..2 * n {
            let block = reuse.next(&range, &mut draws, 4096) / 4096;
            if let Some(at) = list.iter().rposition(|&b| b == block) {
                let depth = list.len() - 1 - at;
                list.remove(at);
                if i >= n {
                    within_100 += u32::from(depth < 100);
                    within_1000 += u32::from(depth < 1000);
                }
            }
            list.push(block);
        }
        let share = |count: u32| f64::from(count) / f64::from(n);
        // Standard errors 0.0035 and 0.0028.
        assert!((share(within_100) - 0.5).abs() < 0.018, "{}", share(within_100));
        assert!((share(within_1000) - 0.8).abs() < 0.015, "{}", share(within_1000));
    }
}
