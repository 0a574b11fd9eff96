//! Workloads: streams of requests and their pace.

use iowatt_volume::PlanFault::Range;
use iowatt_volume::{PlanError, Under, at_least_zero, check, is_share, positive};
use serde::Deserialize;

/// One stream of requests.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkloadPlan {
    /// Index of the volume it addresses.
    pub volume: usize,
    /// Index of the path it takes; none: its requests are at the array as they arrive.
    #[serde(default)]
    pub path: Option<usize>,
    /// How its time stamps become arrivals.
    pub replay: ReplayPlan,
    /// Share of its writes that are all zeros.
    #[serde(default)]
    pub zero_share: f64,
    /// When its time zero is, seconds from the start of the run; a closed loop issues nothing before.
    #[serde(default)]
    pub start_s: f64,
    /// From when it issues nothing more, seconds from the start of the run; none: until its source ends.
    #[serde(default)]
    pub end_s: Option<f64>,
}

/// How a recorded or generated stream is paced.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, tag = "mode", rename_all = "kebab-case")]
pub enum ReplayPlan {
    /// Arrivals at the recorded stamps divided by `speed`, whatever the storage does.
    Open {
        /// Time compression: 2.0 replays twice as fast, 0.4 slower.
        speed: f64,
    },
    /// The next request is issued when one completes.
    Closed {
        /// Requests kept outstanding.
        outstanding: u32,
        /// Whether the limit holds for the workload or for each of its streams.
        per: ClosedPer,
        /// From a completion to the request that follows it; none: no time.
        think: Option<ThinkPlan>,
    },
}

/// Think time of a closed loop.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ThinkPlan {
    /// Its mean.
    pub mean_s: f64,
    /// Whether it is exponential; else it is always the mean.
    pub exponential: bool,
}

/// The scope of a closed loop's limit.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClosedPer {
    /// All requests of the workload together.
    Workload,
    /// Each recorded stream by itself, in its own order.
    Stream,
}

impl WorkloadPlan {
    /// Checks the figures; its volume and path are checked where these are known.
    pub(super) fn validate(&self) -> Result<(), PlanError> {
        check(is_share(self.zero_share), Range, "zero_share", "must be 0 to 1")?;
        check(at_least_zero(self.start_s), Range, "start_s", "must be at least 0")?;
        check(self.end_s.is_none_or(|end| end > self.start_s), Range, "end_s", "must be after start_s")?;
        self.replay.validate().under("replay")
    }
}

impl ReplayPlan {
    fn validate(&self) -> Result<(), PlanError> {
        match *self {
            Self::Open { speed } => check(positive(speed), Range, "speed", "must be positive"),
            Self::Closed { outstanding, think, .. } => {
                check(outstanding > 0, Range, "outstanding", "must be at least 1")?;
                let sound = think.is_none_or(|think| at_least_zero(think.mean_s));
                check(sound, Range, "think.mean_s", "must be at least 0")
            }
        }
    }
}
