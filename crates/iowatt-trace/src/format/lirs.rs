//! LIRS's traces (`.trc`): one block number per line; a line with `*` alone carries none.
//!
//! There are no times, no sizes and no operations: a constant rate has to be given, every request reads one block, and
//! the size of a block stands outside the file: 4096 bytes unless `sector_bytes` says otherwise.

use crate::error::Fault;
use crate::format::fields::{all_digits, bytes, unsigned};
use crate::format::pace::Pace;
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::names::Names;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};

/// LIRS.
pub static FORMAT: Format = Format {
    name: "lirs",
    title: "LIRS traces (.trc; order only)",
    columns: "block number (of 4096 bytes, or the sector size given)",
    clock: Clock::Relative,
    order_tolerance_s: 0.0,
    block_bytes: Some(BLOCK),
    options: &["sector_size", "rate_iops"],
    recognise: |sample: &Sample<'_>| {
        // A single number proves nothing; a list of them is what is left when no other format fits.
        sample.lines.len() > 1 && sample.mostly(|line| all_digits(&[line.trim_ascii()]))
    },
    decoder: |spec| {
        Ok(Box::new(Lines(Lirs {
            block: spec.block(BLOCK)?,
            pace: Pace::new(spec, "the format lirs records")?,
        })))
    },
};

const BLOCK: u64 = 4096;

struct Lirs {
    block: u64,
    pace: Pace,
}

impl LineFormat for Lirs {
    #[inline]
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let number = line.trim_ascii();
        if number == b"*" {
            return Ok(None);
        }
        Ok(Some(Raw {
            offset: bytes("block number", unsigned("block number", number)?, self.block)?,
            size: self.block,
            time_ns: self.pace.next_ns(),
            response_ns: NO_RESPONSE,
            device: names.devices.id(b"0")?,
            stream: NO_STREAM,
            op: Op::Read,
        }))
    }

    fn notes(&self) -> Vec<String> {
        vec![
            self.pace.note(),
            "no sizes and no operations are recorded: every request reads one block".to_owned(),
        ]
    }

    fn untimed(&self) -> bool {
        self.pace.untimed()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::spec::TraceSpec;

    fn parse(line: &str) -> Result<Option<Raw>, String> {
        let spec = TraceSpec { rate_iops: Some(10.0), ..TraceSpec::new("x") };
        let mut format = Lirs { block: BLOCK, pace: Pace::new(&spec, "").unwrap() };
        format.parse(line.as_bytes(), &mut Names::default()).map_err(|fault| fault.said())
    }

    #[test]
    fn one_block_each() {
        let raw = parse("17").unwrap().unwrap();
        assert_eq!((raw.offset, raw.size, raw.op), (17 * 4096, 4096, Op::Read));
        assert!(parse("*").unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(parse("a").unwrap_err().contains("block number is 'a', not a plain number"));
        assert!(parse("1 2").unwrap_err().contains("block number is '1 2'"));
        assert!(parse("9007199254740992").unwrap_err().contains("64 bits"));
    }
}
