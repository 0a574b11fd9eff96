//! Sets of files on a real file system: what operations do, and that nothing outside is touched.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use iowatt_files::{FileSet, FilesError, OPS, Op, Shape};
use iowatt_replay::Control;

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("iowatt-files-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn set(&self) -> PathBuf {
        self.0.join("set")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn shape(threads: usize, files: usize) -> Shape {
    Shape { threads, files, sizes: vec![(0, 1), (10_000, 3)], transfer: 4096, durable: false, seed: 7 }
}

/// Files and their bytes below a folder, the note left out.
fn content(path: &Path) -> (usize, u64, usize) {
    let (mut files, mut bytes, mut folders) = (0, 0, 0);
    for entry in fs::read_dir(path).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            let inner = content(&entry.path());
            (files, bytes, folders) = (files + inner.0, bytes + inner.1, folders + inner.2 + 1);
        } else if entry.file_name() != "iowatt-files" {
            (files, bytes) = (files + 1, bytes + entry.metadata().unwrap().len());
        }
    }
    (files, bytes, folders)
}

fn code(op: Op) -> u8 {
    OPS.iter().position(|one| *one == op).unwrap() as u8
}

/// Runs operations 10 us apart; their bytes.
fn done(set: &mut FileSet, ops: &[Op]) -> Vec<u64> {
    let due = (0..ops.len() as u64).map(|at| at * 10_000).collect();
    let outcome = set.run(due, ops.iter().map(|op| code(*op)).collect(), &Arc::default()).unwrap();
    assert!(outcome.complete && outcome.full == 0);
    assert!(outcome.error.iter().all(|error| *error == 0), "{:?}", outcome.error);
    for at in 0..ops.len() {
        assert!(outcome.due_ns[at] <= outcome.sent_ns[at], "sent early");
        assert!(outcome.sent_ns[at] <= outcome.done_ns[at]);
    }
    outcome.bytes
}

#[test]
fn it_has_the_files_that_were_asked_for_and_leaves_nothing() {
    let folder = Folder::new();
    let set = FileSet::create(&folder.set(), shape(3, 40), &Control::default()).unwrap();
    let (files, bytes, folders) = content(&folder.set());
    assert_eq!((files, folders), (120, 6)); // a folder a thread, and one in it
    assert_eq!((bytes, bytes % 10_000), (set.bytes(), 0));
    assert!((700_000..1_100_000).contains(&bytes)); // three quarters have 10,000 bytes: 900,000
    assert_eq!(set.remove().unwrap(), 0);
    assert!(!folder.set().exists());
}

#[test]
fn each_operation_does_what_its_name_says() {
    let folder = Folder::new();
    let fixed = Shape { sizes: vec![(10_000, 1)], ..shape(1, 4) };
    let mut set = FileSet::create(&folder.set(), fixed, &Control::default()).unwrap();
    let before = content(&folder.set());
    assert_eq!(before, (4, 40_000, 2));
    // The set is read and asked, and stays as it is; a transfer has 4096 bytes, the third of a file 1808.
    let reads = [Op::ReadFile, Op::Read, Op::Read, Op::Read, Op::ReadRandom];
    assert_eq!(done(&mut set, &reads), [10_000, 4096, 4096, 1808, 4096]);
    done(&mut set, &[Op::Stat, Op::Access, Op::Readdir, Op::Statfs, Op::Lock, Op::Chmod, Op::Rename]);
    let writes = [Op::WriteFile, Op::WriteRandom, Op::ReadModifyWrite, Op::Write];
    assert_eq!(done(&mut set, &writes), [10_000, 4096, 4096, 4096]);
    assert_eq!(content(&folder.set()), before);
    assert_eq!(done(&mut set, &[Op::Append]), [4096]);
    assert_eq!(content(&folder.set()).1, 44_096);
    done(&mut set, &[Op::Create, Op::Mkdir]);
    assert_eq!(content(&folder.set()), (5, 44_096, 3));
    done(&mut set, &[Op::Rmdir, Op::Unlink]);
    assert_eq!(content(&folder.set()).0, 4);
    assert_eq!(content(&folder.set()).2, 2);
    let bytes = content(&folder.set()).1;
    let copied = done(&mut set, &[Op::CopyFile])[0];
    assert_eq!(content(&folder.set()), (5, bytes + copied, 2));
    let bytes = content(&folder.set()).1;
    done(&mut set, &[Op::Truncate]);
    assert!(content(&folder.set()).1 <= bytes);
}

#[test]
fn what_is_lacking_is_made_first_and_the_set_stays_within_bounds() {
    let folder = Folder::new();
    let mut set = FileSet::create(&folder.set(), shape(1, 10), &Control::default()).unwrap();
    for (ops, files, folders) in [
        ([Op::Unlink; 50], 5, 2),  // never below half
        ([Op::Create; 50], 20, 2), // nor above twice
        ([Op::Rmdir; 50], 20, 2),
    ] {
        let due = (0..50).map(|at| at * 1000).collect();
        let outcome = set.run(due, ops.iter().map(|op| code(*op)).collect(), &Arc::default()).unwrap();
        assert!(outcome.error.iter().all(|error| *error == 0));
        assert!(outcome.substituted[49]);
        let (found, _, made) = content(&folder.set());
        assert_eq!((found, made), (files, folders));
    }
}

#[test]
fn a_set_is_found_again_and_no_other_is_taken_for_it() {
    let folder = Folder::new();
    let mut set = FileSet::create(&folder.set(), shape(2, 10), &Control::default()).unwrap();
    done(&mut set, &[Op::Rename, Op::Mkdir, Op::Create, Op::Append]);
    let before = content(&folder.set());
    drop(set);
    assert!(matches!(
        FileSet::create(&folder.set(), shape(2, 10), &Control::default()),
        Err(FilesError::Exists)
    ));
    assert!(matches!(FileSet::open(&folder.set(), shape(3, 10)), Err(FilesError::Other(_))));
    assert!(FileSet::open(&folder.0, shape(2, 10)).is_err());
    let mut again = FileSet::open(&folder.set(), shape(2, 10)).unwrap();
    assert_eq!(content(&folder.set()), before);
    done(&mut again, &[Op::ReadFile, Op::Create, Op::Rmdir, Op::Rename]);
    assert_eq!(again.remove().unwrap(), 0);
}

#[test]
fn links_are_not_followed_and_what_others_put_there_stays() {
    let folder = Folder::new();
    let outside = folder.0.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("f0"), b"mine").unwrap();
    symlink(&outside, folder.set()).unwrap();
    // The directory itself may not be a link.
    assert!(FileSet::create(&folder.set(), shape(1, 4), &Control::default()).is_err());
    fs::remove_file(folder.set()).unwrap();
    let fixed = Shape { sizes: vec![(10_000, 1)], ..shape(1, 4) };
    let mut set = FileSet::create(&folder.set(), fixed, &Control::default()).unwrap();
    let home = folder.set().join("w0/d0");
    for number in 0..4 {
        fs::remove_file(home.join(format!("f{number}"))).unwrap();
        symlink(outside.join("f0"), home.join(format!("f{number}"))).unwrap();
    }
    symlink(&outside, folder.set().join("w0/n9")).unwrap();
    let ops = [Op::WriteFile, Op::WriteRandom, Op::Append, Op::Chmod, Op::Lock, Op::Truncate, Op::ReadFile];
    let due = (0..ops.len() as u64).collect();
    let outcome = set.run(due, ops.iter().map(|op| code(*op)).collect(), &Arc::default()).unwrap();
    assert!(outcome.error.iter().all(|error| *error == 40), "{:?}", outcome.error); // ELOOP
    assert_eq!(set.remove().unwrap(), 5); // the links
    assert_eq!(fs::read(outside.join("f0")).unwrap(), b"mine");
}

#[test]
fn a_set_that_does_not_fit_is_refused_before_a_byte_is_written() {
    let folder = Folder::new();
    let huge = Shape { sizes: vec![(1 << 60, 1)], ..shape(1, 8) };
    let found = FileSet::create(&folder.set(), huge, &Control::default());
    assert!(matches!(found, Err(FilesError::Full { needed, .. }) if needed >= 8 << 60));
    assert!(!folder.set().exists());
}

#[test]
fn operations_of_several_threads_do_not_meet() {
    let folder = Folder::new();
    let mut set = FileSet::create(&folder.set(), shape(4, 30), &Control::default()).unwrap();
    let ops: Vec<Op> = (0..3000).map(|at| OPS[at * 7 % OPS.len()]).collect();
    done(&mut set, &ops);
    assert_eq!(set.remove().unwrap(), 0);
}
