//! A bit for each sector of each slot.

/// The bits of all slots, clear at first. Slots that were never used take no memory: zeroed pages are not backed.
#[derive(Debug)]
pub struct Masks {
    bits: Vec<u64>,
    /// Words of a slot.
    words: usize,
}

impl Masks {
    /// So many slots of so many sectors.
    #[must_use]
    pub fn new(slots: usize, sectors: usize) -> Self {
        let words = sectors.div_ceil(64);
        Self { bits: vec![0; slots * words], words }
    }

    /// Sets or clears the bits of sectors `from..until`.
    pub fn fill(&mut self, slot: u32, (from, until): (u32, u32), value: bool) {
        let words = self.of_mut(slot);
        let mut at = from as usize;
        while at < until as usize {
            let (word, first) = (at / 64, at % 64);
            let count = (64 - first).min(until as usize - at);
            let bits = (u64::MAX >> (64 - count)) << first;
            if value {
                words[word] |= bits;
            } else {
                words[word] &= !bits;
            }
            at += count;
        }
    }

    /// Clears all bits of a slot.
    pub fn clear(&mut self, slot: u32) {
        self.of_mut(slot).fill(0);
    }

    /// Moves all bits of a slot to slot `to` of `other`, whose slots are as large; they are clear then.
    pub fn hand_over(&mut self, slot: u32, other: &mut Self, to: u32) {
        let from = self.of_mut(slot);
        other.of_mut(to).copy_from_slice(from);
        from.fill(0);
    }

    /// Number of set bits of a slot.
    #[must_use]
    pub fn count(&self, slot: u32) -> u32 {
        self.of(slot).iter().map(|word| word.count_ones()).sum()
    }

    /// Whether sector `from` has its bit set, and where the run of sectors that are as it ends, at `until` at the latest.
    #[must_use]
    pub fn run(&self, slot: u32, from: u32, until: u32) -> (bool, u32) {
        let words = self.of(slot);
        let at = |sector: u32| (sector as usize / 64, sector % 64);
        let set = words[at(from).0] >> at(from).1 & 1 == 1;
        let mut end = from;
        while end < until {
            let (word, first) = at(end);
            let same = if set { words[word] } else { !words[word] };
            let count = (same >> first).trailing_ones();
            end += count;
            if count < 64 - first {
                break;
            }
        }
        (set, end.min(until))
    }

    fn of(&self, slot: u32) -> &[u64] {
        &self.bits[slot as usize * self.words..][..self.words]
    }

    fn of_mut(&mut self, slot: u32) -> &mut [u64] {
        &mut self.bits[slot as usize * self.words..][..self.words]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_go_over_words_and_stop_where_they_are_told() {
        let mut masks = Masks::new(3, 200);
        masks.fill(1, (60, 130), true);
        masks.fill(1, (100, 101), false);
        assert_eq!(masks.run(1, 0, 200), (false, 60));
        assert_eq!(masks.run(1, 60, 200), (true, 100));
        assert_eq!(masks.run(1, 100, 200), (false, 101));
        assert_eq!(masks.run(1, 101, 200), (true, 130));
        assert_eq!(masks.run(1, 130, 200), (false, 200));
        assert_eq!(masks.run(1, 61, 64), (true, 64));
        assert_eq!((masks.count(0), masks.count(1), masks.count(2)), (0, 69, 0));
    }

    #[test]
    fn what_is_handed_over_is_gone() {
        let (mut one, mut other) = (Masks::new(2, 128), Masks::new(1, 128));
        one.fill(1, (0, 128), true);
        assert_eq!(one.run(1, 0, 128), (true, 128));
        one.hand_over(1, &mut other, 0);
        assert_eq!((one.count(1), other.count(0)), (0, 128));
        other.clear(0);
        assert_eq!(other.count(0), 0);
    }
}
