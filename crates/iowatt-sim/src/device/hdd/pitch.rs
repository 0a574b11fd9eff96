//! The time of one sector under the head.

use crate::clock::Picos;

/// Fractional bits.
const FRACTION: u32 = 16;

/// Time of one sector of a track, as a fixed-point number rounded up: a whole turn of sectors takes exactly a
/// revolution, and any part of it the picoseconds that exact division gives, or at most one more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pitch(u64);

impl Pitch {
    /// The pitch of a track with `per_turn` sectors, at least one.
    #[must_use]
    pub fn new(revolution_ps: Picos, per_turn: u64) -> Self {
        Self((revolution_ps << FRACTION).div_ceil(per_turn.max(1)))
    }

    /// The time in which `sectors` pass.
    #[must_use]
    #[inline]
    pub fn pass(self, sectors: u64) -> Picos {
        (sectors * self.0) >> FRACTION
    }

    /// The sectors that pass within `time`, at most a few turns: the most for which [`Self::pass`] takes no longer.
    #[must_use]
    #[inline]
    pub fn sectors(self, time: Picos) -> u64 {
        (((time + 1) << FRACTION) - 1) / self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn is_exact_at_whole_turns_and_to_a_picosecond_within(
            turn in 1_000_000u64..30_000_000_000, per_turn in 1u64..4_096, share in 0.0f64..1.0
        ) {
            let pitch = Pitch::new(turn, per_turn);
            prop_assert_eq!(pitch.pass(per_turn), turn);
            prop_assert_eq!(pitch.pass(3 * per_turn), 3 * turn);
            let sectors = (share * per_turn as f64) as u64;
            let exact = sectors * turn / per_turn;
            prop_assert!((exact..=exact + 1).contains(&pitch.pass(sectors)));
            prop_assert_eq!(pitch.sectors(pitch.pass(sectors)), sectors);
            prop_assert_eq!(pitch.sectors(pitch.pass(sectors + 1) - 1), sectors);
        }
    }
}
