//! The requests of a replay, as columns.

/// One request, as a target sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Io {
    /// Whether it writes.
    pub write: bool,
    /// First byte.
    pub offset: u64,
    /// Bytes; more than none.
    pub size: u32,
}

/// Requests in order of time; columns of equal length.
#[derive(Debug, Clone, Default)]
pub struct Work {
    /// When each is due, ns from the beginning, ascending.
    pub due_ns: Vec<u64>,
    /// Whether it writes.
    pub write: Vec<bool>,
    /// First byte.
    pub offset: Vec<u64>,
    /// Bytes.
    pub size: Vec<u32>,
    /// The stream of each; empty: all are of one stream.
    pub stream: Vec<u32>,
    /// Time from the completion of a stream's previous request to this one, ns; empty: none.
    pub think_ns: Vec<u64>,
}

impl Work {
    /// Requests.
    #[must_use]
    pub fn len(&self) -> usize {
        self.due_ns.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.due_ns.is_empty()
    }

    /// The request `number`, counted on through repetitions.
    #[must_use]
    pub fn io(&self, number: u64) -> Io {
        let row = self.row(number);
        Io { write: self.write[row], offset: self.offset[row], size: self.size[row] }
    }

    /// The row of request `number`.
    #[must_use]
    pub fn row(&self, number: u64) -> usize {
        (number % self.len() as u64) as usize
    }

    /// From the beginning of one repetition to that of the next, ns: the last request is followed by the mean gap.
    #[must_use]
    pub fn period_ns(&self) -> u64 {
        let gaps = self.len().saturating_sub(1) as u64;
        let span = self.due_ns.last().copied().unwrap_or(0);
        span + span.checked_div(gaps).unwrap_or(0)
    }

    /// Most bytes of a request that writes, or of one that reads.
    #[must_use]
    pub fn longest(&self, write: bool) -> u32 {
        let own = self.size.iter().zip(&self.write).filter(|(_, writes)| **writes == write);
        own.map(|(size, _)| *size).max().unwrap_or(0)
    }

    /// What is wrong with the columns, if anything.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        let n = self.len();
        let optional = |length: usize| length == 0 || length == n;
        if [self.write.len(), self.offset.len(), self.size.len()] != [n; 3]
            || !optional(self.stream.len())
            || !optional(self.think_ns.len())
        {
            Some("columns of different lengths")
        } else if !self.due_ns.is_sorted() {
            Some("times that do not ascend")
        } else if self.size.contains(&0) {
            Some("a request of no bytes")
        } else {
            None
        }
    }
}
