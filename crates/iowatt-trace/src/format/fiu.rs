//! FIU's traces (SyLab; homes, mail, web, online): `ts pid process lba size op major minor md5`, between blanks.
//!
//! `ts` is nanoseconds since the system's start, and starts anew with it. `lba` and `size` count 512-byte blocks, `op`
//! is W or R. `major` and `minor` name the device. Traps: process names may hold blanks, so that the fixed columns are found
//! from the operation and not by counting; some sets carry one MD5 per 4 KiB, some one per 512 bytes, some none.
//! The files are one per day; stamps of the next file may start anew, and joining such files is `combine` = append.

use crate::error::Fault;
use crate::format::fields::{Blanks, bytes, unsigned};
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::names::Names;
use crate::number::excerpt;
use crate::request::{NO_RESPONSE, Op};

/// FIU.
pub static FORMAT: Format = Format {
    name: "fiu",
    title: "FIU SyLab (homes, mail, web, online)",
    columns: "ts(ns) pid process lba(sectors) size(sectors) W|R major minor [md5...]",
    clock: Clock::Arbitrary,
    order_tolerance_s: 1.0,
    block_bytes: Some(512),
    options: &["sector_size"],
    recognise: |sample: &Sample<'_>| sample.mostly(|line| Columns::of(line).is_some()),
    decoder: |spec| Ok(Box::new(Lines(Fiu { sector: spec.sector()?, device: Vec::new() }))),
};

/// Most fields of a line that are looked at: a process name of many words still leaves the operation among them.
const FIELDS: usize = 32;

struct Fiu {
    sector: u64,
    /// Where the device's name is put together.
    device: Vec<u8>,
}

struct Columns<'a> {
    time: &'a [u8],
    pid: &'a [u8],
    block: &'a [u8],
    count: &'a [u8],
    write: bool,
    major: &'a [u8],
    minor: &'a [u8],
}

impl<'a> Columns<'a> {
    /// The columns, found from the operation: the last R or W with two numbers on each side and only digests behind.
    fn of(line: &'a [u8]) -> Option<Self> {
        let mut fields: [&[u8]; FIELDS] = [b""; FIELDS];
        let mut count = 0;
        for field in Blanks(line).take(FIELDS) {
            fields[count] = field;
            count += 1;
        }
        let fields = &fields[..count];
        let integer = |field: &[u8]| crate::number::unsigned(field).is_ok();
        if count < 8 || !integer(fields[0]) || !integer(fields[1]) {
            return None;
        }
        (4..count - 2).rev().find_map(|at| {
            let numbers = [fields[at - 2], fields[at - 1], fields[at + 1], fields[at + 2]];
            let right = matches!(fields[at], b"R" | b"W")
                && numbers.iter().all(|field| integer(field))
                && fields[at + 3..].iter().all(|field| is_digest(field));
            right.then(|| Self {
                time: fields[0],
                pid: fields[1],
                block: fields[at - 2],
                count: fields[at - 1],
                write: fields[at] == b"W",
                major: fields[at + 1],
                minor: fields[at + 2],
            })
        })
    }
}

fn is_digest(field: &[u8]) -> bool {
    field.len() >= 16 && field.iter().all(u8::is_ascii_hexdigit)
}

impl LineFormat for Fiu {
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let Some(columns) = Columns::of(line) else {
            return Err(format!(
                "expected ts pid process lba size W|R major minor [md5...], found '{}'",
                excerpt(line)
            )
            .into());
        };
        self.device.clear();
        self.device.extend_from_slice(columns.major);
        self.device.push(b',');
        self.device.extend_from_slice(columns.minor);
        Ok(Some(Raw {
            time_ns: unsigned("ts", columns.time)?,
            offset: bytes("lba", unsigned("lba", columns.block)?, self.sector)?,
            size: bytes("size", unsigned("size", columns.count)?, self.sector)?,
            response_ns: NO_RESPONSE,
            device: names.devices.id(&self.device)?,
            stream: names.streams.id_of_number(columns.pid)?,
            op: if columns.write { Op::Write } else { Op::Read },
        }))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    const MD5: &str = "0123456789abcdef0123456789abcdef";

    fn parse(line: &str) -> Result<(Raw, Names), String> {
        let mut names = Names::default();
        match (Fiu { sector: 512, device: Vec::new() }).parse(line.as_bytes(), &mut names) {
            Ok(raw) => Ok((raw.unwrap(), names)),
            Err(fault) => Err(fault.said()),
        }
    }

    #[test]
    fn blocks_of_512_and_nanoseconds() {
        let (raw, names) = parse(&format!("89967195582921 4253 httpd 904265560 8 W 6 0 {MD5}")).unwrap();
        assert_eq!(raw.time_ns, 89_967_195_582_921);
        assert_eq!((raw.offset, raw.size, raw.op), (904_265_560 * 512, 4096, Op::Write));
        assert_eq!(
            (names.devices.names(), names.streams.names()),
            (&["6,0".into()][..], &["4253".into()][..])
        );
    }

    #[test]
    fn process_names_with_blanks_slashes_and_letters() {
        for process in ["kjournald/0 x", "a b c d e", "R 1 2", "W", "12 13 R 8 9", "5 6 W 7 8"] {
            let (raw, _) = parse(&format!("1 2 {process} 100 8 R 6 0 {MD5}")).unwrap();
            assert_eq!((raw.offset, raw.size, raw.op), (51_200, 4096, Op::Read), "{process}");
        }
    }

    #[test]
    fn any_number_of_digests() {
        for digests in
            [String::new(), MD5.to_owned(), format!("{MD5} ").repeat(8), format!("{MD5} ").repeat(64)]
        {
            let (raw, _) = parse(&format!("1 2 httpd 100 64 W 6 0 {digests}")).unwrap();
            assert_eq!((raw.offset, raw.size), (51_200, 32_768));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(parse("1 2 httpd 100 8 X 6 0").unwrap_err().contains("expected ts pid process lba size W|R"));
        assert!(parse("1 2 httpd 100 8 W 6 0 not-a-digest").is_err());
        assert!(parse("1.5 2 httpd 100 8 W 6 0").is_err());
        assert!(parse("1 2 httpd 36028797018963968 8 W 6 0").unwrap_err().contains("64 bits"));
    }
}
