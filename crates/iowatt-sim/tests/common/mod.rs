//! Plans and sources for the tests of the whole simulator.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)] // shared by two test binaries

pub mod cluster;
pub mod solid;
pub mod statistics;

use iowatt_sim::{Outcome, Plan, SimError, Simulation};
use iowatt_trace::{NO_RESPONSE, NO_STREAM, Op, Request, Source, TraceError};
use serde_json::{Value, json};

pub const MS: u64 = 1_000_000;
pub const S: u64 = 1_000_000_000;

/// A source over a vector.
pub struct Given {
    requests: Vec<Request>,
    next: usize,
}

impl Source for Given {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        let end = (self.next + limit).min(self.requests.len());
        out.extend_from_slice(&self.requests[self.next..end]);
        self.next = end;
        Ok(end < self.requests.len())
    }

    fn devices(&self) -> &[String] {
        &[]
    }
}

pub fn given(requests: Vec<Request>) -> Given {
    Given { requests, next: 0 }
}

pub fn request(time_ns: u64, op: Op, offset: u64, size: u32) -> Request {
    Request { time_ns, offset, response_ns: NO_RESPONSE, size, device: 0, stream: NO_STREAM, op }
}

/// 12,000 rpm (5 ms a turn), 4 heads, 1,000 cylinders of 4 x 200 sectors: 800,000 sectors, 409.6 MB.
/// Seek 0.5 ms + 0.004 ms a cylinder. Skew of 20 sectors (0.5 ms) covers head switch and short seek.
pub fn disk() -> Value {
    json!({
        "kind": "hdd", "rpm": 12000.0, "sector_bytes": 512, "surfaces": 4,
        "cylinders": 1000,
        "layout": {"zoned": {"zones": [{"cylinders": 1000, "sectors_per_track": 200,
                   "track_skew_sectors": 20.0, "cylinder_skew_sectors": 25.0}]}},
        "sectors": 800_000,
        "seek": {"points": [[1, 0.504e-3, 0.504e-3], [999, 4.496e-3, 4.496e-3]]},
        "head_switch_s": 0.4e-3, "write_settle_s": 0.0, "phase": "random",
        "power": {"active_w": 39.0, "positioning_w": 37.0, "states": [3], "levels": {"idle_w": 22.3, "below": [
            {"watts": 12.72, "enter": {"seconds": 15.0, "joules": 190.8},
             "leave": {"seconds": 26.0, "joules": 904.8}, "stopped": true}]}},
    })
}

/// Watts and levels of a drive with quick transitions: heads unloaded, half speed (at which it serves), stopped.
pub fn ladder() -> Value {
    let level = |watts: f64, enter: (f64, f64), leave: (f64, f64), stopped: bool| {
        json!({"watts": watts, "enter": {"seconds": enter.0, "joules": enter.1},
               "leave": {"seconds": leave.0, "joules": leave.1}, "stopped": stopped})
    };
    let mut below = vec![
        level(15.0, (0.0, 0.0), (0.002, 0.05), false),
        level(10.0, (0.004, 0.1), (0.01, 0.3), false),
        level(2.0, (0.02, 0.3), (0.05, 2.0), true),
    ];
    below[1]["serves_at"] = json!(0.5);
    json!({"active_w": 39.0, "positioning_w": 37.0, "states": [6, 7, 3],
           "levels": {"idle_w": 22.3, "below": below}})
}

/// Data, parity and local groups of an erasure code: `ec8+3`, or `ec12+2+2` with two groups.
pub fn code_of(level: &str) -> Option<[usize; 3]> {
    let mut units = level.strip_prefix("ec")?.split('+').map(|units| units.parse().unwrap());
    Some([units.next().unwrap(), units.next().unwrap(), units.next().unwrap_or(0)])
}

/// Level, stripe unit and update of parity; `level` as in [`code_of`], or by its number.
pub fn raid(level: &str) -> Value {
    let mut raid = json!({
        "level": level, "stripe_unit_bytes": 16384, "layout": "left-symmetric", "small_write": "auto",
        "parity_check_on_read": false,
    });
    if let Some([data, parity, local_groups]) = code_of(level) {
        raid["level"] = json!("ec");
        raid["code"] = json!({"data": data, "parity": parity, "local_groups": local_groups});
    }
    raid
}

pub fn pool(level: &str, count: usize) -> Value {
    json!({
        "count": count, "device": disk(), "raid": raid(level),
        "scheduler": "look", "power_policy": {"policy": "never"}, "bus_of_drive": [],
    })
}

/// Bytes of a pool of [`disk`]s: 25,000 whole stripes of 32 sectors.
pub fn capacity(level: &str, count: u64) -> u64 {
    let data = match level {
        level if level.starts_with("ec") => code_of(level).unwrap()[0] as u64,
        "0" => count,
        "1" => return 409_600_000,
        "10" => count / 2,
        "6" => count - 2,
        _ => count - 1,
    };
    25_000 * 16_384 * data
}

/// One open workload on one volume over the whole of one pool.
pub fn one_pool(level: &str, count: usize) -> Value {
    json!({
        "seed": 1,
        "workloads": [{"volume": 0, "replay": {"mode": "open", "speed": 1.0}}],
        "volumes": [{"pool": 0, "offset_bytes": 0, "capacity_bytes": capacity(level, count as u64)}],
        "pools": [pool(level, count)],
        "buses": [],
        "observe": {"warmup_s": 0.0, "end_s": null, "interval_s": null},
    })
}

pub fn try_run(plan: &Value, sources: Vec<Given>) -> Result<Outcome, SimError> {
    let plan: Plan = serde_json::from_value(plan.clone()).unwrap();
    let mut sources = sources;
    let sources = sources.iter_mut().map(|s| s as &mut dyn Source).collect();
    Simulation::new(&plan, sources)?.run(&mut |_| true)
}

/// The field for which a plan is refused, and the code of its fault.
pub fn refusal(plan: &Value) -> (String, &'static str) {
    let workloads = plan["workloads"].as_array().map_or(0, Vec::len);
    match try_run(plan, (0..workloads).map(|_| given(vec![])).collect()).map(|_| ()) {
        Err(SimError::Plan(error)) => (error.path, error.fault.code()),
        other => panic!("not refused as a plan: {other:?}"),
    }
}

pub fn run(plan: &Value, requests: Vec<Request>) -> Outcome {
    try_run(plan, vec![given(requests)]).unwrap()
}

/// A small linear congruential generator, so that tests need no crate for random requests.
pub struct Lcg(pub u64);

impl Lcg {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }

    /// In (0, 1].
    pub fn unit(&mut self) -> f64 {
        (self.below(1 << 53) + 1) as f64 / (1u64 << 53) as f64
    }
}

/// Poisson arrivals of aligned requests uniformly over `capacity`.
pub fn poisson(
    seed: u64,
    count: usize,
    rate: f64,
    read_share: f64,
    size: u32,
    capacity: u64,
) -> Vec<Request> {
    let mut random = Lcg(seed);
    let mut time = 0.0;
    (0..count)
        .map(|_| {
            time -= random.unit().ln() / rate;
            let op = if random.unit() <= read_share { Op::Read } else { Op::Write };
            let offset = random.below(capacity / u64::from(size)) * u64::from(size);
            request((time * 1e9) as u64, op, offset, size)
        })
        .collect()
}

/// Has the first pool log small writes, at the end of each drive in stripe units; buffers in bytes, runs of parity in
/// stripes. Without spares and
/// failures where it has none yet.
pub fn log_parity(plan: &mut Value, regions: u64, units: u64, buffer_bytes: u64, run: u64) {
    if plan["pools"][0]["recovery"].is_null() {
        trouble(plan, 0, "dedicated", &[]);
    }
    let raid = &mut plan["pools"][0]["raid"];
    let unit = raid["stripe_unit_bytes"].as_u64().unwrap();
    raid["small_write"] = json!("parity-log");
    raid["log"] = json!({"drive_bytes": units * unit, "regions": regions, "run_stripes": run, "buffer_bytes": buffer_bytes});
    let stripes = plan["pools"][0]["device"]["sectors"].as_u64().unwrap() * 512 / unit;
    let capacity = &mut plan["volumes"][0]["capacity_bytes"];
    *capacity = json!(capacity.as_u64().unwrap() / stripes * (stripes - units));
}

/// Gives the first pool spares and failures (drive, seconds); rebuilds go as fast as they can.
pub fn trouble(plan: &mut Value, spares: usize, sparing: &str, failures: &[(usize, f64)]) {
    let failures: Vec<Value> = failures.iter().map(|(d, at)| json!({"drive": d, "at_s": at})).collect();
    plan["pools"][0]["recovery"] = json!({
        "spares": spares, "sparing": sparing, "failures": failures,
        "rebuild": {"delay_s": 0.0, "rate_bytes_per_s": null, "outstanding": 4, "step_bytes": 1 << 20,
                    "priority": "host-first"},
    });
}

/// What all drives did: reads, writes, bytes read, bytes written.
pub fn moved(outcome: &Outcome) -> [u64; 4] {
    let d = &outcome.summary.devices;
    [
        d.iter().map(|d| d.reads).sum(),
        d.iter().map(|d| d.writes).sum(),
        d.iter().map(|d| d.bytes_read).sum(),
        d.iter().map(|d| d.bytes_written).sum(),
    ]
}
