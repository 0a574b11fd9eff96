//! What can be wrong with a trace, said so that its owner can mend it.

/// A trace that cannot be read further. `Display` is one line: file, place, reason, what is accepted.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A record that does not decode; `place` is a line or a record number.
    #[error("{file}:{place}: {reason}")]
    Malformed {
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

/// Why one record does not decode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong and what would be accepted.
    pub reason: String,
    /// Whether the rest of the trace is unusable too, so that `skip_bad` must not skip it
    /// (a header that cannot be understood, say).
    pub fatal: bool,
}

impl Fault {
    /// A fault that spoils the whole trace.
    pub fn fatal(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), fatal: true }
    }
}

impl<T: Into<String>> From<T> for Fault {
    fn from(reason: T) -> Self {
        Self { reason: reason.into(), fatal: false }
    }
}
