//! A multiplicative cascade: the requests of a window are divided between its halves, those of each half
//! between its quarters, and so on down to microseconds, each division as uneven as that scale asks for. So
//! the variance of counts can be given on every scale at once, which no renewal process and no single on-off
//! process allows (Riedi, Crouse, Ribeiro and Baraniuk, IEEE Trans. Information Theory 45(3), 1999).
//!
//! A half gets each request with the probability A, drawn for the division from a symmetric beta law with the
//! variance u/4: u is the unevenness, 0 for requests that fall into either half each for itself and 1 for all in
//! one half. Below 0 requests keep apart: then some divisions are as even as whole numbers allow. u depends on
//! the scale and on the count: large bursts are limited by what issued them, small ones cluster.

use std::f64::consts::TAU;

use super::Clock;
use crate::rng::Draws;

/// Windows without a request in a row before that is called a standstill.
const MOST_EMPTY: u32 = 1 << 20;
/// Halvings at most: a year of microseconds has 45.
const MOST_LEVELS: usize = 64;
/// Requests of one window at most.
const MOST_REQUESTS: f64 = 1e7;

/// A part of a window with its requests.
#[derive(Clone, Copy, Debug)]
struct Cell {
    start_s: f64,
    length_s: f64,
    level: usize,
    requests: u64,
}

/// The law with its state.
#[derive(Debug)]
pub struct Cascade {
    rate: f64,
    window_s: f64,
    unevenness: Vec<Vec<f64>>,
    /// Cells not yet divided, the earliest last.
    cells: Vec<Cell>,
    /// Times of the cell that is being emptied, the earliest last.
    times: Vec<f64>,
    phase: usize,
}

impl Cascade {
    /// The law of `rate` requests per second in windows of at most `window_s`.
    ///
    /// # Errors
    /// What cannot be, in words.
    pub fn new(rate: f64, window_s: f64, unevenness: &[Vec<f64>]) -> Result<Self, String> {
        let rate = super::law::checked(rate)?;
        if !(window_s >= 1e-6 && rate * window_s <= MOST_REQUESTS) {
            return Err(format!(
                "a window of {window_s} s at {rate} requests per second; 1 us to {MOST_REQUESTS:e} requests are possible"
            ));
        }
        let sound = |of: &Vec<f64>| !of.is_empty() && of.iter().all(|u| (-1.0..=1.0).contains(u));
        if unevenness.len() > MOST_LEVELS || !unevenness.iter().all(sound) {
            return Err(format!(
                "an unevenness lies between -1 and 1; at most {MOST_LEVELS} halvings have some"
            ));
        }
        let cells = Vec::with_capacity(unevenness.len() + 2);
        Ok(Self { rate, window_s, unevenness: unevenness.to_vec(), cells, times: Vec::new(), phase: 0 })
    }

    /// The phase of the last time.
    #[must_use]
    pub fn phase(&self) -> usize {
        self.phase
    }

    /// The next time, in seconds; `None` where none comes for a million windows.
    #[inline]
    pub fn next(&mut self, clock: &mut Clock, draws: &mut Draws) -> Option<f64> {
        loop {
            if let Some(time) = self.times.pop() {
                return Some(time);
            }
            match self.cells.pop() {
                Some(cell) => self.divide(cell, draws),
                None => self.begin(clock, draws)?,
            }
        }
    }

    /// Takes the next window that has requests. The count is its mean, rounded up or down at random, so that
    /// the envelope is followed as closely as whole requests allow.
    fn begin(&mut self, clock: &mut Clock, draws: &mut Draws) -> Option<()> {
        for _ in 0..MOST_EMPTY {
            let part = clock.part(self.window_s);
            let mean = (self.rate * part.factor * part.length_s).min(MOST_REQUESTS);
            let requests = (mean + draws.unit()) as u64;
            if requests > 0 {
                self.phase = part.phase;
                self.cells.push(Cell { start_s: part.start_s, length_s: part.length_s, level: 0, requests });
                return Some(());
            }
        }
        None
    }

    fn divide(&mut self, cell: Cell, draws: &mut Draws) {
        let Cell { start_s, length_s, level, requests } = cell;
        // A single request falls anywhere in its cell, however that is divided.
        let Some(by_count) = self.unevenness.get(level).filter(|_| requests > 1) else {
            self.times.extend((0..requests).map(|_| start_s + draws.unit() * length_s));
            self.times.sort_unstable_by(|a, b| b.total_cmp(a));
            return;
        };
        let left =
            left_half(by_count[(requests.ilog2() as usize - 1).min(by_count.len() - 1)], requests, draws);
        let (length_s, level) = (length_s / 2.0, level + 1);
        if left < requests {
            let requests = requests - left;
            self.cells.push(Cell { start_s: start_s + length_s, length_s, level, requests });
        }
        if left > 0 {
            self.cells.push(Cell { start_s, length_s, level, requests: left });
        }
    }
}

/// How many of `requests` fall into the left half.
fn left_half(unevenness: f64, requests: u64, draws: &mut Draws) -> u64 {
    let odd = requests % 2;
    if unevenness < 0.0 {
        // (left - right)^2 is `odd` where the division is even, and else has the mean `requests`.
        let n = requests as f64;
        let even = -unevenness * n * (n - 1.0) / (n - odd as f64);
        if draws.unit() < even {
            return requests / 2 + odd * u64::from(draws.unit() < 0.5);
        }
    }
    let chance = symmetric_beta(unevenness.max(0.0), draws);
    (0..requests).filter(|_| draws.unit() < chance).count() as u64
}

/// A draw from the beta law with equal parameters a and the variance `unevenness` / 4 = 1 / (4 (2 a + 1)).
fn symmetric_beta(unevenness: f64, draws: &mut Draws) -> f64 {
    if unevenness < 1e-9 {
        return 0.5;
    }
    if unevenness > 1.0 - 1e-6 {
        return f64::from(u8::from(draws.unit() < 0.5));
    }
    let a = (1.0 / unevenness - 1.0) / 2.0;
    if a > 0.5 {
        // Polar method (Ulrich 1984): one coordinate of a point on a sphere of 2 a + 1 dimensions.
        let radius = (1.0 - (1.0 - draws.unit()).powf(2.0 / (2.0 * a - 1.0))).sqrt();
        return 0.5 + 0.5 * radius * (TAU * draws.unit()).cos();
    }
    // Johnk's method, in logarithms: powers of 1 / a leave the range of numbers.
    loop {
        let (x, y) = ((1.0 - draws.unit()).ln() / a, (1.0 - draws.unit()).ln() / a);
        let most = x.max(y);
        let sum = most + ((x - most).exp() + (y - most).exp()).ln();
        if sum <= 0.0 {
            return (x - sum).exp();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::rng::Purpose;

    #[test]
    fn a_symmetric_beta_has_its_mean_and_variance() {
        let mut draws = Draws::new(4, Purpose::Arrivals, 0, 0);
        let n = 200_000;
        for unevenness in [0.001, 0.1, 0.4, 0.5, 0.7, 0.95, 1.0] {
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..n {
                let x = symmetric_beta(unevenness, &mut draws);
                assert!((0.0..=1.0).contains(&x));
                sum += x;
                squares += (x - 0.5) * (x - 0.5);
            }
            let (mean, variance) = (sum / f64::from(n), squares / f64::from(n));
            assert!((mean - 0.5).abs() < 0.006, "{unevenness}: {mean}");
            assert!((4.0 * variance / unevenness - 1.0).abs() < 0.03, "{unevenness}: {variance}");
        }
    }

    /// Second factorial moment of the counts in windows of `width_s`.
    fn factorial(times: &[f64], width_s: f64, windows: usize) -> f64 {
        let mut counts = vec![0.0f64; windows];
        times.iter().for_each(|t| counts[((t / width_s) as usize).min(windows - 1)] += 1.0);
        counts.iter().map(|n| n * (n - 1.0)).sum::<f64>() / windows as f64
    }

    #[test]
    fn each_halving_has_the_variance_asked_for() {
        let unevenness = [0.2, 0.0, 0.8];
        let levels = unevenness.map(|u| vec![u]);
        let mut clock = Clock::new(&[], &[], None).unwrap();
        let mut draws = Draws::new(8, Purpose::Arrivals, 0, 0);
        let mut cascade = Cascade::new(6.5, 8.0, &levels).unwrap();
        let windows = 20_000;
        let end = 8.0 * windows as f64;
        let mut times = Vec::new();
        while let Some(t) = cascade.next(&mut clock, &mut draws).filter(|&t| t < end) {
            assert!(times.last().is_none_or(|&last| last <= t));
            times.push(t);
        }
        assert!((times.len() as f64 / (6.5 * end) - 1.0).abs() < 0.001);
        for (level, u) in unevenness.into_iter().enumerate() {
            let (width, n) = (8.0 / f64::from(1u32 << level), windows << level);
            let ratio = factorial(&times, width / 2.0, 2 * n) / factorial(&times, width, n);
            assert!((4.0 * ratio - 1.0 - u).abs() < 0.02, "level {level}: {}", 4.0 * ratio - 1.0);
        }
    }

    #[test]
    fn pairs_that_keep_apart_do_so() {
        let mut draws = Draws::new(3, Purpose::Arrivals, 0, 0);
        let n = 100_000;
        for u in [-1.0, -0.4, 0.0, 0.5] {
            let apart = (0..n).filter(|_| left_half(u, 2, &mut draws) == 1).count() as f64 / f64::from(n);
            assert!((apart - (1.0 - u) / 2.0).abs() < 0.008, "{u}: {apart}");
        }
        assert!((0..100).all(|_| (3..=4).contains(&left_half(-1.0, 7, &mut draws))));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(Cascade::new(0.0, 1.0, &[]).is_err());
        assert!(Cascade::new(1.0, 0.0, &[]).is_err());
        assert!(Cascade::new(1.0, f64::NAN, &[]).is_err());
        assert!(Cascade::new(1e9, 1e9, &[]).is_err());
        assert!(Cascade::new(1.0, 1.0, &[vec![1.1]]).is_err());
        assert!(Cascade::new(1.0, 1.0, &[vec![f64::NAN]]).is_err());
    }
}
