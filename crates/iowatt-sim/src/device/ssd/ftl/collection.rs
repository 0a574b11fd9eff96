//! Garbage collection: which superblock is collected, how its valid units move, and in step with what.

use super::{Frontier, Ftl, Geometry, NONE, Owner, Stage, Work};
use crate::plan::GcPolicy;
use crate::power::Cause;
use iowatt_volume::log::map::Entry;

/// Moves that one write of a host pays for at most.
const MOST_MOVES: u32 = 64;

/// The superblock that is being collected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Victim {
    block: u32,
    next: u32,
    /// Moves for `per` writes of the host.
    moves: u32,
    per: u32,
    credit: u64,
    levels: bool,
    reads: Reads,
}

/// Valid units of a stripe that are read at once.
#[derive(Clone, Copy, Debug, Default)]
struct Reads {
    stripe: u32,
    /// Where it ends, and the last page that is read of it.
    stripe_end: u32,
    page_end: u32,
    pages: u32,
    units: u32,
}

impl Reads {
    /// The valid unit at `place` is read, too. What there was of another stripe is read first.
    #[inline]
    fn add(&mut self, place: u32, geometry: &Geometry, work: &mut impl Work) {
        if place >= self.stripe_end {
            self.flush(work);
            self.stripe = place / geometry.stripe_units;
            self.stripe_end = (self.stripe + 1) * geometry.stripe_units;
        }
        if place >= self.page_end {
            self.page_end = (place / geometry.page_units + 1) * geometry.page_units;
            self.pages += geometry.unit_pages;
        }
        self.units += 1;
    }

    fn flush(&mut self, work: &mut impl Work) {
        if self.units > 0 {
            work.sense(self.stripe, self.pages, self.units, Cause::Background);
        }
        (self.pages, self.units) = (0, 0);
    }
}

impl Ftl {
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
        if victim.credit >= u64::from(victim.per) {
            self.move_some(work);
        }
    }

    /// Whether collection goes on by itself.
    #[inline]
    #[must_use]
    pub fn bursting(&self) -> bool {
        self.bursting
    }

    /// A step of a burst: the moves that fill a stripe.
    pub fn step(&mut self, work: &mut impl Work) {
        let high = self.gc.free_blocks as usize + self.gc.burst.map_or(0, |burst| burst.blocks as usize);
        for _ in 0..self.geometry.stripe_units {
            if !self.bursting {
                return;
            }
            if self.victim.is_none() {
                self.choose();
            }
            let Some(mut victim) = self.victim.take() else {
                self.bursting = false;
                return;
            };
            if !self.move_one(&mut victim, work) {
                self.victim = Some(victim);
            } else if self.free.len() >= high {
                self.bursting = false;
                return;
            }
        }
        // What hardly gains anything waits until it has to be.
        if let Some(victim) = &self.victim
            && !victim.levels
            && victim.per < self.geometry.block_units / MOST_MOVES
        {
            self.bursting = false;
        }
    }

    /// Moves as many units as the host has paid for.
    fn move_some(&mut self, work: &mut impl Work) {
        let Some(mut victim) = self.victim.take() else { return };
        while victim.credit >= u64::from(victim.per) {
            victim.credit -= u64::from(victim.per);
            if self.move_one(&mut victim, work) {
                return;
            }
        }
        self.victim = Some(victim);
    }

    /// Whether, after `units` more of the host under a handle, what is left of the victim would not find room; for a frontier of its own,
    /// whether the host's could not open a superblock and leave one.
    #[inline]
    pub(super) fn tight(&self, handle: usize, units: u32) -> bool {
        let free = self.free.len();
        if free > 1 {
            return false;
        }
        if self.moves_apart() {
            return self.full(handle);
        }
        let Geometry { block_units, .. } = self.geometry;
        let Frontier { block, next, .. } = self.frontiers[0];
        let room = free as u32 * block_units + if block == NONE { 0 } else { block_units - next };
        // A victim that is still to be chosen may be wholly valid.
        let left = self.victim.as_ref().map_or(block_units, |victim| self.valid[victim.block as usize]);
        room < left + units
    }

    /// Collects at any price until `units` more of the host under a handle leave room for what is to be moved.
    ///
    /// What is moved always finds room: a victim frees at least as much as it takes.
    #[cold]
    pub(super) fn make_room(&mut self, handle: usize, units: u32, work: &mut impl Work) {
        let mut rounds = 4 * self.geometry.blocks;
        while self.tight(handle, units) && rounds > 0 {
            rounds -= 1;
            if self.victim.is_none() {
                self.choose();
                if !self.moves_apart() {
                    continue; // it may need less room than was assumed
                }
            }
            if let Some(mut victim) = self.victim.take() {
                while !self.move_one(&mut victim, work) {}
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
        if !self.owners.lists(block)
            && let Some(origin) = &mut self.origin
        {
            origin.begin(block);
        }
        let gained = (size - valid).max(1);
        // What hardly gains anything is not moved in one go.
        let per = gained.max(valid / MOST_MOVES).max(1);
        // In a burst, the host's writes pay for nothing.
        self.bursting = self.gc.burst.is_some();
        self.victim = Some(Victim {
            block,
            next: 0,
            moves: if self.bursting { 0 } else { valid.max(1) },
            per,
            credit: 0,
            levels: worn.is_some(),
            reads: Reads::default(),
        });
    }

    fn benefit(&self, block: u32) -> f64 {
        let index = block as usize;
        let used = f64::from(self.valid[index]) / f64::from(self.geometry.block_units);
        let age = (self.clock - self.opened[index]) as f64;
        age * (1.0 - used) / (2.0 * used).max(1e-9)
    }

    /// Moves the next valid unit of the victim, and erases it after the last; whether it has.
    fn move_one(&mut self, victim: &mut Victim, work: &mut impl Work) -> bool {
        let index = victim.block as usize;
        if self.valid[index] > 0
            && let Some(owner) = self.next_valid(victim)
        {
            victim.reads.add(victim.next - 1, &self.geometry, work);
            let to = self.moves_to();
            if self.full(to) {
                self.open(to);
            }
            self.counts.moved += 1;
            self.counts.levelled += u64::from(victim.levels);
            self.valid[index] -= 1;
            let place = self.place(to);
            match (owner, &mut self.origin) {
                (Owner::Host(address), _) => {
                    self.map.set(address, Entry::At(place));
                }
                (Owner::Origin(number), Some(origin)) => origin.move_to(number, place),
                _ => {}
            }
            self.append(owner, to, Cause::Background, work);
        }
        if self.valid[index] > 0 {
            return false;
        }
        victim.reads.flush(work);
        self.erase(victim.block);
        work.erase();
        true
    }

    /// A superblock that holds nothing valid is free again.
    fn erase(&mut self, block: u32) {
        let index = block as usize;
        self.stage[index] = Stage::Free;
        self.erases[index] += 1;
        self.counts.erased += 1;
        self.owners.end(block);
        self.free.push(block);
    }

    /// Goes on to the next valid unit; `victim.next` is behind it then.
    #[inline]
    fn next_valid(&self, victim: &mut Victim) -> Option<Owner> {
        let Victim { block, .. } = *victim;
        if !self.owners.lists(block) {
            let (number, place) = self.origin.as_ref()?.next(block, victim.next)?;
            victim.next = place + 1;
            return Some(Owner::Origin(number));
        }
        let (size, start) = (self.geometry.block_units, self.owners.start(block));
        while victim.next < size {
            let own = block * size + victim.next;
            let owner = self.owners.at(start + victim.next as usize);
            victim.next += 1;
            let valid = match owner {
                Owner::Host(address) => self.map.get(address) == Entry::At(own),
                Owner::Origin(number) => self.origin.as_ref().is_some_and(|o| o.is_at(number, own)),
                Owner::Padding => false,
            };
            if valid {
                return Some(owner);
            }
        }
        None
    }
}
