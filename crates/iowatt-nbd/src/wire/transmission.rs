//! Requests and simple replies of the transmission phase.

use super::{Fields, Malformed};

const REQUEST_MAGIC: u32 = 0x2560_9513;
const SIMPLE_REPLY_MAGIC: u32 = 0x6744_6698;

/// Bytes of a request's header; the data of a write follow.
pub const REQUEST_LEN: usize = 28;

/// Bytes of a simple reply's header; the data of a read without error follow.
pub const REPLY_LEN: usize = 16;

/// Most bytes of a read or write that both ends must take where no block size was agreed: 32 MiB.
pub const MAX_PAYLOAD: u32 = 32 * 1024 * 1024;

/// Flags of a command.
pub mod command_flags {
    /// Durable before it is acknowledged.
    pub const FUA: u16 = 1 << 0;
    /// `WRITE_ZEROES` allocates what it zeroes.
    pub const NO_HOLE: u16 = 1 << 1;
    /// The answer of a read must be one chunk (structured replies only).
    pub const DF: u16 = 1 << 2;
    /// `WRITE_ZEROES` fails with `ENOTSUP` where it would be no faster than writing.
    pub const FAST_ZERO: u16 = 1 << 4;
}

/// What a request asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Command {
    /// Read `length` bytes.
    Read = 0,
    /// Write the `length` bytes that follow.
    Write = 1,
    /// Disconnect; not answered.
    Disconnect = 2,
    /// Make what is acknowledged durable.
    Flush = 3,
    /// The range is not needed any more.
    Trim = 4,
    /// Read ahead.
    Cache = 5,
    /// The range reads as zeroes from now on.
    WriteZeroes = 6,
}

impl Command {
    const ALL: [Self; 7] =
        [Self::Read, Self::Write, Self::Disconnect, Self::Flush, Self::Trim, Self::Cache, Self::WriteZeroes];

    /// The command of a number; none where it is unknown: answer `EINVAL`.
    #[must_use]
    pub fn of(number: u16) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// A request's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// [`command_flags`].
    pub flags: u16,
    /// The number of the command, [`Command::of`]; an unknown one is answered with `EINVAL`, and no data follow it.
    pub command: u16,
    /// Chosen by the client, returned in the reply.
    pub cookie: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
}

impl Request {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; REQUEST_LEN] {
        let mut bytes = [0; REQUEST_LEN];
        bytes[..4].copy_from_slice(&REQUEST_MAGIC.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.flags.to_be_bytes());
        bytes[6..8].copy_from_slice(&self.command.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.cookie.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.offset.to_be_bytes());
        bytes[24..].copy_from_slice(&self.length.to_be_bytes());
        bytes
    }

    /// A request of its header's bytes. Command, flags and range are for the server to judge, which must still answer.
    ///
    /// # Errors
    /// Wrong magic or length: the connection must be closed.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::new("a request", bytes);
        fields.magic32(REQUEST_MAGIC)?;
        let found = Self {
            flags: fields.u16()?,
            command: fields.u16()?,
            cookie: fields.u64()?,
            offset: fields.u64()?,
            length: fields.u32()?,
        };
        fields.end()?;
        Ok(found)
    }

    /// Bytes of data behind the header: those of a write.
    #[must_use]
    pub const fn payload(&self) -> u32 {
        if self.command == Command::Write as u16 { self.length } else { 0 }
    }
}

/// A simple reply's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimpleReply {
    /// 0, or a number of [`NbdError`].
    pub error: u32,
    /// The request's.
    pub cookie: u64,
}

impl SimpleReply {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; REPLY_LEN] {
        let mut bytes = [0; REPLY_LEN];
        bytes[..4].copy_from_slice(&SIMPLE_REPLY_MAGIC.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.error.to_be_bytes());
        bytes[8..].copy_from_slice(&self.cookie.to_be_bytes());
        bytes
    }

    /// A reply of its header's bytes.
    ///
    /// # Errors
    /// Wrong magic or length; a structured reply has another magic.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::new("a simple reply", bytes);
        fields.magic32(SIMPLE_REPLY_MAGIC)?;
        let found = Self { error: fields.u32()?, cookie: fields.u64()? };
        fields.end()?;
        Ok(found)
    }
}

/// Errors of a reply; the numbers are those of Linux.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum NbdError {
    /// Not permitted: a write to a read-only export.
    Perm = 1,
    /// Input/output error.
    Io = 5,
    /// No memory.
    NoMemory = 12,
    /// Invalid: unknown command or flag, a range beyond the end of a read.
    Invalid = 22,
    /// No space: a write beyond the end.
    NoSpace = 28,
    /// Too long for the protocol.
    Overflow = 75,
    /// Not supported.
    NotSupported = 95,
    /// The server is shutting down.
    Shutdown = 108,
}

impl NbdError {
    const ALL: [Self; 8] = [
        Self::Perm,
        Self::Io,
        Self::NoMemory,
        Self::Invalid,
        Self::NoSpace,
        Self::Overflow,
        Self::NotSupported,
        Self::Shutdown,
    ];

    /// The error of a reply's number: none for 0; an unknown number stands for `EINVAL`, as the protocol says.
    #[must_use]
    pub fn of(number: u32) -> Option<Self> {
        if number == 0 {
            return None;
        }
        Some(Self::ALL.into_iter().find(|error| error.number() == number).unwrap_or(Self::Invalid))
    }

    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }
}
