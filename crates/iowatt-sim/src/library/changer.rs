//! A library: its cartridges, the robots that exchange them, and who waits for a mount.
//!
//! A cartridge that has requests and is in no drive waits for a mount, first come first served. It gets an empty drive, else the
//! drive that has been idle longest, if that has been for `hold`. A drive serves all requests for its cartridge in order
//! before it gives it up. One robot does one exchange: it brings the old cartridge home, then the new one to the drive.

use super::Moment;
use super::drive::{self, Phase, TapeDrive, TapeKind};
use super::totals::{LibraryTotals, PartTotals, Stages};
use crate::clock::{Nanos, nanos};
use crate::observe::Observer;
use crate::plan::LibraryPlan;
use crate::power::{Cause, Ladder, Slot};
use crate::slab::Slab;
use crate::state::State;
use hdrhistogram::CreationError;
use std::collections::VecDeque;
use std::sync::Arc;

/// No request.
const NONE: u32 = u32::MAX;

/// A request for bytes of one cartridge.
#[derive(Clone, Copy, Debug)]
struct Op {
    host: u32,
    cartridge: u32,
    /// First byte, bytes, write.
    range: (u64, u64, bool),
    arrived: Nanos,
    /// When its service began, and when the head was there.
    started: Nanos,
    located: Nanos,
    /// The next one for the same cartridge.
    next: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Slot,
    /// In its slot, with a request.
    Wanted,
    /// On its way to that drive.
    Coming,
    Drive(u32),
    /// On its way to its slot.
    Leaving,
}

#[derive(Clone, Copy, Debug)]
struct Cartridge {
    place: Place,
    /// Its requests, the one in service apart.
    first: u32,
    last: u32,
    waiting: u32,
    /// When the first request came that its mount is for.
    asked: Nanos,
    /// When it could be used.
    ready: Nanos,
}

/// A mount under way, by drive: when what had come to an end.
#[derive(Clone, Copy, Debug, Default)]
struct Mount {
    assigned: Nanos,
    cleared: Nanos,
    begun: Nanos,
    moved: Nanos,
}

#[derive(Clone, Copy, Debug)]
struct Robot {
    device: usize,
    /// The drive that it serves, and whether it brings a cartridge there.
    job: Option<(u32, bool)>,
    /// Since when it has done that, or nothing.
    since: Nanos,
    totals: PartTotals,
}

/// A library.
#[derive(Debug)]
pub struct Library {
    kind: TapeKind,
    cartridge_bytes: u64,
    moving: Nanos,
    hold: Nanos,
    unload_after: Option<Nanos>,
    drives: Vec<TapeDrive>,
    mounts: Vec<Mount>,
    robots: Vec<Robot>,
    frame: usize,
    cartridges: Vec<Cartridge>,
    ops: Slab<Op>,
    /// Cartridges that wait for a drive.
    wanted: VecDeque<u32>,
    /// Drives that wait for a robot.
    exchanges: VecDeque<u32>,
    /// When [`Self::assign`] is due for a drive that is held.
    due: Option<Nanos>,
    first_event: u32,
    totals: LibraryTotals,
}

/// What drives, robots and frame draw, in the order of their numbers.
pub fn ladders(plan: &LibraryPlan) -> impl Iterator<Item = Arc<Ladder>> + '_ {
    let drive = Arc::new(drive::ladder(&plan.drive.power));
    let [waiting, moving] = plan.robot_w;
    let robot = Arc::new(Ladder::of_states([moving, moving, waiting], Vec::new()));
    let frame = Arc::new(Ladder::of_states([plan.frame_w; 3], Vec::new()));
    let of = |ladder: Arc<Ladder>, count: u32| (0..count).map(move |_| Arc::clone(&ladder));
    of(drive, plan.drives).chain(of(robot, plan.robots)).chain(of(frame, 1))
}

impl Library {
    /// The library of `plan`, whose devices and events are numbered from the given ones on.
    ///
    /// # Errors
    /// If its histogram cannot be made, which is a fault of ours.
    pub fn new(plan: &LibraryPlan, first_device: usize, first_event: u32) -> Result<Self, CreationError> {
        let (drives, robots) = (plan.drives as usize, plan.robots as usize);
        let device = |number: usize| first_device + number;
        let cartridge =
            Cartridge { place: Place::Slot, first: NONE, last: NONE, waiting: 0, asked: 0, ready: 0 };
        let robot =
            |n| Robot { device: device(drives + n), job: None, since: 0, totals: PartTotals::default() };
        Ok(Self {
            kind: TapeKind::new(plan),
            cartridge_bytes: plan.cartridge_bytes,
            moving: nanos(plan.move_s),
            hold: nanos(plan.hold_s),
            unload_after: plan.unload_after_s.map(nanos),
            drives: (0..drives).map(|number| TapeDrive::new(device(number))).collect(),
            mounts: vec![Mount::default(); drives],
            robots: (0..robots).map(robot).collect(),
            frame: device(drives + robots),
            cartridges: vec![cartridge; plan.cartridges as usize],
            ops: Slab::default(),
            wanted: VecDeque::with_capacity(plan.cartridges as usize),
            exchanges: VecDeque::with_capacity(drives),
            due: None,
            first_event,
            totals: LibraryTotals::new()?,
        })
    }

    /// Devices: drives, robots and the frame.
    pub fn devices(&self) -> usize {
        self.drives.len() + self.robots.len() + 1
    }

    /// Numbers of events: of each drive its step and its timer, of each robot its move, and assigning drives.
    pub fn events(&self) -> u32 {
        (2 * self.drives.len() + self.robots.len() + 1) as u32
    }

    /// Whether an event is one of this library.
    pub fn has_event(&self, number: u32) -> bool {
        (self.first_event..self.first_event + self.events()).contains(&number)
    }

    /// What it did.
    pub fn totals(&self) -> &LibraryTotals {
        &self.totals
    }

    /// What its devices did, in order.
    pub fn parts(&self) -> impl Iterator<Item = PartTotals> + '_ {
        let drives = self.drives.iter().map(|drive| drive.totals);
        drives.chain(self.robots.iter().map(|robot| robot.totals)).chain([PartTotals::default()])
    }

    /// A host's request comes in; returns how many cartridges it reaches over.
    pub fn submit(
        &mut self,
        host: u32,
        (from, size, write): (u64, u64, bool),
        moment: &mut Moment<'_>,
    ) -> u32 {
        let (mut at, end, mut parts) = (from, from + size, 0);
        while at < end {
            let (cartridge, within) = (at / self.cartridge_bytes, at % self.cartridge_bytes);
            let bytes = (end - at).min(self.cartridge_bytes - within);
            self.arrive(host, cartridge as u32, (within, bytes, write), moment);
            at += bytes;
            parts += 1;
        }
        parts
    }

    fn arrive(&mut self, host: u32, number: u32, range: (u64, u64, bool), moment: &mut Moment<'_>) {
        let now = moment.now();
        let op = Op { host, cartridge: number, range, arrived: now, started: 0, located: 0, next: NONE };
        let key = self.ops.insert(op);
        let cartridge = &mut self.cartridges[number as usize];
        if cartridge.first == NONE {
            cartridge.first = key;
        } else {
            self.ops.get_mut(cartridge.last).next = key;
        }
        cartridge.last = key;
        cartridge.waiting += 1;
        match cartridge.place {
            Place::Slot => {
                (cartridge.place, cartridge.asked) = (Place::Wanted, now);
                self.wanted.push_back(number);
                self.assign_soon(moment);
            }
            Place::Leaving if cartridge.waiting == 1 => cartridge.asked = now,
            Place::Drive(drive) => {
                let present = cartridge.waiting;
                let counted = moment.observer.window().begins(now);
                let one = &mut self.drives[drive as usize];
                one.totals.arrivals += u64::from(counted);
                let seen = u64::from(present) + u64::from(one.serving.is_some());
                one.totals.queue_seen += if counted { seen } else { 0 };
                if one.is_idle() {
                    self.serve_next(drive, moment);
                }
            }
            Place::Wanted | Place::Coming | Place::Leaving => {}
        }
    }

    /// Has drives assigned once all that happens at this instant has happened: a loop may issue its next request.
    fn assign_soon(&self, moment: &mut Moment<'_>) {
        moment.push(moment.now(), self.first_event + self.events() - 1);
    }

    /// Handles an event; returns the host of a request that is done with it.
    pub fn handle(&mut self, number: u32, moment: &mut Moment<'_>) -> Option<u32> {
        let (number, drives) = ((number - self.first_event) as usize, self.drives.len());
        if number < drives {
            return self.step(number as u32, moment);
        }
        if number < 2 * drives {
            self.look(number - drives, moment);
        } else if number < 2 * drives + self.robots.len() {
            self.moved(number - 2 * drives, moment);
        } else {
            self.assign(moment);
        }
        None
    }

    /// What a drive was at ends.
    fn step(&mut self, number: u32, moment: &mut Moment<'_>) -> Option<u32> {
        let now = moment.now();
        let drive = &mut self.drives[number as usize];
        drive.advance(now, &self.kind, moment.observer);
        match drive.phase {
            Phase::Clearing => {
                drive.cleared();
                self.mounts[number as usize].cleared = now;
                self.exchanges.push_back(number);
                self.start_robots(moment);
            }
            Phase::Loading => {
                drive.loaded(now);
                self.mounted(number, moment);
                self.serve_next(number, moment);
            }
            Phase::Ready => return self.served(number, moment),
            Phase::Empty | Phase::Exchanging => {}
        }
        None
    }

    /// A cartridge can be used: its mount is done.
    fn mounted(&mut self, number: u32, moment: &mut Moment<'_>) {
        let (now, window) = (moment.now(), moment.observer.window());
        let drive = &mut self.drives[number as usize];
        let Some(name) = drive.cartridge else { return };
        let cartridge = &mut self.cartridges[name as usize];
        (cartridge.place, cartridge.ready) = (Place::Drive(number), now);
        if window.begins(now) {
            let present = u64::from(cartridge.waiting);
            drive.totals.arrivals += present;
            drive.totals.queue_seen += present * (present + 1) / 2;
        }
        if window.ends(now) {
            let mount = self.mounts[number as usize];
            let stages = &mut self.totals.mount_stages;
            stages.drive += mount.assigned - cartridge.asked;
            stages.clear += mount.cleared - mount.assigned;
            stages.robot += mount.begun - mount.cleared;
            stages.moving += mount.moved - mount.begun;
            stages.load += now - mount.moved;
            self.totals.mounts.saturating_record(now - cartridge.asked);
        }
    }

    /// A ready drive serves the next request for its cartridge, if there is one.
    fn serve_next(&mut self, number: u32, moment: &mut Moment<'_>) {
        let now = moment.now();
        let drive = &mut self.drives[number as usize];
        let Some(name) = drive.cartridge else { return };
        let cartridge = &mut self.cartridges[name as usize];
        if cartridge.first == NONE {
            drive.idle_since = now;
            if let Some(after) = self.unload_after
                && !std::mem::replace(&mut drive.watched, true)
            {
                moment.push(now + after, self.first_event + self.drives.len() as u32 + number);
            }
            if !self.wanted.is_empty() {
                self.assign_soon(moment);
            }
            return;
        }
        drive.advance(now, &self.kind, moment.observer);
        let key = cartridge.first;
        let op = self.ops.get_mut(key);
        cartridge.first = op.next;
        cartridge.waiting -= 1;
        let service = drive.serve(op.range, now, &self.kind);
        (op.started, op.located) = (now, service.located);
        drive.serving = Some(key);
        if moment.observer.window().begins(now) {
            drive.totals.locates += u64::from(service.moved);
        }
        moment.push(service.done, self.first_event + number);
    }

    /// A drive has done its request; returns its host.
    fn served(&mut self, number: u32, moment: &mut Moment<'_>) -> Option<u32> {
        let now = moment.now();
        let drive = &mut self.drives[number as usize];
        let op = self.ops.remove(drive.serving.take()?);
        let ready = self.cartridges[op.cartridge as usize].ready;
        let at_drive = op.arrived.max(ready);
        moment.observer.stayed_at_drive(drive.device, at_drive, now);
        let window = moment.observer.window();
        let (_, size, write) = op.range;
        if window.begins(at_drive) && now <= window.end {
            let totals = &mut drive.totals;
            totals.completed[usize::from(write)] += 1;
            totals.bytes[usize::from(write)] += size;
            totals.locate += op.located - op.started;
            totals.transfer += now - op.located;
            totals.service += now - op.started;
            totals.response += now - at_drive;
        }
        if window.begins(op.arrived) && now <= window.end {
            let Stages { requests, mount, queue, locate, transfer } =
                &mut self.totals.stages[usize::from(write)];
            *requests += 1;
            *mount += at_drive - op.arrived;
            *queue += op.started - at_drive;
            *locate += op.located - op.started;
            *transfer += now - op.located;
        }
        self.serve_next(number, moment);
        Some(op.host)
    }

    /// Gives cartridges that wait for a mount drives that can take them.
    fn assign(&mut self, moment: &mut Moment<'_>) {
        let now = moment.now();
        self.due = self.due.filter(|&due| due > now);
        while let Some(&name) = self.wanted.front() {
            let empty = self.drives.iter().position(|drive| drive.phase == Phase::Empty);
            let number = match empty {
                Some(number) => number,
                None => {
                    let idle = self.drives.iter().enumerate().filter(|(_, drive)| drive.is_idle());
                    let Some((number, drive)) = idle.min_by_key(|(_, drive)| drive.idle_since) else {
                        return;
                    };
                    let free = drive.idle_since + self.hold;
                    if free > now {
                        if self.due.is_none() {
                            self.due = Some(free);
                            moment.push(free, self.first_event + self.events() - 1);
                        }
                        return;
                    }
                    number
                }
            };
            self.wanted.pop_front();
            self.cartridges[name as usize].place = Place::Coming;
            self.mounts[number].assigned = now;
            self.drives[number].target = Some(name);
            if empty.is_some() {
                let drive = &mut self.drives[number];
                drive.advance(now, &self.kind, moment.observer);
                drive.cleared();
                self.mounts[number].cleared = now;
                self.exchanges.push_back(number as u32);
                self.start_robots(moment);
            } else {
                self.clear(number, moment);
            }
        }
    }

    /// A drive gives its cartridge up.
    fn clear(&mut self, number: usize, moment: &mut Moment<'_>) {
        let now = moment.now();
        let drive = &mut self.drives[number];
        drive.advance(now, &self.kind, moment.observer);
        let until = drive.clear(now, &self.kind);
        if let Some(old) = drive.cartridge {
            self.cartridges[old as usize].place = Place::Leaving;
        }
        moment.push(until, self.first_event + number as u32);
    }

    /// Looks whether a drive has been idle long enough to unload its cartridge.
    fn look(&mut self, number: usize, moment: &mut Moment<'_>) {
        let Some(after) = self.unload_after else { return };
        let drive = &mut self.drives[number];
        drive.watched = false;
        if !drive.is_idle() {
            return;
        }
        let due = drive.idle_since + after;
        if due > moment.now() {
            drive.watched = true;
            moment.push(due, self.first_event + (self.drives.len() + number) as u32);
        } else {
            self.clear(number, moment);
        }
    }

    /// Free robots begin what waits for them.
    fn start_robots(&mut self, moment: &mut Moment<'_>) {
        let now = moment.now();
        for number in 0..self.robots.len() {
            if self.robots[number].job.is_some() {
                continue;
            }
            let Some(drive) = self.exchanges.pop_front() else { return };
            self.mounts[drive as usize].begun = now;
            let brings = self.drives[drive as usize].cartridge.is_none();
            self.begin_move(number, drive, brings, moment);
        }
    }

    fn begin_move(&mut self, number: usize, drive: u32, brings: bool, moment: &mut Moment<'_>) {
        let now = moment.now();
        let robot = &mut self.robots[number];
        robot.book(now, moment.observer);
        robot.job = Some((drive, brings));
        robot.totals.arrivals += u64::from(moment.observer.window().begins(now));
        robot.totals.queue_seen += u64::from(moment.observer.window().begins(now));
        moment.push(now + self.moving, self.first_event + (2 * self.drives.len() + number) as u32);
    }

    /// A robot has moved a cartridge.
    fn moved(&mut self, number: usize, moment: &mut Moment<'_>) {
        let now = moment.now();
        let robot = &mut self.robots[number];
        let begun = robot.since;
        robot.book(now, moment.observer);
        let Some((of, brings)) = robot.job.take() else { return };
        moment.observer.stayed_at_drive(robot.device, begun, now);
        let window = moment.observer.window();
        if window.begins(begun) && now <= window.end {
            robot.totals.completed[0] += 1;
            robot.totals.service += now - begun;
            robot.totals.response += now - begun;
        }
        let ends = window.ends(now);
        let drive = &mut self.drives[of as usize];
        if brings {
            if let Some(name) = drive.target {
                drive.advance(now, &self.kind, moment.observer);
                self.mounts[of as usize].moved = now;
                let ready = drive.load(name, now, &self.kind);
                moment.push(ready, self.first_event + of);
            }
            return self.start_robots(moment);
        }
        self.totals.dismounts += u64::from(ends);
        if let Some(name) = drive.cartridge.take() {
            let cartridge = &mut self.cartridges[name as usize];
            cartridge.place = if cartridge.first == NONE { Place::Slot } else { Place::Wanted };
            if cartridge.place == Place::Wanted {
                self.wanted.push_back(name);
            }
        }
        if drive.target.is_some() {
            self.begin_move(number, of, true, moment);
        } else {
            drive.phase = Phase::Empty;
            self.start_robots(moment);
        }
        if !self.wanted.is_empty() {
            self.assign_soon(moment);
        }
    }

    /// No request will come any more: writes out what is buffered. Returns whether all is.
    pub fn wind_down(&mut self, moment: &mut Moment<'_>) -> bool {
        let now = moment.now();
        let mut done = true;
        for (number, drive) in self.drives.iter_mut().enumerate() {
            if drive.is_idle() && drive.has_unwritten(now, &self.kind) {
                drive.advance(now, &self.kind, moment.observer);
                drive.flushing = drive.flush(now, &self.kind);
                moment.push(drive.flushing, self.first_event + number as u32);
            }
            done &= drive.flushing <= now;
        }
        done
    }

    /// Ends the run: books what lasts.
    pub fn finish(&mut self, end: Nanos, observer: &mut Observer) {
        for drive in &mut self.drives {
            drive.advance(end, &self.kind, observer);
        }
        for op in self.ops.values() {
            if let Place::Drive(drive) = self.cartridges[op.cartridge as usize].place {
                let at_drive = op.arrived.max(self.cartridges[op.cartridge as usize].ready);
                observer.stayed_at_drive(self.drives[drive as usize].device, at_drive, end);
            }
        }
        for robot in &mut self.robots {
            let begun = robot.since;
            robot.book(end, observer);
            if robot.job.is_some() {
                observer.stayed_at_drive(robot.device, begun, end);
            }
        }
        observer.book(self.frame, Slot::Of(State::Idle), Cause::Background, 0, end);
    }
}

impl Robot {
    /// Books what it has done up to `now`.
    fn book(&mut self, now: Nanos, observer: &mut Observer) {
        let state = if self.job.is_some() { State::Active } else { State::Idle };
        observer.book(self.device, Slot::Of(state), Cause::Background, self.since, now);
        self.since = now;
    }
}
