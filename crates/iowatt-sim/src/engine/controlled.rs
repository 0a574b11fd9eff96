//! The engine's side of the controller: requests go in, back-end requests and answers come out.
//!
//! The controller only says what is to be done; [`Simulation::settle`] does it once the event that led to
//! it has been handled, so that answers which lead to new requests never nest.

use super::Simulation;
use crate::controller::Moment;
use crate::error::SimError;

impl Simulation<'_> {
    /// A host request of `(offset, size, write)` on a pool enters the controller.
    pub(super) fn enter_controller(&mut self, host: u32, pool: usize, range: (u64, u64, bool)) {
        let Some(controller) = &mut self.controller else { return };
        let window = self.observer.window();
        let moment = Moment { now: self.now, window, events: &mut self.events };
        controller.enter(host, pool as u32, range, moment);
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
                let asked = (request.from, request.until, request.write);
                self.observer.handed_to(self.now, request.pool as usize, asked);
                let pool = &mut self.pools[request.pool as usize];
                let range = (request.from, request.until - request.from, request.write);
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
