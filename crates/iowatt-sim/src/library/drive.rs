//! A tape drive: what it does now and next, booked as time passes.
//!
//! What a drive will do until its next event is known when it begins. So a drive keeps a few spans planned, and behind them
//! its stream, or rest; time is booked up to an event, or the end of the run, when that comes.

use super::stream::{Doing, Pace, Stream};
use super::tape::Tape;
use super::totals::PartTotals;
use crate::clock::{Nanos, nanos};
use crate::observe::Observer;
use crate::plan::{LibraryPlan, TapePowerPlan};
use crate::power::{Cause, Further, Ladder, Slot};
use crate::state::State;

/// Where time is booked: the further states of [`ladder`], and two that every drive has.
const UNLOADED: Slot = Slot::Further(0);
const LOAD: Slot = Slot::Further(1);
const UNLOAD: Slot = Slot::Further(2);
const READ: Slot = Slot::Further(3);
const IDLE: Slot = Slot::Of(State::Idle);
const POSITIONING: Slot = Slot::Of(State::Positioning);
const WRITE: Slot = Slot::Of(State::Active);

/// Watts and states of a tape drive.
pub fn ladder(power: &TapePowerPlan) -> Ladder {
    let [unloaded, load, unload] = power.states;
    let further = |watts, reported, works| Further { watts, reported, works };
    Ladder::of_states(
        [power.write_w, power.locate_w, power.idle_w],
        vec![
            further(power.unloaded_w, unloaded, false),
            further(power.load_w, load, true),
            further(power.load_w, unload, true),
            further(power.read_w, State::Active as usize, true),
        ],
    )
}

/// What like drives of a library share.
#[derive(Clone, Copy, Debug)]
pub struct TapeKind {
    pub tape: Tape,
    pub pace: Pace,
    load: Nanos,
    unload: Nanos,
}

impl TapeKind {
    /// That of a library's drives.
    pub fn new(plan: &LibraryPlan) -> Self {
        Self {
            tape: Tape::new(&plan.drive, plan.cartridge_bytes),
            pace: Pace::new(&plan.drive),
            load: nanos(plan.drive.load_s),
            unload: nanos(plan.drive.unload_s),
        }
    }
}

/// What a drive is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It has no cartridge and none is coming.
    Empty,
    /// It writes out, rewinds and unloads its cartridge.
    Clearing,
    /// It waits for a robot, or for the cartridges that this one moves.
    Exchanging,
    /// It loads its new cartridge.
    Loading,
    /// Its cartridge can be read and written.
    Ready,
}

/// A span that a drive has planned: what is booked, for what, until when.
type Span = (Slot, Cause, Nanos);

/// A tape drive.
#[derive(Debug)]
pub struct TapeDrive {
    /// Its number among all drives of the run.
    pub device: usize,
    pub phase: Phase,
    /// The cartridge in it, from the robot's putting it in to its taking it out.
    pub cartridge: Option<u32>,
    /// The one that it is to hold next.
    pub target: Option<u32>,
    /// Request in service.
    pub serving: Option<u32>,
    /// Since when it has had a cartridge and no request.
    pub idle_since: Nanos,
    /// Whether it is going to be looked at for having been idle long enough.
    pub watched: bool,
    /// Until when it writes out what was buffered at the end of all requests.
    pub flushing: Nanos,
    pub totals: PartTotals,
    booked: Nanos,
    planned: [Option<Span>; 3],
    rest: Slot,
    stream: Option<Stream>,
    /// Byte under the head, where there is no stream.
    head: u64,
}

/// When a request's service reaches what.
#[derive(Clone, Copy, Debug)]
pub struct Service {
    /// The head is at its first byte.
    pub located: Nanos,
    pub done: Nanos,
    /// Whether the tape had to be moved there.
    pub moved: bool,
}

impl TapeDrive {
    /// An empty drive.
    pub fn new(device: usize) -> Self {
        Self {
            device,
            phase: Phase::Empty,
            cartridge: None,
            target: None,
            serving: None,
            idle_since: 0,
            watched: false,
            flushing: 0,
            totals: PartTotals::default(),
            booked: 0,
            planned: [None; 3],
            rest: UNLOADED,
            stream: None,
            head: 0,
        }
    }

    /// Books all up to `until`.
    pub fn advance(&mut self, until: Nanos, kind: &TapeKind, observer: &mut Observer) {
        let (device, booked) = (self.device, &mut self.booked);
        let (window, mut repositions) = (*observer.window(), 0);
        let mut book = |slot, cause, to: Nanos| {
            let to = to.min(until);
            if to > *booked {
                observer.book(device, slot, cause, *booked, to);
                *booked = to;
            }
        };
        for span in &mut self.planned {
            if let Some((slot, cause, to)) = *span {
                book(slot, cause, to);
                if to > until {
                    return;
                }
                *span = None;
            }
        }
        let Some(stream) = &mut self.stream else { return book(self.rest, Cause::Background, until) };
        let (cause, transfer) = way(stream.write);
        stream.advance(until, &kind.pace, |doing, to| match doing {
            Doing::Transfer => book(transfer, cause, to),
            Doing::Reposition => book(POSITIONING, cause, to),
            Doing::Wait => book(IDLE, cause, to),
            Doing::Stop => repositions += u64::from(window.begins(to)),
        });
        self.totals.repositions += repositions;
    }

    /// Plans a span behind what is planned.
    fn plan(&mut self, slot: Slot, cause: Cause, until: Nanos) {
        if let Some(free) = self.planned.iter_mut().find(|span| span.is_none()) {
            *free = Some((slot, cause, until));
        }
    }

    /// Ends the stream, if there is one; returns when that is done.
    fn end_stream(&mut self, now: Nanos, kind: &TapeKind) -> Nanos {
        let Some(stream) = self.stream.take() else { return now };
        let (start, end, head) = stream.end(now, &kind.pace);
        self.head = head;
        let (cause, transfer) = way(stream.write);
        if end > start {
            self.plan(POSITIONING, cause, start);
            self.plan(transfer, cause, end);
        }
        end
    }

    /// Serves a request from `now` on, up to which all is booked.
    pub fn serve(&mut self, (from, size, write): (u64, u64, bool), now: Nanos, kind: &TapeKind) -> Service {
        let goes_on = self.stream.is_some_and(|stream| stream.write == write && stream.next == from);
        let (mut located, mut moved) = (now, false);
        if !goes_on {
            let ended = self.end_stream(now, kind);
            located = ended + kind.tape.locate(self.head, from);
            moved = located > ended;
            self.plan(POSITIONING, way(write).0, located);
            self.stream = Some(Stream::new(write, from, located, &kind.pace));
        }
        let done = self.stream.as_mut().map_or(located, |stream| stream.accept(size, located, &kind.pace));
        Service { located, done, moved }
    }

    /// Writes out what is buffered; returns when that is done.
    pub fn flush(&mut self, now: Nanos, kind: &TapeKind) -> Nanos {
        self.rest = IDLE;
        self.end_stream(now, kind)
    }

    /// Gives up its cartridge; returns when the robot can take that.
    pub fn clear(&mut self, now: Nanos, kind: &TapeKind) -> Nanos {
        self.phase = Phase::Clearing;
        let ended = self.end_stream(now, kind);
        let rewound = ended + kind.tape.rewind(self.head);
        let unloaded = rewound + kind.unload;
        self.plan(POSITIONING, Cause::Background, rewound);
        // Flushing takes two spans, so that unloading is what the drive rests in until the next event.
        self.rest = UNLOAD;
        unloaded
    }

    /// It has unloaded its cartridge.
    pub fn cleared(&mut self) {
        self.phase = Phase::Exchanging;
        self.rest = UNLOADED;
    }

    /// It holds a cartridge and loads it; returns when it can be used.
    pub fn load(&mut self, cartridge: u32, now: Nanos, kind: &TapeKind) -> Nanos {
        self.phase = Phase::Loading;
        self.cartridge = Some(cartridge);
        self.target = None;
        self.head = 0;
        self.rest = LOAD;
        now + kind.load
    }

    /// It has loaded it.
    pub fn loaded(&mut self, now: Nanos) {
        self.phase = Phase::Ready;
        self.rest = IDLE;
        self.idle_since = now;
    }

    /// Whether it could give its cartridge up.
    pub fn is_idle(&self) -> bool {
        self.phase == Phase::Ready && self.serving.is_none()
    }

    /// Whether it has something to write out.
    pub fn has_unwritten(&self, now: Nanos, kind: &TapeKind) -> bool {
        self.stream.is_some_and(|stream| {
            let (start, end, _) = stream.end(now, &kind.pace);
            end > start
        })
    }
}

/// What a stream is for, and what its transfers are booked as.
fn way(write: bool) -> (Cause, Slot) {
    if write { (Cause::HostWrite, WRITE) } else { (Cause::HostRead, READ) }
}
