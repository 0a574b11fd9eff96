//! The translation layer: which unit is where, what is written next, what is collected.
//!
//! A superblock is a block of all planes of all dies. Writes go to the open superblock of a frontier, stripe by stripe (a
//! page of all planes of one die), dies in turn. The host has a frontier for each placement handle: what it writes with one
//! never shares a superblock with what it writes with another, until it is moved. Collection of a victim goes in step with
//! the host's writes: a victim with `v` of `s` units valid costs `v` moves for `s - v` host writes, after which as much is free as before. Or it
//! goes on by itself, in bursts.

#[cfg(test)]
mod audit;
mod collection;
#[cfg(test)]
mod handles;
mod zones;

use crate::plan::GcPlan;
use crate::power::Cause;
use collection::Victim;
use iowatt_volume::log::map::{Entry, Map};
use iowatt_volume::log::origin::Origin;
use iowatt_volume::log::owners::{Owner, Owners};
use iowatt_volume::log::steady::Initial;
use zones::Zones;

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
    /// Placement handles that the host writes with, at least 1.
    pub handles: u32,
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
    /// `units` on `pages` of stripe number `stripe` of a superblock are read to be moved.
    fn sense(&mut self, stripe: u32, pages: u32, units: u32, cause: Cause);
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

/// No superblock.
const NONE: u32 = u32::MAX;

/// The superblock that is being written.
#[derive(Clone, Copy, Debug)]
struct Frontier {
    block: u32,
    next: u32,
    /// The place at which its stripe ends.
    stripe_end: u32,
    /// Where its list of owners begins.
    owners: usize,
    /// Moved units in stripes, less a stripe for each that was counted as moved.
    moved: u32,
    /// Of the last unit that was not moved.
    cause: Cause,
}

impl Default for Frontier {
    fn default() -> Self {
        Self { block: NONE, next: 0, stripe_end: 0, owners: 0, moved: 0, cause: Cause::HostWrite }
    }
}

/// The translation layer of one drive.
#[derive(Debug)]
pub struct Ftl {
    geometry: Geometry,
    gc: GcPlan,
    levelling: Option<u32>,
    /// Where what the host has touched since the start is.
    map: Map,
    /// Where the rest is.
    origin: Option<Origin>,
    owners: Owners,
    /// In place of all that, of a drive whose zones the host writes in order.
    zones: Option<Box<Zones>>,
    /// By superblock: valid units.
    valid: Vec<u32>,
    stage: Vec<Stage>,
    /// When it was opened, in units written; those of before the run count on to `rotation`.
    opened: Vec<u64>,
    erases: Vec<u32>,
    free: Vec<u32>,
    /// Of each handle of the host and, where that is apart, of what is moved.
    frontiers: Vec<Frontier>,
    victim: Option<Victim>,
    /// The last victim was chosen for wear.
    levelled_last: bool,
    /// Collection goes on by itself, step by step.
    bursting: bool,
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
            owners: Owners::new(geometry.blocks, geometry.block_units),
            zones: None,
            valid: vec![0; n],
            stage: vec![Stage::Free; n],
            opened: vec![0; n],
            erases: vec![0; n],
            free: (rotation..geometry.blocks).rev().collect(),
            frontiers: vec![Frontier::default(); geometry.handles as usize + 1],
            victim: None,
            levelled_last: false,
            bursting: false,
            clock: u64::from(rotation) * u64::from(geometry.block_units),
            live: if initial.is_some() { u64::from(live) } else { 0 },
            counts: Counts::default(),
            origin: None,
        };
        for block in 0..rotation {
            let index = block as usize;
            ftl.stage[index] = Stage::Closed;
            ftl.opened[index] = u64::from(rotation - 1 - block) * u64::from(geometry.block_units);
            ftl.valid[index] = initial.as_ref().map_or(0, |i| i.held(block));
        }
        ftl.origin = initial.map(|initial| Origin::new(initial, geometry.blocks));
        ftl
    }

    /// Superblocks that hold data in steady state: all but those kept free and those being written.
    #[must_use]
    pub fn rotation(geometry: &Geometry, gc: &GcPlan) -> u32 {
        geometry.blocks - gc.free_blocks - geometry.handles - u32::from(gc.moves_apart(geometry.handles))
    }

    /// Whether moved data have a frontier of their own.
    #[inline]
    fn moves_apart(&self) -> bool {
        self.gc.moves_apart(self.geometry.handles)
    }

    /// The frontier of moved data.
    #[inline]
    fn moves_to(&self) -> usize {
        if self.moves_apart() { self.geometry.handles as usize } else { 0 }
    }

    /// Whether a frontier is one of the host's.
    #[inline]
    fn of_host(&self, frontier: usize) -> bool {
        frontier < self.geometry.handles as usize
    }

    /// Where an address is: superblock and place in it.
    #[inline]
    #[must_use]
    pub fn locate(&self, address: u32) -> Option<(u32, u32)> {
        if let Some(zones) = &self.zones {
            return self.locate_in_zone(zones, address);
        }
        let units = self.geometry.block_units;
        let place = match self.map.get(address) {
            Entry::At(place) => place,
            Entry::Unmapped => return None,
            Entry::Untouched => self.origin.as_ref()?.place(address, units)?,
        };
        Some((place / units, place % units))
    }

    /// The superblock in which the host makes a place of an address invalid, by what the map knew of it.
    #[inline]
    fn depart(&mut self, address: u32, old: Entry) -> Option<u32> {
        let units = self.geometry.block_units;
        match old {
            Entry::At(place) => Some(place / units),
            Entry::Unmapped => None,
            Entry::Untouched => self.origin.as_mut()?.depart(address, units),
        }
    }

    /// Superblock and place that the host's next unit under a handle goes to.
    #[must_use]
    pub fn frontier(&self, handle: usize) -> (u32, u32) {
        (self.frontiers[handle].block, self.frontiers[handle].next)
    }

    /// The host writes a unit with a placement handle.
    #[inline]
    pub fn write(&mut self, address: u32, handle: usize, cause: Cause, work: &mut impl Work) {
        if self.zones.is_some() {
            return self.write_in_zone(address, cause, work);
        }
        if self.tight(handle, 1) {
            self.make_room(handle, 1, work);
        }
        if self.full(handle) {
            self.open(handle);
        }
        self.counts.host += 1;
        let place = self.place(handle);
        let old = self.map.set(address, Entry::At(place));
        match self.depart(address, old) {
            Some(block) => self.valid[block as usize] -= 1,
            None => self.live += 1,
        }
        self.append(Owner::Host(address), handle, cause, work);
        self.collect(1, work);
    }

    /// The host gives a unit up; whether it held data.
    pub fn trim(&mut self, address: u32) -> bool {
        let old = self.map.set(address, Entry::Unmapped);
        let Some(block) = self.depart(address, old) else { return false };
        self.valid[block as usize] -= 1;
        self.live -= 1;
        self.counts.trimmed += 1;
        true
    }

    /// Fills up the host's stripe under a handle, so that it is programmed. Returns the places left empty, for which collection is to
    /// [`Self::collect`].
    pub fn pad(&mut self, handle: usize, cause: Cause, work: &mut impl Work) -> u32 {
        let stripe = self.geometry.stripe_units;
        let partial = |front: &Frontier| front.block != NONE && !front.next.is_multiple_of(stripe);
        if partial(&self.frontiers[handle]) && self.tight(handle, stripe) {
            self.make_room(handle, stripe, work); // may fill the stripe up
        }
        let Frontier { next, owners, stripe_end: until, .. } = self.frontiers[handle];
        if !partial(&self.frontiers[handle]) {
            return 0;
        }
        for place in next..until {
            self.owners.set(owners + place as usize, Owner::Padding);
        }
        self.counts.padded += u64::from(until - next);
        self.clock += u64::from(until - next);
        self.frontiers[handle].next = until;
        work.program(self.geometry.die(until - 1), true, cause);
        self.end_stripe(handle);
        until - next
    }

    fn full(&self, frontier: usize) -> bool {
        self.frontiers[frontier].block == NONE
    }

    /// Opens a superblock for a frontier: the least worn, for what is cold the most worn.
    #[cold]
    fn open(&mut self, frontier: usize) {
        let wear = |&block: &u32| (self.erases[block as usize], block);
        let chosen = if self.of_host(frontier) {
            self.free.iter().min_by_key(|b| wear(b))
        } else {
            self.free.iter().max_by_key(|b| wear(b))
        };
        let Some(&block) = chosen else { return };
        self.free.retain(|&b| b != block);
        let index = block as usize;
        self.stage[index] = Stage::Open;
        self.opened[index] = self.clock;
        let (owners, stripe_end) = (self.owners.begin(block), self.geometry.stripe_units);
        self.frontiers[frontier] =
            Frontier { block, next: 0, stripe_end, owners, ..self.frontiers[frontier] };
    }

    /// The place that the next unit of an open frontier goes to, over all superblocks.
    #[inline]
    fn place(&self, frontier: usize) -> u32 {
        let Frontier { block, next, .. } = self.frontiers[frontier];
        block * self.geometry.block_units + next
    }

    /// A unit goes to the next place of an open frontier; the map knows of it already.
    #[inline]
    fn append(&mut self, owner: Owner, frontier: usize, cause: Cause, work: &mut impl Work) {
        let front = &mut self.frontiers[frontier];
        self.owners.set(front.owners + front.next as usize, owner);
        self.valid[front.block as usize] += 1;
        self.clock += 1;
        front.next += 1;
        if cause == Cause::Background {
            front.moved += 1;
        } else {
            front.cause = cause;
        }
        if front.next < front.stripe_end {
            return;
        }
        // What a stripe is programmed for: the moved units of several make one whole stripe.
        let stripe_units = self.geometry.stripe_units;
        let whole = front.moved >= stripe_units;
        if whole {
            front.moved -= stripe_units;
        }
        let cause = if whole { Cause::Background } else { front.cause };
        let die = self.geometry.die(front.next - 1);
        work.program(die, self.of_host(frontier), cause);
        self.end_stripe(frontier);
    }

    /// The next stripe of a frontier follows, or its superblock is full.
    fn end_stripe(&mut self, frontier: usize) {
        let front = &mut self.frontiers[frontier];
        front.stripe_end += self.geometry.stripe_units;
        if front.next == self.geometry.block_units {
            self.stage[front.block as usize] = Stage::Closed;
            (front.block, front.next) = (NONE, 0);
        }
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
}
