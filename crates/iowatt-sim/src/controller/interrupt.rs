//! How processors learn of visits: by an interrupt each, or by one for several that came shortly after one another.

use super::{Controller, Moment, Stage};
use crate::clock::{Nanos, nanos};
use crate::event::Event;
use crate::path::timesheet::{Kind, Part};
use crate::plan::ProcessingPlan;

/// Interrupts, and the visits that wait for the next.
#[derive(Debug)]
pub(super) struct Interrupts {
    /// What one takes of a processor.
    time: Nanos,
    /// How long the first of those that share one waits, and how many raise it before that.
    delay: Nanos,
    count: usize,
    pending: Vec<u32>,
    raised: u32,
}

impl Interrupts {
    pub(super) fn new(plan: Option<&ProcessingPlan>) -> Self {
        let time = |of: fn(&ProcessingPlan) -> f64| plan.map_or(0, |p| nanos(of(p)));
        let count = plan.map_or(1, |p| p.moderation_count);
        Self {
            time: time(|p| p.interrupt_s),
            delay: time(|p| p.moderation_s),
            count,
            pending: Vec::new(),
            raised: 0,
        }
    }
}

impl Controller {
    /// A visit comes to the processors: now, or with the next interrupt where it came over a path.
    pub(super) fn process(&mut self, key: u32, moment: &mut Moment<'_>) {
        if !self.visits.get(key).interrupts {
            return self.serve(key, 0, moment);
        }
        if self.interrupts.count == 1 || self.interrupts.delay == 0 {
            return self.serve(key, self.interrupts.time, moment);
        }
        self.interrupts.pending.push(key);
        if self.interrupts.pending.len() >= self.interrupts.count {
            self.raise(moment);
        } else if self.interrupts.pending.len() == 1 {
            let at = moment.now + self.interrupts.delay;
            moment.events.push(at, Event::Interrupt(self.interrupts.raised));
        }
    }

    /// An interrupt has been held back long enough, unless it has been raised meanwhile.
    pub fn interrupt(&mut self, number: u32, mut moment: Moment<'_>) {
        if number == self.interrupts.raised {
            self.raise(&mut moment);
        }
    }

    /// The visits that wait come to the processors; the first one brings the interrupt.
    fn raise(&mut self, moment: &mut Moment<'_>) {
        self.interrupts.raised = self.interrupts.raised.wrapping_add(1);
        let mut time = self.interrupts.time;
        for at in 0..self.interrupts.pending.len() {
            self.serve(self.interrupts.pending[at], time, moment);
            time = 0;
        }
        self.interrupts.pending.clear();
    }

    fn serve(&mut self, key: u32, interrupt: Nanos, moment: &mut Moment<'_>) {
        let visit = self.visits.get(key);
        let work = if visit.stage == Stage::Allocating {
            self.allocation
        } else {
            self.processing[usize::from(visit.write)]
        };
        let time = interrupt + work;
        let Some(processors) = self.processors.get_mut(visit.node as usize) else { return };
        let done = processors.serve(moment.now, time, moment.window);
        moment.events.push(done, Event::Visit(key));
        moment.book(visit.host, Part::Processors, Kind::Waiting, done - time);
        moment.book(visit.host, Part::Processors, Kind::Service, done);
    }
}
