//! Tencent's cloud block storage of 2018: `Timestamp,Offset,Size,IOType,VolumeID`, without a header.
//!
//! `Timestamp` is Unix time in whole **seconds**, `Offset` and `Size` count 512-byte sectors, `IOType` is
//! **0 = read, 1 = write** (DiskSim and MQSim say the contrary). Stamps step back by a second now and then.
//! What happens within a second is not recorded: thousands of requests share a stamp, and a replay of them
//! as they stand is a burst at every full second; `spread` = 1 s takes them apart.

use crate::error::Fault;
use crate::format::fields::{all_digits, bytes, column_count, commas, unsigned};
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::front::Front;
use crate::names::Names;
use crate::number::excerpt;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};

/// Tencent CBS 2018.
pub static FORMAT: Format = Format {
    name: "tencent",
    title: "Tencent cloud block storage (2018)",
    columns: "Timestamp(Unix, s),Offset(sectors),Size(sectors),IOType(0 = read, 1 = write),VolumeID",
    clock: Clock::UnixIfLate,
    order_tolerance_s: 2.0,
    block_bytes: Some(512),
    options: &["sector_size"],
    recognise: |sample: &Sample<'_>| sample.mostly(looks_right),
    decoder: |spec| Ok(Box::new(Lines(Tencent { sector: spec.sector()? }))),
};

struct Tencent {
    sector: u64,
}

impl LineFormat for Tencent {
    #[inline]
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let [time, offset, size, op, volume] = match commas::<5>(line) {
            Ok(fields) => fields,
            Err(found) => {
                return Err(column_count("5 columns (Timestamp,Offset,Size,IOType,VolumeID)", found, line));
            }
        };
        if time.eq_ignore_ascii_case(b"Timestamp") {
            return Ok(None); // the header that some redistributions add
        }
        let seconds = unsigned("Timestamp", time)?;
        unsigned("VolumeID", volume)?;
        Ok(Some(Raw {
            time_ns: seconds.checked_mul(1_000_000_000).ok_or_else(|| {
                Fault::out_of_range(format!("Timestamp {seconds} s does not fit in 64 bits of nanoseconds"))
            })?,
            offset: bytes("Offset", unsigned("Offset", offset)?, self.sector)?,
            size: bytes("Size", unsigned("Size", size)?, self.sector)?,
            response_ns: NO_RESPONSE,
            device: names.devices.id_of_number(volume)?,
            stream: NO_STREAM,
            op: match op {
                b"0" => Op::Read,
                b"1" => Op::Write,
                _ => {
                    let op = excerpt(op);
                    return Err(format!("IOType is '{op}'; 0 (read) or 1 (write) is accepted").into());
                }
            },
        }))
    }

    #[inline]
    fn plain(&mut self, front: &mut Front<'_>, names: &mut Names) -> Option<Option<Raw>> {
        let time_ns = front.number()?.checked_mul(1_000_000_000)?;
        front.byte(b',')?;
        let offset = front.number()?.checked_mul(self.sector)?;
        front.byte(b',')?;
        let size = front.number()?.checked_mul(self.sector)?;
        front.byte(b',')?;
        let op = match front.any() {
            b'0' => Op::Read,
            b'1' => Op::Write,
            _ => return None,
        };
        front.byte(b',')?;
        let volume = front.number()?;
        front.line_end()?;
        Some(Some(Raw {
            time_ns,
            offset,
            size,
            response_ns: NO_RESPONSE,
            device: names.devices.id_of_value(volume).ok()?,
            stream: NO_STREAM,
            op,
        }))
    }

    fn notes(&self) -> Vec<String> {
        vec![
            "stamps are whole seconds: the order within a second is the file's, its times are not recorded \
              (spread = 1 s takes them apart)"
                .to_owned(),
        ]
    }
}

fn looks_right(line: &[u8]) -> bool {
    commas::<5>(line).is_ok_and(|[time, offset, size, op, volume]| {
        all_digits(&[time, offset, size, volume]) && time.len() == 10 && matches!(op, b"0" | b"1")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    fn parse(line: &str) -> Result<(Raw, Names), String> {
        let mut names = Names::default();
        match (Tencent { sector: 512 }).parse(line.as_bytes(), &mut names) {
            Ok(raw) => Ok((raw.unwrap(), names)),
            Err(fault) => Err(fault.said()),
        }
    }

    #[test]
    fn seconds_sectors_and_0_is_a_read() {
        let (raw, names) = parse("1538323200,4247200,128,1,1058").unwrap();
        assert_eq!(raw.time_ns, 1_538_323_200_000_000_000);
        assert_eq!((raw.offset, raw.size, raw.op), (4_247_200 * 512, 65_536, Op::Write));
        assert_eq!(names.devices.names(), ["1058"]);
        assert_eq!(parse("1538323199,13896880,128,0,1063").unwrap().0.op, Op::Read);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(parse("1538323200,4247200,128,R,1058").unwrap_err().contains("0 (read) or 1 (write)"));
        assert!(parse("1538323200,4247200,128,1").unwrap_err().contains("found 4 columns"));
        assert!(parse("1538323200.5,0,8,1,1").unwrap_err().contains("Timestamp is '1538323200.5'"));
        assert!(parse("1538323200,36028797018963968,8,1,1").unwrap_err().contains("64 bits"));
        assert!(parse("18446744074,0,8,1,1").unwrap_err().contains("64 bits"));
    }
}
