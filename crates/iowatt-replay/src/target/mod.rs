//! What requests go to. A target takes requests on the pacing thread and completes them on threads of its own.

mod nbd;
mod pool;
mod ring;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use iowatt_nbd::address::Address;
use iowatt_nbd::client::{ClientError, Connection};

use crate::board::Board;
use crate::work::{Io, Work};

/// Takes requests. Dropped, it has completed all that it took, or has given them up.
pub trait Target {
    /// Begins a request: stamps it sent on the board at that moment, and done when it completes, with its error.
    fn begin(&mut self, number: u64, io: Io);
    /// Makes what cannot be awaited fail; the replay ends early.
    fn abandon(&mut self) {}
}

/// Where the requests go.
#[derive(Debug, Clone)]
pub enum Place {
    /// A file or a block device.
    File {
        /// It.
        path: PathBuf,
        /// Past the page cache.
        direct: bool,
        /// By threads with positioned reads and writes, even where there is io_uring.
        threads: bool,
    },
    /// An NBD export.
    Nbd {
        /// Its server and its name.
        address: Address,
        /// So many of them.
        connections: u32,
        /// How long to wait for a server that owes an answer and sends nothing.
        patience: Duration,
    },
}

/// How a target is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// io_uring.
    Ring,
    /// A pool of threads.
    Pool,
    /// NBD.
    Nbd,
}

impl By {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ring => "io_uring",
            Self::Pool => "threads",
            Self::Nbd => "nbd",
        }
    }
}

/// A target that is open, before there is a board.
pub(crate) enum Opened {
    Ring(Box<ring::Ring>),
    Pool(File),
    Nbd(Vec<Connection>, Duration),
}

/// Opens the target for the work.
pub(crate) fn open(place: &Place, work: &Work, depth: usize) -> Result<Opened, ClientError> {
    match place {
        Place::File { path, direct, threads } => {
            let mut options = OpenOptions::new();
            options.read(true).write(work.write.contains(&true));
            options.custom_flags(if *direct { libc::O_DIRECT } else { 0 });
            let file = options.open(path)?;
            // A kernel may lack io_uring, or forbid it (containers do).
            match if *threads { None } else { ring::create(depth) } {
                Some(ring) => Ok(Opened::Ring(Box::new(ring::Ring::new(ring, file)))),
                None => Ok(Opened::Pool(file)),
            }
        }
        Place::Nbd { address, connections, patience } => {
            let opened = (0..(*connections).max(1)).map(|_| Connection::open(address, *patience));
            Ok(Opened::Nbd(opened.collect::<Result<_, _>>()?, *patience))
        }
    }
}

impl Opened {
    pub(crate) const fn by(&self) -> By {
        match self {
            Self::Ring(_) => By::Ring,
            Self::Pool(_) => By::Pool,
            Self::Nbd(..) => By::Nbd,
        }
    }

    /// Starts its threads.
    pub(crate) fn start(self, work: &Work, board: &Arc<Board>, depth: usize) -> io::Result<Box<dyn Target>> {
        Ok(match self {
            Self::Ring(ring) => Box::new(ring.start(work, board)?),
            Self::Pool(file) => Box::new(pool::Pool::start(file, work, board, depth)?),
            Self::Nbd(connections, patience) => {
                Box::new(nbd::Nbd::start(connections, work, board, depth, patience)?)
            }
        })
    }
}
