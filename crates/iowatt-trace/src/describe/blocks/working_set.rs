//! Working sets: distinct blocks touched in windows of every width from 1 ms to a day (Denning 1968). A block counts
//! in a window when it was last touched before the window began.

use serde::Serialize;

use super::super::clock::Clock;
use super::super::timeline::{WIDTHS_NS, WINDOWS};

/// All, read, written.
const KINDS: usize = 3;

struct Window {
    width_ns: u64,
    index: u64,
    /// First tick of the window.
    start: u32,
    now: [f64; KINDS],
    sums: [f64; KINDS],
    most: [f64; KINDS],
    /// Of all kinds, by window; dropped when there are too many.
    series: Option<Vec<f64>>,
}

/// Windows of all widths.
pub(super) struct WorkingSets {
    windows: Vec<Window>,
    next_ns: u64,
}

/// Distinct bytes touched in windows of one width, in whole blocks, over complete windows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkingSet {
    /// Width of a window.
    pub window_s: f64,
    /// Complete windows.
    pub windows: u64,
    /// Touched, mean of the windows.
    pub mean_bytes: f64,
    /// Touched, largest.
    pub max_bytes: f64,
    /// Read, mean.
    pub mean_read_bytes: f64,
    /// Read, largest.
    pub max_read_bytes: f64,
    /// Written, mean.
    pub mean_written_bytes: f64,
    /// Written, largest.
    pub max_written_bytes: f64,
}

impl WorkingSets {
    pub(super) fn new() -> Self {
        let window = |&width_ns: &u64| Window {
            width_ns,
            index: 0,
            start: 1,
            now: [0.0; KINDS],
            sums: [0.0; KINDS],
            most: [0.0; KINDS],
            series: Some(Vec::new()),
        };
        Self { windows: WIDTHS_NS.iter().map(window).collect(), next_ns: WIDTHS_NS[0] }
    }

    /// Closes the windows that are over at `since_ns`.
    #[inline]
    pub(super) fn advance(&mut self, since_ns: u64, clock: &Clock) {
        if since_ns >= self.next_ns {
            self.close(since_ns, clock);
        }
    }

    #[cold]
    fn close(&mut self, since_ns: u64, clock: &Clock) {
        for window in &mut self.windows {
            let index = since_ns / window.width_ns;
            if index != window.index {
                window.close(index);
                window.begin(clock);
            }
        }
        self.next_ns = (self.windows[0].index + 1).saturating_mul(WIDTHS_NS[0]);
    }

    /// Once the clock has become coarser.
    pub(super) fn renew(&mut self, clock: &Clock) {
        self.windows.iter_mut().for_each(|window| window.begin(clock));
    }

    /// `n` blocks, weighted, last touched, and last read (or written) at these ticks, are read (or written).
    #[inline]
    pub(super) fn add(&mut self, touched: u32, same: u32, write: bool, n: f64) {
        let kind = 1 + usize::from(write);
        // A finer window starts later: whoever was there since its start was there since that of the others.
        for window in &mut self.windows {
            if same >= window.start {
                break;
            }
            window.now[kind] += n;
            if touched < window.start {
                window.now[0] += n;
            }
        }
    }

    /// Widths of at least two complete windows, and the series of the width of `width_s`.
    pub(super) fn finish(
        &mut self,
        last_ns: u64,
        block_bytes: u64,
        clock: &Clock,
        width_s: f64,
    ) -> (Vec<WorkingSet>, Vec<f64>) {
        let bytes = block_bytes as f64;
        let mut series = Vec::new();
        let mut sets = Vec::new();
        for window in &mut self.windows {
            let complete = last_ns / window.width_ns;
            if (window.width_ns as f64 / 1e9 - width_s).abs() < 1e-9 * width_s
                && let Some(kept) = window.series.take()
            {
                series = kept.into_iter().chain([window.now[0]]).map(|blocks| blocks * bytes).collect();
            }
            if complete < 2 || window.width_ns < clock.tick_ns() {
                continue;
            }
            let [mean, mean_read, mean_written] = window.sums.map(|sum| sum / complete as f64 * bytes);
            let [max, max_read, max_written] = window.most.map(|most| most * bytes);
            sets.push(WorkingSet {
                window_s: window.width_ns as f64 / 1e9,
                windows: complete,
                mean_bytes: mean,
                max_bytes: max,
                mean_read_bytes: mean_read,
                max_read_bytes: max_read,
                mean_written_bytes: mean_written,
                max_written_bytes: max_written,
            });
        }
        (sets, series)
    }
}

impl Window {
    fn close(&mut self, index: u64) {
        let now = std::mem::take(&mut self.now);
        for (kind, blocks) in now.into_iter().enumerate() {
            self.sums[kind] += blocks;
            self.most[kind] = self.most[kind].max(blocks);
        }
        if index >= WINDOWS as u64 {
            self.series = None;
        }
        if let Some(series) = &mut self.series {
            series.push(now[0]);
            series.resize(index as usize, 0.0);
        }
        self.index = index;
    }

    fn begin(&mut self, clock: &Clock) {
        self.start = clock.tick(self.index * self.width_ns).unwrap_or(u32::MAX);
    }
}
