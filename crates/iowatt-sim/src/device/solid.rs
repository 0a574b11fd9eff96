//! The life of a drive that serves several commands at once. A solid-state drive takes them first come, first served; arms
//! of a disk choose for themselves (`arms`).

use super::spindle::Spindle;
use super::ssd::Ssd;
use super::{Body, Drive, NO_OP, Surroundings};
use crate::clock::Nanos;
use crate::observe::Observer;
use crate::power::Cause;
use crate::state::State;

impl Drive {
    /// Its flash, where it is a solid-state drive.
    #[must_use]
    pub fn ssd(&self) -> Option<&Ssd> {
        match &self.body {
            Body::Disk(_) | Body::Arms(_) => None,
            Body::Flash(ssd) => Some(ssd),
        }
    }

    /// An operation waits in the queue by now, and nothing had it been empty before but it.
    #[inline(never)]
    pub(super) fn submitted_to_several(&mut self, now: Nanos, around: &mut Surroundings) {
        match self.spindle {
            Spindle::Ready if self.serving > 0 => self.start_commands(now, around),
            Spindle::Ready => {
                if around.observer.window().begins(now) {
                    self.totals.idle.add(now - self.idle_since.max(around.observer.window().start));
                }
                self.book_rest(now, &mut around.observer);
                if self.managed.is_none() || self.interrupted(now, around) {
                    self.start_commands(now, around);
                }
            }
            Spindle::Failed { .. } => {}
            _ => self.arrived_unready(now, around),
        }
    }

    /// Takes waiting operations into service while there is room.
    fn start_commands(&mut self, now: Nanos, around: &mut Surroundings) {
        let Body::Flash(ssd) = &mut self.body else { return self.start_arms(now, around) };
        let drive = self.index as usize;
        while self.waiting > 0 && ssd.has_room() {
            // What gives way starts when nothing else waits.
            let Some(key) = self.queue.pop_first().or_else(|| self.rebuild_queue.pop_first()) else { break };
            self.waiting -= 1;
            let bus = self.bus.map(|bus| &mut around.buses[bus as usize]);
            ssd.start(now, key, around.ops.at(key), drive, &mut around.observer, bus);
        }
        self.serving = ssd.load();
        if let Some(at) = ssd.next_done() {
            around.clock.events.push_done(at.max(now), self.index);
        }
    }

    /// A completion is due.
    #[inline(never)]
    pub(super) fn complete_on_several(&mut self, now: Nanos, around: &mut Surroundings) -> Option<u32> {
        let Body::Flash(ssd) = &mut self.body else { return self.complete_on_arm(now, around) };
        let done = ssd.complete(now, self.index as usize, &mut around.observer);
        if let Some(at) = ssd.next_done() {
            around.clock.events.push_done(at.max(now), self.index);
        }
        let done = done?;
        self.serving = ssd.load();
        let op = around.ops.at(done.op);
        self.last_started = done.started;
        around.observer.stayed_at_drive(self.index as usize, op.arrived, now);
        if around.observer.window().ends(now) {
            let totals = &mut self.totals;
            if !op.trim {
                let way = usize::from(op.write);
                totals.completed[way] += 1;
                totals.background += u64::from(op.host == NO_OP);
                totals.bytes[way] += op.sectors * self.sector_bytes;
                totals.buffer_hits += u64::from(done.hit);
                totals.service += now - done.started;
                totals.response += now - op.arrived;
            }
        }
        (self.idle_since, self.rest_since) = (now, now);
        Some(done.op)
    }

    /// Goes on after a completion, or when the drive is ready again.
    #[inline(never)]
    pub(super) fn proceed_on_several(&mut self, now: Nanos, around: &mut Surroundings) {
        if self.failed {
            if self.serving == 0 {
                self.stop_for_good(now, around);
            }
        } else if self.spindle != Spindle::Ready {
            // It is served when the drive is ready.
        } else if self.waiting > 0 {
            self.start_commands(now, around);
        } else if self.serving == 0 {
            self.rest(now, around);
        }
    }

    /// Books the state of such a drive that lasts at the end of the run.
    pub(super) fn finish_several(&mut self, now: Nanos, observer: &mut Observer) {
        let ready = self.spindle == Spindle::Ready;
        if ready && (self.serving == 0 || self.arms().is_some()) {
            self.book_rest(now, observer);
        }
        if let Body::Flash(ssd) = &mut self.body {
            ssd.finish(now, self.index as usize, observer);
        }
    }

    /// The drive is gone, and what its flash would have done.
    pub(super) fn stop_flash(&mut self, now: Nanos, observer: &mut Observer) {
        if let Body::Flash(ssd) = &mut self.body {
            ssd.stop(now, self.index as usize, observer);
        }
    }

    /// Books the rest of a flash drive: work that it does by itself, a while in which it is still awake, then idleness.
    pub(super) fn book_flash_rest(&mut self, now: Nanos, observer: &mut Observer) {
        let Body::Flash(ssd) = &self.body else { return self.book_arms(now, observer) };
        let (drive, cause, from) = (self.index as usize, Cause::Background, self.rest_since);
        let works = ssd.busy_until().clamp(from, now);
        if let Some((lasts, slot)) = self.awake {
            let ended = ssd.busy_until().max(self.idle_since);
            // Before its first work it sleeps.
            let awake = if ended == 0 { works } else { (ended + lasts).clamp(works, now) };
            observer.book_chain(drive, cause, from, [(State::Active, works)]);
            observer.book(drive, slot, cause, works, awake);
            observer.book_chain(drive, cause, awake, [(State::Idle, now)]);
        } else {
            observer.book_chain(drive, cause, from, [(State::Active, works), (State::Idle, now)]);
        }
        self.rest_since = now;
    }
}
