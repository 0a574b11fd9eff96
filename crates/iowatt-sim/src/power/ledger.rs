//! The energy ledger: how long every drive spent in every state within the observed window, and what for.
//!
//! Times are integers, so the state times of a drive add up to the window exactly; joules are
//! state time x watts, summed once at the end.

mod merge;

use super::{CAUSES, Cause, FLASH_OPERATIONS, FlashOperation, Ladder, Slot};
use crate::clock::{Nanos, seconds};
use crate::state::{STATES, State};
use std::sync::Arc;

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
    #[inline]
    pub fn begins(&self, at: Nanos) -> bool {
        (at >= self.start) & (at < self.end)
    }

    /// Whether something that ends at `at` (a completion) belongs to the window: `start < at <= end`.
    /// So adjoining windows share out both arrivals and completions. A window from time zero has none before
    /// it, and takes what a cache answers at that instant.
    #[must_use]
    #[inline]
    pub fn ends(&self, at: Nanos) -> bool {
        (at >= self.start + Nanos::from(self.start > 0)) & (at <= self.end)
    }
}

/// Time by drive, state and cause.
#[derive(Clone, Debug)]
pub struct Ledger {
    window: Window,
    /// Levels of each drive.
    ladders: Vec<Arc<Ladder>>,
    time: Vec<Times>,
    /// The same in the further states of each drive.
    further: Vec<Vec<[Nanos; CAUSES]>>,
    /// Of the standby time, that of a failed drive, which draws nothing.
    dark: Vec<Nanos>,
    /// Joules of operations, beyond what being active draws.
    added: Vec<Added>,
}

/// Joules of operations of one drive.
#[derive(Clone, Copy, Debug, Default)]
struct Added {
    by_cause: [f64; CAUSES],
    by_operation: [f64; FLASH_OPERATIONS],
}

/// Time by what the work was for (of states without work, the sum alone matters), then by state: what is booked together
/// lies together.
pub type Times = [[Nanos; STATES]; CAUSES];

/// What one drive used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Used {
    /// By reported state: the six, then further levels by number.
    pub state_ns: Vec<Nanos>,
    /// The same in joules.
    pub state_j: Vec<f64>,
    /// Joules by [`CAUSE_NAMES`](super::CAUSE_NAMES).
    pub cause_j: [f64; CAUSES + 3],
}

impl Ledger {
    /// An empty ledger over drives with the given levels.
    #[must_use]
    pub fn new(window: Window, ladders: Vec<Arc<Ladder>>) -> Self {
        let further = ladders.iter().map(|ladder| vec![[0; CAUSES]; ladder.further.len()]).collect();
        let (time, dark) = (vec![[[0; STATES]; CAUSES]; ladders.len()], vec![0; ladders.len()]);
        let added = vec![Added::default(); ladders.len()];
        Self { window, ladders, time, further, dark, added }
    }

    /// Books a span; returns the part inside the window.
    #[inline]
    pub fn book(
        &mut self,
        drive: usize,
        slot: Slot,
        cause: Cause,
        from: Nanos,
        until: Nanos,
    ) -> (Nanos, Nanos) {
        let (from, until) = self.window.clip(from, until);
        *self.slot(drive, slot, cause) += until - from;
        (from, until)
    }

    /// State times of a drive, for spans known to lie in the window.
    #[inline]
    pub fn drive_mut(&mut self, drive: usize) -> &mut Times {
        &mut self.time[drive]
    }

    /// Takes back what was booked of an operation that the end of the run cuts; returns as [`Self::book`].
    pub fn unbook(
        &mut self,
        drive: usize,
        slot: Slot,
        cause: Cause,
        from: Nanos,
        until: Nanos,
    ) -> (Nanos, Nanos) {
        let (from, until) = self.window.clip(from, until);
        *self.slot(drive, slot, cause) -= until - from;
        (from, until)
    }

    /// Gives the share `part / whole` of a span that was booked for `cause` to redundancy.
    pub fn share(&mut self, drive: usize, slot: Slot, cause: Cause, span: (Nanos, Nanos), part: (u64, u64)) {
        let (from, until) = self.window.clip(span.0, span.1);
        let ns = u128::from(until - from) * u128::from(part.0) / u128::from(part.1);
        *self.slot(drive, slot, cause) -= ns as Nanos;
        *self.slot(drive, slot, Cause::Redundancy) += ns as Nanos;
    }

    /// Books joules used evenly over a span, in which the drive is booked as active by itself; returns the part inside
    /// the window and the watts over it.
    #[inline]
    pub fn add(
        &mut self,
        drive: usize,
        (cause, operation): (Cause, FlashOperation),
        joules: f64,
        (from, until): (Nanos, Nanos),
    ) -> (Nanos, Nanos, f64) {
        let until = until.max(from + 1);
        let watts = joules / (until - from) as f64 * 1e9;
        let (inside, end) = self.window.clip(from, until);
        let part = if end - inside == until - from { joules } else { watts * (end - inside) as f64 / 1e9 };
        let added = &mut self.added[drive];
        added.by_cause[cause as usize] += part;
        added.by_operation[operation as usize] += part;
        (inside, end, watts)
    }

    /// Joules by operation of a drive.
    #[must_use]
    pub fn by_operation(&self, drive: usize) -> [f64; FLASH_OPERATIONS] {
        self.added[drive].by_operation
    }

    /// Books a span in which a drive had failed: standby at no power.
    pub fn book_failed(&mut self, drive: usize, from: Nanos, until: Nanos) {
        let (from, until) = self.window.clip(from, until);
        self.time[drive][0][State::Standby as usize] += until - from;
        self.dark[drive] += until - from;
    }

    #[inline]
    fn slot(&mut self, drive: usize, slot: Slot, cause: Cause) -> &mut Nanos {
        match slot {
            Slot::Of(state) => &mut self.time[drive][cause as usize][state as usize],
            Slot::Further(number) => &mut self.further[drive][usize::from(number)][cause as usize],
        }
    }

    /// What a drive used, over `states` reported states.
    #[must_use]
    pub fn used(&self, drive: usize, states: usize) -> Used {
        let mut used =
            Used { state_ns: vec![0; states], state_j: vec![0.0; states], cause_j: [0.0; CAUSES + 3] };
        let of_state = |state: usize| self.time[drive].map(|by_state| by_state[state]);
        let times = (0..STATES).map(of_state).chain(self.further[drive].iter().copied());
        let all = times.zip(self.ladders[drive].slots()).enumerate();
        for (number, (time, (watts, reported))) in all {
            let all: Nanos = time.iter().sum();
            used.state_ns[reported] += all;
            let dark = if number == State::Standby as usize { self.dark[drive] } else { 0 };
            let joules = joules_of(all - dark, watts);
            used.state_j[reported] += joules;
            match reported {
                _ if reported < 2 || self.ladders[drive].works(number) => {
                    for (cause, ns) in used.cause_j.iter_mut().zip(time) {
                        *cause += joules_of(ns, watts);
                    }
                }
                2 => used.cause_j[CAUSES + 1] += joules,
                4 | 5 => used.cause_j[CAUSES] += joules,
                _ => used.cause_j[CAUSES + 2] += joules,
            }
        }
        let added = &self.added[drive];
        used.state_j[State::Active as usize] += added.by_cause.iter().sum::<f64>();
        for (cause, joules) in used.cause_j.iter_mut().zip(added.by_cause) {
            *cause += joules;
        }
        used
    }
}

/// Joules of a time at so many watts. A state that was never entered drew nothing, whatever its watts, which may be NaN.
pub fn joules_of(ns: Nanos, watts: f64) -> f64 {
    if ns == 0 { 0.0 } else { seconds(ns) * watts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::SsdPowerPlan;
    use iowatt_power::Levels;

    #[test]
    fn books_only_what_lies_in_the_window() {
        let window = Window { start: 1_000_000_000, end: 5_000_000_000 };
        let levels = Levels { idle_w: 5.0, below: vec![] };
        let plan = SsdPowerPlan { active_w: 10.0, awake_s: 0.0, levels, states: vec![], cap_w: None };
        let ladder = Arc::new(Ladder::of_flash(&plan));
        let mut ledger = Ledger::new(window, vec![ladder]);
        ledger.book(0, Slot::Of(State::Idle), Cause::Background, 0, 3_000_000_000);
        ledger.book(0, Slot::Of(State::Active), Cause::HostWrite, 3_000_000_000, 9_000_000_000);
        // A quarter of 2 s is parity.
        let span = (3_000_000_000, 9_000_000_000);
        ledger.share(0, Slot::Of(State::Active), Cause::HostWrite, span, (1, 4));
        let used = ledger.used(0, STATES);
        assert_eq!(used.state_ns, [2_000_000_000, 0, 2_000_000_000, 0, 0, 0]);
        // 2 s at 10 W and 2 s at 5 W.
        assert_eq!(used.state_j, [20.0, 0.0, 10.0, 0.0, 0.0, 0.0]);
        assert_eq!(used.cause_j, [0.0, 15.0, 5.0, 0.0, 0.0, 0.0, 0.0, 10.0, 0.0]);
    }
}
