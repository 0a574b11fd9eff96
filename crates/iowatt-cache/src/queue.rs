//! Queues of slots: doubly linked lists over one array of links, a slot in one of them at a time.
//!
//! A search for a victim starts at the oldest. A slot that may not go yet is taken out of its queue and stands aside;
//! when it may go, it returns as the oldest, which it was. So a search never meets the same slot twice between two uses
//! of it, however much of a cache is dirty. Among several that stood aside, the one released last is the oldest.

/// No slot.
pub(crate) const END: u32 = u32::MAX;

/// What is kept for a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    older: u32,
    newer: u32,
    /// Uses, as far as a policy counts them.
    pub(crate) uses: u16,
    /// The queue that it is in, as its policy numbers them.
    pub(crate) home: u8,
    aside: bool,
}

/// All slots; they are made as they are used first.
#[derive(Debug, Default)]
pub(crate) struct Links(Vec<Link>);

impl Links {
    #[inline]
    pub(crate) fn get(&self, slot: u32) -> &Link {
        &self.0[slot as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut Link {
        &mut self.0[slot as usize]
    }

    /// The slot enters the cache: without uses, for queue number `home`.
    #[inline]
    pub(crate) fn enter(&mut self, slot: u32, home: u8) {
        let fresh = Link { older: END, newer: END, uses: 0, home, aside: false };
        match self.0.get_mut(slot as usize) {
            Some(link) => *link = fresh,
            None => self.0.resize(slot as usize + 1, fresh),
        }
    }

    /// One more use, up to `most`.
    #[inline]
    pub(crate) fn count(&mut self, slot: u32, most: u16) {
        let uses = &mut self.0[slot as usize].uses;
        *uses = most.min(*uses + 1);
    }

    /// The next newer slot in its queue, or [`END`].
    #[inline]
    pub(crate) fn newer(&self, slot: u32) -> u32 {
        self.0[slot as usize].newer
    }

    /// Whether the slot stands aside.
    #[inline]
    pub(crate) fn is_aside(&self, slot: u32) -> bool {
        self.0[slot as usize].aside
    }
}

/// Slots from the oldest to the newest, and how many of them stand aside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    oldest: u32,
    newest: u32,
    linked: usize,
    aside: usize,
}

impl Default for Queue {
    fn default() -> Self {
        Self { oldest: END, newest: END, linked: 0, aside: 0 }
    }
}

impl Queue {
    /// Slots that belong here, those aside included.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.linked + self.aside
    }

    /// Slots that a search may look at.
    #[inline]
    pub(crate) fn linked(&self) -> usize {
        self.linked
    }

    #[inline]
    pub(crate) fn oldest(&self) -> u32 {
        self.oldest
    }

    #[inline]
    pub(crate) fn push_newest(&mut self, links: &mut Links, slot: u32) {
        let link = links.get_mut(slot);
        (link.older, link.newer) = (self.newest, END);
        match self.newest {
            END => self.oldest = slot,
            newest => links.get_mut(newest).newer = slot,
        }
        self.newest = slot;
        self.linked += 1;
    }

    #[inline]
    pub(crate) fn push_oldest(&mut self, links: &mut Links, slot: u32) {
        self.insert_before(links, slot, self.oldest);
    }

    /// Next to `at` on its older side; as the newest where `at` is [`END`].
    pub(crate) fn insert_before(&mut self, links: &mut Links, slot: u32, at: u32) {
        if at == END {
            self.push_newest(links, slot);
            return;
        }
        let older = links.get(at).older;
        let link = links.get_mut(slot);
        (link.older, link.newer) = (older, at);
        links.get_mut(at).older = slot;
        match older {
            END => self.oldest = slot,
            older => links.get_mut(older).newer = slot,
        }
        self.linked += 1;
    }

    /// Takes a slot out, wherever it stands.
    #[inline]
    pub(crate) fn remove(&mut self, links: &mut Links, slot: u32) {
        let link = links.get_mut(slot);
        if link.aside {
            link.aside = false;
            self.aside -= 1;
            return;
        }
        let (older, newer) = (link.older, link.newer);
        match older {
            END => self.oldest = newer,
            older => links.get_mut(older).newer = newer,
        }
        match newer {
            END => self.newest = older,
            newer => links.get_mut(newer).older = older,
        }
        self.linked -= 1;
    }

    /// Makes a slot the newest.
    #[inline]
    pub(crate) fn renew(&mut self, links: &mut Links, slot: u32) {
        if self.newest == slot {
            return;
        }
        self.remove(links, slot);
        self.push_newest(links, slot);
    }

    /// Takes out the oldest.
    #[inline]
    pub(crate) fn pop(&mut self, links: &mut Links) -> Option<u32> {
        let slot = self.oldest;
        if slot == END {
            return None;
        }
        self.oldest = links.get(slot).newer;
        match self.oldest {
            END => self.newest = END,
            oldest => links.get_mut(oldest).older = END,
        }
        self.linked -= 1;
        Some(slot)
    }

    /// A slot that is in no list any more stands aside.
    pub(crate) fn set_aside(&mut self, links: &mut Links, slot: u32) {
        links.get_mut(slot).aside = true;
        self.aside += 1;
    }

    /// Takes out the oldest that may go; those before it stand aside from now on.
    #[inline]
    pub(crate) fn take(&mut self, links: &mut Links, mut evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        while let Some(slot) = self.pop(links) {
            if evictable(slot) {
                return Some(slot);
            }
            self.set_aside(links, slot);
        }
        None
    }

    /// A slot that stood aside returns as the oldest.
    pub(crate) fn release(&mut self, links: &mut Links, slot: u32) {
        if links.is_aside(slot) {
            self.remove(links, slot);
            self.push_oldest(links, slot);
        }
    }
}
