//! Think times: how long a closed loop waits from a completion to the request that follows it.

use crate::clock::{Nanos, nanos};
use crate::plan::ThinkPlan;
use crate::rng::Stream;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The loops of a workload that think.
pub struct Thinking {
    plan: ThinkPlan,
    draws: Stream,
    /// End, order of beginning, stream.
    under_way: BinaryHeap<Reverse<(Nanos, u64, u32)>>,
    begun: u64,
}

impl Thinking {
    /// Nobody thinks yet.
    pub fn new(plan: ThinkPlan, draws: Stream) -> Self {
        Self { plan, draws, under_way: BinaryHeap::new(), begun: 0 }
    }

    /// A loop of `stream` begins to think; the time at which it ends.
    pub fn begin(&mut self, now: Nanos, stream: u32) -> Nanos {
        let factor = if self.plan.exponential { self.draws.exponential() } else { 1.0 };
        let end = now + nanos(self.plan.mean_s * factor);
        self.under_way.push(Reverse((end, self.begun, stream)));
        self.begun += 1;
        end
    }

    /// The stream of the loop that ends first.
    pub fn end(&mut self) -> Option<u32> {
        self.under_way.pop().map(|Reverse((_, _, stream))| stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Component;

    fn thinking(mean_s: f64, exponential: bool) -> Thinking {
        Thinking::new(ThinkPlan { mean_s, exponential }, Stream::new(1, Component::Think, 0))
    }

    #[test]
    fn fixed_times_end_in_the_order_in_which_they_began() {
        let mut fixed = thinking(0.5, false);
        assert_eq!((fixed.begin(10, 7), fixed.begin(10, 9)), (500_000_010, 500_000_010));
        assert_eq!((fixed.end(), fixed.end(), fixed.end()), (Some(7), Some(9), None));
    }

    #[test]
    fn exponential_times_have_the_mean() {
        let mut drawn = thinking(1.0, true);
        let sum: Nanos = (0..40_000).map(|_| drawn.begin(0, 0)).sum();
        // Standard error 0.5 %.
        let mean = sum as f64 / 40_000e9;
        assert!((mean - 1.0).abs() < 0.025, "{mean}");
    }
}
