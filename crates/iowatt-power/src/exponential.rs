//! Closed forms for idle periods that are exponentially distributed with rate `lambda` (per second).
//!
//! With X the length of a period, P the draw idling, p the draw at the level, E the joules there and back and d the
//! seconds there: a timeout tau idles for min(X, tau), and if X > tau pays E and stays for max(X - tau - d, 0). Being
//! memoryless, X - tau is again exponential where X > tau.

use crate::level::Levels;

/// Mean joules of a period under a fixed timeout, the drive woken by the arrival:
/// `P (1 - e^(-lambda tau)) / lambda + e^(-lambda tau) (E + p e^(-lambda d) / lambda)`.
#[must_use]
pub fn timeout_mean_j(levels: &Levels, level: usize, lambda: f64, timeout_s: f64) -> f64 {
    let Some(low) = levels.get(level) else { return levels.idle_w / lambda };
    let reached = timeout_reached(lambda, timeout_s);
    let stay_s = (-lambda * low.enter.seconds).exp() / lambda;
    levels.idle_w * (1.0 - reached) / lambda + reached * (levels.round_trip_j(level) + low.watts * stay_s)
}

/// Spin-downs per period: `e^(-lambda tau)`.
#[must_use]
pub fn timeout_reached(lambda: f64, timeout_s: f64) -> f64 {
    (-lambda * timeout_s).exp()
}

/// Mean joules that the energy oracle saves per period over idling: `(P - p) e^(-lambda t) / lambda`, with t the
/// break-even time. For drives whose break-even time is no shorter than the way there and back.
#[must_use]
pub fn oracle_mean_saving_j(levels: &Levels, level: usize, lambda: f64) -> f64 {
    let Some(t) = levels.break_even_s(level) else { return 0.0 };
    (levels.idle_w - levels.watts(level)) * (-lambda * t).exp() / lambda
}

/// The best fixed timeout where transitions take no time: being memoryless, 0 or infinity. 0 where the mean period,
/// `1 / lambda`, is longer than the break-even time.
#[must_use]
pub fn best_timeout_s(levels: &Levels, level: usize, lambda: f64) -> f64 {
    let pays = levels.break_even_s(level).is_some_and(|t| 1.0 / lambda > t);
    if pays { 0.0 } else { f64::INFINITY }
}
