//! Requests of hosts, and what answers them.

use std::sync::Arc;

/// Why a request failed, as hosts are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A store did not do it, or the volume has stopped because one did not.
    Io,
    /// A store has no space.
    NoSpace,
    /// Beyond the volume's end.
    Range,
}

impl From<&std::io::Error> for Failure {
    fn from(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::NoSpace,
            _ => Self::Io,
        }
    }
}

/// What a host wants.
#[derive(Clone, Debug)]
pub enum Work {
    /// So many bytes from a byte on.
    Read {
        /// The first byte.
        at: u64,
        /// How many.
        bytes: u64,
    },
    /// These bytes written from a byte on.
    Write {
        /// The first byte.
        at: u64,
        /// What to write.
        data: Arc<Vec<u8>>,
        /// Durable before it is answered.
        durable: bool,
    },
    /// Bytes that read as zeroes then.
    Discard {
        /// The first byte.
        at: u64,
        /// How many.
        bytes: u64,
        /// Whether the host only gives them up; else it writes zeroes, which counts and warms as other writes do.
        trim: bool,
        /// Durable before it is answered.
        durable: bool,
    },
    /// All that has been answered made durable.
    Flush,
}

/// Takes answers. A request is answered once, by any thread.
pub trait Host: Send + Sync {
    /// The answer to the request with this cookie: of a read, its bytes.
    fn answer(&self, cookie: u64, outcome: Result<Vec<u8>, Failure>);
}

/// A request in flight.
pub(super) struct Request {
    pub host: Arc<dyn Host>,
    pub cookie: u64,
    pub range: (u64, u64),
    pub kind: RequestKind,
    /// What a recorder has said of its arrival.
    pub arrived: Option<u64>,
    /// Transfers and holds that it waits for.
    pub waits: u32,
    /// Durable before it is answered.
    pub durable: bool,
    pub failure: Option<Failure>,
    /// What was read.
    pub read: Vec<u8>,
}

/// What a request in flight does.
#[derive(Clone, Debug)]
pub(super) enum RequestKind {
    Read,
    Write(Arc<Vec<u8>>),
    /// Whether it is a trim.
    Discard(bool),
    Flush,
}

/// A request that is to be answered.
pub(super) struct Answered {
    pub host: Arc<dyn Host>,
    pub cookie: u64,
    pub outcome: Result<Vec<u8>, Failure>,
    /// What a recorder has said of its arrival, its range, and whether it is a write.
    pub arrived: Option<(u64, (u64, u64), bool)>,
}

impl From<Request> for Answered {
    fn from(request: Request) -> Self {
        let Request { host, cookie, failure, read, arrived, range, kind, .. } = request;
        let arrived = arrived.map(|arrived| (arrived, range, !matches!(kind, RequestKind::Read)));
        Self { host, cookie, outcome: failure.map_or(Ok(read), Err), arrived }
    }
}
