//! ARC's traces (`.lis`): `start_block blocks ignored request_number`, between blanks.
//!
//! The third column is 0 in most files and means nothing; the request numbers count up.
//! Blocks have 512 bytes. There are no times and no operations: a constant rate has to be given, and all requests are taken
//! as reads. In some files (OLTP) the numbers are those of pages and every request is one page: `sector_bytes` says
//! how large a page is.

use crate::error::Fault;
use crate::format::fields::{all_digits, bytes, column_count, unsigned, words};
use crate::format::pace::Pace;
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::names::Names;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};

/// ARC.
pub static FORMAT: Format = Format {
    name: "arc",
    title: "ARC traces (.lis; order only)",
    columns: "start_block(sectors) blocks(sectors) (ignored) request_number",
    clock: Clock::Relative,
    order_tolerance_s: 0.0,
    block_bytes: Some(512),
    options: &["sector_size", "rate_iops"],
    recognise: |sample: &Sample<'_>| sample.mostly(looks_right) && numbers_count_up(sample),
    decoder: |spec| {
        Ok(Box::new(Lines(Arc { sector: spec.sector()?, pace: Pace::new(spec, "the format arc records")? })))
    },
};

struct Arc {
    sector: u64,
    pace: Pace,
}

impl LineFormat for Arc {
    #[inline]
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let [start, blocks, ignored, number] = match words::<4>(line) {
            Ok(fields) => fields,
            Err(found) => {
                return Err(column_count(
                    "4 columns (start_block blocks ignored request_number)",
                    found,
                    line,
                ));
            }
        };
        unsigned("column 3", ignored)?;
        unsigned("request_number", number)?;
        Ok(Some(Raw {
            offset: bytes("start_block", unsigned("start_block", start)?, self.sector)?,
            size: bytes("blocks", unsigned("blocks", blocks)?, self.sector)?,
            time_ns: self.pace.next_ns(),
            response_ns: NO_RESPONSE,
            device: names.devices.id(b"0")?,
            stream: NO_STREAM,
            op: Op::Read,
        }))
    }

    fn notes(&self) -> Vec<String> {
        vec![self.pace.note(), "no operations are recorded: all requests are taken as reads".to_owned()]
    }

    fn untimed(&self) -> bool {
        self.pace.untimed()
    }
}

fn looks_right(line: &[u8]) -> bool {
    words::<4>(line).is_ok_and(|fields| all_digits(&fields))
}

/// Four columns of whole numbers may be anything: a third column of 0 or request numbers that count up tell it.
fn numbers_count_up(sample: &Sample<'_>) -> bool {
    let rows: Vec<[&[u8]; 4]> = sample
        .lines
        .iter()
        .filter(|line| looks_right(line))
        .filter_map(|line| words::<4>(line).ok())
        .collect();
    let zeros = rows.iter().filter(|row| row[2] == b"0").count();
    let numbers: Vec<_> = rows.iter().filter_map(|row| unsigned("", row[3]).ok()).collect();
    zeros * 2 >= rows.len() || numbers.len() > 1 && numbers.is_sorted_by(|before, after| before < after)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::spec::TraceSpec;

    fn parse(line: &str) -> Result<Raw, String> {
        let spec = TraceSpec { order_only: true, ..TraceSpec::new("x") };
        let mut format = Arc { sector: 512, pace: Pace::new(&spec, "").unwrap() };
        let raw = format.parse(line.as_bytes(), &mut Names::default()).map_err(|fault| fault.said())?;
        Ok(raw.unwrap())
    }

    #[test]
    fn blocks_of_512_bytes_read() {
        let raw = parse("110765 64 0 0").unwrap();
        assert_eq!((raw.offset, raw.size, raw.op), (110_765 * 512, 32_768, Op::Read));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(parse("110765 64 0").unwrap_err().contains("found 3 columns"));
        assert!(parse("110765 x 0 0").unwrap_err().contains("blocks is 'x'"));
        assert!(parse("36028797018963968 1 0 0").unwrap_err().contains("64 bits"));
    }
}
