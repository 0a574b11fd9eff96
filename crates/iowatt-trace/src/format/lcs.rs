//! libCacheSim's `lcs`: a header of 8192 bytes, then packed little-endian records.
//!
//! Header: u64 magic 0x123456789abcdef0, u64 version, 8000 bytes of statistics (not used), the magic again in the last
//! eight bytes. Version 1: records of 24 bytes as in `oracle-general`. Version 2, 28 bytes: u32 seconds, u64 object, u32 size, u8
//! operation and u24 tenant, i64 next request. Version 3, 36 bytes: the size has 64 bits and u32 time to live
//! comes before the last. Versions 4 to 8 append 1, 2, 4, 8, 16 features of 32 bits.
//!
//! Operations: gets and reads are reads; sets, adds, updates, increments and writes are writes; deletes are trims; 0 says
//! nothing and is taken as a read. The tenant is the device. As in `oracle-general`, objects are taken as block numbers.

use crate::error::{Code, Fault, TraceError};
use crate::format::binary::{Place, u32_at, u64_at};
use crate::format::oracle_general::address;
use crate::format::{Clock, Decoder, Entry, Format, Raw, Sample};
use crate::input::Input;
use crate::names::Names;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};

/// lcs.
pub static FORMAT: Format = Format {
    name: "lcs",
    title: "libCacheSim lcs, versions 1 to 8 (binary)",
    columns: "header of 8192 bytes; records: time(s) object(sectors) size(bytes) [operation tenant] [time to live] next request \
              [features]",
    clock: Clock::Arbitrary,
    order_tolerance_s: 2.0,
    block_bytes: Some(512),
    options: &["sector_size"],
    recognise: |sample: &Sample<'_>| sample.bytes.starts_with(&MAGIC),
    decoder: |spec| {
        Ok(Box::new(Lcs { sector: spec.sector()?, version: None, place: Place::default(), without_op: 0 }))
    },
};

const MAGIC: [u8; 8] = 0x1234_5678_9abc_def0_u64.to_le_bytes();
const HEADER: usize = 8192;
/// Bytes of a record by version, from 1.
const RECORD: [usize; 8] = [24, 28, 36, 40, 44, 52, 68, 100];

struct Lcs {
    sector: u64,
    version: Option<usize>,
    place: Place,
    /// Requests that do not say what they do.
    without_op: u64,
}

impl Decoder for Lcs {
    fn next(&mut self, input: &mut Input, names: &mut Names) -> Result<Option<Entry>, TraceError> {
        let version = match self.version {
            Some(version) => version,
            None => self.begin(input)?,
        };
        let size = RECORD[version - 1];
        let Some(record) = self.place.record(input, size)? else { return Ok(None) };
        let decoded = record.and_then(|record| self.decode(version, &record, names));
        Ok(Some(self.place.entry(decoded)))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<_> =
            self.version.map(|version| format!("version {version}")).into_iter().collect();
        notes.push(
            "objects are taken as block numbers; stamps are whole seconds (spread = 1 s takes them apart)"
                .to_owned(),
        );
        if self.without_op > 0 {
            notes
                .push(format!("{} requests do not say what they do and are taken as reads", self.without_op));
        }
        notes
    }
}

impl Lcs {
    #[cold]
    fn begin(&mut self, input: &mut Input) -> Result<usize, TraceError> {
        let bytes = input.peek(HEADER)?;
        let version = header(bytes);
        let version = version.map_err(|fault| TraceError::unusable(input.file(), fault))?;
        self.place.consume(input, HEADER);
        self.version = Some(version);
        Ok(version)
    }

    fn decode(&mut self, version: usize, record: &[u8], names: &mut Names) -> Result<Raw, Fault> {
        let (size, packed) = match version {
            1 => (u64::from(u32_at(record, 12)), 0),
            2 => (u64::from(u32_at(record, 12)), u32_at(record, 16)),
            _ => (u64_at(record, 12), u32_at(record, 20)),
        };
        let op = match packed & 0xff {
            0 => {
                self.without_op += 1;
                Op::Read
            }
            1 | 2 | 12 => Op::Read,
            3..=8 | 10 | 11 | 13 | 14 => Op::Write,
            9 => Op::Trim,
            other => {
                return Err(format!("operation {other} is unknown; 0 to 14 are accepted").into());
            }
        };
        Ok(Raw {
            time_ns: u64::from(u32_at(record, 0)) * 1_000_000_000,
            offset: address(u64_at(record, 4), self.sector)?,
            size,
            response_ns: NO_RESPONSE,
            device: names.devices.id((packed >> 8).to_string().as_bytes())?,
            stream: NO_STREAM,
            op,
        })
    }
}

/// The version that the header names.
fn header(bytes: &[u8]) -> Result<usize, Fault> {
    if bytes.len() < HEADER {
        return Err(format!("the header ends after {} of its {HEADER} bytes", bytes.len()).into());
    }
    if bytes[..8] != MAGIC || bytes[HEADER - 8..HEADER] != MAGIC {
        return Err(Fault::new(
            Code::WrongFormat,
            "the header does not begin and end with 0x123456789abcdef0; older forms of lcs, with a header of 512 or 1024 bytes, \
             are not read",
        ));
    }
    let version = u64_at(bytes, 8);
    usize::try_from(version)
        .ok()
        .filter(|version| (1..=RECORD.len()).contains(version))
        .ok_or_else(|| Fault::new(Code::Unsupported, format!("lcs version {version}; 1 to 8 are read")))
}
