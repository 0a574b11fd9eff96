//! Where a value falls among sorted keys: a table of buckets in front of a search that is short then.
//!
//! A binary search alone waits for one memory access after another; it was the largest single cost of a simulated access.

/// Buckets per key, on average at least: most hold none, so that a lookup ends there.
const SPARSITY: u64 = 4;
/// Entries of a bucket that are looked at one by one.
const FEW: usize = 4;

/// Counts the keys up to a value. The keys stay with their owner.
#[derive(Clone, Debug)]
pub struct Locator {
    shift: u32,
    /// Keys below each bucket; one more at the end.
    below: Vec<u32>,
}

impl Locator {
    /// For `keys` in ascending order.
    #[must_use]
    pub fn new(keys: impl ExactSizeIterator<Item = u64> + Clone) -> Self {
        let span = keys.clone().last().map_or(0, |last| last.saturating_add(1));
        let wanted = (keys.len() as u64 * SPARSITY).max(1);
        let shift = (span / wanted).checked_ilog2().unwrap_or(0);
        let buckets = (span >> shift) + 1;
        let mut below = Vec::with_capacity(buckets as usize + 1);
        let mut passed = 0;
        let mut rest = keys.peekable();
        for bucket in 0..buckets {
            while rest.next_if(|&key| key >> shift < bucket).is_some() {
                passed += 1;
            }
            below.push(passed);
        }
        below.push(passed + rest.count() as u32);
        Self { shift, below }
    }

    /// How many of the keys it was made for, the `n`-th of which is `key(n)`, are at most `value`. Behind the last one,
    /// `key` must give more than that.
    #[must_use]
    #[inline]
    pub fn count(&self, value: u64, key: impl Fn(usize) -> u64) -> usize {
        let last = self.below.len() - 2;
        let bucket = ((value >> self.shift) as usize).min(last);
        let (mut from, mut to) = (self.below[bucket] as usize, self.below[bucket + 1] as usize);
        while to - from > FEW {
            let middle = from.midpoint(to);
            if key(middle) <= value {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        // Where a bucket holds any key, it mostly holds one: counted without a branch.
        from += usize::from(key(from) <= value);
        while key(from) <= value {
            from += 1;
        }
        from
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_as_a_plain_search_does(
            mut keys in prop::collection::vec(0u64..100_000, 0..200),
            clump in prop::collection::vec(5_000u64..5_100, 0..100),
            values in prop::collection::vec(0u64..120_000, 1..50)
        ) {
            keys.extend(clump);
            keys.sort_unstable();
            let locator = Locator::new(keys.iter().copied());
            for value in values.into_iter().chain(keys.iter().copied()).chain([u64::MAX - 1]) {
                let key = |i: usize| keys.get(i).copied().unwrap_or(u64::MAX);
                prop_assert_eq!(locator.count(value, key), keys.partition_point(|&k| k <= value));
            }
        }
    }
}
