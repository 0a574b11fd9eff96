//! Emulated media: a live volume served at the pace of the simulator's drives, which book their joules meanwhile.
//!
//! One thread has the drives ([`Emulation`]) and the clock. Who moves bytes tells it of a transfer and waits; the thread wakes
//! him at the time at which the drives are done. Simulated time is real time since the first request.

use hdrhistogram::Histogram;
use iowatt_live::{Media, Recorder, Way};
use iowatt_sim::{Emulation, Outcome, Plan, SimError, Transfer, VirtualPoolResult};
use serde::Serialize;
use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Nanoseconds since the first request.
type Nanos = u64;

/// What the thread of the drives is told, and when that was.
enum Told {
    Transfer(Transfer, Sender<Nanos>),
    Arrived((u64, u64), bool),
    Answered(Nanos, (u64, u64), bool),
    Finish(Box<VirtualPoolResult>, Sender<Result<Outcome, SimError>>),
}

/// How much later than the drives were done their transfers were told so, in microseconds: the machine's part in the figures.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Lateness {
    /// Transfers.
    pub transfers: u64,
    /// Median.
    pub p50_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// The longest.
    pub most_us: f64,
}

/// The drives of a plan, in real time.
pub struct Emulator {
    tell: Sender<(Nanos, Told)>,
    began: OnceLock<Instant>,
    thread: Mutex<Option<JoinHandle<()>>>,
    late: Mutex<Histogram<u64>>,
}

impl Emulator {
    /// Starts the drives of `plan`, as [`Emulation::new`] takes it.
    ///
    /// # Errors
    /// Where the plan contradicts itself, or the system gives no thread.
    pub fn start(plan: &Plan) -> Result<Self, SimError> {
        let (tell, told) = channel();
        let (built, outcome) = channel();
        let plan = plan.clone();
        let body = move || match Emulation::new(&plan) {
            Ok(drives) => {
                let _ = built.send(Ok(()));
                Keeper { drives, waiting: HashMap::new(), done: Vec::new(), failed: None }.run(&told);
            }
            Err(error) => drop(built.send(Err(error))),
        };
        let thread = std::thread::Builder::new().name("emulated drives".into()).spawn(body);
        let thread = thread.map_err(SimError::from)?;
        outcome.recv().unwrap_or(Err(SimError::Stopped))?;
        Ok(Self {
            tell,
            began: OnceLock::new(),
            thread: Mutex::new(Some(thread)),
            late: Mutex::new(Histogram::new(3)?),
        })
    }

    fn now(&self) -> Nanos {
        self.began.get_or_init(Instant::now).elapsed().as_nanos() as Nanos
    }

    /// How late transfers were told so far; none before the first.
    #[must_use]
    pub fn lateness(&self) -> Option<Lateness> {
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        let us = |ns: u64| ns as f64 / 1e3;
        (!late.is_empty()).then(|| Lateness {
            transfers: late.len(),
            p50_us: us(late.value_at_quantile(0.5)),
            p99_us: us(late.value_at_quantile(0.99)),
            most_us: us(late.max()),
        })
    }

    /// Ends the run now: its figures, with those of the virtual pool. Nothing may come any more.
    ///
    /// # Errors
    /// Data that a planned failure has lost.
    pub fn finish(&self, virtual_pool: VirtualPoolResult) -> Result<Outcome, SimError> {
        let (reply, outcome) = channel();
        let told = self.tell.send((self.now(), Told::Finish(Box::new(virtual_pool), reply)));
        let outcome = told.ok().and_then(|()| outcome.recv().ok()).unwrap_or(Err(SimError::Stopped));
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = thread.join();
        }
        outcome
    }
}

impl Media for Emulator {
    fn transfer(&self, part: usize, range: (u64, u64), way: Way, background: bool) {
        let way = match way {
            Way::Read => iowatt_sim::Way::Read,
            Way::Write => iowatt_sim::Way::Write,
            Way::Discard => iowatt_sim::Way::Trim,
        };
        let (reply, done) = channel();
        let transfer = Transfer { part, range, way, background };
        if self.tell.send((self.now(), Told::Transfer(transfer, reply))).is_err() {
            return;
        }
        // Where the drives have lost data there is no answer, and the volume goes on at once.
        if let Ok(at) = done.recv() {
            let late = self.now().saturating_sub(at);
            self.late.lock().unwrap_or_else(PoisonError::into_inner).saturating_record(late.max(1));
        }
    }
}

impl Recorder for Emulator {
    fn arrived(&self, range: (u64, u64), write: bool) -> u64 {
        let now = self.now();
        let _ = self.tell.send((now, Told::Arrived(range, write)));
        now
    }

    fn answered(&self, arrived: u64, range: (u64, u64), write: bool, ok: bool) {
        if ok {
            let _ = self.tell.send((self.now(), Told::Answered(arrived, range, write)));
        }
    }
}

/// The thread that has the drives.
struct Keeper {
    drives: Emulation,
    waiting: HashMap<u32, Sender<Nanos>>,
    done: Vec<(u32, Nanos)>,
    failed: Option<SimError>,
}

impl Keeper {
    fn run(mut self, told: &Receiver<(Nanos, Told)>) {
        // The kernel may wake a thread 50 us late for the sake of others; a solid-state drive answers sooner than that.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut began: Option<Instant> = None;
        loop {
            let next = self.drives.next_at().zip(began);
            let received = match next {
                Some((at, began)) => {
                    let left = Duration::from_nanos(at).saturating_sub(began.elapsed());
                    told.recv_timeout(left)
                }
                None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok((at, told)) => {
                    began.get_or_insert_with(|| Instant::now() - Duration::from_nanos(at));
                    self.advance(at);
                    if let Told::Finish(virtual_pool, reply) = told {
                        let outcome = match self.failed {
                            Some(error) => Err(error),
                            None => self.drives.finish(*virtual_pool),
                        };
                        let _ = reply.send(outcome);
                        return;
                    }
                    self.take(at, told);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some((at, _)) = next {
                        self.advance(at);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn take(&mut self, at: Nanos, told: Told) {
        match told {
            Told::Transfer(transfer, reply) => match self.drives.begin(&transfer) {
                Some(key) if self.failed.is_none() => drop(self.waiting.insert(key, reply)),
                _ => drop(reply.send(at)),
            },
            Told::Arrived(range, write) => drop(self.drives.arrived(range, write)),
            Told::Answered(arrived, range, write) => self.drives.answered(arrived, range, write),
            Told::Finish(..) => {}
        }
    }

    fn advance(&mut self, until: Nanos) {
        if let Err(error) = self.drives.advance(until, &mut self.done) {
            self.failed.get_or_insert(error);
            self.waiting.clear();
        }
        for (key, at) in self.done.drain(..) {
            if let Some(reply) = self.waiting.remove(&key) {
                let _ = reply.send(at);
            }
        }
    }
}
