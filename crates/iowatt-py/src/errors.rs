//! Errors of the crates as the exceptions of `iowatt.base.errors`.

use iowatt_sim::PlanError;
use iowatt_trace::TraceError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A fault of ours: Python's checks should have caught it.
pub(crate) fn internal(py: Python<'_>, message: &str) -> PyErr {
    raised(py, "IowattError", "internal", None, message)
}

/// A plan that the engine refuses: Python's checks should have caught it. The place is the plan's field.
pub(crate) fn plan_error(py: Python<'_>, error: &PlanError) -> PyErr {
    raised(py, "IowattError", "internal", Some(&format!("plan: {}", error.path)), &error.message)
}

/// A trace's error as the Python exception it is there; what the caller raised comes back as it was.
pub(crate) fn trace_error(py: Python<'_>, error: TraceError) -> PyErr {
    match error {
        TraceError::Malformed { code, file, place, reason } => {
            input_error(py, code.as_str(), Some(&format!("{file}:{place}")), &reason)
        }
        TraceError::Unusable { code, file, reason } => input_error(py, code.as_str(), Some(&file), &reason),
        TraceError::Caller(raised) => match raised.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(other) => PyValueError::new_err(other.to_string()),
        },
    }
}

/// `code` is one of `iowatt.base.errors.CODES`.
pub(crate) fn input_error(py: Python<'_>, code: &str, place: Option<&str>, message: &str) -> PyErr {
    raised(py, "InputError", code, place, message)
}

/// An error of a class of `iowatt.base.errors`.
fn raised(py: Python<'_>, class: &str, code: &str, place: Option<&str>, message: &str) -> PyErr {
    let raise = || -> PyResult<PyErr> {
        let class = py.import("iowatt.base.errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call1((code, place, message))?))
    };
    raise().unwrap_or_else(|error| error)
}
