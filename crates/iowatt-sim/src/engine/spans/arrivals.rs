//! All workloads' arrivals in the order in which the engine handles them, read once and cut into parts.

use super::part::{Part, Tail};
use crate::clock::Nanos;
use crate::engine::hosts::Workload;
use crate::error::SimError;
use iowatt_trace::{NO_RESPONSE, NO_STREAM, Op, Request};
use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};

/// In place of a request that is not there.
const NOTHING: Request = Request {
    time_ns: 0,
    offset: 0,
    response_ns: NO_RESPONSE,
    size: 0,
    device: 0,
    stream: NO_STREAM,
    op: Op::Flush,
};

/// When an arrival is handled: its time, and the order of scheduling among all arrivals, which decides ties as in the
/// engine; and its workload.
type Turn = (Nanos, u64, usize);

/// An arrival handed out.
#[derive(Clone, Copy, Debug)]
struct Recent {
    scheduled: u64,
    workload: usize,
    request: Request,
}

/// The arrivals of a run, merged.
pub struct Merged {
    /// The next arrival of each workload that has one.
    pending: BinaryHeap<Reverse<Turn>>,
    /// Their requests, by workload.
    next: Vec<Request>,
    /// Arrivals scheduled so far.
    scheduled: u64,
    /// The last ones handed out.
    recent: VecDeque<Recent>,
    /// Requests handed out, by workload.
    issued: Vec<u64>,
    parts: u64,
    end: Option<Nanos>,
    /// What its source has said behind the requests handed out, and whose it is.
    fault: Option<(usize, Option<SimError>)>,
}

impl Merged {
    /// Those of `workloads` up to the end of the run, if that is given.
    pub fn new(workloads: &mut [Workload<'_>], end: Option<Nanos>) -> Result<Self, SimError> {
        let mut merged = Self {
            pending: BinaryHeap::new(),
            next: Vec::new(),
            scheduled: 0,
            recent: VecDeque::new(),
            issued: vec![0; workloads.len()],
            parts: 0,
            end,
            fault: None,
        };
        for (number, workload) in workloads.iter_mut().enumerate() {
            let first = workload.arrivals.next_open()?;
            merged.next.push(first.unwrap_or(NOTHING));
            if let Some(request) = first {
                merged.pending.push(Reverse((request.time_ns, merged.scheduled, number)));
                merged.scheduled += 1;
            }
        }
        Ok(merged)
    }

    /// Whether all has been handed out that arrives before the run ends.
    pub fn is_over(&self) -> bool {
        let beyond = |next: &Reverse<Turn>| self.end.is_some_and(|end| next.0.0 > end);
        self.parts > 0 && (self.fault.is_some() || self.pending.peek().is_none_or(beyond))
    }

    /// The next `count` arrivals, or what is left of them, with the last `ahead` before, of which `most` are kept for the
    /// parts to come. None where the run is over; there is one part at least.
    pub fn part(
        &mut self,
        workloads: &mut [Workload<'_>],
        count: u64,
        ahead: usize,
        most: usize,
    ) -> Option<Part> {
        if self.is_over() {
            return None;
        }
        let mut part = self.begin(workloads.len(), ahead);
        if let [requests] = &mut part.requests[..] {
            requests.reserve(count as usize + 1);
        }
        let mut first: Vec<u64> = part.order.iter().map(|_| u64::MAX).collect();
        let recent = self.recent.len().saturating_sub(ahead);
        for next in self.recent.iter().skip(recent) {
            first[next.workload] = first[next.workload].min(next.scheduled);
        }
        while part.arrivals < count && !self.is_over() {
            let Some((scheduled, workload)) = self.advance(workloads, &mut part) else { break };
            first[workload] = first[workload].min(scheduled);
            if count - part.arrivals < most as u64 {
                self.remember((scheduled, workload), &part, most);
            }
        }
        part.tails = vec![Tail::End; workloads.len()];
        for &Reverse((_, scheduled, workload)) in &self.pending {
            part.requests[workload].push(self.next[workload]);
            part.tails[workload] = Tail::More;
            first[workload] = first[workload].min(scheduled);
        }
        if let Some((workload, _)) = self.fault {
            part.tails[workload] = Tail::Fault;
        }
        part.order.sort_by_key(|&workload| first[workload as usize]);
        Some(part)
    }

    /// A part with nothing but what is ahead of it.
    fn begin(&mut self, workloads: usize, ahead: usize) -> Part {
        let mut part = Part {
            number: self.parts,
            ahead: vec![Vec::new(); workloads],
            requests: vec![Vec::new(); workloads],
            issued: self.issued.clone(),
            order: (0..workloads as u32).collect(),
            ..Part::default()
        };
        self.parts += 1;
        for next in self.recent.iter().skip(self.recent.len().saturating_sub(ahead)) {
            part.ahead[next.workload].push(next.request);
            part.issued[next.workload] -= 1;
            part.arrivals_ahead += 1;
        }
        part
    }

    /// The earliest arrival goes to `part`; the next one of its workload takes its place. Returns its order of scheduling and
    /// its workload.
    #[inline]
    fn advance(&mut self, workloads: &mut [Workload<'_>], part: &mut Part) -> Option<(u64, usize)> {
        let mut earliest = self.pending.peek_mut()?;
        let Reverse((at, scheduled, workload)) = *earliest;
        part.requests[workload].push(self.next[workload]);
        part.arrivals += 1;
        self.issued[workload] += 1;
        match workloads[workload].arrivals.next_open() {
            Ok(Some(request)) => {
                let at = request.time_ns.max(at);
                self.next[workload] = Request { time_ns: at, ..request };
                *earliest = Reverse((at, self.scheduled, workload));
                self.scheduled += 1;
            }
            Ok(None) => {
                PeekMut::pop(earliest);
            }
            Err(error) => {
                PeekMut::pop(earliest);
                self.fault = Some((workload, Some(error)));
            }
        }
        Some((scheduled, workload))
    }

    /// Keeps the last arrival of `part` for the parts to come.
    fn remember(&mut self, (scheduled, workload): (u64, usize), part: &Part, most: usize) {
        if self.recent.len() >= most.max(1) {
            self.recent.pop_front();
        }
        let request = part.requests[workload].last().copied();
        self.recent.extend(request.map(|request| Recent { scheduled, workload, request }));
    }

    /// An error as the run ends with it: a source's own, where the part has only met its place.
    pub fn explain(&mut self, error: SimError) -> SimError {
        let own = self.fault.as_mut().filter(|_| matches!(error, SimError::Trace(_)));
        own.and_then(|(_, own)| own.take()).unwrap_or(error)
    }
}
