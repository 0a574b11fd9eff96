//! The plan of a pool whose drives are divided into chunklets.

use super::{PoolPlan, RaidLevel, RaidPlan, SpareKind};
use iowatt_volume::PlanFault::{Capacity, Conflict, Count, Range};
use iowatt_volume::{PlanError, Under, check};
use serde::Deserialize;

/// Chunklets, and what is laid over them. The pool's addresses are those of its regions, one after another.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChunkletPlan {
    /// Bytes of a chunklet; a multiple of the sector size. What is left at the end of a drive is lost.
    pub bytes: u64,
    /// Spare chunklets at the end of each drive, with distributed sparing.
    pub spare: u64,
    /// Address ranges with a redundancy of their own.
    pub regions: Vec<RegionPlan>,
}

/// Some RAID sets of one kind.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RegionPlan {
    /// Level, stripe unit and update of parity, within a set.
    pub raid: RaidPlan,
    /// Chunklets of a set, each on another drive.
    pub set_size: usize,
    /// Number of sets.
    pub sets: u64,
}

impl ChunkletPlan {
    pub(super) fn validate(&self, pool: &PoolPlan, drive_bytes: u64, sector: u64) -> Result<(), PlanError> {
        let whole = self.bytes > 0 && self.bytes.is_multiple_of(sector);
        check(whole, Range, "bytes", "must be a multiple of the sector size")?;
        check(!self.regions.is_empty(), Count, "regions", "must not be empty")?;
        let dedicated = pool.recovery.as_ref().is_none_or(|r| r.sparing == SpareKind::Dedicated);
        check(
            !dedicated || self.spare == 0,
            Conflict,
            "spare",
            "must be 0 with dedicated spares, which are whole drives",
        )?;
        let members = if dedicated { pool.count } else { pool.drives() };
        let each = drive_bytes / self.bytes;
        check(each > self.spare, Capacity, "spare", "must be less than the chunklets of a drive")?;
        check(u32::try_from(each).is_ok(), Range, "bytes", "a drive must have fewer than 2^32 chunklets")?;
        let mut taken = 0u64;
        for (number, region) in self.regions.iter().enumerate() {
            region.validate(self.bytes, members, sector).under_item("regions", number)?;
            taken = taken.saturating_add((region.set_size as u64).saturating_mul(region.sets));
        }
        let free = (each - self.spare) * members as u64;
        check(taken <= free, Capacity, "regions", "the sets need more chunklets than the drives have")?;
        check(
            taken < u64::from(u32::MAX),
            Capacity,
            "regions",
            "the sets must have fewer than 2^32 chunklets",
        )
    }
}

impl RegionPlan {
    fn validate(&self, chunklet: u64, members: usize, sector: u64) -> Result<(), PlanError> {
        self.raid.check_code(self.set_size, "set_size")?;
        let (least, message) = match self.raid.level {
            RaidLevel::Raid0 => (1, "RAID-0 needs at least 1 chunklet"),
            RaidLevel::Raid1 => (2, "RAID-1 needs at least 2 chunklets"),
            RaidLevel::Raid10 => (2, "RAID-10 needs at least 2 chunklets"),
            RaidLevel::Raid5 => (3, "RAID-5 needs at least 3 chunklets"),
            RaidLevel::Raid6 => (4, "RAID-6 needs at least 4 chunklets"),
            RaidLevel::Ec => (2, "a stripe needs at least 2 chunklets"),
            RaidLevel::Raid4 => {
                let message =
                    "sets of chunklets are RAID-0, RAID-1, RAID-10, RAID-5, RAID-6 or erasure-coded";
                return Err(PlanError::new(Conflict, "raid.level", message));
            }
        };
        check(self.set_size >= least, Count, "set_size", message)?;
        check(
            self.raid.level != RaidLevel::Raid10 || self.set_size.is_multiple_of(2),
            Count,
            "set_size",
            "RAID-10 needs an even number of chunklets",
        )?;
        check(self.set_size <= members, Capacity, "set_size", "must be at most the number of drives")?;
        check(self.sets > 0, Range, "sets", "must be at least 1")?;
        self.raid.validate(sector).under("raid")?;
        self.raid.check_unlogged().under("raid")?;
        let unit = self.raid.stripe_unit_bytes;
        check(unit <= chunklet, Capacity, "raid.stripe_unit_bytes", "must be at most a chunklet")
    }
}
