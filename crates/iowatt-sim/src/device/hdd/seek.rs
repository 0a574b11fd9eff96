//! Seek time by distance: a table made once from the measured or fitted points.

use crate::clock::{Nanos, nanos};
use crate::plan::SeekPoint;

/// Seek times for every distance of a drive.
#[derive(Clone, Debug)]
pub struct SeekCurve {
    table: Vec<Nanos>,
    /// Shortest time of any seek at least this far: measured curves are not monotone.
    at_least: Vec<Nanos>,
}

impl SeekCurve {
    /// Interpolates linearly between the points; beyond the last one its time holds.
    #[must_use]
    pub fn new(points: &[SeekPoint], cylinders: u32) -> Self {
        let table: Vec<Nanos> = (0..cylinders.max(1)).map(|d| nanos(time_s(points, d))).collect();
        let mut at_least = table.clone();
        for d in (1..at_least.len()).rev() {
            at_least[d - 1] = at_least[d - 1].min(at_least[d]);
        }
        Self { table, at_least }
    }

    /// Shortest time of a move by `cylinders` or more.
    #[must_use]
    pub fn at_least(&self, cylinders: u32) -> Nanos {
        self.at_least[cylinders as usize]
    }

    /// Time to move by `cylinders`; zero for none.
    #[must_use]
    pub fn time(&self, cylinders: u32) -> Nanos {
        self.table[cylinders as usize]
    }
}

fn time_s(points: &[SeekPoint], distance: u32) -> f64 {
    if distance == 0 {
        return 0.0;
    }
    let upper = points.partition_point(|p| p.cylinders < distance);
    match (upper.checked_sub(1).and_then(|i| points.get(i)), points.get(upper)) {
        (Some(a), Some(b)) => {
            let slope = (b.time_s - a.time_s) / f64::from(b.cylinders - a.cylinders);
            a.time_s + slope * f64::from(distance - a.cylinders)
        }
        // Before the first point and beyond the last one, the nearest point's time.
        (Some(only), None) | (None, Some(only)) => only.time_s,
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolates_and_holds_the_last() {
        let point = |cylinders, time_s| SeekPoint { cylinders, time_s };
        let curve = SeekCurve::new(&[point(1, 1e-3), point(11, 2e-3), point(21, 2.5e-3)], 42);
        let at = |d| curve.time(d);
        assert_eq!((at(0), at(1), at(6)), (0, 1_000_000, 1_500_000));
        assert_eq!((at(11), at(16), at(21)), (2_000_000, 2_250_000, 2_500_000));
        assert_eq!(at(41), 2_500_000);
    }

    #[test]
    fn the_bound_looks_past_a_dip() {
        let point = |cylinders, time_s| SeekPoint { cylinders, time_s };
        let curve = SeekCurve::new(&[point(1, 1e-3), point(3, 3e-3), point(5, 2e-3)], 6);
        let bounds: Vec<_> = (0..6).map(|d| curve.at_least(d)).collect();
        assert_eq!(bounds, [0, 1_000_000, 2_000_000, 2_000_000, 2_000_000, 2_000_000]);
    }
}
