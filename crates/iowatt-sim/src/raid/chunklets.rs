//! Chunklets: every drive is divided into pieces of equal size, and RAID sets are laid over pieces of
//! different drives.
//!
//! A *region* is an address range with a redundancy of its own. Its stripes go around a *row* of sets, as many
//! as it takes to reach every drive, so that any stretch of a few stripes lies on all drives. Several regions
//! of different levels share the drives.
//!
//! The rest of the pool goes on thinking in columns: to it, a set is a small array whose member is column `c`
//! and whose stripe `s` begins at sector `s * unit` of each column. [`Chunklets::at`] says where that is, and is
//! the only place that knows. So reads, parity updates and what is done when a drive has failed are the same
//! code as for whole drives.

use super::{Extent, Layout};
use crate::cluster::Map;
use crate::plan::{ChunkletPlan, RaidLevel, RegionPlan, SpareKind};
use crate::rng::{Component, Stream as Random};

/// A chunklet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Drive of the pool.
    pub drive: u32,
    /// Which of its chunklets.
    pub slot: u32,
}

/// An address range of the pool.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// Arithmetic within a set, in columns.
    pub layout: Layout,
    /// How it is written.
    pub plan: RegionPlan,
    /// First sector of the pool, and one past the last.
    pub first: u64,
    /// One past its last sector.
    pub end: u64,
    /// Its first place.
    places: usize,
    /// Stripes of a set.
    stripes: u64,
    /// Sets of a row.
    row: u64,
    /// Stripes that are restored and moved: those of volumes, in a cluster; else all.
    held: u64,
    /// Whether columns turn around the members of a set; else member `c` is column `c`.
    turns: bool,
}

impl Region {
    /// Set and stripe within it of stripe `s` of the region.
    fn locate(&self, s: u64) -> (u64, u64) {
        let row = s / (self.row * self.stripes);
        let within = s - row * self.row * self.stripes;
        let sets = self.row.min(self.plan.sets - row * self.row);
        (row * self.row + within % sets, within / sets)
    }

    /// The stripe of the region that is stripe `t` of a set.
    fn stripe(&self, set: u64, t: u64) -> u64 {
        let row = set / self.row;
        let sets = self.row.min(self.plan.sets - row * self.row);
        row * self.row * self.stripes + t * sets + set % self.row
    }

    /// Which chunklet of its set a column is in a stripe. Layouts turn by the stripe of the region, which would
    /// leave the parity of a set where it is whenever a row's length is a multiple of a set's.
    fn member(&self, column: u64, s: u64, (set, t): (u64, u64)) -> u64 {
        if !self.turns {
            return column;
        }
        let size = self.plan.set_size as u64;
        (column + s % size + 2 * size - t % size - set % size) % size
    }

    fn column(&self, member: u64, s: u64, (set, t): (u64, u64)) -> u64 {
        if !self.turns {
            return member;
        }
        let size = self.plan.set_size as u64;
        (member + t % size + set % size + size - s % size) % size
    }

    /// Whether all data of a set can be computed where some of its members are missing.
    pub(super) fn is_decodable(&self, set: u64, is_missing: impl Fn(u64) -> bool) -> bool {
        let size = self.plan.set_size as u64;
        if !self.layout.code().has_groups() {
            return (0..size).filter(|&member| is_missing(member)).count() <= self.layout.parity_units();
        }
        // Which units are lost together changes from stripe to stripe, until members repeat their roles.
        (0..size.min(self.stripes)).all(|t| {
            let stripe = self.stripe(set, t);
            self.layout.is_decodable(stripe, |column| is_missing(self.member(column, stripe, (set, t))))
        })
    }

    /// Sectors of a chunklet of a set that are restored where it is lost, and moved where it moves.
    #[must_use]
    pub fn held_by(&self, set: u64) -> u64 {
        let row = set / self.row;
        let sets = self.row.min(self.plan.sets - row * self.row);
        let before = row * self.row * self.stripes + set % self.row;
        self.held.saturating_sub(before).div_ceil(sets).min(self.stripes) * self.layout.unit()
    }

    /// Only what lies below a sector of the pool is held: volumes take no more.
    fn hold_below(&mut self, sector: u64) {
        let stripe = self.layout.unit() * self.layout.data_drives();
        self.held = self.held.min(sector.saturating_sub(self.first).div_ceil(stripe));
    }
}

/// Where the units of a pool are.
#[derive(Debug)]
pub struct Chunklets {
    /// Sectors of a chunklet.
    pub(super) sectors: u64,
    /// Chunklets of a drive.
    pub(super) each: u32,
    /// The address ranges.
    pub(super) regions: Vec<Region>,
    /// By region, set and member.
    pub(super) places: Vec<Place>,
    /// By drive: first spare chunklet, and one past the last.
    pub(super) spare: Vec<(u32, u32)>,
    /// The region of what is being done.
    pub(super) current: usize,
    /// Where members go by hashing, in a cluster.
    pub(super) map: Option<Box<Map>>,
}

impl Chunklets {
    /// Deals the chunklets of drives of `drive_sectors` out to the sets of `plan`.
    #[must_use]
    pub fn new(
        plan: &ChunkletPlan,
        (sector_bytes, drive_sectors): (u64, u64),
        (count, spares, sparing): (usize, usize, SpareKind),
        seed: u64,
        first_drive: usize,
    ) -> Self {
        let sectors = plan.bytes / sector_bytes;
        let each = (drive_sectors / sectors) as u32;
        let members = if sparing == SpareKind::Dedicated { count } else { count + spares };
        let spare = (0..count + spares).map(|drive| match sparing {
            SpareKind::Dedicated if drive >= count => (0, each),
            SpareKind::Dedicated => (each, each),
            SpareKind::Distributed => (each - plan.spare as u32, each),
        });
        let mut dealer = Dealer::new(members, Random::new(seed, Component::Chunklets, first_drive));
        let regions = regions(plan, sectors, sector_bytes, Some(members));
        let mut places = Vec::new();
        for region in &plan.regions {
            dealer.begin();
            for _ in 0..region.sets {
                dealer.deal(region.set_size, &mut places);
            }
        }
        Self { sectors, each, regions, places, spare: spare.collect(), current: 0, map: None }
    }

    /// Chunklets of the drives that `map` has for the members of the sets of `plan`, which are its placement groups. All that
    /// a drive has besides is spare. Volumes take the first `taken_bytes`. `None` where `map` has no room.
    #[must_use]
    pub fn placed(
        plan: &ChunkletPlan,
        (sector_bytes, each): (u64, u32),
        drives: usize,
        map: Map,
        taken_bytes: u64,
    ) -> Option<Self> {
        let sectors = plan.bytes / sector_bytes;
        let mut dealt = vec![0; drives];
        let slot = |drive: u32| {
            let slot = dealt[drive as usize];
            dealt[drive as usize] += 1;
            Place { drive, slot }
        };
        let places = map.place()?.into_iter().map(slot).collect();
        let mut regions = regions(plan, sectors, sector_bytes, None);
        regions.iter_mut().for_each(|region| region.hold_below(taken_bytes.div_ceil(sector_bytes)));
        let spare = dealt.iter().map(|&dealt| (dealt, each)).collect();
        Some(Self { sectors, each, regions, places, spare, current: 0, map: Some(Box::new(map)) })
    }

    /// Sectors of all regions.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.regions.last().map_or(0, |region| region.end)
    }

    /// Makes the region of `sector` the current one.
    pub(super) fn enter(&mut self, sector: u64) -> Region {
        let current = self.regions[self.current];
        if sector < current.first || sector >= current.end {
            let found = self.regions.partition_point(|region| region.end <= sector);
            self.current = found.min(self.regions.len() - 1);
        }
        self.regions[self.current]
    }

    /// The chunklet of a column in a stripe of the current region, and the stripe within its set.
    pub(super) fn chunklet(&self, column: u64, stripe: u64) -> (usize, u64) {
        let region = &self.regions[self.current];
        let (set, t) = region.locate(stripe);
        let member = region.member(column, stripe, (set, t));
        (region.places + (set * region.plan.set_size as u64 + member) as usize, t)
    }

    /// Where `extent` of the current region is: its chunklet, and its sectors on that drive. It lies in one unit.
    pub(super) fn at(&self, extent: Extent) -> (usize, Extent) {
        let unit = self.regions[self.current].layout.unit();
        let stripe = extent.lbn / unit;
        let (chunklet, t) = self.chunklet(extent.drive as u64, stripe);
        let Place { drive, slot } = self.places[chunklet];
        let lbn = u64::from(slot) * self.sectors + t * unit + extent.lbn % unit;
        (chunklet, Extent { drive: drive as usize, lbn, ..extent })
    }

    /// The region of a chunklet that is in use, its set, and which member of that it is.
    pub(super) fn membership(&self, chunklet: usize) -> (usize, u64, u64) {
        let region = self.regions.partition_point(|region| region.places <= chunklet) - 1;
        let Region { places, plan, .. } = self.regions[region];
        let within = (chunklet - places) as u64;
        (region, within / plan.set_size as u64, within % plan.set_size as u64)
    }

    /// Chunklets of the set of a chunklet.
    pub(super) fn set_of(&self, chunklet: usize) -> std::ops::Range<usize> {
        let (region, set, _) = self.membership(chunklet);
        let Region { places, plan, .. } = self.regions[region];
        let first = places + set as usize * plan.set_size;
        first..first + plan.set_size
    }

    /// Sectors of a chunklet in use that are restored where it is lost, and moved where it moves.
    pub(super) fn held(&self, chunklet: usize) -> u64 {
        let (region, set, _) = self.membership(chunklet);
        self.regions[region].held_by(set)
    }

    /// The unit of a chunklet that holds sector `offset` of it: its stripe and column in the region, as an
    /// extent up to the end of the unit or `until`. `None` beyond what the region uses.
    pub(super) fn unit_of(&self, chunklet: usize, offset: u64, until: u64) -> Option<(u64, Extent)> {
        let (region, set, member) = self.membership(chunklet);
        let region = &self.regions[region];
        let unit = region.layout.unit();
        let t = offset / unit;
        if t >= region.stripes {
            return None;
        }
        let stripe = region.stripe(set, t);
        let column = region.column(member, stripe, (set, t));
        let sectors = ((t + 1) * unit).min(until) - offset;
        Some((stripe, Extent { drive: column as usize, lbn: stripe * unit + offset % unit, sectors }))
    }
}

/// The address ranges of `plan`. Their stripes go around as many sets as reach all of so many drives; without that, around
/// all sets, and member `c` of a set is its column `c`, so that the first one can serve its requests.
fn regions(plan: &ChunkletPlan, sectors: u64, sector_bytes: u64, members: Option<usize>) -> Vec<Region> {
    let (mut regions, mut first, mut places) = (Vec::new(), 0, 0);
    for region in &plan.regions {
        let unit = region.raid.stripe_unit_bytes / sector_bytes;
        let layout = match region.raid.level {
            RaidLevel::Raid1 => Layout::replicas(region.raid.layout, region.set_size, unit),
            _ => Layout::of(&region.raid, region.set_size, unit),
        };
        let stripes = sectors / unit;
        let end = first + region.sets * stripes * unit * layout.data_drives();
        let row = members.map_or(region.sets, |members| members.div_ceil(region.set_size) as u64);
        let row = row.min(region.sets);
        let turns = members.is_some();
        let held = region.sets * stripes;
        regions.push(Region { layout, plan: *region, first, end, places, stripes, row, held, turns });
        first = end;
        places += region.set_size * region.sets as usize;
    }
    regions
}

/// Deals drives to sets: every set gets different ones, and neither a region nor the whole pool has a drive that
/// is more than one chunklet ahead of another. Which drives meet in a set is drawn, so that what a failed drive
/// held can be rebuilt from many and onto many.
struct Dealer {
    random: Random,
    /// Chunklets dealt of each drive.
    dealt: Vec<u32>,
    /// Drives that this round of the region has not dealt, the next one last.
    deck: Vec<u32>,
}

impl Dealer {
    fn new(members: usize, random: Random) -> Self {
        Self { random, dealt: vec![0; members], deck: Vec::new() }
    }

    /// A new region begins.
    fn begin(&mut self) {
        self.deck.clear();
    }

    fn deal(&mut self, size: usize, places: &mut Vec<Place>) {
        let set = places.len();
        while places.len() < set + size {
            // A round that ends within a set: the next one passes over the drives that the set has.
            let taken = |drive: u32| places[set..].iter().any(|place| place.drive == drive);
            let Some(next) = self.deck.iter().rposition(|&drive| !taken(drive)) else {
                self.shuffle();
                continue;
            };
            let drive = self.deck.remove(next);
            let slot = &mut self.dealt[drive as usize];
            places.push(Place { drive, slot: *slot });
            *slot += 1;
        }
    }

    /// Another round: the drives in random order, those with the fewest chunklets dealt first.
    fn shuffle(&mut self) {
        let left = std::mem::take(&mut self.deck);
        self.deck = (0..self.dealt.len() as u32).collect();
        for last in (1..self.deck.len()).rev() {
            self.deck.swap(last, self.random.below(last as u64 + 1) as usize);
        }
        self.deck.sort_by_key(|&drive| std::cmp::Reverse(self.dealt[drive as usize]));
        self.deck.extend(left);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests fail by panicking
mod tests {
    use super::super::Role;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    const LAYOUTS: [&str; 4] = ["left-symmetric", "left-asymmetric", "right-symmetric", "right-asymmetric"];
    const UNIT: u64 = 4;
    const EACH: u64 = 12;

    /// A level, a set size that it takes, and sets.
    fn region() -> impl Strategy<Value = (usize, usize, u64)> {
        (0usize..6, 0usize..5, 1u64..9).prop_map(|(level, more, sets)| {
            let size = [1 + more, 2 + more / 2 * 2, 3 + more, 4 + more, 4 + more, 6 + more / 2 * 2][level];
            (level, size, sets)
        })
    }

    /// As many of the regions as there is room for.
    fn chunklets(
        drives: usize,
        wanted: &[(usize, usize, u64)],
        spare: u64,
        rotation: usize,
        seed: u64,
    ) -> Option<Chunklets> {
        let mut room = (EACH - spare) * drives as u64;
        let mut regions = Vec::new();
        for &(level, size, sets) in wanted.iter().filter(|w| w.1 <= drives) {
            let sets = sets.min(room / size as u64);
            if sets == 0 {
                continue;
            }
            room -= sets * size as u64;
            // A code of three parity units, and one of two local and two global ones.
            let code = match level {
                4 => json!({"data": size - 3, "parity": 3}),
                5 => json!({"data": size - 4, "parity": 2, "local_groups": 2}),
                _ => json!(null),
            };
            let level = ["0", "10", "5", "6", "ec", "ec"][level];
            regions.push(json!({"set_size": size, "sets": sets, "raid": {
                "level": level, "code": code, "stripe_unit_bytes": UNIT * 512, "layout": LAYOUTS[rotation],
                "small_write": "auto", "parity_check_on_read": false}}));
        }
        if regions.is_empty() {
            return None;
        }
        // A chunklet is no whole number of units, nor a drive of chunklets.
        let bytes = (3 * UNIT + 1) * 512;
        let plan: ChunkletPlan =
            serde_json::from_value(json!({"bytes": bytes, "spare": spare, "regions": regions})).unwrap();
        let drive = EACH * (3 * UNIT + 1) + 5;
        Some(Chunklets::new(&plan, (512, drive), (drives, 0, SpareKind::Distributed), seed, 0))
    }

    fn all_units(c: &mut Chunklets) -> Vec<(usize, Region, u64)> {
        let mut units = Vec::new();
        for number in 0..c.regions.len() {
            let region = c.regions[number];
            let stripes = (region.end - region.first) / (UNIT * region.layout.data_drives());
            units.extend((0..stripes).map(|s| (number, region, s)));
        }
        units
    }

    proptest! {
        /// Every byte has one place, and what makes it redundant is on other drives; nothing lies on spare
        /// chunklets or beyond the end; what is at a place is found again.
        #[test]
        fn every_unit_has_a_place_of_its_own(
            drives in 4usize..14, wanted in prop::collection::vec(region(), 1..4), spare in 0u64..4, rotation in 0usize..4, seed in any::<u64>(),
        ) {
            let Some(mut c) = chunklets(drives, &wanted, spare, rotation, seed) else { return Ok(()) };
            let mut taken = BTreeSet::new();
            for (number, region, stripe) in all_units(&mut c) {
                c.current = number;
                let mut on = BTreeSet::new();
                for column in 0..region.plan.set_size {
                    let (chunklet, there) = c.at(Extent { drive: column, lbn: stripe * UNIT, sectors: UNIT });
                    prop_assert!(on.insert(there.drive), "two units of a stripe on drive {}", there.drive);
                    prop_assert!(taken.insert((there.drive, there.lbn)));
                    let slot = there.lbn / c.sectors;
                    prop_assert!(slot < EACH - spare && there.lbn % c.sectors + UNIT <= c.sectors);
                    prop_assert!(c.set_of(chunklet).contains(&chunklet));
                    let found = c.unit_of(chunklet, there.lbn % c.sectors, u64::MAX);
                    prop_assert_eq!(found, Some((stripe, Extent { drive: column, lbn: stripe * UNIT, sectors: UNIT })));
                    prop_assert!(region.layout.role(stripe, column as u64) != Role::Spare);
                }
            }
            // Addresses of the pool: regions without gaps.
            let mut first = 0;
            for region in &c.regions {
                prop_assert_eq!(region.first, first);
                first = region.end;
            }
            prop_assert_eq!(c.capacity(), first);
        }

        /// Within a region and over all of them no drive has two chunklets more than another, and a row of
        /// sets reaches every drive; every member of a set takes its turn at parity.
        #[test]
        fn drives_are_dealt_evenly(
            drives in 4usize..14, wanted in prop::collection::vec(region(), 1..4), seed in any::<u64>(),
        ) {
            let Some(mut c) = chunklets(drives, &wanted, 0, 0, seed) else { return Ok(()) };
            let spread = |places: &[Place]| {
                let mut counts = vec![0u32; drives];
                places.iter().for_each(|p| counts[p.drive as usize] += 1);
                counts.iter().max().unwrap() - counts.iter().min().unwrap()
            };
            prop_assert!(spread(&c.places) <= 1);
            for number in 0..c.regions.len() {
                let region = c.regions[number];
                let size = region.plan.set_size;
                let own = &c.places[region.places..region.places + size * region.plan.sets as usize];
                prop_assert!(spread(own) <= 1, "{:?}", own);
                let row: BTreeSet<u32> = own[..size * region.row as usize].iter().map(|p| p.drive).collect();
                let most = drives.min(size * region.plan.sets as usize);
                prop_assert_eq!(row.len(), most);
                c.current = number;
                // Two turns of a set's size of parity in set 0, where a chunklet has so many stripes.
                if region.layout.parity_units() > 0 && size == 3 {
                    let parity: BTreeSet<usize> = (0..3)
                        .map(|t| region.stripe(0, t))
                        .map(|s| c.chunklet(region.layout.parity_drive(s, 0), s).0)
                        .collect();
                    prop_assert_eq!(parity.len(), 3);
                }
            }
        }
    }
}
