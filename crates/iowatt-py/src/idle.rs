//! Idle periods out of a running simulation: batches as NumPy columns to a Python function.

use iowatt_sim::{IdlePeriod, IdleSink};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// A Python function that takes batches, and what it raised.
pub(crate) struct Handover {
    function: Arc<Py<PyAny>>,
    failure: Arc<Mutex<Option<PyErr>>>,
}

impl Handover {
    pub(crate) fn new(function: Py<PyAny>) -> Self {
        Self { function: Arc::new(function), failure: Arc::default() }
    }

    /// What the function raised first, once.
    pub(crate) fn failure(&self) -> Option<PyErr> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Calls the function with each batch; after it has raised, batches are dropped until the run is stopped.
    pub(crate) fn sink(&self) -> IdleSink {
        let (function, failure) = (Arc::clone(&self.function), Arc::clone(&self.failure));
        let mut broken = false;
        Box::new(move |rows| {
            if broken {
                return;
            }
            if let Err(error) = Python::attach(|py| call(py, &function, rows)) {
                broken = true;
                *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        })
    }
}

fn call(py: Python<'_>, function: &Py<PyAny>, rows: &[IdlePeriod]) -> PyResult<()> {
    let column = |value: &dyn Fn(&IdlePeriod) -> u64| rows.iter().map(value).collect::<Vec<_>>();
    let drive: Vec<u32> = rows.iter().map(|row| row.drive).collect();
    let cut: Vec<bool> = rows.iter().map(|row| row.cut).collect();
    function.call1(
        py,
        (
            drive.into_pyarray(py),
            column(&|row| row.start).into_pyarray(py),
            column(&|row| row.length).into_pyarray(py),
            cut.into_pyarray(py),
        ),
    )?;
    Ok(())
}
