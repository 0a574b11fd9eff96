//! The copies in the fast part: which extent each slot has, whether it is dirty, and what that allows.

use super::Caching;
use crate::io::{MapRecord, VolumeIo, VolumeRequest};
use crate::recency::NONE;
use crate::time::Nanos;

/// What is in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing, or what is on its way there.
    Nothing,
    /// What the slow part has, too.
    Clean,
    /// What the slow part has not.
    Dirty,
    /// Dirty, and on its way to the slow part.
    Leaving,
    /// As that, and written to since.
    LeavingDirtied,
}

/// A slot of the fast part.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Its content.
    pub content: Content,
    /// The extent of which it is.
    pub extent: u32,
    /// When it was last written.
    pub written: Nanos,
    /// Reads and writes of requests under way.
    pub under_way: [u32; 2],
}

impl Default for Slot {
    fn default() -> Self {
        Self { content: Content::Nothing, extent: NONE, written: 0, under_way: [0; 2] }
    }
}

impl Caching {
    /// A copy is used, or changed by a trim, which does not make it one that was used lately.
    pub(super) fn used(&mut self, copy: u32, request: &VolumeRequest, now: Nanos) {
        let through = self.writes != crate::plan::WriteCaching::Back;
        let slot = &mut self.slots[copy as usize];
        if !request.write || through {
            if slot.content == Content::Clean && !request.trim {
                self.clean.touch(copy);
            }
            return;
        }
        slot.written = now;
        match slot.content {
            Content::Clean => {
                slot.content = Content::Dirty;
                self.clean.remove(copy);
                self.dirty.add(copy);
                self.dirty_copies += 1;
            }
            Content::Dirty if !request.trim => self.dirty.touch(copy),
            Content::Leaving => slot.content = Content::LeavingDirtied,
            Content::Dirty | Content::LeavingDirtied | Content::Nothing => {}
        }
    }

    /// `extent` is complete in `slot`.
    pub(super) fn install(&mut self, extent: u32, slot: u32) {
        let to = &mut self.slots[slot as usize];
        (to.content, to.extent) = (Content::Clean, extent);
        self.copy[extent as usize] = slot;
        self.heat[extent as usize] = 0;
        self.clean.add(slot);
    }

    /// A clean copy is no longer one; its slot is free.
    pub(super) fn give_up(&mut self, copy: u32, io: &mut impl VolumeIo) {
        let slot = &mut self.slots[copy as usize];
        let extent = slot.extent;
        (slot.content, slot.extent) = (Content::Nothing, NONE);
        self.copy[extent as usize] = NONE;
        self.heat[extent as usize] = 0;
        self.clean.remove(copy);
        self.free.push(copy);
        io.note(MapRecord { extent, slot: MapRecord::NOWHERE });
        if let Some(counts) = io.counts() {
            counts.evictions += 1;
        }
    }

    /// The invariants: every copy is known on both sides and on the list that its content requests for; slots without one are
    /// free or about to be filled.
    pub(super) fn check(&self) -> Result<(), String> {
        let held = |ok: bool, what: String| if ok { Ok(()) } else { Err(what) };
        for (extent, &copy) in self.copy.iter().enumerate().filter(|(_, copy)| **copy & super::COMING == 0) {
            let slot = &self.slots[copy as usize];
            held(slot.extent == extent as u32, format!("slot {copy} does not know that it is of {extent}"))?;
        }
        let mut counts = [0; 3];
        for (number, slot) in self.slots.iter().enumerate() {
            if slot.content == Content::Nothing {
                continue;
            }
            let copy = self.copy.get(slot.extent as usize);
            held(copy == Some(&(number as u32)), format!("slot {number} holds what nobody knows of"))?;
            counts[match slot.content {
                Content::Clean => 0,
                Content::Dirty => 1,
                _ => 2,
            }] += 1;
        }
        let [clean, dirty, leaving] = counts;
        held(clean == self.clean.len(), format!("{clean} clean copies, {} listed", self.clean.len()))?;
        held(dirty == self.dirty.len(), format!("{dirty} dirty copies, {} listed", self.dirty.len()))?;
        let on_the_way = self.cleanings.iter().flatten().count();
        held(leaving == on_the_way, format!("{leaving} copies on the way out, {on_the_way} moves"))?;
        let all = self.dirty_copies as usize;
        held(dirty + leaving == all, format!("{} dirty copies, {all} counted", dirty + leaving))?;
        let coming = self.copying.iter().flatten().count();
        let free = self.free.len();
        held(
            clean + all + coming + free == self.slots.len(),
            format!(
                "{clean} clean, {all} dirty, {coming} to be filled and {free} free do not make all slots"
            ),
        )?;
        held(coming > 0 || self.waiting.len() == 0, "a request waits for no move".into())
    }
}
