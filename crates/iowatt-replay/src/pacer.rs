//! Sends each request when it is due, as far as the bound of outstanding requests lets it.

use crate::schedule::Schedule;
use crate::work::{Io, Work};

/// A clock and a target. Times are ns from the beginning.
pub trait Driver {
    /// Now.
    fn now(&mut self) -> u64;
    /// Requests that were sent and have not completed.
    fn in_flight(&self) -> usize;
    /// Sends a request; does not wait for its completion.
    fn send(&mut self, number: u64, due_ns: u64, io: Io);
    /// Waits until `until` (no longer than a driver likes), or until other than `wake` requests are in flight.
    fn wait(&mut self, until: Option<u64>, wake: Option<usize>);
    /// Number and time of each request that completed since it was last asked.
    fn collect(&mut self, each: &mut dyn FnMut(u64, u64));
    /// Whether to end early.
    fn stopped(&self) -> bool;
}

/// Sends all requests of the schedule, at most `depth` outstanding, and waits for their completion. Gives how many were
/// sent: all, unless the driver was stopped.
pub fn pace(work: &Work, schedule: &mut Schedule<'_>, driver: &mut impl Driver, depth: usize) -> u64 {
    let listens = schedule.listens();
    let mut sent = 0;
    while !driver.stopped() {
        // Before completions are collected: one that comes behind that must not be waited for.
        let in_flight = driver.in_flight();
        if listens {
            driver.collect(&mut |number, done| schedule.completed(number, done));
        }
        match schedule.peek() {
            None if sent == schedule.total() || !listens => break,
            None => driver.wait(None, Some(in_flight)),
            Some(_) if in_flight >= depth => driver.wait(None, Some(in_flight)),
            Some((due, number)) => {
                if driver.now() < due {
                    driver.wait(Some(due), listens.then_some(in_flight));
                } else {
                    schedule.advance();
                    driver.send(number, due, work.io(number));
                    sent += 1;
                }
            }
        }
    }
    loop {
        let in_flight = driver.in_flight();
        if in_flight == 0 || driver.stopped() {
            return sent;
        }
        driver.wait(None, Some(in_flight));
    }
}
