//! Replays requests on storage and records when each was due, sent and completed.
//!
//! [`schedule`] says which request is due when: at its recorded time (open loop), or after the completion of another
//! (closed loops). [`pacer`] sends it then, through a [`pacer::Driver`]: [`live`] is the one with a clock, and a
//! [`target`] that answers on threads of its own; tests have one whose clock they turn. [`board`] keeps the stamps.
//! [`run()`] puts these together; [`drive`] does for a target of another crate.
//!
//! A request that is sent late is sent all the same, and its lateness shows it: overload is reported, never hidden.

pub mod board;
mod buffers;
pub mod live;
pub mod pacer;
pub mod run;
pub mod schedule;
pub mod target;
pub mod work;

pub use run::{Control, Options, Outcome, Paced, ReplayError, drive, run};
pub use schedule::Mode;
pub use target::Place;
pub use work::{Io, Work};
