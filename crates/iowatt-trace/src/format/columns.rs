//! Which column of a table is which, and in what unit: from the header's own words, or from the mapping
//! that the user gives, which names headers or, of a table without them, numbers the columns from 0. Ambiguity
//! is an error; a unit is never guessed.

use std::collections::BTreeMap;

use crate::error::{Code, Fault};
use crate::spec::{Column, TimeUnit, TraceSpec};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Time,
    Op,
    Offset,
    Size,
    Device,
    Stream,
    Response,
}

/// Roles, with the words of headers that mean them (lower case, unit removed).
const WORDS: &[(Role, &str, &[&str])] = &[
    (Role::Time, "time", &["time", "timestamp", "ts", "arrival", "arrival_time", "issue_time", "start_time"]),
    (Role::Op, "op", &["op", "rw", "r_w", "type", "iotype", "io_type", "operation", "opcode", "direction"]),
    (Role::Offset, "offset", &["offset", "offset_bytes", "byte_offset", "offset_b"]),
    (
        Role::Size,
        "size",
        &["size", "bytes", "length", "len", "size_bytes", "length_bytes", "io_size", "nbytes", "size_b"],
    ),
    (
        Role::Device,
        "device",
        &[
            "device",
            "dev",
            "device_id",
            "devno",
            "disk",
            "disk_number",
            "disknumber",
            "lun",
            "asu",
            "volume",
            "volume_id",
            "volumeid",
        ],
    ),
    (Role::Stream, "stream", &["stream", "stream_id", "process", "pid", "thread", "tid"]),
    (Role::Response, "response", &["response", "response_time", "responsetime", "latency", "lat"]),
];
/// Words for offsets and sizes that count sectors.
const SECTOR_WORDS: &[(Role, &str, &[&str])] = &[
    (Role::Offset, "lba", &["lba", "lbn", "blkno", "sector", "start_sector", "offset_sectors"]),
    (
        Role::Size,
        "sectors",
        &["sectors", "nsectors", "nr_sectors", "sector_count", "bcount", "size_sectors", "length_sectors"],
    ),
];

/// Where each role stands and how its numbers are scaled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    /// Role of each column, `None` where it is of no interest.
    pub roles: Vec<Option<Role>>,
    /// Nanoseconds are 10 to this power per unit of time.
    pub time_power: u32,
    /// The same for response times.
    pub response_power: u32,
    /// Bytes per unit of an offset.
    pub offset_unit: u64,
    /// Bytes per unit of a size.
    pub size_unit: u64,
}

#[derive(Clone, Copy)]
struct Meaning {
    role: Role,
    unit: Option<TimeUnit>,
    sectors: bool,
}

/// How many different roles a header's words name; for recognising a header.
pub(crate) fn roles_named(headers: &[String]) -> usize {
    let mut roles: Vec<_> = headers.iter().filter_map(|h| meaning(h)).map(|m| m.role).collect();
    roles.sort_unstable();
    roles.dedup();
    roles.len()
}

/// Whether the mapping numbers the columns, so that the table has no header.
pub(crate) fn are_numbered(spec: &TraceSpec) -> bool {
    spec.columns.iter().flatten().any(|(_, column)| matches!(column, Column::Number(_)))
}

/// What stands for the headers of a table without them: no word of these means anything.
pub(crate) fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|number| number.to_string()).collect()
}

/// Resolves `headers` by their words and by the spec's `columns`, `time_unit` and `sector_bytes`.
pub(crate) fn resolve(headers: &[String], spec: &TraceSpec) -> Result<Columns, Fault> {
    let mut chosen: Vec<Option<Meaning>> = vec![None; headers.len()];
    let mut mapped = Vec::new();
    let numbered = are_numbered(spec);
    for (ours, column) in spec.columns.iter().flatten() {
        let header = match column {
            Column::Number(number) => &number.to_string(),
            Column::Header(_) if numbered => {
                let reason = "columns gives headers and numbers; expected one of the two";
                return Err(Fault::new(Code::Conflict, reason));
            }
            Column::Header(header) => header,
        };
        let (at, mut meaning) = explicit(ours, header, headers)?;
        if ours == "time" || ours == "response" {
            meaning.unit = self::meaning(&headers[at]).and_then(|m| m.unit);
        }
        if chosen[at].is_some() {
            return Err(Fault::new(Code::Duplicate, format!("columns names '{header}' twice")));
        }
        if mapped.contains(&meaning.role) {
            let reason = format!("columns names the {} twice", name(meaning.role));
            return Err(Fault::new(Code::Duplicate, reason));
        }
        mapped.push(meaning.role);
        chosen[at] = Some(meaning);
    }
    for (at, header) in headers.iter().enumerate() {
        let Some(meaning) = meaning(header) else { continue };
        if chosen[at].is_some() || mapped.contains(&meaning.role) {
            continue;
        }
        if let Some(other) = chosen.iter().position(|c| c.is_some_and(|c| c.role == meaning.role)) {
            let (role, other) = (name(meaning.role), &headers[other]);
            let reason = format!(
                "'{other}' and '{header}' could both be the {role}; say which with `columns={role}={other}`"
            );
            return Err(Fault::new(Code::Ambiguous, reason));
        }
        chosen[at] = Some(meaning);
    }
    for role in [Role::Time, Role::Op, Role::Offset, Role::Size] {
        if !chosen.iter().flatten().any(|m| m.role == role) {
            let (role, listed) = (name(role), headers.join(", "));
            let reason = format!(
                "there is no column for the {role} among {listed}; say which with `columns={role}=...`"
            );
            return Err(Fault::new(Code::Missing, reason));
        }
    }
    units(&chosen, headers, spec)
}

fn units(chosen: &[Option<Meaning>], headers: &[String], spec: &TraceSpec) -> Result<Columns, Fault> {
    let find = |role| chosen.iter().position(|c| c.is_some_and(|c| c.role == role));
    let meaning_of = |role| find(role).and_then(|at| chosen[at]);
    let labelled = meaning_of(Role::Time).and_then(|m| m.unit);
    let header = find(Role::Time).map_or("", |at| &headers[at]);
    let time = match (labelled, spec.time_unit) {
        (Some(said), Some(given)) if said != given => {
            let (given, said) = (given.name(), said.name());
            let reason =
                format!("time_unit says {given} and the header '{header}' says {said}; leave time_unit out");
            return Err(Fault::new(Code::Conflict, reason));
        }
        (Some(unit), _) | (None, Some(unit)) => unit,
        (None, None) => {
            let reason =
                format!("the unit of column '{header}' is not known; give time_unit: s, ms, us or ns");
            return Err(Fault::new(Code::Missing, reason));
        }
    };
    let in_sectors = |role| meaning_of(role).is_some_and(|m| m.sectors);
    if spec.sector_bytes.is_some() && !in_sectors(Role::Offset) && !in_sectors(Role::Size) {
        let reason = "sector_size is given, but offset and size are in bytes; where they count sectors, say so with \
                      `columns=lba=...,sectors=...`";
        return Err(Fault::new(Code::NotApplicable, reason));
    }
    let sector = spec.sector()?;
    let unit = |role| if in_sectors(role) { sector } else { 1 };
    let response = meaning_of(Role::Response).and_then(|m| m.unit).unwrap_or(time);
    Ok(Columns {
        roles: chosen.iter().map(|c| c.map(|c| c.role)).collect(),
        time_power: time.power()?,
        response_power: response.power()?,
        offset_unit: unit(Role::Offset),
        size_unit: unit(Role::Size),
    })
}

/// The column that the user's mapping `ours = header` means.
fn explicit(ours: &str, header: &str, headers: &[String]) -> Result<(usize, Meaning), Fault> {
    let find = |words: &[(Role, &str, &[&str])]| {
        words.iter().find(|(_, word, _)| *word == ours).map(|(role, ..)| *role)
    };
    let (role, sectors) = match (find(WORDS), find(SECTOR_WORDS)) {
        (Some(role), _) => (role, false),
        (None, Some(role)) => (role, true),
        (None, None) => {
            let reason = format!(
                "columns has no '{ours}'; it takes time, op, offset or lba, size or sectors, device, stream, response"
            );
            return Err(Fault::new(Code::UnknownKey, reason));
        }
    };
    let at = headers
        .iter()
        .position(|h| h == header)
        .or_else(|| headers.iter().position(|h| h.eq_ignore_ascii_case(header)))
        .ok_or_else(|| {
            let reason = format!("there is no column '{header}' among {}", headers.join(", "));
            Fault::new(Code::UnknownName, reason)
        })?;
    // A mapping to a header that says sectors means sectors.
    let sectors = sectors || meaning(&headers[at]).is_some_and(|m| m.role == role && m.sectors);
    Ok((at, Meaning { role, unit: None, sectors }))
}

fn name(role: Role) -> &'static str {
    WORDS.iter().find(|(r, ..)| *r == role).map_or("", |(_, name, _)| *name)
}

/// What a header's own words say.
fn meaning(header: &str) -> Option<Meaning> {
    let words = normal(header);
    let units: BTreeMap<&str, TimeUnit> = [
        ("ns", TimeUnit::Nanoseconds),
        ("us", TimeUnit::Microseconds),
        ("ms", TimeUnit::Milliseconds),
        ("s", TimeUnit::Seconds),
        ("sec", TimeUnit::Seconds),
        ("seconds", TimeUnit::Seconds),
    ]
    .into();
    let timed = words.rsplit_once('_').and_then(|(base, unit)| Some((base, *units.get(unit)?)));
    let is = |words: &[(Role, &str, &[&str])], text: &str| {
        words.iter().find(|(_, _, list)| list.contains(&text)).map(|(role, ..)| *role)
    };
    if let Some((base, unit)) = timed {
        return is(WORDS, base)
            .filter(|role| matches!(role, Role::Time | Role::Response))
            .map(|role| Meaning { role, unit: Some(unit), sectors: false });
    }
    let plain = |sectors| move |role| Meaning { role, unit: None, sectors };
    is(WORDS, &words).map(plain(false)).or_else(|| is(SECTOR_WORDS, &words).map(plain(true)))
}

/// `Arrival Time (ms)` becomes `arrival_time_ms`.
fn normal(header: &str) -> String {
    let words: Vec<_> = header
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.join("_")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    fn resolved(header: &str, change: impl FnOnce(&mut TraceSpec)) -> Result<Columns, String> {
        let mut spec = TraceSpec::new("x.csv");
        change(&mut spec);
        let headers: Vec<_> = header.split(',').map(str::to_owned).collect();
        resolve(&headers, &spec).map_err(|fault| fault.said())
    }

    fn mapping(pairs: &[(&str, &str)]) -> Option<BTreeMap<String, Column>> {
        Some(pairs.iter().map(|(a, b)| ((*a).to_owned(), Column::Header((*b).to_owned()))).collect())
    }

    #[test]
    fn our_own_header() {
        let columns = resolved("time_ns,device,op,offset,size,response_ns,stream", |_| ()).unwrap();
        assert_eq!((columns.time_power, columns.response_power), (0, 0));
        assert_eq!((columns.offset_unit, columns.size_unit), (1, 1));
        assert!(columns.roles.iter().all(Option::is_some));
    }

    #[test]
    fn units_from_the_header() {
        let columns = resolved("Arrival Time (ms),RW,LBA,Sectors,lat_us,note", |_| ()).unwrap();
        assert_eq!((columns.time_power, columns.response_power), (6, 3));
        assert_eq!((columns.offset_unit, columns.size_unit), (512, 512));
        assert_eq!(columns.roles[5], None);
        let columns = resolved("time_s,op,lba,size", |spec| spec.sector_bytes = Some(4096)).unwrap();
        assert_eq!((columns.offset_unit, columns.size_unit), (4096, 1));
    }

    #[test]
    fn an_unlabelled_time_needs_its_unit() {
        let header = "Timestamp,Response,IOType,LUN,Offset,Size"; // SYSTOR'17
        assert!(resolved(header, |_| ()).unwrap_err().starts_with("missing: the unit of column 'Timestamp'"));
        let columns = resolved(header, |spec| spec.time_unit = Some(TimeUnit::Seconds)).unwrap();
        assert_eq!((columns.time_power, columns.response_power), (9, 9));
        let clash = resolved("time_ns,op,offset,size", |spec| spec.time_unit = Some(TimeUnit::Seconds));
        assert!(clash.unwrap_err().starts_with("conflict: time_unit says s"));
    }

    #[test]
    fn ambiguity_is_an_error_that_a_mapping_resolves() {
        let header = "time_s,timestamp_ms,op,offset,size";
        assert!(resolved(header, |_| ()).unwrap_err().starts_with("ambiguous: 'time_s' and 'timestamp_ms'"));
        let columns = resolved(header, |spec| spec.columns = mapping(&[("time", "timestamp_ms")])).unwrap();
        assert_eq!((columns.time_power, columns.roles[0]), (6, None));
    }

    #[test]
    fn a_mapping_names_foreign_headers() {
        let columns = resolved("when_ms,what,where,how", |spec| {
            spec.columns =
                mapping(&[("time", "when_ms"), ("op", "WHAT"), ("lba", "where"), ("sectors", "how")]);
            spec.time_unit = Some(TimeUnit::Milliseconds);
        })
        .unwrap();
        assert_eq!((columns.offset_unit, columns.size_unit, columns.time_power), (512, 512, 6));
    }

    #[test]
    fn wrong_mappings() {
        let header = "time_s,op,offset,size";
        let with =
            |pairs: &[(&str, &str)]| resolved(header, |spec| spec.columns = mapping(pairs)).unwrap_err();
        assert!(with(&[("when", "time_s")]).starts_with("unknown-key: columns has no 'when'"));
        assert!(with(&[("time", "t")]).contains("no column 't' among time_s, op, offset, size"));
        assert!(with(&[("offset", "offset"), ("lba", "size")]).contains("the offset twice"));
        assert!(resolved("time_s,op,size", |_| ()).unwrap_err().contains("no column for the offset"));
        assert!(resolved(header, |spec| spec.sector_bytes = Some(512)).unwrap_err().contains("in bytes"));
    }
}
