//! 2Q (Johnson and Shasha, "2Q: a low overhead high performance buffer management replacement algorithm", VLDB 1994),
//! its full version.
//!
//! What enters goes into a queue (A1in) in which uses do not count; what leaves that queue is remembered (A1out), and
//! what returns while it is remembered goes into a second queue in the order of use (Am). A1in gives way while it
//! holds more than its share. The paper's shares are the defaults: A1in a quarter of the slots, A1out as many keys as
//! half of the slots.

use super::{Keys, part};
use crate::ghosts::Remembered;
use crate::index::Index;
use crate::queue::{Links, Queue};
use crate::replacement::Replacement;

const IN: u8 = 0;
const MAIN: u8 = 1;

/// A1in, A1out and Am.
#[derive(Debug)]
pub struct TwoQ<I> {
    links: Links,
    keys: Keys,
    queues: [Queue; 2],
    out: Remembered<I>,
    most_in: usize,
}

impl<I: Index> TwoQ<I> {
    /// For so many slots; `in_share` and `out_share` are Kin and Kout in shares of them.
    #[must_use]
    pub fn new(capacity: usize, in_share: f64, out_share: f64) -> Self {
        Self {
            links: Links::default(),
            keys: Keys::default(),
            queues: [Queue::default(); 2],
            out: Remembered::new(part(capacity, out_share, 0)),
            most_in: part(capacity, in_share, 1),
        }
    }

    fn take(&mut self, home: u8, evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        let slot = self.queues[usize::from(home)].take(&mut self.links, evictable)?;
        if home == IN {
            self.out.remember(self.keys.get(slot));
        }
        Some(slot)
    }
}

impl<I: Index> Replacement for TwoQ<I> {
    #[inline]
    fn insert(&mut self, slot: u32, key: u64) {
        let home = if self.out.returns(key) { MAIN } else { IN };
        self.keys.set(slot, key);
        self.links.enter(slot, home);
        self.queues[usize::from(home)].push_newest(&mut self.links, slot);
    }

    #[inline]
    fn used(&mut self, slot: u32) {
        if self.links.get(slot).home == MAIN {
            self.queues[usize::from(MAIN)].renew(&mut self.links, slot);
        }
    }

    #[inline]
    fn victim(&mut self, incoming: u64, mut evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        self.out.recall(incoming);
        let first = if self.queues[usize::from(IN)].len() > self.most_in { IN } else { MAIN };
        self.take(first, &mut evictable).or_else(|| self.take(1 - first, evictable))
    }

    fn released(&mut self, slot: u32) {
        let home = self.links.get(slot).home;
        self.queues[usize::from(home)].release(&mut self.links, slot);
    }
}
