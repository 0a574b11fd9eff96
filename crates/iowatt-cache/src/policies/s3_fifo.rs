//! S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023): a small queue that sifts, a main
//! queue with second chances, and the keys of what the small one dropped.
//!
//! What enters goes into the small queue, or into the main one where its key is remembered. The small queue gives its
//! oldest to the main one if it was used `threshold` times, else drops it and remembers its key; the main one gives its
//! oldest another round for each use of up to three. The paper's shares are the defaults: the small queue a tenth of the
//! slots, as many keys remembered as the main queue has slots, two uses.
//!
//! As in the authors' simulator (libCacheSim's S3FIFO since December 2024) and unlike the paper, what enters before the
//! cache is full and after the small queue is goes into the main queue, so that the small one has its size from the
//! beginning; and one search empties one queue until something goes.

use super::{Keys, part};
use crate::ghosts::Remembered;
use crate::index::Index;
use crate::queue::{Links, Queue};
use crate::replacement::Replacement;

const SMALL: u8 = 0;
const MAIN: u8 = 1;
/// Uses that count.
const MOST: u16 = 3;

/// Small and main queue, and the ghosts.
#[derive(Debug)]
pub struct S3Fifo<I> {
    links: Links,
    keys: Keys,
    small: Queue,
    main: Queue,
    ghosts: Remembered<I>,
    most_small: usize,
    most_main: usize,
    threshold: u16,
    full: bool,
}

impl<I: Index> S3Fifo<I> {
    /// For so many slots; shares are of them.
    #[must_use]
    pub fn new(capacity: usize, small_share: f64, ghost_share: f64, threshold: u32) -> Self {
        let most_small = part(capacity, small_share, 1);
        Self {
            links: Links::default(),
            keys: Keys::default(),
            small: Queue::default(),
            main: Queue::default(),
            ghosts: Remembered::new(part(capacity, ghost_share, 0)),
            most_small,
            most_main: capacity - most_small.min(capacity),
            threshold: threshold.min(u32::from(MOST)) as u16,
            full: false,
        }
    }

    fn take_main(&mut self, evictable: &mut impl FnMut(u32) -> bool) -> Option<u32> {
        while let Some(slot) = self.main.pop(&mut self.links) {
            let link = self.links.get_mut(slot);
            if link.uses > 0 {
                link.uses -= 1;
                self.main.push_newest(&mut self.links, slot);
            } else if evictable(slot) {
                return Some(slot);
            } else {
                self.main.set_aside(&mut self.links, slot);
            }
        }
        None
    }

    fn take_small(&mut self, evictable: &mut impl FnMut(u32) -> bool) -> Option<u32> {
        while let Some(slot) = self.small.pop(&mut self.links) {
            let link = self.links.get_mut(slot);
            if link.uses >= self.threshold {
                (link.uses, link.home) = (0, MAIN);
                self.main.push_newest(&mut self.links, slot);
            } else if evictable(slot) {
                self.ghosts.remember(self.keys.get(slot));
                return Some(slot);
            } else {
                self.small.set_aside(&mut self.links, slot);
            }
        }
        None
    }
}

impl<I: Index> Replacement for S3Fifo<I> {
    #[inline]
    fn insert(&mut self, slot: u32, key: u64) {
        let fills = !self.full && self.small.len() >= self.most_small;
        let main = self.ghosts.returns(key) || fills;
        self.keys.set(slot, key);
        self.links.enter(slot, if main { MAIN } else { SMALL });
        let queue = if main { &mut self.main } else { &mut self.small };
        queue.push_newest(&mut self.links, slot);
    }

    #[inline]
    fn used(&mut self, slot: u32) {
        self.links.count(slot, MOST);
    }

    #[inline]
    fn victim(&mut self, incoming: u64, mut evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        self.full = true;
        self.ghosts.recall(incoming);
        if self.main.len() > self.most_main {
            let slot = self.take_main(&mut evictable);
            if slot.is_some() {
                return slot;
            }
        }
        self.take_small(&mut evictable).or_else(|| self.take_main(&mut evictable))
    }

    fn released(&mut self, slot: u32) {
        let queue = if self.links.get(slot).home == MAIN { &mut self.main } else { &mut self.small };
        queue.release(&mut self.links, slot);
    }
}
