//! The operations, their names and their classes.

/// What an operation is counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Reads data.
    Read,
    /// Writes data; may read some as well.
    Write,
    /// Asks for metadata.
    Ask,
    /// Changes metadata.
    Change,
}

/// An operation; its code is its place in [`OPS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    /// All of a file, in order.
    ReadFile,
    /// A transfer where this thread's last sequential read ended.
    Read,
    /// A transfer anywhere in a file.
    ReadRandom,
    /// All of a file anew, in order.
    WriteFile,
    /// A transfer where this thread's last sequential write ended.
    Write,
    /// A transfer anywhere in a file.
    WriteRandom,
    /// A transfer anywhere in a file: read, then written in place.
    ReadModifyWrite,
    /// A transfer behind a file's end.
    Append,
    /// A file read, and written as a new one.
    CopyFile,
    /// A file's size, mode and times.
    Stat,
    /// Whether a file may be read and written.
    Access,
    /// All names in a directory.
    Readdir,
    /// Size and free space of the file system.
    Statfs,
    /// A whole file locked (POSIX) and unlocked.
    Lock,
    /// A new, empty file.
    Create,
    /// A file removed.
    Unlink,
    /// A directory made.
    Mkdir,
    /// A directory removed.
    Rmdir,
    /// A file renamed within its directory.
    Rename,
    /// A file's mode changed.
    Chmod,
    /// A file cut to half its size.
    Truncate,
}

/// All of them, by code.
pub const OPS: [Op; 21] = [
    Op::ReadFile,
    Op::Read,
    Op::ReadRandom,
    Op::WriteFile,
    Op::Write,
    Op::WriteRandom,
    Op::ReadModifyWrite,
    Op::Append,
    Op::CopyFile,
    Op::Stat,
    Op::Access,
    Op::Readdir,
    Op::Statfs,
    Op::Lock,
    Op::Create,
    Op::Unlink,
    Op::Mkdir,
    Op::Rmdir,
    Op::Rename,
    Op::Chmod,
    Op::Truncate,
];

impl Op {
    /// Its name in a mix.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadFile => "read_file",
            Self::Read => "read",
            Self::ReadRandom => "read_random",
            Self::WriteFile => "write_file",
            Self::Write => "write",
            Self::WriteRandom => "write_random",
            Self::ReadModifyWrite => "rmw",
            Self::Append => "append",
            Self::CopyFile => "copyfile",
            Self::Stat => "stat",
            Self::Access => "access",
            Self::Readdir => "readdir",
            Self::Statfs => "statfs",
            Self::Lock => "lock",
            Self::Create => "create",
            Self::Unlink => "unlink",
            Self::Mkdir => "mkdir",
            Self::Rmdir => "rmdir",
            Self::Rename => "rename",
            Self::Chmod => "chmod",
            Self::Truncate => "truncate",
        }
    }

    /// What it is counted as.
    #[must_use]
    pub const fn class(self) -> Class {
        match self {
            Self::ReadFile | Self::Read | Self::ReadRandom => Class::Read,
            Self::WriteFile
            | Self::Write
            | Self::WriteRandom
            | Self::ReadModifyWrite
            | Self::Append
            | Self::CopyFile => Class::Write,
            Self::Stat | Self::Access | Self::Readdir | Self::Statfs | Self::Lock => Class::Ask,
            Self::Create
            | Self::Unlink
            | Self::Mkdir
            | Self::Rmdir
            | Self::Rename
            | Self::Chmod
            | Self::Truncate => Class::Change,
        }
    }
}
