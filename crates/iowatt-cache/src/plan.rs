//! A policy by its name and parameters.

use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// Replacement policies. Parameters that are left out are those of the papers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "policy", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReplacementPlan {
    /// Least recently used.
    #[default]
    Lru,
    /// First in, first out.
    Fifo,
    /// CLOCK.
    Clock {
        /// Bits in which uses are counted, 1 to 8.
        #[serde(default = "one")]
        bits: u32,
    },
    /// 2Q, full version.
    #[serde(rename = "2q")]
    TwoQ {
        /// Kin: share of the slots that what entered lately keeps.
        #[serde(default = "quarter")]
        in_share: f64,
        /// Kout: keys remembered, as a share of the slots.
        #[serde(default = "half")]
        out_share: f64,
    },
    /// ARC.
    Arc,
    /// Least frequently used.
    Lfu,
    /// W-TinyLFU.
    #[serde(rename = "w-tinylfu")]
    WTinyLfu {
        /// Share of the slots in the window.
        #[serde(default = "hundredth")]
        window_share: f64,
        /// Share of the rest that may be protected.
        #[serde(default = "four_fifths")]
        protected_share: f64,
        /// References a slot after which counts are halved.
        #[serde(default = "ten")]
        sample: f64,
    },
    /// S3-FIFO.
    #[serde(rename = "s3-fifo")]
    S3Fifo {
        /// Share of the slots in the small queue.
        #[serde(default = "tenth")]
        small_share: f64,
        /// Keys remembered, as a share of the slots.
        #[serde(default = "nine_tenths")]
        ghost_share: f64,
        /// Uses, 1 to 3, that take a slot from the small queue to the main one.
        #[serde(default = "two")]
        threshold: u32,
    },
    /// SIEVE.
    Sieve,
}

impl ReplacementPlan {
    /// Checks the parameters.
    ///
    /// # Errors
    /// Says which is wrong, and what would be accepted.
    pub fn validate(&self) -> Result<(), String> {
        let share = |name: &str, value: f64, most: f64| {
            let fits = value >= 0.0 && value <= most;
            fits.then_some(()).ok_or_else(|| format!("{name} is {value}; 0 to {most} is accepted"))
        };
        match *self {
            Self::Lru | Self::Fifo | Self::Arc | Self::Lfu | Self::Sieve => Ok(()),
            Self::Clock { bits: 1..=8 } => Ok(()),
            Self::Clock { bits } => Err(format!("bits is {bits}; 1 to 8 are accepted")),
            Self::TwoQ { in_share, out_share } => {
                share("in_share", in_share, 1.0).and_then(|()| share("out_share", out_share, 100.0))
            }
            Self::WTinyLfu { window_share, protected_share, sample } => {
                share("window_share", window_share, 1.0)?;
                share("protected_share", protected_share, 1.0)?;
                share("sample", sample, 1e6)
            }
            Self::S3Fifo { small_share, ghost_share, threshold } => {
                share("small_share", small_share, 1.0)?;
                share("ghost_share", ghost_share, 100.0)?;
                (1..=3)
                    .contains(&threshold)
                    .then_some(())
                    .ok_or_else(|| format!("threshold is {threshold}; 1 to 3 are accepted"))
            }
        }
    }
}

/// The schema of [`named_or_whole`]: the name of a policy with its default parameters, or its plan.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only its schema is used
pub enum NamedOrWhole {
    /// The name of a policy.
    Named(String),
    /// A policy and its parameters.
    Whole(ReplacementPlan),
}

/// A plan, or the name of a policy alone.
///
/// # Errors
/// Those of the deserializer.
pub fn named_or_whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ReplacementPlan, D::Error> {
    struct Either;
    impl<'de> Visitor<'de> for Either {
        type Value = ReplacementPlan;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the name of a replacement policy, or its plan")
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<ReplacementPlan, E> {
            ReplacementPlan::deserialize(MapDeserializer::new(std::iter::once(("policy", name))))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ReplacementPlan, A::Error> {
            ReplacementPlan::deserialize(MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_any(Either)
}

fn one() -> u32 {
    1
}

fn two() -> u32 {
    2
}

fn hundredth() -> f64 {
    0.01
}

fn tenth() -> f64 {
    0.1
}

fn quarter() -> f64 {
    0.25
}

fn half() -> f64 {
    0.5
}

fn four_fifths() -> f64 {
    0.8
}

fn nine_tenths() -> f64 {
    0.9
}

fn ten() -> f64 {
    10.0
}
