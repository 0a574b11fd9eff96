//! First in, first out: what entered first goes, used or not.

use crate::queue::{Links, Queue};
use crate::replacement::Replacement;

/// One queue in the order of entry.
#[derive(Debug, Default)]
pub struct Fifo {
    links: Links,
    queue: Queue,
}

impl Replacement for Fifo {
    #[inline]
    fn insert(&mut self, slot: u32, _key: u64) {
        self.links.enter(slot, 0);
        self.queue.push_newest(&mut self.links, slot);
    }

    #[inline]
    fn used(&mut self, _slot: u32) {}

    #[inline]
    fn victim(&mut self, _incoming: u64, evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        self.queue.take(&mut self.links, evictable)
    }

    fn released(&mut self, slot: u32) {
        self.queue.release(&mut self.links, slot);
    }
}
