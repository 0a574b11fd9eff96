//! Whose turn it is: requests that wait for a place in the array, by volume.
//!
//! Weighted shares are start-time fair queueing (Goyal, Vin and Cheng, IEEE/ACM Transactions on Networking 5, 1997): a
//! request is tagged with the virtual time at which it would start, the least tag comes next, and the volume's next tag is
//! 1 / weight later. Virtual time is the tag that was taken last; once the array is empty, the last finish.

use crate::plan::{QosOrder, QosPlan, VolumeQosPlan};
use std::collections::VecDeque;

/// Virtual time of a request of weight 1.
const UNIT: f64 = (1u64 << 32) as f64;

/// One volume's queue.
#[derive(Debug)]
struct Queue {
    priority: u32,
    /// Virtual time of one of its requests.
    step: u128,
    /// When its last tagged request finishes, in virtual time.
    finish: u128,
    /// Keys of requests, their places in the order of arrival, and tags.
    waiting: VecDeque<(u32, u64, u128)>,
}

/// Places in the array, and who waits for one.
#[derive(Debug)]
pub struct Turns {
    order: QosOrder,
    free: usize,
    places: usize,
    queues: Vec<Queue>,
    /// Requests that came so far.
    came: u64,
    virtual_time: u128,
}

impl Turns {
    /// All places are free.
    #[must_use]
    pub fn new(plan: &QosPlan, volumes: impl Iterator<Item = VolumeQosPlan>) -> Self {
        let queue = |volume: VolumeQosPlan| Queue {
            priority: volume.priority,
            step: (UNIT / volume.weight).round() as u128,
            finish: 0,
            waiting: VecDeque::new(),
        };
        Self {
            order: plan.order,
            free: plan.outstanding,
            places: plan.outstanding,
            queues: volumes.map(queue).collect(),
            came: 0,
            virtual_time: 0,
        }
    }

    /// A request of `volume` asks for a place; whether it has one now, else it waits.
    pub fn ask(&mut self, volume: usize, key: u32) -> bool {
        self.came += 1;
        let queue = &mut self.queues[volume];
        let tag = queue.finish.max(self.virtual_time);
        queue.finish = tag + queue.step;
        if self.free == 0 {
            queue.waiting.push_back((key, self.came, tag));
            return false;
        }
        self.free -= 1;
        self.virtual_time = tag;
        true
    }

    /// A request gives its place back; the one that has it now.
    pub fn give(&mut self) -> Option<u32> {
        let rank = |queue: &Queue| {
            let &(_, came, tag) = queue.waiting.front()?;
            Some(match self.order {
                QosOrder::FirstCome => (0, came),
                QosOrder::Strict => (u128::from(u32::MAX - queue.priority), came),
                QosOrder::Weighted => (tag, came),
            })
        };
        let next = self.queues.iter().enumerate().filter_map(|(at, queue)| Some((rank(queue)?, at))).min();
        let Some((_, volume)) = next else {
            self.free += 1;
            if self.free == self.places {
                self.virtual_time = self.queues.iter().map(|queue| queue.finish).max().unwrap_or(0);
            }
            return None;
        };
        let (key, _, tag) = self.queues[volume].waiting.pop_front()?;
        self.virtual_time = tag;
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn turns(order: QosOrder, places: usize, volumes: &[(u32, f64)]) -> Turns {
        let plan = QosPlan { outstanding: places, order };
        let volume =
            |&(priority, weight): &(u32, f64)| VolumeQosPlan { priority, weight, ..VolumeQosPlan::default() };
        Turns::new(&plan, volumes.iter().map(volume))
    }

    #[test]
    fn high_priority_comes_first_and_equals_as_they_came() {
        let mut turns = turns(QosOrder::Strict, 1, &[(0, 1.0), (2, 1.0), (2, 1.0)]);
        assert!(turns.ask(0, 100));
        for (volume, key) in [(0, 1), (2, 2), (1, 3), (0, 4), (2, 5)] {
            assert!(!turns.ask(volume, key));
        }
        let served: Vec<_> = (0..6).map(|_| turns.give()).collect();
        assert_eq!(served, [Some(2), Some(3), Some(5), Some(1), Some(4), None]);
        assert!(turns.ask(0, 9), "the place is free again");
    }

    proptest! {
        /// While all queues hold requests, each volume's share differs from its weight's by less than a request for each volume.
        #[test]
        fn shares_follow_weights(weights in prop::collection::vec(1u32..9, 2..5), places in 1usize..5) {
            let volumes: Vec<_> = weights.iter().map(|&w| (0, f64::from(w))).collect();
            let mut turns = turns(QosOrder::Weighted, places, &volumes);
            let backlog = 600;
            for number in 0..backlog * volumes.len() {
                turns.ask(number % volumes.len(), (number % volumes.len()) as u32);
            }
            let mut served = vec![0u32; volumes.len()];
            let total = 400;
            for _ in 0..total {
                let volume = turns.give();
                prop_assert!(volume.is_some());
                served[volume.unwrap_or(0) as usize] += 1;
            }
            let sum: u32 = weights.iter().sum();
            for (served, weight) in served.iter().zip(&weights) {
                let share = f64::from(total) * f64::from(*weight) / f64::from(sum);
                prop_assert!((f64::from(*served) - share).abs() < 1.0 + places as f64 + volumes.len() as f64);
            }
        }
    }
}
