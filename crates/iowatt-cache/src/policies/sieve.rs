//! SIEVE (Zhang et al., "SIEVE is simpler than LRU: an efficient turn-key eviction algorithm for web caches", NSDI 2024):
//! a hand moves over a queue from the oldest to the newest and takes what was not used since it came by.
//!
//! Unlike CLOCK, what was used stays where it is, so the hand sifts new keys soon. A slot that may not go stands aside;
//! when it may, it returns to where the hand is, as the next that the hand looks at.

use crate::queue::{END, Links, Queue};
use crate::replacement::Replacement;

/// One queue in the order of entry, and a hand.
#[derive(Debug)]
pub struct Sieve {
    links: Links,
    queue: Queue,
    /// The slot to look at next; [`END`]: the oldest.
    hand: u32,
}

impl Default for Sieve {
    fn default() -> Self {
        Self { links: Links::default(), queue: Queue::default(), hand: END }
    }
}

impl Replacement for Sieve {
    #[inline]
    fn insert(&mut self, slot: u32, _key: u64) {
        self.links.enter(slot, 0);
        self.queue.push_newest(&mut self.links, slot);
    }

    #[inline]
    fn used(&mut self, slot: u32) {
        self.links.count(slot, 1);
    }

    #[inline]
    fn victim(&mut self, _incoming: u64, mut evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        while self.queue.linked() > 0 {
            let slot = if self.hand == END { self.queue.oldest() } else { self.hand };
            self.hand = self.links.newer(slot);
            let link = self.links.get_mut(slot);
            if link.uses > 0 {
                link.uses = 0;
                continue;
            }
            self.queue.remove(&mut self.links, slot);
            if evictable(slot) {
                return Some(slot);
            }
            self.queue.set_aside(&mut self.links, slot);
        }
        None
    }

    fn released(&mut self, slot: u32) {
        if self.links.is_aside(slot) {
            self.queue.remove(&mut self.links, slot);
            let at = if self.hand == END { self.queue.oldest() } else { self.hand };
            self.queue.insert_before(&mut self.links, slot, at);
            self.hand = slot;
        }
    }
}
