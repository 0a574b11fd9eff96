//! The plan of an erasure code: how many units of a stripe are data, and what protects them.

use super::{RaidLevel, RaidPlan};
use iowatt_volume::PlanFault::{Conflict, Count, Range};
use iowatt_volume::{PlanError, Under, check};
use serde::Deserialize;

/// Most parity units of a stripe, local ones included.
pub const MAX_PARITY: usize = 8;

/// Most units of a stripe: symbols of a Reed-Solomon code over bytes.
pub const MAX_UNITS: usize = 255;

/// An erasure code, level `ec` alone.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CodePlan {
    /// Data units of a stripe.
    pub data: usize,
    /// Parity units that are computed from all of them.
    pub parity: usize,
    /// Groups of data units that have a parity unit each besides (local reconstruction code); none: 0.
    #[serde(default)]
    pub local_groups: usize,
}

impl CodePlan {
    /// Units of a stripe.
    #[must_use]
    pub fn width(&self) -> usize {
        self.data.saturating_add(self.parity).saturating_add(self.local_groups)
    }

    fn validate(&self) -> Result<(), PlanError> {
        check(self.data > 0, Range, "data", "must be at least 1")?;
        check(self.parity > 0, Range, "parity", "must be at least 1")?;
        check(
            self.parity.saturating_add(self.local_groups) <= MAX_PARITY,
            Range,
            "parity",
            "a stripe has at most 8 parity units, those of local groups included",
        )?;
        check(self.width() <= MAX_UNITS, Range, "data", "a stripe has at most 255 units")?;
        check(
            self.local_groups == 0 || self.data.is_multiple_of(self.local_groups),
            Count,
            "local_groups",
            "must divide the data units evenly",
        )
    }
}

impl RaidPlan {
    /// Checks that level `ec`, and no other, has a code, and that `width` drives or chunklets are its units; `field` is theirs.
    pub(super) fn check_code(&self, width: usize, field: &'static str) -> Result<(), PlanError> {
        let Some(code) = &self.code else {
            return check(self.level != RaidLevel::Ec, Conflict, "raid.code", "level ec needs one");
        };
        check(self.level == RaidLevel::Ec, Conflict, "raid.code", "only level ec has one")?;
        code.validate().under("code").under("raid")?;
        check(
            width == code.width(),
            Count,
            field,
            "must be the units of a stripe: data, parity and local parity",
        )
    }
}
