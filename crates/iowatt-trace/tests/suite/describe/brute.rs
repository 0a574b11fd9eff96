//! Every figure of blocks against the plainest program that computes it.

use std::collections::{BTreeMap, BTreeSet};

use iowatt_trace::describe::Options;
use iowatt_trace::{Op, Request};
use proptest::prelude::*;

use super::{close, of, request};

const BLOCK: u64 = 4096;

fn blocks(r: &Request) -> impl Iterator<Item = (u32, u64)> + use<> {
    let device = r.device;
    (r.offset / BLOCK..=(r.offset + u64::from(r.size) - 1) / BLOCK).map(move |block| (device, block))
}

/// Bytes of the request in the block.
fn overlap(r: &Request, block: u64) -> f64 {
    let end = r.offset + u64::from(r.size);
    ((block + 1) * BLOCK).min(end) as f64 - (block * BLOCK).max(r.offset) as f64
}

/// Misses of an LRU list of `capacity` blocks: requests and bytes, reads before writes.
fn lru(requests: &[Request], capacity: usize) -> [f64; 4] {
    let (mut list, mut misses) = (Vec::<(u32, u64)>::new(), [0.0; 4]);
    for r in requests {
        let write = usize::from(r.op == Op::Write);
        let mut missed = false;
        for block in blocks(r) {
            if let Some(at) = list.iter().position(|&held| held == block) {
                list.remove(at);
            } else {
                missed = true;
                misses[2 + write] += overlap(r, block.1);
            }
            list.push(block);
            if list.len() > capacity {
                list.remove(0);
            }
        }
        misses[write] += f64::from(u8::from(missed));
    }
    misses
}

/// Requests over a small space, so that blocks come again; some are large, some lie across blocks.
fn requests(n: usize) -> impl Strategy<Value = Vec<Request>> {
    let one =
        (0_u64..4, any::<bool>(), 0_u64..60, prop_oneof![Just(1_u64), 1_u64..40], 0_u64..4096, 0_u32..2);
    proptest::collection::vec(one, 1..n).prop_map(|drawn| {
        let mut time = 0;
        drawn
            .into_iter()
            .map(|(step, write, block, count, shift, device)| {
                time += step * 400_000;
                let op = if write { Op::Write } else { Op::Read };
                // Over one region, or over three that lie far apart.
                let offset = (block % 7 + block / 7 * 1_000) * BLOCK + shift;
                Request { device, ..request(time, op, offset, (count * BLOCK - 100) as u32) }
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_miss_ratio_curve_is_that_of_lru(requests in requests(120)) {
        let found = of(requests.clone(), &Options { cache_bytes: vec![37 * BLOCK], ..Options::default() }).reuse;
        prop_assert_eq!(found.sample.method, "exact");
        let sum = |op: Op| {
            let of = requests.iter().filter(|r| r.op == op);
            of.fold((0.0, 0.0), |(n, bytes), r| (n + 1.0, bytes + f64::from(r.size)))
        };
        let ((reads, read), (writes, written)) = (sum(Op::Read), sum(Op::Write));
        let curve = &found.miss_ratio;
        prop_assert!(curve.cache_bytes.contains(&(37 * BLOCK)));
        for (at, &cache) in curve.cache_bytes.iter().enumerate() {
            let misses = lru(&requests, (cache / BLOCK) as usize);
            prop_assert!(close(curve.requests[at], (misses[0] + misses[1]) / (reads + writes)));
            prop_assert!(close(curve.bytes[at], (misses[2] + misses[3]) / (read + written)));
            if reads > 0.0 {
                prop_assert!(close(curve.read_requests[at], misses[0] / reads));
                prop_assert!(close(curve.read_bytes[at], misses[2] / read));
            }
            if writes > 0.0 {
                prop_assert!(close(curve.write_requests[at], misses[1] / writes));
                prop_assert!(close(curve.write_bytes[at], misses[3] / written));
            }
            prop_assert_eq!(curve.requests_standard_error[at], 0.0);
        }
        let last = curve.cache_bytes.len() - 1;
        prop_assert!(close(found.first_touch.requests, curve.requests[last]));
        prop_assert!(close(found.first_touch.bytes, curve.bytes[last]));
        let reused: f64 = found.histogram.read_share.iter().sum();
        prop_assert!(reads == 0.0 || (0.0..=1.0).contains(&reused));
    }

    #[test]
    fn footprint_working_set_and_overwriting_are_those_of_sets(requests in requests(120)) {
        let found = of(requests.clone(), &Options::default());
        let touched = |op: Option<Op>| {
            let of = requests.iter().filter(|r| op.is_none_or(|op| r.op == op));
            of.flat_map(blocks).collect::<BTreeSet<_>>()
        };
        let (read, written) = (touched(Some(Op::Read)), touched(Some(Op::Write)));
        let bytes = |n: usize| n as f64 * BLOCK as f64;
        prop_assert_eq!(found.footprint.total_bytes, bytes(touched(None).len()));
        prop_assert_eq!(found.footprint.read_bytes, bytes(read.len()));
        prop_assert_eq!(found.footprint.written_bytes, bytes(written.len()));
        prop_assert_eq!(found.footprint.both_bytes, bytes(read.intersection(&written).count()));

        for set in &found.working_set {
            let window = |r: &Request| (r.time_ns - requests[0].time_ns) / (set.window_s * 1e9) as u64;
            let mut sets: BTreeMap<u64, [BTreeSet<_>; 3]> = BTreeMap::new();
            for r in requests.iter().filter(|r| window(r) < set.windows) {
                let mine = sets.entry(window(r)).or_default();
                mine[0].extend(blocks(r));
                mine[1 + usize::from(r.op == Op::Write)].extend(blocks(r));
            }
            for (kind, (mean, max)) in [
                (set.mean_bytes, set.max_bytes),
                (set.mean_read_bytes, set.max_read_bytes),
                (set.mean_written_bytes, set.max_written_bytes),
            ]
            .into_iter()
            .enumerate()
            {
                let sizes: Vec<_> = sets.values().map(|sets| bytes(sets[kind].len())).collect();
                prop_assert!(close(mean, sizes.iter().sum::<f64>() / set.windows as f64));
                prop_assert_eq!(max, sizes.iter().fold(0.0, |a: f64, &b| a.max(b)));
            }
        }

        let (mut before, mut over) = (BTreeSet::new(), [0.0; 4]);
        for r in &requests {
            let write = usize::from(r.op == Op::Write);
            over[write] += f64::from(u8::from(blocks(r).all(|block| before.contains(&block))));
            over[2 + write] +=
                blocks(r).filter(|b| before.contains(b)).map(|b| overlap(r, b.1)).sum::<f64>();
            if write == 1 {
                before.extend(blocks(r));
            }
        }
        let rewrites = &found.rewrites;
        if found.requests.writes > 0 {
            prop_assert!(close(rewrites.overwrite_request_share.unwrap(), over[1] / found.requests.writes as f64));
            prop_assert!(close(rewrites.overwrite_byte_share.unwrap(), over[3] / found.bytes.written as f64));
        }
        if found.requests.reads > 0 {
            let share = over[0] / found.requests.reads as f64;
            prop_assert!(close(rewrites.read_of_written_request_share.unwrap(), share));
            prop_assert!(close(rewrites.read_of_written_byte_share.unwrap(), over[2] / found.bytes.read as f64));
        }
    }

    /// Whatever the check lets through: nothing panics, shares are shares.
    #[test]
    fn hostile_requests_are_described(
        drawn in proptest::collection::vec(
            (prop_oneof![0_u64..10, 0_u64..1 << 62], any::<bool>(), 0_u64..1 << 63, 1_u32..1 << 24, 0_u32..4),
            1..30,
        ),
        block in 9_u32..31,
        extent in 31_u32..51,
    ) {
        let mut drawn: Vec<_> = drawn.into_iter().map(|(time, write, offset, size, device)| {
            let offset = offset.min((1 << 63) - u64::from(size));
            Request { device, ..request(time, if write { Op::Write } else { Op::Read }, offset, size) }
        }).collect();
        drawn.sort_by_key(|r| r.time_ns);
        let options = Options {
            block_bytes: 1 << block,
            extent_bytes: Some(1 << extent),
            samples: 64,
            ..Options::default()
        };
        let found = of(drawn, &options);
        let curve = &found.reuse.miss_ratio;
        prop_assert!(curve.requests.iter().chain(&curve.bytes).all(|ratio| (0.0..=1.0).contains(ratio)));
        prop_assert!(curve.requests.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9));
        let json = serde_json::to_value(&found).unwrap();
        prop_assert_eq!(&json["schema"], "iowatt.description/1");
    }
}

/// Long enough that stamps are renumbered many times.
#[test]
fn stamps_may_run_out() {
    let requests: Vec<_> =
        (0..300_000_u64).map(|i| request(i * 1000, Op::Read, (i * i % 1009) * BLOCK, 4096)).collect();
    let found = of(requests.clone(), &Options::default()).reuse.miss_ratio;
    for cache in [16_usize, 288, 448] {
        let at = found.cache_bytes.iter().position(|&b| b == cache as u64 * BLOCK).unwrap();
        assert!(close(found.requests[at], lru(&requests, cache)[0] / 300_000.0), "{cache}");
    }
}
