//! Sensing a page: how long it takes by page type, and whether it has to be done again.

use crate::clock::{Nanos, nanos};
use crate::plan::FlashPlan;
use crate::rng::KeyedDraws;

/// Most senses of a page for one read.
const MOST: u64 = 8;

/// Sensing a page of one type.
#[derive(Clone, Copy, Debug)]
pub struct Sense {
    /// From its start to the data in the register.
    pub takes: Nanos,
    /// How long a read of the host keeps other work of the die away.
    pub holds: Nanos,
}

/// Sensing of all page types of a drive.
#[derive(Clone, Debug)]
pub struct Senses {
    types: Vec<Sense>,
    retries: f64,
    draws: KeyedDraws,
}

impl Senses {
    /// Of the flash of `plan`.
    #[must_use]
    pub fn new(plan: &FlashPlan, draws: KeyedDraws) -> Self {
        let whole = [plan.read_s];
        let by_page = if plan.read_by_page_s.is_empty() { &whole[..] } else { &plan.read_by_page_s };
        let mean_s = by_page.iter().sum::<f64>() / by_page.len() as f64;
        let share = plan.read_hold_s.map_or(1.0, |hold_s| hold_s / mean_s);
        let sense =
            |&takes_s: &f64| Sense { takes: nanos(takes_s).max(1), holds: nanos(takes_s * share).max(1) };
        Self { types: by_page.iter().map(sense).collect(), retries: plan.retries, draws }
    }

    /// That of the pages of a row: the rows of a block go through the types in turn.
    #[inline]
    #[must_use]
    pub fn of(&self, row: u32) -> Sense {
        match self.types.as_slice() {
            [only] => *only,
            types => types[row as usize % types.len()],
        }
    }

    /// The mean over the page types.
    #[must_use]
    pub fn mean(&self) -> Nanos {
        self.types.iter().map(|sense| sense.takes).sum::<Nanos>() / self.types.len().max(1) as Nanos
    }

    /// How often a page is sensed on the occasion of `words`.
    #[inline]
    #[must_use]
    pub fn times(&self, words: [u64; 3]) -> u64 {
        if self.retries == 0.0 {
            return 1;
        }
        let drawn = self.draws.unit(words);
        if drawn >= self.retries { 1 } else { self.more(drawn) }
    }

    /// The draw that came below the share of retries decides about further ones.
    #[cold]
    fn more(&self, drawn: f64) -> u64 {
        let (mut times, mut bound) = (2, self.retries * self.retries);
        while times < MOST && drawn < bound {
            (times, bound) = (times + 1, bound * self.retries);
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Component;

    fn senses(takes: &[f64], share: f64, retries: f64) -> Senses {
        let sense = |&s: &f64| Sense { takes: nanos(s), holds: nanos(s * share) };
        let draws = KeyedDraws::new(1, Component::SsdLatency, 0);
        Senses { types: takes.iter().map(sense).collect(), retries, draws }
    }

    #[test]
    fn rows_go_through_the_page_types() {
        let senses = senses(&[40e-6, 60e-6, 100e-6], 1.5, 0.0);
        let takes: Vec<Nanos> = (0..5).map(|row| senses.of(row).takes).collect();
        assert_eq!(takes, [40_000, 60_000, 100_000, 40_000, 60_000]);
        assert_eq!(senses.of(4).holds, 90_000);
        assert_eq!(senses.times([1, 2, 3]), 1);
    }

    /// A tenth is sensed again, a tenth of that a third time.
    #[test]
    fn retries_are_a_share_of_the_senses_and_depend_on_the_occasion() {
        let senses = senses(&[50e-6], 1.0, 0.1);
        let times: Vec<u64> = (0..100_000).map(|i| senses.times([i, 5, 0])).collect();
        let share = |least: u64| times.iter().filter(|&&n| n >= least).count() as f64 / 1e5;
        // 3 sigma of 0.1 and 0.01 in 100,000 are 0.003 and 0.001.
        assert!(
            (share(2) - 0.1).abs() < 0.003 && (share(3) - 0.01).abs() < 0.001,
            "{} {}",
            share(2),
            share(3)
        );
        assert_eq!(times, (0..100_000).map(|i| senses.times([i, 5, 0])).collect::<Vec<_>>());
        assert!(times.iter().all(|&n| n <= MOST));
    }
}
