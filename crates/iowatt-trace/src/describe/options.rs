//! What to measure: the JSON object that Python hands over, unknown keys refused.

use serde::{Deserialize, Serialize};

use super::blocks::IN_REGION;

/// Choices of a description; every figure says which it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Bytes of a block of footprint, working set, reuse distance and overwriting.
    pub block_bytes: u64,
    /// Bytes of an extent of the I/O density; left out, the smallest power of two, from 1 MiB on, that makes
    /// at most 1024 touched extents.
    pub extent_bytes: Option<u64>,
    /// Regions of 16 blocks that are followed; exact while the trace touches no more, else a sample.
    pub samples: usize,
    /// Open runs of each device and direction that a request may continue.
    pub lookback: usize,
    /// Bytes that a request may skip forward and still continue a run.
    pub gap_bytes: u64,
    /// Cache sizes at which the miss-ratio curve has a point of its own, bytes.
    pub cache_bytes: Vec<u64>,
    /// Only requests of these sizes, least and greatest; times still count from the trace's first request.
    pub size_bytes: Option<[u32; 2]>,
    /// Whether the windows of rates over time are powers of two of a second, from one on; else round numbers.
    pub dyadic_windows: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            block_bytes: 4096,
            extent_bytes: None,
            samples: 1 << 20,
            lookback: 32,
            gap_bytes: 0,
            cache_bytes: Vec::new(),
            size_bytes: None,
            dyadic_windows: false,
        }
    }
}

/// Regions that may be followed at most: 272 bytes each.
const MOST_SAMPLES: usize = 1 << 22;
const FEWEST_SAMPLES: usize = 64;
const MOST_LOOKBACK: usize = 1024;
const MOST_CACHES: usize = 256;

impl Options {
    /// Refuses what cannot be measured.
    ///
    /// # Errors
    /// The key, what is wrong with it and what is accepted.
    pub fn check(&self) -> Result<(), String> {
        if self.block_bytes < 512 || !self.block_bytes.is_power_of_two() || self.block_bytes > 1 << 30 {
            return Err(format!(
                "block: {} bytes; a power of two from 512 bytes to 1 GiB is accepted",
                self.block_bytes
            ));
        }
        if let Some(extent) = self.extent_bytes
            && (extent < self.block_bytes || extent > 1 << 50)
        {
            return Err(format!(
                "extent: {extent} bytes; at least a block ({} bytes) and at most 1 PiB is accepted",
                self.block_bytes
            ));
        }
        if !(FEWEST_SAMPLES..=MOST_SAMPLES).contains(&self.samples) {
            return Err(format!(
                "samples: {}; {FEWEST_SAMPLES} to {MOST_SAMPLES} regions of {IN_REGION} blocks are accepted",
                self.samples
            ));
        }
        if !(1..=MOST_LOOKBACK).contains(&self.lookback) {
            return Err(format!("lookback: {}; 1 to {MOST_LOOKBACK} open runs are accepted", self.lookback));
        }
        if self.cache_bytes.len() > MOST_CACHES {
            return Err(format!(
                "cache: {} sizes; at most {MOST_CACHES} are accepted",
                self.cache_bytes.len()
            ));
        }
        if let Some([least, most]) = self.size_bytes
            && least > most
        {
            return Err(format!("sizes: from {least} to {most} bytes there are none"));
        }
        if let Some(small) = self.cache_bytes.iter().find(|&&cache| cache < self.block_bytes) {
            return Err(format!(
                "cache: {small} bytes hold no block of {} bytes; at least one is accepted",
                self.block_bytes
            ));
        }
        Ok(())
    }
}
