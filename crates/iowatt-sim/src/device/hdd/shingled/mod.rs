//! A disk whose tracks overlap in bands, and that hides it (drive-managed shingled recording).
//!
//! A band can only be written from one end to the other. Writes that fill bands in order go straight to them; all others are
//! appended to the media cache, a region behind the bands, until their band is cleaned: its cached data and its
//! own are read, merged and written in one pass. That happens at rest, oldest data first, and where the cache is full.
//!
//! What is in order starts a stream at the start of a band. A stream that breaks off inside its band has damaged the track
//! after its last one, which the drive had read before: its data go to the cache.

mod cache;

use super::{Access, Disk, Hit, Line};
use crate::clock::{Nanos, nanos};
use crate::plan::ShingledPlan;
use crate::state::State;
use cache::{MediaCache, Piece};
use std::collections::VecDeque;

/// Streams that a drive follows at once; the one that was not written to for longest breaks off for another.
const STREAMS: usize = 8;

/// Where a drive's time went, in order: each state until an instant. What the drive does by itself is no work for a request.
pub type Course = VecDeque<Step>;

/// A state of the media, and until when it lasts.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The state.
    pub state: State,
    /// Its end.
    pub until: Nanos,
    /// The drive's own work.
    pub own: bool,
}

/// What a shingled drive did by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShingledTotals {
    /// Bands that were cleaned at rest, and because the cache was full.
    pub cleaned: [u64; 2],
    /// Sectors written by the host to the cache, and straight to their bands.
    pub written: [u64; 2],
    /// Sectors written by cleaning.
    pub moved: u64,
}

/// Sequential writes inside a band.
#[derive(Clone, Copy, Debug)]
struct Stream {
    band: u64,
    next: u64,
}

/// The shingled part of a disk.
#[derive(Clone, Debug)]
pub struct Shingles {
    /// Sectors of the host.
    sectors: u64,
    band: u64,
    idle: Nanos,
    cache: MediaCache,
    /// Longest untouched first.
    streams: VecDeque<Stream>,
    /// Pieces of a request or a band.
    pieces: Vec<Piece>,
    /// What it did by itself.
    pub totals: ShingledTotals,
}

impl Shingles {
    /// A clean drive that offers so many sectors.
    #[must_use]
    pub fn new(plan: &ShingledPlan, sectors: u64) -> Self {
        Self {
            sectors,
            band: plan.band_sectors,
            idle: nanos(plan.idle_s),
            cache: MediaCache::new(sectors, plan.cache_sectors, plan.map_entries),
            streams: VecDeque::with_capacity(STREAMS + 1),
            pieces: Vec::new(),
            totals: ShingledTotals::default(),
        }
    }

    /// Where the media are asked for a request that begins at `lbn`, as far as is known before it is served.
    #[must_use]
    pub fn expected_at(&self, lbn: u64, write: bool) -> u64 {
        match write {
            false => self.cache.home(lbn),
            true if self.continues(lbn).is_some() || lbn.is_multiple_of(self.band) => lbn,
            true => self.cache.head(),
        }
    }

    /// When a drive at rest since `since` begins to clean; none if it is clean.
    #[must_use]
    pub fn cleans_at(&self, since: Nanos) -> Option<Nanos> {
        (!self.cache.is_clean()).then_some(since + self.idle)
    }

    /// Cleans a band from `now` on, that of the oldest data; when it is done.
    pub fn clean(&mut self, disk: &mut Disk, now: Nanos, at_rest: bool, course: &mut Course) -> Nanos {
        let Some(oldest) = self.cache.oldest() else { return now };
        let band = oldest / self.band;
        let (first, end) = (band * self.band, self.sectors.min((band + 1) * self.band));
        self.pieces.clear();
        let pieces = &mut self.pieces;
        self.cache.find(first, end, |piece| pieces.push(piece));
        let own = self.pieces.iter().any(|piece| piece.at == piece.lbn);
        self.pieces.retain(|piece| piece.at != piece.lbn);
        self.pieces.sort_unstable_by_key(|piece| piece.at);
        let mut media = Media { disk, course, own: true };
        let mut done = now;
        for piece in &self.pieces {
            done = media.read(done, piece.at, piece.sectors).done;
        }
        if own {
            done = media.read(done, first, end - first).done;
        }
        done = media.write(done, first, end - first).done;
        self.cache.forget(first, end);
        self.totals.cleaned[usize::from(!at_rest)] += 1;
        self.totals.moved += end - first;
        done
    }

    /// Serves a request as [`Disk::serve`] does. Cleaning that it waits for counts as overhead.
    pub fn serve(
        &mut self,
        disk: &mut Disk,
        now: Nanos,
        (lbn, sectors, write): (u64, u64, bool),
        line: &mut Line<'_>,
        course: &mut Course,
    ) -> Access {
        let mut whole = Access { done: now, hit: Hit::Full, ..Access::default() };
        if write {
            whole.hit = Hit::default();
            self.write(disk, lbn, lbn + sectors, line, course, &mut whole);
            return whole;
        }
        self.pieces.clear();
        let pieces = &mut self.pieces;
        self.cache.find(lbn, lbn + sectors, |piece| join(pieces, piece));
        for piece in &self.pieces {
            let mut media = Media { disk, course, own: false };
            let part = media.serve(whole.done, (piece.at, piece.sectors, false), line);
            add(&mut whole, &part);
        }
        whole
    }

    fn write(
        &mut self,
        disk: &mut Disk,
        mut lbn: u64,
        end: u64,
        line: &mut Line<'_>,
        course: &mut Course,
        whole: &mut Access,
    ) {
        while lbn < end {
            let band = lbn / self.band;
            let band_end = self.sectors.min((band + 1) * self.band);
            let until = end.min(band_end);
            if lbn == band * self.band {
                self.begin(disk, band, course, whole);
            }
            if let Some(at) = self.continues(lbn) {
                self.streams.remove(at);
                self.make_room(disk, 0, course, whole);
                self.cache.forget(lbn, until);
                let mut media = Media { disk, course, own: false };
                let part = media.serve(whole.done, (lbn, until - lbn, true), line);
                add(whole, &part);
                self.totals.written[1] += until - lbn;
                if until < band_end {
                    self.streams.push_back(Stream { band, next: until });
                }
                lbn = until;
            } else {
                let sectors = (until - lbn).min(self.cache.until_wrap());
                self.make_room(disk, sectors, course, whole);
                let at = self.cache.append(lbn, sectors);
                let mut media = Media { disk, course, own: false };
                let part = media.serve(whole.done, (at, sectors, true), line);
                add(whole, &part);
                self.totals.written[0] += sectors;
                lbn += sectors;
            }
        }
    }

    /// The stream that a write at `lbn` goes on with.
    fn continues(&self, lbn: u64) -> Option<usize> {
        self.streams.iter().position(|stream| stream.next == lbn && stream.band == lbn / self.band)
    }

    /// A stream starts at the start of a band; one in the same band, or the oldest of too many, breaks off.
    fn begin(&mut self, disk: &mut Disk, band: u64, course: &mut Course, whole: &mut Access) {
        let same = self.streams.iter().position(|stream| stream.band == band);
        let broken = same.or((self.streams.len() == STREAMS).then_some(0));
        if let Some(broken) = broken.and_then(|index| self.streams.remove(index)) {
            self.break_off(disk, broken, course, whole);
        }
        self.streams.push_back(Stream { band, next: band * self.band });
    }

    /// The track after the last one of a broken stream goes to the cache, as far as its data are not there.
    fn break_off(&mut self, disk: &mut Disk, stream: Stream, course: &mut Course, whole: &mut Access) {
        let band_end = self.sectors.min((stream.band + 1) * self.band);
        let layout = &disk.model().mech.layout;
        let rest = layout.run(stream.next).sectors;
        let damaged = (stream.next + rest).min(band_end);
        if damaged == band_end {
            return;
        }
        let end = (damaged + layout.run(damaged).sectors).min(band_end);
        self.pieces.clear();
        let pieces = &mut self.pieces;
        self.cache.find(damaged, end, |piece| pieces.push(piece));
        let lost: Vec<Piece> = self.pieces.iter().copied().filter(|piece| piece.at == piece.lbn).collect();
        for piece in lost {
            let (mut lbn, end) = (piece.lbn, piece.lbn + piece.sectors);
            while lbn < end {
                let sectors = (end - lbn).min(self.cache.until_wrap());
                self.make_room(disk, sectors, course, whole);
                // Cleaning for room may have written this band anew; the copy is then one too many and does no harm.
                let at = self.cache.append(lbn, sectors);
                let mut media = Media { disk, course, own: true };
                let read = media.read(whole.done, lbn, sectors).done;
                wait(whole, media.write(read, at, sectors).done);
                self.totals.moved += sectors;
                lbn += sectors;
            }
        }
    }

    /// Cleans until the cache takes a write of so many sectors.
    fn make_room(&mut self, disk: &mut Disk, sectors: u64, course: &mut Course, whole: &mut Access) {
        while !self.cache.has_room(sectors) {
            let done = self.clean(disk, whole.done, false, course);
            if done == whole.done {
                return; // a plan's cache holds the largest piece of a write
            }
            wait(whole, done);
        }
    }
}

/// The disk below, and the course that it adds to.
struct Media<'a> {
    disk: &'a mut Disk,
    course: &'a mut Course,
    own: bool,
}

impl Media<'_> {
    fn read(&mut self, now: Nanos, at: u64, sectors: u64) -> Access {
        self.serve(now, (at, sectors, false), &mut Line { shared: None, now })
    }

    fn write(&mut self, now: Nanos, at: u64, sectors: u64) -> Access {
        self.serve(now, (at, sectors, true), &mut Line { shared: None, now })
    }

    fn serve(&mut self, now: Nanos, (at, sectors, write): (u64, u64, bool), line: &mut Line<'_>) -> Access {
        let access = self.disk.serve(now, at, sectors, write, line);
        let commanded = now + access.overhead;
        let positioned = commanded + access.seek + access.rotation;
        for (state, until) in
            [(State::Active, commanded), (State::Positioning, positioned), (State::Active, access.done)]
        {
            self.course.push_back(Step { state, until, own: self.own });
        }
        access
    }
}

/// Adds a part of a request to the whole.
fn add(whole: &mut Access, part: &Access) {
    whole.done = part.done;
    whole.overhead += part.overhead;
    whole.seek += part.seek;
    whole.rotation += part.rotation;
    whole.transfer += part.transfer;
    whole.bus += part.bus;
    whole.cylinders += part.cylinders;
    if part.hit != Hit::Full {
        whole.hit = part.hit;
    }
}

/// The request waits for the drive's own work.
fn wait(whole: &mut Access, done: Nanos) {
    whole.overhead += done - whole.done;
    whole.done = done;
}

/// Adds a piece; one that goes on where the last one ends on the media is read with it.
fn join(pieces: &mut Vec<Piece>, piece: Piece) {
    match pieces.last_mut() {
        Some(last) if last.at + last.sectors == piece.at => last.sectors += piece.sectors,
        _ => pieces.push(piece),
    }
}
