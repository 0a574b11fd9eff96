//! The plan of a pool whose drives are divided into chunklets.

use super::{PoolPlan, RaidLevel, RaidPlan, SpareKind};
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
    pub(super) fn validate(&self, pool: &PoolPlan, drive_bytes: u64, sector: u64) -> Result<(), String> {
        let check = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        let whole = self.bytes > 0 && self.bytes.is_multiple_of(sector);
        check(whole, "a chunklet must be a multiple of the sector")?;
        check(!self.regions.is_empty(), "a pool of chunklets needs a region")?;
        let dedicated = pool.recovery.as_ref().is_none_or(|r| r.sparing == SpareKind::Dedicated);
        check(!dedicated || self.spare == 0, "dedicated spares are drives, not chunklets of each drive")?;
        let members = if dedicated { pool.count } else { pool.drives() };
        let each = drive_bytes / self.bytes;
        check(each > self.spare, "a drive must have more chunklets than are spare")?;
        check(u32::try_from(each).is_ok(), "a drive has too many chunklets")?;
        let mut taken = 0u64;
        for region in &self.regions {
            region.validate(self.bytes, members, sector)?;
            taken = taken.saturating_add((region.set_size as u64).saturating_mul(region.sets));
        }
        check(taken <= (each - self.spare) * members as u64, "the sets need more chunklets than there are")?;
        check(taken < u64::from(u32::MAX), "the sets have too many chunklets")
    }
}

impl RegionPlan {
    fn validate(&self, chunklet: u64, members: usize, sector: u64) -> Result<(), String> {
        let check = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        let (least, what) = match self.raid.level {
            RaidLevel::Raid0 => (1, "a set of RAID-0 needs a chunklet"),
            RaidLevel::Raid10 => (2, "a set of RAID-10 needs 2 chunklets"),
            RaidLevel::Raid5 => (3, "a set of RAID-5 needs 3 chunklets"),
            RaidLevel::Raid6 => (4, "a set of RAID-6 needs 4 chunklets"),
            RaidLevel::Raid1 | RaidLevel::Raid4 => {
                return Err("sets of chunklets are RAID-0, 10, 5 or 6".into());
            }
        };
        check(self.set_size >= least, what)?;
        check(
            self.raid.level != RaidLevel::Raid10 || self.set_size.is_multiple_of(2),
            "a set of RAID-10 needs an even number of chunklets",
        )?;
        check(self.set_size <= members, "a set needs more drives than there are")?;
        check(self.sets > 0, "a region needs a set")?;
        let unit = self.raid.stripe_unit_bytes;
        check(unit > 0 && unit.is_multiple_of(sector), "the stripe unit must be a multiple of the sector")?;
        check(unit <= chunklet, "a stripe unit must fit a chunklet")
    }
}
