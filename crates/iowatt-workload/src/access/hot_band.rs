//! The hot band: addresses by a fixed curve that does not know the size of the band, then wrapped into it.
//!
//! The law is that of vdbench 5.04.06 (`Vdb/HotBand.java`), which the SNIA Emerald hot-band workload uses from
//! version 2 on. A uniform number becomes an offset by linear interpolation between fixed points; the offset is
//! rounded down to a record of the transfer's size; a write goes 1 % of the band's records further; what lies
//! beyond the band wraps. So a band has its heat at its start, the skew depends on the band's size in
//! bytes, and nothing beyond 1.3132 TB of a band is ever read.

use super::Range;
use crate::rng::Draws;

/// Cumulative probability at 16 kB x 2^row; the unit is 1000 bytes.
const CUMULATIVE: [f64; 27] = [
    0.087_217, 0.101_010, 0.132_206, 0.159_946, 0.201_713, 0.262_602, 0.326_450, 0.366_902, 0.386_175,
    0.436_941, 0.482_631, 0.523_752, 0.560_760, 0.594_068, 0.624_045, 0.651_024, 0.675_305, 0.697_159,
    0.716_827, 0.734_528, 0.750_459, 0.764_797, 0.777_701, 0.789_314, 0.799_767, 0.809_174, 0.817_640,
];
/// Offset of the first point, in bytes; each further one doubles.
const FIRST_BYTES: f64 = 16_000.0;
/// Where the curve ends: no read lies at or beyond it, from the start of a band.
pub const REACH_BYTES: f64 = 1.313_22e12;

/// The offset that the curve gives to `z`, uniform in [0, 1), before it is wrapped into the band.
#[must_use]
#[inline]
pub fn offset_bytes(z: f64) -> f64 {
    let row = CUMULATIVE.partition_point(|&cumulative| cumulative <= z);
    let (z0, x0) = match row {
        0 => (0.0, 0.0),
        row => (CUMULATIVE[row - 1], FIRST_BYTES * (1u64 << (row - 1)) as f64),
    };
    let (z1, x1) = match CUMULATIVE.get(row) {
        Some(&z1) => (z1, FIRST_BYTES * (1u64 << row) as f64),
        None => (1.0, REACH_BYTES),
    };
    x0 + (z - z0) / (z1 - z0) * (x1 - x0)
}

/// First byte of a request of `size` bytes.
#[inline]
pub(super) fn next(range: &Range, draws: &mut Draws, size: u64, write: bool) -> u64 {
    let step = range.step(size);
    let records = range.places(range.bytes, size);
    let mut record = offset_bytes(draws.unit()) as u64 / step;
    if write {
        record += records / 100;
    }
    range.start + record % records * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_goes_through_its_points() {
        assert_eq!(offset_bytes(0.0), 0.0);
        // Row 14 of the table: 131.1 MB at 0.594068.
        assert!((offset_bytes(0.594_068) / 131.072e6 - 1.0).abs() < 1e-12);
        assert!((offset_bytes(0.817_640) / 1.073_741_824e12 - 1.0).abs() < 1e-12);
        assert!((offset_bytes(0.087_217 / 2.0) - 8000.0).abs() < 1e-9);
        assert!(offset_bytes(1.0 - f64::EPSILON) < REACH_BYTES);
    }

    #[test]
    fn the_curve_rises() {
        let mut last = -1.0;
        for i in 0..100_000 {
            let x = offset_bytes(f64::from(i) / 100_000.0);
            assert!(x > last);
            last = x;
        }
    }
}
