//! Any of the policies, chosen at run time and dispatched without a table.

use crate::index::{Hashed, Index};
use crate::plan::ReplacementPlan;
use crate::policies::{Arc, Clock, Fifo, Lfu, Lru, S3Fifo, Sieve, TwoQ, WTinyLfu};
use crate::replacement::Replacement;

/// A policy.
#[derive(Debug)]
pub enum Policy<I = Hashed> {
    /// Least recently used.
    Lru(Lru),
    /// First in, first out.
    Fifo(Fifo),
    /// CLOCK.
    Clock(Clock),
    /// 2Q.
    TwoQ(TwoQ<I>),
    /// ARC.
    Arc(Arc<I>),
    /// Least frequently used.
    Lfu(Lfu),
    /// W-TinyLFU.
    WTinyLfu(WTinyLfu),
    /// S3-FIFO.
    S3Fifo(S3Fifo<I>),
    /// SIEVE.
    Sieve(Sieve),
}

impl<I: Index> Policy<I> {
    /// The policy of a plan that [`ReplacementPlan::validate`] accepts, for so many slots.
    #[must_use]
    pub fn new(plan: ReplacementPlan, capacity: usize) -> Self {
        match plan {
            ReplacementPlan::Lru => Self::Lru(Lru::default()),
            ReplacementPlan::Fifo => Self::Fifo(Fifo::default()),
            ReplacementPlan::Clock { bits } => Self::Clock(Clock::new(bits)),
            ReplacementPlan::TwoQ { in_share, out_share } => {
                Self::TwoQ(TwoQ::new(capacity, in_share, out_share))
            }
            ReplacementPlan::Arc => Self::Arc(Arc::new(capacity)),
            ReplacementPlan::Lfu => Self::Lfu(Lfu::default()),
            ReplacementPlan::WTinyLfu { window_share, protected_share, sample } => {
                Self::WTinyLfu(WTinyLfu::new(capacity, window_share, protected_share, sample))
            }
            ReplacementPlan::S3Fifo { small_share, ghost_share, threshold } => {
                Self::S3Fifo(S3Fifo::new(capacity, small_share, ghost_share, threshold))
            }
            ReplacementPlan::Sieve => Self::Sieve(Sieve::default()),
        }
    }
}

/// Does the same with whichever policy it is.
#[macro_export]
macro_rules! each_policy {
    ($policy:expr, $of:ident => $do:expr) => {
        match $policy {
            $crate::Policy::Lru($of) => $do,
            $crate::Policy::Fifo($of) => $do,
            $crate::Policy::Clock($of) => $do,
            $crate::Policy::TwoQ($of) => $do,
            $crate::Policy::Arc($of) => $do,
            $crate::Policy::Lfu($of) => $do,
            $crate::Policy::WTinyLfu($of) => $do,
            $crate::Policy::S3Fifo($of) => $do,
            $crate::Policy::Sieve($of) => $do,
        }
    };
}

impl<I: Index> Replacement for Policy<I> {
    fn insert(&mut self, slot: u32, key: u64) {
        each_policy!(self, policy => policy.insert(slot, key));
    }

    fn used(&mut self, slot: u32) {
        each_policy!(self, policy => policy.used(slot));
    }

    fn victim(&mut self, incoming: u64, evictable: impl FnMut(u32) -> bool) -> Option<u32> {
        each_policy!(self, policy => policy.victim(incoming, evictable))
    }

    fn released(&mut self, slot: u32) {
        each_policy!(self, policy => policy.released(slot));
    }
}
