//! Sequential runs: requests of one direction on one device, each starting where the one before it in the
//! run ended (or at most `gap_bytes` further on). A device may have several runs open at once, so that
//! interleaved streams do not break each other: a request continues the most recent open run that it fits,
//! else it opens one, and the run that was extended longest ago is closed beyond `lookback`.

use std::collections::HashMap;
use std::hash::Hash;

use serde::Serialize;

use super::logbins::{LogBins, Percentiles};

/// Runs, by direction where one is named.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunFigures {
    /// Runs, single requests among them.
    pub runs: u64,
    /// Share of requests that continue a run.
    pub sequential_request_share: f64,
    /// Share of bytes in requests that continue a run.
    pub sequential_byte_share: f64,
    /// Requests in a run, over runs.
    pub length_requests: Option<Percentiles>,
    /// Bytes in a run, over runs.
    pub length_bytes: Option<Percentiles>,
    /// Runs by their length.
    pub histogram: RunLengths,
}

/// Runs of `from` to `to` requests: their number, requests and bytes, in columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunLengths {
    /// Fewest requests of the row.
    pub from_requests: Vec<u64>,
    /// Most requests of the row.
    pub to_requests: Vec<u64>,
    /// Runs.
    pub runs: Vec<u64>,
    /// Requests in them.
    pub requests: Vec<u64>,
    /// Bytes in them.
    pub bytes: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Run {
    end: u64,
    requests: u64,
    bytes: u64,
}

/// Lengths of closed runs.
struct Closed {
    lengths: LogBins<3>,
    bytes: LogBins<1>,
    continued: [u64; 2],
}

impl Closed {
    fn new() -> Self {
        Self { lengths: LogBins::new(), bytes: LogBins::new(), continued: [0; 2] }
    }

    fn add(&mut self, run: Run) {
        self.lengths.add(run.requests, [1.0, run.requests as f64, run.bytes as f64]);
        self.bytes.add(run.bytes, [1.0]);
    }

    fn figures(&self) -> RunFigures {
        let [runs, requests, bytes] = [0, 1, 2].map(|at| self.lengths.total(at));
        let mut histogram = RunLengths::default();
        for (first, last, [runs, requests, bytes]) in self.lengths.filled() {
            histogram.from_requests.push(first);
            histogram.to_requests.push(last);
            histogram.runs.push(runs as u64);
            histogram.requests.push(requests as u64);
            histogram.bytes.push(bytes as u64);
        }
        RunFigures {
            runs: runs as u64,
            sequential_request_share: self.continued[0] as f64 / requests.max(1.0),
            sequential_byte_share: self.continued[1] as f64 / bytes.max(1.0),
            length_requests: self.lengths.spread(0, 1.0),
            length_bytes: self.bytes.spread(0, 1.0),
            histogram,
        }
    }
}

/// Runs that are open, by key (a device, or a stream on a device), and the lengths of those closed.
pub(super) struct Runs<K> {
    lookback: usize,
    gap_bytes: u64,
    bound: usize,
    index: HashMap<K, usize>,
    open: Vec<[Vec<Run>; 2]>,
    closed: [Closed; 3],
    requests: u64,
}

impl<K: Hash + Eq> Runs<K> {
    /// At most `bound` keys are followed; requests of further ones are not counted.
    pub(super) fn new(lookback: usize, gap_bytes: u64, bound: usize) -> Self {
        Self {
            lookback,
            gap_bytes,
            bound,
            index: HashMap::new(),
            open: Vec::new(),
            closed: [Closed::new(), Closed::new(), Closed::new()],
            requests: 0,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, key: K, write: bool, offset: u64, size: u32) {
        let at = match self.index.get(&key) {
            Some(&at) => at,
            None if self.index.len() < self.bound => {
                self.index.insert(key, self.open.len());
                self.open.push([Vec::new(), Vec::new()]);
                self.open.len() - 1
            }
            None => return,
        };
        self.requests += 1;
        let (direction, size) = (usize::from(write), u64::from(size));
        let open = &mut self.open[at][direction];
        let gap = self.gap_bytes;
        let fits = |run: &Run| offset.checked_sub(run.end).is_some_and(|skipped| skipped <= gap);
        // The most recent run is the last: extending it moves nothing.
        if let Some(found) = open.iter().rposition(fits) {
            open[found].end = offset + size;
            open[found].requests += 1;
            open[found].bytes += size;
            open[found..].rotate_left(1);
            for of in [direction, 2] {
                self.closed[of].continued[0] += 1;
                self.closed[of].continued[1] += size;
            }
            return;
        }
        if open.len() == self.lookback {
            let oldest = open.remove(0);
            self.closed[direction].add(oldest);
            self.closed[2].add(oldest);
        }
        open.push(Run { end: offset + size, requests: 1, bytes: size });
    }

    /// Requests that were counted.
    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    /// All runs, those of reads, those of writes; the open ones end here.
    pub(super) fn finish(mut self) -> [RunFigures; 3] {
        for directions in std::mem::take(&mut self.open) {
            for (direction, open) in directions.into_iter().enumerate() {
                for run in open {
                    self.closed[direction].add(run);
                    self.closed[2].add(run);
                }
            }
        }
        [2, 0, 1].map(|of| self.closed[of].figures())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lookback: usize, gap: u64, offsets: &[u64]) -> RunFigures {
        let mut runs = Runs::new(lookback, gap, 10);
        offsets.iter().for_each(|&offset| runs.add(0_u32, false, offset, 100));
        let [all, reads, writes] = runs.finish();
        assert_eq!(all, reads);
        assert_eq!(writes.runs, 0);
        all
    }

    const TWO_STREAMS: [u64; 7] = [0, 1000, 100, 1100, 200, 1200, 5000];

    #[test]
    fn interleaved_streams_are_runs_of_their_own() {
        let runs = all(2, 0, &TWO_STREAMS);
        assert_eq!(runs.runs, 3);
        assert!((runs.sequential_request_share - 4.0 / 7.0).abs() < 1e-12);
        assert_eq!(runs.histogram.from_requests, [1, 3]);
        assert_eq!(runs.histogram.runs, [1, 2]);
        assert_eq!(runs.histogram.requests, [1, 6]);
        assert_eq!(runs.histogram.bytes, [100, 600]);
        let length = runs.length_requests.unwrap();
        assert!((length.mean - 7.0 / 3.0).abs() < 1e-12);
        assert_eq!((length.p50, length.max), (3.0, 3.0));
    }

    #[test]
    fn with_one_open_run_they_break_each_other() {
        let runs = all(1, 0, &TWO_STREAMS);
        assert_eq!((runs.runs, runs.sequential_request_share), (7, 0.0));
    }

    #[test]
    fn a_gap_may_be_tolerated_but_no_step_back() {
        assert_eq!(all(4, 0, &[0, 150, 300]).runs, 3);
        assert_eq!(all(4, 50, &[0, 150, 300]).runs, 1);
        assert_eq!(all(4, 50, &[0, 90]).runs, 2);
    }

    #[test]
    fn directions_do_not_mix() {
        let mut runs = Runs::new(8, 0, 10);
        runs.add(0_u32, false, 0, 100);
        runs.add(0_u32, true, 100, 100);
        let [all, reads, writes] = runs.finish();
        assert_eq!((all.runs, reads.runs, writes.runs), (2, 1, 1));
    }

    #[test]
    fn keys_are_bounded() {
        let mut runs = Runs::new(8, 0, 2);
        (0..5_u32).for_each(|key| runs.add(key, false, 0, 100));
        assert_eq!(runs.requests(), 2);
    }
}
