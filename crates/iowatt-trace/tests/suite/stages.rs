//! Recordings of blktrace joined into requests: merges, divisions, requeues, parts, what is lost, and any bytes.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use iowatt_trace::{Joined, Op, Stage, Stages, StagesSummary, TraceError};
use proptest::prelude::*;

use crate::blktrace::{C, D, NOTIFY, Q, QUEUED, READ, Record, WRITE};

const MERGED: u32 = 2 | 1 << 20;
const REQUEUED: u32 = 6 | 1 << 21;
const SPLIT: u32 = 13 | 1 << 20;

/// A folder that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("iowatt-stages-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn drained(mut stages: Stages) -> (Vec<Stage>, StagesSummary) {
    let mut out = Vec::new();
    while stages.fill(&mut out, 3).unwrap() {}
    assert!(!stages.fill(&mut out, 3).unwrap());
    (out, stages.summary())
}

fn opened(bytes: &[u8]) -> Result<Stages, TraceError> {
    Stages::from_reader("one", Box::new(Cursor::new(bytes.to_vec())))
}

fn read(bytes: &[u8]) -> (Vec<Stage>, StagesSummary) {
    drained(opened(bytes).unwrap())
}

/// Queued, issued, completed, bytes.
type Times = (Option<u64>, Option<u64>, u64, u64);

/// Requests in both byte orders, which must be the same.
fn of(records: &[Record]) -> (Vec<Times>, Joined) {
    let both = [Record::bytes, Record::big_endian].map(|write| {
        let bytes: Vec<u8> = records.iter().flat_map(write).collect();
        let (stages, summary) = read(&bytes);
        let times: Vec<_> =
            stages.iter().map(|s| (s.queued_ns, s.issued_ns, s.completed_ns, s.bytes)).collect();
        (times, summary.joined)
    });
    assert_eq!(both[0], both[1]);
    let [found, _] = both;
    found
}

/// An event of a read: time, sector, sectors.
fn at(action: u32, time: u64, sector: u64, sectors: u32) -> Record {
    Record { time, sector, bytes: sectors * 512, action: action | READ, ..QUEUED }
}

#[test]
fn a_request_has_three_times() {
    let (stages, joined) = of(&[at(Q, 100, 0, 8), at(D, 250, 0, 8), at(C, 900, 0, 8)]);
    assert_eq!(stages, [(Some(100), Some(250), 900, 4096)]);
    let expected = Joined { queued: 1, issued: 1, completed: 1, ..Joined::default() };
    assert_eq!(joined, expected);
}

#[test]
fn merged_ones_are_issued_and_completed_together() {
    let records = [
        at(Q, 100, 8, 8),
        at(Q, 110, 16, 8),
        at(MERGED, 111, 16, 8),
        at(Q, 120, 0, 8),
        at(3 | 1 << 20, 121, 0, 8),
        at(Q, 130, 100, 8), // not of them
        at(D, 200, 0, 24),
        at(C, 700, 0, 24),
    ];
    let (mut stages, joined) = of(&records);
    stages.sort_unstable();
    let all = [100, 110, 120].map(|queued| (Some(queued), Some(200), 700, 4096));
    assert_eq!(stages, all);
    assert_eq!((joined.queued, joined.merged, joined.issued, joined.unfinished), (4, 2, 1, 1));
}

#[test]
fn a_divided_one_is_done_with_its_last_part() {
    let records = [
        at(Q, 100, 0, 16),
        at(SPLIT, 101, 0, 8),
        at(D, 200, 0, 8),
        at(D, 300, 8, 8),
        at(C, 600, 8, 8),
        at(C, 500 + 200, 0, 8),
    ];
    let (stages, joined) = of(&records);
    assert_eq!(stages, [(Some(100), Some(200), 700, 8192)]);
    assert_eq!((joined.queued, joined.split, joined.unknown), (1, 1, 0));
    // Older kernels queue the rest of it again.
    let mut again = records.to_vec();
    again.insert(3, at(Q, 250, 8, 8));
    assert_eq!(of(&again).0, [(Some(100), Some(200), 700, 8192)]);
    assert_eq!(of(&again).1.queued, 1);
}

#[test]
fn a_requeued_one_waits_again() {
    let records =
        [at(Q, 100, 0, 8), at(D, 200, 0, 8), at(REQUEUED, 220, 0, 8), at(D, 400, 0, 8), at(C, 900, 0, 8)];
    let (stages, joined) = of(&records);
    assert_eq!(stages, [(Some(100), Some(400), 900, 4096)]);
    assert_eq!((joined.requeued, joined.issued), (1, 2));
}

#[test]
fn completions_come_in_parts_and_twice_for_one_place() {
    // In two parts.
    let parts = [at(Q, 1, 0, 8), at(D, 2, 0, 8), at(C, 3, 0, 4), at(C, 9, 4, 4)];
    assert_eq!(of(&parts).0, [(Some(1), Some(2), 9, 4096)]);
    // Two reads of one place at a time: the first is served first.
    let twice =
        [at(Q, 1, 0, 8), at(Q, 2, 0, 8), at(D, 3, 0, 8), at(D, 4, 0, 8), at(C, 10, 0, 8), at(C, 20, 0, 8)];
    assert_eq!(of(&twice).0, [(Some(1), Some(3), 10, 4096), (Some(2), Some(4), 20, 4096)]);
    // A read and a write of one place are two things.
    let write = |record: Record| Record { action: record.action & !READ | WRITE, ..record };
    let both = [at(Q, 1, 0, 8), write(at(Q, 2, 0, 8)), write(at(D, 3, 0, 8)), at(D, 4, 0, 8), at(C, 5, 0, 8)];
    let bytes: Vec<u8> = both.iter().flat_map(Record::bytes).collect();
    let (stages, summary) = read(&bytes);
    assert_eq!((stages.len(), stages[0].op, stages[0].queued_ns), (1, Op::Read, Some(1)));
    assert_eq!(summary.joined.unfinished, 1);
}

#[test]
fn what_fits_to_nothing_is_counted() {
    let records = [
        at(C, 5, 900, 8), // begun before the recording
        at(D, 10, 0, 8),  // queued before it
        at(C, 30, 0, 8),
        at(Q, 40, 50, 8), // never issued: a device without a queue
        at(C, 60, 50, 8),
        at(Q, 70, 80, 8), // fails
        at(D, 71, 80, 8),
        Record { error: 5, ..at(C, 72, 80, 8) },
        at(Q, 80, 200, 8), // not done at the end
    ];
    let (stages, joined) = of(&records);
    assert_eq!(stages, [(None, Some(10), 30, 4096), (Some(40), None, 60, 4096)]);
    let expected = Joined {
        queued: 3,
        issued: 2,
        completed: 4,
        failed: 1,
        unknown: 1,
        issued_alone: 1,
        unfinished: 1,
        ..Joined::default()
    };
    assert_eq!(joined, expected);
}

#[test]
fn lost_events_and_the_clock_are_found() {
    let number = |sequence, record: Record| Record { sequence, ..record };
    let clock = Record { time: 1_000, action: NOTIFY | 1, payload: 0, ..QUEUED };
    let mut bytes = clock.bytes();
    let at_length = bytes.len() - 2;
    bytes[at_length] = 8;
    bytes.extend(1_700_000_000_u32.to_le_bytes());
    bytes.extend(5_000_u32.to_le_bytes());
    let records = [
        number(7, at(Q, 2_000, 0, 8)),
        number(8, at(D, 2_100, 0, 8)),
        number(12, at(C, 2_200, 0, 8)), // three are missing
        Record { sequence: 3, cpu: 9, ..at(Q, 2_300, 8, 8) },
        number(0, Record { action: NOTIFY, ..at(0, 2_400, 0, 8) }), // has no number
        number(13, at(D, 2_500, 8, 8)),
    ];
    bytes.extend(records.iter().flat_map(Record::bytes));
    let (stages, summary) = read(&bytes);
    assert_eq!(stages.len(), 1);
    assert_eq!(summary.lost, 3);
    assert_eq!(summary.origin_unix_ns, Some(1_700_000_000_000_004_000));
}

#[test]
fn cpus_are_merged_and_devices_chosen() {
    let folder = Folder::new();
    let bytes = |records: &[Record]| -> Vec<u8> { records.iter().flat_map(Record::bytes).collect() };
    let other = |record: Record| Record { device: 8 << 20 | 16, ..record };
    folder.write("r.blktrace.0", &bytes(&[at(Q, 100, 0, 8), at(C, 300, 0, 8)]));
    folder.write("r.blktrace.1", &[]);
    folder.write("r.blktrace.2", &bytes(&[at(D, 150, 0, 8), other(at(Q, 160, 0, 8))]));
    folder.write("r.blktrace.3", &bytes(&[other(at(D, 170, 0, 8)), other(at(C, 200, 0, 8))]));
    let base = folder.0.join("r").to_string_lossy().into_owned();
    let (stages, summary) = drained(Stages::open(&base, &[]).unwrap());
    let times: Vec<_> = stages.iter().map(|s| (s.queued_ns, s.issued_ns, s.completed_ns)).collect();
    assert_eq!(times, [(Some(160), Some(170), 200), (Some(100), Some(150), 300)]);
    assert_eq!((summary.files, summary.partial.is_some()), (3, false));
    let (chosen, _) = drained(Stages::open(&base, &["8,16".to_owned()]).unwrap());
    assert_eq!(chosen.len(), 1);
    let (_, summary) = drained(Stages::open(&format!("{base}.blktrace.2"), &[]).unwrap());
    assert!(summary.partial.unwrap().contains("one CPU of 4"));
    // What is wrong names the file.
    folder.write("r.blktrace.2", &QUEUED.bytes()[..20]);
    let mut broken = Stages::open(&base, &[]).unwrap();
    let said = broken.fill(&mut Vec::new(), 9).unwrap_err().to_string();
    assert!(said.contains("r.blktrace.2:1: byte 0: the trace ends within a record"), "{said}");
    folder.write("r.blktrace.2", b"text");
    assert!(Stages::open(&base, &[]).unwrap_err().to_string().contains("is no blktrace file"));
}

/// A request that was made: place, length, direction, and how long it waits and is served.
fn made() -> impl Strategy<Value = Vec<(u64, u32, bool, u64, u64)>> {
    proptest::collection::vec((0_u64..40, 1_u32..12, any::<bool>(), 0_u64..500, 1_u64..900), 1..60)
}

/// Records with any fields that a reader looks at.
fn any_records() -> impl Strategy<Value = Vec<Record>> {
    let event =
        prop_oneof![Just(Q), Just(D), Just(C), Just(REQUEUED), Just(SPLIT), Just(MERGED), any::<u32>()];
    let one =
        (event, 0_u64..2000, prop_oneof![0_u64..24, any::<u64>()], 0_u32..9000, any::<bool>(), 0_u16..2);
    let record = one.prop_map(|(action, time, sector, bytes, write, error)| Record {
        time,
        sector,
        bytes,
        action: action & !(READ | WRITE) | if write { WRITE } else { READ },
        error,
        ..QUEUED
    });
    proptest::collection::vec(record, 0..200)
}

proptest! {
    #[test]
    fn requests_one_after_another_come_back(requests in made()) {
        let (mut now, mut records, mut expected) = (0, Vec::new(), Vec::new());
        for (place, sectors, write, wait, service) in requests {
            let with = |action, time| {
                let record = at(action, time, place, sectors);
                if write { Record { action: action | WRITE, ..record } } else { record }
            };
            let (issued, done) = (now + wait, now + wait + service);
            records.extend([with(Q, now), with(D, issued), with(C, done)]);
            expected.push((Some(now), Some(issued), done, u64::from(sectors) * 512));
            now = done;
        }
        let (stages, joined) = of(&records);
        prop_assert_eq!(stages, expected);
        prop_assert_eq!((joined.unknown, joined.unfinished, joined.issued_alone), (0, 0, 0));
    }

    #[test]
    fn any_records_keep_the_promises(mut records in any_records(), sorted in any::<bool>()) {
        if sorted {
            records.sort_by_key(|record| record.time);
        }
        let bytes: Vec<u8> = records.iter().flat_map(Record::bytes).collect();
        let Ok(mut stages) = opened(&bytes) else { return Ok(()) };
        let mut out = Vec::new();
        while let Ok(true) = stages.fill(&mut out, 7) {}
        for stage in &out {
            let begun = stage.queued_ns.or(stage.issued_ns);
            prop_assert!(begun.is_some_and(|begun| begun <= stage.completed_ns));
            prop_assert!(stage.issued_ns.is_none_or(|issued| begun <= Some(issued) && issued <= stage.completed_ns));
            prop_assert!(stage.bytes > 0 && (stage.device as usize) < stages.devices().len());
        }
        let joined = stages.summary().joined;
        let queued = out.iter().filter(|stage| stage.queued_ns.is_some()).count() as u64;
        prop_assert!(queued + joined.unfinished <= joined.queued);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400), magic in any::<bool>()) {
        let mut data = if magic { QUEUED.bytes() } else { Vec::new() };
        data.extend(bytes);
        if let Ok(mut stages) = opened(&data) {
            while let Ok(true) = stages.fill(&mut Vec::new(), 5) {}
        }
    }
}
