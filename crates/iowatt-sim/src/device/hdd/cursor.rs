//! The head on its way through consecutive LBNs: closed form within a run, one step per track crossing.
//!
//! Times are picoseconds from the cursor's origin, so that no rounding accumulates along the way.

use crate::clock::{Nanos, Picos};
use crate::device::hdd::arm::{Arm, Mechanics};
use crate::device::hdd::layout::Run;

/// Reading or writing heads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    /// Where picoseconds count from.
    pub origin: Nanos,
    angle_at_origin: Picos,
    /// The current run.
    pub run: Run,
    /// The heads have settled on its track.
    pub settled: Picos,
    /// Its first sector starts to pass.
    pub run_at: Picos,
    /// Positioning so far.
    pub seek: Picos,
    write: bool,
}

impl Cursor {
    /// Sends the arm to the start of `run` at `at`.
    #[must_use]
    #[inline(always)]
    pub fn to(
        mech: &Mechanics,
        from: Arm,
        at: Nanos,
        run: Run,
        write: bool,
        least: Nanos,
        phase_ps: Picos,
    ) -> Self {
        let angle_at_origin = mech.angle_ps(at, phase_ps);
        let seek = mech.positioning(from, run.arm(), write).max(least) * 1000;
        let angle = mech.within_turn(angle_at_origin + seek);
        let run_at = seek + mech.wait_ps(angle, run.angle_ps);
        Self { origin: at, angle_at_origin, run, settled: seek, run_at, seek, write }
    }

    /// Sectors of the first `count` of the run that the head, as it settles, has just missed, and that a drive
    /// with zero-latency access takes last; 0 if it settles elsewhere on the track.
    #[must_use]
    #[inline]
    pub fn landed_inside(&self, mech: &Mechanics, count: u64) -> u64 {
        // Data of a write that came late let the start of the run pass by: then the head takes it from there, turns later.
        let Some(missed_ps) = mech.revolution_ps.checked_sub(self.run_at - self.settled) else { return 0 };
        if missed_ps >= self.run.pitch.pass(count) {
            return 0;
        }
        let missed = (missed_ps * u64::from(self.run.per_turn)).div_ceil(mech.revolution_ps);
        if missed < count { missed } else { 0 }
    }

    /// When `sectors` of the current run have passed.
    #[must_use]
    #[inline]
    pub fn passed(&self, sectors: u64) -> Picos {
        self.run_at + self.run.pitch.pass(sectors)
    }

    /// Moves on to the run that follows the current one, leaving at `from`.
    #[inline]
    pub fn step(&mut self, mech: &Mechanics, leave: Picos) {
        let here = self.arm();
        let next = mech.layout.following(&self.run);
        let seek = mech.positioning(here, next.arm(), self.write) * 1000;
        self.settled = leave + seek;
        self.seek += seek;
        let angle = mech.within_turn(self.angle_at_origin + self.settled);
        self.run_at = self.settled + mech.wait_ps(angle, next.angle_ps);
        self.run = next;
    }

    /// LBN of the first sector that has not passed at `now`, at most `limit`. Steps over the runs that have.
    ///
    /// A sector has passed in the nanosecond that [`Self::at`] gives its end: what a completion has delivered is never
    /// taken back at that completion.
    pub fn advance(&mut self, mech: &Mechanics, now: Nanos, limit: u64) -> u64 {
        let now = self.since(now).saturating_add(999);
        loop {
            let goal = self.run.sectors.min(limit.saturating_sub(self.run.lbn));
            let end = self.passed(goal);
            if now < end {
                let since = now.saturating_sub(self.run_at);
                return self.run.lbn + self.run.pitch.sectors(since).min(goal);
            }
            if self.run.lbn + goal >= limit {
                return self.run.lbn + goal;
            }
            self.step(mech, end);
        }
    }

    /// Where the heads are (going).
    #[must_use]
    pub fn arm(&self) -> Arm {
        self.run.arm()
    }

    /// Picoseconds from the origin to `now`, 0 if it is before.
    #[must_use]
    #[inline]
    pub fn since(&self, now: Nanos) -> Picos {
        now.saturating_sub(self.origin).saturating_mul(1000)
    }

    /// The instant of `ps`, truncated to whole nanoseconds.
    #[must_use]
    #[inline]
    pub fn at(&self, ps: Picos) -> Nanos {
        self.origin + ps / 1000
    }
}
