//! A volume that was created before takes its map again.

use super::Tiering;
use crate::recency::Recency;

impl Tiering {
    /// Extents live in `slots`. What has been touched is not known any more, so that no placement waits for a touch.
    ///
    /// # Errors
    /// The first entry that cannot be.
    pub(super) fn take_map(&mut self, slots: &[u32]) -> Result<(), String> {
        let (extents, all) = (self.home.len(), self.under_way.len() as u32);
        if slots.len() != extents {
            return Err(format!("the map has {} extents, the volume {extents}", slots.len()));
        }
        let mut taken = vec![false; all as usize];
        self.recency = Recency::new(self.fast);
        for (extent, &slot) in slots.iter().enumerate() {
            match taken.get_mut(slot as usize) {
                Some(taken) if !*taken => *taken = true,
                Some(_) => return Err(format!("extents share slot {slot}, at last extent {extent}")),
                None => return Err(format!("extent {extent} is in slot {slot} of {all}")),
            }
            if slot < self.fast {
                self.holder[slot as usize] = extent as u32;
            }
        }
        // Power may have been lost between the halves of a move.
        (self.vacant, self.spares) =
            (0..all).rev().filter(|&slot| !taken[slot as usize]).partition(|&slot| slot < self.fast);
        (0..self.fast).filter(|&slot| taken[slot as usize]).for_each(|slot| self.recency.add(slot));
        self.home.copy_from_slice(slots);
        self.initial.touched.fill(true);
        Ok(())
    }
}
