//! Whole replays on real targets: files by io_uring and by threads, an NBD server that misbehaves.
#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use iowatt_nbd::address::{Address, Server};
use iowatt_nbd::wire::{self, Request, SimpleReply, handshake_flags, option, option_reply};
use iowatt_replay::board::NEVER;
use iowatt_replay::{Control, Mode, Options, Outcome, Place, Work, run};

const BLOCK: u32 = 4096;
const EIO: i32 = 5;
const ETIMEDOUT: i32 = 110;
/// Of a client whose server answers.
const PATIENCE: Duration = Duration::from_secs(30);
const OPEN: Options = Options { mode: Mode::Open, depth: 8, repeat: 1 };

/// Requests of a block each, at the same moment; every third reads.
fn work(blocks: &[u64]) -> Work {
    let n = blocks.len();
    Work {
        due_ns: vec![0; n],
        write: (0..n).map(|row| row % 3 != 0).collect(),
        offset: blocks.iter().map(|block| block * u64::from(BLOCK)).collect(),
        size: vec![BLOCK; n],
        ..Work::default()
    }
}

fn file(name: &str, blocks: u64) -> PathBuf {
    let path = std::env::temp_dir().join(format!("iowatt-replay-{}-{name}", std::process::id()));
    std::fs::write(&path, vec![0; (blocks * u64::from(BLOCK)) as usize]).unwrap();
    path
}

fn replayed(work: &Work, path: &Path, threads: bool, options: Options) -> Outcome {
    let place = Place::File { path: path.to_path_buf(), direct: false, threads };
    run(work, &place, options, &Control::default()).unwrap()
}

#[test]
fn files_by_both_ways_have_what_was_written() {
    for threads in [false, true] {
        let path = file(if threads { "threads" } else { "ring" }, 32);
        let blocks: Vec<u64> = (0..32).collect();
        let outcome = replayed(&work(&blocks), &path, threads, Options { repeat: 2, ..OPEN });
        assert!(outcome.complete);
        assert_eq!(outcome.error, [0; 64]);
        for row in 0..64 {
            assert!(outcome.due_ns[row] <= outcome.sent_ns[row]);
            assert!(outcome.sent_ns[row] <= outcome.done_ns[row] && outcome.done_ns[row] < NEVER);
        }
        let bytes = std::fs::read(&path).unwrap();
        for (block, content) in bytes.chunks(BLOCK as usize).enumerate() {
            assert_eq!(content.iter().all(|byte| *byte == 0), block % 3 == 0, "block {block}");
        }
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_closed_replay_sends_each_after_the_one_before() {
    let path = file("closed", 8);
    let outcome = replayed(&work(&[0, 1, 2, 3, 4]), &path, false, Options { mode: Mode::Streams, ..OPEN });
    for row in 1..5 {
        assert_eq!(outcome.due_ns[row], outcome.done_ns[row - 1]);
        assert!(outcome.sent_ns[row] >= outcome.done_ns[row - 1]);
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_read_behind_the_end_is_an_error_of_that_request() {
    for threads in [false, true] {
        let path = file(if threads { "end-threads" } else { "end-ring" }, 2);
        let reads = Work { write: vec![false; 3], ..work(&[0, 9, 1]) };
        let outcome = replayed(&reads, &path, threads, OPEN);
        assert_eq!(outcome.error, [0, EIO, 0]);
        assert!(outcome.complete);
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_stop_leaves_the_rest_unsent() {
    let path = file("stop", 2);
    let control = Control::default();
    control.stop.store(true, Ordering::Relaxed);
    let place = Place::File { path: path.clone(), direct: false, threads: false };
    let outcome = run(&work(&[0, 1]), &place, OPEN, &control).unwrap();
    assert!(!outcome.complete);
    assert_eq!(outcome.sent_ns, [NEVER; 2]);
    std::fs::remove_file(path).unwrap();
}

fn nbd(address: Address) -> Place {
    Place::Nbd { address, connections: 1, patience: PATIENCE }
}

/// A server that answers `answers` requests, every write with ENOSPC. `then`: drop to close, forget to be silent.
fn server(name: &str, answers: usize, then: fn(UnixStream)) -> Address {
    let path = std::env::temp_dir().join(format!("iowatt-replay-{}-{name}.sock", std::process::id()));
    let listener = UnixListener::bind(&path).unwrap();
    let address = Address { server: Server::Unix(path.clone()), export: String::new() };
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        std::fs::remove_file(path).unwrap();
        stream.write_all(&wire::encode_greeting(handshake_flags::FIXED_NEWSTYLE)).unwrap();
        let mut flags = [0; wire::CLIENT_FLAGS_LEN];
        stream.read_exact(&mut flags).unwrap();
        let mut header = [0; wire::OPTION_LEN];
        stream.read_exact(&mut header).unwrap();
        let mut data = vec![0; wire::decode_option(&header).unwrap().length as usize];
        stream.read_exact(&mut data).unwrap();
        let granted = wire::encode_info_export(1 << 30, 1);
        stream.write_all(&wire::encode_option_reply(option::GO, option_reply::INFO, &granted)).unwrap();
        stream.write_all(&wire::encode_option_reply(option::GO, option_reply::ACK, &[])).unwrap();
        for _ in 0..answers {
            let mut request = [0; wire::REQUEST_LEN];
            if stream.read_exact(&mut request).is_err() {
                return;
            }
            let request = Request::decode(&request).unwrap();
            let mut payload = vec![0; request.payload() as usize];
            stream.read_exact(&mut payload).unwrap();
            let error = if payload.is_empty() { 0 } else { 28 };
            stream.write_all(&SimpleReply { error, cookie: request.cookie }.encode()).unwrap();
            if payload.is_empty() {
                stream.write_all(&vec![0; request.length as usize]).unwrap();
            }
        }
        then(stream);
    });
    address
}

#[test]
fn errors_of_a_server_are_those_of_the_requests() {
    let place = nbd(server("errors", 9, drop));
    let outcome = run(&work(&[0, 1, 2, 3]), &place, OPEN, &Control::default()).unwrap();
    assert_eq!(outcome.error, [0, 28, 28, 0]);
}

#[test]
fn a_server_that_goes_away_fails_the_requests_it_did_not_answer() {
    let place = nbd(server("gone", 2, drop));
    let closed = Options { mode: Mode::Streams, ..OPEN };
    let outcome = run(&work(&[0, 1, 2, 3, 4]), &place, closed, &Control::default()).unwrap();
    assert!(outcome.complete, "every request has an end");
    assert_eq!(outcome.error[..2], [0, 28]);
    assert!(outcome.error[2..].iter().all(|error| *error != 0 && *error != 28));
}

fn silence(name: &str, answers: usize, work: &Work, options: Options) -> Outcome {
    let address = server(name, answers, std::mem::forget);
    let place = Place::Nbd { address, connections: 1, patience: Duration::from_secs(1) };
    run(work, &place, options, &Control::default()).unwrap()
}

#[test]
fn a_server_that_falls_silent_fails_the_requests_it_did_not_answer() {
    let outcome = silence("silent", 3, &work(&[0, 1, 2, 3, 4]), OPEN);
    assert!(outcome.complete, "every request has an end");
    assert_eq!(outcome.error, [0, 28, 28, ETIMEDOUT, ETIMEDOUT]);
}

#[test]
fn a_server_that_takes_no_more_bytes_fails_the_request_that_is_being_sent() {
    let large = Work { write: vec![true; 3], size: vec![8 << 20; 3], ..work(&[0, 2048, 4096]) };
    let outcome = silence("full", 1, &large, OPEN);
    assert!(outcome.complete, "every request has an end");
    assert_eq!(outcome.error[..2], [28, ETIMEDOUT]);
    assert_ne!(outcome.error[2], 0);
}

#[test]
fn a_server_that_owes_nothing_may_be_silent() {
    let paused = Work { due_ns: vec![0, 0, 1_500_000_000], ..work(&[0, 1, 2]) };
    let outcome = silence("idle", 3, &paused, OPEN);
    assert_eq!(outcome.error, [0, 28, 28]);
}
