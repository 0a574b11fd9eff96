//! The hot band against the table measured with vdbench 5.04.06 (the reads' shares of one band), and the shares of
//! the Emerald workload's streams.

use super::{for_each, plan, poisson, stream, uniform};
use iowatt_trace::Op;
use serde_json::{Value, json};

/// Band size in bytes, and the share of reads in its first 0.1, 1, 10, 20 and 50 %.
const TABLE: [(u64, [f64; 5]); 6] = [
    (50_000_000, [0.119, 0.265, 0.446, 0.545, 0.742]),
    (1_000_000_000, [0.324, 0.451, 0.613, 0.678, 0.814]),
    (10_000_000_000, [0.447, 0.581, 0.700, 0.749, 0.854]),
    (100_000_000_000, [0.578, 0.675, 0.765, 0.802, 0.877]),
    (1_000_000_000_000, [0.673, 0.738, 0.804, 0.892, 0.991]),
    (8_000_000_000_000, [0.733, 0.780, 0.813, 1.000, 1.000]),
];
const PARTS: [f64; 5] = [0.001, 0.01, 0.1, 0.2, 0.5];

fn band(read_fraction: f64, bytes: u64) -> Value {
    plan(&poisson(1000.0), &[stream(100.0, read_fraction, 1024, bytes, &json!({"pattern": "hot-band"}))])
}

/// Largest distance between a share and the table, over all parts of all bands.
fn worst(n: u64) -> f64 {
    let mut worst: f64 = 0.0;
    for (bytes, table) in TABLE {
        let mut counts = [0u64; PARTS.len()];
        for_each(&band(1.0, bytes), n, |request| {
            for (count, part) in counts.iter_mut().zip(PARTS) {
                *count += u64::from((request.offset as f64) < part * bytes as f64);
            }
        });
        for ((count, expected), part) in counts.into_iter().zip(table).zip(PARTS) {
            let share = count as f64 / n as f64;
            println!("{bytes:>15} B, first {:>4} %: {share:.4}, table {expected}", part * 100.0);
            worst = worst.max((share - expected).abs());
        }
    }
    worst
}

#[test]
fn reads_lie_in_a_band_as_measured() {
    // 0.5 points; the standard error of 200,000 reads is at most 0.11 points.
    let worst = worst(200_000);
    assert!(worst < 0.005, "{worst}");
}

#[test]
#[ignore = "10 M requests a band: run in release"]
fn reads_lie_in_a_band_as_measured_over_ten_million() {
    let worst = worst(10_000_000);
    assert!(worst < 0.005, "{worst}");
}

#[test]
fn no_read_lies_beyond_the_reach_of_the_curve() {
    let mut furthest = 0;
    for_each(&band(1.0, 20_000_000_000_000), 500_000, |request| {
        furthest = furthest.max(request.offset + 1024)
    });
    assert!(furthest <= 1_313_220_001_024, "{furthest}");
    // 18 % of the reads fall into the last 0.24 TB: the end is approached.
    assert!(furthest > 1_313_100_000_000, "{furthest}");
}

#[test]
fn writes_lie_one_percent_of_the_records_behind_the_reads() {
    let bytes = 10_000_000_000;
    let (mut first, mut total) = (0u32, 0u32);
    for_each(&band(0.0, bytes), 100_000, |request| {
        assert_eq!(request.op, Op::Write);
        total += 1;
        first += u32::from(request.offset < bytes / 100 / 1024 * 1024);
    });
    // What is read most is hardly ever written: only what wraps around the band comes there.
    let share = f64::from(first) / f64::from(total);
    assert!(share < 0.05, "{share}");
    let reads = 0.581; // of the table
    let mut shifted = 0u32;
    for_each(&band(0.0, bytes), 100_000, |request| {
        shifted += u32::from((bytes / 100..bytes / 50).contains(&request.offset));
    });
    assert!((f64::from(shifted) / 100_000.0 - reads).abs() < 0.01);
}

/// Share in percent, share of reads, band in percent of the span.
type Stream = (f64, f64, Option<(u64, u64)>);

/// The streams of the Emerald workload.
const STREAMS: [Stream; 13] = [
    (5.0, 0.0, None),
    (5.0, 0.0, None),
    (5.0, 0.0, None),
    (5.0, 1.0, None),
    (5.0, 1.0, None),
    (5.0, 1.0, None),
    (5.0, 1.0, None),
    (5.0, 1.0, None),
    (6.0, 0.5, None),
    (28.0, 0.7, Some((10, 18))),
    (14.0, 0.7, Some((32, 40))),
    (7.0, 0.7, Some((55, 63))),
    (5.0, 0.7, Some((80, 88))),
];

/// Largest distance between a stream's share and the asked one, in points; reads of all.
fn shares(n: u64) -> (f64, f64) {
    let bytes: u64 = 1 << 40;
    let sequential = json!({"pattern": "sequential", "cursors": 1, "run_bytes": null, "turn_requests": 1.0, "begin": "start"});
    let streams: Vec<Value> = STREAMS
        .iter()
        .enumerate()
        .map(|(i, &(share, reads, range))| {
            let access = match (i, range) {
                (0..8, _) => sequential.clone(),
                (8, _) => uniform(),
                _ => json!({"pattern": "hot-band"}),
            };
            let mut one = stream(share, reads, 8192, bytes, &access);
            if let Some((from, to)) = range {
                one["start_bytes"] = (bytes / 100 * from).into();
                one["end_bytes"] = (bytes / 100 * to).into();
            }
            one
        })
        .collect();
    let (mut counts, mut reads) = ([0u64; 13], 0u64);
    for_each(&plan(&poisson(1000.0), &streams), n, |request| {
        let of = request.stream as usize;
        counts[of] += 1;
        reads += u64::from(request.op == Op::Read);
        if let Some((from, to)) = STREAMS[of].2 {
            let (from, to) = (bytes / 100 * from, bytes / 100 * to);
            assert!(request.offset >= from && request.offset + 8192 <= to);
        }
    });
    let off = |(count, (share, ..)): (&u64, &(f64, f64, _))| (*count as f64 / n as f64 * 100.0 - share).abs();
    let worst = counts.iter().zip(&STREAMS).map(off).fold(0.0, f64::max);
    (worst, reads as f64 / n as f64 * 100.0)
}

#[test]
fn streams_have_their_shares() {
    // The standard error of 28 % of 1 M is 0.045 points: four of them.
    let (worst, reads) = shares(1_000_000);
    assert!(worst < 0.18, "{worst}");
    assert!((reads - 65.8).abs() < 0.19, "{reads}");
}

#[test]
#[ignore = "10 M requests: run in release"]
fn streams_have_their_shares_over_ten_million() {
    let (worst, reads) = shares(10_000_000);
    println!("worst share off by {worst:.4} points, {reads:.3} % reads");
    assert!(worst < 0.1, "{worst}");
    assert!((reads - 65.8).abs() < 0.1, "{reads}");
}
