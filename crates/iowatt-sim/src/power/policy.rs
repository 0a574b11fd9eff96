//! When an idle drive spins down.

use crate::clock::{Nanos, nanos};
use crate::plan::PowerPolicyPlan;

/// A power policy of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Stays spinning.
    Never,
    /// Spins down after this long without work.
    FixedThreshold(Nanos),
}

impl Policy {
    /// The policy of a plan.
    #[must_use]
    pub fn new(plan: &PowerPolicyPlan) -> Self {
        match plan {
            PowerPolicyPlan::Never => Self::Never,
            PowerPolicyPlan::FixedThreshold { threshold_s } => Self::FixedThreshold(nanos(*threshold_s)),
        }
    }

    /// Instant at which a drive that has been idle since `since` spins down, if it ever does.
    #[must_use]
    pub fn spin_down_at(&self, since: Nanos) -> Option<Nanos> {
        match self {
            Self::Never => None,
            Self::FixedThreshold(threshold) => Some(since.saturating_add(*threshold)),
        }
    }
}
