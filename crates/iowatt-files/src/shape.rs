//! The set of files: how many, how large, and how they are read and written.

use std::fmt;

use rand_core::Rng;
use rand_pcg::Pcg64;

/// Directories of all threads together are held open: at most so many.
const MOST_DIRECTORIES: usize = 512;
/// Files that a directory has before there is another one.
const FILES_PER_DIRECTORY: usize = 500;
/// Files of all threads, each known in memory.
const MOST_FILES: usize = 50_000_000;

/// A set of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Threads; each has files of its own.
    pub threads: usize,
    /// Files of a thread; at least 1.
    pub files: usize,
    /// Sizes in bytes and their weights.
    pub sizes: Vec<(u64, u32)>,
    /// Bytes of a transfer; at least 1.
    pub transfer: usize,
    /// Whether writes are durable when they return (`O_DSYNC`).
    pub durable: bool,
    /// Seed of sizes, contents and choices.
    pub seed: u64,
}

impl Shape {
    /// Directories of a thread.
    #[must_use]
    pub fn directories(&self) -> usize {
        let fits = (MOST_DIRECTORIES / self.threads.max(1)).clamp(1, 16);
        self.files.div_ceil(FILES_PER_DIRECTORY).clamp(1, fits)
    }

    /// Draws a size.
    pub(crate) fn size(&self, rng: &mut Pcg64) -> u64 {
        let total: u64 = self.sizes.iter().map(|(_, weight)| u64::from(*weight)).sum();
        let mut at = below(rng, total.max(1));
        for (size, weight) in &self.sizes {
            match at.checked_sub(u64::from(*weight)) {
                Some(rest) => at = rest,
                None => return *size,
            }
        }
        0
    }

    /// What is wrong with it, if anything.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        if self.threads == 0 || self.threads > 256 {
            Some("threads beyond 1 to 256")
        } else if self.files == 0 || self.transfer == 0 {
            Some("no files, or transfers of no bytes")
        } else if self.files > MOST_FILES / self.threads {
            Some("more files than memory should hold")
        } else if self.sizes.iter().all(|(_, weight)| *weight == 0) {
            Some("no sizes")
        } else {
            None
        }
    }
}

/// As the note in the set's directory has it: a set is opened again with the same text only.
impl fmt::Display for Shape {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, files, transfer, durable, seed, .. } = self;
        writeln!(to, "files made by iowatt, version 1")?;
        writeln!(to, "threads={threads} files={files} transfer={transfer} durable={durable} seed={seed}")?;
        for (size, weight) in &self.sizes {
            writeln!(to, "size={size} weight={weight}")?;
        }
        Ok(())
    }
}

/// A number below `n`; 0 where `n` is.
pub(crate) fn below(rng: &mut Pcg64, n: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u64
}
