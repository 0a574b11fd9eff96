//! What is counted of a virtual pool within the window.

use crate::clock::Nanos;

/// Counts of one part. Pairs are of reads and writes.
#[derive(Clone, Debug, Default)]
pub struct PartTally {
    /// Requests that had all of their bytes there.
    pub hits: [u64; 2],
    /// Bytes of requests that were there.
    pub hit_bytes: [u64; 2],
    /// Bytes that came by migration from a slower part.
    pub promoted_bytes: u64,
    /// Bytes that came by migration from a faster part.
    pub demoted_bytes: u64,
    /// Bytes read and written for requests.
    pub request_bytes: [u64; 2],
    /// Bytes read and written by moves.
    pub migration_bytes: [u64; 2],
    /// What the present request is counted by, as it was when it came: bytes for requests, or bytes of hits.
    mark: u64,
}

impl PartTally {
    /// A transfer of `bytes` begins.
    pub fn transferred(&mut self, bytes: u64, write: bool, own: bool) {
        let way = if own { &mut self.migration_bytes } else { &mut self.request_bytes };
        way[usize::from(write)] += bytes;
    }
}

/// Counts of a virtual pool.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Requests of each direction.
    pub requests: [u64; 2],
    /// Their bytes.
    pub bytes: [u64; 2],
    /// Of each part.
    pub parts: Vec<PartTally>,
    /// Moves that ended: an extent, or a pair that changed places.
    pub migrations: u64,
    /// Moves that were due and found as many under way as there may be, or no room.
    pub postponed: u64,
    /// Copies that were written back.
    pub write_backs: u64,
    /// Copies that were given up.
    pub evictions: u64,
    /// Requests that a move held up, and for how long.
    pub held: u64,
    /// Time that they were held.
    pub held_ns: Nanos,
}

impl Tally {
    /// Nothing counted yet, of so many parts.
    #[must_use]
    pub fn new(parts: usize) -> Self {
        Self {
            requests: [0; 2],
            bytes: [0; 2],
            parts: vec![PartTally::default(); parts],
            migrations: 0,
            postponed: 0,
            write_backs: 0,
            evictions: 0,
            held: 0,
            held_ns: 0,
        }
    }

    /// A request comes; what is transferred for it, part by part, tells where its bytes are.
    pub fn begin(&mut self) {
        for part in &mut self.parts {
            part.mark = part.request_bytes[0] + part.request_bytes[1];
        }
    }

    /// The request that began with [`Self::begin`] has opened its transfers.
    pub fn end(&mut self, bytes: u64, write: bool) {
        self.request(bytes, write);
        for part in &mut self.parts {
            let there = part.request_bytes[0] + part.request_bytes[1] - part.mark;
            part.hit_bytes[usize::from(write)] += there;
            part.hits[usize::from(write)] += u64::from(there >= bytes);
        }
    }

    /// A request comes whose scheme tells where its bytes are ([`Self::found`]).
    pub fn begin_told(&mut self, write: bool) {
        for part in &mut self.parts {
            part.mark = part.hit_bytes[usize::from(write)];
        }
    }

    /// All has been told of the request that began with [`Self::begin_told`].
    pub fn end_told(&mut self, bytes: u64, write: bool) {
        self.request(bytes, write);
        for part in &mut self.parts {
            let there = part.hit_bytes[usize::from(write)] - part.mark;
            part.hits[usize::from(write)] += u64::from(there >= bytes);
        }
    }

    /// A request of so many bytes.
    pub fn request(&mut self, bytes: u64, write: bool) {
        self.requests[usize::from(write)] += 1;
        self.bytes[usize::from(write)] += bytes;
    }

    /// So many bytes of a request were on `part`.
    pub fn found(&mut self, part: usize, bytes: u64, write: bool) {
        self.parts[part].hit_bytes[usize::from(write)] += bytes;
    }

    /// All of a request was on `part`.
    pub fn hit(&mut self, part: usize, write: bool) {
        self.parts[part].hits[usize::from(write)] += 1;
    }
}
