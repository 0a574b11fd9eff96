//! Figures of solid-state drives.

use crate::device::ssd::Ssd;
use crate::power::{FLASH_OPERATION_NAMES, FLASH_OPERATIONS};
use serde::Serialize;
use std::collections::BTreeMap;

/// What flash did over the window, and its state at the end of the run. Pages are pages of flash, fractions of one where a
/// unit of the map is less.
#[derive(Clone, Debug, Serialize)]
pub struct FlashResult {
    /// Bytes programmed over bytes that the host wrote; none where it wrote none.
    pub write_amplification: Option<f64>,
    /// Bytes that the host wrote.
    pub host_bytes_written: u64,
    /// Bytes programmed: the host's, those moved, and what fills pages up.
    pub flash_bytes_written: u64,
    /// Pages that the host wrote.
    pub host_pages_written: f64,
    /// Pages programmed: data, filling, the map, and what is folded once more.
    pub flash_pages_written: f64,
    /// Pages moved by garbage collection and wear levelling.
    pub gc_pages_moved: f64,
    /// Of those, for wear levelling.
    pub wear_levelling_pages_moved: f64,
    /// Pages sensed for reads of the host.
    pub pages_read: u64,
    /// Pages sensed to be moved, or to complete a unit that is written in part.
    pub gc_pages_read: u64,
    /// Blocks erased, each of one plane.
    pub erases: u64,
    /// Erases of a block since the start of the run: mean over all.
    pub erase_count_mean: f64,
    /// The most erases of a block.
    pub erase_count_max: u32,
    /// The least.
    pub erase_count_min: u32,
    /// Superblocks free at the end, those being written apart.
    pub free_blocks: u64,
    /// Bytes that hold data at the end.
    pub live_bytes: u64,
    /// Bytes of flash.
    pub raw_bytes: u64,
    /// Bytes that the host trimmed.
    pub trimmed_bytes: u64,
    /// Commands that did.
    pub trims: u64,
    /// Units of the map that reads found in the write buffer.
    pub buffer_hits: u64,
    /// Programs and erases that reads interrupted.
    pub suspends: u64,
    /// Joules of operations, beyond what being active draws.
    pub energy_by_operation_j: BTreeMap<&'static str, f64>,
    /// Fraction of the rated P/E cycles used over the window: mean over all blocks; none where they are not known.
    pub pe_cycles_fraction: Option<f64>,
    /// Whether the insides are known; else amplification, erases and P/E cycles are the data sheet's assumption.
    pub modelled: bool,
}

impl FlashResult {
    /// The figures of a drive whose operations used so many joules.
    #[must_use]
    pub fn new(ssd: &Ssd, joules: [f64; FLASH_OPERATIONS]) -> Self {
        let totals = ssd.counted();
        let (host, raw) = (totals.written_bytes, ssd.raw_bytes());
        let energy = FLASH_OPERATION_NAMES.into_iter().zip(joules).collect();
        let mut result = Self {
            write_amplification: None,
            host_bytes_written: host,
            flash_bytes_written: 0,
            host_pages_written: 0.0,
            flash_pages_written: 0.0,
            gc_pages_moved: 0.0,
            wear_levelling_pages_moved: 0.0,
            pages_read: totals.flash.pages_read,
            gc_pages_read: totals.flash.pages_sensed,
            erases: 0,
            erase_count_mean: 0.0,
            erase_count_max: 0,
            erase_count_min: 0,
            free_blocks: 0,
            live_bytes: 0,
            raw_bytes: raw,
            trimmed_bytes: totals.trimmed_bytes,
            trims: totals.trims,
            buffer_hits: totals.flash.buffered,
            suspends: totals.flash.suspended,
            energy_by_operation_j: energy,
            pe_cycles_fraction: None,
            modelled: false,
        };
        if let (Some(ftl), Some((geometry, unit))) = (ssd.ftl(), ssd.geometry()) {
            let counts = totals.ftl;
            let pages =
                |units: u64| units as f64 / f64::from(geometry.page_units) * f64::from(geometry.unit_pages);
            let stripes = totals.flash.map_programs + totals.flash.folded;
            let beside = stripes * u64::from(geometry.stripe_units);
            let programmed = counts.host + counts.moved + counts.padded + beside;
            let erases = ftl.erases();
            result.flash_bytes_written = programmed * unit;
            result.host_pages_written = pages(counts.host);
            result.flash_pages_written = pages(programmed);
            result.gc_pages_moved = pages(counts.moved);
            result.wear_levelling_pages_moved = pages(counts.levelled);
            result.erases = counts.erased * u64::from(geometry.dies) * ssd.planes();
            let sum: u64 = erases.iter().map(|&e| u64::from(e)).sum();
            result.erase_count_mean = sum as f64 / erases.len() as f64;
            result.erase_count_max = erases.iter().copied().max().unwrap_or(0);
            result.erase_count_min = erases.iter().copied().min().unwrap_or(0);
            result.free_blocks = ftl.free_blocks() as u64;
            result.live_bytes = ftl.live() * unit;
            result.modelled = true;
        } else if let Some(amplification) = ssd.rated_amplification() {
            result.flash_bytes_written = (host as f64 * amplification).round() as u64;
        }
        if host > 0 {
            result.write_amplification = Some(result.flash_bytes_written as f64 / host as f64);
        }
        result.pe_cycles_fraction =
            ssd.wear.pe_cycles.map(|cycles| result.flash_bytes_written as f64 / raw as f64 / cycles);
        result
    }
}

/// Fraction of the bytes that the maker lets the host write, used over the window.
#[must_use]
pub fn wear_fraction(ssd: &Ssd) -> Option<f64> {
    ssd.wear.rated_bytes_written.map(|rated| ssd.counted().written_bytes as f64 / rated)
}
