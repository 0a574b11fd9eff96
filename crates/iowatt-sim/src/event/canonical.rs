//! Pending events as words: their times, and whose they are, in the order in which they will come out.

use super::{EventQueue, Key};
use crate::canonical::Canon;

impl EventQueue {
    /// Writes what is pending.
    pub fn canonical(&self, out: &mut Canon) {
        let Self { completions, arrivals, others, sequence: _ } = self;
        let of = |kind: u64| move |key: Key| (key, kind);
        let mut pending: Vec<_> =
            completions.pending().map(of(0)).chain(arrivals.pending().map(of(1))).collect();
        // The order of scheduling decides ties; all that is scheduled from now on comes behind.
        pending.sort_unstable();
        out.word(pending.len() as u64);
        for (key, kind) in pending {
            out.word(key.at());
            out.word(u64::from(key.place()) << 1 | kind);
        }
        if !others.is_empty() {
            out.unlike_any();
        }
    }
}
