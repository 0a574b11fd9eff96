//! Where bytes lie on a tape, and how long the way between them is.
//!
//! A tape is written in wraps, there and back in turn (serpentine), so that its last byte lies near its first one. A locate
//! crosses the distance along the tape at full speed, whatever the wraps; a rewind goes to the beginning of the tape.

use crate::clock::{Nanos, nanos, whole};
use crate::plan::TapeDrivePlan;

/// The tape of a cartridge.
#[derive(Clone, Copy, Debug)]
pub struct Tape {
    /// Bytes of a wrap; not whole where the capacity is not a multiple.
    wrap: f64,
    bytes: u64,
    end_to_end_ns: f64,
    overhead: Nanos,
}

impl Tape {
    /// The tape of a cartridge of so many bytes.
    pub fn new(plan: &TapeDrivePlan, bytes: u64) -> Self {
        Self {
            wrap: bytes as f64 / f64::from(plan.wraps),
            bytes,
            end_to_end_ns: plan.end_to_end_s * 1e9,
            overhead: nanos(plan.locate_overhead_s),
        }
    }

    /// How far along the tape a byte lies: 0 at its beginning, 1 at its end.
    fn along(&self, byte: u64) -> f64 {
        let wraps = byte.min(self.bytes) as f64 / self.wrap;
        let share = wraps.fract();
        if (wraps as u64).is_multiple_of(2) { share } else { 1.0 - share }
    }

    /// How long it takes to locate a byte from another.
    pub fn locate(&self, from: u64, to: u64) -> Nanos {
        if from == to {
            return 0;
        }
        self.overhead + whole((self.along(from) - self.along(to)).abs() * self.end_to_end_ns)
    }

    /// How long it takes to rewind from a byte.
    pub fn rewind(&self, from: u64) -> Nanos {
        self.locate(from, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::tests::drive;

    #[test]
    fn wraps_go_there_and_back() {
        // Four wraps of 250 bytes; 100 s from end to end, 2 s besides.
        let tape = Tape::new(&drive(), 1_000);
        let seconds = |from, to| tape.locate(from, to) as f64 / 1e9;
        assert_eq!(seconds(0, 0), 0.0);
        assert_eq!(seconds(0, 125), 2.0 + 50.0);
        assert_eq!(seconds(125, 375), 2.0, "above one another on the first two wraps");
        assert_eq!(seconds(0, 500), 2.0, "the third wrap begins where the first does");
        assert_eq!(seconds(250, 500), 2.0 + 100.0);
        assert_eq!(tape.rewind(250), 102_000_000_000);
    }
}
