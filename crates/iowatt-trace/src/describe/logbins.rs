//! Weighted histograms over integers in fixed memory: 16 bins to an octave, one for each value below 16.

use serde::Serialize;

const PER_OCTAVE: u64 = 16;

/// `N` weights (requests and bytes, say) to every bin of values. A bin is at most 6.25 % wide.
#[derive(Clone, Debug)]
pub(super) struct LogBins<const N: usize> {
    bins: Vec<[f64; N]>,
    max: u64,
    sums: [f64; N],
    totals: [f64; N],
}

impl<const N: usize> LogBins<N> {
    pub(super) fn new() -> Self {
        Self { bins: Vec::new(), max: 0, sums: [0.0; N], totals: [0.0; N] }
    }

    #[inline]
    pub(super) fn add(&mut self, value: u64, weights: [f64; N]) {
        let bin = bin(value);
        if self.bins.len() <= bin {
            self.bins.resize(bin + 1, [0.0; N]);
        }
        self.max = self.max.max(value);
        for (at, weight) in weights.into_iter().enumerate() {
            self.bins[bin][at] += weight;
            self.totals[at] += weight;
            self.sums[at] += weight * value as f64;
        }
    }

    pub(super) fn total(&self, at: usize) -> f64 {
        self.totals[at]
    }

    /// Mean of the values by the weights `at`, not binned.
    pub(super) fn mean(&self, at: usize) -> Option<f64> {
        (self.totals[at] > 0.0).then(|| self.sums[at] / self.totals[at])
    }

    /// The value at or below which the share `share` of the weights `at` lies, to the upper end of its bin.
    pub(super) fn quantile(&self, at: usize, share: f64) -> Option<u64> {
        let goal = share * self.totals[at];
        let mut seen = 0.0;
        let found = self.bins.iter().position(|weights| {
            seen += weights[at];
            weights[at] > 0.0 && seen >= goal * (1.0 - 1e-12)
        });
        found.map(|bin| last(bin).min(self.max))
    }

    /// Bins with weight: first value, last value, weights.
    pub(super) fn filled(&self) -> impl Iterator<Item = (u64, u64, [f64; N])> + '_ {
        let filled = self.bins.iter().enumerate().filter(|(_, weights)| weights.iter().any(|&w| w > 0.0));
        filled.map(|(bin, weights)| (first(bin), last(bin), *weights))
    }

    /// Mean and percentiles by the weights `at`, all values divided by `unit`.
    pub(super) fn spread(&self, at: usize, unit: f64) -> Option<Percentiles> {
        let scaled = |share| self.quantile(at, share).map(|value| value as f64 / unit);
        Some(Percentiles {
            mean: self.mean(at)? / unit,
            p50: scaled(0.5)?,
            p90: scaled(0.9)?,
            p99: scaled(0.99)?,
            max: self.max as f64 / unit,
        })
    }
}

/// Mean and percentiles in the unit of the key that holds them; percentiles to 6 %, upwards.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Percentiles {
    /// Arithmetic mean, not binned.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Largest.
    pub max: f64,
}

fn bin(value: u64) -> usize {
    if value < PER_OCTAVE {
        return value as usize;
    }
    let shift = u64::from(63 - value.leading_zeros()) - 4;
    (PER_OCTAVE * shift + (value >> shift)) as usize
}

fn first(bin: usize) -> u64 {
    let bin = bin as u64;
    if bin < 2 * PER_OCTAVE {
        return bin;
    }
    let shift = bin / PER_OCTAVE - 1;
    (bin % PER_OCTAVE + PER_OCTAVE) << shift
}

fn last(bin: usize) -> u64 {
    let shift = (bin as u64 / PER_OCTAVE).saturating_sub(1);
    first(bin) + ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_value_lies_in_its_bin(value in any::<u64>(), small in 0_u64..5000) {
            for value in [value, small] {
                let bin = bin(value);
                prop_assert!(first(bin) <= value && value <= last(bin));
                prop_assert!((last(bin) - first(bin)) as f64 <= 0.0625 * value.max(1) as f64);
            }
        }
    }

    #[test]
    fn bins_follow_each_other() {
        for bin in 0..600 {
            assert_eq!(first(bin + 1), last(bin) + 1);
        }
    }

    #[test]
    fn weights_make_means_and_quantiles() {
        let mut bins = LogBins::<2>::new();
        bins.add(1, [3.0, 0.0]);
        bins.add(9, [1.0, 2.0]);
        assert_eq!((bins.mean(0), bins.mean(1)), (Some(3.0), Some(9.0)));
        assert_eq!((bins.quantile(0, 0.75), bins.quantile(0, 0.76)), (Some(1), Some(9)));
        assert_eq!(bins.filled().collect::<Vec<_>>(), vec![(1, 1, [3.0, 0.0]), (9, 9, [1.0, 2.0])]);
    }
}
