//! The ledger of a part of a run, and its addition to that of the run.

use super::{Added, Ledger, Window};
use crate::clock::Nanos;
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
        for (drive, times) in time.iter().enumerate() {
            add_all(self.time[drive].as_flattened_mut(), times.as_flattened());
            let levels = self.further[drive].iter_mut().zip(&further[drive]);
            levels.for_each(|(to, from)| add_all(to, from));
            self.dark[drive] += dark[drive];
            let Added { by_cause, by_operation } = &added[drive];
            let sums = &mut self.added[drive];
            sums.by_cause.iter_mut().zip(by_cause).for_each(|(a, b)| *a += b);
            sums.by_operation.iter_mut().zip(by_operation).for_each(|(a, b)| *a += b);
        }
    }
}

fn add_all(to: &mut [Nanos], from: &[Nanos]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}
