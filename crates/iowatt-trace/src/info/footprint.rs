//! How much of the address space is touched: distinct 4-KiB blocks, read and written apart.
//!
//! Exact while the trace touches at most [`REGIONS`] regions of 2 MiB (512 GiB of them, some 80 MB of
//! bitmaps). Beyond, one region in two, then in four, ... is kept, chosen by a hash of its address, and
//! the counts are scaled; the result says so.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use serde::Serialize;

/// Regions whose bitmaps are kept at most.
pub(super) const REGIONS: usize = 1 << 18;
/// Bytes of a block.
pub(super) const BLOCK: u64 = 4096;
const BLOCKS_PER_REGION: u64 = 512;

/// Distinct blocks touched, in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Footprint {
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Blocks touched by reads or writes, times their size; summed over devices.
    pub total_bytes: u64,
    /// By reads.
    pub read_bytes: u64,
    /// By writes.
    pub written_bytes: u64,
    /// Whether that is a count; else it is an estimate from one region in `sampled_one_in`.
    pub exact: bool,
    /// 1 when exact.
    pub sampled_one_in: u64,
}

#[derive(Clone, Copy, Default)]
struct Region {
    read: [u64; 8],
    written: [u64; 8],
}

type Key = (u32, u64);

/// The bitmaps.
pub(super) struct Touched {
    regions: HashMap<Key, Region, BuildHasherDefault<Mixed>>,
    bound: usize,
    halvings: u32,
}

impl Touched {
    pub(super) fn new(bound: usize) -> Self {
        Self { regions: HashMap::default(), bound, halvings: 0 }
    }

    #[inline]
    pub(super) fn add(&mut self, device: u32, offset: u64, size: u32, write: bool) {
        if size == 0 {
            return;
        }
        let (first, last) = (offset / BLOCK, (offset + u64::from(size) - 1) / BLOCK);
        for region in first / BLOCKS_PER_REGION..=last / BLOCKS_PER_REGION {
            let base = region * BLOCKS_PER_REGION;
            let from = first.max(base) - base;
            let to = last.min(base + BLOCKS_PER_REGION - 1) - base;
            self.mark((device, region), from, to, write);
        }
    }

    fn mark(&mut self, key: Key, from: u64, to: u64, write: bool) {
        if !sampled(key, self.halvings) {
            return;
        }
        let region = self.regions.entry(key).or_default();
        let bits = if write { &mut region.written } else { &mut region.read };
        for word in from / 64..=to / 64 {
            let low = from.max(word * 64) % 64;
            let high = to.min(word * 64 + 63) % 64;
            if let Some(slot) = usize::try_from(word).ok().and_then(|word| bits.get_mut(word)) {
                *slot |= (u64::MAX >> (63 - high)) & (u64::MAX << low);
            }
        }
        while self.regions.len() > self.bound && self.halvings < 63 {
            self.halvings += 1;
            let halvings = self.halvings;
            self.regions.retain(|&key, _| sampled(key, halvings));
        }
    }

    pub(super) fn footprint(&self) -> Footprint {
        let sum = |bits: fn(&Region, usize) -> u64| -> u64 {
            let blocks: u64 = self
                .regions
                .values()
                .map(|region| (0..8).map(|word| u64::from(bits(region, word).count_ones())).sum::<u64>())
                .sum();
            blocks.saturating_mul(BLOCK << self.halvings)
        };
        Footprint {
            block_bytes: BLOCK,
            total_bytes: sum(|region, word| region.read[word] | region.written[word]),
            read_bytes: sum(|region, word| region.read[word]),
            written_bytes: sum(|region, word| region.written[word]),
            exact: self.halvings == 0,
            sampled_one_in: 1 << self.halvings,
        }
    }
}

fn sampled((device, region): Key, halvings: u32) -> bool {
    halvings == 0 || mixed(mixed(u64::from(device)) ^ region) >> (64 - halvings) == 0
}

/// The finaliser of `SplitMix64`: spreads neighbouring addresses over all bits.
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Hashes a key by the same mixing.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mixed(self.0 ^ value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn partial_blocks_count_whole_and_once() {
        let mut touched = Touched::new(REGIONS);
        touched.add(0, 4095, 2, false); // blocks 0 and 1
        touched.add(0, 4096, 4096, true); // block 1
        touched.add(1, 0, 1, true); // another device's block 0
        let footprint = touched.footprint();
        assert_eq!(footprint.total_bytes, 3 * 4096);
        assert_eq!((footprint.read_bytes, footprint.written_bytes), (2 * 4096, 2 * 4096));
        assert!(footprint.exact);
    }

    #[test]
    fn past_the_bound_it_is_an_estimate_and_says_so() {
        let mut touched = Touched::new(1000);
        for region in 0..100_000_u64 {
            touched.add(0, region << 21, 8192, region % 2 == 0);
        }
        let footprint = touched.footprint();
        assert!(!footprint.exact && touched.regions.len() <= 1000);
        let truth = 100_000.0 * 8192.0;
        #[allow(clippy::cast_precision_loss)]
        let error = (footprint.total_bytes as f64 / truth - 1.0).abs();
        assert!(error < 0.15, "{error}"); // 500 to 1000 kept: 1/sqrt(500) = 4.5 %
    }

    proptest! {
        #[test]
        fn as_many_as_a_set_of_blocks_holds(
            requests in proptest::collection::vec((0_u64..1 << 23, 1_u32..1 << 22), 1..20)
        ) {
            let mut touched = Touched::new(REGIONS);
            let mut blocks = BTreeSet::new();
            for &(offset, size) in &requests {
                touched.add(0, offset, size, true);
                blocks.extend(offset / BLOCK..=(offset + u64::from(size) - 1) / BLOCK);
            }
            prop_assert_eq!(touched.footprint().written_bytes, blocks.len() as u64 * BLOCK);
        }
    }
}
