//! The ladder of a drive's power levels: what each draws, what it costs to go there and to come back.

use serde::Deserialize;

/// Time and energy of a change of level.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// How long it takes, seconds.
    pub seconds: f64,
    /// All that is drawn over it, joules.
    pub joules: f64,
}

/// A level below idling.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Draw while at it, watts.
    pub watts: f64,
    /// From idling to it.
    pub enter: Transition,
    /// From it back to idling.
    pub leave: Transition,
    /// Whether the spindle stands still: entering and leaving it count as a stop and a start.
    #[serde(default)]
    pub stopped: bool,
    /// Speed at which it serves requests, as a fraction of full speed; none where it must be left first.
    #[serde(default)]
    pub serves_at: Option<f64>,
}

/// Reads a figure that may be unknown: `null` becomes NaN, and so do all joules that would follow from it.
///
/// # Errors
/// What is neither a number nor `null`.
pub fn unknown_as_nan<'de, D: serde::Deserializer<'de>>(figure: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(figure)?.unwrap_or(f64::NAN))
}

/// Idling (level 0), and the levels below it: number 1 is the first of `below`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Levels {
    /// Draw while spinning without work, watts; NaN where it is not known (`null`), and then there are no levels below.
    #[serde(deserialize_with = "unknown_as_nan")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>", required))]
    pub idle_w: f64,
    /// Further levels, each drawing no more than the one before.
    #[serde(default)]
    pub below: Vec<Level>,
}

impl Levels {
    /// Two states: idling and one level below it.
    #[must_use]
    pub fn two(idle_w: f64, low: Level) -> Self {
        Self { idle_w, below: vec![low] }
    }

    /// Number of levels, idling included.
    #[must_use]
    pub fn count(&self) -> usize {
        self.below.len() + 1
    }

    /// The level of that number; none for 0 (idling) and for numbers that there are not.
    #[must_use]
    pub fn get(&self, level: usize) -> Option<&Level> {
        self.below.get(level.checked_sub(1)?)
    }

    /// Draw at a level, watts.
    #[must_use]
    pub fn watts(&self, level: usize) -> f64 {
        self.get(level).map_or(self.idle_w, |l| l.watts)
    }

    /// Cost of going from `from` to the deeper level `to`. What a way from idling has in common with `from` has been paid
    /// by then: the difference of the two entries, and never less than nothing.
    #[must_use]
    pub fn descent(&self, from: usize, to: usize) -> Transition {
        let entry = |level| self.get(level).map_or_else(Transition::default, |l| l.enter);
        let (paid, whole) = (entry(from), entry(to));
        Transition {
            seconds: (whole.seconds - paid.seconds).max(0.0),
            joules: (whole.joules - paid.joules).max(0.0),
        }
    }

    /// Cost of going back to idling.
    #[must_use]
    pub fn ascent(&self, from: usize) -> Transition {
        self.get(from).map_or_else(Transition::default, |l| l.leave)
    }

    /// Seconds there and back: no shorter period can be spent at `level` without delaying the arrival that ends it.
    #[must_use]
    pub fn round_trip_s(&self, level: usize) -> f64 {
        self.get(level).map_or(0.0, |l| l.enter.seconds + l.leave.seconds)
    }

    /// Joules there and back.
    #[must_use]
    pub fn round_trip_j(&self, level: usize) -> f64 {
        self.get(level).map_or(0.0, |l| l.enter.joules + l.leave.joules)
    }

    /// Break-even time of a level, seconds: `(E_down + E_up - P_low (t_down + t_up)) / (P_idle - P_low)`, the length of
    /// a period over which going there and back, up again in time, costs what idling costs. At least 0; none for level 0
    /// and infinite where the level draws no less than idling. It can be shorter than the way there and back (a drive
    /// whose transitions draw less than idling), and then no such period can be used without delay.
    #[must_use]
    pub fn break_even_s(&self, level: usize) -> Option<f64> {
        let low = self.get(level)?;
        let saved_w = self.idle_w - low.watts;
        if saved_w <= 0.0 {
            return Some(f64::INFINITY);
        }
        let extra_j = self.round_trip_j(level) - low.watts * self.round_trip_s(level);
        Some((extra_j / saved_w).max(0.0))
    }

    /// Least energy of a period of `length_s` that goes to `level` at once and wakes as late as costs no more, with the
    /// delay of the arrival that it causes. With `in_time`, only without delay; none where that cannot be.
    #[must_use]
    pub fn visit(&self, level: usize, length_s: f64, in_time: bool) -> Option<(f64, f64)> {
        let low = self.get(level)?;
        let slack_s = length_s - self.round_trip_s(level);
        if slack_s < 0.0 && in_time {
            return None;
        }
        Some((self.round_trip_j(level) + low.watts * slack_s.max(0.0), (-slack_s).max(0.0)))
    }

    /// Whether all figures are possible.
    ///
    /// # Errors
    /// Says which is not.
    pub fn validate(&self) -> Result<(), String> {
        let sound = |x: f64| x.is_finite() && x >= 0.0;
        if self.idle_w.is_nan() && self.below.is_empty() {
            return Ok(());
        }
        if !sound(self.idle_w) {
            return Err("idling must draw a power of 0 W or more".into());
        }
        let mut above = self.idle_w;
        for (number, level) in self.below.iter().enumerate() {
            let number = number + 1;
            let Transition { seconds, joules } = level.enter;
            let figures = [level.watts, seconds, joules, level.leave.seconds, level.leave.joules];
            if !figures.into_iter().all(sound) {
                return Err(format!("level {number}: watts, seconds and joules must be 0 or more"));
            }
            if level.watts > above {
                return Err(format!("level {number} draws more than the one above it"));
            }
            if level.serves_at.is_some_and(|s| !(s > 0.0 && s <= 1.0)) {
                return Err(format!("level {number}: a speed must be above 0 and at most 1"));
            }
            above = level.watts;
        }
        Ok(())
    }
}
