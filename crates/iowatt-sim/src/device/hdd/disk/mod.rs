//! One disk: a request at a time through overheads, buffer, mechanics and bus. What the drive does in the
//! background (reading ahead, writing what it has accepted) is settled when the next request comes.

mod ahead;
mod canonical;
mod destage;
mod overheads;
mod read;
mod write;

use crate::bus::Bus;
use crate::clock::{Nanos, Picos};
use crate::device::hdd::arm::{Arm, Mechanics};
use crate::device::hdd::buffer::{Buffer, Hit};
use crate::device::hdd::cursor::Cursor;
use crate::device::hdd::layout::Run;
use crate::device::hdd::reach::{Place, Reach};
use crate::plan::{HddPlan, PhasePlan, ReadAhead};
use crate::power::Window;
use crate::rng::{Component, Stream as Random};
use destage::{Accepted, Destage};
use overheads::Overheads;
use std::collections::VecDeque;
use std::sync::Arc;

/// Where the time of one request went; `done - from` is the sum of the five durations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The host has its completion.
    pub done: Nanos,
    /// Command processing and waiting for background work, before arm or bus start.
    pub overhead: Nanos,
    /// Positioning of arm and heads.
    pub seek: Nanos,
    /// Rotational waits.
    pub rotation: Nanos,
    /// Sectors under the head.
    pub transfer: Nanos,
    /// After the media: rest of the transfer, reselection, completion.
    pub bus: Nanos,
    /// How the request met the buffer.
    pub hit: Hit,
    /// Cylinders that the arm moved to the first sector.
    pub cylinders: u32,
}

/// The way to the host: a shared bus, or a private one that is always free.
#[derive(Debug)]
pub struct Line<'a> {
    /// The bus, and the window over which it is observed.
    pub shared: Option<(&'a mut Bus, &'a Window)>,
    /// The present; nobody asks for an earlier slot.
    pub now: Nanos,
}

impl Line<'_> {
    /// Start of a transfer that is ready at `ready` and takes `hold`.
    #[inline]
    fn reserve(&mut self, ready: Nanos, hold: Nanos) -> Nanos {
        self.reserve_for(ready, |_| hold)
    }

    /// Start of a transfer that is ready at `ready` and keeps the bus for as long as `hold` says of its start.
    #[inline]
    fn reserve_for(&mut self, ready: Nanos, hold: impl Fn(Nanos) -> Nanos) -> Nanos {
        match &mut self.shared {
            None => ready,
            Some((bus, window)) => bus.reserve(self.now, ready, hold, window),
        }
    }
}

/// What all drives of a pool share.
#[derive(Debug)]
pub struct Model {
    /// Arm, spindle, layout.
    pub mech: Mechanics,
    plan: HddPlan,
    over: Overheads,
}

impl Model {
    /// Prepares the tables of `plan`.
    #[must_use]
    pub fn new(plan: &HddPlan) -> Arc<Self> {
        let mech = Mechanics::new(plan);
        Arc::new(Self {
            mech,
            over: Overheads::new(&plan.controller, plan.buffer.segment_sectors),
            plan: plan.clone(),
        })
    }

    /// Sectors that the drive offers.
    #[must_use]
    pub fn sectors(&self) -> u64 {
        self.mech.sectors
    }

    /// Last cylinder.
    #[must_use]
    pub fn last_cylinder(&self) -> u32 {
        self.plan.cylinders.saturating_sub(1)
    }

    /// Where a sector is.
    #[must_use]
    pub fn place(&self, lbn: u64) -> Place {
        let run = self.mech.layout.run(lbn);
        Place { track: run.arm(), angle_ps: run.angle_ps }
    }

    /// Cylinder of a sector.
    #[must_use]
    pub fn cylinder(&self, lbn: u64) -> u32 {
        self.mech.layout.run(lbn).cylinder
    }
}

/// One disk.
#[derive(Clone, Debug)]
pub struct Disk {
    model: Arc<Model>,
    works: Works,
}

/// The changing state of a disk; every step takes the model as an argument.
#[derive(Clone, Debug)]
struct Works {
    phase_ps: Picos,
    /// Bus time of a sector, reads and writes: the slower of drive and bus.
    sector_ps: [Picos; 2],
    arm: Arm,
    buffer: Buffer,
    /// The head on its way through what is read; what is left of the last read unless `prefetch`.
    cursor: Cursor,
    /// Reading ahead into a segment, with the cursor.
    prefetch: Option<usize>,
    /// The run found last: most often, a write comes to what was read just before.
    found: Run,
    /// First LBN that the read-ahead need not reach before it may be interrupted.
    least_ahead: u64,
    /// Until when read-ahead has been followed.
    settled: Nanos,
    /// When the last read-ahead that ran to its limit did so.
    ahead_until: Nanos,
    /// Accepted data that the media are writing.
    destage: Option<Destage>,
    /// Accepted data that wait for that.
    accepted: VecDeque<Accepted>,
    /// Sectors of both.
    unwritten: u64,
    /// When the media became free for the next of them.
    media_free: Nanos,
    /// The last span of work for them: positioned at the first, free at the second instant.
    behind: Option<(Nanos, Nanos)>,
    /// The media are busy with a request until here.
    busy_until: Nanos,
    last_was_write: bool,
    last_write_end: u64,
    last_read_end: u64,
    /// This request lets the drive read ahead.
    reads_ahead: bool,
}

impl Disk {
    /// Disk number `index`, at rest at cylinder 0, on a bus that moves a sector in `bus_sector_ps`.
    #[must_use]
    pub fn new(model: &Arc<Model>, seed: u64, index: usize, bus_sector_ps: Picos) -> Self {
        let phase_ps = match model.plan.phase {
            PhasePlan::Zero => 0,
            PhasePlan::Random => {
                Random::new(seed, Component::SpindlePhase, index).below(model.mech.revolution_ps)
            }
        };
        let works = Works {
            phase_ps,
            sector_ps: model.over.sector_ps.map(|own| own.max(bus_sector_ps)),
            arm: Arm::default(),
            buffer: Buffer::new(&model.plan.buffer),
            cursor: Cursor::default(),
            prefetch: None,
            found: Run::default(),
            least_ahead: 0,
            settled: 0,
            ahead_until: 0,
            destage: None,
            accepted: VecDeque::new(),
            unwritten: 0,
            media_free: 0,
            behind: None,
            busy_until: 0,
            last_was_write: false,
            last_write_end: u64::MAX,
            last_read_end: u64::MAX,
            reads_ahead: true,
        };
        Self { model: Arc::clone(model), works }
    }

    /// Starts the platter at another angle (a fraction of a turn).
    pub fn set_phase(&mut self, turns: f64) {
        let revolution = self.model.mech.revolution_ps;
        self.works.phase_ps = (turns.rem_euclid(1.0) * revolution as f64) as Picos % revolution;
    }

    /// The shared model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Cylinder under the arm, or where it is going.
    #[must_use]
    #[inline]
    pub fn cylinder(&self) -> u32 {
        self.works.heads().cylinder
    }

    /// Moves the arm to `cylinder` for nothing, as a SCAN does at its end; the time that it takes.
    pub fn sweep_to(&mut self, now: Nanos, cylinder: u32) -> Nanos {
        let Self { model, works } = self;
        let begin = works.stop_prefetch(model, now);
        let moved = model.mech.seek_time(cylinder.abs_diff(works.arm.cylinder));
        works.arm.cylinder = cylinder;
        begin - now + moved
    }

    /// Serves a request that comes at `now`, no earlier than the completion of the one before.
    #[inline]
    pub fn serve(&mut self, now: Nanos, lbn: u64, sectors: u64, write: bool, line: &mut Line<'_>) -> Access {
        let Self { model, works } = self;
        let now = now + model.over.per_request;
        works.settle(model, now);
        let mut access = if write {
            works.write(model, now, lbn, sectors, line)
        } else {
            works.read(model, now, lbn, sectors, line)
        };
        access.overhead += model.over.per_request;
        works.last_was_write = write;
        if write {
            works.last_write_end = lbn + sectors;
        } else {
            works.last_read_end = lbn + sectors;
        }
        access
    }

    /// What it can reach how soon from `now`.
    #[must_use]
    pub fn reach(&self, now: Nanos) -> Reach<'_> {
        let Self { model, works } = self;
        let command = [self.command(false), self.command(true)];
        let angle_ps = command.map(|command| model.mech.angle_ps(now + command, works.phase_ps));
        Reach { mech: &model.mech, heads: works.heads(), command, angle_ps }
    }

    /// Ranges of sectors for which a read that starts there needs no positioning, or goes on where the last one ended:
    /// what the buffer holds at `now`, the sector that read-ahead comes to next, and the one after the last read, which
    /// starts read-ahead by history.
    pub fn buffered(&mut self, now: Nanos) -> impl Iterator<Item = (u64, u64)> + '_ {
        let Self { model, works } = self;
        works.settle(model, now);
        let goes_on = model.plan.buffer.caching && model.plan.buffer.read_ahead != ReadAhead::None;
        let next = goes_on.then_some((works.last_read_end, works.last_read_end.saturating_add(1)));
        works.buffer.held(works.prefetch).chain(next)
    }

    /// Command processing before the media are asked for.
    fn command(&self, write: bool) -> Nanos {
        let (over, after) = (&self.model.over, usize::from(self.works.last_was_write));
        over.per_request
            + match (write, self.model.plan.buffer.fast_write) {
                (false, _) => over.read_miss[after],
                (true, 0) => over.write_miss[after],
                (true, _) => over.write_hit[after],
            }
    }

    /// Until when the media are certain to write accepted data at `now`; none if they do not.
    pub fn writes_until(&mut self, now: Nanos) -> Option<Nanos> {
        let Self { model, works } = self;
        works.settle(model, now);
        works.destage.map(|destage| destage.until)
    }

    /// The same, or that they read ahead. They may go on after that.
    pub fn works_until(&mut self, now: Nanos) -> Option<Nanos> {
        let turn = self.model.mech.revolution_ps / 1000 + 1;
        self.writes_until(now).or_else(|| self.works.prefetch.is_some().then_some(now + turn))
    }

    /// Turns at the speed of `model` from now on, which differs in nothing else; the media are at rest.
    pub fn turn_at(&mut self, model: &Arc<Model>) {
        self.model = Arc::clone(model);
        self.works.phase_ps %= model.mech.revolution_ps;
        self.works.found = Run::default();
    }

    /// What the media did in the background. What they did last for accepted data, up to `now` or planned beyond
    /// (positioned at the first, free at the second instant); and until when, but no later than `now`, they have been reading
    /// ahead.
    #[inline]
    pub fn background(&mut self, now: Nanos) -> (Option<(Nanos, Nanos)>, Nanos) {
        let Self { model, works } = self;
        works.settle(model, now);
        let ahead = if works.prefetch.is_some() { now } else { works.ahead_until.min(now) };
        (works.behind, ahead)
    }
}

impl Works {
    /// Where the heads are, or are going.
    #[inline]
    fn heads(&self) -> Arm {
        if self.prefetch.is_some() { self.cursor.arm() } else { self.arm }
    }

    /// The run that starts at `lbn`.
    #[inline]
    fn run_at(&mut self, model: &Model, lbn: u64) -> Run {
        if self.found.lbn != lbn || self.found.sectors == 0 {
            self.found = model.mech.layout.run(lbn);
        }
        self.found
    }

    /// Brings the background work to `now`.
    #[inline]
    fn settle(&mut self, model: &Model, now: Nanos) {
        if self.destage.is_some() || !self.accepted.is_empty() {
            self.write_behind(model, now);
        }
        if let Some(segment) = self.prefetch
            && now > self.settled
        {
            self.settled = now;
            self.read_ahead(model, now, segment);
        }
    }
}
