//! Small traces whose figures are worked out by hand.

use iowatt_trace::describe::Options;
use iowatt_trace::{NO_STREAM, Op, Request};

use super::{close, of, request};

const SECOND: u64 = 1_000_000_000;

/// a b c a on blocks 0, 1, 2, 0, then a write of b: distances: -, -, -, 3, 3.
#[test]
fn reuse_of_five_requests() {
    let blocks = [(Op::Read, 0), (Op::Read, 1), (Op::Write, 2), (Op::Read, 0), (Op::Write, 1)];
    let requests =
        blocks.iter().enumerate().map(|(i, &(op, b))| request(i as u64 * SECOND, op, b * 4096, 4096));
    let found = of(requests.collect(), &Options::default());
    let reuse = &found.reuse;
    assert!(
        close(reuse.first_touch.requests, 0.6) && close(reuse.first_touch.read_bytes.unwrap(), 2.0 / 3.0)
    );
    assert_eq!((reuse.histogram.from_blocks.clone(), reuse.histogram.to_blocks.clone()), (vec![3], vec![3]));
    assert!(close(reuse.histogram.read_share[0], 1.0 / 3.0) && close(reuse.histogram.write_share[0], 0.5));
    let curve = &reuse.miss_ratio;
    assert_eq!(curve.cache_bytes, [4096, 8192, 12_288, 16_384]);
    assert_eq!(curve.requests, [1.0, 1.0, 0.6, 0.6]);
    assert!(close(curve.read_requests[2], 2.0 / 3.0) && close(curve.write_requests[2], 0.5));
    // Block 1 was read before, block 2 is new: nothing is overwritten; nothing written is read.
    assert_eq!(found.rewrites.overwrite_byte_share, Some(0.0));
    assert_eq!(found.rewrites.read_of_written_request_share, Some(0.0));
    assert_eq!((found.footprint.total_bytes, found.footprint.both_bytes), (12_288.0, 4096.0));
    assert!(close(found.rate.iops, 1.25) && close(found.span.duration_s, 4.0));
}

#[test]
fn write_intervals_and_overwriting() {
    let requests = vec![
        request(0, Op::Write, 0, 8192),
        request(2 * SECOND, Op::Write, 4096, 8192), // its first half overwrites
        request(5 * SECOND, Op::Write, 0, 4096),
        request(6 * SECOND, Op::Read, 8192, 4096),
    ];
    let found = of(requests, &Options::default()).rewrites;
    assert!(close(found.overwrite_request_share.unwrap(), 1.0 / 3.0)); // the third, wholly
    assert!(close(found.overwrite_byte_share.unwrap(), 8192.0 / 20_480.0));
    assert_eq!(found.read_of_written_byte_share, Some(1.0));
    let interval = found.interval_s.unwrap();
    assert!(close(interval.mean, 3.5) && interval.max == 5.0); // 2 s and 5 s
    assert_eq!(found.intervals.block_share, [0.5, 0.5]);
}

#[test]
fn a_request_hits_when_all_of_it_does() {
    let requests = vec![
        request(0, Op::Read, 0, 4096),
        request(1, Op::Read, 0, 12_288), // block 0 again, 1 and 2 for the first time
        request(2, Op::Read, 0, 12_288),
    ];
    let found = of(requests, &Options::default()).reuse;
    assert!(close(found.first_touch.requests, 2.0 / 3.0)); // two of three have a new block
    assert!(close(found.first_touch.bytes, 3.0 / 7.0)); // three blocks of seven
    let at = |blocks: u64| found.miss_ratio.cache_bytes.iter().position(|&b| b == blocks * 4096).unwrap();
    // With two blocks the third request finds none of its blocks: 0 went when 2 came.
    assert!(close(found.miss_ratio.bytes[at(2)], 6.0 / 7.0));
    assert!(close(found.miss_ratio.requests[at(2)], 2.0 / 3.0 + 1.0 / 3.0));
    assert!(close(found.miss_ratio.requests[at(3)], 2.0 / 3.0));
}

#[test]
fn streams_runs_and_volumes() {
    let on = |device, stream, r: Request| Request { device, stream, ..r };
    let requests = vec![
        on(0, 0, request(0, Op::Read, 0, 4096)),
        on(0, 1, request(1, Op::Read, 1 << 20, 4096)),
        on(0, 0, request(2, Op::Read, 4096, 4096)),
        on(0, 1, request(3, Op::Read, (1 << 20) + 4096, 4096)),
        on(1, NO_STREAM, request(4, Op::Write, 0, 16_384)),
    ];
    let found = of(requests, &Options::default());
    let sequential = &found.sequential;
    assert_eq!(sequential.consecutive_request_share, 0.0); // interleaved
    assert_eq!(sequential.consecutive_in_stream_request_share, Some(0.5));
    assert!(close(sequential.runs.sequential_request_share, 0.4));
    assert!(close(sequential.runs.sequential_byte_share, 8192.0 / 32_768.0));
    assert_eq!((sequential.runs.runs, sequential.read_runs.runs, sequential.write_runs.runs), (3, 2, 1));
    assert_eq!(sequential.stream_runs.as_ref().unwrap().runs, 2);
    let devices = &found.devices.listed;
    assert_eq!((devices[0].name.as_str(), devices[0].requests), ("d0", 4));
    assert!(close(devices[0].byte_share, 0.5) && close(devices[1].request_share, 0.2));
    assert_eq!(devices[1].footprint_bytes, Some(16_384.0));
    assert_eq!(found.streams.count, 2);
    assert_eq!(found.density.extents.device, ["d0", "d0", "d1"]);
    assert_eq!(found.density.extents.reads, [2, 2, 0]);
}

#[test]
fn options_that_measure_nothing_are_refused() {
    let refused = |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        options.check().unwrap_err()
    };
    assert!(refused(|o| o.block_bytes = 0).contains("power of two from 512"));
    assert!(refused(|o| o.block_bytes = 5000).contains("5000"));
    assert!(refused(|o| o.extent_bytes = Some(1)).contains("at least a block"));
    assert!(refused(|o| o.samples = 1).contains("64 to"));
    assert!(refused(|o| o.lookback = 0).contains("1 to 1024"));
    assert!(refused(|o| o.cache_bytes = vec![4095]).contains("4095 bytes hold no block"));
}
