//! What a bus counted in a part of a run.

use super::Bus;
use crate::clock::Nanos;

/// Counts over the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    transfers: u64,
    busy: Nanos,
    waited: Nanos,
}

impl Bus {
    /// What has been counted since the last call.
    pub fn take_counts(&mut self) -> Counts {
        let counts = Counts { transfers: self.transfers, busy: self.busy, waited: self.waited };
        (self.transfers, self.busy, self.waited) = (0, 0, 0);
        counts
    }

    /// Adds what was counted in a part.
    pub fn absorb(&mut self, Counts { transfers, busy, waited }: Counts) {
        self.transfers += transfers;
        self.busy += busy;
        self.waited += waited;
    }

    /// Takes over the reservations of the bus in the last part, which the end of the run may cut.
    pub fn succeed(&mut self, last: Self) {
        (self.reserved, self.last) = (last.reserved, last.last);
    }
}
