//! A queue as words: who waits, in order of arrival, and where the discipline stands.

use super::{Queue, STAY};
use crate::canonical::Canon;

impl Queue {
    /// Writes the state between two events.
    pub fn canonical(&self, out: &mut Canon) {
        let Self {
            discipline: _,
            ahead: _,
            arrived,
            by_lbn,
            places: _,        // follow from the entries
            revolution_ps: _, // of the places
            sequence: _,      // only the order counts
            upward,
            last_lbn,
            stayed,
        } = self;
        let mut waiting: Vec<_> = by_lbn.iter().chain(arrived).map(|w| (w.sequence, w.op)).collect();
        waiting.sort_unstable();
        for (_, op) in waiting {
            out.op(op);
        }
        out.small(*upward);
        out.word(*last_lbn);
        out.small((*stayed).min(STAY)); // beyond, nobody counts
    }
}
