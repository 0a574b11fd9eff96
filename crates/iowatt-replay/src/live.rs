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
/// A sleep (nanosleep, timer slack 50 us) ends up to 0.1 ms late on a virtual machine with 2 processors; with this
/// margin 60,000 requests at 2,000/s on a file were sent 0.5 us after their time in the median, p99 0.04 ms, p99.9
/// 0.4 ms, 0.02 % later than 1 ms. What is left is the scheduler's, and a timer of higher resolution does not help it.
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
