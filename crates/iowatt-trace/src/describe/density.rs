//! I/O density: requests and bytes by extents of the address space, and how unevenly they spread.
//!
//! Extents that were asked for keep their size while at most [`MOST`] are touched; automatic ones start at
//! 1 MiB and are at most [`AUTOMATIC`] (more where there are many devices). Beyond the bound neighbours are
//! joined, and the result carries the size that came of it.

use std::collections::HashMap;

use serde::Serialize;

use super::skew::{Heat, SkewPoint, skew};
use crate::request::{Op, Request};

const AUTOMATIC: usize = 1 << 10;
const MOST: usize = 1 << 16;
const PER_DEVICE: usize = 8;
const SMALLEST: u64 = 1 << 20;

#[derive(Clone, Copy, Default)]
struct Use {
    requests: [u64; 2],
    bytes: [u64; 2],
}

/// Uses by extent.
pub(super) struct Density {
    extent_bytes: u64,
    bound: usize,
    extents: HashMap<(u32, u64), Use>,
    last: Option<((u32, u64), Use)>,
}

/// Requests and bytes by extent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DensityFigures {
    /// Bytes of an extent.
    pub extent_bytes: u64,
    /// Whether that is the size asked for; automatic extents are.
    pub as_asked: bool,
    /// Extents with at least one request.
    pub touched: u64,
    /// Extents from the first touched one of each device to its last.
    pub spanned: u64,
    /// Share of the I/O on the hottest extents.
    pub skew: Vec<SkewPoint>,
    /// Touched extents by device and address.
    pub extents: Extents,
}

/// Touched extents by device and address, in columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Extents {
    /// Name of the device.
    pub device: Vec<String>,
    /// First byte.
    pub offset_bytes: Vec<u64>,
    /// Reads that start in it.
    pub reads: Vec<u64>,
    /// Writes that start in it.
    pub writes: Vec<u64>,
    /// Bytes read from it.
    pub bytes_read: Vec<u64>,
    /// Bytes written to it.
    pub bytes_written: Vec<u64>,
}

impl Density {
    pub(super) fn new(extent_bytes: Option<u64>) -> Self {
        Self {
            extent_bytes: extent_bytes.unwrap_or(SMALLEST),
            bound: if extent_bytes.is_some() { MOST } else { AUTOMATIC },
            extents: HashMap::new(),
            last: None,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, request: &Request) {
        let direction = usize::from(request.op == Op::Write);
        let end = request.offset + u64::from(request.size);
        let mut at = request.offset;
        let mut requests = 1;
        while at < end {
            let extent = at / self.extent_bytes;
            let next = (extent + 1).saturating_mul(self.extent_bytes).min(end);
            let place = self.place((request.device, extent));
            place.requests[direction] += std::mem::take(&mut requests);
            place.bytes[direction] = place.bytes[direction].saturating_add(next - at);
            at = next;
        }
        self.bound = self.bound.max(PER_DEVICE * (request.device as usize + 1));
        while self.extents.len() > self.bound {
            self.join();
        }
    }

    /// Neighbours in time are mostly neighbours in space: the last extent stays at hand.
    #[inline]
    fn place(&mut self, key: (u32, u64)) -> &mut Use {
        if self.last.is_none_or(|(last, _)| last != key) {
            self.settle();
        }
        &mut self.last.get_or_insert((key, Use::default())).1
    }

    fn settle(&mut self) {
        if let Some((key, held)) = self.last.take() {
            self.extents.entry(key).or_default().absorb(&held);
        }
    }

    fn join(&mut self) {
        self.settle();
        self.extent_bytes = self.extent_bytes.saturating_mul(2);
        let mut joined: HashMap<(u32, u64), Use> = HashMap::with_capacity(self.extents.len());
        #[allow(clippy::iter_over_hash_type)] // sums of integers: in any order the same
        for ((device, extent), held) in self.extents.drain() {
            joined.entry((device, extent / 2)).or_default().absorb(&held);
        }
        self.extents = joined;
    }

    pub(super) fn finish(mut self, asked: Option<u64>, devices: &[String]) -> DensityFigures {
        self.settle();
        let mut found: Vec<_> = self.extents.into_iter().collect();
        found.sort_unstable_by_key(|&(key, _)| key);
        let heat = found.iter().map(|(_, held)| Heat {
            requests: (held.requests[0] + held.requests[1]) as f64,
            bytes: (held.bytes[0] as f64) + (held.bytes[1] as f64),
            reads: held.requests[0] as f64,
        });
        let skew = skew(heat.collect());
        let spanned =
            found.chunk_by(|a, b| a.0.0 == b.0.0).map(|one| one[one.len() - 1].0.1 - one[0].0.1 + 1);
        let spanned = spanned.sum();
        let mut extents = Extents::default();
        for ((device, extent), held) in &found {
            let name = devices.get(*device as usize).cloned().unwrap_or_else(|| device.to_string());
            extents.device.push(name);
            extents.offset_bytes.push(extent * self.extent_bytes);
            extents.reads.push(held.requests[0]);
            extents.writes.push(held.requests[1]);
            extents.bytes_read.push(held.bytes[0]);
            extents.bytes_written.push(held.bytes[1]);
        }
        DensityFigures {
            extent_bytes: self.extent_bytes,
            as_asked: asked.is_none_or(|asked| asked == self.extent_bytes),
            touched: found.len() as u64,
            spanned,
            skew,
            extents,
        }
    }
}

impl Use {
    fn absorb(&mut self, other: &Self) {
        for at in 0..2 {
            self.requests[at] += other.requests[at];
            self.bytes[at] = self.bytes[at].saturating_add(other.bytes[at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Uniform, read, write};
    use super::*;

    #[test]
    fn a_request_counts_where_it_starts_its_bytes_where_they_lie() {
        let mut density = Density::new(Some(4096));
        density.add(&read(0, 4000, 200)); // 96 bytes in the first, 104 in the second
        density.add(&write(0, 12_288, 4096));
        let found = density.finish(Some(4096), &["sda".into()]);
        assert_eq!(found.extents.offset_bytes, [0, 4096, 12_288]);
        assert_eq!(found.extents.reads, [1, 0, 0]);
        assert_eq!(found.extents.bytes_read, [96, 104, 0]);
        assert_eq!(found.extents.bytes_written, [0, 0, 4096]);
        assert_eq!((found.touched, found.spanned, found.as_asked), (3, 4, true));
    }

    #[test]
    fn too_many_extents_are_joined_and_nothing_is_lost() {
        let mut uniform = Uniform(1);
        let mut density = Density::new(None);
        for _ in 0..20_000 {
            density.add(&read(0, uniform.below(1 << 36), 4096));
        }
        let found = density.finish(None, &["sda".into()]);
        assert!(found.touched <= 1024 && found.extent_bytes == 64 << 20, "{}", found.extent_bytes);
        assert_eq!(found.extents.reads.iter().sum::<u64>(), 20_000);
        assert_eq!(found.extents.bytes_read.iter().sum::<u64>(), 20_000 * 4096);
    }
}
