//! How soon a disk would have its heads on a sector: what disciplines that go by position choose by.

use super::arm::{Arm, Mechanics};
use crate::clock::{Nanos, Picos};

/// Where a sector is: all that positioning needs to know of it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Its track.
    pub track: Arm,
    /// Rotation from the index mark to it.
    pub angle_ps: Picos,
}

/// A disk at one instant, before any of several operations.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'a> {
    pub(super) mech: &'a Mechanics,
    pub(super) heads: Arm,
    /// Command processing before the media are asked for: reads, writes.
    pub(super) command: [Nanos; 2],
    /// Rotation since the index mark after it.
    pub(super) angle_ps: [Picos; 2],
}

impl Reach<'_> {
    /// Command, seek and first rotational wait of an operation that starts at `to`.
    #[must_use]
    #[inline(always)]
    pub fn time(&self, to: &Place, write: bool) -> Nanos {
        let direction = usize::from(write);
        let settled = self.mech.positioning(self.heads, to.track, write) * 1000;
        let angle_ps = self.mech.within_turn(self.angle_ps[direction] + settled);
        let passes = settled + self.mech.wait_ps(angle_ps, to.angle_ps);
        self.command[direction] + passes / 1000
    }

    /// A bound from below of [`Self::time`] for all at least as many cylinders away, whatever the direction.
    #[must_use]
    #[inline(always)]
    pub fn at_least(&self, cylinder: u32) -> Nanos {
        let command = self.command[0].min(self.command[1]);
        command + self.mech.positioning_at_least(cylinder.abs_diff(self.heads.cylinder))
    }
}
