//! One record of blktrace: its header in the recording machine's byte order, and the beginning of its payload.

use crate::error::{Code, Fault, TraceError};
use crate::format::binary::{Place, cut};
use crate::input::Input;
use crate::request::Op;

const HEADER: usize = 48;
/// What is kept of a payload: the id of a cgroup and two words.
const KEPT: usize = 16;
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;
const SECTOR: u64 = 512;
const CGROUP: u32 = 1 << 8;
/// Of notifications: the second and nanosecond of the clock on the wall.
const CLOCK: u32 = 1;

/// Events: the lower half of an action, without the mark of a cgroup.
pub(crate) const QUEUED: u32 = 1;
pub(crate) const BACK_MERGED: u32 = 2;
pub(crate) const FRONT_MERGED: u32 = 3;
pub(crate) const REQUEUED: u32 = 6;
pub(crate) const ISSUED: u32 = 7;
pub(crate) const COMPLETED: u32 = 8;
pub(crate) const SPLIT: u32 = 13;

mod category {
    pub(super) const WRITE: u32 = 1 << 17;
    pub(super) const FLUSH: u32 = 1 << 18;
    pub(super) const COMMAND: u32 = 1 << 25;
    pub(super) const NOTIFY: u32 = 1 << 26;
    pub(super) const DISCARD: u32 = 1 << 29;
}

/// Whether a magic read as little-endian says big-endian; `None` where it is none.
pub(crate) fn is_magic(little: u32) -> Option<bool> {
    match (little & !0xff == MAGIC, little.swap_bytes() & !0xff == MAGIC) {
        (true, _) => Some(false),
        (_, true) => Some(true),
        _ => None,
    }
}

/// A record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    header: [u8; HEADER],
    payload: [u8; KEPT],
    /// Bytes of the payload, those included that are not kept.
    length: usize,
    big_endian: bool,
}

impl Record {
    /// The next record; `None` at the end of the input. The bytes of one that is cut short are consumed; behind one that is none
    /// nothing can be read.
    pub(crate) fn take(
        place: &mut Place,
        input: &mut Input,
    ) -> Result<Option<Result<Self, Fault>>, TraceError> {
        let bytes = input.peek(HEADER)?;
        let found = bytes.len();
        if found == 0 {
            return Ok(None);
        }
        place.number += 1;
        place.begin = place.at;
        let Some(&header) = bytes.first_chunk::<HEADER>() else {
            place.consume(input, found);
            return Ok(Some(Err(cut(found, HEADER))));
        };
        let (big_endian, length) = match check(&header) {
            Ok(checked) => checked,
            Err(fault) => return Ok(Some(Err(fault))),
        };
        let bytes = input.peek(HEADER + length)?;
        let available = bytes.len();
        if available < HEADER + length {
            place.consume(input, available);
            return Ok(Some(Err(cut(available, HEADER + length))));
        }
        let mut payload = [0; KEPT];
        let kept = length.min(KEPT);
        payload[..kept].copy_from_slice(&bytes[HEADER..HEADER + kept]);
        place.consume(input, HEADER + length);
        Ok(Some(Ok(Self { header, payload, length, big_endian })))
    }

    fn word(&self, bytes: &[u8], at: usize) -> u32 {
        let word = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        if self.big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
    }

    fn long(&self, at: usize) -> u64 {
        let (first, second) = (self.word(&self.header, at), self.word(&self.header, at + 4));
        let (high, low) = if self.big_endian { (first, second) } else { (second, first) };
        u64::from(high) << 32 | u64::from(low)
    }

    /// Number of the event on its CPU; of notifications it means nothing.
    pub(crate) fn sequence(&self) -> u32 {
        self.word(&self.header, 4)
    }

    pub(crate) fn time_ns(&self) -> u64 {
        self.long(8)
    }

    /// The event, one of the constants above or another.
    pub(crate) fn event(&self) -> u32 {
        self.action() & 0xffff & !CGROUP
    }

    fn action(&self) -> u32 {
        self.word(&self.header, 28)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.word(&self.header, 32)
    }

    /// Major number << 20 | minor number.
    pub(crate) fn device(&self) -> u32 {
        self.word(&self.header, 36)
    }

    pub(crate) fn cpu(&self) -> u32 {
        self.word(&self.header, 40)
    }

    /// Whether the event says that something failed.
    pub(crate) fn failed(&self) -> bool {
        self.header[44..46] != [0, 0]
    }

    pub(crate) fn is_notification(&self) -> bool {
        self.action() & category::NOTIFY != 0
    }

    /// Appends the device's name: `8,16`.
    pub(crate) fn name_device(&self, name: &mut String) {
        let device = self.device();
        let _ = std::fmt::Write::write_fmt(name, format_args!("{},{}", device >> 20, device & 0xf_ffff));
    }

    /// Of a notification of the clock on the wall: the Unix time in ns of time 0.
    pub(crate) fn origin_unix_ns(&self) -> Option<u64> {
        if !self.is_notification() || self.action() & 0xffff & !CGROUP != CLOCK {
            return None;
        }
        let at = if self.action() & CGROUP == 0 { 0 } else { 8 };
        if self.length < at + 8 {
            return None;
        }
        let (seconds, ns) = (self.word(&self.payload, at), self.word(&self.payload, at + 4));
        (u64::from(seconds) * 1_000_000_000 + u64::from(ns)).checked_sub(self.time_ns())
    }

    /// Operation, first byte and bytes; `None` of notifications, SCSI commands and what has no blocks and does not flush.
    pub(crate) fn asked(&self) -> Result<Option<(Op, u64, u64)>, Fault> {
        let action = self.action();
        if action & (category::NOTIFY | category::COMMAND) != 0 {
            return Ok(None);
        }
        let (sector, bytes) = (self.long(16), self.word(&self.header, 24));
        if bytes == 0 {
            return Ok((action & category::FLUSH != 0).then_some((Op::Flush, 0, 0)));
        }
        let op = if action & category::DISCARD != 0 {
            Op::Trim
        } else if action & category::WRITE != 0 {
            Op::Write
        } else {
            Op::Read
        };
        let offset = sector.checked_mul(SECTOR).ok_or_else(|| {
            Fault::out_of_range(format!("sector {sector} x {SECTOR} bytes does not fit in 64 bits"))
        })?;
        Ok(Some((op, offset, u64::from(bytes))))
    }
}

/// The byte order, and the length of the payload.
fn check(header: &[u8; HEADER]) -> Result<(bool, usize), Fault> {
    let [a, b, c, d, ..] = *header;
    let little = u32::from_le_bytes([a, b, c, d]);
    let Some(big_endian) = is_magic(little) else {
        return Err(Fault::fatal(
            Code::Damaged,
            format!(
                "magic 0x{little:08x}; a record begins with 0x{:08x}, in either byte order",
                MAGIC | VERSION
            ),
        ));
    };
    let version = if big_endian { header[3] } else { header[0] };
    if u32::from(version) != VERSION {
        return Err(Fault::fatal(
            Code::Unsupported,
            format!("records of version {version}; version {VERSION} is read"),
        ));
    }
    let pair = [header[46], header[47]];
    let payload = if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) };
    Ok((big_endian, usize::from(payload)))
}
