//! One trace and one virtual pool, for the simulator and for a live volume.

pub mod simulated;
pub mod stepped;
pub mod threaded;

use super::Random;
use iowatt_trace::{NO_RESPONSE, NO_STREAM, Op, Request};
use iowatt_volume::PoolCounts;
use serde_json::{Value, json};

pub const EXTENT: u64 = 64 << 10;
pub const FAST_EXTENTS: u64 = 32;
pub const SLOW_EXTENTS: u64 = 256;

/// Requests of a run arrive so far apart that all moves are over in between.
pub const GAP_NS: u64 = 1_000_000_000;

/// What a device takes: a command holds it for a while, one after another, and has its answer after the latency.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    pub latency_ns: u64,
    pub hold_ns: u64,
}

pub const SPEEDS: [Speed; 2] =
    [Speed { latency_ns: 97_013, hold_ns: 1_009 }, Speed { latency_ns: 1_009_007, hold_ns: 8_017 }];

/// What a run ended with: counts, and the slot of each extent.
pub type End = (PoolCounts, Vec<u32>);

/// A scheme over both parts, and how many extents it offers.
#[derive(Clone, Debug)]
pub struct Case {
    pub scheme: Value,
    pub extents: u64,
}

impl Case {
    pub fn linear() -> Self {
        Self { scheme: json!({"kind": "linear"}), extents: FAST_EXTENTS + SLOW_EXTENTS }
    }

    /// The placement is drawn: a live volume and the simulator draw it by the plan's seed 1 and as pool 0.
    pub fn tiering(threshold: u64, most: u64) -> Self {
        let scheme = json!({"kind": "tiering", "extent_bytes": EXTENT, "promotion_threshold": threshold,
            "max_migrations": most, "initial": {"placement": "random"}});
        Self { scheme, extents: FAST_EXTENTS + SLOW_EXTENTS - most }
    }

    /// Dirty copies are written back when they are more than half of all, and have not been written for `age_s`.
    pub fn caching(write: &str, threshold: u64, most: u64, age_s: f64) -> Self {
        let scheme = json!({"kind": "caching", "extent_bytes": EXTENT, "promotion_threshold": threshold,
            "max_migrations": most, "write": write, "dirty_high": 0.5, "dirty_low": 0.3, "dirty_age_s": age_s,
            "initial": {"placement": "empty"}, "sector_bytes": null, "allocate_on_write": false});
        Self { scheme, extents: SLOW_EXTENTS }
    }

    /// The plan of the virtual pool, whose part `n` is pool `n` or store `n`.
    pub fn plan(&self) -> Value {
        let part = |(pool, extents): (usize, u64)| json!({"pool": pool, "offset_bytes": 0, "capacity_bytes": extents * EXTENT});
        let parts: Vec<Value> = [FAST_EXTENTS, SLOW_EXTENTS].into_iter().enumerate().map(part).collect();
        json!({"parts": parts, "scheme": self.scheme})
    }

    /// Reads and writes of several sizes: some extents are asked for far more often than others, and one request in seven or so
    /// lies on several.
    pub fn trace(&self, requests: u64, seed: u64) -> Vec<Request> {
        let mut random = Random(seed);
        let one = |number: u64| {
            let size = [512, 4_096, 8_192, 16_384, 65_536, 200_704][random.below(6) as usize];
            let share = random.below(1 << 32) as f64 / f64::from(1_u32 << 31) / 2.0;
            // Ranks of about a zipf law, spread over the volume.
            let rank = ((self.extents as f64).powf(share) - 1.0) as u64;
            let extent = (rank * 101 + number / 5_000) % self.extents;
            let offset =
                (extent * EXTENT + random.below(EXTENT / 512) * 512).min(self.extents * EXTENT - size);
            let op = if random.chance(60) { Op::Read } else { Op::Write };
            let (response_ns, stream, device) = (NO_RESPONSE, NO_STREAM, 0);
            Request { time_ns: number * GAP_NS, offset, response_ns, size: size as u32, device, stream, op }
        };
        (0..requests).map(one).collect()
    }

    /// The same, of requests on other bytes than the hundred before each: those in flight together do not overlap.
    pub fn trace_apart(&self, requests: usize, seed: u64) -> Vec<Request> {
        let overlap = |one: &Request, other: &Request| {
            one.offset < other.offset + u64::from(other.size)
                && other.offset < one.offset + u64::from(one.size)
        };
        let mut apart: Vec<Request> = Vec::new();
        for request in self.trace(3 * requests as u64, seed) {
            if !apart.iter().rev().take(100).any(|before| overlap(before, &request)) {
                apart.push(request);
            }
        }
        apart.truncate(requests);
        apart
    }
}
