//! A cache of cells written with one bit each (pseudo-SLC): what is in it is folded into the others when the drive has
//! nothing else to do, or when it is full.

use crate::clock::Nanos;

/// How full it is.
#[derive(Clone, Copy, Debug)]
pub struct Cache {
    size: u64,
    held: u64,
    /// Without work for so long, the drive folds.
    after: Nanos,
}

impl Cache {
    /// An empty cache of `size` bytes, folded once there has been no work for `after`.
    #[must_use]
    pub fn new(size: u64, after: Nanos) -> Self {
        Self { size, held: 0, after }
    }

    /// Whether `bytes` find room, which they then take.
    #[inline]
    pub fn takes(&mut self, bytes: u64) -> bool {
        let fits = self.held + bytes <= self.size;
        if fits {
            self.held += bytes;
        }
        fits
    }

    /// A drive that has had no work since `since` folds from then on, `bytes` every `each` nanoseconds: how many times by
    /// `now`, and when it began.
    #[must_use]
    pub fn folds(&mut self, since: Nanos, now: Nanos, bytes: u64, each: f64) -> (u64, Nanos) {
        let begins = since + self.after;
        if self.held == 0 || now <= begins {
            return (0, begins);
        }
        let times = (((now - begins) as f64 / each) as u64).min(self.held.div_ceil(bytes));
        self.held = self.held.saturating_sub(times * bytes);
        (times, begins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_what_fits_and_is_folded_in_rests() {
        let mut cache = Cache::new(100, 1_000);
        assert!(cache.takes(60) && cache.takes(40) && !cache.takes(1));
        // 500 ns after its last work nothing has been folded; 1,250 ns after it, five times 10 bytes at 50 ns each.
        assert_eq!(cache.folds(2_000, 2_500, 10, 50.0).0, 0);
        assert_eq!(cache.folds(2_000, 3_250, 10, 50.0), (5, 3_000));
        assert!(cache.takes(50) && !cache.takes(1));
        // No more than there is.
        assert_eq!(cache.folds(5_000, 1_000_000, 30, 50.0).0, 4);
        assert_eq!(cache.folds(5_000, 2_000_000, 30, 50.0).0, 0);
    }
}
