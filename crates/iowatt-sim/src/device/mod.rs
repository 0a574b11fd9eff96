//! A drive: its queue, its mechanics, its spindle's power states.
//!
//! One operation is in service at a time. The drive books its states in the ledger and tells the engine
//! which event it waits for; it knows neither RAID nor hosts.

pub mod hdd;
mod queue;

pub use queue::Queue;

use crate::bus::Bus;
use crate::clock::{Nanos, nanos};
use crate::event::{Event, EventQueue};
use crate::observe::Observer;
use crate::plan::{DevicePlan, HddPlan, PoolPlan, RebuildPriority};
use crate::power::{Policy, State};
use crate::slab::Slab;
use hdd::{Access, Disk, Mechanics};
use std::sync::Arc;

/// Key of "no operation".
pub const NO_OP: u32 = u32::MAX;

/// One operation on one drive.
#[derive(Clone, Copy, Debug)]
pub struct DriveOp {
    /// First sector.
    pub lbn: u64,
    /// Sectors.
    pub sectors: u64,
    /// Arrival at the drive.
    pub arrived: Nanos,
    /// The drive.
    pub drive: u32,
    /// Key of the host request that it serves, or [`NO_OP`]: it belongs to a rebuild.
    pub host: u32,
    /// Key of the parity update (of the rebuild step) it belongs to, or [`NO_OP`].
    pub row: u32,
    /// Operation released by this one's completion, or [`NO_OP`].
    pub then: u32,
    /// Direction.
    pub write: bool,
}

/// Operations on all drives.
pub type DriveOps = Slab<DriveOp>;

/// The shared surroundings that a drive acts on.
pub struct Surroundings<'a> {
    /// Pending events.
    pub events: &'a mut EventQueue,
    /// Buses, by index.
    pub buses: &'a mut [Bus],
    /// Operations, by key.
    pub ops: &'a DriveOps,
    /// The ledger and everything else that is recorded.
    pub observer: &'a mut Observer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spindle {
    Spinning,
    SpinningDown { since: Nanos },
    Stopped { since: Nanos },
    SpinningUp { since: Nanos },
    Failed { since: Nanos },
}

#[derive(Clone, Copy, Debug)]
struct Service {
    op: u32,
    via: Option<u32>,
    started: Nanos,
    /// End of the command's processing.
    command_done: Nanos,
    /// End of it all, once it is booked.
    done: Nanos,
    /// Whether its states are in the ledger; not yet while it waits for its bus.
    booked: bool,
    /// The mechanical part, where it is known.
    access: Access,
}

/// Totals of one drive over the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriveTotals {
    /// Operations that arrived, and the queue that they found, themselves included.
    pub arrivals: u64,
    /// Sum over arrivals of the operations present, the arriving one included.
    pub queue_seen: u64,
    /// Operations completed: reads, writes.
    pub completed: [u64; 2],
    /// Of the completed operations, those of a rebuild.
    pub background: u64,
    /// Operations that waited here when the drive failed, and were redirected.
    pub redirected: u64,
    /// Bytes of completed operations: reads, writes.
    pub bytes: [u64; 2],
    /// Arm movements.
    pub seeks: u64,
    /// Cylinders moved by them.
    pub seek_cylinders: u64,
    /// Seek, settle and head switch time.
    pub seek: Nanos,
    /// Rotational waits (and waits of a positioned head for the bus).
    pub rotation: Nanos,
    /// Media transfer.
    pub transfer: Nanos,
    /// Command processing and bus time that holds the disk.
    pub overhead: Nanos,
    /// Start of service to completion.
    pub service: Nanos,
    /// Arrival to completion.
    pub response: Nanos,
    /// Spindle starts and stops.
    pub spin_ups: u64,
    /// Spindle stops begun.
    pub spin_downs: u64,
}

/// One drive.
#[derive(Debug)]
pub struct Drive {
    index: u32,
    disk: Disk,
    sector_bytes: u64,
    queue: Queue,
    /// Rebuild operations, where they give way to others.
    background: Queue,
    gives_way: bool,
    failed: bool,
    service: Option<Service>,
    bus: Option<usize>,
    policy: Policy,
    spindle: Spindle,
    idle_since: Nanos,
    timer_armed: bool,
    spin_up: Nanos,
    spin_down: Nanos,
    /// Totals over the window.
    pub totals: DriveTotals,
}

impl Drive {
    /// Drive number `index` of the system, number `member` of `pool`, spinning and idle at time zero.
    #[must_use]
    pub fn new(pool: &PoolPlan, mechanics: &Arc<Mechanics>, seed: u64, index: usize, member: usize) -> Self {
        let DevicePlan::Hdd(plan) = &pool.device;
        let duration = |s: Option<f64>| nanos(s.unwrap_or(0.0));
        Self {
            index: index as u32,
            disk: Disk::new(mechanics, seed, index),
            sector_bytes: u64::from(plan.sector_bytes),
            queue: Queue::new(pool.scheduler),
            background: Queue::new(pool.scheduler),
            gives_way: pool
                .recovery
                .as_ref()
                .is_some_and(|r| r.rebuild.priority == RebuildPriority::HostFirst),
            failed: false,
            service: None,
            bus: pool.bus_of_drive.get(member).copied(),
            policy: Policy::new(&pool.power_policy),
            spindle: Spindle::Spinning,
            idle_since: 0,
            timer_armed: false,
            spin_up: duration(plan.power.spin_up_s),
            spin_down: duration(plan.power.spin_down_s),
            totals: DriveTotals::default(),
        }
    }

    /// Operations waiting or in service.
    #[must_use]
    pub fn load(&self) -> usize {
        self.waiting() + usize::from(self.service.is_some())
    }

    fn waiting(&self) -> usize {
        self.queue.len() + self.background.len()
    }

    /// Whether it has failed: it takes no more operations.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// The drive fails. What waits goes to `waiting` for another place; an operation in service still
    /// completes, and then the drive is dark.
    pub fn fail(&mut self, now: Nanos, waiting: &mut Vec<u32>, around: &mut Surroundings<'_>) {
        self.failed = true;
        let before = waiting.len();
        self.queue.drain(waiting);
        self.background.drain(waiting);
        for &op in &waiting[before..] {
            around.observer.drive_queue_changed(now, self.index as usize, -1);
            let counted = around.observer.window().contains(around.ops.get(op).arrived);
            self.totals.redirected += u64::from(counted);
        }
        let index = self.index as usize;
        match self.spindle {
            Spindle::Spinning if self.service.is_some() => return,
            Spindle::Spinning => around.observer.book(index, State::Idle, self.idle_since, now),
            Spindle::SpinningDown { since } => around.observer.book(index, State::SpinDown, since, now),
            Spindle::Stopped { since } => around.observer.book(index, State::Standby, since, now),
            Spindle::SpinningUp { since } => around.observer.book(index, State::SpinUp, since, now),
            Spindle::Failed { .. } => return,
        }
        self.spindle = Spindle::Failed { since: now };
    }

    /// Cylinders between the arm (where it will be after the present operation) and `lbn`.
    #[must_use]
    pub fn distance(&self, lbn: u64) -> u32 {
        self.disk.model().geometry.cylinder(lbn).abs_diff(self.disk.cylinder())
    }

    /// Begins the run: the power policy starts to watch.
    pub fn start(&mut self, around: &mut Surroundings<'_>) {
        self.watch_idleness(around);
    }

    /// Accepts an operation; serves it at once if the drive is ready.
    pub fn submit(&mut self, now: Nanos, op: u32, around: &mut Surroundings<'_>) {
        let DriveOp { lbn, write, host, .. } = around.ops.get(op);
        let queue = if host == NO_OP && self.gives_way { &mut self.background } else { &mut self.queue };
        queue.push(op, lbn, write);
        if around.observer.window().contains(now) {
            self.totals.arrivals += 1;
            self.totals.queue_seen += self.load() as u64;
        }
        around.observer.drive_queue_changed(now, self.index as usize, 1);
        match self.spindle {
            Spindle::Spinning if self.service.is_none() => {
                around.observer.book(self.index as usize, State::Idle, self.idle_since, now);
                self.serve_next(now, around);
            }
            Spindle::Stopped { since } => {
                around.observer.book(self.index as usize, State::Standby, since, now);
                self.begin_spin_up(now, around);
            }
            // In service, or the spindle is on its way: the end of that serves the queue.
            _ => {}
        }
    }

    /// Ends the operation in service and returns its key. The caller submits what it releases, then
    /// calls [`Self::proceed`].
    pub fn complete(&mut self, now: Nanos, around: &mut Surroundings<'_>) -> Option<u32> {
        let service = self.service.take()?;
        let op = around.ops.get(service.op);
        around.observer.drive_queue_changed(now, self.index as usize, -1);
        if around.observer.window().contains(now) {
            let way = usize::from(op.write);
            self.totals.completed[way] += 1;
            self.totals.background += u64::from(op.host == NO_OP);
            self.totals.bytes[way] += op.sectors * self.sector_bytes;
            self.totals.service += now - service.started;
            self.totals.response += now - op.arrived;
        }
        self.idle_since = now;
        Some(service.op)
    }

    /// Serves the next operation, or becomes idle.
    pub fn proceed(&mut self, now: Nanos, around: &mut Surroundings<'_>) {
        if self.service.is_some() {
            return; // a released operation has started already
        }
        if self.failed {
            self.spindle = Spindle::Failed { since: now };
        } else if self.waiting() == 0 {
            self.watch_idleness(around);
        } else {
            self.serve_next(now, around);
        }
    }

    fn serve_next(&mut self, now: Nanos, around: &mut Surroundings<'_>) {
        let chosen = self.queue.pop(now, &self.disk).or_else(|| self.background.pop(now, &self.disk));
        let Some(chosen) = chosen else { return };
        let op = around.ops.get(chosen.op);
        let command_done = now + self.disk.model().overhead[usize::from(op.write)];
        let mut service = Service {
            op: chosen.op,
            via: chosen.via,
            started: now,
            command_done,
            done: 0,
            booked: false,
            access: Access::default(),
        };
        match (self.bus, op.write) {
            (None, _) => {
                let access = self.disk.access(command_done, op.lbn, op.sectors, op.write, chosen.via, 0);
                service.access = access;
                service.done = access.done;
                service.booked = true;
                self.finish_at(access.done, now, command_done, &access, around);
            }
            (Some(bus), false) => {
                // The transfer streams behind the media: it may start as late as ends with it.
                let access = self.disk.access(command_done, op.lbn, op.sectors, false, chosen.via, 0);
                service.access = access;
                let transfer = around.buses[bus].transfer_time(op.sectors * self.sector_bytes);
                let ask = access.done.saturating_sub(transfer).max(access.first_sector_at);
                around.events.push(ask, Event::BusRequest(self.index));
            }
            (Some(_), true) => around.events.push(command_done, Event::BusRequest(self.index)),
        }
        self.service = Some(service);
    }

    /// The bus is granted: a read's data leaves behind the media, a write's data comes in while the arm
    /// moves.
    pub fn bus_requested(&mut self, now: Nanos, around: &mut Surroundings<'_>) {
        let (Some(mut service), Some(bus)) = (self.service, self.bus) else { return };
        let op = around.ops.get(service.op);
        let grant = around.buses[bus].acquire(now, op.sectors * self.sector_bytes);
        let command_done = service.started + self.disk.model().overhead[usize::from(op.write)];
        if op.write {
            // The media may start once data flows, unless it would then overtake the bus.
            let spt_time = self.media_time(op.lbn, op.sectors);
            let data_at = grant.from.max(grant.until.saturating_sub(spt_time));
            service.access = self.disk.access(command_done, op.lbn, op.sectors, true, service.via, data_at);
        }
        service.booked = true;
        let done = service.access.done.max(grant.until);
        service.done = done;
        self.service = Some(service);
        self.finish_at(done, service.started, command_done, &service.access, around);
    }

    fn media_time(&self, lbn: u64, sectors: u64) -> Nanos {
        let geometry = &self.disk.model().geometry;
        sectors * geometry.revolution_ps / geometry.sectors_per_track(geometry.locate(lbn)) / 1000
    }

    /// Books a service that is now fully known and schedules its completion.
    fn finish_at(
        &mut self,
        done: Nanos,
        started: Nanos,
        command_done: Nanos,
        access: &Access,
        around: &mut Surroundings<'_>,
    ) {
        let drive = self.index as usize;
        let positioning = access.seek + access.rotation;
        // Command, then all positioning, then all transfer: track crossings alternate the last two,
        // but only their sums are kept.
        around.observer.book(drive, State::Active, started, command_done);
        around.observer.book(drive, State::Positioning, command_done, command_done + positioning);
        around.observer.book(drive, State::Active, command_done + positioning, done);
        if around.observer.window().contains(done) {
            self.totals.seeks += u64::from(access.cylinders > 0);
            self.totals.seek_cylinders += u64::from(access.cylinders);
            self.totals.seek += access.seek;
            self.totals.rotation += access.rotation;
            self.totals.transfer += access.transfer;
            self.totals.overhead += done - started - positioning - access.transfer;
        }
        around.events.push(done, Event::DriveDone(self.index));
    }

    fn watch_idleness(&mut self, around: &mut Surroundings<'_>) {
        if self.timer_armed {
            return; // one timer per drive; it looks at `idle_since` when it fires
        }
        if let Some(at) = self.policy.spin_down_at(self.idle_since) {
            self.timer_armed = true;
            around.events.push(at, Event::IdleTimer(self.index));
        }
    }

    /// The idle timer fires: spin down if the drive has been idle long enough, else look again later.
    pub fn idle_timer(&mut self, now: Nanos, around: &mut Surroundings<'_>) {
        self.timer_armed = false;
        if self.service.is_some() || self.spindle != Spindle::Spinning {
            return;
        }
        if self.policy.spin_down_at(self.idle_since).is_some_and(|at| at > now) {
            self.watch_idleness(around);
            return;
        }
        around.observer.book(self.index as usize, State::Idle, self.idle_since, now);
        self.spindle = Spindle::SpinningDown { since: now };
        self.totals.spin_downs += u64::from(around.observer.window().contains(now));
        around.events.push(now + self.spin_down, Event::SpindleDone(self.index));
    }

    fn begin_spin_up(&mut self, now: Nanos, around: &mut Surroundings<'_>) {
        self.spindle = Spindle::SpinningUp { since: now };
        self.totals.spin_ups += u64::from(around.observer.window().contains(now));
        around.events.push(now + self.spin_up, Event::SpindleDone(self.index));
    }

    /// The spindle stands still, or turns at speed.
    pub fn spindle_done(&mut self, now: Nanos, around: &mut Surroundings<'_>) {
        let drive = self.index as usize;
        match self.spindle {
            Spindle::SpinningDown { since } => {
                around.observer.book(drive, State::SpinDown, since, now);
                if self.waiting() == 0 {
                    self.spindle = Spindle::Stopped { since: now };
                } else {
                    self.begin_spin_up(now, around);
                }
            }
            Spindle::SpinningUp { since } => {
                around.observer.book(drive, State::SpinUp, since, now);
                self.spindle = Spindle::Spinning;
                self.idle_since = now;
                self.proceed(now, around);
            }
            Spindle::Spinning | Spindle::Stopped { .. } | Spindle::Failed { .. } => {}
        }
    }

    /// Books the state that lasts at the end of the run, and takes back what was booked beyond it.
    pub fn finish(&mut self, now: Nanos, observer: &mut Observer) {
        let (state, since) = match self.spindle {
            Spindle::Spinning if self.service.is_some() => {
                self.finish_in_service(now, observer);
                return;
            }
            Spindle::Spinning => (State::Idle, self.idle_since),
            Spindle::SpinningDown { since } => (State::SpinDown, since),
            Spindle::Stopped { since } => (State::Standby, since),
            Spindle::SpinningUp { since } => (State::SpinUp, since),
            Spindle::Failed { since } => {
                observer.book_failed(self.index as usize, since, now);
                return;
            }
        };
        observer.book(self.index as usize, state, since, now);
    }

    /// A service that the end of the run cuts while it waits for its bus counts as positioning.
    fn finish_in_service(&mut self, now: Nanos, observer: &mut Observer) {
        let Some(service) = self.service else { return };
        if service.booked {
            self.cut(&service, now, observer);
            return;
        }
        let way = usize::from(service.access == Access::default()); // only writes start without one
        let command_done = (service.started + self.disk.model().overhead[way]).min(now);
        observer.book(self.index as usize, State::Active, service.started, command_done);
        observer.book(self.index as usize, State::Positioning, command_done, now);
    }

    /// Takes back what [`Self::finish_at`] did beyond the end of the run. Only an operation of a rebuild can
    /// be in service where the last request ends the run; where the end is given, nothing was booked
    /// beyond it.
    fn cut(&mut self, service: &Service, now: Nanos, observer: &mut Observer) {
        let (drive, access, done) = (self.index as usize, &service.access, service.done);
        let (started, command_done) = (service.started, service.command_done);
        let positioned = command_done + access.seek + access.rotation;
        observer.unbook(drive, State::Active, (started, command_done), now);
        observer.unbook(drive, State::Positioning, (command_done, positioned), now);
        observer.unbook(drive, State::Active, (positioned, done), now);
        if done > now && observer.window().contains(done) {
            self.totals.seeks -= u64::from(access.cylinders > 0);
            self.totals.seek_cylinders -= u64::from(access.cylinders);
            self.totals.seek -= access.seek;
            self.totals.rotation -= access.rotation;
            self.totals.transfer -= access.transfer;
            self.totals.overhead -= done - started - (positioned - command_done) - access.transfer;
        }
    }
}

/// The mechanical plan of a pool's drives.
#[must_use]
pub fn hdd_plan(pool: &PoolPlan) -> &HddPlan {
    let DevicePlan::Hdd(plan) = &pool.device;
    plan
}
