//! A bijection on `0..n` without a table: where data were written before the run, in no order anybody could tell.

/// Shuffles `0..n`. Rounds of an odd multiplication and a shift on the next power of two, which are bijections
/// there; what falls outside is shuffled again (cycle walking: fewer than two rounds on average).
#[derive(Clone, Copy, Debug)]
pub struct Shuffle {
    n: u64,
    mask: u64,
    shift: u32,
    keys: [u64; ROUNDS],
    factors: [u64; ROUNDS],
}

const ROUNDS: usize = 3;

impl Shuffle {
    /// The shuffle of `0..n` that `seed` draws.
    #[must_use]
    pub fn new(n: u64, mut seed: impl FnMut() -> u64) -> Self {
        let bits = 64 - n.saturating_sub(1).leading_zeros();
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let keys = std::array::from_fn(|_| seed());
        let factors = std::array::from_fn(|_| seed() | 1);
        Self { n, mask, shift: bits.div_ceil(2).max(1), keys, factors }
    }

    /// Where `i < n` goes.
    #[inline]
    #[must_use]
    pub fn forward(&self, i: u64) -> u64 {
        let mut x = i;
        loop {
            for round in 0..ROUNDS {
                x = (x ^ self.keys[round]).wrapping_mul(self.factors[round]) & self.mask;
                x ^= x >> self.shift;
            }
            if x < self.n {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Component, Stream};
    use proptest::prelude::*;

    fn shuffle(n: u64, seed: u64) -> Shuffle {
        let mut random = Stream::new(seed, Component::FlashMap, 0);
        Shuffle::new(n, || random.seed())
    }

    proptest! {
        #[test]
        fn it_is_a_bijection(n in 1u64..3_000, seed in 0u64..1_000) {
            let shuffle = shuffle(n, seed);
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let j = shuffle.forward(i);
                prop_assert!(j < n && !seen[j as usize]);
                seen[j as usize] = true;
            }
        }
    }

    /// Neighbours part: what a contiguous range maps to is spread evenly over the whole.
    #[test]
    fn ranges_spread_evenly() {
        let n = 1_000_000;
        for seed in 0..5 {
            let shuffle = shuffle(n, seed);
            let mut bins = [0u32; 100];
            for i in 300_000..400_000 {
                bins[(shuffle.forward(i) * 100 / n) as usize] += 1;
            }
            // 1,000 each; a fair draw's deviation is 30.
            assert!(bins.iter().all(|b| (800..1_200).contains(b)), "{seed} {bins:?}");
        }
    }
}
