//! Sequentiality: requests that start where the one before them ended.

use std::collections::HashMap;

use crate::request::{NO_STREAM, Request};

/// Pairs of device and stream whose last end is remembered; requests of further pairs count as not sequential.
const PAIRS: usize = 1 << 20;

/// Counts of requests that continue their device's, and their stream's, previous one.
#[derive(Default)]
pub(super) struct Sequence {
    device_ends: Vec<Option<u64>>,
    stream_ends: HashMap<(u32, u32), u64>,
    requests: u64,
    on_device: u64,
    streamed: u64,
    in_stream: u64,
}

impl Sequence {
    #[inline]
    pub(super) fn add(&mut self, request: &Request) {
        let end = request.offset + u64::from(request.size);
        self.requests += 1;
        let device = request.device as usize;
        if self.device_ends.len() <= device {
            self.device_ends.resize(device + 1, None);
        }
        let before = self.device_ends[device].replace(end);
        self.on_device += u64::from(before == Some(request.offset));
        if request.stream == NO_STREAM {
            return;
        }
        self.streamed += 1;
        let pair = (request.device, request.stream);
        if let Some(before) = self.stream_ends.get_mut(&pair) {
            self.in_stream += u64::from(*before == request.offset);
            *before = end;
        } else if self.stream_ends.len() < PAIRS {
            self.stream_ends.insert(pair, end);
        }
    }

    /// Share of requests that continue the previous one of their device.
    #[allow(clippy::cast_precision_loss)] // a share
    pub(super) fn share(&self) -> f64 {
        self.on_device as f64 / self.requests.max(1) as f64
    }

    /// The same within streams, over requests that name one; `None` where none does.
    #[allow(clippy::cast_precision_loss)] // a share
    pub(super) fn share_in_streams(&self) -> Option<f64> {
        (self.streamed > 0).then(|| self.in_stream as f64 / self.streamed as f64)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::request::{NO_RESPONSE, Op};

    #[test]
    fn two_interleaved_streams_are_sequential_each() {
        let mut sequence = Sequence::default();
        for (offset, stream) in [(0, 0), (1000, 1), (100, 0), (1100, 1), (1200, 1)] {
            sequence.add(&Request {
                time_ns: 0,
                offset,
                response_ns: NO_RESPONSE,
                size: 100,
                device: 0,
                stream,
                op: Op::Read,
            });
        }
        assert!((sequence.share() - 0.2).abs() < 1e-12); // 1200 after 1100
        assert!((sequence.share_in_streams().unwrap() - 0.6).abs() < 1e-12); // 100, 1100, 1200
    }
}
