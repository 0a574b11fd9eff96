//! Which request is due next, and when.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::work::Work;

/// What decides when a request is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Its recorded time.
    Open,
    /// The completion of its stream's previous request, and its think time behind that. The first of a stream is due
    /// at its recorded time.
    Streams,
    /// The completion of any request: so many are outstanding all the time, in the trace's order.
    Outstanding(u32),
}

/// The requests that remain; a request's number counts on through repetitions.
pub struct Schedule<'a> {
    work: &'a Work,
    total: u64,
    kind: Kind,
}

enum Kind {
    Open {
        next: u64,
        period_ns: u64,
    },
    Streams {
        /// For each row, the next of its stream; of its last, the first.
        follower: Vec<u32>,
        /// By due time and number.
        ready: BinaryHeap<Reverse<(u64, u64)>>,
    },
    Outstanding {
        next: u64,
        /// When requests completed that none has followed yet.
        free: VecDeque<u64>,
    },
}

impl<'a> Schedule<'a> {
    /// `repeat`: how many times the work is done.
    #[must_use]
    pub fn new(work: &'a Work, mode: Mode, repeat: u32) -> Self {
        let kind = match mode {
            Mode::Open => Kind::Open { next: 0, period_ns: work.period_ns() },
            Mode::Streams => streams(work),
            Mode::Outstanding(count) => {
                Kind::Outstanding { next: 0, free: std::iter::repeat_n(0, count.max(1) as usize).collect() }
            }
        };
        let total = if repeat == 0 { 0 } else { work.len() as u64 * u64::from(repeat) };
        Self { work, total, kind }
    }

    /// Requests in all.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Whether completions make requests due.
    #[must_use]
    pub const fn listens(&self) -> bool {
        !matches!(self.kind, Kind::Open { .. })
    }

    /// Due time and number of the next request; none where all are sent, or the next waits for a completion.
    #[must_use]
    pub fn peek(&self) -> Option<(u64, u64)> {
        match &self.kind {
            Kind::Open { next, period_ns } => (*next < self.total).then(|| {
                let pass = next / self.work.len() as u64;
                (pass * period_ns + self.work.due_ns[self.work.row(*next)], *next)
            }),
            Kind::Streams { ready, .. } => ready.peek().map(|Reverse(one)| *one).filter(|_| self.total > 0),
            Kind::Outstanding { next, free } => {
                free.front().filter(|_| *next < self.total).map(|due| (*due, *next))
            }
        }
    }

    /// The request that [`Self::peek`] gave is sent.
    pub fn advance(&mut self) {
        match &mut self.kind {
            Kind::Open { next, .. } => *next += 1,
            Kind::Streams { ready, .. } => {
                ready.pop();
            }
            Kind::Outstanding { next, free } => {
                *next += 1;
                free.pop_front();
            }
        }
    }

    /// The request `number` completed at `done_ns`.
    pub fn completed(&mut self, number: u64, done_ns: u64) {
        match &mut self.kind {
            Kind::Open { .. } => {}
            Kind::Streams { follower, ready } => {
                let row = self.work.row(number);
                let next = follower[row] as usize;
                let pass = number / self.work.len() as u64 + u64::from(next <= row);
                let number = pass * self.work.len() as u64 + next as u64;
                if number < self.total {
                    let think = self.work.think_ns.get(next).copied().unwrap_or(0);
                    ready.push(Reverse((done_ns + think, number)));
                }
            }
            Kind::Outstanding { free, .. } => free.push_back(done_ns),
        }
    }
}

fn streams(work: &Work) -> Kind {
    let of = |row: usize| work.stream.get(row).map_or(0, |stream| *stream as usize);
    let count = work.stream.iter().max().map_or(1, |most| *most as usize + 1);
    let (mut first, mut last) = (vec![None; count], vec![None; count]);
    let mut follower = vec![0; work.len()];
    for row in 0..work.len() {
        match last[of(row)].replace(row) {
            None => first[of(row)] = Some(row),
            Some(before) => follower[before] = row as u32,
        }
    }
    let mut ready = BinaryHeap::with_capacity(count);
    for (first, last) in first.into_iter().zip(last) {
        if let (Some(first), Some(last)) = (first, last) {
            follower[last] = first as u32;
            ready.push(Reverse((work.due_ns[first], first as u64)));
        }
    }
    Kind::Streams { follower, ready }
}
