//! An engine that simulates parts of a run one after another, and one part from ahead of it.

use super::feed::Feed;
use super::part::Part;
use crate::bus::{Bus, Counts};
use crate::canonical::{Canon, State};
use crate::clock::Nanos;
use crate::device::{DriveOps, DriveTotals, Kind, Surroundings};
use crate::engine::Engine;
use crate::engine::backend::Backend;
use crate::engine::hosts::Hosts;
use crate::error::SimError;
use crate::event::{Clock, Event};
use crate::observe::Observer;
use crate::plan::{Plan, ReplayPlan, WorkloadPlan};
use crate::power::{SpinUps, Window};
use crate::shape::Disks;
use iowatt_trace::Source;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A window that nothing lies in, with room for sums of times.
const NOTHING: Window = Window { start: Nanos::MAX / 2, end: Nanos::MAX / 2 };

/// What all parts of a run are made from.
pub struct Shared<'r> {
    /// The plan, whose workloads arrive as their stamps say.
    plan: Plan,
    kinds: &'r [Kind],
    /// An empty recorder of a part. (Nothing but its type keeps it from being shared.)
    observer: Mutex<Observer>,
    window: Window,
}

impl<'r> Shared<'r> {
    /// Of a run of `plan`, whose drives are of the given kinds, recorded by `observer` over `window`.
    pub fn new(mut plan: Plan, kinds: &'r [Kind], observer: &Observer, window: Window) -> Self {
        for workload in &mut plan.workloads {
            // Whoever cut the parts has paced the requests.
            let replay = ReplayPlan::Open { speed: 1.0 };
            *workload = WorkloadPlan { replay, start_s: 0.0, end_s: None, ..workload.clone() };
        }
        Self { plan, kinds, observer: Mutex::new(observer.part(window)), window }
    }

    /// An empty recorder of what lies in `window`.
    fn observer(&self, window: Window) -> Observer {
        self.observer.lock().unwrap_or_else(PoisonError::into_inner).part(window)
    }
}

/// What was counted between two seams.
pub struct Record {
    pub observer: Observer,
    pub totals: Vec<DriveTotals>,
    pub buses: Vec<Counts>,
    pub completed: u64,
    pub events: u64,
}

/// How a stretch of a run ended.
pub enum Stop {
    /// Before an arrival that belongs to the next stretch.
    Seam,
    /// With the run.
    End(Nanos),
}

/// An engine on its way through the parts of a run.
pub struct Runner<'r> {
    engine: Engine<'static, Disks>,
    feeds: Vec<Feed>,
    shared: &'r Shared<'r>,
    /// The arrival at which the last stretch stopped.
    held: Option<Event>,
    /// Events scheduled before the present record.
    scheduled: u64,
}

impl<'r> Runner<'r> {
    /// At rest before the requests ahead of `part`, which do not count.
    pub fn new(shared: &'r Shared<'r>, part: &Arc<Part>) -> Result<Self, SimError> {
        let plan = &shared.plan;
        let buses: Vec<Bus> = plan.buses.iter().map(Bus::new).collect();
        let (backend, _) = Backend::new(plan, shared.kinds, &buses)?;
        let feeds: Vec<Feed> = (0..plan.workloads.len()).map(Feed::new).collect();
        let sources = feeds.iter().map(|feed| Box::new(feed.clone()) as Box<dyn Source>).collect();
        let window = if part.arrivals_ahead > 0 { NOTHING } else { shared.window };
        let mut engine = Engine {
            shape: PhantomData,
            hosts: Hosts::new(plan, sources, |_| false, |_| false),
            paths: None,
            qos: None,
            replication: None,
            controller: None,
            volumes: None,
            libraries: None,
            around: Surroundings {
                clock: Clock::new(
                    plan.observe.end_s.map(crate::clock::nanos),
                    backend.drives.len(),
                    plan.workloads.len(),
                ),
                buses,
                spin_ups: plan.pools.iter().map(|p| SpinUps::new(p.spin_ups_at_once)).collect(),
                ops: DriveOps::default(),
                observer: shared.observer(window),
            },
            backend,
        };
        engine.hosts.count_issued_from(&part.issued);
        for (number, pool) in engine.backend.pools.iter_mut().enumerate() {
            let volume_of = |workload: &WorkloadPlan| &plan.volumes[workload.volume];
            let own = plan.workloads.iter().zip(&part.issued).filter(|(w, _)| volume_of(w).pool == number);
            pool.count_requests_from(own.map(|(_, &issued)| issued).sum());
        }
        feeds.iter().for_each(|feed| feed.add(part, true));
        engine.backend.start(&mut engine.around);
        for &workload in &part.order {
            engine.hosts.schedule(workload as usize, &mut engine.around.clock)?;
        }
        Ok(Self { engine, feeds, shared, held: None, scheduled: 0 })
    }

    /// `part`, which follows the one before, is next.
    pub fn feed(&self, part: &Arc<Part>) {
        self.feeds.iter().for_each(|feed| feed.add(part, false));
    }

    /// Simulates so many arrivals and what follows them up to the next one, or to the end of the run. `stop` stops it.
    pub fn simulate(&mut self, arrivals: u64, stop: &AtomicBool) -> Result<Stop, SimError> {
        let mut left = arrivals;
        self.engine.around.observer.expect(arrivals as usize);
        if let Some(event) = self.held.take() {
            if left == 0 {
                self.held = Some(event);
                return Ok(Stop::Seam);
            }
            left -= 1;
            self.engine.handle(event)?;
        }
        while self.engine.around.clock.end.is_some() || !self.engine.is_drained() {
            let Some(event) = self.engine.around.clock.advance() else { break };
            if matches!(event, Event::Arrival(_)) {
                if left == 0 {
                    self.held = Some(event);
                    return Ok(Stop::Seam);
                }
                left -= 1;
                if stop.load(Ordering::Relaxed) {
                    return Err(SimError::Stopped);
                }
            }
            self.engine.handle(event)?;
        }
        Ok(Stop::End(self.end()))
    }

    /// Books what lasts at the end of the run, which is the result.
    fn end(&mut self) -> Nanos {
        let Engine { hosts, backend, around, .. } = &mut self.engine;
        let end = around.clock.end.unwrap_or(around.clock.now);
        for drive in &mut backend.drives {
            drive.finish(end, &around.ops, &mut around.observer);
        }
        hosts.finish(end, &mut around.observer);
        end
    }

    /// What has been counted since the last call, or nothing of it where it did not count.
    pub fn take_record(&mut self) -> Record {
        let Engine { hosts, backend, around, .. } = &mut self.engine;
        around.observer.count_completions();
        let observer = self.shared.observer(self.shared.window);
        let scheduled = around.clock.events.scheduled();
        Record {
            observer: std::mem::replace(&mut around.observer, observer),
            totals: backend.drives.iter_mut().map(|drive| std::mem::take(&mut drive.totals)).collect(),
            buses: around.buses.iter_mut().map(Bus::take_counts).collect(),
            completed: std::mem::take(&mut hosts.completed),
            events: scheduled - std::mem::replace(&mut self.scheduled, scheduled),
        }
    }

    /// The buses at the end of the run.
    pub fn into_buses(self) -> Vec<Bus> {
        self.engine.around.buses
    }

    /// The state at a seam.
    pub fn state(&self) -> State {
        let Engine {
            shape: _,
            hosts,
            paths: _,
            qos: _,
            replication: _,
            controller: _,
            volumes: _,
            libraries: _,
            backend,
            around,
        } = &self.engine;
        let mut out = Canon::new(backend.pools.len());
        let now = around.clock.now;
        out.word(now);
        if let Some(Event::Arrival(workload)) = self.held {
            out.small(workload);
        }
        around.clock.events.canonical(&mut out);
        backend.drives.iter().for_each(|drive| drive.canonical(now, &mut out));
        around.buses.iter().for_each(|bus| bus.canonical(now, &mut out));
        backend.pools.iter().for_each(|pool| pool.canonical(&mut out));
        // What these refer to, and what that refers to.
        loop {
            if let Some(key) = out.ops.next() {
                let op = around.ops.get(key);
                op.canonical(backend.drives[op.drive as usize].pool(), &mut out);
            } else if let Some((pool, key)) = next_row(&mut out) {
                backend.pools[pool].canonical_row(key, &mut out);
            } else if let Some(key) = out.hosts.next() {
                hosts.canonical_request(key, &mut out);
            } else {
                break;
            }
        }
        // Nothing is in flight but what has been reached.
        let rows: usize = backend.pools.iter().map(|pool| pool.rows_under_way()).sum();
        let reached = out.rows.iter().map(|rows| rows.len()).sum::<usize>();
        let all = (out.ops.len(), out.hosts.len(), reached) == (around.ops.len(), hosts.in_flight(), rows);
        debug_assert!(all, "everything in flight is referred to");
        if !all || !backend.ready.is_empty() {
            out.unlike_any();
        }
        out.finish()
    }
}

/// The next parity update to write, and its pool.
fn next_row(out: &mut Canon) -> Option<(usize, u32)> {
    out.rows.iter_mut().enumerate().find_map(|(pool, rows)| Some((pool, rows.next()?)))
}

/// A part simulated from some requests ahead of it.
pub struct Attempt<'r> {
    /// The state at its beginning, and that after each of its pieces, with what was counted in it.
    pub start: Option<State>,
    pub pieces: Vec<(Record, After)>,
    /// The engine at its end.
    pub runner: Option<Box<Runner<'r>>>,
}

/// What is behind a piece.
pub enum After {
    /// Another one, which begins in this state.
    Seam(State),
    /// Nothing.
    End(Nanos),
    /// An error.
    Error(SimError),
}

impl<'r> Attempt<'r> {
    /// Simulates `part`. Where the requests ahead end in an error, which need not be that of the run, nothing comes of it.
    pub fn new(shared: &'r Shared<'r>, part: &Arc<Part>, stop: &AtomicBool) -> Self {
        let mut attempt = Self { start: None, pieces: Vec::new(), runner: None };
        let Ok(mut runner) = Runner::new(shared, part) else { return attempt };
        if part.arrivals_ahead > 0 {
            let Ok(Stop::Seam) = runner.simulate(part.arrivals_ahead, stop) else { return attempt };
            drop(runner.take_record());
            attempt.start = Some(runner.state());
        }
        for piece in part.pieces() {
            let stopped = runner.simulate(piece, stop);
            let record = runner.take_record();
            let after = match stopped {
                Ok(Stop::Seam) => After::Seam(runner.state()),
                Ok(Stop::End(end)) => After::End(end),
                Err(error) => After::Error(error),
            };
            let over = !matches!(after, After::Seam(_));
            attempt.pieces.push((record, after));
            if over {
                break;
            }
        }
        attempt.runner = Some(Box::new(runner));
        attempt
    }
}
