//! Opening: from a spec to a checked source, over a file, any reader, or rows that Python hands in.

use std::io::Read;
use std::thread::available_parallelism;

use crate::ahead::Ahead;
use crate::check::{Checked, Habits, Records};
use crate::error::TraceError;
use crate::format::{self, Decoder, Entry};
use crate::input::Input;
use crate::names::Names;
use crate::request::Source;
use crate::spec::TraceSpec;

/// Opens the trace that `spec` describes.
///
/// # Errors
/// The file is missing, empty or in no known format, or an option does not apply. What is wrong
/// further on is said by [`Source::fill`].
pub fn open(spec: &TraceSpec) -> Result<Box<dyn Source>, TraceError> {
    decode(Input::open(spec)?, spec)
}

/// The same, read `limit` requests at a time; what is compressed is decoded ahead, on a thread of its own ([`Ahead`]),
/// where there is a second core for it.
///
/// Plain text is decoded in line: it is a small part of a simulation, and a thread would cost more processor time
/// to save it, on a core that a second scenario may want.
///
/// # Errors
/// As [`open`].
pub fn open_ahead(spec: &TraceSpec, limit: usize) -> Result<Box<dyn Source>, TraceError> {
    let input = Input::open(spec)?;
    let pays = input.is_compressed() && available_parallelism().is_ok_and(|cores| cores.get() > 1);
    let source = decode(input, spec)?;
    Ok(if pays { Box::new(Ahead::new(source, limit)) } else { source })
}

/// The same as [`open`] from a reader; `spec.path` only names it.
///
/// # Errors
/// As [`open`].
pub fn from_reader(reader: Box<dyn Read + Send>, spec: &TraceSpec) -> Result<Box<dyn Source>, TraceError> {
    decode(Input::from_reader(spec.file(), reader, None)?, spec)
}

fn decode(mut input: Input, spec: &TraceSpec) -> Result<Box<dyn Source>, TraceError> {
    let format = format::choose(spec, &mut input)?;
    let decoder = (format.decoder)(spec)
        .map_err(|reason| TraceError::Unusable { file: spec.file().to_owned(), reason })?;
    let records = FileRecords { input, decoder, names: Names::default() };
    let habits = Habits {
        format: format.name,
        detected: spec.format.is_none(),
        clock: format.clock,
        order_tolerance_s: format.order_tolerance_s,
    };
    Ok(Box::new(Checked::new(records, spec, habits)?))
}

struct FileRecords {
    input: Input,
    decoder: Box<dyn Decoder>,
    names: Names,
}

impl Records for FileRecords {
    #[inline]
    fn next(&mut self) -> Result<Option<Entry>, TraceError> {
        self.decoder.next(&mut self.input, &mut self.names)
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
}
