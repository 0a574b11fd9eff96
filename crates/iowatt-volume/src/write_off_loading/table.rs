//! Where the latest version of every off-loaded sector lies.
//!
//! An entry is one block of a log that holds some sectors of one block of a home. The entries of a home's block form a chain; no
//! sector is in two of them, so that what a log holds is always the latest version. Entries between one home and one log are
//! listed from the oldest, which is the order in which they are reclaimed.

use super::slots::Slots;
use crate::sectors::{BlockMap, SECTOR};
use crate::slab::Slab;

/// Bytes of a block of a log.
pub const BLOCK: u64 = 4096;

/// No entry.
pub const NONE: u32 = u32::MAX;

/// A block of a log.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Number of the block of the address space whose sectors it holds.
    pub block: u64,
    /// Part that the block belongs to.
    pub home: u32,
    /// Part that the log belongs to.
    pub log: u32,
    /// Which block of the log.
    pub slot: u32,
    /// The sectors that are the latest version.
    pub sectors: u8,
    /// It is being reclaimed: in no list, and its key stays until [`Table::end_move`].
    pub moving: bool,
    next: u32,
    older: u32,
    newer: u32,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    oldest: u32,
    newest: u32,
    length: u32,
}

/// All entries.
#[derive(Debug)]
pub struct Table {
    parts: usize,
    blocks: BlockMap,
    entries: Slab<Entry>,
    /// By home and log.
    lists: Vec<Ends>,
    /// The log of each part.
    pub logs: Vec<Slots>,
    /// Sectors of each home that are in logs.
    pub away: Vec<u64>,
}

impl Table {
    /// No entries in logs of so many blocks.
    #[must_use]
    pub fn new(logs: &[u32]) -> Self {
        let parts = logs.len();
        Self {
            parts,
            blocks: BlockMap::default(),
            entries: Slab::default(),
            lists: vec![Ends { oldest: NONE, newest: NONE, length: 0 }; parts * parts],
            logs: logs.iter().map(|&count| Slots::new(count)).collect(),
            away: vec![0; parts],
        }
    }

    /// The entry with this key.
    #[must_use]
    pub fn get(&self, key: u32) -> Entry {
        self.entries.get(key)
    }

    /// Entries of a home in a log that are not being reclaimed.
    #[must_use]
    pub fn length(&self, home: usize, log: usize) -> u32 {
        self.lists[home * self.parts + log].length
    }

    /// The oldest of them, or [`NONE`].
    #[must_use]
    pub fn oldest(&self, home: usize, log: usize) -> u32 {
        self.lists[home * self.parts + log].oldest
    }

    /// The entry that holds a sector of a block, or [`NONE`]: the home has it.
    #[must_use]
    pub fn holder(&self, block: u64, sector: u64) -> u32 {
        self.chain(block).find(|&(_, e)| e.sectors >> sector & 1 == 1).map_or(NONE, |(key, _)| key)
    }

    /// The entries of a block.
    pub fn chain(&self, block: u64) -> impl Iterator<Item = (u32, Entry)> + '_ {
        let mut at = self.blocks.get(&block).copied().unwrap_or(NONE);
        std::iter::from_fn(move || {
            let key = at;
            (key != NONE).then(|| {
                let entry = self.entries.get(key);
                at = entry.next;
                (key, entry)
            })
        })
    }

    /// Sectors of a block are in a new place of a log, which has been taken: the latest version. How many had an earlier one
    /// in a log.
    pub fn insert(&mut self, block: u64, home: usize, (log, slot): (usize, u32), sectors: u8) -> u64 {
        let dead = self.supersede(block, home, sectors);
        let next = self.blocks.get(&block).copied().unwrap_or(NONE);
        let ends = &mut self.lists[home * self.parts + log];
        let key = self.entries.insert(Entry {
            block,
            home: home as u32,
            log: log as u32,
            slot,
            sectors,
            moving: false,
            next,
            older: ends.newest,
            newer: NONE,
        });
        match ends.newest {
            NONE => ends.oldest = key,
            newest => self.entries.get_mut(newest).newer = key,
        }
        ends.newest = key;
        ends.length += 1;
        self.blocks.insert(block, key);
        self.away[home] += u64::from(sectors.count_ones());
        dead
    }

    /// Sectors of a block have a later version elsewhere; how many were in logs.
    pub fn supersede(&mut self, block: u64, home: usize, sectors: u8) -> u64 {
        let (mut before, mut dead) = (NONE, 0);
        let mut at = self.blocks.get(&block).copied().unwrap_or(NONE);
        while at != NONE {
            let entry = self.entries.get_mut(at);
            let next = entry.next;
            dead += u64::from((entry.sectors & sectors).count_ones());
            entry.sectors &= !sectors;
            if entry.sectors == 0 {
                match (before, next) {
                    (NONE, NONE) => {
                        self.blocks.remove(&block);
                    }
                    (NONE, next) => {
                        self.blocks.insert(block, next);
                    }
                    (before, next) => self.entries.get_mut(before).next = next,
                }
                self.drop_entry(at);
            } else {
                before = at;
            }
            at = next;
        }
        self.away[home] -= dead;
        dead
    }

    /// An entry holds nothing any more.
    fn drop_entry(&mut self, key: u32) {
        let entry = self.entries.get(key);
        self.logs[entry.log as usize].give(entry.slot);
        if !entry.moving {
            self.unlist(key);
            self.entries.remove(key);
        }
    }

    fn unlist(&mut self, key: u32) {
        let Entry { home, log, older, newer, .. } = self.entries.get(key);
        let ends = &mut self.lists[home as usize * self.parts + log as usize];
        ends.length -= 1;
        match older {
            NONE => ends.oldest = newer,
            older => self.entries.get_mut(older).newer = newer,
        }
        match newer {
            NONE => ends.newest = older,
            newer => self.entries.get_mut(newer).older = older,
        }
    }

    /// An entry begins to be reclaimed.
    pub fn begin_move(&mut self, key: u32) {
        self.unlist(key);
        self.entries.get_mut(key).moving = true;
    }

    /// What an entry still holds of the latest versions is at its home too: the log's copy goes. How many sectors.
    pub fn end_move(&mut self, key: u32) -> u64 {
        let entry = self.entries.get(key);
        let moved = if entry.sectors == 0 {
            0
        } else {
            self.supersede(entry.block, entry.home as usize, entry.sectors)
        };
        self.entries.remove(key);
        moved
    }

    /// Checks that every listed entry is in the chain of its block, that no sector has two latest versions, and that logs and
    /// homes count what there is. `moving` are the keys of the entries that are being reclaimed.
    ///
    /// # Errors
    /// The first thing that is not so.
    pub fn audit(&self, moving: impl Iterator<Item = u32>) -> Result<(), String> {
        let mut used = vec![0; self.parts];
        let mut away = vec![0; self.parts];
        let mut look = |key: u32| {
            let entry = self.entries.get(key);
            if entry.sectors == 0 {
                return if entry.moving { Ok(()) } else { Err(format!("entry {key} holds nothing")) };
            }
            if !self.chain(entry.block).any(|(other, _)| other == key) {
                return Err(format!("entry {key} is not in the chain of block {}", entry.block));
            }
            let mut seen = 0u8;
            for (_, other) in self.chain(entry.block) {
                if seen & other.sectors != 0 || other.home != entry.home {
                    return Err(format!("a sector of block {} has two latest versions", entry.block));
                }
                seen |= other.sectors;
            }
            if !self.logs[entry.log as usize].is_used(entry.slot) {
                return Err(format!("entry {key} lies in a free block of log {}", entry.log));
            }
            used[entry.log as usize] += 1;
            away[entry.home as usize] += u64::from(entry.sectors.count_ones());
            Ok(())
        };
        for ends in &self.lists {
            let (mut at, mut length) = (ends.oldest, 0);
            while at != NONE {
                look(at)?;
                length += 1;
                at = self.entries.get(at).newer;
            }
            if length != ends.length {
                return Err(format!("a list of {} entries has {length}", ends.length));
            }
        }
        moving.into_iter().try_for_each(&mut look)?;
        if away != self.away {
            return Err(format!("{away:?} sectors are in logs, counted {:?}", self.away));
        }
        let free: Vec<u32> = self.logs.iter().zip(&used).map(|(log, used)| log.count() - used).collect();
        if self.logs.iter().map(Slots::free).ne(free.iter().copied()) {
            return Err(format!("logs with {free:?} free blocks count others"));
        }
        Ok(())
    }

    /// The block whose sectors lie in a block of a log, for tests.
    #[cfg(test)]
    pub fn block_in(&self, log: usize, slot: u32) -> Option<u64> {
        let lies = |e: &Entry| e.sectors != 0 && (e.log as usize, e.slot) == (log, slot);
        self.entries.values().into_iter().find(lies).map(|e| e.block)
    }
}

/// Bytes of so many sectors.
#[must_use]
pub fn bytes(sectors: u64) -> u64 {
    sectors * SECTOR
}
