//! The Share algorithm (Helmbold, Long, Sconyers, Sherrod: Adaptive disk spin-down for mobile computers, MONET 5,
//! 2000; share update of Herbster and Warmuth).
//!
//! Experts hold fixed timeouts between 0 and the break-even time; the timeout used is the mean of theirs, weighted. After a
//! period each expert has a loss: what it would have drawn beyond the optimum, as a share of the most that it can be,
//! cut to 0..1. Then `w_i <- w_i e^(-eta loss_i)`, each gives up the share `1 - (1 - alpha)^loss_i` of its weight, and
//! what was given up is divided equally, so that an expert that was bad for long can come back at once.

use crate::level::Levels;
use crate::policy::{Change, Ended, Policy};
use serde::Deserialize;

/// Parameters.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sharing {
    /// Number of experts.
    pub experts: usize,
    /// How fast a loss takes weight away (eta).
    pub learning_rate: f64,
    /// How much weight is shared out after a loss (alpha), below 1.
    pub share: f64,
}

#[derive(Clone, Copy, Debug)]
struct Expert {
    timeout_s: f64,
    weight: f64,
}

/// Goes to a level after the weighted mean of its experts' timeouts.
#[derive(Clone, Debug)]
pub struct Share {
    how: Sharing,
    level: usize,
    levels: Levels,
    /// By rising timeout, from 0 to the break-even time in equal steps.
    experts: Vec<Expert>,
    /// The most that an expert can lose in a period, joules.
    scale_j: f64,
    timeout_s: f64,
}

impl Share {
    /// All experts alike.
    #[must_use]
    pub fn new(how: Sharing, levels: &Levels, level: usize) -> Self {
        let longest_s = levels.break_even_s(level).unwrap_or(f64::INFINITY);
        let count = how.experts.max(1);
        let steps = (count - 1).max(1) as f64;
        let experts = (0..count)
            .map(|i| Expert { timeout_s: longest_s * (i as f64 / steps), weight: 1.0 / count as f64 })
            .collect();
        let mut made =
            Self { how, level, levels: levels.clone(), experts, scale_j: 0.0, timeout_s: longest_s };
        // The worst period of an expert ends just after it has gone down: it pays the way there and back, and standing by
        // while the drive comes up in vain.
        made.scale_j = levels.round_trip_j(level).max(f64::MIN_POSITIVE);
        made.predict();
        made
    }

    /// The timeout in use, seconds.
    #[must_use]
    pub fn timeout_s(&self) -> f64 {
        self.timeout_s
    }

    fn predict(&mut self) {
        if self.experts.last().is_none_or(|e| !e.timeout_s.is_finite()) {
            self.timeout_s = f64::INFINITY; // a level that saves nothing
            return;
        }
        let all: f64 = self.experts.iter().map(|e| e.weight).sum();
        self.timeout_s = self.experts.iter().map(|e| e.weight * e.timeout_s).sum::<f64>() / all;
    }

    /// What a fixed timeout draws over a period, joules.
    fn drawn_j(&self, timeout_s: f64, length_s: f64) -> f64 {
        let Some(low) = self.levels.get(self.level).filter(|_| length_s > timeout_s) else {
            return self.levels.idle_w * length_s;
        };
        let stay_s = (length_s - timeout_s - low.enter.seconds).max(0.0);
        self.levels.idle_w * timeout_s + self.levels.round_trip_j(self.level) + low.watts * stay_s
    }
}

impl Policy for Share {
    fn begin(&mut self, _: usize, _: Option<f64>) {}

    fn next(&mut self, level: usize) -> Option<Change> {
        let finite = level == 0 && self.timeout_s.is_finite();
        finite.then_some(Change { after_s: self.timeout_s, to: self.level })
    }

    fn ended(&mut self, ended: &Ended) {
        let length_s = ended.length_s;
        let visit = self.levels.visit(self.level, length_s, true);
        let best_j = visit.map_or(f64::INFINITY, |(joules, _)| joules).min(self.levels.idle_w * length_s);
        let loss = |share: &Self, timeout_s: f64| {
            ((share.drawn_j(timeout_s, length_s) - best_j) / share.scale_j).clamp(0.0, 1.0)
        };
        // Who would still have waited has drawn what idling draws: all of them lose alike.
        let waited = loss(self, f64::INFINITY);
        let early = self.experts.partition_point(|e| e.timeout_s < length_s);
        if early == 0 && waited == 0.0 {
            return; // nobody lost anything
        }
        let (mut pool, mut all) = (0.0, 0.0);
        for i in 0..self.experts.len() {
            let lost = if i < early { loss(self, self.experts[i].timeout_s) } else { waited };
            let expert = &mut self.experts[i];
            let kept = expert.weight * (-self.how.learning_rate * lost).exp();
            expert.weight = kept * (1.0 - self.how.share).powf(lost);
            pool += kept - expert.weight;
            all += kept;
        }
        // Normalised, so that no weight ever becomes too small to count.
        let equal = pool / self.experts.len() as f64;
        for expert in &mut self.experts {
            expert.weight = (expert.weight + equal) / all;
        }
        self.predict();
    }
}
