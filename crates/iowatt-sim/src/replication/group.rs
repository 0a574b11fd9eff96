//! A group of replicated volumes: what is to be sent, what the remote array lacks, and what was counted.

use super::extents::{Extents, Piece};
use super::lag::Lag;
use crate::clock::{Nanos, nanos};
use crate::plan::{Plan, ReplicationMode, ReplicationPlan};
use crate::power::Window;
use std::collections::VecDeque;

/// How far replication is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Writes are sent.
    Running,
    /// The extents that writes change are noted.
    Suspended,
    /// Those extents are sent.
    Resynchronising,
}

/// A volume and its copy: the space and the first byte there.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// This array's.
    pub own: (usize, u64),
    /// The remote array's, where its drives are simulated.
    pub copy: Option<(usize, u64)>,
}

/// A write that waits to be sent or for room.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// The request.
    pub host: u32,
    /// What it writes.
    pub piece: Piece,
    /// Since when.
    pub since: Nanos,
}

/// Where a write of the journal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Here.
    Here,
    /// On its way.
    Sent,
    /// There, before an older one.
    There,
}

/// A write that was answered and is not at the remote array, or not in its order.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it writes.
    pub piece: Piece,
    /// When it was answered.
    pub answered: Nanos,
    /// Where it is.
    pub place: Place,
}

/// A time in which the remote array had no state of this one's.
#[derive(Clone, Copy, Debug)]
pub struct Suspension {
    /// When replication was suspended.
    pub from: Nanos,
    /// When what was noted began to be sent.
    pub resumed: Option<Nanos>,
    /// When all of it was there.
    pub until: Option<Nanos>,
}

/// What was counted within the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Writes to the volumes.
    pub writes: u64,
    /// Their bytes.
    pub written_bytes: u64,
    /// Writes and extents that the remote array got.
    pub shipped: u64,
    /// Their bytes.
    pub shipped_bytes: u64,
    /// Sent again because the path was lost.
    pub resent: u64,
    /// Writes that waited for the path or for room.
    pub held: u64,
    /// How long.
    pub held_ns: Nanos,
    /// Times that the journal was full.
    pub overflows: u64,
    /// Cycles that ended.
    pub cycles: u64,
    /// Of those, later than the next one was due.
    pub late_cycles: u64,
}

/// A group.
#[derive(Debug)]
pub struct Group {
    pub members: Vec<Member>,
    pub mode: ReplicationMode,
    pub service: Nanos,
    pub outstanding: u32,
    /// On their way, requests that hosts wait for apart.
    pub under_way: u32,
    /// Whether the path is there.
    pub up: bool,
    pub state: State,
    pub held: VecDeque<Held>,
    pub journal: VecDeque<Entry>,
    /// Number of the first write of the journal, and the place in it of the first one that may be here.
    pub first: u64,
    pub next: usize,
    /// Bytes of the journal.
    pub used: u64,
    /// Extents to be sent: noted in a suspension, or written in the cycle before.
    pub dirty: Extents,
    /// Extents written in this cycle.
    pub capture: Extents,
    /// Extents on their way.
    pub moving: Vec<Piece>,
    /// When the oldest write of `dirty` (or of what is on its way), of `capture`, was answered.
    pub dirty_since: Option<Nanos>,
    pub capture_since: Option<Nanos>,
    /// A cycle is over, and the one before it is still being sent.
    pub cycle_due: bool,
    pub lag: Lag,
    pub totals: Totals,
    pub suspensions: Vec<Suspension>,
}

impl Group {
    /// The volumes of `plan`, of the plan of the whole.
    pub fn new(plan: &ReplicationPlan, whole: &Plan) -> Self {
        let place = |volume: usize| (whole.volumes[volume].pool, whole.volumes[volume].offset_bytes);
        let volumes = &plan.volumes;
        let capacities: Vec<u64> =
            volumes.iter().map(|pair| whole.volumes[pair.volume].capacity_bytes).collect();
        let extents = Extents::new(plan.extent_bytes, &capacities);
        Self {
            members: volumes
                .iter()
                .map(|pair| Member { own: place(pair.volume), copy: pair.copy.map(place) })
                .collect(),
            mode: plan.mode,
            service: nanos(plan.service_s),
            outstanding: plan.outstanding,
            under_way: 0,
            up: true,
            state: State::Running,
            held: VecDeque::new(),
            journal: VecDeque::new(),
            first: 0,
            next: 0,
            used: 0,
            dirty: extents.clone(),
            capture: extents,
            moving: Vec::new(),
            dirty_since: None,
            capture_since: None,
            cycle_due: false,
            lag: Lag::default(),
            totals: Totals::default(),
            suspensions: Vec::new(),
        }
    }

    /// Whether the remote array lacks extents that a piece touches, on their way or not.
    pub fn is_dirty(&self, piece: Piece) -> bool {
        let meets = |other: &Piece| {
            let (end, other_end) = (piece.offset + piece.size, other.offset + other.size);
            piece.member == other.member && piece.offset < other_end && other.offset < end
        };
        self.dirty.touches(piece) || self.moving.iter().any(meets)
    }

    /// Notes the extents of a write that was answered at `answered`.
    pub fn note(&mut self, piece: Piece, answered: Nanos) {
        self.dirty.add(piece);
        self.dirty_since = Some(self.dirty_since.map_or(answered, |since| since.min(answered)));
    }

    /// Whether the journal has room for a write. One that is larger than the whole journal gets it alone.
    pub fn has_room(&self, bytes: u64, size: u64) -> bool {
        self.used == 0 || self.used + size <= bytes
    }

    /// Puts a write into the journal.
    pub fn append(&mut self, piece: Piece, now: Nanos) {
        self.journal.push_back(Entry { piece, answered: now, place: Place::Here });
        self.used += piece.size;
    }

    /// The next write of the journal that is to be sent: its number and what it writes.
    pub fn next_entry(&mut self) -> Option<(u64, Piece)> {
        while let Some(entry) = self.journal.get_mut(self.next) {
            self.next += 1;
            if entry.place == Place::Here {
                entry.place = Place::Sent;
                return Some((self.first + self.next as u64 - 1, entry.piece));
            }
        }
        None
    }

    /// A write of the journal is at the remote array: those that are there with all before them leave it.
    pub fn arrived(&mut self, number: u64) {
        if let Some(entry) = self.journal.get_mut((number - self.first) as usize) {
            entry.place = Place::There;
        }
        while self.journal.front().is_some_and(|entry| entry.place == Place::There) {
            self.used -= self.journal.pop_front().map_or(0, |entry| entry.piece.size);
            self.first += 1;
            self.next -= 1;
        }
    }

    /// Nothing of it is on its way any more.
    pub fn recall(&mut self) {
        for entry in self.journal.iter_mut().filter(|entry| entry.place == Place::Sent) {
            entry.place = Place::Here;
        }
        self.next = 0;
        while let Some(piece) = self.moving.pop() {
            self.dirty.add(piece);
        }
        self.under_way = 0;
    }

    /// Replication is suspended: what the journal holds is noted.
    pub fn suspend(&mut self, now: Nanos) {
        self.recall();
        while let Some(entry) = self.journal.pop_front() {
            self.note(entry.piece, entry.answered);
            self.first += 1;
        }
        self.used = 0;
        if self.state == State::Running {
            self.suspensions.push(Suspension { from: now, resumed: None, until: None });
        }
        self.state = State::Suspended;
    }

    /// What was noted may be sent.
    pub fn resume(&mut self, now: Nanos) {
        self.state = State::Resynchronising;
        if let Some(last) = self.suspensions.last_mut() {
            last.resumed.get_or_insert(now);
        }
    }

    /// A write waits no longer.
    pub fn release(&mut self, held: &Held, now: Nanos, window: &Window) {
        if window.begins(now) {
            self.totals.held += 1;
            self.totals.held_ns += now - held.since;
        }
    }

    /// Whether no extent is to be sent or on its way.
    pub fn is_even(&self) -> bool {
        self.dirty.is_empty() && self.moving.is_empty()
    }

    /// Passes on to the next cycle.
    pub fn begin_cycle(&mut self) {
        std::mem::swap(&mut self.dirty, &mut self.capture);
        self.dirty_since = self.capture_since.take();
        self.cycle_due = false;
    }

    /// The lag is what it is now.
    pub fn look(&mut self, now: Nanos, window: &Window) {
        let front = self.journal.front().map(|entry| entry.answered);
        let oldest = [front, self.dirty_since, self.capture_since].into_iter().flatten().min();
        let moving: u64 = self.moving.iter().map(|piece| piece.size).sum();
        let bytes = self.used + self.dirty.bytes() + self.capture.bytes() + moving;
        self.lag.set(now, (oldest, bytes), window);
    }
}
