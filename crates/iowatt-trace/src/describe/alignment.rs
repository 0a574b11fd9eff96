//! Alignment: the power of two that offsets, and offsets with sizes, are multiples of.

use serde::Serialize;

use crate::request::Request;

const LOWEST: u32 = 9;
const HIGHEST: u32 = 20;
const LEVELS: usize = (HIGHEST - LOWEST + 2) as usize;

/// Counts by alignment; index 0 is below 512 bytes.
#[derive(Default)]
pub(super) struct Alignment {
    offsets: [[u64; 2]; LEVELS],
    both: [[u64; 2]; LEVELS],
}

/// Shares of what is aligned to `bytes` or more.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Aligned {
    /// The alignment.
    pub bytes: u64,
    /// Requests whose offset is a multiple of it.
    pub offset_request_share: f64,
    /// Their share of bytes.
    pub offset_byte_share: f64,
    /// Requests whose offset and size are multiples of it: no part of a block is read or written.
    pub whole_request_share: f64,
    /// Their share of bytes.
    pub whole_byte_share: f64,
}

impl Alignment {
    #[inline]
    pub(super) fn add(&mut self, request: &Request) {
        let size = u64::from(request.size);
        for (counts, address) in
            [(&mut self.offsets, request.offset), (&mut self.both, request.offset | size)]
        {
            let level = (address.trailing_zeros().min(HIGHEST) + 1).saturating_sub(LOWEST) as usize;
            counts[level][0] += 1;
            counts[level][1] = counts[level][1].saturating_add(size);
        }
    }

    /// From 512 bytes to 1 MiB.
    pub(super) fn finish(&self) -> Vec<Aligned> {
        let share = |counts: &[[u64; 2]; LEVELS], from: usize, at: usize| {
            let all: u128 = counts.iter().map(|c| u128::from(c[at])).sum();
            let aligned: u128 = counts[from..].iter().map(|c| u128::from(c[at])).sum();
            aligned as f64 / all.max(1) as f64
        };
        (1..LEVELS)
            .map(|from| Aligned {
                bytes: 1 << (LOWEST as usize + from - 1),
                offset_request_share: share(&self.offsets, from, 0),
                offset_byte_share: share(&self.offsets, from, 1),
                whole_request_share: share(&self.both, from, 0),
                whole_byte_share: share(&self.both, from, 1),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::read;
    use super::*;

    #[test]
    fn an_offset_may_be_aligned_and_its_size_not() {
        let mut alignment = Alignment::default();
        alignment.add(&read(0, 8192, 4096)); // whole at 4 KiB
        alignment.add(&read(0, 4096, 512)); // offset at 4 KiB, whole at 512
        alignment.add(&read(0, 513, 3584)); // not at all
        let aligned = alignment.finish();
        let of = |bytes| aligned.iter().find(|a| a.bytes == bytes).unwrap();
        assert!((of(512).offset_request_share - 2.0 / 3.0).abs() < 1e-12);
        assert!((of(4096).offset_request_share - 2.0 / 3.0).abs() < 1e-12);
        assert!((of(4096).whole_request_share - 1.0 / 3.0).abs() < 1e-12);
        assert!((of(4096).whole_byte_share - 0.5).abs() < 1e-12); // 4096 of 8192
        assert!((of(8192).offset_byte_share - 0.5).abs() < 1e-12);
        assert_eq!(of(1 << 20).offset_request_share, 0.0);
    }

    #[test]
    fn offset_zero_is_aligned_to_everything() {
        let mut alignment = Alignment::default();
        alignment.add(&read(0, 0, 4096));
        assert_eq!(alignment.finish().last().unwrap().offset_request_share, 1.0);
    }
}
