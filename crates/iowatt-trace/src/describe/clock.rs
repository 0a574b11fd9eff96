//! Times in 32 bits: ticks of 1 us that grow tenfold when the trace outlasts them.

const FIRST_TICK_NS: u64 = 1000;

/// Turns nanoseconds into ticks from 1 on; 0 is free to mean never.
pub(super) struct Clock {
    tick_ns: u64,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self { tick_ns: FIRST_TICK_NS }
    }

    pub(super) fn tick_ns(&self) -> u64 {
        self.tick_ns
    }

    /// The tick of a time, or `None` when ticks must first be made [`Self::coarser`].
    #[inline]
    pub(super) fn tick(&self, time_ns: u64) -> Option<u32> {
        u32::try_from(time_ns / self.tick_ns + 1).ok()
    }

    /// Ten ticks become one; every tick kept anywhere must go through [`coarsened`].
    pub(super) fn coarser(&mut self) {
        self.tick_ns *= 10;
    }
}

/// A tick of before [`Clock::coarser`] as it is after.
pub(super) fn coarsened(tick: u32) -> u32 {
    if tick == 0 { 0 } else { (tick - 1) / 10 + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_ticks_are_those_of_a_coarse_clock() {
        let mut clock = Clock::new();
        let times = [0, 999, 1000, 9_999, 10_000, 123_456_789];
        let fine = times.map(|t| clock.tick(t).unwrap());
        assert_eq!(fine, [1, 1, 2, 10, 11, 123_457]);
        assert_eq!(clock.tick(5_000_000_000_000), None); // 83 minutes of microseconds
        clock.coarser();
        assert_eq!(fine.map(coarsened), times.map(|t| clock.tick(t).unwrap()));
        assert!(clock.tick(5_000_000_000_000).is_some());
        assert_eq!(coarsened(0), 0);
    }
}
