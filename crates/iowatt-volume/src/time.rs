//! Time as schemes and the simulator count it: integer nanoseconds from the start.

/// Nanoseconds.
pub type Nanos = u64;

/// Rounds seconds to the nearest nanosecond; negative or absurd values are clipped to the range.
#[must_use]
#[inline]
pub fn nanos(seconds: f64) -> Nanos {
    whole(seconds * 1e9)
}

/// Rounds nanoseconds to the nearest whole one, as [`nanos`] does.
#[must_use]
#[inline]
pub fn whole(nanoseconds: f64) -> Nanos {
    // `f64::round` is a call into the C library.
    let exact = nanoseconds.clamp(0.0, 9.2e18);
    let whole = exact as i64;
    whole as Nanos + Nanos::from(exact - whole as f64 >= 0.5)
}

/// Seconds as a float, for results only.
#[must_use]
pub fn seconds(ns: Nanos) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn halves_are_rounded_up(scale in -30i32..80, share in 0.5f64..1.0, halves in 0u32..1_000) {
            for exact in [share * f64::from(scale).exp2(), f64::from(halves) / 2.0] {
                let seconds = exact / 1e9;
                prop_assert_eq!(nanos(seconds), (seconds * 1e9).round().clamp(0.0, 9.2e18) as Nanos);
            }
        }
    }

    #[test]
    fn the_absurd_is_clipped() {
        assert_eq!([-1.0, f64::NAN, -0.0, 4.999_999_999_999_999e-10].map(nanos), [0; 4]);
        assert_eq!([f64::INFINITY, 1e10].map(nanos), [9_200_000_000_000_000_000; 2]);
    }
}
