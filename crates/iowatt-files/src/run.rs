//! A set of files, and runs of operations on it.

use std::path::Path;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use iowatt_replay::{Control, Mode, Options, Work, drive};
use rustix::io::Errno;

use crate::op::OPS;
use crate::pool::{Pool, SUBSTITUTED, Shared};
use crate::shape::Shape;
use crate::tree::{FilesError, Tree};
use crate::worker::{Worker, random_bytes};

/// Of the space that the set needs, the part by which it may grow and file systems add to it.
const SPARE: f64 = 0.1;

/// A set of files, ready for operations.
#[derive(Debug)]
pub struct FileSet {
    tree: Tree,
    shape: Arc<Shape>,
    workers: Vec<Worker>,
    bytes: u64,
}

/// What came of a run: columns with a row for each operation.
#[derive(Debug)]
pub struct Outcome {
    /// When each was due, begun and completed, ns from the beginning; [`iowatt_replay::board::NEVER`] where it was not.
    pub due_ns: Vec<u64>,
    /// When a thread began with it.
    pub sent_ns: Vec<u64>,
    /// When it completed.
    pub done_ns: Vec<u64>,
    /// Error number of the system, 0 for none.
    pub error: Vec<i32>,
    /// Bytes that it read, or wrote where it writes.
    pub bytes: Vec<u64>,
    /// Whether what it works on was made or removed first.
    pub substituted: Vec<bool>,
    /// Unix time of the beginning.
    pub began: Duration,
    /// Whether all were done.
    pub complete: bool,
    /// The error number for which it ended early: no space; 0 for none.
    pub full: i32,
}

impl FileSet {
    /// Makes the directory `path` and fills it with files of random bytes.
    ///
    /// # Errors
    /// [`FilesError`]; what was made is removed again.
    pub fn create(path: &Path, shape: Shape, control: &Control) -> Result<Self, FilesError> {
        if let Some(fault) = shape.fault() {
            return Err(FilesError::Shape(fault));
        }
        let tree = Tree::create(path, &shape.to_string())?;
        let shape = Arc::new(shape);
        match made(&tree, &shape, control) {
            Ok((workers, bytes)) => Ok(Self { tree, shape, workers, bytes }),
            Err(error) => {
                let _ = tree.remove(); // the first error says more
                Err(error)
            }
        }
    }

    /// Opens a set that was made with the same shape.
    ///
    /// # Errors
    /// [`FilesError`].
    pub fn open(path: &Path, shape: Shape) -> Result<Self, FilesError> {
        let tree = Tree::open(path, &shape.to_string())?;
        let shape = Arc::new(shape);
        let written = random_bytes(shape.transfer, shape.seed);
        let workers = (0..shape.threads)
            .map(|number| Worker::new(tree.root(), number, &shape, &written, false))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { tree, shape, workers, bytes: 0 })
    }

    /// Bytes that were written to make it; 0 where it was opened.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Does the operations `ops` (codes) when they are due (ns, ascending), as many at a time as the set has threads.
    ///
    /// # Errors
    /// [`FilesError`]; nothing was done then. Errors of operations are in the outcome.
    pub fn run(
        &mut self,
        due_ns: Vec<u64>,
        ops: Vec<u8>,
        control: &Arc<Control>,
    ) -> Result<Outcome, FilesError> {
        let count = due_ns.len();
        if ops.len() != count || ops.iter().any(|op| usize::from(*op) >= OPS.len()) {
            return Err(FilesError::Shape("operations that do not exist, or columns of different lengths"));
        }
        // The pacer hands numbers on; sizes and places are the workers' own.
        let work = Work {
            due_ns,
            write: vec![false; count],
            offset: vec![0; count],
            size: vec![1; count],
            ..Work::default()
        };
        let shared = Arc::new(Shared {
            ops,
            bytes: (0..count).map(|_| AtomicU64::new(0)).collect(),
            full: AtomicI32::new(0),
            workers: Mutex::new(std::mem::take(&mut self.workers)),
            control: Arc::clone(control),
        });
        let options = Options { mode: Mode::Open, depth: self.shape.threads, repeat: 1 };
        let paced =
            drive(&work, options, control, |board, depth| Ok(Box::new(Pool::start(&shared, board, depth)?)));
        self.workers = std::mem::take(&mut *shared.workers.lock().unwrap_or_else(PoisonError::into_inner));
        let paced = paced?;
        if self.workers.len() != self.shape.threads {
            return Err(FilesError::Other("lost a thread"));
        }
        let figures = || shared.bytes.iter().map(|cell| cell.load(Ordering::Relaxed));
        Ok(Outcome {
            due_ns: paced.due_ns,
            sent_ns: paced.sent_ns,
            done_ns: paced.done_ns,
            error: paced.error,
            bytes: figures().map(|bytes| bytes & !SUBSTITUTED).collect(),
            substituted: figures().map(|bytes| bytes & SUBSTITUTED != 0).collect(),
            began: paced.began,
            complete: paced.complete,
            full: shared.full.load(Ordering::Relaxed),
        })
    }

    /// Removes what was made; how many things of others were left, and the directory with them.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(self) -> Result<u64, FilesError> {
        drop(self.workers);
        self.tree.remove()
    }
}

fn made(tree: &Tree, shape: &Arc<Shape>, control: &Control) -> Result<(Vec<Worker>, u64), FilesError> {
    let written = random_bytes(shape.transfer, shape.seed);
    let mut workers = (0..shape.threads)
        .map(|number| Worker::new(tree.root(), number, shape, &written, true))
        .collect::<Result<Vec<_>, _>>()?;
    let bytes: u64 = workers.iter_mut().map(Worker::plan).sum();
    let (needed, free) = ((bytes as f64 * (1.0 + SPARE)) as u64, tree.free()?);
    if needed > free {
        return Err(FilesError::Full { needed, free });
    }
    let stopped = || control.stop.load(Ordering::Relaxed);
    each(&mut workers, |worker| worker.fill(&stopped)).map_err(|error| match error {
        Errno::NOSPC | Errno::DQUOT => FilesError::Full { needed, free: tree.free().unwrap_or(0) },
        error => error.into(),
    })?;
    rustix::fs::syncfs(tree.root())?;
    each(&mut workers, |worker| worker.forget())?;
    Ok((workers, bytes))
}

/// Each worker on a thread of its own; the first error.
fn each(workers: &mut [Worker], work: impl Fn(&mut Worker) -> Result<(), Errno> + Sync) -> Result<(), Errno> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = workers.iter_mut().map(|worker| scope.spawn(move || work(worker))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Err(Errno::CANCELED)))
    })
}
