//! CLOCK (Corbató, "A paging experiment with the Multics system", MIT Project MAC report MAC-M-384, 1968): a queue
//! in which what was used gets another round.
//!
//! Each slot counts its uses up to 2^bits - 1, with one bit as in the paper. The hand looks at the oldest: where it has
//! uses left, it loses one and becomes the newest, else it goes. What enters becomes the newest, without a use: behind
//! the hand, where the victim was.

use crate::queue::{Links, Queue};
use crate::replacement::Replacement;

/// One queue from the hand on.
#[derive(Debug)]
pub struct Clock {
    links: Links,
    queue: Queue,
    most: u16,
}

impl Clock {
    /// With `bits` bits to count uses, 1 to 8.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        Self { links: Links::default(), queue: Queue::default(), most: (1 << bits.clamp(1, 8)) - 1 }
    }
}

impl Replacement for Clock {
    #[inline]
    fn insert(&mut self, slot: u32, _key: u64) {
        self.links.enter(slot, 0);
        self.queue.push_newest(&mut self.links, slot);
    }

    #[inline]
    fn used(&mut self, slot: u32) {
        self.links.count(slot, self.most);
    }

    #[inline]
    fn victim(&mut self, _incoming: u64, mut evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        while let Some(slot) = self.queue.pop(&mut self.links) {
            let link = self.links.get_mut(slot);
            if link.uses > 0 {
                link.uses -= 1;
                self.queue.push_newest(&mut self.links, slot);
            } else if evictable(slot) {
                return Some(slot);
            } else {
                self.queue.set_aside(&mut self.links, slot);
            }
        }
        None
    }

    fn released(&mut self, slot: u32) {
        self.queue.release(&mut self.links, slot);
    }
}
