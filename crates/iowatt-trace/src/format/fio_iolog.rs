//! fio's I/O logs, versions 2 and 3 (`fio version 2 iolog` in the first line); version 1 has no first line and is dead.
//!
//! Version 2: `file action [offset length]`, with the actions add, open, close (no request), read, write, sync, datasync, trim, and
//! `file wait us`, a pause of so many microseconds from the previous one; fio ignores those below 100 us, and so does
//! this reader. What fio itself writes in version 2 has no waits: such a log is an order without times, and takes
//! a rate. Version 3 puts a stamp in **microseconds** from the start before each line and has no waits. Offsets and lengths
//! are in bytes; each file is a device.

use crate::error::{Code, Fault, TraceError};
use crate::format::fields::{Blanks, unsigned};
use crate::format::pace::Pace;
use crate::format::{Clock, Decoder, Entry, Format, LineFormat, Lines, Raw, Sample};
use crate::input::Input;
use crate::names::Names;
use crate::number::excerpt;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};
use crate::spec::TraceSpec;

/// fio iolog.
pub static FORMAT: Format = Format {
    name: "fio-iolog",
    title: "fio I/O log, versions 2 and 3",
    columns: "v3: time(us) file action [offset(bytes) length(bytes)]; v2: the same without time, and file wait us",
    clock: Clock::Relative,
    order_tolerance_s: 0.001,
    block_bytes: None,
    options: &["rate_iops"],
    recognise: |sample: &Sample<'_>| {
        sample.lines.first().is_some_and(|line| line.starts_with(b"fio version "))
    },
    decoder: |spec| Ok(Box::new(FioIolog { spec: spec.clone(), log: None })),
};

/// Bytes in which the waits of a version 2 log are looked for.
const LOOKED_AT: usize = 1 << 20;
/// fio does not wait for less.
const LEAST_WAIT_US: u64 = 100;

struct FioIolog {
    spec: TraceSpec,
    log: Option<Lines<Log>>,
}

impl Decoder for FioIolog {
    fn next(&mut self, input: &mut Input, names: &mut Names) -> Result<Option<Entry>, TraceError> {
        if self.log.is_none() {
            let head = input.peek(LOOKED_AT)?;
            let head = &head[..head.len().min(LOOKED_AT)];
            let clock = clock(head, &self.spec).map_err(|fault| TraceError::unusable(input.file(), fault))?;
            self.log = Some(Lines(Log { clock, actions: 0, short_waits: 0 }));
        }
        self.log.as_mut().map_or(Ok(None), |log| log.next(input, names))
    }

    fn remark(&self) -> Option<String> {
        self.log.as_ref().and_then(Decoder::remark)
    }

    fn notes(&self) -> Vec<String> {
        self.log.as_ref().map(Decoder::notes).unwrap_or_default()
    }

    fn untimed(&self) -> bool {
        self.log.as_ref().is_some_and(Decoder::untimed)
    }
}

/// Where stamps come from.
enum Stamps {
    /// The line's own (version 3).
    Column,
    /// The sum of the waits so far, nanoseconds (version 2).
    Waits(u64),
    /// Version 2 without waits.
    Pace(Pace),
}

/// Version and waits, from the first bytes.
fn clock(head: &[u8], spec: &TraceSpec) -> Result<Stamps, Fault> {
    let first = head
        .split(|&b| b == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !crate::format::sample::is_comment(line))
        .unwrap_or_default();
    let timed = match first {
        b"fio version 3 iolog" => Stamps::Column,
        b"fio version 2 iolog" if memchr::memmem::find(head, b" wait ").is_some() => Stamps::Waits(0),
        b"fio version 2 iolog" => {
            let pace = Pace::new(spec, "this version 2 log has no waits (fio itself writes none), so")?;
            return Ok(Stamps::Pace(pace));
        }
        _ => {
            let reason = format!(
                "the log begins with '{}'; 'fio version 2 iolog' and 'fio version 3 iolog' are read (version 1 has no such line)",
                excerpt(first)
            );
            return Err(Fault::new(Code::WrongFormat, reason));
        }
    };
    match spec.rate_iops {
        Some(_) => {
            Err(Fault::new(Code::NotApplicable, "rate_iops does not apply: this log has times of its own"))
        }
        None => Ok(timed),
    }
}

struct Log {
    clock: Stamps,
    /// add, open and close.
    actions: u64,
    short_waits: u64,
}

impl LineFormat for Log {
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        if line.starts_with(b"fio version ") {
            return Ok(None);
        }
        let mut fields = Blanks(line);
        let mut next = |column: &str| {
            fields.next().ok_or_else(|| Fault::from(format!("'{}' ends before its {column}", excerpt(line))))
        };
        let stamp_us = match self.clock {
            Stamps::Column => Some(unsigned("time", next("time")?)?),
            _ => None,
        };
        let (file, action) = (next("file")?, next("action")?);
        let op = match action {
            b"add" | b"open" | b"close" => {
                self.actions += 1;
                return Ok(None);
            }
            b"wait" => {
                self.wait(unsigned("wait", next("microseconds")?)?)?;
                return Ok(None);
            }
            b"read" => Op::Read,
            b"write" => Op::Write,
            b"trim" => Op::Trim,
            b"sync" | b"datasync" => Op::Flush,
            _ => {
                return Err(format!(
                    "action '{}'; add, open, close, read, write, trim, sync, datasync and wait are accepted",
                    excerpt(action)
                )
                .into());
            }
        };
        let (offset, size) = match op {
            Op::Flush => (0, 0),
            _ => (unsigned("offset", next("offset")?)?, unsigned("length", next("length")?)?),
        };
        let device = names.devices.id(file)?;
        let time_ns = match (&mut self.clock, stamp_us) {
            (_, Some(us)) => us.checked_mul(1000).ok_or_else(|| {
                Fault::out_of_range(format!("time {us} us does not fit in 64 bits of nanoseconds"))
            })?,
            (Stamps::Waits(ns), None) => *ns,
            (Stamps::Pace(pace), None) => pace.next_ns(),
            (Stamps::Column, None) => 0,
        };
        Ok(Some(Raw { time_ns, offset, size, response_ns: NO_RESPONSE, device, stream: NO_STREAM, op }))
    }

    fn remark(&self) -> Option<String> {
        (self.actions > 0).then(|| format!("{} add, open and close actions were passed over", self.actions))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![match &self.clock {
            Stamps::Column => "version 3: times in microseconds".to_owned(),
            Stamps::Waits(_) => "version 2: times are the sums of the waits".to_owned(),
            Stamps::Pace(pace) => format!("version 2 without waits; {}", pace.note()),
        }];
        notes.extend(self.remark());
        if self.short_waits > 0 {
            notes.push(format!(
                "{} waits below {LEAST_WAIT_US} us were ignored, as fio does",
                self.short_waits
            ));
        }
        notes
    }

    fn untimed(&self) -> bool {
        matches!(&self.clock, Stamps::Pace(pace) if pace.untimed())
    }
}

impl Log {
    fn wait(&mut self, us: u64) -> Result<(), Fault> {
        match &mut self.clock {
            Stamps::Column => Err("a wait in a version 3 log, whose lines have times of their own".into()),
            Stamps::Waits(_) if us < LEAST_WAIT_US => {
                self.short_waits += 1;
                Ok(())
            }
            Stamps::Waits(ns) => {
                *ns = us.checked_mul(1000).and_then(|wait| ns.checked_add(wait)).ok_or_else(|| {
                    Fault::out_of_range("the sum of the waits does not fit in 64 bits of nanoseconds")
                })?;
                Ok(())
            }
            Stamps::Pace(_) => Err(Fault::fatal(
                Code::Unsupported,
                format!(
                    "the first wait comes after {LOOKED_AT} bytes without any, too late to be taken for the log's clock"
                ),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    const V3: &str = "fio version 3 iolog\n89 /srv/t.dat add\n284 /srv/t.dat open\n291 /srv/t.dat read 4046848 12288\n\
                      642 /srv/u.dat write 512 1000\n700 /srv/t.dat datasync 0 0\n710 /srv/t.dat trim 0 4096\n720 /srv/t.dat close\n";
    const V2: &str = "fio version 2 iolog\nt add\nt open\nt read 0 4096\nt wait 1500 0\nt write 4096 512\nt wait 99 0\nt wait 100 0\n\
                      t sync 0 0\nt close\n";

    fn parse(text: &str, change: impl FnOnce(&mut TraceSpec)) -> Result<(Vec<Raw>, Names, Log), String> {
        let mut spec = TraceSpec::new("x");
        change(&mut spec);
        let mut log = Log {
            clock: clock(text.as_bytes(), &spec).map_err(|fault| fault.said())?,
            actions: 0,
            short_waits: 0,
        };
        let (mut names, mut raws) = (Names::default(), Vec::new());
        for line in text.lines() {
            raws.extend(log.parse(line.as_bytes(), &mut names).map_err(|fault| fault.said())?);
        }
        Ok((raws, names, log))
    }

    fn seen(raws: &[Raw]) -> Vec<(u64, Op, u64, u64)> {
        raws.iter().map(|r| (r.time_ns, r.op, r.offset, r.size)).collect()
    }

    #[test]
    fn version_3_has_microseconds() {
        let (raws, names, log) = parse(V3, |_| ()).unwrap();
        let expected = [
            (291_000, Op::Read, 4_046_848, 12_288),
            (642_000, Op::Write, 512, 1000),
            (700_000, Op::Flush, 0, 0),
            (710_000, Op::Trim, 0, 4096),
        ];
        assert_eq!(seen(&raws), expected);
        assert_eq!(names.devices.names(), ["/srv/t.dat", "/srv/u.dat"]);
        assert_eq!(log.actions, 3);
    }

    #[test]
    fn version_2_adds_up_its_waits_but_the_short_ones() {
        let (raws, _, log) = parse(V2, |_| ()).unwrap();
        let expected =
            [(0, Op::Read, 0, 4096), (1_500_000, Op::Write, 4096, 512), (1_600_000, Op::Flush, 0, 0)];
        assert_eq!(seen(&raws), expected);
        assert_eq!(log.short_waits, 1);
    }

    #[test]
    fn version_2_without_waits_is_an_order() {
        let text = "fio version 2 iolog\nt add\nt read 0 512\nt read 512 512\n";
        assert!(parse(text, |_| ()).err().unwrap().starts_with("missing: this version 2 log has no waits"));
        let (raws, ..) = parse(text, |spec| spec.rate_iops = Some(1000.0)).unwrap();
        assert_eq!(raws.iter().map(|r| r.time_ns).collect::<Vec<_>>(), [0, 1_000_000]);
        let (raws, _, log) = parse(text, |spec| spec.order_only = true).unwrap();
        assert!(raws.iter().all(|r| r.time_ns == 0) && log.untimed());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = |text: &str| parse(text, |_| ()).err().unwrap();
        assert!(said("0,4096,4096\n").starts_with("wrong-format: "));
        assert!(
            said("fio version 3 iolog\n1 t read 0\n")
                .starts_with("damaged: '1 t read 0' ends before its length")
        );
        assert!(said("fio version 3 iolog\n1 t peek 0 1\n").starts_with("damaged: action 'peek'"));
        assert!(
            said("fio version 3 iolog\n1 t wait 100 0\n").starts_with("damaged: a wait in a version 3 log")
        );
        assert!(said("fio version 3 iolog\nt read 0 512\n").starts_with("bad-syntax: time is 't'"));
        assert!(
            parse(V3, |spec| spec.rate_iops = Some(1.0))
                .err()
                .unwrap()
                .starts_with("not-applicable: rate_iops")
        );
    }
}
