//! Ghosts: keys of what went, in queues of their own.

use crate::index::Index;
use crate::queue::{Links, Queue};

/// The keys, and where to find them.
#[derive(Debug, Default)]
pub(crate) struct Ghosts<I> {
    index: I,
    keys: Vec<u64>,
    links: Links,
    free: Vec<u32>,
}

impl<I: Index> Ghosts<I> {
    /// The ghost of a key and the queue that it is in.
    #[inline]
    pub(crate) fn find(&self, key: u64) -> Option<(u32, u8)> {
        self.index.get(key).map(|ghost| (ghost, self.links.get(ghost).home))
    }

    /// Makes a ghost, as the newest of the queue of number `home`. A key that entered again without being looked for
    /// (there was room) still has one, in any of the queues: it gives way.
    #[inline]
    pub(crate) fn add(&mut self, queues: &mut [Queue], home: u8, key: u64) {
        self.drop_key(queues, key);
        let ghost = self.free.pop().unwrap_or(self.keys.len() as u32);
        match self.keys.get_mut(ghost as usize) {
            Some(place) => *place = key,
            None => self.keys.push(key),
        }
        self.links.enter(ghost, home);
        queues[usize::from(home)].push_newest(&mut self.links, ghost);
        self.index.set(key, ghost);
    }

    /// Forgets a ghost of `queue`.
    #[inline]
    pub(crate) fn remove(&mut self, queue: &mut Queue, ghost: u32) {
        queue.remove(&mut self.links, ghost);
        self.forget(ghost);
    }

    /// Forgets the ghost of a key, where there is one.
    #[inline]
    pub(crate) fn drop_key(&mut self, queues: &mut [Queue], key: u64) {
        if let Some((ghost, home)) = self.find(key) {
            self.remove(&mut queues[usize::from(home)], ghost);
        }
    }

    /// Forgets the oldest ghost of `queue`, where there is one.
    #[inline]
    pub(crate) fn drop_oldest(&mut self, queue: &mut Queue) {
        if let Some(ghost) = queue.pop(&mut self.links) {
            self.forget(ghost);
        }
    }

    fn forget(&mut self, ghost: u32) {
        self.index.remove(self.keys[ghost as usize]);
        self.free.push(ghost);
    }
}

/// One queue of ghosts of bounded length, first in, first out.
#[derive(Debug)]
pub(crate) struct Remembered<I> {
    ghosts: Ghosts<I>,
    queue: Queue,
    most: usize,
    /// The key that [`Self::recall`] found last and that has not entered yet.
    returning: Option<u64>,
}

impl<I: Index> Remembered<I> {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            ghosts: Ghosts {
                index: I::default(),
                keys: Vec::new(),
                links: Links::default(),
                free: Vec::new(),
            },
            queue: Queue::default(),
            most,
            returning: None,
        }
    }

    /// Remembers a key that goes; the oldest is forgotten where there are too many.
    #[inline]
    pub(crate) fn remember(&mut self, key: u64) {
        if self.most == 0 {
            return;
        }
        let queue = std::slice::from_mut(&mut self.queue);
        self.ghosts.drop_key(queue, key);
        if queue[0].len() == self.most {
            self.ghosts.drop_oldest(&mut queue[0]);
        }
        self.ghosts.add(queue, 0, key);
    }

    /// Looks for a key that wants to enter; it is a ghost no more then. A search in vain for its victim does not
    /// lose it: it may be asked for again.
    #[inline]
    pub(crate) fn recall(&mut self, key: u64) {
        if let Some((ghost, _)) = self.ghosts.find(key) {
            self.ghosts.remove(&mut self.queue, ghost);
            self.returning = Some(key);
        } else if self.returning != Some(key) {
            self.returning = None;
        }
    }

    /// Whether the key that enters was recalled for it.
    #[inline]
    pub(crate) fn returns(&mut self, key: u64) -> bool {
        self.returning.take() == Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Hashed;
    use proptest::prelude::*;

    proptest! {
        /// A key that enters without being recalled and goes again is remembered once, as the newest.
        #[test]
        fn a_key_has_one_ghost(steps in prop::collection::vec((any::<bool>(), 0u64..8), 0..100), most in 1usize..6) {
            let mut ghosts = Remembered::<Hashed>::new(most);
            let mut model: Vec<u64> = Vec::new();
            for (goes, key) in steps {
                let known = model.iter().position(|&k| k == key).map(|at| model.remove(at)).is_some();
                if goes {
                    if model.len() == most {
                        model.remove(0);
                    }
                    model.push(key);
                    ghosts.remember(key);
                } else {
                    ghosts.recall(key);
                    prop_assert_eq!(ghosts.returns(key), known);
                }
                prop_assert_eq!(ghosts.queue.len(), model.len());
                for key in 0..8 {
                    prop_assert_eq!(ghosts.ghosts.find(key).is_some(), model.contains(&key));
                }
            }
        }
    }
}
