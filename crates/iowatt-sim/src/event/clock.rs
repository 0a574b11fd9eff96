//! Simulated time and the events to come.

use super::{Event, EventQueue};
use crate::clock::Nanos;

/// The present and the future of a run.
#[derive(Debug)]
pub struct Clock {
    /// The time of the event being handled.
    pub now: Nanos,
    /// When the run ends; `None`: with the last completion.
    pub end: Option<Nanos>,
    /// Pending events.
    pub events: EventQueue,
}

impl Clock {
    /// Time zero of a system of so many drives and workloads, without events.
    pub fn new(end: Option<Nanos>, drives: usize, workloads: usize) -> Self {
        Self { now: 0, end, events: EventQueue::new(drives, workloads) }
    }

    /// Schedules `event` for the present instant, behind everything already scheduled for it.
    #[inline]
    pub fn push_now(&mut self, event: Event) {
        self.events.push(self.now, event);
    }

    /// Moves on to the next event; `None` where there is none before the end of the run.
    #[inline(always)] // of the one event loop
    pub fn advance(&mut self) -> Option<Event> {
        let (now, event) = self.events.pop_until(self.end.unwrap_or(Nanos::MAX))?;
        self.now = now;
        Some(event)
    }
}
