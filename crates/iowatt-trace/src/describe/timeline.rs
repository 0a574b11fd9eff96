//! Rates over time, in windows that grow with the trace: 1 ms, 10 ms, ... 1 s, 10 s, 1 min, 10 min, 1 h, 1 d.

use serde::Serialize;

use crate::request::{Op, Request};

/// Widths of windows, each a multiple of the one before, nanoseconds.
pub(super) const WIDTHS_NS: [u64; 9] = [
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
    60_000_000_000,
    600_000_000_000,
    3_600_000_000_000,
    86_400_000_000_000,
];
/// A second among them.
const SECOND: usize = 3;
/// Windows that a series has at most; beyond, they are joined to the next width.
pub(super) const WINDOWS: usize = 2000;

/// Counts by window from the first request on.
pub(super) struct Timeline {
    width: usize,
    dyadic: bool,
    doublings: u32,
    windows: Vec<[u64; 4]>,
}

/// Counts by window, in columns; the first window starts at the first request, the last may be cut short.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Rates {
    /// Width of a window.
    pub window_s: f64,
    /// Reads.
    pub reads: Vec<u64>,
    /// Writes.
    pub writes: Vec<u64>,
    /// Bytes read.
    pub bytes_read: Vec<u64>,
    /// Bytes written.
    pub bytes_written: Vec<u64>,
    /// Distinct bytes touched (working set), in whole blocks; empty where not known at this width.
    pub working_set_bytes: Vec<f64>,
}

impl Timeline {
    /// Round widths, or powers of two of a second.
    pub(super) fn new(dyadic: bool) -> Self {
        Self { width: if dyadic { SECOND } else { 0 }, dyadic, doublings: 0, windows: Vec::new() }
    }

    /// `since_ns` counts from the first request and never decreases.
    #[inline]
    pub(super) fn add(&mut self, since_ns: u64, request: &Request) {
        let mut window = since_ns / self.width_ns();
        while window >= WINDOWS as u64 {
            self.coarsen();
            window = since_ns / self.width_ns();
        }
        let window = window as usize;
        if self.windows.len() <= window {
            self.windows.resize(window + 1, [0; 4]);
        }
        let direction = usize::from(request.op == Op::Write);
        let counts = &mut self.windows[window];
        counts[direction] += 1;
        counts[2 + direction] = counts[2 + direction].saturating_add(u64::from(request.size));
    }

    fn width_ns(&self) -> u64 {
        WIDTHS_NS[self.width] << self.doublings
    }

    fn coarsen(&mut self) {
        let before = self.width_ns();
        if !self.dyadic && self.width + 1 < WIDTHS_NS.len() {
            self.width += 1;
        } else {
            self.doublings += 1; // of days: five years and a half and beyond
        }
        let factor = (self.width_ns() / before) as usize;
        let joined = self.windows.chunks(factor).map(|some| {
            some.iter()
                .fold([0_u64; 4], |sum, counts| std::array::from_fn(|at| sum[at].saturating_add(counts[at])))
        });
        self.windows = joined.collect();
    }

    pub(super) fn finish(&self) -> Rates {
        let column = |at: usize| self.windows.iter().map(|counts| counts[at]).collect();
        Rates {
            window_s: self.width_ns() as f64 / 1e9,
            reads: column(0),
            writes: column(1),
            bytes_read: column(2),
            bytes_written: column(3),
            working_set_bytes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{read, write};
    use super::*;

    #[test]
    fn windows_grow_and_keep_what_they_counted() {
        let mut timeline = Timeline::new(false);
        timeline.add(0, &read(0, 0, 10));
        timeline.add(1_500_000, &write(0, 0, 20));
        assert_eq!(timeline.finish().reads, [1, 0]);
        timeline.add(2_000_000_000, &read(0, 0, 5)); // window 2000 of 1 ms: too many
        let rates = timeline.finish();
        assert_eq!((rates.window_s, rates.reads.len()), (0.01, 201));
        assert_eq!((rates.reads[0], rates.writes[0], rates.bytes_written[0]), (1, 1, 20));
        assert_eq!((rates.reads[200], rates.bytes_read[200]), (1, 5));
    }

    #[test]
    fn dyadic_windows_double() {
        let mut timeline = Timeline::new(true);
        timeline.add(0, &read(0, 0, 10));
        timeline.add(1_999_999_999_999, &write(0, 0, 20));
        assert_eq!((timeline.finish().window_s, timeline.finish().reads.len()), (1.0, 2000));
        timeline.add(2_000_000_000_000, &read(0, 0, 5));
        let rates = timeline.finish();
        assert_eq!((rates.window_s, rates.reads.len(), rates.writes[999]), (2.0, 1001, 1));
    }

    #[test]
    fn a_century_fits() {
        let mut timeline = Timeline::new(false);
        timeline.add(0, &read(0, 0, 10));
        timeline.add(1 << 62, &read(0, 0, 10));
        let rates = timeline.finish();
        assert!(rates.reads.len() <= WINDOWS && rates.reads.iter().sum::<u64>() == 2);
    }
}
