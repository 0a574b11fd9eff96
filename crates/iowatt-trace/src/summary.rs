//! What was read of a trace so far: the counts that show whether it was read rightly.

use serde::Serialize;

/// What was read so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Name of the format.
    pub format: String,
    /// Whether it was recognised from the first lines rather than named.
    pub detected: bool,
    /// Requests handed out.
    pub requests: u64,
    /// Reads among them.
    pub reads: u64,
    /// Writes among them.
    pub writes: u64,
    /// Reads and writes whose size is not a whole number of 512 bytes.
    pub partial_sectors: u64,
    /// Malformed records skipped.
    pub skipped_bad: u64,
    /// The first of them: `line: reason`, at most five.
    pub first_bad: Vec<String>,
    /// Records whose stamp stepped back and that were sorted in.
    pub reordered: u64,
    /// Requests with the same stamp as the one before them.
    pub equal_stamps: u64,
    /// Trims of the selected device.
    pub trims: u64,
    /// Flushes of the selected device.
    pub flushes: u64,
    /// The moment that time 0 stands for, in UTC, where stamps were absolute.
    pub origin: Option<String>,
    /// The same as a Unix time in nanoseconds.
    pub origin_unix_ns: Option<u64>,
    /// Whether the trace records no times, so that all stamps are 0.
    pub untimed: bool,
    /// What was assumed and what was passed over, in sentences.
    pub notes: Vec<String>,
    /// What makes the requests a doubtful load, in sentences.
    pub warnings: Vec<String>,
    /// The longest gap between requests, in a sentence, where it is long.
    pub long_gap: Option<String>,
}
