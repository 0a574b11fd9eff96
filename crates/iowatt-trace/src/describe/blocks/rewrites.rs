//! Writes over what the trace wrote before: how much, how soon; and reads of it.

use serde::Serialize;

use super::super::logbins::{LogBins, Percentiles};

/// Weighted counts: of reads, then of writes, what the trace did not write before, and what it did.
pub(super) struct Rewrites {
    intervals: LogBins<2>,
    requests: [[f64; 2]; 2],
    bytes: [[f64; 2]; 2],
}

/// Overwriting within the trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RewriteFigures {
    /// Share of write requests all of whose blocks the trace wrote before.
    pub overwrite_request_share: Option<f64>,
    /// Share of written bytes that lie in blocks the trace wrote before.
    pub overwrite_byte_share: Option<f64>,
    /// Share of read requests all of whose blocks the trace wrote before.
    pub read_of_written_request_share: Option<f64>,
    /// Share of read bytes that lie in blocks the trace wrote before.
    pub read_of_written_byte_share: Option<f64>,
    /// From one write of a block to its next, over overwritten blocks, seconds.
    pub interval_s: Option<Percentiles>,
    /// Write intervals by length.
    pub intervals: Intervals,
}

/// Write intervals by length, in columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Intervals {
    /// Shortest, seconds.
    pub from_s: Vec<f64>,
    /// Up to this, seconds.
    pub to_s: Vec<f64>,
    /// Share of overwritten blocks.
    pub block_share: Vec<f64>,
    /// Share of overwritten bytes.
    pub byte_share: Vec<f64>,
}

impl Rewrites {
    pub(super) fn new() -> Self {
        Self { intervals: LogBins::new(), requests: [[0.0; 2]; 2], bytes: [[0.0; 2]; 2] }
    }

    /// Blocks of one request, all last written at the same time; `None` where the trace did not write them.
    #[inline]
    pub(super) fn blocks(&mut self, write: bool, interval_ns: Option<u64>, blocks: f64, bytes: f64) {
        self.bytes[usize::from(write)][usize::from(interval_ns.is_some())] += bytes;
        if let Some(interval) = interval_ns.filter(|_| write) {
            self.intervals.add(interval, [blocks, bytes]);
        }
    }

    /// A request; `written` where the trace wrote all of its blocks before.
    #[inline]
    pub(super) fn request(&mut self, write: bool, written: bool, weight: f64) {
        self.requests[usize::from(write)][usize::from(written)] += weight;
    }

    /// `writes` and `written`: all write requests and their bytes.
    pub(super) fn finish(&self, writes: f64, written: f64) -> RewriteFigures {
        // With a sample: blocks are new once each, so that what is new is known better than what is again. Of reads
        // neither is, and both parts of the ratio come from the sample.
        let again = |counts: [f64; 2], all: f64| (all > 0.0).then(|| (1.0 - counts[0] / all).clamp(0.0, 1.0));
        let share = |[new, again]: [f64; 2]| (new + again > 0.0).then(|| again / (new + again));
        let mut intervals = Intervals::default();
        let [blocks, moved] = [0, 1].map(|at| self.intervals.total(at).max(f64::MIN_POSITIVE));
        for (first, last, [some, their]) in self.intervals.filled() {
            intervals.from_s.push(first as f64 / 1e9);
            intervals.to_s.push((last + 1) as f64 / 1e9);
            intervals.block_share.push(some / blocks);
            intervals.byte_share.push(their / moved);
        }
        RewriteFigures {
            overwrite_request_share: again(self.requests[1], writes),
            overwrite_byte_share: again(self.bytes[1], written),
            read_of_written_request_share: share(self.requests[0]),
            read_of_written_byte_share: share(self.bytes[0]),
            interval_s: self.intervals.spread(0, 1e9),
            intervals,
        }
    }
}
