//! How a live volume moves bytes for a policy: transfers to stores, requests in flight, and what waits to be durable.

use super::ranges::Ranges;
use super::request::{Answered, Failure, Request, RequestKind};
use iowatt_volume::time::Nanos;
use iowatt_volume::{MapRecord, PoolCounts, VolumeIo};
use slab::Slab;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

/// What waits for a transfer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner {
    Request(usize),
    /// The request, and the policy by this tag.
    Both(usize, u64),
    Policy(u64),
}

/// Bytes of a request that a transfer carries: from byte `at` of the volume on, at `range` of the part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub at: u64,
    pub range: (u64, u64),
}

#[derive(Debug)]
struct Transfer {
    owner: Owner,
    part: usize,
    range: (u64, u64),
    pieces: Vec<Piece>,
    /// What is to be done; taken by who does it.
    job: Option<Action>,
}

/// What a transfer does with a store.
#[derive(Debug)]
pub(super) enum Action {
    Read,
    /// Of a request whose first byte is `first`: its pieces.
    Write {
        data: Arc<Vec<u8>>,
        first: u64,
        pieces: Vec<Piece>,
    },
    WriteBack(Vec<u8>),
    /// Bytes given up, or zeroed where they are not to be a hole.
    Discard {
        trim: bool,
    },
}

/// A transfer to be done.
#[derive(Debug)]
pub(super) struct Job {
    pub key: usize,
    pub part: usize,
    pub range: (u64, u64),
    pub action: Action,
    /// The request that it is of.
    pub request: Option<usize>,
}

/// Who waits until something is durable.
#[derive(Clone, Copy, Debug)]
pub(super) enum Waiter {
    Policy(u64),
    Request(usize),
}

/// What is to be made durable.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// By part.
    pub sync: Vec<bool>,
    pub notes: Vec<MapRecord>,
    pub waiters: Vec<Waiter>,
}

/// What is in flight, and what a policy may do.
pub(super) struct LiveIo {
    pub now: Nanos,
    pub counts: PoolCounts,
    pub requests: Slab<Request>,
    transfers: Slab<Transfer>,
    ranges: Vec<Ranges>,
    pieces: Vec<(usize, Piece)>,
    /// What background reads have brought, by part and first byte.
    brought: HashMap<(usize, u64), Vec<u8>>,
    carried: Option<Vec<u8>>,
    /// Transfers that may take place and that nobody has taken.
    startable: Vec<usize>,
    pub batch: Batch,
    pub answered: Vec<Answered>,
    pub alarm_at: Nanos,
    pub draining: bool,
    /// Why nothing is done any more.
    pub failed: Option<String>,
    /// Errors of the stores.
    pub store_errors: u64,
    /// A batch is being made durable.
    pub committing: bool,
    /// For tests: moves do not wait until their records are durable.
    pub hasty: bool,
}

impl LiveIo {
    pub fn new(parts: usize) -> Self {
        Self {
            now: 0,
            counts: PoolCounts::new(parts),
            requests: Slab::new(),
            transfers: Slab::new(),
            ranges: (0..parts).map(|_| Ranges::default()).collect(),
            pieces: Vec::new(),
            brought: HashMap::new(),
            carried: None,
            startable: Vec::new(),
            batch: Batch { sync: vec![false; parts], ..Batch::default() },
            answered: Vec::new(),
            alarm_at: Nanos::MAX,
            draining: false,
            failed: None,
            store_errors: 0,
            committing: false,
            hasty: false,
        }
    }

    pub fn is_idle(&self) -> bool {
        self.requests.is_empty() && self.transfers.is_empty() && self.batch.waiters.is_empty()
    }

    /// The transfers that may take place now.
    pub fn take_jobs(&mut self, jobs: &mut Vec<Job>) {
        for key in self.startable.drain(..) {
            let Some(transfer) = self.transfers.get_mut(key) else { continue };
            let request = match transfer.owner {
                Owner::Request(request) | Owner::Both(request, _) => Some(request),
                Owner::Policy(_) => None,
            };
            if let Some(action) = transfer.job.take() {
                jobs.push(Job { key, part: transfer.part, range: transfer.range, action, request });
            }
        }
    }

    fn open(&mut self, owner: Owner, part: usize, range: (u64, u64), write: bool) {
        debug_assert!(range.0 < range.1, "a transfer moves something");
        let (mut pieces, mut trim) = (Vec::new(), false);
        let action = match owner {
            Owner::Request(key) | Owner::Both(key, _) => {
                self.pieces.retain(|&(of, piece)| {
                    let mine = of == part && piece.range.0 >= range.0 && piece.range.1 <= range.1;
                    if mine {
                        pieces.push(piece);
                    }
                    !mine
                });
                let request = &mut self.requests[key];
                request.waits += 1;
                trim = matches!(request.kind, RequestKind::Discard(true));
                match &request.kind {
                    RequestKind::Write(data) if write => {
                        let data = Arc::clone(data);
                        Action::Write { data, first: request.range.0, pieces: std::mem::take(&mut pieces) }
                    }
                    &RequestKind::Discard(trim) if write => Action::Discard { trim },
                    _ => Action::Read,
                }
            }
            Owner::Policy(_) if write => Action::WriteBack(self.carried.take().unwrap_or_default()),
            Owner::Policy(_) => Action::Read,
        };
        if !trim {
            let (bytes, own) = (range.1 - range.0, matches!(owner, Owner::Policy(_)));
            self.counts.parts[part].transferred(bytes, write, own);
        }
        let key = self.transfers.insert(Transfer { owner, part, range, pieces, job: Some(action) });
        if self.ranges[part].enter(key, range, write) {
            self.startable.push(key);
        }
    }

    /// A transfer has come to its end: who waited for it. What was read is with its request, or kept for a move.
    pub fn close(&mut self, key: usize, outcome: io::Result<Vec<u8>>) -> Option<(Owner, bool)> {
        let transfer = self.transfers.try_remove(key)?;
        let Self { ranges, startable, .. } = self;
        ranges[transfer.part].leave(key, |next| startable.push(next));
        let ok = outcome.is_ok();
        self.store_errors += u64::from(!ok);
        match (transfer.owner, outcome) {
            (Owner::Request(request) | Owner::Both(request, _), Err(error)) => {
                if let Some(request) = self.requests.get_mut(request) {
                    request.failure.get_or_insert(Failure::from(&error));
                }
            }
            (Owner::Request(request) | Owner::Both(request, _), Ok(data)) => {
                if let Some(request) = self.requests.get_mut(request) {
                    deliver(request, &transfer, data);
                }
            }
            (Owner::Policy(_), Ok(data)) if !data.is_empty() => {
                self.brought.insert((transfer.part, transfer.range.0), data);
            }
            (Owner::Policy(_), _) => {}
        }
        Some((transfer.owner, ok))
    }

    /// Takes back one hold of a request; the last one answers it, or makes it durable before.
    pub fn let_go(&mut self, key: usize) {
        let Some(request) = self.requests.get_mut(key) else { return };
        request.waits -= 1;
        if request.waits > 0 {
            return;
        }
        if request.durable && request.failure.is_none() {
            request.durable = false;
            request.waits = 1;
            self.batch.waiters.push(Waiter::Request(key));
            self.batch.sync.fill(true);
            return;
        }
        self.answered.push(self.requests.remove(key).into());
    }

    /// Nothing can be relied on any more: every request fails, and nothing is written from now on.
    pub fn fail(&mut self, why: String) {
        if self.failed.is_some() {
            return;
        }
        self.failed = Some(why);
        for mut request in self.requests.drain() {
            request.failure = Some(Failure::Io);
            self.answered.push(request.into());
        }
        self.startable.clear();
        self.transfers.clear();
        self.batch.waiters.clear();
        self.batch.notes.clear();
    }
}

/// What a transfer of a read has brought goes to where the request has it.
fn deliver(request: &mut Request, transfer: &Transfer, data: Vec<u8>) {
    if !matches!(request.kind, RequestKind::Read) {
        return;
    }
    let (from, until) = request.range;
    if let [piece] = transfer.pieces[..]
        && piece.at == from
        && data.len() as u64 == until - from
    {
        request.read = data;
        return;
    }
    request.read.resize((until - from) as usize, 0);
    for piece in &transfer.pieces {
        let bytes = (piece.range.1 - piece.range.0) as usize;
        let (to, source) = ((piece.at - from) as usize, (piece.range.0 - transfer.range.0) as usize);
        request.read[to..to + bytes].copy_from_slice(&data[source..source + bytes]);
    }
}

impl VolumeIo for LiveIo {
    fn now(&self) -> Nanos {
        self.now
    }

    fn counted(&self) -> bool {
        true
    }

    fn counts(&mut self) -> Option<&mut PoolCounts> {
        Some(&mut self.counts)
    }

    fn draining(&self) -> bool {
        self.draining
    }

    fn ready(&self, _part: usize) -> bool {
        true
    }

    fn transfer(&mut self, request: u32, part: usize, range: (u64, u64), write: bool) {
        self.open(Owner::Request(request as usize), part, range, write);
    }

    fn transfer_tagged(&mut self, request: u32, tag: u64, part: usize, range: (u64, u64), write: bool) {
        self.open(Owner::Both(request as usize, tag), part, range, write);
    }

    fn background(&mut self, tag: u64, part: usize, range: (u64, u64), write: bool) {
        self.open(Owner::Policy(tag), part, range, write);
    }

    fn piece(&mut self, _request: u32, at: u64, part: usize, range: (u64, u64)) {
        self.pieces.push((part, Piece { at, range }));
    }

    fn carries(&mut self, part: usize, range: (u64, u64)) {
        self.carried = self.brought.remove(&(part, range.0));
    }

    fn note(&mut self, record: MapRecord) {
        self.batch.notes.push(record);
    }

    fn persist(&mut self, tag: u64, part: Option<usize>, record: Option<MapRecord>) -> bool {
        if let Some(part) = part {
            self.batch.sync[part] = true;
        }
        self.batch.notes.extend(record);
        if self.hasty {
            return true;
        }
        if part.is_none() && record.is_none() && self.batch.notes.is_empty() && !self.committing {
            return true;
        }
        self.batch.waiters.push(Waiter::Policy(tag));
        false
    }

    fn reset(&mut self, _part: usize, _range: (u64, u64)) {}

    fn hold(&mut self, request: u32) {
        if let Some(request) = self.requests.get_mut(request as usize) {
            request.waits += 1;
        }
    }

    fn release(&mut self, request: u32) {
        self.let_go(request as usize);
    }

    fn set_alarm(&mut self, at: Nanos) {
        self.alarm_at = self.alarm_at.min(at.max(self.now));
    }
}
