//! Statistical tests of means: independent replications and Student's t.
//!
//! A comparison passes if the expected value lies in the two-sided 99.9 % confidence interval of the mean over
//! [`REPLICATIONS`] independent replications *and* the interval is narrower than the power that the test asks for: an
//! interval so wide that it would hold everything fails. With a correct simulator one comparison in a thousand would fail,
//! and the seeds are fixed, so each fails always or never. A seed that fails is a finding and not to be replaced.

/// Replications of each estimate.
pub const REPLICATIONS: usize = 20;

/// Student's t for 19 degrees of freedom, 0.9995 quantile: a two-sided interval at 99.9 %.
const T_999: f64 = 3.883;

/// A mean with the half-width of its 99.9 % confidence interval.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    pub mean: f64,
    pub half_width: f64,
}

impl Estimate {
    /// From one value of each replication, which is told its number.
    pub fn of(mut replicate: impl FnMut(u64) -> f64) -> Self {
        Self::from_values(&(0..REPLICATIONS as u64).map(&mut replicate).collect::<Vec<_>>())
    }

    /// From the values of all replications.
    pub fn from_values(values: &[f64]) -> Self {
        assert_eq!(values.len(), REPLICATIONS);
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Self { mean, half_width: T_999 * (variance / n).sqrt() }
    }

    /// Whether `expected` is within the interval.
    pub fn holds(&self, expected: f64) -> bool {
        (self.mean - expected).abs() <= self.half_width
    }

    /// The estimate agrees with `expected` to the interval, which is at most `power` (a share of `expected`) to
    /// either side.
    pub fn assert_agrees(&self, expected: f64, power: f64, what: &str) {
        let Self { mean, half_width } = self;
        let (off, half) = (100.0 * (mean / expected - 1.0), 100.0 * half_width / expected);
        eprintln!("{what}: {mean:.4e} for {expected:.4e}, {off:+.2} % +- {half:.2} %"); // cargo test -- --nocapture
        assert!(self.holds(expected), "{what}: {mean} +- {half_width} does not hold {expected}");
        assert!(*half_width <= power * expected, "{what}: +- {half_width} is too wide for {expected}");
    }

    /// The estimate is significantly above zero: used on differences between two systems under the same requests.
    pub fn assert_positive(&self, what: &str) {
        eprintln!("{what}: by {:.4e} +- {:.4e}", self.mean, self.half_width);
        assert!(self.mean > self.half_width, "{what}: {} +- {}", self.mean, self.half_width);
    }
}
