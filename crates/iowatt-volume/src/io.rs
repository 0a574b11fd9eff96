//! What a scheme may do: the requests that it gets, and the contract of whoever moves the bytes.

use crate::counts::PoolCounts;
use crate::time::Nanos;

/// A request on bytes `from..until` of a virtual pool.
#[derive(Clone, Copy, Debug)]
pub struct VolumeRequest {
    /// Its key, for [`VolumeIo::transfer`], [`VolumeIo::hold`] and [`VolumeIo::release`].
    pub key: u32,
    /// First byte.
    pub from: u64,
    /// One past the last byte.
    pub until: u64,
    /// Direction.
    pub write: bool,
    /// Of a write: its bytes are given up and read as zeroes from then on. That is no access: it is not counted, and nothing
    /// becomes due by it. Live volumes alone pass trims to schemes.
    pub trim: bool,
}

/// Where an extent is from now on: what a volume must know again after a power loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapRecord {
    /// The extent.
    pub extent: u32,
    /// The slot that is its home, or that holds its copy; [`NOWHERE`](Self::NOWHERE): it has no copy any more.
    pub slot: u32,
}

impl MapRecord {
    /// Set in the slot of a copy that differs from what lies below it, in the map of a volume that was stopped in order.
    pub const DIRTY: u32 = 1 << 31;
    /// No slot.
    pub const NOWHERE: u32 = u32::MAX;
}

/// What moves the bytes and keeps the time for a scheme: the simulator, a live volume, or the model of a test.
///
/// Schemes rely on one property: a part serves overlapping transfers in the order in which it receives them, as arrays
/// ensure with range locks. A request is complete when all its transfers are done and all holds are taken back.
pub trait VolumeIo {
    /// The present time.
    fn now(&self) -> Nanos;
    /// Whether now lies in the observed window.
    fn counted(&self) -> bool;
    /// The pool's counts, if now lies in the observed window.
    fn counts(&mut self) -> Option<&mut PoolCounts>;
    /// Whether the last host request is done: work in flight may end, no new move starts.
    fn draining(&self) -> bool;
    /// Whether all drives of a part can serve at once: none is in standby or in transition.
    fn ready(&self, part: usize) -> bool;
    /// Reads or writes a range of a part, first byte and one past the last, for a request, which waits for it.
    fn transfer(&mut self, request: u32, part: usize, range: (u64, u64), write: bool);
    /// As [`Self::transfer`], and [`Scheme::transfer_done`](crate::Scheme::transfer_done) gets `tag` when it is done, before the
    /// request is.
    fn transfer_tagged(&mut self, request: u32, tag: u64, part: usize, range: (u64, u64), write: bool);
    /// Reads or writes a range of a part for no request; [`Scheme::background_done`](crate::Scheme::background_done) gets `tag`
    /// when that is done.
    fn background(&mut self, tag: u64, part: usize, range: (u64, u64), write: bool);
    /// Writes a range of a part for several requests at once. All of them wait for it; the scheme gets `tag` when it is done, and
    /// releases them, but for the first, which the transfer itself holds.
    fn transfer_joined(&mut self, requests: &[u32], tag: u64, part: usize, range: (u64, u64)) {
        let Some((&first, others)) = requests.split_first() else { return };
        others.iter().for_each(|&request| self.hold(request));
        self.transfer_tagged(first, tag, part, range, true);
    }
    /// Tells which bytes of a request the next transfer on a range of a part carries: those from byte `at` of the virtual pool on.
    /// A transfer may carry several such pieces. Only who moves real bytes needs it.
    fn piece(&mut self, _request: u32, _at: u64, _part: usize, _range: (u64, u64)) {}
    /// Tells what the next background write carries: what the last background read of this range of a part has brought.
    fn carries(&mut self, _part: usize, _range: (u64, u64)) {}
    /// Notes a change of the map. It is durable, together with all notes before it, at the latest when the next flush of a host or
    /// the next [`Self::persist`] is. Notes made in one call of the scheme become durable together or not at all.
    fn note(&mut self, _record: MapRecord) {}
    /// Makes durable, in this order: what has been written to `part`, all notes before, and `record`.
    /// [`Scheme::background_done`](crate::Scheme::background_done) gets `tag` when that is done. Returns true where it is so at
    /// once, as in a simulation, which loses no power; `tag` does not come then.
    fn persist(&mut self, _tag: u64, _part: Option<usize>, _record: Option<MapRecord>) -> bool {
        true
    }
    /// Gives up a range of a part, as far as its drives know of that; nobody waits for it.
    fn reset(&mut self, part: usize, range: (u64, u64));
    /// Holds a request until one more [`Self::release`].
    fn hold(&mut self, request: u32);
    /// Takes back one [`Self::hold`].
    fn release(&mut self, request: u32);
    /// Schedules [`Scheme::alarm`](crate::Scheme::alarm) at `at`, unless an earlier one is set.
    fn set_alarm(&mut self, at: Nanos);
}

/// Submits a request to a scheme, and counts its hits by the transfers that the scheme opens.
pub fn counting<Io: VolumeIo>(request: &VolumeRequest, io: &mut Io, take: impl FnOnce(&mut Io)) {
    if let Some(counts) = io.counts() {
        counts.begin();
    }
    take(io);
    if let Some(counts) = io.counts() {
        counts.end(request.until - request.from, request.write);
    }
}

/// Submits a request to a scheme that reports itself where the bytes were, because it transfers more than the request.
pub fn counting_located<Io: VolumeIo>(request: &VolumeRequest, io: &mut Io, take: impl FnOnce(&mut Io)) {
    if let Some(counts) = io.counts() {
        counts.begin_located(request.write);
    }
    take(io);
    if let Some(counts) = io.counts() {
        counts.end_located(request.until - request.from, request.write);
    }
}
