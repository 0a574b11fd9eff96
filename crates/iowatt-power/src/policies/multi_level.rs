//! Idle conditions with a timer each, as the power conditions of SAS (SPC-4) and ATA (ACS-3) drives have them: idle_a,
//! idle_b, idle_c, standby_y, standby_z.
//!
//! A timer counts from the start of the idle period, whatever level has been reached. Without timers, each level is entered
//! where its line of energy against time crosses that of the level before: the lower envelope strategy (Irani, Shukla,
//! Gupta: Online strategies for dynamic power management in systems with multiple power-saving states, 2003).

use crate::level::Levels;
use crate::policy::{Change, Ended, Policy};
use serde::Deserialize;

/// Enters a level after a time.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Timer {
    /// Idle time before the change, from the start of the period, seconds.
    pub after_s: f64,
    /// Where the drive goes.
    pub level: usize,
}

/// Goes deeper, level by level, as time passes; an arrival wakes it.
#[derive(Clone, Debug)]
pub struct MultiLevel {
    /// By rising time and level.
    timers: Vec<Timer>,
}

impl MultiLevel {
    /// With timers; one that is not later than a deeper level's never acts.
    #[must_use]
    pub fn new(mut timers: Vec<Timer>) -> Self {
        timers.sort_by(|a, b| a.after_s.total_cmp(&b.after_s).then(a.level.cmp(&b.level)));
        Self { timers }
    }

    /// With the timers of the lower envelope of the levels' energy over time, `E_k + P_k t`.
    #[must_use]
    pub fn envelope(levels: &Levels) -> Self {
        // The line of a level: what it has cost after a time t if the drive went there at once and comes back.
        let line = |level: usize| {
            let low_w = levels.watts(level);
            (levels.round_trip_j(level) - low_w * levels.round_trip_s(level), low_w)
        };
        let (mut timers, mut level, mut from_s) = (Vec::new(), 0, 0.0);
        loop {
            // The deeper level whose line is met first.
            let (cost_j, draw_w) = line(level);
            let crossing = |deeper: usize| {
                let (more_j, less_w) = line(deeper);
                (draw_w > less_w).then(|| Timer {
                    after_s: ((more_j - cost_j) / (draw_w - less_w)).max(from_s),
                    level: deeper,
                })
            };
            let first = (level + 1..levels.count())
                .filter_map(crossing)
                .min_by(|a, b| a.after_s.total_cmp(&b.after_s).then(b.level.cmp(&a.level)));
            let Some(timer) = first else { return Self { timers } };
            (level, from_s) = (timer.level, timer.after_s);
            timers.push(timer);
        }
    }

    /// Its timers.
    #[must_use]
    pub fn timers(&self) -> &[Timer] {
        &self.timers
    }
}

impl Policy for MultiLevel {
    fn begin(&mut self, _: usize, _: Option<f64>) {}

    fn next(&mut self, level: usize) -> Option<Change> {
        let timer = self.timers.iter().find(|t| t.level > level)?;
        Some(Change { after_s: timer.after_s, to: timer.level })
    }

    fn ended(&mut self, _: &Ended) {}
}
