//! Recordings of blktrace joined into requests: merges, divisions, requeues, parts, what is lost, and any bytes.

use crate::Said;
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

/// One of three parts, of 8 sectors each, all issued by 220 and none completed.
fn divided() -> Vec<Record> {
    vec![at(Q, 100, 0, 24), at(SPLIT, 101, 0, 8), at(D, 200, 0, 8), at(D, 210, 8, 8), at(D, 220, 16, 8)]
}

#[test]
fn the_front_of_a_divided_one_comes_back() {
    let records = [
        at(Q, 0, 0, 2560),
        at(SPLIT, 1_000, 0, 1280),
        at(D, 2_000, 0, 1280),
        at(D, 3_000, 1280, 1280),
        at(REQUEUED, 4_000, 0, 1280),
        at(D, 50_000, 0, 1280),
        at(C, 60_000, 1280, 1280),
        at(C, 100_000, 0, 1280),
    ];
    let (stages, joined) = of(&records);
    assert_eq!(stages, [(Some(0), Some(2_000), 100_000, 2560 * 512)]);
    let expected = Joined { queued: 1, split: 1, requeued: 1, issued: 3, completed: 2, ..Joined::default() };
    assert_eq!(joined, expected);
}

#[test]
fn any_part_of_a_divided_one_comes_back_twice() {
    for part in [0, 8, 16] {
        for done_between in [false, true] {
            let mut records = divided();
            records.extend([at(REQUEUED, 300, part, 8), at(D, 310, part, 8), at(REQUEUED, 320, part, 8)]);
            let others = [0, 8, 16].into_iter().filter(|&other| other != part);
            let first = if done_between { 400 } else { 600 };
            records.extend(others.map(|other| at(C, first, other, 8)));
            records.extend([at(D, 500, part, 8), at(C, 700, part, 8)]);
            records.sort_by_key(|record| record.time);
            let (stages, joined) = of(&records);
            assert_eq!(stages, [(Some(100), Some(200), 700, 24 * 512)], "{part} {done_between}");
            assert_eq!((joined.requeued, joined.issued, joined.unfinished), (2, 5, 0));
            assert_eq!((joined.unknown, joined.issued_alone), (0, 0));
        }
    }
}

#[test]
fn parts_come_back_and_go_again_in_any_order() {
    let orders = [[0, 8, 16], [0, 16, 8], [8, 0, 16], [8, 16, 0], [16, 0, 8], [16, 8, 0]];
    for back in orders {
        for again in orders {
            let mut records = divided();
            records.extend((300..).zip(back).map(|(time, part)| at(REQUEUED, time, part, 8)));
            records.extend((400..).zip(again).map(|(time, part)| at(D, time, part, 8)));
            records.extend((500..).zip(back).map(|(time, part)| at(C, time, part, 8)));
            // All of it was in the queue until 400.
            let (stages, joined) = of(&records);
            assert_eq!(stages, [(Some(100), Some(400), 502, 24 * 512)], "{back:?} {again:?}");
            assert_eq!((joined.unknown, joined.issued_alone, joined.unfinished), (0, 0, 0));
        }
    }
}

#[test]
fn what_comes_back_goes_again_as_another_request() {
    // Two that came back go as one, and that one comes back in whole and goes as three.
    let mut records = divided();
    records.extend([
        at(REQUEUED, 300, 8, 8),
        at(REQUEUED, 310, 0, 8),
        at(D, 320, 0, 16),
        at(REQUEUED, 330, 0, 16),
        at(D, 340, 0, 4),
        at(D, 350, 4, 8),
        at(D, 360, 12, 4),
        at(C, 400, 12, 4),
        at(C, 410, 0, 4),
        at(C, 420, 16, 8),
        at(C, 430, 4, 8),
    ]);
    let (stages, joined) = of(&records);
    assert_eq!(stages, [(Some(100), Some(200), 430, 24 * 512)]);
    assert_eq!((joined.unknown, joined.issued_alone, joined.unfinished), (0, 0, 0));
    // What is left of a request that was completed in part comes back.
    let mut records = divided();
    records.extend([at(C, 300, 0, 4), at(REQUEUED, 310, 4, 4), at(C, 320, 8, 8), at(C, 330, 16, 8)]);
    records.extend([at(D, 340, 4, 4), at(C, 350, 4, 4)]);
    assert_eq!(of(&records).0, [(Some(100), Some(200), 350, 24 * 512)]);
}

#[test]
fn a_new_one_of_a_part_that_is_on_its_way_counts() {
    let mut records = divided();
    records.extend([at(REQUEUED, 300, 0, 8), at(Q, 310, 16, 8), at(D, 320, 16, 8), at(D, 330, 0, 8)]);
    records.extend([at(C, 400, 16, 8), at(C, 410, 16, 8), at(C, 420, 8, 8), at(C, 430, 0, 8)]);
    let (stages, joined) = of(&records);
    assert_eq!(stages, [(Some(310), Some(320), 410, 4096), (Some(100), Some(200), 430, 24 * 512)]);
    assert_eq!((joined.queued, joined.unfinished), (2, 0));
}

#[test]
fn one_that_comes_back_in_too_many_parts_is_forgotten() {
    let parts = |parts: u64| {
        let one = |time, action| move |part| at(action, time, part, 1);
        let sectors = u32::try_from(2 * parts).unwrap();
        let mut records = vec![at(Q, 1, 0, sectors)];
        records.extend((0..2 * parts).map(one(2, D)));
        records.extend((0..parts).map(|part| at(REQUEUED, 3, 2 * part, 1)));
        records.extend((0..parts).map(|part| at(D, 4, 2 * part, 1)));
        records.extend((0..2 * parts).map(one(5, C)));
        of(&records)
    };
    let (stages, joined) = parts(32);
    assert_eq!((stages.as_slice(), joined.forgotten), ([(Some(1), Some(2), 5, 64 * 512)].as_slice(), 0));
    let (stages, joined) = parts(33);
    assert_eq!((joined.forgotten, joined.unfinished), (1, 0));
    assert!(stages.iter().all(|stage| stage.0.is_none()));
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
    let said = broken.fill(&mut Vec::new(), 9).unwrap_err().said();
    assert!(said.starts_with("damaged ") && said.contains("r.blktrace.2:1: byte 0: "), "{said}");
    folder.write("r.blktrace.2", b"text");
    assert!(Stages::open(&base, &[]).unwrap_err().said().starts_with("wrong-format "));
}

/// A request that was made: place, length, direction, and how long it waits and is served.
fn made() -> impl Strategy<Value = Vec<(u64, u32, bool, u64, u64)>> {
    proptest::collection::vec((0_u64..40, 1_u32..12, any::<bool>(), 0_u64..500, 1_u64..900), 1..60)
}

/// Bios side by side, and what is done with them, sector by sector: the plain way to know what a [`Stage`] must be.
struct Model {
    /// Where each begins, and where the last ends.
    bounds: Vec<u64>,
    issued: Vec<Option<u64>>,
    left: Vec<u64>,
    /// Ranges, each of one bio.
    waiting: Vec<(u64, u64)>,
    outstanding: Vec<(u64, u64)>,
    records: Vec<Record>,
    expected: Vec<Times>,
    now: u64,
}

impl Model {
    fn new(lengths: &[u32], last_first: bool) -> Self {
        let mut bounds = vec![0];
        for length in lengths {
            bounds.push(bounds[bounds.len() - 1] + u64::from(*length));
        }
        let waiting: Vec<_> = bounds.windows(2).map(|bio| (bio[0], bio[1])).collect();
        let mut records: Vec<_> = bounds.iter().zip(lengths).map(|(start, l)| at(Q, 7, *start, *l)).collect();
        if last_first {
            records.reverse();
        }
        Self {
            issued: vec![None; lengths.len()],
            left: lengths.iter().copied().map(u64::from).collect(),
            outstanding: Vec::new(),
            expected: Vec::new(),
            now: 10,
            bounds,
            waiting,
            records,
        }
    }

    fn record(&mut self, action: u32, start: u64, end: u64) {
        self.now += 1;
        self.records.push(at(action, self.now, start, u32::try_from(end - start).unwrap()));
    }

    /// Bios that have sectors in the range, and these sectors.
    fn of_bios(&self, start: u64, end: u64) -> Vec<(usize, u64, u64)> {
        let within = |(bio, bounds): (usize, &[u64])| (bio, bounds[0].max(start), bounds[1].min(end));
        self.bounds.windows(2).enumerate().map(within).filter(|(_, from, until)| from < until).collect()
    }

    /// Issues sectors from where some wait, and those that wait behind them, up to `most`.
    fn issue(&mut self, pick: usize, most: u64) {
        if self.waiting.is_empty() {
            return;
        }
        let start = self.waiting[pick % self.waiting.len()].0;
        let mut end = start;
        while let Some(next) = self.waiting.iter().position(|range| range.0 == end && end < start + most) {
            let range = &mut self.waiting[next];
            range.0 = range.1.min(start + most);
            end = range.0;
            if range.0 == range.1 {
                self.waiting.remove(next);
            }
        }
        self.record(D, start, end);
        self.outstanding.push((start, end));
        for (bio, ..) in self.of_bios(start, end) {
            self.issued[bio].get_or_insert(self.now);
        }
    }

    fn requeue(&mut self, pick: usize) {
        if self.outstanding.is_empty() {
            return;
        }
        let (start, end) = self.outstanding.swap_remove(pick % self.outstanding.len());
        self.record(REQUEUED, start, end);
        for (bio, from, until) in self.of_bios(start, end) {
            self.waiting.push((from, until));
            let (first, last) = (self.bounds[bio], self.bounds[bio + 1]);
            let of_it = self.waiting.iter().filter(|range| first <= range.0 && range.1 <= last);
            if of_it.map(|range| range.1 - range.0).sum::<u64>() == last - first {
                self.issued[bio] = None;
            }
        }
    }

    /// Completes at most so many sectors of a request.
    fn complete(&mut self, pick: usize, most: u64) {
        if self.outstanding.is_empty() {
            return;
        }
        let (start, end) = self.outstanding.swap_remove(pick % self.outstanding.len());
        let until = end.min(start + most);
        if until < end {
            self.outstanding.push((until, end));
        }
        self.record(C, start, until);
        for (bio, from, until) in self.of_bios(start, until) {
            self.left[bio] -= until - from;
            if self.left[bio] == 0 {
                let bytes = (self.bounds[bio + 1] - self.bounds[bio]) * 512;
                self.expected.push((Some(7), self.issued[bio], self.now, bytes));
            }
        }
    }
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
    fn what_comes_back_is_never_lost(
        lengths in proptest::collection::vec(1_u32..25, 1..6),
        last_first in any::<bool>(),
        steps in proptest::collection::vec((0..3, any::<usize>(), 1_u64..30), 0..120),
    ) {
        let mut model = Model::new(&lengths, last_first);
        for (step, pick, most) in steps {
            match step {
                0 => model.issue(pick, most),
                1 => model.requeue(pick),
                _ => model.complete(pick, most),
            }
        }
        while !model.waiting.is_empty() {
            model.issue(0, 30);
        }
        while !model.outstanding.is_empty() {
            model.complete(0, 30);
        }
        let (mut stages, joined) = of(&model.records);
        stages.sort_unstable();
        model.expected.sort_unstable();
        prop_assert_eq!(stages, model.expected);
        prop_assert_eq!((joined.queued, joined.forgotten, joined.failed), (lengths.len() as u64, 0, 0));
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
