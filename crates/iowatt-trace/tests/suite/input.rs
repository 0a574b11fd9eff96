//! From bytes to lines: compression, line ends, truncation, chunk boundaries.

use std::io::Write;

use iowatt_trace::{MAX_LINE, TraceSpec};
use proptest::prelude::*;

use crate::{Said, drain, error, open_in_chunks, read, samples, spec};

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

#[test]
fn every_format_is_detected_and_read_however_it_is_packed() {
    for sample in samples() {
        let (name, bytes) = (sample.format, &sample.bytes);
        let (head, tail) = bytes.split_at(bytes.len() / 2);
        let members = [gzip(head), gzip(tail)].concat();
        let frames = [zstandard(head), zstandard(tail)].concat();
        let mut packed = vec![bytes.clone(), gzip(bytes), zstandard(bytes), members, frames];
        if sample.text {
            let text = std::str::from_utf8(bytes).unwrap();
            packed.push(text.replace('\n', "\r\n").into_bytes());
            packed.push(format!("\u{feff}# a comment\n\n{text}").into_bytes());
            packed.push(text.trim_end().into());
        }
        for bytes in packed {
            let (requests, summary) = read(&bytes, &sample.spec()).unwrap();
            assert_eq!((summary.format.as_str(), summary.detected), (name, sample.detected));
            assert_eq!(requests.len(), 2, "{name}");
            let first = (requests[0].time_ns, requests[0].offset, requests[0].size);
            assert_eq!(first, sample.first, "{name}");
        }
    }
}

#[test]
fn truncated_and_corrupt_data_is_an_error_whatever_was_read_before() {
    let text = "0.5 0 8 8 0\n".repeat(100_000);
    for packed in [gzip(text.as_bytes()), zstandard(text.as_bytes())] {
        let cut = &packed[..packed.len() * 2 / 3];
        assert!(
            error(cut, &spec("detect")).starts_with("damaged test: the "),
            "{}",
            error(cut, &spec("detect"))
        );
        let mut corrupt = packed.clone();
        let last = corrupt.len() - 5; // checksum or last block
        corrupt[last] ^= 0xff;
        let said = error(&corrupt, &spec("detect"));
        assert!(said.starts_with("damaged test: the "), "{said}");
    }
    assert!(error(&gzip(text.as_bytes())[..12], &spec("detect")).starts_with("damaged test: the gzip data"));
}

#[test]
fn nothing_is_an_error() {
    assert_eq!(error(b"", &spec("detect")), "empty test: the file is empty");
    assert_eq!(error(&gzip(b""), &spec("spc")), "empty test: the file is empty once decompressed");
    assert_eq!(error(b"# only a comment\n", &spec("spc")), "empty test: there are no read or write requests");
}

#[test]
fn foreign_compression_and_binary_data_are_named() {
    assert!(
        error(b"\xfd7zXZ\0......", &spec("detect"))
            .starts_with("unsupported test: the file is compressed with xz")
    );
    assert!(error(b"PAR1....", &spec("detect")).starts_with("unsupported test: this is a Parquet file"));
    let garbage: Vec<u8> = (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert!(
        error(&garbage, &spec("detect")).starts_with(
            "wrong-format test: this is binary data in no known format; known are disksim-ascii"
        )
    );
    assert!(error(&garbage, &spec("spc")).starts_with("damaged test:1: expected at least 5 columns"));
}

#[test]
fn a_line_without_end_does_not_fill_the_memory() {
    let mut bytes = b"0.5 0 8 8 0\n".to_vec();
    bytes.extend(std::iter::repeat_n(b'7', 3 * MAX_LINE));
    assert!(
        error(&bytes, &spec("disksim-ascii"))
            .starts_with("too-large test:2: the line has more than 1048576 bytes")
    );
}

#[test]
fn files_that_cannot_be_opened() {
    let said = |path: &str| iowatt_trace::open(&TraceSpec::new(path)).err().unwrap().said();
    assert_eq!(said("/no/such/file"), "not-found /no/such/file: there is no such file");
    assert!(said("/").starts_with("wrong-kind /: "));
}

#[test]
fn progress_reaches_one() {
    let path = std::env::temp_dir().join(format!("iowatt-trace-{}.csv", std::process::id()));
    let text: String = (100_000..200_000).map(|i| format!("{i}.5 0 8 8 0\n")).collect();
    std::fs::write(&path, text).unwrap();
    let mut source = iowatt_trace::open(&TraceSpec::new(path.to_str().unwrap())).unwrap();
    let mut requests = Vec::new();
    source.fill(&mut requests, 50_000).unwrap();
    let half = source.progress().unwrap();
    drain(source.as_mut(), 1000).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!((half - 0.5).abs() < 0.01, "{half}");
    assert_eq!(source.progress(), Some(1.0));
}

proptest! {
    #[test]
    fn chunk_boundaries_do_not_matter(chunk in 1_usize..40, limit in 1_usize..5, which in 0..samples().len(), pack in 0..3) {
        let sample = &samples()[which];
        let plain = sample.repeated(if matches!(sample.format, "csv" | "msr" | "fiu" | "alibaba") { 1 } else { 3 });
        let bytes = match pack {
            0 => plain.clone(),
            1 => gzip(&plain),
            _ => zstandard(&plain),
        };
        let mut spec = sample.spec();
        spec.order_tolerance_s = Some(10.0);
        let (whole, _) = read(&plain, &spec).unwrap();
        let mut dribbled = open_in_chunks(&bytes, &spec, chunk).unwrap();
        prop_assert_eq!(drain(dribbled.as_mut(), limit).unwrap(), whole);
    }
}
