//! The energy ledger: how long every drive spent in every state within the observed window.
//!
//! Times are integers, so the state times of a drive add up to the window exactly; joules are
//! state time x watts, summed once at the end.

use super::{STATES, State};
use crate::clock::{Nanos, seconds};

/// The observed span; what lies outside is not booked.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// End of the warm-up.
    pub start: Nanos,
    /// End of the observation; `Nanos::MAX` while it is the last completion.
    pub end: Nanos,
}

impl Window {
    /// The part of `from..until` inside the window; empty where there is none. (No branch: whether spans are empty is what
    /// a processor cannot predict.)
    #[must_use]
    #[inline]
    pub fn clip(&self, from: Nanos, until: Nanos) -> (Nanos, Nanos) {
        let from = from.max(self.start);
        (from, until.min(self.end).max(from))
    }

    /// Whether something that begins at `at` (an arrival) belongs to the window: `start <= at < end`.
    #[must_use]
    pub fn begins(&self, at: Nanos) -> bool {
        at >= self.start && at < self.end
    }

    /// Whether something that ends at `at` (a completion) belongs to the window: `start < at <= end`.
    /// So adjoining windows share out both arrivals and completions. A window from time zero has none before
    /// it, and takes what a cache answers at that instant.
    #[must_use]
    pub fn ends(&self, at: Nanos) -> bool {
        (at > self.start || self.start == 0) && at <= self.end
    }
}

/// Time by drive and state.
#[derive(Clone, Debug)]
pub struct Ledger {
    window: Window,
    watts: Vec<[f64; STATES]>,
    time: Vec<[Nanos; STATES]>,
    /// Of the standby time, that of a failed drive, which draws nothing.
    dark: Vec<Nanos>,
}

impl Ledger {
    /// An empty ledger over drives with the given watts.
    #[must_use]
    pub fn new(window: Window, watts: Vec<[f64; STATES]>) -> Self {
        let time = vec![[0; STATES]; watts.len()];
        let dark = vec![0; watts.len()];
        Self { window, watts, time, dark }
    }

    /// Books a span; returns the part inside the window and the watts drawn over it.
    #[inline]
    pub fn book(&mut self, drive: usize, state: State, from: Nanos, until: Nanos) -> (Nanos, Nanos, f64) {
        let (from, until) = self.window.clip(from, until);
        self.time[drive][state as usize] += until - from;
        (from, until, self.watts[drive][state as usize])
    }

    /// State times and watts of a drive, for spans known to lie in the window.
    #[inline]
    pub fn drive_mut(&mut self, drive: usize) -> (&mut [Nanos; STATES], &[f64; STATES]) {
        (&mut self.time[drive], &self.watts[drive])
    }

    /// Takes back what was booked of an operation that the end of the run cuts; returns as [`Self::book`].
    pub fn unbook(&mut self, drive: usize, state: State, from: Nanos, until: Nanos) -> (Nanos, Nanos, f64) {
        let (from, until) = self.window.clip(from, until);
        self.time[drive][state as usize] -= until - from;
        (from, until, self.watts[drive][state as usize])
    }

    /// Books a span in which a drive had failed: standby at no power.
    pub fn book_failed(&mut self, drive: usize, from: Nanos, until: Nanos) {
        let (from, until) = self.window.clip(from, until);
        self.time[drive][State::Standby as usize] += until - from;
        self.dark[drive] += until - from;
    }

    /// State times of a drive.
    #[must_use]
    pub fn time(&self, drive: usize) -> [Nanos; STATES] {
        self.time[drive]
    }

    /// Joules of a drive by state.
    #[must_use]
    pub fn joules(&self, drive: usize) -> [f64; STATES] {
        let dark = |s| if s == State::Standby as usize { self.dark[drive] } else { 0 };
        std::array::from_fn(|s| seconds(self.time[drive][s] - dark(s)) * self.watts[drive][s])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn books_only_what_lies_in_the_window() {
        let window = Window { start: 1_000_000_000, end: 5_000_000_000 };
        let mut ledger = Ledger::new(window, vec![[10.0, 9.0, 5.0, 1.0, 20.0, 2.0]]);
        ledger.book(0, State::Idle, 0, 3_000_000_000);
        ledger.book(0, State::Active, 3_000_000_000, 9_000_000_000);
        assert_eq!(ledger.time(0), [2_000_000_000, 0, 2_000_000_000, 0, 0, 0]);
        // 2 s at 10 W and 2 s at 5 W.
        assert_eq!(ledger.joules(0), [20.0, 0.0, 10.0, 0.0, 0.0, 0.0]);
    }
}
