//! What the fast part holds at the start.
//!
//! Two placements follow from what the workload touches: an extent that has never been touched holds nothing that anybody
//! has written or read, so that it may change places with another such extent at no cost, as if it had always been there.

use super::{MOVING, Tiering};
use crate::initial::chosen;
use crate::io::{MapRecord, VolumeIo};
use crate::plan::{InitialPlan, PlacementPlan};

impl Tiering {
    /// Gives every extent its first home: those chosen for the fast part and the others each in the order of addresses.
    pub(super) fn place(&mut self, plan: &InitialPlan, seed: u64, number: usize) {
        let (fast, extents) = (self.fast, self.home.len() as u32);
        let chosen = chosen(plan, fast, extents, seed, number);
        let mut slow = fast;
        let mut next = chosen.into_iter().enumerate().peekable();
        for extent in 0..extents {
            if let Some((slot, _)) = next.next_if(|&(_, chosen)| chosen == extent) {
                self.home[extent as usize] = slot as u32;
                self.holder[slot] = extent;
                self.recency.add(slot as u32);
            } else {
                self.home[extent as usize] = slow;
                slow += 1;
            }
        }
    }

    /// `extent` is accessed: if that is the first time, where it has been all along may only be decided now.
    pub(super) fn touch(&mut self, extent: u32, io: &mut impl VolumeIo) {
        if !self.initial.touch(extent) {
            return;
        }
        let cold = self.initial.placement == PlacementPlan::Cold;
        let home = self.home[extent as usize];
        if home & MOVING != 0 || (home < self.fast) != cold {
            return; // on the move, or where it should be
        }
        if let Some(other) = self.untouched(cold) {
            self.exchange(extent, other);
            for extent in [extent, other] {
                io.note(MapRecord { extent, slot: self.home[extent as usize] });
            }
        }
    }

    /// An untouched extent in the slow part (`slow`) or in the fast one, which no move concerns.
    fn untouched(&mut self, slow: bool) -> Option<u32> {
        let extents = self.home.len() as u32;
        let fits = |scheme: &Self, extent: u32| {
            let home = scheme.home[extent as usize];
            // On the move, the highest bit is set: neither.
            let there = if slow { home >= scheme.fast && home < MOVING } else { home < scheme.fast };
            there && !scheme.initial.touched[extent as usize]
        };
        if slow {
            while self.initial.next > 0 {
                self.initial.next -= 1;
                if fits(self, self.initial.next) {
                    return Some(self.initial.next);
                }
            }
        } else {
            while self.initial.next < extents {
                self.initial.next += 1;
                if fits(self, self.initial.next - 1) {
                    return Some(self.initial.next - 1);
                }
            }
        }
        None
    }

    /// Two untouched extents, one in each part, change places as if they had been there all along.
    fn exchange(&mut self, one: u32, other: u32) {
        self.home.swap(one as usize, other as usize);
        for extent in [one, other] {
            let slot = self.home[extent as usize];
            if slot < self.fast {
                self.holder[slot as usize] = extent;
            }
        }
    }
}
