//! ARC (Megiddo and Modha, "ARC: a self-tuning, low overhead replacement cache", FAST 2003).
//!
//! T1 holds what was used once since it entered, T2 what was used again, both in the order of use; B1 and B2 remember what
//! left them. A key that returns from B1 raises the target of T1, one from B2 lowers it. The target is a real number, as
//! in the paper's Figure 4, and the figure's case IV is followed to the letter.

use super::Keys;
use crate::ghosts::Ghosts;
use crate::index::Index;
use crate::queue::{Links, Queue};
use crate::replacement::Replacement;

const RECENT: u8 = 0;
const FREQUENT: u8 = 1;

/// T1 and T2, B1 and B2, and the target of T1.
#[derive(Debug)]
pub struct Arc<I> {
    capacity: usize,
    links: Links,
    keys: Keys,
    held: [Queue; 2],
    ghosts: Ghosts<I>,
    left: [Queue; 2],
    target: f64,
    /// The ghost that a search brought back and that has not entered yet, and the list that it was in.
    returning: Option<(u64, u8)>,
}

impl<I: Index> Arc<I> {
    /// For so many slots.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            links: Links::default(),
            keys: Keys::default(),
            held: [Queue::default(); 2],
            ghosts: Ghosts::default(),
            left: [Queue::default(); 2],
            target: 0.0,
            returning: None,
        }
    }

    /// Cases II and III: the target follows the list from which a key returns.
    fn recall(&mut self, key: u64) {
        let Some((ghost, from)) = self.ghosts.find(key) else {
            // A search in vain for the same key may have brought it back before.
            self.returning = self.returning.filter(|&(earlier, _)| earlier == key);
            return;
        };
        let [recent, frequent] = self.left.map(|queue| queue.len() as f64);
        self.target = if from == RECENT {
            (self.target + (frequent / recent).max(1.0)).min(self.capacity as f64)
        } else {
            (self.target - (recent / frequent).max(1.0)).max(0.0)
        };
        self.ghosts.remove(&mut self.left[usize::from(from)], ghost);
        self.returning = Some((key, from));
    }

    /// Takes a slot from T1 or T2, which becomes a ghost where it is `remembered`.
    fn take(&mut self, from: u8, evictable: impl FnMut(u32) -> bool, remembered: bool) -> Option<u32> {
        let list = usize::from(from);
        let slot = self.held[list].take(&mut self.links, evictable)?;
        if remembered {
            self.ghosts.add(&mut self.left, from, self.keys.get(slot));
        }
        Some(slot)
    }

    /// REPLACE of the paper.
    fn replace(&mut self, mut evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        let recent = self.held[0].len();
        let frequent_returns = matches!(self.returning, Some((_, FREQUENT)));
        let above = recent as f64 > self.target || recent as f64 == self.target && frequent_returns;
        let first = if recent > 0 && above || self.held[1].len() == 0 { RECENT } else { FREQUENT };
        self.take(first, &mut evictable, true).or_else(|| self.take(1 - first, evictable, true))
    }
}

impl<I: Index> Replacement for Arc<I> {
    #[inline]
    fn insert(&mut self, slot: u32, key: u64) {
        let home = match self.returning.take() {
            Some((returned, _)) if returned == key => FREQUENT,
            _ => RECENT,
        };
        self.keys.set(slot, key);
        self.links.enter(slot, home);
        self.held[usize::from(home)].push_newest(&mut self.links, slot);
    }

    #[inline]
    fn used(&mut self, slot: u32) {
        let home = self.links.get(slot).home;
        if home == FREQUENT {
            self.held[1].renew(&mut self.links, slot);
        } else {
            self.held[0].remove(&mut self.links, slot);
            self.links.get_mut(slot).home = FREQUENT;
            self.held[1].push_newest(&mut self.links, slot);
        }
    }

    #[inline]
    fn victim(&mut self, incoming: u64, mut evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        self.recall(incoming);
        if self.returning.is_some() {
            return self.replace(evictable);
        }
        // Case IV: a key that nobody remembers.
        let [recent, frequent] = [0, 1].map(|list| self.held[list].len() + self.left[list].len());
        if recent >= self.capacity {
            if self.left[0].len() == 0 {
                let slot = self.take(RECENT, &mut evictable, false);
                return slot.or_else(|| self.take(FREQUENT, evictable, true));
            }
            self.ghosts.drop_oldest(&mut self.left[0]);
        } else if recent + frequent >= 2 * self.capacity {
            self.ghosts.drop_oldest(&mut self.left[1]);
        }
        self.replace(evictable)
    }

    fn released(&mut self, slot: u32) {
        let home = self.links.get(slot).home;
        self.held[usize::from(home)].release(&mut self.links, slot);
    }
}
