//! The Monte Carlo engine: trials in chunks, each with a random stream of its own, in rounds until the error is small.
//!
//! Sums are taken chunk by chunk in order, so that threads change nothing.

mod model;
mod state;
mod trial;

use crate::availability::Unavailable;
use crate::code::Code;
use crate::cpu;
use crate::plan::{GroupPlan, Plan, YEAR_S};
use crate::results::{BeyondMarkov, Causes, Ended, Estimate, GroupResult};
use crate::rng::Random;
use model::Model;
use state::State;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use trial::Trial;

/// Trials of a chunk, chunks of the first round, and of the largest.
const CHUNK: u64 = 64;
const FIRST_ROUND: u64 = 16;
const LARGEST_ROUND: u64 = 256;
/// Deviations of a 95 % interval.
const DEVIATIONS: f64 = 1.959_964;

/// Places of measures in a trial's score; causes by domain follow.
pub struct Measure;

impl Measure {
    const ANY_YEAR: usize = 0;
    const ANY: usize = 1;
    const GROUP: usize = 2;
    const BYTES_YEAR: usize = 3;
    const BYTES: usize = 4;
    /// Measures from here on have no interval.
    const PLAIN: usize = 5;
    const DEGRADED: usize = 5;
    const UNAVAILABLE: usize = 6;
    const DRIVES: usize = 7;
    const ERRORS: usize = 8;
    const FIXED: usize = 9;
}

/// Sums over trials.
#[derive(Clone, Debug, Default)]
struct Tally {
    trials: u64,
    sums: Vec<f64>,
    squares: [f64; Measure::PLAIN],
    busy_s: f64,
}

impl Tally {
    fn add(&mut self, score: &[f64]) {
        self.trials += 1;
        self.sums.resize(score.len(), 0.0);
        self.sums.iter_mut().zip(score).for_each(|(sum, value)| *sum += value);
        self.squares.iter_mut().zip(score).for_each(|(sum, value)| *sum += value * value);
    }

    fn join(&mut self, other: &Self) {
        self.trials += other.trials;
        self.sums.resize(other.sums.len(), 0.0);
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, value)| *sum += value);
        self.squares.iter_mut().zip(&other.squares).for_each(|(sum, value)| *sum += value);
        self.busy_s += other.busy_s;
    }

    fn mean(&self, measure: usize) -> f64 {
        self.sums.get(measure).map_or(0.0, |sum| sum / self.trials.max(1) as f64)
    }

    /// Half of the 95 % interval of a measure.
    fn half(&self, measure: usize) -> f64 {
        let n = self.trials as f64;
        let mean = self.mean(measure);
        let variance = (self.squares[measure] / n - mean * mean).max(0.0) / (n - 1.0).max(1.0);
        DEVIATIONS * variance.sqrt()
    }

    fn relative_error(&self) -> f64 {
        let mean = self.mean(Measure::ANY);
        if mean > 0.0 { self.half(Measure::ANY) / mean } else { f64::INFINITY }
    }

    fn estimate(&self, measure: usize, most: f64) -> Estimate {
        let (mean, half) = (self.mean(measure), self.half(measure));
        Estimate { mean, low: (mean - half).max(0.0), high: (mean + half).min(most) }
    }
}

/// One group by simulation; `None` where `progress`, which is given a fraction and the trials so far, says stop.
pub fn assess(
    plan: &Plan,
    (number, group): (usize, &GroupPlan),
    code: &Code,
    unavailable: &Unavailable,
    beyond: Vec<BeyondMarkov>,
    threads: usize,
    progress: &mut dyn FnMut(f64, u64) -> bool,
) -> Option<GroupResult> {
    let model = Model::new(group, code);
    let year_s = plan.horizon_s.min(YEAR_S);
    let chunks = plan.most_trials.div_ceil(CHUNK);
    let stream = (number as u64) << 40;
    let one = |trial: &mut Trial<'_>, chunk: u64| {
        let started = cpu::thread_s();
        let mut random = Random::new(plan.seed, stream | chunk);
        let mut tally = Tally::default();
        for _ in 0..CHUNK.min(plan.most_trials - chunk * CHUNK) {
            trial.run(&mut random);
            tally.add(&trial.score);
        }
        tally.busy_s = cpu::thread_s() - started;
        tally
    };
    let make = || Trial::new(&model, unavailable, plan.horizon_s, year_s);
    let mut all = Tally::default();
    let (mut done, mut round) = (0, FIRST_ROUND);
    let ended = loop {
        let until = chunks.min(done + round);
        let so_far = all.trials;
        let fraction = (done as f64 / chunks as f64).max(target_share(&all, plan.relative_error));
        let mut look = |chunk: u64| progress(fraction, so_far + chunk * CHUNK);
        for tally in round_of(done..until, threads, &make, &one, &mut look)? {
            all.join(&tally);
        }
        done = until;
        round = (round * 2).min(LARGEST_ROUND);
        if all.relative_error() <= plan.relative_error {
            break Ended::Target;
        }
        if done == chunks {
            break Ended::Trials;
        }
        if all.busy_s >= plan.most_cpu_s {
            break Ended::Cpu;
        }
    };
    Some(result(plan, group, &all, beyond, ended))
}

/// How near the error is to what was asked for: errors fall with the square root of trials.
fn target_share(tally: &Tally, target: f64) -> f64 {
    let share = target / tally.relative_error();
    if tally.trials > 0 && share.is_finite() { (share * share).min(1.0) } else { 0.0 }
}

/// The tallies of chunks, in order.
fn round_of<T>(
    chunks: std::ops::Range<u64>,
    threads: usize,
    make: &(dyn Fn() -> T + Sync),
    one: &(dyn Fn(&mut T, u64) -> Tally + Sync),
    progress: &mut dyn FnMut(u64) -> bool,
) -> Option<Vec<Tally>> {
    let count = (chunks.end - chunks.start) as usize;
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let tallies = Mutex::new(vec![Tally::default(); count]);
    let work = |look: &mut dyn FnMut(u64) -> bool| {
        let mut trial = make();
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= count || stop.load(Ordering::Relaxed) {
                return;
            }
            let tally = one(&mut trial, chunks.start + chunk as u64);
            tallies.lock().unwrap_or_else(PoisonError::into_inner)[chunk] = tally;
            if !look(chunk as u64 + 1) {
                stop.store(true, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(|| work(&mut |_| true));
        }
        work(progress);
    });
    let tallies = tallies.into_inner().unwrap_or_else(PoisonError::into_inner);
    (!stop.load(Ordering::Relaxed)).then_some(tallies)
}

fn result(
    plan: &Plan,
    group: &GroupPlan,
    all: &Tally,
    beyond_markov: Vec<BeyondMarkov>,
    ended: Ended,
) -> GroupResult {
    let years = plan.horizon_s / YEAR_S;
    let loss = all.estimate(Measure::ANY, 1.0);
    let share = |measure: usize| if loss.mean > 0.0 { all.mean(measure) / loss.mean } else { 0.0 };
    let hours = |measure: usize| all.mean(measure) / 3600.0 / years;
    GroupResult {
        method: "monte-carlo",
        beyond_markov,
        loss_first_year: all.estimate(Measure::ANY_YEAR, 1.0),
        loss,
        group_loss: all.estimate(Measure::GROUP, 1.0),
        bytes_lost_first_year: all.estimate(Measure::BYTES_YEAR, f64::INFINITY),
        bytes_lost: all.estimate(Measure::BYTES, f64::INFINITY),
        mttdl_s: plan.horizon_s / -(-loss.mean.min(1.0)).ln_1p(),
        degraded_hours_a_year: hours(Measure::DEGRADED),
        unavailable_hours_a_year: hours(Measure::UNAVAILABLE),
        causes: Causes {
            drives: share(Measure::DRIVES),
            errors: share(Measure::ERRORS),
            domains: (0..group.domains.len()).map(|domain| share(Measure::FIXED + domain)).collect(),
        },
        trials: all.trials,
        states: 0,
        cpu_s: all.busy_s,
        relative_error: if loss.mean > 0.0 { all.relative_error() } else { 0.0 },
        ended,
    }
}
