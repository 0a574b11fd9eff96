//! The tables of idle periods in bounded memory.

use super::{Column, Table};
use crate::observe::IdleKept;

/// Periods one by one: drive, start, length, and whether the window or the run cuts them; then, by drive and bin of lengths,
/// those that are only counted.
pub(super) fn tables(kept: &IdleKept) -> [Table; 2] {
    let row =
        |value: &dyn Fn(&crate::IdlePeriod) -> u64| Column::U64(kept.rows().iter().map(value).collect());
    let bins: Vec<_> = kept.counted().collect();
    let bin = |value: &dyn Fn(usize) -> u64| Column::U64((0..bins.len()).map(value).collect());
    [
        vec![
            ("drive", row(&|period| u64::from(period.drive))),
            ("start_ns", row(&|period| period.start)),
            ("length_ns", row(&|period| period.length)),
            ("cut", row(&|period| u64::from(period.cut))),
        ],
        vec![
            ("drive", bin(&|i| bins[i].0 as u64)),
            ("low_ns", bin(&|i| bins[i].1)),
            ("high_ns", bin(&|i| bins[i].2)),
            ("count", bin(&|i| bins[i].3.count)),
            ("sum_ns", bin(&|i| bins[i].3.sum)),
        ],
    ]
}
