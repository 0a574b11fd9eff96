//! Requests for the tests of this module.

use crate::request::{NO_RESPONSE, NO_STREAM, Op, Request};

pub(super) fn read(time_ns: u64, offset: u64, size: u32) -> Request {
    Request { time_ns, offset, response_ns: NO_RESPONSE, size, device: 0, stream: NO_STREAM, op: Op::Read }
}

pub(super) fn write(time_ns: u64, offset: u64, size: u32) -> Request {
    Request { op: Op::Write, ..read(time_ns, offset, size) }
}

/// Uniform numbers of 0 to 1, the same on every run (`SplitMix64`).
pub(super) struct Uniform(pub(super) u64);

impl Uniform {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (super::blocks::mixed(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        (self.next() * bound as f64) as u64
    }
}
