//! Idle periods of a drive, in constant memory: how many, how long, how many are long, and the autocorrelation of
//! successive ones.

use crate::clock::Nanos;
use serde::Serialize;

/// Lags of the autocorrelation.
pub const LAGS: usize = 5;
/// Lengths beyond which periods are counted, in seconds.
pub const LONG_S: [f64; 3] = [1.0, 2.0, 41.0];

/// What is kept of the idle periods so far. Lengths in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdlePeriods {
    count: u64,
    sum: f64,
    squares: f64,
    long: [u64; LONG_S.len()],
    /// The last lengths, the last one first.
    last: [f64; LAGS],
    products: [f64; LAGS],
}

/// Figures of the idle periods of one drive.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct IdleResult {
    /// Periods that ended.
    pub count: u64,
    /// Mean length.
    pub mean_s: f64,
    /// Standard deviation of the length.
    pub std_s: f64,
    /// Periods over 1, 2 and 41 s.
    pub over: [u64; LONG_S.len()],
    /// Autocorrelation at lags 1 to 5; zero where nothing varies.
    pub autocorrelation: [f64; LAGS],
}

impl IdlePeriods {
    /// A period of `length` ends. (None is no period.)
    #[inline]
    pub fn add(&mut self, length: Nanos) {
        if length == 0 {
            return;
        }
        let seconds = length as f64 * 1e-9;
        // Before the first there were lengths of 0, which add nothing.
        for (product, before) in self.products.iter_mut().zip(self.last) {
            *product += seconds * before;
        }
        self.last.copy_within(..LAGS - 1, 1);
        self.last[0] = seconds;
        for (count, limit) in self.long.iter_mut().zip(LONG_S) {
            *count += u64::from(seconds > limit);
        }
        self.count += 1;
        self.sum += seconds;
        self.squares += seconds * seconds;
    }

    /// The figures.
    #[must_use]
    pub fn result(&self) -> IdleResult {
        let n = self.count as f64;
        let mean = if self.count == 0 { 0.0 } else { self.sum / n };
        let variance = if self.count == 0 { 0.0 } else { (self.squares / n - mean * mean).max(0.0) };
        let mut autocorrelation = [0.0; LAGS];
        for (lag, r) in autocorrelation.iter_mut().enumerate() {
            let pairs = n - (lag + 1) as f64;
            if pairs > 0.0 && variance > 0.0 {
                *r = (self.products[lag] / pairs - mean * mean) / variance;
            }
        }
        IdleResult {
            count: self.count,
            mean_s: mean,
            std_s: variance.sqrt(),
            over: self.long,
            autocorrelation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(seconds: &[f64]) -> IdleResult {
        let mut periods = IdlePeriods::default();
        seconds.iter().for_each(|s| periods.add((s * 1e9) as Nanos));
        periods.result()
    }

    #[test]
    fn moments_and_long_ones_are_counted() {
        let found = of(&[0.5, 1.5, 2.5, 0.0, 1.5]);
        assert_eq!((found.count, found.over), (4, [3, 1, 0]));
        assert!((found.mean_s - 1.5).abs() < 1e-12 && (found.std_s - 0.5f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn alternating_lengths_are_anticorrelated_at_odd_lags() {
        let series: Vec<f64> = (0..10_000).map(|i| 1.0 + f64::from(i % 2)).collect();
        for (lag, r) in of(&series).autocorrelation.into_iter().enumerate() {
            let expected = if lag % 2 == 0 { -1.0 } else { 1.0 };
            assert!((r - expected).abs() < 1e-2, "lag {}: {r}", lag + 1);
        }
    }

    #[test]
    fn equal_or_missing_lengths_have_no_correlation() {
        assert_eq!(of(&[1.0; 10]).autocorrelation, [0.0; LAGS]);
        assert_eq!(of(&[]).autocorrelation, [0.0; LAGS]);
    }
}
