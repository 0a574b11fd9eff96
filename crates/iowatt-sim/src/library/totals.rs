//! What is counted of a library and its parts over the window.

use crate::clock::Nanos;
use hdrhistogram::{CreationError, Histogram};

/// Longest wait for a mount that is told apart: a thousand hours.
const LONGEST: Nanos = 3_600_000_000_000_000;

/// Where the time of requests went, in ns: the parts of each add up to its response time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stages {
    /// Requests, or parts of those that reach over several cartridges.
    pub requests: u64,
    /// Until the cartridge was in a drive.
    pub mount: Nanos,
    /// Behind others for the same cartridge.
    pub queue: Nanos,
    /// Writing out what was buffered, and locating.
    pub locate: Nanos,
    /// Between host, buffer and tape.
    pub transfer: Nanos,
}

/// Where the time of mounts went, in ns: they add up to the sum of their waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct MountStages {
    /// Until a drive was free.
    pub drive: Nanos,
    /// Until it had rewound and unloaded the cartridge it held.
    pub clear: Nanos,
    /// Until a robot was free.
    pub robot: Nanos,
    /// While it moved cartridges.
    pub moving: Nanos,
    /// Loading.
    pub load: Nanos,
}

/// Totals of a library.
#[derive(Clone, Debug)]
pub struct LibraryTotals {
    /// Mounts by how long their requests waited, in ns.
    pub mounts: Histogram<u64>,
    pub mount_stages: MountStages,
    /// Cartridges put back into their slots.
    pub dismounts: u64,
    /// Reads, writes.
    pub stages: [Stages; 2],
}

impl LibraryTotals {
    /// Nothing yet.
    ///
    /// # Errors
    /// If the histogram cannot be made, which is a fault of ours.
    pub fn new() -> Result<Self, CreationError> {
        Ok(Self {
            mounts: Histogram::new_with_bounds(1, LONGEST, 3)?,
            mount_stages: MountStages::default(),
            dismounts: 0,
            stages: [Stages::default(); 2],
        })
    }
}

/// Totals of a drive or a robot.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartTotals {
    /// Requests that found the cartridge in the drive, or for which it was loaded; moves of a robot.
    pub arrivals: u64,
    /// Completed: reads, writes; of a robot, moves.
    pub completed: [u64; 2],
    pub bytes: [u64; 2],
    pub locates: u64,
    /// Times that the tape ran out of work and had to go back.
    pub repositions: u64,
    pub locate: Nanos,
    pub transfer: Nanos,
    /// From the begin of service, and from the arrival at the drive.
    pub service: Nanos,
    pub response: Nanos,
    pub queue_seen: u64,
}
