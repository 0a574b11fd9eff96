//! Synthetic workloads: a plan in SI numbers becomes a stream of requests that the simulator and
//! `trace convert` read like a recorded one.
//!
//! A request is made in four steps, one module each: *when* ([`arrival`]: laws in a time that envelopes,
//! phases and modulation stretch), *which stream* ([`choice`]: shares), *what* (direction and size by
//! [`choice`]), and *where* ([`access`]: address laws). All draws come from seeded streams ([`rng`]); nothing is
//! allocated per request.

pub mod access;
pub mod arrival;
pub mod choice;
mod generate;
pub mod plan;
pub mod rng;

pub use generate::Generator;
pub use plan::Plan;
