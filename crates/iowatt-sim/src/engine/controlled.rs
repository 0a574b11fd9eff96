//! The engine's side of the rooms in front of the pools, controller and volumes: requests go in, requests to what is behind
//! and answers come out.
//!
//! The rooms only say what is to be done; [`Simulation::settle`] does it once the event that led to
//! it has been handled, so that answers which lead to new requests never nest.

use super::Simulation;
use crate::back_end_log::Reason;
use crate::clock::nanos;
use crate::controller::{Incoming, Moment};
use crate::error::SimError;
use crate::event::Event;
use crate::plan::{ControllerPlan, Lost};
use crate::raid::Serves;
use crate::volume::{self, Volumes};

impl Simulation<'_> {
    /// A host request enters the controller.
    pub(super) fn enter_controller(&mut self, request: Incoming) {
        let Some(controller) = &mut self.controller else { return };
        let window = self.observer.window();
        let sheets = self.paths.as_deref_mut().map(|paths| &mut paths.sheets);
        controller.enter(request, Moment { now: self.now, window, events: &mut self.events, sheets });
    }

    /// Schedules what the controller will lose, and its return.
    pub(super) fn schedule_losses(&mut self, plan: &ControllerPlan) {
        for (number, loss) in plan.losses.iter().enumerate() {
            self.events.push(nanos(loss.at_s), Event::Loss(number as u32));
            if let Some(back_s) = loss.back_s {
                self.events.push(nanos(back_s), Event::Return(number as u32));
            }
        }
    }

    /// A part of the controller fails.
    pub(super) fn lose(&mut self, number: u32) {
        let Some(controller) = &mut self.controller else { return };
        let window = self.observer.window();
        let sheets = self.paths.as_deref_mut().map(|paths| &mut paths.sheets);
        let moment = Moment { now: self.now, window, events: &mut self.events, sheets };
        if controller.lose(number as usize, moment) == Some(Lost::Controller) {
            self.drive_path.iter_mut().for_each(|path| path.halve());
        }
    }

    /// A part of the controller is back.
    pub(super) fn regain(&mut self, number: u32) {
        let Some(controller) = &mut self.controller else { return };
        let window = self.observer.window();
        let sheets = self.paths.as_deref_mut().map(|paths| &mut paths.sheets);
        let moment = Moment { now: self.now, window, events: &mut self.events, sheets };
        if controller.regain(number as usize, moment) == Some(Lost::Controller) {
            self.drive_path.iter_mut().for_each(|path| path.restore(self.now));
        }
    }

    /// An interrupt of the controller has been held back long enough.
    pub(super) fn interrupt(&mut self, number: u32) {
        let Some(controller) = &mut self.controller else { return };
        let window = self.observer.window();
        let sheets = self.paths.as_deref_mut().map(|paths| &mut paths.sheets);
        controller.interrupt(number, Moment { now: self.now, window, events: &mut self.events, sheets });
    }

    /// A visit to the controller ends its present stage.
    pub(super) fn visit(&mut self, visit: u32) {
        let Some(controller) = &mut self.controller else { return };
        let window = self.observer.window();
        let sheets = self.paths.as_deref_mut().map(|paths| &mut paths.sheets);
        controller.proceed(visit, Moment { now: self.now, window, events: &mut self.events, sheets });
    }

    /// A drive operation of back-end request `key` has completed.
    pub(super) fn back_end_operation_done(&mut self, key: u32) {
        let Some(controller) = &mut self.controller else { return };
        let window = self.observer.window();
        let sheets = self.paths.as_deref_mut().map(|paths| &mut paths.sheets);
        let moment = Moment { now: self.now, window, events: &mut self.events, sheets };
        controller.operation_done(key, moment);
    }

    /// A request of `(offset, size, write)` on a space, known above by a key and whether a write led to it, enters the
    /// volume room.
    pub(super) fn enter_volumes(&mut self, space: usize, upper: (u32, bool), range: (u64, u64, bool)) {
        let (from, size, write) = range;
        self.with_volumes(|volumes, moment| volumes.submit(space, upper, (from, from + size, write), moment));
    }

    /// Lets the volume room do something.
    pub(super) fn with_volumes(&mut self, act: impl FnOnce(&mut Volumes, volume::Moment<'_>)) {
        let Some(volumes) = &mut self.volumes else { return };
        let window = self.observer.window();
        let (events, drives) = (&mut self.events, &self.drives[..]);
        act(volumes, volume::Moment { now: self.now, window, events, drives });
    }

    /// The volume room has answered a request of the layer above.
    pub(super) fn space_answered(&mut self, upper: u32) -> Result<(), SimError> {
        if self.controller.is_some() {
            self.back_end_operation_done(upper);
            Ok(())
        } else {
            self.part_of_host_done(upper)
        }
    }

    /// Does what the rooms have asked for, until they ask for nothing more.
    pub(super) fn settle(&mut self) -> Result<(), SimError> {
        while self.controller.is_some() || self.volumes.is_some() {
            if !(self.settle_controller()? || self.settle_volumes()?) {
                break;
            }
        }
        Ok(())
    }

    /// Hands on one request or answer of the controller; whether there was one.
    fn settle_controller(&mut self) -> Result<bool, SimError> {
        let Some(controller) = &mut self.controller else { return Ok(false) };
        if let Some((key, request)) = controller.back.take() {
            let space = request.pool as usize;
            self.observer.handed_to(self.now, space, (request.from, request.until, request.write));
            let range = (request.from, request.until - request.from, request.write);
            let for_write = request.is_for_write();
            if self.volumes.is_some() {
                controller.back.sent(key, 1);
                self.enter_volumes(space, (key, for_write), range);
            } else {
                if let Some(log) = &mut self.back_end {
                    log.add(self.now, space, &range, Reason::Controller(request.purpose));
                }
                let pool = &mut self.pools[space];
                let serves = Serves { upper: key, migrates: false, for_write };
                let made = pool.submit(range, serves, &self.drives, &mut self.ops, &mut self.ready);
                controller.back.sent(key, made);
                self.hand_out();
            }
        } else if let Some(host) = controller.answers.pop_front() {
            self.array_done(host)?;
        } else if let Some(host) = controller.allocated.pop_front() {
            self.allocated(host)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Hands on one transfer or answer of the volume room; whether there was one.
    fn settle_volumes(&mut self) -> Result<bool, SimError> {
        let Some(volumes) = &mut self.volumes else { return Ok(false) };
        if let Some((key, transfer)) = volumes.take() {
            let pool = &mut self.pools[transfer.pool];
            let range = (transfer.from, transfer.until - transfer.from, transfer.write);
            let (migrates, for_write) = (transfer.migrates(), transfer.is_for_write());
            if let Some(log) = &mut self.back_end {
                let reason = match (migrates, &self.controller) {
                    (true, _) => Reason::Migration,
                    (false, Some(_)) => Reason::Volume,
                    (false, None) => Reason::Host,
                };
                log.add(self.now, transfer.pool, &range, reason);
            }
            let serves = Serves { upper: key, migrates, for_write };
            let made = pool.submit(range, serves, &self.drives, &mut self.ops, &mut self.ready);
            volumes.sent(key, made);
            self.hand_out();
        } else if let Some(upper) = volumes.answer() {
            self.space_answered(upper)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
