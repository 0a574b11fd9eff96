//! A table, separated by commas, semicolons or tabs: with a named header, or without one where the spec's `columns`
//! gives numbers.
//!
//! The header's words say which column is which and in what unit (`time_s`, `lba`, `size`; see
//! `columns.rs`); the spec's `columns`, `time_unit` and `sector_bytes` say what they do not. Fields may be
//! quoted, quotes in them doubled; a field cannot go on over a line end. Every row has as many
//! fields as the first line, so that an unquoted separator in a name is an error and not a shift.
//!
//! `op` is a word: R, W, read, write, trim, discard, flush. Numbers are refused, as half of the
//! formats say 0 = read and the other half 1 = read. An empty or -1 response time is "none", an
//! empty stream too; without a device column there is one device, `0`.

use crate::error::Fault;
use crate::format::columns::{self, Columns, Role};
use crate::format::fields::{bytes, response, scaled, unsigned};
use crate::format::{Clock, Format, LineFormat, Lines, Raw, Sample};
use crate::front::Front;
use crate::names::Names;
use crate::number::excerpt;
use crate::request::{NO_RESPONSE, NO_STREAM, Op};
use crate::spec::TraceSpec;

/// CSV.
pub static FORMAT: Format = Format {
    name: "csv",
    title: "CSV with a header, or with its columns numbered",
    columns: "by name: time(_ns, _us, _ms, _s) op(R/W) offset(bytes) or lba(sectors) size(bytes) or sectors, and device stream response",
    clock: Clock::UnixIfLate,
    order_tolerance_s: 0.001,
    block_bytes: None,
    options: &["columns", "time_unit", "sector_size"],
    recognise: |sample: &Sample<'_>| {
        sample
            .lines
            .first()
            .is_some_and(|line| headers(line).is_ok_and(|(_, names)| columns::roles_named(&names) >= 2))
    },
    decoder: |spec| Ok(Box::new(Lines(Csv { spec: spec.clone(), header: None }))),
};

const ROLES: usize = 7;

struct Csv {
    spec: TraceSpec,
    header: Option<(u8, Columns)>,
}

impl LineFormat for Csv {
    #[inline]
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        let Some((separator, columns)) = &self.header else {
            self.header = Some(self.first(line)?);
            return if columns::are_numbered(&self.spec) { self.parse(line, names) } else { Ok(None) };
        };
        let row = row(line, *separator, &columns.roles)?;
        let op = operation(row[Role::Op as usize])?;
        let [offset, size] = [Role::Offset, Role::Size].map(|role| row[role as usize]);
        let number = |column, text: &[u8]| match text {
            b"" if op == Op::Flush => Ok(0),
            _ => unsigned(column, text),
        };
        let device = match columns.roles.contains(&Some(Role::Device)) {
            true => row[Role::Device as usize],
            false => b"0",
        };
        let stream = row[Role::Stream as usize];
        Ok(Some(Raw {
            time_ns: scaled("time", row[Role::Time as usize], columns.time_power)?,
            offset: bytes("offset", number("offset", offset)?, columns.offset_unit)?,
            size: bytes("size", number("size", size)?, columns.size_unit)?,
            response_ns: match row[Role::Response as usize] {
                b"" | b"-1" | b"-1.0" => NO_RESPONSE,
                text => response("response", text, columns.response_power)?,
            },
            device: match device {
                b"" => return Err("the device is empty".into()),
                key => names.devices.id_named(key, unquoted)?,
            },
            stream: match stream {
                b"" => NO_STREAM,
                key => names.streams.id_named(key, unquoted)?,
            },
            op,
        }))
    }

    #[inline]
    fn plain(&mut self, front: &mut Front<'_>, names: &mut Names) -> Option<Option<Raw>> {
        let (separator, columns) = self.header.as_ref()?;
        if front.peek() == b'#' || front.peek().is_ascii_whitespace() {
            return None; // a comment, or a blank line
        }
        let mut raw = Raw {
            time_ns: 0,
            offset: 0,
            size: 0,
            response_ns: NO_RESPONSE,
            device: 0,
            stream: NO_STREAM,
            op: Op::Read,
        };
        let (mut device, mut stream) = (&b"0"[..], &b""[..]);
        for (at, role) in columns.roles.iter().enumerate() {
            if at > 0 {
                front.byte(*separator)?;
            }
            match role {
                Some(Role::Time) => raw.time_ns = front.scaled(columns.time_power)?,
                Some(Role::Op) => raw.op = plain_operation(front)?,
                Some(Role::Offset) => raw.offset = front.number()?.checked_mul(columns.offset_unit)?,
                Some(Role::Size) => raw.size = front.number()?.checked_mul(columns.size_unit)?,
                Some(Role::Device) => device = front.field(*separator).filter(|name| !name.is_empty())?,
                Some(Role::Stream) => stream = front.field(*separator)?,
                Some(Role::Response) => {
                    raw.response_ns = match front.peek() {
                        b'0'..=b'9' => i64::try_from(front.scaled(columns.response_power)?).ok()?,
                        _ => match front.field(*separator)? {
                            b"" | b"-1" => NO_RESPONSE,
                            _ => return None,
                        },
                    }
                }
                None => _ = front.field(*separator)?,
            }
        }
        front.line_end()?;
        raw.device = names.devices.id_named(device, unquoted).ok()?;
        if !stream.is_empty() {
            raw.stream = names.streams.id_named(stream, unquoted).ok()?;
        }
        Some(Some(raw))
    }
}

impl Csv {
    /// The separator, and what the columns hold, from the first line: the header, or a row like the others.
    #[cold]
    fn first(&self, line: &[u8]) -> Result<(u8, Columns), Fault> {
        let (separator, mut headers) = headers(line).map_err(|fault| Fault { fatal: true, ..fault })?;
        if columns::are_numbered(&self.spec) {
            headers = columns::numbers(headers.len());
        }
        Ok((
            separator,
            columns::resolve(&headers, &self.spec).map_err(|fault| Fault { fatal: true, ..fault })?,
        ))
    }
}

/// The words for reads and writes as programs print them; what follows them must be looked at.
#[inline(always)]
fn plain_operation(front: &mut Front<'_>) -> Option<Op> {
    let op = match front.any() {
        b'R' | b'r' => Op::Read,
        b'W' | b'w' => Op::Write,
        _ => return None,
    };
    if front.peek().is_ascii_lowercase() {
        match op {
            Op::Read => front.text(b"ead")?,
            _ => front.text(b"rite")?,
        }
    }
    Some(op)
}

/// Read, write, trim or flush, by its words.
pub(super) fn operation(text: &[u8]) -> Result<Op, Fault> {
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
    if is(&["R", "read"]) {
        Ok(Op::Read)
    } else if is(&["W", "write"]) {
        Ok(Op::Write)
    } else if is(&["trim", "discard", "unmap"]) {
        Ok(Op::Trim)
    } else if is(&["flush"]) {
        Ok(Op::Flush)
    } else if matches!(text, b"0" | b"1") {
        Err("op is a number, and formats disagree whether 0 or 1 is a read; R, W, read and write are accepted".into())
    } else {
        Err(format!("op is '{}'; R, W, read, write, trim and flush are accepted", excerpt(text)).into())
    }
}

/// The fields of a row by role; those without a column are empty.
#[inline]
fn row<'a>(line: &'a [u8], separator: u8, roles: &[Option<Role>]) -> Result<[&'a [u8]; ROLES], Fault> {
    let mut row: [&[u8]; ROLES] = [b""; ROLES];
    let mut rest = Some(line);
    for (index, role) in roles.iter().enumerate() {
        let Some(text) = rest else {
            return Err(width(roles.len(), index, line));
        };
        let (field, behind) = field(text, separator)?;
        if let Some(role) = role {
            row[*role as usize] = field;
        }
        rest = behind;
    }
    match rest {
        None => Ok(row),
        Some(more) => {
            let excess = 1 + more.iter().filter(|&&b| b == separator).count();
            Err(width(roles.len(), roles.len() + excess, line))
        }
    }
}

#[cold]
fn width(expected: usize, found: usize, line: &[u8]) -> Fault {
    format!("expected {expected} columns as in the first line, found {found} in '{}'", excerpt(line)).into()
}

/// The first field of `text` without its quotes, and what follows its separator.
#[inline]
fn field(text: &[u8], separator: u8) -> Result<(&[u8], Option<&[u8]>), Fault> {
    let trimmed = spaces_removed(text);
    if trimmed.first() != Some(&b'"') {
        return Ok(match memchr::memchr(separator, text) {
            Some(at) => (text[..at].trim_ascii(), Some(&text[at + 1..])),
            None => (text.trim_ascii(), None),
        });
    }
    let inner = &trimmed[1..];
    let mut at = 0;
    loop {
        let Some(quote) = memchr::memchr(b'"', &inner[at..]) else {
            return Err("a quote is not closed on its line".into());
        };
        at += quote;
        if inner.get(at + 1) != Some(&b'"') {
            break;
        }
        at += 2;
    }
    match spaces_removed(&inner[at + 1..]) {
        [] => Ok((&inner[..at], None)),
        [next, behind @ ..] if *next == separator => Ok((&inner[..at], Some(behind))),
        _ => Err("text behind a closing quote".into()),
    }
}

/// Leading spaces removed; a tab may be the separator.
#[inline]
fn spaces_removed(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|&&b| b == b' ').count();
    &text[spaces..]
}

/// A quoted field's text, doubled quotes made single.
fn unquoted(field: &[u8]) -> String {
    String::from_utf8_lossy(field).replace("\"\"", "\"")
}

/// The separator and the names of a header line.
fn headers(line: &[u8]) -> Result<(u8, Vec<String>), Fault> {
    let count = |separator: u8| line.iter().filter(|&&b| b == separator).count();
    let separator = [b',', b';', b'\t'].into_iter().max_by_key(|&s| (count(s), s == b',')).unwrap_or(b',');
    let mut names = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let (name, behind) = field(text, separator)?;
        names.push(unquoted(name));
        rest = behind;
    }
    Ok((separator, names))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::spec::{Column, TimeUnit};

    fn parse(text: &str) -> Result<(Vec<Raw>, Names), Fault> {
        let mut names = Names::default();
        let mut csv = Csv { spec: TraceSpec::new("x.csv"), header: None };
        let mut raws = Vec::new();
        for line in text.lines() {
            raws.extend(csv.parse(line.as_bytes(), &mut names)?);
        }
        Ok((raws, names))
    }

    #[test]
    fn our_own_columns() {
        let (raws, names) = parse(
            "time_ns,device,op,offset,size,response_ns,stream\n\
             5,sda,read,4096,512,1000,client1\n\
             6,sdb,W,0,1,-1,\n\
             7,sda,flush,,,,\n",
        )
        .unwrap();
        assert_eq!(
            (raws[0].time_ns, raws[0].offset, raws[0].size, raws[0].response_ns),
            (5, 4096, 512, 1000)
        );
        assert_eq!(
            (raws[1].op, raws[1].device, raws[1].response_ns, raws[1].stream),
            (Op::Write, 1, NO_RESPONSE, NO_STREAM)
        );
        assert_eq!((raws[2].op, raws[2].size), (Op::Flush, 0));
        assert_eq!(names.streams.names(), ["client1"]);
    }

    #[test]
    fn quoted_fields() {
        let (raws, names) = parse(
            "\"time_s\";\"op\";\"offset\";\"size\";\"process\"\n\
             0.5;\"R\";\"8\";512;\"a;\"\"b\"\"\"\n\
             0.6; \"R\" ;8;512;plain\n",
        )
        .unwrap();
        assert_eq!((raws[0].time_ns, raws[0].offset), (500_000_000, 8));
        assert_eq!(names.streams.names(), ["a;\"b\"", "plain"]);
    }

    #[test]
    fn tabs_separate_too() {
        let (raws, names) =
            parse("time_ms\top\tlba\tsectors\tdisk\n1.5\tW\t2\t3\t\"x\"\n1.6\t\"W\"\t2\t3\ty\n").unwrap();
        assert_eq!((raws[0].time_ns, raws[0].offset, raws[0].size), (1_500_000, 1024, 1536));
        assert_eq!(names.devices.names(), ["x", "y"]);
    }

    #[test]
    fn rows_must_be_as_wide_as_the_header() {
        let header = "time_s,op,offset,size,process\n";
        let wrong = |row: &str| parse(&format!("{header}{row}")).err().unwrap();
        assert!(wrong("0,R,0,512").said().contains("expected 5 columns as in the first line, found 4"));
        assert!(wrong("0,R,0,512,a,b").said().contains("found 6"));
        assert!(wrong("0,R,0,512,\"a").said().contains("not closed"));
        assert!(wrong("0,R,0,512,\"a\"b").said().contains("behind a closing quote"));
        assert!(!wrong("0,R,0").fatal);
    }

    fn numbered(columns: &[(&str, usize)], text: &str) -> Result<Vec<Raw>, Fault> {
        let columns = columns.iter().map(|&(name, at)| (name.to_owned(), Column::Number(at))).collect();
        let spec = TraceSpec {
            columns: Some(columns),
            time_unit: Some(TimeUnit::Seconds),
            ..TraceSpec::new("x.csv")
        };
        let (mut csv, mut names) = (Csv { spec, header: None }, Names::default());
        text.lines().filter_map(|line| csv.parse(line.as_bytes(), &mut names).transpose()).collect()
    }

    #[test]
    fn a_table_without_a_header_by_the_numbers_of_its_columns() {
        let columns = [("time", 1), ("op", 0), ("lba", 3), ("size", 2)];
        let raws = numbered(&columns, "R;0.5;4096;8;x\nW;0.6;512;9;y\n").unwrap();
        let got: Vec<_> = raws.iter().map(|r| (r.time_ns, r.op, r.offset, r.size)).collect();
        assert_eq!(got, [(500_000_000, Op::Read, 8 * 512, 4096), (600_000_000, Op::Write, 9 * 512, 512)]);
        let far = numbered(&[("time", 1), ("op", 0), ("lba", 7), ("size", 2)], "R;0.5;4096;8;x\n");
        assert!(
            far.clone()
                .unwrap_err()
                .said()
                .contains("unknown-name: there is no column '7' among 0, 1, 2, 3, 4")
        );
        assert!(far.unwrap_err().fatal);
        let lacking = numbered(&columns[..3], "R;0.5;4096;8\n").unwrap_err();
        assert!(lacking.said().contains("missing: there is no column for the size among 0, 1, 2, 3"));
        // A first line that is a header is no row, and may be skipped like any other.
        assert!(!numbered(&columns, "op;t;size;lba\n").unwrap_err().fatal);
    }

    #[test]
    fn numbers_as_op_codes_are_refused() {
        let wrong = |op: &str| parse(&format!("time_s,op,offset,size\n0,{op},0,512\n")).err().unwrap().said();
        assert!(wrong("0").contains("formats disagree"));
        assert!(wrong("X").contains("op is 'X'"));
    }

    #[test]
    fn a_header_that_is_not_understood_spoils_the_trace() {
        assert!(parse("time,op,offset,size\n").err().unwrap().fatal);
        assert!(parse("a,b,c\n").err().unwrap().fatal);
    }
}
