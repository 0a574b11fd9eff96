//! `FileSet`: files on a file system and timed operations on them; stamps out.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::errors::{input_error, internal};
use iowatt_files::{Class, FileSet as Files, FilesError, OPS, Shape};
use iowatt_replay::Control;
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How often signals are looked at, and progress is told.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Names and classes of operations, by code.
#[pyfunction]
pub fn file_operations() -> Vec<(&'static str, &'static str)> {
    OPS.iter()
        .map(|op| {
            let class = match op.class() {
                Class::Read => "read",
                Class::Write => "write",
                Class::Ask => "ask",
                Class::Change => "change",
            };
            (op.name(), class)
        })
        .collect()
}

/// A set of files. One run at a time.
#[pyclass(frozen)]
pub struct FileSet {
    path: String,
    files: Mutex<Option<Files>>,
}

#[pymethods]
impl FileSet {
    /// Makes the set in a new directory, or opens one that was made with the same shape; the GIL is released.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // keywords in Python
    #[pyo3(signature = (path, *, threads, files, sizes, transfer, durable, seed, create))]
    fn at(
        py: Python<'_>,
        path: PathBuf,
        threads: usize,
        files: usize,
        sizes: Vec<(u64, u32)>,
        transfer: usize,
        durable: bool,
        seed: u64,
        create: bool,
    ) -> PyResult<Self> {
        let shape = Shape { threads, files, sizes, transfer, durable, seed };
        let shown = path.display().to_string();
        let (made, control) = (Arc::new(Mutex::new(None)), Arc::new(Control::default()));
        let (theirs, on) = (Arc::clone(&made), Arc::clone(&control));
        let done = watched(py, &control, None, move || {
            let found = if create { Files::create(&path, shape, &on) } else { Files::open(&path, shape) };
            *theirs.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        });
        let found = made.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Err(error) = done {
            if let Some(Ok(files)) = found
                && create
            {
                let _ = files.remove(); // what interrupted it says more
            }
            return Err(error);
        }
        match found {
            Some(Ok(files)) => Ok(Self { path: shown, files: Mutex::new(Some(files)) }),
            Some(Err(error)) => Err(refused(py, &shown, &error)),
            None => Err(internal(py, "the thread of a set of files panicked")),
        }
    }

    /// Bytes written to make it.
    #[getter]
    fn bytes(&self) -> u64 {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, Files::bytes)
    }

    /// Does operations when they are due; the GIL is released but for signals and progress calls.
    #[pyo3(signature = (due_ns, ops, *, progress=None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        due_ns: PyReadonlyArray1<'py, u64>,
        ops: PyReadonlyArray1<'py, u8>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let taken = self.files.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut files) = taken else {
            return Err(internal(py, "a set of files that is in use or removed"));
        };
        let (due, ops) = (due_ns.as_slice()?.to_vec(), ops.as_slice()?.to_vec());
        let total = due.len();
        let made = Arc::new(Mutex::new(None));
        let control = Arc::new(Control::default());
        let (theirs, on) = (Arc::clone(&made), Arc::clone(&control));
        let done = watched(py, &control, progress.map(|call| (call, total)), move || {
            let found = files.run(due, ops, &on);
            *theirs.lock().unwrap_or_else(PoisonError::into_inner) = Some((files, found));
        });
        let Some((files, found)) = made.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Err(internal(py, "the thread of file operations panicked"));
        };
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = Some(files);
        done?;
        let outcome = found.map_err(|error| refused(py, &self.path, &error))?;
        let result = PyDict::new(py);
        result.set_item("due_ns", outcome.due_ns.into_pyarray(py))?;
        result.set_item("sent_ns", outcome.sent_ns.into_pyarray(py))?;
        result.set_item("done_ns", outcome.done_ns.into_pyarray(py))?;
        result.set_item("error", outcome.error.into_pyarray(py))?;
        result.set_item("bytes", outcome.bytes.into_pyarray(py))?;
        result.set_item("substituted", outcome.substituted.into_pyarray(py))?;
        result.set_item("began_unix_ns", outcome.began.as_nanos() as u64)?;
        result.set_item("complete", outcome.complete)?;
        result.set_item("full", outcome.full)?;
        Ok(result)
    }

    /// Removes what was made; how many things of others were left.
    fn remove(&self, py: Python<'_>) -> PyResult<u64> {
        let taken = self.files.lock().unwrap_or_else(PoisonError::into_inner).take();
        let left = taken.map_or(Ok(0), |files| py.detach(|| files.remove()));
        left.map_err(|error| refused(py, &self.path, &error))
    }
}

/// Does `work` on a thread; a signal, or an error of `progress`, stops it.
fn watched(
    py: Python<'_>,
    control: &Arc<Control>,
    progress: Option<(Py<PyAny>, usize)>,
    work: impl FnOnce() + Send + 'static,
) -> PyResult<()> {
    let thread = std::thread::Builder::new().name("iowatt-pace".into()).spawn(work)?;
    let mut raised = None;
    while !thread.is_finished() {
        py.detach(|| std::thread::park_timeout(LOOK_EVERY));
        let looked = py.check_signals().and_then(|()| {
            let done = control.counts().0;
            progress.as_ref().map_or(Ok(()), |(call, total)| {
                call.call1(py, (done as f64 / (*total).max(1) as f64, done)).map(drop)
            })
        });
        if let Err(error) = looked {
            control.stop.store(true, Ordering::Relaxed);
            raised.get_or_insert(error);
        }
    }
    // One that panicked has left nothing, which the caller finds.
    let _ = py.detach(|| thread.join());
    raised.map_or(Ok(()), Err)
}

fn refused(py: Python<'_>, path: &str, error: &FilesError) -> PyErr {
    let code = match error {
        FilesError::Exists => "exists",
        FilesError::Other(_) => "not-accepted",
        FilesError::Io(inner) if inner.kind() == std::io::ErrorKind::NotFound => "not-found",
        FilesError::Full { .. } | FilesError::Io(_) => "unwritable",
        FilesError::Shape(_) | FilesError::Replay(_) => return internal(py, &error.to_string()),
    };
    input_error(py, code, Some(path), &error.to_string())
}
