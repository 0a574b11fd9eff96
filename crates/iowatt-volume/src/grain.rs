//! A size that bytes are counted in: by shifts where it is a power of two, as it mostly is, for a division takes longer than
//! what is done with its result.

/// So many bytes: of a mapping unit, a sector, an extent.
#[derive(Clone, Copy, Debug)]
pub struct Grain {
    bytes: u64,
    /// Its logarithm; none where it is no power of two.
    shift: Option<u32>,
}

impl Grain {
    /// Grains of `bytes`.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        Self { bytes, shift: bytes.is_power_of_two().then(|| bytes.trailing_zeros()) }
    }

    /// Bytes of one.
    #[must_use]
    #[inline]
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// The grain that a byte lies in, which is how many lie whole before it.
    #[must_use]
    #[inline]
    pub fn of(self, byte: u64) -> u64 {
        match self.shift {
            Some(shift) => byte >> shift,
            None => byte / self.bytes,
        }
    }

    /// How many grains hold so many bytes.
    #[must_use]
    #[inline]
    pub fn holding(self, bytes: u64) -> u64 {
        self.of(bytes + (self.bytes - 1))
    }

    /// First byte of the grain that a byte lies in.
    #[must_use]
    #[inline]
    pub fn start(self, byte: u64) -> u64 {
        self.of(byte) * self.bytes
    }

    /// The grains that bytes `from..until` meet, by number, each with the bytes of the range in it.
    #[inline]
    pub fn split(self, from: u64, until: u64) -> impl Iterator<Item = (u32, u64, u64)> {
        let Self { bytes, .. } = self;
        (self.of(from)..self.holding(until))
            .map(move |number| (number as u32, from.max(number * bytes), until.min((number + 1) * bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_divides(bytes in prop_oneof![1u64..5_000, (0u32..40).prop_map(|shift| 1 << shift)], byte in 0u64..1 << 45) {
            let grain = Grain::new(bytes);
            prop_assert_eq!(grain.of(byte), byte / bytes);
            prop_assert_eq!(grain.holding(byte), byte.div_ceil(bytes));
            prop_assert_eq!(grain.start(byte), byte / bytes * bytes);
        }
    }

    #[test]
    fn a_range_is_split_at_the_edges() {
        for bytes in [8, 10] {
            let pieces: Vec<_> = Grain::new(bytes).split(5, 2 * bytes + 1).collect();
            assert_eq!(pieces, [(0, 5, bytes), (1, bytes, 2 * bytes), (2, 2 * bytes, 2 * bytes + 1)]);
        }
    }
}
