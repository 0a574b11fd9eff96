//! What is written, and where it is read to: memory that is filled and aligned before the first request.

/// Direct I/O takes memory at multiples of this.
const ALIGNMENT: usize = 4096;
/// Writes begin at so many places of the memory in turn, so that they are not all the same bytes.
const PLACES: usize = 256;

/// Bytes at an aligned address.
pub(crate) struct Aligned {
    bytes: Vec<u8>,
    begin: usize,
    length: usize,
}

impl Aligned {
    /// Zeroes; pages that are not touched take no memory.
    pub(crate) fn zeroes(length: usize) -> Self {
        let bytes = vec![0; length + ALIGNMENT];
        let begin = bytes.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Self { bytes, begin, length }
    }

    pub(crate) fn all(&self) -> &[u8] {
        &self.bytes[self.begin..self.begin + self.length]
    }

    pub(crate) fn all_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.begin..self.begin + self.length]
    }
}

/// What writes write: random bytes, which no storage makes smaller.
pub(crate) struct Written(Aligned);

impl Written {
    /// For writes of at most `longest` bytes.
    pub(crate) fn new(longest: u32) -> Self {
        if longest == 0 {
            return Self(Aligned::zeroes(0));
        }
        let mut memory = Aligned::zeroes(longest as usize + PLACES * ALIGNMENT);
        // SplitMix64 (Steele, Lea, Flood 2014).
        let mut state = 0_u64;
        for word in memory.all_mut().chunks_mut(8) {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..word.len()]);
        }
        Self(memory)
    }

    /// The bytes of request `number`.
    pub(crate) fn of(&self, number: u64, size: u32) -> &[u8] {
        let begin = number as usize % PLACES * ALIGNMENT;
        &self.0.all()[begin..begin + size as usize]
    }
}
