//! Events of the block layer joined into requests: queued, issued to the device, completed.
//!
//! What was queued (a *bio*) waits until requests to the device cover it: several are merged into one, or one is divided
//! over several, so everything goes by sectors. A request to the device takes the waiting bios of its sectors, oldest first; its
//! completion, in parts or whole, completes their sectors. A bio is issued with its first sector issued and completed with
//! its last one, so both parts of its time add up to it. A requeued request gives its sectors back: where all of the
//! bio waits again, the time until it is issued again is time in the queue; where others of its requests are on their way or
//! done, it stays issued.
//!
//! Events may be missing (a buffer ran over, the recording began in between) or mean nothing (any bytes may come in): what fits
//! to nothing is counted, and what waits is bounded.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde::Serialize;

use crate::request::Op;
use crate::stages::Stage;
use crate::stages::waiting::Waiting;

/// Bios, and requests to devices, that are remembered at once.
const MOST: usize = 1 << 18;
/// A request that went to the device so long ago is not waited for where too many wait.
const OLD_NS: u64 = 60_000_000_000;
/// Bios of one sector range that are looked at for one event.
const LOOKED_AT: usize = 4096;
/// Bios that begin before a range and are looked at because they may reach into it.
const LOOKED_BACK: usize = 8;

/// What was seen beside whole requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Joined {
    /// Reads and writes that were queued.
    pub queued: u64,
    /// Of these, merged into a request that was there already.
    pub merged: u64,
    /// Divisions of one that was queued.
    pub split: u64,
    /// Requests that came back from the device's driver to the queue.
    pub requeued: u64,
    /// Requests to devices.
    pub issued: u64,
    /// Completions, parts of one included.
    pub completed: u64,
    /// Requests that failed; they have no response time.
    pub failed: u64,
    /// Completions of what was never seen before.
    pub unknown: u64,
    /// Requests to devices without a queued one behind them.
    pub issued_alone: u64,
    /// Queued, and not completed at the end.
    pub unfinished: u64,
    /// Forgotten, as too many waited, or too many parts of one.
    pub forgotten: u64,
}

/// Requests of one device in one direction.
type Key = (u32, bool);

#[derive(Debug)]
struct Bio {
    key: Key,
    start: u64,
    end: u64,
    queued_ns: u64,
    issued_ns: Option<u64>,
    /// Sectors that no request to the device covers.
    waiting: Waiting,
    /// Sectors that are not completed.
    left: u64,
    split: bool,
    failed: bool,
}

/// Sectors of a bio that a request to the device took along.
#[derive(Clone, Copy, Debug)]
struct Piece {
    bio: u64,
    start: u64,
    end: u64,
}

#[derive(Debug)]
struct Issued {
    start: u64,
    end: u64,
    issued_ns: u64,
    pieces: Vec<Piece>,
    /// Whether there was a bio at first.
    of_bios: bool,
}

/// An event of reads and writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub time_ns: u64,
    pub device: u32,
    pub op: Op,
    /// 512 bytes each.
    pub sector: u64,
    pub sectors: u64,
    pub failed: bool,
}

impl Event {
    fn key(&self) -> Key {
        (self.device, self.op == Op::Write)
    }

    fn end(&self) -> u64 {
        self.sector.saturating_add(self.sectors)
    }
}

#[derive(Debug, Default)]
pub(super) struct Joiner {
    /// By number, the oldest first.
    bios: BTreeMap<u64, Bio>,
    next: u64,
    /// Bios that have sectors waiting: by key, start, number.
    waiting: BTreeSet<(Key, u64, u64)>,
    /// Requests to devices by where they go on.
    outstanding: HashMap<(Key, u64), VecDeque<Issued>>,
    outstanding_count: usize,
    pub(super) joined: Joined,
}

impl Joiner {
    pub(super) fn queue(&mut self, event: &Event) {
        let (key, end) = (event.key(), event.end());
        // Older kernels queue the rest of a divided bio again, which is no new request.
        let again = |bio: &Bio| bio.split && bio.end >= end && bio.waiting.rests(event.sector);
        if self.reaching(key, event.sector).any(again) {
            return;
        }
        self.joined.queued += 1;
        if self.bios.len() >= MOST
            && let Some((number, oldest)) = self.bios.pop_first()
        {
            self.waiting.remove(&(oldest.key, oldest.start, number));
            self.joined.forgotten += 1;
        }
        self.next += 1;
        self.waiting.insert((key, event.sector, self.next));
        let length = end - event.sector;
        let bio = Bio {
            key,
            start: event.sector,
            end,
            queued_ns: event.time_ns,
            issued_ns: None,
            waiting: Waiting::new(event.sector, end),
            left: length,
            split: false,
            failed: false,
        };
        self.bios.insert(self.next, bio);
    }

    /// Waiting bios that begin before the sector and may reach over it.
    fn reaching(&self, key: Key, sector: u64) -> impl Iterator<Item = &Bio> {
        self.waiting
            .range((key, 0, 0)..(key, sector, 0))
            .rev()
            .take(LOOKED_BACK)
            .filter_map(|(_, _, number)| self.bios.get(number))
            .filter(move |bio| bio.end > sector)
    }

    pub(super) fn merge(&mut self) {
        self.joined.merged += 1;
    }

    pub(super) fn split(&mut self, event: &Event) {
        self.joined.split += 1;
        let key = event.key();
        let there = self.waiting.range((key, event.sector, 0)..=(key, event.sector, u64::MAX)).next_back();
        if let Some(bio) = there.and_then(|&(_, _, number)| self.bios.get_mut(&number)) {
            bio.split = true;
        }
    }

    pub(super) fn issue(&mut self, event: &Event) {
        self.joined.issued += 1;
        if self.outstanding_count >= MOST {
            self.forget(event.time_ns);
        }
        let pieces = self.taken(event);
        let issued = Issued {
            start: event.sector,
            end: event.end(),
            issued_ns: event.time_ns,
            of_bios: !pieces.is_empty(),
            pieces,
        };
        self.outstanding.entry((event.key(), event.sector)).or_default().push_back(issued);
        self.outstanding_count += 1;
    }

    /// Lets go of requests to devices that never completed: those of more than a minute ago, or all.
    fn forget(&mut self, now_ns: u64) {
        let before = self.outstanding_count;
        self.outstanding.retain(|_, queue| {
            queue.retain(|issued| now_ns.saturating_sub(issued.issued_ns) < OLD_NS);
            !queue.is_empty()
        });
        self.outstanding_count = self.outstanding.values().map(VecDeque::len).sum();
        if self.outstanding_count >= MOST {
            self.outstanding.clear();
            self.outstanding_count = 0;
        }
        self.joined.forgotten += (before - self.outstanding_count) as u64;
    }

    /// The sectors of waiting bios that a request to the device takes along.
    fn taken(&mut self, event: &Event) -> Vec<Piece> {
        let (key, end) = (event.key(), event.end());
        let before = self.waiting.range((key, 0, 0)..(key, event.sector, 0)).rev().take(LOOKED_BACK);
        let inside = self.waiting.range((key, event.sector, 0)..(key, end, 0)).take(LOOKED_AT);
        let mut numbers: Vec<u64> = before.chain(inside).map(|&(_, _, number)| number).collect();
        numbers.sort_unstable(); // oldest first
        let mut pieces: Vec<Piece> = Vec::new();
        let mut covered = 0;
        for number in numbers {
            if covered >= end - event.sector {
                break;
            }
            let Some(bio) = self.bios.get_mut(&number) else { continue };
            bio.waiting.offer(&(event.sector..end), |range| {
                if pieces.iter().rev().take(64).any(|one| range.start < one.end && one.start < range.end) {
                    return false;
                }
                covered += range.end - range.start;
                match pieces.last_mut() {
                    // What goes in one request comes back as one.
                    Some(last) if last.bio == number && last.end == range.start => last.end = range.end,
                    _ => pieces.push(Piece { bio: number, start: range.start, end: range.end }),
                }
                bio.issued_ns.get_or_insert(event.time_ns);
                true
            });
            if bio.waiting.is_empty() {
                self.waiting.remove(&(key, bio.start, number));
            }
        }
        pieces
    }

    fn going_on(&mut self, key: Key, sector: u64) -> Option<Issued> {
        let queue = self.outstanding.get_mut(&(key, sector))?;
        let issued = queue.pop_front();
        if queue.is_empty() {
            self.outstanding.remove(&(key, sector));
        }
        self.outstanding_count -= usize::from(issued.is_some());
        issued
    }

    pub(super) fn requeue(&mut self, event: &Event) {
        self.joined.requeued += 1;
        let Some(issued) = self.going_on(event.key(), event.sector) else { return };
        for piece in issued.pieces {
            let Some(bio) = self.bios.get_mut(&piece.bio) else { continue };
            let place = (bio.key, bio.start, piece.bio);
            if !bio.waiting.give_back(piece.start..piece.end) {
                self.bios.remove(&piece.bio);
                self.waiting.remove(&place);
                self.joined.forgotten += 1;
                continue;
            }
            if bio.waiting.sectors() == bio.end - bio.start {
                bio.issued_ns = None;
            }
            self.waiting.insert(place);
        }
    }

    pub(super) fn complete(&mut self, event: &Event, out: &mut Vec<Stage>) {
        self.joined.completed += 1;
        let key = event.key();
        let Some(mut issued) = self.going_on(key, event.sector) else {
            self.complete_bio(event, out);
            return;
        };
        let until = event.end().min(issued.end);
        if !issued.of_bios && until >= issued.end {
            self.joined.issued_alone += 1;
            if event.failed {
                self.joined.failed += 1;
            } else {
                out.push(stage(event, None, Some(issued.issued_ns), issued.end - issued.start));
            }
        }
        let mut rest = Vec::new();
        for piece in std::mem::take(&mut issued.pieces) {
            let done = piece.end.min(until).saturating_sub(piece.start);
            if done > 0 {
                self.finish(piece.bio, done, event, out);
            }
            if piece.end > until {
                rest.push(Piece { start: piece.start.max(until), ..piece });
            }
        }
        if until < issued.end {
            issued.pieces = rest;
            self.outstanding.entry((key, until)).or_default().push_front(issued);
            self.outstanding_count += 1;
        }
    }

    /// What a device without a queue completes: it is never issued.
    fn complete_bio(&mut self, event: &Event, out: &mut Vec<Stage>) {
        let (key, end) = (event.key(), event.end());
        let found = self
            .waiting
            .range((key, event.sector, 0)..=(key, event.sector, u64::MAX))
            .take(LOOKED_AT)
            .map(|&(_, _, number)| number)
            .find(|number| {
                self.bios.get(number).is_some_and(|bio| bio.end == end && bio.waiting.sectors() == bio.left)
            });
        match found {
            Some(number) => self.finish(number, end - event.sector, event, out),
            None => self.joined.unknown += 1,
        }
    }

    fn finish(&mut self, number: u64, sectors: u64, event: &Event, out: &mut Vec<Stage>) {
        let Some(bio) = self.bios.get_mut(&number) else { return };
        bio.left = bio.left.saturating_sub(sectors);
        bio.failed |= event.failed;
        if bio.left > 0 {
            return;
        }
        let Some(bio) = self.bios.remove(&number) else { return };
        self.waiting.remove(&(bio.key, bio.start, number));
        if bio.failed {
            self.joined.failed += 1;
        } else {
            out.push(stage(event, Some(bio.queued_ns), bio.issued_ns, bio.end - bio.start));
        }
    }

    /// At the end: what never completed.
    pub(super) fn close(&mut self) {
        self.joined.unfinished = self.bios.len() as u64;
    }
}

fn stage(event: &Event, queued_ns: Option<u64>, issued_ns: Option<u64>, sectors: u64) -> Stage {
    // Clocks of CPUs may differ by some nanoseconds, and times never run backwards.
    let first = queued_ns.or(issued_ns).unwrap_or(event.time_ns);
    let issued_ns = issued_ns.map(|issued| issued.max(first));
    Stage {
        queued_ns,
        issued_ns,
        completed_ns: event.time_ns.max(issued_ns.unwrap_or(first)),
        bytes: sectors.saturating_mul(512),
        device: event.device,
        op: event.op,
    }
}
