//! Putting requests in time order again, in bounded memory.
//!
//! A request is held back until no later one may come before it: until the newest stamp seen is
//! `tolerance` past its own. Most requests arrive in order and wait in a queue that is sorted by
//! itself; only stragglers go to a heap, so that an ordered trace pays two queue operations.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::format::Raw;

/// Requests held back at most (32 MiB of them); with more inside the tolerance the oldest is let go.
pub const HELD: usize = 1 << 19;

#[derive(Clone, Copy, Debug)]
struct Waiting {
    raw: Raw,
    sequence: u64,
}

impl Waiting {
    fn key(&self) -> (u64, u64) {
        (self.raw.time_ns, self.sequence)
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Waiting {}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// The buffer. Equal stamps keep the order of the input.
#[derive(Debug)]
pub(crate) struct Reorder {
    tolerance_ns: u64,
    held: usize,
    newest_ns: u64,
    released_ns: Option<u64>,
    sequence: u64,
    ordered: VecDeque<Waiting>,
    stragglers: BinaryHeap<Reverse<Waiting>>,
    finished: bool,
}

impl Reorder {
    pub(crate) fn new(tolerance_ns: u64, held: usize) -> Self {
        Self {
            tolerance_ns,
            held,
            newest_ns: 0,
            released_ns: None,
            sequence: 0,
            ordered: VecDeque::new(),
            stragglers: BinaryHeap::new(),
            finished: false,
        }
    }

    /// Notes a stamp of the input: `Ok(true)` where it steps back.
    ///
    /// # Errors
    /// A step back that cannot be sorted out, with the reason.
    #[inline]
    pub(crate) fn note(&mut self, time_ns: u64) -> Result<bool, String> {
        if time_ns >= self.newest_ns {
            self.newest_ns = time_ns;
            return Ok(false);
        }
        self.check_step(time_ns).map(|()| true)
    }

    fn check_step(&self, time_ns: u64) -> Result<(), String> {
        let back = self.newest_ns - time_ns;
        if back > self.tolerance_ns {
            let (back, tolerance) = (seconds(back), seconds(self.tolerance_ns));
            return Err(format!(
                "time goes back by {back} s, more than the tolerance of {tolerance} s (order_tolerance); sort the trace, \
                 or raise the tolerance where that is meant"
            ));
        }
        if self.released_ns.is_some_and(|released| time_ns < released) {
            let (back, held) = (seconds(back), self.held);
            return Err(format!(
                "time goes back by {back} s, past requests already handed on ({held} can be held back for sorting); sort the trace"
            ));
        }
        Ok(())
    }

    /// Takes a request whose stamp was noted.
    #[inline(always)]
    pub(crate) fn push(&mut self, raw: Raw) {
        let waiting = Waiting { raw, sequence: self.sequence };
        self.sequence += 1;
        if self.ordered.back().is_none_or(|last| last.raw.time_ns <= raw.time_ns) {
            self.ordered.push_back(waiting);
        } else {
            self.stragglers.push(Reverse(waiting));
        }
    }

    /// How many requests can be pushed before the first of them has to go: none of `wanted` that a reader waits for is let go
    /// later, and none beyond them sooner, than if each were looked at by itself. At least one.
    #[inline]
    pub(crate) fn room(&self, wanted: usize) -> usize {
        let waiting = self.ordered.len() + self.stragglers.len();
        wanted.min(self.held).saturating_sub(waiting).max(1)
    }

    /// The latest stamp noted.
    #[inline]
    pub(crate) fn newest_ns(&self) -> u64 {
        self.newest_ns
    }

    /// Forgets the stamp noted last: `newest_ns` was the latest before it.
    pub(crate) fn forget(&mut self, newest_ns: u64) {
        self.newest_ns = newest_ns;
    }

    /// No more requests come: all may go.
    pub(crate) fn finish(&mut self) {
        self.finished = true;
    }

    /// Nothing is to be let go any more, after an error.
    pub(crate) fn clear(&mut self) {
        self.ordered.clear();
        self.stragglers.clear();
    }

    /// Whether nothing can come before the earliest stamp, or it can be held no longer.
    #[inline(always)]
    fn may_go(&self, earliest_ns: u64) -> bool {
        let safe = self.newest_ns - earliest_ns >= self.tolerance_ns;
        safe || self.finished || self.ordered.len() + self.stragglers.len() >= self.held
    }

    /// The earliest request, once nothing can come before it.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<Raw> {
        if self.stragglers.is_empty() {
            // The usual case by itself: it is most of the cost of reading a binary trace.
            let earliest_ns = self.ordered.front()?.raw.time_ns;
            if !self.may_go(earliest_ns) {
                return None;
            }
            self.released_ns = Some(earliest_ns);
            return self.ordered.pop_front().map(|waiting| waiting.raw);
        }
        let straggler = self.stragglers.peek().map(|Reverse(waiting)| waiting.key());
        let ordered = self.ordered.front().map(Waiting::key);
        let from_stragglers = match (straggler, ordered) {
            (None, None) => return None,
            (Some(a), Some(b)) => a < b,
            (a, _) => a.is_some(),
        };
        let (earliest_ns, _) = if from_stragglers { straggler? } else { ordered? };
        if !self.may_go(earliest_ns) {
            return None;
        }
        self.released_ns = Some(earliest_ns);
        if from_stragglers {
            self.stragglers.pop().map(|Reverse(waiting)| waiting.raw)
        } else {
            self.ordered.pop_front().map(|waiting| waiting.raw)
        }
    }
}

/// Nanoseconds as decimal seconds, exactly, without trailing zeros.
pub(crate) fn seconds(ns: u64) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::request::{NO_RESPONSE, NO_STREAM, Op};
    use proptest::prelude::*;

    fn raw(time_ns: u64, mark: u64) -> Raw {
        Raw {
            time_ns,
            offset: mark,
            size: 512,
            response_ns: NO_RESPONSE,
            device: 0,
            stream: NO_STREAM,
            op: Op::Read,
        }
    }

    fn through(times: &[u64], tolerance: u64, held: usize) -> Result<Vec<(u64, u64)>, String> {
        let mut reorder = Reorder::new(tolerance, held);
        let mut out = Vec::new();
        for (mark, &time) in times.iter().enumerate() {
            reorder.note(time)?;
            reorder.push(raw(time, mark as u64));
            while let Some(raw) = reorder.pop() {
                out.push((raw.time_ns, raw.offset));
            }
        }
        reorder.finish();
        while let Some(raw) = reorder.pop() {
            out.push((raw.time_ns, raw.offset));
        }
        Ok(out)
    }

    #[test]
    fn steps_back_within_the_tolerance_are_sorted() {
        let out = through(&[10, 30, 20, 30, 40, 21], 20, 100).unwrap();
        assert_eq!(out, [(10, 0), (20, 2), (21, 5), (30, 1), (30, 3), (40, 4)]);
    }

    #[test]
    fn beyond_it_they_are_an_error() {
        assert!(through(&[10, 31, 10], 20, 100).unwrap_err().contains("0.000000021 s"));
        assert!(through(&[10, 30, 10], 20, 100).is_ok());
        assert!(through(&[1, 0], 0, 100).is_err());
    }

    #[test]
    fn the_buffer_is_bounded() {
        // Three are held: 12 lets 10 go and 13 lets 11 go, so that 9 comes too late and 11 does not.
        assert!(through(&[10, 11, 12, 13, 11], 100, 3).is_ok());
        assert!(through(&[10, 11, 12, 13, 9], 100, 3).unwrap_err().contains("3 can be held back"));
    }

    #[test]
    fn seconds_are_exact() {
        assert_eq!(seconds(1_000_000), "0.001");
        assert_eq!(seconds(3_000_000_000), "3");
    }

    proptest! {
        #[test]
        fn the_result_is_a_stable_sort(steps in proptest::collection::vec((0_u64..50, 0_u64..20), 1..200)) {
            let mut clock = 100;
            let times: Vec<u64> = steps.iter().map(|(forward, back)| { clock += forward; clock - back }).collect();
            let out = through(&times, 20, 1000).unwrap();
            let mut expected: Vec<(u64, u64)> = times.iter().copied().zip(0..).collect();
            expected.sort();
            prop_assert_eq!(out, expected);
        }
    }
}
