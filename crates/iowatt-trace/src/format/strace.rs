//! `strace` of a program that reads and writes past the page cache: `[pid] seconds call(arguments) = result <seconds>`.
//!
//! Record with `-f -ttt -T -y -s 0 -v`: Unix time (`-ttt`), time in the call (`-T`, the response time of calls that wait), names of
//! files (`-y`, the devices of the trace), no data (`-s 0`), and nothing left out of structures (`-v`). Calls with an
//! offset are requests: `pread64`, `pwrite64`, `preadv`, `pwritev` (also `2`), each request of an `io_submit`; `fsync` and
//! `fdatasync` are flushes. The bytes are those that the call transferred, of `io_submit` those asked for.
//!
//! Traps: offsets are those in the file, not on a device; without O_DIRECT these calls end in the page cache. `read` and `write`
//! have no offset: they are counted and passed over. `io_uring` shows nothing. A call that others interrupt stands on
//! two lines (`<unfinished ...>`, `<... resumed>`), and its time is that of the first.

use std::collections::{HashMap, VecDeque};

use crate::error::{Code, Fault, TraceError};
use crate::format::fields::{Blanks, response, scaled, unsigned};
use crate::format::{Clock, Decoder, Entry, Format, Raw, Sample, sample};
use crate::input::Input;
use crate::names::{MAX_NAME, Names};
use crate::number::{self, excerpt};
use crate::request::{NO_RESPONSE, NO_STREAM, Op};

/// strace.
pub static FORMAT: Format = Format {
    name: "strace",
    title: "strace of a program with direct I/O (-f -ttt -T -y -s 0 -v)",
    columns: "[pid] unix time(s) pread64(fd<file>, data, bytes, offset) = bytes <response(s)>",
    clock: Clock::UnixIfLate,
    order_tolerance_s: 1.0,
    block_bytes: None,
    options: &[],
    recognise: |sample: &Sample<'_>| sample.mostly(looks_right),
    decoder: |_| Ok(Box::new(Strace::default())),
};

/// Bytes of unfinished calls that are kept.
const MOST_KEPT: usize = 64 << 20;
/// Arguments of a call, or fields of a structure, that are looked at.
const PARTS: usize = 24;

/// A line in front of the call.
struct Head<'a> {
    pid: Option<&'a [u8]>,
    time: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Head<'a> {
    fn of(line: &'a [u8]) -> Result<Self, Fault> {
        let mut fields = Blanks(line);
        let mut first = fields.next().unwrap_or_default();
        let mut pid = None;
        if first == b"[pid" {
            pid = fields.next().and_then(|field| field.strip_suffix(b"]"));
            first = fields.next().unwrap_or_default();
        } else if !first.is_empty() && first.iter().all(u8::is_ascii_digit) {
            pid = Some(first);
            first = fields.next().unwrap_or_default();
        }
        let digits = |text: &[u8]| text.iter().all(|b| b.is_ascii_digit() || *b == b'.');
        if first.contains(&b':') || !first.contains(&b'.') || !digits(first) {
            return Err(format!(
                "no time in seconds in front of '{}'; record with strace -ttt",
                excerpt(first)
            )
            .into());
        }
        Ok(Self { pid, time: first, rest: fields.0.trim_ascii() })
    }
}

fn looks_right(line: &[u8]) -> bool {
    Head::of(line).is_ok_and(|head| {
        let name = head.rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let call = name > 0 && head.rest.get(name) == Some(&b'(');
        (call || [&b"<... "[..], b"+++ ", b"--- "].iter().any(|start| head.rest.starts_with(start)))
            && number::scaled(head.time, 9).is_ok()
    })
}

#[derive(Default)]
struct Strace {
    /// Calls begun, by thread: the stamp and what stood in front of `<unfinished ...>`.
    begun: HashMap<Vec<u8>, (u64, Vec<u8>)>,
    kept: usize,
    /// Further requests of the last line.
    waiting: VecDeque<Raw>,
    place: u64,
    without_offset: u64,
    failed: u64,
}

/// What becomes of the calls of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    At(Op),
    Submit,
    Flush,
    WithoutOffset,
    Other,
}

impl Call {
    fn of(name: &[u8]) -> Self {
        match name {
            b"pread64" | b"pread" | b"preadv" | b"preadv2" => Self::At(Op::Read),
            b"pwrite64" | b"pwrite" | b"pwritev" | b"pwritev2" => Self::At(Op::Write),
            b"io_submit" => Self::Submit,
            b"fsync" | b"fdatasync" => Self::Flush,
            b"read" | b"write" | b"readv" | b"writev" => Self::WithoutOffset,
            _ => Self::Other,
        }
    }
}

impl Strace {
    /// Decodes a line into `waiting`.
    fn line(&mut self, line: &[u8], names: &mut Names) -> Result<(), Fault> {
        let head = Head::of(line)?;
        let time_ns = scaled("time", head.time, 9)?;
        let thread = head.pid.unwrap_or_default();
        let stream = match head.pid {
            Some(pid) => {
                unsigned("pid", pid)?;
                names.streams.id_of_number(pid)?
            }
            None => NO_STREAM,
        };
        if let Some(resumed) = head.rest.strip_prefix(b"<... ") {
            let Some(at) = memchr::memchr(b'>', resumed) else {
                return Err(format!("'{}' does not say which call is resumed", excerpt(head.rest)).into());
            };
            // Calls that are of no interest, or begun before the trace, have left nothing.
            let Some((begun_ns, mut text)) = self.begun.remove(thread) else { return Ok(()) };
            self.kept -= text.len();
            text.extend_from_slice(&resumed[at + 1..]);
            return self.call(&text, begun_ns, stream, names);
        }
        if let Some(front) = head.rest.strip_suffix(b"<unfinished ...>") {
            let (name, _) = name_of(front);
            if matches!(Call::of(name), Call::At(_) | Call::Submit | Call::Flush) {
                self.keep(thread, time_ns, front.trim_ascii_end())?;
            }
            return Ok(());
        }
        self.call(head.rest, time_ns, stream, names)
    }

    fn keep(&mut self, thread: &[u8], time_ns: u64, text: &[u8]) -> Result<(), Fault> {
        if let Some((_, old)) = self.begun.insert(thread.to_vec(), (time_ns, text.to_vec())) {
            self.kept -= old.len();
        }
        self.kept += text.len();
        if self.kept > MOST_KEPT || self.begun.len() > MOST_KEPT / 64 {
            return Err(Fault::fatal(
                Code::TooLarge,
                format!("more than {MOST_KEPT} bytes of calls that never end"),
            ));
        }
        Ok(())
    }

    fn call(&mut self, text: &[u8], time_ns: u64, stream: u32, names: &mut Names) -> Result<(), Fault> {
        let (name, rest) = name_of(text);
        let call = Call::of(name);
        match call {
            Call::Other => return Ok(()),
            Call::WithoutOffset => {
                self.without_offset += 1;
                return Ok(());
            }
            Call::At(_) | Call::Submit | Call::Flush => {}
        }
        let (arguments, tail) = parts(rest);
        let Some(result) = Outcome::of(tail)? else {
            return Err(format!("'{}' ends before its result", excerpt(text)).into());
        };
        let Some(result) = result else {
            self.failed += 1;
            return Ok(());
        };
        let raw = |op, offset, size, device, response_ns| Raw {
            time_ns,
            offset,
            size,
            response_ns,
            device,
            stream,
            op,
        };
        match call {
            Call::Submit => {
                let listed = arguments[2].strip_prefix(b"[").and_then(|list| list.strip_suffix(b"]"));
                let list = listed.ok_or("io_submit without its requests; record with strace -v")?;
                let mut rest = list;
                for _ in 0..result.value {
                    let Some((op, size, offset, file)) = submitted(&mut rest)? else { break };
                    self.waiting.push_back(raw(op, offset, size, names.devices.id(file)?, NO_RESPONSE));
                }
            }
            Call::Flush => {
                self.waiting.push_back(raw(
                    Op::Flush,
                    0,
                    0,
                    names.devices.id(file(arguments[0]))?,
                    result.response_ns,
                ));
            }
            Call::At(op) => {
                if result.value > 0 {
                    let offset = unsigned("offset", arguments[3])?;
                    let device = names.devices.id(file(arguments[0]))?;
                    self.waiting.push_back(raw(op, offset, result.value, device, result.response_ns));
                }
            }
            Call::WithoutOffset | Call::Other => {}
        }
        Ok(())
    }
}

/// What a call returned.
struct Outcome {
    value: u64,
    response_ns: i64,
}

impl Outcome {
    /// `= 8192 <0.000245>`; `Some(None)` where the call failed, `None` where nothing of it is there.
    fn of(tail: &[u8]) -> Result<Option<Option<Self>>, Fault> {
        let mut fields = Blanks(tail);
        if fields.next() != Some(b"=") {
            return Ok(None);
        }
        let Some(value) = fields.next() else { return Ok(None) };
        if value.starts_with(b"-") || value == b"?" {
            return Ok(Some(None));
        }
        let mut response_ns = NO_RESPONSE;
        for field in fields {
            if let Some(text) = field.strip_prefix(b"<").and_then(|field| field.strip_suffix(b">")) {
                response_ns = response("time in the call", text, 9)?;
            }
        }
        Ok(Some(Some(Self { value: unsigned("result", value)?, response_ns })))
    }
}

/// The name of a call, and what stands behind its parenthesis.
fn name_of(text: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b'(', text) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (b"", b""),
    }
}

/// The arguments up to the closing parenthesis (or the fields up to the closing brace), and what stands behind it. Commas
/// and brackets inside strings, structures and names of files do not count.
fn parts(text: &[u8]) -> ([&[u8]; PARTS], &[u8]) {
    let mut found: [&[u8]; PARTS] = [b""; PARTS];
    let (mut count, mut from, mut depth, mut at) = (0, 0, 0_usize, 0);
    while at < text.len() {
        match text[at] {
            b'"' => at += quoted(&text[at..]),
            // Names of files stand behind the number of the descriptor; strace writes a > in them as \76.
            b'<' if at > 0 && text[at - 1].is_ascii_digit() => {
                at += memchr::memchr(b'>', &text[at..]).unwrap_or(0);
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => {
                if count < PARTS {
                    found[count] = text[from..at].trim_ascii();
                }
                return (found, &text[at + 1..]);
            }
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                if count < PARTS {
                    found[count] = text[from..at].trim_ascii();
                    count += 1;
                }
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    (found, b"")
}

/// Bytes of a string in front of its closing quotation mark.
fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at.min(text.len())
}

/// Direction, bytes, offset and file of one request.
type Submitted<'a> = (Op, u64, u64, &'a [u8]);

/// Takes the next `{...}` off a list of requests.
fn submitted<'a>(list: &mut &'a [u8]) -> Result<Option<Submitted<'a>>, Fault> {
    let Some(begin) = memchr::memchr(b'{', list) else {
        let text: &[u8] = list;
        return if text.trim_ascii().starts_with(b"...") {
            Err("io_submit without all of its requests; record with strace -v".into())
        } else {
            Ok(None)
        };
    };
    let (fields, rest) = parts(&list[begin + 1..]);
    *list = rest;
    let (mut op, mut size, mut offset, mut name): (_, _, _, &[u8]) = (None, None, None, b"");
    for field in fields {
        let (key, value) = match memchr::memchr(b'=', field) {
            Some(at) => (&field[..at], &field[at + 1..]),
            None => (&b""[..], field), // older versions write the command alone
        };
        match key.strip_prefix(b"aio_").unwrap_or(key) {
            b"lio_opcode" | b"" => op = command(value).or(op),
            b"nbytes" => size = Some(unsigned("nbytes", value)?),
            b"offset" => offset = Some(unsigned("offset", value)?),
            b"fildes" => name = file(value),
            b"buf" if value.starts_with(b"[") => size = Some(vector(value)?),
            _ => {}
        }
    }
    match (op, size, offset) {
        (Some(Op::Flush), ..) => Ok(Some((Op::Flush, 0, 0, name))),
        (Some(op), Some(size), Some(offset)) => Ok(Some((op, size, offset, name))),
        _ => Err("io_submit with a request without command, nbytes or offset".into()),
    }
}

fn command(text: &[u8]) -> Option<Op> {
    match text.strip_prefix(b"IOCB_CMD_").unwrap_or(text) {
        b"PREAD" | b"PREADV" | b"pread" | b"preadv" => Some(Op::Read),
        b"PWRITE" | b"PWRITEV" | b"pwrite" | b"pwritev" => Some(Op::Write),
        b"FSYNC" | b"FDSYNC" | b"fsync" | b"fdsync" => Some(Op::Flush),
        _ => None,
    }
}

/// The sum of all `iov_len=` of a vector.
fn vector(text: &[u8]) -> Result<u64, Fault> {
    let mut sum = 0_u64;
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'{', rest) {
        let (fields, behind) = parts(&rest[at + 1..]);
        for length in fields.iter().filter_map(|field| field.strip_prefix(b"iov_len=")) {
            sum = sum.saturating_add(unsigned("iov_len", length)?);
        }
        rest = behind;
    }
    Ok(sum)
}

/// The name in `6</dev/sdb>`, or the number alone; of a long one the end.
fn file(descriptor: &[u8]) -> &[u8] {
    let name = memchr::memchr(b'<', descriptor)
        .and_then(|at| descriptor[at + 1..].strip_suffix(b">"))
        .unwrap_or(descriptor);
    &name[name.len().saturating_sub(MAX_NAME)..]
}

impl Decoder for Strace {
    fn next(&mut self, input: &mut Input, names: &mut Names) -> Result<Option<Entry>, TraceError> {
        loop {
            if let Some(raw) = self.waiting.pop_front() {
                return Ok(Some((self.place, Ok(raw))));
            }
            let Some(line) = input.next_line()? else { return Ok(None) };
            if sample::is_comment(line) {
                continue;
            }
            let said = self.line(line, names);
            self.place = input.line();
            if let Err(fault) = said {
                self.waiting.clear();
                return Ok(Some((self.place, Err(fault))));
            }
        }
    }

    fn remark(&self) -> Option<String> {
        (self.without_offset > 0).then(|| {
            format!(
                "{} calls of read or write, which do not say their offset, were passed over",
                self.without_offset
            )
        })
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec!["offsets are those in the file, not on a device".to_owned()];
        notes.extend(self.remark());
        if self.failed > 0 {
            notes.push(format!("{} calls that failed were passed over", self.failed));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    fn read(text: &str) -> Result<(Vec<Raw>, Names, Strace), String> {
        let (mut strace, mut names) = (Strace::default(), Names::default());
        let mut raws = Vec::new();
        for line in text.lines() {
            strace.line(line.as_bytes(), &mut names).map_err(|fault| fault.said())?;
            raws.extend(strace.waiting.drain(..));
        }
        Ok((raws, names, strace))
    }

    fn short(raws: &[Raw]) -> Vec<(u64, Op, u64, u64, i64)> {
        raws.iter().map(|r| (r.time_ns % 1_000_000_000, r.op, r.offset, r.size, r.response_ns)).collect()
    }

    #[test]
    fn calls_with_an_offset() {
        let text = "\
19112 1795273582.590647 openat(AT_FDCWD, \"/lib/x, (y)\", O_RDONLY) = 3</lib/x> <0.000164>
19116 1795273582.000776 pread64(6</dev/loop0>, \"a\\\"),\\\\\"..., 8192, 16187392) = 8192 <0.000245>
19116 1795273582.001000 pwritev(7</srv/a, (b)>, [{iov_base=\"\"..., iov_len=512}, {iov_base=\"\", iov_len=512}], 2, 4096) = 1024
19116 1795273582.002000 pread64(6</dev/loop0>, \"\", 8192, 99) = 0 <0.000005>
19116 1795273582.003000 pwrite64(6</dev/loop0>, \"\"..., 512, 0) = -1 EIO (Input/output error) <0.000010>
19116 1795273582.004000 fdatasync(6</dev/loop0>) = 0 <0.000310>
19116 1795273582.005000 read(6</dev/loop0>, \"\"..., 512) = 512 <0.000010>
19116 1795273582.006000 --- SIGCHLD {si_signo=SIGCHLD} ---
19116 1795273582.007000 +++ exited with 0 +++
";
        let (raws, names, strace) = read(text).unwrap();
        assert_eq!(
            short(&raws),
            [
                (776_000, Op::Read, 16_187_392, 8192, 245_000),
                (1_000_000, Op::Write, 4096, 1024, NO_RESPONSE),
                (4_000_000, Op::Flush, 0, 0, 310_000),
            ]
        );
        assert_eq!(names.devices.names(), ["/dev/loop0", "/srv/a, (b)"]);
        assert_eq!((strace.without_offset, strace.failed), (1, 1));
    }

    #[test]
    fn calls_that_others_interrupt() {
        let text = "\
[pid 7] 10.000100 pread64(6</a>,  <unfinished ...>
[pid 8] 10.000200 pwrite64(6</a>, \"\"..., 4096, 8192 <unfinished ...>
[pid 9] 10.000300 futex(0x7f, FUTEX_WAIT <unfinished ...>
[pid 9] 10.000400 <... futex resumed>) = 0
[pid 8] 10.000500 <... pwrite64 resumed>) = 4096 <0.0003>
[pid 7] 10.000600 <... pread64 resumed>\"\"..., 512, 1024) = 512 <0.0005>
[pid 5] 10.000700 <... pread64 resumed>\"\"..., 512, 1024) = 512 <0.0005>
";
        let (raws, names, strace) = read(text).unwrap();
        let expected = [(200_000, Op::Write, 8192, 4096, 300_000), (100_000, Op::Read, 1024, 512, 500_000)];
        assert_eq!(short(&raws), expected);
        assert_eq!(
            raws.iter().map(|r| &names.streams.names()[r.stream as usize][..]).collect::<Vec<_>>(),
            ["8", "7"]
        );
        assert_eq!((strace.kept, strace.begun.len()), (0, 0));
    }

    #[test]
    fn each_request_of_an_io_submit() {
        let text = "\
1 5.0 io_submit(0x7f, 3, [{aio_data=0, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=7</d>, aio_buf=\"\"..., aio_nbytes=8192, aio_offset=16384}, \
{aio_lio_opcode=IOCB_CMD_PWRITEV, aio_fildes=7</d>, aio_buf=[{iov_base=\"\", iov_len=512}, {iov_base=\"\", iov_len=1024}], aio_offset=0}, \
{aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=7</d>}]) = 3 <0.00001>
1 5.1 io_submit(140, 2, [{data=0, pwrite, fildes=7, str=\"offset=1\", nbytes=512, offset=9216}, {pread, fildes=7, nbytes=1, offset=2}]) = 1
";
        let (raws, names, _) = read(text).unwrap();
        let got: Vec<_> = raws.iter().map(|r| (r.op, r.offset, r.size)).collect();
        assert_eq!(
            got,
            [(Op::Read, 16_384, 8192), (Op::Write, 0, 1536), (Op::Flush, 0, 0), (Op::Write, 9216, 512)]
        );
        assert_eq!(names.devices.names(), ["/d", "7"]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |line: &str| read(line).err().unwrap();
        assert!(wrong("12:00:01.5 pread64(3, \"\", 1, 2) = 1").contains("strace -ttt"));
        assert!(wrong("pread64(3, \"\", 1, 2) = 1").contains("strace -ttt"));
        assert!(wrong("1 5.0 pread64(3, \"\", 1").contains("ends before its result"));
        assert!(wrong("1 5.0 pread64(3, \"\", 1, x) = 1").contains("offset is 'x'"));
        assert!(wrong("1 5.0 io_submit(0x7f, 1, [...]) = 1").contains("strace -v"));
        assert!(wrong("1 5.0 io_submit(0x7f, 1, 0x7ffd) = 1").contains("strace -v"));
        assert!(wrong("1 5.0 io_submit(0x7f, 1, [{aio_nbytes=1}]) = 1").contains("without command"));
        assert!(wrong("1 5.0 <... pread64 resumed").contains("which call"));
    }

    #[test]
    fn what_never_ends_is_bounded() {
        let mut strace = Strace::default();
        let text = vec![b'x'; 1 << 20];
        let kept =
            (0..100).map(|i: u32| strace.keep(i.to_string().as_bytes(), 0, &text)).find(Result::is_err);
        assert!(kept.unwrap().unwrap_err().fatal);
    }
}
