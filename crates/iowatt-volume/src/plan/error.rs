//! Why a plan cannot be run.

/// The kinds of faults of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanFault {
    /// A figure outside its range.
    Range,
    /// Too few or too many elements.
    Count,
    /// An index of an element that does not exist.
    Reference,
    /// Fields that exclude each other.
    Conflict,
    /// More than there is room for.
    Capacity,
}

impl PlanFault {
    /// The code of the fault, for callers outside Rust.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Count => "count",
            Self::Reference => "reference",
            Self::Conflict => "conflict",
            Self::Capacity => "capacity",
        }
    }
}

/// A fault of a plan and its place. Python checks scenarios first and names their keys; what is found here would break the
/// engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct PlanError {
    /// What kind of fault it is.
    pub fault: PlanFault,
    /// The field, such as `pools[0].raid.stripe_unit_bytes`.
    pub path: String,
    /// What is wrong and what would be accepted.
    pub message: String,
}

impl PlanError {
    /// A fault at `path`, relative to what is being checked.
    pub fn new(fault: PlanFault, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { fault, path: path.into(), message: message.into() }
    }
}

/// Checks that something holds of the field at `path`.
///
/// # Errors
/// The fault, where it does not.
pub fn check(ok: bool, fault: PlanFault, path: &str, message: &str) -> Result<(), PlanError> {
    if ok { Ok(()) } else { Err(PlanError::new(fault, path, message)) }
}

/// Puts a result's path below that of a parent.
pub trait Under: Sized {
    /// Below a field.
    fn under(self, parent: &str) -> Self;
    /// Below an element of a list.
    fn under_item(self, list: &str, index: usize) -> Self;
}

impl<T> Under for Result<T, PlanError> {
    fn under(self, parent: &str) -> Self {
        self.map_err(|error| {
            let separator = if error.path.is_empty() { "" } else { "." };
            PlanError { path: format!("{parent}{separator}{}", error.path), ..error }
        })
    }

    fn under_item(self, list: &str, index: usize) -> Self {
        if self.is_ok() { self } else { self.under(&format!("{list}[{index}]")) }
    }
}

/// Whether a figure is finite and above 0.
#[must_use]
pub fn positive(x: f64) -> bool {
    x.is_finite() && x > 0.0
}

/// Whether a figure is finite and at least 0.
#[must_use]
pub fn at_least_zero(x: f64) -> bool {
    x.is_finite() && x >= 0.0
}

/// Whether a figure is a share, 0 to 1.
#[must_use]
pub fn is_share(x: f64) -> bool {
    (0.0..=1.0).contains(&x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_grows_from_the_field_to_the_root() {
        let fault: Result<(), _> = check(false, PlanFault::Range, "stripe_unit_bytes", "must be positive");
        let error = fault.under("raid").under_item("pools", 3).unwrap_err();
        assert_eq!(error.path, "pools[3].raid.stripe_unit_bytes");
        assert_eq!(error.to_string(), "pools[3].raid.stripe_unit_bytes: must be positive");
        let whole: Result<(), _> = Err(PlanError::new(PlanFault::Count, "", "is empty"));
        assert_eq!(whole.under("pools").unwrap_err().path, "pools");
    }
}
