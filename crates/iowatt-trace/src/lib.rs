//! Block traces in: one file per format, streaming, in bounded memory.
//!
//! Bytes ([`Input`]: file or pipe, decompressed) go through a format's decoder ([`format`]) and come out
//! as raw records; [`Checked`] puts them in order, checks and counts them, and is the [`Source`] that the
//! simulator and Python read; [`Ahead`] decodes on a thread of its own. Rows that Python brings itself (Parquet) enter at the same check.
//! [`info`] reads a whole source and says what is in it.

mod ahead;
mod check;
mod error;
pub mod format;
pub mod info;
mod input;
mod names;
mod number;
mod open;
mod order;
mod origin;
mod request;
mod rows;
mod selection;
mod spec;
mod summary;

pub use ahead::Ahead;
pub use check::{Checked, Habits, Records};
pub use error::{Fault, TraceError};
pub use format::{FormatNote, formats};
pub use info::{TraceInfo, info};
pub use input::{Input, MAX_LINE};
pub use names::{MAX_DEVICES, MAX_NAME, MAX_STREAMS, Names, Table};
pub use open::{from_reader, open, open_ahead};
pub use order::HELD;
pub use request::{NO_RESPONSE, NO_STREAM, Op, Request, Source};
pub use rows::{NextBatch, Rows, from_rows};
pub use spec::{Event, TimeUnit, TraceSpec};
pub use summary::Summary;
