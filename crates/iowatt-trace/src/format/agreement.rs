//! Lines read in one pass give what the careful way gives: the same records, or the same errors at the same places.

#![allow(clippy::unwrap_used)] // a failed test is meant to stop

use std::io::Cursor;

use proptest::prelude::*;

use super::{Entry, FORMATS};
use crate::input::Input;
use crate::names::Names;
use crate::spec::{Event, TimeUnit, TraceSpec};

/// What a decoder says of an input.
#[derive(Debug, PartialEq)]
struct Said {
    entries: Vec<Entry>,
    devices: Vec<String>,
    streams: Vec<String>,
    notes: Vec<String>,
    remark: Option<String>,
    warnings: Vec<String>,
}

/// All of `bytes`, in runs of at most `limit`, or line by line where there is none; and how many records came in runs.
fn read(name: &str, spec: &TraceSpec, bytes: &[u8], limit: Option<usize>) -> (Said, usize) {
    let format = FORMATS.iter().find(|format| format.name == name).unwrap();
    let mut decoder = (format.decoder)(spec).unwrap();
    let mut input = Input::from_reader("test", Box::new(Cursor::new(bytes.to_vec())), None).unwrap();
    let (mut names, mut entries, mut in_runs) = (Names::default(), Vec::new(), 0);
    loop {
        if let Some(limit) = limit {
            let mut run = Vec::new();
            let first = decoder.run(&mut input, &mut names, &mut run, limit).unwrap();
            assert!(run.len() <= limit);
            in_runs += run.len();
            entries.extend((first..).zip(run).map(|(place, raw)| (place, Ok(raw))));
        }
        match decoder.next(&mut input, &mut names).unwrap() {
            Some(entry) => entries.push(entry),
            None => break,
        }
    }
    let said = Said {
        entries,
        devices: names.devices.names().to_vec(),
        streams: names.streams.names().to_vec(),
        notes: decoder.notes(),
        remark: decoder.remark(),
        warnings: decoder.warnings(),
    };
    (said, in_runs)
}

/// A header and a line of each format that reads lines in one pass.
const LINES: &[(&str, &str, &str)] = &[
    ("disksim-ascii", "", r"[0-9]{1,9}\.[0-9]{5,7}[ \t]{1,2}[0-9]{1,3} [0-9]{1,12} [0-9]{1,4} [0-9a-f]"),
    ("spc", "", r"[0-9]{1,2},[0-9]{1,12},[0-9]{1,6},[RWrw],[0-9]{1,6}(\.[0-9]{1,10})?(,[a-z ]{0,5})?"),
    (
        "msr",
        "",
        r"[0-9]{17,18},[a-z]{2,4}[0-9]?,[0-9]{1,2},(Read|Write|read),[0-9]{1,13},[0-9]{1,6},[0-9]{1,7}",
    ),
    ("alibaba", "", r"[0-9]{1,4},[RWrw],[0-9]{1,13},[0-9]{1,6},[0-9]{16}"),
    ("tencent", "", r"[0-9]{10},[0-9]{1,10},[0-9]{1,4},[01],[0-9]{1,6}"),
    ("systor", "", r"[0-9]{10}\.[0-9]{8,10},(0\.[0-9]{6,9})?,[RW],[0-5],[0-9]{1,13},[0-9]{1,6}"),
    ("mqsim", "", r"[0-9]{1,19} [0-9] [0-9]{1,10} [0-9]{1,4} [012]"),
    (
        "blkparse",
        "",
        r" {0,3}[0-9]{1,3},[0-9]{1,2} {1,4}[0-9]{1,2} {1,8}[0-9]{1,6} {1,4}[0-9]{1,4}\.[0-9]{9} {1,3}[0-9]{1,6}  (Q|D|C|G|I|m|UT) (R|W|WS|RA|D|N|FWS|WFS) [0-9]{1,9} \+ [0-9]{1,4}( \[[a-z 0-9]{0,9}\])?",
    ),
    (
        "csv",
        "time_us,device,op,lba,size,latency_us,pid,note\n",
        r#"[0-9]{1,17}(\.[0-9]{1,4})?,(sd[a-c]|"x y"|0),(R|W|read|Write|flush),[0-9]{1,10},[0-9]{1,6},([0-9]{1,5}|-1|),[0-9]{0,4},[a-z "]{0,6}"#,
    ),
    ("csv", "time_ns\top\toffset\tsize\n", r"[0-9]{18,20}\t(R|W|trim)\t[0-9]{1,14}\t[0-9]{1,7}"),
];

fn specs(name: &str) -> Vec<TraceSpec> {
    let mut spec = TraceSpec::new("test");
    spec.order_only = true;
    let mut other = spec.clone();
    match name {
        "blkparse" => other.event = Some(Event::C),
        "mqsim" => other.time_unit = Some(TimeUnit::Picoseconds),
        "disksim-ascii" | "spc" | "tencent" => other.sector_bytes = Some(4096),
        _ => return vec![spec],
    }
    vec![spec, other]
}

/// Changes to the bytes of lines: where, how many go, and what comes instead.
fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, Vec<u8>)>> {
    let piece = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..3),
        "[ \t,.;+#\"\r\n]{1,3}".prop_map(String::into_bytes),
        "[0-9]{1,22}".prop_map(String::into_bytes),
        " {1,150}".prop_map(String::into_bytes),
        Just(b"\r\n".to_vec()),
        Just(b"-1".to_vec()),
        Just(b"\n# comment\n\n".to_vec()),
        Just(b"CPU0 (8,0):\n Reads Queued: 1\n".to_vec()),
    ];
    proptest::collection::vec((any::<prop::sample::Index>(), 0_usize..4, piece), 0..8)
}

fn agree(name: &str, bytes: &[u8]) -> Result<usize, TestCaseError> {
    let mut in_runs = 0;
    for spec in specs(name) {
        let (careful, _) = read(name, &spec, bytes, None);
        for limit in [1, 3, 256] {
            let (fast, count) = read(name, &spec, bytes, Some(limit));
            prop_assert_eq!(&fast, &careful, "{} {:?}", name, String::from_utf8_lossy(bytes));
            in_runs += count;
        }
    }
    Ok(in_runs)
}

/// What is read last is short of the bytes that one pass needs: nobody else's.
fn text(header: &str, lines: &[u8]) -> Vec<u8> {
    [header.as_bytes(), lines, b"\n#", &[b'.'; 200], b"\n"].concat()
}

fn lines() -> impl Strategy<Value = (&'static str, &'static str, Vec<u8>)> {
    (0..LINES.len()).prop_flat_map(|at| {
        let (name, header, line) = LINES[at];
        let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just(" \n")];
        let line = (proptest::string::string_regex(line).unwrap(), end).prop_map(|(line, end)| line + end);
        proptest::collection::vec(line, 1..30)
            .prop_map(move |lines| (name, header, lines.concat().into_bytes()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn right_lines((name, header, lines) in lines()) {
        agree(name, &text(header, &lines))?;
    }

    #[test]
    fn changed_lines((name, header, mut lines) in lines(), changes in changes()) {
        for (at, gone, instead) in changes {
            let at = at.index(lines.len());
            let behind = (at + gone).min(lines.len());
            lines.splice(at..behind, instead);
            if lines.is_empty() {
                return Ok(());
            }
        }
        agree(name, &text(header, &lines))?;
    }

    #[test]
    fn hostile_bytes(bytes in proptest::collection::vec(prop_oneof![any::<u8>(), "[0-9RW,. \n]".prop_map(|text| text.as_bytes()[0])], 1..300)) {
        for (name, header, _) in LINES {
            agree(name, &text(header, &bytes))?;
        }
    }
}

#[test]
fn lines_as_tools_write_them_are_read_in_one_pass() {
    for (name, header, line) in [
        ("disksim-ascii", "", "13.191135 30 576560 5 1"),
        ("spc", "", "0,20941264,8192,W,0.551706"),
        ("msr", "", "128166372003061629,hm,0,Read,383496192,32768,113736"),
        ("alibaba", "", "419,W,8792731648,16384,1577808000000046"),
        ("tencent", "", "1538323200,4247200,128,1,1058"),
        ("systor", "", "1456095145.133076001,0.000806,R,0,899056122368,131072"),
        ("mqsim", "", "938513000 4 264719034 16 0"),
        ("blkparse", "", "  8,0    3        1     0.000000000   697  Q  WS 223490 + 8 [kjournald]"),
        ("csv", "time_ns,device,op,offset,size,response_ns\n", "1577808000000000046,sda,R,4096,512,-1"),
    ] {
        let bytes = text(header, format!("{line}\n").repeat(10).as_bytes());
        let (_, in_runs) = read(name, &specs(name)[0], &bytes, Some(256));
        assert_eq!(in_runs, 9, "{name}"); // the input begins with a few bytes, of which the first line is made whole
    }
}
