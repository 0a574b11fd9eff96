//! Everything that is recorded about a run, within its window: flows of requests, response-time
//! histograms, drive queues, the energy ledger, and the course over time.

mod batch;
mod flow;
mod idle;
mod intervals;

pub use batch::Batches;
pub use flow::Flow;
pub use idle::{IdlePeriods, IdleResult};
pub use intervals::{Interval, Intervals};

use crate::clock::Nanos;
use crate::power::{Ledger, STATES, State, Window};
use hdrhistogram::Histogram;

/// Significant digits of the response-time histograms.
const DIGITS: u8 = 3;
/// Longest response time they tell apart: a thousand hours.
const LONGEST: Nanos = 3_600_000_000_000_000;

/// The time integral of one drive's queue.
#[derive(Clone, Copy, Debug, Default)]
struct DriveQueue {
    length: u64,
    since: Nanos,
    area: u128,
}

/// The recorder of a run.
#[derive(Debug)]
pub struct Observer {
    window: Window,
    ledger: Ledger,
    intervals: Intervals,
    /// Flows that a workload counts in, by workload: distinct indices into `flows`.
    memberships: Vec<Vec<usize>>,
    flows: Vec<Flow>,
    /// By workload: reads, writes.
    histograms: Vec<[Histogram<u64>; 2]>,
    queues: Vec<DriveQueue>,
    in_flight: u64,
    in_flight_since: Nanos,
    last_arrival: Nanos,
    queued: u64,
    queued_since: Nanos,
}

impl Observer {
    /// A recorder for drives with the given watts and workloads that count in the given flows.
    ///
    /// # Errors
    /// If a histogram cannot be made, which is a fault of ours.
    pub fn new(
        window: Window,
        interval: Option<Nanos>,
        watts: Vec<[f64; STATES]>,
        memberships: Vec<Vec<usize>>,
    ) -> Result<Self, hdrhistogram::CreationError> {
        let flows = memberships.iter().flatten().map(|&f| f + 1).max().unwrap_or(0);
        let empty = Histogram::new_with_bounds(1, LONGEST, DIGITS)?;
        let histograms = memberships.iter().map(|_| [empty.clone(), empty.clone()]).collect();
        Ok(Self {
            window,
            intervals: Intervals::new(window.start, interval),
            queues: vec![DriveQueue::default(); watts.len()],
            ledger: Ledger::new(window, watts),
            flows: vec![Flow::default(); flows],
            memberships,
            histograms,
            in_flight: 0,
            in_flight_since: 0,
            last_arrival: 0,
            queued: 0,
            queued_since: 0,
        })
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
            self.flows[flow].arrive(now, usize::from(write), counted, &self.window);
        }
        self.in_flight_changed(now, 1);
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
        self.in_flight_changed(now, -1);
        if counted {
            self.histograms[workload][way].saturating_record(response);
        }
        if self.window.ends(now) {
            self.intervals.complete(now, way, response, bytes);
        }
    }

    /// An operation arrives at (+1) or leaves (-1) a drive.
    pub fn drive_queue_changed(&mut self, now: Nanos, drive: usize, change: i64) {
        let queue = &mut self.queues[drive];
        if let Some((from, until)) = self.window.clip(queue.since, now) {
            queue.area += u128::from(queue.length) * u128::from(until - from);
        }
        queue.since = now;
        queue.length = queue.length.saturating_add_signed(change);
        if let Some((from, until)) = self.window.clip(self.queued_since, now) {
            self.intervals.queued(from, until, self.queued);
        }
        self.queued_since = now;
        self.queued = self.queued.saturating_add_signed(change);
    }

    fn in_flight_changed(&mut self, now: Nanos, change: i64) {
        if let Some((from, until)) = self.window.clip(self.in_flight_since, now) {
            self.intervals.in_flight(from, until, self.in_flight);
        }
        self.in_flight_since = now;
        self.in_flight = self.in_flight.saturating_add_signed(change);
    }

    /// A drive was in `state` over a span.
    pub fn book(&mut self, drive: usize, state: State, from: Nanos, until: Nanos) {
        if let Some((from, until, watts)) = self.ledger.book(drive, state, from, until) {
            self.intervals.energy(from, until, state, watts);
        }
    }

    /// Takes back the part after `end` of a span booked ahead, where the end of the run cuts it.
    pub fn unbook(&mut self, drive: usize, state: State, (from, until): (Nanos, Nanos), end: Nanos) {
        if let Some((from, until, watts)) = self.ledger.unbook(drive, state, from.max(end), until) {
            self.intervals.energy(from, until, state, -watts);
        }
    }

    /// A drive had failed over a span.
    pub fn book_failed(&mut self, drive: usize, from: Nanos, until: Nanos) {
        self.ledger.book_failed(drive, from, until);
    }

    /// Closes all time integrals at the end of the run.
    pub fn finish(&mut self, now: Nanos) {
        for flow in &mut self.flows {
            flow.integrate(now, &self.window);
        }
        for drive in 0..self.queues.len() {
            self.drive_queue_changed(now, drive, 0);
        }
        self.in_flight_changed(now, 0);
        self.window.end = now;
    }

    /// Time of the last arrival, 0 where there was none.
    #[must_use]
    pub fn last_arrival(&self) -> Nanos {
        self.last_arrival
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
        self.queues[drive].area
    }
}
