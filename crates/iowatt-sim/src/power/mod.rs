//! Energy: the states of a drive, the one ledger that every drive writes to, and the policies that
//! decide when an idle drive changes its state.

mod ledger;
mod policy;

pub use ledger::{Ledger, Window};
pub use policy::Policy;

use crate::plan::HddPowerPlan;

/// What a drive is doing, as far as its power is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum State {
    /// Media transfer, and command or bus time that holds the disk.
    Active,
    /// Seek, settle, head switch, rotational wait.
    Positioning,
    /// Spinning without work.
    Idle,
    /// Stopped.
    Standby,
    /// Coming up to speed.
    SpinUp,
    /// Coming to rest.
    SpinDown,
}

/// Number of states.
pub const STATES: usize = 6;

/// Names of the states in results, by `State as usize`.
pub const STATE_NAMES: [&str; STATES] = ["active", "positioning", "idle", "standby", "spin_up", "spin_down"];

/// Watts of a drive, by `State as usize`. States that the plan gives no figure for are never entered.
#[must_use]
pub fn watts(plan: &HddPowerPlan) -> [f64; STATES] {
    let or_unused = |w: Option<f64>| w.unwrap_or(0.0);
    [
        plan.active_w,
        plan.positioning_w,
        plan.idle_w,
        or_unused(plan.standby_w),
        or_unused(plan.spin_up_w),
        or_unused(plan.spin_down_w),
    ]
}
