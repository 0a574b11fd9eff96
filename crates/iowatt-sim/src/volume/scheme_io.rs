//! What schemes that move data use of [`PoolIo`]: a trait, so that tests can replace pools and drives by a model that
//! checks the contents of every sector.

use super::{PoolCounts, PoolIo, VolumeRequest};
use crate::clock::Nanos;

/// [`PoolIo`], or a test's model of it.
///
/// The schemes rely on one property: a pool serves overlapping transfers in the order in which it receives them, as arrays
/// ensure with range locks.
pub trait SchemeIo {
    /// See [`PoolIo::now`].
    fn now(&self) -> Nanos;
    /// See [`PoolIo::counted`].
    fn counted(&self) -> bool;
    /// See [`PoolIo::counts`].
    fn counts(&mut self) -> Option<&mut PoolCounts>;
    /// See [`PoolIo::draining`].
    fn draining(&self) -> bool;
    /// Whether all drives of a part can serve at once: none is in standby or in transition.
    fn ready(&self, part: usize) -> bool;
    /// See [`PoolIo::transfer`].
    fn transfer(&mut self, request: u32, part: usize, range: (u64, u64), write: bool);
    /// See [`PoolIo::transfer_tagged`].
    fn transfer_tagged(&mut self, request: u32, tag: u64, part: usize, range: (u64, u64), write: bool);
    /// See [`PoolIo::background`].
    fn background(&mut self, tag: u64, part: usize, range: (u64, u64), write: bool);
    /// See [`PoolIo::transfer_joined`].
    fn transfer_joined(&mut self, requests: &[u32], tag: u64, part: usize, range: (u64, u64));
    /// See [`PoolIo::reset`].
    fn reset(&mut self, part: usize, range: (u64, u64));
    /// See [`PoolIo::hold`].
    fn hold(&mut self, request: u32);
    /// See [`PoolIo::release`].
    fn release(&mut self, request: u32);
    /// See [`PoolIo::set_alarm`].
    fn set_alarm(&mut self, at: Nanos);
}

impl SchemeIo for PoolIo<'_> {
    fn now(&self) -> Nanos {
        PoolIo::now(self)
    }

    fn counted(&self) -> bool {
        PoolIo::counted(self)
    }

    fn counts(&mut self) -> Option<&mut PoolCounts> {
        PoolIo::counts(self)
    }

    fn draining(&self) -> bool {
        PoolIo::draining(self)
    }

    fn ready(&self, part: usize) -> bool {
        self.drives(part).iter().all(|drive| drive.is_ready())
    }

    fn transfer(&mut self, request: u32, part: usize, (from, until): (u64, u64), write: bool) {
        PoolIo::transfer(self, request, part, from, until, write);
    }

    fn transfer_tagged(
        &mut self,
        request: u32,
        tag: u64,
        part: usize,
        (from, until): (u64, u64),
        write: bool,
    ) {
        PoolIo::transfer_tagged(self, request, tag, part, from, until, write);
    }

    fn background(&mut self, tag: u64, part: usize, (from, until): (u64, u64), write: bool) {
        PoolIo::background(self, tag, part, from, until, write);
    }

    fn transfer_joined(&mut self, requests: &[u32], tag: u64, part: usize, range: (u64, u64)) {
        PoolIo::transfer_joined(self, requests, tag, part, range);
    }

    fn reset(&mut self, part: usize, range: (u64, u64)) {
        PoolIo::reset(self, part, range);
    }

    fn hold(&mut self, request: u32) {
        PoolIo::hold(self, request);
    }

    fn release(&mut self, request: u32) {
        PoolIo::release(self, request);
    }

    fn set_alarm(&mut self, at: Nanos) {
        PoolIo::set_alarm(self, at);
    }
}

/// Submits a request to a scheme, and counts its hits by the transfers that the scheme opens.
pub fn counting(request: &VolumeRequest, io: &mut PoolIo<'_>, take: impl FnOnce(&mut PoolIo<'_>)) {
    if let Some(counts) = io.counts() {
        counts.begin();
    }
    take(io);
    if let Some(counts) = io.counts() {
        counts.end(request.until - request.from, request.write);
    }
}

/// Submits a request to a scheme that reports itself where the bytes were, because it transfers more than the request.
pub fn counting_located(request: &VolumeRequest, io: &mut PoolIo<'_>, take: impl FnOnce(&mut PoolIo<'_>)) {
    if let Some(counts) = io.counts() {
        counts.begin_located(request.write);
    }
    take(io);
    if let Some(counts) = io.counts() {
        counts.end_located(request.until - request.from, request.write);
    }
}
