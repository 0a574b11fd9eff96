//! A mechanical disk: layout, arm and spindle, on-board buffer, controller. A request is served in closed form, one step
//! per track crossing: where the platter stands at any instant follows from time, speed and phase.
//!
//! Bytes of a request go through `disk` (what the controller decides), `cursor` (the head on its way through
//! consecutive LBNs), `arm` (positioning), `layout` (where a sector is), `buffer` (what is held) and `stream` (the bus
//! behind the media).

mod arm;
mod buffer;
mod cursor;
mod disk;
mod layout;
mod pitch;
mod reach;
mod seek;
pub mod shingled;
mod stream;
#[cfg(test)]
pub(crate) mod tests;

pub use buffer::Hit;
pub use disk::{Access, Disk, Line, Model};
pub use reach::{Place, Reach};
