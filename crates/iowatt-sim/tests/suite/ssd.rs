//! SSDs in the whole simulator: latency, saturation, tails, power states, a power cap, energy, trims, RAID.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::solid::{flash, offered, one_drive, open, sheet};
use crate::common::{Lcg, MS, S, given, request, run, try_run};
use iowatt_sim::testing::{DriveResult, FlashResult};
use iowatt_sim::{Column, Outcome};
use iowatt_trace::{Op, Request};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Requests of 4 KiB anywhere.
fn random(count: usize, bytes: u64, reads: f64, seed: u64) -> Vec<Request> {
    let mut draw = Lcg(seed);
    (0..count)
        .map(|i| {
            let op = if draw.unit() <= reads { Op::Read } else { Op::Write };
            request(i as u64, op, draw.below(bytes / 4_096) * 4_096, 4_096)
        })
        .collect()
}

fn sequential(count: u64, op: Op, size: u32) -> Vec<Request> {
    (0..count).map(|i| request(i, op, i * u64::from(size), size)).collect()
}

fn drive(outcome: &Outcome) -> &DriveResult {
    &outcome.summary.devices[0]
}

fn flash_of(outcome: &Outcome) -> &FlashResult {
    drive(outcome).flash.as_ref().unwrap()
}

fn iops(outcome: &Outcome) -> f64 {
    outcome.summary.total.completed as f64 * 1e9 / outcome.summary.window.end_ns as f64
}

fn joules(drive: &DriveResult) -> f64 {
    drive.energy_j.values().chain(&drive.level_j).sum()
}

fn column(outcome: &Outcome, name: &str) -> Vec<f64> {
    match &outcome.intervals.iter().find(|(n, _)| *n == name).unwrap().1 {
        Column::F64(values) => values.clone(),
        Column::U64(values) => values.iter().map(|&v| v as f64).collect(),
    }
}

/// Response time below which a share of the requests of a direction lies, seconds.
fn quantile(outcome: &Outcome, op: u64, share: f64) -> f64 {
    let column = |name: &str| match &outcome.latency.iter().find(|(n, _)| *n == name).unwrap().1 {
        Column::U64(values) => values.clone(),
        Column::F64(_) => unreachable!(),
    };
    let rows: Vec<(u64, u64)> = column("high_ns")
        .into_iter()
        .zip(column("count"))
        .zip(column("op"))
        .filter(|(_, o)| *o == op)
        .map(|(row, _)| row)
        .collect();
    let all: u64 = rows.iter().map(|r| r.1).sum();
    let mut below = 0;
    for (high, count) in rows {
        below += count;
        if below as f64 >= share * all as f64 {
            return high as f64 / 1e9;
        }
    }
    0.0
}

/// Whatever a drive did: its states fill the window, and energy by state, by cause, by operation and over time is one.
fn adds_up(outcome: &Outcome) {
    let span = outcome.summary.window.end_ns - outcome.summary.window.start_ns;
    let mut total = 0.0;
    for drive in &outcome.summary.devices {
        let time: u64 = drive.state_ns.values().chain(&drive.level_ns).sum();
        assert_eq!(time, span);
        let by_state = joules(drive);
        let by_cause: f64 = drive.cause_j.values().sum();
        assert!((by_state - by_cause).abs() <= 1e-9 * by_state.max(1.0), "{by_state} {by_cause}");
        total += by_state;
    }
    let levels = outcome.intervals.iter().filter(|(name, _)| *name == "energy_level_j");
    let mut over_time: f64 = levels
        .map(|(_, column)| match column {
            Column::F64(values) => values.iter().sum::<f64>(),
            Column::U64(_) => unreachable!(),
        })
        .sum();
    for state in ["active", "positioning", "idle", "standby", "spin_up", "spin_down"] {
        over_time += column(outcome, &format!("energy_{state}_j")).iter().sum::<f64>();
    }
    assert!((over_time - total).abs() <= 1e-9 * total.max(1.0), "{over_time} {total}");
}

/// By hand: 10 us of command, 50 us of sensing, 4.096 us over the channel and 4.096 us over the link.
#[test]
fn a_read_alone_takes_the_sum_of_its_parts() {
    let ssd = flash(64, 0.5);
    let requests: Vec<Request> = (0..100).map(|i| request(i * MS, Op::Read, i * 40_960, 4_096)).collect();
    let outcome = run(&open(&ssd), requests);
    let response = &outcome.summary.total.response.read;
    assert!((response.mean_s - 68.192e-6).abs() < 2e-9 && response.std_s < 2e-9, "{response:?}");
    // 20 uJ of sensing, 1 uJ a command, 50 pJ a byte; 2 W while a command is under way, 1 W else.
    let used = drive(&outcome);
    let by = &used.flash.as_ref().unwrap().energy_by_operation_j;
    assert!(
        (by["read"] - 100.0 * 20e-6).abs() < 1e-12
            && (by["transfer"] - 100.0 * 4_096.0 * 50e-12).abs() < 1e-12
    );
    let busy_s = 100.0 * 68.192e-6;
    assert!((used.state_ns["active"] as f64 / 1e9 - busy_s).abs() < 1e-7);
    let by_hand = 2.0 * busy_s + by.values().sum::<f64>();
    assert!((used.energy_j["active"] - by_hand).abs() < 1e-6, "{}", used.energy_j["active"]);
}

/// A write is complete in the buffer: 10 us of command and 4.096 us over the link. Without one it waits for a program of a
/// whole stripe (32 KiB over the channel, then 500 us).
#[test]
fn a_write_completes_in_the_buffer_or_on_flash() {
    let requests: Vec<Request> =
        (0..64).map(|i| request(i * 10 * MS, Op::Write, i * 40_960, 4_096)).collect();
    let mut ssd = flash(64, 0.5);
    let buffered = run(&open(&ssd), requests.clone());
    assert!((buffered.summary.total.response.write.mean_s - 14.096e-6).abs() < 2e-9);
    ssd["media"]["buffer_bytes"] = json!(0);
    ssd["media"]["initial"] = json!({"kind": "fresh"});
    let through = run(&open(&ssd), requests);
    let mean = through.summary.total.response.write.mean_s;
    assert!((mean - (14.096e-6 + 500e-6 + 32.768e-6)).abs() < 2e-9, "{mean}");
    // Seven of the eight units of each stripe are filling.
    assert_eq!(flash_of(&through).write_amplification, Some(8.0));
}

/// IOPS grow with the commands outstanding until the dies are busy all the time, never beyond; the response time then
/// grows in proportion (Little's law).
#[test]
fn reads_saturate() {
    let ssd = flash(64, 0.5);
    let at = |outstanding: u32| run(&one_drive(&ssd, outstanding), random(20_000, offered(&ssd), 1.0, 3));
    let outcomes: Vec<Outcome> = [1, 2, 4, 8, 16, 32, 64].into_iter().map(at).collect();
    let rates: Vec<f64> = outcomes.iter().map(iops).collect();
    assert!((rates[0] * 68.192e-6 - 1.0).abs() < 0.001, "{rates:?}");
    assert!(rates.windows(2).all(|w| w[1] > w[0] * 0.999), "{rates:?}");
    let bound = 8.0 / 50e-6;
    assert!(rates[6] < bound && rates[6] > 0.85 * bound, "{rates:?}");
    for (outcome, n) in outcomes.iter().zip([1, 2, 4, 8, 16, 32, 64]) {
        let held = drive(outcome).commands_mean.unwrap();
        assert!((held / f64::from(n) - 1.0).abs() < 0.01, "{held} of {n}");
        adds_up_without_levels(outcome);
    }
    // More than the queue depth wait at the host.
    let over = run(&one_drive(&ssd, 128), random(20_000, offered(&ssd), 1.0, 3));
    assert!((drive(&over).commands_mean.unwrap() - 64.0).abs() < 1.0);
    assert!((iops(&over) / rates[6] - 1.0).abs() < 0.02);
}

/// A controller that takes 10,000 commands a second makes 10,000 IOPS of whatever needs no flash.
#[test]
fn the_controller_limits_commands() {
    let mut ssd = flash(64, 0.5);
    ssd["interface"]["commands_per_s"] = json!(10e3);
    ssd["media"]["initial"] = json!({"kind": "fresh"});
    let outcome = run(&one_drive(&ssd, 8), random(2_000, offered(&ssd), 1.0, 3));
    assert!((iops(&outcome) / 10e3 - 1.0).abs() < 0.001, "{}", iops(&outcome));
}

/// 5 us for 4 KiB, 8 us for 8 KiB, 48 us for 64 KiB: so many a second of each, and linear between.
#[test]
fn the_controller_limits_commands_by_their_size() {
    let mut ssd = flash(64, 0.5);
    ssd["media"]["initial"] = json!({"kind": "fresh"});
    ssd["interface"]["read_bytes_per_s"] = json!(4e9);
    ssd["interface"]["read_holds"] = json!([
        {"bytes": 4096, "time_s": 5e-6}, {"bytes": 8192, "time_s": 8e-6}, {"bytes": 65536, "time_s": 48e-6},
    ]);
    for (size, time_s) in [(4_096, 5e-6), (8_192, 8e-6), (36_864, 28e-6), (131_072, 96e-6)] {
        let outcome = run(&one_drive(&ssd, 16), sequential(400, Op::Read, size));
        assert!((iops(&outcome) * time_s - 1.0).abs() < 0.02, "{size} {}", iops(&outcome));
    }
}

/// Three page types in turn: a third of the reads of what was written in order takes each time.
#[test]
fn reads_take_the_time_of_their_page() {
    let mut ssd = flash(64, 0.5);
    ssd["media"]["read_by_page_s"] = json!([30e-6, 45e-6, 75e-6]);
    let requests: Vec<Request> = random(6_000, offered(&ssd), 1.0, 3)
        .into_iter()
        .enumerate()
        .map(|(i, r)| request(i as u64 * MS, Op::Read, r.offset, 4_096))
        .collect();
    let outcome = run(&open(&ssd), requests);
    let mean_s = outcome.summary.total.response.read.mean_s;
    assert!((mean_s / 68.192e-6 - 1.0).abs() < 0.01, "{mean_s}");
    for (share, time_s) in [(0.3, 48.192e-6), (0.37, 63.192e-6), (0.63, 63.192e-6), (0.7, 93.192e-6)] {
        assert!((quantile(&outcome, 0, share) / time_s - 1.0).abs() < 0.002, "{share}");
    }
}

/// A hundredth of the senses is repeated: 50 us more, and the page counts twice.
#[test]
fn retries_take_another_sense() {
    let mut ssd = flash(64, 0.5);
    ssd["media"]["retries"] = json!(0.01);
    let requests: Vec<Request> =
        (0..20_000).map(|i| request(i * MS, Op::Read, (i * 40_960) % offered(&ssd), 4_096)).collect();
    let outcome = run(&open(&ssd), requests);
    let pages = flash_of(&outcome).pages_read;
    // 200 expected; 4 sigma is 56.
    assert!((20_144..20_258).contains(&pages), "{pages}");
    assert!((quantile(&outcome, 0, 0.98) - 68.192e-6).abs() < 1e-7);
    assert!((quantile(&outcome, 0, 0.995) - 118.192e-6).abs() < 2e-7);
}

/// Reads that keep their die for 100 us answer alone after 50 as before, and make half as many a second.
#[test]
fn a_read_keeps_its_die_longer_than_it_senses() {
    let mut ssd = flash(64, 0.5);
    ssd["media"]["read_hold_s"] = json!(100e-6);
    let alone: Vec<Request> = (0..100).map(|i| request(i * MS, Op::Read, i * 40_960, 4_096)).collect();
    let mean_s = run(&open(&ssd), alone).summary.total.response.read.mean_s;
    assert!((mean_s - 68.192e-6).abs() < 2e-9, "{mean_s}");
    let busy = run(&one_drive(&ssd, 64), random(20_000, offered(&ssd), 1.0, 3));
    let bound = 8.0 / 100e-6;
    assert!(iops(&busy) < bound && iops(&busy) > 0.85 * bound, "{}", iops(&busy));
}

/// Beside few writes, reads wait in bursts and not between them; as much is written, and energy adds up.
#[test]
fn bursts_of_collection_hold_reads_up() {
    let mixed = |burst: Value| {
        let mut ssd = flash(128, 0.5);
        ssd["media"]["gc"]["free_blocks"] = json!(3);
        ssd["media"]["gc"]["burst"] = burst;
        let requests: Vec<Request> = random(300_000, offered(&ssd), 0.9, 3)
            .into_iter()
            .enumerate()
            .map(|(i, r)| request(i as u64 * 200_000, r.op, r.offset, 4_096))
            .collect();
        run(&open(&ssd), requests)
    };
    let (in_step, bursts) = (mixed(Value::Null), mixed(json!({"blocks": 2, "share": 0.8})));
    adds_up_without_levels(&bursts);
    let amplification = |o: &Outcome| flash_of(o).write_amplification.unwrap();
    assert!((amplification(&bursts) / amplification(&in_step) - 1.0).abs() < 0.15);
    let tail = |o: &Outcome| quantile(o, 0, 0.999);
    assert!(tail(&bursts) >= tail(&in_step), "{} {}", tail(&bursts), tail(&in_step));
    assert!(flash_of(&bursts).erases > 0);
}

/// 8 bytes of the map for each unit: of 4,096 units, a stripe of 32 KiB.
#[test]
fn the_map_is_programmed_with_what_is_written() {
    let mut ssd = flash(64, 0.5);
    ssd["media"]["initial"] = json!({"kind": "fresh"});
    ssd["media"]["map_entry_bytes"] = json!(8);
    let outcome = run(&one_drive(&ssd, 8), sequential(4_096, Op::Write, 16_384));
    let written = f64::from(4_096u32) * 16_384.0;
    let found = flash_of(&outcome).write_amplification.unwrap();
    assert!((found - (1.0 + 4.0 * 32_768.0 / written)).abs() < 1e-9, "{found}");
    adds_up_without_levels(&outcome);
}

/// 64 MiB at the rate of the link; then a stripe is programmed in one bit a cell, sensed and programmed in all bits:
/// 132.8 + 50 + 532.8 us on one of 8 dies. A rest folds what there is.
#[test]
fn a_cache_of_one_bit_cells_fills_and_is_folded() {
    let mut ssd = flash(64, 0.5);
    ssd["media"]["initial"] = json!({"kind": "fresh"});
    ssd["media"]["slc_cache"] = json!({"bytes": 64 << 20, "program_s": 100e-6, "idle_s": 0.01});
    let rate = |count: u64| {
        let outcome = run(&one_drive(&ssd, 32), sequential(count, Op::Write, 32_768));
        adds_up_without_levels(&outcome);
        count as f64 * 32_768.0 * 1e9 / outcome.summary.window.end_ns as f64
    };
    assert!((rate(1_900) / 1e9 - 1.0).abs() < 0.02, "{}", rate(1_900));
    let folding = 8.0 * 32_768.0 / 715.536e-6;
    let (count, cached) = (10_000.0, 2_048.0);
    let expected = count / (cached / 1e9 + (count - cached) / folding);
    assert!((rate(10_000) / expected - 1.0).abs() < 0.06, "{} {expected}", rate(10_000));
    // After a rest of a second, all that was in it has been programmed once more: 2 programs for each stripe.
    let mut requests: Vec<Request> =
        (0..1_000).map(|i| request(i * 100_000, Op::Write, i * 32_768, 32_768)).collect();
    requests.push(request(2 * S, Op::Write, 1_000 * 32_768, 32_768));
    let outcome = run(&open(&ssd), requests);
    let found = flash_of(&outcome).write_amplification.unwrap();
    assert!((found / (2_001.0 / 1_001.0) - 1.0).abs() < 0.001, "{found}");
}

/// Units of 64 KiB, two pages of both planes: a write of 4 KiB reads and programs them whole, 16 times as much.
#[test]
fn large_units_are_read_and_written_whole() {
    let mut ssd = flash(64, 0.5);
    ssd["media"]["planes"] = json!(4);
    ssd["media"]["pages_per_block"] = json!(32);
    ssd["media"]["mapping_bytes"] = json!(65_536);
    ssd["sectors"] = json!(offered(&ssd) / 65_536 * 16);
    ssd["media"]["initial"] = json!({"kind": "steady", "fill": 1.0});
    let writes: Vec<Request> = (0..400)
        .map(|i| {
            request(i * 10 * MS, Op::Write, (i * 37 * 65_536 + 4_096) % offered(&ssd) / 4_096 * 4_096, 4_096)
        })
        .collect();
    let outcome = run(&open(&ssd), writes);
    let result = flash_of(&outcome);
    assert!((result.host_pages_written - 400.0 * 4.0).abs() < 1e-9, "{}", result.host_pages_written);
    assert!(result.write_amplification.unwrap() >= 16.0, "{:?}", result.write_amplification);
    assert!(result.gc_pages_read >= 390 * 4, "{}", result.gc_pages_read);
}

/// Drives behind one bus share its rate.
#[test]
fn a_shared_bus_carries_what_it_can() {
    let ssd = flash(64, 0.5);
    let mut plan = one_drive(&ssd, 32);
    plan["pools"][0]["count"] = json!(4);
    plan["pools"][0]["bus_of_drive"] = json!([0, 0, 0, 0]);
    plan["buses"] = json!([{"bandwidth_bytes_per_s": 200e6, "arbitration_s": 0.0}]);
    for op in [Op::Read, Op::Write] {
        let outcome = run(&plan, sequential(2_000, op, 16_384));
        let rate = 2_000.0 * 16_384.0 * 1e9 / outcome.summary.window.end_ns as f64;
        assert!(rate <= 200e6 && rate > 0.98 * 200e6, "{rate}");
        assert_eq!(outcome.summary.buses[0].transfers, 8_000, "four units of 4 KiB a request");
    }
}

/// Awake at 2 W for 100 ms after its work, idle at 1 W else; before its first work, idle.
#[test]
fn a_drive_that_sleeps_by_itself_is_awake_for_a_while_after_its_work() {
    for mut drive_plan in [flash(64, 0.5), sheet()] {
        drive_plan["power"]["active_w"] = json!(2.0);
        drive_plan["power"]["awake_s"] = json!(0.1);
        let mut plan = open(&drive_plan);
        plan["observe"]["end_s"] = json!(3.0);
        // Two reads 40 ms apart, one a second later: awake for 40 + 100 + 100 ms without work.
        let times = [S, S + 40 * MS, 2 * S];
        let reads = || times.iter().map(|&at| request(at, Op::Read, at / S * 40_960, 4_096)).collect();
        let outcome = run(&plan, reads());
        adds_up(&outcome);
        let used = drive(&outcome);
        let (idle_s, idle_j) = (used.state_ns["idle"] as f64 / 1e9, used.energy_j["idle"]);
        let awake_s = idle_j - idle_s;
        // Less the first read, within the 40 ms.
        assert!(awake_s < 0.24 && awake_s > 0.24 - 100e-6, "{awake_s}");
        assert!(used.cause_j["idle"] >= idle_j - 1e-12);
        plan["pools"][0]["device"]["power"]["awake_s"] = json!(0.0);
        let asleep = run(&plan, reads());
        assert!((drive(&asleep).energy_j["idle"] - idle_s).abs() < 1e-9);
        let none = try_run(&plan, vec![given(vec![])]).unwrap();
        assert!((joules(drive(&none)) - 3.0).abs() < 1e-12, "idle costs idle");
    }
}

/// Sequential data come at the rate of the link; with narrow channels, at theirs.
#[test]
fn sequential_rates_are_those_of_the_narrowest_part() {
    let mut ssd = flash(64, 0.5);
    ssd["media"]["initial"] = json!({"kind": "steady", "fill": 1.0, "run_bytes": 1 << 20});
    let rate = |ssd: &Value, op| {
        let outcome = run(&one_drive(ssd, 16), sequential(3_000, op, 131_072));
        3_000.0 * 131_072.0 * 1e9 / outcome.summary.window.end_ns as f64
    };
    let link = rate(&ssd, Op::Read);
    assert!((link / 1e9 - 1.0).abs() < 0.01, "{link}");
    ssd["media"]["channel_bytes_per_s"] = json!(100e6);
    let channels = rate(&ssd, Op::Read);
    assert!(channels < 400e6 && channels > 0.85 * 400e6, "{channels}");
    let mut fresh = flash(64, 0.5);
    fresh["media"]["initial"] = json!({"kind": "fresh"});
    let outcome = run(&one_drive(&fresh, 16), sequential(3_000, Op::Write, 131_072));
    assert_eq!(flash_of(&outcome).write_amplification, Some(1.0));
    // Eight dies program 32 KiB in 532.768 us each.
    let programs = 8.0 * 32_768.0 / 532.768e-6;
    let written = rate(&fresh, Op::Write);
    assert!((written / programs - 1.0).abs() < 0.03, "{written} {programs}");
}

/// Random writes in steady state: what the dies can program, less what collection takes of them.
#[test]
fn sustained_writes_pay_for_collection() {
    let rate = |spare: f64| {
        let ssd = flash(512, spare);
        let outcome = run(&one_drive(&ssd, 32), random(60_000, offered(&ssd), 0.0, 5));
        let flash = flash_of(&outcome).clone();
        let programmed = flash.flash_bytes_written as f64 * 1e9 / outcome.summary.window.end_ns as f64;
        assert!(programmed < 8.0 * 32_768.0 / 532.768e-6, "{programmed}");
        adds_up_without_levels(&outcome);
        (iops(&outcome), flash.write_amplification.unwrap())
    };
    let (tight, high) = rate(0.07);
    let (wide, low) = rate(1.0);
    assert!(high > 7.5 && low < 1.3 && wide > 4.0 * tight, "{tight} {high} {wide} {low}");
}

/// Reads beside writes: collection lengthens their tail, suspending programs and erases shortens it.
#[test]
fn collection_lengthens_the_tail_of_reads_and_suspending_shortens_it() {
    let mut ssd = flash(512, 0.28);
    let mut requests = random(40_000, offered(&ssd), 0.7, 9);
    for (i, r) in requests.iter_mut().enumerate() {
        r.time_ns = i as u64 * 50_000; // 20,000 a second
    }
    let only_reads: Vec<Request> = requests.iter().filter(|r| r.op == Op::Read).copied().collect();
    let quiet = quantile(&run(&open(&ssd), only_reads), 0, 0.999);
    let busy_outcome = run(&open(&ssd), requests.clone());
    let busy = quantile(&busy_outcome, 0, 0.999);
    ssd["media"]["gc"]["free_blocks"] = json!(1);
    ssd["media"]["initial"] = json!({"kind": "fresh"});
    let fresh = run(&open(&ssd), requests.clone());
    assert_eq!(flash_of(&fresh).gc_pages_moved, 0.0);
    ssd["media"]["initial"] = json!({"kind": "steady", "fill": 1.0});
    ssd["media"]["suspend"] = json!({"program": true, "erase": true, "latency_s": 5e-6});
    let suspending = run(&open(&ssd), requests);
    let short = quantile(&suspending, 0, 0.999);
    assert!(busy > 3.0 * quiet, "{quiet} {busy}");
    assert!(busy > 2.0 * quantile(&fresh, 0, 0.99), "{busy}");
    assert!(short < 0.5 * busy && short > quiet, "{quiet} {short} {busy}");
    assert!(flash_of(&suspending).suspends > 1_000 && flash_of(&busy_outcome).suspends == 0);
    // Mean, too.
    let mean = |o: &Outcome| o.summary.total.response.read.mean_s;
    assert!(mean(&suspending) < 0.8 * mean(&busy_outcome));
}

/// What is in the write buffer need not be read from flash.
#[test]
fn reads_find_what_has_just_been_written() {
    let ssd = flash(64, 0.5);
    let requests: Vec<Request> = (0..50)
        .flat_map(|i| {
            let at = i * MS;
            [request(at, Op::Write, i * 40_960, 4_096), request(at + MS / 2, Op::Read, i * 40_960, 4_096)]
        })
        .collect();
    let outcome = run(&open(&ssd), requests);
    let read = &outcome.summary.total.response.read;
    // A stripe of eight units is programmed with every eighth write: its last read finds the program under way.
    assert!(read.mean_s < 15e-6, "{read:?}");
    assert_eq!((drive(&outcome).buffer_hits, flash_of(&outcome).buffer_hits), (50, 50));
}

/// So it is where stripes of several placement handles are in the buffer, each command under the handle of its address.
#[test]
fn reads_find_what_has_just_been_written_under_any_handle() {
    let mut ssd = flash(64, 0.5);
    ssd["media"]["gc"]["free_blocks"] = json!(2);
    ssd["media"]["placement_handles"] = json!(3);
    ssd["media"]["placement"] = json!([{"from_sector": 0, "handle": 2}, {"from_sector": 250, "handle": 0}]);
    let place = |i: u64| (i / 2 + i % 2 * 25) * 40_960;
    let requests: Vec<Request> = (0..50)
        .flat_map(|i| {
            let at = i * MS;
            [request(at, Op::Write, place(i), 4_096), request(at + MS / 2, Op::Read, place(i), 4_096)]
        })
        .collect();
    let outcome = run(&open(&ssd), requests);
    assert_eq!(flash_of(&outcome).buffer_hits, 50);
}

/// Nothing has ever been written there: no flash is read.
#[test]
fn reads_of_nothing_read_no_flash() {
    let mut ssd = flash(64, 0.5);
    ssd["media"]["initial"] = json!({"kind": "fresh"});
    let outcome = run(&open(&ssd), (0..10).map(|i| request(i * MS, Op::Read, i * 4_096, 4_096)).collect());
    assert_eq!(flash_of(&outcome).pages_read, 0);
    assert!((outcome.summary.total.response.read.mean_s - 14.096e-6).abs() < 2e-9);
}

/// A write of less than a unit reads what it leaves.
#[test]
fn partial_units_are_completed() {
    let mut ssd = flash(64, 0.5);
    ssd["sector_bytes"] = json!(512);
    ssd["sectors"] = json!(ssd["sectors"].as_u64().unwrap() * 8);
    let requests: Vec<Request> = (0..64).map(|i| request(i * MS, Op::Write, i * 65_536 + 512, 512)).collect();
    let mut plan = open(&ssd);
    plan["pools"][0]["raid"]["stripe_unit_bytes"] = json!(4_096);
    let outcome = run(&plan, requests);
    let flash = flash_of(&outcome);
    // Four units to a page.
    let by_hand = 8.0 * (1.0 + 4.0 * flash.gc_pages_moved / 64.0);
    assert!((flash.write_amplification.unwrap() - by_hand).abs() < 1e-9, "{flash:?}");
    assert!(flash.gc_pages_read >= 64, "{}", flash.gc_pages_read);
}

/// V37: a Samsung 960's table. After 100 ms without work it is in its deepest state and draws 5 mW; the next request
/// waits 6 ms at the most for it to come back.
#[test]
fn an_nvme_drive_goes_to_its_deepest_state_and_comes_back_in_time() {
    let mut ssd = flash(64, 0.5);
    // Energies of transitions are the upper bound that the standard allows: the draw of PS0 for as long as they take.
    ssd["power"]["levels"]["below"] = json!([
        {"watts": 0.040, "enter": {"seconds": 210e-6, "joules": 6.04 * 210e-6},
         "leave": {"seconds": 1500e-6, "joules": 6.04 * 1500e-6}},
        {"watts": 0.005, "enter": {"seconds": 2200e-6, "joules": 6.04 * 2200e-6},
         "leave": {"seconds": 6000e-6, "joules": 6.04 * 6000e-6}},
    ]);
    ssd["power"]["states"] = json!([6, 7]);
    let mut plan = open(&ssd);
    plan["pools"][0]["power_policy"] = json!({"policy": "fixed-threshold", "threshold_s": 0.1, "level": 2});
    plan["observe"]["interval_s"] = json!(0.01);
    let outcome = run(&plan, vec![request(0, Op::Read, 0, 4_096), request(2 * S, Op::Read, 40_960, 4_096)]);
    let used = drive(&outcome);
    let waited = outcome.summary.total.response.all.max_s;
    assert!((waited - 6e-3 - 68.192e-6).abs() < 1e-8, "{waited}");
    assert_eq!((used.delayed, used.descents, used.spin_ups), (1, 1, 0));
    // From 100 ms after the first answer and 2.2 ms of entering on.
    let low_ns = 2 * S - 68_192 - 100 * MS - 2_200_000;
    assert!(used.level_ns[1].abs_diff(low_ns) <= 2, "{} {low_ns}", used.level_ns[1]);
    assert!((used.level_j[1] - 0.005 * low_ns as f64 / 1e9).abs() < 1e-9);
    let moved = used.cause_j["power_management"];
    assert!((moved - 6.04 * 8.2e-3).abs() < 1e-9, "{moved}");
    adds_up(&outcome);
}

/// A drive that still writes its buffer out does not go to a lower state before it is done.
#[test]
fn no_power_state_is_entered_over_work_of_the_drive_itself() {
    let mut ssd = flash(64, 0.5);
    ssd["power"]["levels"]["below"] = json!([{"watts": 0.005, "enter": {"seconds": 1e-3, "joules": 1e-3},
                                              "leave": {"seconds": 1e-3, "joules": 1e-3}}]);
    ssd["power"]["states"] = json!([6]);
    let mut plan = open(&ssd);
    plan["pools"][0]["power_policy"] = json!({"policy": "fixed-threshold", "threshold_s": 0.001, "level": 1});
    plan["observe"]["end_s"] = json!(1.0);
    let outcome = run(&plan, (0..400).map(|i| request(i, Op::Write, i * 4_096, 4_096)).collect());
    let used = drive(&outcome);
    let by = &used.flash.as_ref().unwrap().energy_by_operation_j;
    assert!((by["program"] - used.flash.as_ref().unwrap().flash_pages_written.floor() * 80e-6).abs() < 1e-9);
    assert_eq!(used.descents, 1);
    // Seven programs a die, one after another.
    assert!((900 * MS..996 * MS).contains(&used.level_ns[0]) && used.cause_j["background"] > 0.0);
    adds_up(&outcome);
}

/// V38: no interval draws more than the cap, and throughput falls with it, in proportion where the cap is what binds.
#[test]
fn a_power_cap_bounds_watts_and_throughput() {
    for reads in [1.0, 0.0, 0.6] {
        let mut rates = vec![];
        for cap in [2.3, 2.6, 3.2, 5.0, 20.0] {
            let mut ssd = flash(512, 0.28);
            ssd["power"]["cap_w"] = json!(cap);
            let mut plan = one_drive(&ssd, 32);
            plan["observe"]["interval_s"] = json!(0.001);
            let outcome = run(&plan, random(6_000, offered(&ssd), reads, 4));
            let most = column(&outcome, "energy_active_j").into_iter().fold(0.0, f64::max) * 1e3;
            assert!(most <= cap * (1.0 + 1e-9), "{most} W, capped at {cap}");
            adds_up_without_levels(&outcome);
            rates.push((cap, iops(&outcome)));
        }
        assert!(rates.windows(2).all(|w| w[1].1 > 0.99 * w[0].1), "{rates:?}");
        // 0.3 and 0.6 W are left for operations: twice the throughput.
        let ratio = rates[1].1 / rates[0].1;
        assert!((ratio - 2.0).abs() < 0.1, "{ratio}");
    }
}

#[test]
fn idling_is_its_watts_times_the_time() {
    for ssd in [flash(64, 0.5), sheet()] {
        let mut plan = open(&ssd);
        plan["observe"]["end_s"] = json!(3600.0);
        let outcome = run(&plan, vec![]);
        assert_eq!(joules(drive(&outcome)), 3600.0);
        adds_up_without_levels(&outcome);
    }
}

/// Energy over two windows is that over both.
#[test]
fn energy_is_additive_over_windows() {
    let ssd = flash(512, 0.28);
    let mut requests = random(20_000, offered(&ssd), 0.5, 12);
    for (i, r) in requests.iter_mut().enumerate() {
        r.time_ns = i as u64 * 100_000;
    }
    let over = |from: f64, until: f64| {
        let mut plan = open(&ssd);
        plan["observe"]["warmup_s"] = json!(from);
        plan["observe"]["end_s"] = json!(until);
        let outcome = run(&plan, requests.clone());
        adds_up_without_levels(&outcome);
        joules(drive(&outcome))
    };
    let (first, second, both) = (over(0.0, 0.7), over(0.7, 1.9), over(0.0, 1.9));
    assert!((first + second - both).abs() < 1e-9 * both, "{first} {second} {both}");
}

#[test]
fn the_same_plan_gives_the_same_run() {
    let ssd = flash(128, 0.28);
    let requests = random(20_000, offered(&ssd), 0.5, 2);
    let text = |seed: u64| {
        let mut plan = one_drive(&ssd, 16);
        plan["seed"] = json!(seed);
        serde_json::to_string(&run(&plan, requests.clone()).summary).unwrap()
    };
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2), "where data lie is drawn from the seed");
}

/// The figures of a data sheet come out as they went in.
#[test]
fn a_data_sheet_is_reproduced() {
    let ssd = sheet();
    let capacity = offered(&ssd);
    let alone = |op| {
        let requests = (0..200).map(|i| request(i, op, i * 4_096, 4_096)).collect();
        run(&one_drive(&ssd, 1), requests).summary.total.response.all.mean_s
    };
    assert!((alone(Op::Read) - 90e-6).abs() < 1e-9 && (alone(Op::Write) - 20e-6).abs() < 1e-9);
    for (reads, rate, watts) in [(1.0, 400e3, 9.0), (0.0, 100e3, 11.0)] {
        let outcome = run(&one_drive(&ssd, 64), random(100_000, capacity, reads, 1));
        assert!((iops(&outcome) / rate - 1.0).abs() < 0.002, "{}", iops(&outcome));
        let drawn = joules(drive(&outcome)) * 1e9 / outcome.summary.window.end_ns as f64;
        assert!((drawn / watts - 1.0).abs() < 0.002, "{drawn}");
        adds_up_without_levels(&outcome);
    }
    for (op, rate) in [(Op::Read, 3e9), (Op::Write, 1e9)] {
        let outcome = run(&one_drive(&ssd, 32), sequential(4_000, op, 131_072));
        let found = 4_000.0 * 131_072.0 * 1e9 / outcome.summary.window.end_ns as f64;
        assert!((found / rate - 1.0).abs() < 0.01, "{found}");
    }
    let outcome = run(&one_drive(&ssd, 64), random(100_000, capacity, 0.0, 1));
    let flash = flash_of(&outcome);
    assert!(!flash.modelled && flash.write_amplification == Some(2.0));
    let written = 100_000.0 * 4_096.0;
    assert!((drive(&outcome).wear_fraction.unwrap() - written / 1e15).abs() < 1e-12);
    assert!((flash.pe_cycles_fraction.unwrap() - 2.0 * written / capacity as f64 / 1e4).abs() < 1e-12);
}

/// Trims reach the drives of a pool without parity, and are no reads or writes; parity drops them.
#[test]
fn trims_reach_drives_without_parity() {
    for (level, count, passed) in [("0", 2, true), ("10", 2, true), ("5", 3, false)] {
        let ssd = flash(64, 0.5);
        let mut plan = open(&ssd);
        plan["pools"][0]["count"] = json!(count);
        plan["pools"][0]["raid"]["level"] = json!(level);
        plan["volumes"][0]["capacity_bytes"] = json!(256 << 20);
        let mut requests = vec![request(0, Op::Write, 0, 65_536), request(MS, Op::Trim, 0, 1 << 20)];
        requests.push(request(2 * MS, Op::Read, 0, 4_096));
        requests.push(request(3 * MS, Op::Flush, 0, 0));
        let outcome = run(&plan, requests);
        assert_eq!((outcome.summary.total.reads, outcome.summary.total.writes), (1, 1));
        assert_eq!(outcome.summary.trims, if passed { vec![1] } else { vec![] });
        let trimmed: u64 =
            outcome.summary.devices.iter().map(|d| d.flash.as_ref().unwrap().trimmed_bytes).sum();
        let copies = if level == "10" { 2 } else { 1 };
        assert_eq!(trimmed, if passed { copies << 20 } else { 0 });
        let sensed: u64 = outcome.summary.devices.iter().map(|d| d.flash.as_ref().unwrap().pages_read).sum();
        assert!(passed == (sensed == 0) || level == "5", "what is trimmed is not read from flash");
    }
}

/// Trims between reads leave the drive's means of reads as they are.
#[test]
fn trims_are_in_no_mean_of_accesses() {
    for ssd in [flash(64, 0.5), sheet()] {
        let reads = (0..100).map(|i| request(2 * i * MS, Op::Read, i * 65_536, 4_096));
        let alone = run(&open(&ssd), reads.clone().collect());
        let trims = (0..100).map(|i| request((2 * i + 1) * MS, Op::Trim, (200 + i) * 65_536, 65_536));
        let mut both: Vec<Request> = reads.chain(trims).collect();
        both.sort_by_key(|r| r.time_ns);
        let with = run(&open(&ssd), both);
        assert_eq!(with.summary.trims, [100]);
        let sums = |o: &Outcome| {
            let d = drive(o);
            (d.accesses, d.arrivals, d.queue_seen_sum, d.service_ns, d.response_ns)
        };
        assert_eq!(sums(&with), sums(&alone));
    }
}

/// A trim of many stripe units is one command to each drive.
#[test]
fn a_trim_is_one_command_to_a_drive() {
    for (level, count) in [("0", 4), ("10", 4), ("1", 2)] {
        let ssd = flash(64, 0.5);
        let mut plan = open(&ssd);
        plan["pools"][0]["count"] = json!(count);
        plan["pools"][0]["raid"]["level"] = json!(level);
        plan["volumes"][0]["capacity_bytes"] = json!(256 << 20);
        let requests = (0..3).map(|i| request(i * MS, Op::Trim, i << 20, 1 << 20)).collect();
        let outcome = run(&plan, requests);
        let copies = if level == "0" { 1 } else { 2 };
        let trimmed: u64 =
            outcome.summary.devices.iter().map(|d| d.flash.as_ref().unwrap().trimmed_bytes).sum();
        assert_eq!(trimmed, (3 * copies) << 20);
        for device in &outcome.summary.devices {
            assert_eq!(device.flash.as_ref().unwrap().trims, 3, "{level}");
        }
    }
}

/// A closed loop of trims goes on.
#[test]
fn trims_hold_their_place_in_a_loop() {
    let ssd = flash(64, 0.5);
    let requests = (0..1_000).map(|i| request(i, Op::Trim, i * 4_096 + 512, 1_024)).collect();
    let outcome = run(&one_drive(&ssd, 4), requests);
    assert_eq!((&outcome.summary.trims[..], outcome.summary.total.arrived), (&[1_000][..], 0));
}

/// RAID-5 of SSDs: a failed drive is rebuilt onto a spare.
#[test]
fn a_failed_drive_is_rebuilt() {
    let ssd = flash(16, 0.5);
    let mut plan = open(&ssd);
    plan["pools"][0]["count"] = json!(4);
    plan["pools"][0]["raid"]["level"] = json!("5");
    plan["pools"][0]["raid"]["stripe_unit_bytes"] = json!(65_536);
    plan["volumes"][0]["capacity_bytes"] = json!(3 * (offered(&ssd) / 65_536) * 65_536);
    crate::common::trouble(&mut plan, 1, "dedicated", &[(1, 0.2)]);
    let mut requests = random(20_000, 400 << 20, 0.6, 8);
    for (i, r) in requests.iter_mut().enumerate() {
        r.time_ns = i as u64 * 500_000;
    }
    let outcome = run(&plan, requests);
    let rebuilt = outcome.summary.rebuilds[0];
    assert!(rebuilt.finished_ns.is_some() && rebuilt.rebuilt_bytes == rebuilt.lost_bytes);
    assert_eq!(outcome.summary.total.completed, 20_000);
    let dark = outcome.summary.devices[1].state_ns["standby"];
    assert!(dark > 9 * S, "{dark}");
    adds_up_without_levels(&outcome);
}

fn adds_up_without_levels(outcome: &Outcome) {
    assert!(outcome.summary.devices.iter().all(|d| d.level_j.is_empty()));
    adds_up(outcome);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Any workload on any kind of drive: everything completes, states fill the window, energy is one.
    #[test]
    fn every_run_adds_up(
        seed in 0u64..1_000,
        reads in prop_oneof![Just(0.0), Just(0.5), Just(1.0)],
        outstanding in 1u32..80,
        policy in prop_oneof![Just("fifo"), Just("greedy"), Just("cost-benefit")],
        hot_cold: bool,
        buffer in prop_oneof![Just(0u64), Just(65_536), Just(8 << 20)],
        suspends: bool,
        cap in prop_oneof![Just(None), (2.2f64..4.0).prop_map(Some)],
        fresh: bool,
        warm in prop_oneof![Just(0.0), Just(0.01)],
        unit in prop_oneof![Just(4_096u32), Just(16_384), Just(32_768)],
    ) {
        let mut ssd = flash(32, 0.4);
        ssd["media"]["gc"] = json!({"policy": policy, "free_blocks": 2, "hot_cold": hot_cold});
        ssd["media"]["buffer_bytes"] = json!(buffer);
        ssd["media"]["mapping_bytes"] = json!(unit);
        ssd["media"]["wear_levelling"] = json!(3);
        ssd["power"]["cap_w"] = json!(cap);
        if suspends {
            ssd["media"]["suspend"] = json!({"program": true, "erase": false, "latency_s": 10e-6});
        }
        if fresh {
            ssd["media"]["initial"] = json!({"kind": "fresh"});
        }
        let mut plan = one_drive(&ssd, outstanding);
        plan["observe"]["warmup_s"] = json!(warm);
        let mut draw = Lcg(seed);
        let requests: Vec<Request> = (0..2_000)
            .map(|i| {
                let op = if draw.unit() <= 0.05 { Op::Trim } else if draw.unit() <= reads { Op::Read } else { Op::Write };
                let size = 4_096 * (1 + draw.below(16)) as u32;
                request(i, op, draw.below(offered(&ssd) / 4_096 - 16) * 4_096, size)
            })
            .collect();
        let trims = requests.iter().filter(|r| r.op == Op::Trim).count() as u64;
        let outcome = run(&plan, requests);
        prop_assert_eq!(outcome.summary.requests_simulated, 2_000);
        prop_assert_eq!(outcome.summary.trims.iter().sum::<u64>(), trims);
        adds_up_without_levels(&outcome);
    }
}
