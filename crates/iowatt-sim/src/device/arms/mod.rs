//! Disks of which more is to be said than that one arm serves one request after another: two actuators on one spindle, and
//! tracks that overlap.
//!
//! Each arm has its own part of the sectors, its own queues and its own service; the host counts the commands at each arm. A
//! request over the border of two parts goes to the second arm when the first is done with it. What the arms
//! do is booked at every event, from the course of each: a drive has one state at a time, and while both arms work it is a
//! state of its own that draws what both draw beyond the one spindle's idling.

mod arm;

use super::commands::Commands;
use super::hdd::shingled::{Shingles, Step};
use super::hdd::{Disk, Line, Model};
use super::queue::Queue;
use super::{Body, Drive, DriveOps, NO_OP, Surroundings};
use crate::clock::{Nanos, Picos, nanos};
use crate::observe::Observer;
use crate::plan::{HddPlan, PoolPlan};
use crate::power::{Both, Cause, Ladder, Slot};
use crate::state::State;
use arm::Arm;
use std::collections::VecDeque;
use std::sync::Arc;

/// The arms of a drive.
#[derive(Debug)]
pub struct Arms {
    arms: Vec<Arm>,
    /// Sectors of each.
    share: u64,
    /// Until when what they do is booked.
    booked: Nanos,
    both: Option<Both>,
}

impl Arms {
    /// The arms of drive number `index`, at rest.
    #[must_use]
    pub fn new(
        (plan, pool): (&HddPlan, &PoolPlan),
        (model, ladder): (&Arc<Model>, &Ladder),
        seed: u64,
        index: usize,
        bus_sector_ps: Picos,
    ) -> Self {
        let share = plan.share();
        let queued = pool.command_queue.filter(|queue| queue.depth > 1);
        let host =
            || if queued.is_some() { Queue::ahead(pool.scheduler) } else { Queue::new(pool.scheduler) };
        let arm = |number: u32| {
            let first = u64::from(number) * share;
            let range = (first, (first + share).min(plan.sectors));
            Arm {
                disk: Disk::new(model, seed, index, bus_sector_ps),
                shingles: plan.shingled.map(|shingled| Box::new(Shingles::new(&shingled, range.1 - range.0))),
                range,
                queue: host().with_deadline(pool.deadline_s.map(nanos)),
                rebuild_queue: Queue::new(pool.scheduler),
                commands: queued.map(|queue| Commands::new(&queue)),
                serving: None,
                course: VecDeque::new(),
                rest_since: 0,
            }
        };
        Self { arms: (0..plan.actuators).map(arm).collect(), share, booked: 0, both: ladder.both() }
    }

    fn arm_of(&self, lbn: u64) -> usize {
        ((lbn / self.share) as usize).min(self.arms.len() - 1)
    }

    /// Cylinders between the arm that a sector belongs to and the sector.
    #[must_use]
    pub fn distance(&self, lbn: u64) -> u32 {
        let arm = &self.arms[self.arm_of(lbn)];
        let lbn = lbn - arm.range.0;
        let at = arm.shingles.as_ref().map_or(lbn, |shingles| shingles.expected_at(lbn, false));
        arm.disk.model().cylinder(at).abs_diff(arm.disk.cylinder())
    }

    /// Until when the drive goes on by itself.
    pub fn works_until(&mut self, now: Nanos) -> Option<Nanos> {
        let booked = self.booked;
        let until = self.arms.iter_mut().filter_map(|arm| {
            arm.advance(now, booked);
            arm.works_until(now)
        });
        until.max()
    }

    /// Integral of the commands at its arms; none where they take one at a time.
    #[must_use]
    pub fn commands_area(&self) -> Option<u128> {
        self.arms.iter().map(|arm| arm.commands.as_ref().map(|commands| commands.area)).sum()
    }

    /// Keys of what waits and what is in service.
    pub fn present(&self) -> impl Iterator<Item = u32> + '_ {
        self.arms.iter().flat_map(Arm::present)
    }

    /// Empties the queues into `out`.
    pub fn drain(&mut self, now: Nanos, out: &mut Vec<u32>, observer: &Observer) {
        for arm in &mut self.arms {
            if let Some(commands) = &mut arm.commands {
                commands.drain(now, out, observer.window());
            }
            arm.queue.drain(out);
            arm.rebuild_queue.drain(out);
        }
    }

    /// The next completion.
    fn next_done(&self) -> Option<Nanos> {
        self.arms.iter().filter_map(|arm| arm.serving.map(|serving| serving.access.done)).min()
    }

    /// Books what the arms did up to `now`. What was before `since` is booked by now: the drive was not ready.
    fn book(&mut self, since: Nanos, now: Nanos, drive: usize, observer: &mut Observer) {
        self.booked = self.booked.max(since);
        for arm in &mut self.arms {
            while arm.course.front().is_some_and(|step| step.until <= self.booked) {
                arm.course.pop_front();
            }
            arm.advance(now, self.booked);
        }
        while self.booked < now {
            let fronts = self.arms.iter().map(|arm| arm.course.front().map_or(now, |step| step.until));
            let until = fronts.min().unwrap_or(now).min(now).max(self.booked + 1);
            self.book_step(until, drive, observer);
            self.booked = until;
            for arm in &mut self.arms {
                while arm.course.front().is_some_and(|step| step.until <= until) {
                    arm.course.pop_front();
                }
            }
        }
    }

    /// Books a span in which no arm changes its state.
    fn book_step(&self, until: Nanos, drive: usize, observer: &mut Observer) {
        let idle = Step { state: State::Idle, until, own: true };
        let step = |arm: &Arm| arm.course.front().copied().unwrap_or(idle);
        let mut working = self.arms.iter().filter(|arm| step(arm).state != State::Idle);
        let (from, first, second) = (self.booked, working.next(), working.next());
        match (first, second, self.both) {
            (Some(first), Some(second), Some(both)) => {
                let slot = match (step(first).state, step(second).state) {
                    (State::Active, State::Active) => both.active,
                    (State::Positioning, State::Positioning) => both.positioning,
                    _ => both.mixed,
                };
                // Two requests share the span evenly.
                let middle = from + (until - from) / 2;
                book_for(first, &step(first), slot, (from, middle), drive, observer);
                book_for(second, &step(second), slot, (middle, until), drive, observer);
            }
            (Some(arm), ..) => {
                let step = step(arm);
                book_for(arm, &step, Slot::Of(step.state), (from, until), drive, observer);
            }
            (None, ..) => observer.book(drive, Slot::Of(State::Idle), Cause::Background, from, until),
        }
    }
}

/// Books a span of an arm's step for what it is done for.
fn book_for(arm: &Arm, step: &Step, slot: Slot, span: (Nanos, Nanos), drive: usize, observer: &mut Observer) {
    let (cause, (redundant, sectors)) = arm.cause(step);
    observer.book(drive, slot, cause, span.0, span.1);
    if redundant > 0 {
        observer.share(drive, slot, cause, span, (u64::from(redundant), sectors));
    }
}

impl Drive {
    /// Its arms, where they are more than one arm of a plain disk.
    #[must_use]
    pub fn arms(&self) -> Option<&Arms> {
        match &self.body {
            Body::Arms(arms) => Some(arms),
            Body::Disk(_) | Body::Flash(_) => None,
        }
    }

    /// An operation waits for the arm that its sector `lbn` belongs to.
    pub(super) fn push_to_arm(&mut self, now: Nanos, key: u32, lbn: u64, ops: &DriveOps) {
        let Body::Arms(arms) = &mut self.body else { return };
        let op = ops.at(key);
        let number = arms.arm_of(lbn);
        arms.arms[number].push(now, key, lbn, op.write, op.host == NO_OP && self.gives_way);
        self.waiting += 1;
    }

    /// Takes waiting operations into service at arms that are free.
    pub(super) fn start_arms(&mut self, now: Nanos, around: &mut Surroundings) {
        let drive = self.index as usize;
        let Body::Arms(arms) = &mut self.body else { return };
        arms.book(self.rest_since, now, drive, &mut around.observer);
        let window = *around.observer.window();
        for arm in &mut arms.arms {
            if arm.serving.is_some() {
                arm.send(now, &around.ops, &window);
                continue;
            }
            let Some(chosen) = arm.next(now, &around.ops, &window) else { continue };
            let shared = self.bus.map(|bus| (&mut around.buses[bus as usize], &window));
            arm.serve(now, chosen, around.ops.at(chosen.op), &mut Line { shared, now });
            self.waiting -= 1;
            self.serving += 1;
        }
        if let Some(at) = arms.next_done() {
            around.clock.events.push_done(at.max(now), self.index);
        }
    }

    /// A completion is due at an arm. None where the operation goes on at the next arm.
    pub(super) fn complete_on_arm(&mut self, now: Nanos, around: &mut Surroundings) -> Option<u32> {
        let drive = self.index as usize;
        let Body::Arms(arms) = &mut self.body else { return None };
        arms.book(self.rest_since, now, drive, &mut around.observer);
        let due = |arm: &&mut Arm| arm.serving.is_some_and(|serving| serving.access.done <= now);
        let done = arms.arms.iter_mut().find(due).and_then(|arm| {
            if let Some(commands) = &mut arm.commands {
                commands.changed(now, -1, around.observer.window());
            }
            arm.rest_since = now;
            arm.serving.take()
        });
        if let Some(at) = arms.next_done() {
            around.clock.events.push_done(at.max(now), self.index);
        }
        let done = done?;
        self.serving -= 1;
        self.last_started = done.started;
        let goes_on = done.then.filter(|_| !self.failed);
        let op = *around.ops.at(done.op);
        if around.observer.window().ends(now) {
            let part = super::DriveOp { sectors: done.sectors, ..op };
            let mut added = super::DriveTotals::default();
            added.add_service(&part, done.started, done.detour, &done.access, self.sector_bytes);
            self.totals.add_part(&added, goes_on.is_none());
        }
        (self.idle_since, self.rest_since) = (now, now);
        if let Some(lbn) = goes_on {
            self.push_to_arm(now, done.op, lbn, &around.ops);
            self.start_arms(now, around);
            return None;
        }
        around.observer.stayed_at_drive(drive, op.arrived, now);
        Some(done.op)
    }

    /// Books what the arms did up to `now`, while the drive was ready.
    pub(super) fn book_arms(&mut self, now: Nanos, observer: &mut Observer) {
        let Body::Arms(arms) = &mut self.body else { return };
        arms.book(self.rest_since, now, self.index as usize, observer);
        self.rest_since = now;
    }

    /// Commands at the arms up to the end of the run.
    pub(super) fn finish_arms(&mut self, now: Nanos, observer: &Observer) {
        let Body::Arms(arms) = &mut self.body else { return };
        for commands in arms.arms.iter_mut().filter_map(|arm| arm.commands.as_mut()) {
            commands.changed(now, 0, observer.window());
        }
    }
}
