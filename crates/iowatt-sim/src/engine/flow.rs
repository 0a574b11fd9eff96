//! The way of a request through the layers (path, controller, volumes, pools) and back.
//!
//! Controller and volumes only say what is to be done; [`Engine::settle`] does it after the event that led to it has
//! been handled, so that answers which lead to new requests never nest.

use super::Engine;
use super::backend::PoolRequest;
use super::door::{Arrives, Range};
use super::hosts::HostRequest;
use crate::back_end_log::Reason;
use crate::controller::{self, Controller, Incoming};
use crate::device::{NO_OP, Surroundings};
use crate::error::SimError;
use crate::event::Event;
use crate::library::{self, Libraries};
use crate::observe::Point;
use crate::path::timesheet::LastOperation;
use crate::path::{self, Leaving, Next, Paths};
use crate::plan::Lost;
use crate::raid::Serves;
use crate::shape::Shape;
use crate::volume::{self, Volumes};
use iowatt_trace::{Op, Request};

impl<S: Shape> Engine<'_, S> {
    /// Issues all requests that a closed loop has room for.
    #[inline]
    pub(super) fn issue_closed(&mut self, workload: usize) -> Result<(), SimError> {
        if self.hosts.workloads[workload].arrivals.is_open() {
            return Ok(());
        }
        while let Some(request) = self.hosts.take(workload, self.around.clock.now)? {
            self.issue(workload, &request)?;
        }
        Ok(())
    }

    /// A host issues a request.
    #[inline]
    pub(super) fn issue(&mut self, workload: usize, request: &Request) -> Result<(), SimError> {
        let host = self.hosts.issue(workload, request, self.around.clock.now, &mut self.around.observer)?;
        let (offset, size) = (request.offset, u64::from(request.size));
        if S::LAYERS
            && let Some(replication) = &mut self.replication
        {
            replication.issued(host, offset);
        }
        if S::FLASH && request.op == Op::Trim {
            self.issue_trim(host, workload, (offset, size));
            return Ok(());
        }
        let range = (offset, size, request.op == Op::Write);
        if S::LAYERS
            && self.paths.is_some()
            && let Some(path) = self.hosts.workloads[workload].path
        {
            self.enter_path(host, path, range);
        } else {
            self.come(host, workload, range, Arrives::Whole)?;
        }
        Ok(())
    }

    /// A trim goes straight to the drives, or to its virtual pool. It takes no part in the figures of reads and writes.
    #[inline(never)]
    fn issue_trim(&mut self, host: u32, workload: usize, (offset, size): (u64, u64)) {
        let volume = &self.hosts.workloads[workload].volume;
        let (space, range) = (volume.pool, (volume.offset_bytes + offset, size));
        if self.volumes.is_some() {
            self.hosts.add_parts(host, 1);
            self.give_up(space, (host, false), (range.0, range.0 + size));
            return;
        }
        let made = self.backend.trim(space, range, host, &mut self.around);
        self.hosts.add_parts(host, made.max(1));
        if made == 0 {
            self.around.clock.push_now(Event::Answered(host));
        }
    }

    /// A request on its workload's volume reaches the array.
    #[inline(always)]
    pub(super) fn enter_array(&mut self, host: u32, workload: usize, range: Range) {
        if S::LAYERS && self.controller.is_some() {
            let zeros = range.2 && self.hosts.draws_zeros(workload);
            let request = Incoming { zeros, ..self.incoming(host, workload, range) };
            self.with_controller(|controller, moment| controller.enter(request, moment));
            return;
        }
        let volume = &self.hosts.workloads[workload].volume;
        let (offset, size, write) = range;
        let (space, from) = (volume.pool, volume.offset_bytes + offset);
        self.around.observer.handed_to(self.around.clock.now, space, (from, from + size, write));
        if S::LAYERS && self.libraries.as_ref().is_some_and(|libraries| libraries.has(space)) {
            let made = self.with_libraries(|libraries, moment| {
                libraries.submit(space, host, (from, size, write), moment)
            });
            self.hosts.add_parts(host, made.unwrap_or(0));
            return;
        }
        if S::LAYERS && self.volumes.is_some() {
            self.hosts.add_parts(host, 1);
            if write && self.hosts.draws_zeros(workload) {
                self.give_up(space, (host, true), (from, from + size));
                return;
            }
            self.enter_volumes(space, (host, write), (from, size, write));
            return;
        }
        if S::LAYERS && self.backend.clusters.is_some() {
            let parts = self.backend.divide((host, space), (from, size, write), &mut self.around);
            self.hosts.add_parts(host, parts);
            return;
        }
        let serves = Serves { upper: host, migrates: false, for_write: write };
        let made = self.submit(space, (from, size, write), serves, Reason::Host);
        self.hosts.add_parts(host, made);
    }

    /// The command of a write is at the array, which allocates buffers for the data.
    pub(super) fn allocate(&mut self, host: u32, workload: usize, range: Range) -> Result<(), SimError> {
        if self.controller.is_none() {
            return self.allocated(host);
        }
        let request = self.incoming(host, workload, range);
        self.with_controller(|controller, moment| controller.allocate(request, moment));
        Ok(())
    }

    /// A host request as the controller knows it.
    fn incoming(&self, host: u32, workload: usize, (offset, size, write): Range) -> Incoming {
        let target = &self.hosts.workloads[workload];
        Incoming {
            host,
            workload: workload as u32,
            pool: target.volume.pool as u32,
            from: target.volume.offset_bytes + offset,
            size,
            write,
            zeros: false,
            interrupts: target.path.is_some(),
        }
    }

    /// A request on a space enters the volume layer. `upper`: its key in the layer above, and whether a write there led to
    /// it.
    pub(super) fn enter_volumes(&mut self, space: usize, upper: (u32, bool), (from, size, write): Range) {
        let range = (from, from + size, write);
        self.with_volumes(|volumes, moment| volumes.submit(space, upper, range, moment));
    }

    /// Bytes of a virtual pool are trimmed, or overwritten with zeros that it recognises.
    fn give_up(&mut self, space: usize, upper: (u32, bool), range: (u64, u64)) {
        self.with_volumes(|volumes, moment| volumes.give_up(space, upper, range, moment));
    }

    /// A request goes to a pool. Returns the number of its drive operations.
    #[inline]
    pub(super) fn submit(&mut self, pool: usize, range: Range, serves: Serves, reason: Reason) -> u32 {
        let request = PoolRequest { pool, range, serves, reason };
        self.backend.submit::<S>(&request, &mut self.around)
    }

    /// A drive completes its operation.
    #[inline]
    pub(super) fn drive_done(&mut self, drive: u32) -> Result<(), SimError> {
        let Some(done) = self.backend.drive_done::<S>(drive, &mut self.around) else {
            return Ok(());
        };
        if S::LAYERS
            && let Some(paths) = &mut self.paths
        {
            let now = self.around.clock.now;
            paths.sheets.last = LastOperation { arrived: done.arrived, started: done.started, done: now };
        }
        if S::LAYERS
            && let Some(replication) = &mut self.replication
        {
            let now = self.around.clock.now;
            let last = LastOperation { arrived: done.arrived, started: done.started, done: now };
            replication.paths.sheets.last = last;
        }
        if S::MANAGED && done.upper == NO_OP { Ok(()) } else { self.operation_done(done.upper) }
    }

    /// A message between nodes ends its present leg.
    #[inline(never)]
    pub(super) fn message_event(&mut self, key: u32) -> Result<(), SimError> {
        match self.backend.message(key, &mut self.around) {
            Some(upper) if upper != NO_OP => self.operation_done(upper),
            _ => Ok(()),
        }
    }

    /// A part of a client's request to a cluster ends its present stage.
    #[inline(never)]
    pub(super) fn part_event(&mut self, part: u32) -> Result<(), SimError> {
        match self.backend.part(part, &mut self.around) {
            Some(host) => self.part_done(host),
            None => Ok(()),
        }
    }

    /// An operation is lost with its drive: others replace it.
    pub(super) fn operation_lost(&mut self, key: u32) -> Result<(), SimError> {
        let replaced = self.backend.replace(key, &mut self.around);
        let Some((upper, made)) = replaced else { return Ok(()) };
        if let Some(ship) = self.shipment(upper) {
            self.with_replication(|replication, _| replication.sent(ship, made));
            return self.operation_done(upper);
        }
        if let Some(clusters) = &mut self.backend.clusters {
            clusters.requests.add_operations(upper, made);
            return self.operation_done(upper);
        }
        match (&mut self.volumes, &mut self.controller) {
            (Some(volumes), _) => volumes.add_operations(upper, made),
            (None, Some(controller)) => controller.back.add_operations(upper, made),
            (None, None) => self.hosts.add_parts(upper, made),
        }
        self.operation_done(upper)
    }

    /// A drive operation of a request of the layer above the pools is done.
    #[inline(always)]
    pub(super) fn operation_done(&mut self, upper: u32) -> Result<(), SimError> {
        if S::LAYERS
            && self.replication.is_some()
            && self.volumes.is_none()
            && let Some(ship) = self.shipment(upper)
        {
            self.with_replication(|replication, moment| replication.operation_done(ship, moment));
            return self.settle();
        }
        if S::LAYERS && self.volumes.is_some() {
            self.with_volumes(|volumes, moment| volumes.operation_done(upper, moment));
            return self.settle();
        }
        if S::LAYERS && self.controller.is_some() {
            self.with_controller(|controller, moment| controller.operation_done(upper, moment));
            return self.settle();
        }
        if S::LAYERS && self.backend.clusters.is_some() {
            self.backend.group_operation_done(upper, &mut self.around);
            return Ok(());
        }
        self.part_done(upper)?;
        if S::LAYERS { self.settle() } else { Ok(()) }
    }

    /// The volume layer has answered a request of the layer above.
    pub(super) fn space_answered(&mut self, upper: u32) -> Result<(), SimError> {
        if let Some(ship) = self.shipment(upper) {
            self.with_replication(|replication, moment| replication.operation_done(ship, moment));
            Ok(())
        } else if self.controller.is_some() {
            self.with_controller(|controller, moment| controller.operation_done(upper, moment));
            Ok(())
        } else {
            self.part_done(upper)
        }
    }

    /// A part of a host request is done; with the last part the array has done the request.
    #[inline(always)]
    fn part_done(&mut self, host: u32) -> Result<(), SimError> {
        if self.hosts.part_done(host) { self.array_done(host) } else { Ok(()) }
    }

    /// The array has done a host request. A remote array may have to get it, too.
    #[inline]
    fn array_done(&mut self, host: u32) -> Result<(), SimError> {
        if S::LAYERS && self.replication.is_some() && self.replicate(host) {
            return Ok(());
        }
        self.answer(host)
    }

    /// A host request is answered. The answer may still have to go back over a path.
    #[inline]
    pub(super) fn answer(&mut self, host: u32) -> Result<(), SimError> {
        if S::LAYERS && self.qos.is_some() {
            self.leave(host);
        }
        if S::LAYERS && self.paths.is_some() && self.answer_over_path(host) {
            return Ok(());
        }
        self.complete(host)
    }

    /// A host request has its answer; a closed loop may issue the next one.
    #[inline]
    fn complete(&mut self, host: u32) -> Result<(), SimError> {
        match self.hosts.complete(host, self.around.clock.now, &mut self.around.observer) {
            (workload, None) => self.issue_closed(workload),
            (workload, Some(at)) => {
                self.around.clock.events.push(at, Event::Thought(workload as u32));
                Ok(())
            }
        }
    }

    /// Executes what controller and volumes request, until they request nothing more.
    #[inline]
    pub(super) fn settle(&mut self) -> Result<(), SimError> {
        while S::LAYERS && (self.controller.is_some() || self.volumes.is_some() || self.replication.is_some())
        {
            if !(self.settle_controller()? || self.settle_volumes()? || self.settle_replication()?) {
                break;
            }
        }
        Ok(())
    }

    /// Passes on one request or answer of the controller; returns whether there was one.
    fn settle_controller(&mut self) -> Result<bool, SimError> {
        let Some(controller) = &mut self.controller else { return Ok(false) };
        if let Some((key, request)) = controller.back.take() {
            let space = request.pool as usize;
            self.around.observer.handed_to(
                self.around.clock.now,
                space,
                (request.from, request.until, request.write),
            );
            let range = (request.from, request.until - request.from, request.write);
            let for_write = request.is_for_write();
            if self.volumes.is_some() {
                controller.back.sent(key, 1);
                self.enter_volumes(space, (key, for_write), range);
            } else {
                let serves = Serves { upper: key, migrates: false, for_write };
                let made = self.submit(space, range, serves, Reason::Controller(request.purpose));
                self.controller.iter_mut().for_each(|controller| controller.back.sent(key, made));
            }
        } else if let Some(host) = controller.answers.pop_front() {
            self.array_done(host)?;
        } else if let Some(host) = controller.allocated.pop_front() {
            self.allocated(host)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Passes on one transfer or answer of the volume layer; returns whether there was one.
    fn settle_volumes(&mut self) -> Result<bool, SimError> {
        let Some(volumes) = &mut self.volumes else { return Ok(false) };
        if let Some((key, transfer)) = volumes.take() {
            let range = (transfer.from, transfer.until - transfer.from, transfer.write);
            let (migrates, for_write) = (transfer.migrates(), transfer.is_for_write());
            let reason = match (migrates, &self.controller) {
                (true, _) => Reason::Migration,
                (false, Some(_)) => Reason::Volume,
                (false, None) => Reason::Host,
            };
            let made = if transfer.reset {
                self.backend.trim(transfer.pool, (range.0, range.1), key, &mut self.around)
            } else {
                let serves = Serves { upper: key, migrates, for_write };
                self.submit(transfer.pool, range, serves, reason)
            };
            self.volumes.iter_mut().for_each(|volumes| volumes.sent(key, made));
        } else if let Some(upper) = volumes.answer() {
            self.space_answered(upper)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// A part of the controller fails.
    pub(super) fn lose(&mut self, number: usize) {
        let lost = self.with_controller(|controller, moment| controller.lose(number, moment));
        if lost.flatten() == Some(Lost::Controller) {
            let share = self.controller.as_ref().map_or(1.0, |controller| controller.share_left());
            self.backend.commands.iter_mut().for_each(|commands| commands.limit(share));
        }
    }

    /// A part of the controller is back.
    pub(super) fn regain(&mut self, number: usize) {
        let back = self.with_controller(|controller, moment| controller.regain(number, moment));
        if back.flatten() == Some(Lost::Controller) {
            self.backend.commands.iter_mut().for_each(|commands| commands.restore(self.around.clock.now));
        }
    }

    /// A request enters its workload's path.
    #[inline(never)]
    fn enter_path(&mut self, host: u32, path: usize, (offset, size, write): Range) {
        self.with_paths(|paths, moment| {
            paths.enter(Leaving { host, path, offset, size, write }, moment);
            Next::Nothing
        });
    }

    /// The present step of a request on a path ends.
    pub(super) fn path_event(&mut self, host: u32) -> Result<(), SimError> {
        if let Some(ship) = self.shipment(host) {
            self.with_replication(|replication, moment| replication.proceed(ship, moment));
            return Ok(());
        }
        let next = self.with_paths(|paths, moment| paths.proceed(host, moment));
        self.follow(host, next)
    }

    /// The controller has the buffers for a write.
    pub(super) fn allocated(&mut self, host: u32) -> Result<(), SimError> {
        let next = self.with_paths(|paths, moment| paths.allocated(host, moment));
        self.follow(host, next)
    }

    /// Sends the answer of a request back over its path; returns whether it has one.
    #[inline(never)]
    fn answer_over_path(&mut self, key: u32) -> bool {
        let host = self.hosts.request(key);
        if host.trim || self.hosts.workloads[host.workload as usize].path.is_none() {
            return false;
        }
        self.with_paths(|paths, moment| {
            paths.answered(key, moment);
            Next::Nothing
        });
        true
    }

    /// Executes what a path requests.
    fn follow(&mut self, key: u32, next: Next) -> Result<(), SimError> {
        let host = self.hosts.request(key);
        let workload = host.workload as usize;
        let (offset, size) = self.paths.as_ref().map_or((0, 0), |paths| paths.range(key));
        let range = (offset, size, host.write);
        match next {
            Next::Nothing => Ok(()),
            Next::Allocate => self.come(key, workload, range, Arrives::Command),
            Next::Array => self.come(key, workload, range, Arrives::Whole),
            Next::Done => {
                self.close_sheet(key, &host)?;
                self.complete(key)
            }
        }
    }

    /// A request on a path is done: every nanosecond of it must be booked.
    fn close_sheet(&mut self, key: u32, host: &HostRequest) -> Result<(), SimError> {
        let Some(paths) = &mut self.paths else { return Ok(()) };
        let (now, workload) = (self.around.clock.now, host.workload as usize);
        let window = self.around.observer.window();
        let counted = window.begins(host.arrived) && now <= window.end;
        let response_ns = now - host.arrived;
        let observed = paths.close(key, workload, response_ns, counted);
        if observed.booked != now {
            let booked_ns = observed.booked.saturating_sub(host.arrived);
            return Err(SimError::Unaccounted { workload, response_ns, booked_ns });
        }
        let points = [(Point::Switch, observed.at_hop), (Point::Array, Some(observed.at_array))];
        for (point, span) in points {
            if let Some((from, until)) = span {
                let response = until - from;
                self.around.observer.at_point(now, point, workload, host.write, host.arrived, response);
            }
        }
        Ok(())
    }

    /// Lets the paths act; returns what they request.
    fn with_paths(&mut self, act: impl FnOnce(&mut Paths, &mut path::Moment<'_>) -> Next) -> Next {
        let Some(paths) = &mut self.paths else { return Next::Nothing };
        let (now, window) = (self.around.clock.now, self.around.observer.window());
        act(paths, &mut path::Moment { now, window, events: &mut self.around.clock.events })
    }

    /// Lets the controller do something.
    pub(super) fn with_controller<T>(
        &mut self,
        act: impl FnOnce(&mut Controller, controller::Moment<'_>) -> T,
    ) -> Option<T> {
        let controller = self.controller.as_deref_mut()?;
        let (now, window) = (self.around.clock.now, self.around.observer.window());
        let sheets = self.paths.as_deref_mut().map(|paths| &mut paths.sheets);
        let events = &mut self.around.clock.events;
        Some(act(controller, controller::Moment { now, window, events, sheets }))
    }

    /// Something of a library ends.
    pub(super) fn library_event(&mut self, number: u32) -> Result<(), SimError> {
        self.with_libraries(|libraries, moment| libraries.handle(number, moment));
        while let Some(host) = self.libraries.as_mut().and_then(|libraries| libraries.answer()) {
            self.part_done(host)?;
        }
        Ok(())
    }

    /// Lets libraries write out what is buffered, and says whether all is.
    pub(super) fn libraries_wound_down(&mut self) -> bool {
        self.with_libraries(Libraries::wind_down).unwrap_or(true)
    }

    /// Lets the libraries do something.
    fn with_libraries<T>(
        &mut self,
        act: impl FnOnce(&mut Libraries, &mut library::Moment<'_>) -> T,
    ) -> Option<T> {
        let libraries = self.libraries.as_deref_mut()?;
        let Surroundings { clock, observer, .. } = &mut self.around;
        Some(act(libraries, &mut library::Moment { clock, observer }))
    }

    /// Lets the volume layer do something.
    pub(super) fn with_volumes(&mut self, act: impl FnOnce(&mut Volumes, volume::Moment<'_>)) {
        let Some(volumes) = &mut self.volumes else { return };
        let (now, window) = (self.around.clock.now, self.around.observer.window());
        let (events, drives) = (&mut self.around.clock.events, &self.backend.drives[..]);
        act(volumes, volume::Moment { now, window, events, drives });
    }
}
