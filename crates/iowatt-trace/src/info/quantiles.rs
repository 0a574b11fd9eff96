//! Quantiles of a stream of integers in fixed memory: buckets of 1/128 of an octave, exact below 256.

use serde::Serialize;

const EXACT: u64 = 256;
const PER_OCTAVE: usize = 128;
const BUCKETS: usize = 256 + 56 * PER_OCTAVE;

/// Counts by bucket; a quantile is within 0.4 % of an observed value.
#[derive(Clone, Debug)]
pub(super) struct Quantiles {
    counts: Vec<u64>,
    count: u64,
    max: u64,
    mean: f64,
    squares: f64,
}

/// Mean, quantiles and spread, in the unit of the key that holds it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Number of values.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median, within 0.4 %.
    pub p50: f64,
    /// 99th percentile, within 0.4 %.
    pub p99: f64,
    /// Largest.
    pub max: f64,
    /// Standard deviation over mean; `None` where the mean is zero.
    pub cv: Option<f64>,
}

impl Quantiles {
    pub(super) fn new() -> Self {
        Self { counts: vec![0; BUCKETS], count: 0, max: 0, mean: 0.0, squares: 0.0 }
    }

    #[inline]
    #[allow(clippy::cast_precision_loss)] // moments, not stamps
    pub(super) fn add(&mut self, value: u64) {
        self.counts[bucket(value)] += 1;
        self.count += 1;
        self.max = self.max.max(value);
        // Welford: stable for long traces.
        let delta = value as f64 - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (value as f64 - self.mean);
    }

    pub(super) fn at(&self, share: f64) -> u64 {
        let rank = rank(share, self.count);
        let mut seen = 0;
        for (index, &count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return middle(index).min(self.max);
            }
        }
        self.max
    }

    /// All figures divided by `unit`; `None` without values.
    #[allow(clippy::cast_precision_loss)] // figures for people
    pub(super) fn spread(&self, unit: f64) -> Option<Spread> {
        if self.count == 0 {
            return None;
        }
        let deviation = (self.squares / self.count as f64).sqrt();
        Some(Spread {
            count: self.count,
            mean: self.mean / unit,
            p50: self.at(0.5) as f64 / unit,
            p99: self.at(0.99) as f64 / unit,
            max: self.max as f64 / unit,
            cv: (self.mean > 0.0).then(|| deviation / self.mean),
        })
    }
}

/// How many values lie at or below the quantile `share` of `count` values, at least one.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(super) fn rank(share: f64, count: u64) -> u64 {
    ((share * count as f64).ceil() as u64).clamp(1, count.max(1))
}

fn bucket(value: u64) -> usize {
    if value < EXACT {
        return usize::try_from(value).unwrap_or(0);
    }
    let shift = 56 - value.leading_zeros() as usize; // 1..=56, so that value >> shift is in 128..256
    let top = usize::try_from(value >> shift).unwrap_or(0);
    256 + (shift - 1) * PER_OCTAVE + top - PER_OCTAVE
}

fn middle(index: usize) -> u64 {
    if index < 256 {
        return index as u64;
    }
    let (octave, position) = ((index - 256) / PER_OCTAVE, (index - 256) % PER_OCTAVE);
    let shift = octave + 1;
    (((position + PER_OCTAVE) as u64) << shift) + (1_u64 << (shift - 1))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_values_are_exact() {
        let mut quantiles = Quantiles::new();
        (1..=100).for_each(|v| quantiles.add(v));
        let spread = quantiles.spread(1.0).unwrap();
        assert_eq!((spread.p50, spread.p99, spread.max), (50.0, 99.0, 100.0));
        assert!((spread.mean - 50.5).abs() < 1e-9);
        // Variance of 1..=n is (n^2 - 1) / 12.
        assert!((spread.cv.unwrap() - (9999.0_f64 / 12.0).sqrt() / 50.5).abs() < 1e-9);
    }

    #[test]
    fn nothing_seen_has_no_spread() {
        assert_eq!(Quantiles::new().spread(1.0), None);
    }

    proptest! {
        #[test]
        fn a_bucket_is_within_its_bound(value in any::<u64>()) {
            let middle = middle(bucket(value));
            prop_assert!(middle.abs_diff(value) as f64 <= value as f64 * 0.004, "{middle} {value}");
        }
    }
}
