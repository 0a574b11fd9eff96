//! Energy: the states of a drive and what its joules are for, the one ledger that every drive writes to, and the life of a
//! power policy (`iowatt-power`) on a drive.

mod ladder;
mod ledger;
mod managed;
mod spin_ups;

pub use ladder::{Further, Ladder};
pub use ledger::{Ledger, Window};
pub use managed::{Foreseen, Managed};
pub use spin_ups::SpinUps;

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
    /// On the way to full readiness: coming up to speed, loading heads.
    SpinUp,
    /// On the way to a level that draws less.
    SpinDown,
}

/// Number of states that every drive has.
pub const STATES: usize = 6;

/// Names of the states in results, by `State as usize`.
pub const STATE_NAMES: [&str; STATES] = ["active", "positioning", "idle", "standby", "spin_up", "spin_down"];

/// Where time is booked: a state that every drive has, or one of this drive's further ones, by its number in the
/// [`Ladder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// One of the six.
    Of(State),
    /// One that follows from the drive's levels.
    Further(u16),
}

/// What an operation is done for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Cause {
    /// A read of a host.
    HostRead,
    /// A write of a host.
    HostWrite,
    /// Parity, copies, and what they are computed from.
    Redundancy,
    /// Restoring what a failed drive held.
    Rebuild,
    /// What the drive does by itself: writing out and reading ahead.
    Background,
    /// Moving data between the parts of a virtual pool.
    Migration,
}

/// Number of causes of work.
pub const CAUSES: usize = 6;

impl Cause {
    /// All of them, by their numbers.
    pub const ALL: [Self; CAUSES] =
        [Self::HostRead, Self::HostWrite, Self::Redundancy, Self::Rebuild, Self::Background, Self::Migration];
}

/// Causes in results: those of work, by `Cause as usize`, then changes of level, idling, and levels below it.
pub const CAUSE_NAMES: [&str; CAUSES + 3] = [
    "host_read",
    "host_write",
    "redundancy",
    "rebuild",
    "background",
    "migration",
    "power_management",
    "idle",
    "low_power",
];
