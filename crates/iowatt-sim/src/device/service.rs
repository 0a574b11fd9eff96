//! A disk's services and rests: all of a service is known when it begins, and is booked then; what the media did in a rest
//! is booked when the rest ends.

use super::hdd::{Access, Line};
use super::queue::Chosen;
use super::spindle::slot_of;
use super::{Body, Drive, DriveOps, DriveTotals, Surroundings};
use crate::clock::Nanos;
use crate::observe::Observer;
use crate::power::{Cause, Slot};
use crate::shape::Shape;
use crate::state::State;

/// The service of a disk's operation, booked when it begins: all of it is known then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Service {
    cause: Cause,
    started: Nanos,
    /// Travel to the edge of the disk before it, of a SCAN.
    detour: Nanos,
    access: Access,
}

impl Access {
    /// Where its time goes from `started` on, after a detour of the arm: command, positioning, media and bus, each until the
    /// given time.
    #[inline]
    fn chain(&self, started: Nanos, detour: Nanos) -> [(State, Nanos); 3] {
        let commanded = started + self.overhead;
        let positioned = commanded + detour + self.seek + self.rotation;
        [(State::Active, commanded), (State::Positioning, positioned), (State::Active, self.done)]
    }
}

impl Service {
    /// See [`Access::chain`].
    fn chain(&self) -> [(State, Nanos); 3] {
        self.access.chain(self.started, self.detour)
    }
}

impl Drive {
    /// Serves the operation that the queue discipline chooses.
    pub(super) fn serve_next<S: Shape>(&mut self, now: Nanos, around: &mut Surroundings) {
        let commanded = S::MANAGED && self.commands.is_some();
        let chosen = if commanded { self.next_command(now, around) } else { self.next(now) };
        if let Some(chosen) = chosen {
            self.waiting -= 1;
            self.serve::<S>(now, chosen, around);
        }
    }

    /// Serves an operation. The whole service is known at once: it is booked, with its completion, and its end scheduled.
    /// Command first, then all positioning, then all transfer: the parts may alternate, but only their sums are kept.
    #[inline]
    pub(super) fn serve<S: Shape>(&mut self, now: Nanos, chosen: Chosen, around: &mut Surroundings) {
        let Body::Disk(disk) = &mut self.body else { return };
        let op = around.ops.at(chosen.op);
        let detour = chosen.via.map_or(0, |edge| disk.sweep_to(now, edge));
        let window = *around.observer.window();
        let shared = self.bus.map(|bus| (&mut around.buses[bus as usize], &window));
        let mut line = Line { shared, now };
        let access = disk.serve(now + detour, op.lbn, op.sectors, op.write, &mut line);
        if S::MANAGED {
            let service = Service { cause: op.cause, started: now, detour, access };
            self.service = Some(service);
            if self.managed.is_some() {
                self.book_service(&service, &mut around.observer);
                around.observer.stayed_at_drive(self.index as usize, op.arrived, access.done);
            }
        }
        if !S::MANAGED || self.managed.is_none() {
            let chain = access.chain(now, detour);
            around.observer.served(self.index as usize, op.cause, (op.arrived, now), chain);
        }
        if op.redundant > 0 {
            let part = (u64::from(op.redundant), op.sectors);
            let service = Service { cause: op.cause, started: now, detour, access };
            self.share_service(&service, part, &mut around.observer);
        }
        if window.ends(access.done) {
            self.totals.add_service(op, now, detour, &access, self.sector_bytes);
        }
        (self.in_service, self.started) = (chosen.op, now);
        around.clock.events.push_done(access.done, self.index);
    }

    /// Books a service, at reduced speed or not.
    #[inline(never)]
    fn book_service(&self, service: &Service, observer: &mut Observer) {
        let (drive, mut from) = (self.index as usize, service.started);
        let slower = self.slower();
        for (state, until) in service.chain() {
            let slot = slower.as_ref().map_or(Slot::Of(state), |slower| slot_of(state, slower));
            observer.book(drive, slot, service.cause, from, until);
            from = until;
        }
    }

    /// Gives a share of a service to redundancy.
    #[inline(never)]
    fn share_service(&self, service: &Service, part: (u64, u64), observer: &mut Observer) {
        let (mut from, slower) = (service.started, self.slower());
        for (state, until) in service.chain() {
            let slot = slower.as_ref().map_or(Slot::Of(state), |slower| slot_of(state, slower));
            observer.share(self.index as usize, slot, service.cause, (from, until), part);
            from = until;
        }
    }

    /// Books the time since the last completion: what the media still did for it (writing out what the buffer had accepted,
    /// reading ahead), then idleness.
    #[inline]
    pub(super) fn book_rest(&mut self, now: Nanos, observer: &mut Observer) {
        let from = self.rest_since;
        let Body::Disk(disk) = &mut self.body else { return self.book_flash_rest(now, observer) };
        let (written, ahead) = disk.background(now);
        let (positioned, free) = written.unwrap_or((from, from));
        let positioned = positioned.clamp(from, now);
        let free = free.clamp(positioned, now);
        let ahead = ahead.clamp(free, now);
        let chain = [
            (State::Positioning, positioned),
            (State::Active, free),
            (State::Active, ahead),
            (State::Idle, now),
        ];
        match &self.managed {
            None => observer.book_chain(self.index as usize, Cause::Background, from, chain),
            Some(_) => self.book_rest_managed(from, chain, observer),
        }
    }

    /// The same, at reduced speed or not.
    #[inline(never)]
    fn book_rest_managed(&self, mut from: Nanos, chain: [(State, Nanos); 4], observer: &mut Observer) {
        let slower = self.slower();
        for (state, until) in chain {
            let slot = slower.as_ref().map_or(Slot::Of(state), |slower| slot_of(state, slower));
            observer.book(self.index as usize, slot, Cause::Background, from, until);
            from = until;
        }
    }

    /// Takes back what is booked of the operation in service beyond the end of the run. Only that of a rebuild can
    /// be in service where the last request ends the run; where the end is given, nothing was booked beyond it.
    pub(super) fn cut(&mut self, now: Nanos, ops: &DriveOps, observer: &mut Observer) {
        let (Some(service), op) = (self.service, ops.at(self.in_service)) else { return };
        if observer.window().end != Nanos::MAX || service.access.done <= now {
            return;
        }
        let (mut from, slower) = (service.started, self.slower());
        for (state, until) in service.chain() {
            let slot = slower.as_ref().map_or(Slot::Of(state), |slower| slot_of(state, slower));
            observer.unbook(self.index as usize, slot, service.cause, (from, until), now);
            from = until;
        }
        observer.left_drive_early(self.index as usize, now, service.access.done);
        let mut booked = DriveTotals::default();
        booked.add_service(op, service.started, service.detour, &service.access, self.sector_bytes);
        self.totals.take_back(&booked);
    }
}
