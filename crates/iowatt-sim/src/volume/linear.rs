//! Linear: one part after the other, nothing ever moves.

use super::Scheme;
use super::desk::{Ask, Desk};
use crate::plan::VirtualPoolPlan;

/// The concatenation of its parts.
#[derive(Debug)]
pub struct Linear {
    /// Where each part ends.
    ends: Vec<u64>,
}

impl Linear {
    /// The parts of `plan`, in their order.
    #[must_use]
    pub fn new(plan: &VirtualPoolPlan) -> Self {
        let ends = plan.parts.iter().scan(0, |end, part| {
            *end += part.capacity_bytes;
            Some(*end)
        });
        Self { ends: ends.collect() }
    }
}

impl Scheme for Linear {
    fn capacity_bytes(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    fn submit(&mut self, ask: &Ask, desk: &mut Desk<'_>) {
        let mut from = ask.from;
        let mut part = self.ends.partition_point(|&end| end <= from);
        while from < ask.until {
            let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
            let until = ask.until.min(self.ends[part]);
            desk.pass(ask.key, part, from - start, until - start, ask.write);
            if let Some(tally) = desk.tally() {
                tally.found(part, until - from, ask.write);
                if until - from == ask.until - ask.from {
                    tally.hit(part, ask.write);
                }
            }
            (from, part) = (until, part + 1);
        }
        if let Some(tally) = desk.tally() {
            tally.request(ask.until - ask.from, ask.write);
        }
    }

    fn moved(&mut self, _tag: u64, _desk: &mut Desk<'_>) {}

    fn alarm(&mut self, _desk: &mut Desk<'_>) {}

    #[cfg(test)]
    fn audit(&self) -> Result<(), String> {
        if self.ends.is_sorted() { Ok(()) } else { Err("parts out of order".into()) }
    }
}
