//! The choice among copies of the same data.

use super::{Extent, Pool};
use crate::device::Drive;
use crate::plan::MirrorReads;

impl Pool {
    /// The copy to read, as `mirror_reads` says. One choice per request.
    pub(super) fn choose_copy(&mut self, primary: usize, lbn: u64, drives: &[Drive]) -> usize {
        // Sets that have one drive in common have another one each: every unit chooses for itself.
        if self.chosen_copy[primary].0 == self.request && self.chunklets.is_none() {
            return self.chosen_copy[primary].1;
        }
        let copies = self.layout.copies(primary);
        let best = self.best_copy(copies, (primary, lbn), drives).unwrap_or(primary);
        self.chosen_copy[primary] = (self.request, best);
        best
    }

    /// The best of `copies` of `lbn`: of those that are ready soonest, where that counts, the first, or the one with the
    /// shortest queue, then the shortest seek, then one at random.
    pub(super) fn best_copy(
        &self,
        copies: impl Iterator<Item = usize> + Clone,
        (primary, lbn): (usize, u64),
        drives: &[Drive],
    ) -> Option<usize> {
        if let Some(drive) = self.preferred
            && let Some(here) = copies.clone().find(|&copy| self.drive_within(copy, lbn) == drive)
        {
            return Some(here);
        }
        let ready = |copy: usize| self.drive_of(copy, lbn, drives).to_ready();
        match self.mirror_reads {
            MirrorReads::ShorterQueue => {
                self.cheapest(copies, (primary, lbn), |copy| self.cost(copy, lbn, drives))
            }
            MirrorReads::Spinning => {
                self.cheapest(copies, (primary, lbn), |copy| (ready(copy), self.cost(copy, lbn, drives)))
            }
            MirrorReads::Primary => copies.min_by_key(|&copy| ready(copy)),
        }
    }

    /// The cheapest of `copies` of `lbn`; those that are alike are drawn by lot.
    #[inline]
    fn cheapest<C: Ord>(
        &self,
        copies: impl Iterator<Item = usize> + Clone,
        (primary, lbn): (usize, u64),
        cost: impl Fn(usize) -> C,
    ) -> Option<usize> {
        let (least, alike) = least(copies.clone().map(&cost))?;
        let drawn = self.draw(alike, primary, lbn);
        copies.filter(|&copy| cost(copy) == least).nth(drawn)
    }

    /// The drive of the copy of `lbn` on a drive, or in a column.
    fn drive_of<'d>(&self, copy: usize, lbn: u64, drives: &'d [Drive]) -> &'d Drive {
        &drives[self.first_drive + self.drive_within(copy, lbn)]
    }

    /// The same by its number in the pool.
    fn drive_within(&self, copy: usize, lbn: u64) -> usize {
        self.on_drive(Extent { drive: copy, lbn, sectors: 1 }).drive
    }

    /// How long the copy of `lbn` on a drive, or in a column, would keep a read.
    fn cost(&self, copy: usize, lbn: u64, drives: &[Drive]) -> (usize, u32) {
        let Extent { drive, lbn, .. } = self.on_drive(Extent { drive: copy, lbn, sectors: 1 });
        cost(&drives[self.first_drive + drive], lbn)
    }

    /// One of `alike` copies of `lbn`, drawn at random. Were it always the first, a mirror whose arms follow the same writes would
    /// read from one side only. The draw depends on the number of the request and not on the draws before it, so that a
    /// simulation can begin anywhere in a run.
    fn draw(&self, alike: u64, primary: usize, lbn: u64) -> usize {
        if alike > 1 { self.ties.below(alike, [self.request, primary as u64, lbn]) as usize } else { 0 }
    }
}

/// How long a copy of `lbn` would keep a read: operations before it, at the drive or on their way there, then cylinders to go.
fn cost(drive: &Drive, lbn: u64) -> (usize, u32) {
    (drive.expected_load(), drive.distance(lbn))
}

/// The least cost among `copies`, and how many have it.
fn least<C: Ord>(costs: impl Iterator<Item = C>) -> Option<(C, u64)> {
    costs.fold(None, |best, cost| match best {
        Some((least, alike)) if cost == least => Some((least, alike + 1)),
        Some((least, alike)) if cost > least => Some((least, alike)),
        _ => Some((cost, 1)),
    })
}
