//! Options of the handshake and their replies.

use super::handshake::IHAVEOPT;
use super::{Fields, MAX_OPTION_DATA, Malformed, put_string};

const REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;

/// What a client asks in the handshake.
pub mod option {
    /// Begin transmission; the data is the export's name. Answered by `encode_export_name_reply`, or by closing.
    pub const EXPORT_NAME: u32 = 1;
    /// End the handshake.
    pub const ABORT: u32 = 2;
    /// Name the exports.
    pub const LIST: u32 = 3;
    /// Upgrade to TLS.
    pub const STARTTLS: u32 = 5;
    /// Describe an export.
    pub const INFO: u32 = 6;
    /// Describe an export and begin transmission.
    pub const GO: u32 = 7;
    /// Structured replies from now on.
    pub const STRUCTURED_REPLY: u32 = 8;
}

/// How a server answers an option. Values from `1 << 31` are errors, whose data is a message.
pub mod option_reply {
    /// Done; no data, and the last reply.
    pub const ACK: u32 = 1;
    /// An export, in reply to `LIST`.
    pub const SERVER: u32 = 2;
    /// A piece of information, in reply to `INFO` and `GO`.
    pub const INFO: u32 = 3;
    const ERROR: u32 = 1 << 31;
    /// Not supported.
    pub const ERR_UNSUP: u32 = ERROR + 1;
    /// Forbidden by policy.
    pub const ERR_POLICY: u32 = ERROR + 2;
    /// The option's data is wrong.
    pub const ERR_INVALID: u32 = ERROR + 3;
    /// Not on this platform.
    pub const ERR_PLATFORM: u32 = ERROR + 4;
    /// TLS first.
    pub const ERR_TLS_REQD: u32 = ERROR + 5;
    /// No such export.
    pub const ERR_UNKNOWN: u32 = ERROR + 6;
    /// The server is shutting down.
    pub const ERR_SHUTDOWN: u32 = ERROR + 7;
    /// The client must ask for the block size.
    pub const ERR_BLOCK_SIZE_REQD: u32 = ERROR + 8;
    /// The option is too large.
    pub const ERR_TOO_BIG: u32 = ERROR + 9;

    /// Whether a reply is an error.
    #[must_use]
    pub const fn is_error(kind: u32) -> bool {
        kind & ERROR != 0
    }
}

/// Kinds of information on an export.
pub mod info {
    /// Size and transmission flags; sent always.
    pub const EXPORT: u16 = 0;
    /// Canonical name.
    pub const NAME: u16 = 1;
    /// Description.
    pub const DESCRIPTION: u16 = 2;
    /// Block sizes.
    pub const BLOCK_SIZE: u16 = 3;
}

/// An option's header; `length` bytes of data follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionHeader {
    /// One of [`option`], or unknown: answer `ERR_UNSUP` and skip the data.
    pub option: u32,
    /// Bytes of data that follow.
    pub length: u32,
}

/// Bytes of an option's header.
pub const OPTION_LEN: usize = 16;

/// An option with its data.
#[must_use]
pub fn encode_option(option: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(OPTION_LEN + data.len());
    bytes.extend(IHAVEOPT.to_be_bytes());
    bytes.extend(option.to_be_bytes());
    bytes.extend((data.len() as u32).to_be_bytes());
    bytes.extend(data);
    bytes
}

/// The header of an option.
///
/// # Errors
/// Wrong magic, or more data than [`MAX_OPTION_DATA`]: nothing behind it can be read.
pub fn decode_option(bytes: &[u8]) -> Result<OptionHeader, Malformed> {
    let mut fields = Fields::new("an option", bytes);
    fields.magic64(IHAVEOPT)?;
    let found = OptionHeader { option: fields.u32()?, length: fields.u32()? };
    fields.end()?;
    bounded("the length of an option", found.length)?;
    Ok(found)
}

/// The header of a reply to an option; `length` bytes of data follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionReply {
    /// The option that is answered.
    pub option: u32,
    /// One of [`option_reply`].
    pub kind: u32,
    /// Bytes of data that follow.
    pub length: u32,
}

/// Bytes of the header of a reply to an option.
pub const OPTION_REPLY_LEN: usize = 20;

/// A reply to an option, with its data.
#[must_use]
pub fn encode_option_reply(option: u32, kind: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(OPTION_REPLY_LEN + data.len());
    bytes.extend(REPLY_MAGIC.to_be_bytes());
    for number in [option, kind, data.len() as u32] {
        bytes.extend(number.to_be_bytes());
    }
    bytes.extend(data);
    bytes
}

/// The header of a reply to an option.
///
/// # Errors
/// Wrong magic, or more data than [`MAX_OPTION_DATA`].
pub fn decode_option_reply(bytes: &[u8]) -> Result<OptionReply, Malformed> {
    let mut fields = Fields::new("a reply to an option", bytes);
    fields.magic64(REPLY_MAGIC)?;
    let found = OptionReply { option: fields.u32()?, kind: fields.u32()?, length: fields.u32()? };
    fields.end()?;
    bounded("the length of a reply to an option", found.length)?;
    Ok(found)
}

fn bounded(what: &'static str, length: u32) -> Result<(), Malformed> {
    if length > MAX_OPTION_DATA { Err(Malformed::Value { what, found: length.into() }) } else { Ok(()) }
}

/// The data of `INFO` and `GO`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InfoRequest {
    /// The export; empty for the default one.
    pub name: String,
    /// What the client wants to know, of [`info`]; a server may tell more or less.
    pub wants: Vec<u16>,
}

/// The data of `INFO` and `GO`.
#[must_use]
pub fn encode_info_request(name: &str, wants: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(6 + name.len() + 2 * wants.len());
    put_string(&mut bytes, name);
    bytes.extend((wants.len() as u16).to_be_bytes());
    bytes.extend(wants.iter().flat_map(|kind| kind.to_be_bytes()));
    bytes
}

/// The data of `INFO` and `GO`.
///
/// # Errors
/// Lengths disagree, or the name is none: answer `ERR_INVALID`.
pub fn decode_info_request(bytes: &[u8]) -> Result<InfoRequest, Malformed> {
    let mut fields = Fields::new("the data of INFO or GO", bytes);
    let name = fields.string()?.to_owned();
    let count = fields.u16()?;
    let wants = (0..count).map(|_| fields.u16()).collect::<Result<_, _>>()?;
    fields.end()?;
    Ok(InfoRequest { name, wants })
}

/// The kind ([`info`]) that the data of a reply `INFO` begins with.
///
/// # Errors
/// There is no data.
pub fn info_type(bytes: &[u8]) -> Result<u16, Malformed> {
    Fields::new("a reply INFO", bytes).u16()
}

/// The data of a reply `INFO` of kind `EXPORT`: size in bytes, transmission flags.
#[must_use]
pub fn encode_info_export(size: u64, flags: u16) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[..2].copy_from_slice(&info::EXPORT.to_be_bytes());
    bytes[2..10].copy_from_slice(&size.to_be_bytes());
    bytes[10..].copy_from_slice(&flags.to_be_bytes());
    bytes
}

/// Size in bytes and transmission flags.
///
/// # Errors
/// The data is of another kind or length.
pub fn decode_info_export(bytes: &[u8]) -> Result<(u64, u16), Malformed> {
    let mut fields = kind_of("INFO_EXPORT", bytes, info::EXPORT)?;
    let found = (fields.u64()?, fields.u16()?);
    fields.end()?;
    Ok(found)
}

/// Block sizes of an export, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSize {
    /// Requests begin and end at multiples of it.
    pub minimum: u32,
    /// Requests of multiples of it cost least.
    pub preferred: u32,
    /// Longest request.
    pub maximum: u32,
}

/// The data of a reply `INFO` of kind `BLOCK_SIZE`.
#[must_use]
pub fn encode_info_block_size(size: BlockSize) -> [u8; 14] {
    let mut bytes = [0; 14];
    bytes[..2].copy_from_slice(&info::BLOCK_SIZE.to_be_bytes());
    bytes[2..6].copy_from_slice(&size.minimum.to_be_bytes());
    bytes[6..10].copy_from_slice(&size.preferred.to_be_bytes());
    bytes[10..].copy_from_slice(&size.maximum.to_be_bytes());
    bytes
}

/// Block sizes; the minimum is a power of two, the others are no less.
///
/// # Errors
/// The data is of another kind or length, or the sizes break the protocol's rules.
pub fn decode_info_block_size(bytes: &[u8]) -> Result<BlockSize, Malformed> {
    let mut fields = kind_of("INFO_BLOCK_SIZE", bytes, info::BLOCK_SIZE)?;
    let found = BlockSize { minimum: fields.u32()?, preferred: fields.u32()?, maximum: fields.u32()? };
    fields.end()?;
    let size = |found: u32| Malformed::Value { what: "a block size", found: found.into() };
    if !found.minimum.is_power_of_two() || found.minimum > 64 * 1024 {
        return Err(size(found.minimum));
    }
    if found.preferred < found.minimum {
        return Err(size(found.preferred));
    }
    if found.maximum < found.minimum {
        return Err(size(found.maximum));
    }
    Ok(found)
}

fn kind_of<'a>(what: &'static str, bytes: &'a [u8], kind: u16) -> Result<Fields<'a>, Malformed> {
    let mut fields = Fields::new(what, bytes);
    let found = fields.u16()?;
    if found == kind { Ok(fields) } else { Err(Malformed::Value { what, found: found.into() }) }
}

/// The data of a reply `SERVER`: an export's name.
#[must_use]
pub fn encode_server(name: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + name.len());
    put_string(&mut bytes, name);
    bytes
}

/// The export's name in the data of a reply `SERVER`; details behind it are skipped.
///
/// # Errors
/// The length is wrong, or the name is none.
pub fn decode_server(bytes: &[u8]) -> Result<String, Malformed> {
    Fields::new("a reply SERVER", bytes).string().map(str::to_owned)
}
