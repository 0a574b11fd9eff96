//! Any line-based log, by a pattern of the user's with named groups.
//!
//! `pattern` is a regular expression of the `regex` crate on bytes (no Unicode classes), matched anywhere in a line. Its groups are named as the columns of
//! a headed table would be, units included: `time_us`, `op`, `offset` or `lba`, `size` or `sectors`, and
//! `device`, `stream`, `response_ms`; a `time` without a unit needs `time_unit`. Instead of a group `op`, groups
//! `read`, `write`, `trim` and `flush` may stand for the operation that they match: `(?:(?<read>0)|(?<write>1))`.
//! Numbers may be hexadecimal, with 0x. Lines that do not match carry no request; they are counted and said.

use regex::bytes::{CaptureLocations, Regex, RegexBuilder};

use crate::error::{Code, Fault};
use crate::format::columns::{self, Role};
use crate::format::csv;
use crate::format::fields::{bytes, response, scaled, unsigned, wrong};
use crate::format::{Clock, Format, LineFormat, Lines, Raw};
use crate::names::Names;
use crate::number::{excerpt, hexadecimal};
use crate::request::{NO_RESPONSE, NO_STREAM, Op};
use crate::spec::TraceSpec;

/// A pattern of the user's.
pub static FORMAT: Format = Format {
    name: "regex",
    title: "any text, by a regular expression with named groups (pattern)",
    columns: "groups time(_ns, _us, _ms, _s), op or read|write|trim|flush, offset(bytes) or lba(sectors), size(bytes) or sectors, \
              and device stream response",
    clock: Clock::UnixIfLate,
    order_tolerance_s: 1.0,
    block_bytes: None,
    options: &["pattern", "time_unit", "sector_size"],
    recognise: |_| false,
    decoder: |spec| Ok(Box::new(Lines(Pattern::new(spec)?))),
};

/// Bytes that a compiled pattern may take.
const COMPILED: usize = 1 << 22;
const OPERATIONS: [(&str, Op); 4] =
    [("read", Op::Read), ("write", Op::Write), ("trim", Op::Trim), ("flush", Op::Flush)];

struct Pattern {
    pattern: Regex,
    found: CaptureLocations,
    /// Group of each role.
    groups: [Option<usize>; 7],
    /// Groups that stand for an operation.
    operations: Vec<(usize, Op)>,
    time_power: u32,
    response_power: u32,
    offset_unit: u64,
    size_unit: u64,
    matched: u64,
    unmatched: u64,
    first_unmatched: Option<String>,
}

impl Pattern {
    fn new(spec: &TraceSpec) -> Result<Self, Fault> {
        let Some(text) = &spec.pattern else {
            let reason = "the format regex needs a pattern with named groups, such as '(?<time_s>\\S+) (?<op>R|W) (?<lba>\\d+) (?<sectors>\\d+)'";
            return Err(Fault::new(Code::Missing, reason));
        };
        let pattern = RegexBuilder::new(text)
            .unicode(false) // lines are bytes: a dot matches any, \d and \w are those of ASCII
            .size_limit(COMPILED)
            .dfa_size_limit(COMPILED)
            .build()
            .map_err(|error| Fault::new(Code::BadSyntax, format!("the pattern is wrong: {error}")))?;
        let named: Vec<_> =
            pattern.capture_names().enumerate().filter_map(|(group, name)| Some((group, name?))).collect();
        let operation = |name: &str| OPERATIONS.iter().find(|(word, _)| *word == name).map(|(_, op)| *op);
        let operations: Vec<_> =
            named.iter().filter_map(|&(group, name)| Some((group, operation(name)?))).collect();
        let (mut places, mut headers): (Vec<_>, Vec<_>) = named
            .iter()
            .filter(|(_, name)| operation(name).is_none())
            .map(|&(group, name)| (group, name.to_owned()))
            .unzip();
        if !operations.is_empty() {
            if headers.iter().any(|header| header == "op") {
                let reason = "the pattern has a group op and groups that stand for an operation; expected one of the two";
                return Err(Fault::new(Code::Conflict, reason));
            }
            places.push(usize::MAX); // the operation is found by which of them matches
            headers.push("op".to_owned());
        }
        let columns = columns::resolve(&headers, spec)
            .map_err(|fault| Fault { reason: format!("groups of the pattern: {}", fault.reason), ..fault })?;
        let mut groups = [None; 7];
        for (&place, role) in places.iter().zip(&columns.roles) {
            if let Some(role) = role.filter(|_| place != usize::MAX) {
                groups[role as usize] = Some(place);
            }
        }
        if let Some(at) = columns.roles.iter().position(Option::is_none) {
            let name = &headers[at];
            let reason = format!(
                "the pattern's group '{name}' has no meaning; groups are named time_us, op, offset or lba, size or sectors, device, \
                 stream, response_us, read, write, trim, flush"
            );
            return Err(Fault::new(Code::UnknownName, reason));
        }
        Ok(Self {
            found: pattern.capture_locations(),
            pattern,
            groups,
            operations,
            time_power: columns.time_power,
            response_power: columns.response_power,
            offset_unit: columns.offset_unit,
            size_unit: columns.size_unit,
            matched: 0,
            unmatched: 0,
            first_unmatched: None,
        })
    }
}

impl LineFormat for Pattern {
    fn parse(&mut self, line: &[u8], names: &mut Names) -> Result<Option<Raw>, Fault> {
        if self.pattern.captures_read(&mut self.found, line).is_none() {
            self.unmatched += 1;
            self.first_unmatched.get_or_insert_with(|| excerpt(line));
            return Ok(None);
        }
        self.matched += 1;
        let found = &self.found;
        let group = |role: Role| -> &[u8] {
            let place = self.groups[role as usize].and_then(|group| found.get(group));
            place.map_or(b"", |(from, to)| &line[from..to])
        };
        let op = match self.operations.iter().find(|(group, _)| found.get(*group).is_some()) {
            Some((_, op)) => *op,
            None if self.operations.is_empty() => csv::operation(group(Role::Op))?,
            None => return Err("none of the groups read, write, trim and flush matched".into()),
        };
        let number = |column: &str, role: Role| match group(role) {
            b"" if op == Op::Flush => Ok(0),
            text if text.starts_with(b"0x") => hexadecimal(text).map_err(|fault| wrong(fault, column, text)),
            text => unsigned(column, text),
        };
        Ok(Some(Raw {
            time_ns: scaled("time", group(Role::Time), self.time_power)?,
            offset: bytes("offset", number("offset", Role::Offset)?, self.offset_unit)?,
            size: bytes("size", number("size", Role::Size)?, self.size_unit)?,
            response_ns: match group(Role::Response) {
                b"" | b"-1" => NO_RESPONSE,
                text => response("response", text, self.response_power)?,
            },
            device: match (self.groups[Role::Device as usize], group(Role::Device)) {
                (None, _) => names.devices.id(b"0")?,
                (Some(_), b"") => return Err("the device is empty".into()),
                (Some(_), name) => names.devices.id(name)?,
            },
            stream: match group(Role::Stream) {
                b"" => NO_STREAM,
                name => names.streams.id(name)?,
            },
            op,
        }))
    }

    fn remark(&self) -> Option<String> {
        let first = self.first_unmatched.as_ref()?;
        Some(format!("{} lines did not match the pattern, the first being '{first}'", self.unmatched))
    }

    fn notes(&self) -> Vec<String> {
        self.remark().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use crate::spec::TimeUnit;

    fn parse(pattern: &str, text: &str) -> Result<(Vec<Raw>, Names, Pattern), String> {
        let spec = TraceSpec { pattern: Some(pattern.to_owned()), ..TraceSpec::new("x") };
        let mut format = Pattern::new(&spec).map_err(|fault| fault.said())?;
        let (mut names, mut raws) = (Names::default(), Vec::new());
        for line in text.lines() {
            raws.extend(format.parse(line.as_bytes(), &mut names).map_err(|fault| fault.said())?);
        }
        Ok((raws, names, format))
    }

    #[test]
    fn groups_carry_their_units() {
        let pattern = r"^\[(?<time_ms>[\d.]+)\] (?<device>\w+) (?<op>\w+) (?<lba>\w+)\+(?<sectors>\d+) took (?<response_us>\d+)";
        let text = "[1.5] sda read 100+8 took 250 us\n# what else\n[2.5] sdb W 0x10+1 took 3\n";
        let (raws, names, format) = parse(pattern, text).unwrap();
        let got: Vec<_> = raws.iter().map(|r| (r.time_ns, r.op, r.offset, r.size, r.response_ns)).collect();
        assert_eq!(
            got,
            [(1_500_000, Op::Read, 51_200, 4096, 250_000), (2_500_000, Op::Write, 16 * 512, 512, 3000)]
        );
        assert_eq!(names.devices.names(), ["sda", "sdb"]);
        assert_eq!(
            format.remark().unwrap(),
            "1 lines did not match the pattern, the first being '# what else'"
        );
    }

    #[test]
    fn lines_are_bytes_of_any_encoding() {
        let spec = TraceSpec {
            pattern: Some(r"^(?<time_ns>\d+) (?<op>R) (?<offset>\d+) (?<size>\d+) .*!$".to_owned()),
            ..TraceSpec::new("x")
        };
        let mut format = Pattern::new(&spec).unwrap();
        let raw = format.parse(b"5 R 0 512 caf\xe9 \xff!", &mut Names::default()).unwrap().unwrap();
        assert_eq!((raw.time_ns, raw.size), (5, 512));
    }

    #[test]
    fn numbered_operations_by_groups() {
        let pattern = r"(?<time_ns>\d+),(?:(?<read>0)|(?<write>1)),(?<offset>\d+),(?<size>\d+)";
        let (raws, ..) = parse(pattern, "5,0,0,512\n6,1,512,512\n").unwrap();
        assert_eq!(raws.iter().map(|r| r.op).collect::<Vec<_>>(), [Op::Read, Op::Write]);
        // A group op must hold a word: numbers mean the contrary in half of the formats.
        let pattern = r"(?<time_ns>\d+),(?<op>[01]),(?<offset>\d+),(?<size>\d+)";
        assert!(parse(pattern, "5,0,0,512").err().unwrap().contains("op is a number"));
    }

    #[test]
    fn patterns_that_cannot_do() {
        let said = |pattern: &str| parse(pattern, "").err().unwrap();
        assert!(said("(").starts_with("bad-syntax: "));
        assert!(
            said("(?<op>R)(?<offset>.)(?<size>.)")
                .starts_with("missing: groups of the pattern: there is no column for the time")
        );
        assert!(
            said("(?<time>.)(?<op>R)(?<offset>.)(?<size>.)")
                .contains("missing: groups of the pattern: the unit of column 'time'")
        );
        assert!(
            said("(?<time_s>.)(?<op>R)(?<where>.)(?<offset>.)(?<size>.)")
                .starts_with("unknown-name: the pattern's group 'where'")
        );
        assert!(
            said("(?<time_s>.)(?<op>R)(?<read>R)(?<offset>.)(?<size>.)")
                .starts_with("conflict: the pattern has a group op")
        );
        assert!(said("(?:(?:a{1000}){1000}){1000}").starts_with("bad-syntax: "));
        assert!(Pattern::new(&TraceSpec::new("x")).err().unwrap().code == Code::Missing);
        let spec = TraceSpec {
            pattern: Some("(?<time>.)(?<op>R)(?<offset>.)(?<size>.)".to_owned()),
            time_unit: Some(TimeUnit::Seconds),
            ..TraceSpec::new("x")
        };
        assert_eq!(Pattern::new(&spec).unwrap().time_power, 9);
    }
}
