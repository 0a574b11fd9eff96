//! A long discard is done in steps, and answered when all are done.

use super::lock;
use crate::driver::{Driver, Failure, Host, Work};
use std::sync::{Arc, Mutex};

/// Bytes that are discarded or zeroed at a time.
const STEP: u64 = 32 << 20;

/// A long discard, in steps.
pub(super) struct Steps {
    host: Arc<dyn Host>,
    cookie: u64,
    left: Mutex<(u64, Option<Failure>)>,
}

impl Steps {
    pub fn begin(
        driver: &Driver,
        host: Arc<dyn Host>,
        cookie: u64,
        (from, until): (u64, u64),
        (trim, durable): (bool, bool),
    ) {
        let count = (until - from).div_ceil(STEP).max(1);
        let steps: Arc<dyn Host> = Arc::new(Self { host, cookie, left: Mutex::new((count, None)) });
        for step in 0..count {
            let at = from + step * STEP;
            let work = Work::Discard { at, bytes: STEP.min(until - at), trim, durable };
            driver.submit(work, &steps, step);
        }
    }
}

impl Host for Steps {
    fn answer(&self, _step: u64, outcome: Result<Vec<u8>, Failure>) {
        let mut left = lock(&self.left);
        left.0 -= 1;
        left.1 = left.1.or(outcome.err());
        if left.0 == 0 {
            self.host.answer(self.cookie, left.1.map_or(Ok(Vec::new()), Err));
        }
    }
}
