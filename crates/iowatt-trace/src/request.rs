//! The one record that every trace format decodes into.

/// What a request asks of the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    /// Data from the device to the host.
    Read = 0,
    /// Data from the host to the device.
    Write = 1,
    /// Blocks declared unused (discard, unmap, deallocate).
    Trim = 2,
    /// Volatile caches made durable.
    Flush = 3,
}

/// Bytes of the smallest sector that drives have.
pub const SECTOR: u32 = 512;

/// Whether a read or write is not of whole sectors, as one whose size was not read in its unit is.
pub(crate) fn partial_sectors(op: Op, size: u64) -> bool {
    matches!(op, Op::Read | Op::Write) & !size.is_multiple_of(u64::from(SECTOR))
}

/// `stream` of a request whose trace does not name one.
pub const NO_STREAM: u32 = u32::MAX;
/// `response_ns` of a request whose trace did not record one.
pub const NO_RESPONSE: i64 = -1;

/// One block request. 40 bytes, `Copy`: decoders and the simulator pass it by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Arrival in nanoseconds from the origin of the trace; non-decreasing within a source.
    pub time_ns: u64,
    /// First byte on the device.
    pub offset: u64,
    /// Response time recorded in the trace, or [`NO_RESPONSE`].
    pub response_ns: i64,
    /// Bytes; never zero for reads, writes and trims.
    pub size: u32,
    /// Index into [`Source::devices`].
    pub device: u32,
    /// Issuing process or stream, or [`NO_STREAM`].
    pub stream: u32,
    /// Direction.
    pub op: Op,
}

/// A stream of requests in time order. Implemented by every decoder, by the batches that Python
/// feeds in, and by plain vectors in tests.
pub trait Source: Send {
    /// Appends at most `limit` requests to `out`. Returns `false` once the source has ended;
    /// requests appended by that last call still count.
    ///
    /// # Errors
    /// Names the file, the place in it and what would have been accepted.
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, crate::TraceError>;

    /// Names of the devices seen so far; `Request::device` is an index into it.
    fn devices(&self) -> &[String];

    /// Names of the streams seen so far; `Request::stream` is an index into it.
    fn streams(&self) -> &[String] {
        &[]
    }

    /// What has been read so far, where the source keeps count.
    fn summary(&self) -> Option<crate::Summary> {
        None
    }

    /// Fraction of the input consumed so far (0..=1), where it can be known.
    fn progress(&self) -> Option<f64> {
        None
    }
}

/// A source that somebody else keeps.
impl<S: Source + ?Sized> Source for &mut S {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, crate::TraceError> {
        (**self).fill(out, limit)
    }

    fn devices(&self) -> &[String] {
        (**self).devices()
    }

    fn streams(&self) -> &[String] {
        (**self).streams()
    }

    fn summary(&self) -> Option<crate::Summary> {
        (**self).summary()
    }

    fn progress(&self) -> Option<f64> {
        (**self).progress()
    }
}
