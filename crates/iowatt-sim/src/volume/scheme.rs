//! Schemes: the contract, and the choice of one.

use super::caching::Caching;
use super::desk::{Ask, Desk};
use super::linear::Linear;
use super::maid::Maid;
use super::movement::Movement;
use super::pdc::Pdc;
use super::reduced::{Reduced, ReducedState};
use super::sectored::Sectored;
use super::tiered::Tiered;
use super::tiering::Tiering;
use super::write_off_loading::WriteOffLoading;
use crate::plan::{PlanError, PlanFault, SchemePlan, VirtualPoolPlan};

/// What makes one address space of ranges of pools.
///
/// - A request is done when all transfers that the scheme has opened for it ([`Desk::pass`]) are done and all holds are
///   taken back. A request that nothing is opened for is answered at once.
/// - Every byte that a request has written is read back by later requests, whatever moves meanwhile; a request that was
///   answered may count on it. [`Self::audit`] checks what the scheme's own tables can tell of that.
/// - Moves start only while [`Desk::over`] is false. The run ends when no transfer is open: transfers under way come to
///   their end, as do moves that go on with each of their transfers; one that waits for an alarm then (the next step of a
///   relocation with a rate) stays where it is.
/// - Nothing is allocated for a request in steady state, and tables grow with extents, never with requests.
///
/// To add one: a file beside `linear.rs`, a variant here and in `SchemePlan`, its keys in the scenario.
pub trait Scheme {
    /// Bytes of the address space.
    fn capacity_bytes(&self) -> u64;
    /// A request of the layer above comes.
    fn submit(&mut self, ask: &Ask, desk: &mut Desk<'_>);
    /// A transfer that a request waits for and that was opened with a tag ([`Desk::pass_tagged`]) is done.
    fn passed(&mut self, _tag: u64, _desk: &mut Desk<'_>) {}
    /// A transfer of the scheme's own ([`Desk::own`]) is done.
    fn moved(&mut self, tag: u64, desk: &mut Desk<'_>);
    /// The alarm that it has set comes.
    fn alarm(&mut self, desk: &mut Desk<'_>);
    /// Bytes of a part that hold data, where the scheme keeps account of it.
    fn occupied_bytes(&self, _part: usize) -> Option<u64> {
        None
    }
    /// Bytes of copies that their home does not have yet.
    fn dirty_bytes(&self) -> u64 {
        0
    }
    /// The extents that were accessed most, as many as the first part holds (a cache: those accessed at all), where the plan
    /// asks for them.
    fn hottest(&self) -> Option<Vec<u32>> {
        None
    }
    /// What it counted by itself within the window, of a scheme that moves data for the sake of power.
    fn movement(&self) -> Option<Movement> {
        None
    }
    /// Checks the invariants.
    ///
    /// # Errors
    /// The first that does not hold.
    #[cfg(test)]
    fn audit(&self) -> Result<(), String>;
}

/// The schemes, dispatched without a table.
#[derive(Debug)]
pub enum Schemes {
    /// One part after the other.
    Linear(Linear),
    /// Each extent lives in one of two parts.
    Tiering(Box<Tiering>),
    /// One part holds everything, the other copies of whole extents.
    Caching(Box<Caching>),
    /// One part holds everything, the other copies by sector.
    Sectored(Box<Sectored>),
    /// One part, optimised for capacity.
    Reduced(Box<Reduced>),
    /// A cache that spins in front of drives that mostly do not.
    Maid(Box<Maid>),
    /// The most popular extents on the first part.
    Pdc(Box<Pdc>),
    /// Writes to parts that rest go to logs of others.
    WriteOffLoading(Box<WriteOffLoading>),
    /// Pages in up to three tiers.
    Tiered(Box<Tiered>),
}

/// The scheme that there is, whichever.
macro_rules! each {
    ($schemes:expr, $scheme:ident => $does:expr) => {
        match $schemes {
            Schemes::Linear($scheme) => $does,
            Schemes::Tiering($scheme) => $does,
            Schemes::Caching($scheme) => $does,
            Schemes::Sectored($scheme) => $does,
            Schemes::Reduced($scheme) => $does,
            Schemes::Maid($scheme) => $does,
            Schemes::Pdc($scheme) => $does,
            Schemes::WriteOffLoading($scheme) => $does,
            Schemes::Tiered($scheme) => $does,
        }
    };
}

impl Schemes {
    /// Checks that the parts of a virtual pool can hold the data that are there at the start.
    ///
    /// # Errors
    /// Where they cannot.
    pub fn check_start(plan: &VirtualPoolPlan) -> Result<(), PlanError> {
        match &plan.scheme {
            SchemePlan::Reduced(scheme) if !Reduced::fits(scheme, plan.parts[0].capacity_bytes) => {
                let message = "the part cannot hold the pages that are there at the start";
                Err(PlanError::new(PlanFault::Capacity, "filled", message))
            }
            _ => Ok(()),
        }
    }

    /// The scheme of virtual pool `number` of a plan with this seed.
    #[must_use]
    pub fn new(plan: &VirtualPoolPlan, seed: u64, number: usize) -> Self {
        match &plan.scheme {
            SchemePlan::Linear {} => Self::Linear(Linear::new(plan)),
            SchemePlan::Tiering(scheme) => Self::Tiering(Box::new(Tiering::new(plan, scheme, seed, number))),
            SchemePlan::Caching(scheme) => match scheme.sector_bytes {
                Some(sector) => Self::Sectored(Box::new(Sectored::new(plan, scheme, sector, seed, number))),
                None => Self::Caching(Box::new(Caching::new(plan, scheme, seed, number))),
            },
            SchemePlan::TieredPool(scheme) => Self::Tiered(Box::new(Tiered::new(plan, scheme))),
            SchemePlan::Reduced(scheme) => Self::Reduced(Box::new(Reduced::new(plan, scheme, seed, number))),
            SchemePlan::Maid(scheme) => Self::Maid(Box::new(Maid::new(plan, scheme))),
            SchemePlan::Pdc(scheme) => Self::Pdc(Box::new(Pdc::new(plan, scheme))),
            SchemePlan::WriteOffLoading(scheme) => {
                Self::WriteOffLoading(Box::new(WriteOffLoading::new(plan, scheme)))
            }
        }
    }

    /// What capacity optimisation has done, where this is that.
    #[must_use]
    pub fn reduced(&self) -> Option<ReducedState> {
        match self {
            Self::Reduced(scheme) => Some(scheme.state()),
            _ => None,
        }
    }
}

impl Scheme for Schemes {
    fn capacity_bytes(&self) -> u64 {
        each!(self, s => s.capacity_bytes())
    }

    fn submit(&mut self, ask: &Ask, desk: &mut Desk<'_>) {
        each!(self, s => s.submit(ask, desk));
    }

    fn passed(&mut self, tag: u64, desk: &mut Desk<'_>) {
        each!(self, s => s.passed(tag, desk));
    }

    fn moved(&mut self, tag: u64, desk: &mut Desk<'_>) {
        each!(self, s => s.moved(tag, desk));
    }

    fn alarm(&mut self, desk: &mut Desk<'_>) {
        each!(self, s => s.alarm(desk));
    }

    fn occupied_bytes(&self, part: usize) -> Option<u64> {
        each!(self, s => s.occupied_bytes(part))
    }

    fn dirty_bytes(&self) -> u64 {
        each!(self, s => s.dirty_bytes())
    }

    fn hottest(&self) -> Option<Vec<u32>> {
        each!(self, s => s.hottest())
    }

    fn movement(&self) -> Option<Movement> {
        each!(self, s => s.movement())
    }

    #[cfg(test)]
    fn audit(&self) -> Result<(), String> {
        each!(self, s => s.audit())
    }
}
