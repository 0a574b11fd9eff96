//! The engine: wires the rooms and lets time pass.
//!
//! A request walks arrival -> (path ->) (controller ->) volume -> RAID -> drive queue -> drive and back. Nothing is allocated per
//! request in steady state: requests, drive operations and parity updates live in slabs, events in one heap.

mod commanded;
mod controlled;
mod failures;
mod finish;
mod on_path;

use crate::arrival::Arrivals;
use crate::back_end_log::{BackEndLog, BackEndSink, Reason};
use crate::bus::Bus;
use crate::clock::{Nanos, nanos};
use crate::controller::drive_path::DrivePath;
use crate::controller::{Controller, Incoming};
use crate::device::{Drive, DriveOp, DriveOps, Kind, NO_OP, Surroundings};
use crate::error::SimError;
use crate::event::{Event, EventQueue};
use crate::observe::{Heat, IdleSink, Observer};
use crate::path::Paths;
use crate::path::timesheet::LastOperation;
use crate::plan::{Plan, VolumePlan};
use crate::power::{Foreseen, STATES, SpinUps, Window};
use crate::raid::{Pool, Serves};
use crate::results::{self, Outcome};
use crate::rng::{Room, Stream};
use crate::slab::Slab;
use crate::volume::Volumes;
use iowatt_trace::{Op, Request, Source};
use std::sync::Arc;

/// Completions (of requests and of rebuild operations) between two calls of the progress hook.
const HOOK_EVERY: u64 = 16_384;

/// A request on its way.
#[derive(Clone, Copy, Debug)]
struct HostRequest {
    arrived: Nanos,
    ops_left: u32,
    workload: u32,
    size: u32,
    stream: u32,
    write: bool,
    trim: bool,
}

/// What the progress hook is told.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Fraction of the inputs read, where all inputs know their length.
    pub fraction: Option<f64>,
    /// Requests completed.
    pub requests: u64,
}

/// A simulation ready to run.
pub struct Simulation<'a> {
    now: Nanos,
    end: Option<Nanos>,
    events: EventQueue,
    arrivals: Vec<Arrivals<'a>>,
    /// Volume of each workload.
    targets: Vec<VolumePlan>,
    /// Path of each workload that takes one.
    path_of: Vec<Option<usize>>,
    /// Where there are any.
    paths: Option<Box<Paths>>,
    pools: Vec<Pool>,
    pool_of_drive: Vec<usize>,
    /// Spin-ups of each pool.
    spin_ups: Vec<SpinUps>,
    /// Idle periods are told, or were not asked for: what was foreseen must come true.
    foresees: bool,
    /// First drive of each pool.
    first_drive: Vec<usize>,
    /// Pool, drive in it and time of each failure.
    failures: Vec<(usize, usize, Nanos)>,
    drives: Vec<Drive>,
    buses: Vec<Bus>,
    /// Where there is one, drive operations serve its requests and not those of hosts.
    controller: Option<Box<Controller>>,
    /// Where commands take time of the controller on their way to the drives.
    drive_path: Option<Box<DrivePath>>,
    /// Where there is one, drive operations serve its transfers.
    volumes: Option<Box<Volumes>>,
    /// Who draws which writes of a workload are zeros, and their share; only where somebody asks.
    zeros: Vec<Option<(Stream, f64)>>,
    /// Takes every request that a pool is handed.
    back_end: Option<Box<BackEndLog>>,
    observer: Observer,
    logs_idle: bool,
    hosts: Slab<HostRequest>,
    ops: DriveOps,
    /// Operations that may be handed to their drives; empty between events.
    ready: Vec<u32>,
    flows: results::FlowIndex,
    issued: Vec<u64>,
    finished: u64,
    /// Of those, trims, by workload.
    trims: Vec<u64>,
    /// Operations of rebuilds that ended.
    background: u64,
}

impl<'a> Simulation<'a> {
    /// Builds the system of `plan`; `sources` are its workloads' requests, in the same order.
    ///
    /// # Errors
    /// [`SimError::Plan`] where the plan contradicts itself.
    pub fn new(plan: &Plan, sources: Vec<&'a mut dyn Source>) -> Result<Self, SimError> {
        plan.validate().map_err(SimError::Plan)?;
        if sources.len() != plan.workloads.len() {
            return Err(SimError::Plan("one source for each workload is needed".into()));
        }
        let end = plan.observe.end_s.map(nanos);
        let window = Window { start: nanos(plan.observe.warmup_s), end: end.unwrap_or(Nanos::MAX) };

        let buses: Vec<Bus> = plan.buses.iter().map(Bus::new).collect();
        let (mut pools, mut drives, mut pool_of_drive, mut ladders) = (vec![], vec![], vec![], vec![]);
        let (mut first_drive, mut failures) = (vec![], vec![]);
        for (number, pool) in plan.pools.iter().enumerate() {
            let kind = Kind::new(&pool.device).map_err(|e| SimError::Plan(format!("pool {number}: {e}")))?;
            let built = Pool::new(pool, plan.seed, drives.len());
            plan.check_volumes(number, built.capacity_bytes(pool.device.sectors()))
                .map_err(SimError::Plan)?;
            pools.push(built);
            first_drive.push(drives.len());
            let planned = pool.recovery.iter().flat_map(|r| &r.failures);
            failures.extend(planned.map(|f| (number, f.drive, nanos(f.at_s))));
            for member in 0..pool.drives() {
                drives.push(Drive::new((number, pool), &kind, plan.seed, drives.len(), member, &buses));
                pool_of_drive.push(number);
                ladders.push(Arc::clone(&kind.ladder));
            }
        }
        let pool_bytes = pools.iter().zip(&plan.pools);
        let mut space_bytes: Vec<u64> =
            pool_bytes.map(|(pool, p)| pool.capacity_bytes(p.device.sectors())).collect();
        let last = first_drive.iter().skip(1).copied().chain([drives.len()]);
        let pool_drives: Vec<_> = first_drive.iter().zip(last).map(|(&first, last)| first..last).collect();
        let volumes = Volumes::new(plan, &pool_drives).map(Box::new);
        for capacity in volumes.iter().flat_map(|v| v.capacities()) {
            plan.check_volumes(space_bytes.len(), capacity).map_err(SimError::Plan)?;
            space_bytes.push(capacity);
        }
        let heat = plan.observe.heat.map(|heat| Heat::new(&heat, plan, space_bytes.clone(), window.start));
        let controller = Controller::new(plan, space_bytes).map(Box::new);
        let path = plan.controller.as_ref().and_then(|c| c.back_end.as_ref());
        let drive_path = path.and_then(DrivePath::new).map(Box::new);
        let drawn = |(index, workload): (usize, &crate::plan::WorkloadPlan)| {
            let told = controller.as_deref().is_some_and(Controller::detects_zeros);
            let share = workload.zero_share;
            (told && share > 0.0).then(|| (Stream::new(plan.seed, Room::Zeros, index), share))
        };
        let zeros = plan.workloads.iter().enumerate().map(drawn).collect();
        let flows = results::FlowIndex::new(plan);
        let states = plan.pools.iter().map(|p| p.device.states()).max().unwrap_or(STATES);
        let mut observer = Observer::new(window, &plan.observe, ladders, states, flows.memberships())
            .map_err(|e| SimError::Plan(e.to_string()))?;
        if let Some(heat) = heat {
            observer.map_heat(heat);
        }
        let arrivals = plan.workloads.iter().zip(sources).enumerate();
        let arrivals = arrivals.map(|(i, (w, s))| {
            let target = pools.get(plan.volumes[w.volume].pool);
            let direct = plan.controller.is_none() && plan.virtual_pools.is_empty();
            let trims = direct && target.is_some_and(Pool::passes_trims);
            Arrivals::new(w, s, plan.seed, i, trims)
        });
        let arrivals = arrivals.collect();
        let mut built = Self {
            now: 0,
            end,
            events: EventQueue::new(drives.len(), plan.workloads.len()),
            arrivals,
            targets: plan.workloads.iter().map(|w| plan.volumes[w.volume].clone()).collect(),
            path_of: plan.workloads.iter().map(|w| w.path).collect(),
            paths: Paths::new(plan).map(Box::new),
            pools,
            pool_of_drive,
            spin_ups: plan.pools.iter().map(|p| SpinUps::new(p.spin_ups_at_once)).collect(),
            foresees: false,
            first_drive,
            failures,
            drives,
            buses,
            controller,
            drive_path,
            volumes,
            zeros,
            back_end: None,
            observer,
            logs_idle: plan.observe.idle,
            hosts: Slab::default(),
            ops: DriveOps::default(),
            ready: Vec::new(),
            flows,
            issued: vec![0; plan.workloads.len()],
            finished: 0,
            trims: vec![0; plan.workloads.len()],
            background: 0,
        };
        if let Some(controller) = &plan.controller {
            built.schedule_losses(controller);
        }
        Ok(built)
    }

    /// Hands every request that a pool is handed to `sink`, in batches in order of time.
    pub fn log_back_end(&mut self, sink: BackEndSink) {
        self.back_end = Some(Box::new(BackEndLog::new(sink)));
    }

    /// Hands every idle period of every drive to `sink`, in batches as they end and the last ones at the end of the run,
    /// where the plan asks for them.
    pub fn log_idle(&mut self, sink: IdleSink) {
        if self.logs_idle {
            self.observer.log_idle(sink);
        }
    }

    /// Tells oracles which idle periods there will be: those that [`Outcome::foreseen`] of a run without them lists.
    pub fn foresee(&mut self, periods: &Foreseen) {
        self.foresees = true;
        for (index, drive) in self.drives.iter_mut().enumerate() {
            if let Some(managed) = drive.managed_mut().filter(|m| m.foresees()) {
                let own = periods.iter().filter(|p| p.0 as usize == index);
                managed.foresee(own.map(|&(_, start, length)| (start, length)).collect());
            }
        }
    }

    /// Runs to the end: the given one, or the last completion. `hook` is called now and then and stops
    /// the run by returning `false`.
    ///
    /// # Errors
    /// What the sources report, a request past its volume's end, or [`SimError::Stopped`].
    pub fn run(mut self, hook: &mut dyn FnMut(Progress) -> bool) -> Result<Outcome, SimError> {
        for drive in 0..self.drives.len() {
            let (drive, mut around) = self.at_drive(drive);
            drive.start(&mut around);
        }
        for (number, &(_, _, at)) in self.failures.iter().enumerate() {
            self.events.push(at, Event::Fail(number as u32));
        }
        for workload in 0..self.arrivals.len() {
            if let Some(at) = self.arrivals[workload].begins() {
                self.events.push(at, Event::Arrival(workload as u32));
                continue;
            }
            self.schedule_arrival(workload)?;
            self.issue_closed(workload)?;
        }
        self.settle()?;
        let mut next_hook = HOOK_EVERY;
        let last = self.end.unwrap_or(Nanos::MAX);
        while self.end.is_some() || !self.drained() {
            let Some((now, event)) = self.events.pop_until(last) else { break };
            self.now = now;
            self.handle(event)?;
            // A rebuild without requests must be stoppable too.
            let done = self.finished + self.background;
            if done >= next_hook {
                next_hook = done + HOOK_EVERY;
                if !hook(self.progress()) {
                    return Err(SimError::Stopped);
                }
            }
        }
        hook(self.progress());
        self.finish()
    }

    fn handle(&mut self, event: Event) -> Result<(), SimError> {
        match event {
            Event::Arrival(workload) => {
                let workload = workload as usize;
                if !self.arrivals[workload].is_open() {
                    self.issue_closed(workload)?; // a loop begins
                    return self.settle();
                }
                if let Some(request) = self.arrivals[workload].take(self.now)? {
                    self.issue(workload, &request)?;
                }
                self.schedule_arrival(workload)?;
                self.settle()
            }
            Event::Thought(workload) => {
                self.arrivals[workload as usize].thought();
                self.issue_closed(workload as usize)?;
                self.settle()
            }
            Event::Path(host) => {
                self.path_event(host)?;
                self.settle()
            }
            Event::Interrupt(number) => {
                self.interrupt(number);
                self.settle()
            }
            Event::Visit(visit) => {
                self.visit(visit);
                self.settle()
            }
            Event::Prepared(key) => {
                self.prepared(key);
                Ok(())
            }
            Event::Commanded(key) => {
                self.commanded(key);
                Ok(())
            }
            Event::DriveDone(drive) => self.drive_done(drive as usize),
            Event::IdleTimer(drive) => {
                let now = self.now;
                let (drive, mut around) = self.at_drive(drive as usize);
                drive.idle_timer(now, &mut around);
                Ok(())
            }
            Event::SpindleDone(drive) => {
                let now = self.now;
                let (drive, mut around) = self.at_drive(drive as usize);
                drive.spindle_done(now, &mut around);
                Ok(())
            }
            Event::SpinUp(drive) => {
                let now = self.now;
                let (drive, mut around) = self.at_drive(drive as usize);
                drive.ascend(now, &mut around);
                Ok(())
            }
            Event::Release(drive) => {
                let now = self.now;
                let (drive, mut around) = self.at_drive(drive as usize);
                drive.release(now, &mut around);
                Ok(())
            }
            Event::Fail(number) => self.fail(number as usize),
            Event::Lost(key) => self.lost(key),
            Event::Rebuild(pool) => {
                self.with_workshop(pool as usize, |pool, shop| pool.rebuild(shop));
                Ok(())
            }
            Event::Alarm(number) => {
                self.with_volumes(|volumes, moment| volumes.alarm(number as usize, moment));
                self.settle()
            }
            Event::Answered(upper) => {
                self.space_answered(upper)?;
                self.settle()
            }
            Event::Loss(number) => {
                self.lose(number);
                self.settle()
            }
            Event::Return(number) => {
                self.regain(number);
                self.settle()
            }
        }
    }

    fn schedule_arrival(&mut self, workload: usize) -> Result<(), SimError> {
        if let Some(at) = self.arrivals[workload].schedule()? {
            self.events.push(at.max(self.now), Event::Arrival(workload as u32));
        }
        Ok(())
    }

    /// Issues all that a closed loop has room for.
    fn issue_closed(&mut self, workload: usize) -> Result<(), SimError> {
        if self.arrivals[workload].is_open() {
            return Ok(());
        }
        while let Some(request) = self.arrivals[workload].take(self.now)? {
            self.issue(workload, &request)?;
        }
        Ok(())
    }

    fn issue(&mut self, workload: usize, request: &Request) -> Result<(), SimError> {
        let volume = &self.targets[workload];
        self.issued[workload] += 1;
        let (offset, size) = (request.offset, u64::from(request.size));
        let end = offset.saturating_add(size);
        if end > volume.capacity_bytes {
            return Err(SimError::BeyondVolume {
                workload,
                request: self.issued[workload],
                offset,
                end,
                capacity: volume.capacity_bytes,
            });
        }
        let (write, trim) = (request.op == Op::Write, request.op == Op::Trim);
        if !trim {
            self.observer.arrived(self.now, workload, write);
            self.observer.issued_at(self.now, workload, (offset, size, write));
        }
        let host = self.hosts.insert(HostRequest {
            arrived: self.now,
            ops_left: 0,
            workload: workload as u32,
            size: request.size,
            stream: request.stream,
            write,
            trim,
        });
        if trim {
            self.issue_trim(host, (volume.offset_bytes + offset, size), volume.pool);
            return Ok(());
        }
        if self.paths.is_some() && self.path_of[workload].is_some() {
            self.enter_path(host, workload, (offset, size, write));
            return Ok(());
        }
        self.enter_array(host, workload, (offset, size, write));
        Ok(())
    }

    /// A request of `(offset, size, write)` on its volume is at the array.
    fn enter_array(&mut self, host: u32, workload: usize, (offset, size, write): (u64, u64, bool)) {
        let volume = &self.targets[workload];
        let range = (volume.offset_bytes + offset, size, write);
        let space = volume.pool;
        if self.controller.is_some() {
            let (pool, workload) = (space as u32, workload as u32);
            let draws = self.zeros[workload as usize].as_mut().filter(|_| write);
            let zeros = draws.is_some_and(|(stream, share)| stream.unit() < *share);
            let interrupts = self.path_of[workload as usize].is_some();
            let from = range.0;
            self.enter_controller(Incoming { host, workload, pool, from, size, write, zeros, interrupts });
            return;
        }
        self.observer.handed_to(self.now, space, (range.0, range.0 + size, write));
        if self.volumes.is_some() {
            self.hosts.get_mut(host).ops_left = 1;
            self.enter_volumes(space, (host, write), range);
            return;
        }
        if let Some(log) = &mut self.back_end {
            log.add(self.now, space, &range, Reason::Host);
        }
        let pool = &mut self.pools[space];
        let serves = Serves { upper: host, migrates: false, for_write: write };
        let made = pool.submit(range, serves, &self.drives, &mut self.ops, &mut self.ready);
        self.hosts.get_mut(host).ops_left = made;
        self.hand_out();
    }

    /// A trim goes to the drives; it is no part of what is observed of reads and writes.
    #[inline(never)]
    fn issue_trim(&mut self, host: u32, range: (u64, u64), pool: usize) {
        let made = self.pools[pool].trim(range, host, &mut self.ops, &mut self.ready);
        self.hosts.get_mut(host).ops_left = made.max(1);
        if made == 0 {
            self.events.push(self.now, Event::Answered(host));
        }
        self.hand_out();
    }

    /// Hands the ready operations to their drives, through the controller's back end where there is one.
    fn hand_out(&mut self) {
        if self.drive_path.is_some() {
            return self.command();
        }
        for i in 0..self.ready.len() {
            self.hand_to_drive(self.ready[i]);
        }
        self.ready.clear();
    }

    /// An operation joins its drive's queue.
    #[inline]
    fn hand_to_drive(&mut self, key: u32) {
        let op = self.ops.get_mut(key);
        op.arrived = self.now;
        let drive = op.drive as usize;
        let now = self.now;
        if self.drives[drive].has_failed() {
            self.events.push(now, Event::Lost(key));
            return;
        }
        let (drive, mut around) = self.at_drive(drive);
        drive.submit(now, key, &mut around);
    }

    fn drive_done(&mut self, index: usize) -> Result<(), SimError> {
        let now = self.now;
        let (drive, mut around) = self.at_drive(index);
        let Some(key) = drive.complete(now, &mut around) else { return Ok(()) };
        let op = self.ops.remove(key);
        if let Some(paths) = &mut self.paths {
            let started = self.drives[index].last_started;
            paths.sheets.last = LastOperation { arrived: op.arrived, started, done: now };
        }
        if op.host == NO_OP {
            self.rebuild_done(&op, false);
        } else {
            self.pools[self.pool_of_drive[index]].complete(&op, &mut self.ready);
            self.hand_out();
        }
        let (drive, mut around) = self.at_drive(index);
        drive.proceed(now, &mut around);
        if op.host == NO_OP { Ok(()) } else { self.operation_done(&op) }
    }

    /// An operation of a request is done with; so is the request if it was the last one.
    fn operation_done(&mut self, op: &DriveOp) -> Result<(), SimError> {
        if self.volumes.is_some() {
            self.with_volumes(|volumes, moment| volumes.operation_done(op.host, moment));
            return self.settle();
        }
        if self.controller.is_some() {
            self.back_end_operation_done(op.host);
            return self.settle();
        }
        self.part_of_host_done(op.host)
    }

    /// One of the things that a host request waits for is done; so is the request if it was the last one.
    fn part_of_host_done(&mut self, key: u32) -> Result<(), SimError> {
        let host = self.hosts.get_mut(key);
        host.ops_left -= 1;
        if host.ops_left > 0 {
            return Ok(());
        }
        self.array_done(key)
    }

    /// The array has done a host request; its answer may still have to go back over its path.
    fn array_done(&mut self, key: u32) -> Result<(), SimError> {
        if self.paths.is_some() && self.answer_over_path(key) {
            return Ok(());
        }
        self.complete_host(key)
    }

    /// A host request has its answer; a closed loop may issue the next.
    fn complete_host(&mut self, key: u32) -> Result<(), SimError> {
        let now = self.now;
        let host = self.hosts.remove(key);
        let workload = host.workload as usize;
        self.finished += 1;
        if host.trim {
            self.trims[workload] += 1;
        } else {
            self.observer.completed(now, workload, host.write, host.arrived, u64::from(host.size));
        }
        match self.arrivals[workload].completed(now, host.stream) {
            None => self.issue_closed(workload),
            Some(at) => {
                self.events.push(at, Event::Thought(workload as u32));
                Ok(())
            }
        }
    }

    /// A drive, and what it may act on.
    fn at_drive(&mut self, index: usize) -> (&mut Drive, Surroundings<'_>) {
        let around = Surroundings {
            events: &mut self.events,
            buses: &mut self.buses,
            spin_ups: &mut self.spin_ups,
            ops: &self.ops,
            observer: &mut self.observer,
        };
        (&mut self.drives[index], around)
    }

    /// Nothing is in flight and nothing more will arrive.
    fn drained(&mut self) -> bool {
        self.hosts.is_empty()
            && self.arrivals.iter().all(Arrivals::is_exhausted)
            && self.controller.as_mut().is_none_or(|controller| controller.wind_down())
            && self.volumes.as_mut().is_none_or(|volumes| volumes.wind_down())
    }

    fn progress(&self) -> Progress {
        let fractions: Option<Vec<f64>> = self.arrivals.iter().map(Arrivals::progress).collect();
        let fraction = fractions.filter(|f| !f.is_empty()).map(|f| f.iter().sum::<f64>() / f.len() as f64);
        Progress { fraction, requests: self.finished }
    }
}
