//! One arm of a drive: its mechanics, what waits for it, what it serves and what it does by itself.

use super::super::commands::Commands;
use super::super::hdd::shingled::{Course, Shingles, Step};
use super::super::hdd::{Access, Disk, Line};
use super::super::queue::{Chosen, Queue};
use super::super::{DriveOp, DriveOps, NO_OP};
use crate::clock::Nanos;
use crate::power::{Cause, Window};
use crate::state::State;

/// The operation in service at an arm, as far as it lies in its part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Serving {
    pub op: u32,
    pub cause: Cause,
    /// Of how many of its sectors how many are for redundancy.
    pub redundant: (u32, u64),
    pub started: Nanos,
    pub detour: Nanos,
    pub access: Access,
    /// The part that is served.
    pub sectors: u64,
    /// Where it goes on, in the part of the next arm.
    pub then: Option<u64>,
}

/// An arm.
#[derive(Debug)]
pub(super) struct Arm {
    pub disk: Disk,
    pub shingles: Option<Box<Shingles>>,
    /// Its sectors: the first, and the one after the last.
    pub range: (u64, u64),
    pub queue: Queue,
    pub rebuild_queue: Queue,
    pub commands: Option<Commands>,
    pub serving: Option<Serving>,
    /// What it does, as far as it is known and was not booked.
    pub course: Course,
    /// Its last completion.
    pub rest_since: Nanos,
}

impl Arm {
    /// An operation waits for it, from sector `lbn` of the drive on.
    pub fn push(&mut self, now: Nanos, key: u32, lbn: u64, write: bool, gives_way: bool) {
        let lbn = lbn - self.range.0;
        let at = self.shingles.as_ref().map_or(lbn, |shingles| shingles.expected_at(lbn, write));
        let queue = if gives_way { &mut self.rebuild_queue } else { &mut self.queue };
        queue.push(now, key, at, write);
    }

    /// The operation to serve next.
    pub fn next(&mut self, now: Nanos, ops: &DriveOps, window: &Window) -> Option<Chosen> {
        let Some(commands) = &mut self.commands else {
            return self
                .queue
                .pop(now, &mut self.disk)
                .or_else(|| self.rebuild_queue.pop(now, &mut self.disk));
        };
        send(
            commands,
            &mut self.queue,
            (&mut self.disk, self.shingles.as_deref(), self.range),
            now,
            ops,
            window,
        );
        commands.pop(now, &mut self.disk).or_else(|| {
            let chosen = self.rebuild_queue.pop(now, &mut self.disk);
            commands.changed(now, isize::from(chosen.is_some()), window);
            chosen
        })
    }

    /// Sends commands while the arm takes them.
    pub fn send(&mut self, now: Nanos, ops: &DriveOps, window: &Window) {
        if let Some(commands) = &mut self.commands {
            let arm = (&mut self.disk, self.shingles.as_deref(), self.range);
            send(commands, &mut self.queue, arm, now, ops, window);
        }
    }

    /// Serves an operation from `now` on, after what it is doing by itself; its course is known until `now`.
    pub fn serve(&mut self, now: Nanos, chosen: Chosen, op: &DriveOp, line: &mut Line<'_>) -> Nanos {
        let begin = self.course.back().map_or(now, |step| step.until.max(now));
        let detour = chosen.via.map_or(0, |edge| self.disk.sweep_to(begin, edge));
        let start = begin + detour;
        if detour > 0 {
            self.course.push_back(Step { state: State::Positioning, until: start, own: false });
        }
        let (first, last) = (op.lbn.max(self.range.0), (op.lbn + op.sectors).min(self.range.1));
        let (lbn, sectors) = (first - self.range.0, last - first);
        let mut access = match &mut self.shingles {
            Some(shingles) => {
                shingles.serve(&mut self.disk, start, (lbn, sectors, op.write), line, &mut self.course)
            }
            None => {
                let access = self.disk.serve(start, lbn, sectors, op.write, line);
                let commanded = start + access.overhead;
                let positioned = commanded + access.seek + access.rotation;
                let steps = [
                    (State::Active, commanded),
                    (State::Positioning, positioned),
                    (State::Active, access.done),
                ];
                self.course.extend(steps.map(|(state, until)| Step { state, until, own: false }));
                access
            }
        };
        access.overhead += begin - now;
        self.serving = Some(Serving {
            op: chosen.op,
            cause: op.cause,
            redundant: (op.redundant, op.sectors),
            started: now,
            detour,
            access,
            sectors,
            then: (last < op.lbn + op.sectors).then_some(last),
        });
        access.done
    }

    /// Follows what it does at rest up to `now`, from `booked` on.
    pub fn advance(&mut self, now: Nanos, booked: Nanos) {
        let mut from = self.course.back().map_or(booked, |step| step.until.max(booked));
        if self.serving.is_some() {
            return;
        }
        while from < now {
            let cleans = self.shingles.as_ref().and_then(|s| s.cleans_at(self.rest_since));
            match (cleans.map(|at| at.max(from)).filter(|&at| at < now), &mut self.shingles) {
                (Some(at), Some(shingles)) => {
                    rest(&mut self.disk, &mut self.course, from, at);
                    from = shingles.clean(&mut self.disk, at, true, &mut self.course);
                }
                _ => {
                    rest(&mut self.disk, &mut self.course, from, now);
                    from = now;
                }
            }
        }
    }

    /// Until when it goes on by itself at `now`, or begins to; its course is known until then.
    pub fn works_until(&mut self, now: Nanos) -> Option<Nanos> {
        let busy = self.course.back().map(|step| step.until).filter(|&until| until > now);
        let dirty = self.shingles.as_ref().and_then(|s| s.cleans_at(self.rest_since));
        busy.or_else(|| dirty.map(|at| at.max(now) + 1)).or_else(|| self.disk.works_until(now))
    }

    /// What its present step is booked for.
    pub fn cause(&self, step: &Step) -> (Cause, (u32, u64)) {
        match &self.serving {
            Some(serving) if !step.own => (serving.cause, serving.redundant),
            _ => (Cause::Background, (0, 1)),
        }
    }

    /// Keys of what waits for it and what it serves.
    pub fn present(&self) -> impl Iterator<Item = u32> + '_ {
        let held = self.commands.iter().flat_map(Commands::waiting);
        let waiting = self.queue.waiting().chain(self.rebuild_queue.waiting()).chain(held);
        waiting.chain(self.serving.iter().map(|serving| serving.op)).filter(|&op| op != NO_OP)
    }
}

/// Sends commands while there is room; an arm is its disk, its shingles and its sectors.
fn send(
    commands: &mut Commands,
    queue: &mut Queue,
    (disk, shingles, range): (&mut Disk, Option<&Shingles>, (u64, u64)),
    now: Nanos,
    ops: &DriveOps,
    window: &Window,
) {
    while commands.has_room() {
        let Some(chosen) = queue.pop(now, disk) else { break };
        let op = ops.get(chosen.op);
        let lbn = op.lbn.max(range.0) - range.0;
        let at = shingles.map_or(lbn, |shingles| shingles.expected_at(lbn, op.write));
        commands.push(now, chosen.op, at, op.write, window);
    }
}

/// A rest: what the media still write, what they read ahead, then idleness.
fn rest(disk: &mut Disk, course: &mut Course, from: Nanos, until: Nanos) {
    if from >= until {
        return;
    }
    let (written, ahead) = disk.background(until);
    let (positioned, free) = written.unwrap_or((from, from));
    let positioned = positioned.clamp(from, until);
    let free = free.clamp(positioned, until);
    let ahead = ahead.clamp(free, until);
    let steps = [
        (State::Positioning, positioned),
        (State::Active, free),
        (State::Active, ahead),
        (State::Idle, until),
    ];
    let mut last = from;
    for (state, until) in steps {
        if until > last {
            course.push_back(Step { state, until, own: true });
            last = until;
        }
    }
}
