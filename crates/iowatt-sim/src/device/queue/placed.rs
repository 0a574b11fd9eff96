//! Waiting operations with where they are, looked up once, for disciplines that choose by it.
//!
//! They are sorted by LBN and therefore by cylinder too, so that a search goes outwards from the arm and ends on either side
//! where the seek alone takes longer than the best that was found.

use super::Waiting;
use crate::clock::{Nanos, Picos};
use crate::device::hdd::{Disk, Model, Place, Reach};
use std::hint::select_unpredictable;

#[derive(Clone, Copy, Debug)]
struct Entry {
    waiting: Waiting,
    place: Place,
}

impl Entry {
    fn cylinder(&self) -> u32 {
        self.place.track.cylinder
    }
}

/// The operations, in order of LBN, equal ones in order of arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct Placed {
    entries: Vec<Entry>,
    /// The speed of rotation that angles hold for.
    revolution_ps: Picos,
}

impl Placed {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.entries.iter().map(|e| &e.waiting)
    }

    /// Sorts an operation in.
    #[inline]
    pub(super) fn insert(&mut self, waiting: Waiting, model: &Model) {
        let at = self.entries.partition_point(|e| e.waiting.lbn <= waiting.lbn);
        self.entries.insert(at, Entry { waiting, place: model.place(waiting.lbn) });
    }

    /// Looks all places up again if the disk turns at another speed by now.
    #[inline]
    pub(super) fn turn_as(&mut self, model: &Model) {
        if self.revolution_ps != model.mech.revolution_ps {
            self.revolution_ps = model.mech.revolution_ps;
            self.entries.iter_mut().for_each(|e| e.place = model.place(e.waiting.lbn));
        }
    }

    /// Number of entries before which `earlier` holds.
    pub(super) fn partition_point(&self, earlier: impl Fn(&Waiting) -> bool) -> usize {
        self.entries.partition_point(|e| earlier(&e.waiting))
    }

    pub(super) fn remove(&mut self, index: usize) -> Waiting {
        self.entries.remove(index).waiting
    }

    /// Moves all of them to `out`.
    pub(super) fn drain_into(&mut self, out: &mut Vec<Waiting>) {
        out.extend(self.entries.drain(..).map(|e| e.waiting));
    }

    /// Index of the entry that came first.
    pub(super) fn oldest(&self) -> usize {
        (0..self.entries.len()).min_by_key(|&i| self.entries[i].waiting.ticket).unwrap_or(0)
    }

    /// Index of the first entry at `cylinder` or beyond.
    fn split(&self, cylinder: u32) -> usize {
        self.entries.partition_point(|e| e.cylinder() < cylinder)
    }

    /// Index of the entry whose cylinder is nearest to `arm`; the earlier arrival of two equals.
    pub(super) fn nearest(&self, arm: u32) -> usize {
        let split = self.split(arm);
        let ticket = |i: usize| self.entries[i].waiting.ticket;
        let upper = self.entries.get(split).map(|e| (e.cylinder() - arm, split));
        let lower = split.checked_sub(1).map(|i| (arm - self.entries[i].cylinder(), i));
        match (upper, lower) {
            (Some((up, i)), Some((down, j))) => {
                let first = up < down || (up == down && ticket(i) < ticket(j));
                if first { i } else { self.first_of_equals(j) }
            }
            (Some((_, i)), None) => i,
            (None, Some((_, j))) => self.first_of_equals(j),
            (None, None) => 0,
        }
    }

    /// First arrived of the entries with the LBN of `index`.
    fn first_of_equals(&self, index: usize) -> usize {
        let lbn = self.entries[index].waiting.lbn;
        self.entries.partition_point(|e| e.waiting.lbn < lbn)
    }

    /// Index of the read that came first of those whose first sector the drive's buffer has.
    pub(super) fn buffered(&self, now: Nanos, disk: &mut Disk) -> Option<usize> {
        let mut first: Option<(u64, usize)> = None;
        for (start, end) in disk.buffered(now) {
            let from = self.entries.partition_point(|e| e.waiting.lbn < start);
            let inside = self.iter().enumerate().skip(from).take_while(|(_, w)| w.lbn < end);
            for (i, w) in inside.filter(|(_, w)| !w.write()) {
                if first.is_none_or(|(ticket, _)| w.ticket < ticket) {
                    first = Some((w.ticket, i));
                }
            }
        }
        first.map(|(_, i)| i)
    }

    /// Index of the entry whose first sector can be reached soonest.
    pub(super) fn soonest(&self, now: Nanos, disk: &Disk) -> usize {
        let reach = disk.reach(now);
        let split = self.split(disk.cylinder());
        let mut best = Soonest { time: Nanos::MAX, ticket: u64::MAX, index: 0 };
        best.look_outwards(&reach, (split..).zip(&self.entries[split..]));
        best.look_outwards(&reach, (0..split).zip(&self.entries[..split]).rev());
        best.index
    }
}

/// The entry that can be reached soonest so far; of equals, the earlier arrival.
struct Soonest {
    time: Nanos,
    ticket: u64,
    index: usize,
}

impl Soonest {
    /// Looks at the entries on one side of the arm, which come nearest first.
    #[inline]
    fn look_outwards<'a>(&mut self, reach: &Reach<'_>, side: impl Iterator<Item = (usize, &'a Entry)>) {
        for (index, Entry { waiting, place }) in side {
            if reach.at_least(place.track.cylinder) > self.time {
                break; // nor can those farther on this side
            }
            let time = reach.time(place, waiting.write());
            let sooner = (time < self.time) | ((time == self.time) & (waiting.ticket < self.ticket));
            self.time = select_unpredictable(sooner, time, self.time);
            self.ticket = select_unpredictable(sooner, waiting.ticket, self.ticket);
            self.index = select_unpredictable(sooner, index, self.index);
        }
    }
}
