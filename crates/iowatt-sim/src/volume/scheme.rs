//! Schemes: the contract, and the choice of one.

use super::desk::{Ask, Desk};
use super::linear::Linear;
use crate::plan::{SchemePlan, VirtualPoolPlan};

/// What makes one address space of ranges of pools.
///
/// - A request is done when all transfers that the scheme has opened for it ([`Desk::pass`]) are done and all holds are
///   taken back. A request that nothing is opened for is answered at once.
/// - Every byte that a request has written is read back by later requests, whatever moves meanwhile; a request that was
///   answered may count on it. [`Self::audit`] checks what the scheme's own tables can tell of that.
/// - Moves start only while [`Desk::over`] is false; those under way come to their end.
/// - Nothing is allocated for a request in steady state, and tables grow with extents, never with requests.
///
/// To add one: a file beside `linear.rs`, a variant here and in `SchemePlan`, its keys in the scenario.
pub trait Scheme {
    /// Bytes of the address space.
    fn capacity_bytes(&self) -> u64;
    /// A request of the layer above comes.
    fn submit(&mut self, ask: &Ask, desk: &mut Desk<'_>);
    /// A transfer of the scheme's own ([`Desk::own`]) is done.
    fn moved(&mut self, tag: u64, desk: &mut Desk<'_>);
    /// The alarm that it has set comes.
    fn alarm(&mut self, desk: &mut Desk<'_>);
    /// Checks the invariants.
    ///
    /// # Errors
    /// The first that does not hold.
    fn audit(&self) -> Result<(), String>;
}

/// The schemes, dispatched without a table.
#[derive(Debug)]
pub enum Schemes {
    /// One part after the other.
    Linear(Linear),
}

impl Schemes {
    /// The scheme of virtual pool `number` of a plan with this seed.
    #[must_use]
    pub fn new(plan: &VirtualPoolPlan, _seed: u64, _number: usize) -> Self {
        match plan.scheme {
            SchemePlan::Linear {} => Self::Linear(Linear::new(plan)),
        }
    }
}

impl Scheme for Schemes {
    fn capacity_bytes(&self) -> u64 {
        match self {
            Self::Linear(s) => s.capacity_bytes(),
        }
    }

    fn submit(&mut self, ask: &Ask, desk: &mut Desk<'_>) {
        match self {
            Self::Linear(s) => s.submit(ask, desk),
        }
    }

    fn moved(&mut self, tag: u64, desk: &mut Desk<'_>) {
        match self {
            Self::Linear(s) => s.moved(tag, desk),
        }
    }

    fn alarm(&mut self, desk: &mut Desk<'_>) {
        match self {
            Self::Linear(s) => s.alarm(desk),
        }
    }

    fn audit(&self) -> Result<(), String> {
        match self {
            Self::Linear(s) => s.audit(),
        }
    }
}
