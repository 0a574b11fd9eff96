//! All schemes of virtual pools, and the dispatch to one.

use super::caching::Caching;
use super::io::{VolumeIo, VolumeRequest};
use super::linear::Linear;
use super::maid::Maid;
use super::movement::Movement;
use super::pdc::Pdc;
use super::reduced::{Reduced, ReducedState};
use super::scheme::Scheme;
use super::sectored::Sectored;
use super::tiered::Tiered;
use super::tiering::Tiering;
use super::write_off_loading::WriteOffLoading;
use super::zoned::Zoned;
use crate::plan::{PlanError, PlanFault, SchemePlan, VirtualPoolPlan};

/// All schemes, dispatched statically.
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
    /// Spinning cache drives in front of drives that mostly stand by.
    Maid(Box<Maid>),
    /// The most popular extents on the first part.
    Pdc(Box<Pdc>),
    /// Writes to parts in standby go to logs on other parts.
    WriteOffLoading(Box<WriteOffLoading>),
    /// Pages in up to three tiers.
    Tiered(Box<Tiered>),
    /// A log over zones that are only ever written in order.
    Zoned(Box<Zoned>),
}

/// Evaluates an expression on whichever scheme it is.
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
            Schemes::Zoned($scheme) => $does,
        }
    };
}

impl Schemes {
    /// Checks that the parts of a virtual pool can hold its initial data.
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
            SchemePlan::Zoned(scheme) => Self::Zoned(Box::new(Zoned::new(plan, scheme, seed, number))),
        }
    }

    /// The state of capacity optimisation, if this scheme does that.
    #[must_use]
    pub fn reduced(&self) -> Option<ReducedState> {
        match self {
            Self::Reduced(scheme) => Some(scheme.state()),
            _ => None,
        }
    }

    /// Capacity optimisation that reclaims, if this scheme does that.
    #[must_use]
    pub fn reclaims(&self) -> Option<&Reduced> {
        match self {
            Self::Reduced(scheme) if scheme.reclaims() => Some(scheme),
            _ => None,
        }
    }

    /// The same, mutable.
    pub fn reclaims_mut(&mut self) -> Option<&mut Reduced> {
        match self {
            Self::Reduced(scheme) if scheme.reclaims() => Some(scheme),
            _ => None,
        }
    }
}

impl Scheme for Schemes {
    fn capacity_bytes(&self) -> u64 {
        each!(self, s => s.capacity_bytes())
    }

    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        each!(self, s => s.submit(request, io));
    }

    fn transfer_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        each!(self, s => s.transfer_done(tag, io));
    }

    fn background_done(&mut self, tag: u64, io: &mut impl VolumeIo) {
        each!(self, s => s.background_done(tag, io));
    }

    fn background_failed(&mut self, tag: u64, io: &mut impl VolumeIo) -> bool {
        each!(self, s => s.background_failed(tag, io))
    }

    fn restore(&mut self, slots: &[u32], clean: bool) -> Result<(), String> {
        each!(self, s => s.restore(slots, clean))
    }

    fn map(&self) -> Vec<u32> {
        each!(self, s => s.map())
    }

    fn alarm(&mut self, io: &mut impl VolumeIo) {
        each!(self, s => s.alarm(io));
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

    fn audit(&self) -> Result<(), String> {
        each!(self, s => s.audit())
    }
}
