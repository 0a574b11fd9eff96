//! A count-min sketch that ages (TinyLFU's, with conservative update).

use crate::index::spread;

/// Rows of counters: a key has one in each, and counts what the least of them says.
const ROWS: usize = 4;
/// Most that a counter of four bits holds.
const MOST: u64 = 15;
/// Counters of a row for each slot of the cache, at least.
const PER_SLOT: usize = 4;
/// Odd multipliers, one a row.
const SEEDS: [u64; ROWS] =
    [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53, 0x9e6c_63d0_876a_68af, 0xd6e8_feb8_6659_fd93];

/// How often keys were added of late, estimated.
#[derive(Debug)]
pub(crate) struct Sketch {
    /// 16 counters of four bits a word; row by row.
    words: Vec<u64>,
    /// Counters of a row: a power of two.
    shift: u32,
    per_row: usize,
    additions: u64,
    /// Additions after which all counters are halved.
    sample: u64,
}

impl Sketch {
    pub(crate) fn new(capacity: usize, sample: f64) -> Self {
        let counters = (capacity.max(4) * PER_SLOT).next_power_of_two();
        Self {
            words: vec![0; ROWS * counters / 16],
            shift: 64 - counters.trailing_zeros(),
            per_row: counters / 16,
            additions: 0,
            sample: ((capacity as f64 * sample) as u64).max(1),
        }
    }

    /// Word and shift of a key's counter in each row.
    #[inline]
    fn places(&self, key: u64) -> [(usize, u32); ROWS] {
        // Neighbouring keys differ in all bits before the rows' multipliers meet them.
        let mixed = spread(key ^ key >> 32);
        let mixed = mixed ^ mixed >> 29;
        std::array::from_fn(|row| {
            let counter = mixed.wrapping_mul(SEEDS[row]) >> self.shift;
            (row * self.per_row + (counter >> 4) as usize, (counter as u32 & 15) * 4)
        })
    }

    /// Only the least of a key's counters rise.
    #[inline]
    pub(crate) fn add(&mut self, key: u64) {
        let places = self.places(key);
        let counts = places.map(|(word, at)| self.words[word] >> at & MOST);
        let least = counts.into_iter().min().unwrap_or(0);
        if least < MOST {
            for ((word, at), count) in places.into_iter().zip(counts) {
                self.words[word] += u64::from(count == least) << at;
            }
        }
        self.additions += 1;
        if self.additions >= self.sample {
            self.age();
        }
    }

    #[inline]
    pub(crate) fn estimate(&self, key: u64) -> u64 {
        self.places(key).into_iter().map(|(word, at)| self.words[word] >> at & MOST).min().unwrap_or(0)
    }

    fn age(&mut self) {
        self.words.iter_mut().for_each(|word| *word = *word >> 1 & 0x7777_7777_7777_7777);
        self.additions /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_at_least_what_was_added_and_ages() {
        let mut sketch = Sketch::new(100, 10.0);
        for key in 0..50 {
            (0..=key % 7).for_each(|_| sketch.add(key));
        }
        let over = (0..50).filter(|key| sketch.estimate(*key) > key % 7 + 1).count();
        assert!((0..50).all(|key| sketch.estimate(key) > key % 7));
        assert!(over <= 2, "{over} of 50 collide in all rows");
        (0..2_000).for_each(|_| sketch.add(1_000_000));
        assert!(sketch.estimate(6) <= 2 && sketch.estimate(1_000_000) >= 7);
    }
}
