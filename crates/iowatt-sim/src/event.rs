//! The event queue: our own binary heap, ordered by time, ties by the order of scheduling.

use crate::clock::Nanos;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The next open arrival of a workload.
    Arrival(u32),
    /// A visit to the controller ends its present stage.
    Visit(u32),
    /// A drive completes its operation.
    DriveDone(u32),
    /// An idle drive's power policy wants to look at it.
    IdleTimer(u32),
    /// A drive ends spinning down or up.
    SpindleDone(u32),
    /// A drive fails: index into the failures of the plan.
    Fail(u32),
    /// An operation is lost with its drive: its key.
    Lost(u32),
    /// The rebuild of a pool may go on.
    Rebuild(u32),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Time in the upper, sequence number in the lower 64 bits: one comparison orders both.
    key: u128,
    event: Event,
}

/// Pending events.
#[derive(Debug, Default)]
pub struct EventQueue {
    heap: Vec<Entry>,
    sequence: u64,
}

impl EventQueue {
    /// Schedules `event` at `at`. Events of equal time come out in the order of these calls.
    pub fn push(&mut self, at: Nanos, event: Event) {
        let key = (u128::from(at) << 64) | u128::from(self.sequence);
        self.sequence += 1;
        let mut hole = self.heap.len();
        self.heap.push(Entry { key, event });
        while hole > 0 {
            let parent = (hole - 1) / 2;
            if self.heap[parent].key <= key {
                break;
            }
            self.heap.swap(parent, hole);
            hole = parent;
        }
    }

    /// Time of the next event.
    #[must_use]
    pub fn next_time(&self) -> Option<Nanos> {
        self.heap.first().map(|e| (e.key >> 64) as Nanos)
    }

    /// Takes the earliest event.
    pub fn pop(&mut self) -> Option<(Nanos, Event)> {
        let last = self.heap.pop()?;
        let Some(first) = self.heap.first().copied() else {
            return Some(((last.key >> 64) as Nanos, last.event));
        };
        let n = self.heap.len();
        let mut hole = 0;
        loop {
            let mut child = 2 * hole + 1;
            if child >= n {
                break;
            }
            if child + 1 < n && self.heap[child + 1].key < self.heap[child].key {
                child += 1;
            }
            if last.key <= self.heap[child].key {
                break;
            }
            self.heap[hole] = self.heap[child];
            hole = child;
        }
        self.heap[hole] = last;
        Some(((first.key >> 64) as Nanos, first.event))
    }

    /// Events scheduled since the start.
    #[must_use]
    pub fn scheduled(&self) -> u64 {
        self.sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn comes_out_in_time_order_ties_in_call_order(times in prop::collection::vec(0u64..50, 0..300)) {
            let mut queue = EventQueue::default();
            for (i, &t) in times.iter().enumerate() {
                queue.push(t, Event::DriveDone(i as u32));
            }
            let mut expected: Vec<_> = times.iter().copied().zip(0u32..).collect();
            expected.sort();
            let mut got = Vec::new();
            while let Some((t, Event::DriveDone(i))) = queue.pop() {
                got.push((t, i));
            }
            prop_assert_eq!(got, expected);
        }
    }
}
