//! The breakdown by volume (device) and by stream: who asks for how much of what.

use serde::Serialize;

use crate::request::{Op, Request};

/// Rows that a breakdown lists; the rest is summed up in one.
const LISTED: usize = 1000;

#[derive(Clone, Copy, Default)]
struct Use {
    requests: [u64; 2],
    bytes: [u64; 2],
    sequential: [u64; 2],
    first_ns: u64,
    last_ns: u64,
    last_end: u64,
    lowest: u64,
    highest: u64,
    gap_mean: f64,
    gap_squares: f64,
}

/// Uses by index.
#[derive(Default)]
pub(super) struct Volumes {
    uses: Vec<Use>,
}

/// All that have requests, the busiest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Breakdown {
    /// How many have requests.
    pub count: usize,
    /// The busiest, at most 1000.
    pub listed: Vec<Volume>,
    /// Share of requests of those that are not listed.
    pub unlisted_request_share: f64,
    /// Their share of bytes.
    pub unlisted_byte_share: f64,
}

/// One volume or stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Volume {
    /// Its name.
    pub name: String,
    /// Reads and writes.
    pub requests: u64,
    /// Their share of all requests.
    pub request_share: f64,
    /// Share of all bytes.
    pub byte_share: f64,
    /// Reads among its requests.
    pub read_request_share: f64,
    /// Bytes read among its bytes.
    pub read_byte_share: f64,
    /// Mean bytes of a read.
    pub mean_read_bytes: Option<f64>,
    /// Mean bytes of a write.
    pub mean_write_bytes: Option<f64>,
    /// Requests per second over the span of the trace.
    pub iops: f64,
    /// Coefficient of variation of the gaps between its requests.
    pub inter_arrival_cv: Option<f64>,
    /// Share of its requests that start where its previous one ended.
    pub sequential_request_share: f64,
    /// Their share of its bytes.
    pub sequential_byte_share: f64,
    /// First request, seconds from the first of the trace.
    pub first_s: f64,
    /// Last request.
    pub last_s: f64,
    /// Lowest byte touched.
    pub lowest_byte: u64,
    /// End of the furthest request.
    pub end_byte: u64,
    /// Distinct bytes touched, in whole blocks; not known of streams.
    pub footprint_bytes: Option<f64>,
}

impl Volumes {
    #[inline]
    pub(super) fn add(&mut self, id: u32, since_ns: u64, request: &Request) {
        let id = id as usize;
        if self.uses.len() <= id {
            self.uses.resize(id + 1, Use::default());
        }
        let (volume, size) = (&mut self.uses[id], u64::from(request.size));
        let end = request.offset + size;
        let before = volume.requests[0] + volume.requests[1];
        if before == 0 {
            (volume.first_ns, volume.lowest) = (since_ns, request.offset);
        } else {
            let gap = (since_ns - volume.last_ns) as f64;
            let delta = gap - volume.gap_mean;
            volume.gap_mean += delta / before as f64; // Welford
            volume.gap_squares += delta * (gap - volume.gap_mean);
            if volume.last_end == request.offset {
                volume.sequential[0] += 1;
                volume.sequential[1] = volume.sequential[1].saturating_add(size);
            }
        }
        let direction = usize::from(request.op == Op::Write);
        volume.requests[direction] += 1;
        volume.bytes[direction] = volume.bytes[direction].saturating_add(size);
        volume.last_ns = since_ns;
        volume.last_end = end;
        volume.lowest = volume.lowest.min(request.offset);
        volume.highest = volume.highest.max(end);
    }

    /// Requests and bytes that start where the previous one with the same index ended, of all that were added.
    pub(super) fn sequential(&self) -> Option<[f64; 2]> {
        let sum = |of: fn(&Use) -> u64| self.uses.iter().map(|v| u128::from(of(v))).sum::<u128>() as f64;
        let requests = sum(|v| v.requests[0] + v.requests[1]);
        let bytes = sum(|v| v.bytes[0].saturating_add(v.bytes[1]));
        (requests > 0.0)
            .then(|| [sum(|v| v.sequential[0]) / requests, sum(|v| v.sequential[1]) / bytes.max(1.0)])
    }

    /// `whole`: requests and bytes of the trace; `footprints` by index, where they are known.
    pub(super) fn finish(
        &self,
        names: &[String],
        whole: [f64; 2],
        span_s: f64,
        footprints: Option<&[f64]>,
    ) -> Breakdown {
        let total = |v: &Use| v.requests[0] + v.requests[1];
        let mut used: Vec<_> = self.uses.iter().enumerate().filter(|(_, v)| total(v) > 0).collect();
        used.sort_by_key(|&(id, v)| (std::cmp::Reverse(total(v)), id));
        let listed: Vec<_> = used
            .iter()
            .take(LISTED)
            .map(|&(id, v)| {
                let name = names.get(id).cloned().unwrap_or_else(|| id.to_string());
                v.row(name, whole, span_s, footprints.map(|of| of.get(id).copied().unwrap_or(0.0)))
            })
            .collect();
        let rest = &used[listed.len()..];
        let bytes = |v: &Use| v.bytes[0] as f64 + v.bytes[1] as f64;
        Breakdown {
            count: used.len(),
            unlisted_request_share: rest.iter().map(|(_, v)| total(v) as f64).sum::<f64>()
                / whole[0].max(1.0),
            unlisted_byte_share: rest.iter().map(|(_, v)| bytes(v)).sum::<f64>() / whole[1].max(1.0),
            listed,
        }
    }
}

impl Use {
    fn row(&self, name: String, whole: [f64; 2], span_s: f64, footprint_bytes: Option<f64>) -> Volume {
        let requests = self.requests[0] + self.requests[1];
        let bytes = self.bytes[0] as f64 + self.bytes[1] as f64;
        let mean =
            |at: usize| (self.requests[at] > 0).then(|| self.bytes[at] as f64 / self.requests[at] as f64);
        let gaps = requests.saturating_sub(1) as f64;
        Volume {
            name,
            requests,
            request_share: requests as f64 / whole[0].max(1.0),
            byte_share: bytes / whole[1].max(1.0),
            read_request_share: self.requests[0] as f64 / requests as f64,
            read_byte_share: self.bytes[0] as f64 / bytes.max(1.0),
            mean_read_bytes: mean(0),
            mean_write_bytes: mean(1),
            iops: if span_s > 0.0 { requests as f64 / span_s } else { 0.0 },
            inter_arrival_cv: (self.gap_mean > 0.0).then(|| (self.gap_squares / gaps).sqrt() / self.gap_mean),
            sequential_request_share: self.sequential[0] as f64 / requests as f64,
            sequential_byte_share: self.sequential[1] as f64 / bytes.max(1.0),
            first_s: self.first_ns as f64 / 1e9,
            last_s: self.last_ns as f64 / 1e9,
            lowest_byte: self.lowest,
            end_byte: self.highest,
            footprint_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{read, write};
    use super::*;

    #[test]
    fn figures_of_one_volume() {
        let mut volumes = Volumes::default();
        volumes.add(1, 0, &read(0, 1000, 100));
        volumes.add(1, 1_000_000_000, &write(0, 1100, 300));
        volumes.add(1, 4_000_000_000, &read(0, 0, 200));
        assert_eq!(volumes.sequential(), Some([1.0 / 3.0, 0.5]));
        let names = ["a".to_owned(), "b".to_owned()];
        let found = volumes.finish(&names, [6.0, 1200.0], 4.0, Some(&[0.0, 8192.0]));
        assert_eq!((found.count, found.unlisted_request_share), (1, 0.0));
        let b = &found.listed[0];
        assert_eq!((b.name.as_str(), b.requests, b.request_share, b.byte_share), ("b", 3, 0.5, 0.5));
        assert_eq!((b.mean_read_bytes, b.mean_write_bytes), (Some(150.0), Some(300.0)));
        assert_eq!((b.iops, b.lowest_byte, b.end_byte), (0.75, 0, 1400));
        assert_eq!(b.inter_arrival_cv, Some(0.5)); // gaps of 1 and 3 s: 1 over 2
        assert_eq!(b.footprint_bytes, Some(8192.0));
    }
}
