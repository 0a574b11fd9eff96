//! What an assessment finds.

use serde::Serialize;

/// All groups and their total.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// In the order of the plan.
    pub groups: Vec<GroupResult>,
    /// Over all groups, which are independent.
    pub total: TotalResult,
}

/// One group of those that are alike.
#[derive(Clone, Debug, Serialize)]
pub struct GroupResult {
    /// The engine that computed it: `markov` or `monte-carlo`.
    pub method: &'static str,
    /// Why the Markov chain does not hold the group; where it was asked for all the same, what it replaced.
    pub beyond_markov: Vec<BeyondMarkov>,
    /// Any loss of data, within the first year (or the horizon, where that is shorter).
    pub loss_first_year: Estimate,
    /// Any loss of data, within the horizon.
    pub loss: Estimate,
    /// A loss of more members than the code survives, within the horizon: not of single sectors.
    pub group_loss: Estimate,
    /// Expected bytes lost in the first year.
    pub bytes_lost_first_year: Estimate,
    /// Expected bytes lost in the horizon.
    pub bytes_lost: Estimate,
    /// Mean time to any loss. Monte Carlo: that of the constant rate which gives `loss` at the horizon.
    pub mttdl_s: f64,
    /// Expected hours a year with a member lost, on average over the horizon.
    pub degraded_hours_a_year: f64,
    /// Expected hours a year in which not all data can be reached, on average over the horizon.
    pub unavailable_hours_a_year: f64,
    /// What the first loss within the horizon comes from; shares of `loss`.
    pub causes: Causes,
    /// Trials, 0 of a Markov chain.
    pub trials: u64,
    /// States of the Markov chain, 0 of Monte Carlo.
    pub states: usize,
    /// CPU seconds; the only figure that differs between runs.
    pub cpu_s: f64,
    /// Half of the interval of `loss`, relative to it; 0 of a Markov chain.
    pub relative_error: f64,
    /// What ended the trials.
    pub ended: Ended,
}

/// A figure with its 95 % confidence interval, which is the figure itself where a Markov chain gives it.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq)]
pub struct Estimate {
    /// Mean.
    pub mean: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Estimate {
    /// A figure without error.
    #[must_use]
    pub const fn exact(mean: f64) -> Self {
        Self { mean, low: mean, high: mean }
    }
}

/// Shares of the probability of loss; they add up to 1 where there is any.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Causes {
    /// Drives alone.
    pub drives: f64,
    /// A latent or unrecoverable error in a rebuild.
    pub errors: f64,
    /// A unit that destroyed members, by domain of the plan.
    pub domains: Vec<f64>,
}

/// What a Markov chain cannot hold.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum BeyondMarkov {
    /// Drives that age; replaced by a constant rate, the mean of the horizon.
    Ageing,
    /// Delays or rebuilds of fixed length; replaced by exponential ones.
    FixedTimes,
    /// Batches of drives; left out.
    Batches,
    /// Latent errors without scrubbing; replaced by those of half the horizon.
    NoScrub,
    /// Units that destroy members; left out.
    DomainLosses,
    /// More states than the chain may have; those with most members lost are left out.
    States,
}

/// What ended the trials.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// There were none.
    Exact,
    /// The relative error that was asked for.
    Target,
    /// The most trials.
    Trials,
    /// The most CPU seconds.
    Cpu,
}

/// Over all groups.
#[derive(Clone, Debug, Serialize)]
pub struct TotalResult {
    /// Any loss of data within the first year.
    pub loss_first_year: Estimate,
    /// Any loss of data within the horizon.
    pub loss: Estimate,
    /// A loss of more members than the code survives, within the horizon.
    pub group_loss: Estimate,
    /// Expected bytes lost in the first year.
    pub bytes_lost_first_year: Estimate,
    /// Expected bytes lost in the horizon.
    pub bytes_lost: Estimate,
    /// Bytes of users.
    pub user_bytes: f64,
    /// `bytes_lost` over `user_bytes`: the normalised magnitude of data loss (NOMDL) of Greenan, Plank and Wylie, 2010.
    pub lost_share: f64,
    /// Mean time to the first loss of any group, at constant rates.
    pub mttdl_s: f64,
    /// Expected degraded hours a year, summed over groups.
    pub degraded_group_hours_a_year: f64,
    /// Expected unavailable hours a year, summed over groups.
    pub unavailable_group_hours_a_year: f64,
    /// CPU seconds.
    pub cpu_s: f64,
}
