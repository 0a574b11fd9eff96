//! `evaluate_policy`, `policy_foresees`, `break_even`: idle periods, a drive's levels and a policy in, figures out.

use crate::errors::internal;
use iowatt_power::{Evaluation, Levels, Policy, PolicyPlan, evaluate};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What a policy makes of idle periods; the GIL is released.
#[pyfunction]
#[pyo3(signature = (idle_ns, levels_json, policy_json, seed=0))]
pub fn evaluate_policy<'py>(
    py: Python<'py>,
    idle_ns: PyReadonlyArray1<'py, u64>,
    levels_json: &str,
    policy_json: &str,
    seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let levels = levels(py, levels_json)?;
    let mut policy = built(py, &levels, policy_json, seed)?;
    let lengths = idle_ns.as_slice()?;
    let found = py.detach(|| evaluate(&levels, policy.as_mut(), lengths.iter().map(|&ns| ns as f64 / 1e9)));
    figures(py, &found)
}

/// The policy of a JSON `PolicyPlan`.
pub(crate) fn built(
    py: Python<'_>,
    levels: &Levels,
    policy_json: &str,
    seed: u64,
) -> PyResult<Box<dyn Policy>> {
    planned(py, policy_json)?.build(levels, seed).map_err(|e| internal(py, &e))
}

fn planned(py: Python<'_>, policy_json: &str) -> PyResult<PolicyPlan> {
    serde_json::from_str(policy_json).map_err(|e| internal(py, &format!("policy: {e}")))
}

/// Whether a policy must be told the lengths of idle periods beforehand.
#[pyfunction]
pub fn policy_foresees(py: Python<'_>, policy_json: &str) -> PyResult<bool> {
    Ok(planned(py, policy_json)?.foresees())
}

/// An evaluation as a dict.
pub(crate) fn figures<'py>(py: Python<'py>, found: &Evaluation) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("periods", found.periods)?;
    result.set_item("length_s", found.length_s)?;
    result.set_item("baseline_j", found.baseline_j)?;
    result.set_item("energy_j", found.energy_j)?;
    result.set_item("delayed", found.delayed)?;
    result.set_item("added_s", found.added_s)?;
    result.set_item("longest_wait_s", found.longest_wait_s)?;
    result.set_item("spin_downs", found.spin_downs)?;
    result.set_item("descents", found.descents)?;
    result.set_item("level_s", &found.level_s)?;
    result.set_item("descending_s", found.descending_s)?;
    result.set_item("ascending_s", found.ascending_s)?;
    Ok(result)
}

/// Break-even time of each level below idling, seconds; infinite where nothing is saved.
#[pyfunction]
pub fn break_even(py: Python<'_>, levels_json: &str) -> PyResult<Vec<f64>> {
    let levels = levels(py, levels_json)?;
    Ok((1..levels.count()).filter_map(|level| levels.break_even_s(level)).collect())
}

pub(crate) fn levels(py: Python<'_>, json: &str) -> PyResult<Levels> {
    let levels: Levels = serde_json::from_str(json).map_err(|e| internal(py, &format!("levels: {e}")))?;
    levels.validate().map_err(|e| internal(py, &e))?;
    Ok(levels)
}
