//! HP's SRT 1.3 (`$$TR_IOREC-1.3`): a text header that describes the disks, a form feed, binary records.
//!
//! Header: `disks = { 0 -> { ..., sectorsize = 256, ... }, 1 -> ... };`, of which this decoder takes the numbers of
//! the disks and their sector sizes. Records, 14 big-endian 32-bit words each: size (56, bytes), id (version 4 in the
//! upper half, type 1 in the lower), seconds and microseconds of the enqueue, start and stop of the service
//! (microseconds *after the enqueue*), bytes, block, device (unit in bits 8 to 15), driver type, cylinder, flags
//! (bit 0: read), info, queue length.
//!
//! Traps: `block` counts the disk's own sectors (256 bytes), from the start of the disk and not of its section; `bytes`
//! counts bytes. Requests are in the order of their enqueue, the queue serves them in another.
//!
//! One request has three events, and `event` chooses its stamp as for blkparse: `Q` the enqueue (the default; the
//! response time is queueing and service), `D` the start (the response time is the service alone; stamps then step back
//! as far as a request waits, hence the tolerance of 60 s), `C` the stop (no response time).

use super::binary::cut;
use crate::error::{Code, Fault, TraceError};
use crate::format::{Clock, Decoder, Entry, Format, Raw, Sample};
use crate::input::Input;
use crate::names::Names;
use crate::number::excerpt;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};
use crate::spec::Event;

/// HP SRT.
pub static FORMAT: Format = Format {
    name: "hp-srt",
    title: "HP Laboratories SRT 1.3 (binary, with measured service)",
    columns: "header, form feed, records of 14 big-endian words: size id sec usec start(us) stop(us) bytes block(sectors of \
              the header) device drivertype cylinder flags info queuelen",
    clock: Clock::Relative,
    order_tolerance_s: 60.0,
    block_bytes: None,
    options: &["event"],
    recognise: |sample: &Sample<'_>| sample.bytes.starts_with(MAGIC),
    decoder: |spec| {
        Ok(Box::new(HpSrt { event: spec.event.unwrap_or_default(), disks: None, at: 0, number: 0 }))
    },
};

const MAGIC: &[u8] = b"$$TR_IOREC-";
const END_OF_HEADER: u8 = 0x0c;
/// Bytes of the longest header.
const MAX_HEADER: usize = 1 << 16;
const RECORD: usize = 56;
/// Version 4, type 1: a request.
const REQUEST: u32 = 4 << 16 | 1;

/// Bytes of a sector by disk number; 0 where the header has no such disk.
type Sectors = [u32; 256];

struct HpSrt {
    event: Event,
    disks: Option<Box<Sectors>>,
    /// Bytes consumed.
    at: u64,
    /// Records consumed.
    number: u64,
}

impl Decoder for HpSrt {
    fn next(&mut self, input: &mut Input, names: &mut Names) -> Result<Option<Entry>, TraceError> {
        if self.disks.is_none() {
            let (disks, length) = header(input.peek(MAX_HEADER + 1)?)
                .map_err(|fault| TraceError::unusable(input.file(), fault))?;
            input.consume(length);
            self.at = length as u64;
            self.disks = Some(disks);
        }
        let bytes = input.peek(RECORD)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let found = match bytes.first_chunk::<RECORD>() {
            Some(record) => self.decode(record, names),
            None => Err(cut(bytes.len(), RECORD)),
        };
        let placed =
            found.map_err(|fault| Fault { reason: format!("byte {}: {}", self.at, fault.reason), ..fault });
        let used = bytes.len().min(RECORD);
        input.consume(used);
        self.at += used as u64;
        Ok(Some((self.number, placed)))
    }
}

impl HpSrt {
    fn decode(&self, record: &[u8; RECORD], names: &mut Names) -> Result<Raw, Fault> {
        let word = |index: usize| {
            let at = 4 * index;
            u32::from_be_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
        };
        let (size, id) = (word(0), word(1));
        if size != RECORD as u32 || id != REQUEST {
            let (version, kind) = (id >> 16, id & 0xffff);
            return Err(Fault::fatal(
                Code::Unsupported,
                format!(
                    "a record of {size} bytes, version {version}, type {kind}; records of {RECORD} bytes, version 4, type 1 are read"
                ),
            ));
        }
        let positive = |index: usize, name: &str| {
            let value = word(index);
            if value >> 31 == 0 {
                Ok(u64::from(value))
            } else {
                Err(Fault::out_of_range(format!("{name} is negative: {}", value.cast_signed())))
            }
        };
        let (seconds, microseconds) = (positive(2, "sec")?, positive(3, "usec")?);
        if microseconds >= 1_000_000 {
            return Err(Fault::out_of_range(format!("usec is {microseconds}; below 1000000 is accepted")));
        }
        let (start, stop) = (positive(4, "start_us")?, positive(5, "stop_us")?);
        if stop < start {
            return Err(format!(
                "the service stops {stop} us after the enqueue, before its start at {start} us"
            )
            .into());
        }
        let (size, block) = (positive(6, "nbytes")?, positive(7, "blkno")?);
        let unit = (word(8) >> 8 & 0xff) as usize;
        let sector = self.disks.as_ref().map_or(0, |disks| disks[unit]);
        if sector == 0 {
            return Err(format!("disk {unit} is not in the header").into());
        }
        let enqueued = seconds * 1_000_000_000 + microseconds * 1000;
        let (time_ns, response_us) = match self.event {
            Event::Q => (enqueued, Some(stop)),
            Event::D => (enqueued + start * 1000, Some(stop - start)),
            Event::C => (enqueued + stop * 1000, None),
        };
        Ok(Raw {
            time_ns,
            offset: block * u64::from(sector),
            size,
            response_ns: response_us.map_or(NO_RESPONSE, |us| us.cast_signed() * 1000),
            device: names.devices.id(unit.to_string().as_bytes())?,
            stream: NO_STREAM,
            op: if word(11) & 1 == 1 { Op::Read } else { Op::Write },
        })
    }
}

/// Sector sizes of the disks, and the length of the header, form feed included.
fn header(bytes: &[u8]) -> Result<(Box<Sectors>, usize), Fault> {
    if !bytes.starts_with(MAGIC) {
        let (magic, found) = (excerpt(MAGIC), excerpt(&bytes[..bytes.len().min(MAGIC.len())]));
        let reason = format!("byte 0: the file begins with '{found}'; an SRT trace begins with {magic}1.3");
        return Err(Fault::new(Code::WrongFormat, reason));
    }
    let Some(length) = bytes.iter().take(MAX_HEADER).position(|&b| b == END_OF_HEADER) else {
        let read = bytes.len().min(MAX_HEADER);
        return Err(format!("no form feed ends the header within its first {read} bytes").into());
    };
    Ok((disks(&bytes[..length])?, length + 1))
}

/// The numbers and sector sizes in `disks = { number -> { sectorsize = bytes, ... }, ... }`.
fn disks(header: &[u8]) -> Result<Box<Sectors>, Fault> {
    let mut found = Box::new([0; 256]);
    // Braces open, and how many were when `disks =` came.
    let (mut depth, mut list) = (0_usize, None);
    let (mut disk, mut listed) = (None, 0);
    let mut before: [&[u8]; 2] = [b"", b""];
    for (at, token) in (Tokens { header, at: 0 }) {
        let within = list.map(|outer| depth - outer);
        match token {
            b"{" => {
                if list.is_none() && before == [&b"disks"[..], b"="] {
                    list = Some(depth);
                } else if within == Some(1) && before[1] == b"->" {
                    let number = small(before[0], 255).ok_or_else(|| {
                        format!(
                            "byte {at}: a disk has the number '{}'; 0 to 255 are accepted",
                            excerpt(before[0])
                        )
                    })?;
                    (disk, listed) = (Some(number as usize), listed + 1);
                }
                depth += 1;
            }
            b"}" => {
                depth = depth
                    .checked_sub(1)
                    .ok_or_else(|| format!("byte {at}: a brace closes that none opened"))?;
                match (list, disk) {
                    (Some(outer), _) if depth == outer => break,
                    (Some(outer), Some(number)) if depth == outer + 1 => {
                        if found[number] == 0 {
                            return Err(format!("byte {at}: disk {number} has no sectorsize").into());
                        }
                        disk = None;
                    }
                    _ => {}
                }
            }
            _ if within == Some(2) && before == [&b"sectorsize"[..], b"="] => {
                let size = small(token, 1 << 20).filter(|&size| size > 0);
                let (Some(size), Some(number)) = (size, disk) else {
                    return Err(format!(
                        "byte {at}: sectorsize is '{}'; 1 to 1048576 bytes are accepted",
                        excerpt(token)
                    )
                    .into());
                };
                found[number] = size;
            }
            _ => {}
        }
        before = [before[1], token];
    }
    if listed == 0 || list.is_none_or(|outer| depth != outer) {
        return Err(
            "the header does not list its disks: disks = { 0 -> { sectorsize = 256, ... }, ... }".into()
        );
    }
    Ok(found)
}

fn small(digits: &[u8], most: u32) -> Option<u32> {
    let number = crate::number::unsigned(digits).ok()?;
    u32::try_from(number).ok().filter(|&number| number <= most)
}

/// Words, strings in quotes, and punctuation, each with its place.
struct Tokens<'a> {
    header: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
        let rest = &self.header[self.at..];
        let from = rest.iter().position(|&b| !b.is_ascii_whitespace() && b != 0)?;
        let rest = &rest[from..];
        let length = match rest {
            [b'"', text @ ..] => text.iter().position(|&b| b == b'"').map_or(rest.len(), |end| end + 2),
            [b'-', b'>', ..] => 2,
            [first, ..] if is_word(*first) => rest.iter().position(|&b| !is_word(b)).unwrap_or(rest.len()),
            _ => 1,
        };
        let at = self.at + from;
        self.at = at + length;
        Some((at, &rest[..length]))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    fn listed(header: &str) -> Result<Vec<(usize, u32)>, String> {
        let found = disks(header.as_bytes()).map_err(|fault| fault.said())?;
        Ok(found.iter().copied().enumerate().filter(|&(_, sector)| sector > 0).collect())
    }

    #[test]
    fn sector_sizes_by_disk() {
        let text = "name = \"disks = { 9 -> {\";\ndisks = { 0 -> { a = {1, 2}, sections = { 8 -> { sectorsize = 9 } },\
                    sectorsize = 256 }, 12 -> { sectorsize=512, b = -3 } };\nafter = { 3 -> { sectorsize = 1 } };";
        assert_eq!(listed(text), Ok(vec![(0, 256), (12, 512)]));
    }

    #[test]
    fn what_is_wrong_with_a_header_is_said() {
        let said = |text: &str| listed(text).unwrap_err();
        assert!(
            said("disks = { 0 -> { rpm = 1 } };").starts_with("damaged: byte 25: disk 0 has no sectorsize")
        );
        assert!(said("disks = { 256 -> { sectorsize = 1 } }").contains("the number '256'"));
        assert!(said("disks = { 0 -> { sectorsize = 0 } }").contains("sectorsize is '0'"));
        assert!(said("disks = { 0 -> { sectorsize = { } } }").contains("disk 0 has no sectorsize"));
        assert!(said("a }").starts_with("damaged: byte 2: a brace closes"));
        for text in
            ["", "disks = { }", "disks = { 0 -> { sectorsize = 256 }", "disk = { 0 -> { sectorsize = 256 } }"]
        {
            assert!(said(text).contains("does not list its disks"), "{text}");
        }
    }
}
