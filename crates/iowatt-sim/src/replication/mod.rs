//! Replication: copies of volumes on a remote array, over a path.
//!
//! A write that this array has done goes on: synchronous, it is sent and its host waits for the remote array's answer;
//! with a journal it is answered and sent in its turn; in cycles the extents that it touches are noted and sent after the
//! end of the cycle. What is sent is a shipment: (an extent is read here ->) the path's exchange -> the remote array's
//! service -> its drives, where they are simulated -> the answer. Shipments whose path is lost are sent again. What it wants
//! of the engine is in [`Replication::asks`].

mod extents;
mod group;
mod lag;

use crate::clock::{Nanos, nanos};
use crate::event::{Event, EventQueue, SHIPMENT};
use crate::path::timesheet::{Kind, Part};
use crate::path::{Leaving, Moment, Next, Paths};
use crate::plan::{Plan, ReplicationMode, WhenStuck};
use crate::power::Window;
use crate::slab::Slab;
use extents::Piece;
use group::Held;
pub use group::{Group, State};
use std::collections::VecDeque;

/// What the engine does for a replication.
#[derive(Clone, Copy, Debug)]
pub enum Ask {
    /// Reads or writes bytes of a space for a shipment; [`Replication::sent`] follows.
    Transfer { ship: u32, space: usize, offset: u64, size: u64, write: bool },
    /// Answers a host's write, which was served for so long just now and waited before.
    Answer { host: u32, served: Nanos },
}

/// What is shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cargo {
    /// A write that a host waits for.
    Write(u32),
    /// A write of the journal, by its number.
    Entry(u64),
    /// An extent.
    Extent,
}

/// What a shipment waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// An extent's data.
    Reading,
    /// The path, the remote array or its drives.
    OnItsWay,
}

/// A shipment.
#[derive(Clone, Copy, Debug)]
struct Ship {
    key: u32,
    group: u32,
    cargo: Cargo,
    piece: Piece,
    stage: Stage,
    /// When it entered the path.
    entered: Nanos,
    /// Its order among all.
    order: u64,
    /// Drive operations that it waits for.
    operations: u32,
    /// Its path was lost: it ends where it is.
    cut: bool,
}

/// All replications of a system.
#[derive(Debug)]
pub struct Replication {
    /// To the remote arrays, one for each group.
    pub paths: Paths,
    groups: Vec<Group>,
    ships: Slab<Ship>,
    /// Of volumes: their group, and their place in it.
    place_of: Vec<Option<(u32, u32)>>,
    /// First byte of the requests under way, by their keys.
    offsets: Vec<u64>,
    /// What the engine is to do.
    pub asks: VecDeque<Ask>,
    /// Shipments begun.
    begun: u64,
    /// Whether the last host request is done, after which nothing more is sent.
    over: bool,
    /// Spans of the paths' losses: group, from, until.
    outages: Vec<(u32, Nanos, Option<Nanos>)>,
}

impl Replication {
    /// The replications of `plan`; `None` where there are none.
    #[must_use]
    pub fn new(plan: &Plan) -> Option<Self> {
        if plan.replications.is_empty() {
            return None;
        }
        let mut place_of = vec![None; plan.volumes.len()];
        let mut outages = Vec::new();
        for (group, one) in plan.replications.iter().enumerate() {
            for (member, pair) in one.volumes.iter().enumerate() {
                place_of[pair.volume] = Some((group as u32, member as u32));
            }
            let spans = one.outages.iter().map(|o| (group as u32, nanos(o.at_s), o.back_s.map(nanos)));
            outages.extend(spans);
        }
        Some(Self {
            paths: Paths::of_replications(plan, SHIPMENT),
            groups: plan.replications.iter().map(|one| Group::new(one, plan)).collect(),
            ships: Slab::default(),
            place_of,
            offsets: Vec::new(),
            asks: VecDeque::new(),
            begun: 0,
            over: false,
            outages,
        })
    }

    /// The groups.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Schedules losses of paths and ends of cycles.
    pub fn start(&self, events: &mut EventQueue) {
        for &(group, from, until) in &self.outages {
            events.push(from, Event::PathLost(group));
            if let Some(until) = until {
                events.push(until, Event::PathBack(group));
            }
        }
        for (number, group) in self.groups.iter().enumerate() {
            if let ReplicationMode::Cycles { period_s } = group.mode {
                events.push(nanos(period_s), Event::Cycle(number as u32));
            }
        }
    }

    /// Request `host` is issued, to its volume from byte `offset` on.
    pub fn issued(&mut self, host: u32, offset: u64) {
        let at = host as usize;
        if at >= self.offsets.len() {
            self.offsets.resize(at + 1, 0);
        }
        self.offsets[at] = offset;
    }

    /// This array has done a write of `size` bytes to `volume`. Whether its answer waits.
    pub fn written(&mut self, host: u32, volume: usize, size: u64, moment: &mut Moment<'_>) -> bool {
        let Some((number, member)) = self.place_of[volume] else { return false };
        let piece = Piece { member, offset: self.offsets[host as usize], size };
        let group = &mut self.groups[number as usize];
        if moment.window.begins(moment.now) {
            group.totals.writes += 1;
            group.totals.written_bytes += size;
        }
        let behind =
            group.state == State::Suspended || (group.state != State::Running && group.is_dirty(piece));
        let waits = match group.mode {
            ReplicationMode::Cycles { .. } => {
                group.capture.add(piece);
                group.capture_since.get_or_insert(moment.now);
                false
            }
            _ if behind => {
                group.note(piece, moment.now);
                false
            }
            ReplicationMode::Synchronous { .. } if !group.up => {
                group.held.push_back(Held { host, piece, since: moment.now });
                true
            }
            ReplicationMode::Synchronous { .. } => {
                self.ship(number, Cargo::Write(host), piece, moment);
                true
            }
            ReplicationMode::Journal { bytes, when_full } => {
                self.journal(number, (host, piece), (bytes, when_full), moment)
            }
        };
        self.pump(number, moment);
        waits
    }

    /// A write goes into the journal, if there is room. Whether its answer waits.
    fn journal(
        &mut self,
        number: u32,
        (host, piece): (u32, Piece),
        (bytes, when_full): (u64, WhenStuck),
        moment: &Moment<'_>,
    ) -> bool {
        let group = &mut self.groups[number as usize];
        if group.held.is_empty() && group.has_room(bytes, piece.size) {
            group.append(piece, moment.now);
            return false;
        }
        group.totals.overflows += u64::from(moment.window.begins(moment.now) && group.held.is_empty());
        if when_full == WhenStuck::Wait {
            group.held.push_back(Held { host, piece, since: moment.now });
            return true;
        }
        let up = group.up;
        self.suspend(number, moment);
        let group = &mut self.groups[number as usize];
        group.note(piece, moment.now);
        if up {
            group.resume(moment.now);
        }
        false
    }

    /// Replication of a group is suspended: what is on its way ends where it is.
    fn suspend(&mut self, number: u32, moment: &Moment<'_>) {
        for ship in self.under_way(number) {
            self.ships.get_mut(ship.key).cut = true;
            if let Cargo::Write(host) = ship.cargo {
                self.groups[number as usize].note(ship.piece, moment.now);
                self.asks.push_back(Ask::Answer { host, served: 0 });
            }
        }
        self.groups[number as usize].suspend(moment.now);
    }

    /// Shipments of a group in their order.
    fn under_way(&self, number: u32) -> Vec<Ship> {
        let mut ships = self.ships.values();
        ships.retain(|ship| ship.group == number && !ship.cut);
        ships.sort_unstable_by_key(|ship| ship.order);
        ships
    }

    /// Sends what may be sent, and looks at the lag.
    fn pump(&mut self, number: u32, moment: &mut Moment<'_>) {
        loop {
            let group = &mut self.groups[number as usize];
            if !group.up
                || self.over
                || group.state == State::Suspended
                || group.under_way >= group.outstanding
            {
                break;
            }
            if let Some((entry, piece)) = group.next_entry() {
                group.under_way += 1;
                self.ship(number, Cargo::Entry(entry), piece, moment);
            } else if let Some(piece) = group.dirty.take() {
                group.under_way += 1;
                group.moving.push(piece);
                self.ship(number, Cargo::Extent, piece, moment);
            } else {
                break;
            }
        }
        let group = &mut self.groups[number as usize];
        if group.is_even() && group.state == State::Resynchronising {
            (group.state, group.dirty_since) = (State::Running, None);
            if let Some(last) = group.suspensions.last_mut() {
                last.until = Some(moment.now);
            }
        }
        group.look(moment.now, moment.window);
    }

    /// Begins a shipment.
    fn ship(&mut self, group: u32, cargo: Cargo, piece: Piece, moment: &mut Moment<'_>) {
        let reads = cargo == Cargo::Extent;
        let stage = if reads { Stage::Reading } else { Stage::OnItsWay };
        let (entered, order) = (moment.now, self.begun);
        let begun = Ship { key: 0, group, cargo, piece, stage, entered, order, operations: 0, cut: false };
        let ship = self.ships.insert(begun);
        self.ships.get_mut(ship).key = ship;
        self.begun += 1;
        if reads {
            let (space, first) = self.groups[group as usize].members[piece.member as usize].own;
            let offset = first + piece.offset;
            self.asks.push_back(Ask::Transfer { ship, space, offset, size: piece.size, write: false });
        } else {
            self.enter_path(ship, moment);
        }
    }

    fn enter_path(&mut self, ship: u32, moment: &mut Moment<'_>) {
        let shipped = self.ships.get_mut(ship);
        (shipped.stage, shipped.entered) = (Stage::OnItsWay, moment.now);
        let (path, Piece { offset, size, .. }) = (shipped.group as usize, shipped.piece);
        self.paths.enter(Leaving { host: ship, path, offset, size, write: true }, moment);
    }

    /// Whether a shipment was cut; then it is gone.
    fn is_gone(&mut self, ship: u32, moment: &mut Moment<'_>) -> bool {
        let Ship { cut, stage, .. } = self.ships.get(ship);
        if cut {
            if stage == Stage::OnItsWay {
                self.paths.give_up(ship, moment);
            }
            self.ships.remove(ship);
        }
        cut
    }

    /// The present step of a shipment on its path ends.
    pub fn proceed(&mut self, ship: u32, moment: &mut Moment<'_>) {
        if self.is_gone(ship, moment) {
            return;
        }
        let next = match self.paths.proceed(ship, moment) {
            Next::Allocate => self.paths.allocated(ship, moment),
            next => next,
        };
        match next {
            Next::Array => {
                let service = self.groups[self.ships.get(ship).group as usize].service;
                if service == 0 {
                    self.received(ship, moment);
                } else {
                    moment.events.push(moment.now + service, Event::Received(ship));
                }
            }
            Next::Done => self.done(ship, moment),
            Next::Nothing | Next::Allocate => {}
        }
    }

    /// The remote array has served a shipment: its drives get it, if there are any.
    pub fn received(&mut self, ship: u32, moment: &mut Moment<'_>) {
        if self.is_gone(ship, moment) {
            return;
        }
        self.paths.sheets.book_part(ship, Part::Processors, Kind::Service, moment.now);
        let Ship { group, piece, .. } = self.ships.get(ship);
        match self.groups[group as usize].members[piece.member as usize].copy {
            Some((space, first)) => {
                let offset = first + piece.offset;
                self.asks.push_back(Ask::Transfer { ship, space, offset, size: piece.size, write: true });
            }
            None => self.paths.answered(ship, moment),
        }
    }

    /// A transfer of a shipment was split into so many operations.
    pub fn sent(&mut self, ship: u32, operations: u32) {
        self.ships.get_mut(ship).operations += operations;
    }

    /// An operation of a shipment is done.
    pub fn operation_done(&mut self, ship: u32, moment: &mut Moment<'_>) {
        let shipped = self.ships.get_mut(ship);
        shipped.operations -= 1;
        if shipped.operations > 0 {
            return;
        }
        let stage = shipped.stage;
        if self.is_gone(ship, moment) {
            return;
        }
        match stage {
            Stage::Reading => self.enter_path(ship, moment),
            Stage::OnItsWay => self.paths.answered(ship, moment),
        }
    }

    /// The remote array has a shipment, and this one knows.
    fn done(&mut self, ship: u32, moment: &mut Moment<'_>) {
        let Ship { group: number, cargo, piece, entered, .. } = self.ships.remove(ship);
        let counted = moment.window.begins(moment.now);
        let served = self.paths.sheets.service(ship);
        let observed = self.paths.close(ship, 0, moment.now - entered, counted);
        debug_assert_eq!(observed.booked, moment.now, "every nanosecond is booked");
        let group = &mut self.groups[number as usize];
        if counted {
            group.totals.shipped += 1;
            group.totals.shipped_bytes += piece.size;
        }
        group.under_way -= u32::from(!matches!(cargo, Cargo::Write(_)));
        match cargo {
            Cargo::Write(host) => self.asks.push_back(Ask::Answer { host, served }),
            Cargo::Entry(entry) => {
                group.arrived(entry);
                self.admit(number, moment);
            }
            Cargo::Extent => {
                group.moving.retain(|moving| *moving != piece);
                self.end_cycle(number, moment);
            }
        }
        self.pump(number, moment);
    }

    /// Writes that waited for room in the journal get it.
    fn admit(&mut self, number: u32, moment: &Moment<'_>) {
        let group = &mut self.groups[number as usize];
        let ReplicationMode::Journal { bytes, .. } = group.mode else { return };
        while let Some(&held) = group.held.front()
            && group.has_room(bytes, held.piece.size)
        {
            group.held.pop_front();
            group.append(held.piece, moment.now);
            group.release(&held, moment.now, moment.window);
            self.asks.push_back(Ask::Answer { host: held.host, served: 0 });
        }
    }

    /// A cycle may have been sent whole.
    fn end_cycle(&mut self, number: u32, moment: &Moment<'_>) {
        let group = &mut self.groups[number as usize];
        if !matches!(group.mode, ReplicationMode::Cycles { .. }) || !group.is_even() {
            return;
        }
        group.dirty_since = None;
        if moment.window.begins(moment.now) {
            group.totals.cycles += 1;
            group.totals.late_cycles += u64::from(group.cycle_due);
        }
        if group.cycle_due {
            group.begin_cycle();
        }
    }

    /// A cycle is over: what was written in it is sent, if that of the cycle before is there.
    pub fn cycle(&mut self, number: u32, moment: &mut Moment<'_>) {
        let group = &mut self.groups[number as usize];
        let ReplicationMode::Cycles { period_s } = group.mode else { return };
        if group.is_even() {
            group.begin_cycle();
        } else {
            group.cycle_due = true;
        }
        moment.events.push(moment.now + nanos(period_s), Event::Cycle(number));
        self.pump(number, moment);
    }

    /// The path of a group is lost.
    pub fn lose(&mut self, number: u32, moment: &mut Moment<'_>) {
        let group = &mut self.groups[number as usize];
        group.up = false;
        let suspends = matches!(group.mode, ReplicationMode::Synchronous { when_lost: WhenStuck::Suspend });
        if suspends || group.state == State::Resynchronising {
            self.suspend(number, moment);
        } else {
            let mut resent = 0;
            for ship in self.under_way(number) {
                self.ships.get_mut(ship.key).cut = true;
                resent += 1;
                if let Cargo::Write(host) = ship.cargo {
                    let held = Held { host, piece: ship.piece, since: moment.now };
                    self.groups[number as usize].held.push_back(held);
                }
            }
            let group = &mut self.groups[number as usize];
            group.totals.resent += if moment.window.begins(moment.now) { resent } else { 0 };
            group.recall();
        }
        self.pump(number, moment);
    }

    /// The path of a group is back.
    pub fn regain(&mut self, number: u32, moment: &mut Moment<'_>) {
        let group = &mut self.groups[number as usize];
        group.up = true;
        if group.state == State::Suspended {
            group.resume(moment.now);
        }
        if matches!(group.mode, ReplicationMode::Synchronous { .. }) {
            while let Some(held) = self.groups[number as usize].held.pop_front() {
                self.groups[number as usize].release(&held, moment.now, moment.window);
                self.ship(number, Cargo::Write(held.host), held.piece, moment);
            }
        }
        self.pump(number, moment);
    }

    /// The last host request is done: sends nothing more. Whether nothing is on its way either.
    pub fn wind_down(&mut self) -> bool {
        self.over = true;
        self.ships.is_empty() && self.asks.is_empty()
    }

    /// Ends the run: books what lasts, and takes back what was booked beyond the end.
    pub fn finish(&mut self, end: Nanos, window: &Window) {
        self.paths.cut(end, window);
        for group in &mut self.groups {
            group.lag.pass(end, window);
        }
    }
}
