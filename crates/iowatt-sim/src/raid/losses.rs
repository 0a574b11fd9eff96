//! Which drives of a pool have failed, and where what they held is now.
//!
//! A failed drive's units are missing until the rebuild has passed them; from then on they are at their
//! substitute: the same sectors of the spare drive that was given to it, or of the drive with the spare
//! space of the stripe. The substitute may fail in its turn.

use super::Layout;
use crate::clock::Nanos;
use crate::plan::{RaidLevel, RecoveryPlan, SpareKind};
use std::collections::VecDeque;

/// A failed drive and its restoration.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// The drive, within the pool.
    pub drive: usize,
    /// When it failed.
    pub failed: Nanos,
    /// When its rebuild began.
    pub started: Option<Nanos>,
    /// When its rebuild ended.
    pub finished: Option<Nanos>,
    /// The spare drive given to it (dedicated sparing).
    pub spare: Option<usize>,
    /// Sectors below this one are restored.
    pub restored: u64,
    /// Sectors written so far, and in all.
    pub rebuilt: u64,
    /// Sectors that it held.
    pub held: u64,
}

/// The drives of a pool in which one has failed.
#[derive(Clone, Debug)]
pub struct Losses {
    sparing: SpareKind,
    /// By drive of the pool, dedicated spares last.
    alive: Vec<bool>,
    /// Failed drives that held data, in order of failure.
    pub lost: Vec<Lost>,
    /// Dedicated spares that are free.
    free: VecDeque<usize>,
    /// Drives that are no dedicated spares.
    members: usize,
    /// The drive that each dedicated spare stood for when it failed.
    stood_for: Vec<Option<usize>>,
}

impl Losses {
    /// Nothing has failed yet in a pool of `count` drives and its spares.
    #[must_use]
    pub fn new(plan: &RecoveryPlan, count: usize) -> Self {
        let drives = count + plan.spares;
        let members = if plan.sparing == SpareKind::Dedicated { count } else { drives };
        Self {
            sparing: plan.sparing,
            alive: vec![true; drives],
            lost: Vec::new(),
            free: (members..drives).collect(),
            members,
            stood_for: vec![None; drives - members],
        }
    }

    /// Whether a drive works.
    #[must_use]
    pub fn works(&self, drive: usize) -> bool {
        self.alive[drive]
    }

    /// Where the unit of `home` in `stripe` that ends before sector `end` is now.
    #[must_use]
    pub fn place(&self, layout: &Layout, home: usize, stripe: u64, end: u64) -> Option<usize> {
        if self.alive[home] {
            return Some(home);
        }
        let lost = self.lost.iter().find(|lost| lost.drive == home)?;
        if end > lost.restored {
            return None;
        }
        self.substitute(layout, lost, stripe).filter(|&drive| self.alive[drive])
    }

    /// Where a unit of a failed drive is restored to. Spare space is given once, to the first failure.
    #[must_use]
    pub fn substitute(&self, layout: &Layout, lost: &Lost, stripe: u64) -> Option<usize> {
        match self.sparing {
            SpareKind::Dedicated => lost.spare,
            SpareKind::Distributed => (self.lost.first().is_some_and(|first| first.drive == lost.drive))
                .then(|| layout.spare_drive(stripe) as usize),
        }
    }

    /// A drive fails. Returns the drive whose restoration is lost with it, which is another one where a
    /// spare in use fails, and none where an idle spare does.
    pub fn fail(&mut self, now: Nanos, drive: usize, held: u64) -> Option<usize> {
        self.alive[drive] = false;
        self.free.retain(|&spare| spare != drive);
        if drive >= self.members {
            let lost = self.lost.iter_mut().find(|lost| lost.spare == Some(drive))?;
            *lost = Lost { held: lost.held, ..fresh(lost.drive, lost.failed) };
            self.stood_for[drive - self.members] = Some(lost.drive);
            return Some(lost.drive);
        }
        self.lost.push(Lost { held, ..fresh(drive, now) });
        Some(drive)
    }

    /// The drive whose unit a failed one had in `stripe`: itself, or the one that it stood in for.
    #[must_use]
    pub fn home(&self, layout: &Layout, failed: usize, stripe: u64) -> usize {
        match self.sparing {
            SpareKind::Dedicated if failed >= self.members => {
                self.stood_for[failed - self.members].unwrap_or(failed)
            }
            SpareKind::Distributed if layout.spare_drive(stripe) as usize == failed => {
                self.lost.first().map_or(failed, |first| first.drive)
            }
            _ => failed,
        }
    }

    /// The first lost drive that waits for its rebuild and can have one; a dedicated spare is then its own.
    pub fn next_to_rebuild(&mut self) -> Option<usize> {
        let index = match self.sparing {
            SpareKind::Distributed => (self.lost.first()?.finished.is_none()).then_some(0)?,
            SpareKind::Dedicated => {
                let waits = |lost: &Lost| lost.finished.is_none() && lost.spare.is_none();
                let index = self.lost.iter().position(waits)?;
                self.lost[index].spare = Some(self.free.pop_front()?);
                index
            }
        };
        Some(index)
    }

    /// Whether something is now in no place from which it could be had or computed.
    ///
    /// Parity levels survive drives without their restoration where every stripe can be computed from the others.
    /// Mirrors are looked through: one copy of each unit must be left.
    #[must_use]
    pub fn data_is_lost(&self, layout: &Layout, level: RaidLevel) -> bool {
        if !matches!(level, RaidLevel::Raid1 | RaidLevel::Raid10) {
            let gone =
                |drive| self.lost.iter().any(|lost| lost.finished.is_none() && lost.drive as u64 == drive);
            if !layout.code().has_groups() {
                return self.lost.iter().filter(|lost| lost.finished.is_none()).count()
                    > layout.parity_units();
            }
            // Which units are lost together changes from stripe to stripe.
            return !(0..layout.period()).all(|stripe| layout.is_decodable(stripe, gone));
        }
        // Drives repeat after as many stripes as there are drives; the least restored place decides.
        let turns = if self.sparing == SpareKind::Distributed { self.alive.len() as u64 } else { 1 };
        (0..turns).any(|stripe| {
            (0..layout.data_drives()).any(|index| {
                let primary = layout.data_drive(stripe, index) as usize;
                layout.copies(primary).all(|home| self.place(layout, home, stripe, u64::MAX).is_none())
            })
        })
    }
}

/// A drive that has failed just now.
pub(super) fn fresh(drive: usize, failed: Nanos) -> Lost {
    Lost { drive, failed, started: None, finished: None, spare: None, restored: 0, rebuilt: 0, held: 0 }
}
