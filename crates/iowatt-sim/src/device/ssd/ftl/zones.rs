//! Zones instead of a map: the host writes each in order and resets it as a whole (NVMe zoned namespaces).
//!
//! A zone is a superblock, taken from those free when its first unit comes: the least worn one, which is erased then if it has
//! been written. Nothing is ever moved, so that a byte written is a byte programmed. A write to the start of a zone that was not reset
//! resets it.

use super::{Ftl, Stage, Work};
use crate::power::Cause;

/// No superblock.
const NONE: u32 = u32::MAX;

/// Zones of a drive, and where each of them is.
#[derive(Debug)]
pub(super) struct Zones {
    /// By zone: its superblock.
    block_of: Vec<u32>,
    /// By zone: the unit that is written next.
    pointer: Vec<u32>,
    /// By superblock: whether it must be erased before it is written.
    used: Vec<bool>,
}

impl Zones {
    /// `zones` zones, of which the first `full` are, each in the superblock of its number.
    pub fn new(zones: u32, full: u32, blocks: u32, block_units: u32) -> Self {
        let is_full = |zone: u32| zone < full;
        Self {
            block_of: (0..zones).map(|z| if is_full(z) { z } else { NONE }).collect(),
            pointer: (0..zones).map(|z| if is_full(z) { block_units } else { 0 }).collect(),
            // A drive that has been used up to its last zone has used its spare superblocks, too.
            used: (0..blocks).map(|block| full > 0 || is_full(block)).collect(),
        }
    }
}

impl Ftl {
    /// Where an address of a zoned drive is.
    #[cold]
    pub(super) fn locate_in_zone(&self, zones: &Zones, address: u32) -> Option<(u32, u32)> {
        let units = self.geometry.block_units;
        let (zone, place) = ((address / units) as usize, address % units);
        (place < zones.pointer[zone]).then(|| (zones.block_of[zone], place))
    }

    /// The host writes the next unit of a zone.
    pub(super) fn write_in_zone(&mut self, address: u32, cause: Cause, work: &mut impl Work) {
        let (units, stripe) = (self.geometry.block_units, self.geometry.stripe_units);
        let (zone, place) = (address / units, address % units);
        if place == 0 {
            self.reset_zone(zone);
            self.open_zone(zone, work);
        }
        let Some(zones) = &mut self.zones else { return };
        assert_eq!(zones.pointer[zone as usize], place, "zone {zone} is written out of order");
        let block = zones.block_of[zone as usize];
        zones.pointer[zone as usize] = place + 1;
        self.counts.host += 1;
        self.live += 1;
        self.clock += 1;
        self.valid[block as usize] += 1;
        let end = place + 1;
        (self.frontiers[0].block, self.frontiers[0].next) = (block, end);
        if end.is_multiple_of(stripe) {
            work.program(self.geometry.die(place), true, cause);
        }
        if end == units {
            self.stage[block as usize] = Stage::Closed;
            (self.frontiers[0].block, self.frontiers[0].next) = (NONE, 0);
        }
    }

    /// A zone gets the least worn free superblock.
    fn open_zone(&mut self, zone: u32, work: &mut impl Work) {
        let chosen = self.free.iter().copied().min_by_key(|&block| (self.erases[block as usize], block));
        let (Some(block), Some(zones)) = (chosen, &mut self.zones) else { return };
        self.free.retain(|&free| free != block);
        self.stage[block as usize] = Stage::Open;
        self.opened[block as usize] = self.clock;
        zones.block_of[zone as usize] = block;
        if std::mem::replace(&mut zones.used[block as usize], true) {
            self.erases[block as usize] += 1;
            self.counts.erased += 1;
            work.erase();
        }
    }

    /// A zone holds nothing from now on.
    fn reset_zone(&mut self, zone: u32) {
        let Some(zones) = &mut self.zones else { return };
        let block = std::mem::replace(&mut zones.block_of[zone as usize], NONE);
        zones.pointer[zone as usize] = 0;
        if block == NONE {
            return;
        }
        let held = std::mem::take(&mut self.valid[block as usize]);
        self.live -= u64::from(held);
        self.counts.trimmed += u64::from(held);
        self.stage[block as usize] = Stage::Free;
        self.free.push(block);
    }

    /// The host resets the zones that lie whole within units `from..until`; whether the drive has zones.
    pub fn reset_zones(&mut self, from: u32, until: u32) -> bool {
        let units = self.geometry.block_units;
        if self.zones.is_none() {
            return false;
        }
        for zone in from.div_ceil(units)..until / units {
            self.reset_zone(zone);
        }
        true
    }

    /// Gives the drive zones; the first `full` units are written.
    pub fn with_zones(mut self, full: u32) -> Self {
        let (units, blocks) = (self.geometry.block_units, self.geometry.blocks);
        let (zones, full) = (self.geometry.units / units, full / units);
        for zone in 0..full as usize {
            self.stage[zone] = Stage::Closed;
            self.valid[zone] = units;
        }
        self.free = (full..blocks).rev().collect();
        self.live = u64::from(full) * u64::from(units);
        self.zones = Some(Box::new(Zones::new(zones, full, blocks, units)));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Geometry, Work};
    use super::*;
    use crate::plan::{GcPlan, GcPolicy};

    #[derive(Default)]
    struct Count {
        programs: u32,
        erases: u32,
    }

    impl Work for Count {
        fn program(&mut self, _die: u32, _of_host: bool, _cause: Cause) {
            self.programs += 1;
        }

        fn sense(&mut self, _stripe: u32, _pages: u32, _units: u32, _cause: Cause) {
            unreachable!("nothing is moved");
        }

        fn erase(&mut self) {
            self.erases += 1;
        }
    }

    /// 4 zones of 8 units in 6 superblocks; stripes of 2 units.
    fn drive(full: u32) -> Ftl {
        let geometry = Geometry {
            units: 32,
            blocks: 6,
            block_units: 8,
            stripe_units: 2,
            page_units: 1,
            unit_pages: 1,
            dies: 2,
            handles: 1,
        };
        let gc = GcPlan { policy: GcPolicy::Greedy, free_blocks: 1, hot_cold: false, burst: None };
        Ftl::new(geometry, gc, None, None, 0).with_zones(full)
    }

    #[test]
    fn a_byte_written_is_a_byte_programmed() {
        let (mut ftl, mut work) = (drive(32), Count::default());
        for round in 0..5 {
            for zone in 0..4 {
                ftl.reset_zones(zone * 8, (zone + 1) * 8);
                (0..8).for_each(|unit| ftl.write(zone * 8 + unit, 0, Cause::HostWrite, &mut work));
                assert_eq!(ftl.locate(zone * 8 + 7).map(|at| at.1), Some(7), "round {round}");
            }
        }
        assert_eq!((ftl.counts.host, ftl.counts.moved, ftl.counts.erased), (160, 0, 20));
        assert_eq!((work.programs, work.erases), (80, 20));
        // 20 erases over 6 superblocks, the least worn first.
        assert!(ftl.erases().iter().all(|&erases| (3..=4).contains(&erases)), "{:?}", ftl.erases());
        ftl.audit().unwrap_or_else(|what| panic!("{what}"));
    }

    #[test]
    fn what_is_not_written_is_nowhere() {
        let (mut ftl, mut work) = (drive(0), Count::default());
        ftl.write(8, 0, Cause::HostWrite, &mut work);
        assert_eq!((ftl.locate(8).is_some(), ftl.locate(9), ftl.live()), (true, None, 1));
        assert!(ftl.reset_zones(8, 16));
        assert_eq!((ftl.locate(8), ftl.live(), work.erases), (None, 0, 0));
    }

    #[test]
    #[should_panic(expected = "out of order")]
    fn a_zone_is_written_in_order() {
        drive(0).write(3, 0, Cause::HostWrite, &mut Count::default());
    }
}
