//! Requests that have completed: their counts, response times and stays.
//!
//! A completion is logged, and some hundred are counted at a time, so that what counts them stays in the cache. Their order is
//! kept, and nobody reads a figure before the end of the run.

mod merge;

use super::{Flow, Intervals, LONGEST, POINTS, Point, Series};
use crate::clock::Nanos;
use crate::power::Window;
use hdrhistogram::{CreationError, Histogram};
use merge::Response;

/// Completions counted at a time.
const LOGGED: usize = 256;
/// Significant digits of the response-time histograms.
const DIGITS: u8 = 3;

/// A request that completes, as a point of observation saw it.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    /// Its completion.
    pub at: Nanos,
    /// Its arrival at the host.
    pub arrived: Nanos,
    /// Its response time at the point.
    pub response: Nanos,
    /// Its size.
    pub bytes: u32,
    /// Twice the number of its workload, and one more for a write.
    pub class: u32,
    /// The point.
    pub point: Point,
}

impl Completion {
    fn workload(&self) -> usize {
        self.class as usize / 2
    }

    fn way(&self) -> usize {
        self.class as usize % 2
    }

    fn is_counted(&self, window: &Window) -> bool {
        window.begins(self.arrived) & (self.at <= window.end)
    }
}

/// Figures of completed requests, and the completions that are not in them yet.
#[derive(Debug)]
pub struct Completions {
    log: Vec<Completion>,
    /// Flows that a workload counts in, by workload: distinct indices into `flows`.
    memberships: Vec<Vec<usize>>,
    flows: Vec<Flow>,
    /// By class.
    histograms: Vec<Histogram<u64>>,
    /// Of a part of a run, what histograms and batch means will be made of.
    responses: Option<Vec<Response>>,
    /// Response times in blocks of time.
    series: Series,
    /// What was seen at the points within the path: the switch, the array.
    points: [Option<Box<Flow>>; POINTS - 1],
}

impl Completions {
    /// Figures from `start` on of workloads that count in the given flows; `width` is that of the blocks of time.
    ///
    /// # Errors
    /// If a histogram cannot be made, which is a fault of ours.
    pub fn new(
        start: Nanos,
        width: Option<Nanos>,
        memberships: Vec<Vec<usize>>,
    ) -> Result<Self, CreationError> {
        let flows = memberships.iter().flatten().map(|&f| f + 1).max().unwrap_or(0);
        let empty = Histogram::new_with_bounds(1, LONGEST, DIGITS)?;
        Ok(Self {
            log: Vec::with_capacity(LOGGED),
            flows: vec![Flow::default(); flows],
            histograms: vec![empty; 2 * memberships.len()],
            responses: None,
            series: Series::new(start, width, memberships.len()),
            points: Default::default(),
            memberships,
        })
    }

    /// Logs a completion; returns whether [`Self::fold`] is due.
    #[inline]
    pub fn log(&mut self, completion: Completion) -> bool {
        self.log.push(completion);
        self.log.len() >= LOGGED
    }

    /// Counts what is logged.
    #[inline(never)]
    pub fn fold(&mut self, intervals: &mut Intervals, window: &Window) {
        for done in &self.log {
            let (workload, way, bytes) = (done.workload(), done.way(), u64::from(done.bytes));
            let counted = done.is_counted(window);
            if done.point != Point::Host {
                if counted {
                    self.points[done.point as usize - 1].get_or_insert_default().pass(way, done.response, 0);
                }
                continue;
            }
            if counted & window.ends(done.at) {
                for &flow in &self.memberships[workload] {
                    self.flows[flow].pass(way, done.response, bytes);
                }
                intervals.pass(done.arrived, done.at, way, bytes);
            } else {
                for &flow in &self.memberships[workload] {
                    self.flows[flow].cross(way, (done.arrived, done.at), counted, bytes, window);
                }
                intervals.cross(way, (done.arrived, done.at), bytes, window);
            }
            if counted {
                match &mut self.responses {
                    None => self.histograms[done.class as usize].saturating_record(done.response),
                    Some(responses) => responses.push((done.class, done.response)),
                }
            }
        }
        for done in self.log.iter().filter(|done| done.is_counted(window)) {
            self.series.record(done.at, done.point, done.workload(), done.way(), done.response);
        }
        self.log.clear();
    }

    /// A request of a class is still on its way at the end of the run.
    pub fn unfinished(
        &mut self,
        (arrived, end): (Nanos, Nanos),
        class: u32,
        intervals: &mut Intervals,
        window: &Window,
    ) {
        for &flow in &self.memberships[class as usize / 2] {
            self.flows[flow].arrive(class as usize % 2, window.begins(arrived));
            self.flows[flow].stay(arrived, end, window);
        }
        intervals.in_flight(arrived, end, window);
    }

    /// Ends the figures with a window that ends at `end`. Nothing must be logged any more.
    pub fn finish(&mut self, end: Nanos) {
        self.series.finish(end);
    }

    /// The flow of the given index.
    pub fn flow(&self, index: usize) -> &Flow {
        &self.flows[index]
    }

    /// Response-time histograms of a workload: reads, writes.
    pub fn histograms(&self, workload: usize) -> &[Histogram<u64>] {
        &self.histograms[2 * workload..2 * workload + 2]
    }

    /// Response times in blocks of time.
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// What a point within the path saw of all requests that passed it; none where there is no such point.
    pub fn at(&self, point: Point) -> Option<&Flow> {
        self.points.get((point as usize).checked_sub(1)?)?.as_deref()
    }
}
