//! Block traces in and out: one file per format, streaming, in bounded memory.

mod error;
mod request;

pub use error::TraceError;
pub use request::{NO_RESPONSE, NO_STREAM, Op, Request, Source};
