//! What a workload used, and in which order: blocks in a least-recently-used stack that all its streams share.
//!
//! The stack is an array of time slots with a Fenwick tree over the living ones, as in `reuse`, and a map from
//! blocks to slots, since here requests, not depths, say what is used.

use std::collections::HashMap;

const FREE: u64 = u64::MAX;
/// Blocks remembered at most; beyond, those used longest ago are forgotten.
const MOST_BLOCKS: usize = 1 << 24;
const FEWEST_SLOTS: usize = 1 << 10;

/// Blocks in order of last use, and where the last request ended.
#[derive(Debug, Default)]
pub struct Memory {
    block_bytes: u64,
    slots: Vec<u64>,
    /// First byte and size of the request that used the slot's block.
    asked: Vec<(u64, u64)>,
    counts: Vec<u32>,
    next: usize,
    of: HashMap<u64, usize>,
    end: Option<u64>,
}

impl Memory {
    /// A memory of blocks of this size; of none, where it is zero: then only the last end is kept.
    #[must_use]
    pub fn new(block_bytes: u64) -> Self {
        Self { block_bytes, ..Self::default() }
    }

    /// Where the last request ended.
    #[must_use]
    pub fn end(&self) -> Option<u64> {
        self.end
    }

    /// Whether the block at this byte was used.
    #[must_use]
    pub fn knows(&self, offset: u64) -> bool {
        self.block_bytes > 0 && self.of.contains_key(&(offset / self.block_bytes))
    }

    /// Blocks in the stack.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.of.len() as u64
    }

    /// First byte and size of the request that last used the block at `depth` (1: used last).
    #[must_use]
    pub fn at(&self, depth: u64) -> Option<(u64, u64)> {
        let living = self.of.len() as u64;
        let rank = (living + 1).checked_sub(depth).filter(|&rank| rank >= 1 && rank <= living)?;
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
        Some(self.asked[at])
    }

    /// Notes a request.
    pub fn note(&mut self, offset: u64, size: u64) {
        self.end = Some(offset + size);
        if self.block_bytes == 0 {
            return;
        }
        for block in offset / self.block_bytes..=(offset + size.max(1) - 1) / self.block_bytes {
            if self.next == self.slots.len() {
                self.compact();
            }
            let slot = self.next;
            self.next += 1;
            if let Some(before) = self.of.insert(block, slot) {
                self.slots[before] = FREE;
                self.add(before, -1);
            }
            self.slots[slot] = block;
            self.asked[slot] = (offset, size);
            self.add(slot, 1);
        }
    }

    fn add(&mut self, slot: usize, change: i32) {
        let mut at = slot + 1;
        while at < self.counts.len() {
            self.counts[at] = self.counts[at].wrapping_add_signed(change);
            at += at & at.wrapping_neg();
        }
    }

    /// Moves the living slots together and makes as many free ones.
    fn compact(&mut self) {
        let forgotten = self.of.len().saturating_sub(MOST_BLOCKS);
        let used = self.slots.iter().copied().zip(self.asked.iter().copied());
        let mut living: Vec<(u64, (u64, u64))> = used.filter(|&(block, _)| block != FREE).collect();
        for (block, _) in living.drain(..forgotten) {
            self.of.remove(&block);
        }
        self.next = living.len();
        let slots = (2 * living.len()).max(FEWEST_SLOTS);
        self.counts.clear();
        self.counts.resize(slots + 1, 0);
        for at in 1..=slots {
            self.counts[at] += u32::from(at <= living.len());
            let above = at + (at & at.wrapping_neg());
            if above <= slots {
                self.counts[above] += self.counts[at];
            }
        }
        living.resize(slots, (FREE, (0, 0)));
        (self.slots, self.asked) = living.into_iter().unzip();
        for (slot, block) in self.slots[..self.next].iter().enumerate() {
            self.of.insert(*block, slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_uses_all_its_blocks() {
        let mut memory = Memory::new(4096);
        memory.note(4096, 8192);
        memory.note(0, 512);
        let order: Vec<_> = (1..=4).map(|depth| memory.at(depth)).collect();
        assert_eq!(order, [Some((0, 512)), Some((4096, 8192)), Some((4096, 8192)), None]);
        assert_eq!((memory.end(), memory.at(0)), (Some(512), None));
        assert!(memory.knows(4097) && !memory.knows(1 << 20));
    }

    proptest! {
        #[test]
        fn as_a_list_moved_to_front(uses in proptest::collection::vec(0_u64..600, 1..4000)) {
            let mut memory = Memory::new(1);
            let mut list: Vec<u64> = Vec::new();
            for block in uses {
                memory.note(block, 1);
                list.retain(|&other| other != block);
                list.insert(0, block);
            }
            for (depth, &block) in list.iter().enumerate() {
                prop_assert_eq!(memory.at(depth as u64 + 1), Some((block, 1)));
            }
            prop_assert_eq!(memory.at(list.len() as u64 + 1), None);
        }
    }
}
