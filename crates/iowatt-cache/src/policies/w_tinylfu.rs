//! W-TinyLFU (Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy", ACM Transactions on
//! Storage 13(4), 2017): a small window in the order of use, and a main part into which only what is asked for more often
//! than its victim is admitted.
//!
//! The window is LRU. The main part is a segmented LRU: what enters is on probation, a use protects it, and where too many are
//! protected the oldest of them goes on probation again. How often keys were asked for of late is estimated by a
//! count-min sketch that ages ([`Sketch`]). The paper's shares are the defaults: a window of 1 % of the slots, 80 % of
//! the main part protected, counts halved every ten references a slot.

use super::{Keys, part};
use crate::queue::{Links, Queue};
use crate::replacement::Replacement;
use crate::sketch::Sketch;

const WINDOW: u8 = 0;
const PROBATION: u8 = 1;
const PROTECTED: u8 = 2;

/// Window, probation, protected; the sketch.
#[derive(Debug)]
pub struct WTinyLfu {
    links: Links,
    keys: Keys,
    queues: [Queue; 3],
    sketch: Sketch,
    most_window: usize,
    most_protected: usize,
}

impl WTinyLfu {
    /// For so many slots: the window's share of them, the protected share of the rest, and the references after which
    /// counts are halved, a slot.
    #[must_use]
    pub fn new(capacity: usize, window_share: f64, protected_share: f64, sample: f64) -> Self {
        let most_window = part(capacity, window_share, 1);
        Self {
            links: Links::default(),
            keys: Keys::default(),
            queues: [Queue::default(); 3],
            sketch: Sketch::new(capacity, sample),
            most_window,
            most_protected: part(capacity - most_window.min(capacity), protected_share, 0),
        }
    }

    fn queue(&mut self, home: u8) -> &mut Queue {
        &mut self.queues[usize::from(home)]
    }

    fn move_to(&mut self, slot: u32, home: u8) {
        let link = self.links.get_mut(slot);
        let from = std::mem::replace(&mut link.home, home);
        self.queues[usize::from(from)].remove(&mut self.links, slot);
        self.queues[usize::from(home)].push_newest(&mut self.links, slot);
    }

    /// The slot that the main part would give up.
    fn weakest(&mut self, evictable: &mut impl FnMut(u32) -> bool) -> Option<u32> {
        [PROBATION, PROTECTED].into_iter().find_map(|home| self.peek(home, evictable))
    }

    /// The oldest evictable slot of a queue, which stays there; those before it stand aside.
    fn peek(&mut self, home: u8, evictable: &mut impl FnMut(u32) -> bool) -> Option<u32> {
        let queue = &mut self.queues[usize::from(home)];
        let slot = queue.take(&mut self.links, evictable)?;
        queue.push_oldest(&mut self.links, slot);
        Some(slot)
    }
}

impl Replacement for WTinyLfu {
    #[inline]
    fn insert(&mut self, slot: u32, key: u64) {
        self.sketch.add(key);
        self.keys.set(slot, key);
        self.links.enter(slot, WINDOW);
        self.queues[usize::from(WINDOW)].push_newest(&mut self.links, slot);
        // While the cache fills, what the window has too many of goes on probation unasked.
        if self.queue(WINDOW).linked() > self.most_window {
            let oldest = self.queue(WINDOW).oldest();
            self.move_to(oldest, PROBATION);
        }
    }

    #[inline]
    fn used(&mut self, slot: u32) {
        self.sketch.add(self.keys.get(slot));
        match self.links.get(slot).home {
            PROBATION => {
                self.move_to(slot, PROTECTED);
                if self.queue(PROTECTED).linked() > self.most_protected {
                    let oldest = self.queue(PROTECTED).oldest();
                    self.move_to(oldest, PROBATION);
                }
            }
            home => self.queues[usize::from(home)].renew(&mut self.links, slot),
        }
    }

    #[inline]
    fn victim(&mut self, _incoming: u64, mut evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        let weakest = self.weakest(&mut evictable);
        // A candidate of the window is weighed against it, where the window has no room.
        let candidate = if self.queue(WINDOW).len() >= self.most_window || weakest.is_none() {
            self.peek(WINDOW, &mut evictable)
        } else {
            None
        };
        let slot = match (candidate, weakest) {
            (Some(candidate), Some(weakest)) => {
                let count = |slot| self.sketch.estimate(self.keys.get(slot));
                if count(candidate) > count(weakest) {
                    self.move_to(candidate, PROBATION);
                    weakest
                } else {
                    candidate
                }
            }
            (one, other) => one.or(other)?,
        };
        let home = self.links.get(slot).home;
        self.queues[usize::from(home)].remove(&mut self.links, slot);
        Some(slot)
    }

    fn released(&mut self, slot: u32) {
        let home = self.links.get(slot).home;
        self.queues[usize::from(home)].release(&mut self.links, slot);
    }
}
