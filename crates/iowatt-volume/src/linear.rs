//! Linear: one part after the other, nothing ever moves.

use super::Scheme;
use super::io::{VolumeIo, VolumeRequest};
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

    fn submit(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        let mut from = request.from;
        let mut part = self.ends.partition_point(|&end| end <= from);
        while from < request.until {
            let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
            let until = request.until.min(self.ends[part]);
            io.piece(request.key, from, part, (from - start, until - start));
            io.transfer(request.key, part, (from - start, until - start), request.write);
            if let Some(counts) = io.counts().filter(|_| !request.trim) {
                counts.located(part, until - from, request.write);
                if until - from == request.until - request.from {
                    counts.hit(part, request.write);
                }
            }
            (from, part) = (until, part + 1);
        }
        if let Some(counts) = io.counts().filter(|_| !request.trim) {
            counts.request(request.until - request.from, request.write);
        }
    }

    fn restore(&mut self, slots: &[u32], _clean: bool) -> Result<(), String> {
        if slots.is_empty() { Ok(()) } else { Err("parts one after the other have no map".into()) }
    }

    fn background_done(&mut self, _tag: u64, _io: &mut impl VolumeIo) {}

    fn alarm(&mut self, _io: &mut impl VolumeIo) {}

    fn audit(&self) -> Result<(), String> {
        if self.ends.is_sorted() { Ok(()) } else { Err("parts out of order".into()) }
    }
}
