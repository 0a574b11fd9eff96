//! Request sizes: their spread and the commonest ones.

use std::collections::BTreeMap;

use serde::Serialize;

use super::quantiles::rank;

/// Different sizes that are kept apart; beyond, a new one is rounded down to 8 significant bits.
const DISTINCT: usize = 1 << 16;
const COMMONEST: usize = 8;

/// Counts by size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    counts: BTreeMap<u32, u64>,
    rounded: bool,
}

/// Spread of sizes, bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeSpread {
    /// Smallest.
    pub min: u32,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: u32,
    /// 90th percentile.
    pub p90: u32,
    /// Largest.
    pub max: u32,
}

/// One size and how often it occurs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CommonSize {
    /// The size.
    pub bytes: u32,
    /// Requests of it.
    pub requests: u64,
    /// Their share of all requests.
    pub share: f64,
}

impl Sizes {
    #[inline]
    pub(crate) fn add(&mut self, size: u32) {
        if let Some(count) = self.counts.get_mut(&size) {
            *count += 1;
        } else {
            self.insert(size, 1);
        }
    }

    fn insert(&mut self, size: u32, count: u64) {
        let mut key = size;
        if self.counts.len() >= DISTINCT && !self.counts.contains_key(&size) {
            self.rounded = true;
            key = size & (u32::MAX << (24_u32.saturating_sub(size.leading_zeros())));
        }
        *self.counts.entry(key).or_default() += count;
    }

    /// These and `other` together.
    pub(crate) fn with(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.rounded |= other.rounded;
        for (&size, &count) in &other.counts {
            both.insert(size, count);
        }
        both
    }

    /// All sizes with their counts, ascending.
    pub(crate) fn counts(&self) -> &BTreeMap<u32, u64> {
        &self.counts
    }

    /// Whether every size was kept apart.
    pub(crate) fn exact(&self) -> bool {
        !self.rounded
    }

    fn count(&self) -> u64 {
        self.counts.values().sum()
    }

    fn quantile(&self, share: f64) -> u32 {
        let rank = rank(share, self.count());
        let mut seen = 0;
        for (&size, &count) in &self.counts {
            seen += count;
            if seen >= rank {
                return size;
            }
        }
        0
    }

    #[allow(clippy::cast_precision_loss)] // figures for people
    pub(crate) fn spread(&self) -> Option<SizeSpread> {
        let (&min, _) = self.counts.first_key_value()?;
        let (&max, _) = self.counts.last_key_value()?;
        let sum: u128 = self.counts.iter().map(|(&size, &count)| u128::from(size) * u128::from(count)).sum();
        Some(SizeSpread {
            min,
            mean: sum as f64 / self.count() as f64,
            p50: self.quantile(0.5),
            p90: self.quantile(0.9),
            max,
        })
    }

    #[allow(clippy::cast_precision_loss)] // shares
    pub(crate) fn commonest(&self) -> Vec<CommonSize> {
        let total = self.count();
        let mut sizes: Vec<_> = self.counts.iter().map(|(&bytes, &requests)| (requests, bytes)).collect();
        sizes.sort_unstable_by_key(|&(requests, bytes)| (std::cmp::Reverse(requests), bytes));
        sizes
            .into_iter()
            .take(COMMONEST)
            .map(|(requests, bytes)| CommonSize { bytes, requests, share: requests as f64 / total as f64 })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    #[test]
    fn spread_and_commonest() {
        let mut sizes = Sizes::default();
        [512, 4096, 4096, 4096, 8192, 8192, 65536, 512, 4096, 131_072].into_iter().for_each(|s| sizes.add(s));
        let spread = sizes.spread().unwrap();
        assert_eq!((spread.min, spread.p50, spread.p90, spread.max), (512, 4096, 65536, 131_072));
        // (2*512 + 4*4096 + 2*8192 + 65536 + 131072) / 10
        assert!((spread.mean - 23_040.0).abs() < 1e-9);
        let common = sizes.commonest();
        assert_eq!((common[0].bytes, common[0].requests), (4096, 4));
        assert!((common[0].share - 0.4).abs() < 1e-12);
        assert_eq!(common[1].bytes, 512); // ties: the smaller first
    }

    #[test]
    fn the_table_is_bounded() {
        let mut sizes = Sizes::default();
        (1..=400_000).for_each(|s| sizes.add(s));
        assert!(sizes.counts.len() < DISTINCT + 24 * 128);
        assert!(!sizes.exact());
        assert_eq!(sizes.count(), 400_000);
        assert_eq!(sizes.with(&sizes).count(), 800_000);
    }
}
