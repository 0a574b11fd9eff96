//! Emulated media: a live volume served at the pace of the simulator's drives, which book their joules meanwhile.
//!
//! Simulated time is real time since the first request. Whoever moves bytes begins a transfer at the drives ([`Emulation`]) and
//! waits until they are done. One of those who wait keeps the time: he sleeps until the next event of the drives, handles what
//! is due and wakes whose transfers are done. So a request that is alone waits for no other thread.

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

/// How much later than the drives were done their transfers went on, in microseconds: the machine's part in the figures.
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
    state: Mutex<State>,
    began: OnceLock<Instant>,
}

struct State {
    /// None once the run has ended.
    drives: Option<Emulation>,
    /// By the key of a transfer under way, who waits for it.
    waiting: HashMap<u32, Arc<Waiter>>,
    /// Who keeps the time, and until when he sleeps.
    keeper: Option<(Arc<Waiter>, Nanos)>,
    done: Vec<(u32, Nanos)>,
    failed: Option<SimError>,
    late: Histogram<u64>,
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
            drives: Some(Emulation::new(plan)?),
            waiting: HashMap::new(),
            keeper: None,
            done: Vec::new(),
            failed: None,
            late: Histogram::new(3)?,
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
        })
    }

    /// Ends the run now: its figures, with those of the virtual pool. What comes later is not waited for.
    ///
    /// # Errors
    /// Data that a planned failure has lost.
    pub fn finish(&self, virtual_pool: VirtualPoolResult) -> Result<Outcome, SimError> {
        let mut state = self.current();
        let drives = state.drives.take();
        match (state.failed.take(), drives) {
            (None, Some(drives)) => drives.finish(virtual_pool),
            (failed, _) => Err(failed.unwrap_or(SimError::Stopped)),
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
            if state.keeper.as_ref().is_none_or(|(keeper, _)| Arc::ptr_eq(keeper, own)) {
                let Some(next) = state.next_at() else { return };
                state.keeper = Some((Arc::clone(own), next));
                drop(state);
                let left = next.saturating_sub(self.now());
                if left > 0 {
                    std::thread::park_timeout(Duration::from_nanos(left));
                }
            } else {
                drop(state);
                std::thread::park();
            }
            state = self.current();
        }
    }
}

impl State {
    fn next_at(&mut self) -> Option<Nanos> {
        self.drives.as_mut().and_then(Emulation::next_at)
    }

    /// Handles what is due until now, and wakes whose transfers are done.
    fn advance(&mut self, now: Nanos) {
        let Some(drives) = &mut self.drives else { return };
        if let Err(error) = drives.advance(now, &mut self.done) {
            // Data are lost: the volume, which has them, goes on at once.
            self.failed = Some(error);
            self.drives = None;
            self.done.extend(self.waiting.keys().map(|&key| (key, now)));
        }
        for (key, at) in self.done.drain(..) {
            if let Some(waiter) = self.waiting.remove(&key) {
                let _ = waiter.done.set(at);
                waiter.thread.unpark();
            }
        }
    }

    /// Who keeps the time must wake earlier where a transfer that has just begun is done earlier than anything before.
    fn wake_keeper(&mut self) {
        let next = self.next_at();
        if let Some((keeper, until)) = &self.keeper
            && next.is_some_and(|next| next < *until)
        {
            keeper.thread.unpark();
        }
    }

    /// A transfer is over; somebody else who waits keeps the time if its thread has.
    fn leave(&mut self, own: &Arc<Waiter>, late: Nanos) {
        let _ = self.late.record(late);
        if self.keeper.as_ref().is_some_and(|(keeper, _)| Arc::ptr_eq(keeper, own)) {
            self.keeper = None;
            if let Some(other) = self.waiting.values().next() {
                other.thread.unpark();
            }
        }
    }
}

impl Media for Emulator {
    fn transfer(&self, part: usize, range: (u64, u64), way: Way, background: bool) {
        let way = match way {
            Way::Read => iowatt_sim::Way::Read,
            Way::Write => iowatt_sim::Way::Write,
            Way::Discard => iowatt_sim::Way::Trim,
        };
        let mut state = self.current();
        let begun =
            state.drives.as_mut().and_then(|drives| drives.begin(&Transfer { part, range, way, background }));
        let Some(key) = begun else { return };
        let own = Arc::new(Waiter { thread: std::thread::current(), done: OnceLock::new() });
        state.waiting.insert(key, Arc::clone(&own));
        state.wake_keeper();
        self.wait(&own, state);
    }
}

impl Recorder for Emulator {
    fn arrived(&self, range: (u64, u64), write: bool) -> u64 {
        self.current().drives.as_mut().map_or(0, |drives| drives.arrived(range, write))
    }

    fn answered(&self, arrived: u64, range: (u64, u64), write: bool, ok: bool) {
        let mut state = self.current();
        if ok && let Some(drives) = &mut state.drives {
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
