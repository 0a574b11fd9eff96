//! libCacheSim's `oracleGeneral`: packed little-endian records of 24 bytes, usually compressed with zstd.
//!
//! u32 time in seconds, u64 object, u32 size in bytes, i64 the number of the object's next request (-1: none). What is lost on the
//! way into this format: whether a request read or wrote (all are taken as reads), its device, and the time within a
//! second. In traces of blocks the object is the number of a 512-byte block (`sector_bytes`); where it is the hash of a key
//! it has no address, and such a trace is refused as soon as one lies beyond 2^63 bytes.

use crate::error::{Fault, TraceError};
use crate::format::binary::{Place, u32_at, u64_at};
use crate::format::{Clock, Decoder, Entry, Format, Raw, Sample, vscsi};
use crate::input::Input;
use crate::names::Names;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};

/// oracleGeneral.
pub static FORMAT: Format = Format {
    name: "oracle-general",
    title: "libCacheSim oracleGeneral (binary; reads only)",
    columns: "24 bytes: time(s) object(sectors) size(bytes) next request",
    clock: Clock::Arbitrary,
    order_tolerance_s: 2.0,
    block_bytes: Some(512),
    options: &["sector_size"],
    recognise: |sample: &Sample<'_>| looks_right(sample.bytes) && vscsi::version(sample.bytes).is_none(),
    decoder: |spec| Ok(Box::new(OracleGeneral { sector: spec.sector()?, place: Place::default() })),
};

const RECORD: usize = 24;
/// Records looked at to recognise the format.
const LOOKED_AT: usize = 256;

struct OracleGeneral {
    sector: u64,
    place: Place,
}

impl Decoder for OracleGeneral {
    fn next(&mut self, input: &mut Input, names: &mut Names) -> Result<Option<Entry>, TraceError> {
        let Some(record) = self.place.record(input, RECORD)? else { return Ok(None) };
        let decoded = record.and_then(|record| {
            Ok(Raw {
                time_ns: u64::from(u32_at(&record, 0)) * 1_000_000_000,
                offset: address(u64_at(&record, 4), self.sector)?,
                size: u64::from(u32_at(&record, 12)),
                response_ns: NO_RESPONSE,
                device: names.devices.id(b"0")?,
                stream: NO_STREAM,
                op: Op::Read,
            })
        });
        Ok(Some(self.place.entry(decoded)))
    }

    fn run(
        &mut self,
        input: &mut Input,
        names: &mut Names,
        out: &mut Vec<Raw>,
        limit: usize,
    ) -> Result<u64, TraceError> {
        let Ok(device) = names.devices.id(b"0") else { return Ok(0) };
        let sector = self.sector;
        self.place.run(input, RECORD, limit, out, |record| {
            Some(Raw {
                time_ns: u64::from(u32_at(record, 0)) * 1_000_000_000,
                offset: u64_at(record, 4).checked_mul(sector).filter(|&offset| offset < 1 << 63)?,
                size: u64::from(u32_at(record, 12)),
                response_ns: NO_RESPONSE,
                device,
                stream: NO_STREAM,
                op: Op::Read,
            })
        })
    }

    fn notes(&self) -> Vec<String> {
        vec![
            "no operations are recorded: all requests are taken as reads".to_owned(),
            "objects are taken as block numbers; stamps are whole seconds (spread = 1 s takes them apart)"
                .to_owned(),
        ]
    }
}

/// Where an object lies.
pub(super) fn address(object: u64, sector: u64) -> Result<u64, Fault> {
    object.checked_mul(sector).filter(|&offset| offset < 1 << 63).ok_or_else(|| {
        format!(
            "object {object} x {sector} bytes lies beyond 2^63 bytes: objects here seem to be hashes of keys, which have no address; \
             traces whose objects are block numbers are read"
        )
        .into()
    })
}

/// Whether the next requests of all records lie ahead of them and stamps hardly step back.
fn looks_right(bytes: &[u8]) -> bool {
    let mut records = 0;
    let mut last = 0;
    for (index, record) in bytes.chunks_exact(RECORD).take(LOOKED_AT).enumerate() {
        let (time, next) = (u32_at(record, 0), u64_at(record, 16).cast_signed());
        let ahead = next == -1 || next == i64::MAX || next > index as i64;
        if !ahead || next > i64::MAX >> 16 && next != i64::MAX || u64::from(time) + 2 < last {
            return false;
        }
        last = last.max(u64::from(time));
        records += 1;
    }
    records >= 2
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    #[test]
    fn hashes_are_no_addresses() {
        assert_eq!(address(1 << 50, 512).unwrap(), 1 << 59);
        assert!(address(1 << 54, 512).unwrap_err().said().contains("hashes of keys"));
        assert!(address(u64::MAX, 512).is_err());
    }
}
