//! One direction of a hop: messages one after another, their frames passed on as they come.

use super::credits::Credits;
use crate::clock::{Nanos, nanos};
use crate::plan::HopPlan;
use crate::power::Window;
use crate::station::Station;

/// A message on its way, at the end of a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// When it got hold of the wire.
    pub started: Nanos,
    /// When its first bit (or its first frame) is at the next hop.
    pub head: Nanos,
    /// When its last bit is.
    pub tail: Nanos,
    /// When the wire was free for the next one.
    pub free: Nanos,
    /// How long frames behind its first one waited for credits.
    pub stalled: Nanos,
}

/// A direction of a link or a switch.
#[derive(Debug)]
pub struct Wire {
    /// Its queue.
    pub station: Station,
    ns_per_byte: f64,
    payload: u64,
    overhead: u64,
    latency: Nanos,
    whole_frames: bool,
    credits: Option<Credits>,
    /// How long messages waited for credits, within the window: those that came in it.
    pub stalled: Nanos,
    /// When the last bit of the message before was sent.
    sent: Nanos,
}

impl Wire {
    /// A free one.
    #[must_use]
    pub fn new(plan: &HopPlan) -> Self {
        Self {
            station: Station::new(1),
            ns_per_byte: plan.bytes_per_s.map_or(0.0, |rate| 1e9 / rate),
            payload: u64::from(plan.frame_payload_bytes),
            overhead: u64::from(plan.frame_wire_bytes - plan.frame_payload_bytes),
            latency: nanos(plan.latency_s),
            credits: plan.credits.map(|most| Credits::new(most, nanos(plan.latency_s))),
            stalled: 0,
            whole_frames: plan.whole_frames,
            sent: 0,
        }
    }

    /// Bytes that a message takes on the wire.
    fn bytes(&self, message: u64) -> u64 {
        message + message.div_ceil(self.payload) * self.overhead
    }

    fn time(&self, bytes: u64) -> Nanos {
        (bytes as f64 * self.ns_per_byte).round() as Nanos
    }

    /// Time that messages take one behind another, without waiting.
    #[must_use]
    pub fn transmission(&self, messages: [u64; 2]) -> Nanos {
        self.time(self.bytes(messages[0]) + self.bytes(messages[1]))
    }

    /// Passes on messages (data, and what follows it at once) whose first bit comes at `head` and whose last bit comes at
    /// `tail`.
    ///
    /// It sends a frame when it has it, so it ends no earlier than the last one came; while it waits for one it may send
    /// others' frames, so it is taken for the time of the transmission alone.
    pub fn pass(&mut self, messages: [u64; 2], head: Nanos, tail: Nanos, window: &Window) -> Passage {
        if self.credits.is_some() {
            return self.pass_by_credit(messages, head, tail, window);
        }
        let free = self.station.serve(head, self.transmission(messages), window);
        let passage = self.passage(messages, free, tail.max(self.sent));
        self.sent = passage.tail - self.latency;
        passage
    }

    /// The same, frame by frame. While it waits for credits the wire passes nothing on.
    fn pass_by_credit(&mut self, messages: [u64; 2], head: Nanos, tail: Nanos, window: &Window) -> Passage {
        let Some(mut credits) = self.credits.take() else { return self.pass_by(messages, head, tail) };
        let (payload, overhead) = (self.payload, self.overhead);
        let frames = messages.into_iter().flat_map(|message| {
            (0..message.div_ceil(payload))
                .map(move |frame| (message - frame * payload).min(payload) + overhead)
        });
        // Times of the bytes so far, so that they add up to that of all.
        let mut bytes = 0;
        let times = frames.map(|frame| {
            bytes += frame;
            self.time(bytes) - self.time(bytes - frame)
        });
        let begins = head.max(self.station.free_at());
        let sending = credits.send(begins, times);
        self.credits = Some(credits);
        let free = self.station.serve(head, sending.ended - begins, window);
        if window.begins(head) {
            self.stalled += sending.stalled + (sending.started - begins);
        }
        let passage = self.passage(messages, free, tail.max(self.sent));
        self.sent = passage.tail - self.latency;
        let head = sending.started + (passage.head - passage.started);
        Passage { started: sending.started, head, stalled: sending.stalled, ..passage }
    }

    /// The same for a message that begins at this wire's far end of what is booked: a few bytes, which neither wait nor are
    /// waited for.
    #[must_use]
    pub fn pass_by(&self, messages: [u64; 2], head: Nanos, tail: Nanos) -> Passage {
        self.passage(messages, head + self.transmission(messages), tail)
    }

    fn passage(&self, messages: [u64; 2], free: Nanos, tail: Nanos) -> Passage {
        let started = free - self.transmission(messages);
        let first = messages.into_iter().find(|&m| m > 0).unwrap_or(0).min(self.payload);
        let last = messages.into_iter().rfind(|&m| m > 0).unwrap_or(0);
        let last = if last == 0 { 0 } else { (last - 1) % self.payload + 1 };
        let (first, last) = if self.whole_frames {
            (self.time(self.bytes(first)), self.time(self.bytes(last)))
        } else {
            (0, 0)
        };
        Passage {
            started,
            head: started + first + self.latency,
            tail: free.max(tail + last) + self.latency,
            free,
            stalled: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 byte a nanosecond; frames of 100 bytes of which 80 are data.
    fn wire(latency_s: f64, whole_frames: bool) -> Wire {
        Wire::new(&HopPlan {
            bytes_per_s: Some(1e9),
            frame_payload_bytes: 80,
            frame_wire_bytes: 100,
            latency_s,
            credits: None,
            whole_frames,
        })
    }

    const ALWAYS: Window = Window { start: 0, end: Nanos::MAX };

    #[test]
    fn frames_follow_one_another_through_several_wires() {
        // 200 bytes of data in frames of 80, 80 and 40, and a response of 10: 100 + 100 + 60 + 30 bytes.
        let (mut first, mut second) = (wire(5e-9, false), wire(7e-9, false));
        let passage = first.pass([200, 10], 1_000, 1_000, &ALWAYS);
        assert_eq!(passage, Passage { started: 1_000, head: 1_005, tail: 1_295, free: 1_290, stalled: 0 });
        let passage = second.pass([200, 10], passage.head, passage.tail, &ALWAYS);
        assert_eq!((passage.head, passage.tail), (1_012, 1_302), "the second adds its latency only");
    }

    #[test]
    fn a_frame_that_is_passed_on_whole_is_sent_twice() {
        let (mut first, mut second) = (wire(0.0, true), wire(0.0, true));
        let passage = first.pass([200, 0], 0, 0, &ALWAYS);
        assert_eq!((passage.head, passage.tail), (100, 260));
        let passage = second.pass([200, 0], passage.head, passage.tail, &ALWAYS);
        assert_eq!(passage.tail, 360, "frames of 100, 100 and 60, the first of them once more");
    }

    #[test]
    fn a_slower_wire_decides_and_messages_wait() {
        let mut slow = Wire { ns_per_byte: 3.0, ..wire(0.0, false) };
        assert_eq!(slow.pass([80, 0], 0, 100, &ALWAYS).tail, 300);
        let second = slow.pass([80, 0], 50, 150, &ALWAYS);
        assert_eq!((second.started, second.tail), (300, 600));
        assert_eq!(slow.station.waited, 250);
    }
}
