//! Pending events as words: their times, and whose they are, in the order in which they will come out.

use super::EventQueue;
use crate::canonical::Canon;
use crate::clock::Nanos;

impl EventQueue {
    /// Writes what is pending.
    pub fn canonical(&self, out: &mut Canon) {
        let Self { completions, arrivals, others, sequence: _ } = self;
        let of =
            |kind: u64| move |(place, at, sequence): (usize, Nanos, u64)| (at, sequence, kind, place as u64);
        let mut pending: Vec<_> =
            completions.pending().map(of(0)).chain(arrivals.pending().map(of(1))).collect();
        // The order of scheduling decides ties; all that is scheduled from now on comes behind.
        pending.sort_unstable();
        out.word(pending.len() as u64);
        for (at, _, kind, place) in pending {
            out.word(at);
            out.word(place << 1 | kind);
        }
        if !others.is_empty() {
            out.unlike_any();
        }
    }
}
