//! Where operations' energy goes: to the ledger as they are carried out, or through a power cap.

use super::limit::Limit;
use crate::clock::Nanos;
use crate::observe::Observer;
use crate::power::{Cause, FlashOperation};

/// The ledger as one drive sees it.
#[derive(Debug)]
pub struct Meter<'a> {
    observer: Option<&'a mut Observer>,
    drive: usize,
    limit: Option<&'a mut Limit>,
    now: Nanos,
    /// Of a meter of nobody's: used, and owed.
    sums: (f64, f64),
}

impl<'a> Meter<'a> {
    /// The meter of a drive at `now`, behind its power cap where it has one.
    #[must_use]
    pub fn new(observer: &'a mut Observer, drive: usize, limit: Option<&'a mut Limit>, now: Nanos) -> Self {
        Self { observer: Some(observer), drive, limit, now, sums: (0.0, 0.0) }
    }

    /// A meter that only adds up.
    #[cfg(test)]
    pub fn nobody() -> Self {
        Self { observer: None, drive: 0, limit: None, now: 0, sums: (0.0, 0.0) }
    }

    /// Joules used and owed, of a meter of nobody's.
    #[cfg(test)]
    pub fn billed(&self) -> (f64, f64) {
        self.sums
    }

    /// Energy that will be used: a power cap lets it through in order.
    #[inline]
    pub fn owe(&mut self, cause: Cause, operation: FlashOperation, joules: f64) {
        match (&mut self.limit, &mut self.observer) {
            (Some(limit), Some(observer)) => {
                limit.add(self.now, cause, operation, joules, observer, self.drive)
            }
            (_, None) => self.sums.1 += joules,
            _ => {}
        }
    }

    /// Energy used over a span. (Behind a power cap it is booked as that lets it through.)
    #[inline]
    pub fn use_energy(
        &mut self,
        cause: Cause,
        operation: FlashOperation,
        joules: f64,
        from: Nanos,
        until: Nanos,
    ) {
        match &mut self.observer {
            None => self.sums.0 += joules,
            Some(observer) if self.limit.is_none() => {
                observer.add_energy(self.drive, cause, operation, joules, (from, until));
            }
            Some(_) => {}
        }
    }

    /// When a power cap has let all through that is owed; the present without one.
    #[must_use]
    pub fn free_at(&self) -> Nanos {
        self.limit.as_ref().map_or(0, |limit| limit.free_at())
    }
}
