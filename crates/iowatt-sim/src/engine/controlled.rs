//! The engine's side of the controller: requests go in, back-end requests and answers come out.
//!
//! The controller only says what is to be done; [`Simulation::settle`] does it once the event that led to
//! it has been handled, so that answers which lead to new requests never nest.

use super::Simulation;
use crate::clock::nanos;
use crate::controller::{Incoming, Moment};
use crate::error::SimError;
use crate::event::Event;
use crate::plan::ControllerPlan;

impl Simulation<'_> {
    /// A host request enters the controller.
    pub(super) fn enter_controller(&mut self, request: Incoming) {
        let Some(controller) = &mut self.controller else { return };
        let window = self.observer.window();
        controller.enter(request, Moment { now: self.now, window, events: &mut self.events });
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
        controller.lose(number as usize, Moment { now: self.now, window, events: &mut self.events });
    }

    /// A part of the controller is back.
    pub(super) fn regain(&mut self, number: u32) {
        let Some(controller) = &mut self.controller else { return };
        let window = self.observer.window();
        controller.regain(number as usize, Moment { now: self.now, window, events: &mut self.events });
    }

    /// A visit to the controller ends its present stage.
    pub(super) fn visit(&mut self, visit: u32) {
        let Some(controller) = &mut self.controller else { return };
        let window = self.observer.window();
        controller.proceed(visit, Moment { now: self.now, window, events: &mut self.events });
    }

    /// A drive operation of back-end request `key` has completed.
    pub(super) fn back_end_operation_done(&mut self, key: u32) {
        let Some(controller) = &mut self.controller else { return };
        let window = self.observer.window();
        let moment = Moment { now: self.now, window, events: &mut self.events };
        controller.operation_done(key, moment);
    }

    /// Does what the controller has asked for: hands its requests to the pools, and answers to the hosts.
    pub(super) fn settle(&mut self) -> Result<(), SimError> {
        while let Some(controller) = &mut self.controller {
            if let Some((key, request)) = controller.back.take() {
                let pool = &mut self.pools[request.pool as usize];
                let range = (request.from, request.until - request.from, request.write);
                if let Some(log) = &mut self.back_end {
                    log.add(self.now, request.pool, &range, request.purpose);
                }
                let made = pool.submit(range, key, &self.drives, &mut self.ops, &mut self.ready);
                controller.back.sent(key, made);
                self.hand_out();
            } else if let Some(host) = controller.answers.pop_front() {
                self.complete_host(host)?;
            } else {
                break;
            }
        }
        Ok(())
    }
}
