//! Overlapping transfers of a part take place in the order in which they were opened, which the policies rely on.

use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
struct Held {
    key: usize,
    range: (u64, u64),
    write: bool,
}

impl Held {
    fn conflicts(&self, other: &Self) -> bool {
        (self.write || other.write) && self.range.0 < other.range.1 && other.range.0 < self.range.1
    }
}

/// Transfers of one part.
#[derive(Debug, Default)]
pub struct Ranges {
    active: Vec<Held>,
    /// Those that wait for earlier ones.
    blocked: VecDeque<Held>,
}

impl Ranges {
    /// Transfer `key` is opened; whether it may take place now. Else [`Self::leave`] names it later.
    pub fn enter(&mut self, key: usize, range: (u64, u64), write: bool) -> bool {
        let new = Held { key, range, write };
        if self.active.iter().chain(&self.blocked).any(|held| held.conflicts(&new)) {
            self.blocked.push_back(new);
            return false;
        }
        self.active.push(new);
        true
    }

    /// Transfer `key` is done; `start` gets those that may take place now.
    pub fn leave(&mut self, key: usize, mut start: impl FnMut(usize)) {
        self.active.retain(|held| held.key != key);
        let mut at = 0;
        while at < self.blocked.len() {
            let held = self.blocked[at];
            let earlier = self.blocked.iter().take(at);
            if self.active.iter().chain(earlier).any(|other| other.conflicts(&held)) {
                at += 1;
                continue;
            }
            self.blocked.remove(at);
            self.active.push(held);
            start(held.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_writes_keep_their_order() {
        let mut ranges = Ranges::default();
        assert!(ranges.enter(1, (0, 10), true));
        assert!(!ranges.enter(2, (5, 15), true));
        assert!(!ranges.enter(3, (12, 20), false)); // waits for 2, which waits for 1
        assert!(ranges.enter(4, (20, 30), false));
        assert!(ranges.enter(5, (25, 30), false));
        let mut started = Vec::new();
        ranges.leave(1, |key| started.push(key));
        assert_eq!(started, [2]);
        ranges.leave(2, |key| started.push(key));
        assert_eq!(started, [2, 3]);
    }
}
