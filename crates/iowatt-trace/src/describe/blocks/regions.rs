//! The table of regions that are followed: sixteen blocks of one device each, found by a hash of their address.

/// Blocks of a region. Neighbours share an entry, a look-up and mostly a cache line.
pub(in super::super) const IN_REGION: u64 = 16;
const SIZE: usize = IN_REGION as usize;

/// What is known of a block; 0 is never, in all fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Its place in the order of last references.
    pub(super) stamp: u32,
    /// Tick of its last read.
    pub(super) read: u32,
    /// Tick of its last write.
    pub(super) written: u32,
    /// References.
    pub(super) touched: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) number: u64,
    pub(super) device: u32,
    /// Whether it is of the sample, or only followed for the sake of requests that begin before it.
    pub(super) sampled: bool,
    pub(super) blocks: [Block; SIZE],
}

impl Region {
    pub(super) fn hash(&self) -> u64 {
        hash(self.device, self.number)
    }
}

/// Regions, and an open-addressing index of them.
pub(super) struct Regions {
    regions: Vec<Region>,
    slots: Vec<u32>,
}

impl Regions {
    pub(super) fn new() -> Self {
        Self { regions: Vec::new(), slots: vec![0; 1024] }
    }

    pub(super) fn len(&self) -> usize {
        self.regions.len()
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Region> {
        self.regions.iter()
    }

    pub(super) fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        self.regions.iter_mut().flat_map(|region| region.blocks.iter_mut())
    }

    pub(super) fn get_mut(&mut self, at: usize) -> &mut Region {
        &mut self.regions[at]
    }

    /// Where the region is; a new one is appended. `hash` is that of the address.
    #[inline]
    pub(super) fn place(&mut self, device: u32, number: u64, hash: u64, sampled: bool) -> usize {
        let mut slot = self.first_slot(hash);
        while let Some(at) = self.slots[slot].checked_sub(1) {
            let region = &self.regions[at as usize];
            if region.number == number && region.device == device {
                return at as usize;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.regions.push(Region { number, device, sampled, blocks: [Block::default(); SIZE] });
        self.slots[slot] = self.regions.len() as u32;
        if self.regions.len() * 2 > self.slots.len() {
            self.reindex(self.slots.len() * 2);
        }
        self.regions.len() - 1
    }

    /// Low bits: the high ones decide what is sampled, so that they hardly differ among the regions kept.
    fn first_slot(&self, hash: u64) -> usize {
        (hash >> 3) as usize & (self.slots.len() - 1)
    }

    fn reindex(&mut self, slots: usize) {
        self.slots.clear();
        self.slots.resize(slots, 0);
        for at in 0..self.regions.len() {
            let mut slot = self.first_slot(self.regions[at].hash());
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (slots - 1);
            }
            self.slots[slot] = at as u32 + 1;
        }
    }

    /// Forgets the regions that `keep` refuses; it may change those that it keeps.
    pub(super) fn retain(&mut self, keep: impl FnMut(&mut Region) -> bool) {
        self.regions.retain_mut(keep);
        self.reindex(self.slots.len());
    }
}

/// Of a region's address; every bit depends on every bit.
pub(super) fn hash(device: u32, number: u64) -> u64 {
    mixed(mixed(u64::from(device)) ^ number)
}

/// The finaliser of `SplitMix64` (Steele, Lea, Flood 2014).
pub(in super::super) fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_found_again_after_growing_and_thinning() {
        let mut regions = Regions::new();
        for number in 0..5000 {
            let at = regions.place(1, number, hash(1, number), true);
            regions.get_mut(at).blocks[3].touched = number as u32 + 1;
        }
        regions.retain(|region| region.number % 3 == 0);
        for number in (0..5000).step_by(3) {
            let at = regions.place(1, number, hash(1, number), true);
            assert_eq!(regions.get_mut(at).blocks[3].touched, number as u32 + 1);
        }
        assert_eq!(regions.len(), 1667);
        let other = regions.place(2, 0, hash(2, 0), true);
        assert_eq!(regions.get_mut(other).blocks[3].touched, 0);
    }
}
