//! Energy: what a drive's joules are for, the one ledger that every drive writes to, and a power policy (`iowatt-power`) at
//! work on a drive.

mod ladder;
mod ledger;
mod managed;
mod spin_ups;

pub use ladder::{Both, Further, Ladder};
pub use ledger::{Ledger, Times, Window, joules_of};
pub use managed::{Foreseen, Managed};
pub use spin_ups::SpinUps;

use crate::state::{STATES, State};

/// Where time is booked: a state that every drive has, or one of this drive's further ones, by its number in the
/// [`Ladder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// One of the six.
    Of(State),
    /// One that follows from the drive's levels.
    Further(u16),
}

impl Slot {
    /// Its number among the slots of its drive: the six, then the further ones.
    #[must_use]
    #[inline]
    pub fn number(self) -> usize {
        match self {
            Self::Of(state) => state as usize,
            Self::Further(number) => STATES + usize::from(number),
        }
    }
}

/// What an operation is done for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
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

/// What an SSD uses energy for, beyond what being active draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum FlashOperation {
    /// Sensing pages; of a data sheet, reads.
    Read,
    /// Programming pages; of a data sheet, writes.
    Program,
    /// Erasing blocks.
    Erase,
    /// Bytes to and from the host.
    Transfer,
    /// Commands.
    Command,
}

/// Number of flash operations.
pub const FLASH_OPERATIONS: usize = 5;

impl FlashOperation {
    /// All of them, by their numbers.
    pub const ALL: [Self; FLASH_OPERATIONS] =
        [Self::Read, Self::Program, Self::Erase, Self::Transfer, Self::Command];
}

/// Their names in results, by `FlashOperation as usize`.
pub const FLASH_OPERATION_NAMES: [&str; FLASH_OPERATIONS] =
    ["read", "program", "erase", "transfer", "command"];
