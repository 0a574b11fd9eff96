//! DiskSim's validation trace: `R|W Hit|Miss|Doub|Trip blkno bcount service_us next_inter_us`.
//!
//! A closed loop of one: each request arrives `next_inter_us` after the *completion* of the one
//! before it, so stamps are sums of service and think times, the first being 0, and
//! `think[i] = time[i+1] - time[i] - response[i]` gives the last column back exactly.
//! `service_us` is what the real drive took, and comes out as the response time. Column 2 (what the
//! drive's buffer did) is meaningful for one drive only and ignored. `blkno` and `bcount` count
//! 512-byte sectors unless `sector_bytes` says otherwise.

use crate::error::Fault;
use crate::format::fields::{Blanks, bytes, column_count, letter, response, scaled, unsigned};
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::names::Names;
use crate::number::excerpt;
use crate::request::NO_STREAM;

/// DiskSim validate.
pub static FORMAT: Format = Format {
    name: "disksim-validate",
    title: "DiskSim validation trace (measured on a real drive)",
    columns: "R|W Hit|Miss|Doub|Trip blkno(sectors) bcount(sectors) service(us) next_inter(us, after completion)",
    clock: Clock::Relative,
    order_tolerance_s: 0.001,
    block_bytes: Some(512),
    options: &["sector_size"],
    recognise: |sample: &Sample<'_>| sample.mostly(looks_right),
    decoder: |spec| Ok(Box::new(Lines(DiskSimValidate { sector: spec.sector()?, arrival_ns: 0 }))),
};

struct DiskSimValidate {
    sector: u64,
    arrival_ns: u64,
}

impl LineFormat for DiskSimValidate {
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let Some([op, buffer, block, count, service, think]) = fields(line) else {
            let found = Blanks(line).count();
            return Err(column_count(
                "6 columns (R|W Hit|Miss|Doub|Trip blkno bcount service_us next_inter_us)",
                found,
                line,
            ));
        };
        let op = letter("column 1", op)?;
        if !is_buffer_word(buffer) {
            return Err(
                format!("column 2 is '{}'; Hit, Miss, Doub or Trip is accepted", excerpt(buffer)).into()
            );
        }
        let offset = bytes("blkno", unsigned("blkno", block)?, self.sector)?;
        let size = bytes("bcount", unsigned("bcount", count)?, self.sector)?;
        let service_ns = response("service_us", service, 3)?;
        let think_ns = scaled("next_inter_us", think, 3)?;
        let time_ns = self.arrival_ns;
        self.arrival_ns = time_ns
            .checked_add(service_ns.unsigned_abs())
            .and_then(|t| t.checked_add(think_ns))
            .ok_or_else(|| {
                Fault::out_of_range(
                    "the sum of service and think times does not fit in 64 bits of nanoseconds",
                )
            })?;
        Ok(Some(Raw {
            time_ns,
            offset,
            size,
            response_ns: service_ns,
            device: names.devices.id(b"0")?,
            stream: NO_STREAM,
            op,
        }))
    }
}

fn fields(line: &[u8]) -> Option<[&[u8]; 6]> {
    let mut blanks = Blanks(line);
    let mut fields: [&[u8]; 6] = [b""; 6];
    for field in &mut fields {
        *field = blanks.next()?;
    }
    blanks.next().is_none().then_some(fields)
}

fn is_buffer_word(text: &[u8]) -> bool {
    matches!(text, b"Hit" | b"Miss" | b"Doub" | b"Trip")
}

fn looks_right(line: &[u8]) -> bool {
    fields(line).is_some_and(|[op, buffer, ..]| matches!(op, b"R" | b"W") && is_buffer_word(buffer))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::request::Op;

    fn parse(lines: &[&str]) -> Result<Vec<Raw>, String> {
        let mut format = DiskSimValidate { sector: 512, arrival_ns: 0 };
        let mut names = Names::default();
        let parsed: Result<Vec<_>, Fault> =
            lines.iter().map(|l| format.parse(l.as_bytes(), &mut names)).collect();
        parsed.map(|raws| raws.into_iter().flatten().collect()).map_err(|fault| fault.said())
    }

    #[test]
    fn arrivals_accumulate_service_and_think() {
        let raws = parse(&[
            "R Miss  564347     2     14095.370     13876.270",
            "W Doub  564349    15      1414.270     18746.770",
            "R Hit   564351     2      1476.750      9632.520",
        ])
        .unwrap();
        let times: Vec<_> = raws.iter().map(|r| r.time_ns).collect();
        // 14,095,370 + 13,876,270 = 27,971,640; + 1,414,270 + 18,746,770 = 48,132,680.
        assert_eq!(times, [0, 27_971_640, 48_132_680]);
        assert_eq!(raws[0].response_ns, 14_095_370);
        assert_eq!((raws[1].op, raws[1].offset, raws[1].size), (Op::Write, 564_349 * 512, 15 * 512));
        let think = times[1] - times[0] - raws[0].response_ns.unsigned_abs();
        assert_eq!(think, 13_876_270);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(parse(&["R Maybe 1 2 3 4"]).unwrap_err().contains("Hit, Miss, Doub or Trip"));
        assert!(parse(&["X Hit 1 2 3 4"]).unwrap_err().contains("R or W"));
        assert!(parse(&["R Hit 1 2 3"]).unwrap_err().contains("expected 6 columns"));
        assert!(parse(&["R Hit 1 2 -3 4"]).unwrap_err().contains("service_us is negative"));
        assert!(parse(&["R Hit 1 2 3 inf"]).unwrap_err().contains("next_inter_us"));
        assert!(parse(&["R Hit 1 2 9e15 9e15", "R Hit 1 2 9e15 9e15"]).unwrap_err().contains("64 bits"));
    }
}
