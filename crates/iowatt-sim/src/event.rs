//! The event queue: our own binary heap, ordered by time, ties by the order of scheduling.

use crate::clock::Nanos;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The next open arrival of a workload.
    Arrival(u32),
    /// A think time of a workload's closed loop ends.
    Thought(u32),
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
///
/// Most events schedule another one, so the place of an event taken stays vacant until the next one is scheduled (it sinks
/// from there) or asked for.
#[derive(Debug, Default)]
pub struct EventQueue {
    heap: Vec<Entry>,
    sequence: u64,
    /// The first entry has been taken.
    vacant: bool,
}

impl EventQueue {
    /// Schedules `event` at `at`. Events of equal time come out in the order of these calls.
    pub fn push(&mut self, at: Nanos, event: Event) {
        let key = (u128::from(at) << 64) | u128::from(self.sequence);
        self.sequence += 1;
        if self.vacant {
            self.vacant = false;
            self.sink(Entry { key, event });
            return;
        }
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

    /// Takes the earliest event, unless it comes after `end`.
    pub fn pop_until(&mut self, end: Nanos) -> Option<(Nanos, Event)> {
        if self.vacant {
            self.vacant = false;
            let last = self.heap.pop()?;
            if !self.heap.is_empty() {
                self.sink(last);
            }
        }
        let &Entry { key, event } = self.heap.first()?;
        let at = (key >> 64) as Nanos;
        self.vacant = at <= end;
        self.vacant.then_some((at, event))
    }

    /// Puts `entry` in the place of the first one and lets it sink.
    #[inline]
    fn sink(&mut self, entry: Entry) {
        let heap = &mut self.heap[..];
        let mut hole = 0;
        loop {
            let mut child = 2 * hole + 1;
            if child >= heap.len() {
                break;
            }
            if child + 1 < heap.len() && heap[child + 1].key < heap[child].key {
                child += 1;
            }
            if entry.key <= heap[child].key {
                break;
            }
            heap[hole] = heap[child];
            hole = child;
        }
        heap[hole] = entry;
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
            while let Some((t, Event::DriveDone(i))) = queue.pop_until(Nanos::MAX) {
                got.push((t, i));
            }
            prop_assert_eq!(got, expected);
        }
    }
}
