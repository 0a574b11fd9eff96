//! Everything that is recorded about a run, within its window: flows of requests, response-time
//! histograms, drive queues, the energy ledger, and the course over time.

mod batch;
mod completions;
mod flow;
mod heat;
mod idle;
mod idle_kept;
mod idle_log;
mod intervals;
mod part;
mod series;

pub use flow::{Flow, FlowIndex};
pub use heat::Heat;
pub use idle::{IdlePeriods, IdleResult};
pub use idle_kept::IdleKept;
pub use idle_log::{IdleLog, IdlePeriod, IdleSink};
pub use intervals::Intervals;
pub(crate) use series::POINTS;
pub use series::{Block, Point, Series};

use crate::clock::{Nanos, nanos};
use crate::plan::ObservePlan;
use crate::power::{Cause, FlashOperation, Ladder, Ledger, Slot, Times, Window};
use crate::state::{STATES, State};
use completions::{Completion, Completions};
use hdrhistogram::Histogram;
use part::Log;
use std::sync::Arc;

/// Longest response time they tell apart: a thousand hours.
const LONGEST: Nanos = 3_600_000_000_000_000;

/// The recorder of a run.
#[derive(Debug)]
pub struct Observer {
    window: Window,
    ledger: Ledger,
    intervals: Intervals,
    index: FlowIndex,
    /// Requests that have completed, in figures.
    completions: Completions,
    /// By drive, the integral of its queue over the window: the sum of the stays of its operations.
    queues: Vec<u128>,
    /// Whether the plan lets a sink take idle periods.
    logs_idle: bool,
    /// Where idle periods are asked for.
    idle_log: Option<Box<IdleLog>>,
    /// Where heat is asked for.
    heat: Option<Box<Heat>>,
    /// Of a part of a run, what depends on the order of all parts.
    log: Option<Box<Log>>,
    last_arrival: Nanos,
    states: usize,
}

/// The class of a workload's reads or writes, see [`Completion::class`].
#[inline]
fn class_of(workload: usize, write: bool) -> u32 {
    2 * workload as u32 + u32::from(write)
}

/// Books states one after another in the times of a drive and of the interval that holds them all.
#[inline(always)] // the states are constants of its callers
fn book_within<const N: usize>(
    time: &mut Times,
    within: &mut [Nanos; STATES],
    cause: Cause,
    mut from: Nanos,
    chain: [(State, Nanos); N],
) {
    let time = &mut time[cause as usize];
    for (state, until) in chain {
        let ns = until - from;
        time[state as usize] += ns;
        within[state as usize] += ns;
        from = until;
    }
}

impl Observer {
    /// A recorder for drives with the given levels, whose states are reported as so many, and workloads that count in the
    /// given flows. `plan` gives the widths of intervals and blocks, and whether idle periods are logged.
    ///
    /// # Errors
    /// If a histogram cannot be made, which is a fault of ours.
    pub fn new(
        window: Window,
        plan: &ObservePlan,
        ladders: Vec<Arc<Ladder>>,
        states: usize,
        index: FlowIndex,
    ) -> Result<Self, hdrhistogram::CreationError> {
        Ok(Self {
            window,
            intervals: Intervals::new(window.start, plan.interval_s.map(nanos), &ladders),
            completions: Completions::new(window.start, plan.series_s.map(nanos), index.memberships())?,
            queues: vec![0; ladders.len()],
            logs_idle: plan.idle,
            idle_log: plan.idle_rows.map(|rows| Box::new(IdleLog::bounded(rows, ladders.len()))),
            ledger: Ledger::new(window, ladders),
            index,
            heat: None,
            log: None,
            last_arrival: 0,
            states,
        })
    }

    /// Hands every idle period to `sink` from now on, where the plan asks for that.
    pub fn log_idle(&mut self, sink: IdleSink) {
        if self.logs_idle {
            self.idle_log = Some(Box::new(IdleLog::new(sink)));
        }
    }

    /// Idle periods in bounded memory, where they are asked for so.
    #[must_use]
    pub fn idle_kept(&self) -> Option<&IdleKept> {
        self.idle_log.as_ref()?.kept()
    }

    /// Counts requests by where they go from now on.
    pub fn map_heat(&mut self, heat: Heat) {
        self.heat = Some(Box::new(heat));
    }

    /// A workload issues a request of `(offset, size, write)` on its volume.
    #[inline]
    pub fn issued_at(&mut self, now: Nanos, workload: usize, range: (u64, u64, bool)) {
        if let Some(heat) = &mut self.heat {
            heat.front(now, workload, range, &self.window);
        } else if let Some(log) = &mut self.log {
            log.asked(now, workload, range, false);
        }
    }

    /// An address space is handed a request of `(from, until, write)`.
    #[inline]
    pub fn handed_to(&mut self, now: Nanos, space: usize, range: (u64, u64, bool)) {
        if let Some(heat) = &mut self.heat {
            heat.back(now, space, range, &self.window);
        } else if let Some(log) = &mut self.log {
            log.asked(now, space, range, true);
        }
    }

    /// The heat map, where it is asked for.
    #[must_use]
    pub fn heat(&self) -> Option<&Heat> {
        self.heat.as_deref()
    }

    /// A drive had no operation over a span, which an arrival has `ended`, or only a failure or the end of the run.
    #[inline]
    pub fn was_vacant(&mut self, drive: usize, from: Nanos, until: Nanos, ended: bool) {
        if let Some(log) = &mut self.idle_log {
            log.add(drive, (from, until), ended, &self.window);
        } else if let Some(log) = &mut self.log {
            log.was_vacant(drive, (from, until), ended);
        }
    }

    /// The observed span.
    #[must_use]
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// A request arrives. What is counted of it waits for its completion, or for [`Self::unfinished`].
    #[inline]
    pub fn arrived(&mut self, now: Nanos) {
        self.last_arrival = now;
    }

    /// A request of `workload` that arrived at `arrived` completes.
    #[inline]
    pub fn completed(&mut self, now: Nanos, workload: usize, write: bool, arrived: Nanos, bytes: u32) {
        let response = now - arrived;
        self.count(Completion {
            at: now,
            arrived,
            response,
            bytes,
            class: class_of(workload, write),
            point: Point::Host,
        });
    }

    /// A request of `workload` that arrived at `arrived` completes, as in [`Self::completed`], and another point than the host
    /// saw it for `response`. To be called at its completion, so that every point counts the same requests in the same blocks.
    pub fn at_point(
        &mut self,
        now: Nanos,
        point: Point,
        workload: usize,
        write: bool,
        arrived: Nanos,
        response: Nanos,
    ) {
        debug_assert!(point != Point::Host && response <= now - arrived);
        self.count(Completion {
            at: now,
            arrived,
            response,
            bytes: 0,
            class: class_of(workload, write),
            point,
        });
    }

    #[inline]
    fn count(&mut self, completion: Completion) {
        if self.completions.log(completion) {
            self.completions.fold(&mut self.intervals, &self.window);
        }
    }

    /// A request of `workload` that arrived at `arrived` is still on its way at the end of the run.
    pub fn unfinished(&mut self, end: Nanos, workload: usize, write: bool, arrived: Nanos) {
        self.completions.unfinished(
            (arrived, end),
            class_of(workload, write),
            &mut self.intervals,
            &self.window,
        );
    }

    /// An operation was at a drive, waiting or in service, over a span.
    #[inline]
    pub fn stayed_at_drive(&mut self, drive: usize, from: Nanos, until: Nanos) {
        let (from, until) = self.window.clip(from, until);
        self.queues[drive] += u128::from(until - from);
        self.intervals.queued(from, until);
    }

    /// An operation that was to stay at a drive until `until` does not beyond `end`, the end of the run.
    pub fn left_drive_early(&mut self, drive: usize, end: Nanos, until: Nanos) {
        let (from, until) = self.window.clip(end, until);
        self.queues[drive] -= u128::from(until - from);
        self.intervals.unqueued(from, until);
    }

    /// A drive served an operation that came at `arrived` from `from` on, through states one after another, each until the
    /// given time.
    #[inline(always)] // the states are constants of its caller
    pub fn served<const N: usize>(
        &mut self,
        drive: usize,
        cause: Cause,
        (arrived, from): (Nanos, Nanos),
        chain: [(State, Nanos); N],
    ) {
        let done = chain[N - 1].1;
        if self.window.start <= arrived
            && done <= self.window.end
            && let Some((row, within)) = self.intervals.over(drive, arrived, done)
        {
            book_within(self.ledger.drive_mut(drive), within, cause, from, chain);
            self.queues[drive] += u128::from(done - arrived);
            row.queued += u128::from(done - arrived);
            return;
        }
        self.book_chain_apart(drive, cause, from, &chain);
        self.stayed_at_drive(drive, arrived, done);
    }

    /// A drive went through states one after another from `from` on, each until the given time.
    #[inline(always)] // the states are constants of its callers
    pub fn book_chain<const N: usize>(
        &mut self,
        drive: usize,
        cause: Cause,
        from: Nanos,
        chain: [(State, Nanos); N],
    ) {
        let last = chain[N - 1].1;
        if self.window.start <= from
            && last <= self.window.end
            && let Some((_, within)) = self.intervals.over(drive, from, last)
        {
            book_within(self.ledger.drive_mut(drive), within, cause, from, chain);
            return;
        }
        self.book_chain_apart(drive, cause, from, &chain);
    }

    /// The same where the span lies in several intervals, or not in the window.
    #[inline(never)]
    fn book_chain_apart(&mut self, drive: usize, cause: Cause, mut from: Nanos, chain: &[(State, Nanos)]) {
        for &(state, until) in chain {
            self.book(drive, Slot::Of(state), cause, from, until);
            from = until;
        }
    }

    /// A drive was in a state over a span.
    pub fn book(&mut self, drive: usize, slot: Slot, cause: Cause, from: Nanos, until: Nanos) {
        let (from, until) = self.ledger.book(drive, slot, cause, from, until);
        self.intervals.in_state(drive, slot, from, until);
    }

    /// A drive used joules beyond what being active draws, evenly over a span.
    #[inline]
    pub fn add_energy(
        &mut self,
        drive: usize,
        cause: Cause,
        operation: FlashOperation,
        joules: f64,
        span: (Nanos, Nanos),
    ) {
        let (from, until, watts) = self.ledger.add(drive, (cause, operation), joules, span);
        self.intervals.used(from, until, watts);
    }

    /// Takes back the part after `end` of a span booked ahead, where the end of the run cuts it.
    pub fn unbook(
        &mut self,
        drive: usize,
        slot: Slot,
        cause: Cause,
        (from, until): (Nanos, Nanos),
        end: Nanos,
    ) {
        let (from, until) = self.ledger.unbook(drive, slot, cause, from.max(end), until);
        self.intervals.not_in_state(drive, slot, from, until);
    }

    /// Of a span booked for `cause`, the share `part / whole` was for redundancy.
    pub fn share(&mut self, drive: usize, slot: Slot, cause: Cause, span: (Nanos, Nanos), part: (u64, u64)) {
        self.ledger.share(drive, slot, cause, span, part);
    }

    /// A drive had failed over a span.
    pub fn book_failed(&mut self, drive: usize, from: Nanos, until: Nanos) {
        self.ledger.book_failed(drive, from, until);
    }

    /// Ends the window with the run.
    pub fn finish(&mut self, now: Nanos) {
        self.completions.fold(&mut self.intervals, &self.window);
        self.window.end = now;
        if let Some(log) = &mut self.idle_log {
            log.flush();
        }
        if let Some(heat) = &mut self.heat {
            heat.count();
        }
        self.completions.finish(now);
    }

    /// Time of the last arrival, 0 where there was none.
    #[must_use]
    pub fn last_arrival(&self) -> Nanos {
        self.last_arrival
    }

    /// Which flow is counted for what.
    #[must_use]
    pub fn flows(&self) -> &FlowIndex {
        &self.index
    }

    /// The flow of the given index.
    #[must_use]
    pub fn flow(&self, index: usize) -> &Flow {
        self.completions.flow(index)
    }

    /// Response-time histograms of a workload: reads, writes.
    #[must_use]
    pub fn histograms(&self, workload: usize) -> &[Histogram<u64>] {
        self.completions.histograms(workload)
    }

    /// Response times in blocks of time.
    #[must_use]
    pub fn series(&self) -> &Series {
        self.completions.series()
    }

    /// What a point within the path saw of all requests that passed it; none where there is no such point.
    #[must_use]
    pub fn at(&self, point: Point) -> Option<&Flow> {
        self.completions.at(point)
    }

    /// Number of reported states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.states
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The observed span, and the course over time.
    #[inline]
    pub fn course(&mut self) -> (&Window, &mut Intervals) {
        (&self.window, &mut self.intervals)
    }

    /// The course over time.
    #[must_use]
    pub fn intervals(&self) -> &Intervals {
        &self.intervals
    }

    /// Integral of a drive's queue over the window, nanoseconds.
    #[must_use]
    pub fn queue_area(&self, drive: usize) -> u128 {
        self.queues[drive]
    }
}
