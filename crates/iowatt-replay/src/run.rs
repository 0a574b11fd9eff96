//! A whole replay: opens the target, paces the requests, gives the stamps.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use iowatt_nbd::client::ClientError;
use thiserror::Error;

use crate::board::Board;
use crate::live::Live;
use crate::pacer::{Driver, pace};
use crate::schedule::{Mode, Schedule};
use crate::target::{By, Place, Target, open};
use crate::work::Work;

/// How to replay.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// What decides when a request is due.
    pub mode: Mode,
    /// Most requests outstanding; at least 1.
    pub depth: usize,
    /// How many times the work is done.
    pub repeat: u32,
}

/// Holds of a replay that runs on another thread.
#[derive(Default)]
pub struct Control {
    /// Set it to end the replay early.
    pub stop: AtomicBool,
    board: std::sync::OnceLock<Arc<Board>>,
}

impl Control {
    /// Requests that completed so far, and those of them with an error.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        self.board.get().map_or((0, 0), |board| board.counts())
    }
}

/// What came of it: columns with a row for each request, in order of their numbers.
#[derive(Debug)]
pub struct Outcome {
    /// When each was due, sent and completed, ns from the beginning; [`crate::board::NEVER`] where it did not happen.
    pub due_ns: Vec<u64>,
    /// When its I/O began.
    pub sent_ns: Vec<u64>,
    /// When it completed.
    pub done_ns: Vec<u64>,
    /// Error number of the system, 0 for none; of NBD, that of the reply.
    pub error: Vec<i32>,
    /// How the target was driven.
    pub by: By,
    /// Unix time of the beginning.
    pub began: Duration,
    /// Whether all requests were sent and completed.
    pub complete: bool,
}

/// Why there was no replay.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The work is wrong.
    #[error("the requests have {0}")]
    Work(&'static str),
    /// The target cannot be opened.
    #[error(transparent)]
    Target(#[from] ClientError),
    /// The operating system gives no threads.
    #[error(transparent)]
    Threads(#[from] std::io::Error),
}

/// Replays the work. Errors of single requests are in the outcome.
///
/// # Errors
/// [`ReplayError`]; nothing was sent then.
pub fn run(work: &Work, place: &Place, options: Options, control: &Control) -> Result<Outcome, ReplayError> {
    if let Some(fault) = work.fault() {
        return Err(ReplayError::Work(fault));
    }
    let opened = open(place, work, options.depth.max(1))?;
    let by = opened.by();
    let paced = drive(work, options, control, |board, depth| opened.start(work, board, depth))?;
    let Paced { due_ns, sent_ns, done_ns, error, began, complete } = paced;
    Ok(Outcome { due_ns, sent_ns, done_ns, error, by, began, complete })
}

/// What [`drive`] gives: columns as those of [`Outcome`].
#[derive(Debug)]
pub struct Paced {
    /// When each was due.
    pub due_ns: Vec<u64>,
    /// When its work began.
    pub sent_ns: Vec<u64>,
    /// When it completed.
    pub done_ns: Vec<u64>,
    /// Error number of the system, 0 for none.
    pub error: Vec<i32>,
    /// Unix time of the beginning.
    pub began: Duration,
    /// Whether all were sent and completed.
    pub complete: bool,
}

/// Paces the work onto the target that `start` gives for a board and a depth: one of another crate, or our own.
///
/// # Errors
/// Those of `start`, and [`ReplayError::Work`] where the columns are wrong; nothing was sent then.
pub fn drive(
    work: &Work,
    options: Options,
    control: &Control,
    start: impl FnOnce(&Arc<Board>, usize) -> std::io::Result<Box<dyn Target>>,
) -> Result<Paced, ReplayError> {
    if let Some(fault) = work.fault() {
        return Err(ReplayError::Work(fault));
    }
    let depth = options.depth.max(1);
    let mut schedule = Schedule::new(work, options.mode, options.repeat);
    let board = Arc::new(Board::new(schedule.total(), depth, schedule.listens()));
    let target = start(&board, depth)?;
    control.board.get_or_init(|| Arc::clone(&board));
    let mut driver = Live::new(Arc::clone(&board), target, depth, &control.stop);
    board.start();
    let began = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let sent = pace(work, &mut schedule, &mut driver, depth);
    let complete = sent == schedule.total() && driver.in_flight() == 0;
    if !complete {
        driver.abandon();
    }
    drop(driver);
    let [due_ns, sent_ns, done_ns] = board.columns();
    Ok(Paced { due_ns, sent_ns, done_ns, error: board.error_numbers(), began, complete })
}
