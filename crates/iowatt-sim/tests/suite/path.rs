//! The path between hosts and the array: hand computations, and that the parts of every request add up.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_precision_loss)]

use crate::common::{MS, S, given, one_pool, poisson, refusal, request, run, try_run};
use iowatt_sim::{Column, Outcome};
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

/// 8 Gb Fibre Channel: 850 MB/s on the wire, 2,048 bytes of data in 2,172.
fn link(latency_s: f64) -> Value {
    json!({"bytes_per_s": 850e6, "frame_payload_bytes": 2048, "frame_wire_bytes": 2172, "latency_s": latency_s,
           "whole_frames": false})
}

fn fcp() -> Value {
    json!({"command_bytes": 32, "ready_bytes": 12, "response_bytes": 24, "unsolicited_bytes": 0,
           "whole_only": false, "burst_bytes": null})
}

fn path(hops: &[Value]) -> Value {
    json!({"lanes": 1, "queue_depth": null, "host": null, "hops": hops,
           "port": {"command_s": 0.0, "processors": 1}, "exchange": fcp()})
}

/// A path to an array whose controller answers everything from a large cache, without a processor's time.
fn cached(path: &Value) -> Value {
    let mut plan = one_pool("0", 2);
    plan["paths"] = json!([path]);
    plan["workloads"][0]["path"] = json!(0);
    plan["controller"] = json!({
        "processing": null, "host_bandwidth_bytes_per_s": null,
        "cache": {"capacity_bytes": 64 << 20, "line_bytes": 8192, "replacement": "lru", "read": true,
                  "write": "back", "high_watermark": 1.0, "low_watermark": 1.0, "destage_bytes": 8192,
                  "destage_outstanding": 1},
    });
    plan
}

fn column<'a>(outcome: &'a Outcome, name: &str) -> &'a [u64] {
    let (_, column) = outcome.hops.as_ref().unwrap().iter().find(|(n, _)| *n == name).unwrap();
    match column {
        Column::U64(values) => values,
        Column::F64(_) => panic!("integers"),
    }
}

/// Waiting and service of each slot, over all requests of a direction.
fn slots(outcome: &Outcome, way: u64) -> Vec<(u64, u64)> {
    let most = column(outcome, "slot").iter().max().copied().unwrap_or(0);
    let mut sums = vec![(0, 0); most as usize + 1];
    for (row, &slot) in column(outcome, "slot").iter().enumerate() {
        if column(outcome, "way")[row] == way {
            sums[slot as usize].0 += column(outcome, "wait_ns")[row];
            sums[slot as usize].1 += column(outcome, "service_ns")[row];
        }
    }
    sums
}

fn only(outcome: &Outcome, write: bool) -> u64 {
    let response = &outcome.summary.total.response;
    let moments = if write { &response.write } else { &response.read };
    assert_eq!(moments.count, 1);
    (moments.mean_s * 1e9).round() as u64
}

fn write(at: u64, size: u32) -> Request {
    request(at, Op::Write, 0, size)
}

/// Nanoseconds of so many bytes at 850 MB/s.
fn wire(bytes: u64) -> u64 {
    (bytes as f64 / 0.85).round() as u64
}

const FRAME: u64 = 124; // bytes of a frame beside its data

#[test]
fn an_fcp_write_takes_two_round_trips_and_its_data_once() {
    // Two links of 5 km (25 us) and a switch of 700 ns.
    let hops = [
        link(25e-6),
        json!({"bytes_per_s": null, "frame_payload_bytes": 2048, "frame_wire_bytes": 2172, "latency_s": 700e-9,
               "whole_frames": false}),
        link(25e-6),
    ];
    let outcome = run(&cached(&path(&hops)), vec![write(0, 8192)]);
    let way = 50_700;
    let data = wire(8192 + 4 * FRAME);
    let messages = wire(32 + FRAME) + wire(12 + FRAME) + data + wire(24 + FRAME);
    assert_eq!(only(&outcome, true), 4 * way + messages);
    let sums = slots(&outcome, 1);
    assert_eq!(sums.iter().map(|s| s.0 + s.1).sum::<u64>(), 4 * way + messages);
    assert!(sums.iter().all(|s| s.0 == 0), "nobody waits");
    // Out: command and data, whose rest is booked to the first of the slowest wires; in: readiness and response.
    assert_eq!(sums[2], (0, 2 * 25_000 + wire(32 + FRAME) + data));
    assert_eq!(sums[3], (0, 2 * 25_000), "in over the first link: it is the last one passed");
    assert_eq!(sums[6], (0, 2 * 25_000));
}

#[test]
fn a_read_that_hits_takes_one_round_trip() {
    let hops = [link(10e-6)];
    let reads = vec![write(0, 8192), request(MS, Op::Read, 0, 8192)];
    let outcome = run(&cached(&path(&hops)), reads);
    let expected = 20_000 + wire(32 + FRAME) + wire(8192 + 4 * FRAME + 24 + FRAME);
    assert_eq!(only(&outcome, false), expected);
}

#[test]
fn data_with_the_command_and_fast_write_save_a_round_trip() {
    let hops = [link(1e-6), link(100e-6)];
    let mut first_burst = path(&hops);
    first_burst["exchange"]["unsolicited_bytes"] = json!(65_536);
    let outcome = run(&cached(&first_burst), vec![write(0, 8192)]);
    let sent = wire(32 + FRAME + 8192 + 4 * FRAME);
    assert_eq!(only(&outcome, true), 2 * 101_000 + sent + wire(24 + FRAME));

    let mut fast = path(&hops);
    fast["exchange"]["fast_write_hop"] = json!(0);
    let outcome = run(&cached(&fast), vec![write(0, 8192)]);
    let messages = wire(32 + FRAME) + wire(12 + FRAME) + wire(8192 + 4 * FRAME) + wire(24 + FRAME);
    assert_eq!(only(&outcome, true), 2 * 1_000 + 2 * 101_000 + messages);
}

#[test]
fn buffer_credits_limit_a_long_link_to_a_frame_each_in_a_round_trip() {
    // 1 byte a nanosecond, frames of 2,172 bytes over 100 km: a credit is back 1 ms after its frame. 64 frames by 8
    // credits are 8 groups: the last one begins after 7 times a frame and a round trip.
    let (frame, way, credits, groups) = (2_172, 500_000, 8, 8);
    let mut hop = link(way as f64 * 1e-9);
    hop["bytes_per_s"] = json!(1e9);
    hop["credits"] = json!(credits);
    let mut limited = path(&[hop.clone()]);
    limited["exchange"]["unsolicited_bytes"] = json!(1 << 20);
    let size = groups * credits * 2048 - 2048; // with the command's own frame, which is shorter
    let outcome = run(&cached(&limited), vec![write(0, size as u32)]);
    let command = 32 + FRAME;
    let sent = command + (credits - 1) * frame; // the first group; later ones wait for the credits of the first frames
    let last = command + 2 * way + (groups - 2) * (frame + 2 * way) + credits * frame;
    assert!(sent < last);
    assert_eq!(only(&outcome, true), last + 2 * way + 24 + FRAME);
    let sums = slots(&outcome, 1);
    assert_eq!(sums.iter().map(|s| s.0 + s.1).sum::<u64>(), only(&outcome, true));
    let stalled = last - command - (groups * credits - 1) * frame;
    assert_eq!(sums[2].0, stalled, "waiting, not service");
    assert_eq!(outcome.summary.paths[0].stations[0].stalled_ns, stalled);

    // As many as the way holds change nothing.
    let without = only(
        &run(
            &cached(&{
                let mut free = limited.clone();
                free["hops"][0]["credits"] = json!(null);
                free
            }),
            vec![write(0, size as u32)],
        ),
        true,
    );
    limited["hops"][0]["credits"] = json!((2 * way + frame).div_ceil(frame));
    assert_eq!(only(&run(&cached(&limited), vec![write(0, size as u32)]), true), without);
    limited["hops"][0]["credits"] = json!(0);
    assert_eq!(refusal(&cached(&limited)), ("paths[0].hops[0].credits".into(), "range"));
}

#[test]
fn the_readiness_of_a_hop_does_not_wait_for_what_is_still_far_away() {
    // Responses are booked ahead on the near wire while they are 250 us away; a near hop answers at once all the same.
    let mut fast = path(&[link(1e-6), link(250e-6)]);
    fast["exchange"]["fast_write_hop"] = json!(0);
    let plan = cached(&fast);
    let alone = only(&run(&plan, vec![write(0, 8192)]), true);
    let busy = run(&plan, poisson(4, 2_000, 8_000.0, 0.5, 8192, 1 << 20));
    let mean = busy.summary.total.response.write.mean_s * 1e9;
    assert!(mean < alone as f64 + 3_000.0, "{mean} ns under a tenth of the load, {alone} ns alone");
}

#[test]
fn only_what_fits_goes_in_a_capsule_and_bursts_have_a_round_trip_each() {
    let mut capsule = path(&[link(10e-6)]);
    capsule["exchange"]["unsolicited_bytes"] = json!(8192);
    capsule["exchange"]["whole_only"] = json!(true);
    let small = only(&run(&cached(&capsule), vec![write(0, 8192)]), true);
    assert_eq!(small, 20_000 + wire(32 + FRAME + 8192 + 4 * FRAME) + wire(24 + FRAME));
    let large = only(&run(&cached(&capsule), vec![write(0, 16384)]), true);
    let asked = wire(12 + FRAME);
    assert_eq!(large, 40_000 + wire(32 + FRAME) + asked + wire(16384 + 8 * FRAME) + wire(24 + FRAME));
    capsule["exchange"]["whole_only"] = json!(false);
    capsule["exchange"]["burst_bytes"] = json!(4096);
    let bursts = only(&run(&cached(&capsule), vec![write(0, 16384)]), true);
    let burst = asked + wire(4096 + 2 * FRAME);
    let first = wire(32 + FRAME + 8192 + 4 * FRAME);
    assert_eq!(bursts, 20_000 + first + 2 * (20_000 + burst) + wire(24 + FRAME));
}

#[test]
fn the_adapter_the_port_and_the_processors_have_their_times() {
    let mut plan = path(&[link(0.0)]);
    plan["host"] = json!({"submit_s": 3e-6, "ready_s": 2e-6, "complete_s": 4e-6, "processors": 1});
    plan["port"]["command_s"] = json!(1e-6);
    let mut plan = cached(&plan);
    plan["controller"]["processing"] =
        json!({"read_s": 20e-6, "write_s": 30e-6, "processors": 1, "ready_s": 25e-6, "interrupt_s": 5e-6});
    plan["controller"]["cache"]["mirror"] = json!({"bandwidth_bytes_per_s": 1e9, "latency_s": 6e-6});
    let outcome = run(&plan, vec![write(0, 8192)]);
    let sums = slots(&outcome, 1);
    assert_eq!(sums[1], (0, 9_000), "HBA");
    assert_eq!(sums[4], (0, 1_000), "port");
    assert_eq!(sums[5], (0, 65_000), "two visits of a processor, each with its interrupt");
    assert_eq!(sums[7], (0, 8_192 + 6_000), "mirror");
    let total: u64 = sums.iter().map(|s| s.0 + s.1).sum();
    assert_eq!(total, only(&outcome, true));

    // A buffer of the port's own spares the first visit, for writes of its class.
    plan["paths"][0]["port"]["express"] = json!([{"up_to_bytes": 8192, "buffers": 1}]);
    let express = run(&plan, vec![write(0, 8192)]);
    assert_eq!(total - only(&express, true), 30_000);
    assert_eq!(only(&run(&plan, vec![write(0, 16384)]), true), {
        let data = wire(16384 + 8 * FRAME) - wire(8192 + 4 * FRAME);
        total + data + 8_192
    });
}

#[test]
fn writes_that_find_no_buffer_ask_the_controller() {
    let mut plan = path(&[link(0.0)]);
    plan["port"]["express"] = json!([{"up_to_bytes": 8192, "buffers": 2}]);
    let mut plan = cached(&plan);
    plan["controller"]["processing"] =
        json!({"read_s": 0.0, "write_s": 100e-6, "processors": 1, "ready_s": 100e-6});
    let outcome = run(&plan, (0..5).map(|i| request(0, Op::Write, i * 8192, 8192)).collect());
    let express = &outcome.summary.paths[0].express[0];
    assert_eq!((express.taken, express.refused), (2, 3));
    assert_eq!(outcome.summary.controller.as_ref().unwrap().processors.as_ref().unwrap().visits, 8);
}

#[test]
fn a_full_lane_holds_requests_at_the_host() {
    let mut plan = path(&[link(50e-6)]);
    plan["queue_depth"] = json!(1);
    let outcome = run(&cached(&plan), (0..3).map(|i| request(0, Op::Write, i * 8192, 8192)).collect());
    let one = only(&run(&cached(&path(&[link(50e-6)])), vec![write(0, 8192)]), true);
    assert_eq!(slots(&outcome, 1)[0], (3 * one, 0), "one waits for one, one for two");
    let queue = outcome.summary.paths[0].queue;
    assert_eq!((queue.visits, queue.held, queue.waited_ns), (3, 2, 3 * one));
}

#[test]
fn interrupts_that_are_held_back_are_shared() {
    let mut plan = cached(&path(&[]));
    plan["controller"]["processing"] = json!({"read_s": 0.0, "write_s": 10e-6, "processors": 1,
        "interrupt_s": 40e-6, "moderation_s": 100e-6, "moderation_count": 3});
    // Three at once: one interrupt for all of the allocations, which take nothing, then one for the data.
    let outcome = run(&plan, (0..3).map(|i| request(0, Op::Write, i * 8192, 8192)).collect());
    let processors = outcome.summary.controller.as_ref().unwrap().processors.as_ref().unwrap();
    assert_eq!(processors.visits, 6);
    let longest = outcome.summary.total.response.write.max_s;
    assert!((longest - 110e-6).abs() < 1e-12, "40 + 0, 0, 0, then 40 + 10, 10, 10: {longest}");
    // One alone is held back twice.
    let alone = only(&run(&plan, vec![write(0, 8192)]), true);
    assert_eq!(alone, 2 * (100_000 + 40_000) + 10_000);
}

/// V34: a small request behind a large one waits for a segment of it and not for the whole.
#[test]
fn segments_let_others_pass() {
    let wait = |segment: Value| {
        let mut plan = path(&[link(0.0)]);
        plan["segment_bytes"] = segment;
        let fill = [request(0, Op::Write, 0, 262_144), request(0, Op::Write, 262_144, 4096)];
        let large = request(S, Op::Read, 0, 262_144);
        // Comes when the first segment of the large one has just begun.
        let small = request(S + 1_000, Op::Read, 262_144, 4096);
        let outcome = run(&cached(&plan), fill.into_iter().chain([large, small]).collect());
        let sums = slots(&outcome, 0);
        sums[3].0
    };
    let (whole, split) = (wait(json!(null)), wait(json!(32_768)));
    let (all, piece) = (wire(262_144 + 128 * FRAME + 24 + FRAME), wire(32_768 + 16 * FRAME));
    assert!(whole.abs_diff(all) < 2_000, "{whole} for the whole of {all}");
    // The large one waits for the small one, too: its 4 KiB and its response.
    let small = wire(4096 + 2 * FRAME + 24 + FRAME);
    assert!(split.abs_diff(piece + small) < 2_000, "{split} for a piece of {piece}");
}

/// A path with everything, under load, in front of a cached RAID-5 with a back end.
fn loaded(seed: u64) -> Outcome {
    let mut plan = one_pool("5", 5);
    let mut first = path(&[link(2e-6), link(5e-6)]);
    first["lanes"] = json!(2);
    first["queue_depth"] = json!(4);
    first["host"] = json!({"submit_s": 3e-6, "ready_s": 2e-6, "complete_s": 4e-6, "processors": 1});
    first["port"] = json!({"command_s": 2e-6, "processors": 1,
                           "express": [{"up_to_bytes": 8192, "buffers": 1}, {"up_to_bytes": 65536, "buffers": 1}]});
    first["segment_bytes"] = json!(16_384);
    first["exchange"]["burst_bytes"] = json!(32_768);
    first["observed_hop"] = json!(1);
    let mut second = path(&[link(30e-6)]);
    second["exchange"]["unsolicited_bytes"] = json!(4_096);
    let mut third = path(&[link(1e-6), link(30e-6)]);
    third["exchange"]["fast_write_hop"] = json!(0);
    plan["paths"] = json!([first, second, third]);
    let open = json!({"mode": "open", "speed": 1.0});
    let workload = |path: Value| json!({"volume": 0, "replay": open, "path": path});
    plan["workloads"] =
        json!([workload(json!(0)), workload(json!(1)), workload(json!(2)), workload(json!(null))]);
    plan["controller"] = json!({
        "processing": {"read_s": 40e-6, "write_s": 60e-6, "processors": 1, "ready_s": 50e-6, "interrupt_s": 5e-6,
                       "moderation_s": 20e-6, "moderation_count": 4},
        "back_end": {"command_s": 20e-6, "processors": 1, "write_command_s": 30e-6, "write_processors": 1},
        "host_bandwidth_bytes_per_s": null,
        "split": {"bytes": 16_384, "outstanding": 2},
        "cache": {"capacity_bytes": 1 << 20, "line_bytes": 8192, "replacement": "lru", "read": true,
                  "write": "back", "high_watermark": 0.5, "low_watermark": 0.2, "destage_bytes": 65_536,
                  "destage_outstanding": 2, "mirror": {"bandwidth_bytes_per_s": 1e9, "latency_s": 5e-6}},
    });
    let sources = (0..4).map(|i| {
        let size = [8192, 4096, 131_072, 16_384][i];
        given(poisson(seed + i as u64, 600, 60.0, 0.5, size, 4 << 20))
    });
    try_run(&plan, sources.collect()).unwrap()
}

/// What requests of a path spent at a slot.
fn spent(outcome: &Outcome, path: u64, slot: u64) -> u64 {
    let rows = 0..column(outcome, "slot").len();
    let of = rows.filter(|&r| column(outcome, "path")[r] == path && column(outcome, "slot")[r] == slot);
    of.map(|r| column(outcome, "wait_ns")[r] + column(outcome, "service_ns")[r]).sum()
}

#[test]
fn the_parts_of_every_request_add_up() {
    for seed in 1..6 {
        // That they do for each request is checked as it completes; here they are held against the sums.
        let outcome = loaded(seed);
        let total = |name: &str| column(&outcome, name).iter().sum::<u64>();
        let responses: f64 = outcome.summary.workloads[..3]
            .iter()
            .map(|flow| flow.response.all.mean_s * flow.response.all.count as f64 * 1e9)
            .sum();
        let parts = (total("wait_ns") + total("service_ns")) as f64;
        assert!((parts - responses).abs() < 1_000.0, "{parts} ns of {responses} ns");
        assert!(
            [(0, 8), (1, 6), (2, 8)].into_iter().any(|(path, slot)| spent(&outcome, path, slot) > 0),
            "space"
        );
        // Every part of the array took some time of somebody's.
        for (path, base) in [(0, 6), (1, 4), (2, 6)] {
            for part in [1, 3, 4, 5] {
                assert!(spent(&outcome, path, base + part) > 0, "seed {seed}, path {path}, part {part}");
            }
        }
    }
}

#[test]
fn a_path_that_takes_no_time_changes_nothing() {
    let mut plan = one_pool("5", 5);
    let requests = || poisson(3, 2_000, 150.0, 0.6, 8192, 1 << 30);
    let without = run(&plan, requests());
    plan["paths"] = json!([path(&[])]);
    plan["workloads"][0]["path"] = json!(0);
    let with = run(&plan, requests());
    let figures = |outcome: &Outcome| {
        let flow = &outcome.summary.total;
        (flow.completed, flow.response.all.mean_s, flow.response.all.std_s, flow.response.write.max_s)
    };
    assert_eq!(figures(&without), figures(&with));
    assert!(with.hops.is_some() && without.hops.is_none());
}

#[test]
fn plans_that_contradict_themselves_are_refused() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut plan = cached(&path(&[link(0.0)]));
        change(&mut plan);
        refusal(&plan)
    };
    let said = [
        refused(&|p| p["workloads"][0]["path"] = json!(1)),
        refused(&|p| p["paths"][0]["lanes"] = json!(0)),
        refused(&|p| p["paths"][0]["queue_depth"] = json!(0)),
        refused(&|p| p["paths"][0]["observed_hop"] = json!(1)),
        refused(&|p| p["paths"][0]["hops"][0]["bytes_per_s"] = json!(0.0)),
        refused(&|p| p["controller"]["host_bandwidth_bytes_per_s"] = json!(1e9)),
        refused(&|p| {
            p["paths"][0]["port"]["express"] =
                json!([{"up_to_bytes": 8192, "buffers": 1}, {"up_to_bytes": 4096, "buffers": 1}]);
        }),
    ];
    let expected = [
        ("workloads[0].path", "reference"),
        ("paths[0].lanes", "range"),
        ("paths[0].queue_depth", "range"),
        ("paths[0].observed_hop", "reference"),
        ("paths[0].hops[0].bytes_per_s", "range"),
        ("controller.host_bandwidth_bytes_per_s", "conflict"),
        ("paths[0].port.express", "conflict"),
    ];
    assert_eq!(said, expected.map(|(field, code)| (field.to_owned(), code)));
}

#[test]
fn the_observed_switch_may_lie_behind_the_one_that_answers() {
    let mut fast = path(&[link(1e-6), link(100e-6), link(1e-6)]);
    fast["exchange"]["fast_write_hop"] = json!(0);
    fast["observed_hop"] = json!(2);
    let outcome = run(&cached(&fast), vec![write(MS, 8192)]);
    let seen = outcome.summary.points.iter().find(|p| p.point == "switch").unwrap();
    // From the first of the data to the last of the response: no part of the way before it.
    let data = wire(8192 + 4 * FRAME) + wire(24 + FRAME);
    assert!(((seen.response.write.max_s * 1e9).round() as u64).abs_diff(2_000 + data) < 1_000);
}

#[test]
fn only_what_comes_over_a_path_interrupts() {
    let mut plan = cached(&path(&[]));
    plan["controller"]["processing"] =
        json!({"read_s": 0.0, "write_s": 10e-6, "processors": 1, "interrupt_s": 40e-6});
    assert_eq!(only(&run(&plan, vec![write(0, 8192)]), true), 40_000 + 40_000 + 10_000);
    plan["workloads"][0]["path"] = json!(null);
    assert_eq!(only(&run(&plan, vec![write(0, 8192)]), true), 10_000);
}

#[test]
fn segments_take_turns_on_the_first_wire_that_takes_time() {
    let pure = json!({"bytes_per_s": null, "frame_payload_bytes": 2048, "frame_wire_bytes": 2048, "latency_s": 5e-6,
                      "whole_frames": false});
    let wait = |hops: &[Value]| {
        let mut plan = path(hops);
        plan["segment_bytes"] = json!(32_768);
        plan["exchange"]["unsolicited_bytes"] = json!(1 << 20);
        let large = request(0, Op::Write, 0, 262_144);
        let outcome = run(&cached(&plan), vec![large, request(1_000, Op::Write, 262_144, 4096)]);
        slots(&outcome, 1)[2 * hops.len()].0
    };
    assert_eq!(wait(&[pure, link(0.0)]), wait(&[link(0.0)]));
}

/// V10: several servers of a station (an HBA's, a port's) with exponential services, against Erlang's C.
#[test]
fn a_station_of_several_servers_waits_as_m_m_c() {
    use iowatt_sim::testing::Station;
    use iowatt_sim::testing::Window;
    let window = Window { start: 0, end: u64::MAX };
    for (servers, load) in [(1usize, 0.7), (4, 0.8), (16, 0.8)] {
        let (mut random, mut station, mut now) =
            (crate::common::Lcg(servers as u64), Station::new(servers), 0.0);
        let (service, count) = (100_000.0, 1_500_000);
        for _ in 0..count {
            now -= random.unit().ln() * service / (load * servers as f64);
            let time = (-random.unit().ln() * service).round() as u64;
            station.serve(now as u64, time, &window);
        }
        let offered = load * servers as f64;
        let mut blocked = 1.0; // Erlang's B, by its recursion
        for server in 1..=servers {
            blocked = offered * blocked / (server as f64 + offered * blocked);
        }
        let waits = blocked / (1.0 - load * (1.0 - blocked));
        let expected = waits * service / (servers as f64 * (1.0 - load));
        let seen = station.waited as f64 / f64::from(count);
        assert!((seen / expected - 1.0).abs() < 0.05, "{servers} servers: {seen} ns, expected {expected} ns");
    }
}
