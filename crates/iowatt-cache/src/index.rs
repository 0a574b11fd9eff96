//! Where a key is found again.

/// Numbers by key.
pub trait Index: Default {
    /// The number of a key.
    fn get(&self, key: u64) -> Option<u32>;
    /// Gives a key that has none a number, which is less than 2^32 - 1.
    fn set(&mut self, key: u64, number: u32);
    /// Forgets a key that has a number.
    fn remove(&mut self, key: u64);
}

const NONE: u32 = u32::MAX;

/// For keys that are small numbers: an array over them. Memory follows the greatest key.
#[derive(Debug, Default)]
pub struct Direct(Vec<u32>);

impl Index for Direct {
    #[inline]
    fn get(&self, key: u64) -> Option<u32> {
        self.0.get(key as usize).copied().filter(|&number| number != NONE)
    }

    #[inline]
    fn set(&mut self, key: u64, number: u32) {
        let key = key as usize;
        if key >= self.0.len() {
            self.0.resize((key + 1).next_power_of_two(), NONE);
        }
        self.0[key] = number;
    }

    #[inline]
    fn remove(&mut self, key: u64) {
        self.0[key as usize] = NONE;
    }
}

/// For any keys: open addressing with linear probing, half full at most; what is removed leaves no mark.
#[derive(Debug, Default)]
pub struct Hashed {
    /// Keys and numbers; a free place has the number [`NONE`].
    places: Vec<(u64, u32)>,
    used: usize,
    shift: u32,
}

impl Hashed {
    /// The place of a key, or the free one where it would be.
    fn place(&self, key: u64) -> usize {
        let mut at = self.first(key);
        while self.places[at].1 != NONE && self.places[at].0 != key {
            at = (at + 1) & (self.places.len() - 1);
        }
        at
    }

    /// Multiplicative hashing: the upper bits of the product.
    fn first(&self, key: u64) -> usize {
        (spread(key) >> self.shift) as usize
    }

    fn grow(&mut self) {
        let count = (self.places.len() * 2).max(64);
        let before = std::mem::replace(&mut self.places, vec![(0, NONE); count]);
        self.shift = 64 - count.trailing_zeros();
        for (key, number) in before.into_iter().filter(|place| place.1 != NONE) {
            let at = self.place(key);
            self.places[at] = (key, number);
        }
    }
}

impl Index for Hashed {
    fn get(&self, key: u64) -> Option<u32> {
        if self.used == 0 {
            return None;
        }
        Some(self.places[self.place(key)].1).filter(|&number| number != NONE)
    }

    fn set(&mut self, key: u64, number: u32) {
        if 2 * (self.used + 1) > self.places.len() {
            self.grow();
        }
        let at = self.place(key);
        self.places[at] = (key, number);
        self.used += 1;
    }

    fn remove(&mut self, key: u64) {
        let (mut hole, last) = (self.place(key), self.places.len() - 1);
        let mut at = hole;
        loop {
            at = (at + 1) & last;
            let (next, number) = self.places[at];
            if number == NONE {
                break;
            }
            // What is not nearer to its first place than the hole is moves into it.
            let from_home = at.wrapping_sub(self.first(next)) & last;
            if from_home >= (at.wrapping_sub(hole) & last) {
                self.places[hole] = self.places[at];
                hole = at;
            }
        }
        self.places[hole].1 = NONE;
        self.used -= 1;
    }
}

/// A 64-bit hash whose upper bits depend on all bits of the key (Fibonacci hashing).
#[inline]
#[must_use]
pub fn spread(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
#[allow(clippy::iter_over_hash_type)] // the order does not matter here
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn finds_what_a_map_finds<I: Index>(steps: &[(u64, bool)]) {
        let (mut index, mut map) = (I::default(), HashMap::new());
        for (number, &(key, add)) in steps.iter().enumerate() {
            assert_eq!(index.get(key), map.get(&key).copied());
            if add && !map.contains_key(&key) {
                index.set(key, number as u32);
                map.insert(key, number as u32);
            } else if !add && map.remove(&key).is_some() {
                index.remove(key);
            }
            for (&key, &number) in &map {
                assert_eq!(index.get(key), Some(number));
            }
        }
    }

    proptest! {
        #[test]
        fn both_find_what_a_map_finds(
            steps in prop::collection::vec((0_u64..90, any::<bool>()), 0..300), far in any::<u64>()
        ) {
            finds_what_a_map_finds::<Direct>(&steps);
            finds_what_a_map_finds::<Hashed>(&steps);
            let anywhere: Vec<_> = steps.iter().map(|&(key, add)| (far.wrapping_mul(key), add)).collect();
            finds_what_a_map_finds::<Hashed>(&anywhere);
        }
    }
}
