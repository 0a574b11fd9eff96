//! Block traces in: one file per format, streaming, in bounded memory.
//!
//! Bytes ([`Input`]: file or pipe, decompressed) go through a format's decoder ([`format`]) and come out
//! as raw records; [`Checked`] puts them in order, checks and counts them, and is the [`Source`] that the
//! simulator and Python read; [`Ahead`] decodes on a thread of its own. Rows that Python brings itself (Parquet) enter at
//! the same check.
//! What is done to a trace on its way in (merged, cut, placed, ...) are sources over sources ([`assemble`]).
//! A recording of blktrace is also read as a measurement: requests with the times of their stages ([`Stages`]).
//! [`info`] reads a whole source and says what is in it; [`describe`] measures it as a workload.

mod ahead;
mod check;
pub mod describe;
mod error;
pub mod format;
mod front;
mod gap;
pub mod heat;
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
mod stages;
mod summary;
mod transform;

pub use ahead::Ahead;
pub use check::{Checked, Habits};
pub use error::{Code, Fault, TraceError};
pub use format::{FormatNote, Records, formats};
pub use info::{TraceInfo, info};
pub use input::{Input, MAX_LINE};
pub use names::{MAX_DEVICES, MAX_NAME, MAX_STREAMS, Names, Table};
pub use open::{from_reader, open, open_ahead, open_parts};
pub use order::HELD;
pub use request::{NO_RESPONSE, NO_STREAM, Op, Request, Source};
pub use rows::{NextBatch, Rows, checked_rows, from_rows};
pub use spec::{Align, Column, Combine, CopiesSpec, Event, Placement, Seat, TimeUnit, TraceSpec};
pub use stages::{Joined, Stage, Stages, StagesSummary};
pub use summary::Summary;
pub use transform::{OpenParts, assemble, decoded};
