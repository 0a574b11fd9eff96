//! Decoding on a thread of its own, one batch ahead of whoever reads the requests.
//!
//! Two batches go round: the reader empties one while the thread fills the other, so memory is bounded and
//! no request is allocated once both have been filled. A batch is several calls of [`Source::fill`] with what the
//! source says of itself after each: the reader is told what it would be told without the thread, also where it
//! stops half-way. Once it has read to the end, the thread gives the source back, which then answers itself.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use crate::error::TraceError;
use crate::request::{Request, Source};
use crate::summary::Summary;

/// Calls of `fill` in a batch: waking the other thread costs more than a few hundred requests do.
const STEPS: usize = 16;

/// A source that is read ahead by a thread.
pub struct Ahead {
    /// The source itself, once it has ended (or where no thread was to be had).
    source: Option<Box<dyn Source>>,
    thread: Option<JoinHandle<Option<Box<dyn Source>>>>,
    full: Receiver<Batch>,
    used: SyncSender<Batch>,
    /// Tells the thread to stop in the middle of a batch.
    dropped: Arc<AtomicBool>,
    batch: Batch,
    /// The step of `batch` that is being read, and how many of its requests have been.
    step: usize,
    taken: usize,
    devices: Vec<String>,
    streams: Vec<String>,
}

impl Ahead {
    /// Starts to read `source`, `limit` requests at a time: best what the reader asks for. Its names must only grow.
    #[must_use]
    pub fn new(source: Box<dyn Source>, limit: usize) -> Self {
        let (full_sender, full) = sync_channel(1);
        let (used, used_receiver) = sync_channel(1);
        // Not moved into the closure, which is lost where a thread cannot be started.
        let (give, given) = sync_channel::<Box<dyn Source>>(1);
        let dropped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&dropped);
        let thread = Builder::new().name("iowatt-decode".to_owned()).spawn(move || {
            let mut source = given.recv().ok()?;
            decode(source.as_mut(), limit.max(1), &full_sender, &used_receiver, &stop);
            Some(source)
        });
        let mut batch = Batch::new();
        batch.steps[0].note(source.as_ref());
        let mut ahead = Self {
            source: None,
            thread: thread.ok(),
            full,
            used,
            dropped,
            batch,
            step: 0,
            taken: 0,
            devices: source.devices().to_vec(),
            streams: source.streams().to_vec(),
        };
        if ahead.thread.is_some() {
            let _ = give.send(source);
        } else {
            ahead.source = Some(source);
        }
        ahead
    }

    /// Goes to the next step, in the next batch where this one is used up.
    fn next_step(&mut self) -> bool {
        self.taken = 0;
        self.step += 1;
        if self.step < self.batch.filled {
            return true;
        }
        self.step = 0;
        // Back before waiting, so that the thread never lacks one.
        let _ = self.used.send(std::mem::take(&mut self.batch));
        match self.full.recv() {
            Ok(batch) => self.batch = batch,
            Err(_) => {
                self.take_back(); // which hands on its panic
                return false;
            }
        }
        self.devices.append(&mut self.batch.devices);
        self.streams.append(&mut self.batch.streams);
        true
    }

    /// Waits for the thread, which has nothing left to do, and asks its source from now on.
    fn take_back(&mut self) {
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(source)) => self.source = source,
            Some(Err(panic)) => resume_unwind(panic),
            None => {}
        }
    }

    fn told(&self) -> Option<&Step> {
        self.batch.steps.get(self.step)
    }
}

impl Source for Ahead {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        let full = out.len().saturating_add(limit);
        while out.len() < full {
            if let Some(source) = &mut self.source {
                return source.fill(out, full - out.len());
            }
            let read_up = self.told().is_none_or(|step| self.taken == step.requests.len());
            if read_up && !self.next_step() {
                return Ok(false);
            }
            let step = &mut self.batch.steps[self.step];
            let count = (full - out.len()).min(step.requests.len() - self.taken);
            out.extend_from_slice(&step.requests[self.taken..self.taken + count]);
            self.taken += count;
            if self.taken == step.requests.len() {
                let outcome = std::mem::replace(&mut step.outcome, Ok(true));
                if !matches!(outcome, Ok(true)) {
                    self.take_back();
                    return outcome;
                }
            }
        }
        Ok(true)
    }

    /// Until the end, with those of requests that are still in the batch.
    fn devices(&self) -> &[String] {
        self.source.as_ref().map_or(&self.devices, |source| source.devices())
    }

    fn streams(&self) -> &[String] {
        self.source.as_ref().map_or(&self.streams, |source| source.streams())
    }

    fn summary(&self) -> Option<Summary> {
        match &self.source {
            Some(source) => source.summary(),
            None => self.told()?.summary.clone(),
        }
    }

    fn progress(&self) -> Option<f64> {
        match &self.source {
            Some(source) => source.progress(),
            None => self.told()?.progress,
        }
    }
}

impl Drop for Ahead {
    /// The thread is not waited for: it may wait itself, for a pipe that stays silent. It ends with the call of
    /// `fill` that it is in.
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::Relaxed);
    }
}

/// What one call of `fill` gave, and what the source says after it.
struct Step {
    requests: Vec<Request>,
    outcome: Result<bool, TraceError>,
    summary: Option<Summary>,
    progress: Option<f64>,
}

impl Step {
    fn note(&mut self, source: &dyn Source) {
        self.summary = source.summary();
        self.progress = source.progress();
    }
}

#[derive(Default)]
struct Batch {
    steps: Vec<Step>,
    filled: usize,
    /// Names that no batch before has brought.
    devices: Vec<String>,
    streams: Vec<String>,
}

impl Batch {
    fn new() -> Self {
        let step = || Step { requests: Vec::new(), outcome: Ok(true), summary: None, progress: None };
        Self { steps: std::iter::repeat_with(step).take(STEPS).collect(), ..Self::default() }
    }
}

fn decode(
    source: &mut dyn Source,
    limit: usize,
    full: &SyncSender<Batch>,
    used: &Receiver<Batch>,
    stop: &AtomicBool,
) {
    let (mut devices, mut streams) = (source.devices().len(), source.streams().len());
    let mut batch = Batch::new();
    loop {
        let mut more = true;
        batch.filled = 0;
        while more && batch.filled < STEPS {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let step = &mut batch.steps[batch.filled];
            step.requests.clear();
            step.outcome = source.fill(&mut step.requests, limit);
            more = matches!(step.outcome, Ok(true));
            step.note(source);
            batch.filled += 1;
        }
        batch.devices.extend_from_slice(source.devices().get(devices..).unwrap_or_default());
        batch.streams.extend_from_slice(source.streams().get(streams..).unwrap_or_default());
        (devices, streams) = (source.devices().len(), source.streams().len());
        if full.send(batch).is_err() || !more {
            return;
        }
        match used.recv() {
            Ok(emptied) => batch = emptied,
            Err(_) => return,
        }
    }
}
