//! What a running simulation hands out: batches as NumPy columns to a Python function.

use iowatt_sim::{BackEndRow, BackEndSink, IdlePeriod, IdleSink};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Takes batches of rows.
type Sink<Row> = Box<dyn FnMut(&[Row]) + Send>;

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

    /// Calls the function with each batch of idle periods.
    pub(crate) fn idle(&self) -> IdleSink {
        self.sink(idle_periods)
    }

    /// Calls the function with each batch of the back-end stream.
    pub(crate) fn back_end(&self) -> BackEndSink {
        self.sink(back_end_rows)
    }

    /// After the function has raised, batches are dropped until the run is stopped.
    fn sink<Row: 'static>(&self, call: fn(Python<'_>, &Py<PyAny>, &[Row]) -> PyResult<()>) -> Sink<Row> {
        let (function, failure) = (Arc::clone(&self.function), Arc::clone(&self.failure));
        let mut broken = false;
        Box::new(move |rows: &[Row]| {
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

fn back_end_rows(py: Python<'_>, function: &Py<PyAny>, rows: &[BackEndRow]) -> PyResult<()> {
    let narrow = |value: &dyn Fn(&BackEndRow) -> u32| rows.iter().map(value).collect::<Vec<_>>();
    let at: Vec<i64> = rows.iter().map(|row| row.at.cast_signed()).collect();
    let offset: Vec<u64> = rows.iter().map(|row| row.offset).collect();
    function.call1(
        py,
        (
            at.into_pyarray(py),
            narrow(&|row| row.pool).into_pyarray(py),
            narrow(&|row| u32::from(row.write)).into_pyarray(py),
            offset.into_pyarray(py),
            narrow(&|row| row.size).into_pyarray(py),
            narrow(&|row| row.reason).into_pyarray(py),
        ),
    )?;
    Ok(())
}

fn idle_periods(py: Python<'_>, function: &Py<PyAny>, rows: &[IdlePeriod]) -> PyResult<()> {
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
