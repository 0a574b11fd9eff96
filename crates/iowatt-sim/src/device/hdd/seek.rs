//! Seek time by distance: a table made once from the measured or fitted points.

use crate::clock::{Nanos, nanos};
use crate::plan::SeekPoint;

/// Seek times for every distance of a drive.
#[derive(Clone, Debug)]
pub struct SeekCurve {
    table: Vec<Nanos>,
}

impl SeekCurve {
    /// Interpolates linearly between the points and extends the last slope to `cylinders`.
    #[must_use]
    pub fn new(points: &[SeekPoint], cylinders: u32) -> Self {
        let table = (0..cylinders.max(1)).map(|d| nanos(time_s(points, d))).collect();
        Self { table }
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
    let after = points.partition_point(|p| p.cylinders < distance);
    match points {
        [] => 0.0,
        [only] => only.time_s,
        _ => {
            let upper = after.clamp(1, points.len() - 1);
            let (a, b) = (points[upper - 1], points[upper]);
            let slope = (b.time_s - a.time_s) / f64::from(b.cylinders - a.cylinders);
            // A distance below the first point takes at least that point's time.
            let beyond = f64::from(distance) - f64::from(a.cylinders);
            a.time_s + slope * beyond.max(0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolates_and_extends() {
        let point = |cylinders, time_s| SeekPoint { cylinders, time_s };
        let curve = SeekCurve::new(&[point(1, 1e-3), point(11, 2e-3), point(21, 2.5e-3)], 42);
        let at = |d| curve.time(d);
        assert_eq!((at(0), at(1), at(6)), (0, 1_000_000, 1_500_000));
        assert_eq!((at(11), at(16), at(21)), (2_000_000, 2_250_000, 2_500_000));
        // Beyond the last point at its slope, 0.05 ms per cylinder.
        assert_eq!(at(41), 3_500_000);
    }
}
