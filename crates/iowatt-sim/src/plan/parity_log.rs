//! The plan of a log of parity updates: how much of each drive it takes, and how it is divided.

use super::{PoolPlan, RaidLevel, RaidPlan, SmallWrite, SpareKind};
use iowatt_volume::PlanFault::{Capacity, Conflict, Range};
use iowatt_volume::{PlanError, check};
use serde::Deserialize;

/// Most regions of a pool.
const MAX_REGIONS: u64 = 1 << 20;

/// A log of parity updates. The stripes of a pool are divided into regions with a log and two buffers each.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ParityLogPlan {
    /// Bytes at the end of each drive that the logs take, in whole stripe units.
    pub drive_bytes: u64,
    /// Regions.
    pub regions: u64,
    /// Consecutive stripes with their parity on the same drives, so that it is read and written at once.
    pub run_stripes: u64,
    /// Bytes of parity updates that are written to a log together; rounded up to whole stripes.
    pub buffer_bytes: u64,
}

impl ParityLogPlan {
    /// Stripes that a buffer is written to, with so many data units a stripe.
    #[must_use]
    pub fn buffer_stripes(&self, data: u64, unit_bytes: u64) -> u64 {
        self.buffer_bytes.div_ceil(data * unit_bytes)
    }

    /// Buffers that half of a region's log has room for.
    #[must_use]
    pub fn half_buffers(&self, data: u64, unit_bytes: u64) -> u64 {
        self.drive_bytes / unit_bytes / (2 * self.regions * self.buffer_stripes(data, unit_bytes))
    }
}

impl RaidPlan {
    /// Parity units of a stripe.
    fn parity_units(&self) -> u64 {
        match self.level {
            RaidLevel::Raid4 | RaidLevel::Raid5 => 1,
            RaidLevel::Raid6 => 2,
            RaidLevel::Ec => self.code.map_or(0, |code| (code.parity + code.local_groups) as u64),
            RaidLevel::Raid0 | RaidLevel::Raid1 | RaidLevel::Raid10 => 0,
        }
    }

    /// Checks that no log is asked for.
    pub(super) fn check_unlogged(&self) -> Result<(), PlanError> {
        let message = "parity updates are logged on whole drives alone, not on chunklets";
        check(
            self.small_write != SmallWrite::ParityLog && self.log.is_none(),
            Conflict,
            "small_write",
            message,
        )
    }
}

impl PoolPlan {
    /// Checks the log of parity updates over whole drives, and that there is one if and only if small writes use it.
    pub(super) fn check_log(&self) -> Result<(), PlanError> {
        let logs = self.raid.small_write == SmallWrite::ParityLog;
        let Some(log) = &self.raid.log else {
            return check(!logs, Conflict, "raid.log", "small writes that are logged need a log");
        };
        check(logs, Conflict, "raid.log", "only small writes that are logged have one")?;
        let (parity, unit) = (self.raid.parity_units(), self.raid.stripe_unit_bytes);
        check(parity > 0, Conflict, "raid.small_write", "this level has no parity to log")?;
        let checked = self.raid.parity_check_on_read;
        let message = "parity that is still in the log cannot be checked against data";
        check(!checked, Conflict, "raid.parity_check_on_read", message)?;
        check(
            self.recovery.is_some(),
            Conflict,
            "recovery",
            "a log is reintegrated at the pace of its rebuild",
        )?;
        check(
            (1..=MAX_REGIONS).contains(&log.regions),
            Range,
            "raid.log.regions",
            "must be at least 1 and at most 2^20",
        )?;
        let sparing = self.recovery.as_ref().map_or(SpareKind::Dedicated, |recovery| recovery.sparing);
        let message = "spare space between the data leaves no parity together";
        check(sparing == SpareKind::Dedicated, Conflict, "recovery.sparing", message)?;
        check(log.run_stripes > 0, Range, "raid.log.run_stripes", "must be at least 1")?;
        let data = self.count as u64 - parity;
        let least = parity * unit;
        check(
            unit > 0 && log.buffer_bytes >= least,
            Range,
            "raid.log.buffer_bytes",
            "must hold a stripe unit of each parity unit",
        )?;
        let fits = log.buffer_bytes < u64::MAX / 2 && log.half_buffers(data, unit) > 0;
        check(
            fits,
            Capacity,
            "raid.log.drive_bytes",
            "must hold two buffers of each region, in whole stripes",
        )?;
        let drive = self.device.sectors().saturating_mul(self.device.sector_bytes());
        let stripes = (drive / unit).saturating_sub(log.drive_bytes / unit);
        check(
            stripes >= log.regions,
            Capacity,
            "raid.log.drive_bytes",
            "must leave each region at least a stripe of data",
        )
    }
}
