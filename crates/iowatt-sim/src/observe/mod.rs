//! Everything that is recorded about a run, within its window: flows of requests, response-time
//! histograms, drive queues, the energy ledger, and the course over time.

mod batch;
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
use crate::power::{Cause, FlashOperation, Ladder, Ledger, Slot, Window};
use crate::state::State;
use hdrhistogram::Histogram;
use part::Log;
use std::sync::Arc;

/// Significant digits of the response-time histograms.
const DIGITS: u8 = 3;
/// Longest response time they tell apart: a thousand hours.
const LONGEST: Nanos = 3_600_000_000_000_000;

/// The recorder of a run.
#[derive(Debug)]
pub struct Observer {
    window: Window,
    ledger: Ledger,
    intervals: Intervals,
    index: FlowIndex,
    /// Flows that a workload counts in, by workload: distinct indices into `flows`.
    memberships: Vec<Vec<usize>>,
    flows: Vec<Flow>,
    /// By workload: reads, writes.
    histograms: Vec<[Histogram<u64>; 2]>,
    /// Response times in blocks of time.
    series: Series,
    /// What was seen at the points within the path: the switch, the array.
    points: [Option<Box<Flow>>; POINTS - 1],
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
        let memberships = index.memberships();
        let flows = memberships.iter().flatten().map(|&f| f + 1).max().unwrap_or(0);
        let empty = Histogram::new_with_bounds(1, LONGEST, DIGITS)?;
        let histograms = memberships.iter().map(|_| [empty.clone(), empty.clone()]).collect();
        Ok(Self {
            window,
            intervals: Intervals::new(window.start, plan.interval_s.map(nanos), &ladders),
            series: Series::new(window.start, plan.series_s.map(nanos), memberships.len()),
            points: Default::default(),
            queues: vec![0; ladders.len()],
            logs_idle: plan.idle,
            idle_log: plan.idle_rows.map(|rows| Box::new(IdleLog::bounded(rows, ladders.len()))),
            ledger: Ledger::new(window, ladders),
            flows: vec![Flow::default(); flows],
            index,
            memberships,
            histograms,
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

    /// A request of `workload` arrives.
    pub fn arrived(&mut self, now: Nanos, workload: usize, write: bool) {
        let counted = self.window.begins(now);
        for &flow in &self.memberships[workload] {
            self.flows[flow].arrive(usize::from(write), counted);
        }
        self.last_arrival = now;
        if counted {
            self.intervals.arrive(now);
        }
    }

    /// A request of `workload` that arrived at `arrived` completes.
    pub fn completed(&mut self, now: Nanos, workload: usize, write: bool, arrived: Nanos, bytes: u64) {
        let way = usize::from(write);
        let response = now - arrived;
        let counted = self.window.begins(arrived) && now <= self.window.end;
        for &flow in &self.memberships[workload] {
            self.flows[flow].leave(now, way, counted, response, bytes, &self.window);
        }
        let (from, until) = self.window.clip(arrived, now);
        self.intervals.in_flight(from, until);
        if counted {
            match &mut self.log {
                None => self.histograms[workload][way].saturating_record(response),
                Some(log) => log.completed(workload, way, response),
            }
            self.series.record(now, Point::Host, workload, way, response);
        }
        if self.window.ends(now) {
            self.intervals.complete(now, way, response, bytes);
        }
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
        if self.window.begins(arrived) && now <= self.window.end {
            let way = usize::from(write);
            self.series.record(now, point, workload, way, response);
            let flow = self.points[point as usize - 1].get_or_insert_default();
            flow.leave(now, way, true, response, 0, &self.window);
        }
    }

    /// A request of `workload` that arrived at `arrived` is still on its way at the end of the run.
    pub fn unfinished(&mut self, end: Nanos, workload: usize, arrived: Nanos) {
        for &flow in &self.memberships[workload] {
            self.flows[flow].stay(arrived, end, &self.window);
        }
        let (from, until) = self.window.clip(arrived, end);
        self.intervals.in_flight(from, until);
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

    /// A drive went through states one after another from `from` on, each until the given time.
    #[inline(always)] // the states are constants of its callers
    pub fn book_chain<const N: usize>(
        &mut self,
        drive: usize,
        cause: Cause,
        mut from: Nanos,
        chain: [(State, Nanos); N],
    ) {
        let last = chain[N - 1].1;
        if self.window.start <= from
            && last <= self.window.end
            && let Some(within) = self.intervals.states_over(drive, from, last)
        {
            let time = self.ledger.drive_mut(drive);
            for (state, until) in chain {
                let ns = until - from;
                time[state as usize][cause as usize] += ns;
                within[state as usize] += ns;
                from = until;
            }
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
        self.window.end = now;
        if let Some(log) = &mut self.idle_log {
            log.flush();
        }
        self.series.finish(now);
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
        &self.flows[index]
    }

    /// Response-time histograms of a workload: reads, writes.
    #[must_use]
    pub fn histograms(&self, workload: usize) -> &[Histogram<u64>; 2] {
        &self.histograms[workload]
    }

    /// Response times in blocks of time.
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// What a point within the path saw of all requests that passed it; none where there is no such point.
    #[must_use]
    pub fn at(&self, point: Point) -> Option<&Flow> {
        self.points.get((point as usize).checked_sub(1)?)?.as_deref()
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
