//! What a thread does in its own directory: its files are no other thread's, so operations never meet.

use std::collections::VecDeque;
use std::ffi::CStr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rand_pcg::Pcg64;
use rustix::fs::{
    Access, Advice, AtFlags, Dir, FlockOperation, Mode, OFlags, accessat, fadvise, fchmod, fcntl_lock,
    fstatvfs, ftruncate, mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::{Errno, pread, pwrite};

use crate::op::Op;
use crate::shape::{Shape, below};
use crate::tree::{FilesError, directory};

/// Directories that a thread made beside those of its files: at most so many.
const MOST_MADE: usize = 1000;
/// What is written is taken from so many places of random memory in turn.
const PLACES: usize = 64;
const PLACE: usize = 4096;
/// A file grows by appends to so many times its size at most, and sets to so many times their files.
const GROWTH: usize = 2;

/// What an operation did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    /// Bytes read, or written where it writes.
    pub bytes: u64,
    /// It lacked what it works on, or had too much of it, and made or removed that first.
    pub substituted: bool,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    number: u64,
    size: u64,
    /// Its size in the beginning, or when it was last written as a whole.
    whole: u64,
}

/// A thread's files.
#[derive(Debug)]
pub struct Worker {
    shape: Arc<Shape>,
    home: OwnedFd,
    directories: Vec<OwnedFd>,
    files: Vec<Entry>,
    made: VecDeque<u64>,
    next: u64,
    rng: Pcg64,
    memory: Vec<u8>,
    written: Arc<Vec<u8>>,
    /// File and position of sequential reads, and of sequential writes.
    cursors: [(usize, u64); 2],
    turn: usize,
}

/// Random bytes for writes of at most `transfer` bytes, which no storage makes smaller.
#[must_use]
pub fn random_bytes(transfer: usize, seed: u64) -> Arc<Vec<u8>> {
    let mut rng = Pcg64::new(u128::from(seed), 0xb17e5);
    let mut bytes = vec![0; transfer + PLACES * PLACE];
    for word in bytes.chunks_mut(8) {
        let drawn = below(&mut rng, u64::MAX).to_le_bytes();
        word.copy_from_slice(&drawn[..word.len()]);
    }
    Arc::new(bytes)
}

impl Worker {
    /// Makes the directories of thread `number`, or opens them and finds the files there.
    pub(crate) fn new(
        root: &OwnedFd,
        number: usize,
        shape: &Arc<Shape>,
        written: &Arc<Vec<u8>>,
        make: bool,
    ) -> Result<Self, FilesError> {
        let home = directory(root, &format!("w{number}"), make)?;
        let directories = (0..shape.directories())
            .map(|at| directory(&home, &format!("d{at}"), make))
            .collect::<Result<Vec<_>, _>>()?;
        let mut worker = Self {
            shape: Arc::clone(shape),
            home,
            directories,
            files: Vec::with_capacity(GROWTH * shape.files + 1),
            made: VecDeque::with_capacity(MOST_MADE + 1),
            next: 0,
            rng: Pcg64::new(u128::from(shape.seed), number as u128),
            memory: vec![0; shape.transfer],
            written: Arc::clone(written),
            cursors: [(0, 0); 2],
            turn: 0,
        };
        if !make {
            worker.find()?;
        }
        Ok(worker)
    }

    /// Sizes of its files to be, by which they are made.
    pub(crate) fn plan(&mut self) -> u64 {
        for number in 0..self.shape.files as u64 {
            let size = self.shape.size(&mut self.rng);
            self.files.push(Entry { number, size, whole: size });
        }
        self.next = self.files.len() as u64;
        self.files.iter().map(|file| file.size).sum()
    }

    /// Writes all planned files; `stopped` is asked before each.
    pub(crate) fn fill(&mut self, stopped: &dyn Fn() -> bool) -> Result<(), Errno> {
        for at in 0..self.files.len() {
            if stopped() {
                return Err(Errno::INTR);
            }
            let entry = self.files[at];
            let file = self.open(entry.number, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
            self.put(&file, 0, entry.size)?;
        }
        Ok(())
    }

    /// Lets the system forget its copies in memory, so that the first reads go to the storage.
    pub(crate) fn forget(&self) -> Result<(), Errno> {
        for entry in self.files.iter().filter(|entry| entry.size > 0) {
            let file = self.open(entry.number, OFlags::RDONLY)?;
            fadvise(&file, 0, None, Advice::DontNeed)?;
        }
        Ok(())
    }

    /// The files that an earlier use left.
    fn find(&mut self) -> Result<(), FilesError> {
        for directory in &self.directories {
            for entry in Dir::read_from(directory)? {
                let entry = entry?;
                if let Some(number) = number_of(entry.file_name(), b'f') {
                    let size =
                        statat(directory, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?.st_size as u64;
                    self.files.push(Entry { number, size, whole: size });
                    self.next = self.next.max(number + 1);
                }
            }
        }
        for entry in Dir::read_from(&self.home)? {
            if let Some(number) = number_of(entry?.file_name(), b'n') {
                self.made.push_back(number);
                self.next = self.next.max(number + 1);
            }
        }
        self.files.sort_unstable_by_key(|entry| entry.number);
        self.made.make_contiguous().sort_unstable();
        if self.files.is_empty() {
            return Err(FilesError::Other("has lost its files"));
        }
        Ok(())
    }

    /// Does an operation.
    ///
    /// # Errors
    /// The error number of the system.
    pub fn execute(&mut self, op: Op) -> Result<Done, Errno> {
        let transfer = self.shape.transfer as u64;
        let mut done = Done::default();
        match op {
            Op::ReadFile => {
                let entry = self.any();
                let file = self.open(entry.number, OFlags::RDONLY)?;
                done.bytes = self.get(&file, 0, entry.size)?;
            }
            Op::Read => {
                let (entry, at) = self.cursor(0);
                let file = self.open(entry.number, OFlags::RDONLY)?;
                done.bytes = self.get(&file, at, transfer.min(entry.size.saturating_sub(at)))?;
            }
            Op::ReadRandom => {
                let (entry, at) = self.anywhere();
                let file = self.open(entry.number, OFlags::RDONLY)?;
                done.bytes = self.get(&file, at, transfer.min(entry.size - at))?;
            }
            Op::WriteFile => {
                done.substituted = self.too_few()?;
                let size = self.shape.size(&mut self.rng);
                let at = self.pick();
                let file = self.open(self.files[at].number, self.writing() | OFlags::TRUNC)?;
                done.bytes = self.put(&file, 0, size)?;
                self.files[at] = Entry { size, whole: size, ..self.files[at] };
            }
            Op::Write => {
                let (entry, at) = self.cursor(1);
                let file = self.open(entry.number, self.writing())?;
                let size = transfer.min(entry.size.saturating_sub(at));
                done.bytes = self.put(&file, at, size)?;
            }
            Op::WriteRandom => {
                let (entry, at) = self.anywhere();
                let file = self.open(entry.number, self.writing())?;
                done.bytes = self.put(&file, at, transfer.min(entry.size - at))?;
            }
            Op::ReadModifyWrite => {
                let (entry, at) = self.anywhere();
                let file = self.open(entry.number, self.writing())?;
                let size = transfer.min(entry.size - at);
                self.get(&file, at, size)?;
                done.bytes = self.put(&file, at, size)?;
            }
            Op::Append => {
                let at = self.pick();
                let entry = self.files[at];
                let file = self.open(entry.number, self.writing())?;
                let mut end = entry.size;
                if end >= (entry.whole.max(transfer)) * GROWTH as u64 {
                    ftruncate(&file, entry.whole)?;
                    (end, done.substituted) = (entry.whole, true);
                }
                done.bytes = self.put(&file, end, transfer)?;
                self.files[at].size = end + transfer;
            }
            Op::CopyFile => {
                done.substituted = self.too_many()?;
                let entry = self.any();
                let from = self.open(entry.number, OFlags::RDONLY)?;
                let number = self.number();
                let to = self.open(number, self.writing() | OFlags::CREATE | OFlags::EXCL)?;
                self.files.push(Entry { number, ..entry });
                done.bytes = self.copy(&from, &to, entry.size)?;
            }
            Op::Create => {
                done.substituted = self.too_many()?;
                self.create()?;
            }
            Op::Unlink => {
                done.substituted = self.too_few()?;
                self.unlink()?;
            }
            Op::Stat => {
                let number = self.any().number;
                statat(self.directory(number), name(&mut [0; 24], b'f', number), AtFlags::SYMLINK_NOFOLLOW)?;
            }
            Op::Access => {
                let number = self.any().number;
                let mode = Access::READ_OK | Access::WRITE_OK;
                accessat(self.directory(number), name(&mut [0; 24], b'f', number), mode, AtFlags::empty())?;
            }
            Op::Readdir => {
                let at = below(&mut self.rng, self.directories.len() as u64) as usize;
                for entry in Dir::read_from(&self.directories[at])? {
                    entry?;
                }
            }
            Op::Statfs => {
                fstatvfs(&self.home)?;
            }
            Op::Lock => {
                let number = self.any().number;
                let file = self.open(number, OFlags::RDWR)?;
                fcntl_lock(&file, FlockOperation::LockExclusive)?;
                fcntl_lock(&file, FlockOperation::Unlock)?;
            }
            Op::Mkdir => {
                if self.made.len() >= MOST_MADE {
                    self.rmdir()?;
                    done.substituted = true;
                }
                self.mkdir()?;
            }
            Op::Rmdir => {
                if self.made.is_empty() {
                    self.mkdir()?;
                    done.substituted = true;
                }
                self.rmdir()?;
            }
            Op::Rename => {
                let at = self.pick();
                let old = self.files[at].number;
                // The same directory: numbers go round them.
                let wide = self.directories.len() as u64;
                let number = self.next + (wide + old % wide - self.next % wide) % wide;
                self.next = number + 1;
                let directory = self.directory(old);
                let (mut from, mut to) = ([0; 24], [0; 24]);
                renameat(directory, name(&mut from, b'f', old), directory, name(&mut to, b'f', number))?;
                self.files[at].number = number;
            }
            Op::Chmod => {
                let number = self.any().number;
                let file = self.open(number, OFlags::RDONLY)?;
                self.turn += 1;
                let group = if self.turn.is_multiple_of(2) { Mode::RGRP } else { Mode::empty() };
                fchmod(&file, Mode::RUSR | Mode::WUSR | group)?;
            }
            Op::Truncate => {
                let at = self.pick();
                let file = self.open(self.files[at].number, self.writing())?;
                // What is written again grows to this at most.
                let half = self.files[at].size / 2;
                ftruncate(&file, half)?;
                self.files[at].size = half;
            }
        }
        Ok(done)
    }

    fn writing(&self) -> OFlags {
        if self.shape.durable { OFlags::RDWR | OFlags::DSYNC } else { OFlags::RDWR }
    }

    fn directory(&self, number: u64) -> &OwnedFd {
        &self.directories[(number % self.directories.len() as u64) as usize]
    }

    fn open(&self, number: u64, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(self.directory(number), name(&mut [0; 24], b'f', number), flags, Mode::RUSR | Mode::WUSR)
    }

    fn pick(&mut self) -> usize {
        below(&mut self.rng, self.files.len() as u64) as usize
    }

    fn any(&mut self) -> Entry {
        let at = self.pick();
        self.files[at]
    }

    /// A file, and the beginning of a transfer in it.
    fn anywhere(&mut self) -> (Entry, u64) {
        let entry = self.any();
        let places = (entry.size / self.shape.transfer as u64).max(1);
        (entry, below(&mut self.rng, places) * self.shape.transfer as u64)
    }

    /// Where a sequential transfer goes on; another file where one has come to its end.
    fn cursor(&mut self, which: usize) -> (Entry, u64) {
        let (at, position) = self.cursors[which];
        let (at, position) = match self.files.get(at) {
            Some(entry) if position < entry.size => (at, position),
            _ => (self.pick(), 0),
        };
        self.cursors[which] = (at, position + self.shape.transfer as u64);
        (self.files[at], position)
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    fn create(&mut self) -> Result<(), Errno> {
        let number = self.number();
        self.open(number, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        self.files.push(Entry { number, size: 0, whole: 0 });
        Ok(())
    }

    fn unlink(&mut self) -> Result<(), Errno> {
        let at = self.pick();
        let number = self.files[at].number;
        unlinkat(self.directory(number), name(&mut [0; 24], b'f', number), AtFlags::empty())?;
        self.files.swap_remove(at);
        Ok(())
    }

    /// Whether there were half of the files only, and one was made.
    fn too_few(&mut self) -> Result<bool, Errno> {
        let few = self.files.len() <= self.shape.files.div_ceil(2);
        if few {
            self.create()?;
        }
        Ok(few)
    }

    /// Whether there were twice the files, and one was removed.
    fn too_many(&mut self) -> Result<bool, Errno> {
        let many = self.files.len() >= GROWTH * self.shape.files;
        if many {
            self.unlink()?;
        }
        Ok(many)
    }

    fn mkdir(&mut self) -> Result<(), Errno> {
        let number = self.number();
        mkdirat(&self.home, name(&mut [0; 24], b'n', number), Mode::RWXU)?;
        self.made.push_back(number);
        Ok(())
    }

    fn rmdir(&mut self) -> Result<(), Errno> {
        if let Some(number) = self.made.pop_front() {
            unlinkat(&self.home, name(&mut [0; 24], b'n', number), AtFlags::REMOVEDIR)?;
        }
        Ok(())
    }

    /// Reads `size` bytes from `at` on, a transfer at a time; what there was.
    fn get(&mut self, file: &OwnedFd, at: u64, size: u64) -> Result<u64, Errno> {
        let mut had = 0;
        while had < size {
            let room = (self.memory.len() as u64).min(size - had) as usize;
            match again(|| pread(file, &mut self.memory[..room], at + had))? {
                0 => break,
                got => had += got as u64,
            }
        }
        Ok(had)
    }

    /// Writes `size` random bytes from `at` on, a transfer at a time.
    fn put(&mut self, file: &OwnedFd, at: u64, size: u64) -> Result<u64, Errno> {
        let mut had = 0;
        while had < size {
            self.turn += 1;
            let begin = self.turn % PLACES * PLACE;
            let room = (self.shape.transfer as u64).min(size - had) as usize;
            had += again(|| pwrite(file, &self.written[begin..begin + room], at + had))? as u64;
        }
        Ok(had)
    }

    fn copy(&mut self, from: &OwnedFd, to: &OwnedFd, size: u64) -> Result<u64, Errno> {
        let mut had = 0;
        while had < size {
            let room = (self.memory.len() as u64).min(size - had) as usize;
            let got = again(|| pread(from, &mut self.memory[..room], had))?;
            if got == 0 {
                break;
            }
            let mut put = 0;
            while put < got {
                put += again(|| pwrite(to, &self.memory[put..got], had + put as u64))?;
            }
            had += got as u64;
        }
        Ok(had)
    }
}

/// Once more where a signal came in between.
fn again<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}

/// A letter and a number, in memory of the caller's.
fn name(into: &mut [u8; 24], letter: u8, number: u64) -> &CStr {
    let (mut at, mut rest) = (into.len() - 1, number);
    into[at] = 0;
    loop {
        at -= 1;
        into[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    into[at - 1] = letter;
    // A letter, at most 20 digits and a zero always fit, and there is no zero before.
    CStr::from_bytes_until_nul(&into[at - 1..]).unwrap_or_default()
}

fn number_of(name: &CStr, letter: u8) -> Option<u64> {
    let digits = name.to_str().ok()?.strip_prefix(letter as char)?;
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}
