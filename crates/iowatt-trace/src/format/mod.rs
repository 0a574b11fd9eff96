//! The formats, one file each, and the seam between them and the rest.
//!
//! A format is a file with `pub static FORMAT: Format` (name, what it counts in, which options apply, how to recognise it,
//! how to build its decoder) and a line of [`FORMATS`]. A text format implements [`LineFormat`] (one line in, at most one
//! [`Raw`] out) and wraps itself in [`Lines`], which handles comments, blank lines, line numbers, CRLF and over-long lines. It
//! may read the plain form of its lines a second way, in one pass and without looking for their ends first
//! ([`LineFormat::plain`]); `agreement` holds both ways to the same records and errors. A binary format implements [`Decoder`] itself (`vscsi` is one; `binary` takes records of a fixed size and places faults by
//! record and byte). CONTRIBUTING.md lists the other places of a new format.
//!
//! A format only decodes. Order, sizes, limits, device selection, skipping and counting are the business
//! of [`crate::Checked`], so that they mean the same for every format.
//!
//! Policy for text: blank lines and lines whose first non-blank is `#` carry no request.

#[cfg(test)]
mod agreement;
mod alibaba;
mod arc;
pub(crate) mod binary;
mod blkparse;
pub(crate) mod blktrace;
mod columns;
mod csv;
mod disksim_ascii;
mod disksim_validate;
mod etw;
mod fields;
mod fio_iolog;
mod fiu;
mod hp_srt;
mod lcs;
mod lirs;
mod mqsim;
mod msr;
mod oracle_general;
mod pace;
mod perf;
mod regex;
mod sample;
mod spc;
mod strace;
mod systor;
mod tencent;
mod vscsi;

use serde::Serialize;

use crate::error::{Code, Fault, TraceError};
use crate::front::Front;
use crate::input::Input;
use crate::names::Names;
use crate::request::Op;
use crate::spec::{Event, TraceSpec};

pub use sample::Sample;

/// Every format that is read from bytes, in the order in which detection asks them.
pub static FORMATS: &[&Format] = &[
    &disksim_ascii::FORMAT,
    &disksim_validate::FORMAT,
    &hp_srt::FORMAT,
    &spc::FORMAT,
    &msr::FORMAT,
    &fiu::FORMAT,
    &blkparse::FORMAT,
    &blktrace::FORMAT,
    &perf::FORMAT,
    &strace::FORMAT,
    &fio_iolog::FORMAT,
    &alibaba::FORMAT,
    &tencent::FORMAT,
    &systor::FORMAT,
    &vscsi::FORMAT,
    &oracle_general::FORMAT,
    &lcs::FORMAT,
    &arc::FORMAT,
    &lirs::FORMAT,
    &mqsim::FORMAT,
    &etw::FORMAT,
    &csv::FORMAT,
    &regex::FORMAT,
];

/// What the rest of the crate needs to know about a format.
#[derive(Debug)]
pub struct Format {
    /// The name that users write.
    pub name: &'static str,
    /// Where it comes from.
    pub title: &'static str,
    /// Columns with their units.
    pub columns: &'static str,
    /// What its stamps count from.
    pub clock: Clock,
    /// Steps back in time that its definition, or its practice, allows.
    pub order_tolerance_s: f64,
    /// Bytes of a block, where it counts blocks and `sector_bytes` may say otherwise.
    pub block_bytes: Option<u64>,
    /// Keys of [`TraceSpec`] that mean something to it, beyond those that always do.
    pub options: &'static [&'static str],
    /// Whether the first bytes look like it.
    pub recognise: fn(&Sample<'_>) -> bool,
    /// Builds its decoder, or says which option is wrong.
    pub decoder: fn(&TraceSpec) -> Result<Box<dyn Decoder>, Fault>,
}

/// What a format's stamps count from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The start of the trace: kept as they are.
    Relative,
    /// Nanoseconds since 1601-01-01 UTC: rebased to the first request.
    Filetime,
    /// An arbitrary zero (the system's start, say): rebased to the first request.
    Arbitrary,
    /// Unix time, and so rebased, where the first stamp is past 2001-09-09 (10^9 s); else relative.
    UnixIfLate,
}

/// A record as the format says it, before any check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    /// Stamp in nanoseconds on the format's clock.
    pub time_ns: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Response time, or [`crate::NO_RESPONSE`].
    pub response_ns: i64,
    /// Index into [`Names::devices`].
    pub device: u32,
    /// Index into [`Names::streams`], or [`crate::NO_STREAM`].
    pub stream: u32,
    /// Direction.
    pub op: Op,
}

/// One record of the input: where it is, and what it says or why it says nothing.
pub type Entry = (u64, Result<Raw, Fault>);

/// Records one by one, unchecked: a file through its decoder, or rows that Python hands in.
pub trait Records: Send {
    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read further.
    fn next(&mut self) -> Result<Option<Entry>, TraceError>;
    /// Appends at most `limit` records that decode, up to the first that does not, and returns the place of the first of
    /// them; their places follow each other. May append none wherever [`Self::next`] would do as well.
    ///
    /// # Errors
    /// The input cannot be read further.
    fn run(&mut self, _out: &mut Vec<Raw>, _limit: usize) -> Result<u64, TraceError> {
        Ok(0)
    }
    /// Names used so far.
    fn names(&self) -> &Names;
    /// Fraction consumed, where known.
    fn progress(&self) -> Option<f64>;
    /// What was passed over that explains a trace without requests.
    fn remark(&self) -> Option<String> {
        None
    }
    /// What was assumed and what was passed over so far.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
    /// What makes the requests a doubtful load.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
    /// Whether there are no times, so that all stamps are 0.
    fn untimed(&self) -> bool {
        false
    }
}

/// Turns bytes into records. Implemented once for all line formats and by each binary format.
pub trait Decoder: Send {
    /// The next record, `None` at the end of the input.
    ///
    /// # Errors
    /// The input cannot be read further. A record that does not decode is no such error: it comes
    /// back inside the [`Entry`], and the decoder goes on behind it when asked again.
    fn next(&mut self, input: &mut Input, names: &mut Names) -> Result<Option<Entry>, TraceError>;

    /// Appends records that decode, up to the first that does not, and returns the number of the first of them; their numbers
    /// follow each other. A format need not: it saves the way through [`Self::next`] where records are cheap to decode.
    ///
    /// # Errors
    /// The input cannot be read further.
    fn run(
        &mut self,
        _input: &mut Input,
        _names: &mut Names,
        _out: &mut Vec<Raw>,
        _limit: usize,
    ) -> Result<u64, TraceError> {
        Ok(0)
    }

    /// What the format passed over that explains a trace without requests.
    fn remark(&self) -> Option<String> {
        None
    }

    /// What was assumed and what was passed over so far, for the import summary.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// What makes the requests a doubtful load, in sentences.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether the trace records no times, so that all stamps are 0.
    fn untimed(&self) -> bool {
        false
    }
}

/// A text format with one record per line.
pub(crate) trait LineFormat: Send {
    /// Decodes one line, its ending removed; `Ok(None)` where it carries no request.
    ///
    /// # Errors
    /// What is wrong with the line and what would be accepted.
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault>;

    /// Reads one line off the front of the input, its ending included, where it has the plain form in which nearly all lines
    /// come: what [`Self::parse`] would say of it, sooner. `None` leaves any other line to `parse`, and everything as it was.
    fn plain(&mut self, _front: &mut Front<'_>, _names: &mut Names) -> Option<Option<Raw>> {
        None
    }

    /// As [`Decoder::remark`].
    fn remark(&self) -> Option<String> {
        None
    }

    /// As [`Decoder::notes`].
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// As [`Decoder::warnings`].
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// As [`Decoder::untimed`].
    fn untimed(&self) -> bool {
        false
    }
}

/// The decoder of a line format.
#[derive(Debug)]
pub(crate) struct Lines<F>(pub F);

impl<F: LineFormat> Decoder for Lines<F> {
    fn next(&mut self, input: &mut Input, names: &mut Names) -> Result<Option<Entry>, TraceError> {
        while let Some(line) = input.next_line()? {
            if sample::is_comment(line) {
                continue;
            }
            match self.0.parse(line, names) {
                Ok(None) => {}
                Ok(Some(raw)) => return Ok(Some((input.line(), Ok(raw)))),
                Err(fault) => return Ok(Some((input.line(), Err(fault)))),
            }
        }
        Ok(None)
    }

    fn run(
        &mut self,
        input: &mut Input,
        names: &mut Names,
        out: &mut Vec<Raw>,
        limit: usize,
    ) -> Result<u64, TraceError> {
        let mut first = input.line() + 1;
        let (begin, mut lines) = (out.len(), 0);
        let text = input.peek(1)?;
        let mut rest = text;
        while out.len() - begin < limit {
            let Some(mut front) = Front::new(rest) else { break };
            let Some(found) = self.0.plain(&mut front, names) else { break };
            let Some(behind) = front.taken().and_then(|taken| rest.get(taken..)) else { break };
            rest = behind;
            lines += 1;
            match found {
                Some(raw) => out.push(raw),
                None if out.len() == begin => first += 1,
                None => break, // the numbers of a run follow each other
            }
        }
        let taken = text.len() - rest.len();
        input.consume_lines(taken, lines);
        Ok(first)
    }

    fn remark(&self) -> Option<String> {
        self.0.remark()
    }

    fn notes(&self) -> Vec<String> {
        self.0.notes()
    }

    fn warnings(&self) -> Vec<String> {
        self.0.warnings()
    }

    fn untimed(&self) -> bool {
        self.0.untimed()
    }
}

/// The format that the spec names, or the one that the first bytes look like.
///
/// # Errors
/// Unknown name, nothing recognised, or an option that does not apply to the format.
pub(crate) fn choose(spec: &TraceSpec, input: &mut Input) -> Result<&'static Format, TraceError> {
    let unusable = |fault: Fault| TraceError::unusable(spec.file(), fault);
    let format = match &spec.format {
        Some(name) => named(name).map_err(unusable)?,
        None if spec.columns.is_some() => &csv::FORMAT, // only its columns are said
        None => {
            let bytes = input.peek(sample::BYTES)?;
            sample::detect(&Sample::new(bytes)).map_err(unusable)?
        }
    };
    refuse_misplaced(spec, format)?;
    Ok(format)
}

/// # Errors
/// An option is given that does not apply to the format.
pub(crate) fn refuse_misplaced(spec: &TraceSpec, format: &Format) -> Result<(), TraceError> {
    match misplaced(spec, format) {
        None => Ok(()),
        Some(key) => {
            let reason = format!("{key} does not apply to the format {} ({})", format.name, format.columns);
            Err(TraceError::unusable(spec.file(), Fault::new(Code::NotApplicable, reason)))
        }
    }
}

fn named(name: &str) -> Result<&'static Format, Fault> {
    FORMATS.iter().copied().find(|format| format.name == name).ok_or_else(|| {
        if name == "parquet" {
            Fault::new(Code::Unsupported, "only the Python API reads the format parquet")
        } else {
            Fault::new(Code::UnknownName, format!("unknown format '{name}'; known are {}", known()))
        }
    })
}

/// The known names, for messages.
pub(crate) fn known() -> String {
    let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
    format!("{}, parquet", names.join(", "))
}

fn misplaced(spec: &TraceSpec, format: &Format) -> Option<&'static str> {
    let given = [
        ("columns", spec.columns.is_some()),
        ("time_unit", spec.time_unit.is_some()),
        ("sector_size", spec.sector_bytes.is_some()),
        ("event", spec.event.is_some()),
        ("pattern", spec.pattern.is_some()),
        ("rate_iops", spec.rate_iops.is_some()),
    ];
    given.into_iter().find(|(key, given)| *given && !format.options.contains(key)).map(|(key, _)| key)
}

/// What reading by `format` takes for granted, in sentences for the import summary.
pub(crate) fn assumptions(format: &Format, spec: &TraceSpec) -> Vec<String> {
    let mut said = Vec::new();
    match (format.block_bytes, spec.sector_bytes) {
        (Some(_), Some(given)) => said.push(format!("blocks of {given} bytes, as given")),
        (Some(usual), None) => {
            said.push(format!("blocks of {usual} bytes (the sector size is not in the trace)"))
        }
        (None, _) => {}
    }
    if format.options.contains(&"event") {
        let (event, given) = (spec.event.unwrap_or(usual_event(format)), spec.event.is_some());
        let meaning = match event {
            Event::Q => "the moment at which it was asked for",
            Event::D => "the moment at which it went to the device",
            Event::C => "the moment of its completion",
        };
        let choice = if given { ", as given" } else { "" };
        said.push(format!("event {event:?}{choice}: the stamp of a request is {meaning}"));
    }
    if format.clock == Clock::Arbitrary {
        said.push("stamps count from an arbitrary moment: time 0 is the first request".to_owned());
    }
    said
}

/// The event that is the request where none is named.
fn usual_event(format: &Format) -> Event {
    if format.name == perf::FORMAT.name { perf::USUAL } else { Event::default() }
}

/// One row of the list of formats.
#[derive(Debug, Serialize)]
pub struct FormatNote {
    /// The name that users write.
    pub name: &'static str,
    /// Where it comes from.
    pub title: &'static str,
    /// Columns with their units.
    pub columns: &'static str,
    /// Compressions that are seen through.
    pub compressions: &'static [&'static str],
    /// Default of `order_tolerance_s`.
    pub order_tolerance_s: f64,
    /// Keys of the spec that apply to it in particular.
    pub options: &'static [&'static str],
}

/// All formats, Parquet (which Python reads) included.
#[must_use]
pub fn formats() -> Vec<FormatNote> {
    let mut notes: Vec<_> = FORMATS
        .iter()
        .map(|format| FormatNote {
            name: format.name,
            title: format.title,
            columns: format.columns,
            compressions: &["none", "gzip", "zstd"],
            order_tolerance_s: format.order_tolerance_s,
            options: format.options,
        })
        .collect();
    notes.push(FormatNote {
        name: "parquet",
        title: "Parquet, read through Polars",
        columns: "time_ns device op offset(bytes) size(bytes) response_ns stream; or time_s op(R/W) lba(512 B) size(bytes) stream lat_us",
        compressions: &["inside the file"],
        order_tolerance_s: 0.001,
        options: &[],
    });
    notes
}
