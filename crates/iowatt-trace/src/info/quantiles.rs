//! Quantiles of a stream of integers in fixed memory: buckets of 1/128 of an octave, exact below 256.

use serde::Serialize;

const EXACT: u64 = 256;
const PER_OCTAVE: usize = 128;
const BUCKETS: usize = 256 + 56 * PER_OCTAVE;

/// Counts by bucket; a quantile is within 0.4 % of an observed value.
#[derive(Clone, Debug)]
pub(crate) struct Quantiles {
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
    pub(crate) fn new() -> Self {
        Self { counts: vec![0; BUCKETS], count: 0, max: 0, mean: 0.0, squares: 0.0 }
    }

    #[inline]
    #[allow(clippy::cast_precision_loss)] // moments, not stamps
    pub(crate) fn add(&mut self, value: u64) {
        self.counts[bucket(value)] += 1;
        self.count += 1;
        self.max = self.max.max(value);
        // Welford: stable for long traces.
        let delta = value as f64 - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (value as f64 - self.mean);
    }

    pub(crate) fn at(&self, share: f64) -> u64 {
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

    /// Bins with values, `per_octave` (a divisor of 128) to an octave: first value, last value, count.
    pub(crate) fn joined(&self, per_octave: usize) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let wide = PER_OCTAVE / per_octave;
        // Below 256 there is a bucket for every value: octaves are found by value, not by index.
        let start = move |value: u64| {
            let octave = (u64::BITS - 1).saturating_sub(value.leading_zeros());
            let step = ((1_u64 << octave) / per_octave as u64).max(1);
            (value - (value % step), step)
        };
        let mut joined: Vec<(u64, u64, u64)> = Vec::new();
        for (index, &count) in self.counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let (from, to) = bounds(index);
            let (from, to) = if index < 256 {
                let (from, step) = start(from);
                (from, if from == 0 { 0 } else { from + (step - 1) })
            } else {
                let first = index - (index - 256) % wide;
                (bounds(first).0, bounds(first + wide - 1).1.max(to))
            };
            match joined.last_mut() {
                Some(last) if last.0 == from => last.2 += count,
                _ => joined.push((from, to, count)),
            }
        }
        joined.into_iter()
    }

    /// All figures divided by `unit`; `None` without values.
    #[allow(clippy::cast_precision_loss)] // figures for people
    pub(crate) fn spread(&self, unit: f64) -> Option<Spread> {
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
pub(crate) fn rank(share: f64, count: u64) -> u64 {
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

/// First and last value of a bucket.
fn bounds(index: usize) -> (u64, u64) {
    if index < 256 {
        return (index as u64, index as u64);
    }
    let shift = (index - 256) / PER_OCTAVE + 1;
    let first = (((index - 256) % PER_OCTAVE + PER_OCTAVE) as u64) << shift;
    (first, first + ((1_u64 << shift) - 1))
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
    fn bins_join_by_octaves_and_lose_nothing() {
        let mut quantiles = Quantiles::new();
        [0, 1, 5, 6, 7, 200, 300, 319, 320, 1 << 40].into_iter().for_each(|v| quantiles.add(v));
        let quarters: Vec<_> = quantiles.joined(4).collect();
        let step = 1_u64 << 38;
        assert_eq!(
            quarters,
            [
                (0, 0, 1),
                (1, 1, 1),
                (5, 5, 1),
                (6, 6, 1),
                (7, 7, 1),
                (192, 223, 1),
                (256, 319, 2),
                (320, 383, 1),
                (1 << 40, (1 << 40) + step - 1, 1)
            ]
        );
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
