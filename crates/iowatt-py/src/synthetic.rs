//! Workloads to be made, where a trace could stand: a specification with the one key `synthetic`.

use crate::simulate::internal;
use iowatt_trace::Source;
use iowatt_workload::plan::LawPlan;
use iowatt_workload::{Generator, Plan};
use pyo3::prelude::*;
use serde_json::Value;

/// The plan in `spec_json`; `None` where it is the specification of a recorded trace.
pub(crate) fn plan(spec_json: &str) -> Option<serde_json::Result<Plan>> {
    let mut spec: Value = serde_json::from_str(spec_json).ok()?;
    let plan = spec.get_mut("synthetic")?.take();
    Some(serde_json::from_value(plan))
}

/// The workload of `plan`. `rows` are those of the trace whose stamps it takes, where that is Parquet.
pub(crate) fn open(py: Python<'_>, rows: Option<Py<PyAny>>, plan: &Plan) -> PyResult<Box<dyn Source>> {
    let recorded = plan.processes.iter().find_map(|process| match &process.law {
        LawPlan::Recorded { trace, .. } => Some(trace),
        _ => None,
    });
    let recorded = recorded.map(|trace| crate::trace::open_spec(py, rows, trace)).transpose()?;
    let made = py.detach(|| Generator::new(plan, recorded));
    Ok(Box::new(made.map_err(|error| internal(py, &format!("profile {}: {error}", plan.name)))?))
}
