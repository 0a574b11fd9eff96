//! MSR Cambridge: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`, without a header.
//!
//! `Timestamp` (issue) and `ResponseTime` are Windows filetime, ticks of 100 ns since 1601-01-01: integers
//! here, since a double loses some 16 ticks. `Offset` and `Size` are in bytes. Disk numbers repeat across
//! hosts, so the device is `host.disk` (`hm.0`). Files are not perfectly sorted, and many stamps are
//! equal. Some redistributions start with a header line, which is passed over.

use crate::error::Fault;
use crate::format::fields::{column_count, commas, unsigned};
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::front::Front;
use crate::names::Names;
use crate::number::excerpt;
use crate::request::{NO_STREAM, Op};

/// MSR Cambridge.
pub static FORMAT: Format = Format {
    name: "msr",
    title: "MSR Cambridge",
    columns: "Timestamp(filetime, 100 ns),Hostname,DiskNumber,Type(Read/Write),Offset(bytes),Size(bytes),ResponseTime(100 ns)",
    clock: Clock::Filetime,
    order_tolerance_s: 1.0,
    block_bytes: None,
    options: &[],
    recognise: |sample: &Sample<'_>| {
        sample.mostly(looks_right) || sample.lines.first().is_some_and(|line| is_header(line))
    },
    decoder: |_| Ok(Box::new(Lines(Msr))),
};

const TICK_NS: u64 = 100;

struct Msr;

impl LineFormat for Msr {
    #[inline]
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let [time, host, disk, op, offset, size, response] = match commas::<7>(line) {
            Ok(fields) => fields,
            Err(found) => {
                return Err(column_count(
                    "7 columns (Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime)",
                    found,
                    line,
                ));
            }
        };
        let time_ns = match unsigned("Timestamp", time) {
            Ok(ticks) => ticks
                .checked_mul(TICK_NS)
                .ok_or_else(|| Fault::out_of_range(format!("Timestamp {ticks} is past the year 2185")))?,
            Err(_) if is_header(line) => return Ok(None),
            Err(fault) => return Err(fault),
        };
        unsigned("DiskNumber", disk)?;
        let response_ns = i64::try_from(unsigned("ResponseTime", response)?)
            .ok()
            .and_then(|ticks| ticks.checked_mul(100))
            .ok_or_else(|| {
                Fault::out_of_range(format!("ResponseTime is too large: {}", excerpt(response)))
            })?;
        // Host and disk stand side by side: their bytes in the line are the key.
        let device = match key(line, host, disk) {
            Some(key) => names.devices.id_named(key, dotted)?,
            None => names.devices.id_named(&[host, b",", disk].concat(), dotted)?,
        };
        Ok(Some(Raw {
            time_ns,
            offset: unsigned("Offset", offset)?,
            size: unsigned("Size", size)?,
            response_ns,
            device,
            stream: NO_STREAM,
            op: direction(op)?,
        }))
    }

    #[inline]
    fn plain(&mut self, front: &mut Front<'_>, names: &mut Names) -> Option<Option<Raw>> {
        let ticks = front.number()?;
        front.byte(b',')?;
        let host = *front;
        front.field(b',')?;
        front.byte(b',')?;
        front.small_number()?;
        let key = front.since(host)?;
        front.byte(b',')?;
        let op = if front.text(b"Read,").is_some() {
            Op::Read
        } else {
            front.text(b"Write,")?;
            Op::Write
        };
        let offset = front.number()?;
        front.byte(b',')?;
        let size = front.number()?;
        front.byte(b',')?;
        let response_ns = i64::try_from(front.number()?.checked_mul(TICK_NS)?).ok()?;
        front.line_end()?;
        Some(Some(Raw {
            time_ns: ticks.checked_mul(TICK_NS)?,
            offset,
            size,
            response_ns,
            device: names.devices.id_named(key, dotted).ok()?,
            stream: NO_STREAM,
            op,
        }))
    }
}

/// `host,disk` as it stands in the line; `None` where blanks surround the comma.
fn key<'a>(line: &'a [u8], host: &[u8], disk: &[u8]) -> Option<&'a [u8]> {
    let from = memchr::memchr(b',', line)? + 1;
    let length = host.len() + 1 + disk.len();
    let key = line.get(from..from + length)?;
    (key.get(host.len()) == Some(&b',') && line.get(from + length) == Some(&b',')).then_some(key)
}

fn dotted(key: &[u8]) -> String {
    String::from_utf8_lossy(key).replacen(',', ".", 1)
}

fn direction(text: &[u8]) -> Result<Op, Fault> {
    if text.eq_ignore_ascii_case(b"Read") {
        Ok(Op::Read)
    } else if text.eq_ignore_ascii_case(b"Write") {
        Ok(Op::Write)
    } else {
        Err(format!("Type is '{}'; Read or Write is accepted", excerpt(text)).into())
    }
}

fn is_header(line: &[u8]) -> bool {
    commas::<7>(line).is_ok_and(|[time, host, disk, ..]| {
        time.eq_ignore_ascii_case(b"Timestamp")
            && host.eq_ignore_ascii_case(b"Hostname")
            && disk.eq_ignore_ascii_case(b"DiskNumber")
    })
}

fn looks_right(line: &[u8]) -> bool {
    commas::<7>(line).is_ok_and(|[time, _, disk, op, ..]| {
        time.len() >= 16
            && crate::number::unsigned(time).is_ok()
            && crate::number::unsigned(disk).is_ok()
            && direction(op).is_ok()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    fn parse(line: &str) -> Result<Option<(Raw, Names)>, String> {
        let mut names = Names::default();
        match Msr.parse(line.as_bytes(), &mut names) {
            Ok(raw) => Ok(raw.map(|raw| (raw, names))),
            Err(fault) => Err(fault.said()),
        }
    }

    #[test]
    fn filetime_stays_an_integer() {
        let (raw, names) = parse("128166372003061629,hm,0,Read,383496192,32768,113736").unwrap().unwrap();
        assert_eq!(raw.time_ns, 12_816_637_200_306_162_900);
        assert_eq!((raw.offset, raw.size, raw.op), (383_496_192, 32_768, Op::Read)); // bytes
        assert_eq!(raw.response_ns, 11_373_600);
        assert_eq!(names.devices.names(), ["hm.0"]);
    }

    #[test]
    fn disk_numbers_repeat_across_hosts() {
        let mut names = Names::default();
        let mut id = |line: &str| Msr.parse(line.as_bytes(), &mut names).unwrap().unwrap().device;
        assert_eq!(id("128166372003061629,hm,0,Read,0,512,1"), 0);
        assert_eq!(id("128166372003061629,hm,1,Read,0,512,1"), 1);
        assert_eq!(id("128166372003061629,src1,0,Write,0,512,1"), 2);
        assert_eq!(id("128166372003061629,hm,0,write,0,512,1"), 0);
        assert_eq!(names.devices.names(), ["hm.0", "hm.1", "src1.0"]);
    }

    #[test]
    fn a_header_is_passed_over() {
        assert!(parse("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime").unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(parse("128166372003061629,hm,0,Read,0,512").unwrap_err().contains("found 6 columns"));
        assert!(parse("128166372003061629,hm,0,Peek,0,512,1").unwrap_err().contains("Read or Write"));
        assert!(parse("184467440737095517,hm,0,Read,0,512,1").unwrap_err().contains("2185"));
        assert!(parse("1.5,hm,0,Read,0,512,1").unwrap_err().contains("Timestamp"));
        assert!(parse("128166372003061629,hm,0,Read,-1,512,1").unwrap_err().contains("Offset is negative"));
    }
}
