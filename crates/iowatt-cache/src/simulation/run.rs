//! The pass over a trace.

use super::alone::Alone;
use super::batch::Batch;
use super::directory::{Directory, Full};
use super::outcome::Outcome;
use super::plan::{SimulationPlan, WarmUp};
use iowatt_trace::{Code, Fault, Op, Request, Source, TraceError};

/// Requests read at a time: their records stay in the second-level cache.
const READ: usize = 1 << 10;

/// Told now and then how far it is: the fraction, where it is known, and the requests so far.
pub type Tell<'a> = &'a mut dyn FnMut(Option<f64>, u64) -> Result<(), TraceError>;

/// What passes by, and how many different blocks: [`simulate`] without caches.
///
/// # Errors
/// As [`simulate`].
pub fn measure(
    source: &mut dyn Source,
    file: &str,
    block_bytes: Option<u64>,
    tell: Tell<'_>,
) -> Result<Outcome, TraceError> {
    let plan = SimulationPlan {
        block_bytes,
        writes: Default::default(),
        warm_up: WarmUp::default(),
        caches: Vec::new(),
    };
    simulate(source, file, &plan, tell)
}

/// Simulates the caches of a plan over `source`, which `file` names.
///
/// # Errors
/// A plan that [`SimulationPlan::validate`] refuses, what the source says, what `tell` says, and more blocks than can be
/// numbered (about 4 x 10^9).
pub fn simulate(
    source: &mut dyn Source,
    file: &str,
    plan: &SimulationPlan,
    tell: Tell<'_>,
) -> Result<Outcome, TraceError> {
    let unusable = |code: Code, reason: String| TraceError::unusable(file, Fault::new(code, reason));
    plan.validate().map_err(|reason| unusable(Code::OutOfRange, reason))?;
    let mut caches: Vec<Alone> = plan.caches.iter().map(|cache| Alone::new(cache, plan.writes)).collect();
    let mut outcome = Outcome::default();
    let mut directory = Directory::new();
    let mut batch = Batch::default();
    let mut requests: Vec<Request> = Vec::with_capacity(READ);
    let (mut more, mut warm, mut done) = (true, true, 0);
    while more {
        requests.clear();
        more = source.fill(&mut requests, READ)?;
        for request in &requests {
            if matches!(request.op, Op::Trim | Op::Flush) {
                outcome.other_requests += 1;
                continue;
            }
            if warm && !in_warm_up(&plan.warm_up, done, request.time_ns) {
                outcome.warm_up_requests = done;
                pass(&mut batch, &mut caches, &directory, &mut outcome, false);
                warm = false;
            }
            done += 1;
            outcome.span_bytes = outcome.span_bytes.max(request.offset + u64::from(request.size));
            let added = batch.add(request, plan.block_bytes, &mut directory);
            added.map_err(|Full| {
                unusable(
                    Code::TooLarge,
                    "more than 4 x 10^9 blocks are touched, or as many regions of 16 blocks begun; a larger block takes fewer"
                        .to_owned(),
                )
            })?;
            if batch.is_long() {
                pass(&mut batch, &mut caches, &directory, &mut outcome, !warm);
            }
        }
        pass(&mut batch, &mut caches, &directory, &mut outcome, !warm);
        tell(source.progress(), done)?;
    }
    if warm {
        outcome.warm_up_requests = done;
    }
    outcome.footprint = directory.distinct();
    outcome.caches = caches.iter().map(Alone::outcome).collect();
    Ok(outcome)
}

fn in_warm_up(warm_up: &WarmUp, done: u64, time_ns: u64) -> bool {
    done < warm_up.requests || time_ns < warm_up.time_ns
}

fn pass(
    batch: &mut Batch,
    caches: &mut [Alone],
    directory: &Directory,
    outcome: &mut Outcome,
    counted: bool,
) {
    if batch.is_empty() {
        return;
    }
    for cache in caches {
        cache.pass(batch, directory.numbers(), counted);
    }
    if counted {
        batch.count(&mut outcome.all);
    }
    batch.clear();
}
