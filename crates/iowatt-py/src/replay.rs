//! `replay_one`: a drive's plan and a measured trace in, simulated response times out.

use crate::simulate::internal;
use iowatt_sim::device::replay::{Asked, replay};
use iowatt_sim::plan::HddPlan;
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

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
    let plan: HddPlan =
        serde_json::from_str(hdd_plan_json).map_err(|e| internal(py, &format!("plan: {e}")))?;
    let (offset, size, op, think) =
        (offset.as_slice()?, size.as_slice()?, op.as_slice()?, think_ns.as_slice()?);
    let asked = offset.iter().zip(size).zip(op).zip(think).map(|(((&lbn, &sectors), &op), &think)| Asked {
        lbn,
        sectors: u64::from(sectors),
        write: op == 1,
        think,
    });
    let n = offset.len();
    let (mut response, mut hit) = (Vec::with_capacity(n), Vec::with_capacity(n));
    py.detach(|| {
        replay(&plan, phase, asked, |now, access| {
            response.push(access.done - now);
            hit.push(access.hit as u8);
        })
    })
    .map_err(|e| internal(py, &e))?;
    let result = PyDict::new(py);
    result.set_item("response_ns", response.into_pyarray(py))?;
    result.set_item("hit", hit.into_pyarray(py))?;
    Ok(result)
}
