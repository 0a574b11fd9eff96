//! The pools and their drives, and the drive operations between them.

use super::nodes::Change;
use crate::back_end_log::{BackEndLog, Reason};
use crate::bus::Bus;
use crate::clock::{Nanos, nanos};
use crate::cluster::Clusters;
use crate::controller::drive_path::DrivePath;
use crate::device::{Drive, Kind, NO_OP, Surroundings};
use crate::error::SimError;
use crate::event::Event;
use crate::plan::{Plan, Under};
use crate::power::{Foreseen, Ladder, Managed};
use crate::raid::{Pool, Serves};
use crate::shape::{Full, Shape};
use std::ops::Range;
use std::sync::Arc;

/// A request to a pool.
pub(super) struct PoolRequest {
    pub pool: usize,
    /// Offset, size, write.
    pub range: (u64, u64, bool),
    pub serves: Serves,
    /// Why it is made, for the log.
    pub reason: Reason,
}

/// A completed drive operation that serves the layer above.
pub(super) struct Completed {
    /// The request above, or [`NO_OP`] for an operation of a rebuild.
    pub upper: u32,
    pub arrived: Nanos,
    pub started: Nanos,
}

/// A planned drive failure.
#[derive(Clone, Copy)]
pub(super) struct Failure {
    pub pool: usize,
    /// Drive within the pool.
    pub member: usize,
    pub at: Nanos,
}

/// Pools, drives, and the operations on their way between them.
pub(super) struct Backend {
    pub pools: Vec<Pool>,
    pub drives: Vec<Drive>,
    /// Operations that may be handed to their drives; empty between events.
    pub(super) ready: Vec<u32>,
    /// Of these, those that leave their node first; empty between events.
    pub(super) first: Vec<u32>,
    /// Commands on their way through the controller to the drives, where that takes time.
    pub commands: Option<Box<DrivePath>>,
    /// Nodes and the networks between them, where the pools are those of clusters.
    pub clusters: Option<Box<Clusters>>,
    /// Nodes that fail, join or leave.
    pub(super) changes: Vec<Change>,
    /// Pools of remote arrays, which commands reach without it.
    remote: Vec<bool>,
    /// Takes every request to a pool, where asked for.
    pub log: Option<Box<BackEndLog>>,
    pub failures: Vec<Failure>,
    /// Completed rebuild operations.
    pub rebuild_ops: u64,
}

impl Backend {
    /// What the drives of each pool of `plan` share.
    pub fn kinds(plan: &Plan) -> Result<Vec<Kind>, SimError> {
        let pools = plan.pools.iter().enumerate();
        pools.map(|(n, p)| Ok(Kind::new(&p.device).under("device").under_item("pools", n)?)).collect()
    }

    /// The pools of `plan` and their drives of the given kinds, on the given buses, and the power levels of each drive.
    pub fn new(plan: &Plan, kinds: &[Kind], buses: &[Bus]) -> Result<(Self, Vec<Arc<Ladder>>), SimError> {
        let (mut pools, mut drives, mut ladders, mut failures) = (vec![], vec![], vec![], vec![]);
        for (number, (pool, kind)) in plan.pools.iter().zip(kinds).enumerate() {
            let of_cluster = plan.cluster_of(number);
            let built = match of_cluster {
                Some(cluster) => {
                    let (first, taken) = ((plan.seed, drives.len()), plan.taken_bytes(number));
                    Pool::in_cluster(pool, cluster, first, taken).under_item("pools", number)?
                }
                None => Pool::new(pool, plan.seed, drives.len()),
            };
            plan.check_capacity(number, built.capacity_bytes(pool.device.sectors()))?;
            pools.push(built);
            let planned = pool.recovery.iter().flat_map(|r| &r.failures);
            failures.extend(planned.map(|f| Failure { pool: number, member: f.drive, at: nanos(f.at_s) }));
            for member in 0..pool.drives() {
                drives.push(Drive::new((number, pool), kind, plan.seed, drives.len(), member, buses));
                ladders.push(Arc::clone(&kind.ladder));
            }
        }
        let copies = plan.replications.iter().flat_map(|r| &r.volumes).filter_map(|pair| pair.copy);
        let mut remote = vec![false; plan.pools.len()];
        for copy in copies {
            remote.get_mut(plan.volumes[copy].pool).into_iter().for_each(|pool| *pool = true);
        }
        let commands = plan.controller.as_ref().and_then(|c| c.back_end.as_ref());
        let backend = Self {
            pools,
            drives,
            ready: Vec::new(),
            first: Vec::new(),
            commands: commands.and_then(DrivePath::new).map(Box::new),
            clusters: Clusters::new(plan).map(Box::new),
            changes: Change::all(plan),
            remote,
            log: None,
            failures,
            rebuild_ops: 0,
        };
        Ok((backend, ladders))
    }

    /// Whether drives or pools have a life of their own, see [`Shape::MANAGED`].
    pub fn is_managed(&self) -> bool {
        self.log.is_some()
            || self.drives.iter().any(Drive::is_managed)
            || self.pools.iter().any(Pool::is_managed)
    }

    /// The drives of each pool.
    pub fn drives_of_pools(&self) -> Vec<Range<usize>> {
        let first = |pool: &Pool| pool.first_drive();
        let ends = self.pools.iter().skip(1).map(first).chain([self.drives.len()]);
        self.pools.iter().map(first).zip(ends).map(|(first, end)| first..end).collect()
    }

    /// Tells oracles the idle periods of their drives.
    pub fn foresee(&mut self, periods: &Foreseen) {
        for (index, drive) in self.drives.iter_mut().enumerate() {
            if let Some(managed) = drive.managed_mut().filter(|m| m.foresees()) {
                let own = periods.iter().filter(|p| p.0 as usize == index);
                managed.foresee(own.map(|&(_, start, length)| (start, length)).collect());
            }
        }
    }

    /// Begins the run: power policies start to watch, failures are scheduled.
    pub fn start(&mut self, around: &mut Surroundings) {
        for drive in 0..self.drives.len() {
            self.drives[drive].start(around);
        }
        for (number, failure) in self.failures.iter().enumerate() {
            around.clock.events.push(failure.at, Event::Fail(number as u32));
        }
        self.schedule_changes(around);
    }

    /// Handles an event that concerns drives and pools alone; returns whether it is one.
    ///
    /// # Errors
    /// A failure that loses data.
    #[inline]
    pub fn handle(&mut self, event: Event, around: &mut Surroundings) -> Result<bool, SimError> {
        let now = around.clock.now;
        match event {
            Event::IdleTimer(drive) => self.drives[drive as usize].idle_timer(now, around),
            Event::SpindleDone(drive) => {
                self.drives[drive as usize].spindle_done(now, around);
            }
            Event::SpinUp(drive) => self.drives[drive as usize].ascend(now, around),
            Event::Release(drive) => self.drives[drive as usize].release(now, around),
            Event::Prepared(key) => self.command_prepared(key, around),
            Event::Commanded(key) => self.command_arrived(key, around),
            Event::Fail(number) => self.fail(number as usize, around)?,
            Event::Rebuild(pool) => self.rebuild(pool as usize, around),
            Event::Change(number) => self.change(number as usize, around)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Splits a request into drive operations and hands those that may start to their drives. Returns how many there are.
    #[inline]
    pub fn submit<S: Shape>(&mut self, request: &PoolRequest, around: &mut Surroundings) -> u32 {
        let PoolRequest { pool, range, serves, reason } = *request;
        if S::MANAGED
            && let Some(log) = &mut self.log
        {
            log.add(around.clock.now, pool, &range, reason);
        }
        if S::MANAGED {
            self.pools[pool].tell_log(around.clock.now);
        }
        let made =
            self.pools[pool].submit::<S>(range, serves, &self.drives, &mut around.ops, &mut self.ready);
        self.hand_out::<S>(around);
        if S::MANAGED && self.pools[pool].log_wants() {
            self.rebuild(pool, around);
        }
        made
    }

    /// Passes a trim of `size` bytes at `offset` on to the drives. Returns how many operations that takes.
    pub fn trim(
        &mut self,
        pool: usize,
        (offset, size): (u64, u64),
        host: u32,
        around: &mut Surroundings,
    ) -> u32 {
        let made = self.pools[pool].trim((offset, size), host, &mut around.ops, &mut self.ready);
        self.hand_out::<Full>(around);
        made
    }

    /// Hands the ready operations to their drives, through the controller's back end where there is one.
    #[inline]
    pub(super) fn hand_out<S: Shape>(&mut self, around: &mut Surroundings) {
        if S::LAYERS && self.commands.is_some() {
            return self.send_commands(around);
        }
        if S::LAYERS && self.clusters.is_some() {
            return self.send_between_nodes(around);
        }
        for i in 0..self.ready.len() {
            self.hand_to_drive::<S>(self.ready[i], around);
        }
        self.ready.clear();
    }

    /// An operation joins the queue of its drive.
    #[inline]
    pub(super) fn hand_to_drive<S: Shape>(&mut self, key: u32, around: &mut Surroundings) {
        let op = around.ops.get_mut(key);
        op.arrived = around.clock.now;
        let drive = op.drive;
        if S::MANAGED && self.drives[drive as usize].has_failed() {
            around.clock.push_now(Event::Lost(key));
            return;
        }
        self.drives[drive as usize].submit::<S>(around.clock.now, key, around);
    }

    /// Sends the ready operations through the controller's back end.
    #[inline(never)]
    fn send_commands(&mut self, around: &mut Surroundings) {
        for i in 0..self.ready.len() {
            let key = self.ready[i];
            let op = around.ops.get(key);
            let drive = &mut self.drives[op.drive as usize];
            if drive.has_failed() {
                around.clock.push_now(Event::Lost(key)); // the controller sends nothing to a drive that it knows has failed
                continue;
            }
            if self.remote[drive.pool()] {
                self.hand_to_drive::<Full>(key, around);
                continue;
            }
            drive.expect(1);
            let Some(path) = &mut self.commands else { continue };
            if !path.enter(
                key,
                op.for_write,
                around.clock.now,
                around.observer.window(),
                &mut around.clock.events,
            ) {
                self.command_arrived(key, around);
            }
        }
        self.ready.clear();
    }

    /// A command leaves the write path of the controller's back end.
    pub fn command_prepared(&mut self, key: u32, around: &mut Surroundings) {
        let Some(path) = &mut self.commands else { return };
        if !path.prepared(key, around.clock.now, around.observer.window(), &mut around.clock.events) {
            self.command_arrived(key, around);
        }
    }

    /// A command reaches its drive. If the drive has failed in the meantime, the operation is lost.
    pub fn command_arrived(&mut self, key: u32, around: &mut Surroundings) {
        let drive = around.ops.get(key).drive as usize;
        self.drives[drive].expect(-1);
        self.hand_to_drive::<Full>(key, around);
    }

    /// A drive completes its operation, hands out what waited for it, and serves the next one.
    #[inline]
    pub fn drive_done<S: Shape>(&mut self, index: u32, around: &mut Surroundings) -> Option<Completed> {
        let key = self.drives[index as usize].complete::<S>(around.clock.now, around)?;
        if S::LAYERS && self.clusters.is_some() && !self.answers_at_once(key, around) {
            self.drives[index as usize].proceed::<S>(around.clock.now, around);
            return None;
        }
        let op = around.ops.remove(key);
        let drive = &self.drives[index as usize];
        let (pool, started) = (drive.pool(), drive.last_started);
        if S::MANAGED && op.host == NO_OP {
            self.rebuild_done(&op, false, around);
        } else {
            self.pools[pool].complete(&op, &mut self.ready);
            self.hand_out::<S>(around);
            if S::MANAGED && self.pools[pool].log_wants() {
                self.rebuild(pool, around);
            }
        }
        self.drives[index as usize].proceed::<S>(around.clock.now, around);
        Some(Completed { upper: op.host, arrived: op.arrived, started })
    }

    /// Ends the run: books what lasts, and takes back what was booked beyond the end.
    pub fn finish(&mut self, end: Nanos, around: &mut Surroundings) {
        if let Some(log) = &mut self.log {
            log.flush();
        }
        for drive in &mut self.drives {
            drive.finish(end, &around.ops, &mut around.observer);
        }
        for bus in &mut around.buses {
            bus.cut(end, around.observer.window());
        }
        if let Some(commands) = &mut self.commands {
            commands.cut(end, around.observer.window());
        }
        if let Some(clusters) = &mut self.clusters {
            clusters.network.cut(end, around.observer.course());
        }
    }

    /// A drive whose idle periods differed from those that its oracle was given.
    pub fn contradicted(&self) -> Option<usize> {
        self.drives.iter().position(|drive| drive.managed().is_some_and(Managed::contradicted))
    }
}
