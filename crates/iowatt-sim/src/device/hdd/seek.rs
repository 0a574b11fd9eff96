//! Seek time by distance: tables made once from measured points or fitted forms.

use crate::clock::{Nanos, nanos};
use crate::plan::SeekPlan;

/// Seek times for every distance of a drive, for reads and for writes.
#[derive(Clone, Debug)]
pub struct SeekCurve {
    /// One table for both directions unless the drive was measured for both.
    read: Vec<Nanos>,
    write: Option<Vec<Nanos>>,
    /// Shortest time of any seek at least this far, in either direction: measured curves are not monotone.
    at_least: Vec<Nanos>,
}

impl SeekCurve {
    /// Tabulates all distances below `cylinders`.
    #[must_use]
    pub fn new(plan: &SeekPlan, cylinders: u32) -> Self {
        let table = |write: bool| -> Vec<Nanos> {
            (0..cylinders.max(2)).map(|d| nanos(time_s(plan, d, write, cylinders))).collect()
        };
        let dual = matches!(plan, SeekPlan::Points(p) if p.iter().any(|(_, r, w)| r != w));
        let (read, write) = (table(false), dual.then(|| table(true)));
        let mut at_least = read.clone();
        for (d, least) in at_least.iter_mut().enumerate() {
            *least = (*least).min(write.as_ref().map_or(*least, |w| w[d]));
        }
        for d in (1..at_least.len()).rev() {
            at_least[d - 1] = at_least[d - 1].min(at_least[d]);
        }
        Self { read, write, at_least }
    }

    /// Shortest time of a move by `cylinders` or more.
    #[must_use]
    pub fn at_least(&self, cylinders: u32) -> Nanos {
        self.at_least[(cylinders as usize).min(self.at_least.len() - 1)]
    }

    /// Time to move by `cylinders`; zero for none.
    #[must_use]
    #[inline]
    pub fn time(&self, cylinders: u32, write: bool) -> Nanos {
        let table = match &self.write {
            Some(table) if write => table,
            _ => &self.read,
        };
        let last = table.len() - 1;
        table[(cylinders as usize).min(last)]
    }
}

fn time_s(plan: &SeekPlan, distance: u32, write: bool, cylinders: u32) -> f64 {
    if distance == 0 {
        return 0.0;
    }
    let x = f64::from(distance);
    match plan {
        SeekPlan::Points(points) => between(points, distance, write),
        SeekPlan::Constant(s) => *s,
        SeekPlan::Linear { single_s, full_s, .. } => {
            let span = f64::from(cylinders.saturating_sub(2).max(1));
            single_s + (full_s - single_s) * (x - 1.0) / span
        }
        SeekPlan::Curve { single_s: min, average_s: avg, full_s: max } => {
            let n = f64::from(cylinders.max(2) - 1);
            let a = (-10.0 * min + 15.0 * avg - 5.0 * max) / (3.0 * n.sqrt());
            let b = (7.0 * min - 15.0 * avg + 8.0 * max) / (3.0 * n);
            a * (x - 1.0).sqrt() + b * (x - 1.0) + min
        }
        SeekPlan::Hpl { values: v, first_ms } => {
            let ms = match first_ms.get(distance as usize - 1) {
                Some(&ms) => ms,
                None if distance == 1 && v[5] >= 0.0 => v[5],
                None if x < v[0] => v[1] + v[2] * x.sqrt(),
                None => v[3] + v[4] * x,
            };
            ms / 1e3
        }
    }
}

/// Interpolates linearly between the points; before the first and beyond the last one, its time holds.
fn between(points: &[(u32, f64, f64)], distance: u32, write: bool) -> f64 {
    let pick = |p: &(u32, f64, f64)| if write { p.2 } else { p.1 };
    let upper = points.partition_point(|p| p.0 < distance);
    match (upper.checked_sub(1).and_then(|i| points.get(i)), points.get(upper)) {
        (Some(a), Some(b)) => {
            let slope = (pick(b) - pick(a)) / f64::from(b.0 - a.0);
            pick(a) + slope * f64::from(distance - a.0)
        }
        (Some(only), None) | (None, Some(only)) => pick(only),
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
