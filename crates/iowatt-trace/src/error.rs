//! What can be wrong with a trace, said so that its owner can mend it.

/// The kind of a fault: a code of `iowatt.base.errors.CODES` in Python, where each is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // explained in one place for both languages
pub enum Code {
    Ambiguous,
    BadSyntax,
    Conflict,
    Damaged,
    Duplicate,
    Empty,
    Infeasible,
    Missing,
    NotAccepted,
    NotApplicable,
    NotComparable,
    NotFound,
    OutOfOrder,
    OutOfRange,
    ReadOnce,
    TooLarge,
    UnknownKey,
    UnknownName,
    Unreadable,
    Unsupported,
    WrongFormat,
    WrongKind,
}

impl Code {
    /// As Python and the command line write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ambiguous => "ambiguous",
            Self::BadSyntax => "bad-syntax",
            Self::Conflict => "conflict",
            Self::Damaged => "damaged",
            Self::Duplicate => "duplicate",
            Self::Empty => "empty",
            Self::Infeasible => "infeasible",
            Self::Missing => "missing",
            Self::NotAccepted => "not-accepted",
            Self::NotApplicable => "not-applicable",
            Self::NotComparable => "not-comparable",
            Self::NotFound => "not-found",
            Self::OutOfOrder => "out-of-order",
            Self::OutOfRange => "out-of-range",
            Self::ReadOnce => "read-once",
            Self::TooLarge => "too-large",
            Self::UnknownKey => "unknown-key",
            Self::UnknownName => "unknown-name",
            Self::Unreadable => "unreadable",
            Self::Unsupported => "unsupported",
            Self::WrongFormat => "wrong-format",
            Self::WrongKind => "wrong-kind",
        }
    }
}

/// A trace that cannot be read further. `Display` is one line: file, place, reason, what is accepted.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A record that does not decode; `place` is a line or a record number.
    #[error("{file}:{place}: {reason}")]
    Malformed {
        /// What kind of fault it is.
        code: Code,
        /// The file as the user named it.
        file: String,
        /// Line (text), record (binary) or row (batches), from 1.
        place: u64,
        /// What is wrong and what would be accepted.
        reason: String,
    },
    /// The file as a whole cannot be used (missing, empty, truncated, unknown format).
    #[error("{file}: {reason}")]
    Unusable {
        /// What kind of fault it is.
        code: Code,
        /// The file as the user named it.
        file: String,
        /// What is wrong and what would be accepted.
        reason: String,
    },
    /// Raised by the caller's own code (an iterator of batches, a progress callback) and handed
    /// back to it unchanged.
    #[error("{0}")]
    Caller(Box<dyn std::error::Error + Send + Sync>),
}

impl TraceError {
    /// A fault of the file as a whole.
    pub fn unusable(file: &str, fault: impl Into<Fault>) -> Self {
        let Fault { code, reason, .. } = fault.into();
        Self::Unusable { code, file: file.to_owned(), reason }
    }

    /// A fault of the line, record or row `place`.
    pub fn malformed(file: &str, place: u64, fault: impl Into<Fault>) -> Self {
        let Fault { code, reason, .. } = fault.into();
        Self::Malformed { code, file: file.to_owned(), place, reason }
    }

    /// The kind of fault; `None` for the caller's own.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Malformed { code, .. } | Self::Unusable { code, .. } => Some(*code),
            Self::Caller(_) => None,
        }
    }
}

/// Why one record does not decode, or a trace cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault it is.
    pub code: Code,
    /// What is wrong and what would be accepted.
    pub reason: String,
    /// Whether the rest of the trace is unusable too, so that `skip_bad` must not skip it
    /// (a header that cannot be understood, say).
    pub fatal: bool,
}

impl Fault {
    /// A fault of one record, or of what is asked.
    pub fn new(code: Code, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), fatal: false }
    }

    /// A fault that spoils the whole trace.
    pub fn fatal(code: Code, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), fatal: true }
    }

    /// A figure of a record that does not fit.
    pub(crate) fn out_of_range(reason: impl Into<String>) -> Self {
        Self::new(Code::OutOfRange, reason)
    }

    /// Code and reason, for tests.
    #[cfg(test)]
    pub(crate) fn said(&self) -> String {
        format!("{}: {}", self.code.as_str(), self.reason)
    }
}

/// A record that contradicts its format.
impl<T: Into<String>> From<T> for Fault {
    fn from(reason: T) -> Self {
        Self::new(Code::Damaged, reason)
    }
}
