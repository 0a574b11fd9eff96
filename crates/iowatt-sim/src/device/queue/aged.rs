//! How long the operations of a queue have waited, where none may wait longer than a limit before its turn comes.
//!
//! They are kept in order of arrival. One that leaves by the discipline's choice is found by its ticket and marked; marked
//! ones go when they come to the front. So every operation costs a binary search, whatever the length of the queue.

use super::Waiting;
use crate::clock::Nanos;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
struct Entry {
    waiting: Waiting,
    since: Nanos,
    gone: bool,
}

/// The operations of a queue by age.
#[derive(Clone, Debug)]
pub(super) struct Aged {
    limit: Nanos,
    entries: VecDeque<Entry>,
}

impl Aged {
    /// None yet; each may wait for `limit`.
    pub(super) fn new(limit: Nanos) -> Self {
        Self { limit, entries: VecDeque::new() }
    }

    /// An operation comes, no earlier than the one before.
    pub(super) fn add(&mut self, waiting: Waiting, now: Nanos) {
        self.entries.push_back(Entry { waiting, since: now, gone: false });
    }

    /// An operation leaves.
    pub(super) fn remove(&mut self, ticket: u64) {
        let at = self.entries.partition_point(|e| e.waiting.ticket < ticket);
        if let Some(entry) = self.entries.get_mut(at).filter(|e| e.waiting.ticket == ticket) {
            entry.gone = true;
        }
        while self.entries.front().is_some_and(|e| e.gone) {
            self.entries.pop_front();
        }
    }

    /// All leave.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    /// The operation that has waited longest, where that is longer than the limit.
    pub(super) fn overdue(&self, now: Nanos) -> Option<Waiting> {
        self.entries.front().filter(|e| now.saturating_sub(e.since) > self.limit).map(|e| e.waiting)
    }

    /// Since when each has waited, in order of arrival.
    pub(super) fn since(&self) -> impl Iterator<Item = Nanos> + '_ {
        self.entries.iter().filter(|e| !e.gone).map(|e| e.since)
    }
}
