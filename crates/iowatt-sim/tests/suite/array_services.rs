//! The array cache's further behaviours and the controller's services through the whole engine: worked examples by
//! hand, and closed forms.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{Lcg, MS, S, capacity, given, one_pool, poisson, request, run, try_run};
use iowatt_sim::testing::{CacheResult, ControllerResult};
use iowatt_sim::{BackEndRow, Outcome, Plan, Simulation};
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const LINE: u64 = 16_384;

/// One drive whose sector 0 is under the head at time zero: 32 sectors (a line) take 0.8 ms of its 5 ms turn.
fn one_drive(controller: Value) -> Value {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    plan["pools"][0]["scheduler"] = json!("fcfs");
    plan["controller"] = controller;
    plan
}

fn cache(lines: u64, write: &str) -> Value {
    json!({
        "capacity_bytes": lines * LINE, "line_bytes": LINE, "replacement": "lru", "read": true,
        "write": write, "high_watermark": 1.0, "low_watermark": 0.5,
        "destage_bytes": LINE, "destage_outstanding": 1,
    })
}

fn with_cache(cache: Value) -> Value {
    json!({"processing": null, "host_bandwidth_bytes_per_s": null, "cache": cache})
}

fn mirrored(lines: u64) -> Value {
    let mut cache = cache(lines, "back");
    cache["mirror"] = json!({"bandwidth_bytes_per_s": 200e6, "latency_s": 5e-6});
    cache
}

fn read_ahead(least: u64, most: u64) -> Value {
    json!({"streams": 8, "after": 2, "least_bytes": least * LINE, "most_bytes": most * LINE, "share": 0.5})
}

fn controller(outcome: &Outcome) -> &ControllerResult {
    outcome.summary.controller.as_ref().unwrap()
}

fn cached(outcome: &Outcome) -> &CacheResult {
    controller(outcome).cache.as_ref().unwrap()
}

fn longest_ns(outcome: &Outcome) -> u64 {
    (outcome.summary.total.response.all.max_s * 1e9).round() as u64
}

fn back_end_bytes(outcome: &Outcome) -> (u64, u64) {
    let devices = &outcome.summary.devices;
    (devices.iter().map(|d| d.bytes_read).sum(), devices.iter().map(|d| d.bytes_written).sum())
}

/// 30 us of processing, 81.92 us in, then 8 KiB at 200 MB/s to the partner and 5 us until its answer.
#[test]
fn a_mirrored_write_is_answered_by_the_partner() {
    let mut all = with_cache(mirrored(8));
    all["processing"] = json!({"read_s": 20e-6, "write_s": 30e-6, "processors": 1});
    all["host_bandwidth_bytes_per_s"] = json!(100e6);
    let found = run(&one_drive(all), vec![request(0, Op::Write, 0, 8_192)]);
    assert_eq!(longest_ns(&found), 30_000 + 81_920 + 40_960 + 5_000);
    let mirror = controller(&found).mirror.as_ref().unwrap();
    assert_eq!((mirror.visits, mirror.wait_ns), (1, 0));
}

/// A line is dirty when the battery fails at 10 ms, with sector 0 under the head: it is on the drive 0.8 ms later. The
/// write at 20 ms goes through in 0.4 ms; the one at 40 ms finds the battery back.
#[test]
fn a_lost_battery_flushes_and_writes_go_through() {
    let mut all = with_cache(cache(8, "back"));
    all["losses"] = json!([{"of": "battery", "at_s": 0.01, "back_s": 0.03}]);
    let plan = one_drive(all);
    let writes =
        |at: &[u64]| run(&plan, at.iter().map(|&ms| request(ms * MS, Op::Write, 0, 8_192)).collect());
    let before = writes(&[0, 20]);
    let loss = controller(&before).losses[0];
    assert_eq!((loss.of, loss.at_ns, loss.dirty_bytes), ("battery", Some(10 * MS), 8_192));
    assert_eq!((loss.flushed_ns, loss.written_through, loss.back_ns), (Some(10_400_000), 1, None));
    assert_eq!((longest_ns(&before), cached(&before).dirty_bytes_at_end), (400_000, 0));
    let after = writes(&[0, 20, 40]);
    assert_eq!(after.summary.window.end_ns, 40 * MS, "answered at once");
    assert_eq!(controller(&after).losses[0].back_ns, Some(30 * MS));
    assert_eq!((cached(&after).dirty_bytes_at_end, cached(&after).destaged_bytes), (8_192, 8_192));
}

/// What waits for space when the battery fails goes through.
#[test]
fn waiting_writes_go_through_on_a_loss() {
    let mut all = with_cache(cache(1, "back"));
    all["losses"] = json!([{"of": "battery", "at_s": 0.0001, "back_s": null}]);
    let found = run(&one_drive(all), (0..3).map(|n| request(0, Op::Write, n * LINE, LINE as u32)).collect());
    let loss = controller(&found).losses[0];
    assert_eq!((loss.written_through, loss.dirty_bytes), (2, LINE));
    assert_eq!(found.summary.devices[0].bytes_written, 3 * LINE, "each once");
    assert_eq!((found.summary.window.end_ns, cached(&found).waits_for_space), (2_400_000, 0));
}

/// Eight lines are read; with half of the cache gone only the newest four are left, with all of it back eight fit again.
#[test]
fn a_lost_controller_takes_half_of_the_cache_and_of_the_processors() {
    let mut all = with_cache(mirrored(8));
    all["processing"] = json!({"read_s": 100e-6, "write_s": 100e-6, "processors": 2});
    all["losses"] = json!([{"of": "controller", "at_s": 1.0, "back_s": 2.0}]);
    let reads = |at: u64, lines: std::ops::Range<u64>| {
        lines.map(move |n| request(at + n * 20 * MS, Op::Read, n * LINE, LINE as u32))
    };
    let plan = one_drive(all);
    let hits = |requests: Vec<Request>| cached(&run(&plan, requests)).read_hits;
    let first: Vec<_> = reads(0, 0..8).collect();
    assert_eq!(hits(first.iter().copied().chain(reads(S / 2, 0..8)).collect()), 8);
    assert_eq!(hits(first.iter().copied().chain(reads(S, 4..8)).collect()), 4);
    assert_eq!(
        hits(first.iter().copied().chain(reads(S, 0..4)).collect()),
        0,
        "and these push out the others"
    );
    let again = first.iter().copied().chain(reads(2 * S, 0..8)).chain(reads(3 * S, 0..8));
    assert_eq!(hits(again.collect()), 4 + 8, "0 to 3 find room beside 4 to 7");
    // Two at once: one processor is left.
    let two = |at: u64| run(&plan, vec![request(at, Op::Write, 0, 512); 2]);
    let mirror = 2_560 + 5_000;
    assert_eq!(
        longest_ns(&two(S / 2)),
        100_000 + 2_560 + mirror,
        "the second waits for the mirror link alone"
    );
    let through = two(3 * S / 2);
    assert_eq!(controller(&through).processors.as_ref().unwrap().wait_ns, 100_000);
    assert_eq!(controller(&through).losses[0].written_through, 2);
}

/// Reads of half a line in sequence: the first misses, the second hits and starts the reading ahead, and all others hit.
#[test]
fn a_sequential_reader_misses_once() {
    let mut cache = cache(64, "back");
    cache["read_ahead"] = read_ahead(2, 16);
    let plan = one_drive(with_cache(cache));
    let reads = |count: u64, step: u64| {
        (0..count)
            .map(|n| request(n * 20 * MS, Op::Read, n * step % 400_000_000 / 512 * 512, 8_192))
            .collect()
    };
    let sequential = run(&plan, reads(200, 8_192));
    let c = cached(&sequential);
    assert_eq!((c.reads, c.read_hits, c.delayed_hits), (200, 199, 0));
    let read = 100 * LINE;
    assert_eq!(c.ahead_used_bytes, read - LINE, "all but the first line");
    assert!(
        c.ahead_bytes >= c.ahead_used_bytes && c.ahead_bytes <= read + 16 * LINE && c.ahead_wasted_bytes == 0
    );
    assert!(c.fetches < 20, "in long requests: {}", c.fetches);
    let random = run(&plan, reads(200, 37_000_003));
    assert_eq!((cached(&random).ahead_bytes, cached(&random).read_hits), (0, 0));
    // Nothing is read beyond the end of the volume.
    let mut short = plan;
    short["volumes"][0]["capacity_bytes"] = json!(20 * LINE);
    let end = run(&short, reads(40, 8_192));
    assert_eq!(cached(&end).fetched_bytes, 20 * LINE);
}

/// A page of 16 KiB of which 4 KiB are wanted: read, or written and flushed, in each of the three ways.
#[test]
fn transfers_are_as_large_as_they_must_be() {
    let bytes = |transfers: &str| {
        let mut all = with_cache(cache(8, "back"));
        all["cache"]["transfers"] = json!(transfers);
        all["losses"] = json!([{"of": "battery", "at_s": 0.1, "back_s": 0.2}]);
        let plan = one_drive(all);
        let read = run(&plan, vec![request(0, Op::Read, 0, 4_096)]);
        let late = request(S, Op::Read, 0, 512);
        let write = run(&plan, vec![request(0, Op::Write, 0, 4_096), late]);
        assert_eq!((cached(&write).dirty_bytes_at_end, cached(&write).read_hits), (0, 1));
        (back_end_bytes(&read).0, back_end_bytes(&write))
    };
    assert_eq!(bytes("mixed"), (LINE, (0, 4_096)));
    assert_eq!(bytes("needed"), (4_096, (0, 4_096)));
    assert_eq!(bytes("whole"), (LINE, (LINE - 4_096, LINE)), "filled, then written whole");
}

/// Of what zeros do with a cache in between: dirty data that they replace is not destaged, their reads need no drive,
/// and data over them makes them data again.
#[test]
fn zeros_stay_in_the_controller() {
    let mut all = with_cache(cache(8, "back"));
    all["zero_detect"] = json!(true);
    all["losses"] = json!([{"of": "battery", "at_s": 0.1, "back_s": null}]);
    let mut plan = one_drive(all);
    let write = |volume: usize, share: f64| json!({"volume": 0, "replay": {"mode": "open", "speed": 1.0}, "zero_share": share, "_": volume});
    let mut workloads = [write(0, 0.0), write(1, 1.0)];
    workloads.iter_mut().for_each(|w| drop(w.as_object_mut().unwrap().remove("_")));
    plan["workloads"] = json!(workloads);
    let data = |requests: Vec<Request>, zeros: Vec<Request>| {
        try_run(&plan, vec![given(requests), given(zeros)]).unwrap()
    };
    let zero = request(MS, Op::Write, 0, LINE as u32);
    let read = |ms: u64| request(ms * MS, Op::Read, 0, LINE as u32);
    let found = data(vec![request(0, Op::Write, 0, 8_192), read(2), read(300)], vec![zero]);
    let zeros = controller(&found).zeros.unwrap();
    assert_eq!((zeros.written_bytes, zeros.read_bytes), (LINE, 2 * LINE));
    assert_eq!((found.summary.devices[0].arrivals, controller(&found).losses[0].dirty_bytes), (0, 0));
    assert_eq!((cached(&found).reads, cached(&found).writes), (0, 1), "zeros are not looked up");
    // 4 KiB of data over the zeros: the whole is not known to be zero any more.
    let found = data(vec![request(2 * MS, Op::Write, 4_096, 4_096), read(3), read(300)], vec![zero]);
    assert_eq!(controller(&found).zeros.unwrap().read_bytes, 0);
    assert_eq!(back_end_bytes(&found), (LINE, 4_096));
}

/// A controller that detects zeros and does nothing else.
fn detecting() -> Value {
    json!({"processing": null, "host_bandwidth_bytes_per_s": null, "cache": null, "zero_detect": true})
}

/// Zeros that are no whole page cannot be known: they are written. Of a page known to be zero into which a sector is
/// written, the pools get the rest too.
#[test]
fn zeros_that_are_not_known_are_written() {
    let mut plan = one_drive(detecting());
    plan["workloads"][0]["zero_share"] = json!(1.0);
    let written = |plan: &Value, offset: u64, size: u32| {
        let found = run(plan, vec![request(0, Op::Write, offset, size)]);
        (back_end_bytes(&found).1, controller(&found).zeros.unwrap().written_bytes)
    };
    assert_eq!(written(&plan, 4_096, 512), (512, 0));
    assert_eq!(written(&plan, 512, 8_192), (8_192, 0));
    assert_eq!(written(&plan, 4_096, 8_192), (0, 8_192));
    // Pages are those of the volume, wherever it begins, and whatever pieces a request is divided into.
    plan["volumes"][0]["offset_bytes"] = json!(LINE + 512);
    plan["volumes"][0]["capacity_bytes"] = json!(1 << 20);
    assert_eq!(written(&plan, 4_096, 8_192), (0, 8_192));
    plan["controller"]["split"] = json!({"bytes": 1_536, "outstanding": 2});
    assert_eq!(written(&plan, 4_096, 8_192), (0, 8_192));
    assert_eq!(written(&plan, 4_096, 4_608), (4_608, 0));
    let mut data = plan["workloads"][0].clone();
    data["zero_share"] = json!(0.0);
    plan["workloads"] = json!([plan["workloads"][0], data]);
    let (zeros, data) = (request(0, Op::Write, 4_096, 8_192), request(S, Op::Write, 6_144, 3_072));
    let found = try_run(&plan, vec![given(vec![zeros]), given(vec![data])]).unwrap();
    assert_eq!(controller(&found).zeros.unwrap().given_up_bytes, 8_192 - 3_072);
    assert_eq!(back_end_bytes(&found), (0, 8_192));
}

/// Of more zeros than there is room to know of, the rest is written.
#[test]
fn zeros_beyond_the_table_are_written() {
    let mut plan = one_pool("0", 64);
    plan["workloads"][0]["zero_share"] = json!(1.0);
    plan["controller"] = detecting();
    let writes = (0..90_000).map(|n| request(n * MS / 4, Op::Write, n * 262_144, 4_096)).collect();
    let found = run(&plan, writes);
    let zeros = controller(&found).zeros.unwrap();
    assert_eq!(zeros.written_bytes, 90_000 * 4_096);
    assert!(zeros.written_bytes - zeros.given_up_bytes <= 65_536 * 4_096);
    assert_eq!(back_end_bytes(&found), (0, zeros.given_up_bytes));
}

/// Writes with a share z of zeros produce (1 - z) back-end bytes.
#[test]
fn zeros_never_reach_the_drives() {
    for z in [0.0, 0.25, 0.7, 1.0] {
        let mut plan = one_pool("0", 4);
        plan["workloads"][0]["zero_share"] = json!(z);
        let writes = poisson(5, 20_000, 400.0, 0.0, 8_192, capacity("0", 4));
        let total = 20_000 * 8_192;
        let without = run(&plan, writes.clone());
        assert_eq!(back_end_bytes(&without), (0, total), "without detection all is written");
        plan["controller"] = detecting();
        let with = run(&plan, writes);
        let detected = controller(&with).zeros.unwrap().written_bytes;
        assert_eq!(back_end_bytes(&with).1, total - detected);
        // Four standard deviations of a binomial share of 20,000.
        let share = back_end_bytes(&with).1 as f64 / total as f64;
        assert!((share - (1.0 - z)).abs() <= 4.0 * (z * (1.0 - z) / 20_000.0_f64).sqrt(), "{z}: {share}");
    }
}

/// V34: large transfers at a steady load of 1/2 on a link of 500 MB/s. A small one that comes at any time waits for the
/// rest of the transfer under way: 1/2 x 262 us on average, and an eighth of that where 256 KiB go in pieces of 32 KiB.
#[test]
fn division_cuts_the_head_of_line_wait_by_eight() {
    let wait_us = |split: Value| {
        let mut cache = cache(64, "back");
        cache["read"] = json!(false);
        let mut plan = one_drive(with_cache(cache));
        plan["controller"]["host_bandwidth_bytes_per_s"] = json!(500e6);
        plan["controller"]["split"] = split;
        plan["workloads"] = json!(vec![plan["workloads"][0].clone(); 2]);
        // 524.288 us each, twice that apart; small ones at intervals that no multiple of it comes near.
        let large = (0..20_000).map(|n| request(n * 1_048_576, Op::Write, 0, 262_144)).collect();
        let small = (0..12_000).map(|n| request(n * 1_700_021, Op::Write, 1 << 20, 512)).collect();
        let found = try_run(&plan, vec![given(large), given(small)]).unwrap();
        assert_eq!(found.summary.devices[0].arrivals, 0, "all in the cache");
        (
            found.summary.workloads[1].response.all.mean_s * 1e6 - 1.024,
            found.summary.workloads[0].response.all.mean_s,
        )
    };
    let (whole, large_alone) = wait_us(Value::Null);
    let (divided, large_divided) = wait_us(json!({"bytes": 32_768, "outstanding": 8}));
    assert!((whole / (0.5 * 262.144) - 1.0).abs() < 0.01, "{whole}");
    assert!((divided / (0.5 * 32.768) - 1.0).abs() < 0.01, "{divided}");
    assert!((whole / divided - 8.0).abs() < 0.1, "{}", whole / divided);
    assert!((large_divided / large_alone - 1.0).abs() < 0.01, "the large ones hardly notice");
}

/// Pieces of a read: whole requests are counted, pieces reach the drives, and the data is the same.
#[test]
fn a_divided_request_is_one_request() {
    let mut all = with_cache(cache(64, "back"));
    all["split"] = json!({"bytes": 32_768, "outstanding": 2});
    let plan = one_drive(all);
    let found = run(&plan, vec![request(0, Op::Read, 8_192, 131_072), request(S, Op::Read, 8_192, 131_072)]);
    let c = cached(&found);
    assert_eq!((c.reads, c.read_hits, c.read_bytes, c.read_hit_bytes), (2, 1, 262_144, 131_072));
    // 8 to 32, 32 to 64, 64 to 96, 96 to 128 and 128 to 136 KiB, in whole lines.
    assert_eq!((c.fetches, c.fetched_bytes), (5, 9 * LINE));
    assert_eq!((found.summary.total.completed, found.summary.devices[0].accesses), (2, 5));
}

/// V15: X = N x / (r + p (1 - r)). Without a cache, under fcfs and with queues so long that between the
/// read and the write of a parity update other operations move the arm, every operation of either level is a random
/// one and costs the same, which is what the formula takes for granted.
#[test]
fn raid_5_to_raid_10_capacity_at_70_30() {
    let iops = |level: &str| {
        let mut plan = one_pool(level, 8);
        plan["pools"][0]["scheduler"] = json!("fcfs");
        plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": 1_024, "per": "workload"});
        plan["observe"]["warmup_s"] = json!(5.0);
        plan["observe"]["end_s"] = json!(200.0);
        let found = run(&plan, poisson(8, 400_000, 1e3, 0.7, 8_192, capacity(level, 8)));
        assert_eq!(found.summary.window.end_ns, 200 * S);
        let left = found.summary.total.in_flight_at_end;
        assert!(left > 900, "the loop never runs dry: {left}");
        found.summary.total.completions.requests as f64 / 195.0
    };
    let (raid_5, raid_10) = (iops("5"), iops("10"));
    let ratio = raid_5 / raid_10;
    println!("RAID-5 {raid_5:.1}, RAID-10 {raid_10:.1} IOPS: {ratio:.4}");
    assert!((ratio - 1.3 / 1.9).abs() < 0.01, "{raid_5} {raid_10} {ratio}");
}

/// Host write response = path + cache while the cache takes it, and the drives' N x / p is where it ends. The
/// capacity is what the same array destages when it never lacks writes; it is N / (p x mean service of an operation),
/// the service being what the sorted sweep leaves of a random one.
#[test]
fn write_response_climbs_at_the_destage_capacity() {
    let drives = 8;
    let at = |rate: f64, count: usize| {
        let mut cache = cache(256, "back");
        cache["high_watermark"] = json!(0.75);
        cache["destage_outstanding"] = json!(128);
        let mut plan = one_pool("5", drives);
        plan["controller"] = with_cache(cache);
        plan["controller"]["processing"] = json!({"read_s": 0.0, "write_s": 30e-6, "processors": 1});
        plan["observe"]["warmup_s"] = json!(count as f64 / rate / 4.0);
        run(&plan, poisson(6, count, rate, 0.0, LINE as u32, capacity("5", drives as u64)))
    };
    // Flooded: what completes is what the drives take.
    let flooded = at(3_000.0, 12_000);
    let s = &flooded.summary;
    let accesses: u64 = s.devices.iter().map(|d| d.accesses).sum();
    let service_s = s.devices.iter().map(|d| d.service_ns).sum::<u64>() as f64 / accesses as f64 / 1e9;
    // A line is a stripe unit: old data, old parity, new data, new parity; fewer where a stripe has two dirty lines.
    let p = accesses as f64 / cached(&flooded).destages as f64;
    assert!((3.9..=4.01).contains(&p), "{p}");
    let span_s = (s.window.end_ns - s.window.start_ns) as f64 / 1e9;
    let capacity_iops = drives as f64 / (p * service_s);
    let taken = s.total.completions.requests as f64 / span_s;
    println!("N x / p = {capacity_iops:.1} IOPS at {:.3} ms; taken {taken:.1}", service_s * 1e3);
    assert!((taken / capacity_iops - 1.0).abs() < 0.05, "{taken} {capacity_iops}");
    let mean_ms = |load: f64| {
        let found = at(load * capacity_iops, 12_000);
        let mean = found.summary.total.response.write.mean_s * 1e3;
        println!("load {load}: {mean:.3} ms, {} waits", cached(&found).waits_for_space);
        mean
    };
    let flat = [0.3, 0.6, 0.85].map(mean_ms);
    assert!(flat.iter().all(|ms| (0.030..0.033).contains(ms)), "path and cache alone: {flat:?}");
    let above = mean_ms(1.15);
    assert!(above > 1_000.0 * 0.030, "{above}");
}

/// Few lines take half of the writes. The rule by utilisation keeps them back, so they are written more often in the
/// cache and less often on the drives than by watermark.
#[test]
fn hot_lines_stay_dirty_by_utilisation() {
    let mut random = Lcg(11);
    let writes: Vec<_> = (0..30_000)
        .map(|n| {
            let line = if random.below(2) == 0 { random.below(100) } else { 1_000 + random.below(20_000) };
            request(n * 4 * MS, Op::Write, line * LINE, LINE as u32)
        })
        .collect();
    let destaged = |destage: &str| {
        let mut cache = cache(400, "back");
        cache["high_watermark"] = json!(0.9);
        cache["low_watermark"] = json!(0.4);
        cache["destage_outstanding"] = json!(4);
        cache["destage"] = json!(destage);
        let mut plan = one_pool("0", 4);
        plan["controller"] = with_cache(cache);
        let found = run(&plan, writes.clone());
        let c = cached(&found);
        assert_eq!(c.waits_for_space, 0);
        println!(
            "{destage}: {} destages, {} kept back, {} overwritten",
            c.destages, c.kept_back, c.overwritten_bytes
        );
        assert_eq!(c.overwritten_bytes + c.destaged_bytes + c.dirty_bytes_at_end, c.write_bytes);
        (c.destages, c.kept_back)
    };
    let (by_watermark, kept) = destaged("watermark");
    assert_eq!(kept, 0);
    let (by_use, kept) = destaged("utilisation");
    assert!(kept > 0 && (by_use as f64) < 0.97 * by_watermark as f64, "{by_use} {by_watermark}");
}

/// The destage rate follows the share of dirty lines: half as many at a time half way between the watermarks.
#[test]
fn destages_by_utilisation_grow_with_it() {
    let mut cache = cache(100, "back");
    cache["high_watermark"] = json!(0.8);
    cache["low_watermark"] = json!(0.4);
    cache["destage_outstanding"] = json!(8);
    cache["destage"] = json!("utilisation");
    let mut plan = one_pool("0", 1);
    plan["controller"] = with_cache(cache);
    let at_drive = |lines: u64| {
        // All at once, far apart; the first destage is still under way when the last write comes.
        let found =
            run(&plan, (0..lines).map(|n| request(n, Op::Write, n * 20 * LINE, LINE as u32)).collect());
        found.summary.devices[0].arrivals
    };
    assert_eq!([40, 41, 50, 60, 79, 80].map(at_drive), [0, 1, 2, 4, 8, 8]);
}

/// The back-end stream of a cached array, replayed on the pool alone, is the same work for the drives.
#[test]
fn the_back_end_stream_replayed_is_the_same_work() {
    let mut plan = one_pool("5", 5);
    let mut cache = cache(100, "back");
    cache["high_watermark"] = json!(0.5);
    cache["destage_outstanding"] = json!(8);
    cache["read_ahead"] = read_ahead(2, 8);
    plan["controller"] = with_cache(cache);
    plan["observe"]["end_s"] = json!(100.0);
    let requests = poisson(3, 10_000, 100.0, 0.6, 8_192, 400 * LINE);
    let rows: Arc<Mutex<Vec<BackEndRow>>> = Arc::default();
    let seen = Arc::clone(&rows);
    let parsed: Plan = serde_json::from_value(plan.clone()).unwrap();
    let mut source = given(requests);
    let mut simulation = Simulation::new(&parsed, vec![&mut source]).unwrap();
    simulation.log_back_end(Box::new(move |batch| seen.lock().unwrap().extend_from_slice(batch)));
    let cached_run = simulation.run(&mut |_| true).unwrap();
    let rows = rows.lock().unwrap();
    assert!(rows.is_sorted_by_key(|r| r.at));
    let purposes: std::collections::BTreeSet<u32> = rows.iter().map(|r| r.reason).collect();
    assert!(purposes.len() >= 2, "fetches and destages: {purposes:?}");
    let stream =
        rows.iter().map(|r| request(r.at, if r.write { Op::Write } else { Op::Read }, r.offset, r.size));
    plan["controller"] = Value::Null;
    let alone = run(&plan, stream.collect());
    let work = |o: &Outcome| -> Vec<_> {
        let d = o.summary.devices.iter();
        d.map(|d| (d.arrivals, d.accesses, d.reads, d.bytes_read, d.bytes_written)).collect()
    };
    assert_eq!(work(&alone), work(&cached_run));
    let joules = |o: &Outcome| o.summary.devices.iter().flat_map(|d| d.energy_j.values()).sum::<f64>();
    assert!((joules(&alone) / joules(&cached_run) - 1.0).abs() < 1e-3);
}
