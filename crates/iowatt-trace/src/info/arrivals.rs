//! When requests arrive: gaps between them and how fine the stamps are.

use super::quantiles::Quantiles;

/// Gaps and the resolution of stamps.
pub(super) struct Arrivals {
    first_ns: Option<u64>,
    last_ns: u64,
    pub(super) gaps: Quantiles,
    resolution_ns: u64,
}

impl Arrivals {
    pub(super) fn new() -> Self {
        Self { first_ns: None, last_ns: 0, gaps: Quantiles::new(), resolution_ns: 1_000_000_000 }
    }

    #[inline]
    pub(super) fn add(&mut self, time_ns: u64) {
        if self.first_ns.is_some() {
            self.gaps.add(time_ns - self.last_ns);
        } else {
            self.first_ns = Some(time_ns);
        }
        self.last_ns = time_ns;
        while !time_ns.is_multiple_of(self.resolution_ns) {
            self.resolution_ns /= 10; // ends at 1
        }
    }

    pub(super) fn first_ns(&self) -> u64 {
        self.first_ns.unwrap_or(0)
    }

    pub(super) fn last_ns(&self) -> u64 {
        self.last_ns
    }

    pub(super) fn span_ns(&self) -> u64 {
        self.last_ns - self.first_ns()
    }

    /// Largest power of ten nanoseconds, at most 1 s, that divides every stamp.
    pub(super) fn resolution_ns(&self) -> u64 {
        self.resolution_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_resolution() {
        let mut arrivals = Arrivals::new();
        [2_000_000, 5_000_000, 5_000_000, 9_100_000].into_iter().for_each(|t| arrivals.add(t));
        assert_eq!(arrivals.span_ns(), 7_100_000);
        assert_eq!(arrivals.resolution_ns(), 100_000);
        assert_eq!(arrivals.gaps.at(1.0), 4_100_000);
    }
}
