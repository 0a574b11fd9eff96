//! Libraries: requests wait for the mount of their cartridge, robots exchange cartridges, tape drives locate and stream.
//!
//! A library is an address space as a pool is one; its cartridges lie one after another. `changer` is the library itself,
//! `drive` a tape drive of it, `stream` how a tape keeps up with its host, `tape` where bytes lie.

mod changer;
mod drive;
mod stream;
mod tape;
mod totals;

pub use changer::Library;
pub use totals::{PartTotals, Stages};

use crate::clock::Nanos;
use crate::event::{Clock, Event};
use crate::observe::Observer;
use crate::plan::Plan;
use crate::power::Ladder;
use hdrhistogram::CreationError;
use std::collections::VecDeque;
use std::sync::Arc;

/// What libraries act on.
pub struct Moment<'a> {
    pub clock: &'a mut Clock,
    pub observer: &'a mut Observer,
}

impl Moment<'_> {
    fn now(&self) -> Nanos {
        self.clock.now
    }

    fn push(&mut self, at: Nanos, number: u32) {
        self.clock.events.push(at, Event::Library(number));
    }
}

/// All libraries of a run.
#[derive(Debug)]
pub struct Libraries {
    pub all: Vec<Library>,
    /// Number of the first library among the address spaces.
    first_space: usize,
    /// Host requests of which a part is done.
    answers: VecDeque<u32>,
}

impl Libraries {
    /// The libraries of `plan`, whose drives, robots and frames follow `devices` other drives; none where there are none.
    ///
    /// # Errors
    /// If a histogram cannot be made, which is a fault of ours.
    pub fn new(plan: &Plan, mut devices: usize) -> Result<Option<Self>, CreationError> {
        if plan.libraries.is_empty() {
            return Ok(None);
        }
        let (mut all, mut first_event) = (Vec::new(), 0);
        for one in &plan.libraries {
            let library = Library::new(one, devices, first_event)?;
            devices += library.devices();
            first_event += library.events();
            all.push(library);
        }
        let first_space = plan.pools.len() + plan.virtual_pools.len();
        Ok(Some(Self { all, first_space, answers: VecDeque::new() }))
    }

    /// What the drives, robots and frame of each library of `plan` draw, in order.
    pub fn ladders(plan: &Plan) -> impl Iterator<Item = Arc<Ladder>> + '_ {
        plan.libraries.iter().flat_map(changer::ladders)
    }

    /// Whether an address space is a library.
    pub fn has(&self, space: usize) -> bool {
        space >= self.first_space
    }

    /// A host's request comes in; returns its parts.
    pub fn submit(
        &mut self,
        space: usize,
        host: u32,
        range: (u64, u64, bool),
        moment: &mut Moment<'_>,
    ) -> u32 {
        self.all[space - self.first_space].submit(host, range, moment)
    }

    /// The event of that number.
    pub fn handle(&mut self, number: u32, moment: &mut Moment<'_>) {
        let library = self.all.iter_mut().find(|library| library.has_event(number));
        self.answers.extend(library.and_then(|library| library.handle(number, moment)));
    }

    /// A host request of which a part is done.
    pub fn answer(&mut self) -> Option<u32> {
        self.answers.pop_front()
    }

    /// No request will come any more: writes out what is buffered. Returns whether all is.
    pub fn wind_down(&mut self, moment: &mut Moment<'_>) -> bool {
        let mut done = true;
        for library in &mut self.all {
            done &= library.wind_down(moment);
        }
        done
    }

    /// Ends the run: books what lasts.
    pub fn finish(&mut self, end: Nanos, observer: &mut Observer) {
        self.all.iter_mut().for_each(|library| library.finish(end, observer));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::plan::TapeDrivePlan;

    /// Four wraps, 100 s from end to end, 2 s besides; load 10 s, unload 5 s, reposition 3 s; 40 to 100 B/s, a buffer of
    /// 1,000 bytes behind 1,000 B/s, written out after 5 s.
    pub fn drive() -> TapeDrivePlan {
        serde_json::from_value(serde_json::json!({
            "wraps": 4, "end_to_end_s": 100.0, "locate_overhead_s": 2.0, "load_s": 10.0, "unload_s": 5.0,
            "reposition_s": 3.0, "speed_bytes_per_s": [40.0, 100.0], "buffer_bytes": 1000,
            "interface_bytes_per_s": 1000.0, "flush_s": 5.0,
            "power": {"unloaded_w": 5.0, "idle_w": 10.0, "load_w": 20.0, "locate_w": 25.0, "read_w": 30.0,
                      "write_w": 32.0, "states": [6, 7, 8]},
        }))
        .unwrap_or_else(|error| panic!("{error}"))
    }
}
