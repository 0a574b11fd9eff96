//! A policy by its name and parameters.

use crate::level::Levels;
use crate::policies::{
    Adaptation, Adaptive, Arima, FixedThreshold, LawDriven, LawName, MultiLevel, MultiSpeed, Never,
    OracleEnergy, OracleLatency, Order, Prediction, Share, Sharing, Timer, TwoCompetitive,
};
use crate::policy::Policy;
use serde::Deserialize;

/// Which policy, with which parameters. Levels are numbers of a drive's [`Levels`]: 1 is the first below idling.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, tag = "policy", rename_all = "kebab-case")]
pub enum PolicyPlan {
    /// [`Never`].
    Never,
    /// [`FixedThreshold`].
    FixedThreshold {
        /// Idle time before the change, seconds.
        threshold_s: f64,
        /// Where it goes.
        level: usize,
    },
    /// [`TwoCompetitive`].
    TwoCompetitive {
        /// Where it goes.
        level: usize,
        /// Whether the threshold is drawn for each period.
        #[serde(default)]
        randomised: bool,
    },
    /// [`Adaptive`].
    Adaptive {
        /// Where it goes.
        level: usize,
        /// How the threshold moves.
        adaptation: Adaptation,
    },
    /// [`Share`].
    Share {
        /// Where it goes.
        level: usize,
        /// Its experts.
        sharing: Sharing,
    },
    /// [`Arima`].
    Arima {
        /// Where it goes.
        level: usize,
        /// How far it trusts its forecast.
        prediction: Prediction,
        /// The order of the model.
        order: Order,
    },
    /// [`LawDriven`].
    LawDriven {
        /// Where it goes.
        level: usize,
        /// How far it trusts the law.
        prediction: Prediction,
        /// Which law; none: the best of all.
        law: Option<LawName>,
    },
    /// [`OracleEnergy`].
    OracleEnergy {
        /// Where it goes; none: to any level.
        level: Option<usize>,
        /// Whether it never delays an arrival.
        #[serde(default)]
        in_time: bool,
    },
    /// [`OracleLatency`].
    OracleLatency {
        /// Where it goes.
        level: usize,
    },
    /// [`MultiLevel`].
    MultiLevel {
        /// Its timers; none: those of the lower envelope.
        timers: Option<Vec<Timer>>,
    },
    /// [`MultiSpeed`].
    MultiSpeed {
        /// Its timers.
        timers: Vec<Timer>,
        /// Most requests at the drive that a reduced speed may serve.
        bears: usize,
    },
}

impl PolicyPlan {
    /// The policy for a drive of `levels`; `seed` is what a randomised one draws from.
    ///
    /// # Errors
    /// What is wrong with the levels or the parameters.
    pub fn build(&self, levels: &Levels, seed: u64) -> Result<Box<dyn Policy>, String> {
        levels.validate()?;
        if levels.idle_w.is_nan() && *self != Self::Never {
            return Err("a policy needs the watts of idling".into());
        }
        self.validate(levels)?;
        Ok(match self.clone() {
            Self::Never => Box::new(Never),
            Self::FixedThreshold { threshold_s, level } => Box::new(FixedThreshold { threshold_s, level }),
            Self::TwoCompetitive { level, randomised: false } => Box::new(TwoCompetitive::new(levels, level)),
            Self::TwoCompetitive { level, randomised: true } => {
                Box::new(TwoCompetitive::randomised(levels, level, seed))
            }
            Self::Adaptive { level, adaptation } => Box::new(Adaptive::new(adaptation, level)),
            Self::Share { level, sharing } => Box::new(Share::new(sharing, levels, level)),
            Self::Arima { level, prediction, order } => {
                Box::new(Arima::new(prediction, order, levels, level))
            }
            Self::LawDriven { level, prediction, law } => {
                Box::new(LawDriven::new(prediction, law, levels, level))
            }
            Self::OracleEnergy { level, in_time } => Box::new(OracleEnergy::new(levels, level, in_time)),
            Self::OracleLatency { level } => Box::new(OracleLatency::new(levels, level)),
            Self::MultiLevel { timers: None } => Box::new(MultiLevel::envelope(levels)),
            Self::MultiLevel { timers: Some(timers) } => Box::new(MultiLevel::new(timers)),
            Self::MultiSpeed { timers, bears } => Box::new(MultiSpeed::new(timers, bears)),
        })
    }

    /// Whether it must be told the lengths of idle periods beforehand.
    #[must_use]
    pub fn foresees(&self) -> bool {
        matches!(self, Self::OracleEnergy { .. } | Self::OracleLatency { .. })
    }

    /// The same policy made to delay nothing, where it knows beforehand: what a simulation can follow.
    #[must_use]
    pub fn in_time(&self) -> Self {
        match *self {
            Self::OracleEnergy { level, .. } => Self::OracleEnergy { level, in_time: true },
            _ => self.clone(),
        }
    }

    fn validate(&self, levels: &Levels) -> Result<(), String> {
        let duration = |s: f64, what: &str| {
            if s.is_finite() && s >= 0.0 { Ok(()) } else { Err(format!("{what} must be 0 s or more")) }
        };
        let level = |l: usize| match levels.get(l) {
            Some(_) => Ok(()),
            None => Err(format!("level {l} is not one of the {} below idling", levels.below.len())),
        };
        let each = |timers: &[Timer]| {
            timers.iter().try_for_each(|t| duration(t.after_s, "a timer").and_then(|()| level(t.level)))
        };
        match self {
            Self::Never | Self::MultiLevel { timers: None } => Ok(()),
            Self::FixedThreshold { threshold_s, level: to } => {
                duration(*threshold_s, "a threshold").and_then(|()| level(*to))
            }
            Self::TwoCompetitive { level: to, .. } | Self::OracleLatency { level: to } => level(*to),
            Self::OracleEnergy { level: to, .. } => to.map_or(Ok(()), level),
            Self::Adaptive { level: to, adaptation: how } => {
                level(*to)?;
                for s in [how.initial_s, how.raise_s, how.lower_s, how.least_s, how.most_s] {
                    duration(s, "a threshold and its steps")?;
                }
                let bounded = how.least_s <= how.most_s && how.acceptable >= 0.0;
                if bounded { Ok(()) } else { Err("the least threshold must not exceed the most".into()) }
            }
            Self::Share { level: to, sharing } => {
                level(*to)?;
                let rates = sharing.learning_rate > 0.0
                    && sharing.learning_rate.is_finite()
                    && (0.0..1.0).contains(&sharing.share);
                if !rates {
                    return Err("the learning rate must be positive and the share from 0 to below 1".into());
                }
                if (1..=100_000).contains(&sharing.experts) {
                    Ok(())
                } else {
                    Err("from 1 to 100,000 experts are accepted".into())
                }
            }
            Self::Arima { level: to, prediction, order } => {
                level(*to).and_then(|()| prediction.validate()).and_then(|()| order.validate())
            }
            Self::LawDriven { level: to, prediction, .. } => level(*to).and_then(|()| prediction.validate()),
            Self::MultiLevel { timers: Some(timers) } | Self::MultiSpeed { timers, .. } => each(timers),
        }
    }
}
