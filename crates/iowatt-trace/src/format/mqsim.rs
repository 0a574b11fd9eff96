//! MQSim's and SSDsim's ASCII traces: `time device lba size type`, between blanks.
//!
//! `lba` and `size` count 512-byte sectors; `type` is **1 = read, 0 = write** (some forks of FlashSim flip it:
//! the read share in the summary shows). The unit of `time` stands outside the file, in MQSim's XML: nanoseconds in the
//! files that are in use and in SSDsim, `time_unit` otherwise (MQSim: ps, ns, us). The columns are those of
//! DiskSim, whose unit is the millisecond: the format is never detected, it has to be named.

use crate::error::Fault;
use crate::format::fields::{bytes, column_count, scaled, unsigned, words};
use crate::format::{Clock, Format, LineFormat, Lines, Raw};
use crate::front::Front;
use crate::names::Names;
use crate::number::excerpt;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};
use crate::spec::TimeUnit;

/// MQSim, SSDsim.
pub static FORMAT: Format = Format {
    name: "mqsim",
    title: "MQSim and SSDsim ASCII",
    columns: "time(ns, or time_unit) device lba(sectors) size(sectors) type(1 = read, 0 = write)",
    clock: Clock::Relative,
    order_tolerance_s: 0.001,
    block_bytes: Some(512),
    options: &["sector_size", "time_unit"],
    recognise: |_| false,
    decoder: |spec| {
        let unit = spec.time_unit.unwrap_or(TimeUnit::Nanoseconds);
        Ok(Box::new(Lines(Mqsim { sector: spec.sector()?, unit, given: spec.time_unit.is_some() })))
    },
};

struct Mqsim {
    sector: u64,
    unit: TimeUnit,
    given: bool,
}

impl LineFormat for Mqsim {
    #[inline]
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let [time, device, block, count, kind] = match words::<5>(line) {
            Ok(fields) => fields,
            Err(found) => return Err(column_count("5 columns (time device lba size type)", found, line)),
        };
        unsigned("device", device)?;
        Ok(Some(Raw {
            time_ns: match self.unit.power() {
                Ok(power) => scaled("time", time, power)?,
                Err(_) => scaled("time", time, 0)? / 1000, // picoseconds
            },
            offset: bytes("lba", unsigned("lba", block)?, self.sector)?,
            size: bytes("size", unsigned("size", count)?, self.sector)?,
            response_ns: NO_RESPONSE,
            device: names.devices.id_of_number(device)?,
            stream: NO_STREAM,
            op: match kind {
                b"1" => Op::Read,
                b"0" => Op::Write,
                _ => {
                    let kind = excerpt(kind);
                    return Err(format!("type is '{kind}'; 1 (read) or 0 (write) is accepted").into());
                }
            },
        }))
    }

    #[inline]
    fn plain(&mut self, front: &mut Front<'_>, names: &mut Names) -> Option<Option<Raw>> {
        let time_ns = match self.unit.power() {
            Ok(power) => front.scaled(power)?,
            Err(_) => front.number()? / 1000, // picoseconds
        };
        front.blank()?;
        let device = front.small_number()?;
        front.blank()?;
        let offset = front.number()?.checked_mul(self.sector)?;
        front.blank()?;
        let size = front.number()?.checked_mul(self.sector)?;
        front.blank()?;
        let op = match front.any() {
            b'1' => Op::Read,
            b'0' => Op::Write,
            _ => return None,
        };
        front.line_end()?;
        Some(Some(Raw {
            time_ns,
            offset,
            size,
            response_ns: NO_RESPONSE,
            device: names.devices.id_of_value(device).ok()?,
            stream: NO_STREAM,
            op,
        }))
    }

    fn notes(&self) -> Vec<String> {
        let source =
            if self.given { "as given" } else { "MQSim's and SSDsim's habit; the unit is not in the trace" };
        vec![format!("times in {} ({source})", self.unit.name()), "type 1 = read, 0 = write".to_owned()]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    fn parse(line: &str, unit: TimeUnit) -> Result<Raw, String> {
        let mut format = Mqsim { sector: 512, unit, given: false };
        let raw = format.parse(line.as_bytes(), &mut Names::default()).map_err(|fault| fault.said())?;
        Ok(raw.unwrap())
    }

    #[test]
    fn sectors_and_1_is_a_read() {
        let raw = parse("938513000 4 264719034 16 0", TimeUnit::Nanoseconds).unwrap();
        assert_eq!((raw.time_ns, raw.op), (938_513_000, Op::Write));
        assert_eq!((raw.offset, raw.size), (264_719_034 * 512, 8192));
        assert_eq!(parse("1 0 0 1 1", TimeUnit::Nanoseconds).unwrap().op, Op::Read);
    }

    #[test]
    fn the_unit_of_time_stands_outside_the_file() {
        for (unit, ns) in [
            (TimeUnit::Picoseconds, 7),
            (TimeUnit::Nanoseconds, 7_500),
            (TimeUnit::Microseconds, 7_500_000),
            (TimeUnit::Milliseconds, 7_500_000_000),
        ] {
            assert_eq!(parse("7500 0 0 1 1", unit).unwrap().time_ns, ns);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = |line| parse(line, TimeUnit::Nanoseconds).unwrap_err();
        assert!(said("1 0 0 1 2").contains("1 (read) or 0 (write)"));
        assert!(said("1 0 0 1").contains("found 4 columns"));
        assert!(said("1 0 0 1 1 1").contains("found 6 columns"));
        assert!(said("1 a 0 1 1").contains("device is 'a'"));
        assert!(said("1 0 36028797018963968 1 1").contains("64 bits"));
    }
}
