//! SYSTOR '17 (LUNs of a VDI array): `Timestamp,Response,IOType,LUN,Offset,Size`, with a header.
//!
//! `Timestamp` is Unix time in seconds with nine decimals (read as an integer of nanoseconds: a double holds it to 238 ns
//! only), `Response` is in seconds and may be **empty**, `Offset` and `Size` are in bytes. `Timestamp` is the start of a
//! request, while the file is in the order of the ends: start plus response is sorted, starts are not. There
//! is one file per LUN and hour; the LUN is the device.

use crate::error::Fault;
use crate::format::fields::{all_digits, column_count, commas, letter, response, scaled, unsigned};
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::front::Front;
use crate::names::Names;
use crate::number::excerpt;
use crate::request::{NO_RESPONSE, NO_STREAM};

/// SYSTOR '17.
pub static FORMAT: Format = Format {
    name: "systor",
    title: "SYSTOR '17 (virtual desktops)",
    columns: "Timestamp(Unix, s),Response(s, may be empty),IOType(R/W),LUN,Offset(bytes),Size(bytes)",
    clock: Clock::UnixIfLate,
    order_tolerance_s: 60.0,
    block_bytes: None,
    options: &[],
    recognise: |sample: &Sample<'_>| {
        sample.mostly(looks_right) || sample.lines.first().is_some_and(|line| is_header(line))
    },
    decoder: |_| Ok(Box::new(Lines(Systor { without: 0 }))),
};

struct Systor {
    /// Requests without a response time.
    without: u64,
}

impl LineFormat for Systor {
    #[inline]
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let [time, took, op, lun, offset, size] = match commas::<6>(line) {
            Ok(fields) => fields,
            Err(found) => {
                return Err(column_count(
                    "6 columns (Timestamp,Response,IOType,LUN,Offset,Size)",
                    found,
                    line,
                ));
            }
        };
        let time_ns = match scaled("Timestamp", time, 9) {
            Err(_) if is_header(line) => return Ok(None),
            time_ns => time_ns?,
        };
        self.without += u64::from(took.is_empty());
        Ok(Some(Raw {
            time_ns,
            offset: unsigned("Offset", offset)?,
            size: unsigned("Size", size)?,
            response_ns: match took {
                b"" => NO_RESPONSE,
                took => response("Response", took, 9)?,
            },
            device: match lun {
                b"" => return Err(format!("LUN is empty in '{}'", excerpt(line)).into()),
                lun => names.devices.id(lun)?,
            },
            stream: NO_STREAM,
            op: letter("IOType", op)?,
        }))
    }

    #[inline]
    fn plain(&mut self, front: &mut Front<'_>, names: &mut Names) -> Option<Option<Raw>> {
        let time_ns = front.scaled(9)?;
        front.byte(b',')?;
        let response_ns = match front.peek() {
            b',' => NO_RESPONSE,
            _ => i64::try_from(front.scaled(9)?).ok()?,
        };
        front.byte(b',')?;
        let op = letter("", &[front.any()]).ok()?;
        front.byte(b',')?;
        let lun = front.field(b',').filter(|lun| !lun.is_empty())?;
        front.byte(b',')?;
        let offset = front.number()?;
        front.byte(b',')?;
        let size = front.number()?;
        front.line_end()?;
        let device = names.devices.id(lun).ok()?;
        self.without += u64::from(response_ns == NO_RESPONSE);
        Some(Some(Raw { time_ns, offset, size, response_ns, device, stream: NO_STREAM, op }))
    }

    fn notes(&self) -> Vec<String> {
        match self.without {
            0 => Vec::new(),
            count => vec![format!("{count} requests without a response time were kept")],
        }
    }
}

fn is_header(line: &[u8]) -> bool {
    commas::<6>(line).is_ok_and(|[time, took, op, ..]| {
        time.eq_ignore_ascii_case(b"Timestamp")
            && took.eq_ignore_ascii_case(b"Response")
            && op.eq_ignore_ascii_case(b"IOType")
    })
}

fn looks_right(line: &[u8]) -> bool {
    commas::<6>(line).is_ok_and(|[time, took, op, lun, offset, size]| {
        let number = |text: &[u8]| crate::number::scaled(text, 9).is_ok();
        number(time)
            && (took.is_empty() || number(took))
            && letter("", op).is_ok()
            && all_digits(&[lun, offset, size])
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::request::Op;

    fn parse(line: &str) -> Result<Option<(Raw, Vec<String>)>, String> {
        let mut format = Systor { without: 0 };
        let raw = format.parse(line.as_bytes(), &mut Names::default()).map_err(|fault| fault.said())?;
        Ok(raw.map(|raw| (raw, format.notes())))
    }

    #[test]
    fn nanoseconds_stay_and_the_response_may_be_empty() {
        let (raw, notes) = parse("1456095145.133076001,0.000806,R,0,899056122368,131072").unwrap().unwrap();
        assert_eq!(raw.time_ns, 1_456_095_145_133_076_001);
        assert_eq!((raw.response_ns, raw.op), (806_000, Op::Read));
        assert_eq!((raw.offset, raw.size), (899_056_122_368, 131_072)); // bytes
        assert!(notes.is_empty());
        let (raw, notes) = parse("1456095145.133076001,,W,3,512,512").unwrap().unwrap();
        assert_eq!(raw.response_ns, NO_RESPONSE);
        assert_eq!(notes, ["1 requests without a response time were kept"]);
    }

    #[test]
    fn a_header_is_passed_over_wherever_files_are_joined() {
        assert!(parse("Timestamp,Response,IOType,LUN,Offset,Size").unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(parse("1456095145.1,0.1,R,0,512").unwrap_err().contains("found 5 columns"));
        assert!(parse("x,0.1,R,0,512,512").unwrap_err().contains("Timestamp is 'x'"));
        assert!(parse("1,0.1,Q,0,512,512").unwrap_err().contains("IOType is 'Q'"));
        assert!(parse("1,-0.1,R,0,512,512").unwrap_err().contains("Response is negative"));
        assert!(parse("1,0.1,R,,512,512").unwrap_err().contains("LUN is empty"));
    }
}
