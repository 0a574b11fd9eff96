//! Logged parity updates: operations and bytes of small writes, log writes and reintegration against a model of its own
//! (docs/models/raid.md), room that runs out, failures, and plans that contradict themselves.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{Lcg, S, code_of, log_parity, moved, one_pool, request, run, trouble};
use iowatt_trace::{Op, Request};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const UNIT: u64 = 16_384;
/// Stripes of a step of the reintegration that reads the log.
const STEP: u64 = (1 << 20) / UNIT;
/// Consecutive stripes with their parity on the same drives.
const RUN: u64 = 6;

/// Units of a stripe: `k` of data in `l` groups, `l` local and `r` global parity units.
#[derive(Clone, Copy)]
struct Shape {
    level: &'static str,
    k: u64,
    r: u64,
    l: u64,
}

impl Shape {
    fn of(number: usize) -> Self {
        let level = ["5", "ec4+2", "ec8+3", "ec12+2+2"][number];
        let [k, r, l] = code_of(level).unwrap_or([4, 1, 0]).map(|units| units as u64);
        Self { level, k, r, l }
    }

    fn n(&self) -> u64 {
        self.k + self.r + self.l
    }

    /// Drive of a unit of a stripe: data from 0, then parity. Left-symmetric: parity moves left by a drive a run.
    fn drive(&self, stripe: u64, unit: u64) -> u64 {
        let n = self.n();
        let p = (n - 1) - stripe / RUN % n;
        (p + if unit < self.k { n - self.k + unit } else { unit - self.k }) % n
    }

    /// Parity units that a data unit changes.
    fn covering(&self, unit: u64) -> Vec<u64> {
        let local = (self.l > 0).then(|| unit / (self.k / self.l.max(1)));
        local.into_iter().chain(self.l..self.l + self.r).collect()
    }

    /// A pool that logs: regions, stripes at the end of the drives, stripes of a buffer.
    fn plan(&self, regions: u64, stripes: u64, buffer: u64) -> Value {
        let mut plan = one_pool(self.level, self.n() as usize);
        log_parity(&mut plan, regions, stripes, buffer * self.k * UNIT, RUN);
        plan
    }
}

/// Runs of consecutive stripes on a drive: operations that continue each other are one.
fn runs(places: &BTreeSet<(u64, u64)>) -> u64 {
    places.iter().filter(|(drive, stripe)| *stripe == 0 || !places.contains(&(*drive, stripe - 1))).count()
        as u64
}

/// The log of a region, as the test has it.
#[derive(Default)]
struct Region {
    used: u64,
    buffers: u64,
    stale: BTreeSet<(u64, u64)>,
    /// The half in use.
    half: u64,
    /// Of the buffer being filled.
    new: Vec<(u64, u64)>,
}

/// Operations and bytes of small writes one after the other, by plain arithmetic.
struct Model {
    shape: Shape,
    regions: Vec<Region>,
    stripes: u64,
    data_stripes: u64,
    half_buffers: u64,
    buffer: u64,
    moved: [u64; 4],
    log_writes: u64,
    reintegrations: u64,
    parity_bytes: u64,
}

impl Model {
    fn add(&mut self, reads: u64, writes: u64, read: u64, written: u64) {
        for (sum, more) in self.moved.iter_mut().zip([reads, writes, read, written]) {
            *sum += more;
        }
    }

    fn small_write(&mut self, stripe: u64, unit: u64, bytes: u64) {
        self.add(1, 1, bytes, bytes);
        let number = (stripe / self.stripes) as usize;
        let covering = self.shape.covering(unit);
        let (size, capacity) = (covering.len() as u64 * bytes, self.buffer * self.shape.k * UNIT);
        if self.regions[number].used + size > capacity {
            // The update goes to a new buffer while the old one is yet to be written: where that fills the half, to the other.
            let before = self.reintegrations;
            self.write_buffer(number);
            if self.reintegrations > before {
                self.regions[number].half ^= 1;
            }
        }
        let region = &mut self.regions[number];
        region.used += size;
        region.new.extend(covering.iter().map(|&parity| (stripe, parity)));
        if region.used == capacity {
            self.write_buffer(number);
        }
    }

    /// One operation of each drive.
    fn write_buffer(&mut self, number: usize) {
        let n = self.shape.n();
        self.add(0, n, 0, n * self.buffer * UNIT);
        self.log_writes += 1;
        let region = &mut self.regions[number];
        region.used = 0;
        region.buffers += 1;
        region.stale.extend(region.new.drain(..));
        if region.buffers == self.half_buffers {
            self.reintegrate(number);
        }
    }

    fn reintegrate(&mut self, number: usize) {
        let (shape, k) = (self.shape, self.shape.k);
        let region = std::mem::take(&mut self.regions[number]);
        self.regions[number].half = region.half;
        self.reintegrations += 1;
        // All data of the half, in steps. An update that comes later finds it empty, and goes on with it.
        let half = self.half_buffers * self.buffer;
        let first = self.data_stripes + (2 * number as u64 + region.half) * half;
        for from in (first..first + half).step_by(STEP as usize) {
            let stripes = from..(from + STEP).min(first + half);
            let places = stripes.flat_map(|s| (0..k).map(move |unit| (shape.drive(s, unit), s))).collect();
            self.add(runs(&places), 0, places.len() as u64 * UNIT, 0);
        }
        // Parity: of each run and parity drive one operation, from the first stale unit to the last.
        let mut spans = BTreeMap::new();
        for (stripe, parity) in region.stale {
            let span = spans.entry((stripe / RUN, parity)).or_insert((stripe, stripe));
            *span = (span.0.min(stripe), span.1.max(stripe));
        }
        for (first, last) in spans.into_values() {
            let bytes = (last - first + 1) * UNIT;
            self.add(1, 1, bytes, bytes);
            self.parity_bytes += bytes;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// One small write after the other, with time for the log between them.
    #[test]
    fn operations_of_small_writes(
        number in 0usize..4, regions in 1u64..4, half_buffers in 1u64..4, buffer in 1u64..4, stripes in 1u64..400,
        sectors in 1u64..33, seed in any::<u64>(),
    ) {
        let shape = Shape::of(number);
        let log = 2 * regions * half_buffers * buffer;
        let plan = shape.plan(regions, log, buffer);
        let data_stripes = 25_000 - log;
        let mut model = Model {
            shape, regions: (0..regions).map(|_| Region::default()).collect(),
            stripes: data_stripes.div_ceil(regions).next_multiple_of(RUN), data_stripes, half_buffers, buffer,
            moved: [0; 4], log_writes: 0, reintegrations: 0, parity_bytes: 0,
        };
        let mut random = Lcg(seed);
        let mut requests = Vec::new();
        // As many as fill a half some times over.
        let updates = 3 * half_buffers * buffer * shape.k * UNIT / (sectors * 512 * shape.covering(0).len() as u64);
        for number in 0..updates.clamp(10, 400) {
            let (stripe, unit) = (random.below(stripes.min(data_stripes)), random.below(shape.k));
            let at = random.below(UNIT / 512 - sectors + 1) * 512;
            let offset = (stripe * shape.k + unit) * UNIT + at;
            requests.push(request(number * 20 * S, Op::Write, offset, (sectors * 512) as u32));
            model.small_write(stripe, unit, sectors * 512);
        }
        // Whatever is under way then ends.
        requests.push(request(10_000 * S, Op::Read, 0, 512));
        model.add(1, 0, 512, 0);
        let outcome = run(&plan, requests);
        prop_assert_eq!(moved(&outcome), model.moved);
        let log = outcome.summary.parity_logs[0];
        prop_assert_eq!(log.parity_bytes, model.parity_bytes);
        prop_assert_eq!((log.log_writes, log.reintegrations, log.waits), (model.log_writes, model.reintegrations, 0));
        let pending: u64 = model.regions.iter().map(|region| {
            region.stale.iter().chain(&region.new).collect::<BTreeSet<_>>().len() as u64
        }).sum();
        // A unit that a log and the other half of it have counts twice; here one half is empty.
        prop_assert_eq!(log.pending_units, pending);
        prop_assert_eq!(log.stale_units, log.updated_units + pending);
        prop_assert_eq!(log.updates, log.reintegrated_updates + log.pending_updates);
    }
}

fn write(time_ns: u64, offset: u64, bytes: u64) -> Request {
    request(time_ns, Op::Write, offset, bytes as u32)
}

/// Full stripes and writes of most of a stripe make parity anew, without the log; what is logged of it is void.
#[test]
fn large_writes_pass_the_log_by() {
    for number in 0..4 {
        let shape = Shape::of(number);
        let (k, n) = (shape.k, shape.n());
        let plan = shape.plan(1, 40, 2);
        let stripe = k * UNIT;
        let parity = n - k;
        let small = shape.covering(0).len() as u64;
        // Two small writes; a full stripe over one of them; all but a unit of another stripe.
        let requests = vec![
            write(0, 0, 4_096),
            write(S, 5 * stripe, 4_096),
            write(2 * S, 5 * stripe, stripe),
            write(3 * S, 7 * stripe, (k - 1) * UNIT),
        ];
        let outcome = run(&plan, requests);
        let log = outcome.summary.parity_logs[0];
        assert_eq!((log.updates, log.update_bytes), (2, 2 * small * 4_096));
        assert_eq!((log.stale_units, log.superseded_units, log.pending_units), (2 * small, small, small));
        assert_eq!((log.log_writes, log.pending_updates), (0, 2));
        assert_eq!(moved(&outcome)[..2], [2 + 1, 2 + n + k - 1 + parity]);
    }
}

/// A burst finds buffers and both halves full: writes wait, no update is lost, and no more is held than there is room for.
#[test]
fn writes_wait_for_room() {
    let shape = Shape::of(0);
    let mut plan = shape.plan(1, 4, 1);
    plan["pools"][0]["recovery"]["rebuild"]["priority"] = json!("equal");
    let burst = |gap: u64| -> Vec<Request> {
        (0..400).map(|i| write(i * gap, (i * 7 % 1_000) * shape.k * UNIT, UNIT)).collect()
    };
    let [slow, fast] = [2 * S, 0].map(|gap| run(&plan, burst(gap)).summary);
    let (slow_log, log) = (slow.parity_logs[0], fast.parity_logs[0]);
    assert_eq!((slow_log.waits, slow_log.wait_ns), (0, 0));
    // Two buffers of four updates; the others wait. Four such are all that the log holds.
    assert_eq!((log.waits, log.updates), (400 - 8, 400));
    assert!(log.wait_ns > 0 && log.pending_bytes <= 16 * UNIT);
    assert_eq!(slow_log.log_writes, 100);
    assert!(fast.total.response.write.mean_s > slow.total.response.write.mean_s);
    // Joules of the log are for redundancy.
    let cause = |name: &str| slow.devices.iter().map(|d| d.cause_j[name]).sum::<f64>();
    assert!(cause("redundancy") > 0.0 && cause("rebuild") == 0.0);
    let background: u64 = slow.devices.iter().map(|d| d.background_accesses).sum();
    let all: u64 = slow.devices.iter().map(|d| d.accesses).sum();
    assert_eq!(all - background, 2 * 400);
}

/// A drive fails while updates are pending: they are reintegrated, then the rebuild begins, and parity is updated in place.
#[test]
fn a_failure_empties_the_log_first() {
    for number in 0..4 {
        let shape = Shape::of(number);
        let k = shape.k;
        let mut plan = shape.plan(1, 400, 2);
        let first = |stripe: u64| stripe * k * UNIT;
        let lost = shape.drive(3, 0);
        let mut requests: Vec<_> = (0..8).map(|stripe| write(stripe * S, first(stripe), 4_096)).collect();
        // At the instant of the failure: a read that needs the parity of a stripe with updates, and one that does not.
        requests.push(request(20 * S, Op::Read, first(3), 4_096));
        requests.push(request(20 * S, Op::Read, first(100) + UNIT, 512));
        let whole = run(&plan, requests.clone()).summary;
        assert_eq!(whole.parity_logs[0].pending_updates, 8);
        trouble(&mut plan, 1, "dedicated", &[(lost as usize, 20.0 - 1e-6)]);
        plan["pools"][0]["recovery"]["rebuild"]["rate_bytes_per_s"] = json!(20e6);
        requests.push(write(4_000 * S, first(50), 4_096));
        let s = run(&plan, requests).summary;
        let log = s.parity_logs[0];
        assert_eq!((log.updates, log.pending_updates, log.pending_units), (8, 0, 0));
        assert_eq!((log.log_writes, log.reintegrations, log.waits), (1, 1, 1));
        let started = s.rebuilds[0].started_ns.unwrap();
        assert!(started > s.rebuilds[0].failed_ns + log.wait_ns / 2 && log.wait_ns > 0);
        assert_eq!(s.rebuilds[0].rebuilt_bytes, s.rebuilds[0].lost_bytes);
        // The log's part of the drive holds nothing by then.
        assert!(s.rebuilds[0].lost_bytes <= (25_000 - 400) * UNIT);
        assert!(s.total.response.read.max_s * 1e9 >= log.wait_ns as f64);
    }
}

/// A plan says what contradicts a log.
#[test]
fn logs_that_do_not_fit() {
    let refusal = |level: &str, change: &dyn Fn(&mut Value)| {
        let mut plan = one_pool(level, if level == "ec4+2" { 6 } else { 4 });
        log_parity(&mut plan, 2, 8, 2 * 4 * UNIT, RUN);
        change(&mut plan["pools"][0]);
        crate::common::refusal(&plan)
    };
    let at = |path: &str, code: &'static str| (format!("pools[0].{path}"), code);
    assert_eq!(refusal("10", &|_| ()), at("raid.small_write", "conflict"));
    assert_eq!(refusal("5", &|pool| pool["raid"]["log"] = json!(null)), at("raid.log", "conflict"));
    assert_eq!(refusal("5", &|pool| pool["raid"]["small_write"] = json!("auto")), at("raid.log", "conflict"));
    assert_eq!(
        refusal("6", &|pool| pool["raid"]["parity_check_on_read"] = json!(true)),
        at("raid.parity_check_on_read", "conflict")
    );
    assert_eq!(refusal("5", &|pool| pool["recovery"] = json!(null)), at("recovery", "conflict"));
    let distributed = |pool: &mut Value| {
        pool["recovery"]["sparing"] = json!("distributed");
        pool["recovery"]["spares"] = json!(1);
    };
    assert_eq!(refusal("5", &distributed), at("recovery.sparing", "conflict"));
    let log = |key: &'static str, value: u64| move |pool: &mut Value| pool["raid"]["log"][key] = json!(value);
    assert_eq!(refusal("5", &log("run_stripes", 0)), at("raid.log.run_stripes", "range"));
    assert_eq!(refusal("5", &log("regions", 0)), at("raid.log.regions", "range"));
    assert_eq!(refusal("ec4+2", &log("buffer_bytes", UNIT)), at("raid.log.buffer_bytes", "range"));
    assert_eq!(refusal("ec4+2", &log("drive_bytes", 7 * UNIT)), at("raid.log.drive_bytes", "capacity"));
    assert_eq!(refusal("5", &log("drive_bytes", 24_999 * UNIT)), at("raid.log.drive_bytes", "capacity"));
    let chunked = |pool: &mut Value| {
        let raid = pool["raid"].clone();
        pool["chunklets"] = json!({"bytes": 16 * UNIT, "spare": 0, "regions":
            [{"raid": raid, "set_size": 4, "sets": 10}]});
    };
    assert_eq!(refusal("5", &chunked), at("chunklets.regions[0].raid.small_write", "conflict"));
}
