//! `durability`: a plan in, probabilities of loss and hours unavailable out.

use crate::errors::{internal, plan_error};
use iowatt_durability::{AssessError, Plan, assess};
use pyo3::prelude::*;
use std::time::{Duration, Instant};

/// Least time between two progress calls.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// Assesses a plan on so many threads; the GIL is released but for progress calls.
#[pyfunction]
#[pyo3(signature = (plan_json, progress=None, threads=1))]
pub fn durability(
    py: Python<'_>,
    plan_json: &str,
    progress: Option<Py<PyAny>>,
    threads: usize,
) -> PyResult<String> {
    let plan: Plan = serde_json::from_str(plan_json).map_err(|e| internal(py, &format!("plan: {e}")))?;
    let mut raised = None;
    let found = py.detach(|| {
        let mut last = Instant::now();
        assess(&plan, threads, &mut |fraction, trials| {
            if last.elapsed() < REPORT_EVERY {
                return true;
            }
            last = Instant::now();
            let told = Python::attach(|py| {
                py.check_signals()?;
                progress.as_ref().map_or(Ok(()), |call| call.call1(py, (fraction, trials)).map(drop))
            });
            raised = told.err();
            raised.is_none()
        })
    });
    match (found, raised) {
        (_, Some(error)) => Err(error),
        (Ok(found), None) => serde_json::to_string(&found).map_err(|e| internal(py, &e.to_string())),
        (Err(AssessError::Plan(error)), None) => Err(plan_error(py, &error)),
        (Err(AssessError::Stopped), None) => Err(internal(py, "stopped")),
    }
}
