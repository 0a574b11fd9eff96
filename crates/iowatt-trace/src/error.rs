//! What can be wrong with a trace, said so that its owner can mend it.

/// A trace that cannot be read further. `Display` is one line: file, place, reason, what is accepted.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A record that does not decode; `place` is a line or a record number.
    #[error("{file}:{place}: {reason}")]
    Malformed {
        /// The file as the user named it.
        file: String,
        /// Line (text) or record (binary), from 1.
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
}
