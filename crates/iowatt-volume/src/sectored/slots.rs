//! The slots of the fast part: whose they are, which of their sectors are valid and dirty, and in what order they may go.

use super::masks::Masks;
use super::{Sectored, WRITE};
use crate::recency::Recency;
use crate::time::Nanos;

/// Slots looked at for one that may go.
pub const SEARCH: usize = 64;

/// What a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nobody's.
    Free,
    /// Of an extent, without dirty sectors.
    Clean,
    /// Of an extent, with dirty sectors.
    Dirty,
    /// Of an extent, on its way to the slow part; it may have dirty sectors again.
    Leaving,
}

/// All slots. Those never used take no memory but their state.
#[derive(Debug)]
pub struct Slots {
    pub state: Vec<State>,
    /// The extent of each, where it is somebody's.
    pub extent: Vec<u32>,
    /// When it was last written.
    pub written: Vec<Nanos>,
    /// Reads and writes under way; a fill counts as a write.
    pub under_way: Vec<[u32; 2]>,
    /// Sectors that are there, and of those the ones that the slow part has not. A sector that is being written for the first
    /// time is dirty before it is valid.
    pub valid: Masks,
    pub dirty: Masks,
    /// Clean ones by their last use, dirty ones by their last write.
    pub clean: Recency,
    pub dirty_ones: Recency,
    /// The first that was never used.
    fresh: u32,
}

impl Slots {
    /// So many slots of so many sectors.
    #[must_use]
    pub fn new(slots: u32, sectors: usize) -> Self {
        let count = slots as usize;
        Self {
            state: vec![State::Free; count],
            extent: vec![0; count],
            written: vec![0; count],
            under_way: vec![[0; 2]; count],
            valid: Masks::new(count, sectors),
            dirty: Masks::new(count, sectors),
            clean: Recency::new(slots),
            dirty_ones: Recency::new(slots),
            fresh: 0,
        }
    }

    /// Number of slots.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.len()
    }

    /// Number of those that are somebody's: a slot that was used is given up only for another extent.
    #[must_use]
    pub fn taken(&self) -> u64 {
        u64::from(self.fresh)
    }

    /// A slot that is nobody's. The caller begins it.
    pub fn free(&mut self) -> Option<u32> {
        let slot = self.fresh;
        ((slot as usize) < self.len()).then(|| {
            self.fresh += 1;
            slot
        })
    }

    /// The clean slot that was used longest ago and that nothing is under way in, with its extent. The caller begins it.
    pub fn give_up(&mut self) -> Option<(u32, u32)> {
        let calm = |slot: &u32| self.under_way[*slot as usize] == [0; 2];
        let slot = self.clean.oldest_first().take(SEARCH).find(calm)?;
        self.clean.remove(slot);
        self.valid.clear(slot);
        self.state[slot as usize] = State::Free;
        Some((slot, self.extent[slot as usize]))
    }

    /// A slot becomes that of `extent`, without any sectors.
    pub fn begin(&mut self, slot: u32, extent: u32) {
        self.state[slot as usize] = State::Clean;
        self.extent[slot as usize] = extent;
        self.clean.add(slot);
    }

    /// A slot is used; `dirties`: by a write that the slow part does not get.
    pub fn used(&mut self, slot: u32, dirties: bool, now: Nanos) {
        let state = &mut self.state[slot as usize];
        if dirties {
            self.written[slot as usize] = now;
        }
        match (*state, dirties) {
            (State::Clean, true) => {
                *state = State::Dirty;
                self.clean.remove(slot);
                self.dirty_ones.add(slot);
            }
            (State::Clean, false) => self.clean.touch(slot),
            (State::Dirty, true) => self.dirty_ones.touch(slot),
            _ => {}
        }
    }

    /// The dirty slot that was written longest ago and that no write is under way in: it leaves.
    pub fn leave(&mut self) -> Option<u32> {
        let calm = |slot: &u32| self.under_way[*slot as usize][WRITE] == 0;
        let slot = self.dirty_ones.oldest_first().take(SEARCH).find(calm)?;
        self.dirty_ones.remove(slot);
        self.state[slot as usize] = State::Leaving;
        Some(slot)
    }

    /// A slot that was on its way to the slow part has arrived.
    pub fn arrived(&mut self, slot: u32) {
        let dirty = self.dirty.count(slot) > 0;
        self.state[slot as usize] = if dirty { State::Dirty } else { State::Clean };
        if dirty { self.dirty_ones.add(slot) } else { self.clean.add(slot) }
    }

    /// When the slot on the list of dirty ones that was written longest ago was that.
    #[must_use]
    pub fn oldest_written(&self) -> Option<Nanos> {
        self.dirty_ones.oldest_first().next().map(|slot| self.written[slot as usize])
    }

    /// Number of dirty sectors of slots that are not leaving.
    #[must_use]
    pub fn dirty_sectors(&self) -> u64 {
        self.dirty_ones.oldest_first().map(|slot| u64::from(self.dirty.count(slot))).sum()
    }
}

impl Sectored {
    /// The invariants: extents and slots know of one another, slots are on the list that their state requests for, and dirty
    /// sectors are there or being written.
    pub(super) fn check(&self) -> Result<(), String> {
        let held = |ok: bool, what: String| if ok { Ok(()) } else { Err(what) };
        for extent in 0..self.slot.len() as u32 {
            if let Some(slot) = self.slot_of(extent) {
                let own = self.slots.extent[slot as usize] == extent;
                held(own, format!("slot {slot} does not know that it is of {extent}"))?;
            }
        }
        let sectors = self.sectors_of_slot();
        let mut counts = [0; 4];
        for (slot, &state) in self.slots.state.iter().enumerate() {
            counts[state as usize] += 1;
            let number = slot as u32;
            if state == State::Free {
                let empty = self.slots.valid.count(number) == 0 && self.slots.under_way[slot] == [0; 2];
                held(empty, format!("free slot {slot} is in use"))?;
                continue;
            }
            let own = self.slot_of(self.slots.extent[slot]) == Some(number);
            held(own, format!("slot {slot} holds what nobody knows of"))?;
            let dirty = self.slots.dirty.count(number);
            held(state != State::Clean || dirty == 0, format!("clean slot {slot} is dirty"))?;
            held(state != State::Dirty || dirty > 0, format!("dirty slot {slot} is not"))?;
            if self.slots.under_way[slot][WRITE] == 0 {
                let there = |at: u32| {
                    let is = |masks: &Masks| masks.run(number, at, at + 1).0;
                    !is(&self.slots.dirty) || is(&self.slots.valid)
                };
                held((0..sectors).all(there), format!("slot {slot} has dirty sectors that are not there"))?;
            }
        }
        let [_, clean, dirty, leaving] = counts;
        held(
            clean == self.slots.clean.len(),
            format!("{clean} clean slots, {} listed", self.slots.clean.len()),
        )?;
        let listed = self.slots.dirty_ones.len();
        held(dirty == listed, format!("{dirty} dirty slots, {listed} listed"))?;
        let on_the_way = self.write_backs.under_way();
        held(leaving == on_the_way, format!("{leaving} slots on the way out, {on_the_way} moves"))?;
        held(!self.fills.is_empty() || self.waiting.len() == 0, "a request waits for no fill".into())
    }
}
