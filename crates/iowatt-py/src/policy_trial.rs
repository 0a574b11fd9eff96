//! `PolicyTrial`: a policy over idle periods that come in batches, so that their number does not matter.

use crate::errors::internal;
use crate::policy::{built, figures, levels};
use iowatt_power::{Evaluation, Levels, Policy, evaluate};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, PoisonError};

/// A policy on one drive, and what it has made of the periods so far.
#[pyclass]
pub struct PolicyTrial {
    levels: Levels,
    policy: Mutex<Box<dyn Policy>>,
    sums: Evaluation,
}

#[pymethods]
impl PolicyTrial {
    #[new]
    #[pyo3(signature = (levels_json, policy_json, seed=0))]
    fn new(py: Python<'_>, levels_json: &str, policy_json: &str, seed: u64) -> PyResult<Self> {
        let levels = levels(py, levels_json)?;
        // Each batch begins at full speed, as drives do that serve nothing at another level.
        if levels.count() > 2 || levels.below.iter().any(|level| level.serves_at.is_some()) {
            return Err(internal(
                py,
                "levels: a trial takes one level below idling, at which nothing is served",
            ));
        }
        let policy = Mutex::new(built(py, &levels, policy_json, seed)?);
        let sums = Evaluation { level_s: vec![0.0; levels.count()], ..Evaluation::default() };
        Ok(Self { levels, policy, sums })
    }

    fn add(&mut self, py: Python<'_>, idle_ns: PyReadonlyArray1<'_, u64>) -> PyResult<()> {
        let lengths = idle_ns.as_slice()?;
        let (levels, policy) = (&self.levels, self.policy.get_mut().unwrap_or_else(PoisonError::into_inner));
        let found =
            py.detach(|| evaluate(levels, policy.as_mut(), lengths.iter().map(|&ns| ns as f64 / 1e9)));
        let sums = &mut self.sums;
        sums.periods += found.periods;
        sums.length_s += found.length_s;
        sums.baseline_j += found.baseline_j;
        sums.energy_j += found.energy_j;
        sums.delayed += found.delayed;
        sums.added_s += found.added_s;
        sums.longest_wait_s = sums.longest_wait_s.max(found.longest_wait_s);
        sums.spin_downs += found.spin_downs;
        sums.descents += found.descents;
        sums.level_s.iter_mut().zip(&found.level_s).for_each(|(sum, s)| *sum += s);
        sums.descending_s += found.descending_s;
        sums.ascending_s += found.ascending_s;
        Ok(())
    }

    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        figures(py, &self.sums)
    }
}
