//! Disks with two actuators, and disks with overlapping tracks that the drive manages.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{Lcg, MS, S, one_pool, refusal, request, run};
use iowatt_sim::Outcome;
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

/// One drive of 800,000 sectors with so many arms; sector 0 of every track is at the index mark at time zero.
fn drive(arms: u64) -> Value {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["device"]["actuators"] = json!(arms);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    plan
}

/// One shingled drive of 800,000 sectors: bands of 8,000, a cache of 16,000 for so many writes.
fn shingled(entries: u64) -> Value {
    let mut plan = drive(1);
    let device = &mut plan["pools"][0]["device"];
    device["cylinders"] = json!(1_100);
    device["layout"]["zoned"]["zones"][0]["cylinders"] = json!(1_100);
    device["shingled"] =
        json!({"band_sectors": 8_000, "cache_sectors": 16_000, "map_entries": entries, "idle_s": 0.5});
    plan
}

fn closed(plan: &mut Value, outstanding: u64) {
    plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": outstanding, "per": "workload"});
}

fn sector(time: u64, op: Op, lbn: u64, sectors: u32) -> Request {
    request(time, op, lbn * 512, sectors * 512)
}

fn joules(outcome: &Outcome) -> f64 {
    outcome.summary.devices[0].energy_j.values().sum()
}

fn seconds(outcome: &Outcome) -> f64 {
    (outcome.summary.window.end_ns - outcome.summary.window.start_ns) as f64 / 1e9
}

#[test]
fn two_arms_serve_two_requests_at_once_and_each_draws_its_own() {
    // Track 0 of either arm's part: 200 sectors in a turn of 5 ms, from the index mark on.
    let requests = [0, 400_000].map(|lbn| sector(0, Op::Read, lbn, 200));
    let both = run(&drive(2), requests.to_vec());
    let device = &both.summary.devices[0];
    assert_eq!((device.state_ns["active"], device.state_ns["positioning"]), (5 * MS, 0));
    // One spindle idles at 22.3 W; a transfer draws 39 W, 16.7 W more than that.
    assert!((joules(&both) - 5e-3 * (22.3 + 2.0 * 16.7)).abs() < 1e-12, "{}", joules(&both));
    let one = run(&drive(1), requests.to_vec());
    assert!(one.summary.devices[0].state_ns["active"] == 10 * MS && one.summary.window.end_ns > 10 * MS);
}

#[test]
fn a_request_over_the_border_goes_from_arm_to_arm() {
    let outcome = run(&drive(2), vec![sector(0, Op::Read, 399_900, 200)]);
    let device = &outcome.summary.devices[0];
    assert_eq!((device.reads, device.bytes_read), (1, 200 * 512));
    assert_eq!(device.state_ns["active"], 5 * MS);
    assert_eq!(device.service_ns, outcome.summary.window.end_ns);
}

#[test]
fn two_streams_on_two_arms_are_twice_as_fast() {
    let time = |arms: u64, starts: [u64; 2]| {
        let mut plan = drive(arms);
        plan["pools"][0]["device"]["buffer"] = json!({
            "segments": 16, "segment_sectors": 2_000, "caching": true, "read_ahead": "history",
            "read_ahead_on_hit": true,
        });
        closed(&mut plan, 2);
        plan["pools"][0]["scheduler"] = json!("fcfs");
        let requests =
            (0..400).map(|i| sector(0, Op::Read, starts[i % 2] + i as u64 / 2 * 400, 400)).collect();
        seconds(&run(&plan, requests))
    };
    // 80,000 sectors a stream: 400 turns and 400 skews of a tenth of a turn: 2.2 s.
    let twice = time(2, [0, 400_000]);
    assert!((twice - 2.2).abs() < 0.03, "{twice}");
    // Both streams in the part of one arm: it serves them one after the other.
    assert!(time(2, [0, 200_000]) > 1.9 * twice);
}

#[test]
fn idle_arms_draw_what_one_spindle_draws() {
    let mut plan = drive(2);
    plan["observe"]["end_s"] = json!(100.0);
    let outcome = run(&plan, vec![]);
    assert_eq!(outcome.summary.devices[0].energy_j["idle"], 2_230.0);
}

/// Random writes of 8 sectors, one after another.
fn random_writes(count: usize, seed: u64) -> Vec<Request> {
    let mut random = Lcg(seed);
    (0..count).map(|_| sector(0, Op::Write, random.below(100_000) * 8, 8)).collect()
}

#[test]
fn random_writes_are_fast_until_the_cache_is_full() {
    let rate = |count: usize, entries: u64| {
        let mut plan = shingled(entries);
        closed(&mut plan, 1);
        count as f64 / seconds(&run(&plan, random_writes(count, 1)))
    };
    // Into the cache, one behind the other: 25 of them to a track, a turn and a tenth.
    let fresh = rate(400, 500);
    assert!((4_000.0..4_546.0).contains(&fresh), "{fresh}");
    // With 100 bands and 50 entries every second write or so cleans a band: 40 tracks read and written,
    // 0.44 s.
    let full = (1_000.0 - 50.0) / (1_000.0 / rate(1_000, 50) - 50.0 / fresh);
    assert!((2.0..8.0).contains(&full), "{full}");
}

#[test]
fn sequential_writes_fill_their_bands_straight() {
    let requests: Vec<_> = (0..400).map(|i| sector(0, Op::Write, i * 400, 400)).collect();
    let time = |mut plan: Value| {
        closed(&mut plan, 1);
        let mut requests = requests.clone();
        // A rest in which the drive would clean, if there were anything to clean.
        requests.push(sector(0, Op::Read, 0, 8));
        run(&plan, requests)
    };
    let (band, plain) = (time(shingled(500)), time(drive(1)));
    assert_eq!(band.summary.window.end_ns, plain.summary.window.end_ns);
    assert_eq!(joules(&band), joules(&plain));
}

#[test]
fn a_drive_at_rest_cleans_for_its_own_account() {
    let mut requests = random_writes(5, 3);
    for (i, write) in requests.iter_mut().enumerate() {
        write.time_ns = i as u64 * 100 * MS;
    }
    let after = |rest_s: u64, plan: &Value| {
        let mut requests = requests.clone();
        requests.push(sector(S / 2 + rest_s * S, Op::Read, 0, 8));
        run(plan, requests)
    };
    let plan = shingled(500);
    // Nothing happens before half a second of rest; then five bands take about 0.45 s each.
    let (short, long) = (after(0, &plan), after(20, &plan));
    assert_eq!(short.summary.devices[0].cause_j["background"], 0.0);
    let background = long.summary.devices[0].cause_j["background"];
    assert!((5.0 * 0.40 * 37.0..5.0 * 0.60 * 39.0).contains(&background), "{background}");
    let later = after(40, &plan);
    assert_eq!(later.summary.devices[0].cause_j["background"], background, "clean is clean");
    // A request that comes meanwhile waits for the band that is being cleaned.
    let meanwhile = after(1, &plan);
    assert!(meanwhile.summary.total.response.all.max_s > 0.02);
    // The drive does not spin down before it is clean.
    let mut managed = plan;
    managed["pools"][0]["power_policy"] =
        json!({"policy": "fixed-threshold", "threshold_s": 0.6, "level": 1});
    let down = after(60, &managed);
    assert_eq!(down.summary.devices[0].cause_j["background"], background);
    assert_eq!(down.summary.devices[0].spin_downs, 1);
}

#[test]
fn what_cannot_be_is_refused() {
    let with = |key: &str, value: Value| {
        let mut plan = shingled(10);
        plan["pools"][0]["device"]["shingled"][key] = value;
        refusal(&plan)
    };
    let place = |key: &str| format!("pools[0].device.shingled.{key}");
    assert_eq!(with("band_sectors", json!(0)), (place("band_sectors"), "range"));
    assert_eq!(with("cache_sectors", json!(7_999)), (place("cache_sectors"), "range"));
    assert_eq!(with("map_entries", json!(0)), (place("map_entries"), "range"));
    assert_eq!(with("idle_s", json!(-1.0)), (place("idle_s"), "range"));
    assert_eq!(refusal(&drive(3)), ("pools[0].device.actuators".to_owned(), "range"));
    let mut slower = drive(2);
    slower["pools"][0]["device"]["power"] = crate::common::ladder();
    assert_eq!(refusal(&slower), ("pools[0].device.power.levels".to_owned(), "conflict"));
}
