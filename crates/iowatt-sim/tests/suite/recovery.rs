//! Failed drives, degraded operation and rebuild (docs/testing.md: V17, V18).
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{
    Lcg, MS, S, capacity, given, one_pool, poisson, refusal, request, run, trouble, try_run,
};
use iowatt_sim::testing::Layout;
use iowatt_sim::testing::{ParityLayout, RaidLevel};
use iowatt_sim::{Outcome, Plan, SimError, Simulation, Summary};
use iowatt_trace::{Op, Request};
use proptest::prelude::*;
use serde_json::{Value, json};

const UNIT: u64 = 16_384;
/// Bytes of a drive: 25,000 whole stripe units.
const DRIVE: u64 = 25_000 * UNIT;
const LAYOUTS: [&str; 4] = ["left-symmetric", "left-asymmetric", "right-symmetric", "right-asymmetric"];

fn broken(level: &str, n: usize, layout: usize, failed: &[usize]) -> Value {
    let mut plan = one_pool(level, n);
    plan["pools"][0]["raid"]["layout"] = json!(LAYOUTS[layout]);
    plan["pools"][0]["raid"]["small_write"] = json!("read-modify-write");
    let failures: Vec<_> = failed.iter().map(|&drive| (drive, 0.0)).collect();
    trouble(&mut plan, 0, "dedicated", &failures);
    plan
}

/// One small request to every data unit of the first `stripes` stripes, never two at once.
fn every_unit(op: Op, stripes: u64, data: u64) -> Vec<Request> {
    (0..stripes * data).map(|unit| request(unit * S / 5, op, unit * UNIT, 4_096)).collect()
}

fn operations(outcome: &Outcome) -> u64 {
    outcome.summary.devices.iter().map(|d| d.accesses).sum()
}

fn counts(outcome: &Outcome) -> (u64, u64) {
    let d = &outcome.summary.devices;
    (d.iter().map(|d| d.reads).sum(), d.iter().map(|d| d.writes).sum())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// V17, RAID-5 reads: 2(n-1)/n operations a read, and every survivor's load doubles exactly.
    #[test]
    fn raid5_degraded_reads_double_the_load(n in 3usize..12, layout in 0usize..4, failed_seed in 0usize..100) {
        let failed = failed_seed % n;
        let requests = every_unit(Op::Read, n as u64, n as u64 - 1);
        let healthy = run(&broken("5", n, layout, &[]), requests.clone());
        let outcome = run(&broken("5", n, layout, &[failed]), requests);
        // n(n-1) reads x 2(n-1)/n.
        let n1 = n as u64 - 1;
        prop_assert_eq!(operations(&outcome), 2 * n1 * n1);
        for (i, d) in outcome.summary.devices.iter().enumerate() {
            let expected = if i == failed { 0 } else { 2 * healthy.summary.devices[i].reads };
            prop_assert_eq!(d.reads, expected, "drive {}", i);
        }
    }

    /// V17, RAID-5 small writes: (5n-8)/n operations.
    #[test]
    fn raid5_degraded_small_writes(n in 3usize..12, layout in 0usize..4, failed_seed in 0usize..100) {
        let outcome = run(&broken("5", n, layout, &[failed_seed % n]), every_unit(Op::Write, n as u64, n as u64 - 1));
        // n(n-1) writes x (5n-8)/n. For n = 3 a lost unit costs 1 read and 1 write: the same formula.
        let n = n as u64;
        prop_assert_eq!(operations(&outcome), (n - 1) * (5 * n - 8));
    }

    /// V17, RAID-6: (2n-3)/n operations a read with one failed, 3(n-2)/n with two; (7n-11)/n a small write
    /// with one: (n-3)/n x 6 + 2/n x 4 + 1/n x (n-1).
    #[test]
    fn raid6_degraded(n in 4usize..12, layout in 0usize..4, a in 0usize..100, b in 0usize..100) {
        let (a, b) = (a % n, b % n);
        let (m, d) = (n as u64, n as u64 - 2);
        let reads = every_unit(Op::Read, m, d);
        prop_assert_eq!(operations(&run(&broken("6", n, layout, &[a]), reads.clone())), d * (2 * m - 3));
        let writes = every_unit(Op::Write, m, d);
        prop_assert_eq!(operations(&run(&broken("6", n, layout, &[a]), writes)), d * (7 * m - 11));
        if a != b {
            prop_assert_eq!(operations(&run(&broken("6", n, layout, &[a, b]), reads)), 3 * d * d);
        }
    }

    /// V17, RAID-10: the partner takes all reads of the pair and as many writes as before.
    #[test]
    fn raid10_partner_reads_twice(half in 1usize..6, failed_seed in 0usize..100) {
        let n = 2 * half;
        let failed = failed_seed % n;
        let partner = (failed + half) % n;
        for op in [Op::Read, Op::Write] {
            let outcome = run(&broken("10", n, 0, &[failed]), every_unit(op, 10, half as u64));
            let d = &outcome.summary.devices;
            prop_assert_eq!(d[failed].accesses, 0);
            prop_assert_eq!(d[partner].accesses, 10);
            let expected = if op == Op::Read { 10 * half } else { 20 * half - 10 };
            prop_assert_eq!(operations(&outcome), expected as u64);
        }
    }

    /// Operations of a request to `w` whole units of one stripe, whatever has failed: the table of
    /// docs/models/raid.md.
    #[test]
    fn operations_of_a_degraded_stripe(
        n in 4usize..12, layout in 0usize..4, level in 0usize..3, stripe in 0u64..500, w_seed in 0u64..100,
        first_seed in 0u64..100, choice in 0usize..3, a in 0usize..100, b in 0usize..100,
    ) {
        let (level, scheme) = [("4", RaidLevel::Raid4), ("5", RaidLevel::Raid5), ("6", RaidLevel::Raid6)][level];
        let parities = if level == "6" { 2 } else { 1 };
        let d = (n - parities) as u64;
        let (w, mut failed) = (1 + w_seed % d, vec![a % n]);
        let first = first_seed % (d - w + 1);
        if level == "6" && b % n != a % n {
            failed.push(b % n);
        }
        let small_write = ["auto", "read-modify-write", "reconstruct"][choice];
        let mut plan = broken(level, n, layout, &failed);
        plan["pools"][0]["raid"]["small_write"] = json!(small_write);
        let rotation = serde_json::from_value::<ParityLayout>(json!(LAYOUTS[layout])).unwrap();
        let l = Layout::new(scheme, rotation, n, 32);
        let gone = |drive: u64| failed.contains(&(drive as usize));
        let missing = (0..d).filter(|&i| gone(l.data_drive(stripe, i))).count() as u64;
        let touched = (first..first + w).filter(|&i| gone(l.data_drive(stripe, i))).count() as u64;
        let parity = (0..parities).map(|number| l.parity_drive(stripe, number));
        let alive = parity.filter(|&p| !gone(p)).count() as u64;

        let offset = (stripe * d + first) * UNIT;
        let of = |op| {
            let outcome = run(&plan, vec![request(0, op, offset, (w * UNIT) as u32)]);
            for (i, drive) in outcome.summary.devices.iter().enumerate() {
                let most = if failed.contains(&i) { 0 } else { 1 };
                assert!(drive.reads <= most && drive.writes <= most, "drive {i}");
            }
            counts(&outcome)
        };
        prop_assert_eq!(of(Op::Read), (if touched > 0 { d } else { w }, 0));
        let (modify, reconstruct) = (w + alive, d - w);
        let reads = match (touched, missing - touched) {
            _ if w == d || alive == 0 => 0,
            (0, 0) if small_write == "auto" => modify.min(reconstruct),
            (0, 0) if small_write == "reconstruct" => reconstruct,
            (0, _) => modify,
            (_, 0) => reconstruct,
            (_, _) => d,
        };
        prop_assert_eq!(of(Op::Write), (reads, w - touched + alive));
        // A read that checks parity takes all of it that is left, what it computes from included.
        plan["pools"][0]["raid"]["parity_check_on_read"] = json!(true);
        let checked = run(&plan, vec![request(0, Op::Read, offset, (w * UNIT) as u32)]);
        prop_assert_eq!(counts(&checked), (if touched > 0 { d - missing } else { w } + alive, 0));
    }

    /// Whatever is asked, of whatever level, before, during and after a rebuild: every request completes,
    /// a drive that is gone does nothing, and a rebuild restores all that was lost, once.
    #[test]
    fn nothing_is_lost_and_nothing_is_asked_of_the_dead(
        level in 0usize..7, distributed in any::<bool>(), seed in 0u64..1_000, failed in 0usize..6,
        outstanding in 1u32..9, step in 1u64..200, equal in any::<bool>(), check in any::<bool>(),
    ) {
        let level = ["1", "10", "4", "5", "6", "ec3+3", "ec2+2+2"][level];
        let distributed = distributed && !matches!(level, "1" | "4");
        let mut plan = small(level, 6);
        plan["pools"][0]["raid"]["parity_check_on_read"] = json!(check);
        plan["pools"][0]["raid"]["mirror_reads"] = json!(["shorter-queue", "spinning", "primary"][(seed % 3) as usize]);
        let sparing = if distributed { "distributed" } else { "dedicated" };
        trouble(&mut plan, 1, sparing, &[(failed, 0.0)]);
        let rebuild = &mut plan["pools"][0]["recovery"]["rebuild"];
        rebuild["outstanding"] = json!(outstanding);
        rebuild["step_bytes"] = json!(step * 8_192);
        rebuild["priority"] = json!(if equal { "equal" } else { "host-first" });
        plan["observe"]["end_s"] = json!(100.0);
        let mut requests = poisson(seed, 300, 100.0, 0.5, 4_096, small_capacity(level, 6));
        // Some are long and cross units and stripes.
        let limit = small_capacity(level, 6);
        requests.iter_mut().step_by(3).for_each(|r| r.size = (4_096 + r.offset % 200_000).min(limit - r.offset) as u32);
        let s = run(&plan, requests).summary;
        prop_assert_eq!(s.total.completed, 300);
        prop_assert_eq!(s.devices[failed].arrivals, 0);
        let rebuilt = s.rebuilds[0];
        prop_assert!(rebuilt.finished_ns.is_some());
        prop_assert_eq!(rebuilt.rebuilt_bytes, rebuilt.lost_bytes);
        // 40 stripes; with distributed sparing a drive holds data or parity in 6 of 7.
        let spare_stripes = if distributed { (0..40).filter(|s| (6 + 7 - s % 7) % 7 == failed).count() } else { 0 };
        let expected = if level == "1" { SMALL_SECTORS * 512 } else { (40 - spare_stripes as u64) * UNIT };
        prop_assert_eq!(rebuilt.lost_bytes, expected);
        for d in &s.devices {
            prop_assert_eq!(d.arrivals, d.accesses + d.redirected);
            prop_assert!(d.background_accesses <= d.accesses);
        }
    }
}

const SMALL_SECTORS: u64 = 40 * 32 + 7;

/// Small drives, of 40 stripe units and a rest, so that rebuilds are over soon.
fn small(level: &str, n: usize) -> Value {
    let mut plan = one_pool(level, n);
    plan["pools"][0]["device"]["sectors"] = json!(SMALL_SECTORS);
    plan["volumes"][0]["capacity_bytes"] = json!(small_capacity(level, n as u64));
    plan
}

fn small_capacity(level: &str, n: u64) -> u64 {
    if level == "1" { SMALL_SECTORS * 512 } else { capacity(level, n) / 25_000 * 40 }
}

/// A run without requests.
fn unattended(plan: &mut Value, seconds: f64) -> Summary {
    plan["workloads"] = json!([]);
    plan["observe"]["end_s"] = json!(seconds);
    try_run(plan, vec![]).unwrap().summary
}

fn rebuild_seconds(s: &Summary) -> f64 {
    let r = s.rebuilds[0];
    (r.finished_ns.unwrap() - r.started_ns.unwrap()) as f64 / 1e9
}

/// Sequential time of a whole drive: 4,000 tracks, 3 head skews of 20 and a cylinder skew of 25 sectors a
/// cylinder (V19).
fn sequential_seconds() -> f64 {
    (4_000.0 + (1_000.0 * 3.0 * 20.0 + 999.0 * 25.0) / 200.0) * 5e-3
}

/// V18, dedicated spare without load: T = cap / b, the time to write the spare once from end to end, and
/// some turns until the stream runs. Every survivor is read once (RAID-5: declustering ratio 1).
#[test]
fn a_rebuild_without_load_takes_the_bound() {
    for (level, n) in [("5", 6), ("4", 6), ("6", 6), ("10", 6), ("1", 2)] {
        let mut plan = one_pool(level, n);
        trouble(&mut plan, 1, "dedicated", &[(1, 0.0)]);
        let s = unattended(&mut plan, 120.0);
        let (seconds, bound) = (rebuild_seconds(&s), sequential_seconds());
        // RAID-6 skips one unit in n of each survivor and the slowest read decides.
        assert!((bound..bound * 1.01 + 0.1).contains(&seconds), "RAID-{level}: {seconds} {bound}");
        let spare = &s.devices[n];
        let bytes = if level == "1" { 409_600_000 } else { DRIVE };
        assert_eq!((spare.bytes_written, spare.bytes_read), (bytes, 0));
        assert_eq!(spare.background_accesses, spare.accesses);
        let read: Vec<u64> = (0..n).filter(|&i| i != 1).map(|i| s.devices[i].bytes_read).collect();
        match level {
            "4" | "5" => assert_eq!(read, [DRIVE; 5]),
            "6" => assert_eq!(read.iter().sum::<u64>(), 4 * DRIVE), // d units of each stripe
            _ => assert_eq!(read.iter().sum::<u64>(), bytes),       // the mirror
        }
    }
}

/// V18 with a rate limit far below what the drives can do: T = cap / rate.
#[test]
fn a_rebuild_keeps_its_rate() {
    for (level, sparing) in
        [("5", "dedicated"), ("5", "distributed"), ("10", "distributed"), ("6", "distributed")]
    {
        let mut plan = one_pool(level, 6);
        trouble(&mut plan, 1, sparing, &[(2, 5.0)]);
        plan["pools"][0]["recovery"]["rebuild"]["rate_bytes_per_s"] = json!(4.096e6);
        plan["pools"][0]["recovery"]["rebuild"]["delay_s"] = json!(3.0);
        let s = unattended(&mut plan, 200.0);
        let r = s.rebuilds[0];
        assert_eq!((r.failed_ns, r.started_ns), (5 * S, Some(8 * S)));
        // The last step begins a step short of cap/rate (at most 0.256 s) and takes some milliseconds.
        let expected = r.lost_bytes as f64 / 4.096e6;
        let seconds = rebuild_seconds(&s);
        assert!(
            (expected - 0.3..expected + 0.3).contains(&seconds),
            "{level} {sparing}: {seconds} {expected}"
        );
    }
}

/// V18, distributed sparing: the whole rebuild is lost x G bytes (G - 1 read, one written), even over the N - 1
/// survivors, which bounds its time from below.
#[test]
fn a_distributed_rebuild_is_spread_evenly() {
    let n = 6u64;
    let mut plan = one_pool("5", n as usize);
    trouble(&mut plan, 1, "distributed", &[(3, 0.0)]);
    let s = unattended(&mut plan, 200.0);
    let lost = s.rebuilds[0].lost_bytes;
    let moved: Vec<u64> = s.devices.iter().map(|d| d.bytes_read + d.bytes_written).collect();
    assert_eq!(moved[3], 0);
    assert_eq!(moved.iter().sum::<u64>(), lost * n);
    let share = lost * n / 6; // N - 1 = 6 survivors of 7 drives
    // 25,000 stripes are 3,571 turns of 7 and 3 more: at most 3 units of difference.
    assert!(moved.iter().filter(|&&m| m > 0).all(|&m| m.abs_diff(share) <= 3 * UNIT), "{moved:?}");
    let bandwidth = 409_600_000.0 / sequential_seconds();
    assert!(rebuild_seconds(&s) >= share as f64 / bandwidth);
}

/// V18 with load: never faster than without, and requests wait; a rebuild that gives way hurts them less.
#[test]
fn load_slows_a_rebuild_and_a_rebuild_slows_the_load() {
    let at = |spares: usize, rate: f64, priority: &str| {
        let mut plan = one_pool("5", 6);
        trouble(&mut plan, spares, "dedicated", &[(1, 0.0)]);
        plan["pools"][0]["recovery"]["rebuild"]["priority"] = json!(priority);
        plan["observe"]["end_s"] = json!(300.0);
        run(&plan, poisson(3, (rate * 60.0) as usize, rate, 0.7, 8_192, capacity("5", 6))).summary
    };
    let mean = |s: &Summary| s.total.response.all.mean_s;
    let (degraded, gives_way, equal) =
        (at(0, 100.0, "equal"), at(1, 100.0, "host-first"), at(1, 100.0, "equal"));
    assert!(mean(&degraded) < mean(&gives_way) && mean(&gives_way) < mean(&equal));
    let times =
        [rebuild_seconds(&at(1, 1.0, "host-first")), rebuild_seconds(&equal), rebuild_seconds(&gives_way)];
    assert!(sequential_seconds() < times[0] && times[0] < times[1] && times[1] < times[2], "{times:?}");
}

/// Once rebuilt, requests cost what they cost before the failure, on the spare in the failed drive's place.
#[test]
fn a_rebuilt_pool_is_whole_again() {
    for (level, sparing) in
        [("5", "dedicated"), ("5", "distributed"), ("6", "dedicated"), ("10", "distributed")]
    {
        let requests: Vec<_> = poisson(8, 500, 100.0, 0.5, 8_192, small_capacity(level, 6))
            .into_iter()
            .map(|r| Request { time_ns: r.time_ns + 50 * S, ..r })
            .collect();
        let at = |failures: &[(usize, f64)]| {
            let mut plan = small(level, 6);
            trouble(&mut plan, 1, sparing, failures);
            plan["observe"]["warmup_s"] = json!(40.0);
            run(&plan, requests.clone())
        };
        assert_eq!(counts(&at(&[(2, 0.0)])), counts(&at(&[])), "RAID-{level}, {sparing}");
    }
}

/// Requests to what has been restored already are served from there, in the middle of a rebuild.
#[test]
fn the_restored_part_serves_while_the_rest_is_rebuilt() {
    let mut plan = one_pool("5", 4);
    trouble(&mut plan, 1, "dedicated", &[(0, 0.0)]);
    // 1 MiB a second: after 100 s stripes below 64 x 100 are restored. Drive 0 holds unit 0 of stripe 0 and, with
    // parity on 3 - s % 4, unit 0 of stripe 24,000.
    plan["pools"][0]["recovery"]["rebuild"]["rate_bytes_per_s"] = json!(1 << 20);
    plan["observe"]["warmup_s"] = json!(100.0);
    let reads = |stripe: u64| {
        let mut plan = plan.clone();
        plan["observe"]["end_s"] = json!(100.9); // before the next step
        plan["observe"]["warmup_s"] = json!(100.5);
        let s = run(&plan, vec![request(100_600 * MS, Op::Read, stripe * 3 * UNIT, 4_096)]).summary;
        s.devices.iter().map(|d| d.reads - d.background_accesses.min(d.reads)).collect::<Vec<_>>()
    };
    assert_eq!(reads(0), [0, 0, 0, 0, 1]);
    assert_eq!(reads(24_000), [0, 1, 1, 1, 0]);
}

/// Levels that survive two failures do so, with two spares one after the other.
#[test]
fn two_failures() {
    for level in ["6", "10", "1"] {
        let mut plan = small(level, 6);
        trouble(&mut plan, 2, "dedicated", &[(1, 0.0), (2, 0.0)]);
        plan["observe"]["end_s"] = json!(100.0);
        let s = run(&plan, poisson(4, 400, 50.0, 0.5, 8_192, small_capacity(level, 6))).summary;
        assert_eq!(s.total.completed, 400);
        assert_eq!((s.devices[1].arrivals, s.devices[2].arrivals), (0, 0));
        let [first, second] = s.rebuilds[..] else { panic!("two") };
        assert!(first.finished_ns.unwrap() <= second.started_ns.unwrap() && second.finished_ns.is_some());
        assert_eq!((first.spare, second.spare), (Some(6), Some(7)));
    }
}

/// A spare that fails is replaced by the next; the drive that it stood for is restored from the start.
#[test]
fn a_spare_may_fail_in_its_turn() {
    for at in [0.05, 20.0] {
        let mut plan = small("5", 5);
        trouble(&mut plan, 2, "dedicated", &[(0, 0.0), (5, at)]);
        plan["observe"]["end_s"] = json!(100.0);
        let s = run(&plan, poisson(4, 2_000, 50.0, 0.5, 8_192, small_capacity("5", 5))).summary;
        assert_eq!(s.total.completed, 2_000);
        assert_eq!(s.rebuilds.len(), 1);
        let r = s.rebuilds[0];
        assert_eq!((r.spare, r.rebuilt_bytes), (Some(6), 40 * UNIT));
        assert!(r.started_ns.unwrap() >= (at * 1e9) as u64);
    }
}

/// Distributed spare space is given once: a second failure of RAID-6 leaves the pool degraded, not broken.
#[test]
fn distributed_space_serves_one_failure() {
    let mut plan = small("6", 6);
    trouble(&mut plan, 1, "distributed", &[(0, 0.0), (3, 10.0), (4, 20.0)]);
    plan["observe"]["end_s"] = json!(100.0);
    let s = run(&plan, poisson(4, 2_000, 50.0, 0.5, 20_000 / 512 * 512, small_capacity("6", 6))).summary;
    assert_eq!(s.total.completed, 2_000);
    let finished: Vec<_> = s.rebuilds.iter().map(|r| r.finished_ns.is_some()).collect();
    assert_eq!(finished, [true, false, false]);
}

#[test]
fn data_loss_ends_the_run_with_its_time() {
    let error = |level: &str, n: usize, spares: usize, failures: &[(usize, f64)]| {
        let mut plan = one_pool(level, n);
        trouble(&mut plan, spares, "dedicated", failures);
        plan["observe"]["end_s"] = json!(60.0);
        try_run(&plan, vec![given(vec![])]).err().map(|e| e.to_string())
    };
    let lost = |drive, at| Some(format!("pool 0 loses data at {at} s, when its drive {drive} fails"));
    assert_eq!(error("5", 5, 0, &[(1, 1.0), (2, 2.5)]), lost(2, 2.5));
    assert_eq!(error("5", 5, 1, &[(1, 1.0), (2, 2.5)]), lost(2, 2.5)); // 22 s are needed
    assert_eq!(error("5", 5, 1, &[(1, 1.0), (2, 50.0)]), None);
    assert_eq!(error("6", 5, 0, &[(1, 1.0), (2, 2.0), (0, 3.0)]), lost(0, 3.0));
    assert_eq!(error("ec2+3", 5, 0, &[(1, 1.0), (2, 2.0), (0, 3.0)]), None);
    assert_eq!(error("ec2+3", 5, 0, &[(1, 1.0), (2, 2.0), (0, 3.0), (4, 4.0)]), lost(4, 4.0));
    // Groups of two and two globals, around as local 0 and 1, global 0 and 1, data 0 to 3: any three. Of four adjacent
    // ones some stripe lacks both globals and both data units of a group; with a gap none lacks too many.
    assert_eq!(error("ec4+2+2", 8, 0, &[(1, 1.0), (2, 2.0), (0, 3.0)]), None);
    assert_eq!(error("ec4+2+2", 8, 0, &[(1, 1.0), (2, 2.0), (0, 3.0), (4, 4.0)]), None);
    assert_eq!(error("ec4+2+2", 8, 0, &[(1, 1.0), (2, 2.0), (0, 3.0), (3, 4.0)]), lost(3, 4.0));
    assert_eq!(error("10", 6, 0, &[(1, 1.0), (2, 2.0), (0, 3.0)]), None);
    assert_eq!(error("10", 6, 0, &[(1, 1.0), (4, 2.0)]), lost(4, 2.0));
    assert_eq!(error("1", 3, 0, &[(1, 1.0), (2, 2.0)]), None);
    assert_eq!(error("1", 3, 0, &[(1, 1.0), (2, 2.0), (0, 3.0)]), lost(0, 3.0));
}

/// What waits at a drive when it fails is served by the others: a queue of reads, and of writes between
/// their reads and their parity.
#[test]
fn waiting_operations_are_redirected() {
    for level in ["1", "10", "4", "5", "6", "ec3+3", "ec2+2+2"] {
        for seed in 0..20 {
            let mut plan = small(level, 6);
            trouble(&mut plan, 0, "dedicated", &[(1, 0.02 + seed as f64 * 1e-3)]);
            let mut random = Lcg(seed);
            let requests: Vec<_> = (0..200)
                .map(|_| {
                    let offset = random.below(small_capacity(level, 6) / 512 - 100) * 512;
                    let op = if random.below(2) == 0 { Op::Read } else { Op::Write };
                    request(0, op, offset, 512 * (1 + random.below(90) as u32))
                })
                .collect();
            let s = run(&plan, requests).summary;
            assert_eq!(s.total.completed, 200);
            let failed = &s.devices[1];
            assert!(failed.redirected > 0, "RAID-{level}");
            for d in &s.devices {
                assert_eq!(d.arrivals, d.accesses + d.redirected);
            }
            // It is dark after the operation in service.
            assert!(failed.state_ns["standby"] > 0 && failed.energy_j["standby"] == 0.0);
        }
    }
}

/// Behind a controller: what it had asked of a failed drive is served by the others, and the rebuild runs beside it.
#[test]
fn failures_behind_a_controller() {
    let costs = json!({"read_s": 1e-5, "write_s": 1e-5, "processors": 1});
    let cache = |write: &str| {
        json!({
            "capacity_bytes": 131_072, "line_bytes": 8_192, "replacement": "lru", "read": true, "write": write,
            "high_watermark": 0.8, "low_watermark": 0.3, "destage_bytes": 65_536, "destage_outstanding": 8,
        })
    };
    for (level, cache) in
        [("1", Value::Null), ("10", cache("through")), ("5", cache("back")), ("6", cache("back"))]
    {
        for seed in 0..20 {
            let mut plan = small(level, 6);
            plan["controller"] = json!({
                "processing": costs.clone(), "host_bandwidth_bytes_per_s": 400e6, "cache": cache.clone(),
            });
            trouble(&mut plan, 1, "dedicated", &[(1, 0.02 + seed as f64 * 1e-3)]);
            plan["observe"]["end_s"] = json!(60.0);
            let mut random = Lcg(seed);
            let requests: Vec<_> = (0..200)
                .map(|_| {
                    let offset = random.below(small_capacity(level, 6) / 512 - 100) * 512;
                    let op = if random.below(2) == 0 { Op::Read } else { Op::Write };
                    request(0, op, offset, 512 * (1 + random.below(90) as u32))
                })
                .collect();
            let s = run(&plan, requests).summary;
            assert_eq!(s.total.completed, 200, "RAID-{level}");
            assert!(s.devices[1].redirected > 0, "RAID-{level}");
            for d in &s.devices {
                assert_eq!(d.arrivals, d.accesses + d.redirected);
            }
            assert!(s.devices[6].background_accesses > 0);
            let rebuilt = s.rebuilds[0];
            assert!(rebuilt.finished_ns.is_some() && rebuilt.rebuilt_bytes == rebuilt.lost_bytes);
        }
    }
}

/// The last request ends the run while the rebuild goes on: what the drives were then doing is cut there.
#[test]
fn the_last_request_ends_a_run_in_the_middle_of_a_rebuild() {
    let mut plan = one_pool("5", 5);
    trouble(&mut plan, 1, "dedicated", &[(0, 0.0)]);
    plan["buses"] = json!([{"bandwidth_bytes_per_s": 160e6, "arbitration_s": 2e-6}]);
    plan["pools"][0]["bus_of_drive"] = json!([0, 0, 0, 0, 0, 0]);
    let s = run(&plan, poisson(4, 100, 50.0, 0.5, 8_192, capacity("5", 5))).summary;
    let r = s.rebuilds[0];
    assert!(r.finished_ns.is_none() && r.rebuilt_bytes > 0 && r.rebuilt_bytes < r.lost_bytes);
    for d in &s.devices {
        assert_eq!(d.state_ns.values().sum::<u64>(), s.window.end_ns);
        let parts = d.seek_ns + d.rotation_ns + d.transfer_ns + d.overhead_ns;
        assert_eq!(parts, d.service_ns);
    }
    assert!(s.buses[0].busy_ns <= s.window.end_ns);
}

/// A long rebuild without requests still asks whether to go on.
#[test]
fn a_rebuild_can_be_stopped() {
    let mut plan = one_pool("5", 6);
    trouble(&mut plan, 1, "dedicated", &[(1, 0.0)]);
    plan["pools"][0]["recovery"]["rebuild"]["step_bytes"] = json!(UNIT); // 150,000 operations
    plan["workloads"] = json!([]);
    plan["observe"]["end_s"] = json!(1e6);
    let plan: Plan = serde_json::from_value(plan).unwrap();
    let stopped = Simulation::new(&plan, vec![]).unwrap().run(&mut |_| false);
    assert!(matches!(stopped, Err(SimError::Stopped)));
}

/// Two identical runs in trouble are identical.
#[test]
fn trouble_is_reproducible() {
    let once = || {
        let mut plan = small("6", 8);
        trouble(&mut plan, 1, "distributed", &[(2, 0.5), (5, 1.0)]);
        let outcome = run(&plan, poisson(4, 800, 200.0, 0.5, 30_720, small_capacity("6", 8)));
        serde_json::to_string(&outcome.summary).unwrap()
    };
    assert_eq!(once(), once());
}

#[test]
fn contradictory_recoveries_are_refused() {
    let refused = |level: &str, spares: usize, sparing: &str, failures: &[(usize, f64)]| {
        let mut plan = one_pool(level, 6);
        trouble(&mut plan, spares, sparing, failures);
        refusal(&plan)
    };
    let expected = |field: &str, code| (format!("pools[0].recovery{field}"), code);
    assert_eq!(refused("0", 1, "dedicated", &[]), expected("", "conflict"));
    assert_eq!(refused("5", 2, "distributed", &[]), expected(".sparing", "conflict"));
    assert_eq!(refused("1", 1, "distributed", &[]), expected(".sparing", "conflict"));
    assert_eq!(refused("5", 1, "dedicated", &[(7, 0.0)]), expected(".failures[0].drive", "reference"));
    let twice = &[(1, 0.0), (1, 5.0)];
    assert_eq!(refused("6", 1, "dedicated", twice), expected(".failures[1].drive", "conflict"));
}
