//! The ledger of a part of a run, and its addition to that of the run.

use super::{Added, Ledger, Window};
use crate::power::CAUSES;
use std::sync::Arc;

impl Ledger {
    /// An empty one for a part of the same run, observed over `window`.
    #[must_use]
    pub fn part(&self, window: Window) -> Self {
        Self::new(window, self.ladders.iter().map(Arc::clone).collect())
    }

    /// Adds what a part of the run booked.
    pub fn absorb(&mut self, part: &Self) {
        let Self { window: _, ladders: _, time, further, dark, added } = part;
        let add =
            |to: &mut [u64; CAUSES], from: &[u64; CAUSES]| to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        for (drive, times) in time.iter().enumerate() {
            self.time[drive].iter_mut().zip(times).for_each(|(to, from)| add(to, from));
            self.further[drive].iter_mut().zip(&further[drive]).for_each(|(to, from)| add(to, from));
            self.dark[drive] += dark[drive];
            let Added { by_cause, by_operation } = &added[drive];
            let sums = &mut self.added[drive];
            sums.by_cause.iter_mut().zip(by_cause).for_each(|(a, b)| *a += b);
            sums.by_operation.iter_mut().zip(by_operation).for_each(|(a, b)| *a += b);
        }
    }
}
