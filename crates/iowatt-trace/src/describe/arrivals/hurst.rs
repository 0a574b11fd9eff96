//! The Hurst exponent of the counts: how fast their variance falls with the scale. Two estimators, because
//! each is wrong in its own way: a trend or a daily cycle lifts the aggregated variance, a burst of one
//! scale bends the wavelet's line.
//!
//! - Aggregated variance (Taqqu, Teverovsky, Willinger 1995): Var(N_m) grows as m^(2H).
//! - Wavelet (Abry, Veitch 1998) with Haar's: E d_j^2 grows as 2^(j (2H - 1)); a constant mean does not matter.
//!
//! Memory is a matter of coarse scales. Each fit starts at the finest scale from which on the points scatter about
//! the line no more than twice as they should (reduced chi-square), as Veitch, Abry and Taqqu (2003) choose theirs;
//! where there is none, at the scale with the least scatter.

use serde::Serialize;

use super::cascade::Scale;

/// Windows that the coarsest scale of a fit must have: below, its variance says nothing.
const FEWEST_WINDOWS: u64 = 32;
/// Mean count that a window of the finest scale of a fit must have: below, a count process looks like Poisson's.
const LEAST_MEAN: f64 = 4.0;
const FEWEST_OCTAVES: usize = 4;
/// Variance of the counts that must be exceeded: evenly spaced arrivals vary by the rounding of a count only.
const LEAST_VARIANCE: f64 = 1.0;
/// Reduced chi-square up to which points lie on a line.
const ON_A_LINE: f64 = 2.0;

/// An estimate of the Hurst exponent with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hurst {
    /// `aggregated-variance` or `wavelet-haar`.
    pub method: &'static str,
    /// 0.5 for counts without long memory; towards 1 the burstier over all scales; above 1 not stationary.
    pub hurst: f64,
    /// Of the slope, by the scatter of the points about the line or by theory, whichever is more.
    pub standard_error: f64,
    /// Finest window of the fit.
    pub from_s: f64,
    /// Coarsest window of the fit.
    pub to_s: f64,
    /// Points of the fit.
    pub octaves: usize,
}

/// Both estimates, where the trace has scales enough that are no finer than its stamps.
#[allow(clippy::cast_precision_loss)] // nanoseconds as seconds
pub(in super::super) fn estimates(scales: &[Scale], resolution_ns: u64) -> Vec<Hurst> {
    let finest_s = resolution_ns as f64 / 1e9;
    let used: Vec<&Scale> = scales
        .iter()
        .filter(|s| {
            s.window_s >= finest_s
                && s.windows >= FEWEST_WINDOWS
                && s.mean >= LEAST_MEAN
                && s.variance > LEAST_VARIANCE
                && s.energy > 0.0
        })
        .collect();
    if used.len() < FEWEST_OCTAVES {
        return Vec::new();
    }
    let fitted = |method, value: fn(&Scale) -> f64, hurst: fn(f64) -> f64| {
        let points: Vec<_> = used.iter().map(|s| (f64::from(s.octave), value(s), s.windows as f64)).collect();
        let starts = 0..=used.len() - FEWEST_OCTAVES;
        let lines: Vec<Line> = starts.map(|start| line(&points[start..])).collect();
        let good = lines.iter().position(|line| line.scatter <= ON_A_LINE);
        let least = || (0..lines.len()).min_by(|&a, &b| lines[a].scatter.total_cmp(&lines[b].scatter));
        let start = good.or_else(least).unwrap_or(0);
        let Line { slope, scatter, theory } = lines[start];
        Hurst {
            method,
            hurst: hurst(slope),
            standard_error: theory * scatter.max(1.0).sqrt() / 2.0,
            from_s: used[start].window_s,
            to_s: used[used.len() - 1].window_s,
            octaves: used.len() - start,
        }
    };
    vec![
        fitted("aggregated-variance", |s| s.variance.log2(), |slope| slope / 2.0),
        // E log2 of a mean of n squares lies 1/(n ln 2) below log2 of the expected square.
        fitted(
            "wavelet-haar",
            |s| s.energy.log2() + 1.0 / (s.windows as f64 * std::f64::consts::LN_2),
            |slope| f64::midpoint(slope, 1.0),
        ),
    ]
}

/// A line through (x, log2 of a mean of n squares, n).
#[derive(Clone, Copy)]
struct Line {
    slope: f64,
    /// Reduced chi-square of the points about it.
    scatter: f64,
    /// Standard error of the slope by theory.
    theory: f64,
}

fn line(points: &[(f64, f64, f64)]) -> Line {
    // Var log2 of a mean of n squares of a normal variable is 2 / (n ln^2 2).
    let weight = |n: f64| n * std::f64::consts::LN_2.powi(2) / 2.0;
    let sum =
        |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|&(x, y, n)| weight(n) * of(x, y)).sum::<f64>();
    let (s, sx, sy) = (sum(&|_, _| 1.0), sum(&|x, _| x), sum(&|_, y| y));
    let (mx, my) = (sx / s, sy / s);
    let sxx = sum(&|x, _| (x - mx).powi(2));
    let slope = sum(&|x, y| (x - mx) * (y - my)) / sxx;
    let scatter = sum(&|x, y| (y - my - slope * (x - mx)).powi(2)) / (points.len() as f64 - 2.0);
    Line { slope, scatter, theory: sxx.sqrt().recip() }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Uniform;
    use super::super::cascade::Cascade;
    use super::*;

    fn of(times: impl Iterator<Item = u64>) -> Vec<Hurst> {
        let (mut cascade, mut last) = (Cascade::new(), 0);
        for time in times {
            cascade.add(time);
            last = time;
        }
        estimates(&cascade.finish(last), 1)
    }

    /// Below the resolution of the stamps counts are the clock's.
    #[test]
    fn no_scale_is_finer_than_the_stamps() {
        let (mut cascade, mut uniform) = (Cascade::new(), Uniform(5));
        for second in 0..4000_u64 {
            for _ in 0..(10.0 + 20.0 * uniform.next()) as u64 {
                cascade.add(second * 1_000_000_000);
            }
        }
        let scales = cascade.finish(3999 * 1_000_000_000);
        for estimate in estimates(&scales, 1_000_000_000) {
            assert!(estimate.from_s >= 1.0, "{estimate:?}");
        }
        assert_eq!(estimates(&scales, 1_000_000_000).len(), 2);
        assert!(estimates(&scales[..10], 1_000_000_000).is_empty());
    }

    #[test]
    fn arrivals_without_memory_have_one_half() {
        let (mut uniform, mut time) = (Uniform(3), 0.0);
        let found = of((0..400_000).map(|_| {
            time += -1e6 * (1.0 - uniform.next()).ln();
            time as u64
        }));
        for estimate in &found {
            assert!((estimate.hurst - 0.5).abs() < 0.03, "{estimate:?}");
            assert!((estimate.hurst - 0.5).abs() < 4.0 * estimate.standard_error, "{estimate:?}");
        }
        assert_eq!(found.len(), 2);
    }

    /// On-off sources with Pareto times of index a make H = (3 - a) / 2 (Willinger et al. 1997).
    #[test]
    fn heavy_tailed_on_off_sources_have_their_exponent() {
        const ALPHA: f64 = 1.4;
        let mut uniform = Uniform(11);
        let mut times = Vec::new();
        for _ in 0..40 {
            let (mut time, mut on) = (0.0, uniform.next() < 0.5);
            while time < 4000.0 {
                let length = 0.1 * (1.0 - uniform.next()).powf(-1.0 / ALPHA);
                if on {
                    let sent = (0..(length * 25.0) as u64).map(|i| time + i as f64 / 25.0);
                    times.extend(sent.filter(|&t| t < 4000.0).map(|t| (t * 1e9) as u64));
                }
                (time, on) = (time + length, !on);
            }
        }
        times.sort_unstable();
        let first = times[0];
        for estimate in of(times.into_iter().map(|t| t - first)) {
            assert!((estimate.hurst - 0.8).abs() < 0.08, "{estimate:?}");
        }
    }

    #[test]
    fn too_short_a_trace_has_no_estimate() {
        assert!(of((0..100).map(|i| i * i * 1_000_000)).is_empty());
    }

    #[test]
    fn even_arrivals_have_no_estimate() {
        assert!(of((0..1_000_000).map(|i| i * 1_000_000)).is_empty());
    }
}
