//! Extents by rank of heat: a law draws the rank, an order says where that rank lies, and inside the extent
//! every aligned place is equally likely.

use super::{Range, Scatter};
use crate::plan::Order;
use crate::rng::Draws;

/// A law over ranks 0 (hottest) to n-1.
pub trait Ranks {
    /// Draws a rank.
    fn draw(&self, draws: &mut Draws) -> u64;
}

/// Ranks laid out over a range.
#[derive(Debug)]
pub struct Ranked<R> {
    ranks: R,
    extent_bytes: u64,
    scatter: Option<Scatter>,
}

impl<R: Ranks> Ranked<R> {
    pub(super) fn new(ranks: R, extents: u64, extent_bytes: u64, order: Order, keys: &mut Draws) -> Self {
        let scatter = (order == Order::Scattered).then(|| Scatter::new(extents, keys));
        Self { ranks, extent_bytes, scatter }
    }

    #[inline]
    pub(super) fn next(&self, range: &Range, draws: &mut Draws, size: u64) -> u64 {
        let rank = self.ranks.draw(draws);
        let extent = self.scatter.as_ref().map_or(rank, |scatter| scatter.place(rank));
        range.within(draws, extent, self.extent_bytes, size)
    }
}

/// Zipf's law: rank i (from 1) with probability proportional to i^-s, drawn exactly by rejection-inversion
/// (Hörmann and Derflinger, ACM TOMACS 6(3), 1996): the integral of the density over [i - 1/2, i + 1/2] bounds
/// it from above, is inverted in closed form, and is accepted in nearly all cases at once.
#[derive(Clone, Debug)]
pub struct ZipfRanks {
    n: f64,
    s: f64,
    /// H(3/2) - h(1): where the drawn area begins.
    low: f64,
    /// H(n + 1/2): where it ends.
    high: f64,
    /// A candidate nearer than this to its rank is accepted without evaluating h.
    near: f64,
}

impl ZipfRanks {
    /// Ranks of `n` extents with exponent `s`.
    ///
    /// # Errors
    /// An exponent that is not positive, or above 20.
    pub fn new(n: u64, s: f64) -> Result<Self, String> {
        if !(s > 0.0 && s <= 20.0) {
            return Err(format!("an exponent of {s} is not above 0 and at most 20"));
        }
        let mut ranks = Self { n: n as f64, s, low: 0.0, high: 0.0, near: 0.0 };
        ranks.low = ranks.integral(1.5) - 1.0;
        ranks.high = ranks.integral(ranks.n + 0.5);
        ranks.near = 2.0 - ranks.inverse(ranks.integral(2.5) - ranks.density(2.0));
        Ok(ranks)
    }

    #[inline]
    fn density(&self, x: f64) -> f64 {
        (-self.s * x.ln()).exp()
    }

    /// An antiderivative of the density, (x^(1-s) - 1) / (1-s), smooth through s = 1.
    #[inline]
    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        expm1_over((1.0 - self.s) * log) * log
    }

    #[inline]
    fn inverse(&self, y: f64) -> f64 {
        // Rounding must not carry the argument of the logarithm below zero.
        let t = (y * (1.0 - self.s)).max(-1.0);
        (log1p_over(t) * y).exp()
    }
}

impl Ranks for ZipfRanks {
    #[inline]
    fn draw(&self, draws: &mut Draws) -> u64 {
        loop {
            let area = self.high + draws.unit() * (self.low - self.high);
            let x = self.inverse(area);
            let rank = x.round().clamp(1.0, self.n);
            if rank - x <= self.near || area >= self.integral(rank + 0.5) - self.density(rank) {
                return rank as u64 - 1;
            }
        }
    }
}

/// (e^x - 1) / x.
#[inline]
fn expm1_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { x.exp_m1() / x } else { 1.0 + x * 0.5 }
}

/// ln(1 + x) / x.
#[inline]
fn log1p_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { x.ln_1p() / x } else { 1.0 - x * 0.5 }
}

/// The skew law: the hottest fraction c of the space takes the share f(c) = 1-(1-c)^k of the requests. With u
/// uniform, c = 1-(1-u)^(1/k).
#[derive(Clone, Debug)]
pub struct SkewRanks {
    n: f64,
    exponent: f64,
}

impl SkewRanks {
    /// Ranks of `n` extents with the law's k.
    ///
    /// # Errors
    /// A k below 1 (which would be no skew but its opposite) or above 10,000.
    pub fn new(n: u64, k: f64) -> Result<Self, String> {
        if !(1.0..=10_000.0).contains(&k) {
            return Err(format!("k = {k} is not between 1 (uniform) and 10000"));
        }
        Ok(Self { n: n as f64, exponent: 1.0 / k })
    }
}

impl Ranks for SkewRanks {
    #[inline]
    fn draw(&self, draws: &mut Draws) -> u64 {
        let c = 1.0 - (1.0 - draws.unit()).powf(self.exponent);
        (c * self.n).min(self.n - 1.0) as u64
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::rng::Purpose;

    fn shares(ranks: &impl Ranks, n: usize, drawn: u32) -> Vec<f64> {
        let mut draws = Draws::new(5, Purpose::Stream, 0, 0);
        let mut counts = vec![0u32; n];
        for _ in 0..drawn {
            counts[ranks.draw(&mut draws) as usize] += 1;
        }
        counts.into_iter().map(|c| f64::from(c) / f64::from(drawn)).collect()
    }

    #[test]
    fn zipf_is_exact_at_every_rank() {
        let (n, drawn) = (50, 400_000);
        for s in [0.2, 0.8, 1.0, 1.2, 2.5] {
            let sum: f64 = (1..=n).map(|i| (i as f64).powf(-s)).sum();
            for (i, share) in shares(&ZipfRanks::new(n as u64, s).unwrap(), n, drawn).into_iter().enumerate()
            {
                let p = ((i + 1) as f64).powf(-s) / sum;
                let sigma = (p * (1.0 - p) / f64::from(drawn)).sqrt();
                assert!((share - p).abs() < 5.0 * sigma, "s={s} rank {i}: {share} for {p}");
            }
        }
    }

    #[test]
    fn zipf_of_one_rank_and_of_very_many() {
        let mut draws = Draws::new(1, Purpose::Stream, 0, 0);
        let one = ZipfRanks::new(1, 1.1).unwrap();
        assert!((0..100).all(|_| one.draw(&mut draws) == 0));
        let many = ZipfRanks::new(1 << 50, 0.99).unwrap();
        assert!((0..1000).all(|_| many.draw(&mut draws) < 1 << 50));
    }

    #[test]
    fn the_skew_law_holds() {
        let (n, drawn) = (1000, 400_000);
        for k in [1.0, 3.5, 7.0, 14.0] {
            let shares = shares(&SkewRanks::new(n as u64, k).unwrap(), n, drawn);
            for c in [0.03f64, 0.05, 0.1, 0.2, 0.5] {
                let taken: f64 = shares[..(c * n as f64) as usize].iter().sum();
                let law = 1.0 - (1.0 - c).powf(k);
                assert!((taken - law).abs() < 0.004, "k={k} c={c}: {taken} for {law}");
            }
        }
    }

    #[test]
    fn parameters_that_are_no_law_are_refused() {
        assert!(ZipfRanks::new(10, 0.0).is_err() && ZipfRanks::new(10, f64::NAN).is_err());
        assert!(SkewRanks::new(10, 0.5).is_err() && SkewRanks::new(10, f64::INFINITY).is_err());
    }
}
