//! A forecast of a series by ARIMA(p, d, q) (Box, Jenkins 1970), its coefficients estimated as the series goes on.
//!
//! The differenced series is regressed on its last p values and the last q residuals by recursive extended least squares
//! with forgetting (Ljung, Söderström: Theory and practice of recursive identification, 1983, the method RML1/ELS). Without
//! differences there is a constant. State and work are bounded by the order, whatever has been seen.

use serde::Deserialize;

/// Most coefficients, the constant aside.
const MOST: usize = 12;
const TERMS: usize = MOST + 1;
/// Variance of a coefficient of which nothing is known.
const UNKNOWN: f64 = 10.0;

/// The order of a model.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Past values (p).
    pub autoregressive: usize,
    /// How often the series is differenced (d), 0, 1 or 2.
    pub differences: usize,
    /// Past residuals (q).
    pub moving_average: usize,
}

impl Order {
    pub(crate) fn validate(self) -> Result<(), String> {
        if self.differences > 2 {
            return Err("a series is differenced at most twice".into());
        }
        if self.autoregressive.saturating_add(self.moving_average) > MOST {
            return Err(format!("at most {MOST} past values and residuals are accepted"));
        }
        Ok(())
    }
}

/// A series so far.
#[derive(Clone, Debug)]
pub(super) struct Forecast {
    order: Order,
    /// Coefficients: of past values, of past residuals, the constant.
    coefficients: [f64; TERMS],
    covariance: [[f64; TERMS]; TERMS],
    terms: [f64; TERMS],
    keeps: f64,
    /// The last value, and the last first difference.
    last: [f64; 2],
}

impl Forecast {
    /// Nothing is known: the forecast is the last value, and 0 where there are no differences.
    pub(super) fn new(order: Order, memory: f64) -> Self {
        let mut covariance = [[0.0; TERMS]; TERMS];
        covariance.iter_mut().enumerate().for_each(|(i, row)| row[i] = UNKNOWN);
        let mut made = Self {
            order,
            coefficients: [0.0; TERMS],
            covariance,
            terms: [0.0; TERMS],
            keeps: 1.0 - 1.0 / memory,
            last: [0.0; 2],
        };
        if order.differences == 0 {
            made.terms[made.used() - 1] = 1.0;
        }
        made
    }

    /// Coefficients in use.
    fn used(&self) -> usize {
        let Order { autoregressive, differences, moving_average } = self.order;
        autoregressive + moving_average + usize::from(differences == 0)
    }

    fn regression(&self) -> f64 {
        self.coefficients.iter().zip(&self.terms).map(|(c, t)| c * t).sum()
    }

    /// What is added to a differenced value to have the value.
    fn carried(&self) -> f64 {
        match self.order.differences {
            0 => 0.0,
            1 => self.last[0],
            _ => self.last[0] + self.last[1],
        }
    }

    /// The next value.
    pub(super) fn next(&self) -> f64 {
        self.carried() + self.regression()
    }

    /// The next value has come.
    pub(super) fn observe(&mut self, value: f64) {
        let (used, differenced) = (self.used(), value - self.carried());
        self.last = [value, value - self.last[0]];
        self.learn(differenced, used);
        // The residual that is left by what has been learned (a posteriori) keeps the recursion stable.
        let residual = differenced - self.regression();
        let Order { autoregressive: p, moving_average: q, .. } = self.order;
        if p > 0 {
            self.terms.copy_within(0..p - 1, 1);
            self.terms[0] = differenced;
        }
        if q > 0 {
            self.terms.copy_within(p..p + q - 1, p + 1);
            self.terms[p] = residual;
        }
    }

    /// One step of recursive least squares.
    fn learn(&mut self, value: f64, used: usize) {
        let error = value - self.regression();
        let mut gain = [0.0; TERMS];
        let mut spread = self.keeps;
        for (i, gain) in gain.iter_mut().enumerate().take(used) {
            *gain = self.covariance[i].iter().zip(&self.terms).map(|(c, t)| c * t).sum();
            spread += *gain * self.terms[i];
        }
        for i in 0..used {
            self.coefficients[i] += gain[i] / spread * error;
            for j in 0..=i {
                let kept = self.covariance[i][j] - gain[i] * gain[j] / spread;
                // What has not been excited for long must not become less certain than nothing known.
                let grown = kept / self.keeps;
                let next = if i == j { grown.clamp(1e-12, UNKNOWN) } else { kept };
                self.covariance[i][j] = next;
                self.covariance[j][i] = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(p: usize, d: usize, q: usize) -> Forecast {
        Forecast::new(Order { autoregressive: p, differences: d, moving_average: q }, 500.0)
    }

    /// Mean square of the forecast's error over the second half of a series.
    fn error(mut forecast: Forecast, series: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (at, &value) in series.iter().enumerate() {
            if at >= series.len() / 2 {
                sum += (value - forecast.next()).powi(2);
            }
            forecast.observe(value);
        }
        sum / (series.len() / 2) as f64
    }

    /// Noise of variance 1 / 12, always the same.
    fn noise(count: usize) -> Vec<f64> {
        let mut state = 7_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        (0..count).map(|_| draw()).collect()
    }

    #[test]
    fn series_of_its_kind_are_forecast_to_within_their_noise() {
        let noise = noise(4000);
        let (mut ar, mut ma, mut walk) = (vec![0.0; 4000], vec![0.0; 4000], vec![0.0; 4000]);
        for t in 3..4000 {
            ar[t] = 2.0 + 0.6 * ar[t - 1] - 0.4 * ar[t - 3] + noise[t];
            ma[t] = noise[t] + 0.8 * noise[t - 1];
            walk[t] = walk[t - 1] + noise[t] - 0.5 * noise[t - 1];
        }
        for (series, fitting, plain) in [
            (&ar, model(3, 0, 0), model(0, 0, 0)),
            (&ma, model(0, 0, 1), model(0, 0, 0)),
            (&walk, model(0, 1, 1), model(0, 1, 0)),
        ] {
            let (found, without) = (error(fitting, series), error(plain, series));
            assert!((0.95..1.1).contains(&(found * 12.0)), "{found}");
            assert!(without > 1.15 * found, "{without} against {found}");
        }
    }

    #[test]
    fn a_line_is_forecast_by_two_differences_and_a_rhythm_by_its_past() {
        let line: Vec<f64> = (0..100).map(f64::from).collect();
        assert!(error(model(0, 2, 0), &line) < 1e-12);
        let threes: Vec<f64> = (0..600).map(|i| [1.0, 2.0, 7.0][i % 3]).collect();
        assert!(error(model(3, 0, 0), &threes) < 1e-6);
    }
}
