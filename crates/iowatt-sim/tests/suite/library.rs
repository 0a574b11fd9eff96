//! Libraries: closed forms of mounts, streams and energy, and the laws that hold in every run.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use crate::common::{Given, Lcg, S, given, refusal, request, run, try_run};
use iowatt_sim::Outcome;
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

/// Cartridges of 1,000 bytes on four wraps; 100 s from end to end, 2 s besides; load 10 s, unload 5 s, 7 s a move.
/// 100 B/s at most behind a buffer of 100 bytes and 1,000 B/s.
fn library(drives: u32, robots: u32) -> Value {
    json!({
        "drives": drives, "robots": robots, "cartridges": 8, "cartridge_bytes": 1000, "move_s": 7.0,
        "hold_s": 0.0, "unload_after_s": null, "robot_w": [3.0, 40.0], "frame_w": 50.0,
        "drive": {
            "wraps": 4, "end_to_end_s": 100.0, "locate_overhead_s": 2.0, "load_s": 10.0, "unload_s": 5.0,
            "reposition_s": 3.0, "speed_bytes_per_s": [40.0, 100.0], "buffer_bytes": 100,
            "interface_bytes_per_s": 1000.0, "flush_s": 5.0,
            "power": {"unloaded_w": 5.0, "idle_w": 10.0, "load_w": 20.0, "locate_w": 25.0, "read_w": 30.0,
                      "write_w": 32.0, "states": [6, 7, 8]},
        },
    })
}

fn plan(drives: u32, robots: u32, end_s: Option<f64>) -> Value {
    json!({
        "seed": 1,
        "workloads": [{"volume": 0, "replay": {"mode": "open", "speed": 1.0}}],
        "volumes": [{"pool": 0, "offset_bytes": 0, "capacity_bytes": 8000}],
        "pools": [], "libraries": [library(drives, robots)], "buses": [],
        "observe": {"warmup_s": 0.0, "end_s": end_s, "interval_s": null},
    })
}

/// Seconds of a device in its states: active, positioning, idle, unloaded, load, unload.
fn states(outcome: &Outcome, device: usize) -> [f64; 6] {
    let device = serde_json::to_value(&outcome.summary.devices[device]).unwrap();
    let of = |state: &str| device["state_ns"][state].as_u64().unwrap();
    let at = |level: usize| device["level_ns"][level].as_u64().unwrap();
    [of("active"), of("positioning"), of("idle"), at(0), at(1), at(2)].map(|ns| ns as f64 / 1e9)
}

fn figures(outcome: &Outcome) -> Value {
    serde_json::to_value(&outcome.summary.libraries[0]).unwrap()
}

fn joules(outcome: &Outcome, device: usize) -> f64 {
    let device = serde_json::to_value(&outcome.summary.devices[device]).unwrap();
    device["cause_j"].as_object().unwrap().values().map(|joules| joules.as_f64().unwrap()).sum()
}

/// What must hold in every run: state times of each device fill the window, stages add up to response times, Little's law.
fn check_laws(outcome: &Outcome) {
    let summary = serde_json::to_value(&outcome.summary).unwrap();
    let span =
        summary["window"]["end_ns"].as_u64().unwrap() - summary["window"]["start_ns"].as_u64().unwrap();
    for device in summary["devices"].as_array().unwrap() {
        let states = device["state_ns"].as_object().unwrap().values();
        let times = states.chain(device["level_ns"].as_array().unwrap());
        assert_eq!(times.map(|ns| ns.as_u64().unwrap()).sum::<u64>(), span, "{device}");
        let by_state = device["energy_j"].as_object().unwrap().values();
        let by_state: f64 =
            by_state.chain(device["level_j"].as_array().unwrap()).map(|j| j.as_f64().unwrap()).sum();
        let by_cause: f64 =
            device["cause_j"].as_object().unwrap().values().map(|j| j.as_f64().unwrap()).sum();
        assert!((by_state - by_cause).abs() < 1e-6 * by_state.max(1.0), "{by_state} {by_cause}");
    }
    let library = &summary["libraries"][0];
    let part = |of: &Value, keys: &[&str]| keys.iter().map(|key| of[key].as_u64().unwrap()).sum::<u64>();
    let mounts = &library["mounts"];
    assert_eq!(
        mounts["wait_ns"].as_u64().unwrap(),
        part(mounts, &["drive_ns", "clear_ns", "robot_ns", "move_ns", "load_ns"])
    );
}

#[test]
fn a_single_restore_takes_robot_load_locate_and_transfer_and_costs_what_its_states_draw() {
    // Byte 125 of cartridge 3 lies half way along the tape: locate 2 + 50 s. 50 bytes take 0.5 s off the tape, then 0.05 s
    // more to the host while the tape reads on; the buffer lets both overlap.
    let outcome = run(&plan(1, 1, Some(200.0)), vec![request(0, Op::Read, 3125, 50)]);
    check_laws(&outcome);
    let response = outcome.summary.total.response.all.max_s;
    assert_eq!(response, 7.0 + 10.0 + 52.0 + 0.5);
    let library = figures(&outcome);
    assert_eq!(library["mounts"]["count"], 1);
    assert_eq!(library["mounts"]["wait_ns"], 17 * S);
    assert_eq!(library["read"]["mount_ns"], 17 * S);
    assert_eq!(library["read"]["locate_ns"], 52 * S);
    assert_eq!(library["read"]["transfer_ns"], S / 2);
    // It reads 150 bytes, then its buffer of 100 is full: 1.5 s, and 3 s to go back.
    assert_eq!(states(&outcome, 0), [1.5, 52.0 + 3.0, 200.0 - 7.0 - 10.0 - 52.0 - 4.5, 7.0, 10.0, 0.0]);
    let drive = 1.5 * 30.0 + 55.0 * 25.0 + 126.5 * 10.0 + 7.0 * 5.0 + 10.0 * 20.0;
    assert!((joules(&outcome, 0) - drive).abs() < 1e-9);
    assert!((joules(&outcome, 1) - (7.0 * 40.0 + 193.0 * 3.0)).abs() < 1e-9);
    assert!((joules(&outcome, 2) - 200.0 * 50.0).abs() < 1e-9);
}

#[test]
fn an_exchange_rewinds_unloads_and_moves_two_cartridges() {
    // The first restore ends at 7 + 10 + 52 + 0.5 s with 150 bytes read by 70.5 s: at byte 275, 0.9 of the way along.
    let requests = vec![request(0, Op::Read, 125, 50), request(100 * S, Op::Read, 5000, 50)];
    let outcome = run(&plan(1, 1, None), requests);
    check_laws(&outcome);
    let rewind = 2.0 + 0.9 * 100.0;
    let mount = rewind + 5.0 + 7.0 + 7.0 + 10.0;
    assert!((outcome.summary.total.response.all.max_s - (mount + 0.5)).abs() < 1e-9);
    let library = figures(&outcome);
    assert_eq!(library["mounts"]["clear_ns"], ((rewind + 5.0) * 1e9) as u64);
    assert_eq!(library["mounts"]["move_ns"], 21 * S);
    assert_eq!(library["dismounts"], 1);
}

#[test]
fn mounts_queue_for_drives_and_robots() {
    let at_once: Vec<Request> = (0..2).map(|n| request(0, Op::Read, 1000 * n, 50)).collect();
    // Two drives, one robot: the second mount waits 7 s for the robot.
    let outcome = run(&plan(2, 1, None), at_once.clone());
    check_laws(&outcome);
    assert_eq!(figures(&outcome)["mounts"]["robot_ns"], 7 * S);
    assert_eq!(outcome.summary.total.response.all.max_s, 7.0 + 7.0 + 10.0 + 0.5);
    // Two robots: none waits.
    let outcome = run(&plan(2, 2, None), at_once.clone());
    assert_eq!(outcome.summary.total.response.all.max_s, 17.5);
    // One drive: the second waits until the first is done, and for its exchange.
    let outcome = run(&plan(1, 1, None), at_once);
    check_laws(&outcome);
    assert_eq!(figures(&outcome)["mounts"]["drive_ns"], 17 * S + S / 2);
}

#[test]
fn an_idle_drive_holds_its_cartridge_and_unloads_it_later() {
    let mut held = plan(1, 1, Some(300.0));
    held["libraries"][0]["hold_s"] = json!(20.0);
    let requests = vec![request(0, Op::Read, 0, 50), request(18 * S, Op::Read, 1000, 50)];
    // The first is done at 17.5 s, so that its cartridge stays until 37.5 s.
    assert_eq!(figures(&run(&held, requests))["mounts"]["drive_ns"], 19 * S + S / 2);
    let mut unloads = plan(1, 1, Some(300.0));
    unloads["libraries"][0]["unload_after_s"] = json!(60.0);
    let outcome = run(&unloads, vec![request(0, Op::Read, 0, 50)]);
    check_laws(&outcome);
    // Idle from 17.5 s; it rewinds from byte 150, 0.6 of the way, at 77.5 s, unloads, and the robot takes 7 s.
    let gone = 77.5 + 62.0 + 5.0;
    let [.., unloaded, load, unload] = states(&outcome, 0);
    assert_eq!([unloaded, load, unload], [7.0 + 300.0 - gone, 10.0, 5.0]);
    assert_eq!(figures(&outcome)["dismounts"], 1);
}

#[test]
fn a_backup_streams_at_the_native_rate_and_is_written_out_at_the_end() {
    // 9,000 bytes in a loop of one request on nine... eight cartridges: here 900 bytes on one.
    let mut closed = plan(1, 1, None);
    closed["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": 1, "per": "workload"});
    let outcome = run(&closed, (0..90).map(|n| request(0, Op::Write, 10 * n, 10)).collect());
    check_laws(&outcome);
    // The tape starts with half a buffer, at 17.05 s (50 bytes at 1,000 B/s), and has 900 bytes to write at 100 B/s.
    let end = outcome.summary.window.end_ns as f64 / 1e9;
    assert!((end - (17.0 + 0.04 + 9.0)).abs() < 0.02, "{end}");
    assert!((states(&outcome, 0)[0] - 9.0).abs() < 1e-9);
    // Requests over two cartridges are parts of both.
    let outcome = run(&plan(2, 1, None), vec![request(0, Op::Write, 950, 100)]);
    assert_eq!(figures(&outcome)["write"]["requests"], 2);
    assert_eq!(outcome.summary.total.completed, 1);
}

#[test]
fn an_idle_library_draws_its_idle_watts_and_nothing_else() {
    let mut idle = plan(2, 1, Some(3600.0));
    idle["workloads"] = json!([]);
    let outcome = try_run(&idle, Vec::<Given>::new()).unwrap();
    check_laws(&outcome);
    let total: f64 = (0..4).map(|device| joules(&outcome, device)).sum();
    assert_eq!(total, 3600.0 * (2.0 * 5.0 + 3.0 + 50.0));
}

#[test]
fn laws_hold_under_a_mixed_load_whatever_the_window() {
    for (seed, warmup, end) in [(1, 0.0, None), (2, 500.0, Some(3_000.0)), (3, 0.0, Some(777.7))] {
        let mut random = Lcg(seed);
        let mut time = 0;
        let requests = (0..60).map(|_| {
            time += random.below(60 * S);
            let op = if random.below(3) == 0 { Op::Read } else { Op::Write };
            request(time, op, random.below(7_900), 1 + random.below(90) as u32)
        });
        let mut plan = plan(2, 1, end);
        plan["observe"]["warmup_s"] = json!(warmup);
        plan["libraries"][0]["unload_after_s"] = json!(40.0);
        let requests: Vec<Request> = requests.collect();
        let outcome = run(&plan, requests.clone());
        check_laws(&outcome);
        let summary = &outcome.summary;
        assert_eq!(summary.total.arrived, summary.total.completed + summary.total.in_flight_at_end);
        if end.is_none() {
            assert_eq!(summary.total.completed, 60);
            let library = figures(&outcome);
            let parts = ["read", "write"].map(|way| {
                ["mount_ns", "queue_ns", "locate_ns", "transfer_ns"]
                    .map(|key| library[way][key].as_u64().unwrap())
                    .iter()
                    .sum::<u64>()
            });
            // Of requests on one cartridge the parts are the response time; others count once for each.
            let responses = summary.total.response.all.mean_s * 60.0;
            assert!(parts.iter().sum::<u64>() as f64 / 1e9 >= responses - 1e-6);
        }
        let again = run(&plan, requests);
        assert_eq!(serde_json::to_string(summary).unwrap(), serde_json::to_string(&again.summary).unwrap());
        // Little's law at the drives: what their queues held is what their operations stayed, while none is cut.
        if end.is_none() {
            let devices = serde_json::to_value(&summary.devices).unwrap();
            let span = summary.window.end_ns as f64;
            for device in devices.as_array().unwrap() {
                let area = device["queue_length_mean"].as_f64().unwrap() * span;
                let stays = device["response_ns"].as_u64().unwrap() as f64;
                assert!((area - stays).abs() < 1.0 + 1e-9 * stays, "{device}");
            }
        }
    }
}

#[test]
fn contradictions_are_refused_by_their_place() {
    let faults = [
        ("/libraries/0/drives", json!(0), "libraries[0].drives"),
        (
            "/libraries/0/drive/speed_bytes_per_s",
            json!([200.0, 100.0]),
            "libraries[0].drive.speed_bytes_per_s",
        ),
        ("/libraries/0/drive/interface_bytes_per_s", json!(50.0), "libraries[0].drive.interface_bytes_per_s"),
        ("/volumes/0/capacity_bytes", json!(8001), "volumes[0]"),
    ];
    for (pointer, value, place) in faults {
        let mut plan = plan(1, 1, None);
        *plan.pointer_mut(pointer).unwrap() = value;
        assert_eq!(refusal(&plan).0, place);
    }
    let _ = given(vec![]);
}
