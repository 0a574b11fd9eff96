//! Idle periods in bounded memory: the long ones one by one, the short ones counted by length.

use super::IdlePeriod;
use crate::clock::Nanos;

/// Bins of short periods to the octave.
const STEPS: u64 = 16;

/// Periods of one drive that are only counted, in a bin of their lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Periods.
    pub count: u64,
    /// Their sum, nanoseconds.
    pub sum: Nanos,
}

/// All periods one by one while there is room. When there is none, the shorter half is counted by length, and so is every
/// period from then on that is as short. A period that is cut is always kept.
#[derive(Clone, Debug)]
pub struct IdleKept {
    room: usize,
    shortest: Nanos,
    rows: Vec<IdlePeriod>,
    /// By drive, then by bin.
    bins: Vec<Vec<Counted>>,
}

impl IdleKept {
    /// Nothing yet; at most so many periods one by one (more only where more are cut).
    #[must_use]
    pub fn new(room: usize, drives: usize) -> Self {
        Self { room: room.max(1), shortest: 0, rows: Vec::new(), bins: vec![Vec::new(); drives] }
    }

    /// A period ends.
    #[inline]
    pub fn add(&mut self, period: IdlePeriod) {
        if period.length < self.shortest && !period.cut {
            return count(&mut self.bins, &period);
        }
        self.rows.push(period);
        if self.rows.len() >= self.room {
            self.shed();
        }
    }

    /// Whole periods that are shorter than this are counted, all others are rows.
    #[must_use]
    pub fn shortest(&self) -> Nanos {
        self.shortest
    }

    /// The periods kept one by one, each drive's in order of time.
    #[must_use]
    pub fn rows(&self) -> &[IdlePeriod] {
        &self.rows
    }

    /// The others by drive: lowest and highest length of a bin, and what it counts.
    pub fn counted(&self) -> impl Iterator<Item = (usize, Nanos, Nanos, Counted)> {
        self.bins.iter().enumerate().flat_map(|(drive, bins)| {
            let held = bins.iter().enumerate().filter(|(_, counted)| counted.count > 0);
            held.map(move |(bin, &counted)| (drive, lower_edge(bin), lower_edge(bin + 1) - 1, counted))
        })
    }

    #[cold]
    fn shed(&mut self) {
        let mut lengths: Vec<_> = self.rows.iter().filter(|row| !row.cut).map(|row| row.length).collect();
        // Cut periods stay: where they take up the room, there has to be more of it.
        if lengths.len() < self.room / 2 {
            self.room *= 2;
            return;
        }
        let middle = lengths.len() / 2;
        let median = *lengths.select_nth_unstable(middle).1;
        self.shortest = lower_edge(bin_of(median) + 1);
        let (shortest, bins) = (self.shortest, &mut self.bins);
        self.rows.retain(|row| {
            let stays = row.length >= shortest || row.cut;
            if !stays {
                count(bins, row);
            }
            stays
        });
    }
}

#[inline]
fn count(bins: &mut [Vec<Counted>], period: &IdlePeriod) {
    let (bins, bin) = (&mut bins[period.drive as usize], bin_of(period.length));
    if bin >= bins.len() {
        bins.resize(bin + 1, Counted::default());
    }
    bins[bin].count += 1;
    bins[bin].sum += period.length;
}

/// Bin of a length: one for each of the first `STEPS` nanoseconds, then `STEPS` to the octave.
fn bin_of(length: Nanos) -> usize {
    if length < STEPS {
        return length as usize;
    }
    let octave = u64::from(length.ilog2()) - u64::from(STEPS.ilog2());
    (STEPS * octave + (length >> octave)) as usize
}

/// Shortest length of a bin.
fn lower_edge(bin: usize) -> Nanos {
    let bin = bin as u64;
    if bin < 2 * STEPS { bin } else { (STEPS + bin % STEPS) << (bin / STEPS - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(drive: u32, start: Nanos, length: Nanos) -> IdlePeriod {
        IdlePeriod { drive, start, length, cut: false }
    }

    #[test]
    fn all_are_kept_while_there_is_room() {
        let mut kept = IdleKept::new(4, 2);
        (0..3).for_each(|i| kept.add(whole(1, 10 * i, 1 + i)));
        assert_eq!((kept.rows().len(), kept.shortest(), kept.counted().count()), (3, 0, 0));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_long_and_cut_ones_are_rows(
            lengths in prop::collection::vec((0u32..3, 1u64..1 << 40, prop::bool::weighted(0.01)), 1..500)
        ) {
            let mut kept = IdleKept::new(64, 3);
            for (at, &(drive, length, cut)) in lengths.iter().enumerate() {
                kept.add(IdlePeriod { drive, start: at as u64, length, cut });
            }
            let least = kept.shortest();
            let expected: Vec<_> = lengths.iter().filter(|l| l.1 >= least || l.2).map(|l| l.1).collect();
            prop_assert_eq!(kept.rows().iter().map(|row| row.length).collect::<Vec<_>>(), expected);
            prop_assert!(kept.rows().len() < 64 || lengths.iter().filter(|l| l.2).count() >= 16);
            for drive in 0..3 {
                let short = lengths.iter().filter(|l| l.0 == drive && l.1 < least && !l.2);
                let (count, sum) = short.fold((0, 0), |(n, s), l| (n + 1, s + l.1));
                let found = kept.counted().filter(|c| c.0 == drive as usize);
                let found = found.fold((0, 0), |(n, s), c| (n + c.3.count, s + c.3.sum));
                prop_assert_eq!(found, (count, sum));
            }
            for (_, low, high, counted) in kept.counted() {
                prop_assert!(high < least);
                prop_assert!(counted.count * low <= counted.sum && counted.sum <= counted.count * high);
            }
        }

        #[test]
        fn bins_hold_their_lengths(length in 1u64..u64::MAX / 2) {
            let bin = bin_of(length);
            prop_assert!(lower_edge(bin) <= length && length < lower_edge(bin + 1));
        }
    }
}
