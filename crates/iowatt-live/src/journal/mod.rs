//! The map of a volume, kept on a store: two halves, each a checkpoint and the records since.
//!
//! A half starts with a head, then the blocks of the checkpoint, then blocks of records. A half that has no room left is
//! followed by the other: its checkpoint is written and synced first, its head last. The half with the higher generation of
//! those that are whole is the one in use. Records are written in batches, each behind what it speaks of is durable, and a
//! batch counts only whole. The checkpoint is of what is durable, not of what the policy already plans.

mod block;

use crate::store::Store;
use block::{BLOCK, Block, Kind, WORDS};
use iowatt_volume::MapRecord;
use serde::Serialize;
use std::io;

/// Fewest blocks for records in a half.
const LEAST_RECORDS: u64 = 2048;

/// Where a journal lies on its store.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// First byte; a multiple of 512.
    pub at: u64,
    /// Entries of the map.
    pub entries: u64,
}

impl Place {
    fn checkpoint_blocks(self) -> u64 {
        self.entries.div_ceil(WORDS as u64)
    }

    fn half_blocks(self) -> u64 {
        1 + self.checkpoint_blocks() + self.checkpoint_blocks().max(LEAST_RECORDS)
    }

    /// Bytes that it takes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        2 * self.half_blocks() * BLOCK as u64
    }

    fn block_at(self, half: u64, block: u64) -> u64 {
        self.at + (half * self.half_blocks() + block) * BLOCK as u64
    }
}

/// What was found on opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// Whether the volume was stopped in order.
    pub clean: bool,
    /// Records read behind the checkpoint.
    pub records: u64,
    /// Batches that were begun and not ended, which do not count.
    pub torn: bool,
    /// Whether the half with the highest head was not whole, so that the other one was taken.
    pub older_half: bool,
}

/// The journal of an open volume.
#[derive(Debug)]
pub struct Journal {
    place: Place,
    /// The durable map.
    map: Vec<u32>,
    half: u64,
    generation: u64,
    /// The next block.
    next: u64,
    /// Blocks of a half that are filled before the other one follows.
    room: u64,
    /// For tests: a head is written before the checkpoint that it stands for is durable.
    head_first: bool,
    /// Batches written.
    pub commits: u64,
    /// Checkpoints written.
    pub checkpoints: u64,
}

impl Journal {
    fn of(place: Place, map: Vec<u32>, (half, generation): (u64, u64), next: u64) -> Self {
        let room = place.half_blocks();
        Self { place, map, half, generation, next, room, head_first: false, commits: 0, checkpoints: 0 }
    }

    /// For tests: a checkpoint follows after so few blocks of records.
    pub fn checkpoint_after(&mut self, blocks: u64) {
        self.room = (1 + self.place.checkpoint_blocks() + blocks).min(self.place.half_blocks());
    }

    /// For tests: from now on the head of a checkpoint is written first, and its blocks are not waited for.
    pub fn write_heads_first(&mut self) {
        self.head_first = true;
    }

    /// Writes a journal with `map` to `store`.
    ///
    /// # Errors
    /// What the store says.
    pub fn create(store: &dyn Store, place: Place, map: Vec<u32>) -> io::Result<Self> {
        // What an earlier volume left in either half must not be taken for a newer generation.
        for half in 0..2 {
            store.write(place.block_at(half, 0), &[0; BLOCK])?;
        }
        store.sync()?;
        let mut new = Self::of(place, map, (1, 0), 0);
        new.checkpoint(store, true)?;
        Ok(new)
    }

    /// Reads the journal at `place`, without a change to it.
    ///
    /// # Errors
    /// What the store says; [`io::ErrorKind::InvalidData`] where neither half is whole.
    pub fn open(store: &dyn Store, place: Place) -> io::Result<(Self, Found)> {
        let mut heads = Vec::new();
        for half in 0..2 {
            let head = read_block(store, place, half, 0)?;
            if let Some(head) = head.filter(|b| b.kind == Kind::Head && b.sequence == 0 && b.words.len() == 2)
            {
                heads.push((head.generation, half, head.words));
            }
        }
        heads.sort_by_key(|head| std::cmp::Reverse(head.0));
        for (nth, (generation, half, words)) in heads.into_iter().enumerate() {
            if u64::from(words[0]) != place.entries {
                continue;
            }
            let clean = words[1] == 1;
            if let Some((journal, records, torn)) = Self::read_half(store, place, half, generation)? {
                let found = Found { clean: clean && records == 0, records, torn, older_half: nth > 0 };
                return Ok((journal, found));
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "neither half of the journal is whole"))
    }

    /// A half: its journal, how many records are behind the checkpoint, and whether a batch is torn.
    fn read_half(
        store: &dyn Store,
        place: Place,
        half: u64,
        generation: u64,
    ) -> io::Result<Option<(Self, u64, bool)>> {
        let mut map = Vec::with_capacity(place.entries as usize);
        let mut next = 1;
        let of = |block: &Block, sequence: u64| block.generation == generation && block.sequence == sequence;
        while (map.len() as u64) < place.entries {
            match read_block(store, place, half, next)? {
                Some(block)
                    if block.kind == Kind::Checkpoint && of(&block, next) && !block.words.is_empty() =>
                {
                    map.extend(block.words);
                }
                _ => return Ok(None),
            }
            next += 1;
        }
        map.truncate(place.entries as usize);
        let (mut records, mut batch, mut end) = (0, Vec::new(), next);
        while next < place.half_blocks() {
            let Some(block) = read_block(store, place, half, next)? else { break };
            if block.kind != Kind::Records || !of(&block, next) {
                break;
            }
            next += 1;
            batch.extend(block.words.chunks_exact(2).map(|pair| (pair[0], pair[1])));
            if block.last {
                for (extent, slot) in batch.drain(..) {
                    let Some(entry) = map.get_mut(extent as usize) else { return Ok(None) };
                    *entry = slot;
                    records += 1;
                }
                end = next;
            }
        }
        let torn = next > end;
        let journal = Self::of(place, map, (half, generation), end);
        Ok(Some((journal, records, torn)))
    }

    /// The durable map.
    #[must_use]
    pub fn map(&self) -> &[u32] {
        &self.map
    }

    /// Which checkpoint is in use.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Takes a map in place of its own, and makes it durable.
    ///
    /// # Errors
    /// What the store says; the former one is still there then.
    pub fn replace(&mut self, store: &dyn Store, map: Vec<u32>, clean: bool) -> io::Result<()> {
        self.map = map;
        self.checkpoint(store, clean)
    }

    /// Makes records durable, all or none.
    ///
    /// # Errors
    /// What the store says. Whether they are there is not known then: nothing may be written any more.
    pub fn commit(&mut self, store: &dyn Store, records: &[MapRecord]) -> io::Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        let per_block = WORDS / 2;
        let needed = records.len().div_ceil(per_block) as u64;
        for record in records {
            if let Some(entry) = self.map.get_mut(record.extent as usize) {
                *entry = record.slot;
            }
        }
        self.commits += 1;
        if self.next + needed > self.room {
            return self.checkpoint(store, false);
        }
        let mut bytes = Vec::with_capacity(needed as usize * BLOCK);
        for (nth, some) in records.chunks(per_block).enumerate() {
            let words = some.iter().flat_map(|record| [record.extent, record.slot]).collect();
            let last = nth as u64 + 1 == needed;
            let (generation, sequence) = (self.generation, self.next + nth as u64);
            bytes.extend(Block { kind: Kind::Records, last, generation, sequence, words }.bytes());
        }
        store.write(self.place.block_at(self.half, self.next), &bytes)?;
        store.sync()?;
        self.next += needed;
        Ok(())
    }

    /// Writes the map to the other half, which is in use from then on.
    fn checkpoint(&mut self, store: &dyn Store, clean: bool) -> io::Result<()> {
        let (half, generation) = (1 - self.half, self.generation + 1);
        let block = |kind: Kind, sequence: u64, words: Vec<u32>| {
            Block { kind, last: true, generation, sequence, words }.bytes()
        };
        let mut bytes = Vec::with_capacity(self.place.checkpoint_blocks() as usize * BLOCK);
        for (nth, words) in self.map.chunks(WORDS).enumerate() {
            bytes.extend(block(Kind::Checkpoint, nth as u64 + 1, words.to_vec()));
        }
        let head = block(Kind::Head, 0, vec![self.place.entries as u32, u32::from(clean)]);
        let mut order = [(1, &bytes[..]), (0, &head[..])];
        if self.head_first {
            order.reverse();
        }
        for (nth, (first, blocks)) in order.into_iter().enumerate() {
            store.write(self.place.block_at(half, first), blocks)?;
            if nth == 0 || !self.head_first {
                store.sync()?;
            }
        }
        (self.half, self.generation) = (half, generation);
        self.next = 1 + self.place.checkpoint_blocks();
        self.checkpoints += 1;
        Ok(())
    }
}

fn read_block(store: &dyn Store, place: Place, half: u64, block: u64) -> io::Result<Option<Block>> {
    let mut bytes = [0; BLOCK];
    store.read(place.block_at(half, block), &mut bytes)?;
    Ok(Block::of(&bytes))
}
