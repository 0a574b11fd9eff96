//! Emulated media: a live volume served at the pace of the simulator's drives, which book their joules meanwhile.
//!
//! Simulated time is real time since the first request. Whoever moves bytes begins a transfer at the drives ([`Emulation`]), moves
//! the bytes, and waits until the drives are done. One of the threads that wait is the *timekeeper*: it sleeps until the next
//! event of the drives, handles what is due and wakes the threads whose transfers are done. So a request that is alone waits for
//! no other thread.

use hdrhistogram::Histogram;
use iowatt_live::{Media, Recorder, Way};
use iowatt_sim::{Emulation, Outcome, Plan, SimError, Transfer, VirtualPoolResult};
use serde::Serialize;
use std::cell::Cell;
use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Nanoseconds since the first request.
type Nanos = u64;

/// How much later than the drives were done their transfers went on, in microseconds: the machine's part in the figures, but for
/// the way between host and volume.
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
    /// Requests of hosts that failed; they are in no figure.
    pub failed: u64,
}

/// The drives of a plan, in real time.
pub struct Emulator {
    state: Mutex<State>,
    began: OnceLock<Instant>,
}

struct State {
    drives: Drives,
    /// By the key of a transfer under way, the thread that waits for it.
    waiting: HashMap<u32, Arc<Waiter>>,
    /// The thread that sleeps until the next event, and when that is.
    timekeeper: Option<(Arc<Waiter>, Nanos)>,
    done: Vec<(u32, Nanos)>,
    late: Histogram<u64>,
    failed: u64,
}

enum Drives {
    Running(Box<Emulation>),
    /// At rest for good, until somebody takes the figures.
    Ended(Box<Emulation>),
    /// They have lost data.
    Lost(SimError),
    /// Their figures are taken.
    Gone,
}

/// A thread that waits for a transfer.
struct Waiter {
    thread: Thread,
    /// When the transfer was done.
    done: OnceLock<Nanos>,
}

impl Emulator {
    /// The drives of `plan`, as [`Emulation::new`] takes it.
    ///
    /// # Errors
    /// Where the plan contradicts itself.
    pub fn new(plan: &Plan) -> Result<Self, SimError> {
        let state = State {
            drives: Drives::Running(Box::new(Emulation::new(plan)?)),
            waiting: HashMap::new(),
            timekeeper: None,
            done: Vec::new(),
            late: Histogram::new(3)?,
            failed: 0,
        };
        Ok(Self { state: Mutex::new(state), began: OnceLock::new() })
    }

    fn now(&self) -> Nanos {
        self.began.get_or_init(Instant::now).elapsed().as_nanos() as Nanos
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, with all that is due by now handled.
    fn current(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        state.advance(self.now());
        state
    }

    /// How late transfers went on so far; none before the first.
    #[must_use]
    pub fn lateness(&self) -> Option<Lateness> {
        let state = self.lock();
        let late = &state.late;
        let us = |ns: u64| ns as f64 / 1e3;
        (!late.is_empty()).then(|| Lateness {
            transfers: late.len(),
            p50_us: us(late.value_at_quantile(0.5)),
            p99_us: us(late.value_at_quantile(0.99)),
            most_us: us(late.max()),
            failed: state.failed,
        })
    }

    /// The figures of the run, with those of the virtual pool, once. The run ends now if it has not ended before.
    ///
    /// # Errors
    /// Data that a planned failure has lost.
    pub fn finish(&self, virtual_pool: VirtualPoolResult) -> Result<Outcome, SimError> {
        self.end();
        match std::mem::replace(&mut self.lock().drives, Drives::Gone) {
            Drives::Running(drives) | Drives::Ended(drives) => drives.finish(virtual_pool),
            Drives::Lost(error) => Err(error),
            Drives::Gone => Err(SimError::Stopped),
        }
    }

    /// Waits until the transfer of `own` is done.
    fn wait<'a>(&'a self, own: &Arc<Waiter>, mut state: MutexGuard<'a, State>) {
        sharpen_timers();
        loop {
            if let Some(at) = own.done.get() {
                let late = self.now().saturating_sub(*at);
                state.leave(own, late);
                return;
            }
            let keeps = state.timekeeper.as_ref().is_none_or(|(keeper, _)| Arc::ptr_eq(keeper, own));
            match state.next_at().filter(|_| keeps) {
                Some(next) => {
                    state.timekeeper = Some((Arc::clone(own), next));
                    drop(state);
                    let left = next.saturating_sub(self.now());
                    if left > 0 {
                        std::thread::park_timeout(Duration::from_nanos(left));
                    }
                }
                None => {
                    drop(state);
                    std::thread::park();
                }
            }
            state = self.current();
        }
    }
}

impl State {
    fn running(&mut self) -> Option<&mut Emulation> {
        match &mut self.drives {
            Drives::Running(drives) => Some(drives),
            _ => None,
        }
    }

    fn next_at(&mut self) -> Option<Nanos> {
        self.running().and_then(Emulation::next_at)
    }

    /// Handles what is due until now, and wakes the threads whose transfers are done.
    fn advance(&mut self, now: Nanos) {
        let Drives::Running(drives) = &mut self.drives else { return };
        if let Err(error) = drives.advance(now, &mut self.done) {
            // The volume still has the data, and goes on at once.
            self.drives = Drives::Lost(error);
            self.release_all(now);
        }
        for (key, at) in self.done.drain(..) {
            if let Some(waiter) = self.waiting.remove(&key) {
                waiter.wake(at);
            }
        }
    }

    /// Nobody waits any more.
    fn release_all(&mut self, now: Nanos) {
        self.waiting.drain().for_each(|(_, waiter)| waiter.wake(now));
    }

    /// Wakes the timekeeper if an event has been scheduled before the one that it sleeps until.
    fn wake_timekeeper(&mut self) {
        let next = self.next_at();
        if let Some((keeper, until)) = &self.timekeeper
            && next.is_some_and(|next| next < *until)
        {
            keeper.thread.unpark();
        }
    }

    /// A thread leaves with its transfer done. If nobody keeps the time then, another thread that waits must.
    fn leave(&mut self, own: &Arc<Waiter>, late: Nanos) {
        let _ = self.late.record(late);
        self.timekeeper.take_if(|(keeper, _)| Arc::ptr_eq(keeper, own));
        if self.timekeeper.is_none()
            && let Some(other) = self.waiting.values().next()
        {
            other.thread.unpark();
        }
    }
}

impl Waiter {
    fn wake(&self, at: Nanos) {
        let _ = self.done.set(at);
        self.thread.unpark();
    }
}

impl Media for Emulator {
    fn transfer(&self, part: usize, range: (u64, u64), way: Way, background: bool, moving: &mut dyn FnMut()) {
        let way = match way {
            Way::Read => iowatt_sim::Way::Read,
            Way::Write => iowatt_sim::Way::Write,
            Way::Discard => iowatt_sim::Way::Trim,
        };
        let own = Arc::new(Waiter { thread: std::thread::current(), done: OnceLock::new() });
        let transfer = Transfer { part, range, way, background };
        let mut state = self.current();
        let key = state.running().and_then(|drives| drives.begin(&transfer));
        if let Some(key) = key {
            state.waiting.insert(key, Arc::clone(&own));
            state.wake_timekeeper();
        }
        drop(state);
        moving();
        if key.is_some() {
            self.wait(&own, self.current());
        }
    }

    fn end(&self) {
        let mut state = self.current();
        state.drives = match std::mem::replace(&mut state.drives, Drives::Gone) {
            Drives::Running(drives) => Drives::Ended(drives),
            other => other,
        };
        let now = self.now();
        state.release_all(now);
    }
}

impl Recorder for Emulator {
    fn arrived(&self, range: (u64, u64), write: bool) -> u64 {
        self.current().running().map_or(0, |drives| drives.arrived(range, write))
    }

    fn answered(&self, arrived: u64, range: (u64, u64), write: bool, ok: bool) {
        let mut state = self.current();
        state.failed += u64::from(!ok);
        if ok && let Some(drives) = state.running() {
            drives.answered(arrived, range, write);
        }
    }
}

/// Lets the kernel wake this thread on time: by default it may be 50 us late for the sake of others, and a solid-state drive
/// answers sooner than that.
fn sharpen_timers() {
    thread_local!(static SHARP: Cell<bool> = const { Cell::new(false) });
    if !SHARP.replace(true) {
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    }
}
