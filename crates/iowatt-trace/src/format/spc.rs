//! SPC trace file, revision 1.0.1, as published by UMass: `ASU,LBA,Size,Opcode,Timestamp[,...]`.
//!
//! `LBA` counts blocks whose size stands outside the file (UMass: 512 bytes; `sector_bytes` otherwise)
//! while `Size` is in **bytes**, not always a multiple of 512. `Timestamp` is decimal seconds from
//! the start, non-decreasing, ties allowed. Each ASU is an address space of its own: the device. Any
//! number of further fields is ignored; blanks around commas are allowed. The specification allows a
//! size of zero; a request without bytes is refused here as in every format.

use crate::error::Fault;
use crate::format::fields::{bytes, column_count, commas, letter, scaled, unsigned};
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::front::Front;
use crate::names::Names;
use crate::request::{NO_RESPONSE, NO_STREAM};

/// SPC / UMass.
pub static FORMAT: Format = Format {
    name: "spc",
    title: "SPC trace file (UMass repository)",
    columns: "ASU,LBA(sectors),Size(bytes),Opcode(R/W),Timestamp(s)[,ignored...]",
    clock: Clock::Relative,
    order_tolerance_s: 0.001,
    block_bytes: Some(512),
    options: &["sector_size"],
    recognise: |sample: &Sample<'_>| sample.mostly(looks_right),
    decoder: |spec| Ok(Box::new(Lines(Spc { sector: spec.sector()? }))),
};

struct Spc {
    sector: u64,
}

impl LineFormat for Spc {
    #[inline]
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let [asu, block, size, op, time] = match commas::<5>(line) {
            Ok(fields) => fields,
            Err(found) => {
                return Err(column_count("at least 5 columns (ASU,LBA,Size,Opcode,Timestamp)", found, line));
            }
        };
        unsigned("ASU", asu)?;
        Ok(Some(Raw {
            offset: bytes("LBA", unsigned("LBA", block)?, self.sector)?,
            size: unsigned("Size", size)?,
            op: letter("Opcode", op)?,
            time_ns: scaled("Timestamp", time, 9)?,
            response_ns: NO_RESPONSE,
            device: names.devices.id_of_number(asu)?,
            stream: NO_STREAM,
        }))
    }

    #[inline]
    fn plain(&mut self, front: &mut Front<'_>, names: &mut Names) -> Option<Option<Raw>> {
        let asu = front.small_number()?;
        front.byte(b',')?;
        let offset = front.number()?.checked_mul(self.sector)?;
        front.byte(b',')?;
        let size = front.number()?;
        front.byte(b',')?;
        let op = letter("", &[front.any()]).ok()?;
        front.byte(b',')?;
        let time_ns = front.scaled(9)?;
        match front.peek() {
            b',' => front.skip_line()?,
            _ => front.line_end()?,
        }
        Some(Some(Raw {
            offset,
            size,
            op,
            time_ns,
            response_ns: NO_RESPONSE,
            device: names.devices.id_of_value(asu).ok()?,
            stream: NO_STREAM,
        }))
    }
}

fn looks_right(line: &[u8]) -> bool {
    commas::<5>(line).is_ok_and(|[asu, block, size, op, time]| {
        let integer = |text: &[u8]| crate::number::unsigned(text).is_ok();
        integer(asu)
            && integer(block)
            && integer(size)
            && letter("", op).is_ok()
            && crate::number::scaled(time, 9).is_ok()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::request::Op;

    fn parse(line: &str) -> Result<(Raw, Names), String> {
        let mut names = Names::default();
        match (Spc { sector: 512 }).parse(line.as_bytes(), &mut names) {
            Ok(raw) => Ok((raw.unwrap(), names)),
            Err(fault) => Err(fault.said()),
        }
    }

    #[test]
    fn lba_is_in_sectors_and_size_in_bytes() {
        let (raw, names) = parse("3,20941264,8192,W,0.551706").unwrap();
        assert_eq!((raw.offset, raw.size), (20_941_264 * 512, 8192));
        assert_eq!((raw.op, raw.time_ns), (Op::Write, 551_706_000));
        assert_eq!(names.devices.names(), ["3"]);
    }

    #[test]
    fn optional_fields_blanks_and_small_letters() {
        let (raw, _) = parse("0, 20939840, 1000, r, 0.554041, more, 7").unwrap();
        assert_eq!((raw.size, raw.op, raw.time_ns), (1000, Op::Read, 554_041_000)); // not a multiple of 512
    }

    #[test]
    fn what_is_wrong_is_said() {
        // The misprint in the specification's own example: a comma missing.
        assert!(parse("2 448003,8192,R,1.0").unwrap_err().contains("found 4 columns"));
        assert!(parse("0,1,512,X,0.5").unwrap_err().contains("Opcode is 'X'; R or W"));
        assert!(parse("0,1,512,R,-0.5").unwrap_err().contains("Timestamp is negative"));
        assert!(parse("0,1,-512,R,0.5").unwrap_err().contains("Size is negative"));
        assert!(parse("a,1,512,R,0.5").unwrap_err().contains("ASU is 'a'"));
    }
}
