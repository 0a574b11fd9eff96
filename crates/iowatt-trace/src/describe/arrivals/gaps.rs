//! Gaps between successive arrivals: moments, percentiles, their histogram, what follows what.

use serde::Serialize;

use super::hyperexp::{self, Fitted};
use crate::info::quantiles::Quantiles;

/// Gaps of a trace in time order.
pub(in super::super) struct Gaps {
    spread: Quantiles,
    last_ns: Option<u64>,
    before: Option<f64>,
    powers: [f64; 3],
    products: f64,
    ends: [f64; 2],
    zero: u64,
    resolution_ns: u64,
}

/// Inter-arrival times of all reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GapFigures {
    /// Number of gaps.
    pub count: u64,
    /// Mean, seconds.
    pub mean_s: f64,
    /// Standard deviation over mean; `None` where the mean is zero.
    pub cv: Option<f64>,
    /// Mean of the gap, of its square and of its cube: s, s^2, s^3.
    pub moments: [f64; 3],
    /// Correlation of a gap with the next.
    pub lag1_autocorrelation: Option<f64>,
    /// Share of gaps of zero: requests with the stamp of the one before.
    pub zero_share: f64,
    /// Largest power of ten nanoseconds, at most 1 s, that divides all gaps.
    pub stamp_resolution_ns: u64,
    /// Percentiles in seconds, within 0.4 %, by name: p1, p5, p10, p25, p50, p75, p90, p95, p99, p999, max.
    pub percentiles_s: Vec<(&'static str, f64)>,
    /// The gaps by length.
    pub histogram: GapHistogram,
    /// Distributions fitted to the gaps, the simplest first.
    pub fits: Vec<Fitted>,
}

/// Gaps by length, four bins to an octave, in columns; the first bin holds the zeros where there are any.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GapHistogram {
    /// Lower end, seconds.
    pub from_s: Vec<f64>,
    /// Upper end.
    pub to_s: Vec<f64>,
    /// Gaps.
    pub count: Vec<u64>,
}

const NAMED: [(&str, f64); 10] = [
    ("p1", 0.01),
    ("p5", 0.05),
    ("p10", 0.1),
    ("p25", 0.25),
    ("p50", 0.5),
    ("p75", 0.75),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p99", 0.99),
    ("p999", 0.999),
];

impl Gaps {
    pub(in super::super) fn new() -> Self {
        Self {
            spread: Quantiles::new(),
            last_ns: None,
            before: None,
            powers: [0.0; 3],
            products: 0.0,
            ends: [0.0; 2],
            zero: 0,
            resolution_ns: 1_000_000_000,
        }
    }

    #[inline]
    pub(in super::super) fn add(&mut self, time_ns: u64) {
        let Some(last) = self.last_ns.replace(time_ns) else {
            return;
        };
        let gap_ns = time_ns - last;
        self.spread.add(gap_ns);
        self.zero += u64::from(gap_ns == 0);
        while !gap_ns.is_multiple_of(self.resolution_ns) {
            self.resolution_ns /= 10; // ends at 1
        }
        let gap = gap_ns as f64 / 1e9;
        self.powers[0] += gap;
        self.powers[1] += gap * gap;
        self.powers[2] += gap * gap * gap;
        match self.before {
            Some(before) => self.products += before * gap,
            None => self.ends[0] = gap,
        }
        self.ends[1] = gap;
        self.before = Some(gap);
    }

    pub(in super::super) fn finish(&self) -> Option<GapFigures> {
        let spread = self.spread.spread(1e9)?;
        let count = spread.count as f64;
        let moments = self.powers.map(|sum| sum / count);
        Some(GapFigures {
            count: spread.count,
            mean_s: spread.mean,
            cv: spread.cv,
            moments,
            lag1_autocorrelation: self.autocorrelation(moments, count),
            zero_share: self.zero as f64 / count,
            stamp_resolution_ns: self.resolution_ns,
            percentiles_s: NAMED
                .iter()
                .map(|&(name, q)| (name, self.at(q)))
                .chain([("max", spread.max)])
                .collect(),
            histogram: self.histogram(),
            fits: hyperexp::fits(&self.spread, moments),
        })
    }

    fn at(&self, share: f64) -> f64 {
        self.spread.at(share) as f64 / 1e9
    }

    /// Pearson's coefficient of (g1, g2), (g2, g3), ..., about the means of the first and of the second of
    /// each pair and by the variance of all.
    fn autocorrelation(&self, moments: [f64; 3], count: f64) -> Option<f64> {
        let pairs = count - 1.0;
        let variance = moments[1] - moments[0] * moments[0];
        if pairs < 2.0 || variance <= 1e-9 * moments[1] {
            return None;
        }
        let [first, last] = self.ends;
        let (early, late) = ((self.powers[0] - last) / pairs, (self.powers[0] - first) / pairs);
        Some((self.products / pairs - early * late) / variance)
    }

    fn histogram(&self) -> GapHistogram {
        let mut histogram = GapHistogram::default();
        for (from, to, count) in self.spread.joined(4) {
            histogram.from_s.push(from as f64 / 1e9);
            histogram.to_s.push(to as f64 / 1e9);
            histogram.count.push(count);
        }
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_correlation_by_hand() {
        let mut gaps = Gaps::new();
        [0, 1, 4, 5, 8].into_iter().for_each(|s| gaps.add(s * 1_000_000_000)); // gaps 1, 3, 1, 3
        let found = gaps.finish().unwrap();
        assert_eq!((found.count, found.mean_s, found.cv), (4, 2.0, Some(0.5)));
        assert_eq!(found.moments, [2.0, 5.0, 14.0]);
        // Pairs (1,3) (3,1) (1,3): means 5/3 and 7/3, products 9, covariance 3 - 35/9 = -8/9, variance 1.
        assert!((found.lag1_autocorrelation.unwrap() + 8.0 / 9.0).abs() < 1e-12);
        assert_eq!((found.zero_share, found.stamp_resolution_ns), (0.0, 1_000_000_000));
        assert_eq!(found.percentiles_s.last(), Some(&("max", 3.0)));
        assert_eq!(found.histogram.count, [2, 2]);
    }

    #[test]
    fn one_request_has_no_gaps_and_equal_stamps_have_zeros() {
        let mut gaps = Gaps::new();
        gaps.add(5);
        assert_eq!(gaps.finish(), None);
        gaps.add(5);
        let found = gaps.finish().unwrap();
        assert_eq!((found.zero_share, found.cv, found.lag1_autocorrelation), (1.0, None, None));
        assert_eq!((found.histogram.count, found.fits.len()), (vec![1], 0));
    }
}
