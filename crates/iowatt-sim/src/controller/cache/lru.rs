//! Least recently used: a doubly linked list from the oldest use to the newest.
//!
//! A search starts at the oldest. A line that may not go yet (dirty, on its way) is taken off the list and
//! set aside; when it may go, it returns as the oldest, which it was. So a search never meets the same
//! line twice between two uses of it, however much of the cache is dirty. Among several that were set
//! aside, the one released last is the oldest.

use super::policy::Replacement;

const END: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Links {
    older: u32,
    newer: u32,
    aside: bool,
}

/// The list.
#[derive(Debug)]
pub struct Lru {
    links: Vec<Links>,
    oldest: u32,
    newest: u32,
}

impl Default for Lru {
    fn default() -> Self {
        Self { links: Vec::new(), oldest: END, newest: END }
    }
}

impl Lru {
    fn link_newest(&mut self, line: u32) {
        self.links[line as usize] = Links { older: self.newest, newer: END, aside: false };
        match self.newest {
            END => self.oldest = line,
            newest => self.links[newest as usize].newer = line,
        }
        self.newest = line;
    }

    fn link_oldest(&mut self, line: u32) {
        self.links[line as usize] = Links { older: END, newer: self.oldest, aside: false };
        match self.oldest {
            END => self.newest = line,
            oldest => self.links[oldest as usize].older = line,
        }
        self.oldest = line;
    }

    fn unlink(&mut self, line: u32) {
        let Links { older, newer, .. } = self.links[line as usize];
        match older {
            END => self.oldest = newer,
            older => self.links[older as usize].newer = newer,
        }
        match newer {
            END => self.newest = older,
            newer => self.links[newer as usize].older = older,
        }
    }
}

impl Replacement for Lru {
    fn insert(&mut self, line: u32, _key: u64) {
        if line as usize >= self.links.len() {
            self.links.resize(line as usize + 1, Links { older: END, newer: END, aside: false });
        }
        self.link_newest(line);
    }

    fn used(&mut self, line: u32) {
        if self.newest == line {
            return;
        }
        if !self.links[line as usize].aside {
            self.unlink(line);
        }
        self.link_newest(line);
    }

    fn victim(&mut self, _incoming: u64, mut evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        while self.oldest != END {
            let line = self.oldest;
            self.unlink(line);
            if evictable(line) {
                return Some(line);
            }
            self.links[line as usize].aside = true;
        }
        None
    }

    fn released(&mut self, line: u32) {
        if self.links[line as usize].aside {
            self.link_oldest(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_and_what_was_set_aside_returns_as_the_oldest() {
        let mut lru = Lru::default();
        for line in 0..4 {
            lru.insert(line, 0);
        }
        lru.used(0); // 1 2 3 0
        let mut asked = Vec::new();
        let victim = lru.victim(0, |line| {
            asked.push(line);
            line == 3
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
