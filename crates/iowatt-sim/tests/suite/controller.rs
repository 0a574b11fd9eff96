//! The controller through the whole engine: worked examples by hand, and what must not change.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{MS, S, capacity, given, one_pool, poisson, request, run, try_run};
use iowatt_sim::Outcome;
use iowatt_sim::testing::{CacheResult, ControllerResult};
use iowatt_trace::Op;
use serde_json::{Value, json};

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
        "capacity_bytes": lines * 16_384, "line_bytes": 16_384, "replacement": "lru", "read": true,
        "write": write, "high_watermark": 1.0, "low_watermark": 0.5,
        "destage_bytes": 16_384, "destage_outstanding": 1,
    })
}

fn with_cache(cache: Value) -> Value {
    json!({"processing": null, "host_bandwidth_bytes_per_s": null, "cache": cache})
}

/// 20 us a read, 30 us a write on one processor; 8 KiB take 81.92 us on the link.
fn with_costs(cache: Value) -> Value {
    json!({
        "processing": {"read_s": 20e-6, "write_s": 30e-6, "processors": 1},
        "host_bandwidth_bytes_per_s": 100e6, "cache": cache,
    })
}

fn controller(outcome: &Outcome) -> &ControllerResult {
    outcome.summary.controller.as_ref().unwrap()
}

fn cached(outcome: &Outcome) -> &CacheResult {
    controller(outcome).cache.as_ref().unwrap()
}

fn response_ns(outcome: &Outcome) -> u64 {
    (outcome.summary.total.response.all.max_s * 1e9).round() as u64
}

fn figures(outcome: &Outcome) -> String {
    let mut summary = serde_json::to_value(&outcome.summary).unwrap();
    // The count of events is the effort, not a figure of the system.
    summary.as_object_mut().unwrap().remove("events");
    format!("{summary}{:?}{:?}", outcome.intervals, outcome.latency)
}

#[test]
fn a_miss_then_a_hit_by_hand() {
    let plan = one_drive(with_costs(cache(8, "back")));
    // 20 us of processing: sector 0 has gone by and returns at 5 ms; the line is read in 0.8 ms and 8 KiB go
    // out in 81.92 us.
    let miss = run(&plan, vec![request(0, Op::Read, 0, 8_192)]);
    assert_eq!(response_ns(&miss), 5_800_000 + 81_920);
    let both = run(&plan, vec![request(0, Op::Read, 0, 8_192), request(10 * MS, Op::Read, 8_192, 8_192)]);
    // The other half of the line is there: 20 us and 81.92 us.
    assert_eq!(both.summary.window.end_ns, 10 * MS + 101_920);
    let found = cached(&both);
    assert_eq!((found.reads, found.read_hits, found.read_bytes, found.read_hit_bytes), (2, 1, 16_384, 8_192));
    assert_eq!((found.fetches, found.fetched_bytes), (1, 16_384));
    assert_eq!(both.summary.devices[0].accesses, 1);
    let processors = controller(&both).processors.as_ref().unwrap();
    assert_eq!((processors.visits, processors.wait_ns), (2, 0));
    assert!((processors.utilisation - 40e-6 / 10.10192e-3).abs() < 1e-12);
}

#[test]
fn a_partial_hit_reads_the_rest() {
    let plan = one_drive(with_cache(cache(8, "back")));
    let line = |n: u64| n * 16_384;
    let first = request(0, Op::Read, line(1), 16_384);
    let all = request(10 * MS, Op::Read, 0, 3 * 16_384);
    let found = run(&plan, vec![first, all]);
    // Lines 0 and 2 are read, in two accesses; a third of the bytes was there.
    assert_eq!(found.summary.devices[0].accesses, 3);
    let c = cached(&found);
    assert_eq!((c.read_hits, c.read_hit_bytes, c.fetched_bytes), (0, 16_384, 3 * 16_384));
    // Sector 0 is under the head at 10 ms; line 2 begins 64 sectors on, at 1.6 ms, and takes 0.8 ms.
    assert_eq!(found.summary.window.end_ns, 10 * MS + 2_400_000);
}

/// A write completes in the cache after 30 us and 81.92 us, and stays there below the watermark.
#[test]
fn write_back_answers_from_the_cache() {
    let plan = one_drive(with_costs(cache(8, "back")));
    let found = run(&plan, vec![request(0, Op::Write, 0, 8_192)]);
    assert_eq!(response_ns(&found), 111_920);
    assert_eq!((cached(&found).dirty_bytes_at_end, cached(&found).destages), (8_192, 0));
    assert_eq!(found.summary.devices[0].arrivals, 0);
}

#[test]
fn write_through_answers_from_the_drive_and_serves_the_next_read() {
    for (write, hits) in [("through", 1), ("around", 0)] {
        let plan = one_drive(with_cache(cache(8, write)));
        let requests = vec![request(0, Op::Write, 0, 8_192), request(10 * MS, Op::Read, 0, 8_192)];
        let found = run(&plan, requests);
        // 16 sectors in 0.4 ms; then, around, 32 of the whole line in 0.8 ms.
        let expected = [800_000, 400_000][hits as usize];
        assert_eq!(response_ns(&found), expected, "{write}");
        assert_eq!((cached(&found).read_hits, cached(&found).dirty_bytes_at_end), (hits, 0));
    }
}

/// Two lines, destaging from two down to one: the third write waits for the first destage.
#[test]
fn a_write_without_space_waits_for_a_destage() {
    let plan = one_drive(with_cache(cache(2, "back")));
    let writes = (0..3).map(|n| request(0, Op::Write, n * 16_384, 16_384)).collect();
    let found = run(&plan, writes);
    // Line 0 goes out at once and takes 0.8 ms; line 1 follows it sequentially and ends at 1.6 ms, when line
    // 2 is left.
    assert_eq!(response_ns(&found), 800_000);
    assert_eq!(found.summary.total.response.all.mean_s, 0.8e-3 / 3.0);
    assert_eq!(found.summary.window.end_ns, 1_600_000);
    let c = cached(&found);
    assert_eq!((c.waits_for_space, c.space_wait_ns), (1, 800_000));
    assert_eq!((c.destages, c.destaged_bytes, c.dirty_bytes_at_end), (2, 32_768, 16_384));
}

/// Three writes wait: each gets the line that the next destage frees, in the order of their arrival.
#[test]
fn waiting_writes_are_served_in_order() {
    let mut plan = one_drive(with_cache(cache(2, "back")));
    plan["volumes"] = json!(vec![plan["volumes"][0].clone(); 5]);
    plan["workloads"] =
        (0..5).map(|v| json!({"volume": v, "replay": {"mode": "open", "speed": 1.0}})).collect();
    let write = |n: u64| given(vec![request(0, Op::Write, n * 16_384, 16_384)]);
    let found = try_run(&plan, (0..5).map(write).collect()).unwrap();
    let response = |i: usize| (found.summary.workloads[i].response.all.max_s * 1e6).round();
    assert_eq!([0, 1, 2, 3, 4].map(response), [0.0, 0.0, 800.0, 1_600.0, 2_400.0]);
    assert_eq!((cached(&found).waits_for_space, cached(&found).space_wait_ns), (3, 4_800_000));
}

/// Ten dirty lines written in falling order leave in rising order, joined up to four lines.
#[test]
fn destages_ascend_and_join() {
    let mut cache = cache(10, "back");
    cache["destage_bytes"] = json!(4 * 16_384);
    cache["low_watermark"] = json!(0.0);
    let plan = one_drive(with_cache(cache));
    let writes = (0..10).rev().map(|n| request(0, Op::Write, n * 16_384, 16_384));
    // One more request later, so that the run does not end before the destaging.
    let found = run(&plan, writes.chain([request(S, Op::Read, 0, 8_192)]).collect());
    let c = cached(&found);
    // Lines 0-3, 4-7 and 8-9, 320 sectors; the third track starts skewed by 20 sectors twice.
    assert_eq!((c.destages, c.destaged_bytes, c.dirty_bytes_at_end), (3, 163_840, 0));
    assert_eq!((found.summary.devices[0].writes, found.summary.devices[0].seeks), (3, 0));
    assert_eq!((c.reads, c.read_hits), (1, 1), "what was destaged is clean and still here");
}

/// Two requests at once on one processor: the second waits for the first.
#[test]
fn a_processor_serves_one_request_at_a_time() {
    let at = |processors: u64| {
        let mut controller = with_costs(cache(8, "back"));
        controller["host_bandwidth_bytes_per_s"] = Value::Null;
        controller["processing"]["processors"] = json!(processors);
        run(&one_drive(controller), vec![request(0, Op::Write, 0, 8_192); 2])
    };
    assert_eq!(response_ns(&at(1)), 60_000);
    assert_eq!(controller(&at(1)).processors.as_ref().unwrap().wait_ns, 30_000);
    assert_eq!(response_ns(&at(2)), 30_000);
}

#[test]
fn a_cache_of_no_size_is_no_cache() {
    let requests = poisson(4, 2_000, 200.0, 0.6, 8_192, capacity("5", 5));
    let figures_with = |controller: Value| {
        let mut plan = one_pool("5", 5);
        plan["controller"] = controller;
        figures(&run(&plan, requests.clone()))
    };
    let mut none = one_pool("5", 5);
    none.as_object_mut().unwrap().remove("controller");
    assert_eq!(figures_with(with_cache(cache(0, "back"))), figures(&run(&none, requests.clone())));
    assert_eq!(figures_with(with_cache(Value::Null)), figures(&run(&none, requests.clone())));
    // The same beside other parts of a controller.
    assert_eq!(figures_with(with_costs(cache(0, "back"))), figures_with(with_costs(Value::Null)));
    assert_ne!(figures_with(with_costs(Value::Null)), figures(&run(&none, requests.clone())));
}

/// A pass-through controller whose parts take no time changes nothing but its own figures.
#[test]
fn a_controller_that_takes_no_time_changes_no_response() {
    let requests = poisson(4, 2_000, 200.0, 0.6, 8_192, capacity("5", 5));
    let mut plan = one_pool("5", 5);
    let alone = run(&plan, requests.clone());
    plan["controller"] = json!({
        "processing": {"read_s": 0.0, "write_s": 0.0, "processors": 1},
        "host_bandwidth_bytes_per_s": null, "cache": null,
    });
    let mut behind = run(&plan, requests);
    assert!(behind.summary.controller.take().is_some());
    assert_eq!(figures(&alone), figures(&behind));
}

/// A closed loop of nothing but hits that take no time ends, and does not nest.
#[test]
fn a_loop_of_free_hits_ends() {
    let mut plan = one_drive(with_cache(cache(8, "back")));
    plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": 4, "per": "workload"});
    let found = run(&plan, vec![request(0, Op::Read, 0, 8_192); 100_000]);
    assert_eq!(found.summary.total.completed, 100_000);
    assert_eq!(found.summary.window.end_ns, 800_000, "the one fetch");
    // The four first ones wait for it, three of them for what another asked for.
    assert_eq!((cached(&found).read_hits, cached(&found).delayed_hits), (99_996, 3));
}

/// Writes below the destage rate are answered at once; above it, they wait for the drives.
#[test]
fn write_response_is_flat_below_the_destage_rate_and_climbs_above() {
    let mean_ms = |rate: f64| {
        let mut controller = with_costs(cache(64, "back"));
        controller["cache"]["high_watermark"] = json!(0.75);
        controller["cache"]["destage_outstanding"] = json!(8);
        let mut plan = one_pool("0", 4);
        plan["controller"] = controller;
        let requests = poisson(6, 4_000, rate, 0.0, 8_192, capacity("0", 4));
        run(&plan, requests).summary.total.response.write.mean_s * 1e3
    };
    // Four drives of some 7 ms a random write destage a little under 600 a second. Below that a write takes
    // its 0.11192 ms and a little queueing: at 300/s a processor of 30 us and a link of 81.92 us are under
    // 3 % busy.
    let (low, moderate, high) = (mean_ms(50.0), mean_ms(300.0), mean_ms(1_500.0));
    assert!((0.11192..0.113).contains(&low) && (low..0.115).contains(&moderate), "{low} {moderate}");
    assert!(high > 100.0 * moderate, "{high}");
}
