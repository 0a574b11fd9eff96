//! Disk events of Windows (ETW) as `xperf` dumps them to CSV; SNIA's Exchange, TPC-E and production server traces.
//!
//! Event names and their columns stand between `BeginHeader` and `EndHeader`; rows of any event follow, of which
//! `DiskRead` and `DiskWrite` are requests. The header's columns decide; where there is none they are
//! `DiskRead, TimeStamp(us), Process Name (PID), ThreadID, IrpPtr, ByteOffset(hex), IOSize(hex), ElapsedTime(us),
//! DiskNum, IrpFlags, DiskSvcTime(us), ...`. Offsets and sizes are **hexadecimal**, with 0x.
//!
//! Windows logs these events when the request **completes**. The arrival is therefore `TimeStamp` - `ElapsedTime` (`event`
//! Q, the default; the response time is `ElapsedTime`), the start of the service `TimeStamp` - `DiskSvcTime` (D; the response
//! is `DiskSvcTime`), and `TimeStamp` itself is C (no response). Arrivals step back by as much as a request takes,
//! hence the tolerance of 60 s.

use crate::error::{Code, Fault};
use crate::format::fields::{column_count, response, scaled, unsigned};
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::names::Names;
use crate::number::{excerpt, hexadecimal};
use crate::request::{NO_RESPONSE, NO_STREAM, Op};
use crate::spec::Event;

/// ETW.
pub static FORMAT: Format = Format {
    name: "etw",
    title: "Windows ETW disk events (xperf CSV; SNIA Exchange, TPC-E, production servers)",
    columns: "DiskRead|DiskWrite,TimeStamp(us, completion),Process (PID),TID,IrpPtr,ByteOffset(hex bytes),IOSize(hex bytes),\
              ElapsedTime(us),DiskNum,IrpFlags,DiskSvcTime(us),...",
    clock: Clock::Arbitrary,
    order_tolerance_s: 60.0,
    block_bytes: None,
    options: &["event"],
    recognise: |sample: &Sample<'_>| {
        let begins = |line: &&[u8]| line.trim_ascii() == b"BeginHeader";
        sample.lines.first().is_some_and(begins) || sample.mostly(looks_right)
    },
    decoder: |spec| {
        Ok(Box::new(Lines(Etw {
            event: spec.event.unwrap_or_default(),
            in_header: false,
            columns: [USUAL; 2],
            other: 0,
            early: 0,
        })))
    },
};

/// Fields of a row that are looked at.
const FIELDS: usize = 16;

/// Where the columns of interest stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Columns {
    time: usize,
    process: Option<usize>,
    offset: usize,
    size: usize,
    elapsed: Option<usize>,
    disk: usize,
    service: Option<usize>,
}

const USUAL: Columns =
    Columns { time: 1, process: Some(2), offset: 5, size: 6, elapsed: Some(7), disk: 8, service: Some(10) };

struct Etw {
    event: Event,
    in_header: bool,
    /// Of reads and of writes.
    columns: [Columns; 2],
    /// Rows of other events.
    other: u64,
    /// Requests that were under way when the recording began.
    early: u64,
}

impl LineFormat for Etw {
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let (fields, count) = split(line);
        let fields = &fields[..count];
        let op = match fields.first() {
            Some(&b"BeginHeader") => {
                self.in_header = true;
                return Ok(None);
            }
            Some(&b"EndHeader") => {
                self.in_header = false;
                return Ok(None);
            }
            Some(first) => operation(first),
            None => None,
        };
        let Some(op) = op else {
            self.other += u64::from(!self.in_header);
            return Ok(None);
        };
        if self.in_header || fields.get(1).is_some_and(|name| normal(name) == b"timestamp") {
            self.columns[op as usize] = Columns::named(fields)?;
            return Ok(None);
        }
        let columns = self.columns[op as usize];
        let at = |index: usize| {
            fields.get(index).copied().ok_or_else(|| {
                column_count(
                    "DiskRead|DiskWrite,TimeStamp,Process,TID,IrpPtr,ByteOffset,IOSize,...",
                    count,
                    line,
                )
            })
        };
        let time_ns = scaled("TimeStamp", at(columns.time)?, 3)?;
        let (offset, size, disk) = (at(columns.offset)?, at(columns.size)?, at(columns.disk)?);
        unsigned("DiskNum", disk)?;
        let took = match self.event {
            Event::Q => Some(("ElapsedTime", columns.elapsed)),
            Event::D => Some(("DiskSvcTime", columns.service)),
            Event::C => None,
        };
        let response_ns = match took {
            None => NO_RESPONSE,
            Some((name, Some(index))) => response(name, at(index)?, 3)?,
            Some((name, None)) => {
                let event = self.event;
                return Err(Fault::fatal(
                    Code::Missing,
                    format!(
                        "the header has no {name}, which event {event:?} needs; event C takes the stamps as they are"
                    ),
                ));
            }
        };
        let before = response_ns.max(0).unsigned_abs();
        self.early += u64::from(before > time_ns);
        Ok(Some(Raw {
            time_ns: time_ns.saturating_sub(before),
            offset: hex("ByteOffset", offset)?,
            size: hex("IOSize", size)?,
            response_ns,
            device: names.devices.id_of_number(disk)?,
            stream: match columns.process.and_then(|index| fields.get(index)) {
                Some(process) if !process.is_empty() => names.streams.id(process)?,
                _ => NO_STREAM,
            },
            op,
        }))
    }

    fn remark(&self) -> Option<String> {
        (self.other > 0).then(|| format!("{} rows of other events were passed over", self.other))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![
            "ETW logs a disk event at its completion: earlier moments are that stamp less the times \
                              recorded beside it"
                .to_owned(),
        ];
        notes.extend(self.remark());
        if self.early > 0 {
            notes.push(format!(
                "{} requests began before the recording: their stamp is its beginning",
                self.early
            ));
        }
        notes
    }
}

impl Columns {
    /// From the names that the header gives.
    fn named(fields: &[&[u8]]) -> Result<Self, Fault> {
        let find = |name: &[u8]| fields.iter().position(|field| normal(field).starts_with(name));
        let needed = |name: &str, found: Option<usize>| {
            found.ok_or_else(|| {
                Fault::fatal(Code::Missing, format!("the header of disk events has no column {name}"))
            })
        };
        Ok(Self {
            time: needed("TimeStamp", find(b"timestamp"))?,
            process: find(b"process"),
            offset: needed("ByteOffset", find(b"byteoffset"))?,
            size: needed("IOSize", find(b"iosize"))?,
            elapsed: find(b"elapsed"),
            disk: needed("DiskNum", find(b"disknum"))?,
            service: find(b"disksvc"),
        })
    }
}

fn split(line: &[u8]) -> ([&[u8]; FIELDS], usize) {
    let mut fields: [&[u8]; FIELDS] = [b""; FIELDS];
    let mut count = 0;
    for field in line.split(|&b| b == b',').take(FIELDS) {
        fields[count] = field.trim_ascii();
        count += 1;
    }
    (fields, count)
}

fn operation(name: &[u8]) -> Option<Op> {
    match name {
        b"DiskRead" => Some(Op::Read),
        b"DiskWrite" => Some(Op::Write),
        _ => None,
    }
}

/// `Process Name ( PID)` becomes `processnamepid`.
fn normal(name: &[u8]) -> Vec<u8> {
    name.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
}

fn hex(column: &str, text: &[u8]) -> Result<u64, Fault> {
    let prefixed = text.starts_with(b"0x") || text.starts_with(b"0X");
    match hexadecimal(text) {
        Ok(value) if prefixed => Ok(value),
        _ => Err(format!("{column} is '{}'; a hexadecimal number with 0x is accepted", excerpt(text)).into()),
    }
}

fn looks_right(line: &[u8]) -> bool {
    let (fields, count) = split(line);
    count > USUAL.disk
        && operation(fields[0]).is_some()
        && crate::number::scaled(fields[1], 3).is_ok()
        && hex("", fields[5]).is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    const HEADER: &str = "BeginHeader\n\
        Image, TimeStamp, Process Name ( PID), AddrRange\n\
        DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri\n\
        DiskWrite, TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri\n\
        EndHeader\n";
    const ROWS: &str = "\
        DiskRead,       5000,  store.exe (4321),       88, 0xfffffa80, 0x04ed9000, 0x00001000,        1500,        2, 0x000043,         900, Normal\n\
        Image,          5100,  store.exe (4321),  0x1\n\
        DiskWrite,      5200,  store.exe (4321),       88, 0xfffffa80, 0x00002000, 0x00000200,         400,        3, 0x000043,         300, Normal\n";

    fn parse(text: &str, event: Event) -> Result<(Vec<Raw>, Names, Etw), String> {
        let mut format = Etw { event, in_header: false, columns: [USUAL; 2], other: 0, early: 0 };
        let (mut names, mut raws) = (Names::default(), Vec::new());
        for line in text.lines() {
            raws.extend(format.parse(line.as_bytes(), &mut names).map_err(|fault| fault.said())?);
        }
        Ok((raws, names, format))
    }

    #[test]
    fn hexadecimal_bytes_and_stamps_of_the_completion() {
        for text in [format!("{HEADER}{ROWS}"), ROWS.to_owned()] {
            let (raws, names, format) = parse(&text, Event::Q).unwrap();
            let got: Vec<_> =
                raws.iter().map(|r| (r.time_ns, r.offset, r.size, r.response_ns, r.op)).collect();
            assert_eq!(
                got,
                [
                    (3_500_000, 0x04ed_9000, 4096, 1_500_000, Op::Read),
                    (4_800_000, 0x2000, 512, 400_000, Op::Write)
                ]
            );
            assert_eq!(
                (names.devices.names().len(), names.streams.names()),
                (2, &["store.exe (4321)".into()][..])
            );
            assert_eq!(format.other, 1);
        }
    }

    #[test]
    fn the_event_chooses_the_stamp() {
        let (raws, ..) = parse(ROWS, Event::D).unwrap();
        assert_eq!((raws[0].time_ns, raws[0].response_ns), (4_100_000, 900_000));
        let (raws, ..) = parse(ROWS, Event::C).unwrap();
        assert_eq!((raws[0].time_ns, raws[0].response_ns), (5_000_000, NO_RESPONSE));
    }

    #[test]
    fn the_header_says_where_the_columns_are() {
        let text = "BeginHeader\nDiskRead, TimeStamp, DiskNum, IOSize, ByteOffset\nEndHeader\nDiskRead, 7, 1, 0x200, 0x400\n";
        assert!(parse(text, Event::Q).err().unwrap().contains("has no ElapsedTime, which event Q needs"));
        let (raws, ..) = parse(text, Event::C).unwrap();
        assert_eq!((raws[0].time_ns, raws[0].offset, raws[0].size), (7000, 0x400, 0x200));
        let text = "BeginHeader\nDiskRead, TimeStamp, DiskNum, IOSize\nEndHeader\n";
        assert!(parse(text, Event::C).err().unwrap().contains("no column ByteOffset"));
    }

    #[test]
    fn a_request_under_way_at_the_beginning() {
        let (raws, _, format) = parse(&ROWS.replace("5000,", "1000,"), Event::Q).unwrap();
        assert_eq!((raws[0].time_ns, format.early), (0, 1));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = |from: &str, to: &str| parse(&ROWS.replacen(from, to, 1), Event::Q).err().unwrap();
        assert!(said("0x00001000", "4096").contains("IOSize is '4096'; a hexadecimal number with 0x"));
        assert!(said("0x04ed9000", "0xzz").contains("ByteOffset is '0xzz'"));
        assert!(said("5000", "-1").contains("TimeStamp is negative"));
        assert!(parse("DiskRead, 1, x", Event::Q).err().unwrap().contains("found 3 columns"));
    }
}
