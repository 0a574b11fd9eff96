//! Closed loops by stream: each stream issues its own requests in its own order, so many outstanding.
//!
//! The source is read ahead into one queue per stream, at most [`LOOK_AHEAD`] requests in all, so that
//! memory stays bounded; a stream whose next request lies further on waits until the others catch up.

use iowatt_trace::Request;
use std::collections::{HashMap, VecDeque};

/// Requests held back at most, over all streams.
const LOOK_AHEAD: usize = 65_536;

struct Loop {
    room: u32,
    held: VecDeque<Request>,
    /// Whether it stands in `runnable`.
    listed: bool,
}

/// The loops of one workload's streams.
pub struct StreamLoops {
    outstanding: u32,
    by_stream: HashMap<u32, usize>,
    loops: Vec<Loop>,
    /// Loops with room and a held request, in the order in which they became so.
    runnable: VecDeque<usize>,
    held: usize,
    ended: bool,
}

impl StreamLoops {
    /// Loops that keep `outstanding` requests of each stream under way.
    #[must_use]
    pub fn new(outstanding: u32) -> Self {
        Self {
            outstanding,
            by_stream: HashMap::new(),
            loops: Vec::new(),
            runnable: VecDeque::new(),
            held: 0,
            ended: false,
        }
    }

    /// Whether nothing is held back.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// Whether to read further ahead.
    #[must_use]
    pub fn wants_more(&self) -> bool {
        !self.ended && self.held < LOOK_AHEAD
    }

    /// The source has ended.
    pub fn ended(&mut self) {
        self.ended = true;
    }

    /// What is held back is never issued.
    pub fn close(&mut self) {
        self.ended = true;
        self.held = 0;
        self.runnable.clear();
        for entry in &mut self.loops {
            entry.held.clear();
            entry.listed = false;
        }
    }

    /// A request read ahead.
    pub fn offer(&mut self, request: Request) {
        let new = self.loops.len();
        let index = *self.by_stream.entry(request.stream).or_insert(new);
        if index == new {
            self.loops.push(Loop { room: self.outstanding, held: VecDeque::new(), listed: false });
        }
        self.loops[index].held.push_back(request);
        self.held += 1;
        self.list(index);
    }

    /// A request of a stream with room.
    pub fn take(&mut self) -> Option<Request> {
        let index = self.runnable.pop_front()?;
        self.loops[index].listed = false;
        let request = self.loops[index].held.pop_front()?;
        self.loops[index].room -= 1;
        self.held -= 1;
        self.list(index);
        Some(request)
    }

    /// A request of `stream` has completed.
    pub fn completed(&mut self, stream: u32) {
        if let Some(&index) = self.by_stream.get(&stream) {
            self.loops[index].room += 1;
            self.list(index);
        }
    }

    fn list(&mut self, index: usize) {
        let entry = &mut self.loops[index];
        if !entry.listed && entry.room > 0 && !entry.held.is_empty() {
            entry.listed = true;
            self.runnable.push_back(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iowatt_trace::{NO_RESPONSE, Op};

    fn request(stream: u32, offset: u64) -> Request {
        let (time_ns, response_ns) = (0, NO_RESPONSE);
        Request { time_ns, offset, response_ns, size: 512, device: 0, stream, op: Op::Read }
    }

    #[test]
    fn each_stream_keeps_its_own_order_and_limit() {
        let mut loops = StreamLoops::new(1);
        for (stream, offset) in [(7, 0), (7, 1), (9, 2), (7, 3), (9, 4)] {
            loops.offer(request(stream, offset));
        }
        loops.ended();
        let take = |loops: &mut StreamLoops| loops.take().map(|r| (r.stream, r.offset));
        assert_eq!(take(&mut loops), Some((7, 0)));
        assert_eq!(take(&mut loops), Some((9, 2)));
        assert_eq!(take(&mut loops), None, "both streams have one outstanding");
        loops.completed(9);
        assert_eq!(take(&mut loops), Some((9, 4)));
        loops.completed(7);
        assert_eq!(take(&mut loops), Some((7, 1)));
        loops.completed(9);
        assert_eq!(take(&mut loops), None, "stream 9 has no more");
    }
}
