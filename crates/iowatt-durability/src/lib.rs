//! The durability of stored data: a plan in, probabilities of loss and hours unavailable out. No I/O, no names.
//!
//! Two engines that agree where both apply: a Markov chain ([`markov`]), exact for rates that do not change, and
//! Monte Carlo with importance sampling ([`monte_carlo`]) for the rest.

mod assess;
mod availability;
mod code;
mod cpu;
mod hazard;
mod markov;
mod monte_carlo;
pub mod plan;
mod repair;
pub mod results;
mod rng;

pub use assess::{AssessError, assess};
pub use plan::Plan;
pub use results::Results;
