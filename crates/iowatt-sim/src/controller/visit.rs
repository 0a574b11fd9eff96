//! A host request in the controller, or a piece of one.

use super::Moment;
use super::back_end::NONE;
use crate::clock::Nanos;

/// A host request as it comes in.
#[derive(Clone, Copy, Debug)]
pub struct Incoming {
    /// Its key at the engine.
    pub host: u32,
    /// Its workload.
    pub workload: u32,
    /// The pool.
    pub pool: u32,
    /// First byte in it.
    pub from: u64,
    /// Bytes.
    pub size: u64,
    /// Direction.
    pub write: bool,
    /// Whether it writes nothing but zeros.
    pub zeros: bool,
    /// Whether it came over a path, whose port tells the processors of it by an interrupt.
    pub interrupts: bool,
}

/// What ends with a visit's next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Only a processor, for the buffers of a write that is to come.
    Allocating,
    Processing,
    DataIn,
    /// In the cache or at the pools; back-end requests end it.
    Storage,
    /// On the way to the partner controller.
    Mirror,
    /// On the way to the node that owns it, or from there.
    Crossing,
    DataOut,
}

/// A host request in the controller, or a piece of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    /// Key of the host request; of a piece, nobody.
    pub(super) host: u32,
    /// The division of a divided request and of its pieces, or [`NONE`].
    pub(super) whole: u32,
    pub(super) workload: u32,
    pub(super) pool: u32,
    pub(super) from: u64,
    pub(super) until: u64,
    pub(super) write: bool,
    pub(super) interrupts: bool,
    pub(super) zeros: bool,
    pub(super) stage: Stage,
    pub(super) entered: Nanos,
    /// Whether its host request entered within the window.
    pub(super) counted: bool,
    /// Back-end requests that it waits for.
    pub(super) waits: u32,
    /// End of what the cache has taken of a write, and granules of that whose lines were there.
    pub(super) taken: u64,
    pub(super) resident: u64,
    /// Since when a write waits for space.
    pub(super) waits_since: Option<Nanos>,
    /// The piece of the same request that waits for the same link behind this one.
    pub(super) behind: u32,
    /// The node that it came to, and the one that owns its first byte.
    pub(super) node: u8,
    pub(super) owner: u8,
}

impl Visit {
    /// Of a request that comes in.
    pub(super) fn new(request: &Incoming, moment: &Moment<'_>) -> Self {
        Self {
            host: request.host,
            whole: NONE,
            workload: request.workload,
            pool: request.pool,
            from: request.from,
            until: request.from + request.size,
            write: request.write,
            interrupts: request.interrupts,
            zeros: false,
            stage: Stage::Processing,
            entered: moment.now,
            counted: moment.window.begins(moment.now),
            waits: 0,
            taken: 0,
            resident: 0,
            waits_since: None,
            behind: NONE,
            node: 0,
            owner: 0,
        }
    }
}
