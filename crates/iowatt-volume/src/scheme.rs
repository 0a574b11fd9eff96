//! The contract of a scheme of virtual pools.

use super::io::{VolumeIo, VolumeRequest};
use super::movement::Movement;

/// Makes one address space of ranges of pools.
///
/// - A request completes when all transfers opened for it ([`VolumeIo::transfer`]) are done and all holds are taken back. A
///   request without transfers completes at once.
/// - Later requests read every byte that a completed request has written, whatever moves meanwhile. [`Self::audit`] checks
///   this as far as the scheme's tables show it.
/// - Moves start only while [`VolumeIo::draining`] is false. The run ends when no transfer is open: transfers in flight end, and
///   so do moves that continue with each of their transfers; a move that waits for an alarm then (the next step of a
///   rate-limited relocation) stops there.
/// - In steady state a request allocates nothing. Tables grow with extents, never with requests.
///
/// To add one: a file beside `linear.rs`, a variant in `schemes.rs` and in `SchemePlan`, its keys in the scenario.
pub trait Scheme {
    /// Bytes of the address space.
    fn capacity_bytes(&self) -> u64;
    /// Takes a request of the layer above.
    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo);
    /// A transfer that a request waits for and that was opened with a tag ([`VolumeIo::transfer_tagged`]) is done.
    fn transfer_done(&mut self, _tag: u64, _io: &mut impl VolumeIo) {}
    /// A transfer of the scheme's own ([`VolumeIo::background`]) is done.
    fn background_done(&mut self, tag: u64, io: &mut impl VolumeIo);
    /// A transfer of the scheme's own has failed, because a drive or a file has. Returns whether the scheme has given the move up
    /// and all is as before it; else nothing may be written any more.
    fn background_failed(&mut self, _tag: u64, _io: &mut impl VolumeIo) -> bool {
        false
    }
    /// Takes the map of a volume that was created before: the slot of each extent, as [`MapRecord`](crate::MapRecord) has it. `clean`: the volume
    /// was stopped in order, and slots with [`MapRecord::DIRTY`](crate::MapRecord::DIRTY) alone differ from what lies below them. After a loss of power
    /// any may.
    ///
    /// # Errors
    /// The first entry that cannot be, or that the scheme has no map to restore.
    fn restore(&mut self, _slots: &[u32], _clean: bool) -> Result<(), String> {
        Err("this scheme has no map that outlives it".into())
    }
    /// The slot of each extent, as [`Self::restore`] takes it; empty where the scheme has no map.
    fn map(&self) -> Vec<u32> {
        Vec::new()
    }
    /// The alarm that it has set is due.
    fn alarm(&mut self, io: &mut impl VolumeIo);
    /// Bytes of a part that hold data, if the scheme counts them.
    fn occupied_bytes(&self, _part: usize) -> Option<u64> {
        None
    }
    /// Bytes of copies not yet written to their home.
    fn dirty_bytes(&self) -> u64 {
        0
    }
    /// The most accessed extents, as many as the first part holds (a cache: all that were accessed), if the plan requests
    /// them.
    fn hottest(&self) -> Option<Vec<u32>> {
        None
    }
    /// Counts of its own within the window, of a scheme that moves data by itself.
    fn movement(&self) -> Option<Movement> {
        None
    }
    /// Checks the invariants.
    ///
    /// # Errors
    /// The first that does not hold.
    fn audit(&self) -> Result<(), String>;
}
