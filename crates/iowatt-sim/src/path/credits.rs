//! Buffer credits: a frame takes a buffer of the far end, which is known to be free again when the frame is there and word
//! of it has come back.

use crate::clock::Nanos;
use std::collections::VecDeque;

/// The credits of a direction of a link.
#[derive(Clone, Debug)]
pub struct Credits {
    most: usize,
    /// From the end of a frame to its credit's return.
    round_trip: Nanos,
    /// When those that are taken return, in order.
    returns: VecDeque<Nanos>,
}

/// How frames one behind another were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    /// When the first one began.
    pub started: Nanos,
    /// When the last one ended.
    pub ended: Nanos,
    /// How long those behind the first one waited for credits.
    pub stalled: Nanos,
}

impl Credits {
    /// So many free ones over a link of the given latency.
    #[must_use]
    pub fn new(most: u32, latency: Nanos) -> Self {
        Self { most: most as usize, round_trip: 2 * latency, returns: VecDeque::new() }
    }

    /// Sends frames that take the given times, from `at` on.
    pub fn send(&mut self, at: Nanos, frames: impl Iterator<Item = Nanos>) -> Sending {
        let mut sending = Sending { started: at, ended: at, stalled: 0 };
        for (number, time) in frames.enumerate() {
            let credit =
                if self.returns.len() < self.most { 0 } else { self.returns.pop_front().unwrap_or(0) };
            let begun = sending.ended.max(credit);
            if number == 0 {
                sending.started = begun;
            } else {
                sending.stalled += begun - sending.ended;
            }
            sending.ended = begun + time;
            self.returns.push_back(sending.ended + self.round_trip);
        }
        sending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credit_is_back_a_round_trip_after_its_frame() {
        let mut credits = Credits::new(2, 100);
        // Two frames of 10, and the third when the credit of the first is back, at 10 + 200.
        let sending = credits.send(0, [10; 4].into_iter());
        assert_eq!(sending, Sending { started: 0, ended: 230, stalled: 190 });
        // The credit of the third frame returns at 220 + 200.
        assert_eq!(credits.send(240, [10].into_iter()).started, 420);
        assert_eq!(credits.send(2_000, [10].into_iter()).started, 2_000);
    }
}
