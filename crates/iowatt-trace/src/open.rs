//! Opening: from a spec to a checked source, over a file, any reader, or rows that Python hands in.

use std::io::Read;
use std::thread::available_parallelism;

use crate::ahead::Ahead;
use crate::check::{Checked, Habits};
use crate::error::{Code, Fault, TraceError};
use crate::format::blktrace::{self, Recording};
use crate::format::{self, Decoder, Entry, Format, Raw, Records};
use crate::input::{self, Input};
use crate::names::Names;
use crate::request::Source;
use crate::spec::TraceSpec;
use crate::transform;

/// Opens the trace that `spec` describes.
///
/// # Errors
/// The file is missing, empty or in no known format, or an option does not apply. What is wrong
/// further on is said by [`Source::fill`].
pub fn open(spec: &TraceSpec) -> Result<Box<dyn Source>, TraceError> {
    transform::assemble(spec, &mut || open_parts(spec), &mut || Ok(()))
}

/// The same, read `limit` requests at a time; where a part of it is compressed, all is decoded ahead, on a thread of its own
/// ([`Ahead`]), if there is a second core for it.
///
/// Plain text is decoded in line: it is a small part of a simulation, and a thread would cost more processor time
/// to save it, on a core that a second scenario may want.
///
/// # Errors
/// As [`open`].
pub fn open_ahead(spec: &TraceSpec, limit: usize) -> Result<Box<dyn Source>, TraceError> {
    let source = open(spec)?;
    let files = if spec.parts.is_empty() { std::slice::from_ref(spec) } else { &spec.parts[..] };
    let pays = files.iter().any(|file| input::is_compressed(&file.path))
        && available_parallelism().is_ok_and(|cores| cores.get() > 1);
    Ok(if pays { Box::new(Ahead::new(source, limit)) } else { source })
}

/// The traces that make up the one of `spec`, each by itself.
///
/// # Errors
/// As [`open`].
pub fn open_parts(spec: &TraceSpec) -> Result<Vec<Box<dyn Source>>, TraceError> {
    match &spec.parts[..] {
        [] => Ok(vec![open_file(&transform::decoded(spec))?]),
        parts => parts.iter().map(open).collect(),
    }
}

/// The same as [`open`] from a reader; `spec.path` only names it.
///
/// # Errors
/// As [`open`], and where the trace would have to be read twice.
pub fn from_reader(reader: Box<dyn Read + Send>, spec: &TraceSpec) -> Result<Box<dyn Source>, TraceError> {
    let mut reader = Some(reader);
    let mut parts = || {
        let reader = reader.take().ok_or_else(|| read_once(spec))?;
        let spec = &transform::decoded(spec);
        Ok(vec![decode(Input::from_reader(spec.file(), reader, None)?, spec)?])
    };
    transform::assemble(spec, &mut parts, &mut || Ok(()))
}

/// What can be read once only would have to be read again.
pub(crate) fn read_once(spec: &TraceSpec) -> TraceError {
    let reason = "it must be read twice, and can be read only once; put the trace in a file";
    TraceError::unusable(spec.file(), Fault::new(Code::ReadOnce, reason))
}

fn open_file(spec: &TraceSpec) -> Result<Box<dyn Source>, TraceError> {
    if spec.format.as_deref().is_none_or(|name| name == blktrace::FORMAT.name) {
        let files = blktrace::recording(&spec.path);
        if !files.is_empty() {
            format::refuse_misplaced(spec, &blktrace::FORMAT)?;
            let habits = habits(&blktrace::FORMAT, spec);
            return Ok(Box::new(Checked::new(Recording::open(&files, spec)?, spec, habits)?));
        }
    }
    decode(Input::open(spec)?, spec)
}

fn decode(mut input: Input, spec: &TraceSpec) -> Result<Box<dyn Source>, TraceError> {
    let format = format::choose(spec, &mut input)?;
    let decoder = (format.decoder)(spec).map_err(|fault| TraceError::unusable(spec.file(), fault))?;
    let mut assumed = format::assumptions(format, spec);
    if format.name == blktrace::FORMAT.name {
        assumed.extend(blktrace::partial(&spec.path));
    }
    let records = FileRecords { input, decoder, names: Names::default(), assumed };
    Ok(Box::new(Checked::new(records, spec, habits(format, spec))?))
}

fn habits(format: &Format, spec: &TraceSpec) -> Habits {
    Habits {
        format: format.name,
        detected: spec.format.is_none(),
        clock: format.clock,
        order_tolerance_s: format.order_tolerance_s,
    }
}

struct FileRecords {
    input: Input,
    decoder: Box<dyn Decoder>,
    names: Names,
    /// What the choice of the format and its options takes for granted.
    assumed: Vec<String>,
}

impl Records for FileRecords {
    #[inline]
    fn next(&mut self) -> Result<Option<Entry>, TraceError> {
        self.decoder.next(&mut self.input, &mut self.names)
    }

    fn run(&mut self, out: &mut Vec<Raw>, limit: usize) -> Result<u64, TraceError> {
        self.decoder.run(&mut self.input, &mut self.names, out, limit)
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn progress(&self) -> Option<f64> {
        self.input.progress()
    }

    fn remark(&self) -> Option<String> {
        self.decoder.remark()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.assumed.clone();
        notes.extend(self.decoder.notes());
        notes
    }

    fn warnings(&self) -> Vec<String> {
        self.decoder.warnings()
    }

    fn untimed(&self) -> bool {
        self.decoder.untimed()
    }
}
