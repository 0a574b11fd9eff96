//! When each request was due, sent and completed; written by the pacing thread and by those that complete requests.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A stamp of what has not happened.
pub const NEVER: u64 = u64::MAX;

struct Cell {
    due_ns: AtomicU64,
    sent_ns: AtomicU64,
    done_ns: AtomicU64,
    error: AtomicI32,
}

/// Stamps of all requests, in memory that is allocated before the first is sent.
pub struct Board {
    origin: OnceLock<Instant>,
    cells: Vec<Cell>,
    in_flight: AtomicUsize,
    completed: AtomicU64,
    errors: AtomicU64,
    /// Whether completions are kept for the pacing thread.
    listens: bool,
    /// The pacing thread sleeps until a completion.
    waiting: AtomicBool,
    finished: Mutex<Vec<u64>>,
    bell: Condvar,
}

impl Board {
    /// For `total` requests, `depth` outstanding at most.
    #[must_use]
    pub fn new(total: u64, depth: usize, listens: bool) -> Self {
        let cell = || Cell {
            due_ns: AtomicU64::new(NEVER),
            sent_ns: AtomicU64::new(NEVER),
            done_ns: AtomicU64::new(NEVER),
            error: AtomicI32::new(0),
        };
        Self {
            origin: OnceLock::new(),
            cells: (0..total).map(|_| cell()).collect(),
            in_flight: AtomicUsize::new(0),
            completed: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            listens,
            waiting: AtomicBool::new(false),
            finished: Mutex::new(Vec::with_capacity(if listens { depth } else { 0 })),
            bell: Condvar::new(),
        }
    }

    /// Time 0 is the first call.
    pub fn start(&self) -> Instant {
        *self.origin.get_or_init(Instant::now)
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.start().elapsed().as_nanos() as u64
    }

    /// From now until `at`; nothing where that is past.
    #[must_use]
    pub fn until(&self, at: u64) -> Duration {
        Duration::from_nanos(at).saturating_sub(self.start().elapsed())
    }

    /// Requests that were sent and have not completed.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::SeqCst)
    }

    /// Requests that completed, and those of them with an error.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        (self.completed.load(Ordering::Relaxed), self.errors.load(Ordering::Relaxed))
    }

    /// A request goes to the target.
    pub fn due(&self, number: u64, due_ns: u64) {
        self.cell(number).due_ns.store(due_ns, Ordering::Relaxed);
        self.in_flight.fetch_add(1, Ordering::SeqCst);
    }

    /// Its I/O begins now.
    pub fn sent(&self, number: u64) {
        self.cell(number).sent_ns.store(self.now(), Ordering::Relaxed);
    }

    /// It completed now, with an error number of the system (0: none).
    pub fn done(&self, number: u64, error: i32) {
        let cell = self.cell(number);
        if cell.done_ns.swap(self.now(), Ordering::Relaxed) != NEVER {
            return; // it failed before, and was answered all the same
        }
        cell.error.store(error, Ordering::Relaxed);
        self.completed.fetch_add(1, Ordering::Relaxed);
        self.errors.fetch_add(u64::from(error != 0), Ordering::Relaxed);
        if self.listens {
            self.locked().push(number);
        }
        // Behind this the pacing thread may take the completion; it looks again once it says that it waits.
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
        if self.waiting.load(Ordering::SeqCst) {
            drop(self.locked());
            self.bell.notify_one();
        }
    }

    /// Waits until other than `seen` requests are in flight, at most `limit`.
    pub fn wait(&self, seen: usize, limit: Duration) {
        let guard = self.locked();
        self.waiting.store(true, Ordering::SeqCst);
        if self.in_flight() == seen {
            drop(self.bell.wait_timeout(guard, limit).unwrap_or_else(PoisonError::into_inner));
        }
        self.waiting.store(false, Ordering::SeqCst);
    }

    /// Number and time of each completion since the last call; `into` is as large as `depth` to begin with.
    pub fn collect(&self, into: &mut Vec<u64>, each: &mut dyn FnMut(u64, u64)) {
        std::mem::swap(&mut *self.locked(), into);
        for number in into.drain(..) {
            each(number, self.cell(number).done_ns.load(Ordering::Relaxed));
        }
    }

    /// The columns: due, sent, done (all ns, [`NEVER`] where it did not happen), error number.
    #[must_use]
    pub fn columns(&self) -> [Vec<u64>; 3] {
        let column = |of: fn(&Cell) -> &AtomicU64| {
            self.cells.iter().map(|cell| of(cell).load(Ordering::Relaxed)).collect()
        };
        [column(|cell| &cell.due_ns), column(|cell| &cell.sent_ns), column(|cell| &cell.done_ns)]
    }

    /// Error number of each request.
    #[must_use]
    pub fn error_numbers(&self) -> Vec<i32> {
        self.cells.iter().map(|cell| cell.error.load(Ordering::Relaxed)).collect()
    }

    fn cell(&self, number: u64) -> &Cell {
        &self.cells[number as usize]
    }

    fn locked(&self) -> MutexGuard<'_, Vec<u64>> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
