//! Drives that fail, operations that are lost with them, and rebuilds.

use super::Simulation;
use crate::clock::{Nanos, seconds};
use crate::device::{DriveOp, NO_OP};
use crate::error::SimError;
use crate::event::Event;
use crate::raid::{Pool, Workshop};

impl Simulation<'_> {
    /// A drive fails: what waits at it goes elsewhere, and its rebuild begins if there is spare space.
    pub(super) fn fail(&mut self, number: usize) -> Result<(), SimError> {
        let (pool, member, at) = self.failures[number];
        if !self.pools[pool].fail(self.now, member) {
            return Err(SimError::DataLost { pool, drive: member, at_s: seconds(at) });
        }
        let now = self.now;
        let mut waiting = Vec::new();
        let (drive, mut around) = self.at_drive(self.first_drive[pool] + member);
        drive.fail(now, &mut waiting, &mut around);
        for key in waiting {
            self.events.push(now, Event::Lost(key));
        }
        // Behind failures of the same instant: no step shall begin on a drive that fails with this one.
        self.events.push(now, Event::Rebuild(pool as u32));
        Ok(())
    }

    /// An operation whose drive has failed: what replaces it is handed out, then it counts as done.
    pub(super) fn lost(&mut self, key: u32) -> Result<(), SimError> {
        let op = self.ops.remove(key);
        if op.host == NO_OP {
            self.rebuild_done(&op, true);
            return Ok(());
        }
        if op.trim {
            return self.operation_done(&op); // what is lost needs no trim
        }
        let pool = &mut self.pools[self.pool_of_drive[op.drive as usize]];
        let made = pool.redirect(&op, &self.drives, &mut self.ops, &mut self.ready);
        pool.complete(&op, &mut self.ready);
        match (&mut self.volumes, &mut self.controller) {
            (Some(volumes), _) => volumes.add_operations(op.host, made),
            (None, Some(controller)) => controller.back.add_operations(op.host, made),
            (None, None) => self.hosts.get_mut(op.host).ops_left += made,
        }
        self.hand_out();
        self.operation_done(&op)
    }

    pub(super) fn rebuild_done(&mut self, op: &DriveOp, dropped: bool) {
        self.background += 1;
        let pool = self.pool_of_drive[op.drive as usize];
        self.with_workshop(pool, |pool, shop| pool.rebuild_done(op, dropped, shop));
    }

    /// Lets a pool work on its rebuild, hands out the operations made, and sets its alarm.
    pub(super) fn with_workshop(
        &mut self,
        pool: usize,
        work: impl FnOnce(&mut Pool, &mut Workshop<'_>) -> Option<Nanos>,
    ) {
        let mut shop =
            Workshop { now: self.now, drives: &self.drives, ops: &mut self.ops, ready: &mut self.ready };
        let wake = work(&mut self.pools[pool], &mut shop);
        if let Some(at) = wake {
            self.events.push(at, Event::Rebuild(pool as u32));
        }
        self.hand_out();
    }
}
