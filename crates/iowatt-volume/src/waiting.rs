//! Pieces of requests that wait until a move ends.

use super::io::VolumeIo;
use crate::slab::Slab;
use crate::time::Nanos;

const END: u32 = u32::MAX;

/// Bytes `from..until` of a virtual pool, within one extent.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The request.
    pub request: u32,
    /// First byte.
    pub from: u64,
    /// One past the last byte.
    pub until: u64,
    /// Direction.
    pub write: bool,
    /// It gives its bytes up: no access, and not counted.
    pub trim: bool,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    piece: Piece,
    since: Nanos,
    next: u32,
}

/// Pieces in the order in which they came, of one extent on the move.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    first: u32,
    last: u32,
}

impl Default for Queue {
    fn default() -> Self {
        Self { first: END, last: END }
    }
}

impl Queue {
    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first == END
    }
}

/// All pieces that wait. Nothing is allocated for one in steady state.
#[derive(Debug, Default)]
pub struct Waiting(Slab<Held>);

impl Waiting {
    /// Holds `piece` back at the end of `queue`.
    pub fn hold(&mut self, queue: &mut Queue, piece: Piece, io: &mut impl VolumeIo) {
        io.hold(piece.request);
        let key = self.0.insert(Held { piece, since: io.now(), next: END });
        if queue.is_empty() {
            queue.first = key;
        } else {
            self.0.get_mut(queue.last).next = key;
        }
        queue.last = key;
    }

    /// The first piece of `queue`, which no longer waits: the caller passes it, and then releases the request.
    pub fn take(&mut self, queue: &mut Queue, io: &mut impl VolumeIo) -> Option<Piece> {
        if queue.is_empty() {
            return None;
        }
        let held = self.0.remove(queue.first);
        queue.first = held.next;
        let waited = io.now() - held.since;
        if let Some(counts) = io.counts().filter(|_| !held.piece.trim) {
            counts.held += 1;
            counts.held_ns += waited;
        }
        Some(held.piece)
    }

    /// Number of pieces that wait.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
