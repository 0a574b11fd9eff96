//! A way to the host that carries one thing at a time.

use crate::clock::{Nanos, whole};

/// One direction of the interface.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    byte: f64,
    free: Nanos,
}

impl Link {
    /// A link of so many bytes a second, free at the start.
    pub fn new(bytes_per_s: f64) -> Self {
        Self { byte: 1e9 / bytes_per_s, free: 0 }
    }

    /// End of a transfer of `bytes`, of which the first are ready at `first` and the last `rest` at `last`.
    #[inline]
    pub fn carry(&mut self, now: Nanos, (first, last): (Nanos, Nanos), bytes: u64, rest: u64) -> Nanos {
        let takes = |bytes: u64| whole(bytes as f64 * self.byte);
        let all = takes(bytes);
        let rest = if rest == bytes { all } else { takes(rest) };
        self.free = self.free.max(now) + all;
        self.free.max(first + all).max(last + rest)
    }
}
