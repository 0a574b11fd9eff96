//! Failure domains: what takes several members away at once.

use super::{not_negative, positive};
use iowatt_volume::PlanFault::Range;
use iowatt_volume::{PlanError, check};
use serde::Deserialize;

/// Like units of one kind that members depend on: enclosures, controllers, nodes, racks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DomainPlan {
    /// Units that a group lies in.
    pub units: u32,
    /// Failures of one unit.
    pub failures_per_s: f64,
    /// Mean time to repair, in which its members are unavailable; exponential.
    pub repair_s: f64,
    /// Share of failures that destroy the data of the unit's members.
    #[serde(default)]
    pub lost_share: f64,
    /// Which members are in which unit.
    #[serde(default)]
    pub layout: LayoutPlan,
}

/// Which members are in which unit.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(tag = "layout", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LayoutPlan {
    /// Neighbours in different units: member i in unit i modulo units.
    #[default]
    Spread,
    /// Neighbours in one unit: member i in unit i x units / members.
    Packed,
    /// As listed.
    Given {
        /// Unit of each member.
        units: Vec<u32>,
    },
}

impl DomainPlan {
    pub(super) fn validate(&self, members: u32) -> Result<(), PlanError> {
        check((1..=1 << 20).contains(&self.units), Range, "units", "must be 1 to 1048576")?;
        not_negative(self.failures_per_s, "failures_per_s")?;
        positive(self.repair_s, "repair_s")?;
        check((0.0..=1.0).contains(&self.lost_share), Range, "lost_share", "must be 0 to 1")?;
        if let LayoutPlan::Given { units } = &self.layout {
            check(
                units.len() == members as usize,
                Range,
                "layout.units",
                "must name a unit for each member",
            )?;
            let known = units.iter().all(|&unit| unit < self.units);
            check(known, Range, "layout.units", "there is no such unit")?;
        }
        Ok(())
    }

    /// The unit of a member of a group of so many.
    #[must_use]
    pub fn unit(&self, member: u32, members: u32) -> u32 {
        match &self.layout {
            LayoutPlan::Spread => member % self.units,
            LayoutPlan::Packed => (u64::from(member) * u64::from(self.units) / u64::from(members)) as u32,
            LayoutPlan::Given { units } => units[member as usize],
        }
    }
}
