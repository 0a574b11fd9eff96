//! Data from before the run that the host has not touched since: where they are.
//!
//! A unit is where the initial state says until its superblock is collected. From then on that superblock has a table, by
//! place, of where its units went, which collection fills in order: it looks nothing up. Units that the host overwrites or
//! trims before that are noted in a chain by superblock, as they are few of many superblocks.

use super::steady::Initial;

/// No table; the end of a chain.
const NONE: u32 = u32::MAX;
/// In a table: the unit has not been moved.
const STAYS: u32 = 0;
/// In a table: the host has overwritten or trimmed it.
const GONE: u32 = u32::MAX;

/// A unit that the host overwrote or trimmed before its superblock was collected.
#[derive(Clone, Copy, Debug)]
struct Departed {
    place: u32,
    /// The one before it of the same superblock.
    earlier: u32,
}

/// The initial state, and what has become of it.
#[derive(Debug)]
pub struct Origin {
    initial: Initial,
    /// By superblock: where its table starts in `moved`.
    tables: Vec<u32>,
    /// Places they were moved to, plus 1.
    moved: Vec<u32>,
    /// By superblock without a table: the last unit that departed.
    last: Vec<u32>,
    departed: Vec<Departed>,
    /// A chain of entries of `departed` that are free again.
    spare: u32,
}

impl Origin {
    /// Data as `initial` has them, in `blocks` superblocks.
    pub fn new(initial: Initial, blocks: u32) -> Self {
        Self {
            initial,
            tables: vec![NONE; blocks as usize],
            moved: Vec::new(),
            last: vec![NONE; blocks as usize],
            departed: Vec::new(),
            spare: NONE,
        }
    }

    /// The place of an address that the host has not touched, over all superblocks of `block_units`.
    #[inline]
    pub fn place(&self, address: u32, block_units: u32) -> Option<u32> {
        let (block, place) = self.initial.place(address)?;
        let own = block * block_units + place;
        match self.tables[block as usize] {
            NONE => Some(own),
            table => match self.moved[(table + place) as usize] {
                STAYS => Some(own),
                moved => Some(moved - 1),
            },
        }
    }

    /// The host overwrites or trims an address for the first time: the superblock where it was.
    #[inline]
    pub fn depart(&mut self, address: u32, block_units: u32) -> Option<u32> {
        let (block, place) = self.initial.place(address)?;
        let index = block as usize;
        if self.tables[index] == NONE {
            self.note(index, place);
            return Some(block);
        }
        let moved = &mut self.moved[(self.tables[index] + place) as usize];
        let was = std::mem::replace(moved, GONE);
        Some(if was == STAYS { block } else { (was - 1) / block_units })
    }

    #[inline]
    fn note(&mut self, block: usize, place: u32) {
        let entry = Departed { place, earlier: self.last[block] };
        if self.spare == NONE {
            self.last[block] = self.departed.len() as u32;
            self.departed.push(entry);
        } else {
            let free = &mut self.departed[self.spare as usize];
            self.last[block] = std::mem::replace(&mut self.spare, free.earlier);
            *free = entry;
        }
    }

    /// A superblock of the initial state is going to be collected.
    pub fn begin(&mut self, block: u32) {
        let start = self.moved.len();
        self.moved.resize(start + self.initial.held(block) as usize, STAYS);
        self.tables[block as usize] = start as u32;
        let mut entry = std::mem::replace(&mut self.last[block as usize], NONE);
        while entry != NONE {
            let Departed { place, earlier } = self.departed[entry as usize];
            self.moved[start + place as usize] = GONE;
            self.departed[entry as usize].earlier = std::mem::replace(&mut self.spare, entry);
            entry = earlier;
        }
    }

    /// The next unit that is still in a superblock being collected, from place `from` on: its number, and its place.
    #[inline]
    pub fn next(&self, block: u32, from: u32) -> Option<(u32, u32)> {
        let table = self.tables[block as usize];
        let end = table + self.initial.held(block);
        let number = (table + from..end).find(|&number| self.moved[number as usize] == STAYS)?;
        Some((number, number - table))
    }

    /// Whether unit `number` is where it was at the start, in a superblock that is being collected.
    #[inline]
    pub fn stays(&self, number: u32) -> bool {
        self.moved[number as usize] == STAYS
    }

    /// Unit `number` is moved to place `to`.
    #[inline]
    pub fn move_to(&mut self, number: u32, to: u32) {
        self.moved[number as usize] = to + 1;
    }

    /// Whether unit `number` was moved to `place` and is there still.
    #[inline]
    pub fn is_at(&self, number: u32, place: u32) -> bool {
        self.moved[number as usize] == place + 1
    }

    /// The number of an address whose superblock has been collected, or is being.
    #[must_use]
    pub fn number(&self, address: u32) -> Option<u32> {
        let (block, place) = self.initial.place(address)?;
        let table = self.tables[block as usize];
        (table != NONE).then(|| table + place)
    }
}
