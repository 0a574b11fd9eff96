//! Caches alone: hits of any number of caches over one pass of a trace, without time, drives or energy.
//!
//! Every request looks up the blocks that it touches (or one object, whatever its size), in their order; what is missing
//! is fetched at once and kept. Keys are numbered once for all caches ([`directory`]), so that each cache finds them in arrays.

mod alone;
mod batch;
mod directory;
mod outcome;
mod plan;
mod run;

pub use outcome::{CacheOutcome, Counts, Outcome, Pass};
pub use plan::{CacheAlone, SimulationPlan, WarmUp, Writes};
pub use run::{Tell, measure, simulate};
