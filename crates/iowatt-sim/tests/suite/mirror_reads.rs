//! Reads of mirrors that leave sleeping drives asleep (docs/models/raid.md).
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{S, ladder, one_pool, refusal, request, run};
use iowatt_sim::Outcome;
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

/// A mirror of two, whose drives stop after 10 s without work: 15 s at 12.72 W down, 26 s at 34.8 W up, 22.3 W idle.
fn mirror(mirror_reads: &str) -> Value {
    let mut plan = one_pool("1", 2);
    plan["pools"][0]["power_policy"] = json!({"policy": "fixed-threshold", "threshold_s": 10.0, "level": 1});
    plan["pools"][0]["raid"]["mirror_reads"] = json!(mirror_reads);
    plan
}

fn read(at_s: u64) -> Request {
    request(at_s * S, Op::Read, 0, 4_096)
}

/// Reads of each drive, and how many of all operations waited for a drive to be ready.
fn reads(outcome: &Outcome) -> (Vec<u64>, u64) {
    let drives = &outcome.summary.devices;
    (drives.iter().map(|d| d.reads).collect(), drives.iter().map(|d| d.delayed).sum())
}

fn joules(outcome: &Outcome) -> f64 {
    outcome.summary.devices.iter().flat_map(|d| d.energy_j.values()).sum()
}

/// A read every 5 s keeps one drive spinning: with `primary` the other stops for good after 10 s.
#[test]
fn the_primary_takes_the_reads_and_the_other_sleeps() {
    let mut plan = mirror("primary");
    plan["observe"]["end_s"] = json!(400.0);
    let requests: Vec<_> = (1..80).map(|i| read(5 * i)).collect();
    let outcome = run(&plan, requests.clone());
    assert_eq!(reads(&outcome), (vec![79, 0], 0));
    let second = &outcome.summary.devices[1];
    let by_hand = 10.0 * 22.3 + 190.8 + 375.0 * 12.72;
    assert!((second.energy_j.values().sum::<f64>() - by_hand).abs() < 1e-6);
    // Either drive may be drawn while both spin; the first that is not drawn for 10 s stops, and no read waits for it.
    plan["pools"][0]["raid"]["mirror_reads"] = json!("spinning");
    let spinning = run(&plan, requests.clone());
    assert_eq!(reads(&spinning).1, 0);
    plan["pools"][0]["raid"]["mirror_reads"] = json!("shorter-queue");
    let plain = run(&plan, requests);
    assert!(reads(&plain).1 > 0, "reads are drawn for sleeping drives");
    assert!(joules(&plain) > joules(&spinning) && joules(&plain) > joules(&outcome));
}

/// Where all copies sleep one is woken, and what comes meanwhile waits for that one; writes wake both.
#[test]
fn one_copy_is_woken_and_the_rest_waits_for_it() {
    for mirror_reads in ["spinning", "primary"] {
        let requests = vec![read(100), read(110), read(120), request(200 * S, Op::Write, 0, 4_096)];
        let outcome = run(&mirror(mirror_reads), requests);
        let (mut by_drive, delayed) = reads(&outcome);
        by_drive.sort_unstable();
        // Three reads wait for one drive, and both copies of the write for theirs: the first slept again after 136 s.
        assert_eq!((by_drive, delayed), (vec![0, 3], 5), "{mirror_reads}");
        let mut starts: Vec<_> = outcome.summary.devices.iter().map(|d| d.spin_ups).collect();
        starts.sort_unstable();
        assert_eq!(starts, [1, 2], "{mirror_reads}");
    }
}

/// A drive that is up in 2 ms comes before one that stands still, whoever has the shorter queue.
#[test]
fn the_copy_that_is_ready_sooner_is_read() {
    let mut plan = mirror("spinning");
    plan["pools"][0]["device"]["power"] = ladder();
    let timers = [(1.0, 1), (60.0, 3)].map(|(after_s, level)| json!({"after_s": after_s, "level": level}));
    plan["pools"][0]["power_policy"] = json!({"policy": "multi-level", "timers": timers});
    // The read at 50 s takes one drive, which then unloads its heads at 51 s; the other stops at 60 s.
    let outcome = run(&plan, vec![read(50), read(100)]);
    let (mut by_drive, _) = reads(&outcome);
    by_drive.sort_unstable();
    assert_eq!(by_drive, [0, 2]);
    assert_eq!(outcome.summary.devices.iter().map(|d| d.spin_ups).sum::<u64>(), 0);
}

/// Drives that always spin are all ready: `spinning` is then the plain choice.
#[test]
fn without_a_power_policy_spinning_drives_are_alike() {
    let figures = |mirror_reads: &str| {
        let mut plan = mirror(mirror_reads);
        plan["pools"][0]["power_policy"] = json!({"policy": "never"});
        let requests = crate::common::poisson(3, 500, 300.0, 0.8, 4_096, 400_000_000);
        serde_json::to_string(&run(&plan, requests).summary).unwrap()
    };
    assert_eq!(figures("spinning"), figures("shorter-queue"));
    assert_ne!(figures("primary"), figures("shorter-queue"));
}

/// An oracle is told the idle periods of drives that spin, which avoiding sleepers would change.
#[test]
fn oracles_allow_no_steering() {
    let mut plan = mirror("spinning");
    plan["pools"][0]["power_policy"] = json!({"policy": "oracle-energy", "level": 1});
    assert_eq!(refusal(&plan), ("pools[0].power_policy".to_owned(), "conflict"));
}
