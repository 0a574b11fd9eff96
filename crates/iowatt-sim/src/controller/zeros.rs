//! What is known to be all zeros: pages of the address spaces that were last written with nothing but zeros.
//!
//! Bounded: a table of blocks of 64 pages, in sets of eight of which the least recently used gives way. What is
//! forgotten is read from the pools as anything else, so forgetting costs work and no data.

/// Bytes of a page. A write makes pages known only where it covers them whole.
pub const PAGE: u64 = 4_096;
/// Pages of a block: the bits of a word.
const BLOCK: u64 = 64;
const WAYS: usize = 8;
const SETS: usize = 1 << 13;
const EMPTY: u64 = u64::MAX;
/// Bits of a key that number the blocks of a space.
const SPACE_SHIFT: u32 = 44;

#[derive(Clone, Copy, Debug)]
struct Block {
    key: u64,
    pages: u64,
}

/// Pages known to be zero: 65,536 blocks of 256 KiB at most.
#[derive(Debug)]
pub struct Zeros {
    /// Sets one behind the other, the most recently used block of each first.
    blocks: Vec<Block>,
    /// Pages known now.
    known: u64,
}

impl Default for Zeros {
    fn default() -> Self {
        Self { blocks: vec![Block { key: EMPTY, pages: 0 }; SETS * WAYS], known: 0 }
    }
}

impl Zeros {
    /// Bytes `from..until` of a space are zero from now on.
    pub fn write(&mut self, space: u32, from: u64, until: u64) {
        let (first, end) = (from.div_ceil(PAGE), until / PAGE);
        each(space, first, end, |key, pages| {
            let block = self.block(key, true).unwrap_or(0);
            let before = self.blocks[block].pages;
            self.blocks[block].pages |= pages;
            self.known += u64::from((pages & !before).count_ones());
            true
        });
    }

    /// Bytes `from..until` of a space are no longer known to be zero.
    pub fn clear(&mut self, space: u32, from: u64, until: u64) {
        if self.known == 0 {
            return;
        }
        each(space, from / PAGE, until.div_ceil(PAGE), |key, pages| {
            if let Some(block) = self.block(key, false) {
                let before = self.blocks[block].pages;
                self.blocks[block].pages &= !pages;
                self.known -= u64::from((pages & before).count_ones());
            }
            true
        });
    }

    /// Whether bytes `from..until` of a space are all known to be zero.
    pub fn covers(&mut self, space: u32, from: u64, until: u64) -> bool {
        if self.known == 0 || from == until {
            return false;
        }
        let mut all = true;
        each(space, from / PAGE, until.div_ceil(PAGE), |key, pages| {
            all = self.block(key, false).is_some_and(|block| self.blocks[block].pages & pages == pages);
            all
        });
        all
    }

    /// Bytes known to be zero.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.known * PAGE
    }

    /// The place of a block, now the first of its set; where it is not there it takes the last's if asked to.
    fn block(&mut self, key: u64, make: bool) -> Option<usize> {
        let set = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SETS.trailing_zeros())) as usize * WAYS;
        let ways = &mut self.blocks[set..set + WAYS];
        let way = match ways.iter().position(|block| block.key == key) {
            Some(way) => way,
            None if make => {
                self.known -= u64::from(ways[WAYS - 1].pages.count_ones());
                ways[WAYS - 1] = Block { key, pages: 0 };
                WAYS - 1
            }
            None => return None,
        };
        ways[..=way].rotate_right(1);
        Some(set)
    }
}

/// Calls `action` with each block of pages `from..until` and the pages in it, while it returns true.
fn each(space: u32, mut from: u64, until: u64, mut action: impl FnMut(u64, u64) -> bool) {
    while from < until {
        let end = until.min((from / BLOCK + 1) * BLOCK);
        let count = end - from;
        let pages = if count == BLOCK { u64::MAX } else { ((1 << count) - 1) << (from % BLOCK) };
        if !action((u64::from(space) << SPACE_SHIFT) | (from / BLOCK), pages) {
            return;
        }
        from = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn only_whole_pages_become_known() {
        let mut zeros = Zeros::default();
        zeros.write(0, 1, 3 * PAGE);
        assert_eq!(zeros.bytes(), 2 * PAGE);
        assert!(zeros.covers(0, PAGE, 3 * PAGE) && zeros.covers(0, PAGE + 7, PAGE + 8));
        assert!(!zeros.covers(0, 0, PAGE) && !zeros.covers(1, PAGE, 2 * PAGE));
        zeros.clear(0, 2 * PAGE, 2 * PAGE + 1);
        assert!(!zeros.covers(0, 2 * PAGE + 512, 3 * PAGE), "a byte written makes its page unknown");
    }

    #[test]
    fn what_does_not_fit_is_forgotten() {
        let mut zeros = Zeros::default();
        let blocks = (SETS * WAYS) as u64;
        for block in 0..3 * blocks {
            zeros.write(0, block * BLOCK * PAGE, (block * BLOCK + 1) * PAGE);
        }
        let known =
            (0..3 * blocks).filter(|b| zeros.covers(0, b * BLOCK * PAGE, (b * BLOCK + 1) * PAGE)).count();
        assert_eq!(known as u64 * PAGE, zeros.bytes());
        assert!(zeros.bytes() <= blocks * PAGE && zeros.bytes() > blocks * PAGE * 9 / 10, "{known}");
    }

    proptest! {
        /// Never more than was written with zeros last, and all of it while there is room.
        #[test]
        fn knows_what_a_set_knows(steps in prop::collection::vec((0u8..3, 0u64..400, 0u64..200, 0u32..2), 0..100)) {
            let (mut zeros, mut set) = (Zeros::default(), BTreeSet::new());
            for (what, from, pages, space) in steps {
                let (range, until) = (from..from + pages, from + pages);
                match what {
                    0 => {
                        zeros.write(space, from * PAGE, until * PAGE);
                        set.extend(range.map(|page| (space, page)));
                    }
                    1 => {
                        zeros.clear(space, from * PAGE, until * PAGE);
                        set.retain(|&(s, page)| s != space || !range.contains(&page));
                    }
                    _ => {
                        let all = pages > 0 && range.clone().all(|page| set.contains(&(space, page)));
                        prop_assert_eq!(zeros.covers(space, from * PAGE, until * PAGE), all);
                    }
                }
                prop_assert_eq!(zeros.bytes(), set.len() as u64 * PAGE);
            }
        }
    }
}
