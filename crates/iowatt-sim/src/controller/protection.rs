//! Loss of a controller or of the cache's battery, its return, and what became of the dirty data.

use crate::clock::{Nanos, nanos};
use crate::plan::{LossPlan, Lost};

/// A loss as it went.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// What fails.
    pub of: Lost,
    /// When.
    pub at: Nanos,
    /// When it is back.
    pub back: Option<Nanos>,
    /// Whether it has happened.
    pub happened: bool,
    /// Whether it is over.
    pub returned: bool,
    /// Bytes that were dirty when it happened.
    pub dirty_bytes: u64,
    /// When none was dirty any more.
    pub flushed: Option<Nanos>,
    /// Writes that had to go through to the pools while it lasted.
    pub written_through: u64,
}

/// All losses of a plan.
#[derive(Debug, Default)]
pub struct Protection {
    losses: Vec<Loss>,
}

impl Protection {
    /// Nothing is lost yet.
    #[must_use]
    pub fn new(plans: &[LossPlan]) -> Self {
        let loss = |plan: &LossPlan| Loss {
            of: plan.of,
            at: nanos(plan.at_s),
            back: plan.back_s.map(nanos),
            happened: false,
            returned: false,
            dirty_bytes: 0,
            flushed: None,
            written_through: 0,
        };
        Self { losses: plans.iter().map(loss).collect() }
    }

    /// The losses, in order of the plan.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Loss `number` happens with so much dirty; what is lost.
    pub fn lose(&mut self, number: usize, dirty_bytes: u64, now: Nanos) -> Lost {
        let loss = &mut self.losses[number];
        loss.happened = true;
        loss.dirty_bytes = dirty_bytes;
        loss.flushed = (dirty_bytes == 0).then_some(now);
        loss.of
    }

    /// What was lost is back; what it is.
    pub fn regain(&mut self, number: usize) -> Lost {
        self.losses[number].returned = true;
        self.losses[number].of
    }

    /// Whether a part of that kind is lost now.
    #[must_use]
    pub fn has_lost(&self, of: Lost) -> bool {
        self.losses.iter().any(|loss| loss.of == of && loss.happened && !loss.returned)
    }

    /// Nothing is dirty.
    pub fn flushed(&mut self, now: Nanos) {
        for loss in self.losses.iter_mut().filter(|loss| loss.happened && loss.flushed.is_none()) {
            loss.flushed = Some(now);
        }
    }

    /// A write goes through because of what is lost.
    pub fn wrote_through(&mut self) {
        for loss in self.losses.iter_mut().filter(|loss| loss.happened && !loss.returned) {
            loss.written_through += 1;
        }
    }
}
