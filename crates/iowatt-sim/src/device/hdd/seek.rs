//! Seek time by distance: tables made once from measured points or fitted forms.

use crate::clock::{Nanos, nanos};
use crate::plan::SeekPlan;

/// Seek times for every distance of a drive, for reads and for writes.
#[derive(Clone, Debug)]
pub struct SeekCurve {
    /// By distance: of reads; of writes, where the drive was measured for both directions; the least from there on, where
    /// that may be another distance's, as measured curves are not monotone.
    times: Vec<u32>,
    /// The same where one of them takes longer than 32 bits can say, which then say [`LONG`].
    long: Vec<Nanos>,
    /// The last distance, whose times hold for all beyond.
    last: usize,
    /// Where the times of reads and writes begin.
    directions: [usize; 2],
    /// Where the least times begin.
    at_least: usize,
}

/// A time of 4.3 s or more.
const LONG: u32 = u32::MAX;

impl SeekCurve {
    /// Tabulates all distances below `cylinders`.
    #[must_use]
    pub fn new(plan: &SeekPlan, cylinders: u32) -> Self {
        let dual = matches!(plan, SeekPlan::Points(p) if p.iter().any(|(_, r, w)| r != w));
        let table = |write| tabulate(plan, write, cylinders, |time| u32::try_from(time).unwrap_or(LONG));
        let mut times = table(false);
        let count = times.len();
        if dual {
            times.append(&mut table(true));
        }
        let mut long = Vec::new();
        if times.contains(&LONG) {
            long = tabulate(plan, false, cylinders, |time| time);
            if dual {
                long.append(&mut tabulate(plan, true, cylinders, |time| time));
            }
            append_least(&mut long, count);
        }
        let monotone = !dual && long.is_empty() && times.is_sorted();
        if !monotone {
            append_least(&mut times, count);
        }
        let write = if dual { count } else { 0 };
        let at_least = if monotone { 0 } else { times.len() - count };
        Self { times, long, last: count - 1, directions: [0, write], at_least }
    }

    /// Shortest time of a move by `cylinders` or more.
    #[must_use]
    #[inline]
    pub fn at_least(&self, cylinders: u32) -> Nanos {
        self.at(self.at_least, cylinders)
    }

    /// Time to move by `cylinders`; zero for none.
    #[must_use]
    #[inline]
    pub fn time(&self, cylinders: u32, write: bool) -> Nanos {
        self.at(self.directions[usize::from(write)], cylinders)
    }

    /// The time of a distance in the table that begins at `first`.
    #[inline(always)]
    fn at(&self, first: usize, cylinders: u32) -> Nanos {
        let index = first + self.last.min(cylinders as usize);
        match self.times[index] {
            LONG => self.long[index],
            time => Nanos::from(time),
        }
    }
}

/// Behind tables by distance, `count` entries each: the least of all of them from there on.
fn append_least<T: Copy + Ord>(times: &mut Vec<T>, count: usize) {
    let first = times.len();
    times.extend_from_within(..count);
    for distance in (0..count).rev() {
        let tables = (distance..first).step_by(count).map(|i| times[i]);
        let farther = (distance + 1 < count).then(|| times[first + distance + 1]);
        if let Some(least) = tables.chain(farther).min() {
            times[first + distance] = least;
        }
    }
}

/// The entries of a table from distance zero, each made of its time.
fn tabulate<T>(plan: &SeekPlan, write: bool, cylinders: u32, entry: impl FnMut(Nanos) -> T) -> Vec<T> {
    let count = cylinders.max(2);
    let mut rows = Rows { times: Vec::with_capacity(count as usize), count, entry };
    rows.fill(1, |_| 0.0);
    match plan {
        // Linear between the points; before the first and beyond the last one, its time holds.
        SeekPlan::Points(points) => {
            let pick = |p: &(u32, f64, f64)| if write { p.2 } else { p.1 };
            let mut before: Option<&(u32, f64, f64)> = None;
            for b in points {
                match before {
                    None => rows.fill(b.0.saturating_add(1), |_| pick(b)),
                    Some(a) => {
                        let slope = (pick(b) - pick(a)) / f64::from(b.0 - a.0);
                        rows.fill(b.0.saturating_add(1), |distance| {
                            pick(a) + slope * f64::from(distance - a.0)
                        });
                    }
                }
                before = Some(b);
            }
            rows.fill(count, |_| before.map_or(0.0, pick));
        }
        SeekPlan::Constant(s) => rows.fill(count, |_| *s),
        SeekPlan::Linear { single_s, full_s, .. } => {
            let span = f64::from(cylinders.saturating_sub(2).max(1));
            rows.fill(count, |distance| single_s + (full_s - single_s) * (f64::from(distance) - 1.0) / span);
        }
        SeekPlan::Curve { single_s: min, average_s: avg, full_s: max } => {
            let n = f64::from(count - 1);
            let a = (-10.0 * min + 15.0 * avg - 5.0 * max) / (3.0 * n.sqrt());
            let b = (7.0 * min - 15.0 * avg + 8.0 * max) / (3.0 * n);
            rows.fill(count, |distance| {
                let x = f64::from(distance) - 1.0;
                a * x.sqrt() + b * x + min
            });
        }
        SeekPlan::Hpl { values: v, first_ms } => rows.fill(count, |distance| {
            let x = f64::from(distance);
            let ms = match first_ms.get(distance as usize - 1) {
                Some(&ms) => ms,
                None if distance == 1 && v[5] >= 0.0 => v[5],
                None if x < v[0] => v[1] + v[2] * x.sqrt(),
                None => v[3] + v[4] * x,
            };
            ms / 1e3
        }),
    }
    rows.times
}

/// A table that grows.
struct Rows<T, E> {
    times: Vec<T>,
    count: u32,
    entry: E,
}

impl<T, E: FnMut(Nanos) -> T> Rows<T, E> {
    /// Goes on up to distance `until` (and no farther than the table does) with the seconds that `time` gives.
    fn fill(&mut self, until: u32, time: impl Fn(u32) -> f64) {
        let next = self.times.len() as u32;
        self.times.extend((next..until.min(self.count)).map(|distance| (self.entry)(nanos(time(distance)))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Bit for bit what interpolation gives for each distance by itself, and its least from there on.
        #[test]
        fn tables_are_the_points_joined(
            steps in prop::collection::vec((1u32..200, 0.0f64..6.0, 0.0f64..6.0), 1..20), cylinders in 1u32..3_000, dual in any::<bool>(),
        ) {
            let points: Vec<_> = steps.iter().scan(0, |at, &(step, read, write)| {
                *at += step;
                Some((*at, read, if dual { write } else { read }))
            }).collect();
            let curve = SeekCurve::new(&SeekPlan::Points(points.clone()), cylinders);
            let alone = |distance: u32, write: bool| {
                let time = |p: &(u32, f64, f64)| if write { p.2 } else { p.1 };
                let upper = points.partition_point(|p| p.0 < distance);
                let s = match (distance, upper.checked_sub(1).map(|i| points[i]), points.get(upper)) {
                    (0, ..) | (_, None, None) => 0.0,
                    (_, Some(a), Some(b)) => {
                        time(&a) + (time(b) - time(&a)) / f64::from(b.0 - a.0) * f64::from(distance - a.0)
                    }
                    (_, Some(only), None) => time(&only),
                    (_, None, Some(only)) => time(only),
                };
                (s * 1e9).round() as Nanos
            };
            let mut least = Nanos::MAX;
            for distance in (0..cylinders.max(2)).rev() {
                let (read, write) = (alone(distance, false), alone(distance, true));
                prop_assert_eq!((curve.time(distance, false), curve.time(distance, true)), (read, write));
                least = least.min(read).min(write);
                prop_assert_eq!(curve.at_least(distance), least);
            }
        }
    }

    #[test]
    fn points_are_joined_and_the_last_holds() {
        let curve = SeekCurve::new(
            &SeekPlan::Points(vec![(1, 1e-3, 1e-3), (11, 2e-3, 3e-3), (21, 2.5e-3, 3e-3)]),
            42,
        );
        let at = |d| (curve.time(d, false), curve.time(d, true));
        assert_eq!((at(0), at(1)), ((0, 0), (1_000_000, 1_000_000)));
        assert_eq!((at(6), at(16)), ((1_500_000, 2_000_000), (2_250_000, 3_000_000)));
        assert_eq!(at(41), (2_500_000, 3_000_000));
    }

    #[test]
    fn a_time_beyond_32_bits_is_kept() {
        let curve = SeekCurve::new(&SeekPlan::Points(vec![(1, 1e-3, 1e-3), (9, 5.0, 3.0)]), 20);
        let at = |d| (curve.time(d, false), curve.time(d, true), curve.at_least(d));
        assert_eq!(at(1), (1_000_000, 1_000_000, 1_000_000));
        assert_eq!(at(15), (5_000_000_000, 3_000_000_000, 3_000_000_000));
    }

    #[test]
    fn points_beyond_the_last_cylinder_are_left_out() {
        let curve = SeekCurve::new(&SeekPlan::Points(vec![(2, 1e-3, 1e-3), (12, 2e-3, 2e-3)]), 8);
        assert_eq!((curve.time(1, false), curve.time(7, false)), (1_000_000, 1_500_000));
        assert_eq!(curve.time(8, false), curve.time(7, false));
    }

    #[test]
    fn the_bound_looks_past_a_dip() {
        let plan = SeekPlan::Points(vec![(1, 1e-3, 1e-3), (3, 3e-3, 3e-3), (5, 2e-3, 2e-3)]);
        let curve = SeekCurve::new(&plan, 6);
        let bounds: Vec<_> = (0..6).map(|d| curve.at_least(d)).collect();
        assert_eq!(bounds, [0, 1_000_000, 2_000_000, 2_000_000, 2_000_000, 2_000_000]);
    }

    #[test]
    fn a_curve_goes_through_its_three_figures() {
        // Lee: t(1) = single, t(N) = full, mean over uniform pairs = average.
        let n = 3_000u32;
        let plan = SeekPlan::Curve { single_s: 1e-3, average_s: 8e-3, full_s: 16e-3 };
        let curve = SeekCurve::new(&plan, n);
        assert_eq!(curve.time(1, false), 1_000_000);
        let full = curve.time(n - 1, false) as f64;
        assert!((full - 16e6).abs() < 0.02e6, "{full}");
        // Distance d comes up 2 (N - d) / N^2 of the time.
        let weight = |d: u32| 2.0 * f64::from(n - d) / f64::from(n).powi(2);
        let mean: f64 = (1..n).map(|d| weight(d) * curve.time(d, false) as f64).sum();
        assert!((mean - 8e6).abs() < 0.1e6, "{mean}");
    }

    #[test]
    fn two_part_curves_switch_at_their_boundary() {
        // The HP 335H of the ajw trace: 3.45 + 0.597 sqrt(d) ms below 616 cylinders, else 10.84 + 0.012 d.
        let values = [616.0, 3.45, 0.597, 10.84, 0.012, 2.5];
        let curve = SeekCurve::new(&SeekPlan::Hpl { values, first_ms: vec![] }, 1_449);
        assert_eq!(curve.time(1, false), 2_500_000);
        assert_eq!(curve.time(100, false), 9_420_000);
        assert_eq!(curve.time(1_000, false), 22_840_000);
    }
}
