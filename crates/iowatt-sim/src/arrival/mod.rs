//! Arrivals: a workload's requests, paced by their stamps (open) or by completions (closed), from its start to its end.

mod closed;
mod open;
mod think;

use crate::clock::{Nanos, nanos};
use crate::error::SimError;
use crate::plan::{ClosedPer, ReplayPlan, WorkloadPlan};
use crate::rng::{Component, Stream};
use closed::StreamLoops;
use iowatt_trace::{Op, Request, Source};
use think::Thinking;

/// Requests read from a source at a time.
pub const BATCH: usize = 256;

/// A source read in batches.
struct Reader<'a> {
    source: Box<dyn Source + 'a>,
    batch: Vec<Request>,
    next: usize,
    more: bool,
    trims: bool,
}

impl Reader<'_> {
    /// The next read, write or (where somebody makes use of it) trim, which [`Self::take`] hands out. Flushes are left out:
    /// no drive here has a cache that loses data. So are trims of what cannot use them; importers count both and normally
    /// leave them out already.
    #[inline]
    fn peek(&mut self) -> Result<Option<&Request>, SimError> {
        loop {
            while let Some(request) = self.batch.get(self.next) {
                if matches!(request.op, Op::Read | Op::Write) || (request.op == Op::Trim && self.trims) {
                    return Ok(self.batch.get(self.next));
                }
                self.next += 1;
            }
            if !self.more {
                return Ok(None);
            }
            self.batch.clear();
            self.next = 0;
            self.more = self.source.fill(&mut self.batch, BATCH)?;
        }
    }

    /// The same, taken.
    #[inline]
    fn take(&mut self) -> Result<Option<Request>, SimError> {
        let request = self.peek()?.copied();
        self.next += usize::from(request.is_some());
        Ok(request)
    }

    /// Nothing more is read.
    fn close(&mut self) {
        self.more = false;
        self.batch.clear();
        self.next = 0;
    }
}

enum Pace {
    /// Stamps divided by the speed; the next request waits in the reader for its time.
    Open { speed: f64, waiting: bool },
    /// A fixed number outstanding.
    Closed { room: u32 },
    /// A fixed number outstanding for each stream.
    ClosedByStream(StreamLoops),
}

/// One workload's pacing.
pub struct Arrivals<'a> {
    reader: Reader<'a>,
    pace: Pace,
    thinking: Option<Thinking>,
    /// Its time zero.
    start: Nanos,
    /// From when it issues nothing more.
    end: Nanos,
}

impl<'a> Arrivals<'a> {
    /// Paces `source` as `plan`, workload number `index`, says; its trims are left out unless `trims`.
    #[must_use]
    pub fn new(
        plan: &WorkloadPlan,
        source: Box<dyn Source + 'a>,
        seed: u64,
        index: usize,
        trims: bool,
    ) -> Self {
        let think = match plan.replay {
            ReplayPlan::Closed { think, .. } => think,
            ReplayPlan::Open { .. } => None,
        };
        let thinking = think.map(|think| Thinking::new(think, Stream::new(seed, Component::Think, index)));
        let pace = match plan.replay {
            ReplayPlan::Open { speed } => Pace::Open { speed, waiting: false },
            ReplayPlan::Closed { outstanding, per: ClosedPer::Workload, .. } => {
                Pace::Closed { room: outstanding }
            }
            ReplayPlan::Closed { outstanding, per: ClosedPer::Stream, .. } => {
                Pace::ClosedByStream(StreamLoops::new(outstanding))
            }
        };
        let reader = Reader { source, batch: Vec::with_capacity(BATCH), next: 0, more: true, trims };
        let end = plan.end_s.map_or(Nanos::MAX, nanos);
        Self { reader, pace, thinking, start: nanos(plan.start_s), end }
    }

    /// When a closed loop that does not begin with the run issues its first requests.
    #[must_use]
    pub fn begins(&self) -> Option<Nanos> {
        (self.start > 0 && !self.is_open()).then_some(self.start)
    }

    /// Whether arrivals follow the stamps.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.pace, Pace::Open { .. })
    }

    /// Whether every request has been handed out.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        let read = !self.reader.more && self.reader.next >= self.reader.batch.len();
        read && match &self.pace {
            Pace::Open { waiting, .. } => !waiting,
            Pace::Closed { .. } => true,
            Pace::ClosedByStream(loops) => loops.is_empty(),
        }
    }

    /// How far the source has been read, where it knows.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        self.reader.source.progress()
    }

    /// Open pacing: the time of the next arrival, whose request [`Self::take`] then hands out.
    ///
    /// # Errors
    /// As the source.
    #[inline]
    pub fn schedule(&mut self) -> Result<Option<Nanos>, SimError> {
        let Pace::Open { speed, waiting } = &mut self.pace else { return Ok(None) };
        let at = self.reader.peek()?.map(|r| self.start.saturating_add(scaled(r.time_ns, *speed)));
        if at.is_some_and(|at| at >= self.end) {
            self.reader.close();
            *waiting = false;
            return Ok(None);
        }
        *waiting = at.is_some();
        Ok(at)
    }

    /// A request that may be issued at `now`, if there is one: the scheduled one (open), or as many as the
    /// loop has room for (closed).
    ///
    /// # Errors
    /// As the source.
    #[inline]
    pub fn take(&mut self, now: Nanos) -> Result<Option<Request>, SimError> {
        if now >= self.end {
            self.close();
            return Ok(None);
        }
        match &mut self.pace {
            Pace::Open { waiting, .. } => {
                if std::mem::take(waiting) {
                    self.reader.take()
                } else {
                    Ok(None)
                }
            }
            Pace::Closed { room: 0 } => Ok(None),
            Pace::Closed { room } => {
                let request = self.reader.take()?;
                *room -= u32::from(request.is_some());
                Ok(request)
            }
            Pace::ClosedByStream(loops) => {
                while loops.wants_more() {
                    match self.reader.take()? {
                        Some(request) => loops.offer(request),
                        None => loops.ended(),
                    }
                }
                Ok(loops.take())
            }
        }
    }

    fn close(&mut self) {
        self.reader.close();
        if let Pace::ClosedByStream(loops) = &mut self.pace {
            loops.close();
        }
    }

    /// A request of `stream` has completed at `now`: a closed loop has room for another, at once (`None`) or at
    /// the time returned, when [`Self::thought`] is to be called.
    #[inline]
    pub fn completed(&mut self, now: Nanos, stream: u32) -> Option<Nanos> {
        if let Some(thinking) = &mut self.thinking {
            return Some(thinking.begin(now, stream));
        }
        self.make_room(stream);
        None
    }

    /// A think time has ended, the earliest of those under way.
    pub fn thought(&mut self) {
        if let Some(stream) = self.thinking.as_mut().and_then(Thinking::end) {
            self.make_room(stream);
        }
    }

    fn make_room(&mut self, stream: u32) {
        match &mut self.pace {
            Pace::Open { .. } => {}
            Pace::Closed { room } => *room += 1,
            Pace::ClosedByStream(loops) => loops.completed(stream),
        }
    }
}

fn scaled(stamp: Nanos, speed: f64) -> Nanos {
    if speed == 1.0 { stamp } else { (stamp as f64 / speed).round() as Nanos }
}
