//! Whether nothing is lost: a check for tests.

use super::{Ftl, Owner, Stage};

impl Ftl {
    /// Checks that every address that holds data is at one place, that the counts of valid units are right, and that
    /// nothing else is counted.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn audit(&self) -> Result<(), String> {
        let mut held = vec![0u32; self.valid.len()];
        let mut taken = vec![false; self.valid.len() * self.geometry.block_units as usize];
        let mut live = 0;
        for address in 0..self.geometry.units {
            let Some((block, place)) = self.locate(address) else { continue };
            live += 1;
            held[block as usize] += 1;
            let at = block as usize * self.geometry.block_units as usize + place as usize;
            if std::mem::replace(&mut taken[at], true) {
                return Err(format!("address {address} shares superblock {block}, place {place}"));
            }
            if self.zones.is_none() && self.owners.lists(block) {
                let noted = self.owners.at(self.owners.start(block) + place as usize);
                let number = self.origin.as_ref().and_then(|origin| origin.number(address));
                let right = match noted {
                    Owner::Host(host) => host == address,
                    Owner::Origin(unit) => Some(unit) == number,
                    Owner::Padding => false,
                };
                if !right {
                    return Err(format!("superblock {block}, place {place} notes {noted:?}, not {address}"));
                }
            }
            if self.stage[block as usize] == Stage::Free {
                return Err(format!("address {address} is in superblock {block}, which is free"));
            }
        }
        if held != self.valid {
            return Err("the counts of valid units are wrong".into());
        }
        let free = self.stage.iter().filter(|&&s| s == Stage::Free).count();
        if live != self.live || free != self.free.len() {
            return Err(format!(
                "{live} units live, {} counted; {free} free, {}",
                self.live,
                self.free.len()
            ));
        }
        Ok(())
    }
}
