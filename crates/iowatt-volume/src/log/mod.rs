//! Tables of logs that are written in order and collected: a map of units, who owns what was written, and the steady state
//! in which such a log starts. Flash and zones have the same ones.

pub mod locator;
pub mod map;
pub mod origin;
pub mod owners;
mod shuffle;
pub mod steady;
