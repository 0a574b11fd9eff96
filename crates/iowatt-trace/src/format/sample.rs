//! Recognising a format from the first bytes.
//!
//! Each format says which lines look like its own; it is detected when at least half of the first
//! lines do, so that one bad line is reported as such and not as an unknown format. Look-alikes are
//! never guessed: five columns of whole numbers may be DiskSim (milliseconds, 1 = read) or MQSim and
//! SSDsim (nanoseconds), and the user has to say which.

use crate::error::{Code, Fault};
use crate::format::{FORMATS, Format, known};
use crate::number::excerpt;

/// Bytes looked at.
pub(crate) const BYTES: usize = 1 << 16;
const LINES: usize = 40;

/// The first bytes of an input, and the first lines among them that are neither blank nor comments.
#[derive(Debug)]
pub struct Sample<'a> {
    /// As they come, decompressed.
    pub bytes: &'a [u8],
    /// Without their endings.
    pub lines: Vec<&'a [u8]>,
}

impl<'a> Sample<'a> {
    /// A sample of `bytes`; all but the last line are whole.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        let bytes = &bytes[..bytes.len().min(BYTES)];
        let whole = match memchr::memrchr(b'\n', bytes) {
            Some(at) if bytes.len() == BYTES => &bytes[..at],
            _ => bytes,
        };
        let lines = whole
            .split(|&b| b == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .filter(|line| !is_comment(line))
            .take(LINES)
            .collect();
        Self { bytes, lines }
    }

    /// Whether at least half of the lines look right.
    #[must_use]
    pub fn mostly(&self, looks_right: impl Fn(&[u8]) -> bool) -> bool {
        let right = self.lines.iter().filter(|line| looks_right(line)).count();
        right > 0 && right * 2 >= self.lines.len()
    }
}

/// Whether a line is blank or a comment.
#[inline]
pub(crate) fn is_comment(line: &[u8]) -> bool {
    match line.iter().find(|b| !b.is_ascii_whitespace()) {
        Some(&first) => first == b'#',
        None => true,
    }
}

/// The one format that recognises the sample.
pub(crate) fn detect(sample: &Sample<'_>) -> Result<&'static Format, Fault> {
    let matching: Vec<&'static Format> =
        FORMATS.iter().copied().filter(|format| (format.recognise)(sample)).collect();
    // A headed table that a format of its own recognises is that format's.
    let special = matching.iter().any(|format| format.name != "csv");
    let matching: Vec<_> = matching.into_iter().filter(|format| !special || format.name != "csv").collect();
    match matching[..] {
        [format] => Ok(format),
        [] => Err(unrecognised(sample)),
        _ => {
            let names: Vec<_> = matching.iter().map(|format| format.name).collect();
            let reason = format!("this looks like several formats: {}; name the one it is", names.join(", "));
            Err(Fault::new(Code::Ambiguous, reason))
        }
    }
}

fn unrecognised(sample: &Sample<'_>) -> Fault {
    let known = known();
    if sample.bytes.contains(&0) {
        let reason = format!("this is binary data in no known format; known are {known}");
        return Fault::new(Code::WrongFormat, reason);
    }
    let Some(first) = sample.lines.first() else {
        return Fault::new(Code::Empty, "there are only blank lines and comments");
    };
    if sample.mostly(five_integers) {
        let reason = "five columns of whole numbers are either DiskSim ASCII (arrival in ms, 1 = read; format disksim-ascii) or a \
             look-alike such as MQSim or SSDsim (arrival in ns); name the format";
        return Fault::new(Code::Ambiguous, reason);
    }
    let columns = if is_table(first) { OWN_HEADER } else { "" };
    let first = excerpt(first);
    let reason = format!(
        "the format is not recognised from lines like '{first}'; known are {known}. Name the format to see what is wrong with a line{columns}"
    );
    Fault::new(Code::WrongFormat, reason)
}

/// What a table with a header of its own words, or with none, wants, as typed.
const OWN_HEADER: &str = "; of a table say which column is which, by its header or, where it has none, by its number from 0: \
                          `columns=time=...,op=...,offset=...,size=...` `time_unit=s`";

/// Whether a line has the four fields that a request needs at least.
fn is_table(line: &[u8]) -> bool {
    b",;\t".iter().any(|separator| memchr::memchr_iter(*separator, line).nth(2).is_some())
}

fn five_integers(line: &[u8]) -> bool {
    let mut count = 0;
    for field in line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()) {
        if !field.iter().all(u8::is_ascii_digit) {
            return false;
        }
        count += 1;
    }
    count == 5
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    fn detected(text: &str) -> Result<&'static str, String> {
        detect(&Sample::new(text.as_bytes())).map(|format| format.name).map_err(|fault| fault.said())
    }

    #[test]
    fn each_format_from_its_own_lines() {
        for (text, name) in [
            ("13.191135\t30\t0\t5\t1\n17.829285\t20\t576560\t6\t1\n", "disksim-ascii"),
            ("# made by hand\n\n0.5 0 8 8 0\n", "disksim-ascii"),
            ("R Miss  564347     2     14095.370     13876.270\n", "disksim-validate"),
            ("$$TR_IOREC-1.3 (IOAdaptor)\0\nversion = 1.3;\n", "hp-srt"),
            ("0,20941264,8192,W,0.551706\n0, 20939840, 8192, r, 0.554041, x\n", "spc"),
            ("128166372003061629,hm,0,Read,383496192,32768,113736\n", "msr"),
            (
                "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n128166372003061629,hm,0,Read,0,512,1\n",
                "msr",
            ),
            ("  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n", "blkparse"),
            ("89967195582921 4253 httpd w 904265560 8 W 6 0 0123456789abcdef0123456789abcdef\n", "fiu"),
            ("fio version 3 iolog\n89 /srv/t.dat add\n", "fio-iolog"),
            ("419,W,8792731648,16384,1577808000000046\n", "alibaba"),
            ("1538323200,4247200,128,1,1058\n", "tencent"),
            ("Timestamp,Response,IOType,LUN,Offset,Size\n1456095145.1,,R,0,0,512\n", "systor"),
            ("1456095145.133076001,0.000806,R,0,899056122368,131072\n", "systor"),
            ("110765 64 0 0\n110888 1 0 1\n", "arc"),
            ("110765 64 7 0\n110888 1 3 1\n5 1 0 12\n", "arc"),
            ("*\n17\n18\n*\n", "lirs"),
            ("BeginHeader\nDiskRead, TimeStamp\n", "etw"),
            ("DiskRead, 5000, store.exe (1), 88, 0xff, 0x04ed9000, 0x1000, 1500, 2, 0x43, 900\n", "etw"),
            ("time_ns,device,op,offset,size,response_ns,stream\n0,0,read,0,512,-1,\n", "csv"),
            ("time_s;op;lba;size\n", "csv"),
        ] {
            assert_eq!(detected(text), Ok(name), "{text}");
        }
    }

    #[test]
    fn look_alikes_are_not_guessed() {
        let mqsim = "938513000 4 264719034 16 0\n938828000 3 197570570 16 0\n";
        assert!(detected(mqsim).unwrap_err().starts_with("ambiguous: "));
        let four = "110765 64 7 1\n110888 1 3 0\n110889 1 3 0\n";
        assert!(detected(four).unwrap_err().starts_with("wrong-format: "));
    }

    #[test]
    fn nothing_recognised_lists_what_is_known() {
        assert!(
            detected("hello world\n").unwrap_err().contains("disksim-ascii, disksim-validate, hp-srt, spc")
        );
        assert!(!detected("hello world\n").unwrap_err().contains("columns="));
        for table in ["when,kind,addr,len\n1,R,0,512\n", "when;kind;addr;len\n", "when\tkind\taddr\tlen\n"] {
            let error = detected(table).unwrap_err();
            assert!(error.contains("`columns=time=...,op=...,offset=...,size=...` `time_unit=s`"), "{error}");
        }
        assert!(detected("1\0\0\0").unwrap_err().starts_with("wrong-format: "));
        assert!(detected("\n# x\n").unwrap_err().starts_with("empty: "));
    }

    #[test]
    fn one_bad_line_does_not_hide_the_format() {
        assert_eq!(detected("0.5 0 8 8 0\nrubbish\n"), Ok("disksim-ascii"));
    }
}
