//! What is known to be all zeros: pages of volumes that were last written with nothing but zeros.
//!
//! Bounded: a table of blocks of 64 pages, in sets of eight of which the least recently used gives way. The pools never
//! had these zeros, so what is given up must be written to them: [`Zeros::write`] tells what that is.

/// Bytes of a page. A write makes pages known only where it covers them whole.
pub const PAGE: u64 = 4_096;
/// Pages of a block: the bits of a word.
const BLOCK: u64 = 64;
const WAYS: usize = 8;
const SETS: usize = 1 << 13;
const EMPTY: u64 = u64::MAX;
/// Bits of a key that number the blocks of a volume.
const SPACE_SHIFT: u32 = 44;

#[derive(Clone, Copy, Debug)]
struct Block {
    key: u64,
    pages: u64,
}

impl Block {
    /// Each run of its pages, as bytes of its volume.
    fn each_run(mut self, action: GivenUp<'_>) {
        let first = (self.key & ((1 << SPACE_SHIFT) - 1)) * BLOCK;
        while self.pages != 0 {
            let from = self.pages.trailing_zeros();
            let count = (self.pages >> from).trailing_ones();
            let page = first + u64::from(from);
            action((self.key >> SPACE_SHIFT) as u32, page * PAGE, (page + u64::from(count)) * PAGE);
            self.pages &= u64::MAX.checked_shl(from + count).unwrap_or(0);
        }
    }
}

/// Pages known to be zero: 65,536 blocks of 256 KiB at most.
#[derive(Debug)]
pub struct Zeros {
    /// Sets one behind the other, the most recently used block of each first.
    blocks: Vec<Block>,
    /// Bits of a hash that choose the set.
    set_bits: u32,
    /// Pages known now.
    known: u64,
}

impl Default for Zeros {
    fn default() -> Self {
        Self::new(SETS)
    }
}

/// What the table gives up: zeros in `from..until` of a volume that the pools do not have.
pub type GivenUp<'a> = &'a mut dyn FnMut(u32, u64, u64);

impl Zeros {
    /// An empty table of so many sets, at least two, a power of two.
    fn new(sets: usize) -> Self {
        let blocks = vec![Block { key: EMPTY, pages: 0 }; sets * WAYS];
        Self { blocks, set_bits: sets.trailing_zeros(), known: 0 }
    }

    /// Whether bytes `from..until` are whole pages, which alone can be known.
    #[must_use]
    pub fn takes(from: u64, until: u64) -> bool {
        from.is_multiple_of(PAGE) && until.is_multiple_of(PAGE)
    }

    /// Bytes `from..until` of a volume are zero from now on: whole pages, or a piece of such a request, which stands
    /// for the pages that begin in it.
    pub fn write(&mut self, space: u32, from: u64, until: u64, given_up: GivenUp<'_>) {
        let (first, end) = (from.div_ceil(PAGE), until.div_ceil(PAGE));
        each(space, first, end, |key, pages| {
            let block = self.block(key, Some(&mut *given_up)).unwrap_or(0);
            let before = self.blocks[block].pages;
            self.blocks[block].pages |= pages;
            self.known += u64::from((pages & !before).count_ones());
            true
        });
    }

    /// Bytes `from..until` of a volume are no longer known to be zero; they are written by a request for the bytes
    /// `whole`, of which they may be a piece. Where it covers a page that was known in part, the rest is given up.
    pub fn clear(&mut self, space: u32, from: u64, until: u64, whole: (u64, u64), given_up: GivenUp<'_>) {
        if self.known == 0 || from == until {
            return;
        }
        let (first, last) = (from / PAGE, (until - 1) / PAGE);
        for page in [first, last].into_iter().take(if first == last { 1 } else { 2 }) {
            let (start, end) = (page * PAGE, (page + 1) * PAGE);
            if (whole.0 <= start && end <= whole.1) || !self.covers(space, start, end) {
                continue;
            }
            if start < whole.0 {
                given_up(space, start, whole.0);
            }
            if whole.1 < end {
                given_up(space, whole.1, end);
            }
        }
        each(space, from / PAGE, until.div_ceil(PAGE), |key, pages| {
            if let Some(block) = self.block(key, None) {
                let before = self.blocks[block].pages;
                self.blocks[block].pages &= !pages;
                self.known -= u64::from((pages & before).count_ones());
            }
            true
        });
    }

    /// Whether bytes `from..until` of a volume are all known to be zero.
    pub fn covers(&mut self, space: u32, from: u64, until: u64) -> bool {
        if self.known == 0 || from == until {
            return false;
        }
        let mut all = true;
        each(space, from / PAGE, until.div_ceil(PAGE), |key, pages| {
            all = self.block(key, None).is_some_and(|block| self.blocks[block].pages & pages == pages);
            all
        });
        all
    }

    /// Bytes known to be zero.
    #[must_use]
    #[cfg(test)]
    pub fn bytes(&self) -> u64 {
        self.known * PAGE
    }

    /// The place of a block, now the first of its set; where it is not there it takes that of the last, which is given
    /// up, if there is somebody to take it.
    fn block(&mut self, key: u64, given_up: Option<GivenUp<'_>>) -> Option<usize> {
        let set = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.set_bits)) as usize * WAYS;
        let ways = &mut self.blocks[set..set + WAYS];
        let way = if let Some(way) = ways.iter().position(|block| block.key == key) {
            way
        } else {
            let given_up = given_up?;
            let gone = std::mem::replace(&mut ways[WAYS - 1], Block { key, pages: 0 });
            self.known -= u64::from(gone.pages.count_ones());
            gone.each_run(given_up);
            WAYS - 1
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
    use std::collections::BTreeMap;

    /// Nobody: nothing is given up.
    fn none(_: u32, from: u64, until: u64) {
        panic!("{from}..{until} is given up");
    }

    #[test]
    fn a_part_of_a_page_makes_it_unknown_and_its_rest_is_given_up() {
        let mut zeros = Zeros::default();
        assert!(
            Zeros::takes(PAGE, 3 * PAGE) && !Zeros::takes(PAGE, 3 * PAGE - 512) && !Zeros::takes(512, PAGE)
        );
        zeros.write(0, PAGE, 3 * PAGE, &mut none);
        assert!(zeros.covers(0, PAGE, 3 * PAGE) && zeros.covers(0, PAGE + 7, PAGE + 8));
        assert!(!zeros.covers(0, 0, PAGE) && !zeros.covers(1, PAGE, 2 * PAGE));
        let mut given_up = Vec::new();
        let range = (2 * PAGE + 512, 2 * PAGE + 1_024);
        zeros.clear(0, range.0, range.1, range, &mut |_, from, until| given_up.push((from, until)));
        assert_eq!(given_up, [(2 * PAGE, range.0), (range.1, 3 * PAGE)]);
        assert!(!zeros.covers(0, 2 * PAGE + 2_048, 3 * PAGE) && zeros.covers(0, PAGE, 2 * PAGE));
    }

    #[test]
    fn what_does_not_fit_is_given_up() {
        let mut zeros = Zeros::default();
        let blocks = (SETS * WAYS) as u64;
        let mut given_up = 0;
        for block in 0..3 * blocks {
            zeros.write(0, block * BLOCK * PAGE, (block * BLOCK + 1) * PAGE, &mut |_, from, until| {
                given_up += until - from;
            });
        }
        let known =
            (0..3 * blocks).filter(|b| zeros.covers(0, b * BLOCK * PAGE, (b * BLOCK + 1) * PAGE)).count();
        assert_eq!(known as u64 * PAGE, zeros.bytes());
        assert_eq!(given_up + zeros.bytes(), 3 * blocks * PAGE);
        assert!(zeros.bytes() <= blocks * PAGE && zeros.bytes() > blocks * PAGE * 9 / 10, "{known}");
    }

    const SECTOR: u64 = 512;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))] // of up to 120 steps of 600 sectors

        /// Data and zeros are written in whole and in part, in pieces or not, to a table that holds little. Whatever was
        /// written last is there: what the pools have, under what is known to be zero.
        #[test]
        fn no_zeros_are_lost(
            steps in prop::collection::vec((any::<bool>(), 0u64..40_000, 1u64..600, 0u32..2, prop::option::of(1u64..90)), 1..120),
        ) {
            let mut zeros = Zeros::new(2);
            let (mut pools, mut last) = (BTreeMap::new(), BTreeMap::new());
            for (version, (zero, from, count, space, piece)) in (1u64..).zip(steps) {
                let (from, until) = if zero { (from / 8 * 8, (from + count).next_multiple_of(8)) } else { (from, from + count) };
                let whole = (from * SECTOR, until * SECTOR);
                prop_assert!(!zero || Zeros::takes(whole.0, whole.1));
                let mut at = from;
                while at < until {
                    let end = piece.map_or(until, |piece| until.min((at / piece + 1) * piece));
                    let mut given_up = |space: u32, from: u64, until: u64| {
                        pools.extend((from / SECTOR..until / SECTOR).map(|sector| ((space, sector), 0)));
                    };
                    if zero {
                        zeros.write(space, at * SECTOR, end * SECTOR, &mut given_up);
                    } else {
                        zeros.clear(space, at * SECTOR, end * SECTOR, whole, &mut given_up);
                        pools.extend((at..end).map(|sector| ((space, sector), version)));
                    }
                    at = end;
                }
                last.extend((from..until).map(|sector| ((space, sector), if zero { 0 } else { version })));
            }
            let mut known = 0;
            for (&(space, sector), &version) in &last {
                let zero = zeros.covers(space, sector * SECTOR, (sector + 1) * SECTOR);
                known += u64::from(zero);
                let there = if zero { Some(&0) } else { pools.get(&(space, sector)) };
                prop_assert_eq!(there, Some(&version), "sector {} of {}", sector, space);
            }
            prop_assert_eq!(known * SECTOR, zeros.bytes());
        }
    }
}
