//! The back-end stream: every request that a pool is handed, in batches, so that memory does not grow with the run.

use crate::clock::Nanos;
use crate::controller::back_end::Purpose;

/// Rows held back before they are handed out.
const BATCH: usize = 1 << 16;
/// Longest request of a row: more is told in several, as native traces hold sizes in 32 bits.
const LONGEST: u64 = 1 << 31;

/// A request to a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackEndRow {
    /// When the pool was handed it.
    pub at: Nanos,
    /// The pool.
    pub pool: u32,
    /// First byte in the pool.
    pub offset: u64,
    /// Bytes.
    pub size: u32,
    /// Direction.
    pub write: bool,
    /// What for, as a number: see [`Reason`].
    pub reason: u32,
}

/// What a pool is handed a request for. The numbers are those of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A host asks for it, and neither controller nor cache is in between: 0, as for what passes a cache by.
    Host,
    /// The controller does: 0 to 4, as [`Purpose`].
    Controller(Purpose),
    /// A virtual pool moves data: 5.
    Migration,
    /// A virtual pool needs it for a request of the controller: 6.
    Volume,
    /// Data is read to be replicated, or written as a remote copy: 7.
    Replication,
}

impl Reason {
    fn number(self) -> u32 {
        match self {
            Self::Host => Purpose::Pass as u32,
            Self::Controller(purpose) => purpose as u32,
            Self::Migration => 5,
            Self::Volume => 6,
            Self::Replication => 7,
        }
    }
}

/// Takes batches of rows in order of time.
pub type BackEndSink = Box<dyn FnMut(&[BackEndRow]) + Send>;

/// Collects rows for a sink.
pub struct BackEndLog {
    rows: Vec<BackEndRow>,
    sink: BackEndSink,
}

impl std::fmt::Debug for BackEndLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BackEndLog").field("held", &self.rows.len()).finish_non_exhaustive()
    }
}

impl BackEndLog {
    /// An empty log.
    #[must_use]
    pub fn new(sink: BackEndSink) -> Self {
        Self { rows: Vec::with_capacity(BATCH), sink }
    }

    /// Pool number `pool` is handed a request of `(offset, size, write)`.
    pub fn add(&mut self, at: Nanos, pool: usize, &(offset, size, write): &(u64, u64, bool), reason: Reason) {
        let (pool, reason) = (pool as u32, reason.number());
        let mut done = 0;
        while done < size {
            let part = (size - done).min(LONGEST);
            self.rows.push(BackEndRow { at, pool, offset: offset + done, size: part as u32, write, reason });
            done += part;
            if self.rows.len() >= BATCH {
                self.flush();
            }
        }
    }

    /// Hands out what is held back.
    pub fn flush(&mut self) {
        if !self.rows.is_empty() {
            (self.sink)(&self.rows);
            self.rows.clear();
        }
    }
}
