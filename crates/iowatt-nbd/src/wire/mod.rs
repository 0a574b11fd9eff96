//! The messages of NBD as bytes: constants, encoding and decoding, for both ends. All numbers are big-endian.
//!
//! Decoders take slices and never panic: what is too short, too long or has a wrong magic is a [`Malformed`].
//! Fixed-size headers have a constant for their length (`REQUEST_LEN`), so that a caller reads exactly that many
//! bytes, decodes, and then knows how many follow.

mod chunk;
mod handshake;
mod options;
mod transmission;

pub use chunk::{CHUNK_LEN, Chunk};
pub use handshake::{
    CLIENT_FLAGS_LEN, EXPORT_NAME_REPLY_LEN, EXPORT_NAME_ZEROES, GREETING_LEN, decode_client_flags,
    decode_export_name_reply, decode_greeting, encode_client_flags, encode_export_name_reply,
    encode_greeting, handshake_flags, transmission_flags,
};
pub use options::{
    BlockSize, InfoRequest, OPTION_LEN, OPTION_REPLY_LEN, OptionHeader, OptionReply, decode_info_block_size,
    decode_info_export, decode_info_request, decode_option, decode_option_reply, decode_server,
    encode_info_block_size, encode_info_export, encode_info_request, encode_option, encode_option_reply,
    encode_server, info, info_type, option, option_reply,
};
pub use transmission::{
    Command, MAX_PAYLOAD, NbdError, REPLY_LEN, REQUEST_LEN, Request, SimpleReply, command_flags,
};

use thiserror::Error;

/// Most bytes that the data of an option may have; a longer one is refused, unread.
pub const MAX_OPTION_DATA: u32 = 64 * 1024;

/// Most bytes of a name, of an export or another string.
pub const MAX_STRING: usize = 4096;

/// Bytes that are no message of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Malformed {
    /// The message ends early, or goes on behind its end.
    #[error("{what} has the wrong length")]
    Length {
        /// The message.
        what: &'static str,
    },
    /// It does not begin with its magic number.
    #[error("{what} begins with {found:#x}, not with its magic number")]
    Magic {
        /// The message.
        what: &'static str,
        /// What it begins with.
        found: u64,
    },
    /// A field has a value that the protocol does not know.
    #[error("{what} has the unknown value {found}")]
    Value {
        /// The field.
        what: &'static str,
        /// Its value.
        found: u64,
    },
    /// A string is longer than [`MAX_STRING`] or is not UTF-8.
    #[error("{what} is no string of the protocol: UTF-8, at most {MAX_STRING} bytes")]
    String {
        /// The field.
        what: &'static str,
    },
}

/// Reads the fields of one message, front to back.
struct Fields<'a> {
    what: &'static str,
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    const fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Self { what, rest: bytes }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (field, rest) =
            self.rest.split_first_chunk::<N>().ok_or(Malformed::Length { what: self.what })?;
        self.rest = rest;
        Ok(*field)
    }

    fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    fn magic32(&mut self, magic: u32) -> Result<(), Malformed> {
        let found = self.u32()?;
        if found == magic { Ok(()) } else { Err(Malformed::Magic { what: self.what, found: found.into() }) }
    }

    fn magic64(&mut self, magic: u64) -> Result<(), Malformed> {
        let found = self.u64()?;
        if found == magic { Ok(()) } else { Err(Malformed::Magic { what: self.what, found }) }
    }

    /// A string behind its length (u32).
    fn string(&mut self) -> Result<&'a str, Malformed> {
        let length = self.u32()? as usize;
        let (bytes, rest) =
            self.rest.split_at_checked(length).ok_or(Malformed::Length { what: self.what })?;
        self.rest = rest;
        text(self.what, bytes)
    }

    fn end(self) -> Result<(), Malformed> {
        if self.rest.is_empty() { Ok(()) } else { Err(Malformed::Length { what: self.what }) }
    }
}

fn text<'a>(what: &'static str, bytes: &'a [u8]) -> Result<&'a str, Malformed> {
    let found = std::str::from_utf8(bytes).map_err(|_| Malformed::String { what })?;
    if found.len() > MAX_STRING { Err(Malformed::String { what }) } else { Ok(found) }
}

fn put_string(into: &mut Vec<u8>, string: &str) {
    into.extend((string.len() as u32).to_be_bytes());
    into.extend(string.as_bytes());
}
