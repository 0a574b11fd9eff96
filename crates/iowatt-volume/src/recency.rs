//! Slots in the order of their last use: a doubly linked list, in two numbers a slot.

/// No slot.
pub const NONE: u32 = u32::MAX;

/// The list. A slot is on it once or not at all.
#[derive(Clone, Debug)]
pub struct Recency {
    /// Of each slot: the one used before it, and the one used after it.
    links: Vec<[u32; 2]>,
    oldest: u32,
    newest: u32,
    listed: u32,
}

const OLDER: usize = 0;
const NEWER: usize = 1;

impl Recency {
    /// No slots listed, of so many.
    #[must_use]
    pub fn new(slots: u32) -> Self {
        Self { links: vec![[NONE; 2]; slots as usize], oldest: NONE, newest: NONE, listed: 0 }
    }

    /// Lists `slot`, which is not listed, as used now.
    #[inline]
    pub fn add(&mut self, slot: u32) {
        self.links[slot as usize] = [self.newest, NONE];
        match self.newest {
            NONE => self.oldest = slot,
            newest => self.links[newest as usize][NEWER] = slot,
        }
        self.newest = slot;
        self.listed += 1;
    }

    /// Takes `slot`, which is listed, off the list.
    #[inline]
    pub fn remove(&mut self, slot: u32) {
        let [older, newer] = self.links[slot as usize];
        match older {
            NONE => self.oldest = newer,
            older => self.links[older as usize][NEWER] = newer,
        }
        match newer {
            NONE => self.newest = older,
            newer => self.links[newer as usize][OLDER] = older,
        }
        self.listed -= 1;
    }

    /// `slot`, which is listed, is used now.
    #[inline]
    pub fn touch(&mut self, slot: u32) {
        if self.newest != slot {
            self.remove(slot);
            self.add(slot);
        }
    }

    /// Slots from the oldest use on.
    pub fn oldest_first(&self) -> impl Iterator<Item = u32> + '_ {
        let at = |slot: u32| (slot != NONE).then_some(slot);
        std::iter::successors(at(self.oldest), move |&slot| at(self.links[slot as usize][NEWER]))
    }

    /// Number of slots on the list.
    #[must_use]
    pub fn len(&self) -> usize {
        self.listed as usize
    }

    /// Whether no slot is on the list.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listed == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_change_the_order() {
        let mut list = Recency::new(4);
        for slot in [2, 0, 3, 1] {
            list.add(slot);
        }
        list.touch(0);
        list.touch(0);
        list.remove(3);
        list.touch(2);
        assert_eq!(list.oldest_first().collect::<Vec<_>>(), [1, 0, 2]);
        assert_eq!(list.len(), 3);
        for slot in [1, 0, 2] {
            list.remove(slot);
        }
        assert_eq!((list.len(), list.oldest_first().next()), (0, None));
    }
}
