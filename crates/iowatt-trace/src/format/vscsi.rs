//! CloudPhysics' vSCSI traces, versions 1 and 2: little-endian records without a header.
//!
//! Version 1 (32 bytes): u32 serial, u32 length in bytes, u32 scatter-gather entries, u16 command, u16 version, u64 block (512
//! bytes), u64 time. Version 2 (40 bytes): u16 command, u16 version, u32 serial, u32 length, u32 entries, u64 block, u64
//! time, u64 response time. Times are microseconds from an arbitrary moment. The version stands in the upper byte of
//! its field, at a place that differs between the two: that is how the format is known.
//!
//! The command is a SCSI operation code: reads 08 28 88 A8, writes 0A 2A 8A AA, with verification 2E 8E AE, atomic 9C;
//! 35 and 91 synchronise caches (a flush). Others (unmap, whose ranges are not recorded, write same, inquiries) are passed
//! over and counted. libCacheSim keeps the block as a key and does not split requests; here they are what they were.

use crate::error::{Code, Fault, TraceError};
use crate::format::binary::{Place, u16_at, u32_at, u64_at};
use crate::format::{Clock, Decoder, Entry, Format, Raw, Sample};
use crate::input::Input;
use crate::names::Names;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};

/// vSCSI.
pub static FORMAT: Format = Format {
    name: "vscsi",
    title: "CloudPhysics vSCSI, versions 1 and 2 (binary)",
    columns: "v1, 32 bytes: serial length(bytes) entries command version block(sectors) time(us); v2, 40 bytes: command version \
              serial length entries block time response(us)",
    clock: Clock::Arbitrary,
    order_tolerance_s: 60.0,
    block_bytes: Some(512),
    options: &["sector_size"],
    recognise: |sample: &Sample<'_>| version(sample.bytes).is_some(),
    decoder: |spec| {
        Ok(Box::new(Vscsi {
            sector: spec.sector()?,
            version: None,
            place: Place::default(),
            other: [0; 256],
        }))
    },
};

/// Records looked at to tell the version.
const LOOKED_AT: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

impl Version {
    fn size(self) -> usize {
        match self {
            Self::One => 32,
            Self::Two => 40,
        }
    }

    fn marks(self, record: &[u8]) -> bool {
        match self {
            Self::One => u16_at(record, 14) >> 8 == 1,
            Self::Two => u16_at(record, 2) >> 8 == 2,
        }
    }
}

/// The version that all whole records at the beginning agree on.
pub(super) fn version(bytes: &[u8]) -> Option<Version> {
    [Version::Two, Version::One].into_iter().find(|version| {
        let mut records = bytes.chunks_exact(version.size()).take(LOOKED_AT).peekable();
        records.peek().is_some() && records.all(|record| version.marks(record))
    })
}

struct Vscsi {
    sector: u64,
    version: Option<Version>,
    place: Place,
    /// Commands passed over, by operation code.
    other: [u64; 256],
}

impl Decoder for Vscsi {
    fn next(&mut self, input: &mut Input, names: &mut Names) -> Result<Option<Entry>, TraceError> {
        let version = match self.version {
            Some(version) => version,
            None => self.begin(input)?,
        };
        let size = version.size();
        loop {
            let decoded = match self.place.record(input, size)? {
                None => return Ok(None),
                Some(record) => record.and_then(|record| self.decode(version, &record, names)),
            };
            match decoded {
                Ok(None) => {}
                Ok(Some(raw)) => return Ok(Some(self.place.entry(Ok(raw)))),
                Err(fault) => return Ok(Some(self.place.entry(Err(fault)))),
            }
        }
    }

    fn remark(&self) -> Option<String> {
        let codes = self.other.iter().enumerate().filter(|(_, count)| **count > 0);
        let listed: Vec<_> = codes.map(|(code, count)| format!("{count} x {code:02X}")).collect();
        (!listed.is_empty()).then(|| {
            format!(
                "SCSI commands that move no data to a recorded address were passed over: {}",
                listed.join(", ")
            )
        })
    }

    fn notes(&self) -> Vec<String> {
        let version = match self.version {
            Some(Version::One) => Some("version 1 (no response times)".to_owned()),
            Some(Version::Two) => Some("version 2".to_owned()),
            None => None,
        };
        version.into_iter().chain(self.remark()).collect()
    }
}

impl Vscsi {
    #[cold]
    fn begin(&mut self, input: &mut Input) -> Result<Version, TraceError> {
        let version = version(input.peek(Version::Two.size() * LOOKED_AT)?);
        self.version = version;
        version.ok_or_else(|| {
            let reason = "the first records are neither of version 1 (32 bytes, version at byte 14) nor of version 2 (40 bytes, version \
                          at byte 2)";
            TraceError::unusable(input.file(), Fault::new(Code::WrongFormat, reason))
        })
    }

    fn decode(&mut self, version: Version, record: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        if !version.marks(record) {
            return Err(Fault::fatal(
                Code::Damaged,
                format!(
                    "a record that is not of {version:?}, the version of the first ones; nothing behind it can be trusted"
                ),
            ));
        }
        let (command, length, block, time, response) = match version {
            Version::One => (12, 4, 16, 24, None),
            Version::Two => (0, 8, 16, 24, Some(32)),
        };
        let code = (u16_at(record, command) & 0xff) as u8;
        let op = match code {
            0x08 | 0x28 | 0x88 | 0xa8 => Op::Read,
            0x0a | 0x2a | 0x8a | 0xaa | 0x2e | 0x8e | 0xae | 0x9c => Op::Write,
            0x35 | 0x91 => Op::Flush,
            _ => {
                self.other[usize::from(code)] += 1;
                return Ok(None);
            }
        };
        let (offset, size) = match op {
            Op::Flush => (0, 0),
            _ => {
                let block = u64_at(record, block);
                let offset = block.checked_mul(self.sector).ok_or_else(|| {
                    Fault::out_of_range(format!(
                        "block {block} x {} bytes does not fit in 64 bits",
                        self.sector
                    ))
                })?;
                (offset, u64::from(u32_at(record, length)))
            }
        };
        let nanoseconds = |column: &str, us: u64| {
            us.checked_mul(1000).filter(|&ns| i64::try_from(ns).is_ok()).ok_or_else(|| {
                Fault::out_of_range(format!("{column} of {us} us does not fit in 63 bits of nanoseconds"))
            })
        };
        Ok(Some(Raw {
            time_ns: nanoseconds("the time", u64_at(record, time))?,
            offset,
            size,
            response_ns: match response {
                None => NO_RESPONSE,
                Some(at) => nanoseconds("the response time", u64_at(record, at))?.cast_signed(),
            },
            device: names.devices.id(b"0")?,
            stream: NO_STREAM,
            op,
        }))
    }
}
