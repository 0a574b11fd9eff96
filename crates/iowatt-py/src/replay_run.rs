//! `replay_run`: requests on real storage, on threads of their own; stamps out.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::errors::{input_error, internal};
use iowatt_nbd::address::Address;
use iowatt_nbd::client::{ClientError, Connection, PATIENCE};
use iowatt_replay::{Control, Mode, Options, Outcome, Place, ReplayError, Work, run};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::Ordering;

/// How often signals are looked at, and progress is told.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The columns of a replay.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Columns<'py> {
    due_ns: PyReadonlyArray1<'py, u64>,
    write: PyReadonlyArray1<'py, bool>,
    offset: PyReadonlyArray1<'py, u64>,
    size: PyReadonlyArray1<'py, u32>,
    stream: PyReadonlyArray1<'py, u32>,
    think_ns: PyReadonlyArray1<'py, u64>,
}

impl Columns<'_> {
    fn work(&self) -> PyResult<Work> {
        Ok(Work {
            due_ns: self.due_ns.as_slice()?.to_vec(),
            write: self.write.as_slice()?.to_vec(),
            offset: self.offset.as_slice()?.to_vec(),
            size: self.size.as_slice()?.to_vec(),
            stream: self.stream.as_slice()?.to_vec(),
            think_ns: self.think_ns.as_slice()?.to_vec(),
        })
    }
}

/// Replays requests on `target`; the GIL is released but for signals and progress calls.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // keywords in Python
#[pyo3(signature = (
    target, columns, *, mode, outstanding, depth, repeat, connections, direct, threads=false, progress=None
))]
pub fn replay_run<'py>(
    py: Python<'py>,
    target: &str,
    columns: Columns<'py>,
    mode: &str,
    outstanding: u32,
    depth: usize,
    repeat: u32,
    connections: u32,
    direct: bool,
    threads: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let work = columns.work()?;
    let mode = match (mode, outstanding) {
        ("open", _) => Mode::Open,
        ("closed", 0) => Mode::Streams,
        ("closed", count) => Mode::Outstanding(count),
        _ => return Err(internal(py, &format!("no mode {mode:?}"))),
    };
    let place = if target.starts_with("nbd") && target.contains("://") {
        Place::Nbd { address: address(py, target)?, connections, patience: PATIENCE }
    } else {
        Place::File { path: PathBuf::from(target), direct, threads }
    };
    let total = work.len() as u64 * u64::from(repeat);
    let options = Options { mode, depth, repeat };
    let control = Arc::new(Control::default());
    let theirs = Arc::clone(&control);
    let thread = std::thread::Builder::new()
        .name("iowatt-pace".into())
        .spawn(move || run(&work, &place, options, &theirs))?;
    let mut raised = None;
    while !thread.is_finished() {
        py.detach(|| std::thread::park_timeout(LOOK_EVERY));
        let looked = py.check_signals().and_then(|()| {
            let done = control.counts().0;
            progress
                .as_ref()
                .map_or(Ok(()), |call| call.call1(py, (done as f64 / total.max(1) as f64, done)).map(drop))
        });
        if let Err(error) = looked {
            control.stop.store(true, Ordering::Relaxed);
            raised.get_or_insert(error);
        }
    }
    let ended = py.detach(|| thread.join());
    if let Some(error) = raised {
        return Err(error);
    }
    match ended {
        Ok(Ok(outcome)) => columns_of(py, outcome),
        Ok(Err(ReplayError::Work(fault))) => Err(internal(py, &format!("a replay of {fault}"))),
        Ok(Err(ReplayError::Target(error))) => Err(refused(py, target, &error)),
        Ok(Err(error)) => Err(internal(py, &error.to_string())),
        Err(_) => Err(internal(py, "the thread of the replay panicked")),
    }
}

/// Size, flags and block sizes of an NBD export.
#[pyfunction]
pub fn nbd_export<'py>(py: Python<'py>, uri: &str) -> PyResult<Bound<'py, PyDict>> {
    let address = address(py, uri)?;
    let opened =
        py.detach(|| Connection::open(&address, PATIENCE)).map_err(|error| refused(py, uri, &error))?;
    let export = opened.export;
    let result = PyDict::new(py);
    result.set_item("size", export.size)?;
    result.set_item("flags", export.flags)?;
    result.set_item("minimum", export.block.minimum)?;
    result.set_item("maximum", export.block.maximum)?;
    Ok(result)
}

fn address(py: Python<'_>, uri: &str) -> PyResult<Address> {
    Address::parse(uri).map_err(|error| input_error(py, "bad-syntax", Some(uri), &error.to_string()))
}

fn refused(py: Python<'_>, target: &str, error: &ClientError) -> PyErr {
    let code = match error {
        ClientError::Io(_) => "unreachable",
        ClientError::Refused { .. } => "not-found",
        ClientError::Malformed(_) | ClientError::NotFixedNewstyle => "not-accepted",
    };
    input_error(py, code, Some(target), &error.to_string())
}

fn columns_of(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("due_ns", outcome.due_ns.into_pyarray(py))?;
    result.set_item("sent_ns", outcome.sent_ns.into_pyarray(py))?;
    result.set_item("done_ns", outcome.done_ns.into_pyarray(py))?;
    result.set_item("error", outcome.error.into_pyarray(py))?;
    result.set_item("driven_by", outcome.by.as_str())?;
    result.set_item("began_unix_ns", outcome.began.as_nanos() as u64)?;
    Ok(result)
}
