//! The label at the front of every backing store, so that no store is taken for another.
//!
//! Twice, at bytes 0 and 4,096: magic, version, length and CRC-32 of a JSON document, and that document.

use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::io;

const MAGIC: &[u8; 8] = b"IOWATTVL";
const VERSION: u32 = 1;
const BYTES: usize = 4096;
const HEAD: usize = 20;

/// Bytes at the front of a store that belong to the label.
pub const LABEL_BYTES: u64 = 64 << 10;

/// What a store is.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// The volume's identity: 32 hexadecimal digits.
    pub uuid: String,
    /// Its name.
    pub name: String,
    /// Which part of the volume the store is.
    pub part: usize,
    /// Parts of the volume.
    pub parts: usize,
    /// First byte of the part's data.
    pub data_at: u64,
    /// Bytes of data.
    pub data_bytes: u64,
    /// The plan of the virtual pool, as JSON.
    pub plan: String,
}

/// What is wrong with a label.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelFault {
    /// There is none.
    #[error("is no store of a volume: it has no label")]
    None,
    /// Its version is not known.
    #[error("has a label of version {0}, which this version does not know")]
    Version(u32),
    /// Both copies are damaged.
    #[error("both copies of its label are damaged")]
    Damaged,
}

impl Label {
    /// Writes both copies.
    ///
    /// # Errors
    /// What the store says; [`io::ErrorKind::InvalidInput`] where the plan is too long.
    pub fn write(&self, store: &dyn Store) -> io::Result<()> {
        let json = serde_json::to_vec(self)?;
        if json.len() > BYTES - HEAD {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the plan does not fit a label"));
        }
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(crc32fast::hash(&json).to_le_bytes());
        bytes.extend(json);
        bytes.resize(BYTES, 0);
        // One after the other, so that a loss of power leaves one.
        for copy in 0..2 {
            store.write(copy * BYTES as u64, &bytes)?;
            store.sync()?;
        }
        Ok(())
    }

    /// Reads it; and whether both copies were whole.
    ///
    /// # Errors
    /// What the store says.
    pub fn read(store: &dyn Store) -> io::Result<Result<(Self, bool), LabelFault>> {
        let mut copies = Vec::new();
        for copy in 0..2 {
            let mut bytes = vec![0; BYTES];
            if store.bytes() < LABEL_BYTES {
                return Ok(Err(LabelFault::None));
            }
            store.read(copy * BYTES as u64, &mut bytes)?;
            copies.push(parse(&bytes));
        }
        let whole = copies[0] == copies[1];
        let worst = copies.iter().find(|copy| matches!(copy, Err(LabelFault::Damaged))).cloned();
        let mut found = copies.into_iter();
        Ok(match (found.next(), found.next()) {
            (Some(Ok(label)), _) | (_, Some(Ok(label))) => Ok((label, whole)),
            (Some(Err(first)), _) => Err(worst.and_then(Result::err).unwrap_or(first)),
            _ => Err(LabelFault::None),
        })
    }
}

fn parse(bytes: &[u8]) -> Result<Label, LabelFault> {
    let word = |at: usize| {
        let word = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
        word.map_or(0, u32::from_le_bytes)
    };
    if bytes.get(..8) != Some(MAGIC) {
        return Err(LabelFault::None);
    }
    if word(8) != VERSION {
        return Err(LabelFault::Version(word(8)));
    }
    let json = bytes.get(HEAD..HEAD.saturating_add(word(12) as usize)).ok_or(LabelFault::Damaged)?;
    if crc32fast::hash(json) != word(16) {
        return Err(LabelFault::Damaged);
    }
    serde_json::from_slice(json).map_err(|_| LabelFault::Damaged)
}
