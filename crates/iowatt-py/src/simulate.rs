//! `simulate`: a plan and its sources in, figures and columns out.

use crate::idle::Handover;
use crate::trace::open_ahead;
use iowatt_sim::{Column, Plan, Progress, SimError, Simulation, Table};
use iowatt_trace::Source;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::{Duration, Instant};

/// Least time between two progress calls.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// Runs a simulation; the GIL is released but for progress calls and sources that live in Python.
#[pyfunction]
#[pyo3(signature = (plan_json, sources, progress=None, idle=None))]
pub fn simulate<'py>(
    py: Python<'py>,
    plan_json: &str,
    sources: Vec<(String, Option<Py<PyAny>>)>,
    progress: Option<Py<PyAny>>,
    idle: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let plan: Plan = serde_json::from_str(plan_json).map_err(|e| internal(py, &format!("plan: {e}")))?;
    let started = Instant::now();
    let mut opened = sources
        .into_iter()
        .map(|(spec, rows)| open_ahead(py, rows, &spec))
        .collect::<PyResult<Vec<Box<dyn Source>>>>()?;
    let mut stopped_by = None;
    let periods = idle.map(Handover::new);
    let outcome = py.detach(|| {
        let inputs = opened.iter_mut().map(|s| s.as_mut() as &mut dyn Source).collect();
        let mut last = Instant::now();
        let mut simulation = Simulation::new(&plan, inputs)?;
        if let Some(periods) = &periods {
            simulation.log_idle(periods.sink());
        }
        simulation.run(&mut |at| {
            if let Some(error) = periods.as_ref().and_then(Handover::failure) {
                stopped_by = Some(error);
                return false;
            }
            if last.elapsed() < REPORT_EVERY {
                return true;
            }
            last = Instant::now();
            match report(progress.as_ref(), at) {
                Ok(()) => true,
                Err(error) => {
                    stopped_by = Some(error);
                    false
                }
            }
        })
    });
    if outcome.is_ok()
        && let Some(error) = periods.as_ref().and_then(Handover::failure)
    {
        return Err(error);
    }
    let wall_s = started.elapsed().as_secs_f64();
    let outcome = match (outcome, stopped_by) {
        (Ok(outcome), _) => outcome,
        (Err(SimError::Stopped), Some(error)) => return Err(error),
        (Err(SimError::Trace(error)), _) => return Err(crate::trace::trace_error(py, error)),
        (Err(SimError::DataLost { pool, drive, at_s }), _) => {
            let class = py.import("iowatt.errors")?.getattr("DataLossError")?;
            return Err(PyErr::from_value(class.call1((pool, drive, at_s))?));
        }
        (Err(error), _) => return Err(internal(py, &error.to_string())),
    };

    let result = PyDict::new(py);
    let mut summary = serde_json::to_value(&outcome.summary).map_err(|e| internal(py, &e.to_string()))?;
    summary["wall_s"] = wall_s.into();
    let sources: Vec<_> =
        opened.iter().map(|s| serde_json::to_value(s.summary()).unwrap_or_default()).collect();
    summary["sources"] = sources.into();
    result.set_item("summary", summary.to_string())?;
    result.set_item("intervals", columns(py, outcome.intervals)?)?;
    result.set_item("latency", columns(py, outcome.latency)?)?;
    Ok(result)
}

/// Tells the caller how far the run is, and lets a pending Ctrl-C through.
fn report(progress: Option<&Py<PyAny>>, at: Progress) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1(py, (at.fraction, at.requests))?;
        }
        Ok(())
    })
}

/// Moves the columns into NumPy arrays.
fn columns<'py>(py: Python<'py>, table: Table) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, column) in table {
        match column {
            Column::U64(values) => dict.set_item(name, values.into_pyarray(py))?,
            Column::F64(values) => dict.set_item(name, values.into_pyarray(py))?,
        }
    }
    Ok(dict)
}

/// A fault of ours: Python's checks should have caught it.
pub(crate) fn internal(py: Python<'_>, message: &str) -> PyErr {
    let raise = || py.import("iowatt.errors")?.getattr("IowattError")?.call1((message,));
    match raise() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
