//! The order of last references as a bit for every stamp, with a Fenwick tree over words of 64 (Fenwick 1994):
//! how many blocks were referenced since a stamp is a sum of a few words.

/// Bits of stamps from 1 on; a bit is set while a block has that stamp.
pub(super) struct Live {
    bits: Vec<u64>,
    /// Node i holds the sum of the words in (i - lowbit(i), i].
    tree: Vec<u32>,
    count: u32,
}

impl Live {
    /// Nothing set, room for stamps 1 to `capacity`.
    pub(super) fn new(capacity: usize) -> Self {
        let words = capacity / 64 + 1;
        Self { bits: vec![0; words], tree: vec![0; words + 1], count: 0 }
    }

    /// Of all stamps that `stamps` gives.
    pub(super) fn of(capacity: usize, stamps: impl Iterator<Item = u32>) -> Self {
        let mut live = Self::new(capacity);
        for stamp in stamps {
            live.bits[stamp as usize / 64] |= 1 << (stamp % 64);
            live.count += 1;
        }
        for at in 1..live.tree.len() {
            live.tree[at] += live.bits[at - 1].count_ones();
            let parent = at + lowest_bit(at);
            if parent < live.tree.len() {
                live.tree[parent] += live.tree[at];
            }
        }
        live
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Sets the stamps from `first` on, `n` of them (1 to 64), none of which is set.
    #[inline]
    pub(super) fn set(&mut self, first: u32, n: u32) {
        self.count += n;
        self.change(first, n, u32::wrapping_add);
    }

    /// Clears them, all of which are set.
    #[inline]
    pub(super) fn clear(&mut self, first: u32, n: u32) {
        self.count -= n;
        self.change(first, n, u32::wrapping_sub);
    }

    #[inline]
    fn change(&mut self, first: u32, n: u32, apply: fn(u32, u32) -> u32) {
        let (word, bit) = (first as usize / 64, first % 64);
        let here = n.min(64 - bit);
        self.bits[word] ^= ones(here) << bit;
        self.add(word, here, apply);
        if here < n {
            self.bits[word + 1] ^= ones(n - here);
            self.add(word + 1, n - here, apply);
        }
    }

    #[inline]
    fn add(&mut self, word: usize, n: u32, apply: fn(u32, u32) -> u32) {
        let mut at = word + 1;
        while let Some(node) = self.tree.get_mut(at) {
            *node = apply(*node, n);
            at += lowest_bit(at);
        }
    }

    /// How many set stamps are greater than `stamp`.
    #[inline]
    pub(super) fn above(&self, stamp: u32) -> u32 {
        let (mut at, bit) = (stamp as usize / 64, stamp % 64);
        let mut below = (self.bits[at] & ones(bit + 1)).count_ones();
        while at > 0 {
            below += self.tree[at];
            at -= lowest_bit(at);
        }
        self.count - below
    }

    /// Set bits before each word: a stamp's rank in O(1), for renumbering.
    pub(super) fn ranks(self) -> Ranks {
        let mut seen = 0;
        let before = self.bits.iter().map(|word| {
            let before = seen;
            seen += word.count_ones();
            before
        });
        Ranks { before: before.collect(), bits: self.bits }
    }
}

/// Ranks of the stamps that were set.
pub(super) struct Ranks {
    before: Vec<u32>,
    bits: Vec<u64>,
}

impl Ranks {
    /// From 1 on, in the order of stamps.
    pub(super) fn of(&self, stamp: u32) -> u32 {
        let (word, bit) = (stamp as usize / 64, stamp % 64);
        self.before[word] + (self.bits[word] & ones(bit + 1)).count_ones()
    }
}

/// The `n` (1 to 64) lowest bits.
fn ones(n: u32) -> u64 {
    u64::MAX >> (64 - n)
}

fn lowest_bit(at: usize) -> usize {
    at & at.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn as_a_set_of_stamps(
            changes in proptest::collection::vec((1_u32..2000, 1_u32..=64), 1..60),
            asked in proptest::collection::vec(0_u32..2100, 1..20),
        ) {
            let (mut live, mut truth) = (Live::new(2100), BTreeSet::new());
            for (first, n) in changes {
                let range = first..first + n;
                if range.clone().all(|s| !truth.contains(&s)) {
                    live.set(first, n);
                    truth.extend(range);
                } else if range.clone().all(|s| truth.contains(&s)) {
                    live.clear(first, n);
                    range.for_each(|s| { truth.remove(&s); });
                }
            }
            let built = Live::of(2100, truth.iter().copied());
            for stamp in asked {
                let above = truth.range(stamp + 1..).count() as u32;
                prop_assert_eq!((live.above(stamp), built.above(stamp)), (above, above));
            }
            let ranks = live.ranks();
            for (rank, &stamp) in truth.iter().enumerate() {
                prop_assert_eq!(ranks.of(stamp), rank as u32 + 1);
            }
        }
    }
}
