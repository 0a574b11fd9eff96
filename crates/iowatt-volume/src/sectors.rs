//! Sectors of blocks as bits, and pieces of requests that lie one behind the other.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Bytes of a sector: what is written and kept apart.
pub const SECTOR: u64 = 512;

/// Bits of the sectors of block number `block`, of `block_bytes` (at most 128 sectors), that bytes `from..until` touch.
#[must_use]
pub fn touched(block: u64, block_bytes: u64, from: u64, until: u64) -> u128 {
    let start = block * block_bytes;
    let first = from.saturating_sub(start) / SECTOR;
    let last = (until - start).min(block_bytes).div_ceil(SECTOR);
    low_bits(last) & !low_bits(first)
}

fn low_bits(count: u64) -> u128 {
    if count >= 128 { u128::MAX } else { (1 << count) - 1 }
}

/// The first run of set bits, as sectors `from..until`.
#[must_use]
pub fn first_run(bits: u128) -> Option<(u64, u64)> {
    if bits == 0 {
        return None;
    }
    let from = bits.trailing_zeros();
    Some((u64::from(from), u64::from(from + (bits >> from).trailing_ones())))
}

/// The bits of sectors `from..until`.
#[must_use]
pub fn run(from: u64, until: u64) -> u128 {
    low_bits(until) & !low_bits(from)
}

/// Joins pieces that lie one behind the other in one part.
#[derive(Debug, Default)]
pub struct Pieces {
    open: Option<(usize, u64, u64)>,
}

impl Pieces {
    /// The next piece, bytes `from..until` of a part; whatever it does not continue goes to `emit`.
    pub fn push(&mut self, part: usize, from: u64, until: u64, emit: &mut impl FnMut(usize, u64, u64)) {
        match &mut self.open {
            Some((p, _, end)) if *p == part && *end == from => *end = until,
            open => {
                if let Some((p, f, u)) = open.replace((part, from, until)) {
                    emit(p, f, u);
                }
            }
        }
    }

    /// No more pieces.
    pub fn end(&mut self, emit: &mut impl FnMut(usize, u64, u64)) {
        if let Some((part, from, until)) = self.open.take() {
            emit(part, from, until);
        }
    }
}

/// A hasher of block numbers: one multiplication, whose high bits are folded in. Nothing iterates over these maps.
#[derive(Default)]
pub struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        // 2^64 over the golden ratio, odd (Knuth, TAOCP 3, 6.4).
        let mixed = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// From block numbers to places.
pub type BlockMap = HashMap<u64, u32, BuildHasherDefault<Mixed>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_touch_whole_sectors() {
        assert_eq!(touched(1, 4096, 4096, 8192), 0xff);
        assert_eq!(touched(1, 4096, 0, 100_000), 0xff);
        assert_eq!(touched(1, 4096, 4096 + 511, 4096 + 513), 0b11);
        assert_eq!(touched(0, 65_536, 0, 65_536), u128::MAX);
        assert_eq!(
            (first_run(0), first_run(0b1101_1000), first_run(u128::MAX)),
            (None, Some((3, 5)), Some((0, 128)))
        );
        assert_eq!(run(3, 5), 0b1_1000);
    }

    #[test]
    fn pieces_join_where_they_continue() {
        let mut got = vec![];
        let mut pieces = Pieces::default();
        for (part, from, until) in [(0, 0, 4), (0, 4, 8), (1, 8, 9), (0, 9, 10), (0, 11, 12)] {
            pieces.push(part, from, until, &mut |p, f, u| got.push((p, f, u)));
        }
        pieces.end(&mut |p, f, u| got.push((p, f, u)));
        assert_eq!(got, [(0, 0, 8), (1, 8, 9), (0, 9, 10), (0, 11, 12)]);
    }
}
