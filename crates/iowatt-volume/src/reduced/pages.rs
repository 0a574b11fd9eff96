//! Which slot holds the contents of which page: allocation, sharing, and what snapshots keep.
//!
//! A slot is free, or it is referred to: by pages, and by snapshots that keep it. Only what was touched is in tables.

use super::initial::Initial;
use super::sparse::Sparse;
use crate::plan::{ReducedPlan, SnapshotMethod};
use crate::rng::Stream as Random;
use std::collections::VecDeque;

/// What a write of a page means for the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// Its contents exist already: nothing is written. `old` is where they were, for what the write leaves.
    Shared {
        /// Where the page was.
        old: Option<u32>,
    },
    /// To the place that the page had.
    InPlace(u32),
    /// To another place than it had, if it had one.
    Elsewhere {
        /// Where the page was.
        old: Option<u32>,
        /// Where it is.
        new: u32,
    },
    /// To the place that it had, once its contents are copied.
    Copied {
        /// Where the page is.
        place: u32,
        /// Where the old contents go.
        copy: u32,
    },
    /// There is no space.
    NoSpace,
}

/// Counts that nobody requests for before the end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Space {
    /// Pages that hold data.
    pub pages: u64,
    /// Slots that are taken.
    pub slots: u64,
    /// References of snapshots.
    pub kept: u64,
}

/// In the map: the page was given up.
const GONE: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct Pages {
    initial: Initial,
    slots: u64,
    /// By page: slot + 1, [`GONE`], or 0 where nothing has changed.
    map: Sparse<u32>,
    /// By slot: references + 1, or 0 where nothing has changed.
    references: Sparse<u32>,
    /// By page: snapshots taken before it was last written.
    born: Sparse<u32>,
    /// The first slot that was never taken.
    next: u64,
    free: VecDeque<u32>,
    /// Slots that hold nothing any more and are still to be given back.
    leaving: VecDeque<u32>,
    /// Of 2^32 writes, how many bring what exists.
    duplicates: u64,
    random: Random,
    method: Option<SnapshotMethod>,
    /// Snapshots taken so far.
    pub taken: u32,
    /// For each that is kept, slots whose contents it is the last to need. Oldest first.
    kept: VecDeque<Vec<u32>>,
    /// Vectors of snapshots that are gone, for the next.
    spent: Vec<Vec<u32>>,
    space: Space,
}

impl Pages {
    pub fn new(plan: &ReducedPlan, part_bytes: u64, seed: u64, random: Random) -> Self {
        let initial = Initial::new(plan, seed);
        let count = plan.capacity_bytes / plan.page_bytes;
        let slots = part_bytes / plan.stored_bytes;
        let next = initial.slots();
        Self {
            slots,
            map: Sparse::new(count),
            references: Sparse::new(slots),
            born: Sparse::new(count),
            next,
            free: VecDeque::new(),
            leaving: VecDeque::new(),
            duplicates: (plan.duplicates * (1u64 << 32) as f64).round() as u64,
            random,
            method: plan.snapshots.map(|s| s.method),
            taken: 0,
            kept: VecDeque::new(),
            spent: Vec::new(),
            space: Space { pages: initial.pages(), slots: next, kept: 0 },
            initial,
        }
    }

    pub fn space(&self) -> Space {
        self.space
    }

    /// Where a page is.
    pub fn place(&self, page: u64) -> Option<u32> {
        match self.map.get(page) {
            0 => self.initial.slot(page),
            GONE => None,
            slot => Some(slot - 1),
        }
    }

    /// Whether a slot holds something.
    #[cfg(test)]
    pub fn holds(&self, slot: u32) -> bool {
        self.references(slot) > 0
    }

    fn references(&self, slot: u32) -> u32 {
        match self.references.get(u64::from(slot)) {
            0 => self.initial.references(u64::from(slot)) as u32,
            count => count - 1,
        }
    }

    fn refer(&mut self, slot: u32) {
        let count = self.references(slot) + 1;
        self.references.set(u64::from(slot), count + 1);
    }

    fn drop_reference(&mut self, slot: u32) {
        if self.dereference(slot) {
            self.free.push_back(slot);
            self.space.slots -= 1;
        }
    }

    /// Takes a reference to a slot away; whether it was the last.
    fn dereference(&mut self, slot: u32) -> bool {
        let count = self.references(slot) - 1;
        self.references.set(u64::from(slot), count + 1);
        count == 0
    }

    /// A page holds nothing any more; whether it held something. A slot that nothing else refers to leaves.
    pub fn discard(&mut self, page: u64) -> bool {
        let Some(slot) = self.place(page) else { return false };
        let kept = self.is_kept(page);
        self.map.set(page, GONE);
        self.space.pages -= 1;
        if kept {
            self.keep(slot);
        } else if self.dereference(slot) {
            self.leaving.push_back(slot);
        }
        true
    }

    /// Slots that are still to be given back.
    pub fn leaving(&self) -> usize {
        self.leaving.len()
    }

    /// Gives the next slot back.
    pub fn reclaim(&mut self) -> Option<u32> {
        let slot = self.leaving.pop_front()?;
        self.free.push_back(slot);
        self.space.slots -= 1;
        Some(slot)
    }

    /// Whether the last snapshot needs what a page holds.
    fn is_kept(&self, page: u64) -> bool {
        self.taken > 0 && self.born.get(page) < self.taken && !self.kept.is_empty()
    }

    /// A free slot, referred to once.
    fn allocate(&mut self) -> Option<u32> {
        // What was never taken first, in order: what is written together lies together.
        let slot = if self.next < self.slots {
            self.next += 1;
            (self.next - 1) as u32
        } else {
            self.free.pop_front()?
        };
        self.references.set(u64::from(slot), 2);
        self.space.slots += 1;
        Some(slot)
    }

    fn move_to(&mut self, page: u64, slot: u32, old: Option<u32>) {
        self.map.set(page, slot + 1);
        self.space.pages += u64::from(old.is_none());
    }

    /// A slot that holds something, at random.
    fn existing(&mut self) -> Option<u32> {
        // Few slots below `next` are free: a handful of draws finds one that is not.
        for _ in 0..16 {
            let slot = self.random.below(self.next.max(1)) as u32;
            if self.next > 0 && self.references(slot) > 0 {
                return Some(slot);
            }
        }
        None
    }

    /// A page is written.
    pub fn write(&mut self, page: u64) -> Write {
        let old = self.place(page);
        let keep = self.is_kept(page);
        let kept = old.filter(|_| keep);
        if self.duplicates > 0
            && self.random.below(1 << 32) < self.duplicates
            && let Some(shared) = self.existing()
        {
            self.refer(shared);
            self.release(old, kept);
            self.move_to(page, shared, old);
            self.written(page);
            return Write::Shared { old };
        }
        let Some(place) = old else {
            let Some(new) = self.allocate() else { return Write::NoSpace };
            self.move_to(page, new, None);
            self.written(page);
            return Write::Elsewhere { old: None, new };
        };
        let alone = self.references(place) == 1;
        if alone && kept.is_none() {
            self.written(page);
            return Write::InPlace(place);
        }
        let Some(new) = self.allocate() else { return Write::NoSpace };
        self.written(page);
        if alone && self.method == Some(SnapshotMethod::CopyOnWrite) {
            self.keep(new);
            return Write::Copied { place, copy: new };
        }
        self.release(old, kept);
        self.move_to(page, new, old);
        Write::Elsewhere { old, new }
    }

    fn written(&mut self, page: u64) {
        if self.method.is_some() {
            self.born.set(page, self.taken);
        }
    }

    /// A page leaves its slot, which the last snapshot may need.
    fn release(&mut self, old: Option<u32>, kept: Option<u32>) {
        match (old, kept) {
            (_, Some(slot)) => self.keep(slot),
            (Some(slot), None) => self.drop_reference(slot),
            (None, None) => {}
        }
    }

    fn keep(&mut self, slot: u32) {
        if let Some(last) = self.kept.back_mut() {
            last.push(slot);
            self.space.kept += 1;
        }
    }

    /// A snapshot is taken; the oldest goes if there are more than `retain`.
    pub fn snapshot(&mut self, retain: usize) {
        self.taken += 1;
        let fresh = self.spent.pop().unwrap_or_default();
        self.kept.push_back(fresh);
        if self.kept.len() > retain
            && let Some(mut oldest) = self.kept.pop_front()
        {
            self.space.kept -= oldest.len() as u64;
            for slot in oldest.drain(..) {
                self.drop_reference(slot);
            }
            self.spent.push(oldest);
        }
    }

    /// Every page has one place, and every slot as many references as there are.
    pub fn audit(&self, count: u64) -> Result<(), String> {
        let mut counts = vec![0u32; self.slots as usize];
        let mut pages = 0;
        for page in 0..count {
            if let Some(slot) = self.place(page) {
                *counts.get_mut(slot as usize).ok_or("a page lies beyond the part")? += 1;
                pages += 1;
            }
        }
        for &slot in self.kept.iter().flatten() {
            counts[slot as usize] += 1;
        }
        let taken = counts.iter().filter(|&&count| count > 0).count() as u64;
        for (slot, &count) in counts.iter().enumerate() {
            if self.references(slot as u32) != count {
                return Err(format!(
                    "slot {slot} has {count} references and not {}",
                    self.references(slot as u32)
                ));
            }
        }
        if self.free.iter().any(|&slot| counts[slot as usize] > 0) {
            return Err("a slot that is free holds something".into());
        }
        if self.leaving.iter().any(|&slot| counts[slot as usize] > 0) {
            return Err("a slot that leaves holds something".into());
        }
        let leaving = self.leaving.len() as u64;
        if taken + leaving + self.free.len() as u64 != self.next.min(self.slots) {
            return Err("a slot is neither free nor taken".into());
        }
        let Space { pages: said, slots, kept } = self.space;
        let there = self.kept.iter().map(Vec::len).sum::<usize>() as u64;
        if (said, slots, kept) == (pages, taken + leaving, there) {
            Ok(())
        } else {
            Err("counts of space are wrong".into())
        }
    }
}
