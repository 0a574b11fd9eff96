//! Records of a fixed size in binary formats: taking them, and placing faults by record and byte.

use crate::error::{Code, Fault, TraceError};
use crate::format::{Entry, Raw};
use crate::input::Input;

/// Bytes of the largest fixed record that is read.
pub(crate) const LARGEST: usize = 128;

/// Where the decoder is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// Bytes consumed.
    pub at: u64,
    /// Records begun.
    pub number: u64,
    /// Byte at which the last of them began.
    pub begin: u64,
}

impl Place {
    /// Passes over `count` bytes that were peeked at.
    pub(crate) fn consume(&mut self, input: &mut Input, count: usize) {
        input.consume(count);
        self.at += count as u64;
    }

    /// The next record of `size` bytes (at most [`LARGEST`]) in front of zeros; `None` at the end of the input.
    #[inline]
    pub(crate) fn record(
        &mut self,
        input: &mut Input,
        size: usize,
    ) -> Result<Option<Result<[u8; LARGEST], Fault>>, TraceError> {
        let bytes = input.peek(size)?;
        let found = bytes.len();
        if found == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.begin = self.at;
        if found < size {
            self.consume(input, found);
            return Ok(Some(Err(cut(found, size))));
        }
        let mut record = [0; LARGEST];
        record[..size].copy_from_slice(&bytes[..size]);
        self.consume(input, size);
        Ok(Some(Ok(record)))
    }

    /// Decodes whole records of `size` bytes as far as they are at hand, at most `limit`, until `decode` refuses one, which is
    /// left for [`Self::record`]; returns the number of the first.
    #[inline]
    pub(crate) fn run<T>(
        &mut self,
        input: &mut Input,
        size: usize,
        limit: usize,
        out: &mut Vec<T>,
        decode: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<u64, TraceError> {
        let before = out.len();
        let bytes = input.peek(size)?;
        out.extend(bytes.chunks_exact(size).take(limit).map_while(decode));
        let (taken, first) = (out.len() - before, self.number + 1);
        if taken > 0 {
            self.number += taken as u64;
            self.begin = self.at + ((taken - 1) * size) as u64;
            self.consume(input, taken * size);
        }
        Ok(first)
    }

    /// A decoded record with its number; a fault names the byte at which it began.
    #[inline]
    pub(crate) fn entry(&self, decoded: Result<Raw, Fault>) -> Entry {
        let placed = decoded.map_err(|fault| self.placed(fault));
        (self.number, placed)
    }

    #[cold]
    pub(crate) fn placed(&self, fault: Fault) -> Fault {
        Fault { reason: format!("byte {}: {}", self.begin, fault.reason), ..fault }
    }
}

#[cold]
pub(crate) fn cut(found: usize, size: usize) -> Fault {
    Fault::fatal(
        Code::Damaged,
        format!("the trace ends within a record, after {found} of its {size} bytes; fetch it again"),
    )
}

/// The 16-bit little-endian number at byte `at`.
#[inline]
pub(crate) fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([record[at], record[at + 1]])
}

/// The 32-bit little-endian number at byte `at`.
#[inline]
pub(crate) fn u32_at(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
}

/// The 64-bit little-endian number at byte `at`.
#[inline]
pub(crate) fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from(u32_at(record, at)) | u64::from(u32_at(record, at + 4)) << 32
}
