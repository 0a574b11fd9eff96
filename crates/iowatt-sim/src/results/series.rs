//! Response times in blocks of time as columns, and at the points within the path as moments.

use super::{Column, Responses, Table, responses};
use crate::observe::{Block, Observer, POINTS, Point};
use serde::Serialize;

/// Response times at a point within the path, of all requests that passed it and that the histograms count.
#[derive(Clone, Debug, Serialize)]
pub struct PointResult {
    /// `switch` or `array`.
    pub point: &'static str,
    /// What was seen there.
    pub response: Responses,
}

impl PointResult {
    pub(super) fn all(observer: &Observer) -> Vec<Self> {
        [(Point::Switch, "switch"), (Point::Array, "array")]
            .into_iter()
            .filter_map(|(at, point)| Some(Self { point, response: responses(observer.at(at)?) }))
            .collect()
    }
}

/// A row by point, workload, direction (0 read, 1 write) and block of each that had any request; and a row a bin, in the same
/// order. `bins` says how many of the latter a row has, `low_ns` and `high_ns` are both included.
pub(super) fn tables(observer: &Observer, workloads: usize) -> (Table, Table) {
    const ROWS: [&str; 9] =
        ["point", "workload", "way", "start_ns", "end_ns", "count", "sum_ns", "max_ns", "bins"];
    const BINS: [&str; 3] = ["low_ns", "high_ns", "count"];
    let (mut rows, mut bins): ([Vec<u64>; 9], [Vec<u64>; 3]) = Default::default();
    let (series, end) = (observer.series(), observer.window().end);
    let empty = Block::default();
    let classes = (0..POINTS).flat_map(|p| (0..workloads).flat_map(move |w| [(p, w, 0), (p, w, 1)]));
    for (point, workload, way) in classes {
        let blocks = series.blocks(point, workload, way);
        if blocks.is_empty() {
            continue;
        }
        // Blocks without requests are rows too: that nothing completed is known.
        for index in 0..series.count_until(end).max(blocks.len()) {
            let block = blocks.get(index).unwrap_or(&empty);
            let before = bins[0].len();
            for (low, high, count) in block.bins() {
                push(&mut bins, [low, high, count]);
            }
            let (start, stop) = series.span(index, end);
            let ends = [point as u64, workload as u64, way as u64, start, stop];
            let sum = u64::try_from(block.sum).unwrap_or(u64::MAX);
            let held = [block.count, sum, block.longest, (bins[0].len() - before) as u64];
            for (column, value) in rows.iter_mut().zip(ends.into_iter().chain(held)) {
                column.push(value);
            }
        }
    }
    (named(ROWS, rows), named(BINS, bins))
}

fn push<const N: usize>(columns: &mut [Vec<u64>; N], row: [u64; N]) {
    columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
}

fn named<const N: usize>(names: [&'static str; N], columns: [Vec<u64>; N]) -> Table {
    names.into_iter().zip(columns).map(|(name, column)| (name, Column::U64(column))).collect()
}
