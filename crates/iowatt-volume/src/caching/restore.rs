//! A volume that was created before takes its map again.

use super::copies::{Content, Slot};
use super::{COMING, Caching};
use crate::io::MapRecord;
use crate::plan::WriteCaching;
use crate::recency::{NONE, Recency};

impl Caching {
    /// Extents have copies in `slots`. After a loss of power any copy may differ from the slow part: with write-back it is
    /// the copy that counts, else the slow part, so that no copy is kept.
    ///
    /// # Errors
    /// The first entry that cannot be.
    pub(super) fn take_map(&mut self, slots: &[u32], clean: bool) -> Result<(), String> {
        let (extents, fast) = (self.copy.len(), self.slots.len());
        if slots.len() != extents {
            return Err(format!("the map has {} extents, the volume {extents}", slots.len()));
        }
        let back = self.writes == WriteCaching::Back;
        self.slots.fill(Slot::default());
        self.copy.fill(NONE);
        (self.clean, self.dirty) = (Recency::new(fast as u32), Recency::new(fast as u32));
        self.dirty_copies = 0;
        for (extent, &entry) in slots.iter().enumerate().filter(|(_, entry)| **entry != MapRecord::NOWHERE) {
            let (number, dirty) = (entry & !MapRecord::DIRTY, entry & MapRecord::DIRTY != 0);
            let Some(slot) = self.slots.get_mut(number as usize) else {
                return Err(format!("extent {extent} has its copy in slot {number} of {fast}"));
            };
            if slot.content != Content::Nothing {
                return Err(format!("extents {} and {extent} share slot {number}", slot.extent));
            }
            if !back && !clean {
                continue;
            }
            slot.extent = extent as u32;
            self.copy[extent] = number;
            if back && (dirty || !clean) {
                slot.content = Content::Dirty;
                self.dirty.add(number);
                self.dirty_copies += 1;
            } else {
                slot.content = Content::Clean;
                self.clean.add(number);
            }
        }
        let empty = |&slot: &u32| self.slots[slot as usize].content == Content::Nothing;
        self.free = (0..fast as u32).rev().filter(empty).collect();
        self.initial.touched.fill(true);
        Ok(())
    }

    /// The copies, and which of them are dirty.
    pub(super) fn copy_map(&self) -> Vec<u32> {
        let entry = |&copy: &u32| match copy {
            none if none & COMING != 0 => MapRecord::NOWHERE,
            copy if matches!(self.slots[copy as usize].content, Content::Clean) => copy,
            copy => copy | MapRecord::DIRTY,
        };
        self.copy.iter().map(entry).collect()
    }
}
