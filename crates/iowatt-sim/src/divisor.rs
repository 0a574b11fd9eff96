//! Division by a number that is fixed when a model is made: multiplication by its reciprocal, and exact.

/// A number to divide by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divisor {
    value: u64,
    /// 2^64 - 1 over it, rounded down: less than 2^64 over it by 1 at most.
    reciprocal: u64,
}

impl Divisor {
    /// Prepares division by `value`; nought counts as 1.
    #[must_use]
    pub fn new(value: u64) -> Self {
        let value = value.max(1);
        Self { value, reciprocal: u64::MAX / value }
    }

    /// The number itself.
    #[must_use]
    #[inline]
    pub fn value(&self) -> u64 {
        self.value
    }

    /// `dividend` divided by it, and what is left.
    ///
    /// As the reciprocal is short by 1 at most and the dividend less than 2^64, their product over 2^64 is short of the exact
    /// quotient by less than 1: rounded down, it is the quotient or one less.
    #[must_use]
    #[inline]
    pub fn divide(&self, dividend: u64) -> (u64, u64) {
        let estimate = self.estimate(dividend);
        let rest = dividend - estimate * self.value;
        (estimate + u64::from(rest >= self.value), self.reduced(rest))
    }

    /// `dividend` divided by it, rounded down.
    #[must_use]
    #[inline]
    pub fn quotient(&self, dividend: u64) -> u64 {
        self.divide(dividend).0
    }

    /// What `dividend` leaves when it is divided.
    #[must_use]
    #[inline]
    pub fn remainder(&self, dividend: u64) -> u64 {
        self.divide(dividend).1
    }

    #[inline]
    fn estimate(&self, dividend: u64) -> u64 {
        ((u128::from(dividend) * u128::from(self.reciprocal)) >> 64) as u64
    }

    /// `rest`, less than twice the divisor, modulo it: where there is nothing to take off, the difference wraps round to more.
    #[inline]
    fn reduced(&self, rest: u64) -> u64 {
        rest.min(rest.wrapping_sub(self.value))
    }
}

impl Default for Divisor {
    /// Division by 1.
    fn default() -> Self {
        Self::new(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers of all magnitudes, those at powers of two among them.
    fn any_size() -> impl Strategy<Value = u64> {
        prop_oneof![
            (any::<u64>(), 0u32..64).prop_map(|(bits, shift)| bits >> shift),
            (0u32..64, -2i64..3).prop_map(|(power, off)| (1u64 << power).wrapping_add_signed(off)),
        ]
    }

    proptest! {
        #[test]
        fn divides_exactly(dividend in any_size(), by in any_size(), times in any_size(), off in -2i64..3) {
            let by = by.max(1);
            let divisor = Divisor::new(by);
            let near_a_multiple = by.wrapping_mul(times).wrapping_add_signed(off);
            for n in [dividend, near_a_multiple, by - 1, by, 0, u64::MAX] {
                prop_assert_eq!(divisor.divide(n), (n / by, n % by));
                prop_assert_eq!((divisor.quotient(n), divisor.remainder(n)), (n / by, n % by));
            }
        }
    }

    #[test]
    fn the_smallest_divisors_divide_the_largest_numbers() {
        for by in 1..10 {
            for n in u64::MAX - 20..=u64::MAX {
                assert_eq!(Divisor::new(by).divide(n), (n / by, n % by));
            }
        }
        assert_eq!(Divisor::new(0).divide(7), (7, 0));
    }
}
