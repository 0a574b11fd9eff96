//! The whole simulator against queueing theory (docs/testing.md: V6-V9, V10, V12), open loops.
//!
//! Poisson arrivals at stations of the simulated system whose service-time distribution is known: the link to the
//! hosts (bytes / rate), the controller's processors (constant), a drive (seek, rotation, transfer). Method and
//! confidence are those of [`crate::common::statistics`]: 20 independent replications, a tenth of each cut as warm-up,
//! Student's t at 99.9 %; each comparison states the widest interval that it accepts.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::statistics::{Estimate, REPLICATIONS};
use crate::common::{Lcg, one_pool, request, run, try_run};
use iowatt_sim::Plan;
use iowatt_sim::replay::{Asked, replay};
use iowatt_sim::testing::DevicePlan;
use iowatt_sim::testing::Station;
use iowatt_sim::testing::Window;
use iowatt_sim::{Column, Outcome};
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

// ---- arrivals, recursion, formulas

/// `count` Poisson arrivals at `rate` a second; each is (offset, size) as drawn by `shape`.
fn arrivals(
    random: &mut Lcg,
    count: usize,
    rate: f64,
    mut shape: impl FnMut(&mut Lcg) -> (u64, u32),
) -> Vec<Request> {
    let mut time = 0.0;
    (0..count)
        .map(|_| {
            time -= random.unit().ln() / rate;
            let (offset, size) = shape(random);
            request((time * 1e9) as u64, Op::Write, offset, size)
        })
        .collect()
}

/// A tenth of the arrivals' span, which is cut as warm-up.
fn warm_up_ns(requests: &[Request]) -> u64 {
    requests.last().unwrap().time_ns / 10
}

/// The plan's outcome without its warm-up.
fn steady(plan: &Value, seed: u64, requests: &[Request]) -> Outcome {
    let mut plan = plan.clone();
    plan["seed"] = json!(seed);
    plan["observe"]["warmup_s"] = json!(warm_up_ns(requests) as f64 / 1e9);
    run(&plan, requests.to_vec())
}

fn mean_response(outcome: &Outcome) -> f64 {
    outcome.summary.total.response.all.mean_s
}

/// Lindley's recursion: mean response after the warm-up of a single first-come-first-served server whose service
/// times are given (seconds).
fn lindley(requests: &[Request], mut service: impl FnMut(&Request) -> f64) -> f64 {
    let warm_up = warm_up_ns(requests);
    let (mut free, mut sum, mut count) = (0.0f64, 0.0, 0);
    for request in requests {
        let now = request.time_ns as f64 / 1e9;
        free = free.max(now) + service(request);
        if request.time_ns >= warm_up {
            sum += free - now;
            count += 1;
        }
    }
    sum / f64::from(count)
}

/// First and second moment of a service time.
#[derive(Clone, Copy, Debug)]
struct Service {
    mean: f64,
    square: f64,
}

impl Service {
    /// Mean response of M/G/1 at utilisation `rho`: Pollaczek and Khinchine.
    fn response(&self, rho: f64) -> f64 {
        self.mean + rho / self.mean * self.square / (2.0 * (1.0 - rho))
    }

    /// Mean response with the same mean and another squared coefficient of variation: what a wrong distribution
    /// would give.
    fn response_as_if(&self, rho: f64, cv2: f64) -> f64 {
        Self { square: self.mean * self.mean * (1.0 + cv2), ..*self }.response(rho)
    }
}

// ---- the link to the hosts: service times are whatever the sizes say

/// Writes of at most a cache line at 1 us a byte into a cache that takes them at once: the link is all there is.
fn link() -> Value {
    let mut plan = one_pool("0", 1);
    plan["controller"] = json!({
        "processing": null, "host_bandwidth_bytes_per_s": 1e6,
        "cache": {
            "capacity_bytes": 1 << 20, "line_bytes": 32_768, "replacement": "lru", "read": true, "write": "back",
            "high_watermark": 1.0, "low_watermark": 1.0, "destage_bytes": 32_768, "destage_outstanding": 1,
        },
    });
    plan
}

/// Bytes of an exponential service time of 1 ms on the link, rounded up: a geometric number of mean 1,000.5.
fn exponential_bytes(random: &mut Lcg) -> u32 {
    (-random.unit().ln() * 1_000.0).ceil().clamp(1.0, 32_768.0) as u32
}

const EXPONENTIAL_MS: f64 = 1.0005;

/// Response time at or below which the share `q` of the requests is.
fn percentile(outcome: &Outcome, q: f64) -> f64 {
    let column = |name: &str| match &outcome.latency.iter().find(|(n, _)| *n == name).unwrap().1 {
        Column::U64(v) => v.clone(),
        Column::F64(v) => v.iter().map(|&x| x as u64).collect(),
    };
    let (high, count) = (column("high_ns"), column("count"));
    let mut bins: Vec<_> = high.into_iter().zip(count).collect();
    bins.sort_unstable();
    let wanted = q * bins.iter().map(|b| b.1).sum::<u64>() as f64;
    let mut seen = 0;
    let found = bins.iter().find(|b| {
        seen += b.1;
        seen as f64 >= wanted
    });
    found.unwrap().0 as f64 / 1e9
}

/// The link is served in order of arrival, to the nanosecond: Lindley's recursion gives the same mean on every
/// sample path. No statistics: this holds or does not.
#[test]
fn the_link_follows_lindleys_recursion() {
    let mut random = Lcg(61);
    for rho in [0.3, 0.9, 1.2] {
        let requests = arrivals(&mut random, 20_000, rho * 1e3, |r| (0, exponential_bytes(r)));
        let simulated = mean_response(&steady(&link(), 1, &requests));
        let by_hand = lindley(&requests, |r| f64::from(r.size) / 1e6);
        assert!((simulated - by_hand).abs() < 1e-9 * by_hand.max(1.0), "{rho}: {simulated} {by_hand}");
    }
}

/// V6, M/M/1: R = 1/(mu - lambda), N = rho/(1 - rho), P(0) = 1 - rho, and R itself exponential: its standard deviation
/// is its mean, and 5 % of the requests take longer than 3.0 R.
#[test]
fn exponential_transfers_on_the_link_are_m_m_1() {
    let mut random = Lcg(62);
    for (rho, power) in [(0.3, 0.01), (0.6, 0.02), (0.8, 0.05)] {
        let rate = rho / (EXPONENTIAL_MS / 1e3);
        let (mut times, mut values) = (Vec::new(), [const { Vec::new() }; 4]);
        for seed in 0..REPLICATIONS as u64 {
            let requests = arrivals(&mut random, 40_000, rate, |r| (0, exponential_bytes(r)));
            let outcome = steady(&link(), seed, &requests);
            let total = &outcome.summary.total;
            let busy = outcome.summary.controller.as_ref().unwrap().link.as_ref().unwrap().utilisation;
            let response = &total.response.all;
            let p95 = percentile(&outcome, 0.95);
            times.push(response.mean_s);
            let figures = [total.in_flight_mean, 1.0 - busy, response.std_s, p95];
            values.iter_mut().zip(figures).for_each(|(v, figure)| v.push(figure));
        }
        let r = EXPONENTIAL_MS / 1e3 / (1.0 - rho);
        let expected = [("N", rho / (1.0 - rho)), ("P(0)", 1.0 - rho), ("std", r), ("p95", 20f64.ln() * r)];
        for (values, (name, expected)) in values.iter().zip(expected) {
            Estimate::from_values(values).assert_agrees(expected, 2.0 * power, &format!("{name} at {rho}"));
        }
        let measured = Estimate::from_values(&times);
        measured.assert_agrees(r, power, &format!("R at {rho}"));
        assert!(!measured.holds(EXPONENTIAL_MS / 1e3 * (1.0 + rho / (2.0 * (1.0 - rho)))), "taken for M/D/1");
    }
}

/// V7, M/D/1: equal transfers on the link, Wq = rho S / (2 (1 - rho)).
#[test]
fn equal_transfers_on_the_link_are_m_d_1() {
    let mut random = Lcg(71);
    for (rho, power) in [(0.3, 0.02), (0.6, 0.03), (0.8, 0.05)] {
        let waits = Estimate::of(|seed| {
            let requests = arrivals(&mut random, 40_000, rho * 1e3, |_| (0, 1_000));
            mean_response(&steady(&link(), seed, &requests)) - 1e-3
        });
        waits.assert_agrees(rho * 1e-3 / (2.0 * (1.0 - rho)), power, &format!("Wq at {rho}"));
        assert!(!waits.holds(rho * 1e-3 / (1.0 - rho)), "taken for M/M/1");
    }
}

// ---- several servers

/// Mean wait of M/D/c in service times: Crommelin's series. `load` = arrival rate x service time.
fn crommelin(servers: usize, load: f64) -> f64 {
    let mut sum = 0.0;
    for i in 1..2_000usize {
        // Poisson probabilities of mean i x load from i c on, and from i c + 1 on.
        let mean = i as f64 * load;
        let from = i * servers;
        let mut term =
            (from as f64 * mean.ln() - mean - (1..=from).map(|k| (k as f64).ln()).sum::<f64>()).exp();
        let first = term;
        let mut tail = 0.0;
        for j in from.. {
            tail += term;
            term *= mean / (j + 1) as f64;
            if term < 1e-18 {
                break;
            }
        }
        let part = tail - servers as f64 / load * (tail - first);
        sum += part;
        if part < 1e-15 {
            break;
        }
    }
    sum
}

/// Erlang's C: the probability of waiting in M/M/c.
fn erlang_c(servers: usize, load: f64) -> f64 {
    let blocked = (1..=servers).fold(1.0, |b, k| load * b / (k as f64 + load * b));
    let free = 1.0 - load / servers as f64;
    blocked / (1.0 - (1.0 - free) * (1.0 - blocked))
}

/// V10 through the engine: processors take a constant time, so c of them are M/D/c.
#[test]
fn processors_are_m_d_c() {
    assert!((crommelin(1, 0.8) - 0.8 / (2.0 * 0.2)).abs() < 1e-9, "one server is M/D/1");
    let mut random = Lcg(101);
    for (servers, rho, power) in [(2, 0.7, 0.03), (4, 0.8, 0.05), (4, 0.9, 0.08)] {
        let mut plan = link();
        plan["controller"]["host_bandwidth_bytes_per_s"] = Value::Null;
        plan["controller"]["processing"] = json!({"read_s": 9.0, "write_s": 1e-3, "processors": servers});
        let load = rho * servers as f64;
        let waits = Estimate::of(|seed| {
            let requests = arrivals(&mut random, 40_000, load * 1e3, |_| (0, 512));
            mean_response(&steady(&plan, seed, &requests)) - 1e-3
        });
        waits.assert_agrees(crommelin(servers, load) * 1e-3, power, &format!("{servers} at {rho}"));
        let one_fast = rho * 1e-3 / servers as f64 / (2.0 * (1.0 - rho));
        assert!(!waits.holds(one_fast), "taken for one fast server");
    }
}

/// V10 on the station itself, which can be given exponential times: the wait is Erlang C's, C S / (c - a).
#[test]
fn a_station_of_exponential_times_is_m_m_c() {
    let mut random = Lcg(102);
    for (servers, rho, power) in [(1, 0.7, 0.04), (2, 0.7, 0.05), (5, 0.8, 0.07)] {
        let load = rho * servers as f64;
        let waits = Estimate::of(|_| {
            let mut station = Station::new(servers);
            let mut now = 0.0;
            let count = 40_000;
            let window = Window { start: (count as f64 / load * 1e6) as u64 / 10, end: u64::MAX };
            for _ in 0..count {
                now -= random.unit().ln() / load * 1e6;
                station.serve(now as u64, (-random.unit().ln() * 1e6) as u64, &window);
            }
            station.waited as f64 / station.visits as f64 / 1e6
        });
        let expected = erlang_c(servers, load) / (servers as f64 - load);
        waits.assert_agrees(expected, power, &format!("{servers} at {rho}"));
        assert!(!waits.holds(crommelin(servers, load)), "taken for M/D/c");
    }
}

// ---- a drive

/// Sectors of a track of [`turntable`], and of the whole drive; it turns in [`TURN_S`].
const TRACK: u64 = 2_000;
const TURNTABLE: u64 = 20_000 * 4 * TRACK;
const TURN_S: f64 = 5e-3;

/// A drive whose arm and heads take a constant time (zero or not) and whose tracks are not skewed: service is that
/// time, a rotational wait uniform over a turn, and sectors passing without a break.
fn turntable(seek_s: f64) -> Value {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["scheduler"] = json!("fcfs");
    let device = &mut plan["pools"][0]["device"];
    device["layout"]["zoned"]["zones"][0] = json!({"cylinders": 20_000, "sectors_per_track": TRACK});
    device["cylinders"] = json!(20_000);
    device["sectors"] = json!(TURNTABLE);
    device["head_switch_s"] = json!(seek_s);
    device["seek"] = json!({"constant": seek_s});
    plan["pools"][0]["raid"]["stripe_unit_bytes"] = json!(TURNTABLE * 512);
    plan["volumes"][0]["capacity_bytes"] = json!(TURNTABLE * 512);
    plan
}

fn transfer_s(bytes: u32) -> f64 {
    f64::from(bytes / 512) / TRACK as f64 * TURN_S
}

/// Times that a control variate draws its service times.
const DRAWS: u32 = 8;

/// Mean response of a drive over replications of `count` requests, with Lindley's recursion as control variate: on the
/// same arrivals, with independent service times drawn by `draw` from the distribution whose moments are `service`,
/// its expectation is the formula's value, and it shares the arrivals' noise with the simulator.
fn controlled(
    plan: &Value,
    seed: u64,
    rho: f64,
    count: usize,
    service: Service,
    mut shape: impl FnMut(&mut Lcg) -> (u64, u32),
    mut draw: impl FnMut(&mut Lcg, &Request) -> f64,
) -> Estimate {
    let (mut random, mut independent) = (Lcg(seed), Lcg(!seed));
    Estimate::of(|seed| {
        let requests = arrivals(&mut random, count, rho / service.mean, &mut shape);
        let simulated = mean_response(&steady(plan, seed, &requests));
        let controls = (0..DRAWS).map(|_| lindley(&requests, |r| draw(&mut independent, r)));
        simulated - (controls.sum::<f64>() / f64::from(DRAWS) - service.response(rho))
    })
}

/// V8, M/G/1, all in closed form: a constant seek, a uniform rotational wait and small transfers (squared coefficient of
/// variation 0.1); or no seek, and one in five transfers long (2.4).
#[test]
fn a_drive_is_m_g_1() {
    let (small, large) = (4_096, 8 * 2_000 * 512);
    for (seek, share_large, rho, power) in
        [(2e-3, 0.0, 0.5, 0.01), (2e-3, 0.0, 0.85, 0.05), (0.0, 0.2, 0.5, 0.02), (0.0, 0.2, 0.8, 0.05)]
    {
        let plan = turntable(seek);
        let fixed = |bytes| seek + transfer_s(bytes);
        let mix =
            |f: &dyn Fn(f64) -> f64| (1.0 - share_large) * f(fixed(small)) + share_large * f(fixed(large));
        let service = Service {
            mean: mix(&|x| x + TURN_S / 2.0),
            square: mix(&|x| x * x + x * TURN_S + TURN_S * TURN_S / 3.0),
        };
        let found = controlled(
            &plan,
            80,
            rho,
            10_000,
            service,
            |r| {
                let size = if r.unit() <= share_large { large } else { small };
                // Small ones never cross to the next track, which would cost a seek and most of a turn.
                let track = r.below(TURNTABLE / TRACK - 8);
                ((track * TRACK + r.below(TRACK - 8)) * 512, size)
            },
            |r, request| fixed(request.size) + r.unit() * TURN_S,
        );
        found.assert_agrees(service.response(rho), power, &format!("{share_large} at {rho}"));
        assert!(!found.holds(service.response_as_if(rho, 1.0)), "taken for M/M/1");
        assert!(!found.holds(service.response_as_if(rho, 0.0)), "taken for M/D/1");
    }
}

/// V9's drive: seek 0.7 + 3.77 sqrt(d) ms over the share d of the stroke, 4 ms a turn, 8 KiB at 150 MB/s. A track of 1,168
/// sectors gives 149.5 MB/s and holds a whole number of requests, so that none crosses to the next.
const V9_CYLINDERS: u64 = 40_000;
const V9_TRACK: u64 = 1_168;

fn v9_drive() -> Value {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["scheduler"] = json!("fcfs");
    let by_cylinder = 3.77 / (V9_CYLINDERS as f64).sqrt();
    let device = &mut plan["pools"][0]["device"];
    device["rpm"] = json!(15_000.0);
    device["surfaces"] = json!(1);
    device["cylinders"] = json!(V9_CYLINDERS);
    device["sectors"] = json!(V9_CYLINDERS * V9_TRACK);
    device["layout"]["zoned"]["zones"][0] = json!({"cylinders": V9_CYLINDERS, "sectors_per_track": V9_TRACK});
    device["seek"] = json!({"hpl": {"values": [1e9, 0.7, by_cylinder, 0.0, 0.0, -1.0], "first_ms": []}});
    plan["pools"][0]["raid"]["stripe_unit_bytes"] = json!(V9_CYLINDERS * V9_TRACK * 512);
    plan["volumes"][0]["capacity_bytes"] = json!(V9_CYLINDERS * V9_TRACK * 512);
    plan
}

fn v9_request(random: &mut Lcg) -> (u64, u32) {
    (random.below(V9_CYLINDERS * V9_TRACK / 16) * 8_192, 8_192)
}

/// S = 0.7 + 3.77 x 8/15 + 2 + 0.0546 ms; the variance of sqrt(d) is 1/3 - (8/15)^2, that of rotation 16/12.
fn v9_service() -> Service {
    let mean = 0.7 + 3.77 * 8.0 / 15.0 + 2.0 + 8_192.0 / 150e3;
    let variance = 3.77 * 3.77 * (1.0 / 3.0 - 64.0 / 225.0) + 16.0 / 12.0;
    Service { mean: mean / 1e3, square: (variance + mean * mean) / 1e6 }
}

/// V9: S = 4.765 ms, cv^2 = 0.0893, and response times by utilisation as listed. The formula takes successive seeks as
/// independent; on a drive each starts where the last one ended, so successive distances have a correlation of 0.1
/// and, seek being a third of the variance, successive services of 0.034. In heavy traffic that adds
/// 2 x 0.034 x 0.0893 / 1.0893 = 0.6 % to the wait, and the recursion with such distances gives 0.4 % on the response at 0.9,
/// within the interval at every utilisation here.
#[test]
fn the_example_drive_has_the_listed_response_times() {
    let service = v9_service();
    assert!((service.mean - 4.765e-3).abs() < 1e-6, "{}", service.mean);
    assert!((service.square / service.mean.powi(2) - 1.0 - 0.0893).abs() < 1e-4);
    let listed = [
        (0.1, 5.054, 0.005),
        (0.3, 5.878, 0.005),
        (0.5, 7.361, 0.01),
        (0.7, 10.821, 0.02),
        (0.9, 28.124, 0.05),
    ];
    for (rho, listed_ms, power) in listed {
        assert!((service.response(rho) * 1e3 - listed_ms).abs() < 1e-3);
        let count = if rho > 0.8 { 20_000 } else { 8_000 };
        let found = controlled(&v9_drive(), 90, rho, count, service, v9_request, |r, _| {
            let distance = (r.unit() - r.unit()).abs();
            (0.7 + 3.77 * distance.sqrt() + 4.0 * r.unit() + 8_192.0 / 150e3) / 1e3
        });
        found.assert_agrees(listed_ms / 1e3, power, &format!("rho {rho}"));
        if rho > 0.2 {
            assert!(!found.holds(service.response_as_if(rho, 0.0)), "taken for M/D/1");
        }
        assert!(!found.holds(service.response_as_if(rho, 0.5)), "taken for Erlang-2");
    }
}

/// V8 without any assumption about the drive: moments and distribution of the service times come from the same requests
/// one at a time on the same drive (four heads, skews, head switches, requests across track ends), and
/// predict the open loop.
#[test]
fn service_alone_predicts_the_open_loop() {
    let mut plan = one_pool("0", 1);
    plan["pools"][0]["scheduler"] = json!("fcfs");
    let DevicePlan::Hdd(hdd) = serde_json::from_value::<Plan>(plan.clone()).unwrap().pools[0].device.clone()
    else {
        unreachable!("it is a disk")
    };
    let (count, shape) = (10_000, |r: &mut Lcg| (r.below(800_000 - 16) * 512, 8_192));
    for (rho, power) in [(0.4, 0.01), (0.8, 0.04)] {
        let (mut random, mut independent) = (Lcg(81), Lcg(82));
        let mut predicted = 0.0;
        let difference = Estimate::of(|seed| {
            // At a mean service of 4.8 ms; the exact utilisation is measured below.
            let requests = arrivals(&mut random, count, rho / 4.8e-3, shape);
            let alone = requests.iter().map(|r| {
                let (lbn, sectors) = (r.offset / 512, u64::from(r.size) / 512);
                Asked { lbn, sectors, write: true, pace: 0 }
            });
            let (mut times, mut from) = (Vec::new(), 0);
            replay(&hdd, 0.0, alone, |now, access| {
                assert_eq!(now, from);
                from = access.done;
                times.push((access.done - now) as f64 / 1e9);
            })
            .unwrap();
            let moment = |power: i32| times.iter().map(|t| t.powi(power)).sum::<f64>() / count as f64;
            let service = Service { mean: moment(1), square: moment(2) };
            predicted += service.response(rho / 4.8e-3 * service.mean) / REPLICATIONS as f64;
            let mut control = || lindley(&requests, |_| times[independent.below(count as u64) as usize]);
            let control = (0..DRAWS).map(|_| control()).sum::<f64>() / f64::from(DRAWS);
            mean_response(&steady(&plan, seed, &requests)) - control
        });
        let found = Estimate { mean: predicted + difference.mean, ..difference };
        found.assert_agrees(predicted, power, &format!("rho {rho}"));
    }
}

/// V12, the conservation law: whatever order a discipline serves in, as long as it does not look at service times, the
/// sum of rho_i W_i is the same, rho lambda E[S^2] / (2 (1 - rho)). The drive has no seek times, so that no
/// address is dearer than another, and so many tracks that two neighbours in the queue are hardly ever on one (there,
/// the order decides about the rotational wait); small requests to a corner of it and large ones elsewhere.
#[test]
fn disciplines_share_out_waiting_and_conserve_it() {
    let (sizes, rates) = ([4_096u32, 4 * 2_000 * 512], [130.0, 17.0]);
    let service = |bytes| transfer_s(bytes) + TURN_S / 2.0;
    let rho = [rates[0] * service(sizes[0]), rates[1] * service(sizes[1])];
    let square = |bytes: u32| service(bytes).powi(2) + TURN_S * TURN_S / 12.0;
    let total = rho[0] + rho[1];
    let residual = (rates[0] * square(sizes[0]) + rates[1] * square(sizes[1])) / 2.0;
    let conserved = total * residual / (1.0 - total);
    let span = TURNTABLE * 512;
    let corner = span / 100;
    for scheduler in ["fcfs", "sstf", "look", "c-look"] {
        let mut plan = turntable(0.0);
        plan["pools"][0]["scheduler"] = json!(scheduler);
        plan["volumes"] = json!([
            {"pool": 0, "offset_bytes": 0, "capacity_bytes": corner},
            {"pool": 0, "offset_bytes": corner, "capacity_bytes": span - corner},
        ]);
        let open = json!({"mode": "open", "speed": 1.0});
        plan["workloads"] = json!([{"volume": 0, "replay": open}, {"volume": 1, "replay": open}]);
        let (mut random, mut independent, mut shares) = (Lcg(120), Lcg(121), vec![]);
        let found = Estimate::of(|seed| {
            let seconds = 100.0;
            let mut class = |i: usize, room: u64| {
                let count = (rates[i] * seconds) as usize;
                let sectors = u64::from(sizes[i]) / 512;
                arrivals(&mut random, count, rates[i], |r| (r.below(room / 512 - sectors) * 512, sizes[i]))
            };
            let requests = [class(0, corner), class(1, span - corner)];
            let mut merged = requests.concat();
            merged.sort_by_key(|r| r.time_ns);
            let warm_up = warm_up_ns(&merged);
            plan["seed"] = json!(seed);
            plan["observe"]["warmup_s"] = json!(warm_up as f64 / 1e9);
            let outcome = try_run(&plan, requests.map(crate::common::given).into()).unwrap();
            let of = |i: usize| outcome.summary.workloads[i].response.all.mean_s - service(sizes[i]);
            shares.push(of(1) - of(0));
            // The control: first come, first served, on the same arrivals; its waits are alike, rho W.
            let wait = lindley_waits(&merged, |r| transfer_s(r.size) + independent.unit() * TURN_S);
            rho[0] * of(0) + rho[1] * of(1) - (total * wait - conserved)
        });
        found.assert_agrees(conserved, 0.04, scheduler);
        let unequal = Estimate::from_values(&shares);
        match scheduler {
            "sstf" => unequal.assert_positive("sstf favours the corner"),
            "fcfs" => assert!(unequal.holds(0.0), "fcfs favours nobody: {unequal:?}"),
            _ => {}
        }
    }
}

/// As [`lindley`], the wait alone.
fn lindley_waits(requests: &[Request], mut service: impl FnMut(&Request) -> f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    let warm_up = warm_up_ns(requests);
    let response = lindley(requests, |r| {
        let time = service(r);
        if r.time_ns >= warm_up {
            sum += time;
            count += 1;
        }
        time
    });
    response - sum / f64::from(count)
}
