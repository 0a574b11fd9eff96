//! The translation layer: which unit is where, what is written next, what is collected.
//!
//! A superblock is a block of all planes of all dies. Writes go to the open superblock of a frontier, stripe by stripe (a
//! page of all planes of one die), dies in turn. Collection of a victim goes in step with the host's writes: a
//! victim with `v` of `s` units valid costs `v` moves for `s - v` host writes, after which as much is free as before.

use super::map::{Entry, Map};
use super::steady::Initial;
use crate::plan::{GcPlan, GcPolicy};
use crate::power::Cause;

/// Sizes, in mapping units.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// Addresses that the host has.
    pub units: u32,
    /// Superblocks.
    pub blocks: u32,
    /// Units of a superblock.
    pub block_units: u32,
    /// Units of a stripe.
    pub stripe_units: u32,
    /// Units of a page; 1 where a unit is a page or more.
    pub page_units: u32,
    /// Pages of a unit; 1 where a unit is a page or less.
    pub unit_pages: u32,
    /// Dies.
    pub dies: u32,
}

impl Geometry {
    /// The die of a place in a superblock.
    #[inline]
    #[must_use]
    pub fn die(&self, place: u32) -> u32 {
        (place / self.stripe_units) % self.dies
    }
}

/// What the layer has flash do.
pub trait Work {
    /// The stripe at a place of the superblock of a frontier is full: it is programmed. `of_host`: host data may be in it.
    fn program(&mut self, die: u32, of_host: bool, cause: Cause);
    /// `units` on `pages` of a stripe are read to be moved.
    fn sense(&mut self, die: u32, pages: u32, units: u32, cause: Cause);
    /// A superblock is erased.
    fn erase(&mut self);
}

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Units that the host wrote.
    pub host: u64,
    /// Units that collection moved.
    pub moved: u64,
    /// Of those, for wear levelling.
    pub levelled: u64,
    /// Places left empty because a write had to be on flash at once.
    pub padded: u64,
    /// Superblocks erased.
    pub erased: u64,
    /// Units that trims emptied.
    pub trimmed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Free,
    Open,
    Closed,
    Victim,
}

/// No superblock, no list of addresses.
const NONE: u32 = u32::MAX;
/// Padding in the list of addresses of a superblock.
const PADDING: u32 = u32::MAX;

/// The superblock that is being written.
#[derive(Clone, Copy, Debug)]
struct Frontier {
    block: u32,
    next: u32,
    /// Moved units in stripes, less a stripe for each that was counted as moved.
    moved: u32,
    /// Of the last unit that was not moved.
    cause: Cause,
}

/// The superblock that is being collected.
#[derive(Clone, Copy, Debug)]
struct Victim {
    block: u32,
    next: u32,
    /// Moves for `per` writes of the host.
    moves: u32,
    per: u32,
    credit: u64,
    levels: bool,
    /// Stripe being read: its number, and the pages and units found valid.
    stripe: u32,
    page: u32,
    pages: u32,
    units: u32,
}

/// Moves that one write of a host pays for at most.
const MOST_MOVES: u32 = 64;

/// The translation layer of one drive.
#[derive(Debug)]
pub struct Ftl {
    geometry: Geometry,
    gc: GcPlan,
    levelling: Option<u32>,
    map: Map,
    initial: Option<Initial>,
    /// By superblock: valid units.
    valid: Vec<u32>,
    stage: Vec<Stage>,
    /// When it was opened, in units written; those of before the run count on to `rotation`.
    opened: Vec<u64>,
    erases: Vec<u32>,
    /// Its list of addresses, by number in `lists`; none: as at the start.
    list_of: Vec<u32>,
    lists: Vec<u32>,
    spare_lists: Vec<u32>,
    free: Vec<u32>,
    /// Of the host and, where they are apart, of what is moved.
    frontiers: [Frontier; 2],
    victim: Option<Victim>,
    /// The last victim was chosen for wear.
    levelled_last: bool,
    clock: u64,
    live: u64,
    /// Counts since the start.
    pub counts: Counts,
}

impl Ftl {
    /// A drive as it is at the start.
    #[must_use]
    pub fn new(
        geometry: Geometry,
        gc: GcPlan,
        levelling: Option<u32>,
        initial: Option<Initial>,
        live: u32,
    ) -> Self {
        let n = geometry.blocks as usize;
        let rotation = if initial.is_some() { Self::rotation(&geometry, &gc) } else { 0 };
        let mut ftl = Self {
            geometry,
            gc,
            levelling,
            map: Map::new(geometry.units),
            valid: vec![0; n],
            stage: vec![Stage::Free; n],
            opened: vec![0; n],
            erases: vec![0; n],
            list_of: vec![NONE; n],
            lists: Vec::new(),
            spare_lists: Vec::new(),
            free: (rotation..geometry.blocks).rev().collect(),
            frontiers: [Frontier { block: NONE, next: 0, moved: 0, cause: Cause::HostWrite }; 2],
            victim: None,
            levelled_last: false,
            clock: u64::from(rotation) * u64::from(geometry.block_units),
            live: if initial.is_some() { u64::from(live) } else { 0 },
            counts: Counts::default(),
            initial,
        };
        for block in 0..rotation {
            let index = block as usize;
            ftl.stage[index] = Stage::Closed;
            ftl.opened[index] = u64::from(rotation - 1 - block) * u64::from(geometry.block_units);
            ftl.valid[index] = ftl.initial.as_ref().map_or(0, |i| i.held(block));
        }
        ftl
    }

    /// Superblocks that hold data in steady state: all but those kept free and those being written.
    #[must_use]
    pub fn rotation(geometry: &Geometry, gc: &GcPlan) -> u32 {
        geometry.blocks - gc.free_blocks - 1 - u32::from(gc.hot_cold)
    }

    /// Where an address is: superblock and place in it.
    #[inline]
    #[must_use]
    pub fn locate(&self, address: u32) -> Option<(u32, u32)> {
        self.place_of(address, self.map.get(address))
    }

    #[inline]
    fn place_of(&self, address: u32, entry: Entry) -> Option<(u32, u32)> {
        match entry {
            Entry::At(place) => Some((place / self.geometry.block_units, place % self.geometry.block_units)),
            Entry::Unmapped => None,
            Entry::Untouched => self.initial.as_ref().and_then(|initial| initial.place(address)),
        }
    }

    /// Superblock and place that the host's next unit goes to.
    #[must_use]
    pub fn frontier(&self) -> (u32, u32) {
        (self.frontiers[0].block, self.frontiers[0].next)
    }

    /// The host writes a unit.
    #[inline]
    pub fn write(&mut self, address: u32, cause: Cause, work: &mut impl Work) {
        if self.tight(1) {
            self.make_room(1, work);
        }
        if self.full(0) {
            self.open(0);
        }
        self.counts.host += 1;
        self.append(address, 0, cause, work);
        self.collect(1, work);
    }

    /// The host gives a unit up; whether it held data.
    pub fn trim(&mut self, address: u32) -> bool {
        let old = self.map.set(address, Entry::Unmapped);
        let Some((block, _)) = self.place_of(address, old) else { return false };
        self.valid[block as usize] -= 1;
        self.live -= 1;
        self.counts.trimmed += 1;
        true
    }

    /// Fills up the host's stripe, so that it is programmed. Returns the places left empty, for which collection is to
    /// [`Self::collect`].
    pub fn pad(&mut self, cause: Cause, work: &mut impl Work) -> u32 {
        let stripe = self.geometry.stripe_units;
        let partial = |front: &Frontier| front.block != NONE && !front.next.is_multiple_of(stripe);
        if partial(&self.frontiers[0]) && self.tight(stripe) {
            self.make_room(stripe, work); // may fill the stripe up
        }
        let Frontier { block, next, .. } = self.frontiers[0];
        if !partial(&self.frontiers[0]) {
            return 0;
        }
        let until = next.next_multiple_of(stripe);
        let list = self.list(block);
        self.lists[list + next as usize..list + until as usize].fill(PADDING);
        self.counts.padded += u64::from(until - next);
        self.clock += u64::from(until - next);
        self.frontiers[0].next = until;
        work.program(self.geometry.die(until - 1), true, cause);
        self.close_if_full(0);
        until - next
    }

    fn list(&self, block: u32) -> usize {
        self.list_of[block as usize] as usize * self.geometry.block_units as usize
    }

    fn full(&self, frontier: usize) -> bool {
        self.frontiers[frontier].block == NONE
    }

    /// Opens a superblock for a frontier: the least worn, for what is cold the most worn.
    #[cold]
    fn open(&mut self, frontier: usize) {
        let wear = |&block: &u32| (self.erases[block as usize], block);
        let chosen = if frontier == 0 {
            self.free.iter().min_by_key(|b| wear(b))
        } else {
            self.free.iter().max_by_key(|b| wear(b))
        };
        let Some(&block) = chosen else { return };
        self.free.retain(|&b| b != block);
        let list = self.spare_lists.pop().unwrap_or_else(|| {
            let size = self.geometry.block_units as usize;
            let number = self.lists.len() / size;
            self.lists.resize(self.lists.len() + size, PADDING);
            number as u32
        });
        let index = block as usize;
        self.list_of[index] = list;
        self.stage[index] = Stage::Open;
        self.opened[index] = self.clock;
        self.frontiers[frontier] = Frontier { block, next: 0, ..self.frontiers[frontier] };
    }

    #[inline]
    fn append(&mut self, address: u32, frontier: usize, cause: Cause, work: &mut impl Work) {
        let Geometry { block_units, stripe_units, .. } = self.geometry;
        let Frontier { block, next, .. } = self.frontiers[frontier];
        let list = self.list(block);
        self.lists[list + next as usize] = address;
        let old = self.map.set(address, Entry::At(block * block_units + next));
        match self.place_of(address, old) {
            Some((old, _)) => self.valid[old as usize] -= 1,
            None => self.live += 1,
        }
        self.valid[block as usize] += 1;
        self.clock += 1;
        let front = &mut self.frontiers[frontier];
        front.next = next + 1;
        if cause == Cause::Background {
            front.moved += 1;
        } else {
            front.cause = cause;
        }
        if front.next.is_multiple_of(stripe_units) {
            // What a stripe is programmed for: the moved units of several make one whole stripe.
            let whole = front.moved >= stripe_units;
            if whole {
                front.moved -= stripe_units;
            }
            let cause = if whole { Cause::Background } else { front.cause };
            work.program(self.geometry.die(next), frontier == 0, cause);
            self.close_if_full(frontier);
        }
    }

    #[inline]
    fn close_if_full(&mut self, frontier: usize) {
        let front = &mut self.frontiers[frontier];
        if front.next == self.geometry.block_units {
            self.stage[front.block as usize] = Stage::Closed;
            (front.block, front.next) = (NONE, 0);
        }
    }

    /// Collection keeps step with `units` written by the host or left empty after what it wrote.
    #[inline]
    pub fn collect(&mut self, units: u32, work: &mut impl Work) {
        if self.victim.is_none() {
            if self.free.len() > self.gc.free_blocks as usize {
                return;
            }
            self.choose();
        }
        let Some(victim) = &mut self.victim else { return };
        victim.credit += u64::from(victim.moves) * u64::from(units);
        while let Some(victim) = &mut self.victim
            && victim.credit >= u64::from(victim.per)
        {
            victim.credit -= u64::from(victim.per);
            self.move_one(work);
        }
    }

    /// Whether, after `units` more of the host, what is left of the victim would not find room; for a frontier of its own,
    /// whether the host's could not open a superblock and leave one.
    #[inline]
    fn tight(&self, units: u32) -> bool {
        let free = self.free.len();
        if free > 1 {
            return false;
        }
        if self.gc.hot_cold {
            return self.full(0);
        }
        let Geometry { block_units, .. } = self.geometry;
        let Frontier { block, next, .. } = self.frontiers[0];
        let room = free as u32 * block_units + if block == NONE { 0 } else { block_units - next };
        // A victim that is still to be chosen may be wholly valid.
        let left = self.victim.as_ref().map_or(block_units, |victim| self.valid[victim.block as usize]);
        room < left + units
    }

    /// Collects at any price until `units` more of the host leave room for what is to be moved.
    ///
    /// What is moved always finds room: a victim frees at least as much as it takes.
    #[cold]
    fn make_room(&mut self, units: u32, work: &mut impl Work) {
        let mut rounds = 4 * self.geometry.blocks;
        while self.tight(units) && rounds > 0 {
            rounds -= 1;
            if self.victim.is_none() {
                self.choose();
                if !self.gc.hot_cold {
                    continue; // it may need less room than was assumed
                }
            }
            while self.victim.is_some() {
                self.move_one(work);
            }
        }
    }

    /// Chooses what is collected next.
    #[cold]
    fn choose(&mut self) {
        let closed = || (0..self.geometry.blocks).filter(|&b| self.stage[b as usize] == Stage::Closed);
        let most = self.erases.iter().copied().max().unwrap_or(0);
        let least = closed().min_by_key(|&b| (self.erases[b as usize], self.opened[b as usize]));
        let uneven = |b: &u32| self.levelling.is_some_and(|t| most - self.erases[*b as usize] > t);
        let worn = least.filter(|b| !self.levelled_last && uneven(b));
        let chosen = worn.or_else(|| match self.gc.policy {
            GcPolicy::Greedy => closed().min_by_key(|&b| (self.valid[b as usize], self.opened[b as usize])),
            GcPolicy::Fifo => closed().min_by_key(|&b| self.opened[b as usize]),
            GcPolicy::CostBenefit => closed().max_by(|&a, &b| self.benefit(a).total_cmp(&self.benefit(b))),
        });
        let Some(block) = chosen else { return };
        let index = block as usize;
        let (valid, size) = (self.valid[index], self.geometry.block_units);
        self.stage[index] = Stage::Victim;
        self.levelled_last = worn.is_some();
        let gained = (size - valid).max(1);
        // What hardly gains anything is not moved in one go.
        let per = gained.max(valid / MOST_MOVES).max(1);
        self.victim = Some(Victim {
            block,
            next: 0,
            moves: valid.max(1),
            per,
            credit: 0,
            levels: worn.is_some(),
            stripe: NONE,
            page: NONE,
            pages: 0,
            units: 0,
        });
    }

    fn benefit(&self, block: u32) -> f64 {
        let index = block as usize;
        let used = f64::from(self.valid[index]) / f64::from(self.geometry.block_units);
        let age = (self.clock - self.opened[index]) as f64;
        age * (1.0 - used) / (2.0 * used).max(1e-9)
    }

    /// Moves the next valid unit of the victim, and erases it after the last.
    fn move_one(&mut self, work: &mut impl Work) {
        let Some(mut victim) = self.victim else { return };
        let index = victim.block as usize;
        let address = if self.valid[index] > 0 { self.next_valid(&mut victim) } else { None };
        if let Some(address) = address {
            self.read_for(&mut victim, work);
            let to = usize::from(self.gc.hot_cold);
            if self.full(to) {
                self.open(to);
            }
            self.counts.moved += 1;
            self.counts.levelled += u64::from(victim.levels);
            self.append(address, to, Cause::Background, work);
        }
        if self.valid[index] > 0 {
            self.victim = Some(victim);
            return;
        }
        self.flush_reads(&mut victim, work);
        self.stage[index] = Stage::Free;
        self.erases[index] += 1;
        self.counts.erased += 1;
        if self.list_of[index] != NONE {
            self.spare_lists.push(self.list_of[index]);
            self.list_of[index] = NONE;
        }
        self.free.push(victim.block);
        self.victim = None;
        work.erase();
    }

    /// Goes on to the next valid unit; `victim.next` is behind it then.
    fn next_valid(&self, victim: &mut Victim) -> Option<u32> {
        let Victim { block, .. } = *victim;
        let size = self.geometry.block_units;
        if self.list_of[block as usize] == NONE {
            let initial = self.initial.as_ref()?;
            while let Some(address) = initial.address(block, victim.next) {
                victim.next += 1;
                if self.map.get(address) == Entry::Untouched {
                    return Some(address);
                }
            }
            return None;
        }
        let list = self.list(block);
        while victim.next < size {
            let place = victim.next;
            victim.next += 1;
            let address = self.lists[list + place as usize];
            if address != PADDING && self.map.get(address) == Entry::At(block * size + place) {
                return Some(address);
            }
        }
        None
    }

    /// The unit before `victim.next` is read, with others of its stripe at once.
    fn read_for(&self, victim: &mut Victim, work: &mut impl Work) {
        let place = victim.next - 1;
        let stripe = place / self.geometry.stripe_units;
        if stripe != victim.stripe {
            self.flush_reads(victim, work);
            (victim.stripe, victim.page) = (stripe, NONE);
        }
        let page = place / self.geometry.page_units;
        if page != victim.page {
            victim.page = page;
            victim.pages += self.geometry.unit_pages;
        }
        victim.units += 1;
    }

    fn flush_reads(&self, victim: &mut Victim, work: &mut impl Work) {
        if victim.units > 0 {
            let die = victim.stripe % self.geometry.dies;
            work.sense(die, victim.pages, victim.units, Cause::Background);
        }
        (victim.pages, victim.units) = (0, 0);
    }

    /// Superblocks free, those being written apart.
    #[must_use]
    pub fn free_blocks(&self) -> usize {
        self.free.len()
    }

    /// Units that hold data.
    #[must_use]
    pub fn live(&self) -> u64 {
        self.live
    }

    /// Erase counts by superblock.
    #[must_use]
    pub fn erases(&self) -> &[u32] {
        &self.erases
    }

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
            let noted = match self.list_of[block as usize] {
                NONE => self.initial.as_ref().and_then(|i| i.address(block, place)),
                _ => Some(self.lists[self.list(block) + place as usize]),
            };
            if noted != Some(address) {
                return Err(format!("superblock {block}, place {place} notes {noted:?} and not {address}"));
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
