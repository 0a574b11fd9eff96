//! The choice among copies of the same data.

use super::{Extent, Pool};
use crate::device::Drive;

impl Pool {
    /// The copy to read: shortest queue, then shortest seek, then at random. One choice per request.
    pub(super) fn choose_copy(&mut self, primary: usize, lbn: u64, drives: &[Drive]) -> usize {
        // Sets that have one drive in common have another one each: every unit chooses for itself.
        if self.chosen_copy[primary].0 == self.request && self.chunklets.is_none() {
            return self.chosen_copy[primary].1;
        }
        let cost = |pool: &Self, copy: usize| pool.cost(copy, lbn, drives);
        let best = match least(self.layout.copies(primary).map(|copy| cost(self, copy))) {
            None => primary,
            Some((least, alike)) => {
                let drawn = self.draw(alike, primary, lbn);
                self.layout
                    .copies(primary)
                    .filter(|&copy| cost(self, copy) == least)
                    .nth(drawn)
                    .unwrap_or(primary)
            }
        };
        self.chosen_copy[primary] = (self.request, best);
        best
    }

    /// How long the copy of `lbn` on a drive, or in a column, would keep a read.
    pub(super) fn cost(&self, copy: usize, lbn: u64, drives: &[Drive]) -> (usize, u32) {
        let Extent { drive, lbn, .. } = self.on_drive(Extent { drive: copy, lbn, sectors: 1 });
        cost(&drives[self.first_drive + drive], lbn)
    }

    /// One of `alike` copies of `lbn`, drawn at random. Were it always the first, a mirror whose arms follow the same writes would
    /// read from one side only. The draw depends on the number of the request and not on the draws before it, so that a
    /// simulation can begin anywhere in a run.
    pub(super) fn draw(&self, alike: u64, primary: usize, lbn: u64) -> usize {
        if alike > 1 { self.ties.below(alike, [self.request, primary as u64, lbn]) as usize } else { 0 }
    }
}

/// How long a copy of `lbn` would keep a read: operations before it, at the drive or on their way there, then cylinders to go.
fn cost(drive: &Drive, lbn: u64) -> (usize, u32) {
    (drive.expected_load(), drive.distance(lbn))
}

/// The least cost among `copies`, and how many have it.
pub(super) fn least<C: Ord>(costs: impl Iterator<Item = C>) -> Option<(C, u64)> {
    costs.fold(None, |best, cost| match best {
        Some((least, alike)) if cost == least => Some((least, alike + 1)),
        Some((least, alike)) if cost > least => Some((least, alike)),
        _ => Some((cost, 1)),
    })
}
