//! Greeting, client flags, and the reply to `EXPORT_NAME`, with which older clients begin transmission.

use super::{Fields, Malformed};

const NBDMAGIC: u64 = 0x4e42_444d_4147_4943;
pub(super) const IHAVEOPT: u64 = 0x4948_4156_454f_5054;

/// Flags of the server's greeting and of the client's answer.
pub mod handshake_flags {
    /// Fixed newstyle: every option is answered, unknown ones too.
    pub const FIXED_NEWSTYLE: u16 = 1 << 0;
    /// The reply to `EXPORT_NAME` ends without its 124 zeroes.
    pub const NO_ZEROES: u16 = 1 << 1;
}

/// What an export can do; sent with its size.
pub mod transmission_flags {
    /// Set always.
    pub const HAS_FLAGS: u16 = 1 << 0;
    /// Writes, trims and zeroes are refused with `EPERM`.
    pub const READ_ONLY: u16 = 1 << 1;
    /// Takes `FLUSH`.
    pub const SEND_FLUSH: u16 = 1 << 2;
    /// Takes the flag `FUA` of a command.
    pub const SEND_FUA: u16 = 1 << 3;
    /// A rotating medium: the client may order requests as an elevator.
    pub const ROTATIONAL: u16 = 1 << 4;
    /// Takes `TRIM`.
    pub const SEND_TRIM: u16 = 1 << 5;
    /// Takes `WRITE_ZEROES`.
    pub const SEND_WRITE_ZEROES: u16 = 1 << 6;
    /// Takes the flag `DF` (structured replies only).
    pub const SEND_DF: u16 = 1 << 7;
    /// A flush on one connection covers the writes completed on all.
    pub const CAN_MULTI_CONN: u16 = 1 << 8;
    /// Takes `CACHE`.
    pub const SEND_CACHE: u16 = 1 << 10;
    /// Takes the flag `FAST_ZERO`.
    pub const SEND_FAST_ZERO: u16 = 1 << 11;
}

/// Bytes of the server's greeting.
pub const GREETING_LEN: usize = 18;

/// The server's greeting with [`handshake_flags`].
#[must_use]
pub fn encode_greeting(flags: u16) -> [u8; GREETING_LEN] {
    let mut bytes = [0; GREETING_LEN];
    bytes[..8].copy_from_slice(&NBDMAGIC.to_be_bytes());
    bytes[8..16].copy_from_slice(&IHAVEOPT.to_be_bytes());
    bytes[16..].copy_from_slice(&flags.to_be_bytes());
    bytes
}

/// The [`handshake_flags`] of a greeting.
///
/// # Errors
/// It is no newstyle greeting.
pub fn decode_greeting(bytes: &[u8]) -> Result<u16, Malformed> {
    let mut fields = Fields::new("the greeting", bytes);
    fields.magic64(NBDMAGIC)?;
    fields.magic64(IHAVEOPT)?;
    let flags = fields.u16()?;
    fields.end()?;
    Ok(flags)
}

/// Bytes of the client's flags.
pub const CLIENT_FLAGS_LEN: usize = 4;

/// The client's answer to the greeting: those of [`handshake_flags`] that both ends know.
#[must_use]
pub fn encode_client_flags(flags: u16) -> [u8; CLIENT_FLAGS_LEN] {
    u32::from(flags).to_be_bytes()
}

/// The client's flags.
///
/// # Errors
/// A flag that no server offers: the connection must be closed.
pub fn decode_client_flags(bytes: &[u8]) -> Result<u16, Malformed> {
    let mut fields = Fields::new("the client's flags", bytes);
    let flags = fields.u32()?;
    fields.end()?;
    let known = u32::from(handshake_flags::FIXED_NEWSTYLE | handshake_flags::NO_ZEROES);
    if flags & !known == 0 {
        Ok(flags as u16)
    } else {
        Err(Malformed::Value { what: "the client's flags", found: flags.into() })
    }
}

/// Bytes of the reply to `EXPORT_NAME`, without its zeroes.
pub const EXPORT_NAME_REPLY_LEN: usize = 10;

/// Zeroes behind the reply to `EXPORT_NAME`, unless both ends set `NO_ZEROES`.
pub const EXPORT_NAME_ZEROES: usize = 124;

/// The reply to `EXPORT_NAME`: size in bytes and [`transmission_flags`].
#[must_use]
pub fn encode_export_name_reply(size: u64, flags: u16) -> [u8; EXPORT_NAME_REPLY_LEN] {
    let mut bytes = [0; EXPORT_NAME_REPLY_LEN];
    bytes[..8].copy_from_slice(&size.to_be_bytes());
    bytes[8..].copy_from_slice(&flags.to_be_bytes());
    bytes
}

/// Size in bytes and [`transmission_flags`] of the reply to `EXPORT_NAME`.
///
/// # Errors
/// The length is wrong.
pub fn decode_export_name_reply(bytes: &[u8]) -> Result<(u64, u16), Malformed> {
    let mut fields = Fields::new("the reply to EXPORT_NAME", bytes);
    let found = (fields.u64()?, fields.u16()?);
    fields.end()?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_that_of_the_protocol() {
        let bytes = encode_greeting(handshake_flags::FIXED_NEWSTYLE | handshake_flags::NO_ZEROES);
        assert_eq!(&bytes, b"NBDMAGICIHAVEOPT\x00\x03");
        assert_eq!(decode_greeting(&bytes), Ok(3));
        assert_eq!(decode_greeting(&bytes[..17]), Err(Malformed::Length { what: "the greeting" }));
        // Oldstyle: another number follows NBDMAGIC.
        let old = b"NBDMAGIC\x00\x00\x42\x02\x81\x86\x12\x53\x00\x00";
        assert!(matches!(decode_greeting(old), Err(Malformed::Magic { .. })));
    }

    #[test]
    fn unknown_flags_of_a_client_are_refused() {
        assert_eq!(decode_client_flags(&encode_client_flags(1)), Ok(1));
        assert!(matches!(decode_client_flags(&[0, 0, 0, 4]), Err(Malformed::Value { found: 4, .. })));
        assert!(matches!(decode_client_flags(&[0, 1, 0, 1]), Err(Malformed::Value { .. })));
    }

    #[test]
    fn the_reply_to_export_name_returns() {
        let bytes = encode_export_name_reply(1 << 40, 0x16d);
        assert_eq!(decode_export_name_reply(&bytes), Ok((1 << 40, 0x16d)));
    }
}
