//! Least recently used: what was not used for the longest time goes.

use crate::queue::{Links, Queue};
use crate::replacement::Replacement;

/// One queue in the order of use.
#[derive(Debug, Default)]
pub struct Lru {
    links: Links,
    queue: Queue,
}

impl Replacement for Lru {
    #[inline]
    fn insert(&mut self, slot: u32, _key: u64) {
        self.links.enter(slot, 0);
        self.queue.push_newest(&mut self.links, slot);
    }

    #[inline]
    fn used(&mut self, slot: u32) {
        self.queue.renew(&mut self.links, slot);
    }

    #[inline]
    fn victim(&mut self, _incoming: u64, evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        self.queue.take(&mut self.links, evictable)
    }

    fn released(&mut self, slot: u32) {
        self.queue.release(&mut self.links, slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_and_what_was_set_aside_returns_as_the_oldest() {
        let mut lru = Lru::default();
        for slot in 0..4 {
            lru.insert(slot, 0);
        }
        lru.used(0); // 1 2 3 0
        let mut asked = Vec::new();
        let victim = lru.victim(0, |slot| {
            asked.push(slot);
            slot == 3
        });
        assert_eq!((victim, asked), (Some(3), vec![1, 2, 3]));
        assert_eq!(lru.victim(0, |_| true), Some(0), "1 and 2 stand aside");
        lru.released(2);
        assert_eq!(lru.victim(0, |_| true), Some(2));
        lru.insert(3, 0);
        lru.used(1);
        assert_eq!([lru.victim(0, |_| true), lru.victim(0, |_| true)], [Some(3), Some(1)]);
        assert_eq!(lru.victim(0, |_| true), None);
    }
}
