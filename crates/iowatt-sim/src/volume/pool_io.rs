//! How the simulator moves bytes for a scheme: transfers to pools, and the requests and transfers in flight.

use super::{Moment, Part};
use crate::clock::Nanos;
use crate::device::Drive;
use crate::event::{Event, EventQueue};
use crate::slab::Slab;
use iowatt_volume::{PoolCounts, VolumeIo};
use std::collections::VecDeque;

/// What waits for a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiter {
    /// The request with this key.
    Request(u32),
    /// The request with this key, and the scheme of a virtual pool, which knows the transfer by its tag.
    Both { request: u32, pool: u32, tag: u64 },
    /// The scheme alone, which knows the transfer by its tag.
    Scheme { pool: u32, tag: u64 },
    /// Nobody.
    Nobody,
}

/// A range of one pool to be read or written.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    owner: Waiter,
    /// The pool.
    pub pool: usize,
    /// First byte in it.
    pub from: u64,
    /// One past the last byte.
    pub until: u64,
    /// Direction.
    pub write: bool,
    /// It gives its bytes up; neither a read nor a write.
    pub reset: bool,
    /// It serves a write, or a read that a write caused.
    for_write: bool,
    /// Drive operations that have not completed.
    ops_left: u32,
}

impl Transfer {
    /// What waits for it.
    #[cfg(test)]
    pub(super) fn owner(&self) -> Waiter {
        self.owner
    }

    /// Whether a write of the layer above caused it: a page that is written in part is read first.
    #[must_use]
    pub fn is_for_write(&self) -> bool {
        self.for_write
    }

    /// Whether it moves data in the background, for no request.
    #[must_use]
    pub fn migrates(&self) -> bool {
        matches!(self.owner, Waiter::Scheme { .. } | Waiter::Nobody)
    }
}

/// A request in flight.
#[derive(Clone, Copy, Debug)]
struct PendingRequest {
    /// Its key in the layer above.
    upper: u32,
    /// Transfers and holds that it waits for.
    waits: u32,
    entered: Nanos,
    /// It is a write, or was caused by one.
    for_write: bool,
}

/// Requests and transfers in flight. In steady state none of them allocates.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    requests: Slab<PendingRequest>,
    transfers: Slab<Transfer>,
    /// Opened, and not yet taken by the engine.
    unsent: VecDeque<u32>,
    /// Keys, in the layer above, of completed requests.
    done: VecDeque<u32>,
}

impl InFlight {
    /// Enters a request, held until its first [`Self::release`].
    pub fn request(&mut self, upper: u32, entered: Nanos, for_write: bool) -> u32 {
        self.requests.insert(PendingRequest { upper, waits: 1, entered, for_write })
    }

    pub fn open(&mut self, owner: Waiter, pool: usize, (from, until, write): (u64, u64, bool)) {
        debug_assert!(from < until, "a transfer moves something");
        let mut for_write = false;
        if let Waiter::Request(request) | Waiter::Both { request, .. } = owner {
            let request = self.requests.get_mut(request);
            request.waits += 1;
            for_write = request.for_write;
        }
        let transfer = Transfer { owner, pool, from, until, write, reset: false, for_write, ops_left: 0 };
        let key = self.transfers.insert(transfer);
        self.unsent.push_back(key);
    }

    /// Opens the reset of a range, for which nobody waits.
    fn open_reset(&mut self, pool: usize, (from, until): (u64, u64)) {
        let owner = Waiter::Nobody;
        let reset =
            Transfer { owner, pool, from, until, write: false, reset: true, for_write: false, ops_left: 0 };
        let key = self.transfers.insert(reset);
        self.unsent.push_back(key);
    }

    pub fn hold(&mut self, request: u32) {
        self.requests.get_mut(request).waits += 1;
    }

    /// Takes back one hold of a request; the last one completes it.
    pub fn release(&mut self, request: u32, moment: &mut Moment<'_>) {
        self.release_at(request, moment.now, moment.events);
    }

    fn release_at(&mut self, key: u32, now: Nanos, events: &mut EventQueue) {
        let request = self.requests.get_mut(key);
        request.waits -= 1;
        if request.waits > 0 {
            return;
        }
        let request = self.requests.remove(key);
        if request.entered == now {
            // Immediate answers go through the event queue, so that any number of them cannot stall the engine's loop.
            events.push(now, Event::Answered(request.upper));
        } else {
            self.done.push_back(request.upper);
        }
    }

    pub fn take(&mut self) -> Option<(u32, Transfer)> {
        let key = self.unsent.pop_front()?;
        Some((key, self.transfers.get(key)))
    }

    pub fn add_operations(&mut self, key: u32, operations: u32) {
        self.transfers.get_mut(key).ops_left += operations;
    }

    /// A transfer was split into so many operations: those of a reset may be none, which ends it.
    pub fn sent(&mut self, key: u32, operations: u32) {
        self.add_operations(key, operations);
        if operations == 0 && self.transfers.get(key).reset {
            self.transfers.remove(key);
        }
    }

    /// Completes a drive operation of a transfer; returns the transfer's waiter if it was the last.
    pub fn operation_done(&mut self, key: u32) -> Option<Waiter> {
        let transfer = self.transfers.get_mut(key);
        transfer.ops_left -= 1;
        (transfer.ops_left == 0).then(|| self.transfers.remove(key).owner)
    }

    pub fn answer(&mut self) -> Option<u32> {
        self.done.pop_front()
    }

    #[cfg(test)]
    pub fn upper(&self, request: u32) -> u32 {
        self.requests.get(request).upper
    }

    pub fn is_idle(&self) -> bool {
        self.requests.is_empty() && self.transfers.is_empty()
    }
}

/// What a scheme may do at the present event.
pub struct PoolIo<'a> {
    pub(super) now: Nanos,
    pub(super) counted: bool,
    pub(super) draining: bool,
    pub(super) number: u32,
    pub(super) parts: &'a [Part],
    pub(super) alarm_at: &'a mut Nanos,
    pub(super) in_flight: &'a mut InFlight,
    pub(super) events: &'a mut EventQueue,
    pub(super) drives: &'a [Drive],
    pub(super) counts: &'a mut PoolCounts,
}

impl PoolIo<'_> {
    fn open(&mut self, owner: Waiter, part: usize, (from, until): (u64, u64), write: bool) {
        let plan = self.parts[part].plan;
        debug_assert!(until <= plan.capacity_bytes, "within the part");
        if self.counted {
            self.counts.parts[part].transferred(until - from, write, matches!(owner, Waiter::Scheme { .. }));
        }
        let range = (plan.offset_bytes + from, plan.offset_bytes + until, write);
        self.in_flight.open(owner, plan.pool, range);
    }
}

impl VolumeIo for PoolIo<'_> {
    fn now(&self) -> Nanos {
        self.now
    }

    fn counted(&self) -> bool {
        self.counted
    }

    fn counts(&mut self) -> Option<&mut PoolCounts> {
        self.counted.then_some(&mut *self.counts)
    }

    fn draining(&self) -> bool {
        self.draining
    }

    fn ready(&self, part: usize) -> bool {
        self.drives[self.parts[part].drives.clone()].iter().all(Drive::is_ready)
    }

    fn transfer(&mut self, request: u32, part: usize, range: (u64, u64), write: bool) {
        self.open(Waiter::Request(request), part, range, write);
    }

    fn transfer_tagged(&mut self, request: u32, tag: u64, part: usize, range: (u64, u64), write: bool) {
        self.open(Waiter::Both { request, pool: self.number, tag }, part, range, write);
    }

    fn background(&mut self, tag: u64, part: usize, range: (u64, u64), write: bool) {
        self.open(Waiter::Scheme { pool: self.number, tag }, part, range, write);
    }

    fn reset(&mut self, part: usize, (from, until): (u64, u64)) {
        let plan = self.parts[part].plan;
        debug_assert!(until <= plan.capacity_bytes, "within the part");
        self.in_flight.open_reset(plan.pool, (plan.offset_bytes + from, plan.offset_bytes + until));
    }

    fn hold(&mut self, request: u32) {
        self.in_flight.hold(request);
    }

    fn release(&mut self, request: u32) {
        self.in_flight.release_at(request, self.now, self.events);
    }

    fn set_alarm(&mut self, at: Nanos) {
        let at = at.max(self.now);
        if at < *self.alarm_at {
            *self.alarm_at = at;
            self.events.push(at, Event::Alarm(self.number));
        }
    }
}
