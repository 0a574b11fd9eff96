//! Drawing one of several alternatives by weight with a single random number: Walker's alias method in Vose's
//! arrangement (IEEE Trans. Software Engineering 17(9), 1991).

use crate::rng::Draws;

/// Alternatives with weights.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Below this (of 2^64) the slot's own number is taken, else its alias.
    slots: Vec<(u64, u32)>,
}

impl Choice {
    /// A choice of `weights.len()` alternatives; `None` where no weight is positive or one is no number.
    #[must_use]
    pub fn new(weights: &[f64]) -> Option<Self> {
        let sum: f64 = weights.iter().sum();
        if weights.iter().any(|&w| !w.is_finite() || w < 0.0) || sum <= 0.0 || !sum.is_finite() {
            return None;
        }
        let n = weights.len();
        let mut scaled: Vec<f64> = weights.iter().map(|w| w * n as f64 / sum).collect();
        let mut slots: Vec<(u64, u32)> = (0..n as u32).map(|i| (u64::MAX, i)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| scaled[i] < 1.0);
        while let (Some(s), Some(&l)) = (small.pop(), large.last()) {
            slots[s] = ((scaled[s] * 2f64.powi(64)) as u64, l as u32);
            scaled[l] -= 1.0 - scaled[s];
            if scaled[l] < 1.0 {
                large.pop();
                small.push(l);
            }
        }
        // What is left differs from 1 by rounding only, unless its weight is zero: such a slot is never kept.
        for i in small.into_iter().filter(|&i| weights[i] == 0.0) {
            slots[i] = (0, largest(weights));
        }
        Some(Self { slots })
    }

    /// Draws an index.
    #[inline]
    pub fn draw(&self, draws: &mut Draws) -> usize {
        if self.slots.len() == 1 {
            return 0;
        }
        let spread = u128::from(draws.bits()) * self.slots.len() as u128;
        let at = (spread >> 64) as usize;
        let (kept_below, alias) = self.slots[at];
        if (spread as u64) < kept_below { at } else { alias as usize }
    }
}

fn largest(weights: &[f64]) -> u32 {
    let mut best = 0;
    for (i, weight) in weights.iter().enumerate() {
        if *weight > weights[best] {
            best = i;
        }
    }
    best as u32
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::rng::Purpose;
    use proptest::prelude::*;

    fn counts(weights: &[f64], n: u32) -> Vec<u32> {
        let choice = Choice::new(weights).unwrap();
        let mut draws = Draws::new(3, Purpose::Mix, 0, 0);
        let mut counts = vec![0; weights.len()];
        for _ in 0..n {
            counts[choice.draw(&mut draws)] += 1;
        }
        counts
    }

    #[test]
    fn weights_that_say_nothing_are_refused() {
        for weights in [&[][..], &[0.0], &[-1.0, 2.0], &[f64::NAN], &[f64::INFINITY]] {
            assert!(Choice::new(weights).is_none(), "{weights:?}");
        }
    }

    #[test]
    fn an_alternative_without_weight_is_never_drawn() {
        assert_eq!(counts(&[0.0, 1.0, 0.0], 10_000), [0, 10_000, 0]);
    }

    proptest! {
        #[test]
        fn shares_are_those_of_the_weights(weights in proptest::collection::vec(0.0f64..10.0, 1..12)) {
            prop_assume!(weights.iter().sum::<f64>() > 0.1);
            let n = 20_000;
            let sum: f64 = weights.iter().sum();
            for (count, weight) in counts(&weights, n).into_iter().zip(&weights) {
                let p = weight / sum;
                let sigma = (p * (1.0 - p) / f64::from(n)).sqrt();
                prop_assert!((f64::from(count) / f64::from(n) - p).abs() <= 6.0 * sigma + 1e-9);
            }
        }
    }
}
