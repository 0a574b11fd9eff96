//! Errors of the crates as the exceptions of `iowatt.errors`.

use iowatt_sim::PlanError;
use iowatt_trace::TraceError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A fault of ours: Python's checks should have caught it.
pub(crate) fn internal(py: Python<'_>, message: &str) -> PyErr {
    raised(py, "IowattError", message, None)
}

/// A plan that the engine refuses: Python's checks should have caught it. The place is the plan's field.
pub(crate) fn plan_error(py: Python<'_>, error: &PlanError) -> PyErr {
    raised(py, "IowattError", &error.message, Some(&format!("plan: {}", error.path)))
}

/// A trace's error as the Python exception it is there; what the caller raised comes back as it was.
pub(crate) fn trace_error(py: Python<'_>, error: TraceError) -> PyErr {
    match error {
        TraceError::Malformed { file, place, reason } => {
            input_error(py, &reason, Some(&format!("{file}:{place}")))
        }
        TraceError::Unusable { file, reason } => input_error(py, &reason, Some(&file)),
        TraceError::Caller(raised) => match raised.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(other) => PyValueError::new_err(other.to_string()),
        },
    }
}

pub(crate) fn input_error(py: Python<'_>, message: &str, place: Option<&str>) -> PyErr {
    raised(py, "InputError", message, place)
}

/// An error of a class of `iowatt.errors`, at a place.
fn raised(py: Python<'_>, class: &str, message: &str, place: Option<&str>) -> PyErr {
    let raise = || -> PyResult<PyErr> {
        let class = py.import("iowatt.errors")?.getattr(class)?;
        let named = PyDict::new(py);
        named.set_item("where", place)?;
        Ok(PyErr::from_value(class.call((message,), Some(&named))?))
    };
    raise().unwrap_or_else(|error| error)
}
