//! Requests cut into pieces: at the boundaries of blocks, or into transfers of at most some size.
//!
//! The pieces of a request have its stamp and are in the order of their addresses. No byte is added: a piece at an edge may be
//! smaller than a block. The response time of a request that was cut is that of none of its pieces, and is dropped.

use super::step::Step;
use crate::error::Fault;
use crate::request::{NO_RESPONSE, Op, Request};

/// Where cuts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// At multiples of so many bytes.
    Blocks,
    /// So many bytes from the request's beginning, and again.
    Transfers,
}

pub(super) struct Split {
    cut: Cut,
    bytes: u64,
    rest: Option<Request>,
    requests: u64,
    pieces: u64,
}

impl Split {
    pub(super) fn new(cut: Cut, bytes: u64) -> Self {
        Self { cut, bytes, rest: None, requests: 0, pieces: 0 }
    }

    /// Bytes of the first piece of `request`.
    fn first(&self, request: &Request) -> u64 {
        match self.cut {
            Cut::Blocks => self.bytes - request.offset % self.bytes,
            Cut::Transfers => self.bytes,
        }
    }
}

impl Step for Split {
    fn put(&mut self, request: Request, _: &[String]) -> Result<(), Fault> {
        let is_cut = request.op != Op::Flush && u64::from(request.size) > self.first(&request);
        self.requests += u64::from(is_cut);
        let response_ns = if is_cut { NO_RESPONSE } else { request.response_ns };
        self.rest = Some(Request { response_ns, ..request });
        Ok(())
    }

    fn get(&mut self) -> Option<Request> {
        let rest = self.rest.take()?;
        let first = self.first(&rest);
        let Some(behind) = u64::from(rest.size).checked_sub(first).filter(|&b| b > 0 && rest.op != Op::Flush)
        else {
            return Some(rest);
        };
        self.pieces += 1;
        let size = (u64::from(rest.size) - behind) as u32; // of a u32
        self.rest = Some(Request { offset: rest.offset + first, size: behind as u32, ..rest });
        Some(Request { size, ..rest })
    }

    fn note(&self) -> Option<String> {
        let how = match self.cut {
            Cut::Blocks => format!("at multiples of {} bytes", self.bytes),
            Cut::Transfers => format!("into transfers of at most {} bytes", self.bytes),
        };
        let (requests, pieces) = (self.requests, self.pieces + self.requests);
        Some(format!("{requests} requests were cut {how}, into {pieces}; their response times were dropped"))
    }
}
