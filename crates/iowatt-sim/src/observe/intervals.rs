//! The course of a run over time, in intervals.
//!
//! Memory is bounded: when there would be too many intervals, neighbours are joined and the width doubles.

mod merge;

use crate::clock::Nanos;
use crate::power::{Ladder, Slot, Window, joules_of};
use crate::state::{STATES, State};
use std::sync::Arc;

/// Intervals kept at most where the width was left to us.
const MOST_AUTOMATIC: usize = 1_024;
/// Intervals kept at most of a width that was asked for.
const MOST_ASKED: usize = 20_000;

/// Response-time bins of an interval: sixteen to the octave, from 1 us to 13 days.
const BINS: usize = 16 * 40;

/// A span that holds no time, not even an empty span.
const NO_ROW: (usize, Nanos, Nanos) = (0, Nanos::MAX, 0);

/// Sums over one interval.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interval {
    /// Requests that arrived.
    pub arrivals: u64,
    /// Requests that completed: reads, writes.
    pub completed: [u64; 2],
    /// Their bytes.
    pub bytes: [u64; 2],
    /// Sum of their response times.
    pub response: u128,
    /// The longest of them.
    pub longest: Nanos,
    /// Integral of the requests in flight, nanoseconds.
    pub in_flight: u128,
    /// Integral of the operations at all drives, nanoseconds.
    pub queued: u128,
    /// Joules that active drives used beyond what being active draws.
    pub used: f64,
}

/// All intervals of a run, from the start of its window.
#[derive(Clone, Debug)]
pub struct Intervals {
    start: Nanos,
    width: Nanos,
    most: usize,
    /// Number of the first row: 0 but in the record of a part of a run.
    first: usize,
    rows: Vec<Interval>,
    /// `BINS` counters a row.
    bins: Vec<u32>,
    /// Slots of all kinds of drives: watts, and the number of the reported state.
    slots: Vec<(f64, usize)>,
    /// The first slot of each drive's kind.
    first_slot: Vec<usize>,
    /// The first slot of work at processors, of which each kind of nodes has one.
    first_work: usize,
    /// Time of the drives in each slot: so many a row. (Joules would be rounded at every change of state.)
    times: Vec<Nanos>,
    /// The row asked for last and its span: nearly always the next one asked for, too.
    recent: (usize, Nanos, Nanos),
}

impl Intervals {
    /// Intervals of `width` from `start`; without a width, of 1 s and wider as the run grows longer. The drives have the
    /// given levels.
    #[must_use]
    pub fn new(start: Nanos, width: Option<Nanos>, ladders: &[Arc<Ladder>]) -> Self {
        let (mut slots, mut first_slot) = (Vec::new(), Vec::new());
        let mut kinds: Vec<(&Arc<Ladder>, usize)> = Vec::new();
        for ladder in ladders {
            let known = kinds.iter().find(|(kind, _)| Arc::ptr_eq(kind, ladder)).map(|&(_, first)| first);
            first_slot.push(known.unwrap_or_else(|| {
                kinds.push((ladder, slots.len()));
                slots.extend(ladder.slots());
                slots.len() - ladder.slots().count()
            }));
        }
        let most = if width.is_some() { MOST_ASKED } else { MOST_AUTOMATIC };
        let width = width.unwrap_or(1_000_000_000).max(1);
        let first_work = slots.len();
        Self {
            start,
            width,
            most,
            first: 0,
            rows: Vec::new(),
            bins: Vec::new(),
            slots,
            first_slot,
            first_work,
            times: Vec::new(),
            recent: NO_ROW,
        }
    }

    /// Records the work of the processors of so many kinds of nodes, too.
    pub fn with_workers(&mut self, kinds: usize) {
        // No energy of a drive: of no watts and no reported state.
        self.slots.resize(self.first_work + kinds, (0.0, usize::MAX));
    }

    /// Width in use.
    #[must_use]
    pub fn width(&self) -> Nanos {
        self.width
    }

    /// The intervals, with the times at which they start.
    pub fn rows(&self) -> impl Iterator<Item = (Nanos, &Interval)> {
        self.rows.iter().enumerate().map(|(i, row)| (self.start + i as u64 * self.width, row))
    }

    /// Response times below which the given fractions of interval `index` lie, in ascending order (upper edges of their bins, at
    /// most 6.3 % above the true values and never above the longest), or 0 where nothing completed.
    #[must_use]
    pub fn quantiles<const N: usize>(&self, index: usize, fractions: [f64; N]) -> [Nanos; N] {
        let bins = &self.bins[index * BINS..(index + 1) * BINS];
        let total: u64 = bins.iter().map(|&n| u64::from(n)).sum();
        let ranks = fractions.map(|q| ((q * total as f64).ceil() as u64).max(1));
        let (mut found, mut next, mut below) = ([0; N], 0, 0);
        for (bin, &n) in bins.iter().enumerate() {
            below += u64::from(n);
            while next < N && n > 0 && below >= ranks[next] {
                found[next] = upper_edge(bin).min(self.rows[index].longest);
                next += 1;
            }
        }
        found
    }

    /// The interval of `at`, which must not lie before the start.
    #[inline]
    fn index(&mut self, at: Nanos) -> usize {
        let (index, from, until) = self.recent;
        if from <= at && at < until { index } else { self.find(at) }
    }

    fn find(&mut self, at: Nanos) -> usize {
        loop {
            let index = ((at - self.start) / self.width) as usize;
            if index < self.most {
                if index < self.first {
                    self.begin_at(index);
                }
                let index = index - self.first;
                if index >= self.rows.len() {
                    self.rows.resize(index + 1, Interval::default());
                    self.bins.resize((index + 1) * BINS, 0);
                    self.times.resize((index + 1) * self.slots.len(), 0);
                }
                let from = self.start + (self.first + index) as u64 * self.width;
                self.recent = (index, from, from + self.width);
                return index;
            }
            self.join_neighbours();
        }
    }

    fn join_neighbours(&mut self) {
        self.begin_evenly();
        let joined = self.rows.len().div_ceil(2);
        for i in 0..joined {
            let mut row = self.rows[2 * i];
            if let Some(other) = self.rows.get(2 * i + 1).copied() {
                row.add(&other);
            }
            self.rows[i] = row;
            for b in 0..BINS {
                let second = self.bins.get((2 * i + 1) * BINS + b).copied().unwrap_or(0);
                self.bins[i * BINS + b] = self.bins[2 * i * BINS + b].saturating_add(second);
            }
            let slots = self.slots.len();
            for slot in 0..slots {
                let second = self.times.get((2 * i + 1) * slots + slot).copied().unwrap_or(0);
                self.times[i * slots + slot] = self.times[2 * i * slots + slot] + second;
            }
        }
        self.rows.truncate(joined);
        self.bins.truncate(joined * BINS);
        self.times.truncate(joined * self.slots.len());
        self.width *= 2;
        self.recent = NO_ROW;
    }

    /// A request arrives and completes inside the window.
    #[inline]
    pub fn pass(&mut self, arrived: Nanos, done: Nanos, way: usize, bytes: u64) {
        let (index, start, end) = self.recent;
        if start <= arrived && start < done && done <= end {
            self.rows[index].arrivals += 1;
            self.rows[index].in_flight += u128::from(done - arrived);
            self.count(index, way, done - arrived, bytes);
        } else {
            self.pass_over(arrived, done, way, bytes);
        }
    }

    /// The same over the ends of intervals.
    #[inline(never)]
    fn pass_over(&mut self, arrived: Nanos, done: Nanos, way: usize, bytes: u64) {
        self.arrive(arrived);
        self.spread(arrived, done, |row, ns| row.in_flight += u128::from(ns));
        self.complete(done, way, done - arrived, bytes);
    }

    /// A request arrives or completes outside the window.
    pub fn cross(&mut self, way: usize, (arrived, done): (Nanos, Nanos), bytes: u64, window: &Window) {
        self.in_flight(arrived, done, window);
        if window.ends(done) {
            self.complete(done, way, done - arrived, bytes);
        }
    }

    fn arrive(&mut self, at: Nanos) {
        let index = self.index(at);
        self.rows[index].arrivals += 1;
    }

    /// A request completes, after the start; at it only where that is time zero.
    fn complete(&mut self, at: Nanos, way: usize, response: Nanos, bytes: u64) {
        // A completion belongs to the interval that it ends: the last one includes its end.
        let index = self.index(at.saturating_sub(1));
        self.count(index, way, response, bytes);
    }

    #[inline]
    fn count(&mut self, index: usize, way: usize, response: Nanos, bytes: u64) {
        let row = &mut self.rows[index];
        row.completed[way] += 1;
        row.bytes[way] += bytes;
        row.response += u128::from(response);
        row.longest = row.longest.max(response);
        let bin = &mut self.bins[index * BINS + bin_of(response)];
        *bin = bin.saturating_add(1);
    }

    /// A request arrived at `arrived` and was in flight until `until`.
    pub fn in_flight(&mut self, arrived: Nanos, until: Nanos, window: &Window) {
        if window.begins(arrived) {
            self.arrive(arrived);
        }
        let (from, until) = window.clip(arrived, until);
        self.spread(from, until, |row, ns| row.in_flight += u128::from(ns));
    }

    /// An operation was at a drive over a span.
    #[inline]
    pub fn queued(&mut self, from: Nanos, until: Nanos) {
        self.spread(from, until, |row, ns| row.queued += u128::from(ns));
    }

    /// Takes back what [`Self::queued`] was told of a span.
    pub fn unqueued(&mut self, from: Nanos, until: Nanos) {
        self.spread(from, until, |row, ns| row.queued -= u128::from(ns));
    }

    /// The interval at hand and the times of a drive's kind in the six states there, if it holds the whole span.
    #[inline]
    pub fn over(
        &mut self,
        drive: usize,
        from: Nanos,
        until: Nanos,
    ) -> Option<(&mut Interval, &mut [Nanos; STATES])> {
        let (index, start, end) = self.recent;
        if from < start || end < until {
            return None;
        }
        let first = index * self.slots.len() + self.first_slot[drive];
        Some((self.rows.get_mut(index)?, self.times.get_mut(first..)?.first_chunk_mut()?))
    }

    /// A drive was in a state over a span.
    #[inline]
    pub fn in_state(&mut self, drive: usize, slot: Slot, from: Nanos, until: Nanos) {
        let (index, start, end) = self.recent;
        if start <= from && until <= end {
            *self.time(drive, slot, index) += until - from;
        } else {
            self.walk(from, until, |all, index, ns| *all.time(drive, slot, index) += ns);
        }
    }

    /// Takes back what [`Self::in_state`] was told of a span.
    pub fn not_in_state(&mut self, drive: usize, slot: Slot, from: Nanos, until: Nanos) {
        self.walk(from, until, |all, index, ns| *all.time(drive, slot, index) -= ns);
    }

    /// A processor of a node of `kind` worked over a span.
    #[inline]
    pub fn worked(&mut self, kind: usize, from: Nanos, until: Nanos) {
        let slot = self.first_work + kind;
        let (index, start, end) = self.recent;
        if start <= from && until <= end {
            self.times[index * self.slots.len() + slot] += until - from;
        } else {
            self.walk(from, until, |all, index, ns| all.times[index * all.slots.len() + slot] += ns);
        }
    }

    /// Takes back what [`Self::worked`] was told of a span.
    pub fn not_worked(&mut self, kind: usize, from: Nanos, until: Nanos) {
        let slot = self.first_work + kind;
        self.walk(from, until, |all, index, ns| all.times[index * all.slots.len() + slot] -= ns);
    }

    /// Time that the processors of each kind of nodes worked in interval `index`, together.
    #[must_use]
    pub fn work(&self, index: usize) -> &[Nanos] {
        &self.times[index * self.slots.len()..(index + 1) * self.slots.len()][self.first_work..]
    }

    fn time(&mut self, drive: usize, slot: Slot, index: usize) -> &mut Nanos {
        &mut self.times[index * self.slots.len() + self.first_slot[drive] + slot.number()]
    }

    /// A drive used `watts` beyond what being active draws over a span.
    #[inline]
    pub fn used(&mut self, from: Nanos, until: Nanos, watts: f64) {
        self.spread(from, until, |row, ns| row.used += watts * ns as f64 / 1e9);
    }

    /// Joules of all drives in a reported state, by number, in interval `index`.
    #[must_use]
    pub fn joules(&self, index: usize, state: usize) -> f64 {
        let times = &self.times[index * self.slots.len()..(index + 1) * self.slots.len()];
        let of_state = times.iter().zip(&self.slots).filter(|(_, (_, reported))| *reported == state);
        let drawn: f64 = of_state.map(|(&ns, &(watts, _))| joules_of(ns, watts)).sum();
        if state == State::Active as usize { drawn + self.rows[index].used } else { drawn }
    }

    /// Applies `add` to each interval that the span (`from <= until`) meets, with the length of the meeting.
    #[inline]
    fn spread(&mut self, from: Nanos, until: Nanos, add: impl Fn(&mut Interval, u64)) {
        let (index, start, end) = self.recent;
        if start <= from && until <= end {
            // An empty span adds nothing, which is cheaper than to ask.
            add(&mut self.rows[index], until - from);
        } else {
            self.spread_on(from, until, add);
        }
    }

    #[inline(never)]
    fn spread_on(&mut self, from: Nanos, until: Nanos, add: impl Fn(&mut Interval, u64)) {
        self.walk(from, until, |all, index, ns| add(&mut all.rows[index], ns));
    }

    /// Calls `add` for each interval that the span meets, by its number, with the length of the meeting.
    fn walk(&mut self, mut from: Nanos, until: Nanos, add: impl Fn(&mut Self, usize, u64)) {
        if from >= until {
            return;
        }
        self.index(until - 1); // joins neighbours, if at all, before the walk
        while from < until {
            let index = self.index(from);
            let end = (self.start + ((self.first + index) as u64 + 1) * self.width).min(until);
            add(self, index, end - from);
            from = end;
        }
    }
}

impl Interval {
    fn add(&mut self, other: &Self) {
        self.arrivals += other.arrivals;
        self.response += other.response;
        self.longest = self.longest.max(other.longest);
        self.in_flight += other.in_flight;
        self.queued += other.queued;
        for way in 0..2 {
            self.completed[way] += other.completed[way];
            self.bytes[way] += other.bytes[way];
        }
        self.used += other.used;
    }
}

/// Bin of a response time: octave above 1.024 us and the next four bits.
fn bin_of(response: Nanos) -> usize {
    let v = (response >> 6).max(16); // 64 ns units: 16 units are 1.024 us
    let octave = 63 - v.leading_zeros() as usize; // at least 4
    let sixteenth = (v >> (octave - 4)) as usize & 15;
    ((octave - 4) * 16 + sixteenth).min(BINS - 1)
}

/// First value above the bin.
fn upper_edge(bin: usize) -> Nanos {
    let (octave, sixteenth) = (bin / 16, bin as u64 % 16);
    (16 + sixteenth + 1) << octave << 6
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::plan::SsdPowerPlan;
    use iowatt_power::Levels;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn spans_are_shared_out_over_the_intervals_they_meet() {
        let s = 1_000_000_000;
        // Two kinds of drives: 10 W active and 5 W idle, 20 W active and 1 W at a level that is reported as number 7.
        let ladder = |active_w, idle_w, levels: serde_json::Value, states| {
            let levels = serde_json::from_value(levels).unwrap();
            let plan = SsdPowerPlan {
                active_w,
                awake_s: 0.0,
                levels: Levels { idle_w, below: levels },
                states,
                cap_w: None,
            };
            Arc::new(Ladder::of_flash(&plan))
        };
        let way = json!({"seconds": 0.0, "joules": 0.0});
        let level = json!([{"watts": 1.0, "enter": way, "leave": way, "stopped": false}]);
        let ladders = [ladder(10.0, 5.0, json!([]), vec![]), ladder(20.0, 5.0, level, vec![7])];
        let drives = [&ladders[0], &ladders[1], &ladders[0]].map(Arc::clone);
        let mut intervals = Intervals::new(0, Some(s), &drives);
        // From 0.5 s to 2.25 s: half a second, one, and a quarter.
        for (drive, slot) in
            [(0, Slot::Of(State::Active)), (1, Slot::Further(0)), (2, Slot::Of(State::Active))]
        {
            intervals.in_state(drive, slot, s / 2, 9 * s / 4);
        }
        intervals.used(0, 2 * s, 4.0);
        intervals.not_in_state(2, Slot::Of(State::Active), 2 * s, 9 * s / 4);
        let joules = |state| [0, 1, 2].map(|index| intervals.joules(index, state));
        assert_eq!(joules(State::Active as usize), [5.0 + 5.0 + 4.0, 10.0 + 10.0 + 4.0, 2.5]);
        assert_eq!((joules(7), joules(State::Idle as usize)), ([0.5, 1.0, 0.25], [0.0; 3]));
    }

    #[test]
    fn width_doubles_and_nothing_is_lost() {
        let s = 1_000_000_000;
        let mut intervals = Intervals::new(0, None, &[]);
        for t in 0..5_000 {
            intervals.arrive(t * s);
            intervals.complete(t * s + 1, 0, 2_000_000, 512);
        }
        assert_eq!(intervals.width(), 8 * s);
        let arrivals: Vec<u64> = intervals.rows().map(|(_, r)| r.arrivals).collect();
        assert_eq!(arrivals, vec![8; 625]);
        assert_eq!(intervals.quantiles(3, [0.5, 0.99]), [2_000_000; 2]);
    }

    proptest! {
        #[test]
        fn bins_hold_their_values(response in 1_024u64..1 << 40) {
            let bin = bin_of(response);
            prop_assert!(response < upper_edge(bin));
            // The widest bins are a sixteenth of their lower edge: within 6.25 % above.
            prop_assert!(upper_edge(bin) as f64 <= response as f64 * 1.0626);
        }
    }
}
