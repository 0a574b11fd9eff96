//! What the heat map leaves behind: its measures, and the table.

use super::{Column, Table};
use crate::clock::Nanos;
use crate::observe::Heat;
use serde::Serialize;

/// What extents and periods are.
#[derive(Clone, Debug, Serialize)]
pub struct HeatResult {
    /// Bytes of an extent: those asked for, or a multiple by a power of two where there were too many.
    pub extent_bytes: u64,
    /// Length of a period.
    pub period_ns: Nanos,
    /// Bytes of each address space behind the cache.
    pub space_bytes: Vec<u64>,
}

impl HeatResult {
    pub(super) fn new(heat: &Heat) -> Self {
        Self {
            extent_bytes: heat.map().extent_bytes(),
            period_ns: heat.map().period(),
            space_bytes: heat.spaces().to_vec(),
        }
    }
}

/// A row by point (0 front, 1 back), space (volume or address space), extent and period that was asked for anything.
pub(super) fn table(heat: &Heat) -> Table {
    let rows = heat.map().rows();
    let first = heat.first_space();
    let column =
        |value: &dyn Fn(&iowatt_trace::heat::Row) -> u64| Column::U64(rows.iter().map(value).collect());
    vec![
        ("point", column(&|row| u64::from(row.space >= first))),
        ("space", column(&|row| u64::from(if row.space >= first { row.space - first } else { row.space }))),
        ("extent", column(&|row| row.extent)),
        ("start_ns", column(&|row| row.start)),
        ("reads", column(&|row| row.cell.requests[0])),
        ("writes", column(&|row| row.cell.requests[1])),
        ("bytes_read", column(&|row| row.cell.bytes[0])),
        ("bytes_written", column(&|row| row.cell.bytes[1])),
    ]
}
