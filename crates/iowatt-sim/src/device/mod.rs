//! A drive: its queues, its mechanics or its flash, its power states.
//!
//! Operations wait in the host's queue and, where the drive takes several commands, in the drive's own.
//! A disk has one operation in service at a time, an SSD many (`solid`). The drive books its states in the ledger and tells the engine
//! which event it waits for; it knows neither RAID nor hosts.

mod arms;
mod canonical;
mod commands;
pub mod hdd;
mod queue;
pub mod replay;
mod service;
mod solid;
mod spindle;
pub mod ssd;
mod totals;

pub use queue::{Chosen, Queue};
pub use totals::DriveTotals;

use crate::bus::Bus;
use crate::clock::{Nanos, nanos};
use crate::event::Clock;
use crate::observe::Observer;
use crate::plan::{DevicePlan, HddPlan, PlanError, PlanFault, PoolPlan, RebuildPriority, SchedulerPlan};
use crate::power::{Cause, Ladder, Managed, Slot, SpinUps};
use crate::rng::{Component, Stream as Random};
use crate::shape::{Full, Shape};
use crate::slab::Slab;
use arms::Arms;
use commands::Commands;
use hdd::{Disk, Model};
use service::Service;
use spindle::Spindle;
use ssd::Ssd;
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
    /// Key of the host request that it serves, or of the controller's where there is a controller, or
    /// [`NO_OP`]: it belongs to a rebuild.
    pub host: u32,
    /// Key of the parity update (of the rebuild step) it belongs to, or [`NO_OP`].
    pub row: u32,
    /// Operation released by this one's completion, or [`NO_OP`].
    pub then: u32,
    /// Where only some of its sectors are for redundancy, how many; else 0.
    pub redundant: u32,
    /// What it is done for; but for those sectors.
    pub cause: Cause,
    /// Direction.
    pub write: bool,
    /// It gives its sectors up; neither a read nor a write.
    pub trim: bool,
    /// It was made for a write of the layer above, as reads of old data and parity are, too.
    pub for_write: bool,
}

/// Operations on all drives.
pub type DriveOps = Slab<DriveOp>;

/// What drives act on together.
#[derive(Debug)]
pub struct Surroundings {
    /// The present, and the events to come.
    pub clock: Clock,
    /// Buses, by index.
    pub buses: Vec<Bus>,
    /// Spin-ups, by pool.
    pub spin_ups: Vec<SpinUps>,
    /// Operations, by key.
    pub ops: DriveOps,
    /// The ledger and everything else that is recorded.
    pub observer: Observer,
}

/// What a drive is made of.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // a disk's way to its mechanics shall be no longer for it
enum Body {
    Disk(Disk),
    Flash(Box<Ssd>),
    Arms(Box<Arms>),
}

impl Body {
    /// Until when the drive goes on by itself, if it does.
    fn works_until(&mut self, now: Nanos) -> Option<Nanos> {
        match self {
            Self::Disk(disk) => disk.works_until(now),
            Self::Flash(ssd) => Some(ssd.busy_until()).filter(|&at| at > now),
            Self::Arms(arms) => arms.works_until(now),
        }
    }

    /// Turns at the speed of a power level.
    fn turn_at(&mut self, models: &Models, level: usize) {
        if let Self::Disk(disk) = self
            && let Some(Some(model)) = models.get(level)
        {
            disk.turn_at(model);
        }
    }
}

/// Mechanics by power level, full speed first; `None` at a level at which the disk does not serve.
pub type Models = Arc<[Option<Arc<Model>>]>;

/// What the drives of a pool share.
#[derive(Clone, Debug)]
pub struct Kind {
    /// The mechanics at each power level at which a disk serves; empty for SSDs.
    pub models: Models,
    /// The levels.
    pub ladder: Arc<Ladder>,
}

impl Kind {
    /// The drives of `plan`.
    ///
    /// # Errors
    /// Where its layout holds fewer sectors than it offers.
    pub fn new(plan: &DevicePlan) -> Result<Self, PlanError> {
        match plan {
            DevicePlan::Hdd(hdd) => {
                let hdd = &hdd.of_arm();
                let model = Model::new(hdd);
                check_layout(hdd, &model)?;
                let at_speed = |speed: f64| Model::new(&HddPlan { rpm: hdd.rpm * speed, ..hdd.clone() });
                let below = hdd.power.levels.below.iter().map(|level| level.serves_at.map(at_speed));
                let models = std::iter::once(Some(model)).chain(below).collect();
                let ladder = Ladder::of_disk(&hdd.power);
                let ladder = if hdd.actuators > 1 { ladder.with_two_arms() } else { ladder };
                Ok(Self { models, ladder: Arc::new(ladder) })
            }
            DevicePlan::Ssd(ssd) => {
                Ok(Self { models: Arc::new([]), ladder: Arc::new(Ladder::of_flash(&ssd.power)) })
            }
        }
    }
}

/// Checks that a disk's layout holds the sectors that it offers.
fn check_layout(plan: &HddPlan, model: &Model) -> Result<(), PlanError> {
    let held = model.mech.layout.capacity();
    if plan.sectors <= held {
        return Ok(());
    }
    Err(PlanError::new(
        PlanFault::Capacity,
        "sectors",
        format!("must be at most the {held} sectors of the layout"),
    ))
}

/// One drive.
#[derive(Debug)]
#[repr(C, align(64))] // what every operation touches lies side by side, what few need comes last
pub struct Drive {
    // One cache line: what a completion touches.
    /// The operation in service at a disk, or [`NO_OP`].
    in_service: u32,
    index: u32,
    /// Operations in all its queues.
    waiting: usize,
    /// When the operation in service was begun.
    started: Nanos,
    /// When the operation that was completed last was begun.
    pub last_started: Nanos,
    /// The last completion.
    idle_since: Nanos,
    /// From when on its rest has not been booked: that, or when it was last on its way between levels.
    rest_since: Nanos,
    /// Its power policy, where it may change its level.
    managed: Option<Box<Managed>>,
    /// What it has sent, where the drive takes more than one command at a time.
    commands: Option<Box<Commands>>,
    // The next one: what an arrival touches besides.
    gives_way: bool,
    failed: bool,
    spindle: Spindle,
    /// Operations on their way to its queues through the controller's back end, or between nodes.
    coming: u32,
    pool: u32,
    /// Commands in service, of an SSD.
    serving: usize,
    sector_bytes: u64,
    bus: Option<u32>,
    /// Totals over the window.
    pub totals: DriveTotals,
    body: Body,
    /// The host's (or controller's) queue.
    queue: Queue,
    /// Rebuild operations, where they give way to others.
    rebuild_queue: Queue,
    /// The service of a disk, kept only where the end of the run may cut it ([`Shape::MANAGED`]).
    service: Option<Service>,
    /// The mechanics at each power level, of a disk.
    models: Models,
    /// How long it stays awake after its work, and what is booked then, where it does.
    awake: Option<(Nanos, Slot)>,
}

impl Drive {
    /// Drive number `index` of the system, number `member` of pool `number`, spinning and idle at time zero.
    #[must_use]
    pub fn new(
        (number, pool): (usize, &PoolPlan),
        kind: &Kind,
        seed: u64,
        index: usize,
        member: usize,
        buses: &[Bus],
    ) -> Self {
        let random = Random::new(seed, Component::PowerPolicy, index).seed();
        let bus = pool.bus_of_drive.get(member).copied();
        let bus_sector_ps = bus.map_or(0, |b| buses[b].transfer_ps(pool.device.sector_bytes()));
        let depth = pool.command_queue.map_or(usize::MAX, |c| c.depth);
        let (body, commands, scheduler) = match &pool.device {
            DevicePlan::Hdd(plan) => {
                let model =
                    kind.models.first().cloned().flatten().unwrap_or_else(|| Model::new(&plan.of_arm()));
                let ladder = kind.ladder.as_ref();
                let arms = || Arms::new((plan, pool), (&model, ladder), seed, index, bus_sector_ps);
                if plan.is_special() {
                    (Body::Arms(Box::new(arms())), None, pool.scheduler)
                } else {
                    let commands = pool.command_queue.filter(|c| c.depth > 1);
                    let commands = commands.map(|c| Box::new(Commands::new(&c)));
                    (Body::Disk(Disk::new(&model, seed, index, bus_sector_ps)), commands, pool.scheduler)
                }
            }
            DevicePlan::Ssd(plan) => {
                let ssd = Ssd::new(plan, depth, seed, index);
                (Body::Flash(Box::new(ssd)), None, SchedulerPlan::Fcfs)
            }
        };
        Self {
            index: index as u32,
            pool: number as u32,
            body,
            sector_bytes: pool.device.sector_bytes(),
            queue: if commands.is_some() { Queue::ahead(scheduler) } else { Queue::new(scheduler) }
                .with_deadline(pool.deadline_s.map(nanos)),
            commands,
            rebuild_queue: Queue::new(scheduler),
            waiting: 0,
            coming: 0,
            gives_way: pool
                .recovery
                .as_ref()
                .is_some_and(|r| r.rebuild.priority == RebuildPriority::HostFirst),
            failed: false,
            in_service: NO_OP,
            started: 0,
            service: None,
            serving: 0,
            bus: bus.map(|bus| bus as u32),
            managed: Managed::new(pool, &kind.ladder, random).map(Box::new),
            spindle: Spindle::Ready,
            models: Arc::clone(&kind.models),
            idle_since: 0,
            awake: kind.ladder.awake(),
            rest_since: 0,
            last_started: 0,
            totals: DriveTotals::default(),
        }
    }

    /// Number of its pool.
    #[must_use]
    pub fn pool(&self) -> usize {
        self.pool as usize
    }

    /// Whether it serves several operations at once, see [`Shape::FLASH`].
    #[must_use]
    pub fn is_parallel(&self) -> bool {
        !matches!(self.body, Body::Disk(_))
    }

    /// Whether its life is more than serving operations one by one, see [`Shape::MANAGED`].
    #[must_use]
    pub fn is_managed(&self) -> bool {
        self.managed.is_some() || self.commands.is_some()
    }

    /// Operations waiting or in service.
    #[must_use]
    #[inline]
    pub fn load(&self) -> usize {
        self.waiting + self.serving + usize::from(self.in_service != NO_OP)
    }

    /// The same with those that are still on their way through the controller.
    #[must_use]
    pub fn expected_load(&self) -> usize {
        self.load() + self.coming as usize
    }

    /// An operation sets out through the controller, or, with -1, has come.
    pub fn expect(&mut self, change: i32) {
        self.coming = self.coming.wrapping_add_signed(change);
    }

    /// Integral over the window of the commands that the drive held, the one in service included; none where it takes
    /// one at a time.
    #[must_use]
    pub fn commands_area(&self) -> Option<u128> {
        if let Some(arms) = self.arms() {
            return arms.commands_area();
        }
        self.ssd().map(|ssd| ssd.area).or_else(|| self.commands.as_ref().map(|commands| commands.area))
    }

    /// Whether it has failed: it takes no more operations.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Whether it serves at once: it does not stand by and is not on its way. One that has failed never comes back, and nobody
    /// waits for it.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        matches!(self.spindle, Spindle::Ready | Spindle::Failed { .. })
    }

    /// The drive fails. What waits goes to `waiting` for another place; an operation in service still
    /// completes, and then the drive is dark.
    pub fn fail(&mut self, now: Nanos, waiting: &mut Vec<u32>, around: &mut Surroundings) {
        if self.load() == 0 && !self.failed {
            around.observer.was_vacant(self.index as usize, self.idle_since, now, false);
        }
        self.failed = true;
        let before = waiting.len();
        if let Some(commands) = &mut self.commands {
            commands.drain(now, waiting, around.observer.window());
        }
        self.queue.drain(waiting);
        self.rebuild_queue.drain(waiting);
        if let Body::Arms(arms) = &mut self.body {
            arms.drain(now, waiting, &around.observer);
        }
        self.waiting = 0;
        for &op in &waiting[before..] {
            let arrived = around.ops.get(op).arrived;
            around.observer.stayed_at_drive(self.index as usize, arrived, now);
            let counted = around.observer.window().begins(arrived);
            self.totals.redirected += u64::from(counted);
        }
        match self.spindle {
            Spindle::Ready if self.in_service != NO_OP || self.serving > 0 => return,
            Spindle::Ready => self.book_rest(now, &mut around.observer),
            Spindle::Failed { .. } => return,
            _ => {}
        }
        self.stop_for_good(now, around);
    }

    /// Its power policy, where it has one.
    #[must_use]
    pub fn managed(&self) -> Option<&Managed> {
        self.managed.as_deref()
    }

    /// The same, mutable.
    pub fn managed_mut(&mut self) -> Option<&mut Managed> {
        self.managed.as_deref_mut()
    }

    /// Cylinders between the arm (where it will be after the present operation) and `lbn`.
    #[must_use]
    pub fn distance(&self, lbn: u64) -> u32 {
        match &self.body {
            Body::Disk(disk) => disk.model().cylinder(lbn).abs_diff(disk.cylinder()),
            Body::Flash(_) => 0,
            Body::Arms(arms) => arms.distance(lbn),
        }
    }

    /// Begins the run: the power policy starts to watch.
    pub fn start(&mut self, around: &mut Surroundings) {
        self.rest(0, around);
    }

    /// Accepts an operation; serves it at once if the drive is ready.
    #[inline]
    pub fn submit<S: Shape>(&mut self, now: Nanos, key: u32, around: &mut Surroundings) {
        let load = self.load();
        if load == 0 {
            around.observer.was_vacant(self.index as usize, self.idle_since, now, true);
        }
        let op = around.ops.at(key);
        if around.observer.window().begins(now) && !(S::FLASH && op.trim) {
            self.totals.arrivals += 1;
            self.totals.queue_seen += load as u64 + 1;
        }
        if S::FLASH && self.is_parallel() {
            if self.arms().is_some() {
                self.push_to_arm(now, key, op.lbn, &around.ops);
            } else {
                self.enqueue(now, key, op);
            }
            return self.submitted_to_several(now, around);
        }
        if S::MANAGED {
            self.enqueue(now, key, op);
            return self.submitted_to_managed(now, around);
        }
        if load > 0 {
            self.enqueue(now, key, op);
            // The end of the service serves the queue; if it is just being handled, a released operation may come first.
            if self.in_service == NO_OP {
                self.book_rest(now, &mut around.observer); // brings the arm to where the queue sees it
                self.serve_next::<S>(now, around);
            }
            return;
        }
        self.end_idle_period(now, &around.observer);
        self.book_rest(now, &mut around.observer);
        let Body::Disk(disk) = &mut self.body else { return };
        if let Some(via) = self.queue.pass(op.lbn, disk) {
            self.serve::<S>(now, Chosen { op: key, via }, around);
        } else {
            self.enqueue(now, key, op);
            self.serve_next::<S>(now, around);
        }
    }

    /// Puts an operation into its queue.
    #[inline]
    fn enqueue(&mut self, now: Nanos, key: u32, op: &DriveOp) {
        let gives_way = op.host == NO_OP && self.gives_way;
        let queue = if gives_way { &mut self.rebuild_queue } else { &mut self.queue };
        queue.push(now, key, op.lbn, op.write);
        self.waiting += 1;
    }

    /// Counts the time since the last completion as an idle period.
    #[inline]
    fn end_idle_period(&mut self, now: Nanos, observer: &Observer) {
        let window = observer.window();
        if window.begins(now) {
            self.totals.idle.add(now - self.idle_since.max(window.start));
        }
    }

    /// An operation waits in the queue of a disk by now that may be unready, or send commands ahead.
    #[inline(never)]
    fn submitted_to_managed(&mut self, now: Nanos, around: &mut Surroundings) {
        if self.commands.is_some() {
            self.send(now, around);
        }
        match self.spindle {
            Spindle::Ready if self.in_service == NO_OP => {
                self.end_idle_period(now, &around.observer);
                self.book_rest(now, &mut around.observer);
                if self.managed.is_none() || self.interrupted(now, around) {
                    self.serve_next::<Full>(now, around);
                }
            }
            // The end of the service serves the queue.
            Spindle::Ready | Spindle::Failed { .. } => {}
            _ => self.arrived_unready(now, around),
        }
    }

    /// Ends the operation in service and returns its key. The caller submits what it releases, then
    /// calls [`Self::proceed`].
    #[inline]
    pub fn complete<S: Shape>(&mut self, now: Nanos, around: &mut Surroundings) -> Option<u32> {
        if S::FLASH && self.in_service == NO_OP {
            return self.complete_on_several(now, around);
        }
        if S::MANAGED
            && let Some(commands) = &mut self.commands
        {
            commands.changed(now, -1, around.observer.window());
        }
        self.last_started = self.started;
        (self.idle_since, self.rest_since) = (now, now);
        Some(std::mem::replace(&mut self.in_service, NO_OP))
    }

    /// Serves the next operation, or becomes idle.
    #[inline]
    pub fn proceed<S: Shape>(&mut self, now: Nanos, around: &mut Surroundings) {
        if self.in_service != NO_OP {
            return; // a released operation has started already
        }
        if S::FLASH && self.is_parallel() {
            return self.proceed_on_several(now, around);
        }
        if S::MANAGED && (self.failed || self.managed.is_some()) {
            self.proceed_managed(now, around);
        } else if self.waiting > 0 {
            self.serve_next::<S>(now, around);
        }
    }

    #[inline(never)]
    fn proceed_managed(&mut self, now: Nanos, around: &mut Surroundings) {
        if self.failed {
            self.stop_for_good(now, around);
        } else if self.waiting == 0 {
            self.rest(now, around);
        } else if !self.speeds_up(now, around) {
            self.serve_next::<Full>(now, around);
        }
    }

    /// Sends commands while the drive takes them.
    fn send(&mut self, now: Nanos, around: &mut Surroundings) {
        let (Some(commands), Body::Disk(disk)) = (&mut self.commands, &mut self.body) else { return };
        while commands.has_room() {
            let Some(chosen) = self.queue.pop(now, disk) else { break };
            let op = around.ops.get(chosen.op);
            commands.push(now, chosen.op, op.lbn, op.write, around.observer.window());
        }
    }

    /// The operation to serve next, where the drive takes one at a time.
    fn next(&mut self, now: Nanos) -> Option<Chosen> {
        let Body::Disk(disk) = &mut self.body else { return None };
        self.queue.pop(now, disk).or_else(|| self.rebuild_queue.pop(now, disk))
    }

    /// The command to serve next, by the drive's own order. Operations that give way are sent one at a time, when
    /// nothing else waits anywhere.
    fn next_command(&mut self, now: Nanos, around: &mut Surroundings) -> Option<Chosen> {
        self.send(now, around);
        let (Some(commands), Body::Disk(disk)) = (&mut self.commands, &mut self.body) else { return None };
        commands.pop(now, disk).or_else(|| {
            let chosen = self.rebuild_queue.pop(now, disk);
            commands.changed(now, isize::from(chosen.is_some()), around.observer.window());
            chosen
        })
    }

    /// Books the state that lasts at the end of the run, and takes back what was booked beyond it.
    pub fn finish(&mut self, now: Nanos, ops: &DriveOps, observer: &mut Observer) {
        if self.load() == 0 && !self.failed {
            observer.was_vacant(self.index as usize, self.idle_since, now, false);
        }
        let held = self.commands.iter().flat_map(|c| c.waiting());
        let waiting = self.queue.waiting().chain(self.rebuild_queue.waiting()).chain(held);
        let commanded = self.ssd().into_iter().flat_map(Ssd::in_service);
        let armed = self.arms().into_iter().flat_map(Arms::present);
        for op in waiting.chain(commanded).chain(armed) {
            observer.stayed_at_drive(self.index as usize, ops.get(op).arrived, now);
        }
        if let Some(commands) = &mut self.commands {
            commands.changed(now, 0, observer.window());
        }
        let (resting, low) = (self.load() == 0, matches!(self.spindle, Spindle::Low { .. }));
        if let Some(managed) = self.managed.as_deref_mut() {
            managed.cut(now, resting.then_some(self.idle_since), low);
        }
        self.finish_arms(now, observer);
        if self.is_parallel() {
            self.finish_several(now, observer);
            if self.spindle == Spindle::Ready {
                return;
            }
        }
        match self.spindle {
            Spindle::Ready if self.in_service != NO_OP => self.cut(now, ops, observer),
            Spindle::Ready => self.book_rest(now, observer),
            Spindle::Failed { since } => observer.book_failed(self.index as usize, since, now),
            _ => self.book_unready(now, observer),
        }
    }
}
