//! The directory that all files lie in: made here, entered by handles only, and removed with what was made in it.

use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, mkdirat, open, openat, unlinkat};
use rustix::io::Errno;
use thiserror::Error;

/// The note in the directory, by which it is known again.
pub const NOTE: &str = "iowatt-files";
const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Directories within the set: of a thread, of its files, and those that it makes.
const DEPTH: usize = 3;

/// Why there is no set of files.
#[derive(Debug, Error)]
pub enum FilesError {
    /// The file system is full, or a quota is used up.
    #[error("no space left: {needed} bytes are needed, and {free} are free")]
    Full {
        /// Bytes of the set.
        needed: u64,
        /// Bytes that this user may take.
        free: u64,
    },
    /// The directory exists.
    #[error("exists, and a set of files lies only in a directory that was made for it")]
    Exists,
    /// It is not the set that was asked for.
    #[error("{0}")]
    Other(&'static str),
    /// What the shape has.
    #[error("a set of files with {0}")]
    Shape(&'static str),
    /// The operating system says so.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The engine says so.
    #[error(transparent)]
    Replay(#[from] iowatt_replay::ReplayError),
}

impl From<Errno> for FilesError {
    fn from(error: Errno) -> Self {
        Self::Io(error.into())
    }
}

/// A set's directory, held open.
#[derive(Debug)]
pub struct Tree {
    path: PathBuf,
    parent: OwnedFd,
    name: CString,
    root: OwnedFd,
}

impl Tree {
    /// Makes the directory `path`, which must not exist, with a note in it.
    ///
    /// # Errors
    /// [`FilesError::Exists`], or what the system says.
    pub fn create(path: &Path, note: &str) -> Result<Self, FilesError> {
        let (parent, name) = parent_of(path)?;
        mkdirat(&parent, &name, Mode::RWXU).map_err(|error| match error {
            Errno::EXIST => FilesError::Exists,
            error => error.into(),
        })?;
        let root = openat(&parent, &name, DIRECTORY, Mode::empty())?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = std::fs::File::from(openat(&root, NOTE, flags, Mode::RUSR | Mode::WUSR)?);
        io::Write::write_all(&mut &file, note.as_bytes())?;
        Ok(Self { path: path.to_path_buf(), parent, name, root })
    }

    /// Opens a set that was made with the same note.
    ///
    /// # Errors
    /// [`FilesError::Other`] where it has another note or none, or what the system says.
    pub fn open(path: &Path, note: &str) -> Result<Self, FilesError> {
        let (parent, name) = parent_of(path)?;
        let root = openat(&parent, &name, DIRECTORY, Mode::empty())?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match openat(&root, NOTE, flags, Mode::empty()) {
            Ok(file) => std::fs::File::from(file),
            Err(Errno::NOENT) => return Err(FilesError::Other("is no set of files that iowatt made")),
            Err(error) => return Err(error.into()),
        };
        let mut found = String::new();
        io::Read::read_to_string(&mut io::Read::take(&file, 1 << 16), &mut found)?;
        if found != note {
            return Err(FilesError::Other("is a set of other files: other threads, sizes or seed"));
        }
        Ok(Self { path: path.to_path_buf(), parent, name, root })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its handle.
    pub(crate) const fn root(&self) -> &OwnedFd {
        &self.root
    }

    /// Bytes that this user may still take.
    ///
    /// # Errors
    /// What the system says.
    pub fn free(&self) -> Result<u64, FilesError> {
        let found = rustix::fs::fstatvfs(&self.root)?;
        Ok(found.f_bavail.saturating_mul(found.f_frsize))
    }

    /// Removes the set: regular files and directories with names that are given here, and the directory, where
    /// nothing else is left in it. Gives how many things were left.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(self) -> Result<u64, FilesError> {
        let left = clear(&self.root, DEPTH)?;
        if left == 0 {
            let (ours, there) = (
                fstat(&self.root)?,
                rustix::fs::statat(&self.parent, &self.name, AtFlags::SYMLINK_NOFOLLOW)?,
            );
            if (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino) {
                unlinkat(&self.parent, &self.name, AtFlags::REMOVEDIR)?;
            }
        }
        Ok(left)
    }
}

/// A directory within another, which is a link never.
pub(crate) fn directory(at: &OwnedFd, name: &str, make: bool) -> Result<OwnedFd, Errno> {
    if make {
        mkdirat(at, name, Mode::RWXU)?;
    }
    openat(at, name, DIRECTORY, Mode::empty())
}

fn parent_of(path: &Path) -> Result<(OwnedFd, CString), FilesError> {
    let name = path.file_name().ok_or(FilesError::Other("names no directory"))?;
    let name = CString::new(name.as_bytes()).map_err(|_| FilesError::Other("has a name with a zero byte"))?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Links above the set are the user's choice; only inside are there none.
    Ok((open(parent, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?, name))
}

/// Whether a name is one that is given here: the note, or a letter and a number.
fn is_ours(name: &[u8]) -> bool {
    name == NOTE.as_bytes()
        || matches!(name, [b'w' | b'd' | b'f' | b'n', digits @ ..]
            if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// Removes what is ours; how much was left.
fn clear(at: &OwnedFd, depth: usize) -> Result<u64, FilesError> {
    let mut names = Vec::new();
    for entry in Dir::read_from(at)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_bytes() != b"." && name.to_bytes() != b".." {
            names.push(name.to_owned());
        }
    }
    let mut left = 0;
    for name in names {
        let kind = FileType::from_raw_mode(rustix::fs::statat(at, &name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
        left += match kind {
            FileType::RegularFile if is_ours(name.to_bytes()) => {
                unlinkat(at, &name, AtFlags::empty())?;
                0
            }
            FileType::Directory if is_ours(name.to_bytes()) && depth > 0 => {
                let inner = clear(&openat(at, &name, DIRECTORY, Mode::empty())?, depth - 1)?;
                if inner == 0 {
                    unlinkat(at, &name, AtFlags::REMOVEDIR)?;
                }
                inner
            }
            _ => 1,
        };
    }
    Ok(left)
}
