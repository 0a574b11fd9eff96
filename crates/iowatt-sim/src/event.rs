//! The event queue, ordered by time, ties by the order of scheduling.

mod canonical;
mod clock;
mod tournament;

pub use clock::Clock;

use crate::clock::Nanos;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tournament::{Key, NEVER, Tournament};

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The next open arrival of a workload.
    Arrival(u32),
    /// A think time of a workload's closed loop ends.
    Thought(u32),
    /// A visit to the controller ends its present stage.
    Visit(u32),
    /// A command made for a write leaves the controller's write path: its key.
    Prepared(u32),
    /// A command leaves the controller's back end for its drive: its key.
    Commanded(u32),
    /// A drive completes its operation.
    DriveDone(u32),
    /// An idle drive's power policy wants to look at it.
    IdleTimer(u32),
    /// A drive reaches a power level.
    SpindleDone(u32),
    /// It is a drive's turn to spin up.
    SpinUp(u32),
    /// What is held back at a drive has waited long enough.
    Release(u32),
    /// A drive fails: index into the failures of the plan.
    Fail(u32),
    /// An operation is lost with its drive: its key.
    Lost(u32),
    /// The rebuild of a pool may go on.
    Rebuild(u32),
    /// A virtual pool's scheme wants to look at it.
    Alarm(u32),
    /// The volume layer has answered a request at once: its key in the layer above.
    Answered(u32),
    /// The limits of its volume let a request pass: its key.
    Released(u32),
    /// A request has its place in the array: its key.
    Admitted(u32),
    /// What a request on a path has come to ends: its key.
    Path(u32),
    /// The controller's interrupt of that number has been held back long enough.
    Interrupt(u32),
    /// A part of the controller fails: index into the losses of its plan.
    Loss(u32),
    /// It is back.
    Return(u32),
    /// Something of a library ends, by its number among all of theirs.
    Library(u32),
    /// The remote array has served a shipment of a replication: its key.
    Received(u32),
    /// A cycle of a replication is over: its number.
    Cycle(u32),
    /// The path of a replication is lost: its number.
    PathLost(u32),
    /// It is back.
    PathBack(u32),
    /// A message between nodes ends its present leg: the key of its operation.
    Message(u32),
    /// A part of a client's request to a cluster ends its present stage: its key.
    Part(u32),
    /// A node fails, joins or leaves: index into the changes of all clusters.
    Change(u32),
}

/// Marks keys of shipments of replications, where keys of requests stand as well.
pub const SHIPMENT: u32 = 1 << 31;

/// Pending events.
///
/// Nearly all events are completions of drives and arrivals of workloads, of which each has at most one pending: they have a
/// place each in a tournament. The others wait in a heap.
#[derive(Debug)]
pub struct EventQueue {
    completions: Tournament,
    arrivals: Tournament,
    others: BinaryHeap<Reverse<Other>>,
    sequence: u64,
}

#[derive(Clone, Copy, Debug)]
struct Other {
    /// Time and order of scheduling.
    key: Key,
    event: Event,
}

impl EventQueue {
    /// No events yet, of so many drives and workloads.
    #[must_use]
    pub fn new(drives: usize, workloads: usize) -> Self {
        Self {
            completions: Tournament::new(drives),
            arrivals: Tournament::new(workloads),
            others: BinaryHeap::new(),
            sequence: 0,
        }
    }

    /// Schedules `event` at `at`. Events of equal time come out in the order of these calls. A drive and a workload
    /// have at most one completion or arrival pending.
    #[inline]
    pub fn push(&mut self, at: Nanos, event: Event) {
        match event {
            Event::DriveDone(drive) => {
                debug_assert!(!self.completions.is_pending(drive), "one completion pending");
                self.push_done(at, drive);
            }
            Event::Arrival(workload) => {
                debug_assert!(!self.arrivals.is_pending(workload), "one arrival pending");
                self.arrivals.set(Key::new(at, self.sequence, workload as usize));
                self.sequence += 1;
            }
            _ => {
                self.others.push(Reverse(Other { key: Key::new(at, self.sequence, 0), event }));
                self.sequence += 1;
            }
        }
    }

    /// Schedules the completion of a drive at `at`, in place of the one that may be pending. (A drive with several
    /// commands in service keeps the order of their completions itself.)
    #[inline]
    pub fn push_done(&mut self, at: Nanos, drive: u32) {
        self.completions.set(Key::new(at, self.sequence, drive as usize));
        self.sequence += 1;
    }

    /// Takes the earliest event, unless it comes after `end`.
    #[inline(always)] // of the one event loop
    pub fn pop_until(&mut self, end: Nanos) -> Option<(Nanos, Event)> {
        let (completion, arrival) = (self.completions.first(), self.arrivals.first());
        let completes = completion.precedes(arrival);
        let first = if completes { completion } else { arrival };
        if let Some(Reverse(other)) = self.others.peek()
            && other.key.precedes(first)
        {
            let (at, event) = (other.key.at(), other.event);
            if at > end {
                return None;
            }
            self.others.pop();
            return Some((at, event));
        }
        if first == NEVER || first.at() > end {
            return None;
        }
        let event = if completes {
            self.completions.take();
            Event::DriveDone(first.place())
        } else {
            self.arrivals.take();
            Event::Arrival(first.place())
        };
        Some((first.at(), event))
    }

    /// When the earliest event is.
    #[must_use]
    pub fn next_at(&mut self) -> Option<Nanos> {
        let first = self.completions.first().min(self.arrivals.first());
        let other = self.others.peek().map(|Reverse(other)| other.key.at());
        (first != NEVER).then(|| first.at()).into_iter().chain(other).min()
    }

    /// Events scheduled since the start.
    #[must_use]
    pub fn scheduled(&self) -> u64 {
        self.sequence
    }
}

impl PartialEq for Other {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Other {}

impl PartialOrd for Other {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }

    // What the heap asks at every level, and the answer is anyone's guess: without a branch.
    #[inline]
    fn le(&self, other: &Self) -> bool {
        !other.key.precedes(self.key)
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.key.precedes(other.key)
    }

    #[inline]
    fn ge(&self, other: &Self) -> bool {
        !self.key.precedes(other.key)
    }

    #[inline]
    fn gt(&self, other: &Self) -> bool {
        other.key.precedes(self.key)
    }
}

impl Ord for Other {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The event of one of 40 drives, 2 workloads or anything else.
    fn event(kind: u32) -> Event {
        match kind {
            0..40 => Event::DriveDone(kind),
            40 | 41 => Event::Arrival(kind - 40),
            _ => Event::IdleTimer(kind),
        }
    }

    proptest! {
        #[test]
        fn comes_out_in_time_order_ties_in_call_order(
            steps in prop::collection::vec((0u64..20, 0u32..60, 0u32..3), 0..300)
        ) {
            let mut queue = EventQueue::new(40, 2);
            let mut pending: Vec<(u64, usize, u32)> = Vec::new();
            let mut now = 0;
            for (number, &(wait, kind, pops)) in steps.iter().enumerate() {
                if kind > 41 || !pending.iter().any(|p| p.2 == kind) {
                    queue.push(now + wait, event(kind));
                    pending.push((now + wait, number, kind));
                    pending.sort_unstable();
                }
                for _ in 0..pops {
                    let expected = pending.first().filter(|p| p.0 <= now + 10).copied();
                    prop_assert_eq!(queue.pop_until(now + 10), expected.map(|(at, _, kind)| (at, event(kind))));
                    if let Some((at, ..)) = expected {
                        now = at;
                        pending.remove(0);
                    }
                }
            }
            for (at, _, kind) in pending {
                prop_assert_eq!(queue.pop_until(Nanos::MAX), Some((at, event(kind))));
            }
            prop_assert_eq!(queue.pop_until(Nanos::MAX), None);
        }
    }
}
