//! Writes over what the trace wrote before: how much, how soon; and reads of it.

use serde::Serialize;

use super::super::logbins::{LogBins, Percentiles};

/// Weighted counts of rewritten and re-read blocks.
pub(super) struct Rewrites {
    intervals: LogBins<2>,
    requests: [f64; 2],
    bytes: [f64; 2],
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
        Self { intervals: LogBins::new(), requests: [0.0; 2], bytes: [0.0; 2] }
    }

    /// Blocks of one request that the trace wrote before, all at the same time.
    #[inline]
    pub(super) fn blocks(&mut self, write: bool, interval_ns: u64, blocks: f64, bytes: f64) {
        self.bytes[usize::from(write)] += bytes;
        if write {
            self.intervals.add(interval_ns, [blocks, bytes]);
        }
    }

    /// A request all of whose blocks the trace wrote before.
    #[inline]
    pub(super) fn request(&mut self, write: bool, weight: f64) {
        self.requests[usize::from(write)] += weight;
    }

    /// Over all reads and writes: their requests, and their bytes.
    pub(super) fn finish(&self, requests: [f64; 2], bytes: [f64; 2]) -> RewriteFigures {
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| (part / whole).min(1.0));
        let mut intervals = Intervals::default();
        let [blocks, written] = [0, 1].map(|at| self.intervals.total(at).max(f64::MIN_POSITIVE));
        for (first, last, [some, their]) in self.intervals.filled() {
            intervals.from_s.push(first as f64 / 1e9);
            intervals.to_s.push((last + 1) as f64 / 1e9);
            intervals.block_share.push(some / blocks);
            intervals.byte_share.push(their / written);
        }
        RewriteFigures {
            overwrite_request_share: share(self.requests[1], requests[1]),
            overwrite_byte_share: share(self.bytes[1], bytes[1]),
            read_of_written_request_share: share(self.requests[0], requests[0]),
            read_of_written_byte_share: share(self.bytes[0], bytes[0]),
            interval_s: self.intervals.spread(0, 1e9),
            intervals,
        }
    }
}
