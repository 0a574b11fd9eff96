//! Stays idle: the baseline.

use crate::policy::{Change, Ended, Policy};

/// Idle drives go on spinning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Never;

impl Policy for Never {
    fn begin(&mut self, _: usize, _: Option<f64>) {}

    fn next(&mut self, _: usize) -> Option<Change> {
        None
    }

    fn ended(&mut self, _: &Ended) {}
}
