//! A die: what it has been given to do, done in order, and the reads that come between.
//!
//! Work for later is kept as runs of like operations and settled when somebody looks. A read goes before it: it waits for
//! the operation under way, or interrupts it, and the rest of the work moves back by as long as the read takes.

use super::meter::Meter;
use crate::clock::Nanos;
use crate::power::{Cause, FlashOperation};
use std::collections::VecDeque;

/// Like operations.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Work of the die, in nanoseconds since the start, with which it ends.
    until: u64,
    /// Nanoseconds of each.
    each: u64,
    job: Job,
}

/// What an operation is and costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    /// What it is.
    pub operation: FlashOperation,
    /// What it is for.
    pub cause: Cause,
    /// What it uses, joules.
    pub joules: f64,
}

/// How reads come before other work.
#[derive(Clone, Copy, Debug)]
pub struct Interrupts {
    /// Programs are interrupted.
    pub program: bool,
    /// Erases are interrupted.
    pub erase: bool,
    /// Until the read may start.
    pub latency: Nanos,
    /// How often one operation is interrupted at most.
    pub most: u32,
}

impl Interrupts {
    fn allows(&self, operation: FlashOperation) -> bool {
        match operation {
            FlashOperation::Program => self.program,
            FlashOperation::Erase => self.erase,
            _ => false,
        }
    }
}

/// One die.
#[derive(Clone, Debug, Default)]
pub struct Die {
    /// Until here all is settled; it goes on with its work from here.
    at: Nanos,
    /// But not before this: what it was given when it had nothing else to do is ready only then.
    hold: Nanos,
    /// Work done by then.
    done: u64,
    /// Work given.
    owed: u64,
    runs: VecDeque<Run>,
    /// End of the last read.
    read_until: Nanos,
    /// The operation that was interrupted last, by the work with which it ends, and how often it was.
    interrupted: (u64, u32),
}

impl Die {
    /// Gives it at `now` an operation of `takes` that is ready at `ready`; returns the work with which it is done.
    pub fn give(
        &mut self,
        (now, ready): (Nanos, Nanos),
        takes: Nanos,
        job: Job,
        meter: &mut Meter<'_>,
    ) -> u64 {
        self.settle(now, meter);
        if self.runs.is_empty() {
            self.hold = ready;
        }
        self.owed += takes;
        match self.runs.back_mut() {
            Some(run) if run.each == takes && run.job == job => run.until = self.owed,
            _ => self.runs.push_back(Run { until: self.owed, each: takes, job }),
        }
        self.owed
    }

    /// When it has done `work` of all its work, as far as anybody knows; the past where it has.
    #[inline]
    #[must_use]
    pub fn time_of(&self, work: u64) -> Nanos {
        if work <= self.done { 0 } else { self.at.max(self.hold) + (work - self.done) }
    }

    /// When it will have done all.
    #[must_use]
    pub fn free_at(&self) -> Nanos {
        if self.owed == self.done { self.at } else { self.time_of(self.owed) }
    }

    /// Brings its work up to `now`.
    #[inline]
    pub fn settle(&mut self, now: Nanos, meter: &mut Meter<'_>) {
        if self.at < self.hold {
            self.at = self.hold.min(now).max(self.at);
        }
        while self.at < now
            && let Some(run) = self.runs.front()
        {
            let step = (run.until - self.done).min(now - self.at);
            let joules = run.job.joules * (step as f64 / run.each as f64);
            meter.use_energy(run.job.cause, run.job.operation, joules, self.at, self.at + step);
            self.done += step;
            self.at += step;
            if self.done == run.until {
                self.runs.pop_front();
            }
        }
        self.at = self.at.max(now);
    }

    /// Whether a read may interrupt the operation under way once more, which ends with `work`.
    fn interrupt(&mut self, work: u64, most: u32) -> bool {
        if self.interrupted.0 != work {
            self.interrupted = (work, 0);
        }
        self.interrupted.1 = self.interrupted.1.saturating_add(1);
        self.interrupted.1 <= most
    }

    /// A read that is ready at `ready` and keeps other work away for `holds`: when it starts, and whether it interrupted
    /// anything.
    pub fn read(
        &mut self,
        ready: Nanos,
        holds: Nanos,
        interrupts: &Interrupts,
        meter: &mut Meter<'_>,
    ) -> (Nanos, bool) {
        self.settle(ready, meter);
        let mut interrupted = false;
        // Right behind another read the work still stands still.
        if self.at > self.read_until
            && let Some(run) = self.runs.front()
        {
            let left = (run.until - self.done) % run.each;
            if left > 0 {
                let allowed = interrupts.allows(run.job.operation);
                if allowed && self.interrupt(self.done + left, interrupts.most) {
                    self.at += interrupts.latency;
                    interrupted = true;
                } else {
                    self.settle(self.at + left, meter);
                }
            }
        }
        let starts = self.at;
        self.at += holds;
        self.read_until = self.at;
        (starts, interrupted)
    }

    /// Drops all that is left to do.
    pub fn stop(&mut self) {
        self.runs.clear();
        self.owed = self.done;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: Job = Job { operation: FlashOperation::Program, cause: Cause::HostWrite, joules: 1e-3 };

    #[test]
    fn a_read_does_not_wait_for_what_is_not_ready() {
        let waits = Interrupts { program: false, erase: false, latency: 0, most: u32::MAX };
        let (mut die, mut meter) = (Die::default(), Meter::nobody());
        let work = die.give((0, 500), 1_000, PROGRAM, &mut meter);
        assert_eq!(die.time_of(work), 1_500);
        assert_eq!(die.read(100, 60, &waits, &mut meter), (100, false));
        assert_eq!(die.time_of(work), 1_500, "nor is it held up by one that ends before");
        assert_eq!(die.read(700, 60, &waits, &mut meter), (1_500, false));
    }

    #[test]
    fn reads_wait_for_the_operation_under_way_or_interrupt_it() {
        let waits = Interrupts { program: false, erase: false, latency: 0, most: u32::MAX };
        let quick = Interrupts { program: true, erase: true, latency: 5, most: u32::MAX };
        for (interrupts, first, last) in [(waits, 1_000, 3_160), (quick, 255, 3_165)] {
            let mut die = Die::default();
            let mut meter = Meter::nobody();
            let work = die.give((0, 0), 1_000, PROGRAM, &mut meter);
            let end = die.give((0, 0), 1_000, PROGRAM, &mut meter).max(die.give(
                (0, 0),
                1_000,
                PROGRAM,
                &mut meter,
            ));
            assert_eq!((die.time_of(work), die.time_of(end)), (1_000, 3_000));
            // 250 ns into the first program.
            let (starts, interrupted) = die.read(250, 60, &interrupts, &mut meter);
            assert_eq!((starts, interrupted), (first, interrupts.program));
            // One more right behind it does not interrupt again.
            let (next, again) = die.read(starts, 100, &interrupts, &mut meter);
            assert_eq!((next, again), (starts + 60, false));
            assert_eq!(die.time_of(end), last);
            die.settle(10_000, &mut meter);
            let (used, _) = meter.billed();
            assert!((used - 3e-3).abs() < 1e-15, "{used}");
        }
    }

    /// Of two programs of 1,000 ns each is interrupted twice; a third read waits for its end.
    #[test]
    fn an_operation_is_interrupted_so_often_at_most() {
        let twice = Interrupts { program: true, erase: true, latency: 5, most: 2 };
        let (mut die, mut meter) = (Die::default(), Meter::nobody());
        let first = die.give((0, 0), 1_000, PROGRAM, &mut meter);
        let last = die.give((0, 0), 1_000, PROGRAM, &mut meter);
        for (ready, starts) in [(100, 105), (300, 305)] {
            assert_eq!(die.read(ready, 10, &twice, &mut meter), (starts, true));
        }
        // 100 + 185 + 85 ns of the first are done at 400: 630 are left.
        assert_eq!(die.time_of(first), 1_030);
        assert_eq!(die.read(400, 10, &twice, &mut meter), (1_030, false));
        // The next one has its own count.
        assert_eq!(die.read(1_100, 10, &twice, &mut meter), (1_105, true));
        assert_eq!(die.time_of(last), 2_055);
    }
}
