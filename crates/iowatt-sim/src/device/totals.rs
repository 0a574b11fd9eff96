//! What is counted of one drive.

mod merge;

use super::hdd::{Access, Hit};
use super::{DriveOp, NO_OP};
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

impl DriveTotals {
    /// Adds an operation of a disk, begun at `started` after a `detour` of the arm, that completes within the window.
    #[inline]
    pub fn add_service(
        &mut self,
        op: &DriveOp,
        started: Nanos,
        detour: Nanos,
        access: &Access,
        sector_bytes: u64,
    ) {
        let way = usize::from(op.write);
        self.completed[way] += 1;
        self.background += u64::from(op.host == NO_OP);
        self.bytes[way] += op.sectors * sector_bytes;
        self.service += access.done - started;
        self.response += access.done - op.arrived;
        self.seeks += u64::from(access.cylinders > 0 || detour > 0);
        self.seek_cylinders += u64::from(access.cylinders);
        self.seek += detour + access.seek;
        self.rotation += access.rotation;
        self.transfer += access.transfer;
        self.overhead += access.overhead + access.bus;
        self.buffer_hits += u64::from(access.hit == Hit::Full);
    }

    /// Adds what [`Self::add_service`] has added of a part of an operation: the last one completes it.
    pub fn add_part(&mut self, part: &Self, last: bool) {
        for way in 0..2 {
            self.completed[way] += part.completed[way] * u64::from(last);
            self.bytes[way] += part.bytes[way];
        }
        self.background += part.background * u64::from(last);
        self.response += part.response * Nanos::from(last);
        self.buffer_hits += part.buffer_hits * u64::from(last);
        self.service += part.service;
        self.seeks += part.seeks;
        self.seek_cylinders += part.seek_cylinders;
        self.seek += part.seek;
        self.rotation += part.rotation;
        self.transfer += part.transfer;
        self.overhead += part.overhead;
    }

    /// Takes back what [`Self::add_service`] has added to `booked`.
    pub fn take_back(&mut self, booked: &Self) {
        for way in 0..2 {
            self.completed[way] -= booked.completed[way];
            self.bytes[way] -= booked.bytes[way];
        }
        self.background -= booked.background;
        self.service -= booked.service;
        self.response -= booked.response;
        self.seeks -= booked.seeks;
        self.seek_cylinders -= booked.seek_cylinders;
        self.seek -= booked.seek;
        self.rotation -= booked.rotation;
        self.transfer -= booked.transfer;
        self.overhead -= booked.overhead;
        self.buffer_hits -= booked.buffer_hits;
    }
}
