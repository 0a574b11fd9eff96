//! Recordings of blktrace as measurements: requests with the times of their stages.

use std::sync::{Mutex, PoisonError};

use iowatt_trace::{Op, Stage, Stages};
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::trace_error;

/// A time that is not known.
const NOT_KNOWN: i64 = -1;

/// A recording being read.
#[pyclass(module = "iowatt.core._native", frozen)]
pub(crate) struct StagesReader {
    stages: Mutex<Stages>,
}

#[pymethods]
impl StagesReader {
    #[new]
    #[pyo3(signature = (path, devices=Vec::new()))]
    fn new(py: Python<'_>, path: &str, devices: Vec<String>) -> PyResult<Self> {
        let stages = py.detach(|| Stages::open(path, &devices)).map_err(|error| trace_error(py, error))?;
        Ok(Self { stages: Mutex::new(stages) })
    }

    fn read<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Option<Bound<'py, PyDict>>> {
        if limit == 0 {
            return Err(PyValueError::new_err("a batch needs at least one request"));
        }
        let filled = py.detach(|| {
            let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
            let mut out: Vec<Stage> = Vec::new();
            stages.fill(&mut out, limit).map(|more| (out, more))
        });
        let (out, more) = filled.map_err(|error| trace_error(py, error))?;
        if out.is_empty() && !more {
            return Ok(None);
        }
        let time = |ns: Option<u64>| ns.and_then(|ns| i64::try_from(ns).ok()).unwrap_or(NOT_KNOWN);
        let batch = PyDict::new(py);
        let column =
            |of: fn(&Stage) -> Option<u64>| -> Vec<i64> { out.iter().map(|s| time(of(s))).collect() };
        batch.set_item("queued_ns", column(|stage| stage.queued_ns).into_pyarray(py))?;
        batch.set_item("issued_ns", column(|stage| stage.issued_ns).into_pyarray(py))?;
        batch.set_item("completed_ns", column(|stage| Some(stage.completed_ns)).into_pyarray(py))?;
        batch.set_item("size", column(|stage| Some(stage.bytes)).into_pyarray(py))?;
        let ops: Vec<u8> = out.iter().map(|stage| u8::from(stage.op == Op::Write)).collect();
        batch.set_item("op", ops.into_pyarray(py))?;
        let devices: Vec<u32> = out.iter().map(|stage| stage.device).collect();
        batch.set_item("device", devices.into_pyarray(py))?;
        Ok(Some(batch))
    }

    fn devices(&self) -> Vec<String> {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner).devices().to_vec()
    }

    fn summary(&self) -> PyResult<String> {
        let summary = self.stages.lock().unwrap_or_else(PoisonError::into_inner).summary();
        serde_json::to_string(&summary).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}
