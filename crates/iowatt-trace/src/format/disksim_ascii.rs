//! DiskSim's default ASCII trace: `arrival_ms devno blkno bcount flags`, blanks or tabs.
//!
//! Arrival is decimal milliseconds, sorted. `blkno` and `bcount` count device blocks (512 bytes
//! unless `sector_bytes` says otherwise). `flags` is hexadecimal; bit 0 set means **read**; other bits
//! (priority, time-critical) are ignored. The batch variant's sixth column is ignored.
//! MQSim and SSDsim write the same columns in nanoseconds: files whose stamps are all whole numbers
//! are therefore not detected, they have to be named.

use crate::error::Fault;
use crate::format::fields::{Blanks, bytes, column_count, scaled, unsigned, wrong};
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::front::Front;
use crate::names::Names;
use crate::number::hexadecimal;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};

/// DiskSim ASCII.
pub static FORMAT: Format = Format {
    name: "disksim-ascii",
    title: "DiskSim default ASCII",
    columns: "arrival(ms) devno blkno(sectors) bcount(sectors) flags(hex; bit 0: 1 = read)",
    clock: Clock::Relative,
    order_tolerance_s: 0.001,
    block_bytes: Some(512),
    options: &["sector_size"],
    recognise: |sample: &Sample<'_>| {
        sample.mostly(|line| fields(line).is_some_and(looks_right))
            && sample.lines.iter().any(|line| fields(line).is_some_and(|[time, ..]| time.contains(&b'.')))
    },
    decoder: |spec| Ok(Box::new(Lines(DiskSimAscii { sector: spec.sector()? }))),
};

struct DiskSimAscii {
    sector: u64,
}

impl LineFormat for DiskSimAscii {
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let Some([time, device, block, count, flags]) = fields(line) else {
            let found = Blanks(line).count();
            return Err(column_count("5 columns (arrival_ms devno blkno bcount flags)", found, line));
        };
        let time_ns = scaled("arrival_ms", time, 6)?;
        unsigned("devno", device)?;
        let offset = bytes("blkno", unsigned("blkno", block)?, self.sector)?;
        let size = bytes("bcount", unsigned("bcount", count)?, self.sector)?;
        let flags = match flags {
            [digit @ b'0'..=b'9'] => u64::from(digit - b'0'),
            _ => hexadecimal(flags).map_err(|fault| wrong(fault, "flags (hexadecimal)", flags))?,
        };
        Ok(Some(Raw {
            time_ns,
            offset,
            size,
            response_ns: NO_RESPONSE,
            device: names.devices.id_of_number(device)?,
            stream: NO_STREAM,
            op: if flags & 1 == 1 { Op::Read } else { Op::Write },
        }))
    }

    #[inline]
    fn plain(&mut self, front: &mut Front<'_>, names: &mut Names) -> Option<Option<Raw>> {
        let time_ns = front.scaled(6)?;
        front.blank()?;
        let device = front.small_number()?;
        front.blank()?;
        let offset = front.number()?.checked_mul(self.sector)?;
        front.blank()?;
        let size = front.number()?.checked_mul(self.sector)?;
        front.blank()?;
        let flags @ b'0'..=b'9' = front.any() else { return None };
        front.line_end()?;
        Some(Some(Raw {
            time_ns,
            offset,
            size,
            response_ns: NO_RESPONSE,
            device: names.devices.id_of_value(device).ok()?,
            stream: NO_STREAM,
            op: if flags & 1 == 1 { Op::Read } else { Op::Write },
        }))
    }
}

/// The five columns; a sixth belongs to the batch variant.
#[inline]
fn fields(line: &[u8]) -> Option<[&[u8]; 5]> {
    let mut blanks = Blanks(line);
    let mut fields: [&[u8]; 5] = [b""; 5];
    for field in &mut fields {
        *field = blanks.next()?;
    }
    let excess = blanks.nth(1).is_some();
    (!excess).then_some(fields)
}

fn looks_right([time, device, block, count, flags]: [&[u8]; 5]) -> bool {
    let integer = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    crate::number::scaled(time, 6).is_ok()
        && integer(device)
        && integer(block)
        && integer(count)
        && hexadecimal(flags).is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    fn parse(line: &str) -> Result<Raw, String> {
        let mut format = DiskSimAscii { sector: 512 };
        match format.parse(line.as_bytes(), &mut Names::default()) {
            Ok(raw) => Ok(raw.unwrap()),
            Err(fault) => Err(fault.said()),
        }
    }

    #[test]
    fn columns_and_units() {
        let raw = parse("13.191135\t30\t576560 5  1").unwrap();
        assert_eq!(raw.time_ns, 13_191_135); // milliseconds
        assert_eq!(raw.offset, 576_560 * 512);
        assert_eq!(raw.size, 5 * 512);
        assert_eq!(raw.op, Op::Read); // 1 = read
    }

    #[test]
    fn only_bit_0_of_the_hexadecimal_flags_is_the_direction() {
        for (flags, op) in
            [("0", Op::Write), ("11", Op::Read), ("0x10", Op::Write), ("a", Op::Write), ("B", Op::Read)]
        {
            assert_eq!(parse(&format!("0.0 0 0 1 {flags}")).unwrap().op, op, "{flags}");
        }
    }

    #[test]
    fn block_numbers_past_32_bits() {
        assert_eq!(parse("0 0 8589934592 1 0").unwrap().offset, 8_589_934_592 * 512);
        assert!(parse("0 0 36028797018963968 1 0").unwrap_err().contains("64 bits")); // 2^55 x 512 = 2^64
    }

    #[test]
    fn the_batch_variant_has_a_sixth_column() {
        assert_eq!(parse("0.5 0 8 8 0 3").unwrap().size, 4096);
        assert!(parse("0.5 0 8 8 0 3 4").unwrap_err().contains("found 7 columns"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(
            parse("0.5 0 8")
                .unwrap_err()
                .contains("expected 5 columns (arrival_ms devno blkno bcount flags), found 3")
        );
        assert!(parse("-1.0 0 8 8 0").unwrap_err().contains("arrival_ms is negative"));
        assert!(parse("nan 0 8 8 0").unwrap_err().contains("arrival_ms is 'nan'"));
        assert!(parse("0.5 x 8 8 0").unwrap_err().contains("devno is 'x'"));
        assert!(parse("0.5 0 -8 8 0").unwrap_err().contains("blkno is negative"));
        assert!(parse("0.5 0 8 8 R").unwrap_err().contains("flags"));
    }
}
