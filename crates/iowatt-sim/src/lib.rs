//! The storage simulator: rooms, engine, energy ledger. No I/O, no Python, no names.
//!
//! A request walks through rooms in one order: [`arrival`] -> [`path`] -> [`controller`] -> [`volume`] -> [`raid`] -> drive
//! queue and drive ([`device`]) -> [`bus`], and back; every drive writes to the one energy ledger ([`power`]) and
//! [`observe`] records what the results ([`results`]) are made of. [`plan`] is all that it is told.

pub mod arrival;
mod back_end_log;
pub mod bus;
pub mod clock;
pub mod controller;
pub mod device;
pub mod engine;
mod error;
pub mod event;
pub mod observe;
pub mod path;
pub mod plan;
pub mod power;
pub mod raid;
pub mod results;
pub mod rng;
pub mod slab;
pub mod state;
pub mod station;
pub mod volume;

pub use back_end_log::{BackEndRow, BackEndSink};
pub use engine::{Progress, Simulation};
pub use error::SimError;
pub use observe::{IdlePeriod, IdleSink};
pub use plan::Plan;
pub use results::{Column, Outcome, Summary, Table};
