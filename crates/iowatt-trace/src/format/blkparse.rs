//! The text that `blkparse` prints from a Linux block trace, in its default layout:
//! `maj,min cpu seq time_s.ns pid action RWBS sector + sectors [process]`.
//!
//! A request passes many events; one of them has to be chosen, for the choice changes the load many
//! times over: `Q` (queued: what applications asked for, the default), `D` (issued to the device,
//! merges made) or `C` (completed; its bracket holds the error, its pid is meaningless, its time is
//! the end). All other lines are passed over: messages (`m`, free text), plugging (`P`, `U`, `UT`, without
//! a sector), remaps (`A`: a Q with the mapped sector follows), and the summary at the end. Sectors
//! are always 512 bytes.
//!
//! RWBS: `R` read, `W` write, `D` discard (a trim), `N` no data (passed over); a leading `F` without a
//! sector is a flush, with one a write that also flushes; the letters behind (`S A M F E`) are ignored.
//! The files of several CPUs are merged by time approximately only, hence the tolerance of 1 s.

use crate::error::Fault;
use crate::format::fields::{Blanks, bytes, scaled, unsigned};
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::front::Front;
use crate::names::Names;
use crate::number::excerpt;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};
use crate::spec::Event;

/// blkparse's default text.
pub static FORMAT: Format = Format {
    name: "blkparse",
    title: "Linux blkparse text (default layout)",
    columns: "maj,min cpu seq time(s) pid action RWBS sector(512 B) + sectors(512 B) [process]",
    clock: Clock::Relative,
    order_tolerance_s: 1.0,
    block_bytes: None,
    options: &["event"],
    recognise: |sample: &Sample<'_>| sample.mostly(looks_right),
    decoder: |spec| Ok(Box::new(Lines(Blkparse::new(spec.event.unwrap_or_default())))),
};

const SECTOR: u64 = 512;

struct Blkparse {
    wanted: Event,
    in_summary: bool,
    /// Requests seen at Q, D and C.
    seen: [u64; 3],
}

impl Blkparse {
    fn new(wanted: Event) -> Self {
        Self { wanted, in_summary: false, seen: [0; 3] }
    }

    fn choose(&mut self, action: &[u8]) -> Result<bool, Fault> {
        let event = match action {
            b"Q" => Event::Q,
            b"D" => Event::D,
            b"C" => Event::C,
            b"A" | b"B" | b"F" | b"G" | b"I" | b"M" | b"P" | b"R" | b"S" | b"T" | b"U" | b"UT" | b"X"
            | b"m" => {
                return Ok(false);
            }
            _ => {
                return Err(format!(
                    "unknown action '{}'; is this blkparse's default layout?",
                    excerpt(action)
                )
                .into());
            }
        };
        self.seen_at(Some(event));
        Ok(event == self.wanted)
    }

    /// Counts a line that is an event.
    fn seen_at(&mut self, event: Option<Event>) {
        self.in_summary = false;
        if let Some(event) = event {
            self.seen[event as usize] += 1;
        }
    }
}

impl LineFormat for Blkparse {
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let mut fields = Blanks(line);
        let device = fields.next().unwrap_or_default();
        if !is_device(device) {
            self.in_summary |= starts_summary(line);
            if self.in_summary || line.starts_with(b"Input file ") {
                return Ok(None);
            }
            return Err(format!(
                "'{}' is no blkparse event (maj,min cpu seq time pid action ...)",
                excerpt(line)
            )
            .into());
        }
        self.in_summary = false;
        let (Some(_cpu), Some(_seq), Some(time), Some(pid), Some(action)) =
            (fields.next(), fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(format!("'{}' ends before its action", excerpt(line)).into());
        };
        if !self.choose(action)? {
            return Ok(None);
        }
        let rwbs = fields.next().ok_or("no RWBS column behind the action")?;
        let (flushes, op) = direction(rwbs)?;
        let (op, offset, size) = match (op, extent(&mut fields)?) {
            (_, None | Some((_, 0))) if flushes => (Op::Flush, 0, 0),
            (Some(op), Some((sector, sectors))) => {
                (op, bytes("sector", sector, SECTOR)?, bytes("sectors", sectors, SECTOR)?)
            }
            _ => return Ok(None), // a command without blocks
        };
        unsigned("pid", pid)?;
        Ok(Some(Raw {
            time_ns: scaled("time", time, 9)?,
            offset,
            size,
            response_ns: NO_RESPONSE,
            device: names.devices.id(device)?,
            stream: match self.wanted {
                Event::C => NO_STREAM,
                Event::Q | Event::D => names.streams.id_of_number(pid)?,
            },
            op,
        }))
    }

    #[inline]
    fn plain(&mut self, front: &mut Front<'_>, names: &mut Names) -> Option<Option<Raw>> {
        front.blanks()?;
        let start = *front;
        front.number()?;
        front.byte(b',')?;
        front.number()?;
        let device = front.since(start)?;
        front.blank()?;
        front.small_number()?; // CPU
        front.blank()?;
        front.number()?; // sequence number
        front.blank()?;
        let time_ns = front.scaled(9)?;
        front.blank()?;
        let pid = front.number()?;
        front.blank()?;
        let event = match front.any() {
            b'Q' => Some(Event::Q),
            b'D' => Some(Event::D),
            b'C' => Some(Event::C),
            b'A' | b'B' | b'F' | b'G' | b'I' | b'M' | b'P' | b'R' | b'S' | b'T' | b'U' | b'X' | b'm' => None,
            _ => return None,
        };
        front.blank()?;
        if event != Some(self.wanted) {
            front.skip_line()?;
            self.seen_at(event);
            return Some(None);
        }
        let op = match front.any() {
            b'R' => Op::Read,
            b'W' => Op::Write,
            b'D' => Op::Trim,
            _ => return None,
        };
        front.letters()?;
        front.blank()?;
        let offset = front.number()?.checked_mul(SECTOR)?;
        front.blank()?;
        front.byte(b'+')?;
        front.blank()?;
        let size = front.number()?.checked_mul(SECTOR)?;
        match front.peek() {
            b' ' => front.skip_line()?,
            _ => front.line_end()?,
        }
        let device = names.devices.id(device).ok()?;
        let stream = match self.wanted {
            Event::C => NO_STREAM,
            Event::Q | Event::D => names.streams.id_of_value(pid).ok()?,
        };
        self.seen_at(event);
        Some(Some(Raw { time_ns, offset, size, response_ns: NO_RESPONSE, device, stream, op }))
    }

    fn remark(&self) -> Option<String> {
        held(self.wanted, self.seen)
    }

    fn notes(&self) -> Vec<String> {
        self.remark().into_iter().collect()
    }

    fn warnings(&self) -> Vec<String> {
        merged(self.wanted, self.seen).into_iter().collect()
    }
}

/// Fewer requests than this prove nothing.
const ENOUGH: u64 = 100;

/// What a trace of queued requests is for a device that got less than half as many.
pub(super) fn merged(wanted: Event, [q, d, _]: [u64; 3]) -> Option<String> {
    (wanted == Event::Q && q >= ENOUGH && d > 0 && q > 2 * d).then(|| {
        format!(
            "{q} requests were queued (Q) and only {d} issued to devices (D): most were merged, or pass through several \
             devices; served one by one, as recorded at Q, their response times and rates mean little: take event D"
        )
    })
}

/// How many requests passed each event, so that a wrong choice shows.
pub(super) fn held(wanted: Event, [q, d, c]: [u64; 3]) -> Option<String> {
    (q + d + c > 0)
        .then(|| format!("event {wanted:?} was asked for, and the trace holds {q} Q, {d} D and {c} C events"))
}

/// Whether it flushes first, and what it moves (`None`: no data).
pub(super) fn direction(rwbs: &[u8]) -> Result<(bool, Option<Op>), Fault> {
    let (flushes, rest) = match rwbs {
        [b'F', rest @ ..] => (true, rest),
        _ => (false, rwbs),
    };
    let op = match rest.first() {
        Some(b'R') => Some(Op::Read),
        Some(b'W') => Some(Op::Write),
        Some(b'D') => Some(Op::Trim),
        Some(b'N') => None,
        Some(b'F') | None if flushes => None,
        _ => return Err(format!("RWBS is '{}'; R, W, D, F or N is accepted", excerpt(rwbs)).into()),
    };
    Ok((flushes, op))
}

/// `sector + sectors`; `None` where the line goes on without (a flush, a SCSI command's bytes).
fn extent(fields: &mut Blanks<'_>) -> Result<Option<(u64, u64)>, Fault> {
    let first = fields.next().unwrap_or_default();
    if first.is_empty() || first[0] == b'[' {
        return Ok(None);
    }
    match fields.next() {
        Some(b"+") => {
            let sectors = fields.next().ok_or("nothing behind the +")?;
            Ok(Some((unsigned("sector", first)?, unsigned("sectors", sectors)?)))
        }
        Some([b'(', ..]) => Ok(None),
        _ => Err("expected 'sector + sectors' behind RWBS".into()),
    }
}

/// `8,0`
pub(super) fn is_device(field: &[u8]) -> bool {
    let number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    memchr::memchr(b',', field).is_some_and(|at| number(&field[..at]) && number(&field[at + 1..]))
}

/// `CPU0 (8,0):` or `Total (8,0):`
fn starts_summary(line: &[u8]) -> bool {
    (line.starts_with(b"CPU") || line.starts_with(b"Total")) && memchr::memmem::find(line, b"(").is_some()
}

fn looks_right(line: &[u8]) -> bool {
    let mut fields = Blanks(line);
    fields.next().is_some_and(is_device)
        && fields.by_ref().take(2).all(|field| crate::number::unsigned(field).is_ok())
        && fields.next().is_some_and(|time| crate::number::scaled(time, 9).is_ok())
        && fields.next().is_some_and(|pid| crate::number::unsigned(pid).is_ok())
        && fields.next().is_some_and(|action| action.len() <= 2)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    const TRACE: &str = "\
  8,0    3        1     0.000000000   697  A   W 223490 + 8 <- (8,1) 223427
  8,0    3        2     0.000000500   697  Q   W 223490 + 8 [kjournald]
  8,0    3        3     0.000001829   697  G   W 223490 + 8 [kjournald]
  8,0    3        4     0.000002197   697  P   N [kjournald]
  8,0    3        5     0.000003197   697  I   W 223490 + 8 [kjournald]
  8,0    3        0     0.000004000     0  m   N cfq697 insert \u{fffd} request + 1
  8,0    3        6     0.000005000   697  U   N [kjournald] 1
  8,0    3        7     0.000006000     0  UT  N [swapper] 1
  8,0    3        8     0.000010000   697  D   W 223490 + 8 [kjournald]
  8,0    3        9     0.000900000     0  C   W 223490 + 8 [0]
  8,0    1       10     0.001000000   700  Q  RA 512 + 16 [my proc (x)]
  8,0    1       11     0.001100000   700  Q FWFSM 1024 + 8 [jbd2/sda-8]
  8,0    1       12     0.001200000   700  Q FWS [jbd2/sda-8]
  8,0    1       13     0.001300000   700  Q  DS 4096 + 64 [fstrim]
  8,0    1       14     0.001400000   700  Q   R 36 (12 00 00 00 24 00) [scsi_id]
  8,0    1       15     0.001500000   700  Q   N [scsi_id]
CPU0 (8,0):
 Reads Queued:           1,        8KiB\t Writes Queued:           2,        8KiB

Total (8,0):
Throughput (R/W): 0KiB/s / 0KiB/s
Events (8,0): 16 entries
Skips: 0 forward (0 -   0.0%)
";

    fn parse(text: &str, event: Event) -> Result<(Vec<Raw>, Names, Blkparse), String> {
        let (mut format, mut names) = (Blkparse::new(event), Names::default());
        let mut raws = Vec::new();
        for line in text.lines() {
            raws.extend(format.parse(line.as_bytes(), &mut names).map_err(|fault| fault.said())?);
        }
        Ok((raws, names, format))
    }

    #[test]
    fn queued_events_of_every_kind() {
        let (raws, names, _) = parse(TRACE, Event::Q).unwrap();
        let got: Vec<_> = raws.iter().map(|r| (r.time_ns, r.op, r.offset, r.size)).collect();
        assert_eq!(
            got,
            [
                (500, Op::Write, 223_490 * 512, 8 * 512),
                (1_000_000, Op::Read, 512 * 512, 16 * 512),
                (1_100_000, Op::Write, 1024 * 512, 8 * 512), // flushes first, then writes
                (1_200_000, Op::Flush, 0, 0),
                (1_300_000, Op::Trim, 4096 * 512, 64 * 512),
            ]
        );
        assert_eq!(names.devices.names(), ["8,0"]);
        assert_eq!(names.streams.names(), ["697", "700"]);
    }

    #[test]
    fn messages_need_not_be_text() {
        let mut format = Blkparse::new(Event::Q);
        let message = b"  8,0    3        0     0.000004000     0  m   N cfq697 \xff\xfe / + [";
        assert_eq!(format.parse(message, &mut Names::default()), Ok(None));
    }

    #[test]
    fn the_event_changes_the_load() {
        let (issued, _, _) = parse(TRACE, Event::D).unwrap();
        assert_eq!(issued.iter().map(|r| r.time_ns).collect::<Vec<_>>(), [10_000]);
        let (completed, names, _) = parse(TRACE, Event::C).unwrap();
        assert_eq!(
            completed.iter().map(|r| (r.time_ns, r.stream)).collect::<Vec<_>>(),
            [(900_000, NO_STREAM)]
        );
        assert!(names.streams.names().is_empty());
    }

    #[test]
    fn what_the_trace_holds_instead_is_said() {
        let (_, _, format) = parse("8,0 3 8 0.00001 697 D W 223490 + 8 [x]\n", Event::Q).unwrap();
        assert_eq!(
            format.remark().unwrap(),
            "event Q was asked for, and the trace holds 0 Q, 1 D and 0 C events"
        );
    }

    #[test]
    fn far_more_queued_than_issued_is_warned_of() {
        assert_eq!(merged(Event::Q, [100, 50, 0]), None);
        assert!(
            merged(Event::Q, [101, 50, 0]).unwrap().starts_with("101 requests were queued (Q) and only 50")
        );
        assert_eq!(merged(Event::Q, [99, 1, 0]), None); // too few
        assert_eq!(merged(Event::Q, [1000, 0, 0]), None); // D was not recorded
        assert_eq!(merged(Event::D, [15_524, 170, 0]), None);
    }

    #[test]
    fn concatenated_outputs_go_on_behind_a_summary() {
        let twice = format!("{TRACE}{TRACE}");
        assert_eq!(parse(&twice, Event::Q).unwrap().0.len(), 10);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |line: &str| parse(line, Event::Q).err().unwrap();
        assert!(wrong("hello world").contains("no blkparse event"));
        assert!(wrong("8,0 3 2 0.1 697 Q X 1 + 8 [x]").contains("RWBS is 'X'"));
        assert!(wrong("8,0 3 2 0.1 697 Q W 1 / 8 [x]").contains("sector + sectors"));
        assert!(wrong("8,0 3 2 0.1 697 Z W 1 + 8 [x]").contains("unknown action"));
        assert!(wrong("8,0 3 2 -0.1 697 Q W 1 + 8 [x]").contains("time is negative"));
        assert!(wrong("8,0 3 2 0.1 697 Q W 1 + x [x]").contains("sectors is 'x'"));
        assert!(wrong("8,0 3 2 0.1").contains("ends before its action"));
    }
}
