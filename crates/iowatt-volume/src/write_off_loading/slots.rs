//! Blocks of a log: taken in order of address, as a log is written, and given back in any order.

/// Which blocks are in use.
#[derive(Debug)]
pub struct Slots {
    words: Vec<u64>,
    count: u32,
    free: u32,
    /// Where the next search begins.
    cursor: u32,
}

impl Slots {
    /// So many blocks, all free.
    #[must_use]
    pub fn new(count: u32) -> Self {
        Self { words: vec![0; count.div_ceil(64) as usize], count, free: count, cursor: 0 }
    }

    /// Blocks in all.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Free ones.
    #[must_use]
    pub fn free(&self) -> u32 {
        self.free
    }

    /// Whether a block is in use.
    #[must_use]
    pub fn is_used(&self, slot: u32) -> bool {
        self.words[slot as usize / 64] >> (slot % 64) & 1 == 1
    }

    /// Takes up to `most` free blocks that lie one behind the other, the next after those taken last: the first and how many.
    pub fn take(&mut self, most: u32) -> Option<(u32, u32)> {
        if self.free == 0 || most == 0 {
            return None;
        }
        let first = self.next_free(self.cursor).or_else(|| self.next_free(0))?;
        let mut taken = 0;
        while taken < most && first + taken < self.count && !self.is_used(first + taken) {
            let slot = first + taken;
            self.words[slot as usize / 64] |= 1 << (slot % 64);
            taken += 1;
        }
        self.free -= taken;
        self.cursor = (first + taken) % self.count;
        Some((first, taken))
    }

    fn next_free(&self, from: u32) -> Option<u32> {
        let mut word = from as usize / 64;
        let mut open = !self.words[word] & (u64::MAX << (from % 64));
        while open == 0 {
            word += 1;
            open = !*self.words.get(word)?;
        }
        let slot = word as u32 * 64 + open.trailing_zeros();
        (slot < self.count).then_some(slot)
    }

    /// Gives a block back.
    pub fn give(&mut self, slot: u32) {
        debug_assert!(self.is_used(slot), "a free block is given back");
        self.words[slot as usize / 64] &= !(1 << (slot % 64));
        self.free += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_taken_in_order_and_round_the_end() {
        let mut slots = Slots::new(70);
        assert_eq!(slots.take(60), Some((0, 60)));
        for slot in [3, 4, 20] {
            slots.give(slot);
        }
        assert_eq!(slots.take(100), Some((60, 10)), "up to the end");
        assert_eq!((slots.take(9), slots.take(9), slots.take(9)), (Some((3, 2)), Some((20, 1)), None));
        assert_eq!((slots.free(), slots.is_used(20)), (0, true));
    }
}
