//! The Markov engine: the chain of a group, solved without subtractions, so that 1e-15 has all its digits.

mod chain;
mod solve;

use crate::availability::Unavailable;
use crate::code::Code;
use crate::cpu;
use crate::plan::{GroupPlan, LifePlan, YEAR_S};
use crate::results::{BeyondMarkov, Causes, Ended, Estimate, GroupResult};
use chain::{Absorb, Chain};
use solve::Transient;

/// What the chain of a group cannot hold; nothing where it is exact.
#[must_use]
pub fn beyond(group: &GroupPlan, code: &Code) -> Vec<BeyondMarkov> {
    let mut found = Vec::new();
    if !matches!(group.life, LifePlan::Exponential { .. }) {
        found.push(BeyondMarkov::Ageing);
    }
    if group.repair.is_fixed() {
        found.push(BeyondMarkov::FixedTimes);
    }
    if group.batches.is_some() {
        found.push(BeyondMarkov::Batches);
    }
    if group.errors.latent_per_s > 0.0 && group.errors.scrub_s.is_none() {
        found.push(BeyondMarkov::NoScrub);
    }
    if group.domains.iter().any(|domain| domain.failures_per_s * domain.lost_share > 0.0) {
        found.push(BeyondMarkov::DomainLosses);
    }
    if chain::truncated(group, code) {
        found.push(BeyondMarkov::States);
    }
    found
}

/// One group by its chain.
#[must_use]
pub fn assess(group: &GroupPlan, code: &Code, unavailable: &Unavailable, horizon_s: f64) -> GroupResult {
    let started = cpu::thread_s();
    let chain = Chain::new(group, code, unavailable, horizon_s);
    let year_s = horizon_s.min(YEAR_S);
    let years = horizon_s / YEAR_S;
    let drives = chain.reward(|state| state.drive_loss);
    let either = chain.reward(|state| state.drive_loss + state.error_loss);
    let bytes = chain.reward(|state| state.bytes_lost);
    let any = chain.absorbing(Absorb::AnyLoss);
    let lost = any.within(&[either.clone(), drives.clone()], horizon_s);
    let (loss, by_drives) = (lost[0], lost[1]);
    let group_loss = chain.absorbing(Absorb::GroupLoss).within(&[drives], horizon_s);
    let alive = chain.absorbing(Absorb::AllData);
    let rewards =
        [bytes.clone(), chain.reward(|state| state.degraded), chain.reward(|state| state.unavailable)];
    let alive_for = alive.within(&rewards, horizon_s);
    let first = |of: &Transient, reward: Vec<f64>, whole: f64| {
        if year_s < horizon_s { of.within(&[reward], year_s)[0] } else { whole }
    };
    let hours = |seconds: f64| seconds / 3600.0 / years;
    let share = |part: f64| if loss > 0.0 { part / loss } else { 0.0 };
    GroupResult {
        method: "markov",
        beyond_markov: beyond(group, code),
        loss_first_year: Estimate::exact(first(&any, either.clone(), loss)),
        loss: Estimate::exact(loss),
        group_loss: Estimate::exact(group_loss[0]),
        bytes_lost_first_year: Estimate::exact(first(&alive, bytes, alive_for[0])),
        bytes_lost: Estimate::exact(alive_for[0]),
        mttdl_s: any.mean_time(&either),
        degraded_hours_a_year: hours(alive_for[1]),
        unavailable_hours_a_year: hours(alive_for[2]),
        causes: Causes {
            drives: share(by_drives),
            errors: share((loss - by_drives).max(0.0)),
            domains: vec![0.0; group.domains.len()],
        },
        trials: 0,
        states: chain.states(),
        cpu_s: cpu::thread_s() - started,
        relative_error: 0.0,
        ended: Ended::Exact,
    }
}
