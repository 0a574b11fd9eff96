//! Errors of the crates as the exceptions of `iowatt.base.errors`.

use iowatt_trace::TraceError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A fault of ours: Python's checks should have caught it.
pub(crate) fn internal(py: Python<'_>, message: &str) -> PyErr {
    let raise =
        || py.import("iowatt.base.errors")?.getattr("IowattError")?.call1(("internal", py.None(), message));
    match raise() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
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
    let raised = || -> PyResult<PyErr> {
        let class = py.import("iowatt.base.errors")?.getattr("InputError")?;
        Ok(PyErr::from_value(class.call1((code, place, message))?))
    };
    raised().unwrap_or_else(|error| error)
}
