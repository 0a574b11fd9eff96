//! A volume that does nothing by itself, for tests: they tell the time, and when each transfer ends. The bytes, the journal and
//! the policy are those of a volume in service.

use super::clock::Clock;
use super::live_io::Job;
use super::{Beside, Driver, Host, Mutant, Part, Work, lock};
use crate::journal::Journal;
use iowatt_volume::time::Nanos;
use iowatt_volume::{PoolCounts, Schemes};
use std::sync::Arc;

/// A volume that is taken through its work step by step.
pub struct Stepped(Driver);

/// A transfer that may take place.
pub struct Step {
    /// Its part.
    pub part: usize,
    /// Its length.
    pub bytes: u64,
    job: Job,
}

impl Stepped {
    pub(crate) fn new(scheme: Schemes, parts: Vec<Part>, journal: Option<Journal>) -> Self {
        Self(Driver::new(scheme, parts, journal, Clock::Told(0.into()), Beside::default(), Mutant::None))
    }

    /// It is `now` until the next call.
    pub fn tell(&self, now: Nanos) {
        self.0.clock.tell(now);
    }

    /// Takes a request; as [`Driver::submit`]. Stores must not be prompt: the submitter would do transfers himself.
    pub fn submit(&self, work: Work, host: &Arc<dyn Host>, cookie: u64) {
        self.0.submit(work, host, cookie);
    }

    /// The next transfer that may take place, in the order in which they were opened; each is named once.
    pub fn next(&self) -> Option<Step> {
        let job = lock(&self.0.jobs).pop_front()?;
        Some(Step { part: job.part, bytes: job.range.1 - job.range.0, job })
    }

    /// Moves the bytes of a transfer, which has come to its end.
    pub fn end(&self, step: Step) {
        let mut jobs = Vec::new();
        self.0.perform(step.job, &mut jobs);
        self.0.hand_out(&mut jobs);
    }

    /// Makes durable what somebody waits for; whether anybody did.
    pub fn make_durable(&self) -> bool {
        let core = lock(&self.0.core);
        let waits = !core.io.batch.waiters.is_empty();
        if waits {
            self.0.make_durable(core);
        }
        waits
    }

    /// When the policy wants to be woken; `Nanos::MAX`: it does not.
    pub fn alarm_at(&self) -> Nanos {
        lock(&self.0.core).io.alarm_at
    }

    /// Wakes the policy.
    pub fn wake_policy(&self) {
        self.0.wake_policy();
    }

    /// No move starts any more.
    pub fn drain(&self) {
        lock(&self.0.core).io.draining = true;
    }

    /// As [`Driver::results`].
    pub fn results(&self) -> (PoolCounts, Vec<u32>) {
        self.0.results()
    }

    /// Whether the policy's tables agree with each other; as [`Driver::audit`].
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn audit(&self) -> Result<(), String> {
        self.0.audit()
    }
}
