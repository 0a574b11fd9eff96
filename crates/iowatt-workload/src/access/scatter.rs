//! A pseudo-random order of `0..n`: a Feistel network of four rounds on the smallest even number of bits that
//! holds n, walked along its cycle until it lands below n (Black and Rogaway, CT-RSA 2002). A bijection, in
//! constant memory.

use crate::rng::Draws;

/// A bijection of `0..n`.
#[derive(Clone, Debug)]
pub struct Scatter {
    n: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Scatter {
    /// An order of `n` numbers, drawn.
    #[must_use]
    pub fn new(n: u64, draws: &mut Draws) -> Self {
        let bits = 64 - n.saturating_sub(1).leading_zeros();
        let keys = [draws.bits(), draws.bits(), draws.bits(), draws.bits()];
        Self { n, half_bits: bits.div_ceil(2).max(1), keys }
    }

    /// Where number `index` (below n) comes to lie.
    #[inline]
    #[must_use]
    pub fn place(&self, index: u64) -> u64 {
        let mut at = index;
        loop {
            at = self.rounds(at);
            if at < self.n || self.n == 0 {
                return at;
            }
        }
    }

    #[inline]
    fn rounds(&self, value: u64) -> u64 {
        let mask = (1u64 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for key in self.keys {
            let mixed = (right ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (left, right) = (right, left ^ ((mixed >> 32) & mask));
        }
        (left << self.half_bits) | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    #[test]
    fn every_place_is_taken_once() {
        for n in [1u64, 2, 3, 4, 5, 17, 64, 1000, 4097] {
            let scatter = Scatter::new(n, &mut Draws::new(n, Purpose::Scatter, 0, 0));
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let at = scatter.place(i) as usize;
                assert!(!seen[at], "{n}: {at} twice");
                seen[at] = true;
            }
        }
    }

    #[test]
    fn neighbours_do_not_stay_neighbours() {
        let n = 10_000;
        let scatter = Scatter::new(n, &mut Draws::new(1, Purpose::Scatter, 0, 0));
        let near = (1..n).filter(|&i| scatter.place(i).abs_diff(scatter.place(i - 1)) < 100).count();
        // 2 % expected.
        assert!(near < 300, "{near}");
    }
}
