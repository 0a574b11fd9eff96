//! Threads that take operations from the pacing thread, each with a worker of its own.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use iowatt_replay::Control;
use iowatt_replay::board::Board;
use iowatt_replay::target::Target;
use iowatt_replay::work::Io;
use rustix::io::Errno;

use crate::op::{OPS, Op};
use crate::worker::Worker;

/// Of an operation's figure, the bit that says it was substituted.
pub(crate) const SUBSTITUTED: u64 = 1 << 63;

/// What the threads share.
pub(crate) struct Shared {
    /// Codes of operations by number.
    pub ops: Vec<u8>,
    /// Bytes by number, with [`SUBSTITUTED`].
    pub bytes: Vec<AtomicU64>,
    /// The error for which the run ends: no space; 0 for none.
    pub full: AtomicI32,
    /// Workers that are at home.
    pub workers: Mutex<Vec<Worker>>,
    pub control: Arc<Control>,
}

pub(crate) struct Pool {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

struct Queue {
    state: Mutex<(VecDeque<u64>, bool)>,
    bell: Condvar,
}

impl Queue {
    fn locked(&self) -> MutexGuard<'_, (VecDeque<u64>, bool)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<u64> {
        let mut state = self.locked();
        loop {
            if let Some(number) = state.0.pop_front() {
                return Some(number);
            }
            if state.1 {
                return None;
            }
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Pool {
    /// A thread for each worker that is at home; they go back there at the end.
    pub(crate) fn start(shared: &Arc<Shared>, board: &Arc<Board>, depth: usize) -> io::Result<Self> {
        let state = Mutex::new((VecDeque::with_capacity(depth), false));
        let queue = Arc::new(Queue { state, bell: Condvar::new() });
        let mut pool = Self { queue, threads: Vec::with_capacity(depth) };
        let workers = std::mem::take(&mut *shared.workers.lock().unwrap_or_else(PoisonError::into_inner));
        for mut worker in workers {
            let (queue, board, shared) = (Arc::clone(&pool.queue), Arc::clone(board), Arc::clone(shared));
            let name = std::thread::Builder::new().name("iowatt-files".into());
            pool.threads.push(name.spawn(move || {
                while let Some(number) = queue.next() {
                    board.sent(number);
                    board.done(number, shared.execute(&mut worker, number));
                }
                shared.workers.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
            })?);
        }
        Ok(pool)
    }
}

impl Shared {
    /// Does an operation and keeps its bytes; its error number, 0 for none.
    fn execute(&self, worker: &mut Worker, number: u64) -> i32 {
        let at = number as usize;
        let op: Op = OPS[usize::from(self.ops[at]) % OPS.len()];
        match worker.execute(op) {
            Ok(done) => {
                let mark = if done.substituted { SUBSTITUTED } else { 0 };
                self.bytes[at].store(done.bytes | mark, Ordering::Relaxed);
                0
            }
            Err(error) => {
                if matches!(error, Errno::NOSPC | Errno::DQUOT | Errno::ROFS) {
                    self.full.store(error.raw_os_error(), Ordering::Relaxed);
                    self.control.stop.store(true, Ordering::Relaxed);
                }
                error.raw_os_error()
            }
        }
    }
}

impl Target for Pool {
    fn begin(&mut self, number: u64, _io: Io) {
        self.queue.locked().0.push_back(number);
        self.queue.bell.notify_one();
    }

    fn abandon(&mut self) {
        self.queue.locked().0.clear();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.locked().1 = true;
        self.queue.bell.notify_all();
        for thread in self.threads.drain(..) {
            // One that panicked left its operation in flight, which the run reports.
            let _ = thread.join();
        }
    }
}
