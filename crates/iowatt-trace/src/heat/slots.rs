//! Which slot an extent has: a table for the extents at the start of the first spaces, where nearly all are, and a hash for
//! the others.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Spaces that have a table.
const NEAR_SPACES: u32 = 64;
/// Extents of a space that are in its table: 256 KiB.
const NEAR_EXTENTS: u64 = 1 << 16;
/// An extent of a table that has no slot.
const NONE: u32 = u32::MAX;

/// The slots of extents, which are numbered in the order in which they come. An extent is a space and a number in it.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    near: Vec<Vec<u32>>,
    far: HashMap<(u32, u64), u32, BuildHasherDefault<Mix>>,
    count: usize,
}

impl Slots {
    /// Number of slots.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The slot of an extent that has one.
    #[inline]
    pub fn get(&self, (space, extent): (u32, u64)) -> Option<u32> {
        if is_near(space, extent) {
            let slot = *self.near.get(space as usize)?.get(extent as usize)?;
            (slot != NONE).then_some(slot)
        } else {
            self.far.get(&(space, extent)).copied()
        }
    }

    /// Gives the next slot to an extent that has none.
    pub fn insert(&mut self, (space, extent): (u32, u64)) -> u32 {
        let slot = self.count as u32;
        self.count += 1;
        if is_near(space, extent) {
            let (space, extent) = (space as usize, extent as usize);
            if self.near.len() <= space {
                self.near.resize_with(space + 1, Vec::new);
            }
            let table = &mut self.near[space];
            if table.len() <= extent {
                table.resize(extent + 1, NONE);
            }
            table[extent] = slot;
        } else {
            self.far.insert((space, extent), slot);
        }
        slot
    }

    /// All extents in order of space and number, with their slots.
    pub fn in_order(&self) -> Vec<((u32, u64), u32)> {
        let tables = self.near.iter().enumerate();
        let near = tables.flat_map(|(space, table)| {
            let extents = table.iter().enumerate().filter(|(_, slot)| **slot != NONE);
            extents.map(move |(extent, &slot)| ((space as u32, extent as u64), slot))
        });
        let mut order: Vec<_> = near.chain(self.far.iter().map(|(&extent, &slot)| (extent, slot))).collect();
        order.sort_unstable();
        order
    }
}

#[inline]
fn is_near(space: u32, extent: u64) -> bool {
    (space < NEAR_SPACES) & (extent < NEAR_EXTENTS)
}

/// A hash of small numbers: multiplied, the high bits folded in (the constant is 2^64 over the golden ratio).
#[derive(Clone, Copy, Debug, Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_extents_have_slots_in_the_order_in_which_they_come() {
        let mut slots = Slots::default();
        let extents = [(0, 7), (70, 1), (0, NEAR_EXTENTS), (3, 0), (0, 2)];
        for (number, &extent) in extents.iter().enumerate() {
            assert_eq!((slots.get(extent), slots.insert(extent)), (None, number as u32));
        }
        assert_eq!(extents.map(|extent| slots.get(extent)), [0, 1, 2, 3, 4].map(Some));
        let order = [((0, 2), 4), ((0, 7), 0), ((0, NEAR_EXTENTS), 2), ((3, 0), 3), ((70, 1), 1)];
        assert_eq!((slots.in_order(), slots.len()), (order.to_vec(), 5));
    }
}
