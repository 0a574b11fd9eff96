//! Caches alone: a plan and a trace in, counts out, both as JSON.

use crate::errors::{internal, trace_error};
use crate::trace::{Report, json, open_whole};
use iowatt_cache::simulation::SimulationPlan;
use pyo3::prelude::*;

/// Simulates the caches of a plan over a whole trace; without caches it counts what passes by. Without `device` in the spec, all
/// devices are read.
#[pyfunction]
#[pyo3(signature = (source, spec_json, plan_json, progress=None))]
pub(crate) fn cache_simulate(
    py: Python<'_>,
    source: Option<Py<PyAny>>,
    spec_json: &str,
    plan_json: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let plan: SimulationPlan = serde_json::from_str(plan_json)
        .map_err(|error| internal(py, &format!("the plan of the caches: {error}")))?;
    plan.validate().map_err(|reason| internal(py, &reason))?;
    let (mut source, file) = open_whole(py, source, spec_json)?;
    let mut report = Report::new(progress);
    let found = py
        .detach(|| {
            iowatt_cache::simulation::simulate(source.as_mut(), &file, &plan, &mut |fraction, done| {
                report.tell(fraction, done)
            })
        })
        .map_err(|error| trace_error(py, error))?;
    json(&found)
}
