//! Jumps: from the end of a device's previous request to the start of the next.

use serde::Serialize;

use super::logbins::LogBins;
use crate::request::Request;

/// Distances forward and backward, powers of two.
pub(super) struct Jumps {
    ends: Vec<Option<u64>>,
    zero: [f64; 2],
    forward: LogBins<2>,
    backward: LogBins<2>,
}

/// How far requests lie from the end of the one before on their device, in powers of two.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JumpTable {
    /// Requests with a predecessor: of these are the shares.
    pub requests: u64,
    /// `zero` (sequential), `forward` or `backward`.
    pub direction: Vec<&'static str>,
    /// Least distance of the row, bytes.
    pub from_bytes: Vec<u64>,
    /// Distance that the row stays below, bytes.
    pub below_bytes: Vec<u64>,
    /// Share of requests.
    pub request_share: Vec<f64>,
    /// Share of their bytes.
    pub byte_share: Vec<f64>,
}

impl Jumps {
    pub(super) fn new() -> Self {
        Self { ends: Vec::new(), zero: [0.0; 2], forward: LogBins::new(), backward: LogBins::new() }
    }

    #[inline]
    pub(super) fn add(&mut self, request: &Request) {
        let device = request.device as usize;
        if self.ends.len() <= device {
            self.ends.resize(device + 1, None);
        }
        let size = u64::from(request.size);
        let Some(end) = self.ends[device].replace(request.offset + size) else {
            return;
        };
        let weights = [1.0, size as f64];
        match request.offset.cmp(&end) {
            std::cmp::Ordering::Equal => {
                self.zero[0] += weights[0];
                self.zero[1] += weights[1];
            }
            std::cmp::Ordering::Greater => self.forward.add(request.offset - end, weights),
            std::cmp::Ordering::Less => self.backward.add(end - request.offset, weights),
        }
    }

    pub(super) fn finish(&self) -> JumpTable {
        let total = |at: usize| self.zero[at] + self.forward.total(at) + self.backward.total(at);
        let (requests, bytes) = (total(0), total(1));
        let mut table = JumpTable {
            requests: requests as u64,
            direction: Vec::new(),
            from_bytes: Vec::new(),
            below_bytes: Vec::new(),
            request_share: Vec::new(),
            byte_share: Vec::new(),
        };
        let mut row = |direction, from, below, weights: [f64; 2]| {
            table.direction.push(direction);
            table.from_bytes.push(from);
            table.below_bytes.push(below);
            table.request_share.push(weights[0] / requests.max(1.0));
            table.byte_share.push(weights[1] / bytes.max(1.0));
        };
        for (octave, weights) in octaves(&self.backward).into_iter().enumerate().rev() {
            if weights[0] > 0.0 {
                row("backward", 1 << octave, 1 << (octave + 1), weights);
            }
        }
        if self.zero[0] > 0.0 {
            row("zero", 0, 1, self.zero);
        }
        for (octave, weights) in octaves(&self.forward).into_iter().enumerate() {
            if weights[0] > 0.0 {
                row("forward", 1 << octave, 1 << (octave + 1), weights);
            }
        }
        table
    }
}

/// Ends of requests lie below 2^63, so 63 octaves hold all distances.
fn octaves(bins: &LogBins<2>) -> [[f64; 2]; 63] {
    let mut octaves = [[0.0; 2]; 63];
    for (first, _, weights) in bins.filled() {
        let octave = &mut octaves[first.max(1).ilog2().min(62) as usize];
        octave[0] += weights[0];
        octave[1] += weights[1];
    }
    octaves
}

#[cfg(test)]
mod tests {
    use super::super::testing::read;
    use super::*;

    #[test]
    fn there_and_back() {
        let mut jumps = Jumps::new();
        for offset in [0, 1000, 2000 + 3 * 1024, 0] {
            jumps.add(&read(0, offset, 1000));
        }
        let table = jumps.finish();
        assert_eq!(table.requests, 3);
        assert_eq!(table.direction, ["backward", "zero", "forward"]);
        // 6072 back, 0, 3072 on
        assert_eq!(table.from_bytes, [4096, 0, 2048]);
        assert_eq!(table.below_bytes, [8192, 1, 4096]);
        assert!(table.request_share.iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-12));
    }
}
