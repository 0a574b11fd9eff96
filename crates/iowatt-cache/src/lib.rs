//! What a cache gives up to make room: replacement policies behind one contract, and caches simulated alone.
//!
//! - [`replacement`]: the contract; [`policies`]: one policy a file;
//! - [`plan`]: a policy by its name and parameters (serde); [`policy`]: any of them, chosen at run time;
//! - [`index`]: where a key is found again: by hashing, or directly where keys are small numbers;
//! - [`simulation`]: many caches over one pass of a trace, without time.
//!
//! Policies know slots and keys and nothing else: no time, no I/O, no dirty data. The controller's cache
//! (`iowatt-sim`) and the simulation here use the same code.

mod ghosts;
pub mod index;
pub mod plan;
pub mod policies;
pub mod policy;
mod queue;
pub mod replacement;
pub mod simulation;
mod sketch;

pub use plan::ReplacementPlan;
pub use policy::Policy;
pub use replacement::Replacement;
