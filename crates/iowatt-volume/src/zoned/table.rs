//! Where every unit lies: the map of a log over zones, and what is valid in each.
//!
//! It is the map of a flash translation layer (`device/ssd/ftl`), with zones for superblocks: only what has been written or moved
//! since the start takes memory.

use crate::log::map::{Entry, Map};
use crate::log::origin::Origin;
use crate::log::owners::{Owner, Owners};
use crate::log::steady::Initial;
use crate::plan::GcPolicy;

/// What a zone is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reset: nothing is in it.
    Free,
    /// Being written.
    Open,
    /// Full.
    Closed,
    /// Being cleaned.
    Victim,
}

/// A unit that cleaning has found at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    owner: Owner,
    /// Over all zones.
    pub place: u32,
}

/// The map. Places are numbered over all zones.
#[derive(Debug)]
pub struct Table {
    zone_units: u32,
    map: Map,
    origin: Option<Origin>,
    owners: Owners,
    /// By zone: valid units.
    pub valid: Vec<u32>,
    stage: Vec<Stage>,
    /// By zone: units written before it was opened.
    opened: Vec<u64>,
    free: Vec<u32>,
    clock: u64,
    live: u64,
}

impl Table {
    /// `zones` zones of `zone_units`, an address space of `units`; the first `rotation` zones are full with `initial`.
    #[must_use]
    pub fn new(
        (zones, zone_units): (u32, u32),
        units: u32,
        initial: Option<(Initial, u32)>,
        rotation: u32,
    ) -> Self {
        let n = zones as usize;
        let rotation = if initial.is_some() { rotation } else { 0 };
        let mut table = Self {
            zone_units,
            map: Map::new(units),
            origin: None,
            owners: Owners::new(zones, zone_units),
            valid: vec![0; n],
            stage: vec![Stage::Free; n],
            opened: vec![0; n],
            free: (rotation..zones).rev().collect(),
            clock: u64::from(rotation) * u64::from(zone_units),
            live: 0,
        };
        if let Some((initial, live)) = initial {
            for zone in 0..rotation {
                let index = zone as usize;
                table.stage[index] = Stage::Closed;
                table.opened[index] = u64::from(rotation - 1 - zone) * u64::from(zone_units);
                table.valid[index] = initial.held(zone);
            }
            table.live = u64::from(live);
            table.origin = Some(Origin::new(initial, zones));
        }
        table
    }

    /// Where a unit lies; none where it was never written.
    #[inline]
    #[must_use]
    pub fn locate(&self, unit: u32) -> Option<u32> {
        match self.map.get(unit) {
            Entry::At(place) => Some(place),
            Entry::Unmapped => None,
            Entry::Untouched => self.origin.as_ref()?.place(unit, self.zone_units),
        }
    }

    /// A host's unit is written to place `next` of an open zone.
    pub fn write(&mut self, unit: u32, zone: u32, next: u32) {
        let place = zone * self.zone_units + next;
        let left = match self.map.set(unit, Entry::At(place)) {
            Entry::At(old) => Some(old / self.zone_units),
            Entry::Unmapped => None,
            Entry::Untouched => self.origin.as_mut().and_then(|o| o.depart(unit, self.zone_units)),
        };
        match left {
            Some(old) => self.valid[old as usize] -= 1,
            None => self.live += 1,
        }
        self.append(Owner::Host(unit), zone, next);
    }

    /// What cleaning found is written to place `next` of an open zone. Whether it was still valid: else nothing is written.
    pub fn relocate(&mut self, found: Found, zone: u32, next: u32) -> bool {
        if !self.is_valid(found) {
            return false;
        }
        let place = zone * self.zone_units + next;
        match (found.owner, &mut self.origin) {
            (Owner::Host(unit), _) => {
                self.map.set(unit, Entry::At(place));
            }
            (Owner::Origin(number), Some(origin)) => origin.move_to(number, place),
            _ => {}
        }
        self.valid[(found.place / self.zone_units) as usize] -= 1;
        self.append(found.owner, zone, next);
        true
    }

    fn append(&mut self, owner: Owner, zone: u32, next: u32) {
        self.owners.set(self.owners.start(zone) + next as usize, owner);
        self.valid[zone as usize] += 1;
        self.clock += 1;
    }

    /// Whether what was found is still there.
    #[must_use]
    pub fn is_valid(&self, found: Found) -> bool {
        let Found { owner, place } = found;
        let origin = self.origin.as_ref();
        match owner {
            Owner::Host(unit) => self.map.get(unit) == Entry::At(place),
            Owner::Origin(number) if self.owners.lists(place / self.zone_units) => {
                origin.is_some_and(|o| o.is_at(number, place))
            }
            Owner::Origin(number) => origin.is_some_and(|o| o.stays(number)),
            Owner::Padding => false,
        }
    }

    /// The first valid unit of a victim from place `from` of it on.
    #[must_use]
    pub fn next_valid(&self, zone: u32, from: u32) -> Option<Found> {
        let first = zone * self.zone_units;
        if !self.owners.lists(zone) {
            let (number, place) = self.origin.as_ref()?.next(zone, from)?;
            return Some(Found { owner: Owner::Origin(number), place: first + place });
        }
        let start = self.owners.start(zone);
        (from..self.zone_units)
            .map(|next| Found { owner: self.owners.at(start + next as usize), place: first + next })
            .find(|&found| self.is_valid(found))
    }

    /// Opens a free zone, the one reset last.
    pub fn open(&mut self) -> Option<u32> {
        let zone = self.free.pop()?;
        self.stage[zone as usize] = Stage::Open;
        self.opened[zone as usize] = self.clock;
        self.owners.begin(zone);
        Some(zone)
    }

    /// A zone is full.
    pub fn close(&mut self, zone: u32) {
        self.stage[zone as usize] = Stage::Closed;
    }

    /// Chooses the zone that is cleaned next; none where no zone would gain anything.
    pub fn choose(&mut self, policy: GcPolicy) -> Option<u32> {
        let closed = (0..self.stage.len() as u32).filter(|&z| self.stage[z as usize] == Stage::Closed);
        let age = |zone: &u32| self.opened[*zone as usize];
        let chosen = match policy {
            GcPolicy::Greedy => closed.min_by_key(|z| (self.valid[*z as usize], age(z))),
            GcPolicy::Fifo => closed.min_by_key(age),
            GcPolicy::CostBenefit => closed.max_by(|&a, &b| self.benefit(a).total_cmp(&self.benefit(b))),
        }?;
        if policy != GcPolicy::Fifo && self.valid[chosen as usize] == self.zone_units {
            return None;
        }
        self.stage[chosen as usize] = Stage::Victim;
        if !self.owners.lists(chosen)
            && let Some(origin) = &mut self.origin
        {
            origin.begin(chosen);
        }
        Some(chosen)
    }

    /// Age x free share / (2 x valid share), as the translation layer of an SSD has it.
    fn benefit(&self, zone: u32) -> f64 {
        let used = f64::from(self.valid[zone as usize]) / f64::from(self.zone_units);
        (self.clock - self.opened[zone as usize]) as f64 * (1.0 - used) / (2.0 * used).max(1e-9)
    }

    /// A victim that holds nothing valid is reset.
    pub fn reset(&mut self, zone: u32) {
        self.stage[zone as usize] = Stage::Free;
        self.owners.end(zone);
        self.free.push(zone);
    }

    /// Zones that are free.
    #[must_use]
    pub fn free_zones(&self) -> u32 {
        self.free.len() as u32
    }

    /// Units that hold data.
    #[must_use]
    pub fn live(&self) -> u64 {
        self.live
    }

    /// Checks that every unit lies at a place of its own in a zone that is not free, and that valid units are counted right.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn audit(&self, units: u32) -> Result<(), String> {
        let mut held = vec![0; self.valid.len()];
        let mut taken = std::collections::HashSet::new();
        for unit in 0..units {
            let Some(place) = self.locate(unit) else { continue };
            let zone = place / self.zone_units;
            held[zone as usize] += 1;
            if !taken.insert(place) {
                return Err(format!("unit {unit} shares place {place}"));
            }
            if self.stage[zone as usize] == Stage::Free {
                return Err(format!("unit {unit} lies in zone {zone}, which is free"));
            }
        }
        if held != self.valid || taken.len() as u64 != self.live {
            return Err(format!("{held:?} valid, counted as {:?}; {} live", self.valid, self.live));
        }
        Ok(())
    }
}
