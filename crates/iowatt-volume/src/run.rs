//! Runs of slots: pieces of a request that lie one behind another on a part are one transfer.

use super::io::{VolumeIo, VolumeRequest};

/// Slots `first..first + count`, as a tag of a transfer: which of them it keeps busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first slot.
    pub first: u32,
    /// How many; below 2^31.
    pub count: u32,
    /// Of which kind the numbers are, where a scheme has two.
    pub kind: bool,
    /// Direction.
    pub write: bool,
}

impl Span {
    /// As a tag.
    #[must_use]
    pub fn tag(self) -> u64 {
        u64::from(self.first)
            | u64::from(self.count) << 32
            | u64::from(self.write) << 63
            | u64::from(self.kind) << 31
    }

    /// From its tag.
    #[must_use]
    pub fn of(tag: u64) -> Self {
        Self {
            first: tag as u32 & 0x7fff_ffff,
            count: (tag >> 32) as u32 & 0x7fff_ffff,
            kind: tag >> 31 & 1 == 1,
            write: tag >> 63 == 1,
        }
    }
}

/// A run that may grow, of slots of one part.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    part: usize,
    kind: bool,
    first: u32,
    count: u32,
    from: u64,
    until: u64,
}

impl Run {
    /// Runs on part `part`, of slots that are numbered in that way.
    pub fn on(part: usize, kind: bool) -> Self {
        Self { part, kind, ..Self::default() }
    }

    /// Adds slot `slot`, bytes `from..until` of the part, which are those from byte `at` of the virtual pool on. What the run
    /// was is passed first where the slot does not continue it.
    pub fn add(
        &mut self,
        slot: u32,
        at: u64,
        (from, until): (u64, u64),
        request: &VolumeRequest,
        io: &mut impl VolumeIo,
    ) {
        if self.count > 0 && self.first + self.count == slot && self.until == from {
            self.count += 1;
            self.until = until;
        } else {
            self.transfer(request, io);
            *self = Self { first: slot, count: 1, from, until, ..*self };
        }
        io.piece(request.key, at, self.part, (from, until));
    }

    /// Passes what there is.
    pub fn transfer(&mut self, request: &VolumeRequest, io: &mut impl VolumeIo) {
        if self.count > 0 {
            let span = Span { first: self.first, count: self.count, kind: self.kind, write: request.write };
            io.transfer_tagged(request.key, span.tag(), self.part, (self.from, self.until), request.write);
            self.count = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_its_tag() {
        for span in [
            Span { first: 0, count: 1, kind: false, write: true },
            Span { first: 0x7fff_fffe, count: 0x7fff_ffff, kind: true, write: false },
        ] {
            assert_eq!(Span::of(span.tag()), span);
        }
    }
}
