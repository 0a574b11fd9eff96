//! Splitting a line into fields, and the messages for fields that are wrong.

use crate::error::{Code, Fault};
use crate::number::{self, NumberFault, excerpt};
use crate::request::Op;

/// Fields between blanks and tabs.
pub(crate) struct Blanks<'a>(pub &'a [u8]);

impl<'a> Iterator for Blanks<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let from = self.0.iter().position(|&b| !is_blank(b))?;
        let rest = &self.0[from..];
        let length = rest.iter().position(|&b| is_blank(b)).unwrap_or(rest.len());
        let (field, rest) = rest.split_at(length);
        self.0 = rest;
        Some(field)
    }
}

#[inline]
fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Exactly the first `N` fields, with blanks around them removed; fewer is `Err(how many)`.
#[inline]
pub(crate) fn commas<const N: usize>(line: &[u8]) -> Result<[&[u8]; N], usize> {
    let mut fields: [&[u8]; N] = [b""; N];
    let mut rest = line;
    for (index, field) in fields.iter_mut().enumerate() {
        let last = match memchr::memchr(b',', rest) {
            Some(at) => {
                *field = rest[..at].trim_ascii();
                rest = &rest[at + 1..];
                false
            }
            None => {
                *field = rest.trim_ascii();
                true
            }
        };
        if last && index + 1 < N {
            return Err(index + 1);
        }
    }
    Ok(fields)
}

/// "5 columns expected (...), found 3 in '...'".
#[cold]
pub(crate) fn column_count(expected: &str, found: usize, line: &[u8]) -> Fault {
    format!("expected {expected}, found {found} columns in '{}'", excerpt(line)).into()
}

/// A non-negative integer column.
#[inline]
pub(crate) fn unsigned(column: &str, text: &[u8]) -> Result<u64, Fault> {
    number::unsigned(text).map_err(|fault| wrong(fault, column, text))
}

/// A decimal column times 10^`power`.
#[inline]
pub(crate) fn scaled(column: &str, text: &[u8], power: u32) -> Result<u64, Fault> {
    number::scaled(text, power).map_err(|fault| wrong(fault, column, text))
}

/// A response time in nanoseconds; it must fit a signed integer.
#[inline]
pub(crate) fn response(column: &str, text: &[u8], power: u32) -> Result<i64, Fault> {
    let value = scaled(column, text, power)?;
    i64::try_from(value).map_err(|_| wrong(NumberFault::TooLarge, column, text))
}

#[cold]
pub(crate) fn wrong(fault: NumberFault, column: &str, text: &[u8]) -> Fault {
    Fault::new(fault.code(), fault.describe(column, text))
}

/// Blocks in bytes.
#[inline]
pub(crate) fn bytes(column: &str, blocks: u64, sector: u64) -> Result<u64, Fault> {
    blocks.checked_mul(sector).ok_or_else(|| {
        Fault::new(Code::OutOfRange, format!("{column} {blocks} x {sector} bytes does not fit in 64 bits"))
    })
}

/// `R` or `W`, either case.
#[inline]
pub(crate) fn letter(column: &str, text: &[u8]) -> Result<Op, Fault> {
    match text {
        b"R" | b"r" => Ok(Op::Read),
        b"W" | b"w" => Ok(Op::Write),
        _ => {
            Err(Fault::new(Code::NotAccepted, format!("{column} is '{}'; R or W is accepted", excerpt(text))))
        }
    }
}

/// Exactly `N` fields between blanks; any other number is `Err(how many)`.
#[inline]
pub(crate) fn words<const N: usize>(line: &[u8]) -> Result<[&[u8]; N], usize> {
    let mut blanks = Blanks(line);
    let mut fields: [&[u8]; N] = [b""; N];
    for (index, field) in fields.iter_mut().enumerate() {
        *field = blanks.next().ok_or(index)?;
    }
    match blanks.count() {
        0 => Ok(fields),
        more => Err(N + more),
    }
}

/// Whether all of them are plain numbers; for recognising a line.
pub(crate) fn all_digits(fields: &[&[u8]]) -> bool {
    fields.iter().all(|field| !field.is_empty() && field.iter().all(u8::is_ascii_digit))
}
