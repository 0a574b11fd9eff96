//! A policy over real stores: the other driver of `iowatt-volume`, beside the simulator.
//!
//! The policy and all that is in flight are behind one lock, which is held while the policy decides and never while bytes
//! move. Who submits a request does the first of its transfers himself, if its store is prompt; a pool of threads does the
//! others and the moves. One thread makes batches durable: it syncs the stores that the batch names, then writes the batch's
//! notes to the journal, then tells who waits.

mod alarms;
mod clock;
mod durable;
mod live_io;
mod options;
mod ranges;
mod request;
mod running;
mod status;
mod steps;
mod transfers;

pub use options::{Beside, Options};
pub use request::{Failure, Host, Work};
pub use running::Running;
pub use status::{PartStatus, Status};
#[doc(hidden)]
pub use steps::{Step, Stepped};

use crate::journal::Journal;
use crate::store::Store;
use clock::Clock;
use iowatt_volume::{Scheme, Schemes, VolumeRequest};
use live_io::{Job, LiveIo};
use request::{Answered, Request, RequestKind};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A store, and where the data of its part begin.
pub struct Part {
    /// The store.
    pub store: Arc<dyn Store>,
    /// First byte of the data.
    pub data_at: u64,
}

/// Faults put into the volume on purpose, for tests that must find them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub enum Mutant {
    /// None.
    #[default]
    None,
    /// Records are not written.
    JournalOff,
    /// A flush is answered at once.
    FlushIgnored,
    /// Moves go on before their records are durable.
    SlotFreedEarly,
    /// Records are written before the data that they speak of are durable.
    RecordBeforeData,
    /// The journal's other half counts before its checkpoint is durable.
    CheckpointBeforeData,
}

struct Core {
    scheme: Schemes,
    io: LiveIo,
}

/// A volume in service.
pub struct Driver {
    core: Mutex<Core>,
    /// Told when something waits to be durable, an alarm is set, or the volume stops.
    changed: Condvar,
    jobs: Mutex<VecDeque<Job>>,
    more_jobs: Condvar,
    parts: Vec<Part>,
    journal: Option<Mutex<Journal>>,
    clock: Clock,
    capacity: u64,
    beside: Beside,
    mutant: Mutant,
    stopped: AtomicBool,
    commits: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Driver {
    fn new(
        scheme: Schemes,
        parts: Vec<Part>,
        journal: Option<Journal>,
        clock: Clock,
        beside: Beside,
        mutant: Mutant,
    ) -> Self {
        let mut io = LiveIo::new(parts.len());
        io.hasty = mutant == Mutant::SlotFreedEarly;
        Self {
            capacity: scheme.capacity_bytes(),
            core: Mutex::new(Core { scheme, io }),
            changed: Condvar::new(),
            jobs: Mutex::default(),
            more_jobs: Condvar::new(),
            parts,
            journal: journal.map(Mutex::new),
            clock,
            beside,
            mutant,
            stopped: AtomicBool::new(false),
            commits: AtomicU64::new(0),
        }
    }

    /// Bytes of the volume.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.capacity
    }

    /// Takes a request. `host` is answered, from any thread, perhaps before this returns.
    pub fn submit(&self, work: Work, host: &Arc<dyn Host>, cookie: u64) {
        let (range, kind, durable) = match work {
            Work::Read { at, bytes } => ((at, at.saturating_add(bytes)), RequestKind::Read, false),
            Work::Write { at, data, durable } => {
                ((at, at.saturating_add(data.len() as u64)), RequestKind::Write(data), durable)
            }
            Work::Discard { at, bytes, trim, durable } => {
                ((at, at.saturating_add(bytes)), RequestKind::Discard(trim), durable)
            }
            Work::Flush if self.mutant == Mutant::FlushIgnored => {
                host.answer(cookie, Ok(Vec::new()));
                return;
            }
            Work::Flush => ((0, 0), RequestKind::Flush, true),
        };
        if range.1 > self.capacity {
            host.answer(cookie, Err(Failure::Range));
            return;
        }
        let trim = matches!(kind, RequestKind::Discard(true));
        let write = matches!(kind, RequestKind::Write(_) | RequestKind::Discard(_));
        let recorded = !trim && !matches!(kind, RequestKind::Flush) && range.0 < range.1;
        let recorder = self.beside.recorder.as_ref().filter(|_| recorded);
        let arrived = recorder.map(|recorder| recorder.arrived(range, write));
        let host = Arc::clone(host);
        let request = Request {
            host,
            cookie,
            range,
            kind,
            arrived,
            waits: 1,
            durable,
            failure: None,
            read: Vec::new(),
        };
        let mut jobs = Vec::new();
        let (mut key, mut alone) = (0, false);
        self.locked(&mut jobs, |core| {
            if core.io.failed.is_some() || core.io.draining {
                core.io.answered.push(Request { failure: Some(Failure::Io), ..request }.into());
                return;
            }
            key = core.io.requests.insert(request);
            if range.0 < range.1 {
                let request = VolumeRequest { key: key as u32, from: range.0, until: range.1, write, trim };
                core.scheme.submit(&request, &mut core.io);
            }
            core.io.let_go(key);
            alone = core.io.requests.len() == 1;
        });
        // A transfer on emulated media takes as long as theirs. Its submitter may wait for it only if nothing else is to be done.
        let busy = self.beside.media.is_some() && !(alone && jobs.len() == 1);
        let prompt = |part: usize| !busy && self.parts[part].store.is_prompt();
        let mine = |job: &Job| job.request == Some(key) && prompt(job.part);
        let first = jobs.iter().position(mine).map(|at| jobs.swap_remove(at));
        self.hand_out(&mut jobs);
        if let Some(job) = first {
            self.perform(job, &mut jobs);
            self.hand_out(&mut jobs);
        }
    }

    /// Does something with policy and flight under the lock; then answers who is to be answered. `jobs` gets the transfers that
    /// may take place then.
    fn locked(&self, jobs: &mut Vec<Job>, act: impl FnOnce(&mut Core)) {
        let mut core = lock(&self.core);
        core.io.now = self.clock.now();
        let alarm = core.io.alarm_at;
        act(&mut core);
        core.io.take_jobs(jobs);
        let answered: Vec<Answered> = std::mem::take(&mut core.io.answered);
        let tell = !core.io.batch.waiters.is_empty() || core.io.alarm_at != alarm || core.io.draining;
        drop(core);
        if tell {
            self.changed.notify_all();
        }
        for Answered { host, cookie, outcome, arrived } in answered {
            if let (Some(recorder), Some((arrived, range, write))) = (&self.beside.recorder, arrived) {
                recorder.answered(arrived, range, write, outcome.is_ok());
            }
            host.answer(cookie, outcome);
        }
    }

    fn hand_out(&self, jobs: &mut Vec<Job>) {
        if jobs.is_empty() {
            return;
        }
        let many = jobs.len() > 1;
        lock(&self.jobs).extend(jobs.drain(..));
        if many { self.more_jobs.notify_all() } else { self.more_jobs.notify_one() }
    }

    /// Whether the policy's tables agree with each other.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn audit(&self) -> Result<(), String> {
        lock(&self.core).scheme.audit()
    }
}
