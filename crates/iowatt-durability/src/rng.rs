//! Random numbers: PCG-64, a stream for each chunk of trials.

use rand_core::Rng;
use rand_pcg::Pcg64;

/// A source of random numbers.
#[derive(Clone, Debug)]
pub struct Random(Pcg64);

impl Random {
    /// A stream of a seed.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        Self(Pcg64::new(u128::from(seed), u128::from(stream)))
    }

    /// Uniform in (0, 1).
    pub fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
    }

    /// Uniform in 0..`below`, which is above 0.
    pub fn below(&mut self, below: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(below)) >> 32) as u32
    }

    /// Exponential of mean 1.
    pub fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }

    /// Exponential of mean 1, given that it is below `limit`.
    pub fn exponential_below(&mut self, limit: f64) -> f64 {
        -(self.unit() * (-limit).exp_m1()).ln_1p()
    }

    /// Gamma of a shape, scale 1 (Marsaglia and Tsang, 2000).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let power = self.unit().powf(1.0 / shape);
            return self.gamma(shape + 1.0) * power;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.unit().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }
}
