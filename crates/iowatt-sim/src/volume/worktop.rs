//! What the schemes that move data for the sake of power ask of the desk. It is a trait so that tests can stand in for pools and
//! drives, and hold every sector's contents against what was written.

use super::{Ask, Desk, Tally};
use crate::clock::Nanos;

/// A desk, or what a test takes for one.
///
/// The schemes rest on one thing: a pool serves overlapping transfers in the order in which it was handed them, as arrays
/// ensure with range locks.
pub trait Worktop {
    /// See [`Desk::now`].
    fn now(&self) -> Nanos;
    /// See [`Desk::counted`].
    fn counted(&self) -> bool;
    /// See [`Desk::tally`].
    fn tally(&mut self) -> Option<&mut Tally>;
    /// See [`Desk::over`].
    fn over(&self) -> bool;
    /// Whether all drives of a part serve at once: none stands by, or is on its way.
    fn ready(&self, part: usize) -> bool;
    /// See [`Desk::pass`].
    fn pass(&mut self, ask: u32, part: usize, range: (u64, u64), write: bool);
    /// See [`Desk::pass_tagged`].
    fn pass_tagged(&mut self, ask: u32, tag: u64, part: usize, range: (u64, u64), write: bool);
    /// See [`Desk::own`].
    fn own(&mut self, tag: u64, part: usize, range: (u64, u64), write: bool);
    /// See [`Desk::hold`].
    fn hold(&mut self, ask: u32);
    /// See [`Desk::release`].
    fn release(&mut self, ask: u32);
    /// See [`Desk::set_alarm`].
    fn set_alarm(&mut self, at: Nanos);
}

impl Worktop for Desk<'_> {
    fn now(&self) -> Nanos {
        Desk::now(self)
    }

    fn counted(&self) -> bool {
        Desk::counted(self)
    }

    fn tally(&mut self) -> Option<&mut Tally> {
        Desk::tally(self)
    }

    fn over(&self) -> bool {
        Desk::over(self)
    }

    fn ready(&self, part: usize) -> bool {
        self.drives(part).iter().all(|drive| drive.is_ready())
    }

    fn pass(&mut self, ask: u32, part: usize, (from, until): (u64, u64), write: bool) {
        Desk::pass(self, ask, part, from, until, write);
    }

    fn pass_tagged(&mut self, ask: u32, tag: u64, part: usize, (from, until): (u64, u64), write: bool) {
        Desk::pass_tagged(self, ask, tag, part, from, until, write);
    }

    fn own(&mut self, tag: u64, part: usize, (from, until): (u64, u64), write: bool) {
        Desk::own(self, tag, part, from, until, write);
    }

    fn hold(&mut self, ask: u32) {
        Desk::hold(self, ask);
    }

    fn release(&mut self, ask: u32) {
        Desk::release(self, ask);
    }

    fn set_alarm(&mut self, at: Nanos) {
        Desk::set_alarm(self, at);
    }
}

/// Lets a scheme take a request, and counts on which parts its bytes were.
pub fn counting(ask: &Ask, desk: &mut Desk<'_>, take: impl FnOnce(&mut Desk<'_>)) {
    if let Some(tally) = desk.tally() {
        tally.begin();
    }
    take(desk);
    if let Some(tally) = desk.tally() {
        tally.end(ask.until - ask.from, ask.write);
    }
}

/// Lets a scheme take a request that it tells the place of itself: what it transfers is more than the request.
pub fn counting_told(ask: &Ask, desk: &mut Desk<'_>, take: impl FnOnce(&mut Desk<'_>)) {
    if let Some(tally) = desk.tally() {
        tally.begin_told(ask.write);
    }
    take(desk);
    if let Some(tally) = desk.tally() {
        tally.end_told(ask.until - ask.from, ask.write);
    }
}
