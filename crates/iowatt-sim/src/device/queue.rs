//! A drive's queue and the order in which it is served: the host's, and the drive's own.
//!
//! FCFS keeps arrival order, elevators (SCAN, LOOK, C-LOOK) keep their entries sorted by LBN and find the next one by binary
//! search, the others go by where the entries are (`placed`): SSTF to the nearest, SPTF to the one that is reached soonest.
//! SPCTF first takes reads that the drive's buffer has. Where there is a limit of age, what has waited longer comes first (`aged`).

mod aged;
mod canonical;
mod placed;

use super::hdd::{Disk, Model};
use crate::clock::Nanos;
use crate::plan::SchedulerPlan;
use aged::Aged;
use placed::Placed;
use std::collections::VecDeque;

/// A waiting operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waiting {
    /// First sector.
    lbn: u64,
    /// Order of arrival at this drive; in its lowest bit the direction.
    ticket: u64,
    /// Key of the operation.
    op: u32,
}

impl Waiting {
    fn write(&self) -> bool {
        self.ticket & 1 == 1
    }
}

/// The operation to serve next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Key of the operation.
    pub op: u32,
    /// Cylinder at the edge by which a SCAN comes here.
    pub via: Option<u32>,
}

/// Waiting operations of one drive.
#[derive(Clone, Debug)]
pub struct Queue {
    discipline: SchedulerPlan,
    /// It works ahead of the drive and goes by the LBN that it sent last; else it sees the arm.
    ahead: bool,
    /// In order of arrival: all of FCFS; where places count, those that came since the last choice.
    arrived: VecDeque<Waiting>,
    /// Of an elevator, in order of LBN, equal ones in order of arrival.
    by_lbn: Vec<Waiting>,
    /// Where places count.
    placed: Placed,
    /// Order of the next arrival.
    ticket: u64,
    /// Sweeping towards higher LBNs.
    upward: bool,
    /// LBN served last.
    last_lbn: u64,
    /// Operations served there, or (SPCTF) from the buffer, in a row.
    stayed: u32,
    /// How long each has waited, where there is a limit; FCFS needs none.
    aged: Option<Box<Aged>>,
}

/// Operations on one LBN that an elevator serves before it moves on, so that nobody starves. (It does stay for
/// a few: a read-modify-write comes back to where it has read.) And reads from the buffer that SPCTF serves before
/// the oldest operation has its turn.
const STAY: u32 = 16;

impl Queue {
    /// An empty queue; elevators start upwards from LBN 0.
    #[must_use]
    pub fn new(discipline: SchedulerPlan) -> Self {
        Self {
            discipline,
            ahead: false,
            arrived: VecDeque::new(),
            by_lbn: Vec::new(),
            placed: Placed::default(),
            ticket: 0,
            upward: true,
            last_lbn: 0,
            stayed: 0,
            aged: None,
        }
    }

    /// An empty queue whose operations are sent to a drive that has others to serve first: where its arm will be
    /// is not known here, so distances count from the LBN sent last and no SCAN travels to the edge.
    #[must_use]
    pub fn ahead(discipline: SchedulerPlan) -> Self {
        Self { ahead: true, ..Self::new(discipline) }
    }

    /// The queue, empty as yet, in which what has waited longer than `limit` comes first.
    #[must_use]
    pub fn with_deadline(mut self, limit: Option<Nanos>) -> Self {
        let limit = limit.filter(|_| self.discipline != SchedulerPlan::Fcfs);
        self.aged = limit.map(|limit| Box::new(Aged::new(limit)));
        self
    }

    /// Operations waiting.
    #[must_use]
    pub fn len(&self) -> usize {
        self.arrived.len() + self.by_lbn.len() + self.placed.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an operation at `now`.
    #[inline]
    pub fn push(&mut self, now: Nanos, op: u32, lbn: u64, write: bool) {
        let entry = Waiting { lbn, ticket: self.ticket | u64::from(write), op };
        self.ticket += 2;
        if let Some(aged) = &mut self.aged {
            aged.add(entry, now);
        }
        if self.goes_by_lbn() {
            let at = self.by_lbn.partition_point(|w| w.lbn <= lbn);
            self.by_lbn.insert(at, entry);
        } else {
            self.arrived.push_back(entry);
        }
    }

    /// Keys of the operations waiting.
    pub fn waiting(&self) -> impl Iterator<Item = u32> + '_ {
        self.placed.iter().chain(&self.by_lbn).chain(&self.arrived).map(|w| w.op)
    }

    /// Empties the queue into `out`, in order of arrival.
    pub fn drain(&mut self, out: &mut Vec<u32>) {
        if let Some(aged) = &mut self.aged {
            aged.clear();
        }
        self.placed.drain_into(&mut self.by_lbn);
        self.by_lbn.sort_unstable_by_key(|w| w.ticket);
        out.extend(self.by_lbn.drain(..).chain(self.arrived.drain(..)).map(|w| w.op));
    }

    /// An operation on `lbn` finds the queue empty and goes straight through: as [`Self::push`] and [`Self::pop`] would have
    /// it, the edge by which a SCAN comes to it. `None`: the discipline has to look at the operation, push it.
    #[inline]
    pub fn pass(&mut self, lbn: u64, disk: &Disk) -> Option<Option<u32>> {
        let mut via = None;
        match self.discipline {
            SchedulerPlan::Fcfs => return Some(None),
            SchedulerPlan::Spctf => return None,
            SchedulerPlan::Sstf | SchedulerPlan::Sptf | SchedulerPlan::CLook => {}
            SchedulerPlan::Look | SchedulerPlan::Scan => {
                let stays = lbn == self.last_lbn && self.may_stay();
                let ahead = if self.upward { lbn > self.last_lbn } else { lbn < self.last_lbn };
                if !(ahead || stays) {
                    self.upward = !self.upward;
                    if self.discipline == SchedulerPlan::Scan && !self.ahead {
                        via = Some(if self.upward { 0 } else { disk.model().last_cylinder() });
                    }
                }
            }
        }
        self.stayed = if lbn == self.last_lbn { self.stayed + 1 } else { 0 };
        self.last_lbn = lbn;
        Some(via)
    }

    /// Takes the operation that the discipline serves next from the arm's present position.
    pub fn pop(&mut self, now: Nanos, disk: &mut Disk) -> Option<Chosen> {
        if let Some(overdue) = self.aged.as_ref().and_then(|aged| aged.overdue(now)) {
            return Some(self.pop_overdue(overdue, disk));
        }
        match self.discipline {
            SchedulerPlan::Fcfs => self.arrived.pop_front().map(|w| Chosen { op: w.op, via: None }),
            SchedulerPlan::Look | SchedulerPlan::CLook | SchedulerPlan::Scan => self.pop_by_lbn(disk.model()),
            SchedulerPlan::Sstf | SchedulerPlan::Sptf | SchedulerPlan::Spctf => self.pop_by_place(now, disk),
        }
    }

    /// Takes what has waited too long.
    fn pop_overdue(&mut self, entry: Waiting, disk: &Disk) -> Chosen {
        let earlier = |w: &Waiting| (w.lbn, w.ticket) < (entry.lbn, entry.ticket);
        if self.goes_by_lbn() {
            let index = self.by_lbn.partition_point(earlier);
            self.by_lbn.remove(index);
        } else {
            self.place_arrived(disk);
            self.placed.remove(self.placed.partition_point(earlier));
        }
        self.take(entry, None, false)
    }

    /// Looks up where those are that have come since the last choice.
    fn place_arrived(&mut self, disk: &Disk) {
        self.placed.turn_as(disk.model());
        for entry in self.arrived.drain(..) {
            self.placed.insert(entry, disk.model());
        }
    }

    /// The next of an elevator.
    fn pop_by_lbn(&mut self, model: &Model) -> Option<Chosen> {
        if self.by_lbn.is_empty() {
            return None;
        }
        let (index, turned_up) = match self.discipline {
            SchedulerPlan::CLook => (self.above() % self.by_lbn.len(), None),
            _ => self.sweep(),
        };
        let edge = turned_up.filter(|_| self.discipline == SchedulerPlan::Scan && !self.ahead);
        let entry = self.by_lbn.remove(index);
        let via = edge.map(|up| if up { 0 } else { model.last_cylinder() });
        Some(self.take(entry, via, entry.lbn == self.last_lbn))
    }

    /// The next of a discipline that goes by where the entries are.
    fn pop_by_place(&mut self, now: Nanos, disk: &mut Disk) -> Option<Chosen> {
        self.place_arrived(disk);
        if self.placed.is_empty() {
            return None;
        }
        let mut from_buffer = None;
        let index = match self.discipline {
            SchedulerPlan::Spctf => {
                let stays = self.may_stay();
                let held = if stays { self.placed.buffered(now, disk) } else { Some(self.placed.oldest()) };
                from_buffer = Some(stays && held.is_some());
                held.unwrap_or_else(|| self.placed.soonest(now, disk))
            }
            SchedulerPlan::Sptf => self.placed.soonest(now, disk),
            _ => {
                let arm = if self.ahead { disk.model().cylinder(self.last_lbn) } else { disk.cylinder() };
                self.placed.nearest(arm)
            }
        };
        let entry = self.placed.remove(index);
        Some(self.take(entry, None, from_buffer.unwrap_or(entry.lbn == self.last_lbn)))
    }

    /// Whether the discipline looks at nothing but LBNs; else, but for FCFS, at where the entries are.
    #[inline]
    fn goes_by_lbn(&self) -> bool {
        matches!(self.discipline, SchedulerPlan::Look | SchedulerPlan::CLook | SchedulerPlan::Scan)
    }

    /// `entry` is taken, which is served where the one before was, or is not.
    #[inline]
    fn take(&mut self, entry: Waiting, via: Option<u32>, stays: bool) -> Chosen {
        self.stayed = if stays { self.stayed + 1 } else { 0 };
        self.last_lbn = entry.lbn;
        if let Some(aged) = &mut self.aged {
            aged.remove(entry.ticket);
        }
        Chosen { op: entry.op, via }
    }

    /// Takes the operation that came first, whatever the discipline: a drive without an arm has no better order.
    pub fn pop_first(&mut self) -> Option<u32> {
        if !self.placed.is_empty() {
            return Some(self.placed.remove(self.placed.oldest()).op);
        }
        let oldest = (0..self.by_lbn.len()).min_by_key(|&i| self.by_lbn[i].ticket);
        oldest.map(|i| self.by_lbn.remove(i)).or_else(|| self.arrived.pop_front()).map(|w| w.op)
    }

    /// Whether the elevator may serve the LBN that it stands at once more.
    fn may_stay(&self) -> bool {
        self.stayed < STAY
    }

    /// Index of the first entry upwards from the last LBN served, that one included while it may stay.
    fn above(&self) -> usize {
        let here = self.may_stay();
        self.by_lbn.partition_point(|w| w.lbn < self.last_lbn || (w.lbn == self.last_lbn && !here))
    }

    /// Number of entries downwards from the last LBN served, that one included while it may stay.
    fn below(&self) -> usize {
        let here = self.may_stay();
        self.by_lbn.partition_point(|w| w.lbn < self.last_lbn || (w.lbn == self.last_lbn && here))
    }

    /// Next of an elevator, and the new direction if it had to turn.
    fn sweep(&mut self) -> (usize, Option<bool>) {
        if self.upward {
            let above = self.above();
            if above < self.by_lbn.len() {
                return (above, None);
            }
            self.upward = false;
            let below = self.below();
            let index = if below > 0 { below } else { self.by_lbn.len() } - 1;
            return (self.first_of_equals(index), Some(false));
        }
        let below = self.below();
        if below > 0 {
            return (self.first_of_equals(below - 1), None);
        }
        self.upward = true;
        (self.above() % self.by_lbn.len(), Some(true))
    }

    /// First arrived of the entries with the LBN of `index`.
    fn first_of_equals(&self, index: usize) -> usize {
        let lbn = self.by_lbn[index].lbn;
        let below = self.by_lbn[..index].iter().rev().take_while(|w| w.lbn == lbn).count();
        index - below
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::hdd::{Line, Model, tests::small_disk};
    use crate::plan::{HddPlan, IndexEntry, IndexedPlan, LayoutPlan, ReadAhead, SeekPlan};
    use proptest::prelude::*;

    fn disk() -> Disk {
        Disk::new(&Model::new(&small_disk()), 1, 0, 0)
    }

    /// Sends the arm to a sector.
    fn go(disk: &mut Disk, lbn: u64) {
        disk.serve(0, lbn, 1, false, &mut Line { shared: None, now: 0 });
    }

    /// Serves everything at time 0, moving the arm to each operation served.
    fn order(discipline: SchedulerPlan, start: u64, lbns: &[u64]) -> Vec<u64> {
        let mut disk = disk();
        go(&mut disk, start);
        let mut queue = Queue::new(discipline);
        queue.last_lbn = start;
        for (i, &lbn) in lbns.iter().enumerate() {
            queue.push(0, i as u32, lbn, false);
        }
        let mut served = Vec::new();
        while let Some(chosen) = queue.pop(0, &mut disk) {
            let lbn = lbns[chosen.op as usize];
            go(&mut disk, lbn);
            served.push(lbn);
        }
        served
    }

    const QUEUE: [u64; 6] = [2_900, 400, 3_700, 1_600, 200, 1_200];

    #[test]
    fn disciplines_serve_in_their_textbook_order() {
        // The arm is at LBN 1,300 (cylinder 6).
        assert_eq!(order(SchedulerPlan::Fcfs, 1_300, &QUEUE), QUEUE);
        assert_eq!(order(SchedulerPlan::Look, 1_300, &QUEUE), [1_600, 2_900, 3_700, 1_200, 400, 200]);
        assert_eq!(order(SchedulerPlan::Scan, 1_300, &QUEUE), [1_600, 2_900, 3_700, 1_200, 400, 200]);
        assert_eq!(order(SchedulerPlan::CLook, 1_300, &QUEUE), [1_600, 2_900, 3_700, 200, 400, 1_200]);
        // Cylinders: 1,200 is in the arm's own, 1,600 two away, 400 six from there, 200 one more ...
        assert_eq!(order(SchedulerPlan::Sstf, 1_300, &QUEUE), [1_200, 1_600, 400, 200, 2_900, 3_700]);
    }

    #[test]
    fn scan_turns_at_the_edge_look_does_not() {
        let mut disk = disk();
        for (discipline, via) in [(SchedulerPlan::Scan, Some(29)), (SchedulerPlan::Look, None)] {
            let mut queue = Queue::new(discipline);
            queue.last_lbn = 2_000;
            queue.push(0, 0, 500, false);
            assert_eq!(queue.pop(0, &mut disk), Some(Chosen { op: 0, via }));
        }
    }

    /// A drive that has read sectors 0 to 9 and reads ahead of them.
    fn reads_ahead() -> Disk {
        let mut plan = small_disk();
        plan.buffer.caching = true;
        plan.buffer.segment_sectors = 200;
        plan.buffer.read_ahead = ReadAhead::Segment;
        let mut disk = Disk::new(&Model::new(&plan), 1, 0, 0);
        disk.serve(0, 0, 10, false, &mut Line { shared: None, now: 0 });
        disk
    }

    #[test]
    fn spctf_takes_what_read_ahead_has_or_comes_to_next() {
        // Sector 49 passes until 5 ms. Its track's end is nearer to the head than what is in the buffer.
        let now = 5_000_000;
        let first = |discipline, lbns: &[(u64, bool)]| {
            let mut queue = Queue::new(discipline);
            for (i, &(lbn, write)) in lbns.iter().enumerate() {
                queue.push(0, i as u32, lbn, write);
            }
            queue.pop(now, &mut reads_ahead()).map(|chosen| lbns[chosen.op as usize].0)
        };
        let reads = [(70, false), (40, false), (20, false)];
        assert_eq!(first(SchedulerPlan::Sptf, &reads), Some(70));
        assert_eq!(first(SchedulerPlan::Spctf, &reads), Some(40), "the first of two in the buffer");
        assert_eq!(first(SchedulerPlan::Spctf, &[(3_000, false), (50, false)]), Some(50), "the next sector");
        assert_eq!(
            first(SchedulerPlan::Spctf, &[(70, false), (40, true)]),
            Some(70),
            "a write goes to the media"
        );
    }

    #[test]
    fn spctf_leaves_the_buffer_in_time() {
        let mut queue = Queue::new(SchedulerPlan::Spctf);
        queue.push(0, 0, 3_000, false);
        (1..40).for_each(|op| queue.push(0, op, 5, false));
        let mut disk = reads_ahead();
        let served: Vec<u32> = std::iter::from_fn(|| queue.pop(5_000_000, &mut disk)).map(|c| c.op).collect();
        assert_eq!(served.iter().position(|&op| op == 0), Some(STAY as usize));
    }

    /// The small disk with its sectors listed as DiskSim's G4 does.
    fn indexed() -> LayoutPlan {
        let entry = |lbn, cylinder, len, run, child, head: Option<u32>| IndexEntry {
            lbn,
            cylinder,
            offset_rev: if head == Some(1) { 0.1 } else { 0.0 },
            len,
            cylinder_len: i64::from(head.is_none()),
            skew_rev: 0.3,
            run,
            descending: false,
            child,
            head,
        };
        let both =
            |len, child| vec![entry(0, 0, len, len, child, Some(0)), entry(len, 0, len, len, child, Some(1))];
        LayoutPlan::Indexed(IndexedPlan {
            tracks: vec![(0, 99, 100), (0, 49, 50)],
            nodes: vec![
                both(100, 0),
                both(50, 1),
                vec![entry(0, 0, 200, 2_000, 0, None), entry(2_000, 10, 100, 2_000, 1, None)],
            ],
            ..IndexedPlan::default()
        })
    }

    /// What a discipline should choose of `waiting` (op, LBN, write) by going through all of them.
    fn by_plain_search(
        discipline: SchedulerPlan,
        waiting: &[(u32, u64, bool)],
        now: Nanos,
        disk: &mut Disk,
        may_stay: bool,
    ) -> Option<u32> {
        let held: Vec<(u64, u64)> = disk.buffered(now).collect();
        let buffered = |&(_, lbn, write): &(u32, u64, bool)| {
            !write && held.iter().any(|&(start, end)| (start..end).contains(&lbn))
        };
        if discipline == SchedulerPlan::Spctf {
            if !may_stay {
                return waiting.first().map(|w| w.0);
            }
            if let Some(first) = waiting.iter().find(|w| buffered(w)) {
                return Some(first.0);
            }
        }
        let reach = disk.reach(now);
        let time = |w: &(u32, u64, bool)| reach.time(&disk.model().place(w.1), w.2);
        waiting.iter().min_by_key(|w| (time(w), w.0)).map(|w| w.0)
    }

    #[test]
    fn who_has_waited_too_long_comes_first() {
        for discipline in [SchedulerPlan::Sstf, SchedulerPlan::Look, SchedulerPlan::CLook] {
            let mut disk = disk();
            let mut queue = Queue::new(discipline).with_deadline(Some(1_000));
            queue.push(0, 0, 3_900, false);
            queue.push(500, 1, 3_800, false);
            queue.push(900, 2, 0, true);
            assert_eq!(
                queue.pop(1_000, &mut disk).map(|c| c.op),
                Some(2),
                "{discipline:?}: within the limit"
            );
            queue.push(1_000, 3, 0, false);
            assert_eq!(queue.pop(1_501, &mut disk).map(|c| c.op), Some(0), "{discipline:?}: the oldest");
            assert_eq!(queue.pop(1_501, &mut disk).map(|c| c.op), Some(1), "{discipline:?}: still late");
            assert_eq!(queue.pop(9_000, &mut disk).map(|c| c.op), Some(3));
            assert!(queue.pop(9_000, &mut disk).is_none() && queue.is_empty());
        }
    }

    proptest! {
        /// What is chosen is the oldest where it is overdue, and else what the discipline chooses without a limit.
        #[test]
        fn a_deadline_changes_only_what_is_overdue(
            given in prop::collection::vec((0u64..4_000, any::<bool>(), 0u64..300), 1..80),
            limit in 0u64..4_000,
        ) {
            use SchedulerPlan::{CLook, Scan, Spctf, Sptf, Sstf};
            for discipline in [Sstf, CLook, Scan, Sptf, Spctf] {
                let mut disk = disk();
                let mut queue = Queue::new(discipline).with_deadline(Some(limit));
                let (mut waiting, mut now) = (Vec::new(), 0);
                for (op, &(lbn, write, later)) in given.iter().enumerate() {
                    now += later;
                    queue.push(now, op as u32, lbn, write);
                    waiting.push((op as u32, now));
                    if op % 3 == 2 {
                        let mut without = Queue { aged: None, ..queue.clone() };
                        let free = without.pop(now, &mut disk.clone()).map(|c| c.op);
                        let oldest = waiting.first().filter(|w| now - w.1 > limit).map(|w| w.0);
                        let chosen = queue.pop(now, &mut disk).map(|c| c.op);
                        prop_assert_eq!(chosen, oldest.or(free));
                        waiting.retain(|w| Some(w.0) != chosen);
                    }
                }
                prop_assert_eq!(queue.len(), waiting.len());
            }
        }

        #[test]
        fn every_discipline_serves_everything_once(lbns in prop::collection::vec(0u64..4_000, 1..60)) {
            use SchedulerPlan::{CLook, Fcfs, Look, Scan, Spctf, Sptf, Sstf};
            for discipline in [Fcfs, Sstf, Scan, Look, CLook, Sptf, Spctf] {
                let mut served = order(discipline, 0, &lbns);
                let mut all = lbns.clone();
                served.sort_unstable();
                all.sort_unstable();
                prop_assert_eq!(&served, &all);
            }
        }

        #[test]
        fn sptf_and_sstf_choose_the_true_minimum(lbns in prop::collection::vec(0u64..4_000, 1..60), start in 0u64..4_000) {
            // Unequal overheads, a signed settle and a seek curve with a dip.
            let mut plan = small_disk();
            plan.write_settle_s = -0.2e-3;
            (plan.controller.read_miss_s, plan.controller.write_miss_s) = ([0.3e-3; 2], [0.8e-3; 2]);
            if let SeekPlan::Points(points) = &mut plan.seek {
                points.insert(1, (15, 6e-3, 6e-3));
            }
            let mut disk = Disk::new(&Model::new(&plan), 1, 0, 0);
            go(&mut disk, start);
            let arm = disk.cylinder();
            let chosen = |discipline| {
                let mut queue = Queue::new(discipline);
                for (i, &lbn) in lbns.iter().enumerate() {
                    queue.push(0, i as u32, lbn, i.is_multiple_of(3));
                }
                queue.pop(7_000_000, &mut disk.clone()).map(|c| c.op as usize)
            };
            // When its first sector would pass if it were served.
            let time = |i: usize| {
                let write = i.is_multiple_of(3);
                let access = disk.clone().serve(7_000_000, lbns[i], 1, write, &mut Line { shared: None, now: 0 });
                access.done - access.transfer
            };
            let distance = |i: usize| disk.model().cylinder(lbns[i]).abs_diff(arm);
            let soonest = chosen(SchedulerPlan::Sptf).map(time);
            prop_assert_eq!(soonest, (0..lbns.len()).map(time).min());
            let nearest = chosen(SchedulerPlan::Sstf).map(distance);
            prop_assert_eq!(nearest, (0..lbns.len()).map(distance).min());
        }

        /// Deep queues that refill, of a disk that is sent to each choice and changes its speed halfway.
        #[test]
        fn choices_by_position_are_those_of_a_plain_search(
            first in prop::collection::vec((0u64..4_000, any::<bool>()), 100..400),
            later in prop::collection::vec((0u64..4_000, any::<bool>()), 60),
            zoned in any::<bool>(),
            buffered in any::<bool>(),
            spctf in any::<bool>(),
        ) {
            let mut plan = small_disk();
            plan.write_settle_s = 0.2e-3;
            (plan.controller.read_miss_s, plan.controller.write_miss_s) = ([0.3e-3; 2], [0.1e-3; 2]);
            if !zoned {
                plan.layout = indexed();
            }
            if buffered {
                plan.buffer.caching = true;
                (plan.buffer.segments, plan.buffer.segment_sectors) = (2, 200);
                plan.buffer.read_ahead = ReadAhead::Segment;
            }
            let discipline = if spctf { SchedulerPlan::Spctf } else { SchedulerPlan::Sptf };
            let mut disk = Disk::new(&Model::new(&plan), 1, 0, 0);
            let slower = Model::new(&HddPlan { rpm: 4_000.0, ..plan });
            let (mut queue, mut waiting) = (Queue::new(discipline), Vec::new());
            let mut arrivals = first.iter().chain(&later).enumerate();
            let mut arrive = |count: usize, queue: &mut Queue, waiting: &mut Vec<(u32, u64, bool)>| {
                for (op, &(lbn, write)) in arrivals.by_ref().take(count) {
                    queue.push(0, op as u32, lbn, write);
                    waiting.push((op as u32, lbn, write));
                }
            };
            arrive(first.len(), &mut queue, &mut waiting);
            let mut now = 1_000_000;
            for turn in 0..later.len() {
                if turn == later.len() / 2 {
                    disk.turn_at(&slower);
                }
                let wanted = by_plain_search(discipline, &waiting, now, &mut disk, queue.may_stay());
                let chosen = queue.pop(now, &mut disk).map(|c| c.op);
                prop_assert_eq!(chosen, wanted);
                let Some(index) = waiting.iter().position(|w| Some(w.0) == chosen) else { break };
                let (_, lbn, write) = waiting.remove(index);
                now = disk.serve(now, lbn, 1, write, &mut Line { shared: None, now }).done;
                arrive(turn % 3, &mut queue, &mut waiting);
            }
        }
    }
}
