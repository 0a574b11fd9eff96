//! A file or block device by io_uring: the pacing thread submits, another thread waits for completions.
//!
//! The only module with `unsafe`. All reads go to the same memory, which nobody looks at: what was read is not wanted.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread::JoinHandle;

use io_uring::{IoUring, opcode, types};

use crate::board::Board;
use crate::buffers::{Aligned, Written};
use crate::target::Target;
use crate::work::{Io, Work};

const IORING_ENTER_GETEVENTS: u32 = 1;
/// Interrupted, or short of memory for the moment.
const RETRIED: [Option<i32>; 3] = [Some(libc::EINTR), Some(libc::EAGAIN), Some(libc::EBUSY)];
/// The cookie that ends the thread of completions.
const END: u64 = u64::MAX;

/// A ring for `depth` requests and one that ends it; none where the kernel has or allows none.
pub(super) fn create(depth: usize) -> Option<IoUring> {
    IoUring::new((depth as u32 + 1).next_power_of_two()).ok()
}

/// A ring and its file, not started.
pub(crate) struct Ring {
    ring: IoUring,
    file: File,
}

/// What both threads hold: memory outlives all requests that point to it.
struct Shared {
    ring: IoUring,
    file: File,
    written: Written,
    /// Kept for `into`.
    _read: Aligned,
    /// Where reads go.
    into: AtomicPtr<u8>,
    /// Bytes of each request, to tell a short transfer.
    sizes: Vec<u32>,
}

pub(super) struct Started {
    shared: Arc<Shared>,
    board: Arc<Board>,
    thread: Option<JoinHandle<()>>,
}

impl Ring {
    pub(super) const fn new(ring: IoUring, file: File) -> Self {
        Self { ring, file }
    }

    pub(super) fn start(self, work: &Work, board: &Arc<Board>) -> io::Result<Started> {
        let mut read = Aligned::zeroes(work.longest(false) as usize);
        read.all_mut().fill(0); // so that its pages are there
        let into = AtomicPtr::new(read.all_mut().as_mut_ptr());
        let sizes = work.size.clone();
        let written = Written::new(work.longest(true));
        let shared = Arc::new(Shared { ring: self.ring, file: self.file, written, _read: read, into, sizes });
        let (theirs, their_board) = (Arc::clone(&shared), Arc::clone(board));
        let name = std::thread::Builder::new().name("iowatt-done".into());
        let thread = name.spawn(move || theirs.complete(&their_board))?;
        Ok(Started { shared, board: Arc::clone(board), thread: Some(thread) })
    }
}

impl Shared {
    fn push(&self, entry: &io_uring::squeue::Entry) -> io::Result<()> {
        {
            // SAFETY: only `Started` pushes, through `&mut self` or in its drop: one thread at a time. Entries point to
            // memory of `self`, which lives until the thread of completions has seen the last of them.
            let mut queue = unsafe { self.ring.submission_shared() };
            // SAFETY: as above.
            unsafe { queue.push(entry) }.map_err(|_| io::Error::from_raw_os_error(libc::EBUSY))?;
        }
        loop {
            match self.ring.submit() {
                Err(error) if RETRIED.contains(&error.raw_os_error()) => {}
                other => return other.map(|_| ()),
            }
        }
    }

    fn complete(&self, board: &Board) {
        loop {
            // SAFETY: no argument is passed. Nothing is submitted here, so that the pacing thread alone does that.
            let entered =
                unsafe { self.ring.submitter().enter::<libc::sigset_t>(0, 1, IORING_ENTER_GETEVENTS, None) };
            // An error here is an interruption; the queue is looked at all the same.
            drop(entered);
            // SAFETY: this thread is the only one that takes completions.
            let queue = unsafe { self.ring.completion_shared() };
            for entry in queue {
                let number = entry.user_data();
                if number == END {
                    return;
                }
                let asked = self.sizes[(number % self.sizes.len() as u64) as usize];
                let error = match u32::try_from(entry.result()) {
                    Err(_) => -entry.result(),
                    Ok(moved) if moved == asked => 0,
                    Ok(_) => libc::EIO, // a part of the request: at the end of the medium
                };
                board.done(number, error);
            }
        }
    }
}

impl Target for Started {
    fn begin(&mut self, number: u64, io: Io) {
        let file = types::Fd(self.shared.file.as_raw_fd());
        let entry = if io.write {
            let from = self.shared.written.of(number, io.size).as_ptr();
            opcode::Write::new(file, from, io.size).offset(io.offset).build()
        } else {
            // The kernel writes there, several requests at once; no reference reads it.
            let into = self.shared.into.load(Ordering::Relaxed);
            opcode::Read::new(file, into, io.size).offset(io.offset).build()
        };
        self.board.sent(number);
        if let Err(error) = self.shared.push(&entry.user_data(number)) {
            self.board.done(number, error.raw_os_error().unwrap_or(libc::EIO));
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // Behind all others: a drained entry is begun when what was sent before it has completed.
        let end = opcode::Nop::new().build().user_data(END).flags(io_uring::squeue::Flags::IO_DRAIN);
        if self.shared.push(&end).is_ok()
            && let Some(thread) = self.thread.take()
        {
            // Nothing is left to do for a thread that panicked; its requests stay in flight, which the replay reports.
            let _ = thread.join();
        }
    }
}
