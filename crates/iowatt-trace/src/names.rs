//! Devices and streams by name: a trace says `hm,0` or a process id, a request carries an index.

use std::collections::HashMap;
use std::io::Write;

use crate::error::{Code, Fault};

/// Distinct devices that one trace may hold; a table of names must not grow without bound.
pub const MAX_DEVICES: usize = 1 << 16;
/// Distinct streams that one trace may hold.
pub const MAX_STREAMS: usize = 1 << 20;
/// Bytes of a name.
pub const MAX_NAME: usize = 128;

/// The names of one kind, each with its index in order of appearance.
#[derive(Debug)]
pub struct Table {
    kind: &'static str,
    bound: usize,
    index: HashMap<Box<[u8]>, u32>,
    names: Vec<String>,
    /// Names looked up lately, each in the slot of its key.
    recent: Vec<(Vec<u8>, u32)>,
    /// Index by the value of names that are small numbers.
    small: Vec<u32>,
}

/// Slots for names looked up lately.
const RECENT: usize = 64;
/// Numbers below this are looked up by their value.
const SMALL: usize = 1 << 16;
/// A small number that was not looked up yet.
const UNKNOWN: u32 = u32::MAX;

impl Table {
    fn new(kind: &'static str, bound: usize) -> Self {
        Self { kind, bound, index: HashMap::new(), names: Vec::new(), recent: Vec::new(), small: Vec::new() }
    }

    /// Index of `key`, which is its own name.
    ///
    /// # Errors
    /// A key that is too long, or one name too many (fatal).
    #[inline]
    pub fn id(&mut self, key: &[u8]) -> Result<u32, Fault> {
        self.id_named(key, |key| String::from_utf8_lossy(key).into_owned())
    }

    /// Index of a decimal number already checked to be one; `007` and `7` are the same.
    ///
    /// # Errors
    /// As [`Table::id`].
    #[inline]
    pub fn id_of_number(&mut self, digits: &[u8]) -> Result<u32, Fault> {
        let zeros = digits.iter().take_while(|&&b| b == b'0').count();
        self.id(&digits[zeros.min(digits.len().saturating_sub(1))..])
    }

    /// Index of a number.
    ///
    /// # Errors
    /// As [`Table::id`].
    #[inline]
    pub(crate) fn id_of_value(&mut self, value: u64) -> Result<u32, Fault> {
        match usize::try_from(value).ok().and_then(|value| self.small.get(value)) {
            Some(&id) if id != UNKNOWN => Ok(id),
            _ => self.find_value(value),
        }
    }

    fn find_value(&mut self, value: u64) -> Result<u32, Fault> {
        let mut digits = [0; 20];
        let mut unwritten = &mut digits[..];
        write!(unwritten, "{value}").map_err(|error| error.to_string())?;
        let left = unwritten.len();
        let id = self.id(&digits[..digits.len() - left])?;
        if value < SMALL as u64 {
            self.small.resize(SMALL, UNKNOWN);
            self.small[value as usize] = id;
        }
        Ok(id)
    }

    /// Index of `key`, shown as `name(key)`.
    ///
    /// # Errors
    /// As [`Table::id`].
    #[inline]
    pub fn id_named(&mut self, key: &[u8], name: impl FnOnce(&[u8]) -> String) -> Result<u32, Fault> {
        let slot = slot(key);
        if let Some((recent, id)) = self.recent.get(slot)
            && recent == key
            && *id != UNKNOWN
        {
            return Ok(*id);
        }
        let id = match self.index.get(key) {
            Some(&id) => id,
            None => self.insert(key, name(key))?,
        };
        self.recent.resize(RECENT, (Vec::new(), UNKNOWN));
        let (recent, recent_id) = &mut self.recent[slot];
        recent.clear();
        recent.extend_from_slice(key);
        *recent_id = id;
        Ok(id)
    }

    #[cold]
    fn insert(&mut self, key: &[u8], name: String) -> Result<u32, Fault> {
        let kind = self.kind;
        if key.len() > MAX_NAME {
            let length = key.len();
            let reason = format!("a {kind} name has {length} bytes; at most {MAX_NAME} are accepted");
            return Err(Fault::new(Code::TooLarge, reason));
        }
        if self.names.len() >= self.bound {
            let bound = self.bound;
            return Err(Fault::fatal(
                Code::TooLarge,
                format!("more than {bound} different {kind}s; is this column a {kind}?"),
            ));
        }
        let id =
            u32::try_from(self.names.len()).map_err(|_| Fault::fatal(Code::TooLarge, "too many names"))?;
        self.names.push(name);
        self.index.insert(key.into(), id);
        Ok(id)
    }

    /// Replaces all names: batches bring their own dictionary.
    pub(crate) fn set(&mut self, names: Vec<String>) {
        self.names = names;
    }

    /// Makes sure that `id` has a name: a number, unless the dictionary is `given`.
    #[inline]
    pub(crate) fn cover(&mut self, id: u32, given: bool) -> Result<(), Fault> {
        if (id as usize) < self.names.len() {
            return Ok(());
        }
        let (kind, bound) = (self.kind, self.bound);
        if given || id as usize >= bound {
            return Err(format!("{kind} {id} is not in the dictionary of {kind}s").into());
        }
        let known = self.names.len();
        self.names.extend((known..=id as usize).map(|id| id.to_string()));
        Ok(())
    }

    /// Names in order of their index.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// Names of one trace differ in their last bytes and their lengths.
#[inline]
fn slot(key: &[u8]) -> usize {
    let byte = |from_end: usize| key.len().checked_sub(from_end).map_or(0, |at| usize::from(key[at]));
    (key.len() ^ byte(1) ^ byte(2) << 4) % RECENT
}

/// The names that a trace has used so far.
#[derive(Debug)]
pub struct Names {
    /// Disks, LUNs, volumes, ASUs.
    pub devices: Table,
    /// Processes, threads, initiators.
    pub streams: Table,
}

impl Default for Names {
    fn default() -> Self {
        Self { devices: Table::new("device", MAX_DEVICES), streams: Table::new("stream", MAX_STREAMS) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;

    #[test]
    fn an_index_per_name_in_order_of_appearance() {
        let mut table = Table::new("device", 3);
        assert_eq!(table.id(b"b").unwrap(), 0);
        assert_eq!(table.id(b"a").unwrap(), 1);
        assert_eq!(table.id(b"b").unwrap(), 0);
        assert_eq!(table.id_of_number(b"007").unwrap(), 2);
        assert_eq!(table.id_of_number(b"7").unwrap(), 2);
        assert_eq!(table.names(), ["b", "a", "7"]);
        assert!(table.id(b"c").unwrap_err().fatal);
        assert_eq!(table.id(b"a").unwrap(), 1);
    }

    #[test]
    fn zero_is_a_number_too() {
        let mut table = Table::new("device", 3);
        table.id_of_number(b"000").unwrap();
        assert_eq!(table.names(), ["0"]);
    }

    #[test]
    fn long_names_are_refused_but_not_fatal() {
        let mut table = Table::new("stream", 3);
        assert!(!table.id(&[b'x'; 129]).unwrap_err().fatal);
    }
}
