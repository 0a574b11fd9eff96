//! Operations on files and directories of a file system, each at its intended time.
//!
//! [`op`] names the operations, [`shape`] the set of files. [`tree`] makes the directory that all of it lies in, and removes
//! it; each thread has a [`worker`] with files of its own there. [`run`] paces operations with `iowatt_replay`: what is
//! held back is sent late and stamped so, and its response time counts from the time at which it was due.

pub mod op;
mod pool;
pub mod run;
pub mod shape;
pub mod tree;
pub mod worker;

pub use op::{Class, OPS, Op};
pub use run::{FileSet, Outcome};
pub use shape::Shape;
pub use tree::FilesError;
