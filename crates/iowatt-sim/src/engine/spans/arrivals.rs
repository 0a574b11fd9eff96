//! All workloads' arrivals in the order in which the engine handles them, read once and cut into parts.

use super::part::{Part, Tail};
use crate::clock::Nanos;
use crate::engine::hosts::Workload;
use crate::error::SimError;
use iowatt_trace::Request;
use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};

/// The next arrival of a workload.
#[derive(Clone, Copy, Debug)]
struct Next {
    at: Nanos,
    /// Order of scheduling among all arrivals: it decides ties, as in the engine.
    scheduled: u64,
    workload: usize,
    request: Request,
}

impl Next {
    #[inline]
    fn new((at, scheduled): (Nanos, u64), workload: usize, request: Request) -> Self {
        Self { at, scheduled, workload, request: Request { time_ns: at, ..request } }
    }

    fn key(&self) -> (Nanos, u64) {
        (self.at, self.scheduled)
    }
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// The arrivals of a run, merged.
pub struct Merged {
    pending: BinaryHeap<Reverse<Next>>,
    scheduled: u64,
    /// The last arrivals handed out.
    recent: VecDeque<Next>,
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
            scheduled: 0,
            recent: VecDeque::new(),
            issued: vec![0; workloads.len()],
            parts: 0,
            end,
            fault: None,
        };
        for (number, workload) in workloads.iter_mut().enumerate() {
            if let Some((at, request)) = workload.arrivals.next_open()? {
                merged.pending.push(Reverse(Next::new((at, merged.scheduled), number, request)));
                merged.scheduled += 1;
            }
        }
        Ok(merged)
    }

    /// Whether all has been handed out that arrives before the run ends.
    pub fn is_over(&self) -> bool {
        let beyond = |next: &Reverse<Next>| self.end.is_some_and(|end| next.0.at > end);
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
            let Some(next) = self.advance(workloads) else { break };
            part.requests[next.workload].push(next.request);
            part.arrivals += 1;
            first[next.workload] = first[next.workload].min(next.scheduled);
            if count - part.arrivals < most as u64 {
                self.remember(next, most);
            }
        }
        part.tails = vec![Tail::End; workloads.len()];
        for Reverse(next) in &self.pending {
            part.requests[next.workload].push(next.request);
            part.tails[next.workload] = Tail::More;
            first[next.workload] = first[next.workload].min(next.scheduled);
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

    /// Takes the earliest arrival; the next one of its workload takes its place.
    #[inline]
    fn advance(&mut self, workloads: &mut [Workload<'_>]) -> Option<Next> {
        let mut earliest = self.pending.peek_mut()?;
        let next = earliest.0;
        self.issued[next.workload] += 1;
        let follows = workloads[next.workload].arrivals.next_open();
        match follows {
            Ok(Some((at, request))) => {
                earliest.0 = Next::new((at.max(next.at), self.scheduled), next.workload, request);
                self.scheduled += 1;
            }
            Ok(None) => {
                PeekMut::pop(earliest);
            }
            Err(error) => {
                PeekMut::pop(earliest);
                self.fault = Some((next.workload, Some(error)));
            }
        }
        Some(next)
    }

    /// Keeps an arrival for the parts to come.
    fn remember(&mut self, next: Next, most: usize) {
        if self.recent.len() >= most.max(1) {
            self.recent.pop_front();
        }
        self.recent.push_back(next);
    }

    /// An error as the run ends with it: a source's own, where the part has only met its place.
    pub fn explain(&mut self, error: SimError) -> SimError {
        let own = self.fault.as_mut().filter(|_| matches!(error, SimError::Trace(_)));
        own.and_then(|(_, own)| own.take()).unwrap_or(error)
    }
}
