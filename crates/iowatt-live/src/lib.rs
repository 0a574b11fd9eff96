//! A hybrid volume on real bytes, by the very policies that the simulator runs.
//!
//! [`Store`]s hold the bytes, a [`Label`] at the front of each says whose they are, a journal on the first one keeps the map, and
//! [`driver`] moves the bytes as a policy of `iowatt-volume` decides. [`Volume`] puts them together, and [`serve`] exports a volume
//! over NBD. [`Media`] that are emulated may pace it, and a [`Recorder`] is told of its requests.

pub mod driver;

mod journal;
mod label;
mod media;
mod record;
mod server;
mod store;
mod volume;

pub use driver::Options;
pub use journal::Found;
pub use label::{LABEL_BYTES, Label, LabelFault};
pub use media::{Media, Recorder, Way};
pub use record::{Row, Rows};
pub use server::{Clients, Listener, serve};
pub use store::{FileStore, Store};
pub use volume::{CheckReport, Volume, VolumeError, VolumeSpec};
