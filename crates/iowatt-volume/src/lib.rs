//! The policies of virtual pools, without I/O and without a clock: one address space of several parts.
//!
//! A [`Scheme`] turns each request into transfers on ranges of parts, counts what is hot, decides what is moved where and
//! when, and holds requests back where a move is in their way. It never moves a byte itself: a driver ([`VolumeIo`]) opens
//! the transfers, tells when they are done, and says what time it is. The simulator is one driver, a live volume another; both
//! run this very code.

mod caching;
mod counts;
mod initial;
mod io;
mod linear;
mod maid;
mod movement;
mod pdc;
mod plan;
mod reduced;
mod run;
mod scheme;
mod schemes;
mod sectored;
mod sectors;
#[cfg(test)]
mod test_pools;
mod tiered;
mod tiering;
mod turns;
mod waiting;
mod write_off_loading;
mod zoned;

pub mod grain;
pub mod log;
pub mod recency;
pub mod rng;
pub mod slab;
pub mod time;

pub use counts::{PartCounts, PoolCounts};
pub use io::{MapRecord, VolumeIo, VolumeRequest};
pub use movement::Movement;
pub use plan::*;
pub use reduced::{Reduced, ReducedState};
pub use scheme::Scheme;
pub use schemes::Schemes;
