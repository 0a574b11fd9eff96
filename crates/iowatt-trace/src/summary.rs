//! What was read of a trace so far: the counts that show whether it was read rightly.

use serde::Serialize;

/// What was read so far.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Name of the format.
    pub format: String,
    /// Whether it was recognised from the first lines rather than named.
    pub detected: bool,
    /// Requests handed out.
    pub requests: u64,
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
}

impl Clone for Summary {
    fn clone(&self) -> Self {
        let mut new = Self::default();
        new.clone_from(self);
        new
    }

    /// Reuses the memory of the texts, which the derived one would not: a decoding thread copies a summary for
    /// every few hundred requests.
    fn clone_from(&mut self, from: &Self) {
        let Self {
            format,
            detected,
            requests,
            skipped_bad,
            first_bad,
            reordered,
            equal_stamps,
            trims,
            flushes,
            origin,
        } = self;
        format.clone_from(&from.format);
        *detected = from.detected;
        *requests = from.requests;
        *skipped_bad = from.skipped_bad;
        first_bad.clone_from(&from.first_bad);
        *reordered = from.reordered;
        *equal_stamps = from.equal_stamps;
        *trims = from.trims;
        *flushes = from.flushes;
        origin.clone_from(&from.origin);
    }
}
