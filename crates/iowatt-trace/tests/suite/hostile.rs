//! Whatever the bytes, no format panics, and what comes out keeps the promises of `Request`.

use iowatt_trace::{Op, formats};
use proptest::prelude::*;

use crate::{drain, open, samples, spec};

/// Reads everything that can be read and checks the promises.
fn survive(bytes: &[u8], format: &str, skip_bad: u64) {
    let mut spec = spec(format);
    spec.skip_bad = skip_bad;
    spec.device = Some("*".into());
    spec.include_other = true;
    let Ok(mut source) = open(bytes, &spec) else { return };
    let Ok(requests) = drain(source.as_mut(), 7) else { return };
    assert!(requests.windows(2).all(|pair| pair[0].time_ns <= pair[1].time_ns));
    for request in requests {
        assert!(request.size > 0 || request.op == Op::Flush);
        assert!(request.offset + u64::from(request.size) <= 1 << 63);
        assert!((request.device as usize) < source.devices().len());
    }
}

fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = formats().iter().map(|f| f.name).filter(|name| *name != "parquet").collect();
    names.push("detect");
    names
}

/// Bytes of the kind that parsers trip over.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[0-9]{1,22}",
        "-?[0-9]{1,3}\\.[0-9]{0,12}(e[0-9]{1,3})?",
        "[RWDFN]{1,3}",
        "[QDCPUm]",
        Just("Read".to_owned()),
        Just("Hit".to_owned()),
        Just("$$TR_IOREC-1.3 disks = { 0 -> { sectorsize = 256 } }\u{c}".to_owned()),
        Just("8,0".to_owned()),
        Just("fio version 2 iolog\nt wait ".to_owned()),
        Just("DiskRead, 1, ".to_owned()),
        Just("BeginHeader\n".to_owned()),
        Just("a 1 [0] 1.5: block:block_rq_issue: 7,0 ".to_owned()),
        Just("1 1.5 io_submit(1, 9, [{pread, ".to_owned()),
        Just("1 1.5 pread64(6<".to_owned()),
        Just(" <unfinished ...>\n1 2.5 <... pread64 resumed>".to_owned()),
        Just("0x".to_owned()),
        Just("time_ns,op,offset,size".to_owned()),
        "[ ,;\t\n\r\"+#]{1,3}",
        "\\PC{0,3}",
    ];
    proptest::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat().into_bytes())
}

/// A right sample with some bytes changed.
fn damaged() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6);
    (0..samples().len(), changes).prop_map(|(which, changes)| {
        let sample = &samples()[which];
        let mut bytes = sample.repeated(3);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        (sample.format, bytes)
    })
}

#[test]
fn the_samples_cover_every_format() {
    let sampled: Vec<_> = samples().iter().map(|sample| sample.format).chain(["detect"]).collect();
    assert_eq!(sampled, names());
}

proptest! {
    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..600), skip_bad in 0_u64..3) {
        names().iter().for_each(|format| survive(&bytes, format, skip_bad));
    }

    #[test]
    fn arbitrary_text(bytes in text(), skip_bad in 0_u64..100) {
        names().iter().for_each(|format| survive(&bytes, format, skip_bad));
    }

    #[test]
    fn damaged_samples((format, bytes) in damaged(), skip_bad in 0_u64..3) {
        survive(&bytes, format, skip_bad);
        survive(&bytes, "detect", skip_bad);
    }

    #[test]
    fn damaged_compression((_, bytes) in damaged(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        for mut packed in [crate::input::gzip(&bytes), crate::input::zstandard(&bytes)] {
            let at = at.index(packed.len());
            packed[at] = byte;
            survive(&packed, "detect", 0);
        }
    }
}
