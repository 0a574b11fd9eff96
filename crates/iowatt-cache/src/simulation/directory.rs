//! Numbers for keys: small ones, in the order in which regions of sixteen blocks are first touched.
//!
//! Blocks near each other have one entry and neighbouring numbers, so a table over regions is small and a run of blocks
//! is looked up once. Keys far apart cost the sixteen numbers of a region each.

use crate::index::spread;

/// Blocks of a region.
const REGION: u64 = 16;
const FREE: u32 = u32::MAX;
/// The numbers of all regions are less than 2^32 - 1.
const MOST_REGIONS: usize = (1 << 28) - 1;

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The region's place on its device, in regions.
    place: u64,
    number: u32,
    device: u16,
    /// One bit for each block that was touched.
    touched: u16,
}

impl Entry {
    #[inline]
    fn is(&self, device: u16, place: u64) -> bool {
        self.place == place && self.device == device && self.number != FREE
    }
}

/// The table: open addressing, half full at most.
#[derive(Debug)]
pub(super) struct Directory {
    entries: Vec<Entry>,
    shift: u32,
    regions: usize,
    /// The entry that was used last.
    last: usize,
    distinct: u64,
}

/// More blocks than there are numbers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Directory {
    pub(super) fn new() -> Self {
        let count = 1 << 12;
        Self { entries: vec![free(); count], shift: shift(count), regions: 0, last: 0, distinct: 0 }
    }

    /// The number of block `block` of a device; devices are fewer than 2^16.
    #[inline]
    pub(super) fn number(&mut self, device: u32, block: u64) -> Result<u32, Full> {
        let (device, place, bit) = (device as u16, block / REGION, (block % REGION) as u32);
        if !self.entries[self.last].is(device, place) {
            self.last = self.find(device, place)?;
        }
        let entry = &mut self.entries[self.last];
        self.distinct += u64::from(entry.touched >> bit & 1 ^ 1);
        entry.touched |= 1 << bit;
        Ok(entry.number * REGION as u32 + bit)
    }

    /// One past the greatest number so far.
    pub(super) fn numbers(&self) -> usize {
        self.regions * REGION as usize
    }

    /// Different blocks so far.
    pub(super) fn distinct(&self) -> u64 {
        self.distinct
    }

    #[inline]
    fn find(&mut self, device: u16, place: u64) -> Result<usize, Full> {
        let at = self.at(device, place);
        if self.entries[at].number == FREE { self.add(device, place) } else { Ok(at) }
    }

    /// Where a region's entry is, or would be.
    #[inline]
    fn at(&self, device: u16, place: u64) -> usize {
        let mut at = (spread(place ^ u64::from(device) << 48) >> self.shift) as usize;
        while self.entries[at].number != FREE && !self.entries[at].is(device, place) {
            at = (at + 1) & (self.entries.len() - 1);
        }
        at
    }

    #[inline(never)]
    fn add(&mut self, device: u16, place: u64) -> Result<usize, Full> {
        if self.regions == MOST_REGIONS {
            return Err(Full);
        }
        if 2 * (self.regions + 1) > self.entries.len() {
            let count = self.entries.len() * 2;
            let before = std::mem::replace(&mut self.entries, vec![free(); count]);
            self.shift = shift(count);
            for entry in before.into_iter().filter(|entry| entry.number != FREE) {
                let at = self.at(entry.device, entry.place);
                self.entries[at] = entry;
            }
        }
        let at = self.at(device, place);
        self.entries[at] = Entry { place, number: self.regions as u32, device, touched: 0 };
        self.regions += 1;
        Ok(at)
    }
}

fn free() -> Entry {
    Entry { place: 0, number: FREE, device: 0, touched: 0 }
}

fn shift(count: usize) -> u32 {
    64 - count.trailing_zeros()
}

#[cfg(test)]
#[allow(clippy::iter_over_hash_type)] // the order does not matter here
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn numbers_are_those_of_a_map(
            blocks in prop::collection::vec((0_u32..3, prop_oneof![0_u64..400, any::<u64>()]), 0..9_000)
        ) {
            let (mut directory, mut map, mut back) = (Directory::new(), HashMap::new(), HashMap::new());
            for (device, block) in blocks {
                let number = directory.number(device, block).unwrap_or(u32::MAX);
                prop_assert!((number as usize) < directory.numbers());
                prop_assert_eq!(*map.entry((device, block)).or_insert(number), number);
                prop_assert_eq!(*back.entry(number).or_insert((device, block)), (device, block));
                prop_assert_eq!(directory.distinct(), map.len() as u64);
            }
        }
    }
}
