//! How long a command holds the controller, by its size.

use crate::clock::{Nanos, whole};
use crate::plan::HoldPlan;

/// Times at some sizes, linear between them; smaller commands take the first, larger ones keep the rate of the last.
#[derive(Clone, Debug)]
pub struct Hold {
    /// Bytes, nanoseconds there, and nanoseconds of each byte beyond.
    points: Vec<(f64, f64, f64)>,
}

impl Hold {
    /// The times of `plan`, which has at least one point.
    #[must_use]
    pub fn new(plan: &[HoldPlan]) -> Self {
        let at = |point: &HoldPlan| (point.bytes as f64, point.time_s * 1e9);
        let points = (0..plan.len()).map(|i| {
            let (bytes, time) = at(&plan[i]);
            let slope = match plan.get(i + 1).map(at) {
                Some((next, then)) => (then - time) / (next - bytes),
                None => time / bytes,
            };
            (bytes, time, slope)
        });
        Self { points: points.collect() }
    }

    /// The same time whatever the size.
    #[must_use]
    pub fn fixed(time_s: f64) -> Self {
        Self { points: vec![(0.0, time_s * 1e9, 0.0)] }
    }

    /// The longer of a time and of the bytes at a rate.
    #[must_use]
    pub fn longer(time_s: f64, bytes_per_s: f64) -> Self {
        let (time, byte) = (time_s * 1e9, 1e9 / bytes_per_s);
        Self { points: vec![(0.0, time, 0.0), (time / byte, time, byte)] }
    }

    /// Nanoseconds of a command of `bytes`, exactly.
    #[inline]
    #[must_use]
    pub fn exact(&self, bytes: u64) -> f64 {
        let bytes = bytes as f64;
        let mut found = self.points[0].1;
        for &(from, time, slope) in &self.points {
            if bytes <= from {
                break;
            }
            found = time + (bytes - from) * slope;
        }
        found
    }

    /// The same in whole nanoseconds.
    #[inline]
    #[must_use]
    pub fn of(&self, bytes: u64) -> Nanos {
        whole(self.exact(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(bytes: u64, time_s: f64) -> HoldPlan {
        HoldPlan { bytes, time_s }
    }

    #[test]
    fn it_is_linear_between_sizes_and_keeps_the_last_rate() {
        let hold = Hold::new(&[point(4_096, 2e-6), point(8_192, 3e-6), point(131_072, 33e-6)]);
        let expected = [(512, 2_000), (4_096, 2_000), (6_144, 2_500), (8_192, 3_000), (69_632, 18_000)];
        for (bytes, ns) in expected {
            assert_eq!(hold.of(bytes), ns, "{bytes}");
        }
        assert_eq!((hold.of(131_072), hold.of(262_144)), (33_000, 66_000));
    }

    #[test]
    fn without_sizes_it_is_a_time_or_a_rate() {
        assert_eq!((Hold::fixed(5e-6).of(1), Hold::fixed(5e-6).of(1 << 30)), (5_000, 5_000));
        let longer = Hold::longer(5e-6, 1e9);
        assert_eq!((longer.of(4_096), longer.of(5_000), longer.of(8_192)), (5_000, 5_000, 8_192));
    }

    proptest! {
        /// Never less for more, and at each point what the plan says.
        #[test]
        fn it_grows_with_the_size(
            steps in prop::collection::vec((1u64..100_000, 0.0f64..1e-4), 1..8),
            sizes in prop::collection::vec(1u64..2_000_000, 2..20),
        ) {
            let (mut bytes, mut time_s) = (0, 1e-6);
            let plan: Vec<HoldPlan> = steps.iter().map(|(more, longer)| {
                (bytes, time_s) = (bytes + more, time_s + longer);
                point(bytes, time_s)
            }).collect();
            let hold = Hold::new(&plan);
            for point in &plan {
                prop_assert!((hold.exact(point.bytes) - point.time_s * 1e9).abs() < 1e-3);
            }
            let mut sizes = sizes;
            sizes.sort_unstable();
            prop_assert!(sizes.windows(2).all(|w| hold.exact(w[0]) <= hold.exact(w[1]) + 1e-6));
        }
    }
}
