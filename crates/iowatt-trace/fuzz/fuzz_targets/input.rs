//! Detection and decompression: raw bytes as they come, and the same bytes packed, which must read the same.
#![no_main]

use std::io::Write;

use iowatt_trace::TraceSpec;
use iowatt_trace_fuzz::{decode, read};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    decode(None, data);
    let mut spec = TraceSpec::new("fuzz");
    spec.device = Some("*".to_owned());
    // Bytes that are packed already read differently once unpacked; others must not.
    if data.starts_with(&[0x1f, 0x8b]) || data.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return;
    }
    let Ok(plain) = read(data, &spec) else { return };
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let packed = gzip.write_all(data).and_then(|()| gzip.finish()).expect("in memory");
    assert_eq!(read(&packed, &spec).expect("readable when plain"), plain);
    let packed = zstd::encode_all(data, 1).expect("in memory");
    assert_eq!(read(&packed, &spec).expect("readable when plain"), plain);
});
