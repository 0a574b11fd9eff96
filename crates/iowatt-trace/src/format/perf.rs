//! Block tracepoints as text: `perf script` (`comm pid [cpu] time: block:event: ...`) or ftrace's `trace` (`comm-pid [cpu] flags
//! time: event: ...`).
//!
//! `block_rq_issue` and `block_rq_insert`: `maj,min RWBS bytes (command) sector + sectors ... [comm]`; `block_rq_complete`: the
//! same without bytes; `block_bio_queue`: `maj,min RWBS sector + sectors [comm]`. Newer kernels put the I/O priority in front of
//! the bracket; all that is read is found from the `+`. Sectors are always 512 bytes, times seconds of whatever
//! clock perf was given.
//!
//! `event` chooses the request: D (`block_rq_issue`, the default: what perf is mostly told to record), Q (`block_bio_queue`, before
//! merges) or C (`block_rq_complete`). With D a completion of the same device and sector gives the response time, so that
//! a request waits here for it, among at most [`HELD`]. Other events are passed over, and so are commands without
//! blocks. Traps: a stacked device (loop, LVM, md) shows every request once at each level; the process is whoever
//! issued the request, which for writes may be a kernel worker; process names may hold blanks.

use std::collections::{HashMap, VecDeque};

use crate::error::{Fault, TraceError};
use crate::format::blkparse::{direction, held, is_device, merged};
use crate::format::fields::{Blanks, bytes, scaled, unsigned};
use crate::format::{Clock, Decoder, Entry, Format, Raw, Sample, sample};
use crate::input::Input;
use crate::names::Names;
use crate::number::{self, excerpt};
use crate::request::{NO_RESPONSE, NO_STREAM, Op};
use crate::spec::Event;

/// perf script.
pub static FORMAT: Format = Format {
    name: "perf",
    title: "Linux block tracepoints as text (perf script, ftrace)",
    columns: "comm pid [cpu] time(s): block:block_rq_issue: maj,min RWBS bytes () sector(512 B) + sectors(512 B) [comm]",
    clock: Clock::Arbitrary,
    order_tolerance_s: 1.0,
    block_bytes: None,
    options: &["event"],
    recognise: |sample: &Sample<'_>| sample.mostly(|line| Head::of(line).is_some_and(|head| head.is_block())),
    decoder: |spec| Ok(Box::new(Perf::new(spec.event.unwrap_or(USUAL)))),
};

/// The event that is the request where none is named.
pub(crate) const USUAL: Event = Event::D;
/// Requests that wait for their completion at most.
const HELD: usize = 4096;
const SECTOR: u64 = 512;

/// What stands in front of an event's own fields.
struct Head<'a> {
    pid: Option<&'a [u8]>,
    time: &'a [u8],
    event: &'a [u8],
    rest: Blanks<'a>,
}

impl<'a> Head<'a> {
    /// The parts of a line, found from the time: the first field that is `seconds:`, with a name and a colon behind it.
    fn of(line: &'a [u8]) -> Option<Self> {
        let mut fields = Blanks(line);
        let (mut before, mut cpu_after): (&[u8], Option<&[u8]>) = (b"", None);
        while let Some(field) = fields.next() {
            if let Some(time) = seconds(field) {
                let event = fields.next()?.strip_suffix(b":")?;
                let event = event.strip_prefix(b"block:").unwrap_or(event);
                return Some(Self {
                    pid: cpu_after.or(Some(before)).and_then(process),
                    time,
                    event,
                    rest: fields,
                });
            }
            if field.starts_with(b"[") && field.ends_with(b"]") {
                cpu_after = Some(before);
            }
            before = field;
        }
        None
    }

    fn is_block(&self) -> bool {
        self.event.starts_with(b"block_")
    }
}

/// `123.456789:` without its colon.
fn seconds(field: &[u8]) -> Option<&[u8]> {
    let time = field.strip_suffix(b":")?;
    let plain = time.iter().all(|b| b.is_ascii_digit() || *b == b'.') && time.contains(&b'.');
    (plain && number::scaled(time, 9).is_ok()).then_some(time)
}

/// The thread of `123`, `100/123` (process/thread) or `comm-123`.
fn process(field: &[u8]) -> Option<&[u8]> {
    let digits = field.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (front, id) = field.split_at(field.len() - digits);
    (digits > 0 && matches!(front.last(), None | Some(b'/' | b'-'))).then_some(id)
}

struct Waiting {
    place: u64,
    said: Result<Raw, Fault>,
    open: bool,
}

struct Perf {
    wanted: Event,
    /// Requests seen at Q, D and C.
    seen: [u64; 3],
    waiting: VecDeque<Waiting>,
    /// Number of the first that waits.
    first: u64,
    /// Numbers of those without a completion yet, by device and sector.
    open: HashMap<(u32, u64), u64>,
    /// Requests given out without a completion.
    unanswered: u64,
    other: u64,
    ended: bool,
}

impl Perf {
    fn new(wanted: Event) -> Self {
        Self {
            wanted,
            seen: [0; 3],
            waiting: VecDeque::new(),
            first: 0,
            open: HashMap::new(),
            unanswered: 0,
            other: 0,
            ended: false,
        }
    }

    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<(Event, Raw)>, Fault> {
        let Some(mut head) = Head::of(line) else {
            return Err(format!(
                "'{}' is no event of perf script (comm pid [cpu] time: event: ...)",
                excerpt(line)
            )
            .into());
        };
        let event = match head.event {
            b"block_bio_queue" => Event::Q,
            b"block_rq_issue" => Event::D,
            b"block_rq_complete" => Event::C,
            _ => {
                self.other += 1;
                return Ok(None);
            }
        };
        let device = head
            .rest
            .next()
            .filter(|field| is_device(field))
            .ok_or("no device (maj,min) behind the event")?;
        let rwbs = head.rest.next().ok_or("no RWBS behind the device")?;
        let (flushes, op) = direction(rwbs)?;
        let (sector, sectors) = extent(&mut head.rest)?;
        let (op, offset, size) = match (op, sectors) {
            (_, 0) if flushes => (Op::Flush, 0, 0),
            (Some(op), sectors) if sectors > 0 => {
                (op, bytes("sector", sector, SECTOR)?, bytes("sectors", sectors, SECTOR)?)
            }
            _ => return Ok(None), // a command without blocks
        };
        self.seen[event as usize] += 1;
        if event != self.wanted && !(event == Event::C && self.wanted == Event::D) {
            return Ok(None);
        }
        let stream = match (event, head.pid) {
            (Event::Q | Event::D, Some(pid)) => names.streams.id_of_number(pid)?,
            _ => NO_STREAM, // whoever was interrupted by the completion
        };
        let device = names.devices.id(device)?;
        let time_ns = scaled("time", head.time, 9)?;
        Ok(Some((event, Raw { time_ns, offset, size, response_ns: NO_RESPONSE, device, stream, op })))
    }

    fn take(&mut self, place: u64, parsed: Result<Option<(Event, Raw)>, Fault>) {
        let (said, open) = match parsed {
            Ok(None) => return,
            Ok(Some((Event::C, raw))) if self.wanted == Event::D => return self.complete(&raw),
            Ok(Some((_, raw))) => (Ok(raw), self.wanted == Event::D && raw.op != Op::Flush),
            Err(fault) => (Err(fault), false),
        };
        let number = self.first + self.waiting.len() as u64;
        if let (true, Ok(raw)) = (open, &said) {
            // One that was issued again (requeued) leaves the first without an answer.
            self.open.insert((raw.device, raw.offset), number);
        }
        self.waiting.push_back(Waiting { place, said, open });
    }

    fn complete(&mut self, done: &Raw) {
        let Some(number) = self.open.remove(&(done.device, done.offset)) else { return };
        let at = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX);
        if let Some(waiting) = self.waiting.get_mut(at) {
            waiting.open = false;
            if let Ok(raw) = &mut waiting.said {
                raw.response_ns = done
                    .time_ns
                    .checked_sub(raw.time_ns)
                    .map_or(NO_RESPONSE, |ns| ns.min(i64::MAX as u64) as i64);
            }
        }
    }

    /// The first that waits, if it need not wait longer.
    fn ready(&mut self) -> Option<Entry> {
        let full = self.waiting.len() > HELD || self.ended;
        let front = self.waiting.front()?;
        if front.open && !full {
            return None;
        }
        let Waiting { place, said, open } = self.waiting.pop_front()?;
        if let (true, Ok(raw)) = (open, &said) {
            self.unanswered += 1;
            if self.open.get(&(raw.device, raw.offset)) == Some(&self.first) {
                self.open.remove(&(raw.device, raw.offset));
            }
        }
        self.first += 1;
        Some((place, said))
    }
}

/// The numbers around the `+`.
fn extent(fields: &mut Blanks<'_>) -> Result<(u64, u64), Fault> {
    let mut before: &[u8] = b"";
    while let Some(field) = fields.next() {
        if field == b"+" {
            let sectors = unsigned("sectors", fields.next().unwrap_or_default())?;
            // A flush without data stands at sector -1.
            return Ok((if sectors == 0 { 0 } else { unsigned("sector", before)? }, sectors));
        }
        before = field;
    }
    Err("expected 'sector + sectors' behind RWBS".into())
}

impl Decoder for Perf {
    fn next(&mut self, input: &mut Input, names: &mut Names) -> Result<Option<Entry>, TraceError> {
        loop {
            if let Some(entry) = self.ready() {
                return Ok(Some(entry));
            }
            if self.ended {
                return Ok(None);
            }
            match input.next_line()? {
                None => self.ended = true,
                Some(line) if sample::is_comment(line) => {}
                Some(line) => {
                    let parsed = self.parse(line, names);
                    self.take(input.line(), parsed);
                }
            }
        }
    }

    fn remark(&self) -> Option<String> {
        held(self.wanted, self.seen)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<_> = self.remark().into_iter().collect();
        if self.wanted == Event::D && self.seen[Event::C as usize] > 0 {
            notes.push("the response time is that from the issue to the device to its completion".to_owned());
            if self.unanswered > 0 {
                notes.push(format!("{} requests have no completion in the trace", self.unanswered));
            }
        }
        if self.other > 0 {
            notes.push(format!("{} other events passed over", self.other));
        }
        notes
    }

    fn warnings(&self) -> Vec<String> {
        merged(self.wanted, self.seen).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    const TRACE: &str = "\
             fio 19088 [000]  9258.913708917:   block:block_bio_queue: 7,0 RA 100 + 16 [fio]
             fio 19088 [000]  9258.913716468:    block:block_rq_issue: 7,0 RA 8192 () 100 + 16 0x2,0,4 [fio]
     kworker/0:1H  45/47 [001]  9258.913800000:    block:block_rq_issue: 7,0 FWFS 4096 () 8 + 8 be,0,4 [kworker/0:1H]
       opt cgu.1 19052 [001]  9258.913900000:    block:block_rq_issue: 7,0 FF 0 () 18446744073709551615 + 0 [opt cgu.1]
       opt cgu.1 19052 [001]  9258.914000000: block:block_rq_complete: 7,0 RA () 100 + 16 0x2,0,4 [0]
         swapper     0 [001]  9258.914100000: sched:sched_switch: prev_comm=swapper
         swapper     0 [001]  9258.914200000: block:block_rq_issue: 7,0 DS 4096 () 800 + 8 [fstrim]
         swapper     0 [001]  9258.914300000: block:block_rq_issue: 7,0 N 0 () 0 + 0 [smartd]
         swapper     0 [001]  9258.914400000: block:block_rq_complete: 7,0 FWFS () 8 + 8 [0]
";

    fn read(text: &str, event: Event) -> (Vec<Entry>, Perf, Names) {
        let mut input =
            Input::from_reader("t", Box::new(std::io::Cursor::new(text.as_bytes().to_vec())), None).unwrap();
        let (mut perf, mut names) = (Perf::new(event), Names::default());
        let mut entries = Vec::new();
        while let Some(entry) = perf.next(&mut input, &mut names).unwrap() {
            entries.push(entry);
        }
        (entries, perf, names)
    }

    #[test]
    fn issues_with_the_time_to_their_completion() {
        let (entries, perf, names) = read(TRACE, Event::D);
        let got: Vec<_> = entries
            .iter()
            .map(|(line, said)| {
                let raw = said.as_ref().unwrap();
                (*line, raw.op, raw.offset, raw.size, raw.response_ns)
            })
            .collect();
        assert_eq!(
            got,
            [
                (2, Op::Read, 51_200, 8192, 283_532),
                (3, Op::Write, 4096, 4096, 600_000),
                (4, Op::Flush, 0, 0, NO_RESPONSE),
                (7, Op::Trim, 409_600, 4096, NO_RESPONSE),
            ]
        );
        assert_eq!(names.streams.names(), ["19088", "47", "19052", "0"]);
        assert_eq!(names.devices.names(), ["7,0"]);
        assert_eq!(
            perf.notes(),
            [
                "event D was asked for, and the trace holds 1 Q, 4 D and 2 C events",
                "the response time is that from the issue to the device to its completion",
                "1 requests have no completion in the trace",
                "1 other events passed over",
            ]
        );
    }

    #[test]
    fn other_events_on_request() {
        let times = |event| {
            read(TRACE, event)
                .0
                .into_iter()
                .map(|(_, said)| said.unwrap().time_ns % 1_000_000_000)
                .collect::<Vec<_>>()
        };
        assert_eq!(times(Event::Q), [913_708_917]);
        assert_eq!(times(Event::C), [914_000_000, 914_400_000]);
    }

    #[test]
    fn the_text_of_ftrace() {
        let line = "    kworker/u8:0-12      [001] d..1.  9298.797477: block_rq_issue: 254,0 RS 8192 () 16 + 16 be,0,4 [x]\n";
        let (entries, _, names) = read(line, Event::D);
        let raw = entries[0].1.as_ref().unwrap();
        assert_eq!((raw.time_ns, raw.offset, raw.size), (9_298_797_477_000, 8192, 8192));
        assert_eq!(names.streams.names(), ["12"]);
    }

    #[test]
    fn what_waits_is_bounded_and_keeps_its_order() {
        let line = |i: u64| format!("a 1 [000] 1.{i:06}: block:block_rq_issue: 7,0 R 512 () {i} + 1 [a]\n");
        let text: String = (0..3 * HELD as u64).map(line).collect();
        let (entries, perf, _) = read(&text, Event::D);
        let offsets: Vec<_> = entries.iter().map(|(_, said)| said.as_ref().unwrap().offset / 512).collect();
        assert_eq!(offsets, (0..3 * HELD as u64).collect::<Vec<_>>());
        assert_eq!((perf.unanswered, perf.open.len()), (3 * HELD as u64, 0));
    }

    #[test]
    fn a_sector_issued_again_is_answered_once() {
        let text = "a 1 [0] 1.0: block:block_rq_issue: 7,0 R 512 () 5 + 1 [a]\n\
                    a 1 [0] 2.0: block:block_rq_issue: 7,0 R 512 () 5 + 1 [a]\n\
                    a 1 [0] 2.5: block:block_rq_complete: 7,0 R () 5 + 1 [0]\n";
        let (entries, ..) = read(text, Event::D);
        let responses: Vec<_> = entries.iter().map(|(_, said)| said.as_ref().unwrap().response_ns).collect();
        assert_eq!(responses, [NO_RESPONSE, 500_000_000]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |line: &str| read(line, Event::D).0[0].1.clone().unwrap_err().said();
        assert!(wrong("hello world").contains("no event of perf script"));
        assert!(wrong("a 1 [0] 1.0: block:block_rq_issue: sda R 0 () 1 + 1").contains("no device"));
        assert!(wrong("a 1 [0] 1.0: block:block_rq_issue: 7,0 X 0 () 1 + 1").contains("RWBS is 'X'"));
        assert!(wrong("a 1 [0] 1.0: block:block_rq_issue: 7,0 R 0 () 1 8").contains("sector + sectors"));
        assert!(wrong("a 1 [0] 1.0: block:block_rq_issue: 7,0 R 0 () x + 8").contains("sector is 'x'"));
    }
}
