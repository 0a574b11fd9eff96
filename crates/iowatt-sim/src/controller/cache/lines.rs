//! The lines of a cache: a slab with its own hash index by address.
//!
//! A line is divided into at most 64 granules, so that what is valid, dirty or being destaged of it are
//! three words. Lines are made as they are needed; memory follows what a workload touches.

use crate::controller::back_end::NONE;

/// The address of a line: its pool and its number there.
#[must_use]
pub fn key_of(pool: u32, number: u64) -> u64 {
    u64::from(pool) << POOL_SHIFT | number
}

/// Bits of a key that number the lines of a pool.
const POOL_SHIFT: u32 = 44;

/// Pool and line number of a key.
#[must_use]
pub fn address_of(key: u64) -> (u32, u64) {
    ((key >> POOL_SHIFT) as u32, key & ((1 << POOL_SHIFT) - 1))
}

/// One line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Its address, see [`key_of`].
    pub key: u64,
    /// Granules whose data is here.
    pub valid: u64,
    /// Granules written since they were last destaged; a subset of `valid`.
    pub dirty: u64,
    /// Granules that a destage under way writes. One written meanwhile is dirty too.
    pub destaging: u64,
    /// Granules that a request under way brings.
    pub coming: u64,
    /// Granules that were read ahead and not asked for yet.
    pub ahead: u64,
    /// The back-end request that fills it, or [`NONE`].
    pub fetch: u32,
    /// Whether it was written again while it was dirty, since the destager last passed.
    pub hot: bool,
    /// Whether the destager has it on its list.
    pub listed: bool,
    /// Next line of the same bucket.
    chain: u32,
}

impl Line {
    /// Whether it holds data that is nowhere else.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.dirty | self.destaging != 0
    }

    /// Whether it may give way.
    #[must_use]
    pub fn is_evictable(&self) -> bool {
        !self.is_held() && self.fetch == NONE
    }
}

/// All lines.
#[derive(Debug, Default)]
pub struct Lines {
    lines: Vec<Line>,
    /// First line of each bucket; a power of two of them, at least one a line.
    buckets: Vec<u32>,
    shift: u32,
    /// Lines without an address.
    free: Vec<u32>,
}

impl Lines {
    /// Lines that hold an address.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len() - self.free.len()
    }

    /// Lines made so far, those without an address included: they are empty.
    #[must_use]
    pub fn made(&self) -> u32 {
        self.lines.len() as u32
    }

    /// Line number `slot`.
    #[must_use]
    pub fn get(&self, slot: u32) -> &Line {
        &self.lines[slot as usize]
    }

    /// Line number `slot`, to change all but its address.
    pub fn get_mut(&mut self, slot: u32) -> &mut Line {
        &mut self.lines[slot as usize]
    }

    /// The line of an address.
    #[must_use]
    pub fn find(&self, key: u64) -> Option<u32> {
        let mut slot = *self.buckets.get(self.bucket(key))?;
        while slot != NONE {
            let line = &self.lines[slot as usize];
            if line.key == key {
                return Some(slot);
            }
            slot = line.chain;
        }
        None
    }

    /// Makes an empty line for an address that has none.
    pub fn add(&mut self, key: u64) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.lines[slot as usize] = empty(key);
            self.link(slot);
            return slot;
        }
        if self.lines.len() >= self.buckets.len() {
            self.grow();
        }
        let slot = self.lines.len() as u32;
        self.lines.push(empty(key));
        self.link(slot);
        slot
    }

    /// Gives a line to another address that has none; it is empty then.
    pub fn reuse(&mut self, slot: u32, key: u64) {
        self.unlink(slot);
        self.lines[slot as usize] = empty(key);
        self.link(slot);
    }

    /// Takes the address of an evictable line from it.
    pub fn drop(&mut self, slot: u32) {
        self.unlink(slot);
        self.lines[slot as usize] = empty(u64::MAX);
        self.free.push(slot);
    }

    fn unlink(&mut self, slot: u32) {
        let bucket = self.bucket(self.lines[slot as usize].key);
        let next = self.lines[slot as usize].chain;
        if self.buckets[bucket] == slot {
            self.buckets[bucket] = next;
        } else {
            let mut before = self.buckets[bucket];
            while self.lines[before as usize].chain != slot {
                before = self.lines[before as usize].chain;
            }
            self.lines[before as usize].chain = next;
        }
    }

    fn link(&mut self, slot: u32) {
        let bucket = self.bucket(self.lines[slot as usize].key);
        self.lines[slot as usize].chain = self.buckets[bucket];
        self.buckets[bucket] = slot;
    }

    fn grow(&mut self) {
        let count = (self.buckets.len() * 2).max(1_024);
        self.buckets.clear();
        self.buckets.resize(count, NONE);
        self.shift = 64 - count.trailing_zeros();
        // Only a cache without free lines grows.
        for slot in 0..self.lines.len() as u32 {
            self.link(slot);
        }
    }

    /// Multiplicative hashing: the upper bits of the product are the bucket.
    fn bucket(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }
}

fn empty(key: u64) -> Line {
    Line {
        key,
        valid: 0,
        dirty: 0,
        destaging: 0,
        coming: 0,
        ahead: 0,
        fetch: NONE,
        hot: false,
        listed: false,
        chain: NONE,
    }
}

#[cfg(test)]
#[allow(clippy::iter_over_hash_type)] // the order does not matter here
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn finds_what_a_map_finds(steps in prop::collection::vec((0u64..60, 0u32..4, any::<u32>()), 0..400)) {
            let (mut lines, mut map) = (Lines::default(), HashMap::new());
            for (number, pool, pick) in steps {
                let key = key_of(pool, number);
                prop_assert_eq!(address_of(key), (pool, number));
                prop_assert_eq!(lines.find(key), map.get(&key).copied());
                if let Some(&slot) = map.get(&key) {
                    if pool == 3 {
                        lines.drop(slot);
                        map.remove(&key);
                        prop_assert_eq!(lines.find(key), None);
                        prop_assert_eq!(lines.len(), map.len());
                    }
                    continue;
                }
                let slot = if lines.len() < 20 {
                    lines.add(key)
                } else {
                    let slot = pick % lines.made();
                    map.remove(&lines.get(slot).key);
                    lines.reuse(slot, key);
                    slot
                };
                map.insert(key, slot);
            }
            for (key, slot) in map {
                prop_assert_eq!(lines.find(key), Some(slot));
            }
        }
    }

    #[test]
    fn grows_past_its_first_buckets() {
        let mut lines = Lines::default();
        for number in 0..5_000 {
            lines.add(key_of(1, number * 7));
        }
        assert!((0..5_000).all(|n| lines.find(key_of(1, n * 7)) == Some(n as u32)));
        assert_eq!(lines.find(key_of(1, 1)), None);
    }
}
