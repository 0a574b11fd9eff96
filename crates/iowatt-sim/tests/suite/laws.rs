//! Invariants that hold on every run, whatever the system (docs/testing.md: V21, V22).
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::cluster::{Size, cluster, recover};
use crate::common::{
    MS, S, capacity, given, ladder, log_parity, one_pool, poisson, pool, request, run, trouble, try_run,
};
use iowatt_sim::{Column, Outcome, SimError};
use iowatt_trace::{Op, Request};
use proptest::prelude::*;
use serde_json::{Value, json};

const LEVELS: [&str; 8] = ["0", "1", "10", "4", "5", "6", "ec3+3", "ec2+2+2"];
const SCHEDULERS: [&str; 6] = ["fcfs", "sstf", "scan", "look", "c-look", "sptf"];

fn column(table: &[(&str, Column)], name: &str) -> Vec<f64> {
    values(&table.iter().find(|(n, _)| *n == name).unwrap().1)
}

fn values(column: &Column) -> Vec<f64> {
    match column {
        Column::U64(v) => v.iter().map(|&x| x as f64).collect(),
        Column::F64(v) => v.clone(),
    }
}

const POLICIES: usize = 12;

/// A power policy of each kind, on drives of quick and of slow transitions; 0 is never.
fn set_policy(plan: &mut Value, kind: usize, threshold_s: f64) {
    let fixed = json!({"policy": "fixed-threshold", "threshold_s": threshold_s, "level": 1});
    let pool = &mut plan["pools"][0];
    if kind > 2 {
        pool["device"]["power"] = ladder();
    }
    let timers: Vec<Value> = (1..4)
        .map(|level| json!({"level": level, "after_s": f64::from(level) * 0.2 * threshold_s}))
        .collect();
    pool["power_policy"] = match kind {
        0 => return,
        1 | 2 => fixed,
        3 => json!({"policy": "fixed-threshold", "threshold_s": 0.01 * threshold_s, "level": 3}),
        4 => json!({"policy": "two-competitive", "level": 3, "randomised": true}),
        5 => json!({"policy": "share", "level": 1,
                    "sharing": {"experts": 100, "learning_rate": 4.0, "share": 0.08}}),
        6 => json!({"policy": "multi-level", "timers": timers}),
        7 => json!({"policy": "multi-speed", "timers": timers, "bears": 2}),
        8 => json!({"policy": "multi-speed", "timers": timers[..2].to_vec(), "bears": 1000}),
        9 => json!({"policy": "arima", "level": 3, "prediction": {"certainty": 0.5, "memory": 20.0},
                    "order": {"autoregressive": 1, "differences": 1, "moving_average": 1}}),
        10 => json!({"policy": "law-driven", "level": 3, "law": null,
                     "prediction": {"certainty": 0.7, "memory": 20.0}}),
        _ => json!({"policy": "oracle-energy", "level": null}),
    };
    match kind {
        2 | 6 => pool["batching"] = json!({"max_wait_s": 0.02, "max_requests": 3}),
        3 => pool["spin_ups_at_once"] = json!(1),
        7 => {
            pool["batching"] = json!({"max_wait_s": 0.5});
            pool["spin_ups_at_once"] = json!(2);
        }
        _ => {}
    }
}

/// Arms of the drives.
fn arms(plan: &Value) -> u64 {
    plan["pools"][0]["device"]["actuators"].as_u64().unwrap_or(1)
}

/// Whether drives work at rest, or on two requests at once: busy time is not the sum of their services.
fn works_by_itself(plan: &Value) -> bool {
    let device = &plan["pools"][0]["device"];
    arms(plan) > 1 || !device["shingled"].is_null() || !device["buffer"].is_null()
}

/// Makes the drives such; a cache so small that cleaning is common.
fn make_special(plan: &mut Value, arms: u64, shingled: bool, fast_write: bool) {
    let device = &mut plan["pools"][0]["device"];
    device["actuators"] = json!(arms);
    if shingled {
        device["shingled"] =
            json!({"band_sectors": 10_000, "cache_sectors": 12_000, "map_entries": 40, "idle_s": 0.02});
        device["cylinders"] = json!(1_200);
        device["layout"]["zoned"]["zones"][0]["cylinders"] = json!(1_200);
    }
    if fast_write {
        device["buffer"] = json!({
            "segments": 4, "segment_sectors": 2_000, "write_segments": 2, "caching": true,
            "read_hits_on_writes": true, "read_ahead": "history", "fast_write": 2,
            "write_prebuffering": true, "combine_writes": true,
        });
    }
}

/// Everything that must hold of any outcome.
fn check_laws(plan: &Value, outcome: &Outcome) {
    let s = &outcome.summary;
    let span = s.window.end_ns - s.window.start_ns;
    for flow in s.workloads.iter().chain(&s.volumes).chain([&s.total]) {
        assert_eq!(flow.arrived, flow.completed + flow.in_flight_at_end);
        assert_eq!(flow.arrived, flow.reads + flow.writes);
        assert_eq!(flow.completed, flow.response.all.count);
    }
    for (i, drive) in s.devices.iter().enumerate() {
        // State times partition the window.
        assert_eq!(drive.state_ns.values().chain(&drive.level_ns).sum::<u64>(), span, "drive {i}");
        // What joules are for partitions them.
        let by_state: f64 = drive.energy_j.values().chain(&drive.level_j).sum();
        let by_cause: f64 = drive.cause_j.values().sum();
        assert!((by_state - by_cause).abs() <= 1e-9 * by_state, "drive {i}: {by_state} {by_cause}");
        assert!(drive.cause_j.values().all(|&j| j >= 0.0));
        let managed = drive.energy_j["spin_up"] + drive.energy_j["spin_down"];
        assert!((drive.cause_j["power_management"] - managed).abs() <= 1e-9 * managed.max(1.0));
        assert!(drive.batch_delay_ns <= drive.delay_ns && drive.spin_downs <= drive.descents);
        // Utilisation law: busy time = operations x mean service time, where no operation is cut.
        let busy = drive.state_ns["active"] + drive.state_ns["positioning"];
        assert!(drive.accesses + drive.redirected <= drive.arrivals || s.window.start_ns > 0);
        // The last request may cut the operations of a rebuild; a drive that fails passes on what waits.
        let logging = s.parity_logs.iter().any(|log| log.under_way > 0);
        let rebuilding =
            logging || s.rebuilds.iter().any(|r| r.started_ns.is_some() && r.finished_ns.is_none());
        if plan["observe"]["end_s"].is_null() && s.window.start_ns == 0 && !rebuilding {
            if works_by_itself(plan) {
                assert!(arms(plan) * busy >= drive.service_ns, "drive {i}");
            } else {
                assert_eq!(busy, drive.service_ns, "drive {i}");
            }
            assert_eq!(drive.arrivals, drive.accesses + drive.redirected);
            if drive.redirected > 0 {
                continue;
            }
            // Little's law at the drive: N x T = sum of response times.
            let little = drive.queue_length_mean * span as f64;
            assert!((little - drive.response_ns as f64).abs() <= 1e-6 * little.max(1.0));
            if let Some(held) = drive.commands_mean {
                let depth = plan["pools"][0]["command_queue"]["depth"].as_f64().unwrap();
                assert!(held <= depth * arms(plan) as f64 && held <= drive.queue_length_mean * (1.0 + 1e-9));
                assert!(held * span as f64 >= drive.service_ns as f64 * (1.0 - 1e-9));
            }
        }
    }
    // Little's law at the host.
    if plan["observe"]["end_s"].is_null() && s.window.start_ns == 0 {
        let all = &s.total.response.all;
        let (little, sum) = (s.total.in_flight_mean * span as f64 / 1e9, all.mean_s * all.count as f64);
        assert!((little - sum).abs() <= 1e-6 * sum.max(1e-9), "{little} {sum}");
    }
    check_controller(plan, outcome);
    // Intervals partition the window, the requests and the energy.
    let i = &outcome.intervals;
    // Writes that are answered at once at time zero make a window of no length, which has no interval.
    let in_intervals = |count: u64| if span == 0 { 0 } else { count };
    assert_eq!(column(i, "arrivals").iter().sum::<f64>() as u64, in_intervals(s.total.arrived));
    let completions = s.total.completions.requests;
    assert_eq!(column(i, "completions").iter().sum::<f64>() as u64, in_intervals(completions));
    if s.window.start_ns == 0 {
        assert_eq!(completions, s.total.completed);
    }
    let spans: f64 = column(i, "end_ns").iter().zip(column(i, "start_ns")).map(|(e, b)| e - b).sum();
    assert_eq!(spans as u64, span);
    let by_state: f64 = s.devices.iter().flat_map(|d| d.energy_j.values().chain(&d.level_j)).sum();
    let by_interval: f64 =
        i.iter().filter(|(n, _)| n.starts_with("energy_")).map(|(_, c)| values(c).iter().sum::<f64>()).sum();
    assert!((by_state - by_interval).abs() <= 1e-9 * by_state, "{by_state} {by_interval}");
    // The histograms hold every completed request.
    let (low, high) = (column(&outcome.latency, "low_ns"), column(&outcome.latency, "high_ns"));
    let count = column(&outcome.latency, "count");
    assert_eq!(count.iter().sum::<f64>() as u64, s.total.completed);
    // ... in bins of 0.1 % that agree with the exact sum and the exact maximum.
    let at_edge = |edge: &[f64]| edge.iter().zip(&count).map(|(e, n)| e * n).sum::<f64>() / 1e9;
    let sum = s.total.response.all.mean_s * s.total.response.all.count as f64;
    assert!(at_edge(&low) <= sum * (1.0 + 1e-9) && at_edge(&high) >= sum * (1.0 - 1e-9));
    assert!(low.iter().zip(&high).all(|(l, h)| h - l <= 1e-3 * h));
    let longest = high.iter().copied().fold(0.0, f64::max) / 1e9;
    assert!(longest >= s.total.response.all.max_s && longest <= s.total.response.all.max_s * 1.001);
}

/// Utilisation law of the back end, and that every command reaches its drive, where no window cuts them.
fn check_back_end(plan: &Value, outcome: &Outcome, whole: bool) {
    let s = &outcome.summary;
    let Some(controller) = &s.controller else { return };
    let given = &plan["controller"]["back_end"];
    let span = (s.window.end_ns - s.window.start_ns) as f64;
    let failed = !s.rebuilds.is_empty() || s.parity_logs.iter().any(|log| log.under_way > 0);
    let stations = [
        (&controller.back_end, "command_s", "processors"),
        (&controller.write_path, "write_command_s", "write_processors"),
    ];
    for (station, time, servers) in stations {
        let time = given[time].as_f64().unwrap_or(0.0) * 1e9;
        assert_eq!(station.is_some(), time > 0.0);
        let Some(station) = station else { continue };
        assert!(station.utilisation <= 1.0 + 1e-12, "{}", station.utilisation);
        // At its end a rebuild may have commands under way.
        if whole && !failed {
            let busy = station.utilisation * span * given[servers].as_f64().unwrap();
            let demand = station.visits as f64 * time;
            assert!((busy - demand).abs() <= 1e-6 * demand, "utilisation law: {busy} {demand}");
        }
    }
    let arrivals: u64 = s.devices.iter().map(|d| d.arrivals).sum();
    let writes: u64 = s.devices.iter().map(|d| d.writes).sum();
    if let Some(back_end) = controller.back_end.as_ref().filter(|_| whole) {
        // Commands may be on their way to a drive when it fails.
        assert!(if failed { back_end.visits >= arrivals } else { back_end.visits == arrivals });
        assert!(controller.write_path.as_ref().is_none_or(|w| w.visits <= back_end.visits));
    }
    if let Some(write_path) = controller.write_path.as_ref().filter(|_| whole && !failed) {
        assert!((writes..=arrivals).contains(&write_path.visits), "every write, and reads for writes");
    }
}

/// Visits and bytes of a controller, where no window cuts them.
fn check_controller(plan: &Value, outcome: &Outcome) {
    let s = &outcome.summary;
    let Some(controller) = &s.controller else { return };
    let span = (s.window.end_ns - s.window.start_ns) as f64;
    for station in controller.processors.iter().chain(&controller.link).chain(&controller.mirror) {
        assert!(station.utilisation <= 1.0 + 1e-12, "{}", station.utilisation);
    }
    let whole = plan["observe"]["end_s"].is_null() && s.window.start_ns == 0;
    check_back_end(plan, outcome, whole);
    if let Some(p) = controller.processors.as_ref().filter(|_| whole) {
        assert_eq!(p.visits, s.total.arrived);
        let given = &plan["controller"]["processing"];
        let time = |way: &str| given[way].as_f64().unwrap() * 1e9;
        let demand = s.total.reads as f64 * time("read_s") + s.total.writes as f64 * time("write_s");
        let busy = p.utilisation * span * given["processors"].as_f64().unwrap();
        assert!((busy - demand).abs() <= 1e-6 * demand, "utilisation law: {busy} {demand}");
    }
    let Some(cache) = controller.cache.as_ref().filter(|_| whole) else { return };
    if let Some(zeros) = &controller.zeros {
        assert!(zeros.written_bytes <= s.total.bytes_written && zeros.read_bytes <= s.total.bytes_read);
    } else {
        assert_eq!((cache.reads, cache.writes), (s.total.reads, s.total.writes));
        assert_eq!((cache.read_bytes, cache.write_bytes), (s.total.bytes_read, s.total.bytes_written));
    }
    assert!(cache.ahead_used_bytes + cache.ahead_wasted_bytes <= cache.ahead_bytes);
    assert!(cache.read_hits <= cache.reads && cache.read_hit_bytes <= cache.read_bytes);
    assert!(cache.write_hits <= cache.writes && cache.write_hit_bytes <= cache.write_bytes);
    if plan["pools"][0]["raid"]["level"] == "0" {
        // Without redundancy the drives move exactly what the cache asks for.
        assert_eq!(s.devices.iter().map(|d| d.bytes_read).sum::<u64>(), cache.fetched_bytes);
        if !controller.losses.is_empty() {
            return;
        }
        let back = plan["controller"]["cache"]["write"] == "back";
        let written = if back { cache.destaged_bytes } else { cache.write_bytes };
        assert_eq!(s.devices.iter().map(|d| d.bytes_written).sum::<u64>(), written);
        let whole_lines = plan["controller"]["cache"]["transfers"] == "whole";
        assert!(!back || whole_lines || cache.destaged_bytes + cache.dirty_bytes_at_end <= cache.write_bytes);
    }
}

const CONTROLLERS: usize = 12;

/// Each kind of controller, without and with a back end.
fn controller(kind: usize) -> Value {
    let mut controller = front(kind % CONTROLLERS);
    if kind >= CONTROLLERS {
        let parts = ["processing", "host_bandwidth_bytes_per_s", "cache"];
        if controller.is_null() {
            controller = parts
                .iter()
                .map(|&part| (part.to_owned(), Value::Null))
                .collect::<serde_json::Map<_, _>>()
                .into();
        }
        let times = [(200e-6, 300e-6), (0.0, 500e-6), (1e-3, 0.0)][kind % 3];
        controller["back_end"] = json!({"command_s": times.0, "processors": 1 + kind % 2,
                                        "write_command_s": times.1, "write_processors": 1 + kind % 4});
    }
    controller
}

/// None, costs alone, caches so small that requests wait for space and pass by, and the services of an array.
fn front(kind: usize) -> Value {
    let cache = |lines: u64, write: &str| {
        json!({
            "capacity_bytes": lines * 8_192, "line_bytes": 8_192, "replacement": "lru",
            "read": !lines.is_multiple_of(2), "write": write, "high_watermark": 0.8, "low_watermark": 0.3,
            "destage_bytes": 65_536, "destage_outstanding": 3,
        })
    };
    let processing = json!({"read_s": 100e-6, "write_s": 300e-6, "processors": 2});
    let with =
        |cache: Value| json!({"processing": processing, "host_bandwidth_bytes_per_s": 50e6, "cache": cache});
    match kind {
        0 => Value::Null,
        1 => with(Value::Null),
        2 => with(cache(1, "back")),
        3 => with(cache(40, "back")),
        4 => with(cache(1_001, "back")),
        5 => json!({"processing": null, "host_bandwidth_bytes_per_s": null, "cache": cache(201, "through")}),
        6 => with(cache(101, "around")),
        7 | 8 => {
            let mut all = with(cache(41, "back"));
            all["split"] = json!({"bytes": 32_768, "outstanding": 3});
            all["cache"]["mirror"] = json!({"bandwidth_bytes_per_s": 80e6, "latency_s": 50e-6});
            let of = ["controller", "battery"][kind - 7];
            all["losses"] =
                json!([{"of": of, "at_s": 0.05, "back_s": 0.2}, {"of": of, "at_s": 0.3, "back_s": null}]);
            all
        }
        9 => {
            let mut all = with(cache(301, "back"));
            all["cache"]["destage"] = json!("utilisation");
            all["cache"]["transfers"] = json!("whole");
            all["cache"]["read_ahead"] = json!({
                "streams": 4, "after": 2, "least_bytes": 16_384, "most_bytes": 131_072, "share": 0.5,
            });
            all
        }
        10 => {
            let mut all = with(cache(101, "back"));
            all["cache"]["transfers"] = json!("needed");
            all["split"] = json!({"bytes": 65_536, "outstanding": 1});
            all["zero_detect"] = json!(true);
            all
        }
        _ => json!({
            "processing": null, "host_bandwidth_bytes_per_s": 50e6, "cache": null,
            "split": {"bytes": 32_768, "outstanding": 8},
        }),
    }
}

/// `queues`: the host's discipline and, times six, the drive's and its depth.
fn system(level: usize, queues: usize, bus: bool) -> Value {
    let count = 6;
    let mut plan = one_pool(LEVELS[level], count);
    let (host, drive) = (SCHEDULERS[queues % 6], queues / 6);
    plan["pools"][0]["scheduler"] = json!(host);
    if drive > 0 && host != "sptf" {
        plan["pools"][0]["command_queue"] = json!({"depth": drive, "scheduler": SCHEDULERS[drive]});
    }
    if bus {
        plan["buses"] = json!([
            {"bandwidth_bytes_per_s": 160e6, "arbitration_s": 2e-6},
            {"bandwidth_bytes_per_s": 40e6, "arbitration_s": 0.0},
        ]);
        plan["pools"][0]["bus_of_drive"] = json!([0, 0, 0, 1, 1, 1]);
    }
    plan
}

fn requests() -> impl Strategy<Value = Vec<Request>> {
    let limit = capacity("1", 6) / 512;
    prop::collection::vec((0u64..20_000, any::<bool>(), 0..limit - 1_024, 1u32..1_024), 1..80).prop_map(|v| {
        let mut time = 0;
        v.into_iter()
            .map(|(gap, write, sector, sectors)| {
                time += gap * 1_000;
                request(time, if write { Op::Write } else { Op::Read }, sector * 512, sectors * 512)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn laws_hold_for_clusters(
        level in 0usize..4, domain in 0usize..2, requests in requests(), mode in 0usize..2, policy in 0usize..9,
        pipeline in any::<bool>(), any_reads in any::<bool>(), early in any::<bool>(), uplinks in any::<bool>(),
        failed in prop::option::of(0usize..6), single in prop::option::of(0usize..12), at in 0u64..1_000,
        rate in prop::option::of(1u64..50),
    ) {
        let (level, members) = [("1", 2), ("5", 3), ("6", 4), ("ec", 5)][level];
        let size = Size { racks: 2, nodes: 3, drives: 2 };
        let mut plan = cluster(size, (level, members), 70, ["drive", "node"][domain]);
        let of_pool = &mut plan["clusters"][0]["pools"][0];
        of_pool["copying"] = json!(if pipeline { "pipeline" } else { "primary" });
        of_pool["reads"] = json!(if any_reads { "any" } else { "primary" });
        of_pool["acks"] = if early { json!(members - 1) } else { Value::Null };
        plan["clusters"][0]["network"]["uplink_bytes_per_s"] = if uplinks { json!(100e6) } else { Value::Null };
        plan["workloads"][0]["replay"] = [
            json!({"mode": "open", "speed": 1.0}),
            json!({"mode": "closed", "outstanding": 3, "per": "workload"}),
        ][mode].clone();
        let at = at as f64 / 1e3;
        // One node or one drive, or both where two members may be missing and do not share a node.
        let drive = single.filter(|_| failed.is_none() || members > 3).map(|drive| (drive, at / 2.0));
        recover(&mut plan, &drive.into_iter().collect::<Vec<_>>(), rate.map(|rate| rate as f64 * 1e6));
        let node = failed.filter(|_| domain == 1);
        plan["clusters"][0]["failures"] =
            node.into_iter().map(|node| json!({"unit": "node", "index": node, "at_s": at})).collect();
        set_policy(&mut plan, policy, 0.5);
        let outcome = run(&plan, requests.clone());
        prop_assert_eq!(outcome.summary.total.completed as usize, requests.len());
        check_laws(&plan, &outcome);
        let s = &outcome.summary;
        for node in &s.clusters[0].nodes {
            prop_assert!(node.processor_busy_ns <= 2 * (s.window.end_ns - s.window.start_ns));
        }
        // What one node sends another receives, but for what is under way at the end.
        let [sent, received] = [true, false].map(|out| {
            let of = |n: &iowatt_sim::testing::NodeResult| n.back.map_or(0, |b| if out { b.bytes_out } else { b.bytes_in });
            s.clusters[0].nodes.iter().map(of).sum::<u64>()
        });
        let all = s.rebuilds.is_empty();
        prop_assert!(sent == received || (sent > received && !all), "{sent} {received}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn laws_hold_where_parity_is_logged(
        level in 3usize..8, queues in 0usize..36, requests in requests(), late in any::<bool>(), mode in 0usize..2,
        policy in 0usize..POLICIES, kind in 0..2 * CONTROLLERS, regions in 1u64..5, half in 1u64..4, buffers in 0u64..3,
        failure in prop::option::of((0usize..6, 0u64..1_000)), first in any::<bool>(), rate in prop::option::of(1u64..50),
    ) {
        let mut plan = system(level, queues, false);
        plan["controller"] = controller(kind);
        let failures: Vec<_> = failure.into_iter().map(|(drive, at)| (drive, at as f64 / 1e3)).collect();
        trouble(&mut plan, 1, "dedicated", &failures);
        let rebuild = &mut plan["pools"][0]["recovery"]["rebuild"];
        rebuild["rate_bytes_per_s"] = json!(rate.map(|rate| rate as f64 * 1e6));
        rebuild["priority"] = json!(if first { "host-first" } else { "equal" });
        // Buffers of two to four stripes.
        let data = capacity(LEVELS[level], 6) / capacity("1", 6);
        log_parity(&mut plan, regions, 2 * regions * half * (2 + buffers), (2 + buffers) * data * 16_384, 3);
        plan["workloads"][0]["replay"] = [
            json!({"mode": "open", "speed": 1.0}),
            json!({"mode": "closed", "outstanding": 3, "per": "workload"}),
        ][mode].clone();
        set_policy(&mut plan, policy, 0.5);
        let mut requests = requests.clone();
        if late {
            // All that can be reintegrated is.
            requests.push(request(500 * S, Op::Read, 0, 512));
        }
        let outcome = run(&plan, requests.clone());
        prop_assert_eq!(outcome.summary.total.completed as usize, requests.len());
        check_laws(&plan, &outcome);
        let log = outcome.summary.parity_logs[0];
        // Updates and stale units are done, void or pending.
        prop_assert_eq!(log.updates, log.reintegrated_updates + log.pending_updates);
        prop_assert_eq!(log.update_bytes, log.reintegrated_bytes + log.pending_bytes);
        prop_assert_eq!(log.stale_units, log.updated_units + log.superseded_units + log.pending_units);
        prop_assert!(log.pending_bytes <= (2 * half + 2) * regions * (2 + buffers) * data * 16_384);
        // A cache may write until the end.
        if late && mode == 0 && plan["controller"]["cache"]["write"] != "back" {
            prop_assert_eq!(log.under_way, 0);
            prop_assert!(log.pending_updates == 0 || failure.is_none());
        }
        if failure.is_none() {
            prop_assert!(outcome.summary.devices.iter().all(|d| d.cause_j["rebuild"] == 0.0));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn laws_hold_on_every_system(
        level in 0usize..8, queues in 0usize..36, bus in any::<bool>(), requests in requests(),
        mode in 0usize..3, policy in 0usize..POLICIES, kind in 0..2 * CONTROLLERS,
    ) {
        let mut plan = system(level, queues, bus);
        plan["controller"] = controller(kind);
        plan["workloads"][0]["zero_share"] = json!(0.3);
        plan["workloads"][0]["replay"] = [
            json!({"mode": "open", "speed": 1.0}),
            json!({"mode": "open", "speed": 0.01}),
            json!({"mode": "closed", "outstanding": 3, "per": "workload"}),
        ][mode].clone();
        set_policy(&mut plan, policy, 0.5);
        let outcome = run(&plan, requests.clone());
        prop_assert_eq!(outcome.summary.total.completed as usize, requests.len());
        check_laws(&plan, &outcome);
    }

    #[test]
    fn laws_hold_in_trouble(
        level in 1usize..8, queues in 0usize..36, bus in any::<bool>(), requests in requests(),
        mode in 0usize..2, policy in 0usize..POLICIES, spares in 0usize..3, distributed in any::<bool>(),
        drive in 0usize..6, at in 0u64..1_000, end in any::<bool>(), kind in 0..2 * CONTROLLERS,
    ) {
        let mut plan = system(level, queues, bus);
        plan["controller"] = controller(kind);
        plan["workloads"][0]["zero_share"] = json!(0.3);
        plan["workloads"][0]["replay"] = [
            json!({"mode": "open", "speed": 1.0}),
            json!({"mode": "closed", "outstanding": 3, "per": "workload"}),
        ][mode].clone();
        let distributed = distributed && !matches!(LEVELS[level], "1" | "4");
        let (spares, sparing) = if distributed { (1, "distributed") } else { (spares, "dedicated") };
        let mut failures = vec![(drive, at as f64 / 1e3)];
        if matches!(LEVELS[level], "6" | "1" | "ec3+3" | "ec2+2+2") {
            failures.push(((drive + 1) % 6, at as f64 / 2e3));
        }
        trouble(&mut plan, spares, sparing, &failures);
        if bus {
            plan["pools"][0]["bus_of_drive"] = json!((0..6 + spares).map(|d| d % 2).collect::<Vec<_>>());
        }
        set_policy(&mut plan, policy, 0.5);
        if end {
            plan["observe"]["end_s"] = json!(1.5);
        }
        let outcome = run(&plan, requests.clone());
        if !end {
            prop_assert_eq!(outcome.summary.total.completed as usize, requests.len());
        }
        check_laws(&plan, &outcome);
    }

    #[test]
    fn laws_hold_on_two_arms_and_overlapping_tracks(
        level in 0usize..8, queues in 0usize..36, requests in requests(), mode in 0usize..3,
        policy in 0usize..3, arms in 1u64..3, shingled in any::<bool>(), fast_write in any::<bool>(),
        failure in prop::option::of((0usize..6, 0u64..1_000)), end in any::<bool>(),
    ) {
        let mut plan = system(level, queues, false);
        make_special(&mut plan, arms, shingled, fast_write);
        plan["workloads"][0]["replay"] = [
            json!({"mode": "open", "speed": 1.0}),
            json!({"mode": "open", "speed": 0.01}),
            json!({"mode": "closed", "outstanding": 5, "per": "workload"}),
        ][mode].clone();
        if let Some((drive, at)) = failure.filter(|_| level > 0) {
            trouble(&mut plan, 1, "dedicated", &[(drive, at as f64 / 1e3)]);
        }
        set_policy(&mut plan, policy, 0.5);
        if end {
            plan["observe"] = json!({"warmup_s": 0.1, "end_s": 1.5, "interval_s": null});
        }
        let outcome = run(&plan, requests.clone());
        if !end {
            prop_assert_eq!(outcome.summary.total.completed as usize, requests.len());
        }
        check_laws(&plan, &outcome);
    }

    #[test]
    fn laws_hold_in_any_window(
        level in 0usize..8, queues in 0usize..36, bus in any::<bool>(), requests in requests(),
        warmup in 0u64..500, length in 1u64..1_000, policy in 0usize..POLICIES, kind in 0..2 * CONTROLLERS,
    ) {
        let mut plan = system(level, queues, bus);
        plan["controller"] = controller(kind);
        plan["workloads"][0]["zero_share"] = json!(0.3);
        plan["observe"]["warmup_s"] = json!(warmup as f64 / 1e3);
        plan["observe"]["end_s"] = json!((warmup + length) as f64 / 1e3);
        set_policy(&mut plan, policy, 0.05);
        check_laws(&plan, &run(&plan, requests));
    }
}

/// V22: with nothing to do, energy is exactly idle watts x time x drives.
#[test]
fn an_idle_run_costs_its_idle_power() {
    let mut plan = one_pool("5", 32);
    plan["workloads"] = json!([]);
    plan["observe"]["end_s"] = json!(3600.0);
    let outcome = try_run(&plan, vec![]).unwrap();
    check_laws(&plan, &outcome);
    for drive in &outcome.summary.devices {
        assert_eq!(drive.energy_j["idle"], 22.3 * 3600.0);
        assert_eq!(drive.energy_j.values().sum::<f64>(), 22.3 * 3600.0);
    }
}

/// Adjoining windows share out arrivals, completions, drive operations and bus time, edges included.
#[test]
fn counts_add_up_over_windows() {
    let counts = |from: f64, until: f64| {
        let mut plan = one_pool("0", 1);
        plan["buses"] = json!([{"bandwidth_bytes_per_s": 20e6, "arbitration_s": 0.0}]);
        plan["pools"][0]["bus_of_drive"] = json!([0]);
        plan["observe"] = json!({"warmup_s": from, "end_s": until, "interval_s": 1.0});
        // An arrival at every second sharp, the edges of the windows among them.
        let requests = (0..10).map(|i| request(i * S, Op::Read, i * 81_920, 8_192)).collect();
        let outcome = run(&plan, requests);
        check_laws(&plan, &outcome);
        let s = &outcome.summary;
        let (drive, bus) = (&s.devices[0], &s.buses[0]);
        [s.total.arrived, s.total.completions.requests, drive.arrivals, drive.accesses, bus.busy_ns]
    };
    let (whole, first, second) = (counts(0.0, 10.0), counts(0.0, 4.0), counts(4.0, 10.0));
    assert_eq!(whole[..4], [10, 10, 10, 10]);
    assert_eq!(first[..4], [4, 4, 4, 4]);
    let sums: Vec<u64> = first.iter().zip(second).map(|(a, b)| a + b).collect();
    assert_eq!(sums, whole);
}

/// What the warm-up leaves unfinished is work of the window: throughput counts it, response times do not.
#[test]
fn a_backlog_from_the_warm_up_counts_as_throughput() {
    let mut plan = one_pool("0", 1);
    plan["observe"]["warmup_s"] = json!(1.0);
    let burst: Vec<_> = (0..400).map(|i| request(i, Op::Read, (i * 7_919 % 99_000) * 4_096, 4_096)).collect();
    let outcome = run(&plan, burst);
    let s = &outcome.summary;
    assert_eq!(s.total.arrived, 0);
    assert_eq!(s.total.completions.requests, s.devices[0].accesses);
    assert!(s.total.completions.requests > 100);
    assert_eq!(s.window.last_arrival_ns, 399);
}

/// V22: energy is additive over disjoint windows.
#[test]
fn energy_adds_up_over_windows() {
    let energy = |from: f64, until: f64| {
        let mut plan = one_pool("5", 5);
        plan["observe"] = json!({"warmup_s": from, "end_s": until, "interval_s": null});
        let requests = poisson(5, 2_000, 150.0, 0.6, 8_192, capacity("5", 5));
        let outcome = run(&plan, requests);
        outcome.summary.devices.iter().flat_map(|d| d.energy_j.values()).sum::<f64>()
    };
    let (whole, parts) = (energy(0.0, 10.0), energy(0.0, 4.0) + energy(4.0, 10.0));
    assert!((whole - parts).abs() < 1e-9 * whole, "{whole} {parts}");
}

/// A worked example of the power states: one request, 2 s threshold, on one drive.
#[test]
fn a_spin_down_and_up_by_hand() {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    plan["pools"][0]["power_policy"] = json!({"policy": "fixed-threshold", "threshold_s": 2.0, "level": 1});
    // Idle 2 s, down 15 s (to 17 s), stopped until 20 s, up 26 s (to 46 s). 46 s is a whole number of
    // turns, so sector 0 is under the head: 16 sectors of 200 in 0.4 ms.
    let outcome = run(&plan, vec![request(20 * S, Op::Read, 0, 8_192)]);
    let drive = &outcome.summary.devices[0];
    let state = |name: &str| drive.state_ns[name];
    assert_eq!(
        [state("idle"), state("spin_down"), state("standby"), state("spin_up"), state("active")],
        [2 * S, 15 * S, 3 * S, 26 * S, 400_000],
    );
    assert_eq!((drive.spin_downs, drive.spin_ups), (1, 1));
    // The request keeps its arrival: 26 s of waiting and 0.4 ms of service.
    assert_eq!(outcome.summary.total.response.all.max_s, 26.0004);
    let joules: f64 = drive.energy_j.values().sum();
    let by_hand = 22.3 * 2.0 + 12.72 * 18.0 + 34.8 * 26.0 + 39.0 * 0.0004;
    assert!((joules - by_hand).abs() < 1e-9, "{joules} {by_hand}");
}

/// A request that arrives while the spindle comes to rest waits for that and for the spin-up.
#[test]
fn a_request_during_spin_down_waits_for_both() {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    plan["pools"][0]["power_policy"] = json!({"policy": "fixed-threshold", "threshold_s": 2.0, "level": 1});
    let outcome = run(&plan, vec![request(7 * S, Op::Read, 0, 8_192)]);
    // Down from 2 s to 17 s, up to 43 s: 36 s and 0.4 ms.
    assert_eq!(outcome.summary.total.response.all.max_s, 36.0004);
    assert_eq!(outcome.summary.devices[0].state_ns["standby"], 0);
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_does_not() {
    let outcome = |seed: u64| {
        let mut plan = one_pool("10", 8);
        plan["seed"] = json!(seed);
        let requests = poisson(9, 3_000, 400.0, 0.5, 8_192, capacity("10", 8));
        let o = run(&plan, requests);
        (serde_json::to_string(&o.summary).unwrap(), format!("{:?}{:?}", o.intervals, o.latency))
    };
    assert_eq!(outcome(3), outcome(3));
    assert_ne!(outcome(3).0, outcome(4).0);
}

/// Adding a pool behind others does not reshuffle their random phases.
#[test]
fn a_pool_added_later_leaves_the_others_alone() {
    let requests = poisson(2, 500, 100.0, 0.5, 8_192, capacity("5", 4));
    let alone = run(&one_pool("5", 4), requests.clone());
    let mut plan = one_pool("5", 4);
    plan["pools"] = json!([pool("5", 4), pool("1", 2)]);
    let beside = run(&plan, requests);
    assert_eq!(alone.summary.total.response.all.mean_s, beside.summary.total.response.all.mean_s);
}

/// Two workloads on two volumes of two unlike pools: separate results that add up to the total, each as
/// if it were alone.
#[test]
fn two_pools_do_not_meet() {
    let mut plan = one_pool("5", 5);
    let mut fast = pool("1", 2);
    fast["device"]["rpm"] = json!(15000.0);
    plan["pools"] = json!([pool("5", 5), fast.clone()]);
    plan["volumes"] = json!([
        {"pool": 0, "offset_bytes": 0, "capacity_bytes": capacity("5", 5)},
        {"pool": 1, "offset_bytes": 0, "capacity_bytes": capacity("1", 2)},
    ]);
    plan["workloads"] = json!([
        {"volume": 0, "replay": {"mode": "open", "speed": 1.0}},
        {"volume": 1, "replay": {"mode": "closed", "outstanding": 2, "per": "workload"}},
    ]);
    let a = poisson(1, 800, 100.0, 0.6, 8_192, capacity("5", 5));
    let b = poisson(2, 600, 100.0, 0.9, 4_096, capacity("1", 2));
    let outcome = try_run(&plan, vec![given(a.clone()), given(b)]).unwrap();
    check_laws(&plan, &outcome);
    let s = &outcome.summary;
    assert_eq!((s.workloads[0].completed, s.workloads[1].completed), (800, 600));
    assert_eq!(s.total.completed, 1_400);
    assert_eq!(s.volumes[0].response.all.mean_s, s.workloads[0].response.all.mean_s);
    let sum = |i: usize| s.workloads[i].response.all.mean_s * s.workloads[i].completed as f64;
    assert!((sum(0) + sum(1) - s.total.response.all.mean_s * 1_400.0).abs() < 1e-9);
    let alone = run(&one_pool("5", 5), a);
    assert_eq!(alone.summary.total.response.all.mean_s, s.workloads[0].response.all.mean_s);
}

#[test]
fn two_volumes_share_a_pool() {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["device"]["phase"] = json!("zero");
    plan["pools"][0]["scheduler"] = json!("fcfs");
    plan["volumes"] = json!([
        {"pool": 0, "offset_bytes": 0, "capacity_bytes": 1_024_000},
        {"pool": 0, "offset_bytes": 1_024_000, "capacity_bytes": 1_024_000},
    ]);
    plan["workloads"] = json!([
        {"volume": 0, "replay": {"mode": "open", "speed": 1.0}},
        {"volume": 1, "replay": {"mode": "open", "speed": 1.0}},
    ]);
    let read = || given(vec![request(0, Op::Read, 0, 8_192)]);
    let outcome = try_run(&plan, vec![read(), read()]).unwrap();
    // Sector 0 passes at once: 0.4 ms. Volume 1 starts at sector 2,000 = cylinder 2, head 2, sector 0: its
    // angle is 2 x (3 x 20 + 25) + 2 x 20 = 210 sectors = 10 past the mark, 0.25 ms; the arm is ready at
    // 0.4 + 0.508 = 0.908 ms, so it passes at 5.25 ms.
    let response = |i: usize| outcome.summary.workloads[i].response.all.max_s;
    assert_eq!((response(0), response(1)), (0.4e-3, 5.65e-3));
}

#[test]
fn a_closed_loop_keeps_its_number_outstanding() {
    let mut plan = one_pool("5", 8);
    plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": 16, "per": "workload"});
    let outcome = run(&plan, poisson(3, 4_000, 1.0, 0.7, 8_192, capacity("5", 8)));
    // 16 but for the tail, in which the last 15 drain.
    let mean = outcome.summary.total.in_flight_mean;
    assert!((15.8..=16.0).contains(&mean), "{mean}");
}

#[test]
fn closed_by_stream_keeps_each_streams_number() {
    let mut plan = one_pool("0", 4);
    plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": 1, "per": "stream"});
    let mut requests = poisson(3, 4_000, 1.0, 1.0, 8_192, capacity("0", 4));
    requests.iter_mut().enumerate().for_each(|(i, r)| r.stream = (i % 5) as u32);
    let mean = run(&plan, requests).summary.total.in_flight_mean;
    // 5 until the first stream is through; their speeds differ by a few per cent.
    assert!((4.7..=5.0).contains(&mean), "{mean}");
}

/// V22: slowing an open trace stretches the run and leaves a lone request's service alone.
#[test]
fn speed_scales_arrivals_only() {
    let at = |speed: f64| {
        let mut plan = one_pool("0", 1);
        plan["workloads"][0]["replay"] = json!({"mode": "open", "speed": speed});
        plan["pools"][0]["device"]["phase"] = json!("zero");
        run(&plan, vec![request(100 * MS, Op::Read, 0, 8_192)]).summary
    };
    // 100 ms and 250 ms are both whole numbers of 5 ms turns.
    assert_eq!(at(1.0).window.end_ns, 100 * MS + 400_000);
    assert_eq!(at(0.4).window.end_ns, 250 * MS + 400_000);
    assert_eq!(at(1.0).total.response.all.max_s, at(0.4).total.response.all.max_s);
}

#[test]
fn a_request_past_the_volume_is_refused_with_its_place() {
    let plan = one_pool("5", 4);
    let good = request(0, Op::Read, 0, 4_096);
    let bad = request(1, Op::Read, capacity("5", 4) - 4_096, 8_192);
    let error = try_run(&plan, vec![given(vec![good, bad])]).unwrap_err();
    assert!(matches!(error, SimError::BeyondVolume { workload: 0, request: 2, .. }), "{error}");
}
