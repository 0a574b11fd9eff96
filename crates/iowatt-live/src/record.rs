//! Requests of hosts, kept one by one until somebody takes them.

use crate::media::Recorder;
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A request that was answered; times in nanoseconds since the recording began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// When it came.
    pub arrived: u64,
    /// When it was answered.
    pub answered: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
    /// Direction.
    pub write: bool,
    /// Whether it succeeded.
    pub ok: bool,
}

/// Keeps a row for each request, in order of the answers.
#[derive(Debug)]
pub struct Rows {
    began: Instant,
    began_unix_ns: u64,
    rows: Mutex<Vec<Row>>,
}

impl Default for Rows {
    fn default() -> Self {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { began: Instant::now(), began_unix_ns: unix.as_nanos() as u64, rows: Mutex::default() }
    }
}

impl Rows {
    /// When the recording began, in nanoseconds of Unix time.
    #[must_use]
    pub fn began_unix_ns(&self) -> u64 {
        self.began_unix_ns
    }

    /// The rows since the last call.
    #[must_use]
    pub fn take(&self) -> Vec<Row> {
        std::mem::take(&mut self.rows.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }
}

impl Recorder for Rows {
    fn arrived(&self, _range: (u64, u64), _write: bool) -> u64 {
        self.now()
    }

    fn answered(&self, arrived: u64, (from, until): (u64, u64), write: bool, ok: bool) {
        let row = Row { arrived, answered: self.now(), offset: from, bytes: until - from, write, ok };
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
    }
}
