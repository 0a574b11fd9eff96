//! The engine: builds the parts of the system and moves events between them.
//!
//! A request goes from its host (over a path, through the controller and the volume layer, where there are any) to a pool
//! and its drives, and back. In steady state nothing is allocated per request: requests, drive operations and parity
//! updates live in slabs, events in one queue.

mod backend;
mod door;
mod emulation;
mod failures;
mod flow;
mod hosts;
mod nodes;
mod replication;
mod spans;

pub use emulation::{Emulation, Transfer, Way};

use crate::back_end_log::{BackEndLog, BackEndSink};
use crate::bus::Bus;
use crate::clock::nanos;
use crate::controller::Controller;
use crate::device::{Drive, DriveOps, Kind, Surroundings};
use crate::error::SimError;
use crate::event::{Clock, Event};
use crate::library::Libraries;
use crate::observe::{FlowIndex, Heat, IdleSink, Observer};
use crate::path::Paths;
use crate::plan::Plan;
use crate::power::{Foreseen, Ladder, SpinUps, Window};
use crate::qos::Qos;
use crate::raid::Pool;
use crate::replication::Replication;
use crate::results::{self, Outcome, QosResult, VirtualPoolResult};
use crate::shape::{Full, Needs, Shape, fitting};
use crate::state::STATES;
use crate::volume::Volumes;
use backend::Backend;
use door::Wanted;
use hosts::Hosts;
use iowatt_trace::Source;
use spans::Spans;
use std::marker::PhantomData;
use std::sync::Arc;

/// Completions (of requests and of rebuild operations) between two calls of the progress hook.
const HOOK_EVERY: u64 = 16_384;

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Fraction of the inputs read, where all inputs know their length.
    pub fraction: Option<f64>,
    /// Requests completed.
    pub requests: u64,
}

/// A simulation ready to run.
pub struct Simulation<'a> {
    engine: Engine<'a, Full>,
    plan: Plan,
    /// What the drives of each pool share.
    kinds: Vec<Kind>,
    /// How it is cut into parts that are simulated at once.
    spans: Spans,
    /// Whether the widest shape runs whatever is needed.
    wide: bool,
}

/// The system at work, compiled for a shape.
struct Engine<'a, S: Shape> {
    shape: PhantomData<S>,
    hosts: Hosts<'a>,
    /// Paths from hosts to the array, where there are any.
    paths: Option<Box<Paths>>,
    /// Limits of volumes and places in the array, where there are any.
    qos: Option<Box<Qos<Wanted>>>,
    /// Copies on remote arrays, where there are any.
    replication: Option<Box<Replication>>,
    /// Where there is a controller, drive operations (or the volume layer) serve its requests and not those of hosts.
    controller: Option<Box<Controller>>,
    /// Where there are virtual pools, drive operations serve the transfers of this layer.
    volumes: Option<Box<Volumes>>,
    /// Libraries, where there are any.
    libraries: Option<Box<Libraries>>,
    backend: Backend,
    around: Surroundings,
}

impl<'a> Simulation<'a> {
    /// Builds the system of `plan`; `sources` are its workloads' requests, in the same order.
    ///
    /// # Errors
    /// [`SimError::Plan`] where the plan contradicts itself.
    pub fn new(plan: &Plan, sources: Vec<&'a mut dyn Source>) -> Result<Self, SimError> {
        plan.validate()?;
        if sources.len() != plan.workloads.len() {
            return Err(SimError::Sources { given: sources.len(), wanted: plan.workloads.len() });
        }
        let end = plan.observe.end_s.map(nanos);
        let buses: Vec<Bus> = plan.buses.iter().map(Bus::new).collect();
        let kinds = Backend::kinds(plan)?;
        let (backend, mut ladders) = Backend::new(plan, &kinds, &buses)?;
        let libraries = Libraries::new(plan, ladders.len())?.map(Box::new);
        ladders.extend(Libraries::ladders(plan));
        let volumes = Volumes::new(plan, &backend.drives_of_pools())?.map(Box::new);
        let pools = backend.pools.iter().zip(&plan.pools);
        let mut spaces: Vec<u64> =
            pools.map(|(pool, plan)| pool.capacity_bytes(plan.device.sectors())).collect();
        for capacity in volumes.iter().flat_map(|v| v.capacities()) {
            plan.check_capacity(spaces.len(), capacity)?;
            spaces.push(capacity);
        }
        for library in &plan.libraries {
            plan.check_capacity(spaces.len(), library.capacity_bytes())?;
            spaces.push(library.capacity_bytes());
        }
        let observer = observer(plan, ladders, &spaces)?;
        let controller = Controller::new(plan, spaces).map(Box::new);
        let detects_zeros = |space: usize| match (&controller, &volumes) {
            (Some(controller), _) => controller.detects_zeros(),
            (None, volumes) => volumes.as_ref().is_some_and(|volumes| volumes.detects_zeros(space)),
        };
        let takes_trims = |space: usize| match &volumes {
            Some(volumes) => volumes.takes_trims(space),
            None => backend.pools.get(space).is_some_and(Pool::passes_trims),
        };
        let mut clock = Clock::new(end, backend.drives.len(), plan.workloads.len());
        let losses = plan.controller.iter().flat_map(|controller| &controller.losses);
        for (number, loss) in losses.enumerate() {
            clock.events.push(nanos(loss.at_s), Event::Loss(number as u32));
            if let Some(back_s) = loss.back_s {
                clock.events.push(nanos(back_s), Event::Return(number as u32));
            }
        }
        let hosts = Hosts::new(plan, boxed(sources), detects_zeros, takes_trims);
        let engine = Engine {
            shape: PhantomData,
            hosts,
            paths: Paths::new(plan).map(Box::new),
            qos: Qos::new(plan).map(Box::new),
            replication: Replication::new(plan).map(Box::new),
            controller,
            volumes,
            libraries,
            backend,
            around: Surroundings {
                clock,
                buses,
                spin_ups: plan.pools.iter().map(|p| SpinUps::new(p.spin_ups_at_once)).collect(),
                ops: DriveOps::default(),
                observer,
            },
        };
        Ok(Self { engine, plan: plan.clone(), kinds, wide: false, spans: Spans::default() })
    }

    /// Hands every request to a pool to `sink`, in batches in order of time.
    pub fn log_back_end(&mut self, sink: BackEndSink) {
        self.engine.backend.log = Some(Box::new(BackEndLog::new(sink)));
    }

    /// Hands every idle period of every drive to `sink`, in batches as they end and the last ones at the end of the run,
    /// where the plan asks for them.
    pub fn log_idle(&mut self, sink: IdleSink) {
        self.engine.around.observer.log_idle(sink);
    }

    /// Tells oracles which idle periods there will be: the [`Outcome::foreseen`] of a run without this call.
    pub fn foresee(&mut self, periods: &Foreseen) {
        self.engine.backend.foresee(periods);
    }

    /// Simulates parts of the run at once on so many threads, where the plan lets it; else it runs on one, and
    /// [`Outcome::serial`] says why. The figures are the same for any number.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.spans.threads = threads.max(1);
        self
    }

    /// Cuts the run into parts of so many requests, each begun so many requests ahead, on however few threads: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn in_parts(mut self, requests: u64, ahead: usize) -> Self {
        self.spans.cut = Some((requests, ahead));
        self
    }

    /// Runs in the widest shape whatever the plan needs: tests compare shapes.
    #[doc(hidden)]
    #[must_use]
    pub fn widened(mut self) -> Self {
        self.wide = true;
        self
    }

    /// Keeps counts and maps of the virtual pools ([`Outcome::pool_ends`]): tests compare them with those of live volumes.
    #[doc(hidden)]
    #[must_use]
    pub fn keep_pool_ends(mut self) -> Self {
        self.engine.volumes.iter_mut().for_each(|volumes| volumes.keep_ends());
        self
    }

    /// Runs to the given end, or to the last completion. `hook` is called now and then and stops the run by returning
    /// `false`.
    ///
    /// # Errors
    /// What the sources report, a request past its volume's end, or [`SimError::Stopped`].
    pub fn run(self, hook: &mut dyn FnMut(Progress) -> bool) -> Result<Outcome, SimError> {
        let needs = if self.wide { Needs::ALL } else { self.engine.needs() };
        if let Some(serial) = self.spans.prevented(needs, &self.plan) {
            let outcome = fitting!(needs, S => self.engine.reshape::<S>().run(hook))?;
            return Ok(Outcome { serial: Some(serial), ..outcome });
        }
        spans::run(self.engine.reshape(), self.plan, &self.kinds, self.spans, hook)
    }
}

impl<'a> Engine<'a, Full> {
    /// What the system needs of a shape.
    fn needs(&self) -> Needs {
        Needs {
            layers: self.paths.is_some()
                || self.qos.is_some()
                || self.controller.is_some()
                || self.volumes.is_some()
                || self.libraries.is_some()
                || self.replication.is_some()
                || self.backend.commands.is_some()
                || self.backend.clusters.is_some(),
            flash: self.backend.drives.iter().any(Drive::is_parallel),
            managed: self.backend.is_managed(),
        }
    }

    /// The same system, compiled for a shape that has what it needs.
    fn reshape<S: Shape>(self) -> Engine<'a, S> {
        let Self { hosts, paths, qos, replication, controller, volumes, libraries, backend, around, .. } =
            self;
        Engine {
            shape: PhantomData,
            hosts,
            paths,
            qos,
            replication,
            controller,
            volumes,
            libraries,
            backend,
            around,
        }
    }
}

impl<S: Shape> Engine<'_, S> {
    /// Runs, as [`Simulation::run`] says.
    fn run(mut self, hook: &mut dyn FnMut(Progress) -> bool) -> Result<Outcome, SimError> {
        self.start()?;
        let mut next_hook = HOOK_EVERY;
        while self.around.clock.end.is_some() || !self.is_drained() {
            let Some(event) = self.around.clock.advance() else { break };
            self.handle(event)?;
            // A rebuild without requests must be stoppable too.
            let done = self.hosts.completed + self.backend.rebuild_ops;
            if done >= next_hook {
                next_hook = done + HOOK_EVERY;
                if !hook(self.hosts.progress()) {
                    return Err(SimError::Stopped);
                }
            }
        }
        hook(self.hosts.progress());
        self.finish()
    }

    /// Schedules the first events.
    fn start(&mut self) -> Result<(), SimError> {
        self.backend.start(&mut self.around);
        if let Some(replication) = &self.replication {
            replication.start(&mut self.around.clock.events);
        }
        for workload in 0..self.hosts.workloads.len() {
            if let Some(at) = self.hosts.workloads[workload].arrivals.begins() {
                self.around.clock.events.push(at, Event::Arrival(workload as u32));
                continue;
            }
            self.hosts.schedule(workload, &mut self.around.clock)?;
            self.issue_closed(workload)?;
        }
        self.settle()
    }

    fn handle(&mut self, event: Event) -> Result<(), SimError> {
        let (backend, around) = (&mut self.backend, &mut self.around);
        match event {
            Event::DriveDone(drive) => return self.drive_done(drive),
            Event::Lost(key) => return self.operation_lost(key),
            Event::Message(key) => return self.message_event(key),
            _ if backend.handle(event, around)? => {}
            _ => {
                self.handle_above_pools(event)?;
                return self.settle();
            }
        }
        Ok(())
    }

    /// Handles an event of a layer above the pools. [`Self::settle`] must follow.
    fn handle_above_pools(&mut self, event: Event) -> Result<(), SimError> {
        match event {
            Event::Arrival(workload) => self.arrive(workload as usize)?,
            Event::Thought(workload) => {
                self.hosts.workloads[workload as usize].arrivals.thought();
                self.issue_closed(workload as usize)?;
            }
            Event::Path(host) => self.path_event(host)?,
            Event::Released(host) => self.released(host)?,
            Event::Admitted(host) => self.admitted(host)?,
            Event::Visit(visit) => {
                self.with_controller(|controller, moment| controller.proceed(visit, moment));
            }
            Event::Interrupt(number) => {
                self.with_controller(|controller, moment| controller.interrupt(number, moment));
            }
            Event::Loss(number) => self.lose(number as usize),
            Event::Return(number) => self.regain(number as usize),
            Event::Received(_) | Event::Cycle(_) | Event::PathLost(_) | Event::PathBack(_) => {
                self.replication_event(event);
            }
            Event::Alarm(pool) => self.with_volumes(|volumes, moment| volumes.alarm(pool as usize, moment)),
            Event::Answered(upper) => self.space_answered(upper)?,
            Event::Library(number) => self.library_event(number)?,
            Event::Part(part) => self.part_event(part)?,
            // The events of drives and pools, which `handle` has taken.
            _ => {}
        }
        Ok(())
    }

    /// The next request of an open workload arrives, or a closed loop begins.
    fn arrive(&mut self, workload: usize) -> Result<(), SimError> {
        if !self.hosts.workloads[workload].arrivals.is_open() {
            return self.issue_closed(workload);
        }
        if let Some(request) = self.hosts.take(workload, self.around.clock.now)? {
            self.issue(workload, &request)?;
        }
        self.hosts.schedule(workload, &mut self.around.clock)
    }

    /// Nothing is in flight and nothing more will arrive.
    fn is_drained(&mut self) -> bool {
        self.hosts.is_drained()
            && (!S::LAYERS
                || (self.controller.as_mut().is_none_or(|controller| controller.wind_down())
                    && self.volumes.as_mut().is_none_or(|volumes| volumes.wind_down())
                    && self.replication.as_mut().is_none_or(|replication| replication.wind_down())
                    && self.backend.clusters.as_ref().is_none_or(|clusters| clusters.requests.is_empty())
                    && self.libraries_wound_down()))
    }

    /// Ends the run: cuts what is under way and gathers the figures.
    fn finish(mut self) -> Result<Outcome, SimError> {
        let end = self.around.clock.end.unwrap_or(self.around.clock.now);
        self.backend.finish(end, &mut self.around);
        if let Some(libraries) = &mut self.libraries {
            libraries.finish(end, &mut self.around.observer);
        }
        self.hosts.finish(end, &mut self.around.observer);
        if let Some(paths) = &mut self.paths {
            paths.cut(end, self.around.observer.window());
        }
        if let Some(qos) = &mut self.qos {
            qos.finish(end, self.around.observer.window());
        }
        if let Some(replication) = &mut self.replication {
            replication.finish(end, self.around.observer.window());
        }
        self.around.observer.finish(end);
        if let Some(drive) = self.backend.contradicted() {
            return Err(SimError::Foresight { drive });
        }
        let parts = results::Parts {
            drives: &self.backend.drives,
            pools: &self.backend.pools,
            buses: &self.around.buses,
            spin_ups: &self.around.spin_ups,
            controller: self.controller.as_deref(),
            drive_path: self.backend.commands.as_deref(),
            clusters: self.backend.clusters.as_deref(),
            paths: self.paths.as_deref(),
            qos: self.qos.iter().flat_map(|qos| qos.totals()).map(QosResult::from).collect(),
            replication: self.replication.as_deref(),
            trims: &self.hosts.trims(),
            libraries: self.libraries.as_ref().map_or(&[], |libraries| &libraries.all),
            virtual_pools: self
                .volumes
                .iter()
                .flat_map(|volumes| volumes.counts_by_pool())
                .map(|(counts, scheme)| VirtualPoolResult::new(counts, scheme))
                .collect(),
        };
        let outcome = results::collect(
            &self.around.observer,
            parts,
            self.hosts.completed,
            self.around.clock.events.scheduled(),
        );
        let pool_ends = self.volumes.as_ref().map_or_else(Vec::new, |volumes| volumes.ends());
        Ok(Outcome { pool_ends, ..outcome })
    }
}

/// The sources as the workloads keep them.
fn boxed<'a>(sources: Vec<&'a mut dyn Source>) -> Vec<Box<dyn Source + 'a>> {
    sources.into_iter().map(|source| Box::new(source) as Box<dyn Source + 'a>).collect()
}

/// The recorder of a run of `plan`, whose drives have the given power levels and whose address spaces the given
/// capacities.
fn observer(plan: &Plan, ladders: Vec<Arc<Ladder>>, spaces: &[u64]) -> Result<Observer, SimError> {
    let end = plan.observe.end_s.map_or(u64::MAX, nanos);
    let window = Window { start: nanos(plan.observe.warmup_s), end };
    let of_pools = plan.pools.iter().map(|p| p.device.states());
    let of_libraries = plan.libraries.iter().map(|l| l.drive.power.states());
    let states = of_pools.chain(of_libraries).max().unwrap_or(STATES);
    let volume_of: Vec<usize> = plan.workloads.iter().map(|w| w.volume).collect();
    let flows = FlowIndex::new(&volume_of, plan.volumes.len());
    let mut observer = Observer::new(window, &plan.observe, ladders, states, flows)?;
    observer.course().1.with_workers(plan.clusters.iter().map(|cluster| cluster.classes.len()).sum());
    if let Some(heat) = plan.observe.heat {
        observer.map_heat(Heat::new(&heat, plan, spaces.to_vec(), window.start));
    }
    Ok(observer)
}
