//! `replay_one`, `replay_open`: a drive's plan and a measured trace in, simulated response times out.

use crate::errors::internal;
use iowatt_sim::replay::{Asked, replay, replay_open as queued};
use iowatt_sim::{HddPlan, SchedulerPlan};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::de::DeserializeOwned;

/// Replays requests on one drive, one outstanding; the GIL is released.
#[pyfunction]
#[pyo3(signature = (hdd_plan_json, offset, size, op, think_ns, phase=0.0))]
pub fn replay_one<'py>(
    py: Python<'py>,
    hdd_plan_json: &str,
    offset: PyReadonlyArray1<'py, u64>,
    size: PyReadonlyArray1<'py, u32>,
    op: PyReadonlyArray1<'py, u8>,
    think_ns: PyReadonlyArray1<'py, u64>,
    phase: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let plan: HddPlan = parsed(py, hdd_plan_json)?;
    let asked = asked(&offset, &size, &op, &think_ns)?;
    let n = asked.len();
    let (mut response, mut hit) = (Vec::with_capacity(n), Vec::with_capacity(n));
    py.detach(|| {
        replay(&plan, phase, asked, |now, access| {
            response.push(access.done - now);
            hit.push(access.hit as u8);
        })
    })
    .map_err(|e| internal(py, &e.to_string()))?;
    let result = PyDict::new(py);
    result.set_item("response_ns", response.into_pyarray(py))?;
    result.set_item("hit", hit.into_pyarray(py))?;
    Ok(result)
}

/// Replays requests on one drive at their recorded arrivals, queued in front of it; the GIL is released.
#[pyfunction]
#[pyo3(signature = (hdd_plan_json, scheduler, offset, size, op, time_ns, phase=0.0))]
#[allow(clippy::too_many_arguments)] // columns, and how to replay them
pub fn replay_open<'py>(
    py: Python<'py>,
    hdd_plan_json: &str,
    scheduler: &str,
    offset: PyReadonlyArray1<'py, u64>,
    size: PyReadonlyArray1<'py, u32>,
    op: PyReadonlyArray1<'py, u8>,
    time_ns: PyReadonlyArray1<'py, u64>,
    phase: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let plan: HddPlan = parsed(py, hdd_plan_json)?;
    let discipline: SchedulerPlan = parsed(py, &serde_json::Value::from(scheduler).to_string())?;
    let asked = asked(&offset, &size, &op, &time_ns)?;
    let n = asked.len();
    let (mut response, mut service) = (vec![0; n], vec![0; n]);
    py.detach(|| {
        queued(&plan, phase, discipline, &asked, |index, start, access| {
            response[index] = access.done - asked[index].pace;
            service[index] = access.done - start;
        })
    })
    .map_err(|e| internal(py, &e.to_string()))?;
    let result = PyDict::new(py);
    result.set_item("response_ns", response.into_pyarray(py))?;
    result.set_item("service_ns", service.into_pyarray(py))?;
    Ok(result)
}

fn parsed<T: DeserializeOwned>(py: Python<'_>, json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|e| internal(py, &format!("plan: {e}")))
}

fn asked(
    offset: &PyReadonlyArray1<'_, u64>,
    size: &PyReadonlyArray1<'_, u32>,
    op: &PyReadonlyArray1<'_, u8>,
    pace: &PyReadonlyArray1<'_, u64>,
) -> PyResult<Vec<Asked>> {
    let columns = offset.as_slice()?.iter().zip(size.as_slice()?).zip(op.as_slice()?).zip(pace.as_slice()?);
    Ok(columns
        .map(|(((&lbn, &sectors), &op), &pace)| Asked {
            lbn,
            sectors: u64::from(sectors),
            write: op == 1,
            pace,
        })
        .collect())
}
