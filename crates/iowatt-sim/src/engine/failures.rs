//! Failed drives, the operations that are lost with them, and rebuilds.

use super::backend::Backend;
use crate::clock::{Nanos, seconds};
use crate::device::{DriveOp, NO_OP, Surroundings};
use crate::error::SimError;
use crate::event::Event;
use crate::raid::{Pool, Workshop};
use crate::shape::Full;

impl Backend {
    /// Drive failure number `number` of the plan: the drive's queue is lost, and the rebuild begins if there is spare
    /// space.
    pub fn fail(&mut self, number: usize, around: &mut Surroundings) -> Result<(), SimError> {
        let failure = self.failures[number];
        let pool = &mut self.pools[failure.pool];
        if !pool.fail(around.clock.now, failure.member) {
            let (pool, drive, at_s) = (failure.pool, failure.member, seconds(failure.at));
            return Err(SimError::DataLost { pool, drive, at_s });
        }
        let drive = pool.first_drive() + failure.member;
        let mut waiting = Vec::new();
        self.drives[drive].fail(around.clock.now, &mut waiting, around);
        for key in waiting {
            around.clock.push_now(Event::Lost(key));
        }
        // After other failures of the same instant: no rebuild step may begin on a drive that fails with this one.
        around.clock.push_now(Event::Rebuild(failure.pool as u32));
        Ok(())
    }

    /// Replaces an operation whose drive has failed. Returns the request that it served and the number of operations
    /// that replace it; `None` for an operation of a rebuild.
    pub fn replace(&mut self, key: u32, around: &mut Surroundings) -> Option<(u32, u32)> {
        let op = around.ops.remove(key);
        if op.host == NO_OP {
            self.rebuild_done(&op, true, around);
            return None;
        }
        if op.trim {
            return Some((op.host, 0)); // lost data needs no trim
        }
        let number = self.drives[op.drive as usize].pool();
        let pool = &mut self.pools[number];
        let made = pool.redirect(&op, &self.drives, &mut around.ops, &mut self.ready);
        pool.complete(&op, &mut self.ready);
        self.hand_out::<Full>(around);
        if self.pools[number].log_wants() {
            self.rebuild(number, around);
        }
        Some((op.host, made))
    }

    /// An operation of a rebuild has ended, or was dropped because its drive failed.
    pub(super) fn rebuild_done(&mut self, op: &DriveOp, dropped: bool, around: &mut Surroundings) {
        self.rebuild_ops += 1;
        let pool = self.drives[op.drive as usize].pool();
        self.with_rebuild(pool, around, |pool, shop| pool.rebuild_done(op, dropped, shop));
    }

    /// Lets a pool go on with its rebuild.
    pub fn rebuild(&mut self, pool: usize, around: &mut Surroundings) {
        self.with_rebuild(pool, around, |pool, shop| pool.rebuild(shop));
    }

    /// Lets a pool work on its rebuild, hands out the operations made, and schedules the next step.
    fn with_rebuild(
        &mut self,
        pool: usize,
        around: &mut Surroundings,
        work: impl FnOnce(&mut Pool, &mut Workshop<'_>) -> Option<Nanos>,
    ) {
        let mut shop = Workshop {
            now: around.clock.now,
            drives: &self.drives,
            ops: &mut around.ops,
            ready: &mut self.ready,
        };
        let wake = work(&mut self.pools[pool], &mut shop);
        if let Some(at) = wake {
            around.clock.events.push(at, Event::Rebuild(pool as u32));
        }
        self.hand_out::<Full>(around);
    }
}
