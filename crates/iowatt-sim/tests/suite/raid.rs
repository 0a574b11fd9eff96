//! RAID request counts, closed forms and mechanics on the whole simulator (docs/testing.md: V1-V5, V13-V16, V19).
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{Lcg, MS, S, capacity, given, one_pool, poisson, request, run, try_run};
use iowatt_sim::Outcome;
use iowatt_trace::{Op, Request};
use proptest::prelude::*;
use serde_json::{Value, json};

const UNIT: u32 = 16_384;
const LAYOUTS: [&str; 4] = ["left-symmetric", "left-asymmetric", "right-symmetric", "right-asymmetric"];

fn counts(outcome: &Outcome) -> (u64, u64) {
    let d = &outcome.summary.devices;
    (d.iter().map(|d| d.reads).sum(), d.iter().map(|d| d.writes).sum())
}

fn system(level: &str, n: usize, layout: usize, small_write: &str) -> Value {
    let mut plan = one_pool(level, n);
    plan["pools"][0]["raid"]["layout"] = json!(LAYOUTS[layout]);
    plan["pools"][0]["raid"]["small_write"] = json!(small_write);
    plan
}

/// A level, and a number of drives near `n` that it can have.
fn level_of(level: usize, n: usize) -> (&'static str, usize) {
    match ["0", "1", "10", "4", "5", "6"][level] {
        "10" => ("10", n / 2 * 2),
        level @ ("4" | "5") => (level, n.max(3)),
        "6" => ("6", n.max(4)),
        level => (level, n),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// V13: drive operations of a write of `w` whole units of one stripe, the table of docs/models/raid.md.
    #[test]
    fn write_counts(
        n in 2usize..14, layout in 0usize..4, level in 0usize..6, stripe in 0u64..1_000,
        w_seed in 0u64..100, first_seed in 0u64..100, choice in 0usize..3,
    ) {
        let (level, n) = level_of(level, n);
        let parity = match level { "4" | "5" => 1, "6" => 2, _ => 0 };
        let d = match level { "0" => n, "1" => 1, "10" => n / 2, _ => n - parity } as u64;
        let w = 1 + w_seed % d;
        let first = first_seed % (d - w + 1);
        let small_write = ["auto", "read-modify-write", "reconstruct"][choice];
        let plan = system(level, n, layout, small_write);
        let offset = (stripe * d + first) * u64::from(UNIT);
        let got = counts(&run(&plan, vec![request(0, Op::Write, offset, w as u32 * UNIT)]));
        let p = parity as u64;
        let expected = match level {
            "0" => (0, w),
            "1" => (0, n as u64),
            "10" => (0, 2 * w),
            _ if w == d => (0, d + p),
            _ => {
                let (modify, reconstruct) = (w + p, d - w);
                let reads = match small_write {
                    "read-modify-write" => modify,
                    "reconstruct" => reconstruct,
                    _ => modify.min(reconstruct),
                };
                (reads, w + p)
            }
        };
        prop_assert_eq!(got, expected);
    }

    /// A read costs one operation a drive that it touches in a stripe, and never more drives than there are.
    #[test]
    fn read_counts(n in 2usize..14, layout in 0usize..4, level in 0usize..6, stripe in 0u64..1_000, w_seed in 0u64..100) {
        let (level, n) = level_of(level, n);
        let d = match level { "0" => n, "1" => 1, "10" => n / 2, "6" => n - 2, _ => n - 1 } as u64;
        let w = 1 + w_seed % d;
        let plan = system(level, n, layout, "auto");
        let got = counts(&run(&plan, vec![request(0, Op::Read, stripe * d * u64::from(UNIT), w as u32 * UNIT)]));
        prop_assert_eq!(got, (w, 0));
    }

    /// With the parity check of the arrays2002 text, a read of `w` whole units of a stripe also reads its P (and Q); those
    /// operations are redundancy's, a write costs what it costs without, and levels without parity read nothing more.
    #[test]
    fn parity_check_adds_the_parity_units(
        n in 4usize..14, layout in 0usize..4, level in 0usize..6, stripe in 0u64..1_000, w_seed in 0u64..100,
    ) {
        let (level, n) = level_of(level, n);
        let parity = match level { "4" | "5" => 1, "6" => 2, _ => 0 };
        let d = match level { "0" => n, "1" => 1, "10" => n / 2, _ => n - parity } as u64;
        let (w, parity) = (1 + w_seed % d, parity as u64);
        let mut plan = system(level, n, layout, "auto");
        let of = |plan: &Value, op: Op| {
            run(plan, vec![request(0, op, stripe * d * u64::from(UNIT), w as u32 * UNIT)])
        };
        let write = counts(&of(&plan, Op::Write));
        plan["pools"][0]["raid"]["parity_check_on_read"] = json!(true);
        let read = of(&plan, Op::Read);
        prop_assert_eq!(counts(&read), (w + parity, 0));
        prop_assert_eq!(read.summary.devices.iter().map(|d| d.bytes_read).sum::<u64>(), (w + parity) * u64::from(UNIT));
        let redundancy = read.summary.devices.iter().filter(|d| d.cause_j["redundancy"] > 0.0).count();
        prop_assert_eq!(redundancy as u64, parity);
        prop_assert_eq!(counts(&of(&plan, Op::Write)), write);
    }

    /// The check reads of parity what covers the part of each unit that is read: of one unit the same sectors, of several
    /// all of it.
    #[test]
    fn parity_check_covers_what_is_read(from in 0u64..31, sectors in 1u64..64, six in any::<bool>()) {
        let (level, parity) = if six { ("6", 2) } else { ("4", 1) };
        let mut plan = system(level, 8, 0, "auto");
        plan["pools"][0]["raid"]["parity_check_on_read"] = json!(true);
        let read = run(&plan, vec![request(0, Op::Read, from * 512, sectors as u32 * 512)]);
        let units = (from + sectors - 1) / 32 + 1;
        let checked = parity * if units == 1 { sectors } else { 32 };
        prop_assert_eq!(counts(&read), (units + parity, 0));
        prop_assert_eq!(read.summary.devices.iter().map(|d| d.bytes_read).sum::<u64>(), (sectors + checked) * 512);
    }

    /// Bytes written to data drives are the bytes asked for, however the write is cut.
    #[test]
    fn every_byte_is_written_once(level in 0usize..3, first in 0u64..10_000, sectors in 1u32..2_000) {
        let (level, factor) = [("0", 1), ("10", 2), ("1", 6)][level];
        let outcome = run(&one_pool(level, 6), vec![request(0, Op::Write, first * 512, sectors * 512)]);
        let written: u64 = outcome.summary.devices.iter().map(|d| d.bytes_written).sum();
        prop_assert_eq!(written, u64::from(sectors) * 512 * factor);
    }
}

/// Runs that continue on a drive are joined: a read of ten whole RAID-0 stripes is one operation a drive.
#[test]
fn contiguous_runs_on_a_drive_are_one_operation() {
    let got = counts(&run(&one_pool("0", 8), vec![request(0, Op::Read, 0, 80 * UNIT)]));
    assert_eq!(got, (8, 0));
    // A write of ten whole RAID-5 stripes leaves no gap either: parity and data alternate.
    let got = counts(&run(&one_pool("5", 5), vec![request(0, Op::Write, 0, 40 * UNIT)]));
    assert_eq!(got, (0, 5));
    // Nor does a read of them that checks their parity.
    let mut plan = one_pool("5", 5);
    plan["pools"][0]["raid"]["parity_check_on_read"] = json!(true);
    assert_eq!(counts(&run(&plan, vec![request(0, Op::Read, 0, 40 * UNIT)])), (5, 0));
}

/// Unaligned multi-unit writes cover the whole unit in parity; reconstruct reads what they leave of it.
#[test]
fn unaligned_reconstruct_reads_the_edges() {
    // 6 drives, 5 data: units 1..=3 touched from the middle of 1 to the middle of 3.
    let plan = system("5", 6, 0, "reconstruct");
    let half = UNIT / 2;
    let outcome = run(&plan, vec![request(0, Op::Write, u64::from(UNIT + half), 2 * UNIT)]);
    // Reads: units 0 and 4 whole, and the two halves; writes: 3 data parts and the parity unit.
    assert_eq!(counts(&outcome), (4, 4));
    let bytes = |f: fn(&iowatt_sim::testing::DriveResult) -> u64| -> u64 {
        outcome.summary.devices.iter().map(f).sum()
    };
    assert_eq!(bytes(|d| d.bytes_read), u64::from(3 * UNIT));
    assert_eq!(bytes(|d| d.bytes_written), u64::from(3 * UNIT));
}

/// In-place read-modify-write costs a whole extra turn between the read and the write of a sector.
#[test]
fn a_small_write_takes_a_turn_between_read_and_write() {
    let mut plan = one_pool("5", 5);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    // 8 KiB at LBN 0 of drive 0 and of parity drive 4, both in phase: read 0.4 ms, then the write
    // of the same sectors a turn later: 5 ms + 0.4 ms.
    let outcome = run(&plan, vec![request(0, Op::Write, 0, 8_192)]);
    assert_eq!(outcome.summary.total.response.all.max_s, 5.4e-3);
    assert_eq!(counts(&outcome), (2, 2));
}

/// V14, V15: back-end operations of a host mix: reads + p x writes, p = 1, 2, 4, 6, in every layout. At
/// 70/30 the capacities of RAID-5 and RAID-10 are therefore as 1.3 to 1.9.
#[test]
fn mixed_loads_cost_their_back_end_operations() {
    let operations = |level: &str, layout: usize| {
        let requests = poisson(11, 4_000, 200.0, 0.7, 8_192, capacity("10", 8));
        let writes = requests.iter().filter(|r| r.op == Op::Write).count() as f64;
        let (r, w) = counts(&run(&system(level, 8, layout, "auto"), requests));
        ((r + w) as f64, 4_000.0 - writes, writes)
    };
    for (level, p) in [("0", 1.0), ("10", 2.0), ("5", 4.0), ("4", 4.0), ("6", 6.0)] {
        for (layout, name) in LAYOUTS.iter().enumerate() {
            let (made, reads, writes) = operations(level, layout);
            assert_eq!(made, reads + p * writes, "RAID-{level}, {name}");
        }
    }
    let ratio = operations("10", 0).0 / operations("5", 0).0;
    assert!((ratio - 1.3 / 1.9).abs() < 0.01, "{ratio}");
}

/// V15: RAID-5 : RAID-10 host throughput at 70/30 in back-end counts is 1.3/1.9 = 0.684.
#[test]
fn closed_loop_throughput_follows_the_back_end_counts() {
    let iops = |level: &str| {
        let mut plan = one_pool(level, 8);
        plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": 256, "per": "workload"});
        // Addresses within the RAID-10 capacity for both, so that seeks are alike.
        let requests = poisson(11, 30_000, 1.0, 0.7, 8_192, capacity("10", 8));
        let s = run(&plan, requests).summary;
        (s.total.completed as f64 / (s.window.end_ns as f64 / 1e9), s)
    };
    let (five, _) = iops("5");
    let (ten, s) = iops("10");
    // The count is exact, the time is not: a read-modify-write's second access waits a turn but needs no
    // seek, and RAID-10 chooses the nearer copy. Published: 0.646 (HP), 0.683 (SNIA).
    let ratio = five / ten;
    assert!((0.60..0.75).contains(&ratio), "{ratio}");
    let busy: u64 = s.devices.iter().map(|d| d.state_ns["active"] + d.state_ns["positioning"]).sum();
    let service: u64 = s.devices.iter().map(|d| d.service_ns).sum();
    assert_eq!(busy, service);
}

/// V16: RAID-4's parity drive takes every parity access, RAID-5 spreads them.
#[test]
fn parity_load_is_on_the_last_drive_of_raid4() {
    let writes = |level: &str| {
        let requests = poisson(4, 2_000, 50.0, 0.0, 8_192, capacity(level, 6));
        run(&one_pool(level, 6), requests).summary.devices.iter().map(|d| d.writes).collect::<Vec<_>>()
    };
    let four = writes("4");
    assert_eq!(four[5], 2_000);
    assert_eq!(four[..5].iter().sum::<u64>(), 2_000);
    let five = writes("5");
    // 4,000 writes over 6 drives: 667 each; binomial sigma about 24.
    assert!(five.iter().all(|&w| (550..790).contains(&w)), "{five:?}");
}

fn lone_reads(count: usize, seed: u64, capacity: u64) -> Vec<Request> {
    let mut random = Lcg(seed);
    // 100 ms and a random part of a turn apart: never two at once, no phase locked to the last request.
    let mut time = 0;
    (0..count)
        .map(|_| {
            time += 100 * MS + random.below(5 * MS);
            request(time, Op::Read, random.below(capacity / 512) * 512, 512)
        })
        .collect()
}

/// V1: the mean rotational wait is half a turn; V2: the mean seek distance of uniform requests is C/3.
#[test]
fn random_reads_wait_half_a_turn_and_seek_a_third() {
    let outcome = run(&one_pool("0", 1), lone_reads(20_000, 1, capacity("0", 1)));
    let d = &outcome.summary.devices[0];
    let rotation_ms = d.rotation_ns as f64 / d.accesses as f64 / 1e6;
    // Uniform on 0..5 ms: sigma of the mean = 5/sqrt(12 x 20,000) = 0.010 ms.
    assert!((rotation_ms - 2.5).abs() < 0.05, "{rotation_ms}");
    let cylinders = d.seek_cylinders as f64 / d.accesses as f64;
    // (C^2 - 1)/(3C) = 333.33 at C = 1,000; sigma of the mean = 1,000 sqrt(1/18/20,000) = 1.7.
    assert!((cylinders - 333.33).abs() < 7.0, "{cylinders}");
}

/// V3: with two arms at independent places, a read by the nearer travels 5/24 of the stroke and a write by
/// both, which waits for the farther, 11/24.
#[test]
fn mirrors_shorten_the_seeks_of_reads_and_lengthen_those_of_writes() {
    let mut plan = one_pool("1", 2);
    plan["pools"][0]["device"]["rpm"] = json!(600_000.0); // 0.1 ms a turn: seeks remain
    plan["workloads"] = json!([
        {"volume": 0, "replay": {"mode": "open", "speed": 1.0}},
        {"volume": 0, "replay": {"mode": "open", "speed": 1.0}},
    ]);
    let mean_ms = |op: Op| {
        let mut random = Lcg(7);
        let mut at = |time, op| request(time, op, random.below(800_000) * 512, 512);
        // Two reads at once send the arms to two independent places; the request 100 ms later is measured.
        let (mut scatter, mut measured) = (vec![], vec![]);
        for i in 0..20_000 {
            scatter.extend([at(i * S, Op::Read), at(i * S, Op::Read)]);
            measured.push(at(i * S + 100 * MS, op));
        }
        let outcome = try_run(&plan, vec![given(scatter), given(measured)]).unwrap();
        outcome.summary.workloads[1].response.all.mean_s * 1e3
    };
    // Seek 0.5 ms + 4 ms over the stroke; waits of half a turn for one drive, 2/3 for the later of two.
    // Sigma of the distance is under 0.25 of the stroke: 1 ms / sqrt(20,000) = 0.007 ms.
    let (read, write) = (mean_ms(Op::Read), mean_ms(Op::Write));
    let nearer = 0.5 + 4.0 * 5.0 / 24.0 + 0.05;
    assert!((read - nearer).abs() < 0.03, "{read} {nearer}");
    // The wait of the farther arm alone is half a turn; the other may still be waiting: at most 2/3.
    let farther = 0.5 + 4.0 * 11.0 / 24.0 + 0.05;
    assert!((farther - 0.03..farther + 0.05).contains(&write), "{write} {farther}");
}

/// V4: the slowest of k unsynchronised drives without seeks waits k/(k+1) of a turn.
#[test]
fn fork_join_over_phases_waits_for_the_slowest() {
    for k in [2u64, 4, 8] {
        let mut plan = one_pool("0", k as usize);
        // Phases are fixed within a run, so several seeds are averaged.
        let (mut sum, mut n) = (0.0, 0);
        for seed in 0..60 {
            plan["seed"] = json!(seed);
            let mut random = Lcg(seed + 100);
            // Always the first stripe: no seeks after the first; one sector of each unit is not possible
            // in one request, so whole units are read and their transfer is subtracted.
            let requests: Vec<_> = (0..200)
                .map(|i| request(i * 100 * MS + random.below(5 * MS), Op::Read, 0, k as u32 * UNIT))
                .collect();
            let s = run(&plan, requests).summary;
            sum += s.total.response.all.mean_s * 1e3 - 32.0 / 200.0 * 5.0;
            n += 1;
        }
        let mean = sum / f64::from(n);
        let expected = k as f64 / (k + 1) as f64 * 5.0;
        assert!((mean - expected).abs() < 0.15, "k = {k}: {mean} {expected}");
    }
}

/// V5: a fork-join of k independent exponential services takes H_k of one. The services are transfers of
/// exponentially distributed lengths from drives that neither seek nor wait.
#[test]
fn fork_join_of_exponential_services_takes_the_harmonic_sum() {
    let mean_sectors = 2_000.0;
    for k in [2usize, 4, 8] {
        let mut plan = one_pool("0", k);
        plan["pools"][0]["device"]["phase"] = json!("zero");
        for skew in ["track_skew_sectors", "cylinder_skew_sectors"] {
            plan["pools"][0]["device"]["layout"]["zoned"]["zones"][0][skew] = json!(0.0);
        }
        plan["pools"][0]["device"]["head_switch_s"] = json!(0.0);
        plan["pools"][0]["device"]["seek"] = json!({"constant": 0.0});
        // A stripe unit of half a drive: each request is one run on one drive.
        let unit = 400_000 * 512;
        plan["pools"][0]["raid"]["stripe_unit_bytes"] = json!(unit);
        plan["volumes"][0]["capacity_bytes"] = json!(unit * k as u64);
        let (mut random, mut sum, runs) = (Lcg(k as u64), 0.0, 1_500);
        for _ in 0..runs {
            let part = |drive: u64| {
                let sectors = (-random.unit().ln() * mean_sectors).ceil() as u32;
                request(0, Op::Read, drive * unit, sectors * 512)
            };
            let s = run(&plan, (0..k as u64).map(part).collect()).summary;
            sum += s.total.response.all.max_s;
        }
        // 200 sectors a turn of 5 ms: 2,000 sectors take 50 ms (and half a sector, for rounding up).
        let one = (mean_sectors + 0.5) / 200.0 * 5e-3;
        let harmonic: f64 = (1..=k).map(|i| 1.0 / i as f64).sum();
        let ratio = sum / f64::from(runs) / one;
        // Sigma of a maximum is under 1.28: 0.033 on the mean of 1,500.
        assert!((ratio - harmonic).abs() < 0.13, "k = {k}: {ratio} {harmonic}");
    }
}

/// V19: the sequential rate is sectors per track over a turn, less skew.
#[test]
fn sequential_rate_is_the_zones_rate_less_skew() {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    // 800 cylinders of 4 tracks: 3,200 tracks; 3 head skews of 20 and one cylinder skew of 25 per cylinder.
    let bytes = 800 * 4 * 200 * 512;
    let outcome = run(&plan, vec![request(0, Op::Read, 0, bytes)]);
    let turns = 3_200.0 + (800.0 * 3.0 * 20.0 + 799.0 * 25.0) / 200.0;
    let expected = turns * 5e-3;
    assert!((outcome.summary.total.response.all.max_s - expected).abs() < 1e-6);
    // The same in MB/s: 200 x 512 / (5 ms x (1 + 21.25/200)), to the one missing cylinder change.
    let rate = f64::from(bytes) / outcome.summary.total.response.all.max_s;
    assert!((rate / (200.0 * 512.0 / (5e-3 * (1.0 + 21.25 / 200.0))) - 1.0).abs() < 1e-4);
}

/// A shared bus serialises: four drives that have their sectors at the same instant leave one by one.
#[test]
fn a_shared_bus_is_taken_in_turn() {
    let mut plan = one_pool("0", 4);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    plan["buses"] = json!([{"bandwidth_bytes_per_s": 16_384_000.0, "arbitration_s": 0.0}]);
    plan["pools"][0]["bus_of_drive"] = json!([0, 0, 0, 0]);
    // A unit takes 0.8 ms from the media and 1 ms on the bus. All are ready when their first sector is in the
    // buffer, at 25 us; the k-th transfer ends k ms later.
    let outcome = run(&plan, vec![request(0, Op::Read, 0, 4 * UNIT)]);
    assert_eq!(outcome.summary.total.response.all.max_s, 4.025e-3);
    assert_eq!((outcome.summary.buses[0].busy_ns, outcome.summary.buses[0].wait_ns), (4 * MS, 6 * MS));
    // Without the bus it is the media's 0.8 ms.
    let mut free = one_pool("0", 4);
    free["pools"][0]["device"]["phase"] = json!("zero");
    assert_eq!(run(&free, vec![request(0, Op::Read, 0, 4 * UNIT)]).summary.total.response.all.max_s, 0.8e-3);
}

/// RAID-10 reads go to the shorter queue first, then to the shorter seek.
#[test]
fn raid10_reads_choose_their_copy() {
    let plan = one_pool("10", 2);
    // Two reads at once: the second finds the first copy busy.
    let both = vec![request(0, Op::Read, 0, 4_096), request(0, Op::Read, 65_536, 4_096)];
    let s = run(&plan, both).summary;
    assert_eq!((s.devices[0].reads, s.devices[1].reads), (1, 1));
    // Far apart in time: the arm that is near takes it.
    let end = capacity("10", 2) - 4_096;
    let apart = vec![
        request(0, Op::Read, 0, 4_096),            // a copy at random
        request(0, Op::Read, end, 4_096),          // that one is busy: the other goes to the far end
        request(S, Op::Read, end - 65_536, 4_096), // it is near
        request(2 * S, Op::Read, 65_536, 4_096),   // the first is near
    ];
    let s = run(&plan, apart).summary;
    assert_eq!((s.devices[0].reads, s.devices[1].reads), (2, 2));
}

/// Copies that are alike share the reads: always the first, its mirror would do nothing but write.
#[test]
fn raid10_reads_of_like_copies_are_drawn_by_lot() {
    let plan = one_pool("10", 2);
    // A write brings both arms to one place; the read that follows a second later finds them alike.
    let (n, place) = (1_000, |i: u64| i * 7_919 % 25_000 * 4_096);
    let requests = (0..n).flat_map(|i| {
        [request(2 * i * S, Op::Write, place(i), 4_096), request((2 * i + 1) * S, Op::Read, place(i), 4_096)]
    });
    let s = run(&plan, requests.collect()).summary;
    // Standard deviation 15.8; five of them.
    assert!(s.devices[0].reads.abs_diff(500) < 79, "{}", s.devices[0].reads);
    assert_eq!(s.devices[0].reads + s.devices[1].reads, n);
}

/// The command's time passes before the arm moves: SPTF reckons with it, or it would lose whole turns.
#[test]
fn sptf_reckons_with_the_command() {
    let mean = |scheduler: &str, overhead: f64| {
        let mut plan = one_pool("0", 1);
        plan["pools"][0]["scheduler"] = json!(scheduler);
        plan["pools"][0]["device"]["controller"] = json!({"read_miss_s": [overhead, overhead]});
        plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": 128, "per": "workload"});
        run(&plan, poisson(5, 20_000, 1.0, 1.0, 4_096, capacity("0", 1))).summary.devices[0].service_ns
    };
    let (without, with) = (mean("sptf", 0.0), mean("sptf", 0.5e-3));
    // 20,000 x 0.5 ms more, and a little for the poorer choice among fewer reachable sectors.
    assert!((with - without) as f64 / 20_000.0 < 0.7e6, "{without} {with}");
    assert!(with < mean("sstf", 0.5e-3));
}

/// Two streams that hammer one block do not keep an elevator from the rest.
#[test]
fn elevators_do_not_starve() {
    for scheduler in ["look", "scan", "c-look"] {
        let mut plan = one_pool("0", 1);
        plan["pools"][0]["scheduler"] = json!(scheduler);
        plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": 1, "per": "stream"});
        let hammer =
            |stream: u32| (0..500).map(move |_| Request { stream, ..request(0, Op::Read, 0, 4_096) });
        let other = Request { stream: 3, ..request(0, Op::Read, 40_960_000, 4_096) };
        let requests: Vec<_> = hammer(1).chain(hammer(2)).chain([other]).collect();
        let s = run(&plan, requests).summary;
        // 16 more turns at the block, then the way there.
        assert!(s.total.response.all.max_s < 0.12, "{scheduler}: {}", s.total.response.all.max_s);
    }
}
