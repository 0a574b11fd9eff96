//! Replacement: the contract, and the choice of a policy.

use super::lru::Lru;
use crate::plan::ReplacementPlan;

/// Which line gives way to a new one.
///
/// The cache owns the lines and knows which of them may go; a policy owns an order of their numbers and
/// nothing else. Line numbers are small and reused; a policy keeps its links in a vector by number.
///
/// - Every line that the cache holds has been `insert`ed and not yet returned by `victim`.
/// - A policy never sees whether a line is dirty: it proposes lines to `victim`'s `evictable`, takes the
///   first that may go, forgets it and returns it. Lines that it proposed in vain may be set aside, so
///   that no later search looks at them again; the cache tells it by [`Self::released`] when such a line
///   may go after all.
/// - No call allocates in steady state, and each takes constant time, a search amortised.
///
/// To add one: a file beside `lru.rs`, a variant here and in `ReplacementPlan`, its name in the scenario.
pub trait Replacement {
    /// A line enters, with the address key that it holds from now on.
    fn insert(&mut self, line: u32, key: u64);
    /// A request touches a line that is there.
    fn used(&mut self, line: u32);
    /// Chooses and forgets a line for which `evictable` is true, to make room for address `incoming`.
    fn victim(&mut self, incoming: u64, evictable: impl FnMut(u32) -> bool) -> Option<u32>;
    /// A line that was not evictable is so again.
    fn released(&mut self, line: u32);
}

/// The policies, dispatched without a table.
#[derive(Debug)]
pub enum Policy {
    /// Least recently used.
    Lru(Lru),
}

impl Policy {
    /// The policy of a plan.
    #[must_use]
    pub fn new(plan: ReplacementPlan) -> Self {
        match plan {
            ReplacementPlan::Lru => Self::Lru(Lru::default()),
        }
    }
}

impl Replacement for Policy {
    fn insert(&mut self, line: u32, key: u64) {
        match self {
            Self::Lru(p) => p.insert(line, key),
        }
    }

    fn used(&mut self, line: u32) {
        match self {
            Self::Lru(p) => p.used(line),
        }
    }

    fn victim(&mut self, incoming: u64, evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        match self {
            Self::Lru(p) => p.victim(incoming, evictable),
        }
    }

    fn released(&mut self, line: u32) {
        match self {
            Self::Lru(p) => p.released(line),
        }
    }
}
