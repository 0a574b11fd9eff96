//! Structured replies: an answer in chunks, of which a read needs one.

use super::{Fields, Malformed};

const CHUNK_MAGIC: u32 = 0x668e_33ef;
/// Flag of the last chunk of an answer.
const DONE: u16 = 1 << 0;

/// Kinds of chunks.
mod kind {
    pub const NONE: u16 = 0;
    pub const OFFSET_DATA: u16 = 1;
    pub const ERROR: u16 = (1 << 15) + 1;
}

/// Bytes of a chunk's header.
pub const CHUNK_LEN: usize = 20;
/// Most bytes of what precedes the data of a chunk.
const HEAD: usize = CHUNK_LEN + 8;

/// The only chunk of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chunk {
    /// Done, without data.
    None,
    /// So many bytes that lie at this offset follow.
    Data {
        /// First byte in the export.
        offset: u64,
        /// How many.
        bytes: u32,
    },
    /// It failed, by this number (see [`NbdError`](super::NbdError)).
    Error(u32),
}

impl Chunk {
    /// The header of the answer with this cookie, and what precedes its data.
    #[must_use]
    pub fn encode(&self, cookie: u64) -> Vec<u8> {
        let (kind, length) = match self {
            Self::None => (kind::NONE, 0),
            Self::Data { bytes, .. } => (kind::OFFSET_DATA, 8 + bytes),
            Self::Error(_) => (kind::ERROR, 6),
        };
        let mut found = Vec::with_capacity(HEAD);
        found.extend(CHUNK_MAGIC.to_be_bytes());
        found.extend(DONE.to_be_bytes());
        found.extend(kind.to_be_bytes());
        found.extend(cookie.to_be_bytes());
        found.extend(length.to_be_bytes());
        match self {
            Self::None => {}
            Self::Data { offset, .. } => found.extend(offset.to_be_bytes()),
            Self::Error(number) => {
                found.extend(number.to_be_bytes());
                found.extend(0_u16.to_be_bytes()); // no message
            }
        }
        found
    }

    /// The cookie and the chunk at the front of an answer; the data that it announces follow.
    ///
    /// # Errors
    /// Wrong magic, more than one chunk, or a kind that is not known.
    pub fn decode(bytes: &[u8]) -> Result<(u64, Self), Malformed> {
        let mut fields = Fields::new("a structured reply", bytes);
        fields.magic32(CHUNK_MAGIC)?;
        let (flags, kind) = (fields.u16()?, fields.u16()?);
        let (cookie, length) = (fields.u64()?, fields.u32()?);
        let chunk = match kind {
            _ if flags != DONE => Err(("the flags of a chunk", flags)),
            kind::NONE if length == 0 => Ok(Self::None),
            kind::OFFSET_DATA if length > 8 => Ok(Self::Data { offset: fields.u64()?, bytes: length - 8 }),
            kind::ERROR if length == 6 => Ok(Self::Error(fields.u32()?)),
            _ => Err(("the kind of a chunk", kind)),
        };
        chunk
            .map(|chunk| (cookie, chunk))
            .map_err(|(what, found)| Malformed::Value { what, found: found.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_return() {
        for chunk in [Chunk::None, Chunk::Data { offset: 1 << 40, bytes: 4096 }, Chunk::Error(5)] {
            assert_eq!(Chunk::decode(&chunk.encode(77)), Ok((77, chunk)));
        }
        let bytes = Chunk::Data { offset: 512, bytes: 16 }.encode(1);
        let written = b"\x66\x8e\x33\xef\x00\x01\x00\x01\0\0\0\0\0\0\0\x01\0\0\0\x18\0\0\0\0\0\0\x02\0";
        assert_eq!(bytes, written);
    }

    #[test]
    fn what_is_no_chunk_is_refused() {
        let bytes = Chunk::None.encode(1);
        assert!(Chunk::decode(&bytes[..19]).is_err());
        assert!(matches!(Chunk::decode(&[0; 20]), Err(Malformed::Magic { .. })));
        let mut more = bytes.clone();
        more[5] = 0;
        assert!(matches!(Chunk::decode(&more), Err(Malformed::Value { .. })));
    }
}
