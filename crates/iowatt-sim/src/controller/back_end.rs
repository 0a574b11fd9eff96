//! Requests of the controller to the pools behind it, and who waits for them.

use crate::slab::Slab;
use std::collections::VecDeque;

/// Key of nothing.
pub const NONE: u32 = u32::MAX;

/// What a back-end request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A host request, or a part of one, that passes the cache by.
    Pass,
    /// Lines are filled with what a read misses.
    Fetch,
    /// Lines are filled ahead of reads.
    ReadAhead,
    /// A dirty line is filled, so that it can be written whole.
    Fill,
    /// Dirty lines are written.
    Destage,
}

/// A range of one pool to be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackEndRequest {
    /// What for.
    pub purpose: Purpose,
    /// The pool.
    pub pool: u32,
    /// First byte in it.
    pub from: u64,
    /// One past the last byte.
    pub until: u64,
    /// Direction.
    pub write: bool,
    /// Drive operations that have not completed.
    ops_left: u32,
    /// The visit that asked for it, or [`NONE`].
    owner: u32,
    /// Visits that joined later: key of the first [`Waiter`], or [`NONE`].
    joined: u32,
}

impl BackEndRequest {
    /// Whether it writes, or reads so that something can be written.
    #[must_use]
    pub fn is_for_write(&self) -> bool {
        self.write || self.purpose == Purpose::Fill
    }
}

/// A visit that waits for what another one asked for.
#[derive(Clone, Copy, Debug)]
struct Waiter {
    visit: u32,
    next: u32,
}

/// Back-end requests under way. Nothing is allocated for one in steady state.
#[derive(Debug, Default)]
pub struct BackEnd {
    requests: Slab<BackEndRequest>,
    waiters: Slab<Waiter>,
    /// Opened and not yet taken by the engine.
    unsent: VecDeque<u32>,
}

impl BackEnd {
    /// Asks for bytes `from..until` of a pool, on behalf of visit `owner` or of nobody.
    pub fn open(&mut self, purpose: Purpose, pool: u32, range: (u64, u64), write: bool, owner: u32) -> u32 {
        let (from, until) = range;
        let request = BackEndRequest { purpose, pool, from, until, write, ops_left: 0, owner, joined: NONE };
        let key = self.requests.insert(request);
        self.unsent.push_back(key);
        key
    }

    /// Makes an unsent request longer where `from..until` of the same kind continues it.
    pub fn extend(&mut self, key: u32, purpose: Purpose, (from, until): (u64, u64)) -> bool {
        let request = self.requests.get_mut(key);
        let continues = request.purpose == purpose && request.until == from;
        if continues {
            request.until = until;
        }
        continues
    }

    /// Visit `visit` waits for request `key` too.
    pub fn join(&mut self, key: u32, visit: u32) {
        let next = self.requests.get(key).joined;
        self.requests.get_mut(key).joined = self.waiters.insert(Waiter { visit, next });
    }

    /// The next request for the engine to hand to its pool; [`Self::sent`] follows.
    pub fn take(&mut self) -> Option<(u32, BackEndRequest)> {
        let key = self.unsent.pop_front()?;
        Some((key, self.requests.get(key)))
    }

    /// Request `key` became `operations` on drives.
    pub fn sent(&mut self, key: u32, operations: u32) {
        self.requests.get_mut(key).ops_left = operations;
    }

    /// `operations` more on drives serve request `key`: they stand in for one that was lost with its drive.
    pub fn add_operations(&mut self, key: u32, operations: u32) {
        self.requests.get_mut(key).ops_left += operations;
    }

    /// A drive operation of request `key` has completed; the request, if it was the last. Who waited for
    /// it is then in `woken`.
    pub fn operation_done(&mut self, key: u32, woken: &mut Vec<u32>) -> Option<BackEndRequest> {
        let request = self.requests.get_mut(key);
        request.ops_left -= 1;
        if request.ops_left > 0 {
            return None;
        }
        let request = self.requests.remove(key);
        if request.owner != NONE {
            woken.push(request.owner);
        }
        let mut next = request.joined;
        while next != NONE {
            let waiter = self.waiters.remove(next);
            woken.push(waiter.visit);
            next = waiter.next;
        }
        Some(request)
    }

    /// Whether nothing is under way.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.requests.is_empty()
    }
}
