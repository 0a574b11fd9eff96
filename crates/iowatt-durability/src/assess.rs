//! A plan assessed: each group by an engine, and all of them together.

use crate::availability::Unavailable;
use crate::code::Code;
use crate::plan::{GroupPlan, Method, Plan};
use crate::results::{Estimate, GroupResult, Results, TotalResult};
use crate::{markov, monte_carlo};
use iowatt_volume::PlanError;

/// What ends an assessment early.
#[derive(Debug)]
pub enum AssessError {
    /// The plan cannot be assessed.
    Plan(PlanError),
    /// The caller's progress hook asked to stop.
    Stopped,
}

/// Assesses a plan on so many threads, which change nothing but the time it takes.
///
/// `progress` is given the fraction that is done and the trials of the group at hand; false stops.
///
/// # Errors
/// [`AssessError`] where the plan is wrong or `progress` asked to stop.
pub fn assess(
    plan: &Plan,
    threads: usize,
    progress: &mut dyn FnMut(f64, u64) -> bool,
) -> Result<Results, AssessError> {
    plan.validate().map_err(AssessError::Plan)?;
    let mut groups = Vec::new();
    for (number, group) in plan.groups.iter().enumerate() {
        let code = Code::new(group);
        let unavailable = Unavailable::new(group, &code);
        let beyond = markov::beyond(group, &code);
        let by_chain = match plan.method {
            Method::Auto => beyond.is_empty(),
            Method::Markov => true,
            Method::MonteCarlo => false,
        };
        let mut part =
            |fraction: f64, trials| progress((number as f64 + fraction) / plan.groups.len() as f64, trials);
        let found = if by_chain {
            let found = markov::assess(group, &code, &unavailable, plan.horizon_s);
            part(1.0, 0).then_some(found)
        } else {
            monte_carlo::assess(plan, (number, group), &code, &unavailable, beyond, threads, &mut part)
        };
        groups.push(found.ok_or(AssessError::Stopped)?);
    }
    let total = total(&plan.groups, &groups);
    Ok(Results { groups, total })
}

fn total(plans: &[GroupPlan], groups: &[GroupResult]) -> TotalResult {
    let all = || plans.iter().map(|plan| plan.count as f64).zip(groups);
    let user_bytes = plans.iter().map(|plan| plan.count as f64 * plan.user_bytes).sum();
    let bytes_lost = sum(&all().map(|(count, group)| (count, group.bytes_lost)).collect::<Vec<_>>());
    let rate: f64 = all().map(|(count, group)| count / group.mttdl_s).sum();
    TotalResult {
        loss_first_year: any(&all().map(|(count, group)| (count, group.loss_first_year)).collect::<Vec<_>>()),
        loss: any(&all().map(|(count, group)| (count, group.loss)).collect::<Vec<_>>()),
        group_loss: any(&all().map(|(count, group)| (count, group.group_loss)).collect::<Vec<_>>()),
        bytes_lost_first_year: sum(&all()
            .map(|(count, group)| (count, group.bytes_lost_first_year))
            .collect::<Vec<_>>()),
        lost_share: bytes_lost.mean / user_bytes,
        bytes_lost,
        user_bytes,
        mttdl_s: 1.0 / rate,
        degraded_group_hours_a_year: all().map(|(count, group)| count * group.degraded_hours_a_year).sum(),
        unavailable_group_hours_a_year: all()
            .map(|(count, group)| count * group.unavailable_hours_a_year)
            .sum(),
        cpu_s: groups.iter().map(|group| group.cpu_s).sum(),
    }
}

/// The probability that any of independent groups loses, so many of each kind.
fn any(parts: &[(f64, Estimate)]) -> Estimate {
    let none: f64 = parts.iter().map(|(count, p)| count * (-p.mean.min(1.0)).ln_1p()).sum();
    let mean = -none.exp_m1();
    // How the total moves with each kind's probability: count (1 - total) / (1 - p).
    let half = |(count, p): &(f64, Estimate)| {
        let slope = if p.mean < 1.0 { count * none.exp() / (1.0 - p.mean) } else { 0.0 };
        slope * (p.high - p.low) / 2.0
    };
    around(mean, parts.iter().map(half), 1.0)
}

/// The sum over groups, so many of each kind.
fn sum(parts: &[(f64, Estimate)]) -> Estimate {
    let mean = parts.iter().map(|(count, of)| count * of.mean).sum();
    around(mean, parts.iter().map(|(count, of)| count * (of.high - of.low) / 2.0), f64::INFINITY)
}

fn around(mean: f64, halves: impl Iterator<Item = f64>, most: f64) -> Estimate {
    let half = halves.map(|half| half * half).sum::<f64>().sqrt();
    Estimate { mean, low: (mean - half).max(0.0), high: (mean + half).min(most) }
}
