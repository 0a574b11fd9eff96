//! What losses of drives the data of a group survives.

use iowatt_volume::PlanFault::Range;
use iowatt_volume::{PlanError, check};
use serde::Deserialize;

/// The redundancy of a group.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(tag = "code", rename_all = "kebab-case", deny_unknown_fields)]
pub enum CodePlan {
    /// Any `losses` of the members: RAID-5 (1), RAID-6 (2), a Reed-Solomon code k+m (m), a mirror of n (n - 1).
    Any {
        /// Lost members that the data survives.
        losses: u32,
    },
    /// Spans of `width` neighbouring members, each of which survives `losses`: RAID-10 (2, 1), RAID-50, RAID-60.
    Spans {
        /// Members of a span.
        width: u32,
        /// Lost members that a span survives.
        losses: u32,
    },
    /// A local reconstruction code, taken as maximally recoverable: it survives every pattern whose losses beyond
    /// `local_parities` a local group add up, with lost global parities, to `global_parities` at most.
    /// Members are numbered group by group, the global parities last.
    Lrc {
        /// Data members.
        data: u32,
        /// Local groups, over which the data is spread evenly.
        local_groups: u32,
        /// Parities of each local group.
        local_parities: u32,
        /// Global parities.
        global_parities: u32,
    },
    /// Sets of `width` drives drawn at random from the members: placement groups, declustered RAID, copysets.
    Declustered {
        /// Sets.
        sets: f64,
        /// Drives of a set.
        width: u32,
        /// Lost drives that a set survives.
        losses: u32,
        /// Domain of which a set has at most one drive in a unit.
        #[serde(default)]
        apart: Option<usize>,
    },
}

impl CodePlan {
    pub(super) fn validate(&self, members: u32) -> Result<(), PlanError> {
        match *self {
            Self::Any { losses } => {
                check(losses < members, Range, "losses", "must be below the number of members")
            }
            Self::Spans { width, losses } => {
                check(losses < width, Range, "losses", "must be below the width")?;
                check(members.is_multiple_of(width), Range, "width", "must divide the number of members")
            }
            Self::Lrc { data, local_groups, local_parities, global_parities } => {
                let fits = local_groups > 0 && data > 0 && data.is_multiple_of(local_groups);
                check(fits, Range, "local_groups", "must divide the number of data members")?;
                let all = u64::from(data)
                    + u64::from(local_groups) * u64::from(local_parities)
                    + u64::from(global_parities);
                check(all == u64::from(members), Range, "data", "members must be data and parities")
            }
            Self::Declustered { sets, width, losses, .. } => {
                check(sets.is_finite() && sets >= 1.0, Range, "sets", "must be 1 or above")?;
                check(losses < width, Range, "losses", "must be below the width")?;
                check(width <= members, Range, "width", "must not be above the number of members")
            }
        }
    }
}
