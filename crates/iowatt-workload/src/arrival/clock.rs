//! Operational time into real time. A law counts seconds at its stated rate; envelopes, phases and modulation
//! say how fast that time passes at every real moment. The factors are constant between boundaries, so that
//! the way from one to the next is exact for every law (time rescaling of a point process).

use crate::plan::{EnvelopePlan, ModulationPlan, PhasePlan, SojournPlan};
use crate::rng::Draws;

/// Boundaries passed before one request comes, before that is called a standstill.
const MOST_STEPS: u32 = 1 << 20;
/// Shortest part of an envelope, phase or state, in seconds.
const LEAST_S: f64 = 1e-6;

/// A schedule of factors that repeats: an envelope, or the phases.
#[derive(Clone, Debug)]
struct Cycle {
    parts: Vec<(f64, f64)>,
    at: usize,
    /// Real time at which the present part ends.
    ends: f64,
}

impl Cycle {
    fn new(parts: Vec<(f64, f64)>) -> Result<Self, String> {
        let sound = |&(length, factor): &(f64, f64)| {
            length >= LEAST_S && length.is_finite() && factor >= 0.0 && factor.is_finite()
        };
        if parts.is_empty() || !parts.iter().all(sound) || !parts.iter().any(|&(_, factor)| factor > 0.0) {
            return Err("parts need a length of a microsecond at least, factors that are not negative, and one above 0".into());
        }
        let ends = parts[0].0;
        Ok(Self { parts, at: 0, ends })
    }

    fn factor(&self) -> f64 {
        self.parts[self.at].1
    }

    fn pass(&mut self) {
        self.at = (self.at + 1) % self.parts.len();
        self.ends += self.parts[self.at].0;
    }
}

/// A state that changes at random.
#[derive(Clone, Debug)]
struct Modulation {
    states: Vec<(f64, f64)>,
    sojourn: SojournPlan,
    at: usize,
    ends: f64,
    draws: Draws,
}

impl Modulation {
    fn new(plan: &ModulationPlan, mut draws: Draws) -> Result<Self, String> {
        let states: Vec<(f64, f64)> = plan.states.iter().map(|s| (s.mean_s, s.factor)).collect();
        Cycle::new(states.clone()).map_err(|error| format!("modulation: {error}"))?;
        if let SojournPlan::Pareto { shape } = plan.sojourn
            && !(shape > 1.0 && shape.is_finite())
        {
            return Err(format!("a Pareto shape of {shape} has no mean; above 1 it has"));
        }
        // In the long run the process is in a state for its share of the time: so it is found at time 0.
        let total: f64 = states.iter().map(|s| s.0).sum();
        let mut left = draws.unit() * total;
        let at = states.iter().position(|s| {
            left -= s.0;
            left < 0.0
        });
        let mut modulation = Self { states, sojourn: plan.sojourn, at: at.unwrap_or(0), ends: 0.0, draws };
        let first = modulation.stay();
        modulation.ends = if matches!(plan.sojourn, SojournPlan::Exponential) {
            first
        } else {
            first * modulation.draws.unit()
        };
        Ok(modulation)
    }

    fn stay(&mut self) -> f64 {
        let mean = self.states[self.at].0;
        match self.sojourn {
            SojournPlan::Fixed => mean,
            SojournPlan::Exponential => mean * self.draws.exponential(),
            SojournPlan::Pareto { shape } => {
                let least = mean * (shape - 1.0) / shape;
                least * (1.0 - self.draws.unit()).powf(-1.0 / shape)
            }
        }
    }

    fn pass(&mut self) {
        self.at = (self.at + 1) % self.states.len();
        self.ends += self.stay();
    }
}

/// A part of real time with one factor.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its start, in seconds.
    pub start_s: f64,
    /// Its length.
    pub length_s: f64,
    /// How fast operational time passes in it.
    pub factor: f64,
    /// The phase that it lies in.
    pub phase: usize,
}

/// The real time of a process, and the phase that it is in.
#[derive(Debug)]
pub struct Clock {
    now: f64,
    envelopes: Vec<Cycle>,
    phases: Option<Cycle>,
    modulation: Option<Modulation>,
    factor: f64,
    boundary: f64,
}

impl Clock {
    /// A clock at time 0.
    ///
    /// # Errors
    /// Lengths or factors that are none, in words.
    pub fn new(
        envelopes: &[EnvelopePlan],
        phases: &[PhasePlan],
        modulation: Option<(&ModulationPlan, Draws)>,
    ) -> Result<Self, String> {
        let envelopes = envelopes.iter().map(|envelope| {
            let n = envelope.factors.len() as f64;
            Cycle::new(envelope.factors.iter().map(|&f| (envelope.period_s / n, f)).collect())
        });
        let phases = (!phases.is_empty())
            .then(|| Cycle::new(phases.iter().map(|p| (p.duration_s, p.factor)).collect()));
        let modulation = modulation.map(|(plan, draws)| Modulation::new(plan, draws));
        let mut clock = Self {
            now: 0.0,
            envelopes: envelopes.collect::<Result<_, _>>()?,
            phases: phases.transpose()?,
            modulation: modulation.transpose()?,
            factor: 1.0,
            boundary: f64::INFINITY,
        };
        clock.look();
        Ok(clock)
    }

    /// The factor now and the next moment at which it may change.
    fn look(&mut self) {
        let cycles = || self.envelopes.iter().chain(&self.phases);
        let states = self.modulation.iter().map(|m| (m.states[m.at].1, m.ends));
        let parts = cycles().map(|c| (c.factor(), c.ends)).chain(states);
        (self.factor, self.boundary) =
            parts.fold((1.0, f64::INFINITY), |(factor, end), (f, e)| (factor * f, e.min(end)));
    }

    /// Real time now, in seconds.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// Index of the phase now.
    #[must_use]
    pub fn phase(&self) -> usize {
        self.phases.as_ref().map_or(0, |phases| phases.at)
    }

    /// Lets `gap` seconds of operational time pass; `None` where time would stand still for ever.
    #[inline]
    pub fn advance(&mut self, gap: f64) -> Option<f64> {
        let end = self.now + gap / self.factor;
        if end < self.boundary {
            self.now = end;
            return Some(end);
        }
        self.cross(gap)
    }

    #[cold]
    fn cross(&mut self, mut gap: f64) -> Option<f64> {
        for _ in 0..MOST_STEPS {
            let end = if self.factor > 0.0 { self.now + gap / self.factor } else { f64::INFINITY };
            if end < self.boundary {
                self.now = end;
                return Some(end);
            }
            if self.boundary == f64::INFINITY {
                return None;
            }
            gap = (gap - (self.boundary - self.now) * self.factor).max(0.0);
            self.pass();
        }
        None
    }

    /// Goes on to the boundary and looks at what lies beyond.
    fn pass(&mut self) {
        let boundary = self.boundary;
        self.now = boundary;
        self.envelopes
            .iter_mut()
            .chain(&mut self.phases)
            .filter(|c| c.ends <= boundary)
            .for_each(Cycle::pass);
        if let Some(modulation) = self.modulation.as_mut().filter(|m| m.ends <= boundary) {
            modulation.pass();
        }
        self.look();
    }

    /// The next part of real time, at most `longest_s`, over which the factor does not change.
    pub fn part(&mut self, longest_s: f64) -> Part {
        let (start_s, factor, phase) = (self.now, self.factor, self.phase());
        // A sliver that rounding leaves before a boundary is no part of its own.
        if start_s + longest_s * (1.0 + 1e-6) >= self.boundary {
            self.pass();
        } else {
            self.now = start_s + longest_s;
        }
        Part { start_s, length_s: self.now - start_s, factor, phase }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::plan::StatePlan;
    use crate::rng::Purpose;

    fn envelope(period_s: f64, factors: &[f64]) -> EnvelopePlan {
        EnvelopePlan { period_s, factors: factors.to_vec() }
    }

    #[test]
    fn time_passes_as_fast_as_the_factors_say() {
        let mut clock = Clock::new(&[envelope(10.0, &[1.0, 3.0])], &[], None).unwrap();
        assert_eq!(clock.advance(5.0), Some(5.0));
        assert_eq!(clock.advance(6.0), Some(7.0));
        assert_eq!(clock.advance(9.0 + 1.0), Some(11.0));
    }

    #[test]
    fn nothing_arrives_while_a_factor_is_zero() {
        let mut clock = Clock::new(&[envelope(10.0, &[1.0, 0.0])], &[], None).unwrap();
        assert_eq!(clock.advance(4.0), Some(4.0));
        assert_eq!(clock.advance(2.0), Some(11.0));
    }

    #[test]
    fn phases_come_in_turn_and_multiply() {
        let phase = |duration_s, factor| PhasePlan { duration_s, factor, weights: None };
        let mut clock =
            Clock::new(&[envelope(100.0, &[2.0])], &[phase(10.0, 1.0), phase(5.0, 0.5)], None).unwrap();
        assert_eq!((clock.advance(18.0), clock.phase()), (Some(9.0), 0));
        assert_eq!((clock.advance(4.0), clock.phase()), (Some(12.0), 1));
        assert_eq!((clock.advance(5.0), clock.phase()), (Some(16.0), 0));
    }

    #[test]
    fn a_modulated_clock_runs_at_the_mean_rate() {
        let states = vec![StatePlan { factor: 0.0, mean_s: 3.0 }, StatePlan { factor: 4.0, mean_s: 1.0 }];
        for sojourn in [SojournPlan::Fixed, SojournPlan::Exponential, SojournPlan::Pareto { shape: 3.0 }] {
            let plan = ModulationPlan { states: states.clone(), sojourn };
            let draws = Draws::new(1, Purpose::Modulation, 0, 0);
            let mut clock = Clock::new(&[], &[], Some((&plan, draws))).unwrap();
            for _ in 0..200_000 {
                clock.advance(0.1).unwrap();
            }
            // 20,000 s of operational time, 5,000 cycles of 4 s: a standard error of about 1.5 %.
            assert!((clock.now() / 20_000.0 - 1.0).abs() < 0.06, "{sojourn:?} {}", clock.now());
        }
    }

    #[test]
    fn what_never_lets_time_pass_is_refused() {
        assert!(Clock::new(&[envelope(10.0, &[0.0])], &[], None).is_err());
        assert!(Clock::new(&[envelope(0.0, &[1.0])], &[], None).is_err());
        assert!(Clock::new(&[envelope(10.0, &[])], &[], None).is_err());
        // Each passes by itself, and together they are never open: an answer, and no endless loop.
        let both = [envelope(10.0, &[1.0, 0.0]), envelope(10.0, &[0.0, 1.0])];
        assert_eq!(Clock::new(&both, &[], None).unwrap().advance(1.0), None);
    }
}
