//! Arrival processes: when the next request comes, and of which stream it is.

mod cascade;
mod clock;
mod law;

pub use cascade::Cascade;
pub use clock::{Clock, Part};
pub use law::Law;

use crate::choice::Choice;
use crate::plan::{LawPlan, Plan, ProcessPlan};
use crate::rng::{Draws, Purpose};
use iowatt_trace::{Code, Fault, Request, Source, TraceError};

/// Stamps read from a trace at a time.
const BATCH: usize = 256;

/// Where times come from.
enum Times {
    /// A law in the clock's operational time.
    Law { law: Law, clock: Box<Clock>, draws: Draws },
    /// Counts of windows divided in real time.
    Cascade { cascade: Box<Cascade>, clock: Box<Clock>, draws: Draws },
    /// A trace's stamps.
    Recorded {
        source: Box<dyn Source>,
        batch: Vec<Request>,
        next: usize,
        more: bool,
        origin: Option<u64>,
        speed: f64,
    },
}

/// One process.
pub struct Process {
    name: String,
    times: Times,
    /// The streams' choice in each phase.
    members: Vec<Choice>,
    /// Stream of each alternative.
    streams: Vec<usize>,
    mix: Draws,
    /// Chance to stay with the stream of the last request.
    stay: f64,
    current: Option<(usize, usize)>,
}

impl Process {
    /// Process number `index` of `plan`; `recorded` are the stamps where its law asks for some.
    ///
    /// # Errors
    /// What cannot be, in words.
    pub fn new(plan: &Plan, index: usize, recorded: Option<Box<dyn Source>>) -> Result<Self, String> {
        let process = &plan.processes[index];
        let draws = |purpose| Draws::new(plan.seed, purpose, plan.workload, index);
        if process.stay.is_nan() || process.stay < 1.0 {
            return Err("a stay is at least one request".into());
        }
        let times = match (&process.law, recorded) {
            (LawPlan::Recorded { speed, .. }, Some(source)) => Times::Recorded {
                source,
                batch: Vec::with_capacity(BATCH),
                next: 0,
                more: true,
                origin: None,
                speed: *speed,
            },
            (LawPlan::Recorded { .. }, None) => {
                return Err("no trace was given for the recorded stamps".into());
            }
            (law, _) => {
                let modulation = process.modulation.as_ref().map(|m| (m, draws(Purpose::Modulation)));
                let clock = Clock::new(&plan.envelopes, &plan.phases, modulation)?;
                if let LawPlan::Cascade { rate, window_s, unevenness } = law {
                    let cascade = Box::new(Cascade::new(*rate, *window_s, unevenness)?);
                    let (clock, draws) = (Box::new(clock), draws(Purpose::Arrivals));
                    return Self::of(plan, process, Times::Cascade { cascade, clock, draws }, index);
                }
                Times::Law { law: Law::new(law)?, clock: Box::new(clock), draws: draws(Purpose::Arrivals) }
            }
        };
        Self::of(plan, process, times, index)
    }

    fn of(plan: &Plan, process: &ProcessPlan, times: Times, index: usize) -> Result<Self, String> {
        Ok(Self {
            name: plan.name.clone(),
            times,
            members: members(plan, process)?,
            streams: process.members.iter().map(|member| member.stream).collect(),
            mix: Draws::new(plan.seed, Purpose::Mix, plan.workload, index),
            stay: 1.0 - 1.0 / process.stay,
            current: None,
        })
    }

    /// Time in seconds and stream of the next request; `None` at the end.
    ///
    /// # Errors
    /// As the recorded trace.
    #[inline]
    pub fn arrival(&mut self) -> Result<Option<(f64, usize)>, TraceError> {
        let (at, phase) = match &mut self.times {
            Times::Law { law, clock, draws } => {
                let gap = law.gap(draws);
                match clock.advance(gap) {
                    Some(at) => (at, clock.phase()),
                    None => return Err(standstill(&self.name)),
                }
            }
            Times::Cascade { cascade, clock, draws } => match cascade.next(clock, draws) {
                Some(at) => (at, cascade.phase()),
                None => return Err(standstill(&self.name)),
            },
            times @ Times::Recorded { .. } => match times.stamp()? {
                Some(at) => (at, 0),
                None => return Ok(None),
            },
        };
        let stays = self.stay > 0.0 && self.mix.unit() < self.stay;
        let member = match self.current {
            Some((of_phase, member)) if stays && of_phase == phase => member,
            _ => self.members[phase.min(self.members.len() - 1)].draw(&mut self.mix),
        };
        self.current = Some((phase, member));
        Ok(Some((at, self.streams[member])))
    }

    /// How far the recorded stamps have been read.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        match &self.times {
            Times::Recorded { source, .. } => source.progress(),
            Times::Law { .. } | Times::Cascade { .. } => None,
        }
    }
}

impl Times {
    fn stamp(&mut self) -> Result<Option<f64>, TraceError> {
        let Self::Recorded { source, batch, next, more, origin, speed } = self else { return Ok(None) };
        while *next == batch.len() {
            if !*more {
                return Ok(None);
            }
            batch.clear();
            *next = 0;
            *more = source.fill(batch, BATCH)?;
        }
        let stamp = batch[*next].time_ns;
        *next += 1;
        let origin = *origin.get_or_insert(stamp);
        Ok(Some((stamp - origin) as f64 * 1e-9 / *speed))
    }
}

/// Envelopes, phases and modulation that together hardly ever let time pass.
#[cold]
fn standstill(name: &str) -> TraceError {
    let reason = "its envelopes, phases and modulation let no request come for a million of their parts";
    TraceError::unusable(name, Fault::new(Code::Infeasible, reason))
}

/// The choice among the members in each phase; one where there are no phases.
fn members(plan: &Plan, process: &ProcessPlan) -> Result<Vec<Choice>, String> {
    if process.members.is_empty() || process.members.iter().any(|m| m.stream >= plan.streams.len()) {
        return Err("a process needs streams that there are".into());
    }
    let as_planned: Vec<f64> = process.members.iter().map(|member| member.weight).collect();
    let of_phase = |weights: &Option<Vec<f64>>| match weights {
        Some(weights) => {
            process.members.iter().map(|m| weights.get(m.stream).copied().unwrap_or(0.0)).collect()
        }
        None => as_planned.clone(),
    };
    let sets = if plan.phases.is_empty() {
        vec![as_planned.clone()]
    } else {
        plan.phases.iter().map(|phase| of_phase(&phase.weights)).collect()
    };
    sets.iter()
        .map(|weights| Choice::new(weights).ok_or_else(|| "shares add up to nothing".to_owned()))
        .collect()
}
