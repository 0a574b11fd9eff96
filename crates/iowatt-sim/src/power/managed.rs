//! A power policy's life on one drive: its present period, what it wants next, and what is known of the future.

use super::Ladder;
use crate::clock::{Nanos, nanos, seconds};
use crate::plan::{BatchingPlan, PoolPlan};
use iowatt_power::{Change, Ended, Policy};
use std::collections::VecDeque;
use std::sync::Arc;

/// Shorter idle periods are not recorded for an oracle, whatever its levels cost: there may be one after every request.
const LEAST_FORESEEN: Nanos = 100_000_000;

/// Idle periods of all drives that an oracle may use: drive, start and length, by drive and start.
pub type Foreseen = Vec<(u32, Nanos, Nanos)>;

/// Holding requests back at a drive that is not ready.
#[derive(Clone, Copy, Debug)]
pub struct Batching {
    /// Longest that the oldest of them waits before the drive is woken.
    pub max_wait: Nanos,
    /// How many wake it before that.
    pub max_requests: usize,
}

impl Batching {
    fn new(plan: &BatchingPlan) -> Self {
        let max_requests = plan.max_requests.unwrap_or(usize::MAX);
        Self { max_wait: nanos(plan.max_wait_s), max_requests }
    }
}

/// Operations that arrived at a drive that was not ready, and have not been served yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    /// How many.
    pub number: u64,
    /// Of those, how many arrived in the window.
    pub count: u64,
    /// Of those in the window, the sum of the arrivals.
    pub arrivals: u128,
    /// Of those in the window, the sum of the times from which each could have woken the drive: its arrival, or the end
    /// of the change of level that it came into.
    pub from: u128,
    /// When the first of all came.
    pub oldest: Nanos,
}

/// Sums over the window of what waiting for the drive to be ready cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitTotals {
    /// Operations that arrived at a drive that was not ready.
    pub operations: u64,
    /// From their arrival until it was, nanoseconds together.
    pub wait: u128,
    /// Of that, because they were held back to be served together.
    pub batched: u128,
    /// Changes to a deeper level.
    pub descents: u64,
}

/// The policy of one drive and where it stands.
#[derive(Debug)]
pub struct Managed {
    policy: Box<dyn Policy>,
    /// The levels of the drive.
    pub ladder: Arc<Ladder>,
    /// The present level; on the way somewhere, the one come from.
    pub level: usize,
    /// Holding back, where asked for.
    pub batching: Option<Batching>,
    /// What waits for the drive to be ready.
    pub held: Held,
    /// The drive waits for its turn to come up, or has been told to.
    pub asked: bool,
    /// A release of what is held is pending.
    pub release_armed: bool,
    /// The earliest pending timer; `Nanos::MAX` without one.
    pub timer_at: Nanos,
    /// Sums.
    pub totals: WaitTotals,
    /// Start of the idle period as reported to the policy, if any.
    origin: Option<Nanos>,
    /// End of the period, where it is known.
    known_end: Option<Nanos>,
    pending: Option<(Nanos, usize)>,
    deepest: usize,
    /// The rest of what is foreseen of this drive, by start; none while that is being recorded.
    foreseen: Option<VecDeque<(Nanos, Nanos)>>,
    /// Periods recorded, by start.
    recorded: Vec<(Nanos, Nanos)>,
    least: Nanos,
    contradicted: bool,
}

impl Managed {
    /// The policy of drive number `index`; none where it never changes anything.
    #[must_use]
    pub fn new(pool: &PoolPlan, ladder: &Arc<Ladder>, seed: u64) -> Option<Self> {
        if pool.power_policy == iowatt_power::PolicyPlan::Never {
            return None;
        }
        let plan = pool.power_policy.in_time();
        let policy = plan.build(&ladder.levels, seed).ok()?; // the plan has been validated
        let levels = 1..ladder.levels.count();
        let least = levels
            .map(|l| ladder.down(0, l).takes + ladder.up(l).takes)
            .min()
            .unwrap_or(0)
            .max(LEAST_FORESEEN);
        Some(Self {
            policy,
            ladder: Arc::clone(ladder),
            level: 0,
            batching: pool.batching.as_ref().map(Batching::new),
            held: Held::default(),
            asked: false,
            release_armed: false,
            timer_at: Nanos::MAX,
            totals: WaitTotals::default(),
            origin: None,
            known_end: None,
            pending: None,
            deepest: 0,
            foreseen: None,
            recorded: Vec::new(),
            least,
            contradicted: false,
        })
    }

    /// Whether it is an oracle.
    #[must_use]
    pub fn foresees(&self) -> bool {
        self.policy.foresees()
    }

    /// Tells an oracle its drive's periods, by start.
    pub fn foresee(&mut self, periods: VecDeque<(Nanos, Nanos)>) {
        self.foreseen = Some(periods);
    }

    /// Periods recorded for a second run: those long enough to matter.
    #[must_use]
    pub fn recorded(&self) -> &[(Nanos, Nanos)] {
        &self.recorded
    }

    /// Whether what was foreseen did not come true: the two runs were not the same.
    #[must_use]
    pub fn contradicted(&self) -> bool {
        self.contradicted || self.foreseen.as_ref().is_some_and(|f| !f.is_empty())
    }

    /// A period begins for the policy at `now`; the drive has had nothing left to do since `free`.
    pub fn begin(&mut self, now: Nanos, free: Nanos) {
        self.origin = Some(now);
        self.deepest = self.level;
        self.known_end = self.foreseen_end(free);
        let length = self.known_end.map(|end| seconds(end.saturating_sub(now)));
        self.policy.begin(self.level, length);
        self.look_ahead();
    }

    /// The end of the period that began at `free`, if one was foreseen.
    fn foreseen_end(&mut self, free: Nanos) -> Option<Nanos> {
        let foreseen = self.foreseen.as_mut()?;
        let &(start, length) = foreseen.front()?;
        if start > free {
            return None;
        }
        foreseen.pop_front();
        self.contradicted |= start != free;
        Some(start + length)
    }

    /// Whether the policy knows of the present period.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.origin.is_some()
    }

    /// Asks the policy what comes next at the present level.
    pub fn look_ahead(&mut self) {
        let Some(origin) = self.origin else { return };
        self.deepest = self.deepest.max(self.level);
        self.pending = self.policy.next(self.level).map(|Change { after_s, to }| {
            let mut at = origin.saturating_add(nanos(after_s));
            if to == 0
                && let Some(end) = self.known_end
            {
                // Rounding must not make it late.
                at = at.min(end.saturating_sub(self.ladder.up(self.level).takes));
            }
            (at, to)
        });
    }

    /// The next change: when, and to which level.
    #[must_use]
    pub fn pending(&self) -> Option<(Nanos, usize)> {
        self.pending
    }

    /// Begins a change: no other is pending.
    pub fn set_out(&mut self, to: usize) {
        self.pending = None;
        self.deepest = self.deepest.max(to);
    }

    /// Whether requests are served at `level`, `waiting` of them at the drive.
    #[must_use]
    pub fn serves(&self, level: usize, waiting: usize) -> bool {
        self.ladder.serves(level) && self.policy.serves(level, waiting)
    }

    /// A request arrives at a drive that had nothing left to do since `free`.
    pub fn interrupted(&mut self, now: Nanos, free: Nanos) {
        self.pending = None;
        let end = if self.has_begun() { self.known_end.take() } else { self.foreseen_end(free) };
        self.contradicted |= end.is_some_and(|end| end != now);
        if self.foresees() && self.foreseen.is_none() && now - free >= self.least {
            self.recorded.push((free, now - free));
        }
    }

    /// The drive is ready for the request that arrived at `arrived`.
    pub fn ready(&mut self, now: Nanos, arrived: Nanos) {
        let Some(origin) = self.origin.take() else { return };
        let length_s = seconds(arrived.saturating_sub(origin));
        self.policy.ended(&Ended { length_s, level: self.deepest, wait_s: seconds(now - arrived) });
    }

    /// The run ends at `end`. `free`: since when the drive has had nothing to do, if so; `low`: it is at a level at which
    /// it does not serve.
    pub fn cut(&mut self, end: Nanos, free: Option<Nanos>, low: bool) {
        if let Some(free) = free.filter(|_| self.foresees() && self.foreseen.is_none())
            && end - free >= self.least
        {
            self.recorded.push((free, end - free));
        }
        if low && !self.asked {
            self.released(end);
        }
        self.served(end);
    }

    /// An operation arrives at a drive that is not ready; `counted`: within the window.
    pub fn hold(&mut self, now: Nanos, counted: bool) {
        if self.held.number == 0 {
            self.held.oldest = now;
        }
        self.held.number += 1;
        if counted {
            self.held.count += 1;
            self.held.arrivals += u128::from(now);
            self.held.from += u128::from(now);
        }
    }

    /// The drive has reached a level at which what is held is not served: no batch made it wait until now.
    pub fn rests(&mut self, now: Nanos) {
        self.held.from = u128::from(now) * u128::from(self.held.count);
    }

    /// What is held has been held back until now.
    pub fn released(&mut self, now: Nanos) {
        self.totals.batched += u128::from(now) * u128::from(self.held.count) - self.held.from;
    }

    /// What is held is served from now on.
    pub fn served(&mut self, now: Nanos) {
        self.totals.operations += self.held.count;
        self.totals.wait += u128::from(now) * u128::from(self.held.count) - self.held.arrivals;
        self.held = Held::default();
    }
}
