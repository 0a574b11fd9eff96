//! The run as far as it is certain: its state at the last seam, and all that has been counted before.

use super::part::Part;
use super::runner::{After, Attempt, Record, Runner, Shared, Stop};
use crate::canonical::State;
use crate::clock::Nanos;
use crate::engine::hosts::Workload;
use crate::engine::{Engine, Progress};
use crate::error::SimError;
use crate::results::{self, Outcome};
use crate::shape::Disks;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Nobody stops what the caller simulates itself.
static NEVER: AtomicBool = AtomicBool::new(false);

/// How much of a part has been simulated again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// Its beginning was the state of the run.
    Nothing,
    /// It met the run within.
    Begin,
    /// It never did.
    All,
}

/// What is certain of a run.
pub struct Total<'a, 'r> {
    /// Simulates nothing: it holds the sources, and counts.
    engine: Engine<'a, Disks>,
    events: u64,
    /// Requests simulated in parts that had been simulated before, and all that were simulated here.
    again: u64,
    alone: u64,
    /// The engine that stands at the last seam; none before the first part.
    runner: Option<Box<Runner<'r>>>,
    /// Its state there.
    state: Option<State>,
    end: Option<Nanos>,
}

impl<'a, 'r> Total<'a, 'r> {
    /// Nothing yet of the run that `engine` was made for.
    pub fn new(engine: Engine<'a, Disks>) -> Self {
        Self { engine, events: 0, again: 0, alone: 0, runner: None, state: None, end: None }
    }

    /// The workloads, with their sources.
    pub fn workloads(&mut self) -> &mut [Workload<'a>] {
        &mut self.engine.hosts.workloads
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        self.engine.hosts.progress()
    }

    /// Whether the run has ended.
    pub fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Adds the next part, which has been simulated from ahead of it, as far as it began in the state in which the run
    /// is; what did not is simulated again. Returns how much of it that was.
    pub fn add(
        &mut self,
        shared: &'r Shared<'r>,
        part: &Arc<Part>,
        attempt: Attempt<'r>,
    ) -> Result<Again, SimError> {
        let Attempt { start, pieces, runner } = attempt;
        let mut pieces = pieces.into_iter();
        let mut begins = start;
        let mut met = self.runner.is_none(); // the first part begins with the run
        let mut again = Again::Nothing;
        for arrivals in part.pieces() {
            let piece = pieces.next();
            met = met || begins.zip(self.state.as_ref()).is_some_and(|(begins, state)| begins.meets(state));
            begins = None;
            if let Some((record, after)) = piece {
                match after {
                    After::Seam(state) if met => {
                        self.absorb(record);
                        self.state = Some(state);
                        continue;
                    }
                    After::End(end) if met => {
                        self.absorb(record);
                        (self.runner, self.end) = (runner, Some(end));
                        return Ok(again);
                    }
                    After::Error(error) if met => return Err(error),
                    After::Seam(state) => begins = Some(state),
                    After::End(_) | After::Error(_) => {}
                }
            }
            if again == Again::Nothing {
                self.go_on(shared, part)?;
                again = Again::Begin;
            }
            self.simulate(arrivals)?;
            self.again += arrivals;
            self.settle();
            if self.has_ended() {
                return Ok(Again::All);
            }
            self.stand();
        }
        if met {
            self.runner = runner;
        } else {
            again = Again::All;
        }
        Ok(again)
    }

    /// The engine goes on with `part`.
    pub fn go_on(&mut self, shared: &'r Shared<'r>, part: &Arc<Part>) -> Result<(), SimError> {
        match &self.runner {
            Some(runner) => runner.feed(part),
            None => self.runner = Some(Box::new(Runner::new(shared, part)?)),
        }
        Ok(())
    }

    /// The state is needed again, after some parts that were simulated here.
    pub fn stand(&mut self) {
        self.state = self.runner.as_ref().map(|runner| runner.state());
    }

    /// Whether most requests were simulated here.
    pub fn mostly_alone(&self) -> bool {
        2 * self.alone > self.engine.hosts.completed
    }

    /// Simulates so many arrivals from the last seam on.
    pub fn simulate(&mut self, arrivals: u64) -> Result<(), SimError> {
        self.alone += arrivals;
        if let Some(runner) = &mut self.runner
            && let Stop::End(end) = runner.simulate(arrivals, &NEVER)?
        {
            self.end = Some(end);
        }
        Ok(())
    }

    /// Adds what has been simulated since the last seam.
    pub fn settle(&mut self) {
        if let Some(record) = self.runner.as_mut().map(|runner| runner.take_record()) {
            self.absorb(record);
        }
    }

    fn absorb(&mut self, record: Record) {
        let Record { observer, totals, buses, completed, events } = record;
        let Engine { hosts, backend, around, .. } = &mut self.engine;
        let window = *around.observer.window();
        for vacancy in around.observer.absorb(observer).into_iter().filter(|v| v.ended) {
            // As the drive itself counts idle periods: those that end in the window.
            if window.begins(vacancy.until) {
                let length = vacancy.until - vacancy.from.max(window.start);
                backend.drives[vacancy.drive as usize].totals.idle.add(length);
            }
        }
        backend.drives.iter_mut().zip(&totals).for_each(|(drive, totals)| drive.totals.absorb(totals));
        around.buses.iter_mut().zip(buses).for_each(|(bus, counts)| bus.absorb(counts));
        hosts.completed += completed;
        self.events += events;
    }

    /// The outcome of the run, which has ended.
    pub fn finish(self) -> Outcome {
        let Self { mut engine, events, again, alone: _, runner, state: _, end } = self;
        let end = end.unwrap_or(engine.around.clock.now);
        let last = runner.map(|runner| runner.into_buses()).unwrap_or_default();
        engine.around.buses.iter_mut().zip(last).for_each(|(bus, last)| bus.succeed(last));
        let window = *engine.around.observer.window();
        engine.around.buses.iter_mut().for_each(|bus| bus.cut(end, &window));
        engine.around.observer.finish(end);
        let parts = results::Parts {
            drives: &engine.backend.drives,
            pools: &engine.backend.pools,
            buses: &engine.around.buses,
            spin_ups: &engine.around.spin_ups,
            controller: None,
            drive_path: None,
            paths: None,
            replication: None,
            trims: &engine.hosts.trims(),
            qos: Vec::new(),
            libraries: &[],
            clusters: None,
            virtual_pools: Vec::new(),
        };
        let outcome = results::collect(&engine.around.observer, parts, engine.hosts.completed, events);
        Outcome { again, ..outcome }
    }
}
