//! Completions to come, the earliest first and those at the same time in the order in which they were found.

use crate::clock::Nanos;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bits of the number of a command in service.
const NUMBER: u32 = 24;

/// Most commands in service.
pub const MOST: usize = 1 << NUMBER;

/// A heap of times, orders and numbers of commands. The three are one integer: comparing them takes no branch.
#[derive(Debug, Default)]
pub struct Pending {
    heap: BinaryHeap<Reverse<u128>>,
    order: u64,
}

impl Pending {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Command `number` is done at `at`, as far as anybody knows.
    #[inline]
    pub fn add(&mut self, at: Nanos, number: u32) {
        self.order += 1;
        let key = u128::from(at) << 64 | u128::from(self.order << NUMBER | u64::from(number));
        self.heap.push(Reverse(key));
    }

    /// The earliest: its time, and the number of the command.
    #[inline]
    pub fn first(&self) -> Option<(Nanos, u32)> {
        self.heap.peek().map(|&Reverse(key)| parts(key))
    }

    /// Takes the earliest away.
    #[inline]
    pub fn remove_first(&mut self) {
        self.heap.pop();
    }

    /// The earliest, command `number`, is found to be done at `at` only.
    #[inline]
    pub fn put_off_first(&mut self, at: Nanos, number: u32) {
        self.remove_first();
        self.add(at, number);
    }

    /// All of them, in no particular order.
    pub fn all(&self) -> impl Iterator<Item = (Nanos, u32)> + '_ {
        self.heap.iter().map(|&Reverse(key)| parts(key))
    }
}

/// Time and number of a key.
#[inline]
fn parts(key: u128) -> (Nanos, u32) {
    ((key >> 64) as Nanos, key as u32 & (MOST as u32 - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_ties_in_order() {
        let mut pending = Pending::default();
        for (at, number) in [(7, 3), (5, 9), (5, 2), (6, 0)] {
            pending.add(at, number);
        }
        pending.put_off_first(6, 9);
        let mut order = Vec::new();
        while let Some(first) = pending.first() {
            order.push(first);
            pending.remove_first();
        }
        assert_eq!(order, [(5, 2), (6, 0), (6, 9), (7, 3)]);
    }
}
