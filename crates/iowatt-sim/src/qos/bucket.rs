//! A token bucket, as the generic cell rate algorithm of ITU-T I.371 reckons with it: one time in place of a level.
//!
//! At rate r and with a burst of b seconds, a bucket at rest holds r b units. A request passes while the level is not below
//! zero, and takes its units, of which it may so owe some. So of n requests of one unit that come at once to a bucket at
//! rest, number k (from 0) passes after max(0, k / r - b) seconds.

use crate::clock::{Nanos, nanos};

/// Times are kept in parts of 2^-32 ns, so that rates which are no whole number of nanoseconds a unit do not drift.
const PARTS: u32 = 32;

/// Its state.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    /// Time in which a unit flows in.
    per_unit: u128,
    /// Time in which an empty bucket is full.
    burst: u128,
    /// When it is full again.
    full_at: u128,
}

impl Bucket {
    /// A full bucket of so many units a second, which holds so many seconds' worth.
    #[must_use]
    pub fn new(rate: f64, burst_s: f64) -> Self {
        let per_unit = (1e9 / rate * (1u64 << PARTS) as f64).round() as u128;
        Self { per_unit, burst: u128::from(nanos(burst_s)) << PARTS, full_at: 0 }
    }

    /// When a request that comes at `now` may pass.
    #[must_use]
    pub fn passes(&self, now: Nanos) -> Nanos {
        let level = self.full_at.saturating_sub(self.burst);
        let at = level.div_ceil(1 << PARTS);
        now.max(u64::try_from(at).unwrap_or(Nanos::MAX))
    }

    /// A request of so many units passes at `at`. Of the nanosecond by which `passes` rounds up nothing is kept: without a
    /// burst, when the bucket is full the moment that the next one passes, each request would lose a part of one.
    pub fn take(&mut self, at: Nanos, units: u64) {
        let at = u128::from(at) << PARTS;
        let from = if at.saturating_sub(self.full_at) < 1 << PARTS { self.full_at } else { at };
        self.full_at = from.saturating_add(self.per_unit.saturating_mul(u128::from(units)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The closed form in the head of this module, for whatever units.
        #[test]
        fn a_burst_passes_and_the_rest_at_the_rate(
            rate in 0.5f64..1e6, burst_ms in 0u64..5_000, start in 0u64..1 << 50, units in prop::collection::vec(1u64..100, 1..50),
        ) {
            let mut bucket = Bucket::new(rate, burst_ms as f64 / 1e3);
            let mut before = 0u64;
            for units in units {
                let at = bucket.passes(start);
                let expected = (before as f64 / rate - burst_ms as f64 / 1e3).max(0.0) * 1e9;
                // A nanosecond is rounded up; 2^-33 ns a unit is the rate's own rounding.
                prop_assert!(((at - start) as f64 - expected).abs() <= 1.0 + 1e-6 * expected.max(1.0), "{at} {expected}");
                bucket.take(at, units);
                before += units;
            }
        }
    }

    /// 3 1/3 ns a unit: each passes in the nanosecond after its time, whatever was rounded before.
    #[test]
    fn parts_of_a_nanosecond_do_not_add_up() {
        let mut bucket = Bucket::new(3e8, 0.0);
        let passed: Vec<_> = (0..5)
            .map(|_| {
                let at = bucket.passes(0);
                bucket.take(at, 1);
                at
            })
            .collect();
        assert_eq!(passed, [0, 4, 7, 10, 14]);
    }

    #[test]
    fn a_bucket_fills_while_nothing_comes() {
        // 10 a second, half a second's worth: 5, and one request more.
        let mut bucket = Bucket::new(10.0, 0.5);
        let mut pass = |now: Nanos| {
            let at = bucket.passes(now);
            bucket.take(at, 1);
            at
        };
        let at_once: Vec<_> = (0..8).map(|_| pass(0)).collect();
        assert_eq!(at_once, [0, 0, 0, 0, 0, 0, 100_000_000, 200_000_000]);
        // 800 ms of tokens have been taken; at 700 ms 100 ms are owed of 500: four and one more.
        let later: Vec<_> = (0..6).map(|_| pass(700_000_000)).collect();
        assert_eq!(later[..5], [700_000_000; 5]);
        assert_eq!(later[5], 800_000_000);
    }
}
