//! Batch means in bounded memory: batches of equal count whose size doubles when there are too many.
//!
//! Successive response times are correlated, so an interval estimate must not treat them as independent;
//! the means of long batches nearly are (Law and Kelton, "Simulation Modeling and Analysis", batch means).

/// Batches kept at most; never fewer than half once there were that many.
const MOST: usize = 64;

/// Sums of consecutive batches of a series.
#[derive(Clone, Debug, Default)]
pub struct Batches {
    sums: Vec<u128>,
    size: u64,
    sum: u128,
    count: u64,
}

impl Batches {
    /// One that never fills a batch: it keeps nothing.
    #[must_use]
    pub fn endless() -> Self {
        Self { size: u64::MAX, ..Self::default() }
    }

    /// Adds one observation.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.sum += u128::from(value);
        self.count += 1;
        if self.count < self.size.max(1) {
            return;
        }
        self.size = self.count;
        self.sums.push(self.sum);
        (self.sum, self.count) = (0, 0);
        if self.sums.len() == MOST {
            for i in 0..MOST / 2 {
                self.sums[i] = self.sums[2 * i] + self.sums[2 * i + 1];
            }
            self.sums.truncate(MOST / 2);
            self.size *= 2;
        }
    }

    /// Means of the full batches; an unfinished last one is left out.
    pub fn means(&self) -> impl Iterator<Item = f64> + '_ {
        self.sums.iter().map(|&sum| sum as f64 / self.size as f64)
    }

    /// Observations in a batch.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_equal_and_cover_the_series() {
        let mut batches = Batches::default();
        (0..1_000).for_each(|v| batches.record(v));
        // 64 -> 32 batches at 64, 128, 256, 512 observations: size 16; 1,000 / 16 = 62 full ones.
        assert_eq!(batches.size(), 16);
        let means: Vec<_> = batches.means().collect();
        assert_eq!(means.len(), 62);
        // Batch k holds 16k .. 16k + 15, whose mean is 16k + 7.5.
        assert!(means.iter().enumerate().all(|(k, &m)| m == 16.0 * k as f64 + 7.5));
    }
}
