//! What is counted of one drive.

use crate::clock::Nanos;
use crate::observe::IdlePeriods;

/// Totals of one drive over the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriveTotals {
    /// Operations that arrived, trims apart.
    pub arrivals: u64,
    /// Sum over arrivals of the operations present, the arriving one included.
    pub queue_seen: u64,
    /// Operations completed: reads, writes.
    pub completed: [u64; 2],
    /// Of the completed operations, those of a rebuild.
    pub background: u64,
    /// Operations that waited here when the drive failed, and were redirected.
    pub redirected: u64,
    /// Bytes of completed operations: reads, writes.
    pub bytes: [u64; 2],
    /// Arm movements.
    pub seeks: u64,
    /// Cylinders moved by them.
    pub seek_cylinders: u64,
    /// Seek, settle and head switch time.
    pub seek: Nanos,
    /// Rotational waits.
    pub rotation: Nanos,
    /// Media transfer.
    pub transfer: Nanos,
    /// Command processing, waits for background work, and bus time after the media.
    pub overhead: Nanos,
    /// Reads served whole from the buffer.
    pub buffer_hits: u64,
    /// Start of service to completion.
    pub service: Nanos,
    /// Arrival to completion.
    pub response: Nanos,
    /// From a completion that left nothing to do to the next arrival.
    pub idle: IdlePeriods,
    /// Spindle starts and stops.
    pub spin_ups: u64,
    /// Spindle stops begun.
    pub spin_downs: u64,
}
