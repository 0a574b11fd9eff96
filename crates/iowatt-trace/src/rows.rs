//! Rows in batches, as Python hands them in (Parquet through Polars): the same checks as for files.

use crate::check::{Checked, Habits};
use crate::error::{Code, Fault, TraceError};
use crate::format::{Clock, Entry, Raw, Records};
use crate::names::Names;
use crate::request::{NO_RESPONSE, NO_STREAM, Op, Source};
use crate::spec::TraceSpec;
use crate::transform;

/// A batch in columns. All columns have the same length; an empty optional one stands for its "none".
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Stamps in nanoseconds.
    pub time_ns: Vec<i64>,
    /// 0 read, 1 write, 2 trim, 3 flush.
    pub op: Vec<u8>,
    /// First byte.
    pub offset: Vec<u64>,
    /// Bytes.
    pub size: Vec<u32>,
    /// Device index, optional.
    pub device: Vec<u32>,
    /// Response time or -1, optional.
    pub response_ns: Vec<i64>,
    /// Stream index or 2^32-1, optional.
    pub stream: Vec<u32>,
    /// Names of the devices so far; numbers where left out.
    pub devices: Option<Vec<String>>,
    /// Names of the streams so far; numbers where left out.
    pub streams: Option<Vec<String>>,
}

/// Delivers the next batch, `None` at the end.
pub type NextBatch = Box<dyn FnMut() -> Result<Option<Rows>, TraceError> + Send>;

/// The trace of `spec` over batches. Places in errors are row numbers, from 1.
///
/// # Errors
/// An option does not apply or makes no sense, or the rows would have to be read twice.
pub fn from_rows(next: NextBatch, spec: &TraceSpec) -> Result<Box<dyn Source>, TraceError> {
    let mut next = Some(next);
    let mut parts = || {
        let next = next.take().ok_or_else(|| crate::open::read_once(spec))?;
        Ok(vec![checked_rows(next, &transform::decoded(spec))?])
    };
    transform::assemble(spec, &mut parts, &mut || Ok(()))
}

/// The rows by themselves, checked; what `spec` says of transformations is for [`crate::assemble`].
///
/// # Errors
/// A tolerance that is no time.
pub fn checked_rows(next: NextBatch, spec: &TraceSpec) -> Result<Box<dyn Source>, TraceError> {
    let records = RowRecords { next, rows: Rows::default(), at: 0, place: 0, names: Names::default() };
    let habits =
        Habits { format: "parquet", detected: false, clock: Clock::UnixIfLate, order_tolerance_s: 0.001 };
    Ok(Box::new(Checked::new(records, spec, habits)?))
}

struct RowRecords {
    next: NextBatch,
    rows: Rows,
    at: usize,
    place: u64,
    names: Names,
}

impl RowRecords {
    fn take(&mut self, rows: Rows) -> Result<(), Fault> {
        let length = rows.time_ns.len();
        let required = [rows.op.len(), rows.offset.len(), rows.size.len()];
        let optional = [rows.device.len(), rows.response_ns.len(), rows.stream.len()];
        if required.iter().any(|&l| l != length) || optional.iter().any(|&l| l != 0 && l != length) {
            return Err(Fault::fatal(Code::Damaged, "the columns of a batch differ in length"));
        }
        if let Some(names) = &rows.devices {
            self.names.devices.set(names.clone());
        }
        if let Some(names) = &rows.streams {
            self.names.streams.set(names.clone());
        }
        (self.rows, self.at) = (rows, 0);
        Ok(())
    }

    fn decode(&mut self, at: usize) -> Result<Raw, Fault> {
        let rows = &self.rows;
        let stamp = rows.time_ns[at];
        let time_ns = u64::try_from(stamp)
            .map_err(|_| Fault::new(Code::OutOfRange, format!("time_ns is negative: {stamp}")))?;
        let op = match rows.op[at] {
            0 => Op::Read,
            1 => Op::Write,
            2 => Op::Trim,
            3 => Op::Flush,
            other => {
                let reason = format!("op is {other}; 0 read, 1 write, 2 trim and 3 flush are accepted");
                return Err(Fault::new(Code::NotAccepted, reason));
            }
        };
        let response_ns = match rows.response_ns.get(at) {
            None => NO_RESPONSE,
            Some(&ns) if ns >= NO_RESPONSE => ns,
            Some(ns) => {
                return Err(Fault::new(Code::OutOfRange, format!("response_ns is {ns}; -1 means none")));
            }
        };
        let device = rows.device.get(at).copied().unwrap_or(0);
        let stream = rows.stream.get(at).copied().unwrap_or(NO_STREAM);
        let (offset, size) = (rows.offset[at], u64::from(rows.size[at]));
        self.names.devices.cover(device, rows.devices.is_some())?;
        if stream != NO_STREAM {
            self.names.streams.cover(stream, rows.streams.is_some())?;
        }
        Ok(Raw { time_ns, offset, size, response_ns, device, stream, op })
    }
}

impl Records for RowRecords {
    fn next(&mut self) -> Result<Option<Entry>, TraceError> {
        while self.at == self.rows.time_ns.len() {
            match (self.next)()? {
                None => return Ok(None),
                Some(rows) => {
                    if let Err(fault) = self.take(rows) {
                        return Ok(Some((self.place + 1, Err(fault))));
                    }
                }
            }
        }
        let at = self.at;
        self.at += 1;
        self.place += 1;
        Ok(Some((self.place, self.decode(at))))
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn progress(&self) -> Option<f64> {
        None
    }
}
