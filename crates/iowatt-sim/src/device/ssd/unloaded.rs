//! Latency of commands of a drive without load, where its quantiles are known.

use crate::clock::{Nanos, whole};
use crate::plan::QuantilePlan;
use crate::rng::KeyedDraws;

/// A distribution given by quantiles: constant below the first, above the last as long as that, and between them linear in
/// the logarithm of the share that takes longer.
#[derive(Clone, Debug)]
pub struct Unloaded {
    /// Minus the logarithm of the share that takes longer, nanoseconds there, and nanoseconds for each unit beyond.
    points: Vec<(f64, f64, f64)>,
    draws: KeyedDraws,
}

impl Unloaded {
    /// The distribution of `plan`, which has at least one quantile.
    #[must_use]
    pub fn new(plan: &[QuantilePlan], draws: KeyedDraws) -> Self {
        let at = |q: &QuantilePlan| (-(1.0 - q.share).ln(), q.latency_s * 1e9);
        let points = (0..plan.len()).map(|i| {
            let (depth, time) = at(&plan[i]);
            let slope = plan.get(i + 1).map(at).map_or(0.0, |(next, then)| (then - time) / (next - depth));
            (depth, time, slope)
        });
        Self { points: points.collect(), draws }
    }

    /// The latency on the occasion of `words`.
    #[must_use]
    pub fn draw(&self, words: [u64; 3]) -> Nanos {
        let depth = -(1.0 - self.draws.unit(words)).ln();
        let mut found = self.points[0].1;
        for &(from, time, slope) in &self.points {
            if depth <= from {
                break;
            }
            found = time + (depth - from) * slope;
        }
        whole(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Component;

    #[test]
    fn draws_have_the_quantiles_of_the_plan() {
        let shares = [(0.5, 10e-6), (0.9, 14e-6), (0.99, 40e-6), (0.999, 200e-6)];
        let plan = shares.map(|(share, latency_s)| QuantilePlan { share, latency_s });
        let law = Unloaded::new(&plan, KeyedDraws::new(3, Component::SsdLatency, 0));
        let mut drawn: Vec<Nanos> = (0..200_000).map(|i| law.draw([i, 7, 0])).collect();
        drawn.sort_unstable();
        assert_eq!((drawn[0], drawn[199_999]), (10_000, 200_000));
        for (share, latency_s) in &shares[..3] {
            let found = drawn[(share * 200_000.0) as usize] as f64 / 1e9;
            // 2,000 lie above the last; their logarithm is known to 2 %, 1.6 us.
            assert!((found / latency_s - 1.0).abs() < 0.06, "{share} {found}");
        }
        // Half-way in the logarithm: of 1 in 31.6, half-way between 14 and 40 us.
        let middle = drawn[(200_000.0 * (1.0 - 0.1f64.powf(1.5))) as usize] as f64;
        assert!((middle / 27_000.0 - 1.0).abs() < 0.05, "{middle}");
        assert_eq!(law.draw([5, 7, 0]), law.draw([5, 7, 0]));
    }
}
