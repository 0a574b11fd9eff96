//! The map from addresses to places on flash: only what has been written or trimmed since the start is kept.

/// What the map knows of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing: it is as it was at the start.
    Untouched,
    /// It holds no data.
    Unmapped,
    /// It is at this place.
    At(u32),
}

const UNTOUCHED: u32 = 0;
const UNMAPPED: u32 = u32::MAX;

impl Entry {
    fn of(code: u32) -> Self {
        match code {
            UNTOUCHED => Self::Untouched,
            UNMAPPED => Self::Unmapped,
            place => Self::At(place - 1),
        }
    }

    fn code(self) -> u32 {
        match self {
            Self::Untouched => UNTOUCHED,
            Self::Unmapped => UNMAPPED,
            Self::At(place) => place + 1,
        }
    }
}

/// An open hash table of what has been touched, until a plain array is no larger.
#[derive(Clone, Debug)]
pub struct Map {
    units: u32,
    kept: Kept,
}

#[derive(Clone, Debug)]
enum Kept {
    /// Pairs of address + 1 (0: empty) and code; a power of two of them.
    Sparse { pairs: Vec<(u32, u32)>, used: usize },
    /// Codes by address.
    Dense(Vec<u32>),
}

const FIRST: usize = 1 << 12;
/// Neighbours whose pairs lie together: who asks for one asks for the next.
const GROUP: u32 = 16;
/// From a slot that is taken to the next choice: over the neighbours, and odd, so that it comes to all slots.
const STEP: usize = GROUP as usize + 1;

impl Map {
    /// A map of `units` addresses, none touched.
    #[must_use]
    pub fn new(units: u32) -> Self {
        let kept = if (units as usize) <= 2 * FIRST {
            Kept::Dense(vec![UNTOUCHED; units as usize])
        } else {
            Kept::Sparse { pairs: vec![(0, UNTOUCHED); FIRST], used: 0 }
        };
        Self { units, kept }
    }

    /// What is known of an address.
    #[inline]
    #[must_use]
    pub fn get(&self, address: u32) -> Entry {
        match &self.kept {
            Kept::Dense(codes) => Entry::of(codes[address as usize]),
            Kept::Sparse { pairs, .. } => Entry::of(pairs[slot(pairs, address)].1),
        }
    }

    /// Changes what is known; returns what was.
    #[inline]
    pub fn set(&mut self, address: u32, entry: Entry) -> Entry {
        match &mut self.kept {
            Kept::Dense(codes) => Entry::of(std::mem::replace(&mut codes[address as usize], entry.code())),
            Kept::Sparse { pairs, used } => {
                let at = slot(pairs, address);
                let old = Entry::of(pairs[at].1);
                if pairs[at].0 == 0 {
                    *used += 1;
                }
                pairs[at] = (address + 1, entry.code());
                if *used * 8 > pairs.len() * 5 {
                    self.grow();
                }
                old
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let Kept::Sparse { pairs, used } = &self.kept else { return };
        let length = 2 * pairs.len();
        // A pair takes the room of two codes.
        if 2 * length >= self.units as usize {
            let mut codes = vec![UNTOUCHED; self.units as usize];
            for &(key, code) in pairs.iter().filter(|(key, _)| *key > 0) {
                codes[key as usize - 1] = code;
            }
            self.kept = Kept::Dense(codes);
            return;
        }
        let mut wider = vec![(0, UNTOUCHED); length];
        for &(key, code) in pairs.iter().filter(|(key, _)| *key > 0) {
            let at = slot(&wider, key - 1);
            wider[at] = (key, code);
        }
        self.kept = Kept::Sparse { pairs: wider, used: *used };
    }
}

/// Where an address is, or would be put.
#[inline]
fn slot(pairs: &[(u32, u32)], address: u32) -> usize {
    let mask = pairs.len() - 1;
    let (group, within) = (address / GROUP, address % GROUP);
    // The high bits of the product depend on all bits of the number.
    let hash = u64::from(group).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
    let mut at = (hash as usize * GROUP as usize + within as usize) & mask;
    while pairs[at].0 != 0 && pairs[at].0 != address + 1 {
        at = (at + STEP) & mask;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Any changes read back as from a plain array, through growth and the change to an array.
        #[test]
        fn it_is_an_array(
            units in prop_oneof![Just(100u32), Just(20_000), Just(300_000)],
            scattered in prop::collection::vec((0u32..300_000, 0u32..4_000), 1..9_000),
            ranges in prop::collection::vec((0u32..300_000, 0u32..4_000, 1u32..600, 1u32..40), 0..20),
        ) {
            let in_steps = ranges.iter().flat_map(|&(first, place, count, step)| {
                (0..count).map(move |i| (first + i * step, place))
            });
            let changes = scattered.iter().copied().chain(in_steps);
            let mut map = Map::new(units);
            let mut plain = std::collections::BTreeMap::new();
            for (address, place) in changes {
                let address = address % units;
                let entry = if place == 0 { Entry::Unmapped } else { Entry::At(place - 1) };
                let old = plain.insert(address, entry).unwrap_or(Entry::Untouched);
                prop_assert_eq!(map.set(address, entry), old);
            }
            for (&address, &entry) in &plain {
                prop_assert_eq!(map.get(address), entry);
            }
        }
    }
}
