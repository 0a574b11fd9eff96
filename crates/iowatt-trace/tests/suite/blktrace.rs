//! `blktrace`'s binary records: both byte orders, payloads, the choice of the event, and the files of several CPUs.

use iowatt_trace::{Event, Op, Request, TraceSpec, open};

use crate::{Said, drain, error, read, spec};

/// What a record says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) time: u64,
    pub(crate) sector: u64,
    pub(crate) bytes: u32,
    pub(crate) action: u32,
    pub(crate) device: u32,
    pub(crate) payload: u16,
    pub(crate) sequence: u32,
    pub(crate) cpu: u32,
    pub(crate) error: u16,
}

pub(crate) const READ: u32 = 1 << 16;
pub(crate) const WRITE: u32 = 1 << 17;
const FLUSH: u32 = 1 << 18;
const COMMAND: u32 = 1 << 25;
pub(crate) const NOTIFY: u32 = 1 << 26;
const DISCARD: u32 = 1 << 29;
pub(crate) const Q: u32 = 1 | 1 << 20;
pub(crate) const D: u32 = 7 | 1 << 22;
pub(crate) const C: u32 = 8 | 1 << 23;

/// A queued read.
pub(crate) const QUEUED: Record = Record {
    time: 500,
    sector: 100,
    bytes: 4096,
    action: Q | READ,
    device: 8 << 20,
    payload: 0,
    sequence: 1,
    cpu: 3,
    error: 0,
};

impl Record {
    fn written(
        &self,
        word: fn(u32) -> [u8; 4],
        long: fn(u64) -> [u8; 8],
        short: fn(u16) -> [u8; 2],
    ) -> Vec<u8> {
        let mut bytes = word(0x6561_7407).to_vec();
        bytes.extend(word(self.sequence));
        bytes.extend(long(self.time));
        bytes.extend(long(self.sector));
        bytes.extend([self.bytes, self.action, 42, self.device, self.cpu].map(word).concat());
        bytes.extend([self.error, self.payload].map(short).concat());
        bytes.extend(vec![0xee; usize::from(self.payload)]);
        bytes
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.written(u32::to_le_bytes, u64::to_le_bytes, u16::to_le_bytes)
    }

    pub(crate) fn big_endian(&self) -> Vec<u8> {
        self.written(u32::to_be_bytes, u64::to_be_bytes, u16::to_be_bytes)
    }
}

/// A request as it is queued.
pub(crate) fn queued(request: &Request) -> Record {
    let direction = if request.op == Op::Read { READ } else { WRITE };
    Record {
        time: 1_000_000 + request.time_ns,
        sector: request.offset / 512,
        bytes: request.size,
        action: Q | direction,
        ..QUEUED
    }
}

fn with(event: Option<Event>) -> TraceSpec {
    TraceSpec { event, device: Some("*".into()), include_other: true, ..spec("blktrace") }
}

fn seen(requests: &[Request]) -> Vec<(u64, Op, u64, u32)> {
    requests.iter().map(|r| (r.time_ns, r.op, r.offset, r.size)).collect()
}

#[test]
fn one_event_is_the_request_and_all_else_is_passed_over() {
    let at = |time, action| Record { time, action, ..QUEUED };
    let records = [
        Record { payload: 8, ..at(90, NOTIFY) }, // a process's name
        Record { payload: 16, ..at(100, Q | WRITE) },
        Record { payload: 8, ..at(101, 1 << 8 | Q | READ) }, // with a cgroup's id
        at(102, 2 | 1 << 20 | READ),                         // a merge
        Record { payload: 20, ..at(103, 15 | 1 << 20 | READ) }, // a remap
        Record { bytes: 0, sector: 0, ..at(104, Q | WRITE | FLUSH) },
        Record { bytes: 1 << 20, ..at(105, Q | WRITE | DISCARD) },
        at(106, Q | READ | COMMAND),
        Record { bytes: 0, ..at(107, Q | READ) }, // no blocks
        at(200, D | WRITE),
        Record { device: 8 << 20 | 16, ..at(300, C | READ) },
        at(400, 9), // plug
    ];
    for write in [Record::bytes, Record::big_endian] {
        let bytes: Vec<u8> = records.iter().flat_map(write).collect();
        let (requests, summary) = read(&bytes, &with(None)).unwrap();
        let expected = [
            (0, Op::Write, 51_200, 4096),
            (1, Op::Read, 51_200, 4096),
            (4, Op::Flush, 0, 0),
            (5, Op::Trim, 51_200, 1 << 20),
        ];
        assert_eq!(seen(&requests), expected);
        assert!(
            summary
                .notes
                .contains(&"event Q was asked for, and the trace holds 4 Q, 1 D and 1 C events".to_owned()),
            "{:?}",
            summary.notes
        );
        assert_eq!(seen(&read(&bytes, &with(Some(Event::D))).unwrap().0), [(0, Op::Write, 51_200, 4096)]);
        let mut source = crate::open(&bytes, &with(Some(Event::C))).unwrap();
        assert_eq!(seen(&drain(source.as_mut(), 9).unwrap()), [(0, Op::Read, 51_200, 4096)]);
        assert_eq!((source.devices(), source.streams()), (&["8,16".to_owned()][..], &[][..]));
    }
}

#[test]
fn what_is_wrong_is_said() {
    let two = QUEUED.bytes().repeat(2);
    assert_eq!(
        error(&two[..60], &with(None)),
        "damaged test:2: byte 48: the trace ends within a record, after 12 of its 48 bytes; fetch it again"
    );
    let long = Record { payload: 100, ..QUEUED }.bytes();
    assert!(
        error(&long[..60], &with(None))
            .starts_with("damaged test:1: byte 0: the trace ends within a record, after 60 of its 148 bytes")
    );
    let mut other = two.clone();
    other[48] = 8;
    assert!(
        error(&other, &with(None))
            .starts_with("unsupported test:2: byte 48: records of version 8; version 7 is read")
    );
    other[51] = 0;
    assert!(
        error(&other, &with(None))
            .starts_with("damaged test:2: byte 48: magic 0x00617408; a record begins with 0x65617407")
    );
    let far = Record { sector: u64::MAX, ..QUEUED }.bytes();
    assert!(error(&far, &with(None)).starts_with("out-of-range test:1: byte 0: "));
}

#[test]
fn the_files_of_all_cpus_are_merged_by_time() {
    let folder = std::env::temp_dir().join(format!("iowatt-blktrace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let base = folder.join("sda");
    let written = |cpu: usize, times: &[u64]| {
        let bytes: Vec<u8> =
            times.iter().flat_map(|&time| Record { time, sector: time, ..QUEUED }.bytes()).collect();
        std::fs::write(folder.join(format!("sda.blktrace.{cpu}")), bytes).unwrap();
    };
    written(0, &[1000, 1010, 1050]);
    written(1, &[]); // nothing ran there
    written(2, &[1005, 1006]);
    written(10, &[990, 1051]);
    std::fs::write(folder.join("sda.blktrace.old"), b"not one of them").unwrap();

    let mut source = open(&TraceSpec::new(base.to_str().unwrap())).unwrap();
    let requests = drain(source.as_mut(), 2).unwrap();
    let sectors: Vec<_> = requests.iter().map(|r| r.offset / 512).collect();
    assert_eq!(sectors, [990, 1000, 1005, 1006, 1010, 1050, 1051]);
    assert_eq!(requests[1].time_ns, 10);
    let summary = source.summary().unwrap();
    assert_eq!((summary.format.as_str(), summary.reordered), ("blktrace", 0));
    assert!(
        summary.notes.contains(&"4 files, one per CPU, merged by time".to_owned()),
        "{:?}",
        summary.notes
    );

    // One of them alone is a part of the load, and says so.
    let one = base.with_extension("blktrace.2");
    let mut source = open(&TraceSpec::new(one.to_str().unwrap())).unwrap();
    assert_eq!(drain(source.as_mut(), 9).unwrap().len(), 2);
    assert!(source.summary().unwrap().notes.iter().any(|note| note.contains("the file of one CPU of 4")));

    // A broken one is named.
    std::fs::write(folder.join("sda.blktrace.2"), &QUEUED.bytes()[..40]).unwrap();
    let mut source = open(&TraceSpec::new(base.to_str().unwrap())).unwrap();
    let said = drain(source.as_mut(), 9).unwrap_err().said();
    assert!(said.starts_with("damaged ") && said.contains("sda:1: sda.blktrace.2: byte 0: "), "{said}");
    std::fs::write(folder.join("sda.blktrace.2"), b"text").unwrap();
    let said = open(&TraceSpec::new(base.to_str().unwrap())).err().unwrap().said();
    assert!(said.starts_with("wrong-format ") && said.contains("sda.blktrace.2: this is"), "{said}");
    std::fs::remove_dir_all(&folder).unwrap();
}
