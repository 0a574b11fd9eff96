//! The spindle's life under a power policy: idle periods, changes of level, what arrives meanwhile.
//!
//! A drive without a policy has none of this and pays for none of it. An idle period lasts from the completion that left
//! nothing to do to the next arrival, whatever the media do by themselves meanwhile; a change of level waits until they
//! are done. A change that has begun is finished. Operations that find the drive unready wait in its queue with the
//! arrival that they have.

use super::{Drive, Surroundings};
use crate::clock::Nanos;
use crate::event::Event;
use crate::observe::Observer;
use crate::power::{Cause, Managed, Slot};
use crate::shape::Full;
use crate::state::State;

/// What the spindle is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spindle {
    /// Turning at full speed, or at one at which it serves.
    Ready,
    /// On the way to a deeper level.
    Descending { since: Nanos, to: usize },
    /// At a level at which it does not serve.
    Low { since: Nanos },
    /// On the way back to full speed.
    Ascending { since: Nanos },
    /// Gone.
    Failed { since: Nanos },
}

impl Drive {
    /// What is booked while the drive is unready, and since when.
    fn unready(&self) -> Option<(Slot, Nanos)> {
        let managed = self.managed.as_deref()?;
        let (ladder, level) = (&managed.ladder, managed.level);
        match self.spindle {
            Spindle::Ready | Spindle::Failed { .. } => None,
            Spindle::Descending { since, to } => Some((ladder.down(level, to).slot, since)),
            Spindle::Low { since } => Some((ladder.at(level), since)),
            Spindle::Ascending { since } => Some((ladder.up(level).slot, since)),
        }
    }

    /// How long a request that came now would wait at most for the drive to be ready, held-back batches apart, and whether
    /// something must wake it yet: less is readier.
    #[must_use]
    pub fn to_ready(&self) -> (Nanos, bool) {
        let Some(managed) = self.managed.as_deref() else { return (0, false) };
        let (ladder, level) = (&managed.ladder, managed.level);
        let asleep = !managed.asked && self.waiting == 0;
        match self.spindle {
            Spindle::Ready | Spindle::Failed { .. } => (0, false),
            Spindle::Ascending { .. } => (ladder.up(level).takes, false),
            Spindle::Low { .. } => (ladder.up(level).takes, asleep),
            Spindle::Descending { to, .. } => (ladder.down(level, to).takes + ladder.up(to).takes, asleep),
        }
    }

    /// Books the time that the drive has been unready.
    pub(super) fn book_unready(&self, now: Nanos, observer: &mut Observer) {
        if let Some((slot, since)) = self.unready() {
            observer.book(self.index as usize, slot, Cause::Background, since, now);
        }
    }

    /// The drive has nothing left to do: the policy looks at it, once the media are done.
    #[inline(never)]
    pub(super) fn rest(&mut self, now: Nanos, around: &mut Surroundings) {
        let Some(managed) = self.managed.as_deref_mut() else { return };
        if managed.foresees()
            && let Some(free) = self.body.works_until(now)
        {
            self.arm(now, free, around);
            return;
        }
        managed.begin(now, self.idle_since);
        self.arm_pending(now, around);
    }

    fn arm_pending(&mut self, now: Nanos, around: &mut Surroundings) {
        if let Some((at, _)) = self.managed.as_deref().and_then(Managed::pending) {
            self.arm(now, at, around);
        }
    }

    /// Makes sure that the timer fires at `at`, or before.
    fn arm(&mut self, now: Nanos, at: Nanos, around: &mut Surroundings) {
        let Some(managed) = self.managed.as_deref_mut() else { return };
        let at = at.max(now);
        if at < managed.timer_at {
            managed.timer_at = at;
            around.clock.events.push(at, Event::IdleTimer(self.index));
        }
    }

    /// The idle timer fires: what the policy wants by now is begun, else the drive looks again later.
    pub fn idle_timer(&mut self, now: Nanos, around: &mut Surroundings) {
        let resting = self.load() == 0 && matches!(self.spindle, Spindle::Ready | Spindle::Low { .. });
        let Some(managed) = self.managed.as_deref_mut() else { return };
        if managed.timer_at != now {
            return; // an earlier one took its place
        }
        managed.timer_at = Nanos::MAX;
        if !resting {
            return;
        }
        if !managed.has_begun() {
            self.rest(now, around);
            return;
        }
        let Some((at, to)) = managed.pending() else { return };
        if at > now {
            self.arm(now, at, around);
            return;
        }
        if self.spindle == Spindle::Ready
            && let Some(free) = self.body.works_until(now)
        {
            self.arm(now, free, around);
            return;
        }
        managed.set_out(to);
        if to == 0 {
            self.wake(now, around);
        } else {
            self.descend(now, to, around);
        }
    }

    fn descend(&mut self, now: Nanos, to: usize, around: &mut Surroundings) {
        self.book_present(now, around);
        let Some(managed) = self.managed.as_deref_mut() else { return };
        let counted = u64::from(around.observer.window().begins(now));
        let stops = managed.ladder.stopped(to) && !managed.ladder.stopped(managed.level);
        managed.totals.descents += counted;
        self.totals.spin_downs += counted * u64::from(stops);
        self.spindle = Spindle::Descending { since: now, to };
        let takes = managed.ladder.down(managed.level, to).takes;
        around.clock.events.push(now + takes, Event::SpindleDone(self.index));
    }

    /// Books what has lasted until now, at rest at a level.
    fn book_present(&mut self, now: Nanos, around: &mut Surroundings) {
        if self.spindle == Spindle::Ready {
            self.book_rest(now, &mut around.observer);
        } else {
            self.book_unready(now, &mut around.observer);
        }
    }

    /// Begins the way to full speed, or waits for its turn where the motor must start.
    fn wake(&mut self, now: Nanos, around: &mut Surroundings) {
        let Some(managed) = self.managed.as_deref_mut() else { return };
        managed.asked = true;
        if !managed.ladder.stopped(managed.level) || around.spin_ups[self.pool as usize].ask(self.index) {
            self.ascend(now, around);
        }
    }

    /// Begins the way to full speed.
    pub fn ascend(&mut self, now: Nanos, around: &mut Surroundings) {
        self.book_present(now, around);
        let Some(managed) = self.managed.as_deref_mut() else { return };
        let starts = managed.ladder.stopped(managed.level) && around.observer.window().begins(now);
        self.totals.spin_ups += u64::from(starts);
        self.spindle = Spindle::Ascending { since: now };
        around
            .clock
            .events
            .push(now + managed.ladder.up(managed.level).takes, Event::SpindleDone(self.index));
    }

    /// An operation arrives at a drive that is not ready. It waits in the queue by now.
    #[inline(never)]
    pub(super) fn arrived_unready(&mut self, now: Nanos, around: &mut Surroundings) {
        let counted = around.observer.window().begins(now);
        let first = self.waiting == 1;
        let Some(managed) = self.managed.as_deref_mut() else { return };
        managed.hold(now, counted);
        if first {
            managed.interrupted(now, self.idle_since);
            if counted {
                self.totals.idle.add(now - self.idle_since.max(around.observer.window().start));
            }
        }
        if matches!(self.spindle, Spindle::Low { .. }) {
            self.hold_or_wake(now, around);
        }
    }

    /// Wakes the drive for what waits, unless that is held back for more to come.
    fn hold_or_wake(&mut self, now: Nanos, around: &mut Surroundings) {
        let waiting = self.waiting;
        let Some(managed) = self.managed.as_deref_mut() else { return };
        if managed.asked {
            return; // it comes up, or waits for its turn
        }
        if let Some(batching) = managed.batching {
            let until = managed.held.oldest.saturating_add(batching.max_wait);
            if waiting < batching.max_requests && now < until {
                if !managed.release_armed {
                    managed.release_armed = true;
                    around.clock.events.push(until, Event::Release(self.index));
                }
                return;
            }
        }
        managed.released(now);
        self.wake(now, around);
    }

    /// What is held back may have waited long enough.
    pub fn release(&mut self, now: Nanos, around: &mut Surroundings) {
        if let Some(managed) = self.managed.as_deref_mut() {
            managed.release_armed = false;
        }
        if self.waiting > 0 && matches!(self.spindle, Spindle::Low { .. }) {
            self.hold_or_wake(now, around);
        }
    }

    /// A drive at rest at a level at which it serves gets an operation: the period ends. Whether it serves now; else it
    /// goes to full speed first.
    #[inline(never)]
    pub(super) fn interrupted(&mut self, now: Nanos, around: &mut Surroundings) -> bool {
        let load = self.load();
        let Some(managed) = self.managed.as_deref_mut() else { return true };
        managed.interrupted(now, self.idle_since);
        if managed.level == 0 || managed.serves(managed.level, load) {
            managed.ready(now, now);
            return true;
        }
        let counted = around.observer.window().begins(now);
        managed.hold(now, counted);
        self.spindle = Spindle::Low { since: now };
        self.hold_or_wake(now, around);
        false
    }

    /// Between two operations at a reduced speed: whether there are too many for it, and the drive goes to full speed
    /// first.
    pub(super) fn speeds_up(&mut self, now: Nanos, around: &mut Surroundings) -> bool {
        let load = self.load();
        let Some(managed) = self.managed.as_deref_mut().filter(|m| m.level > 0) else { return false };
        if managed.serves(managed.level, load) {
            return false;
        }
        self.spindle = Spindle::Low { since: now };
        self.wake(now, around);
        true
    }

    /// The drive has reached a level.
    pub fn spindle_done(&mut self, now: Nanos, around: &mut Surroundings) {
        self.book_unready(now, &mut around.observer);
        match self.spindle {
            Spindle::Descending { to, .. } => self.reached(now, to, around),
            Spindle::Ascending { .. } => self.is_up(now, around),
            Spindle::Ready | Spindle::Low { .. } | Spindle::Failed { .. } => {}
        }
    }

    fn reached(&mut self, now: Nanos, level: usize, around: &mut Surroundings) {
        let waiting = self.waiting;
        let Some(managed) = self.managed.as_deref_mut() else { return };
        managed.level = level;
        if managed.serves(level, waiting.max(1)) {
            self.body.turn_at(&self.models, level);
            self.spindle = Spindle::Ready;
            self.rest_since = now;
            if waiting > 0 {
                self.serve_held(now, around);
                return;
            }
        } else {
            self.spindle = Spindle::Low { since: now };
            if waiting > 0 {
                managed.rests(now);
                self.hold_or_wake(now, around);
                return;
            }
        }
        managed.look_ahead();
        self.arm_pending(now, around);
    }

    fn is_up(&mut self, now: Nanos, around: &mut Surroundings) {
        let Some(managed) = self.managed.as_deref_mut() else { return };
        if managed.ladder.stopped(managed.level)
            && let Some(next) = around.spin_ups[self.pool as usize].ended()
        {
            around.clock.events.push(now, Event::SpinUp(next));
        }
        (managed.level, managed.asked) = (0, false);
        self.body.turn_at(&self.models, 0);
        self.spindle = Spindle::Ready;
        self.rest_since = now;
        if self.waiting > 0 {
            self.serve_held(now, around);
        } else {
            managed.look_ahead();
            self.arm_pending(now, around);
        }
    }

    /// The drive is ready for what waits.
    fn serve_held(&mut self, now: Nanos, around: &mut Surroundings) {
        if let Some(managed) = self.managed.as_deref_mut() {
            if managed.held.number > 0 {
                managed.ready(now, managed.held.oldest);
            }
            managed.served(now);
        }
        self.proceed::<Full>(now, around);
    }

    /// Ends the spindle's life with the drive's.
    #[inline(never)]
    pub(super) fn stop_for_good(&mut self, now: Nanos, around: &mut Surroundings) {
        self.book_unready(now, &mut around.observer);
        self.stop_flash(now, &mut around.observer);
        let coming = matches!(self.spindle, Spindle::Ascending { .. });
        if let Some(managed) = self.managed.as_deref_mut() {
            managed.interrupted(now, self.idle_since);
            managed.served(now);
            if managed.ladder.stopped(managed.level) && managed.asked {
                if !coming {
                    around.spin_ups[self.pool as usize].withdraw(self.index);
                } else if let Some(next) = around.spin_ups[self.pool as usize].ended() {
                    around.clock.events.push(now, Event::SpinUp(next));
                }
            }
        }
        self.spindle = Spindle::Failed { since: now };
    }

    /// The drive is not there yet: it is dark from the start on, and takes no operations.
    pub fn begin_dark(&mut self) {
        self.failed = true;
        self.spindle = Spindle::Failed { since: 0 };
    }

    /// A drive that was dark from the start on begins its life.
    pub fn begin_at(&mut self, now: Nanos, around: &mut Surroundings) {
        if let Spindle::Failed { since } = self.spindle {
            around.observer.book_failed(self.index as usize, since, now);
            self.spindle = Spindle::Ready;
            (self.failed, self.idle_since, self.rest_since) = (false, now, now);
            self.rest(now, around);
        }
    }

    /// What is booked while working at a reduced speed: transferring, positioning, resting; none at full speed.
    pub(super) fn slower(&self) -> Option<[Slot; 3]> {
        let managed = self.managed.as_deref()?;
        if managed.level == 0 {
            return None;
        }
        let [active, positioning] = managed.ladder.working(managed.level);
        Some([active, positioning, managed.ladder.at(managed.level)])
    }
}

/// The slot of a state at a reduced speed.
pub(super) fn slot_of(state: State, slower: &[Slot; 3]) -> Slot {
    match state {
        State::Active => slower[0],
        State::Positioning => slower[1],
        State::Idle => slower[2],
        other => Slot::Of(other),
    }
}
