//! The driver of a real replay: the clock of the system, and a target.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::board::Board;
use crate::pacer::Driver;
use crate::target::Target;
use crate::work::Io;

/// So long before a request is due the thread stops sleeping and looks at the clock only.
///
/// Measured on a virtual machine with 2 busy processors, 20,000 sleeps of 0.3 ms each, twice: nanosleep and
/// clock_nanosleep (TIMER_ABSTIME) end 60 us late in the median and 0.14 ms at p99, timerfd 8 us and 0.08 ms; of all
/// three 0.2 to 0.3 % end more than 0.2 ms late, because the scheduler runs something else. This margin covers what
/// the timer adds; a finer one would spin less, and be as late in the tail.
const SPIN: Duration = Duration::from_micros(200);
/// Longest sleep: an interruption is seen no later than this.
const SLICE: Duration = Duration::from_millis(50);

/// A driver on the system's clock.
pub struct Live<'a> {
    board: Arc<Board>,
    target: Box<dyn Target>,
    finished: Vec<u64>,
    stop: &'a AtomicBool,
}

impl<'a> Live<'a> {
    /// `depth`: as the board's.
    #[must_use]
    pub fn new(board: Arc<Board>, target: Box<dyn Target>, depth: usize, stop: &'a AtomicBool) -> Self {
        Self { board, target, finished: Vec::with_capacity(depth), stop }
    }

    /// Waits for nothing any more.
    pub fn abandon(&mut self) {
        self.target.abandon();
    }

    fn spin(&self, until: u64, seen: Option<usize>) {
        while self.board.now() < until && seen.is_none_or(|seen| self.board.in_flight() == seen) {
            std::hint::spin_loop();
        }
    }
}

impl Driver for Live<'_> {
    fn now(&mut self) -> u64 {
        self.board.now()
    }

    fn in_flight(&self) -> usize {
        self.board.in_flight()
    }

    fn send(&mut self, number: u64, due_ns: u64, io: Io) {
        self.board.due(number, due_ns);
        self.target.begin(number, io);
    }

    fn wait(&mut self, until: Option<u64>, wake: Option<usize>) {
        let left = until.map_or(SLICE + SPIN, |until| self.board.until(until));
        if left > SPIN {
            let sleep = (left - SPIN).min(SLICE);
            match wake {
                Some(seen) => self.board.wait(seen, sleep),
                None => std::thread::sleep(sleep),
            }
        } else if let Some(until) = until {
            self.spin(until, wake);
        }
    }

    fn collect(&mut self, each: &mut dyn FnMut(u64, u64)) {
        self.board.collect(&mut self.finished, each);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
