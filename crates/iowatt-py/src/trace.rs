//! Traces for Python: a reader of batches, `trace info`, and the list of formats.
//!
//! Decoding runs with the GIL released. Batches come out as NumPy arrays that own the vectors they
//! were decoded into. Errors become `iowatt.base.errors.InputError` with its code and place.

use crate::errors::{input_error, internal, trace_error};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use iowatt_sim::BATCH;
use iowatt_trace::describe::Options;
use iowatt_trace::heat::Row;
use iowatt_trace::{Op, Request, Rows, Source, TraceError, TraceSpec};
use iowatt_workload::plan::LawPlan;
use iowatt_workload::{Generator, Plan};
use numpy::{Element, IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator};
use serde_json::Value;

/// Time between two calls of a progress callback.
const PROGRESS_EVERY: Duration = Duration::from_millis(250);

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TraceReader>()?;
    module.add_function(wrap_pyfunction!(open_trace, module)?)?;
    module.add_function(wrap_pyfunction!(trace_info, module)?)?;
    module.add_function(wrap_pyfunction!(trace_describe, module)?)?;
    module.add_function(wrap_pyfunction!(trace_heat, module)?)?;
    module.add_function(wrap_pyfunction!(trace_formats, module)?)
}

/// Opens the trace (or the workload to be made) that the JSON describes.
fn open_source(py: Python<'_>, source: Option<Py<PyAny>>, spec_json: &str) -> PyResult<Box<dyn Source>> {
    match parse_spec(py, spec_json)? {
        Asked::Recorded(spec) => open_spec(py, source, &spec),
        Asked::Synthetic(plan) => open_synthetic(py, source, &plan),
    }
}

/// Opens the trace that the JSON `TraceSpec` describes for a simulation: a file, decoded ahead where that pays,
/// or the batches of `source`.
pub(crate) fn open_ahead(
    py: Python<'_>,
    source: Option<Py<PyAny>>,
    spec_json: &str,
) -> PyResult<Box<dyn Source>> {
    match parse_spec(py, spec_json)? {
        Asked::Recorded(spec) if source.is_none() => {
            py.detach(|| iowatt_trace::open_ahead(&spec, BATCH)).map_err(|error| trace_error(py, error))
        }
        Asked::Recorded(spec) => open_spec(py, source, &spec),
        Asked::Synthetic(plan) => open_synthetic(py, source, &plan),
    }
}

/// What a specification asks for: a recorded trace, or a workload to be made.
enum Asked {
    Recorded(Box<TraceSpec>),
    Synthetic(Box<iowatt_workload::Plan>),
}

fn parse_spec(py: Python<'_>, spec_json: &str) -> PyResult<Asked> {
    let parsed = match synthetic_plan(spec_json) {
        Some(plan) => plan.map(|plan| Asked::Synthetic(Box::new(plan))),
        None => serde_json::from_str(spec_json).map(|spec| Asked::Recorded(Box::new(spec))),
    };
    parsed.map_err(|error| input_error(py, "internal", None, &format!("the trace's specification: {error}")))
}

/// The plan in `spec_json`; `None` where it is the specification of a recorded trace.
fn synthetic_plan(spec_json: &str) -> Option<serde_json::Result<Plan>> {
    let mut spec: Value = serde_json::from_str(spec_json).ok()?;
    let plan = spec.get_mut("synthetic")?.take();
    Some(serde_json::from_value(plan))
}

/// The workload of `plan`. `rows` are those of the trace whose stamps it takes, where that is Parquet.
fn open_synthetic(py: Python<'_>, rows: Option<Py<PyAny>>, plan: &Plan) -> PyResult<Box<dyn Source>> {
    let recorded = plan.processes.iter().find_map(|process| match &process.law {
        LawPlan::Recorded { trace, .. } => Some(trace),
        _ => None,
    });
    let recorded = recorded.map(|trace| open_spec(py, rows, trace)).transpose()?;
    let made = py.detach(|| Generator::new(plan, recorded));
    Ok(Box::new(made.map_err(|error| internal(py, &format!("profile {}: {error}", plan.name)))?))
}

/// `source` stands for the one file, or is a list with an item per part; `None` is a file that Rust reads itself, else an
/// iterator of batches with a method `reopened` for a second pass.
pub(crate) fn open_spec(
    py: Python<'_>,
    source: Option<Py<PyAny>>,
    spec: &TraceSpec,
) -> PyResult<Box<dyn Source>> {
    let parts: Vec<Option<Py<PyAny>>> = match source {
        Some(list) if !spec.parts.is_empty() => list.extract(py)?,
        one => vec![one],
    };
    if parts.iter().all(Option::is_none) {
        let opened = py.detach(|| {
            iowatt_trace::assemble(spec, &mut || iowatt_trace::open_parts(spec), &mut check_signals)
        });
        return opened.map_err(|error| trace_error(py, error));
    }
    let mut first = true;
    let mut open = || {
        let opened = if spec.parts.is_empty() {
            let spec = &iowatt_trace::decoded(spec);
            parts.iter().map(|batches| open_rows(py, batches.as_ref(), spec, first, true)).collect()
        } else {
            let each = parts.iter().zip(&spec.parts);
            each.map(|(batches, part)| open_rows(py, batches.as_ref(), part, first, false)).collect()
        };
        first = false;
        opened
    };
    iowatt_trace::assemble(spec, &mut open, &mut check_signals).map_err(|error| trace_error(py, error))
}

/// One trace; on a further pass from batches that are opened again. `alone`: what is done to the trace is not for here.
fn open_rows(
    py: Python<'_>,
    batches: Option<&Py<PyAny>>,
    spec: &TraceSpec,
    first: bool,
    alone: bool,
) -> Result<Box<dyn Source>, TraceError> {
    let Some(batches) = batches else { return iowatt_trace::open(spec) };
    let again = if first { Ok(batches.clone_ref(py)) } else { batches.call_method0(py, "reopened") };
    let rows = again
        .and_then(|batches| Ok(batches.bind(py).try_iter()?.unbind()))
        .map_err(|raised| TraceError::Caller(Box::new(raised)))?;
    let next = Box::new(move || next_rows(&rows));
    if alone { iowatt_trace::checked_rows(next, spec) } else { iowatt_trace::from_rows(next, spec) }
}

fn check_signals() -> Result<(), TraceError> {
    Python::attach(|py| py.check_signals()).map_err(|raised| TraceError::Caller(Box::new(raised)))
}

fn next_rows(batches: &Py<PyIterator>) -> Result<Option<Rows>, TraceError> {
    Python::attach(|py| match batches.bind(py).clone().next() {
        None => Ok(None),
        Some(batch) => batch.and_then(|batch| rows(&batch)).map(Some),
    })
    .map_err(|raised| TraceError::Caller(Box::new(raised)))
}

/// A batch from a dict of arrays as [`TraceReader::read`] gives. `device`, `response_ns` and `stream` may be
/// left out; `devices` and `streams` may bring the names that their numbers stand for.
fn rows(batch: &Bound<'_, PyAny>) -> PyResult<Rows> {
    let batch =
        batch.cast::<PyDict>().map_err(|_| PyTypeError::new_err("a batch must be a dict of NumPy arrays"))?;
    Ok(Rows {
        time_ns: required(batch, "time_ns", "int64")?,
        op: required(batch, "op", "uint8")?,
        offset: required(batch, "offset", "uint64")?,
        size: required(batch, "size", "uint32")?,
        device: column(batch, "device", "uint32")?.unwrap_or_default(),
        response_ns: column(batch, "response_ns", "int64")?.unwrap_or_default(),
        stream: column(batch, "stream", "uint32")?.unwrap_or_default(),
        devices: names(batch, "devices")?,
        streams: names(batch, "streams")?,
    })
}

fn required<T: Element + Copy>(batch: &Bound<'_, PyDict>, name: &str, dtype: &str) -> PyResult<Vec<T>> {
    column(batch, name, dtype)?
        .ok_or_else(|| PyValueError::new_err(format!("a batch has no column '{name}'")))
}

fn column<T: Element + Copy>(batch: &Bound<'_, PyDict>, name: &str, dtype: &str) -> PyResult<Option<Vec<T>>> {
    let Some(value) = batch.get_item(name)? else {
        return Ok(None);
    };
    let array: PyReadonlyArray1<'_, T> = value.extract().map_err(|_| {
        PyTypeError::new_err(format!("column '{name}' of a batch must be a 1-d array of {dtype}"))
    })?;
    Ok(Some(array.as_array().to_vec()))
}

fn names(batch: &Bound<'_, PyDict>, name: &str) -> PyResult<Option<Vec<String>>> {
    batch.get_item(name)?.map(|value| value.extract()).transpose()
}

/// A trace being read.
#[pyclass(frozen, module = "iowatt.core._native")]
struct TraceReader {
    source: Mutex<Reading>,
}

struct Reading {
    source: Box<dyn Source>,
    ended: bool,
}

impl TraceReader {
    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl TraceReader {
    /// The next requests, at most `limit`, as a dict of arrays; `None` at the end.
    fn read<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Option<Bound<'py, PyDict>>> {
        if limit == 0 {
            return Err(PyValueError::new_err("limit must be at least 1"));
        }
        let columns = py.detach(|| {
            let mut reading = self.reading();
            let mut requests = Vec::with_capacity(limit.min(1 << 16));
            if !reading.ended {
                reading.ended = !reading.source.fill(&mut requests, limit)?;
            }
            Ok(Columns::from(&requests))
        });
        let columns = columns.map_err(|error| trace_error(py, error))?;
        if columns.time_ns.is_empty() { Ok(None) } else { columns.into_dict(py).map(Some) }
    }

    /// Names of the devices so far, by index.
    fn devices(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.reading().source.devices().to_vec())
    }

    /// Names of the streams so far, by index.
    fn streams(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.reading().source.streams().to_vec())
    }

    /// Fraction of the file's bytes consumed, `None` where it cannot be known.
    fn progress(&self, py: Python<'_>) -> Option<f64> {
        py.detach(|| self.reading().source.progress())
    }

    /// What was read so far, as JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        json(&py.detach(|| self.reading().source.summary()))
    }
}

/// A batch as columns, ready to become arrays.
struct Columns {
    time_ns: Vec<i64>,
    device: Vec<u32>,
    op: Vec<u8>,
    offset: Vec<u64>,
    size: Vec<u32>,
    response_ns: Vec<i64>,
    stream: Vec<u32>,
}

impl From<&Vec<Request>> for Columns {
    fn from(requests: &Vec<Request>) -> Self {
        let op = |op| match op {
            Op::Read => 0,
            Op::Write => 1,
            Op::Trim => 2,
            Op::Flush => 3,
        };
        Self {
            time_ns: requests.iter().map(|r| r.time_ns.cast_signed()).collect(),
            device: requests.iter().map(|r| r.device).collect(),
            op: requests.iter().map(|r| op(r.op)).collect(),
            offset: requests.iter().map(|r| r.offset).collect(),
            size: requests.iter().map(|r| r.size).collect(),
            response_ns: requests.iter().map(|r| r.response_ns).collect(),
            stream: requests.iter().map(|r| r.stream).collect(),
        }
    }
}

impl Columns {
    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("time_ns", self.time_ns.into_pyarray(py))?;
        dict.set_item("device", self.device.into_pyarray(py))?;
        dict.set_item("op", self.op.into_pyarray(py))?;
        dict.set_item("offset", self.offset.into_pyarray(py))?;
        dict.set_item("size", self.size.into_pyarray(py))?;
        dict.set_item("response_ns", self.response_ns.into_pyarray(py))?;
        dict.set_item("stream", self.stream.into_pyarray(py))?;
        Ok(dict)
    }
}

/// Opens the file that `spec_json` describes, or the batches of `source`: the same checks for both.
#[pyfunction]
#[pyo3(signature = (spec_json, source=None))]
fn open_trace(py: Python<'_>, spec_json: &str, source: Option<Py<PyAny>>) -> PyResult<TraceReader> {
    let source = open_source(py, source, spec_json)?;
    Ok(TraceReader { source: Mutex::new(Reading { source, ended: false }) })
}

fn all_of_it(spec: &mut TraceSpec) {
    all_devices(spec);
    spec.order_only = true;
}

fn all_devices(spec: &mut TraceSpec) {
    if spec.devices.is_none() {
        spec.device.get_or_insert_with(|| "*".to_owned());
    }
}

/// Opens all devices of a trace, whose order is enough, decoded ahead where that pays; with the name of the file.
pub(crate) fn open_whole(
    py: Python<'_>,
    source: Option<Py<PyAny>>,
    spec_json: &str,
) -> PyResult<(Box<dyn Source>, String)> {
    match parse_spec(py, spec_json)? {
        Asked::Recorded(mut spec) => {
            spec.parts.iter_mut().for_each(all_of_it);
            all_of_it(&mut spec);
            let file = spec.file().to_owned();
            let source = match source {
                None => py
                    .detach(|| iowatt_trace::open_ahead(&spec, BATCH))
                    .map_err(|error| trace_error(py, error)),
                some => open_spec(py, some, &spec),
            };
            Ok((source?, file))
        }
        Asked::Synthetic(plan) => Ok((open_synthetic(py, source, &plan)?, plan.name)),
    }
}

/// Reads a whole trace and describes it, as JSON. Without `device` in the spec, all devices are read.
#[pyfunction]
#[pyo3(signature = (source, spec_json, progress=None))]
fn trace_info(
    py: Python<'_>,
    source: Option<Py<PyAny>>,
    spec_json: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (mut source, file) = match parse_spec(py, spec_json)? {
        Asked::Recorded(mut spec) => {
            // Which devices there are is what info is asked for; and an order without times has much to say too.
            spec.parts.iter_mut().for_each(all_of_it);
            all_of_it(&mut spec);
            (open_spec(py, source, &spec)?, spec.file().to_owned())
        }
        Asked::Synthetic(plan) => (open_synthetic(py, source, &plan)?, plan.name),
    };
    let mut report = Report::new(progress);
    let info = py
        .detach(|| {
            iowatt_trace::info(source.as_mut(), &file, &mut |fraction, done| report.tell(fraction, done))
        })
        .map_err(|error| trace_error(py, error))?;
    json(&info)
}

/// Reads a whole trace and measures it as a workload, as JSON. Without `device` in the spec, all devices are read.
#[pyfunction]
#[pyo3(signature = (source, spec_json, options_json, progress=None))]
fn trace_describe(
    py: Python<'_>,
    source: Option<Py<PyAny>>,
    spec_json: &str,
    options_json: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let asked = parse_spec(py, spec_json)?;
    let options: Options = serde_json::from_str(options_json)
        .map_err(|error| input_error(py, "internal", None, &format!("the options: {error}")))?;
    // Before a long trace is opened.
    options.check().map_err(|reason| input_error(py, "out-of-range", None, &reason))?;
    let (mut source, file) = match asked {
        Asked::Recorded(mut spec) => {
            spec.parts.iter_mut().for_each(all_of_it);
            all_of_it(&mut spec);
            (open_spec(py, source, &spec)?, spec.file().to_owned())
        }
        Asked::Synthetic(plan) => (open_synthetic(py, source, &plan)?, plan.name),
    };
    let mut report = Report::new(progress);
    let found = py
        .detach(|| {
            iowatt_trace::describe::describe(source.as_mut(), &file, &options, &mut |fraction, done| {
                report.tell(fraction, done)
            })
        })
        .map_err(|error| trace_error(py, error))?;
    json(&found)
}

/// Calls back into Python a few times a second, for progress and for Ctrl-C.
pub(crate) struct Report {
    callback: Option<Py<PyAny>>,
    last: Instant,
}

impl Report {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        Self { callback, last: Instant::now() }
    }

    pub(crate) fn tell(&mut self, fraction: Option<f64>, requests: u64) -> Result<(), TraceError> {
        if self.last.elapsed() < PROGRESS_EVERY {
            return Ok(());
        }
        self.last = Instant::now();
        Python::attach(|py| {
            py.check_signals()?;
            match &self.callback {
                Some(callback) => callback.call1(py, (fraction, requests)).map(|_| ()),
                None => Ok(()),
            }
        })
        .map_err(|raised| TraceError::Caller(Box::new(raised)))
    }
}

/// Where a trace is hot: `measures` (JSON: extent, period, span, devices and where they end) and the rows in columns.
#[pyfunction]
#[pyo3(signature = (source, spec_json, extent_bytes, period_ns=None, progress=None))]
fn trace_heat<'py>(
    py: Python<'py>,
    source: Option<Py<PyAny>>,
    spec_json: &str,
    extent_bytes: u64,
    period_ns: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut source = match parse_spec(py, spec_json)? {
        Asked::Recorded(mut spec) => {
            spec.parts.iter_mut().for_each(all_of_it);
            all_of_it(&mut spec);
            open_spec(py, source, &spec)?
        }
        Asked::Synthetic(plan) => open_synthetic(py, source, &plan)?,
    };
    let mut report = Report::new(progress);
    let found = py
        .detach(|| {
            iowatt_trace::heat::heat(source.as_mut(), extent_bytes, period_ns, &mut |fraction, done| {
                report.tell(fraction, done)
            })
        })
        .map_err(|error| trace_error(py, error))?;
    let map = &found.map;
    let measures = serde_json::json!({
        "extent_bytes": map.extent_bytes(),
        "period_ns": map.period(),
        "span_ns": found.span,
        "devices": source.devices(),
        "end_bytes": found.ends,
        "untimed": source.summary().is_some_and(|summary| summary.untimed),
    });
    let rows = map.rows();
    let column = |value: &dyn Fn(&Row) -> u64| rows.iter().map(value).collect::<Vec<u64>>().into_pyarray(py);
    let result = PyDict::new(py);
    result.set_item("measures", measures.to_string())?;
    result.set_item("space", column(&|row| u64::from(row.space)))?;
    result.set_item("extent", column(&|row| row.extent))?;
    result.set_item("start_ns", column(&|row| row.start))?;
    result.set_item("reads", column(&|row| row.cell.requests[0]))?;
    result.set_item("writes", column(&|row| row.cell.requests[1]))?;
    result.set_item("bytes_read", column(&|row| row.cell.bytes[0]))?;
    result.set_item("bytes_written", column(&|row| row.cell.bytes[1]))?;
    Ok(result)
}

/// The formats as a JSON list of {name, title, columns, compressions, `order_tolerance_s`, options}.
#[pyfunction]
fn trace_formats() -> PyResult<String> {
    json(&iowatt_trace::formats())
}

pub(crate) fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}
