//! Alibaba's block traces of 2020: `device_id,opcode,offset,length,timestamp`, without a header.
//!
//! `opcode` is R or W, `offset` and `length` are in bytes, `timestamp` is Unix time in microseconds. Each of the
//! thousand volumes is a device. Tencent's trace has similar columns in another order and in other units.
//! Capacities stand in a file of their own (`device_size.csv`), which is not read.

use crate::error::Fault;
use crate::format::fields::{all_digits, column_count, commas, letter, unsigned};
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::front::Front;
use crate::names::Names;
use crate::number::excerpt;
use crate::request::{NO_RESPONSE, NO_STREAM};

/// Alibaba 2020.
pub static FORMAT: Format = Format {
    name: "alibaba",
    title: "Alibaba block traces (2020)",
    columns: "device_id,opcode(R/W),offset(bytes),length(bytes),timestamp(Unix, us)",
    clock: Clock::UnixIfLate,
    order_tolerance_s: 1.0,
    block_bytes: None,
    options: &[],
    recognise: |sample: &Sample<'_>| {
        sample.mostly(looks_right) || sample.lines.first().is_some_and(|line| is_header(line))
    },
    decoder: |_| Ok(Box::new(Lines(Alibaba))),
};

struct Alibaba;

impl LineFormat for Alibaba {
    #[inline]
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let [device, op, offset, length, time] = match commas::<5>(line) {
            Ok(fields) => fields,
            Err(found) => {
                return Err(column_count(
                    "5 columns (device_id,opcode,offset,length,timestamp)",
                    found,
                    line,
                ));
            }
        };
        let op = match letter("opcode", op) {
            Err(_) if is_header(line) => return Ok(None),
            op => op?,
        };
        let time = unsigned("timestamp", time)?;
        Ok(Some(Raw {
            time_ns: time.checked_mul(1000).ok_or_else(|| {
                Fault::out_of_range(format!("timestamp {} us does not fit in 64 bits of nanoseconds", time))
            })?,
            offset: unsigned("offset", offset)?,
            size: unsigned("length", length)?,
            response_ns: NO_RESPONSE,
            device: match device {
                b"" => return Err(format!("device_id is empty in '{}'", excerpt(line)).into()),
                name => names.devices.id(name)?,
            },
            stream: NO_STREAM,
            op,
        }))
    }

    #[inline]
    fn plain(&mut self, front: &mut Front<'_>, names: &mut Names) -> Option<Option<Raw>> {
        let device = front.field(b',').filter(|name| !matches!(name, [] | [b'#', ..]))?;
        front.byte(b',')?;
        let op = letter("", &[front.any()]).ok()?;
        front.byte(b',')?;
        let offset = front.number()?;
        front.byte(b',')?;
        let size = front.number()?;
        front.byte(b',')?;
        let time_ns = front.number()?.checked_mul(1000)?;
        front.line_end()?;
        Some(Some(Raw {
            time_ns,
            offset,
            size,
            response_ns: NO_RESPONSE,
            device: names.devices.id(device).ok()?,
            stream: NO_STREAM,
            op,
        }))
    }
}

fn is_header(line: &[u8]) -> bool {
    commas::<5>(line).is_ok_and(|[device, op, ..]| device == b"device_id" && op == b"opcode")
}

fn looks_right(line: &[u8]) -> bool {
    commas::<5>(line).is_ok_and(|[device, op, offset, length, time]| {
        letter("", op).is_ok() && all_digits(&[device, offset, length, time])
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::request::Op;

    fn parse(line: &str) -> Result<Option<(Raw, Names)>, String> {
        let mut names = Names::default();
        let raw = Alibaba.parse(line.as_bytes(), &mut names).map_err(|fault| fault.said())?;
        Ok(raw.map(|raw| (raw, names)))
    }

    #[test]
    fn bytes_and_microseconds() {
        let (raw, names) = parse("419,W,8792731648,16384,1577808000000046").unwrap().unwrap();
        assert_eq!((raw.offset, raw.size, raw.op), (8_792_731_648, 16_384, Op::Write)); // no sectors
        assert_eq!(raw.time_ns, 1_577_808_000_000_046_000);
        assert_eq!(names.devices.names(), ["419"]);
    }

    #[test]
    fn a_header_is_passed_over() {
        assert!(parse("device_id,opcode,offset,length,timestamp").unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_is_said() {
        // Tencent's order: the stamp first, the operation a number.
        assert!(parse("1538323200,4247200,128,1,1058").unwrap_err().contains("opcode is '4247200'; R or W"));
        assert!(parse("1,R,0,512").unwrap_err().contains("found 4 columns"));
        assert!(parse("1,R,-1,512,1").unwrap_err().contains("offset is negative"));
        assert!(parse(",R,0,512,1").unwrap_err().contains("device_id is empty"));
        assert!(parse("1,R,0,512,18446744073709552").unwrap_err().contains("64 bits"));
    }
}
