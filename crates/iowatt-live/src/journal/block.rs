//! A block of the journal: 512 bytes, which drives write whole or not at all, with a checksum all the same.
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | CRC-32 of the rest |
//! | 4 | kind |
//! | 5 | 1: the last block of its batch |
//! | 6..8 | number of words |
//! | 8..16 | generation |
//! | 16..24 | sequence in its generation |
//! | 24.. | up to 122 words of 4 bytes |
//!
//! Numbers are little-endian.

/// Bytes of a block.
pub const BLOCK: usize = 512;

/// Words that a block holds.
pub const WORDS: usize = (BLOCK - HEAD) / 4;

const HEAD: usize = 24;

/// What the words of a block are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// How many entries the checkpoint has, and whether the volume was stopped in order.
    Head = 1,
    /// Slots of extents, in the order of the extents.
    Checkpoint = 2,
    /// Pairs: an extent and its slot from now on.
    Records = 3,
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What its words are.
    pub kind: Kind,
    /// Whether its batch ends here.
    pub last: bool,
    /// Which checkpoint it belongs to.
    pub generation: u64,
    /// Its place behind the head.
    pub sequence: u64,
    /// At most [`WORDS`].
    pub words: Vec<u32>,
}

impl Block {
    /// As bytes.
    #[must_use]
    pub fn bytes(&self) -> [u8; BLOCK] {
        let mut bytes = [0; BLOCK];
        bytes[4] = self.kind as u8;
        bytes[5] = u8::from(self.last);
        bytes[6..8].copy_from_slice(&(self.words.len() as u16).to_le_bytes());
        bytes[8..16].copy_from_slice(&self.generation.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.sequence.to_le_bytes());
        for (to, word) in bytes[HEAD..].chunks_exact_mut(4).zip(&self.words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let sum = crc32fast::hash(&bytes[4..]);
        bytes[..4].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// From bytes; none where they are not a block.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; BLOCK] = bytes.try_into().ok()?;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        if word(0) != crc32fast::hash(&bytes[4..]) {
            return None;
        }
        let kind = match bytes[4] {
            1 => Kind::Head,
            2 => Kind::Checkpoint,
            3 => Kind::Records,
            _ => return None,
        };
        let count = usize::from(u16::from_le_bytes([bytes[6], bytes[7]]));
        if count > WORDS {
            return None;
        }
        let words = (0..count).map(|word_at| word(HEAD + 4 * word_at)).collect();
        Some(Self { kind, last: bytes[5] == 1, generation: long(8), sequence: long(16), words })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests fail by panicking
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_block_is_its_bytes(words in prop::collection::vec(any::<u32>(), 0..=WORDS),
                                generation: u64, sequence: u64, last: bool) {
            let block = Block { kind: Kind::Records, last, generation, sequence, words };
            prop_assert_eq!(Block::of(&block.bytes()), Some(block));
        }

        #[test]
        fn a_flipped_bit_is_seen(at in 0..BLOCK, bit in 0..8u8) {
            let block = Block { kind: Kind::Head, last: true, generation: 7, sequence: 0, words: vec![1, 2] };
            let mut bytes = block.bytes();
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(Block::of(&bytes), None);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let _ = Block::of(&bytes);
        }
    }
}
