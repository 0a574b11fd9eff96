//! The binary formats of CloudPhysics and libCacheSim: writers, and the traps of each.

use iowatt_trace::{NO_RESPONSE, Op, TraceSpec};

use crate::{error, read, spec};

/// A record of version 1.
pub(crate) fn vscsi_1(command: u16, block: u64, length: u32, time_us: u64) -> Vec<u8> {
    let mut bytes = 9_u32.to_le_bytes().to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(command.to_le_bytes());
    bytes.extend(0x0100_u16.to_le_bytes());
    bytes.extend(block.to_le_bytes());
    bytes.extend(time_us.to_le_bytes());
    bytes
}

/// A record of version 2.
pub(crate) fn vscsi_2(command: u16, block: u64, length: u32, time_us: u64, response_us: u64) -> Vec<u8> {
    let mut bytes = command.to_le_bytes().to_vec();
    bytes.extend(0x0200_u16.to_le_bytes());
    bytes.extend(9_u32.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(block.to_le_bytes());
    bytes.extend(time_us.to_le_bytes());
    bytes.extend(response_us.to_le_bytes());
    bytes
}

pub(crate) fn oracle_general(seconds: u32, object: u64, size: u32, next: i64) -> Vec<u8> {
    let mut bytes = seconds.to_le_bytes().to_vec();
    bytes.extend(object.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.extend(next.to_le_bytes());
    bytes
}

pub(crate) fn lcs_header(version: u64) -> Vec<u8> {
    let magic = 0x1234_5678_9abc_def0_u64.to_le_bytes();
    let mut bytes = magic.to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.resize(8184, 0xaa);
    bytes.extend(magic);
    bytes
}

/// A record; `operation` and `tenant` are lost in version 1.
pub(crate) fn lcs(version: u64, seconds: u32, object: u64, size: u32, operation: u8, tenant: u32) -> Vec<u8> {
    let packed = tenant << 8 | u32::from(operation);
    let mut bytes = seconds.to_le_bytes().to_vec();
    bytes.extend(object.to_le_bytes());
    match version {
        1 => bytes.extend(size.to_le_bytes()),
        2 => {
            bytes.extend(size.to_le_bytes());
            bytes.extend(packed.to_le_bytes());
        }
        _ => {
            bytes.extend(u64::from(size).to_le_bytes());
            bytes.extend(packed.to_le_bytes());
            bytes.extend(3600_u32.to_le_bytes());
        }
    }
    bytes.extend((-1_i64).to_le_bytes());
    let features = [0, 0, 0, 0, 1, 2, 4, 8, 16][version as usize];
    bytes.extend(vec![0x77; 4 * features]);
    bytes
}

#[test]
fn both_versions_of_vscsi() {
    let (ops, _) = read(
        &[0x08, 0x28, 0x88, 0xa8, 0x0a, 0x2a, 0x8a, 0xaa, 0x2e, 0x8e, 0xae, 0x9c]
            .map(|code| vscsi_1(code, 8, 512, 1))
            .concat(),
        &spec("vscsi"),
    )
    .unwrap();
    assert_eq!(ops.iter().filter(|r| r.op == Op::Read).count(), 4);
    assert_eq!(ops.iter().filter(|r| r.op == Op::Write).count(), 8);

    let two =
        [vscsi_2(0x28, 1 << 33, 65_536, 7_000_000_000_000, 250), vscsi_2(0x2a, 0, 512, 7_000_000_000_003, 0)];
    let (requests, summary) = read(&two.concat(), &spec("detect")).unwrap();
    assert_eq!(summary.format, "vscsi");
    // Blocks of 512 bytes past 32 bits; microseconds from an arbitrary moment; a response time in version 2.
    assert_eq!((requests[0].offset, requests[0].size), (1 << 42, 65_536));
    assert_eq!((requests[0].time_ns, requests[1].time_ns, requests[0].response_ns), (0, 3000, 250_000));
    let (requests, summary) = read(&vscsi_1(0x28, 8, 512, 1), &spec("detect")).unwrap();
    assert_eq!(requests[0].response_ns, NO_RESPONSE);
    assert!(summary.notes.iter().any(|note| note == "version 1 (no response times)"), "{:?}", summary.notes);
}

#[test]
fn other_scsi_commands_are_counted_and_steps_back_sorted() {
    let trace = [
        vscsi_1(0x28, 8, 512, 5_000_000),
        vscsi_1(0x00, 0, 0, 5_000_001),
        vscsi_1(0x42, 0, 24, 5_000_002),
        vscsi_1(0x35, 0, 0, 5_000_003),
        vscsi_1(0x42, 0, 24, 5_000_004),
        vscsi_1(0x2a, 16, 512, 2_000_000),
    ]
    .concat();
    let (requests, summary) = read(&trace, &spec("vscsi")).unwrap();
    assert_eq!(
        requests.iter().map(|r| (r.time_ns, r.op)).collect::<Vec<_>>(),
        [(0, Op::Write), (3_000_000_000, Op::Read)]
    );
    assert_eq!((summary.flushes, summary.reordered), (1, 1));
    assert!(
        summary.notes.iter().any(|note| note.ends_with("were passed over: 1 x 00, 2 x 42")),
        "{:?}",
        summary.notes
    );
}

#[test]
fn vscsi_that_is_none() {
    let three = [vscsi_1(0x28, 8, 512, 1), vscsi_1(0x28, 8, 512, 2), vscsi_1(0x28, 8, 512, 3)].concat();
    assert_eq!(
        error(&three[..80], &spec("vscsi")),
        "damaged test:3: byte 64: the trace ends within a record, after 16 of its 32 bytes; fetch it again"
    );
    let mut changed = vscsi_1(0x28, 8, 512, 1).repeat(100);
    changed[32 * 80 + 15] = 7;
    assert!(
        error(&changed, &spec("vscsi"))
            .starts_with("damaged test:81: byte 2560: a record that is not of One")
    );
    assert!(error(&[7; 100], &spec("vscsi")).starts_with("wrong-format test: "));
    assert!(error(&vscsi_1(0x28, u64::MAX, 512, 1), &spec("vscsi")).starts_with("out-of-range test:1: "));
    assert!(error(&vscsi_1(0x28, 0, 512, u64::MAX), &spec("vscsi")).starts_with("out-of-range test:1: "));
}

#[test]
fn oracle_general_loses_what_it_loses_and_says_so() {
    let trace = [
        oracle_general(100, 1 << 33, 4096, 3),
        oracle_general(100, 8, 512, i64::MAX),
        oracle_general(101, 1 << 33, 4096, -1),
    ];
    let (requests, summary) = read(&trace.concat(), &spec("detect")).unwrap();
    assert_eq!(summary.format, "oracle-general");
    assert_eq!(
        requests.iter().map(|r| (r.time_ns, r.offset, r.size, r.op)).collect::<Vec<_>>(),
        [(0, 1 << 42, 4096, Op::Read), (0, 4096, 512, Op::Read), (1_000_000_000, 1 << 42, 4096, Op::Read)]
    );
    assert!(summary.notes.iter().any(|note| note.contains("all requests are taken as reads")));
    assert!(summary.notes.iter().any(|note| note.starts_with("blocks of 512 bytes")));
    // Keys that are hashes have no address.
    let hashed = [trace[0].clone(), oracle_general(101, u64::MAX / 3, 1, -1)].concat();
    assert!(
        error(&hashed, &spec("detect"))
            .starts_with("damaged test:2: byte 24: object 6148914691236517205 x 512 bytes")
    );
    // Blocks of another size: one block per key.
    let spec = TraceSpec { sector_bytes: Some(4096), ..spec("oracle-general") };
    assert_eq!(read(&trace[1], &spec).unwrap().0[0].offset, 8 * 4096);
}

#[test]
fn all_versions_of_lcs() {
    for version in 1..=8 {
        let trace = [
            lcs_header(version),
            lcs(version, 7, 8, 4096, 1, 5),
            lcs(version, 8, 16, 512, 3, 5),
            lcs(version, 9, 24, 512, 0, 6),
        ]
        .concat();
        let all = TraceSpec { device: Some("*".into()), ..spec("detect") };
        let (requests, summary) = read(&trace, &all).unwrap();
        assert_eq!(summary.format, "lcs");
        let operations = if version == 1 { [Op::Read; 3] } else { [Op::Read, Op::Write, Op::Read] };
        let got: Vec<_> = requests.iter().map(|r| (r.time_ns / 1_000_000_000, r.offset, r.size)).collect();
        assert_eq!(got, [(0, 4096, 4096), (1, 8192, 512), (2, 12_288, 512)], "version {version}");
        assert_eq!(requests.iter().map(|r| r.op).collect::<Vec<_>>(), operations, "version {version}");
        let without = if version == 1 { 3 } else { 1 };
        assert!(
            summary
                .notes
                .contains(&format!("{without} requests do not say what they do and are taken as reads")),
            "{:?}",
            summary.notes
        );
    }
}

#[test]
fn lcs_that_is_none() {
    let said = |bytes: &[u8]| error(bytes, &spec("lcs"));
    assert_eq!(said(&lcs_header(9)), "unsupported test: lcs version 9; 1 to 8 are read");
    assert_eq!(said(&lcs_header(2)[..100]), "damaged test: the header ends after 100 of its 8192 bytes");
    let mut changed = lcs_header(2);
    changed[8190] = 0;
    assert!(
        said(&changed).starts_with("wrong-format test: ")
            && said(&changed).contains("older forms of lcs, with a header of 512 or 1024 bytes")
    );
    let cut = [lcs_header(2), lcs(2, 1, 0, 512, 1, 0)].concat();
    assert!(
        said(&cut[..8200]).starts_with(
            "damaged test:1: byte 8192: the trace ends within a record, after 8 of its 28 bytes"
        )
    );
    let wrong = [lcs_header(2), lcs(2, 1, 0, 512, 77, 0)].concat();
    assert!(said(&wrong).starts_with("damaged test:1: byte 8192: operation 77"));
}
