//! Hybrids under random workloads: no write is lost, whatever moves meanwhile.
//!
//! The test stands where the pools are. It keeps the contents of both parts, a version number for each sector, and lets
//! every transfer take effect at one random time and end at a later one, in any order. Moves carry what they have read.
//! A read must find what was written last before it was issued, or something that was being written while it was under way.
#![allow(clippy::unwrap_used, clippy::expect_used)] // tests fail by panicking

use super::{Moment, Volumes};
use crate::event::{Event, EventQueue};
use crate::plan::Plan;
use crate::power::Window;
use crate::rng::{Component, Stream};
use crate::volume::pool_io::Waiter;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of an extent and sectors of it.
const EXTENT: u64 = 8 * 512;
const SECTORS: usize = 8;

/// A transfer at the pools.
#[derive(Clone, Debug)]
struct Flight {
    key: u32,
    owner: Waiter,
    part: usize,
    /// First sector in the part, and how many.
    sectors: std::ops::Range<usize>,
    write: bool,
    effected: bool,
    /// What a read has found, and what a write carries that a request has read.
    data: Vec<u32>,
}

/// A request of the host.
#[derive(Clone, Debug)]
struct Request {
    from: usize,
    until: usize,
    write: bool,
    version: u32,
    /// What its sectors held for certain when it was issued.
    least: Vec<u32>,
    /// Sectors that transfers have taken care of.
    done: Vec<bool>,
}

struct TestPools {
    volumes: Volumes,
    events: EventQueue,
    window: Window,
    now: u64,
    /// Versions of the sectors of both parts. 0 is what was there before.
    parts: Vec<Vec<u32>>,
    flights: Vec<Flight>,
    requests: BTreeMap<u32, Request>,
    /// Key of the request that each request stands for.
    next: u32,
    /// Latest answered version of each sector of the virtual pool, and whether a write is under way there.
    answered: Vec<u32>,
    busy: Vec<bool>,
    /// Every version that each sector has ever been given.
    written: BTreeSet<(usize, u32)>,
    /// What moves have read: by tag without its half, and part.
    carried: BTreeMap<(u64, usize), Vec<u32>>,
    /// What the transfer that has just ended had read: its first sector, and what it found. A cache by sectors fills with it.
    brought: Option<(usize, Vec<u32>)>,
    by_sector: bool,
    random: Stream,
}

fn plan(scheme: &Value, slots: &[u64]) -> Plan {
    let part = |pool: usize| json!({"pool": pool, "offset_bytes": 0, "capacity_bytes": slots[pool] * EXTENT});
    serde_json::from_value(json!({
        "seed": 7, "workloads": [], "volumes": [], "pools": [], "buses": [], "controller": null,
        "virtual_pools": [{"parts": (0..slots.len()).map(part).collect::<Vec<_>>(), "scheme": scheme}],
        "observe": {"warmup_s": 0.0, "end_s": 1.0, "interval_s": null},
    }))
    .unwrap()
}

impl TestPools {
    fn new(scheme: &Value, slots: &[u64], seed: u64) -> Self {
        let plan = plan(scheme, slots);
        plan.virtual_pools[0].validate(slots.len()).unwrap();
        let volumes = Volumes::new(&plan, &[0..0, 0..0, 0..0]).unwrap().unwrap();
        let sectors = (volumes.capacities().next().unwrap() / 512) as usize;
        Self {
            volumes,
            events: EventQueue::new(0, 0),
            window: Window { start: 0, end: u64::MAX },
            now: 0,
            parts: slots.iter().map(|&slots| vec![0; slots as usize * SECTORS]).collect(),
            flights: Vec::new(),
            requests: BTreeMap::new(),
            next: 1,
            answered: vec![0; sectors],
            busy: vec![false; sectors],
            written: (0..sectors).map(|sector| (sector, 0)).collect(),
            carried: BTreeMap::new(),
            brought: None,
            by_sector: scheme["sector_bytes"].is_u64(),
            random: Stream::new(seed, Component::Think, 0),
        }
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut Volumes, Moment<'_>) -> T) -> T {
        let moment = Moment { now: self.now, window: &self.window, events: &mut self.events, drives: &[] };
        act(&mut self.volumes, moment)
    }

    /// Issues a request of at most an extent, mostly to the first extents; writes never overlap a write under way.
    fn issue(&mut self) {
        let extents = self.answered.len() / SECTORS;
        let hot = if self.random.below(4) > 0 { extents.div_ceil(4) } else { extents };
        let from = self.random.below((hot * SECTORS) as u64) as usize;
        let until = (from + 1 + self.random.below(SECTORS as u64) as usize).min(self.answered.len());
        let write = self.random.below(2) == 0;
        if write && self.busy[from..until].contains(&true) {
            return;
        }
        self.request(from, until, write);
    }

    fn request(&mut self, from: usize, until: usize, write: bool) {
        let key = self.next;
        self.next += 1;
        if write {
            self.busy[from..until].fill(true);
            self.written.extend((from..until).map(|sector| (sector, key)));
        }
        let least = self.answered[from..until].to_vec();
        let done = vec![false; until - from];
        self.requests.insert(key, Request { from, until, write, version: key, least, done });
        let range = (from as u64 * 512, until as u64 * 512, write);
        self.with(|volumes, moment| volumes.submit(0, (key, range.2), range, moment));
        self.settle();
    }

    /// Lets time pass, with what is due meanwhile.
    fn wait(&mut self, time: u64) {
        let until = self.now + time;
        while let Some((at, event)) = self.events.pop_until(until) {
            self.now = at;
            self.happen(event);
            self.settle();
        }
        self.now = until;
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Answered(upper) => self.answer(upper),
            Event::Alarm(number) => self.with(|v, moment| v.alarm(number as usize, moment)),
            other => panic!("{other:?} is none of the room's"),
        }
    }

    /// Takes transfers and answers.
    fn settle(&mut self) {
        loop {
            if let Some((key, transfer)) = self.volumes.take() {
                self.volumes.sent(key, 1);
                let sectors = (transfer.from / 512) as usize..(transfer.until / 512) as usize;
                let owner = transfer.owner();
                let data = match (&self.brought, owner) {
                    (Some((first, brought)), Waiter::Scheme { .. }) if transfer.write => {
                        // As above, the place in the extent says which sector it is.
                        let place = |sector: usize| (sector + SECTORS - first % SECTORS) % SECTORS;
                        sectors.clone().map(|sector| brought[place(sector)]).collect()
                    }
                    _ => Vec::new(),
                };
                let (part, write) = (transfer.pool, transfer.write);
                self.flights.push(Flight { key, owner, part, sectors, write, effected: false, data });
            } else if let Some(upper) = self.volumes.answer() {
                self.answer(upper);
            } else if let Some((_, event)) = self.events.pop_until(self.now) {
                self.happen(event);
            } else {
                return;
            }
        }
    }

    fn answer(&mut self, upper: u32) {
        let request = self.requests.remove(&upper).unwrap();
        assert!(!request.done.contains(&false), "all of a request is done when it is answered: {request:?}");
        if request.write {
            self.busy[request.from..request.until].fill(false);
            self.answered[request.from..request.until].fill(request.version);
        }
    }

    /// A transfer reads or writes the contents of its part.
    fn effect(&mut self, at: usize) {
        let flight = self.flights[at].clone();
        self.flights[at].effected = true;
        match flight.owner {
            Waiter::Request(upper) | Waiter::Both { request: upper, .. } => {
                let upper = self.volumes.upper(upper);
                let request = self.requests.get_mut(&upper).unwrap();
                assert_eq!(request.write, flight.write);
                if !flight.write {
                    self.flights[at].data = self.parts[flight.part][flight.sectors.clone()].to_vec();
                }
                for sector in flight.sectors {
                    // A request is no longer than an extent, so that the place in the extent says which sector it is.
                    let first = request.from / SECTORS * SECTORS + sector % SECTORS;
                    let own = if first < request.from { first + SECTORS } else { first };
                    assert!(own < request.until, "a transfer outside its request");
                    request.done[own - request.from] = true;
                    let there = &mut self.parts[flight.part][sector];
                    if request.write {
                        *there = request.version;
                    } else {
                        let least = request.least[own - request.from];
                        assert!(self.written.contains(&(own, *there)), "sector {own} never was {}", *there);
                        assert!(*there >= least, "sector {own} was {least} and is read as {}", *there);
                    }
                }
            }
            Waiter::Nobody => {} // resets: none of these schemes has any
            Waiter::Scheme { tag, .. } => {
                // In all schemes a move writes to one part what it has read from another.
                let tag = tag & !(1 << 33);
                if flight.write && !flight.data.is_empty() {
                    self.parts[flight.part][flight.sectors].copy_from_slice(&flight.data);
                } else if flight.write {
                    let read =
                        |part: &usize| *part != flight.part && self.carried.contains_key(&(tag, *part));
                    let from = (0..self.parts.len()).find(read).expect("a move writes what it has read");
                    let data = self.carried.remove(&(tag, from)).unwrap();
                    self.parts[flight.part][flight.sectors].copy_from_slice(&data);
                } else {
                    let data = self.parts[flight.part][flight.sectors].to_vec();
                    self.carried.insert((tag, flight.part), data);
                }
            }
        }
    }

    /// One of the transfers under way takes effect or ends.
    fn proceed(&mut self) {
        if self.flights.is_empty() {
            return;
        }
        let at = self.random.below(self.flights.len() as u64) as usize;
        if !self.flights[at].effected {
            self.effect(at);
            return;
        }
        let done = self.flights.swap_remove(at);
        let by_request = matches!(done.owner, Waiter::Both { .. }) && !done.write;
        self.brought = (self.by_sector && by_request).then_some((done.sectors.start, done.data));
        self.with(|volumes, moment| volumes.operation_done(done.key, moment));
        self.settle();
        self.brought = None;
    }

    fn run(&mut self, steps: usize) -> Result<(), String> {
        // What was never touched has no place in a pool of tiers: its first one may hold what another has left there.
        for from in (0..self.answered.len()).step_by(SECTORS) {
            self.request(from, from + SECTORS, false);
        }
        self.finish()?;
        for _ in 0..steps {
            let time = self.random.below(1_000_000);
            self.wait(time);
            if self.random.below(5) == 0 && self.requests.len() < 12 {
                self.issue();
            } else {
                self.proceed();
            }
            self.volumes.audit()?;
        }
        self.finish()?;
        // Now every sector is exactly what was answered last.
        for from in (0..self.answered.len()).step_by(SECTORS) {
            self.request(from, from + SECTORS, false);
            let request = self.requests.values().next_back().unwrap().clone();
            assert_eq!(request.least, self.answered[from..from + SECTORS]);
            self.finish()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), String> {
        while !self.requests.is_empty() || !self.flights.is_empty() {
            assert!(!self.flights.is_empty(), "requests wait for nothing: {:?}", self.requests);
            self.wait(1_000_000);
            self.proceed();
            self.volumes.audit()?;
        }
        Ok(())
    }
}

fn tiering() -> impl Strategy<Value = Value> {
    let placement = prop_oneof![Just("cold"), Just("random"), Just("first-touch"), Just("hot")];
    (1_u16..6, 1_usize..4, placement).prop_map(|(threshold, most, placement)| {
        json!({"kind": "tiering", "extent_bytes": EXTENT, "promotion_threshold": threshold,
               "max_migrations": most, "initial": {"placement": placement}})
    })
}

fn caching() -> impl Strategy<Value = Value> {
    let write = prop_oneof![Just("back"), Just("through"), Just("around")];
    let placement = prop_oneof![Just("empty"), Just("random"), Just("first-touch"), Just("hot")];
    let unit = prop_oneof![Just((Value::Null, false)), Just((json!(512), false)), Just((json!(512), true))];
    (1_u16..6, 1_usize..4, write, 0..3_u32, 0..2_u32, placement, unit).prop_map(
        |(threshold, most, write, high, age, placement, (sector, allocates))| {
            json!({"kind": "caching", "extent_bytes": EXTENT, "promotion_threshold": threshold,
               "max_migrations": most, "write": write, "dirty_high": f64::from(high) * 0.4,
               "dirty_low": f64::from(high) * 0.2, "dirty_age_s": f64::from(age) * 0.05,
               "initial": {"placement": placement}, "sector_bytes": sector,
               "allocate_on_write": allocates && write != "around"})
        },
    )
}

fn tiered() -> impl Strategy<Value = Value> {
    (1_u64..9, 1_usize..4, 0_usize..3, prop_oneof![Just(1.0), Just(0.3)], 0..2_u32).prop_map(
        |(step, most, new_pages, weight, paced)| {
            let tier = json!({"performance_iops": null, "relocation_buffer": 0.02, "new_page_buffer": 0.08});
            json!({"kind": "tiered-pool", "page_bytes": EXTENT, "step_bytes": step * 512, "capacity_bytes": 0,
                   "tiers": [tier, tier, tier], "cycle_s": 0.05, "weight": weight, "new_pages": new_pages,
                   "max_relocations": most, "rate_bytes_per_s": if paced == 0 { Value::Null } else { json!(1e6) },
                   "clock_s": 0.0, "window": null, "policies": []})
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_hybrid_loses_no_write(
        scheme in prop_oneof![tiering(), caching()], fast in 1_u64..7, more in 1_u64..20, seed: u64,
    ) {
        let slow = more + scheme["max_migrations"].as_u64().unwrap();
        let mut pools = TestPools::new(&scheme, &[fast, slow], seed);
        pools.run(1500).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn a_pool_of_tiers_loses_no_write(
        scheme in tiered(), top in 2_u64..7, middle in 2_u64..7, bottom in 2_u64..20, seed: u64,
    ) {
        let mut scheme = scheme;
        scheme["capacity_bytes"] = json!((top + middle + bottom - 3) * EXTENT);
        let mut pools = TestPools::new(&scheme, &[top, middle, bottom], seed);
        pools.run(1500).map_err(TestCaseError::fail)?;
    }
}

/// What a run of many steps has counted.
fn counted(scheme: &Value, slots: &[u64]) -> super::PoolCounts {
    let mut pools = TestPools::new(scheme, slots, 3);
    pools.run(20_000).unwrap();
    pools.volumes.counts_by_pool().next().unwrap().0.clone()
}

#[test]
fn the_workload_of_these_tests_makes_data_move_and_requests_wait() {
    let counts = counted(
        &json!({"kind": "tiering", "extent_bytes": EXTENT, "promotion_threshold": 2,
        "max_migrations": 3, "initial": {"placement": "random"}}),
        &[6, 24],
    );
    assert!(counts.migrations > 100 && counts.held > 50, "{counts:?}");
    assert!(counts.parts[0].promoted_bytes >= counts.migrations * EXTENT, "{counts:?}");
    let counts = counted(
        &json!({"kind": "caching", "extent_bytes": EXTENT, "promotion_threshold": 2,
        "max_migrations": 3, "write": "back", "dirty_high": 0.0, "dirty_low": 0.0, "dirty_age_s": 0.0,
        "initial": {"placement": "empty"}, "sector_bytes": null, "allocate_on_write": false}),
        &[6, 24],
    );
    assert!(counts.migrations > 100 && counts.held > 50 && counts.write_backs > 100, "{counts:?}");
    assert!(counts.evictions + 6 >= counts.migrations, "{counts:?}");
    for write in ["back", "through"] {
        let by_sector = counted(
            &json!({"kind": "caching", "extent_bytes": EXTENT, "promotion_threshold": 2,
            "max_migrations": 3, "write": write, "dirty_high": 0.0, "dirty_low": 0.0, "dirty_age_s": 0.0,
            "initial": {"placement": "empty"}, "sector_bytes": 512, "allocate_on_write": true}),
            &[6, 24],
        );
        assert!(by_sector.migrations > 100 && by_sector.evictions > 100, "{by_sector:?}");
        assert!(by_sector.held > 10, "writes meet fills: {by_sector:?}");
        assert_eq!(by_sector.write_backs > 100, write == "back", "{by_sector:?}");
    }
    let tier = json!({"performance_iops": null, "relocation_buffer": 0.1, "new_page_buffer": 0.0});
    let scheme = json!({"kind": "tiered-pool", "page_bytes": EXTENT, "step_bytes": 1024, "capacity_bytes": 20 * EXTENT,
        "tiers": [tier, tier, tier], "cycle_s": 0.05, "weight": 1.0, "new_pages": 1, "max_relocations": 3,
        "rate_bytes_per_s": null, "clock_s": 0.0, "window": null, "policies": []});
    let counts = counted(&scheme, &[4, 6, 13]);
    assert!(counts.migrations > 100 && counts.held > 20, "{counts:?}");
    let up: u64 = counts.parts.iter().map(|part| part.promoted_bytes).sum();
    let down: u64 = counts.parts.iter().map(|part| part.demoted_bytes).sum();
    assert!(up > 50 * EXTENT && down > 50 * EXTENT && up + down == counts.migrations * EXTENT, "{counts:?}");
}

#[test]
fn a_cache_by_sectors_that_fills_with_what_is_old_would_be_seen() {
    let scheme = json!({"kind": "caching", "extent_bytes": EXTENT, "promotion_threshold": 1,
        "max_migrations": 3, "write": "through", "dirty_high": 0.0, "dirty_low": 0.0, "dirty_age_s": 0.0,
        "initial": {"placement": "empty"}, "sector_bytes": 512, "allocate_on_write": true});
    let mut pools = TestPools::new(&scheme, &[4, 8], 5);
    pools.run(3_000).unwrap();
    pools.parts[0].fill(0);
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pools.run(3_000)));
    assert!(failed.is_err());
}

#[test]
fn a_lost_update_would_be_seen() {
    // The same pools over a scheme that forgets: contents of the fast part are scrambled once.
    let scheme = json!({"kind": "tiering", "extent_bytes": EXTENT, "promotion_threshold": 2,
        "max_migrations": 1, "initial": {"placement": "first-touch"}});
    let mut pools = TestPools::new(&scheme, &[4, 8], 5);
    pools.run(3_000).unwrap();
    pools.parts[0].fill(0);
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pools.run(3_000)));
    assert!(failed.is_err());
}
