//! The latency budget: where the time of a class of requests went, by slot and by how long they took.

use crate::clock::Nanos;

/// Bins of response times: eight an octave, from 1 us on.
const BINS: usize = 8 * 44;

/// Sums over the requests of one bin of a class: their number, then waiting and service of each slot.
#[derive(Clone, Debug)]
pub struct Budget {
    slots: usize,
    rows: Vec<u64>,
}

/// A bin that holds requests.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Least and greatest response time in it.
    pub range: (Nanos, Nanos),
    /// Its requests.
    pub requests: u64,
    /// Waiting and service of each slot in turn, summed over them.
    pub times: &'a [u64],
}

impl Budget {
    /// Nothing yet, of a path with so many slots.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        Self { slots, rows: vec![0; BINS * (1 + 2 * slots)] }
    }

    /// A request that took `response` is done; `times` is its sheet.
    pub fn add(&mut self, response: Nanos, times: &[Nanos]) {
        let width = 1 + 2 * self.slots;
        let row = &mut self.rows[bin_of(response) * width..][..width];
        row[0] += 1;
        for (sum, time) in row[1..].iter_mut().zip(times) {
            *sum += time;
        }
    }

    /// The bins that hold requests.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let width = 1 + 2 * self.slots;
        let row = |(bin, row): (usize, &'_ [u64])| (edges(bin), row[0]);
        self.rows
            .chunks_exact(width)
            .enumerate()
            .map(move |(bin, sums)| (row((bin, sums)), &sums[1..]))
            .filter(|((_, requests), _)| *requests > 0)
            .map(|((range, requests), times)| Row { range, requests, times })
    }
}

/// Bin of a response time: octave above 1.024 us and the next three bits.
fn bin_of(response: Nanos) -> usize {
    let v = (response >> 7).max(8);
    let octave = 63 - v.leading_zeros() as usize;
    let eighth = (v >> (octave - 3)) as usize & 7;
    ((octave - 3) * 8 + eighth).min(BINS - 1)
}

/// Least and greatest value of a bin.
fn edges(bin: usize) -> (Nanos, Nanos) {
    let low = |bin: usize| (8 + bin as u64 % 8) << (bin / 8) << 7;
    let from = if bin == 0 { 0 } else { low(bin) };
    (from, if bin == BINS - 1 { Nanos::MAX } else { low(bin + 1) - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bins_hold_their_values(response in 0u64..1 << 60) {
            let (low, high) = edges(bin_of(response));
            prop_assert!(low <= response && response <= high);
        }
    }

    #[test]
    fn sums_are_kept_by_bin() {
        let mut budget = Budget::new(2);
        budget.add(1_500, &[500, 0, 0, 1_000]);
        budget.add(1_510, &[510, 0, 0, 1_000]);
        budget.add(9_000, &[0, 9_000, 0, 0]);
        let rows: Vec<_> = budget.rows().map(|r| (r.requests, r.times.to_vec())).collect();
        assert_eq!(rows, [(2, vec![1_010, 0, 0, 2_000]), (1, vec![0, 9_000, 0, 0])]);
    }
}
