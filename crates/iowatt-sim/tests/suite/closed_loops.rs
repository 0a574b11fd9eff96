//! The whole simulator against queueing theory, closed loops (docs/testing.md: V11), and disciplines in their order.
//!
//! Method and confidence are those of [`crate::common::statistics`]: 20 independent replications, Student's t at 99.9 %;
//! comparisons between disciplines are of the same requests, pair by pair.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::statistics::{Estimate, REPLICATIONS};
use crate::common::{Lcg, capacity, one_pool, request, run};
use iowatt_sim::{Outcome, Summary};
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

/// A closed loop of `outstanding`; the first tenth of about `seconds` is cut as warm-up.
fn closed(plan: &Value, outstanding: usize, seconds: f64, seed: u64, requests: Vec<Request>) -> Outcome {
    let mut plan = plan.clone();
    plan["seed"] = json!(seed);
    plan["workloads"][0]["replay"] = json!({"mode": "closed", "outstanding": outstanding, "per": "workload"});
    plan["observe"]["warmup_s"] = json!(seconds / 10.0);
    plan["observe"]["end_s"] = json!(seconds);
    run(&plan, requests)
}

fn throughput(s: &Summary) -> f64 {
    s.total.completions.requests as f64 / ((s.window.end_ns - s.window.start_ns) as f64 / 1e9)
}

/// Exact mean value analysis of a closed network: one class, `demands` of stations with one server, think time `think`.
/// Throughput, residence time at all stations, and queue at each, with `n` in the loop.
fn mva(demands: &[f64], think: f64, n: usize) -> (f64, f64, Vec<f64>) {
    let mut queues = vec![0.0; demands.len()];
    let (mut rate, mut time) = (0.0, 0.0);
    for k in 1..=n {
        let residence: Vec<f64> = demands.iter().zip(&queues).map(|(d, q)| d * (1.0 + q)).collect();
        time = residence.iter().sum();
        rate = k as f64 / (think + time);
        queues = residence.iter().map(|r| rate * r).collect();
    }
    (rate, time, queues)
}

const TURN_S: f64 = 5e-3;
const TRACK: u32 = 200;

/// Three drives without seeks or skews, all on one stripe: a request's place chooses its drive, and transfers of
/// exponentially distributed lengths over many turns make exponential services. Processors as many as
/// requests are a think time.
fn three_drives(think: f64, processors: usize) -> Value {
    let mut plan = one_pool("0", 3);
    for skew in ["track_skew_sectors", "cylinder_skew_sectors"] {
        plan["pools"][0]["device"]["layout"]["zoned"]["zones"][0][skew] = json!(0.0);
    }
    plan["pools"][0]["scheduler"] = json!("fcfs");
    plan["pools"][0]["device"]["head_switch_s"] = json!(0.0);
    plan["pools"][0]["device"]["seek"] = json!({"constant": 0.0});
    plan["pools"][0]["raid"]["stripe_unit_bytes"] = json!(UNIT);
    plan["volumes"][0]["capacity_bytes"] = json!(3 * UNIT);
    if think > 0.0 {
        let processing = json!({"read_s": think, "write_s": 99.0, "processors": processors});
        plan["controller"] =
            json!({"processing": processing, "host_bandwidth_bytes_per_s": null, "cache": null});
    }
    plan
}

/// Bytes of a stripe unit: half a drive, 2,000 turns.
const UNIT: u64 = 400_000 * 512;

/// Where requests go, and the mean of their exponential transfers in turns.
const SHARES: [f64; 3] = [0.5, 0.3, 0.2];
const TURNS: [f64; 3] = [100.0, 60.0, 80.0];

fn exponential_transfers(random: &mut Lcg, count: usize) -> Vec<Request> {
    (0..count)
        .map(|_| {
            let place = random.unit();
            let drive = usize::from(place > SHARES[0]) + usize::from(place > SHARES[0] + SHARES[1]);
            let turns = -random.unit().ln() * TURNS[drive];
            let sectors = (turns * f64::from(TRACK)).ceil().clamp(1.0, 400_000.0) as u32;
            request(0, Op::Read, drive as u64 * UNIT, sectors * 512)
        })
        .collect()
}

/// V11, exact mean value analysis: throughput, response time and the queue at every drive, with and without a think
/// time. Service is exponential but for half a turn of rotational wait (1 % of it; its squared coefficient of variation
/// is 0.98). The asymptotic bounds hold, and N = X (R + Z) with R as the drives see it.
#[test]
fn exponential_drives_follow_mean_value_analysis() {
    let services = TURNS.map(|turns| (turns + 0.5) * TURN_S);
    let demands: Vec<f64> = SHARES.iter().zip(services).map(|(share, s)| share * s).collect();
    let (all, most) = (demands.iter().sum::<f64>(), demands.iter().copied().fold(0.0, f64::max));
    let mut random = Lcg(110);
    for (n, think) in [(1, 0.0), (2, 0.0), (4, 0.0), (12, 0.0), (4, 0.5), (8, 1.0)] {
        let (rate, residence, queues) = mva(&demands, think, n);
        let plan = three_drives(think, n);
        let mut values = [const { Vec::new() }; 5];
        for seed in 0..REPLICATIONS as u64 {
            let count = 2_500;
            let seconds = count as f64 / rate * 0.8;
            let s = closed(&plan, n, seconds, seed, exponential_transfers(&mut random, count)).summary;
            let seen = s.devices.iter().map(|d| d.response_ns).sum::<u64>() as f64
                / s.devices.iter().map(|d| d.accesses).sum::<u64>() as f64
                / 1e9;
            // Little's law over the whole loop; requests that cross the window's edges blur it.
            let little = throughput(&s) * (seen + think);
            assert!((little / n as f64 - 1.0).abs() < 0.02, "N = {n}, Z = {think}: {little}");
            let queue = |i: usize| s.devices[i].queue_length_mean;
            let figures = [throughput(&s), seen, queue(0), queue(1), queue(2)];
            values.iter_mut().zip(figures).for_each(|(v, figure)| v.push(figure));
        }
        let what = format!("N = {n}, Z = {think}");
        let found = values.map(|v| Estimate::from_values(&v));
        found[0].assert_agrees(rate, 0.04, &format!("X, {what}"));
        found[1].assert_agrees(residence, 0.05, &format!("R, {what}"));
        for (i, expected) in queues.into_iter().enumerate() {
            found[2 + i].assert_agrees(expected, 0.15, &format!("queue of drive {i}, {what}"));
        }
        let bound = (n as f64 / (all + think)).min(1.0 / most);
        assert!(found[0].mean - found[0].half_width <= bound, "{what}: {:?} is beyond {bound}", found[0]);
        if n == 4 && think == 0.0 {
            assert!(!found[0].holds(mva(&[all / 3.0; 3], think, n).0), "taken for balanced drives");
            assert!(!found[0].holds(bound), "taken for a loop without queues");
        }
    }
}

/// V11 on real drives, whose service is not exponential: X <= min(N / D, 1 / Dmax) where D is the time of a lone request
/// and Dmax the part of it at one of four drives that share the load evenly; X grows with N, and comes within 5 %
/// of the second bound with 64 on four drives.
#[test]
fn closed_loops_stay_within_their_bounds() {
    let mut plan = one_pool("0", 4);
    plan["pools"][0]["scheduler"] = json!("fcfs");
    let (reads, room) = (8_000, capacity("0", 4) / 8_192);
    let mut rates = vec![];
    for n in [1usize, 2, 4, 8, 16, 64] {
        let mut random = Lcg(111);
        let values: Vec<(f64, f64)> = (0..REPLICATIONS as u64)
            .map(|seed| {
                let requests: Vec<_> =
                    (0..reads).map(|_| request(0, Op::Read, random.below(room) * 8_192, 8_192)).collect();
                let s =
                    closed(&plan, n, 0.8 * reads as f64 * 4.6e-3 / n.min(4) as f64, seed, requests).summary;
                // Little's law of the loop.
                assert!((s.total.in_flight_mean - n as f64).abs() < 1e-9, "{}", s.total.in_flight_mean);
                let service = s.devices.iter().map(|d| d.service_ns).sum::<u64>() as f64;
                (throughput(&s), service / s.devices.iter().map(|d| d.accesses).sum::<u64>() as f64 / 1e9)
            })
            .collect();
        let rate = Estimate::from_values(&values.iter().map(|v| v.0).collect::<Vec<_>>());
        let service = Estimate::from_values(&values.iter().map(|v| v.1).collect::<Vec<_>>());
        rates.push((n, rate, service));
    }
    let (_, alone, lone) = rates[0];
    // One at a time: X = 1 / D.
    alone.assert_agrees(1.0 / lone.mean, 0.01, "X of one");
    for pair in rates.windows(2) {
        let ((_, before, _), (n, rate, service)) = (pair[0], pair[1]);
        assert!(rate.mean - rate.half_width > before.mean + before.half_width, "{n}: X does not grow");
        let bound = (n as f64 / lone.mean).min(4.0 / lone.mean);
        assert!(rate.mean + rate.half_width < bound, "{n}: {rate:?} is beyond {bound}");
        // First come, first served: the queue changes nothing about a service.
        service.assert_agrees(lone.mean, 0.01, &format!("service with {n}"));
    }
    let (_, most, _) = rates[rates.len() - 1];
    assert!(most.mean > 0.95 * 4.0 / lone.mean, "{most:?} of {}", 4.0 / lone.mean);
}

/// Mean response times at depth come in the order of the literature (Worthington, Ganger and Patt 1994): by positioning
/// time before by seek, by seek and by elevator before order of arrival. Same requests for all. And the
/// deeper the queue, the wider the choice and the shorter a request's share of the time; order of arrival gains nothing.
#[test]
fn disciplines_rank_as_in_the_literature() {
    const DISCIPLINES: [&str; 5] = ["sptf", "sstf", "look", "c-look", "fcfs"];
    let room = capacity("0", 1) / 4_096;
    let at_depth = |depth: usize| {
        let mut random = Lcg(112);
        let mut means = [const { Vec::new() }; 5];
        for seed in 0..REPLICATIONS as u64 {
            let requests: Vec<_> =
                (0..2_000).map(|_| request(0, Op::Read, random.below(room) * 4_096, 4_096)).collect();
            for (discipline, values) in DISCIPLINES.iter().zip(&mut means) {
                let mut plan = one_pool("0", 1);
                plan["pools"][0]["scheduler"] = json!(discipline);
                let s = closed(&plan, depth, 3.0, seed, requests.clone()).summary;
                values.push(s.devices[0].response_ns as f64 / s.devices[0].accesses as f64 / 1e6);
            }
        }
        means
    };
    let mut slopes = [const { Vec::new() }; 5];
    for depth in [8, 16, 32] {
        let means = at_depth(depth);
        let of = |name: &str| &means[DISCIPLINES.iter().position(|d| *d == name).unwrap()];
        for (better, worse) in
            [("sptf", "sstf"), ("sptf", "look"), ("sstf", "fcfs"), ("look", "fcfs"), ("c-look", "fcfs")]
        {
            let pairs: Vec<_> = of(worse).iter().zip(of(better)).map(|(w, b)| w - b).collect();
            Estimate::from_values(&pairs).assert_positive(&format!("{better} before {worse} at {depth}"));
        }
        for (slope, values) in slopes.iter_mut().zip(&means) {
            slope.push(Estimate::from_values(values).mean / depth as f64);
        }
    }
    for (discipline, per_request) in DISCIPLINES.iter().zip(slopes) {
        match *discipline {
            "fcfs" => assert!((per_request[2] / per_request[0] - 1.0).abs() < 0.02, "{per_request:?}"),
            _ => assert!(per_request[2] < per_request[1] && per_request[1] < per_request[0], "{discipline}"),
        }
    }
}
