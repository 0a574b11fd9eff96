//! The desk that a scheme works at: what it may ask of the pools, and the books of what is under way.

use super::{Moment, Part, Tally};
use crate::clock::Nanos;
use crate::device::Drive;
use crate::event::{Event, EventQueue};
use crate::slab::Slab;
use std::collections::VecDeque;

/// A request of the layer above on bytes `from..until` of a virtual pool.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Its key at the desk.
    pub key: u32,
    /// First byte.
    pub from: u64,
    /// One past the last byte.
    pub until: u64,
    /// Direction.
    pub write: bool,
}

/// Who waits for a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The request with this key.
    Ask(u32),
    /// The request with this key, and a scheme that wants to know, by its tag.
    Both { ask: u32, room: u32, tag: u64 },
    /// A scheme, which knows it by its tag.
    Scheme { room: u32, tag: u64 },
}

/// A range of one pool to be read or written.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    owner: Owner,
    /// The pool.
    pub pool: usize,
    /// First byte in it.
    pub from: u64,
    /// One past the last byte.
    pub until: u64,
    /// Direction.
    pub write: bool,
    /// A request that waits for it is a write, or was made for one.
    for_write: bool,
    /// Drive operations that have not completed.
    ops_left: u32,
}

impl Transfer {
    /// Who waits for it.
    #[cfg(test)]
    pub(super) fn owner(&self) -> Owner {
        self.owner
    }

    /// Whether a write of the layer above led to it: a page that is written in part is read first.
    #[must_use]
    pub fn is_for_write(&self) -> bool {
        self.for_write
    }

    /// Whether it moves data on behalf of no request.
    #[must_use]
    pub fn migrates(&self) -> bool {
        matches!(self.owner, Owner::Scheme { .. })
    }
}

/// A request under way.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// Its key in the layer above.
    upper: u32,
    /// Transfers and holds that it waits for.
    waits: u32,
    entered: Nanos,
    /// It is a write, or was made for one.
    for_write: bool,
}

/// Requests and transfers under way. Nothing is allocated for one in steady state.
#[derive(Debug, Default)]
pub(super) struct Books {
    asks: Slab<Asked>,
    transfers: Slab<Transfer>,
    /// Opened and not yet taken by the engine.
    unsent: VecDeque<u32>,
    /// Keys in the layer above of what is done.
    done: VecDeque<u32>,
}

impl Books {
    /// A request enters, held until its first [`Self::release`].
    pub fn ask(&mut self, upper: u32, entered: Nanos, for_write: bool) -> u32 {
        self.asks.insert(Asked { upper, waits: 1, entered, for_write })
    }

    pub fn open(&mut self, owner: Owner, pool: usize, (from, until, write): (u64, u64, bool)) {
        debug_assert!(from < until, "a transfer moves something");
        let mut for_write = false;
        if let Owner::Ask(ask) | Owner::Both { ask, .. } = owner {
            let ask = self.asks.get_mut(ask);
            ask.waits += 1;
            for_write = ask.for_write;
        }
        let transfer = Transfer { owner, pool, from, until, write, for_write, ops_left: 0 };
        let key = self.transfers.insert(transfer);
        self.unsent.push_back(key);
    }

    pub fn hold(&mut self, ask: u32) {
        self.asks.get_mut(ask).waits += 1;
    }

    /// One thing less that a request waits for; its answer is ready if it was the last.
    pub fn release(&mut self, ask: u32, moment: &mut Moment<'_>) {
        self.release_at(ask, moment.now, moment.events);
    }

    fn release_at(&mut self, key: u32, now: Nanos, events: &mut EventQueue) {
        let ask = self.asks.get_mut(key);
        ask.waits -= 1;
        if ask.waits > 0 {
            return;
        }
        let ask = self.asks.remove(key);
        if ask.entered == now {
            // Answers at once go through the event queue: no number of them holds up the engine's loop.
            events.push(now, Event::Answered(ask.upper));
        } else {
            self.done.push_back(ask.upper);
        }
    }

    pub fn take(&mut self) -> Option<(u32, Transfer)> {
        let key = self.unsent.pop_front()?;
        Some((key, self.transfers.get(key)))
    }

    pub fn add_operations(&mut self, key: u32, operations: u32) {
        self.transfers.get_mut(key).ops_left += operations;
    }

    /// A drive operation of a transfer has completed; whose it was, if it was the last.
    pub fn operation_done(&mut self, key: u32) -> Option<Owner> {
        let transfer = self.transfers.get_mut(key);
        transfer.ops_left -= 1;
        (transfer.ops_left == 0).then(|| self.transfers.remove(key).owner)
    }

    pub fn answer(&mut self) -> Option<u32> {
        self.done.pop_front()
    }

    #[cfg(test)]
    pub fn upper(&self, ask: u32) -> u32 {
        self.asks.get(ask).upper
    }

    pub fn is_idle(&self) -> bool {
        self.asks.is_empty() && self.transfers.is_empty()
    }
}

/// What a scheme may do, now.
pub struct Desk<'a> {
    pub(super) now: Nanos,
    pub(super) counted: bool,
    pub(super) over: bool,
    pub(super) room: u32,
    pub(super) parts: &'a [Part],
    pub(super) alarm_at: &'a mut Nanos,
    pub(super) books: &'a mut Books,
    pub(super) events: &'a mut EventQueue,
    pub(super) drives: &'a [Drive],
    pub(super) tally: &'a mut Tally,
}

impl Desk<'_> {
    /// The time.
    #[must_use]
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Whether what happens now is within the observed window.
    #[must_use]
    pub fn counted(&self) -> bool {
        self.counted
    }

    /// Whether the last host request is done: what is under way may end, nothing new starts.
    #[must_use]
    pub fn over(&self) -> bool {
        self.over
    }

    /// Request `ask` waits for bytes `from..until` of a part to be read or written.
    pub fn pass(&mut self, ask: u32, part: usize, from: u64, until: u64, write: bool) {
        self.open(Owner::Ask(ask), part, (from, until, write));
    }

    /// As [`Self::pass`], and [`Scheme::passed`](super::Scheme::passed) gets `tag` when it is done, before the request is.
    pub fn pass_tagged(&mut self, ask: u32, tag: u64, part: usize, from: u64, until: u64, write: bool) {
        self.open(Owner::Both { ask, room: self.room, tag }, part, (from, until, write));
    }

    /// Bytes `from..until` of a part are read or written on behalf of no request; [`Scheme::moved`](super::Scheme::moved)
    /// gets `tag` when that is done.
    pub fn own(&mut self, tag: u64, part: usize, from: u64, until: u64, write: bool) {
        self.open(Owner::Scheme { room: self.room, tag }, part, (from, until, write));
    }

    fn open(&mut self, owner: Owner, part: usize, (from, until, write): (u64, u64, bool)) {
        let plan = self.parts[part].plan;
        debug_assert!(until <= plan.capacity_bytes, "within the part");
        if self.counted {
            self.tally.parts[part].transferred(until - from, write, matches!(owner, Owner::Scheme { .. }));
        }
        let range = (plan.offset_bytes + from, plan.offset_bytes + until, write);
        self.books.open(owner, plan.pool, range);
    }

    /// Request `ask` is not done before a [`Self::release`] more.
    pub fn hold(&mut self, ask: u32) {
        self.books.hold(ask);
    }

    /// Takes one [`Self::hold`] back.
    pub fn release(&mut self, ask: u32) {
        self.books.release_at(ask, self.now, self.events);
    }

    /// The books of what is counted, where what happens now counts.
    pub fn tally(&mut self) -> Option<&mut Tally> {
        self.counted.then_some(&mut *self.tally)
    }

    /// The drives of the pool that a part lies on.
    #[must_use]
    pub fn drives(&self, part: usize) -> &[Drive] {
        &self.drives[self.parts[part].drives.clone()]
    }
}
