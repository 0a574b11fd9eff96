//! A file or block device by threads with `pread` and `pwrite`, one for each request that may be outstanding.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::board::Board;
use crate::buffers::{Aligned, Written};
use crate::target::Target;
use crate::work::{Io, Work};

pub(super) struct Pool {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

struct Queue {
    state: Mutex<State>,
    bell: Condvar,
}

struct State {
    asked: VecDeque<(u64, Io)>,
    ended: bool,
}

impl Queue {
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<(u64, Io)> {
        let mut state = self.locked();
        loop {
            if let Some(asked) = state.asked.pop_front() {
                return Some(asked);
            }
            if state.ended {
                return None;
            }
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Pool {
    pub(super) fn start(file: File, work: &Work, board: &Arc<Board>, depth: usize) -> io::Result<Self> {
        let state = State { asked: VecDeque::with_capacity(depth), ended: false };
        let queue = Arc::new(Queue { state: Mutex::new(state), bell: Condvar::new() });
        let (file, written) = (Arc::new(file), Arc::new(Written::new(work.longest(true))));
        let mut pool = Self { queue, threads: Vec::with_capacity(depth) };
        for _ in 0..depth {
            let (queue, board) = (Arc::clone(&pool.queue), Arc::clone(board));
            let (file, written) = (Arc::clone(&file), Arc::clone(&written));
            let mut memory = Aligned::zeroes(work.longest(false) as usize);
            let name = std::thread::Builder::new().name("iowatt-io".into());
            pool.threads.push(name.spawn(move || {
                while let Some((number, io)) = queue.next() {
                    board.sent(number);
                    let made = if io.write {
                        file.write_all_at(written.of(number, io.size), io.offset)
                    } else {
                        file.read_exact_at(&mut memory.all_mut()[..io.size as usize], io.offset)
                    };
                    board.done(
                        number,
                        made.map_or_else(|error| error.raw_os_error().unwrap_or(libc::EIO), |()| 0),
                    );
                }
            })?);
        }
        Ok(pool)
    }
}

impl Target for Pool {
    fn begin(&mut self, number: u64, io: Io) {
        self.queue.locked().asked.push_back((number, io));
        self.queue.bell.notify_one();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.locked().ended = true;
        self.queue.bell.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has left its request in flight, which the replay reports.
            let _ = thread.join();
        }
    }
}
