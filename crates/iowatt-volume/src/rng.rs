//! Randomness: one seed, one named generator (PCG-64, XSL-RR), one stream per component and index, so that
//! adding a component or a drive never reshuffles what another one draws.

use rand_core::Rng;
use rand_pcg::Pcg64;

/// Components that draw random numbers.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum Component {
    /// Rotational phase of each drive.
    SpindlePhase = 1,
    /// Think times of each closed workload.
    Think = 2,
    /// Ties between equally good mirror copies, of each pool.
    CopyTie = 3,
    /// Seed of each drive's power policy.
    PowerPolicy = 4,
    /// Initial mapping of each SSD.
    FlashMap = 5,
    /// Latencies of each SSD that is known by its data sheet, and repeated senses of each other one.
    SsdLatency = 6,
    /// Initial contents of each virtual pool's fast part.
    InitialPlacement = 11,
    /// The choice of drives for each pool's chunklets.
    Chunklets = 20,
    /// The placement of each cluster pool's members.
    Placement = 22,
    /// The replica that is read, of each cluster pool.
    Replica = 23,
    /// Duplicate pages among each virtual pool's writes.
    Duplicates = 21,
    /// Which writes of each workload are all zeros.
    Zeros = 30,
}

/// The random stream of one component and index.
#[derive(Debug)]
pub struct Stream(Pcg64);

impl Stream {
    /// The stream that `seed` gives to `component` number `index`.
    #[must_use]
    pub fn new(seed: u64, component: Component, index: usize) -> Self {
        let stream = (u128::from(component as u32) << 64) | index as u128;
        Self(Pcg64::new(u128::from(seed), stream))
    }

    /// A seed for a generator outside this module.
    pub fn seed(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Uniform in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normal with mean 0 and deviation 1: the sum of twelve uniform draws less 6 (its tails end at 6).
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64).sum::<f64>() - 6.0
    }

    /// Uniform in `0..bound` by multiplication (bias under 2^-64 x bound).
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }
}

/// Draws that depend on what they are for and not on those before: a hash of the seed and the words of an occasion.
#[derive(Clone, Copy, Debug)]
pub struct KeyedDraws(u64);

impl KeyedDraws {
    /// The draws that `seed` gives to `component` number `index`.
    #[must_use]
    pub fn new(seed: u64, component: Component, index: usize) -> Self {
        Self(Stream::new(seed, component, index).seed())
    }

    /// All bits of the draw on the occasion of `words`.
    #[inline]
    #[must_use]
    pub fn word(&self, words: [u64; 2]) -> u64 {
        words.into_iter().fold(self.0, |hash, word| mixed(hash ^ word))
    }

    /// Uniform in `0.0..1.0` on the occasion of `words`.
    #[inline]
    #[must_use]
    pub fn unit(&self, words: [u64; 3]) -> f64 {
        self.below(1 << 53, words) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in `0..bound` on the occasion of `words` (bias under 2^-64 x bound).
    #[inline]
    #[must_use]
    pub fn below(&self, bound: u64, words: [u64; 3]) -> u64 {
        let hash = words.into_iter().fold(self.0, |hash, word| mixed(hash ^ word));
        ((u128::from(hash) * u128::from(bound)) >> 64) as u64
    }
}

/// A step of SplitMix64 (Steele, Lea and Flood 2014): every bit of the result depends on every bit of `word`.
#[inline]
#[must_use]
pub fn mixed(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_on_the_occasion_alone_and_are_even() {
        let draws = KeyedDraws::new(7, Component::CopyTie, 3);
        assert_eq!(
            draws.below(1 << 40, [5, 6, 7]),
            KeyedDraws::new(7, Component::CopyTie, 3).below(1 << 40, [5, 6, 7])
        );
        let mut seen = [0u32; 8];
        for number in 0..4_000 {
            for unit in [0, 1_000_000] {
                seen[draws.below(8, [number, 0, unit]) as usize] += 1;
            }
        }
        // 1000 expected each; 5 sigma is about 150.
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
    }

    #[test]
    fn streams_are_reproducible_and_independent() {
        let draw = |seed, index| {
            let mut s = Stream::new(seed, Component::SpindlePhase, index);
            [s.below(1 << 40), s.below(1 << 40)]
        };
        assert_eq!(draw(7, 3), draw(7, 3));
        assert_ne!(draw(7, 3), draw(7, 4));
        assert_ne!(draw(7, 3), draw(8, 3));
    }

    #[test]
    fn draws_stay_below_the_bound_and_cover_it() {
        let mut s = Stream::new(1, Component::SpindlePhase, 0);
        let mut seen = [0u32; 8];
        for _ in 0..8000 {
            seen[s.below(8) as usize] += 1;
        }
        // 1000 expected each; 5 sigma is about 150.
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
    }
}
