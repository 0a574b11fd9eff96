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
            placed,
            ticket: _,
            upward,
            last_lbn,
            stayed,
            aged,
        } = self;
        // Only the order of arrival counts; places follow from LBNs.
        let all = placed.iter().chain(by_lbn).chain(arrived);
        let mut waiting: Vec<_> = all.map(|w| (w.ticket, w.op)).collect();
        waiting.sort_unstable();
        for (_, op) in waiting {
            out.op(op);
        }
        if let Some(aged) = aged {
            aged.since().for_each(|since| out.word(since));
        }
        out.small(*upward);
        out.word(*last_lbn);
        out.small((*stayed).min(STAY)); // beyond, nobody counts
    }
}
