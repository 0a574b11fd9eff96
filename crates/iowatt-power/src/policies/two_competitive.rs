//! The threshold at the break-even time: never more than twice what the energy oracle draws, whatever arrives; and its
//! randomised variant, whose mean is never more than e / (e - 1) times that.
//!
//! This is the ski-rental (rent-to-buy) problem: Karlin, Manasse, Rudolph and Sleator (1988); the randomised threshold
//! has the density `e^(t/T) / (T (e - 1))` on 0..T, T the break-even time: Karlin, Manasse, McGeoch and Owicki (1990).
//! The factor 2 supposes that a way there and back draws no less than idling does (T is then no shorter than it), the
//! factor e / (e - 1) that transitions are short beside T.

use crate::level::Levels;
use crate::policy::{Change, Ended, Policy};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Goes to a level after the break-even time, or after a random time up to it.
#[derive(Clone, Debug)]
pub struct TwoCompetitive {
    break_even_s: f64,
    level: usize,
    random: Option<Box<Pcg64>>,
    threshold_s: f64,
}

impl TwoCompetitive {
    /// At the break-even time of `level`.
    #[must_use]
    pub fn new(levels: &Levels, level: usize) -> Self {
        let break_even_s = levels.break_even_s(level).unwrap_or(f64::INFINITY);
        Self { break_even_s, level, random: None, threshold_s: break_even_s }
    }

    /// At a time drawn anew for each period.
    #[must_use]
    pub fn randomised(levels: &Levels, level: usize, seed: u64) -> Self {
        let random = Some(Box::new(Pcg64::seed_from_u64(seed)));
        Self { random, ..Self::new(levels, level) }
    }
}

impl Policy for TwoCompetitive {
    fn begin(&mut self, _: usize, _: Option<f64>) {
        if let Some(random) = &mut self.random {
            // The inverse of F(t) = (e^(t/T) - 1) / (e - 1).
            let uniform = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            self.threshold_s = self.break_even_s * (uniform * (std::f64::consts::E - 1.0)).ln_1p();
        }
    }

    fn next(&mut self, level: usize) -> Option<Change> {
        let finite = level == 0 && self.threshold_s.is_finite();
        finite.then_some(Change { after_s: self.threshold_s, to: self.level })
    }

    fn ended(&mut self, _: &Ended) {}
}
