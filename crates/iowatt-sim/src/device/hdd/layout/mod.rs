//! Where a sector is. A layout answers with the *run* that starts at an LBN: the sectors that pass under
//! one head without interruption (to the end of the track, or to the next slip or remap).

mod indexed;
#[cfg(test)]
mod plain;
mod stretches;
mod zoned;

pub use indexed::Indexed;
pub use zoned::Zoned;

use crate::clock::Picos;
use crate::device::hdd::arm::Arm;
use crate::device::hdd::pitch::Pitch;
use crate::plan::{HddPlan, LayoutPlan};

/// Consecutive LBNs that pass consecutively under one head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// First LBN.
    pub lbn: u64,
    /// Sectors, at least 1.
    pub sectors: u64,
    /// Sectors of the same track that hold the LBNs before, contiguously.
    pub before: u32,
    /// Cylinder, 0 outermost.
    pub cylinder: u32,
    /// Surface.
    pub head: u32,
    /// Sectors of a whole turn.
    pub per_turn: u32,
    /// Time of one of them.
    pub pitch: Pitch,
    /// Rotation from the index mark to the first sector.
    pub angle_ps: Picos,
    /// Number of its zone, where the layout has zones.
    zone: u32,
    /// At least so many sectors from its first one on lie one behind the other, over the ends of tracks, without a slip or a
    /// remap.
    even: u32,
}

impl Run {
    /// Its track.
    #[must_use]
    #[inline]
    pub fn arm(&self) -> Arm {
        Arm { cylinder: self.cylinder, head: self.head }
    }
}

/// The layout of a drive.
#[derive(Clone, Debug)]
pub enum Layout {
    /// Zones of like cylinders.
    Zoned(Zoned),
    /// Nested runs of like tracks.
    Indexed(Indexed),
}

impl Layout {
    /// Prepares the tables.
    #[must_use]
    pub fn new(plan: &HddPlan, revolution_ps: Picos) -> Self {
        match &plan.layout {
            LayoutPlan::Zoned(zoned) => Self::Zoned(Zoned::new(plan, zoned, revolution_ps)),
            LayoutPlan::Indexed(indexed) => Self::Indexed(Indexed::new(indexed, revolution_ps)),
        }
    }

    /// LBNs that the layout holds.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        match self {
            Self::Zoned(zoned) => zoned.capacity(),
            Self::Indexed(indexed) => indexed.capacity(),
        }
    }

    /// The run that starts at `lbn`, which the drive must have.
    #[must_use]
    #[inline]
    pub fn run(&self, lbn: u64) -> Run {
        match self {
            Self::Zoned(zoned) => zoned.run(lbn),
            Self::Indexed(indexed) => indexed.run(lbn),
        }
    }

    /// The run that follows `run`, which the drive must have: as [`Self::run`] finds it, most often without a search.
    #[must_use]
    #[inline]
    pub fn following(&self, run: &Run) -> Run {
        match self {
            Self::Zoned(zoned) => zoned.following(run),
            Self::Indexed(indexed) => indexed.run(run.lbn + run.sectors),
        }
    }
}
