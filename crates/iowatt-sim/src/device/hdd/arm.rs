//! Arm and spindle: what all drives of a pool share, and where one drive's heads are.

use crate::clock::{Nanos, Picos};
use crate::device::hdd::layout::Layout;
use crate::device::hdd::seek::SeekCurve;
use crate::divisor::Divisor;
use crate::plan::HddPlan;
use std::hint::select_unpredictable;

/// Position of the heads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arm {
    /// Cylinder.
    pub cylinder: u32,
    /// Selected head.
    pub head: u32,
}

/// What all drives of a pool share.
#[derive(Clone, Debug)]
pub struct Mechanics {
    /// Where the sectors are.
    pub layout: Layout,
    /// Picoseconds per revolution.
    pub revolution_ps: Picos,
    turn: Divisor,
    /// Sectors that the drive offers.
    pub sectors: u64,
    seek: SeekCurve,
    head_switch: Nanos,
    /// Settling beyond what seeks include, of reads (none) and writes; a negative one is time saved.
    settle_ns: [i64; 2],
}

impl Mechanics {
    /// Prepares the tables.
    #[must_use]
    pub fn new(plan: &HddPlan) -> Self {
        let revolution_ps = (60e12 / plan.rpm).round() as Picos;
        Self {
            layout: Layout::new(plan, revolution_ps),
            revolution_ps,
            turn: Divisor::new(revolution_ps),
            sectors: plan.sectors,
            seek: SeekCurve::new(&plan.seek, plan.cylinders),
            head_switch: crate::clock::nanos(plan.head_switch_s),
            settle_ns: [0, (plan.write_settle_s * 1e9).round() as i64],
        }
    }

    /// Time from one track to another: the longer of arm movement and head switch; writes settle.
    #[must_use]
    #[inline(always)]
    pub fn positioning(&self, from: Arm, to: Arm, write: bool) -> Nanos {
        let arm = self.seek.time(to.cylinder.abs_diff(from.cylinder), write);
        // Without branches: whether heads change is anyone's guess.
        let moved = arm.max(select_unpredictable(to.head == from.head, 0, self.head_switch));
        select_unpredictable(moved > 0, settled(moved, self.settle_ns[usize::from(write)]), 0)
    }

    /// A bound from below of [`Self::positioning`] to any cylinder at least this far, whatever the direction.
    #[must_use]
    #[inline(always)]
    pub fn positioning_at_least(&self, cylinders: u32) -> Nanos {
        settled(self.seek.at_least(cylinders), self.settle_ns[1].min(0))
    }

    /// Time of a plain seek.
    #[must_use]
    pub fn seek_time(&self, cylinders: u32) -> Nanos {
        self.seek.time(cylinders, false)
    }

    /// Rotation since the index mark at `now`.
    #[must_use]
    #[inline]
    pub fn angle_ps(&self, now: Nanos, phase_ps: Picos) -> Picos {
        match now.checked_mul(1000).and_then(|ps| ps.checked_add(phase_ps)) {
            Some(ps) => self.within_turn(ps),
            // Beyond 213 simulated days the product needs more than 64 bits.
            None => {
                let ps = u128::from(now) * 1000 + u128::from(phase_ps);
                (ps % u128::from(self.revolution_ps)) as Picos
            }
        }
    }

    /// Rotation since the index mark after `ps` from there, of any number of turns.
    #[must_use]
    #[inline]
    pub fn within_turn(&self, ps: Picos) -> Picos {
        self.turn.remainder(ps)
    }

    /// From rotation `from` to rotation `to`.
    #[must_use]
    #[inline]
    pub fn wait_ps(&self, from: Picos, to: Picos) -> Picos {
        let ahead = to.wrapping_sub(from);
        select_unpredictable(to >= from, ahead, ahead.wrapping_add(self.revolution_ps))
    }
}

/// A movement with its settling, which never makes it negative.
#[inline(always)]
fn settled(moved: Nanos, settle_ns: i64) -> Nanos {
    (moved as i64 + settle_ns).max(0) as Nanos
}
