//! `simulate`: a plan and its sources in, figures and columns out.

use crate::errors::{internal, plan_error, trace_error};
use crate::idle::Handover;
use crate::trace::open_ahead;
use iowatt_sim::Foreseen;
use iowatt_sim::{Column, Outcome, Plan, Progress, Serial, SimError, Simulation, Table};
use iowatt_trace::Source;
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::{Duration, Instant};

/// Least time between two progress calls.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// Runs a simulation on so many threads; the GIL is released but for progress calls and sources that live in Python.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // keywords in Python
#[pyo3(signature = (plan_json, sources, progress=None, foreseen=None, idle=None, back_end=None, threads=1))]
pub fn simulate<'py>(
    py: Python<'py>,
    plan_json: &str,
    sources: Vec<(String, Option<Py<PyAny>>)>,
    progress: Option<Py<PyAny>>,
    foreseen: Option<Periods<'py>>,
    idle: Option<Py<PyAny>>,
    back_end: Option<Py<PyAny>>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let periods = foreseen.map(|periods| periods.rows()).transpose()?;
    let plan: Plan = serde_json::from_str(plan_json).map_err(|e| internal(py, &format!("plan: {e}")))?;
    let started = Instant::now();
    let mut opened = sources
        .into_iter()
        .map(|(spec, rows)| open_ahead(py, rows, &spec))
        .collect::<PyResult<Vec<Box<dyn Source>>>>()?;
    let mut stopped_by = None;
    let (idle, back_end) = (idle.map(Handover::new), back_end.map(Handover::new));
    let failure = || idle.iter().chain(&back_end).find_map(Handover::failure);
    let outcome = py.detach(|| {
        let inputs = opened.iter_mut().map(|s| s.as_mut() as &mut dyn Source).collect();
        let mut last = Instant::now();
        let mut simulation = Simulation::new(&plan, inputs)?.threads(threads);
        if let Some(periods) = &periods {
            simulation.foresee(periods);
        }
        if let Some(idle) = &idle {
            simulation.log_idle(idle.idle());
        }
        if let Some(back_end) = &back_end {
            simulation.log_back_end(back_end.back_end());
        }
        simulation.run(&mut |at| {
            if let Some(error) = failure() {
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
        && let Some(error) = failure()
    {
        return Err(error);
    }
    let wall_s = started.elapsed().as_secs_f64();
    let outcome = match (outcome, stopped_by) {
        (Ok(outcome), _) => outcome,
        (Err(SimError::Stopped), Some(error)) => return Err(error),
        (Err(SimError::Trace(error)), _) => return Err(trace_error(py, error)),
        (Err(SimError::DataLost { pool, drive, at_s }), _) => {
            let class = py.import("iowatt.base.errors")?.getattr("DataLossError")?;
            return Err(PyErr::from_value(class.call1((pool, drive, at_s))?));
        }
        (Err(SimError::Plan(error)), _) => return Err(plan_error(py, &error)),
        (Err(error), _) => return Err(internal(py, &error.to_string())),
    };

    let sources = opened.iter().map(|s| serde_json::to_value(s.summary()).unwrap_or_default()).collect();
    outcome_dict(py, outcome, wall_s, sources)
}

/// What a run gave, as Python has it; `sources` are what the readers of its traces counted.
pub(crate) fn outcome_dict(
    py: Python<'_>,
    outcome: Outcome,
    wall_s: f64,
    sources: Vec<serde_json::Value>,
) -> PyResult<Bound<'_, PyDict>> {
    let result = PyDict::new(py);
    let mut summary = serde_json::to_value(&outcome.summary).map_err(|e| internal(py, &e.to_string()))?;
    summary["wall_s"] = wall_s.into();
    summary["threads"] = outcome.threads.into();
    summary["serial"] = outcome.serial.map(Serial::as_str).into();
    summary["sources"] = sources.into();
    result.set_item("summary", summary.to_string())?;
    result.set_item("intervals", columns(py, outcome.intervals)?)?;
    result.set_item("latency", columns(py, outcome.latency)?)?;
    result.set_item("series", columns(py, outcome.series)?)?;
    result.set_item("series_bins", columns(py, outcome.series_bins)?)?;
    if let Some(heat) = outcome.heat {
        result.set_item("heat", columns(py, heat)?)?;
    }
    if let Some([rows, counted]) = outcome.idle {
        result.set_item("idle", columns(py, rows)?)?;
        result.set_item("idle_short", columns(py, counted)?)?;
    }
    if let Some(hops) = outcome.hops {
        result.set_item("hops", columns(py, hops)?)?;
    }
    let foreseen = PyDict::new(py);
    let (mut drive, mut start, mut length) = (vec![], vec![], vec![]);
    for period in outcome.foreseen {
        drive.push(period.0);
        start.push(period.1);
        length.push(period.2);
    }
    foreseen.set_item("drive", drive.into_pyarray(py))?;
    foreseen.set_item("start_ns", start.into_pyarray(py))?;
    foreseen.set_item("length_ns", length.into_pyarray(py))?;
    result.set_item("foreseen", foreseen)?;
    Ok(result)
}

/// Idle periods that oracles are told, as a run without them gives them: a dict of the three columns.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Periods<'py> {
    drive: PyReadonlyArray1<'py, u32>,
    start_ns: PyReadonlyArray1<'py, u64>,
    length_ns: PyReadonlyArray1<'py, u64>,
}

impl Periods<'_> {
    fn rows(&self) -> PyResult<Foreseen> {
        let (drive, start) = (self.drive.as_slice()?, self.start_ns.as_slice()?);
        let columns = drive.iter().zip(start).zip(self.length_ns.as_slice()?);
        Ok(columns.map(|((&drive, &start), &length)| (drive, start, length)).collect())
    }
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

/// Moves the columns into NumPy arrays. Further levels and kinds of nodes are numbered: `energy_level_0_j`,
/// `node_busy_0_ns` ...
fn columns<'py>(py: Python<'py>, table: Table) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let (mut levels, mut kinds) = (0, 0);
    for (name, column) in table {
        let mut name = name.to_owned();
        if name == "energy_level_j" {
            name = format!("energy_level_{levels}_j");
            levels += 1;
        } else if name == "node_busy_ns" {
            name = format!("node_busy_{kinds}_ns");
            kinds += 1;
        }
        match column {
            Column::U64(values) => dict.set_item(name, values.into_pyarray(py))?,
            Column::F64(values) => dict.set_item(name, values.into_pyarray(py))?,
        }
    }
    Ok(dict)
}
