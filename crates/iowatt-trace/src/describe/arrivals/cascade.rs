//! Counts of arrivals in windows of 2^-16 s, 2^-15 s, ... up to the span: their variance and their differences,
//! in one pass. A window hands its count up when it is over; empty ones are never touched.

use serde::Serialize;

/// Levels: windows of 2^-16 s to 2^32 s.
const LEVELS: usize = 49;
/// log2 of the finest window over a second.
pub(super) const FINEST: i32 = -16;
const NONE: u64 = u64::MAX;
/// Classes of counts: 2 to 3, 4 to 7, ...
const CLASSES: usize = 24;

#[derive(Clone, Copy)]
struct Level {
    window: u64,
    halves: [u64; 2],
    sum: f64,
    squares: f64,
    differences: f64,
    peak: u64,
    /// By class of count: windows, sum of (left - right)^2 - count, sum of count (count - 1).
    divided: [[f64; 3]; CLASSES],
}

/// The windows of all levels.
pub(in super::super) struct Cascade {
    levels: [Level; LEVELS],
}

/// Counts in windows of one width, over complete windows from the first request on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scale {
    /// Width of a window.
    pub window_s: f64,
    /// Windows, empty ones among them.
    pub windows: u64,
    /// Mean count.
    pub mean: f64,
    /// Variance of the counts over (windows - 1).
    pub variance: f64,
    /// Index of dispersion for counts: variance over mean; 1 for a Poisson process at every scale.
    pub idc: f64,
    /// Largest count.
    pub peak: u64,
    /// How unevenly windows of so many requests divide them between their halves.
    pub divisions: Divisions,
    /// Haar wavelet energy: mean of (left half - right half)^2 / windows of the finest level in it.
    #[serde(skip)]
    pub(super) energy: f64,
    /// log2 of the width over a second.
    #[serde(skip)]
    pub(super) octave: i32,
}

/// Divisions between halves by count, in columns; classes of counts are octaves from 2 on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Divisions {
    /// Fewest requests of the class; the next class begins at its double.
    pub from_requests: Vec<u64>,
    /// Windows.
    pub windows: Vec<u64>,
    /// Sum of (left - right)^2 - count over sum of count (count - 1): 0 where each request falls into either half
    /// for itself, 1 where all fall into one, below 0 where they keep apart.
    pub unevenness: Vec<f64>,
}

impl Cascade {
    pub(in super::super) fn new() -> Self {
        let empty = Level {
            window: NONE,
            halves: [0; 2],
            sum: 0.0,
            squares: 0.0,
            differences: 0.0,
            peak: 0,
            divided: [[0.0; 3]; CLASSES],
        };
        Self { levels: [empty; LEVELS] }
    }

    /// `since_ns` counts from the first request and never decreases.
    #[inline]
    pub(in super::super) fn add(&mut self, since_ns: u64) {
        let window = finest(since_ns);
        let level = &mut self.levels[0];
        if level.window == window {
            level.halves[0] += 1;
            return;
        }
        let before = std::mem::replace(&mut level.window, window);
        let count = std::mem::replace(&mut level.halves[0], 1);
        if before != NONE {
            self.close(0, before, count);
        }
    }

    /// Takes the count of a window that is over into its level and hands it up.
    fn close(&mut self, mut at: usize, mut window: u64, mut count: u64) {
        loop {
            self.levels[at].record(count);
            at += 1;
            let (parent, half) = (window >> 1, (window & 1) as usize);
            let Some(level) = self.levels.get_mut(at) else {
                return;
            };
            if level.window == parent {
                level.halves[half] += count;
                return;
            }
            let over = std::mem::replace(&mut level.window, parent);
            let halves = std::mem::take(&mut level.halves);
            level.halves[half] = count;
            if over == NONE {
                return;
            }
            level.difference(halves);
            (window, count) = (over, halves[0] + halves[1]);
        }
    }

    /// All levels with at least two complete windows up to `last_ns`, the last request's time.
    pub(in super::super) fn finish(&mut self, last_ns: u64) -> Vec<Scale> {
        let last = finest(last_ns);
        // The window of the last request is not over, nor is any that holds it; all others are.
        for at in 1..LEVELS {
            let level = &mut self.levels[at];
            if level.window != NONE && level.window < last >> at {
                let (window, halves) = (level.window, level.halves);
                level.window = NONE;
                level.difference(halves);
                self.close(at, window, halves[0] + halves[1]);
            }
        }
        (0..LEVELS).filter_map(|at| self.levels[at].scale(at, last >> at)).collect()
    }
}

/// The window of 2^-16 s.
fn finest(since_ns: u64) -> u64 {
    let (seconds, rest) = (since_ns / 1_000_000_000, since_ns % 1_000_000_000);
    (seconds << 16) | ((rest << 16) / 1_000_000_000)
}

impl Level {
    fn record(&mut self, count: u64) {
        self.sum += count as f64;
        self.squares += count as f64 * count as f64;
        self.peak = self.peak.max(count);
    }

    fn difference(&mut self, halves: [u64; 2]) {
        let difference = halves[0] as f64 - halves[1] as f64;
        self.differences += difference * difference;
        let count = halves[0] + halves[1];
        if count > 1 {
            let class = (count.ilog2() as usize - 1).min(CLASSES - 1);
            let count = count as f64;
            let more = [1.0, difference * difference - count, count * (count - 1.0)];
            self.divided[class].iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }

    fn divisions(&self) -> Divisions {
        let mut found = Divisions::default();
        for (class, &[windows, apart, pairs]) in self.divided.iter().enumerate() {
            if windows > 0.0 {
                found.from_requests.push(2 << class);
                found.windows.push(windows as u64);
                found.unevenness.push(apart / pairs);
            }
        }
        found
    }

    fn scale(&self, at: usize, windows: u64) -> Option<Scale> {
        if windows < 2 || self.sum == 0.0 {
            return None;
        }
        let n = windows as f64;
        let mean = self.sum / n;
        let variance = ((self.squares - n * mean * mean) / (n - 1.0)).max(0.0);
        let octave = at as i32 + FINEST;
        Some(Scale {
            window_s: f64::from(octave).exp2(),
            windows,
            mean,
            variance,
            idc: variance / mean,
            peak: self.peak,
            divisions: self.divisions(),
            energy: self.differences / n / (at as f64).exp2(),
            octave,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Uniform;
    use super::*;
    use proptest::prelude::*;

    const WINDOW: u64 = 1_000_000_000 >> 9; // 1/512 s is a whole number of nanoseconds

    fn scales(times: &[u64]) -> Vec<Scale> {
        let mut cascade = Cascade::new();
        times.iter().for_each(|&time| cascade.add(time));
        cascade.finish(*times.last().unwrap())
    }

    #[test]
    fn counts_of_two_windows_by_hand() {
        // In windows of 1 s: 3, 0, 1; the last request only ends the third.
        let second = 1_000_000_000;
        let found = scales(&[0, 1, 2, 2 * second, 3 * second]);
        let one = found.iter().find(|s| s.window_s == 1.0).unwrap();
        assert_eq!((one.windows, one.peak), (3, 3));
        assert!((one.mean - 4.0 / 3.0).abs() < 1e-12);
        assert!((one.variance - 7.0 / 3.0).abs() < 1e-12); // (25 + 16 + 1) / 9 / 2
        assert!((one.idc - 1.75).abs() < 1e-12);
    }

    #[test]
    fn divisions_by_hand() {
        // Windows of 1 s: 2 + 0, then 1 + 1; the last request only ends them.
        let second = 1_000_000_000;
        let found = scales(&[0, 1, second, 2 * second - 1, 2 * second]);
        let one = found.iter().find(|s| s.window_s == 1.0).unwrap();
        // (4 - 2 + 0 - 2) / (2 + 2)
        assert_eq!(one.divisions.from_requests, [2]);
        assert_eq!((one.divisions.windows[0], one.divisions.unevenness[0]), (2, 0.0));
    }

    proptest! {
        #[test]
        fn as_counted_window_by_window(steps in proptest::collection::vec(0_u64..40_000_000, 2..200)) {
            let times: Vec<u64> = steps.iter().scan(0, |t, s| { *t += s; Some(*t - steps[0]) }).collect();
            for scale in scales(&times).iter().filter(|s| s.octave >= -9) {
                let width = WINDOW << (scale.octave + 9);
                let mut counts = vec![0.0_f64; (times.last().unwrap() / width) as usize];
                times.iter().filter_map(|t| usize::try_from(t / width).ok()).for_each(|window| {
                    if let Some(count) = counts.get_mut(window) { *count += 1.0 }
                });
                let n = counts.len() as f64;
                let mean = counts.iter().sum::<f64>() / n;
                let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / (n - 1.0);
                prop_assert_eq!(scale.windows, counts.len() as u64);
                prop_assert!((scale.mean - mean).abs() < 1e-9);
                prop_assert!((scale.variance - variance).abs() < 1e-6);
                if scale.octave > -9 {
                    let mut energy = 0.0;
                    for window in 0..scale.windows {
                        let half = |h: u64| times.iter().filter(|&t| t / (width / 2) == 2 * window + h).count() as f64;
                        energy += (half(0) - half(1)).powi(2);
                    }
                    energy /= n * f64::from(scale.octave - FINEST).exp2();
                    prop_assert!((scale.energy - energy).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn a_poisson_process_has_a_dispersion_of_one() {
        let mut uniform = Uniform(7);
        let mut time = 0.0;
        let times: Vec<u64> = (0..200_000)
            .map(|_| {
                time += -1e6 * (1.0 - uniform.next()).ln(); // mean 1 ms
                time as u64
            })
            .collect();
        for scale in scales(&times).iter().filter(|s| s.windows >= 1000) {
            // The variance of a sample variance of n is 2/n of it: five standard errors.
            assert!((scale.idc - 1.0).abs() < 5.0 * (2.0 / scale.windows as f64).sqrt(), "{scale:?}");
        }
    }
}
