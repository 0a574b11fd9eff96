//! Whose unit is at each place of the superblocks written since the start: what collection asks.

/// No list.
const NONE: u32 = u32::MAX;
/// Number of a place that was left empty.
const PADDING: u32 = u32::MAX;

/// Whose a place is, or was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Of an address that the host has written.
    Host(u32),
    /// Of a unit from before the run, by its number.
    Origin(u32),
    /// Nobody's: it was left empty.
    Padding,
}

/// A list of owners for each superblock that has been written. Lists of those erased are used again.
#[derive(Debug)]
pub struct Owners {
    block_units: usize,
    /// By superblock: the number of its list.
    list_of: Vec<u32>,
    /// Addresses or numbers, list by list, and a bit for each: whether it is of before the run.
    numbers: Vec<u32>,
    of_origin: Vec<u64>,
    spare: Vec<u32>,
}

impl Owners {
    /// No list, for so many superblocks of so many units.
    pub fn new(blocks: u32, block_units: u32) -> Self {
        Self {
            block_units: block_units as usize,
            list_of: vec![NONE; blocks as usize],
            numbers: Vec::new(),
            of_origin: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Whether a superblock has a list. If not, it is as at the start.
    #[inline]
    pub fn lists(&self, block: u32) -> bool {
        self.list_of[block as usize] != NONE
    }

    /// A superblock gets a list; its first place in it.
    pub fn begin(&mut self, block: u32) -> usize {
        let list = self.spare.pop().unwrap_or_else(|| {
            let next = self.numbers.len() + self.block_units;
            self.numbers.resize(next, PADDING);
            self.of_origin.resize(next.div_ceil(64), 0);
            (next / self.block_units - 1) as u32
        });
        self.list_of[block as usize] = list;
        list as usize * self.block_units
    }

    /// A superblock is erased: its list is free again.
    pub fn end(&mut self, block: u32) {
        let list = std::mem::replace(&mut self.list_of[block as usize], NONE);
        if list != NONE {
            self.spare.push(list);
        }
    }

    /// Where the list of a superblock begins.
    #[inline]
    pub fn start(&self, block: u32) -> usize {
        self.list_of[block as usize] as usize * self.block_units
    }

    /// The owner at a place of the lists.
    #[inline]
    pub fn at(&self, at: usize) -> Owner {
        let number = self.numbers[at];
        if self.of_origin[at / 64] >> (at % 64) & 1 == 1 {
            Owner::Origin(number)
        } else if number == PADDING {
            Owner::Padding
        } else {
            Owner::Host(number)
        }
    }

    /// Changes the owner at a place of the lists.
    #[inline]
    pub fn set(&mut self, at: usize, owner: Owner) {
        let (number, of_origin) = match owner {
            Owner::Host(address) => (address, 0),
            Owner::Origin(number) => (number, 1),
            Owner::Padding => (PADDING, 0),
        };
        self.numbers[at] = number;
        let word = &mut self.of_origin[at / 64];
        *word = *word & !(1 << (at % 64)) | of_origin << (at % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_kept_apart_and_used_again() {
        let mut owners = Owners::new(3, 70);
        let (one, other) = (owners.begin(2), owners.begin(0));
        owners.set(one + 69, Owner::Origin(u32::MAX));
        owners.set(other, Owner::Host(7));
        assert_eq!(owners.at(one + 69), Owner::Origin(u32::MAX));
        owners.set(one + 69, Owner::Padding);
        assert_eq!((owners.at(one + 69), owners.at(other)), (Owner::Padding, Owner::Host(7)));
        assert_eq!((owners.start(0), owners.lists(1)), (other, false));
        owners.end(2);
        assert_eq!((owners.begin(1), owners.lists(2)), (one, false));
    }
}
