//! Power levels of a drive, and policies that decide when an idle drive changes its level.
//!
//! Seconds, watts and joules only: no drives by name, no events, no I/O. A drive is a ladder of [`Levels`]: idling,
//! and below it levels that draw less and that cost time and energy to enter and to leave. A [`Policy`] says, period by
//! period, when to go where. [`evaluate`] tells what a policy makes of a list of idle periods; the simulator
//! (`iowatt-sim`) lets the same policies run on drives whose arrivals wait for them.
//!
//! - [`level`]: levels, break-even time;
//! - [`policy`]: the contract; [`policies`]: one policy a file;
//! - [`plan`]: a policy by its name and parameters (serde);
//! - [`evaluation`]: a policy over idle periods;
//! - [`exponential`]: closed forms for exponential idle periods, against which the rest is tested;
//! - [`speed`]: power against speed of rotation.

pub mod evaluation;
pub mod exponential;
pub mod level;
pub mod plan;
pub mod policies;
pub mod policy;
pub mod speed;

pub use evaluation::{Evaluation, evaluate};
pub use level::{Level, Levels, Transition, unknown_as_nan};
pub use plan::PolicyPlan;
pub use policy::{Change, Ended, Policy};
