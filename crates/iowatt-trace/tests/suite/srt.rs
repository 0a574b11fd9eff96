//! A small writer of HP SRT, and what is particular about this format: sectors of the header, events, broken records.

use iowatt_trace::{Event, NO_RESPONSE, NO_STREAM, Op, Request, TraceSpec};

use crate::{error, read, spec};

/// Two disks of unlike sectors.
pub(crate) const HEADER: &str = "$$TR_IOREC-1.3 (written by a test)\0\nversion = 1.3;\ndisks = {\n\
     \t0 -> { disktype = a, sectorsize = 256, sections = { 8 -> { \"/\", size = (0 1) } } },\n\
     \t1 -> { disktype = b, sectorsize = 512 }\n};\n\x0c";

/// A record; stamps in microseconds.
#[derive(Clone, Copy)]
pub(crate) struct Record {
    pub(crate) enqueue: u64,
    pub(crate) start: u32,
    pub(crate) stop: u32,
    pub(crate) bytes: u32,
    pub(crate) block: u32,
    pub(crate) disk: u32,
    pub(crate) read: bool,
}

impl Record {
    pub(crate) fn words(&self) -> [u32; 14] {
        let (seconds, rest) = ((self.enqueue / 1_000_000) as u32, (self.enqueue % 1_000_000) as u32);
        let device = 8 << 24 | self.disk << 8 | 7;
        let flags = 0x8000a | u32::from(self.read);
        [
            56, 0x4_0001, seconds, rest, self.start, self.stop, self.bytes, self.block, device, 4, 0, flags,
            0, 1,
        ]
    }
}

pub(crate) fn written(words: &[[u32; 14]]) -> Vec<u8> {
    let records = words.iter().flatten().flat_map(|word| word.to_be_bytes());
    HEADER.bytes().chain(records).collect()
}

/// Three requests: the second is served before the first, the third is of the other disk.
pub(crate) const THREE: [Record; 3] = [
    Record { enqueue: 13_191, start: 20_000, stop: 40_000, bytes: 8192, block: 200, disk: 0, read: true },
    Record { enqueue: 17_829, start: 100, stop: 15_000, bytes: 1024, block: 904, disk: 0, read: false },
    Record { enqueue: 60_000_001, start: 34, stop: 9034, bytes: 2048, block: 904, disk: 1, read: false },
];

fn of(disk: &str, event: Option<Event>) -> TraceSpec {
    TraceSpec { device: Some(disk.into()), event, ..spec("detect") }
}

fn request(time_ns: u64, offset: u64, size: u32, response_ns: i64, op: Op) -> Request {
    Request { time_ns, offset, response_ns, size, device: 0, stream: NO_STREAM, op }
}

#[test]
fn stamps_sectors_and_response_times() {
    let bytes = written(&THREE.map(|r| r.words()));
    let (first, summary) = read(&bytes, &of("0", None)).unwrap();
    assert_eq!(
        first,
        [
            request(13_191_000, 200 * 256, 8192, 40_000_000, Op::Read),
            request(17_829_000, 904 * 256, 1024, 15_000_000, Op::Write),
        ]
    );
    assert_eq!((summary.format.as_str(), summary.origin), ("hp-srt", None));
    let (second, _) = read(&bytes, &of("1", None)).unwrap();
    assert_eq!((second[0].time_ns, second[0].offset), (60_000_001_000, 904 * 512));
    assert!(error(&bytes, &spec("detect")).starts_with("ambiguous "));
}

#[test]
fn an_event_is_chosen() {
    let bytes = written(&THREE.map(|r| r.words()));
    let (served, summary) = read(&bytes, &of("0", Some(Event::D))).unwrap();
    assert_eq!(
        served,
        [
            request(17_929_000, 904 * 256, 1024, 14_900_000, Op::Write),
            request(33_191_000, 200 * 256, 8192, 20_000_000, Op::Read),
        ]
    );
    assert_eq!(summary.reordered, 1);
    let (done, _) = read(&bytes, &of("0", Some(Event::C))).unwrap();
    assert_eq!(done.iter().map(|r| r.time_ns).collect::<Vec<_>>(), [32_829_000, 53_191_000]);
    assert!(done.iter().all(|r| r.response_ns == NO_RESPONSE));
}

#[test]
fn broken_records_are_named_by_number_and_byte() {
    let at = HEADER.len() + 56;
    let with = |index: usize, word: u32| {
        let mut words = THREE.map(|r| r.words());
        words[1][index] = word;
        written(&words)
    };
    for (index, word, code, said) in [
        (2, 1 << 31, "out-of-range", "sec is negative: -2147483648"),
        (3, 1_000_000, "out-of-range", "usec is 1000000; below 1000000 is accepted"),
        (4, u32::MAX, "out-of-range", "start_us is negative: -1"),
        (5, 99, "damaged", "the service stops 99 us after the enqueue, before its start at 100 us"),
        (6, u32::MAX, "out-of-range", "nbytes is negative: -1"),
        (7, u32::MAX, "out-of-range", "blkno is negative: -1"),
        (8, 0x0800_0507, "damaged", "disk 5 is not in the header"),
    ] {
        let mut spec = of("0", None);
        assert_eq!(error(&with(index, word), &spec), format!("{code} test:2: byte {at}: {said}"));
        spec.skip_bad = 1;
        let (requests, summary) = read(&with(index, word), &spec).unwrap();
        assert_eq!((requests.len(), summary.skipped_bad), (1, 1), "{said}");
    }
    assert!(error(&with(6, 0), &of("0", None)).starts_with("out-of-range test:2: the size is zero"));
    // Where the records are not what they should be, nothing behind can be trusted.
    let mut spec = of("0", None);
    spec.skip_bad = 9;
    for (index, word, said) in
        [(0, 60, "60 bytes, version 4, type 1"), (1, 0x3_0002, "56 bytes, version 3, type 2")]
    {
        let expected = format!(
            "unsupported test:2: byte {at}: a record of {said}; records of 56 bytes, version 4, type 1 are read"
        );
        assert_eq!(error(&with(index, word), &spec), expected);
    }
    let whole = written(&THREE.map(|r| r.words()));
    assert_eq!(
        error(&whole[..whole.len() - 1], &spec),
        format!(
            "damaged test:3: byte {}: the trace ends within a record, after 55 of its 56 bytes; fetch it again",
            at + 56
        )
    );
}

#[test]
fn broken_headers_are_named_by_byte() {
    let said = |header: &str| error(header.as_bytes(), &spec("hp-srt"));
    assert_eq!(
        said("$$TR_IOTRC-1.3"),
        "wrong-format test: byte 0: the file begins with '$$TR_IOTRC-'; an SRT trace begins with $$TR_IOREC-1.3"
    );
    assert_eq!(
        said("$$TR_IOREC-1.3\n"),
        "damaged test: no form feed ends the header within its first 15 bytes"
    );
    let endless = format!("$$TR_IOREC-1.3{}", " ".repeat(1 << 20));
    assert_eq!(said(&endless), "damaged test: no form feed ends the header within its first 65536 bytes");
    assert!(said("$$TR_IOREC-1.3\n\x0c").starts_with("damaged test: "));
    assert!(
        said("$$TR_IOREC-1.3\ndisks = { 0 -> { } };\n\x0c")
            .starts_with("damaged test: byte 32: disk 0 has no sectorsize")
    );
    assert_eq!(said(HEADER), "empty test: there are no read or write requests");
    let spec = TraceSpec { sector_bytes: Some(512), ..spec("hp-srt") };
    assert!(
        error(HEADER.as_bytes(), &spec)
            .starts_with("not-applicable test: sector_size does not apply to the format hp-srt")
    );
}

#[test]
fn a_cut_archive_says_how_far_it_was_read() {
    let words: Vec<_> = (0..40_000_u64)
        .map(|i| {
            Record { enqueue: i * i % 977 + 1000 * i, block: (i * 7919 % 100_003) as u32, ..THREE[0] }.words()
        })
        .collect();
    let packed = crate::input::gzip(&written(&words));
    let said = error(&packed[..packed.len() / 2], &spec("detect"));
    assert!(
        said.starts_with("damaged test: ")
            && said.contains("gzip data ends early, after about byte ")
            && said.contains(" of the trace"),
        "{said}"
    );
}
