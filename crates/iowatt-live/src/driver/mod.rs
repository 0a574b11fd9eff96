//! A policy over real stores: the other driver of `iowatt-volume`, beside the simulator.
//!
//! The policy and all that is in flight are behind one lock, which is held while the policy decides and never while bytes
//! move. Who submits a request does the first of its transfers himself, if its store is prompt; a pool of threads does the
//! others and the moves. One thread makes batches durable: it syncs the stores that the batch names, then writes the batch's
//! notes to the journal, then tells who waits.

mod live_io;
mod ranges;
mod request;
mod status;

pub use request::{Failure, Host, Work};
pub use status::{PartStatus, Status};

use crate::journal::Journal;
use crate::media::{JournalStore, Media, Recorder, Way};
use crate::store::Store;
use crate::volume::Options;
use iowatt_volume::time::Nanos;
use iowatt_volume::{MapRecord, PoolCounts, Scheme, Schemes, VolumeRequest};
use live_io::{Action, Batch, Job, LiveIo, Owner, Waiter};
use request::{Answered, Request, RequestKind};
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

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
}

/// What stands beside a volume, where anything does.
#[derive(Clone, Default)]
pub struct Watch {
    /// Media that its transfers wait for.
    pub media: Option<Arc<dyn Media>>,
    /// Who is told of requests.
    pub recorder: Option<Arc<dyn Recorder>>,
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
    started: Instant,
    capacity: u64,
    watch: Watch,
    mutant: Mutant,
    stopped: std::sync::atomic::AtomicBool,
    commits: AtomicU64,
}

/// The threads of a volume in service; they end with [`Self::stop`].
pub struct Running {
    /// The volume.
    pub driver: Arc<Driver>,
    threads: Vec<JoinHandle<()>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Running {
    /// Starts `threads` threads that move bytes, and those that keep time and make durable.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(
        scheme: Schemes,
        parts: Vec<Part>,
        journal: Option<Journal>,
        options: Options,
    ) -> io::Result<Self> {
        let Options { threads, mutant, watch } = options;
        let mut io = LiveIo::new(parts.len());
        io.hasty = mutant == Mutant::SlotFreedEarly;
        let driver = Arc::new(Driver {
            capacity: scheme.capacity_bytes(),
            core: Mutex::new(Core { scheme, io }),
            changed: Condvar::new(),
            jobs: Mutex::default(),
            more_jobs: Condvar::new(),
            parts,
            journal: journal.map(Mutex::new),
            started: Instant::now(),
            watch,
            mutant,
            stopped: false.into(),
            commits: AtomicU64::new(0),
        });
        let mut running = Self { driver: Arc::clone(&driver), threads: Vec::new() };
        let mut spawn = |name: String, body: fn(&Driver)| {
            let driver = Arc::clone(&driver);
            let thread = std::thread::Builder::new().name(name).spawn(move || body(&driver))?;
            running.threads.push(thread);
            io::Result::Ok(())
        };
        for number in 0..threads {
            spawn(format!("mover {number}"), Driver::move_bytes)?;
        }
        spawn("durable".into(), Driver::keep_durable)?;
        spawn("alarms".into(), Driver::keep_time)?;
        Ok(running)
    }

    /// Lets what is in flight end, makes everything durable and marks the volume as stopped in order; waits for that. New
    /// requests fail from now on.
    ///
    /// # Errors
    /// What a store says, now or before.
    pub fn stop(mut self) -> io::Result<()> {
        let outcome = self.driver.close();
        self.end();
        outcome
    }

    fn end(&mut self) {
        self.driver.stopped.store(true, Ordering::Release);
        // Under the locks, so that nobody misses it between looking and waiting.
        drop((lock(&self.driver.core), lock(&self.driver.jobs)));
        self.driver.changed.notify_all();
        self.driver.more_jobs.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    /// Ends the threads as a kill would: nothing more is made durable.
    fn drop(&mut self) {
        self.end();
    }
}

impl Driver {
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
            Work::Discard { at, bytes, durable } => {
                ((at, at.saturating_add(bytes)), RequestKind::Discard, durable)
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
        let write = matches!(kind, RequestKind::Write(_) | RequestKind::Discard);
        let recorded = matches!(kind, RequestKind::Read | RequestKind::Write(_)) && range.0 < range.1;
        let recorder = self.watch.recorder.as_ref().filter(|_| recorded);
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
                let request = VolumeRequest { key: key as u32, from: range.0, until: range.1, write };
                core.scheme.submit(&request, &mut core.io);
            }
            core.io.let_go(key);
            alone = core.io.requests.len() == 1;
        });
        // On emulated media it waits as long as they take, which a request may that is alone.
        let waits = self.watch.media.is_some() && !(alone && jobs.len() == 1);
        let prompt = |part: usize| !waits && self.parts[part].store.is_prompt();
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
        core.io.now = self.started.elapsed().as_nanos() as Nanos;
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
            if let (Some(recorder), Some((arrived, range, write))) = (&self.watch.recorder, arrived) {
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

    /// Does a transfer, and tells who waits for it.
    fn perform(&self, job: Job, jobs: &mut Vec<Job>) {
        let key = job.key;
        let (part, range, background) = (job.part, job.range, job.request.is_none());
        let way = match job.action {
            Action::Read => Way::Read,
            Action::Write { .. } | Action::WriteBack(_) => Way::Write,
            Action::Discard => Way::Discard,
        };
        let outcome = self.transfer(job);
        if let Some(media) = &self.watch.media {
            media.transfer(part, range, way, background);
        }
        self.locked(jobs, |core| {
            let failure = outcome.as_ref().err().map(ToString::to_string);
            let Some((owner, ok)) = core.io.close(key, outcome) else { return };
            match owner {
                Owner::Request(request) => core.io.let_go(request),
                Owner::Both(request, tag) => {
                    core.scheme.transfer_done(tag, &mut core.io);
                    core.io.let_go(request);
                }
                Owner::Policy(tag) if ok => core.scheme.background_done(tag, &mut core.io),
                Owner::Policy(tag) => {
                    if !core.scheme.background_failed(tag, &mut core.io) {
                        core.io.fail(failure.unwrap_or_default());
                    }
                }
            }
        });
    }

    fn transfer(&self, job: Job) -> io::Result<Vec<u8>> {
        let Part { store, data_at } = &self.parts[job.part];
        let (from, until) = (data_at + job.range.0, data_at + job.range.1);
        match job.action {
            Action::Read => {
                let mut bytes = vec![0; (until - from) as usize];
                store.read(from, &mut bytes)?;
                return Ok(bytes);
            }
            Action::Write { data, first, pieces } => {
                for piece in pieces {
                    let of = (piece.at - first) as usize;
                    let bytes = (piece.range.1 - piece.range.0) as usize;
                    store.write(data_at + piece.range.0, &data[of..of + bytes])?;
                }
            }
            Action::WriteBack(bytes) => store.write(from, &bytes)?,
            Action::Discard => store.discard((from, until))?,
        }
        Ok(Vec::new())
    }

    /// A thread that does transfers.
    fn move_bytes(&self) {
        let mut more = Vec::new();
        loop {
            let mut queue = lock(&self.jobs);
            let job = loop {
                if self.stopped.load(Ordering::Acquire) {
                    return;
                }
                if let Some(job) = queue.pop_front() {
                    break job;
                }
                queue = self.more_jobs.wait(queue).unwrap_or_else(PoisonError::into_inner);
            };
            drop(queue);
            self.perform(job, &mut more);
            self.hand_out(&mut more);
        }
    }

    /// The thread that makes batches durable.
    fn keep_durable(&self) {
        let mut jobs = Vec::new();
        loop {
            let mut core = lock(&self.core);
            while core.io.batch.waiters.is_empty() {
                if self.stopped.load(Ordering::Acquire) {
                    return;
                }
                core = self.changed.wait(core).unwrap_or_else(PoisonError::into_inner);
            }
            let empty = Batch { sync: vec![false; self.parts.len()], ..Batch::default() };
            let batch = std::mem::replace(&mut core.io.batch, empty);
            core.io.committing = true;
            drop(core);
            let outcome = self.commit(&batch.sync, &batch.notes);
            self.locked(&mut jobs, |core| {
                core.io.committing = false;
                if let Err(error) = outcome {
                    // After a failed sync nobody knows what is there; only a new start does.
                    core.io.store_errors += 1;
                    core.io.fail(error.to_string());
                    return;
                }
                for waiter in batch.waiters {
                    match waiter {
                        Waiter::Policy(tag) => core.scheme.background_done(tag, &mut core.io),
                        Waiter::Request(key) => core.io.let_go(key),
                    }
                }
            });
            self.hand_out(&mut jobs);
        }
    }

    fn commit(&self, sync: &[bool], notes: &[MapRecord]) -> io::Result<()> {
        self.commits.fetch_add(1, Ordering::Relaxed);
        let write_notes = || match &self.journal {
            Some(journal) if self.mutant != Mutant::JournalOff => {
                lock(journal).commit(&self.journal_store(), notes)
            }
            _ => Ok(()),
        };
        if self.mutant == Mutant::RecordBeforeData {
            write_notes()?;
        }
        if self.watch.media.is_none() {
            for (part, _) in self.parts.iter().zip(sync).filter(|(_, sync)| **sync) {
                part.store.sync()?;
            }
        }
        write_notes()
    }

    fn journal_store(&self) -> JournalStore<'_> {
        JournalStore { store: &*self.parts[0].store, media: self.watch.media.as_deref() }
    }

    /// The thread that wakes the policy at its alarms.
    fn keep_time(&self) {
        let mut jobs = Vec::new();
        let mut core = lock(&self.core);
        while !self.stopped.load(Ordering::Acquire) {
            let now = self.started.elapsed().as_nanos() as Nanos;
            if core.io.alarm_at <= now && core.io.failed.is_none() {
                drop(core);
                self.locked(&mut jobs, |core| {
                    core.io.alarm_at = Nanos::MAX;
                    core.scheme.alarm(&mut core.io);
                });
                self.hand_out(&mut jobs);
                core = lock(&self.core);
                continue;
            }
            let left =
                Duration::from_nanos(core.io.alarm_at.saturating_sub(now)).min(Duration::from_secs(3600));
            (core, _) = self.changed.wait_timeout(core, left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close(&self) -> io::Result<()> {
        let mut jobs = Vec::new();
        self.locked(&mut jobs, |core| core.io.draining = true);
        self.hand_out(&mut jobs);
        loop {
            let core = lock(&self.core);
            if let Some(why) = &core.io.failed {
                return Err(io::Error::other(why.clone()));
            }
            if core.io.is_idle() && !core.io.committing {
                break;
            }
            drop(core);
            std::thread::sleep(Duration::from_millis(1));
        }
        for part in &self.parts {
            part.store.sync()?;
        }
        if let Some(journal) = &self.journal {
            let map = lock(&self.core).scheme.map();
            lock(journal).replace(&*self.parts[0].store, map, true)?;
        }
        Ok(())
    }

    /// Waits until no request and no move is in flight, or the volume has failed.
    pub fn settle(&self) {
        loop {
            let core = lock(&self.core);
            if core.io.is_idle() && !core.io.committing || core.io.failed.is_some() {
                return;
            }
            drop(core);
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    /// Lets somebody look at what is counted, and at the policy.
    pub fn inspect<T>(&self, look: impl FnOnce(&PoolCounts, &Schemes) -> T) -> T {
        let core = lock(&self.core);
        look(&core.io.counts, &core.scheme)
    }

    /// Whether the policy's tables agree with each other.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn audit(&self) -> Result<(), String> {
        lock(&self.core).scheme.audit()
    }
}
