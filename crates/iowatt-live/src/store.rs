//! Where the bytes of a part are: a file or a block device, behind one contract.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes that are read and written at any offset, by any number of threads at once.
///
/// What is written survives a loss of power once a [`Self::sync`] that began after the write has returned; before, any of its
/// sectors may, and a sector is never torn.
pub trait Store: Send + Sync {
    /// Its size.
    fn bytes(&self) -> u64;
    /// Fills `to` from byte `at` on.
    ///
    /// # Errors
    /// What the system says; nothing is known of `to` then.
    fn read(&self, at: u64, to: &mut [u8]) -> io::Result<()>;
    /// Writes `from` at byte `at`.
    ///
    /// # Errors
    /// What the system says; any part of it may be written then.
    fn write(&self, at: u64, from: &[u8]) -> io::Result<()>;
    /// Gives bytes up: they read as zeroes from now on.
    ///
    /// # Errors
    /// What the system says.
    fn discard(&self, range: (u64, u64)) -> io::Result<()>;
    /// Makes all that was written durable.
    ///
    /// # Errors
    /// What the system says. What was written before may be lost then, and a later call cannot bring it back.
    fn sync(&self) -> io::Result<()>;
    /// Whether it mostly answers within microseconds, so that a thread need not be spared for it.
    fn is_prompt(&self) -> bool;
}

/// A file or a block device.
#[derive(Debug)]
pub struct FileStore {
    file: File,
    bytes: u64,
    /// Whether anything was written since the last sync began.
    unsynced: AtomicBool,
    /// One sync at a time: the next one must not find that nothing is to be done before the first one has done it.
    syncing: Mutex<()>,
}

impl FileStore {
    /// Opens the file or block device at `path`, for nobody else meanwhile.
    ///
    /// # Errors
    /// Where it cannot be opened, or another process has it ([`io::ErrorKind::ResourceBusy`]).
    pub fn open(path: &Path) -> io::Result<Self> {
        let block = std::fs::metadata(path)?.file_type().is_block_device();
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        if block {
            // On a block device, O_EXCL fails where it is mounted or otherwise held.
            options.custom_flags(rustix::fs::OFlags::EXCL.bits() as i32);
        }
        let mut file = options.open(path)?;
        match rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(io::ErrorKind::ResourceBusy.into()),
            outcome => outcome?,
        }
        let bytes = io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
        Ok(Self { file, bytes, unsynced: AtomicBool::new(true), syncing: Mutex::new(()) })
    }
}

impl Store for FileStore {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read(&self, at: u64, to: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(to, at)
    }

    fn write(&self, at: u64, from: &[u8]) -> io::Result<()> {
        let outcome = self.file.write_all_at(from, at);
        // Behind the write, so that a sync that is under way does not take it for its own.
        self.unsynced.store(true, Ordering::Release);
        outcome
    }

    fn discard(&self, (from, until): (u64, u64)) -> io::Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let outcome = match fallocate(&self.file, flags, from, until - from) {
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NODEV) => {
                let zeroes = vec![0; (1 << 20).min(until - from) as usize];
                (from..until).step_by(zeroes.len()).try_for_each(|at| {
                    self.file.write_all_at(&zeroes[..zeroes.len().min((until - at) as usize)], at)
                })
            }
            outcome => outcome.map_err(io::Error::from),
        };
        self.unsynced.store(true, Ordering::Release);
        outcome
    }

    fn sync(&self) -> io::Result<()> {
        let _one = self.syncing.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.unsynced.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let outcome = self.file.sync_data();
        if outcome.is_err() {
            self.unsynced.store(true, Ordering::Release);
        }
        outcome
    }

    fn is_prompt(&self) -> bool {
        true
    }
}
