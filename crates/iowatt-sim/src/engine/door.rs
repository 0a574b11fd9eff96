//! The door of the array: a request may have to wait for the limits of its volume and for a place inside ([`crate::qos`]).

use super::Engine;
use crate::error::SimError;
use crate::event::Event;
use crate::path::timesheet::{Kind, Part};
use crate::shape::Shape;

/// Offset, size, write.
pub(super) type Range = (u64, u64, bool);

/// What is at the door.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arrives {
    /// The command of a write whose data is to be asked for.
    Command,
    /// A request with all that belongs to it.
    Whole,
}

/// What a request wants once it is inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    workload: u32,
    range: Range,
    arrives: Arrives,
}

impl<S: Shape> Engine<'_, S> {
    /// A request on its workload's volume comes to the array.
    #[inline(always)]
    pub(super) fn come(
        &mut self,
        host: u32,
        workload: usize,
        range: Range,
        arrives: Arrives,
    ) -> Result<(), SimError> {
        if S::LAYERS && self.qos.is_some() {
            return self.knock(host, Wanted { workload: workload as u32, range, arrives });
        }
        self.go_in(host, workload, range, arrives)
    }

    /// A request goes into the array.
    #[inline(always)]
    fn go_in(&mut self, host: u32, workload: usize, range: Range, arrives: Arrives) -> Result<(), SimError> {
        match arrives {
            Arrives::Command => self.allocate(host, workload, range),
            Arrives::Whole => {
                self.enter_array(host, workload, range);
                Ok(())
            }
        }
    }

    /// A request is at the door, unless it has been let in with its command.
    #[inline(never)]
    fn knock(&mut self, host: u32, wanted: Wanted) -> Result<(), SimError> {
        let Some(qos) = &mut self.qos else { return Ok(()) };
        let (now, window) = (self.around.clock.now, self.around.observer.window());
        if !qos.is_in(host) {
            let asks = (wanted.workload, wanted.range.1);
            if let Some(at) = qos.come(host, asks, wanted, now, window) {
                self.around.clock.events.push(at, Event::Released(host));
                return Ok(());
            }
            if qos.ask(host).is_none() {
                return Ok(());
            }
        }
        self.go_in(host, wanted.workload as usize, wanted.range, wanted.arrives)
    }

    /// The limits of its volume let a request pass.
    pub(super) fn released(&mut self, host: u32) -> Result<(), SimError> {
        let Some(qos) = &mut self.qos else { return Ok(()) };
        qos.released(host, self.around.clock.now, self.around.observer.window());
        match qos.ask(host) {
            Some(wanted) => self.let_in(host, wanted),
            None => Ok(()),
        }
    }

    /// A request has got the place of another.
    pub(super) fn admitted(&mut self, host: u32) -> Result<(), SimError> {
        let Some(qos) = &mut self.qos else { return Ok(()) };
        let wanted = qos.admitted(host, self.around.clock.now, self.around.observer.window());
        self.let_in(host, wanted)
    }

    /// A request goes in that has waited at the door.
    fn let_in(&mut self, host: u32, wanted: Wanted) -> Result<(), SimError> {
        if let Some(paths) = &mut self.paths {
            paths.sheets.book_part(host, Part::Qos, Kind::Waiting, self.around.clock.now);
        }
        self.go_in(host, wanted.workload as usize, wanted.range, wanted.arrives)
    }

    /// The array has answered a request: its place goes to one that waits.
    #[inline(never)]
    pub(super) fn leave(&mut self, host: u32) {
        if let Some(next) = self.qos.as_mut().and_then(|qos| qos.leave(host)) {
            self.around.clock.push_now(Event::Admitted(next));
        }
    }
}
