//! Laws of lengths, fitted by maximum likelihood to counts of past periods: those that `iowatt idle` fits, and the shares
//! counted themselves.
//!
//! Exponential, hyper-exponential, Weibull and log-normal are laws of what a period lasts beyond the floor; the Pareto laws
//! begin at the floor. Each is compared by what it says of the counted cells, with Akaike's criterion.

use super::counts::Counts;
use super::outlook::{POINTS, STEPS};
use serde::Deserialize;
use std::f64::consts::SQRT_2;

/// A family of laws.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LawName {
    /// `S(x) = e^(-x / mean)`.
    Exponential,
    /// Two exponential phases.
    HyperExponential,
    /// `S(x) = e^(-(x / scale)^shape)`.
    Weibull,
    /// ln x is normal.
    LogNormal,
    /// `S(t) = (floor / t)^alpha`.
    Pareto,
    /// The same, cut at the longest period.
    BoundedPareto,
    /// The shares that were counted.
    Observed,
}

const ALL: [LawName; 7] = [
    LawName::Exponential,
    LawName::HyperExponential,
    LawName::Weibull,
    LawName::LogNormal,
    LawName::Pareto,
    LawName::BoundedPareto,
    LawName::Observed,
];

/// A law with its parameters; times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    Exponential { mean_s: f64 },
    HyperExponential { share: [f64; 2], mean_s: [f64; 2] },
    Weibull { shape: f64, scale_s: f64 },
    LogNormal { mu: f64, sigma: f64 },
    Pareto { alpha: f64 },
    BoundedPareto { alpha: f64, most_s: f64 },
    Observed,
}

impl Law {
    /// The share of the periods beyond the floor that are longer than `time_s`; 0 of shares that were counted.
    pub(super) fn survival(self, floor_s: f64, time_s: f64) -> f64 {
        let beyond_s = (time_s - floor_s).max(0.0);
        match self {
            Self::Exponential { mean_s } => (-beyond_s / mean_s).exp(),
            Self::HyperExponential { share, mean_s } => {
                share[0] * (-beyond_s / mean_s[0]).exp() + share[1] * (-beyond_s / mean_s[1]).exp()
            }
            Self::Weibull { shape, scale_s } => (-(beyond_s / scale_s).powf(shape)).exp(),
            Self::LogNormal { .. } if beyond_s <= 0.0 => 1.0,
            Self::LogNormal { mu, sigma } => normal_beyond((beyond_s.ln() - mu) / sigma),
            Self::Pareto { alpha } => (floor_s / time_s.max(floor_s)).powf(alpha),
            Self::BoundedPareto { alpha, most_s } => {
                let [y, all] = [time_s.clamp(floor_s, most_s), most_s].map(|t| -alpha * (t / floor_s).ln());
                (1.0 - y.exp_m1() / all.exp_m1()).clamp(0.0, 1.0)
            }
            Self::Observed => 0.0, // it is in the counts
        }
    }

    /// Parameters that were fitted; of shares, one for each cell that has any but one.
    fn freedom(self, counts: &Counts) -> f64 {
        match self {
            Self::Exponential { .. } | Self::Pareto { .. } => 1.0,
            Self::Weibull { .. } | Self::LogNormal { .. } | Self::BoundedPareto { .. } => 2.0,
            Self::HyperExponential { .. } => 3.0,
            Self::Observed => counts.shares().count() as f64 - 1.0,
        }
    }

    /// Akaike's criterion over the counted cells.
    fn criterion(self, counts: &Counts) -> f64 {
        let grid = counts.grid;
        let survival = |point: usize| self.survival(grid.floor_s, grid.time_s(point));
        let inside = |cell: usize, share: f64| match self {
            Self::Observed => share,
            _ if cell + 1 == POINTS => survival(cell), // the last one is open
            _ => survival(cell) - survival(cell + 1),
        };
        let likelihood: f64 =
            counts.shares().map(|(cell, share)| share * inside(cell, share).max(1e-300).ln()).sum();
        2.0 * self.freedom(counts) - 2.0 * counts.total() * likelihood
    }
}

/// Fits laws; what one was fitted to before is where the next search begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Fits {
    phases: Option<([f64; 2], [f64; 2])>,
}

impl Fits {
    /// The law of that name, or the best; none where it has no estimate.
    pub(super) fn fit(&mut self, counts: &Counts, name: Option<LawName>) -> Option<Law> {
        if let Some(name) = name {
            return self.of(counts, name);
        }
        let fitted = ALL.into_iter().filter_map(|name| self.of(counts, name));
        let judged = fitted.map(|law| (law.criterion(counts), law));
        judged.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, law)| law)
    }

    fn of(&mut self, counts: &Counts, name: LawName) -> Option<Law> {
        match name {
            LawName::Exponential => Some(Law::Exponential { mean_s: mean(counts, |x| x) }),
            LawName::HyperExponential => self.hyper_exponential(counts),
            LawName::Weibull => weibull(counts),
            LawName::LogNormal => log_normal(counts),
            LawName::Pareto => Some(Law::Pareto { alpha: 1.0 / mean_log(counts) }),
            LawName::BoundedPareto => bounded_pareto(counts),
            LawName::Observed => Some(Law::Observed),
        }
    }

    /// Expectation maximisation (Dempster, Laird, Rubin 1977) from the phases of before, at first from those of an
    /// exponential law drawn apart.
    fn hyper_exponential(&mut self, counts: &Counts) -> Option<Law> {
        let all_s = mean(counts, |x| x);
        let (mut share, mut mean_s) = self.phases.unwrap_or(([0.5; 2], [all_s / 3.0, all_s * 5.0 / 3.0]));
        for _ in 0..30 {
            let (mut of, mut time) = ([0.0; 2], [0.0; 2]);
            for (x, n) in beyond(counts) {
                let part = [0, 1].map(|i| share[i] / mean_s[i] * (-x / mean_s[i]).exp());
                let both = part[0] + part[1];
                for i in 0..2 {
                    let n = if both > 0.0 { n * part[i] / both } else { n * i as f64 };
                    of[i] += n;
                    time[i] += n * x;
                }
            }
            if of.iter().chain(&time).any(|sum| *sum <= 1e-12) {
                self.phases = None; // one phase does
                return None;
            }
            share = of;
            mean_s = [time[0] / of[0], time[1] / of[1]];
        }
        self.phases = Some((share, mean_s));
        Some(Law::HyperExponential { share, mean_s })
    }
}

/// Lengths beyond the floor, each with its share.
fn beyond(counts: &Counts) -> impl Iterator<Item = (f64, f64)> + Clone + '_ {
    counts.shares().map(|(cell, share)| (counts.middle_s(cell) - counts.grid.floor_s, share))
}

fn mean(counts: &Counts, of: impl Fn(f64) -> f64) -> f64 {
    beyond(counts).map(|(x, share)| share * of(x)).sum()
}

/// Mean of ln(length / floor).
fn mean_log(counts: &Counts) -> f64 {
    let octaves = |cell: usize| (cell as f64 + 0.5) / STEPS as f64;
    std::f64::consts::LN_2 * counts.shares().map(|(cell, share)| share * octaves(cell)).sum::<f64>()
}

/// The shape k solves `sum(x^k ln x) / sum(x^k) - 1 / k = mean(ln x)`, whose left side grows with k.
fn weibull(counts: &Counts) -> Option<Law> {
    let logs = mean(counts, f64::ln);
    let top = beyond(counts).map(|(x, _)| x.ln()).fold(f64::NEG_INFINITY, f64::max);
    let excess = |shape: f64| {
        // In proportion to the greatest power, so that none overflows.
        let (mut sum, mut weighted) = (0.0, 0.0);
        for (x, share) in beyond(counts) {
            let power = share * (shape * (x.ln() - top)).exp();
            sum += power;
            weighted += power * x.ln();
        }
        (weighted / sum - 1.0 / shape - logs, sum)
    };
    let (mut low, mut high) = (0.05_f64, 50.0_f64);
    if excess(low).0 > 0.0 || excess(high).0 < 0.0 {
        return None;
    }
    for _ in 0..30 {
        let middle = (low * high).sqrt();
        if excess(middle).0 < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let shape = (low * high).sqrt();
    Some(Law::Weibull { shape, scale_s: (top + excess(shape).1.ln() / shape).exp() })
}

fn log_normal(counts: &Counts) -> Option<Law> {
    let mu = mean(counts, f64::ln);
    let sigma = mean(counts, |x| (x.ln() - mu).powi(2)).sqrt();
    (sigma > 1e-9).then_some(Law::LogNormal { mu, sigma })
}

/// In y = ln(length / floor) an exponential law cut at d: alpha solves `1 / alpha - d / (e^(alpha d) - 1) = mean(y)`
/// (Aban, Meerschaert, Panorska 2006), whose left side falls.
fn bounded_pareto(counts: &Counts) -> Option<Law> {
    let most_s = counts.most_s();
    let width = (most_s / counts.grid.floor_s).ln();
    let share = mean_log(counts) / width;
    let mean_share = |turn: f64| {
        if turn.abs() < 1e-4 { 0.5 - turn / 12.0 } else { 1.0 / turn - 1.0 / turn.exp_m1() }
    };
    let (mut low, mut high) = (-500.0, 500.0);
    if !(mean_share(high) < share && share < mean_share(low)) {
        return None;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if mean_share(middle) > share {
            low = middle;
        } else {
            high = middle;
        }
    }
    let turn = f64::midpoint(low, high);
    let turn = if turn.abs() < 1e-9 { 1e-9 } else { turn };
    Some(Law::BoundedPareto { alpha: turn / width, most_s })
}

/// The share of a standard normal beyond z: half the complementary error function of z / sqrt 2, by the rational
/// approximation 7.1.26 of Abramowitz and Stegun, within 1.5e-7.
pub(super) fn normal_beyond(z: f64) -> f64 {
    let x = z.abs() / SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let polynomial = t
        * (0.254_829_592
            + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let tail = polynomial * (-x * x).exp() / 2.0;
    if z > 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::super::outlook::Grid;
    use super::*;

    /// 4,000 lengths at the quantiles of a law of what lies beyond a floor of 1 s.
    fn counted(quantile: impl Fn(f64) -> f64) -> Counts {
        let mut counts = Counts::new(Grid { floor_s: 1.0 }, 1e9);
        (0..4000).for_each(|i| assert!(counts.add(1.0 + quantile((f64::from(i) + 0.5) / 4000.0))));
        counts
    }

    fn near(found: f64, expected: f64, share: f64) {
        assert!((found / expected - 1.0).abs() < share, "{found} against {expected}");
    }

    #[test]
    fn each_law_is_found_again_in_lengths_drawn_from_it() {
        let best = |counts: &Counts| Fits::default().fit(counts, None).unwrap();
        let exponential = counted(|u| -50.0 * (1.0 - u).ln());
        let Law::Exponential { mean_s } = best(&exponential) else { panic!("{:?}", best(&exponential)) };
        near(mean_s, 50.0, 0.01);
        let heavy = counted(|u| 50.0 * (-(1.0 - u).ln()).powi(2));
        let Law::Weibull { shape, scale_s } = best(&heavy) else { panic!("{:?}", best(&heavy)) };
        near(shape, 0.5, 0.02);
        near(scale_s, 50.0, 0.02);
        let pareto = counted(|u| (1.0 - u).powf(-1.0 / 1.5) - 1.0);
        let Law::Pareto { alpha } = best(&pareto) else { panic!("{:?}", best(&pareto)) };
        near(alpha, 1.5, 0.02);
        let bounded = counted(|u| (1.0 - u * (1.0 - 100f64.powf(-0.3))).powf(-1.0 / 0.3) - 1.0);
        let Law::BoundedPareto { alpha, most_s } = best(&bounded) else { panic!("{:?}", best(&bounded)) };
        near(alpha, 0.3, 0.1);
        near(most_s, 100.0, 0.05);
        let phases =
            counted(|u| if u < 0.8 { -2.0 * (1.0 - u / 0.8).ln() } else { -900.0 * ((1.0 - u) / 0.2).ln() });
        let mut fits = Fits::default();
        let found = (0..4).map(|_| fits.fit(&phases, None).unwrap()).last().unwrap();
        let Law::HyperExponential { share, mean_s } = found else { panic!("{found:?}") };
        near(share[0], 0.8, 0.02);
        near(mean_s[1], 900.0, 0.03);
        // A clock that strikes every half hour has no law but what was counted.
        assert_eq!(best(&counted(|u| if u < 0.5 { 1.5 } else { 1799.0 })), Law::Observed);
    }

    #[test]
    fn the_log_normal_law_by_its_moments() {
        // ln x is 1 or 3 in turn, up to the width of a cell: mean 2, standard deviation 1.
        let two = counted(|u| if u < 0.5 { 1f64.exp() } else { 3f64.exp() });
        let Some(Law::LogNormal { mu, sigma }) = Fits::default().fit(&two, Some(LawName::LogNormal)) else {
            panic!("no estimate")
        };
        near(mu, 2.0, 0.02);
        near(sigma, 1.0, 0.03);
        near(normal_beyond(1.0), 0.158_655_3, 1e-5);
        near(normal_beyond(-1.0), 0.841_344_7, 1e-5);
    }
}
