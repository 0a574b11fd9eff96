//! Stamps for traces that record an order and no times: a constant rate, or none at all.

use crate::error::{Code, Fault};
use crate::spec::TraceSpec;

/// Gives one stamp per request.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Nanoseconds between requests; `None` where only the order is wanted.
    step_ns: Option<f64>,
    given: u64,
}

impl Pace {
    /// By `rate_iops`, or by none where the spec is content with the order.
    ///
    /// # Errors
    /// A rate that is none; or no rate where one is needed.
    pub(crate) fn new(spec: &TraceSpec, what: &str) -> Result<Self, Fault> {
        match spec.rate_iops {
            Some(rate) if (1e-6..=1e9).contains(&rate) => Ok(Self { step_ns: Some(1e9 / rate), given: 0 }),
            Some(rate) => {
                let reason = format!("rate_iops is {rate}; 0.000001 to 1e9 requests per second are accepted");
                Err(Fault::new(Code::OutOfRange, reason))
            }
            None if spec.order_only => Ok(Self { step_ns: None, given: 0 }),
            None => {
                let reason = format!(
                    "{what} no time stamps, only an order; give a constant rate (rate_iops, requests per second), or replay it \
                     closed, where completions set the pace"
                );
                Err(Fault::new(Code::Missing, reason))
            }
        }
    }

    /// The stamp of the next request.
    #[inline]
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // exact for 104 days
    pub(crate) fn next_ns(&mut self) -> u64 {
        let stamp = self.step_ns.map_or(0, |step_ns| (self.given as f64 * step_ns) as u64);
        self.given += 1;
        stamp
    }

    /// Whether there are no stamps at all.
    pub(crate) fn untimed(&self) -> bool {
        self.step_ns.is_none()
    }

    /// For the import summary.
    pub(crate) fn note(&self) -> String {
        match self.step_ns {
            Some(step_ns) => {
                format!(
                    "no times are recorded: a constant rate of {} requests per second was given",
                    1e9 / step_ns
                )
            }
            None => "no times are recorded: only the order means something, all stamps are 0".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    fn pace(rate_iops: Option<f64>, order_only: bool) -> Result<Pace, String> {
        Pace::new(&TraceSpec { rate_iops, order_only, ..TraceSpec::new("x") }, "x has")
            .map_err(|fault| fault.said())
    }

    #[test]
    fn a_constant_rate_does_not_drift() {
        let mut stamps = pace(Some(3.0), false).unwrap();
        let got: Vec<_> = (0..4).map(|_| stamps.next_ns()).collect();
        assert_eq!(got, [0, 333_333_333, 666_666_666, 1_000_000_000]);
        stamps.given = 3_000_000;
        assert_eq!(stamps.next_ns(), 1_000_000_000_000_000);
    }

    #[test]
    fn without_a_rate_the_order_has_to_do_and_be_asked_for() {
        let mut order = pace(None, true).unwrap();
        assert!(order.untimed() && order.next_ns() == 0 && order.next_ns() == 0);
        assert!(
            pace(None, false)
                .unwrap_err()
                .starts_with("missing: x has no time stamps, only an order; give a constant rate")
        );
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(pace(Some(rate), true).unwrap_err().starts_with("out-of-range: rate_iops"));
        }
    }
}
