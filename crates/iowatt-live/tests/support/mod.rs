//! Stores that lose power, and hosts that know what each sector may hold then.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)] // tests fail by panicking

pub mod hosts;
pub mod memory;
pub mod same;
pub mod stores;

/// Random numbers of a test (splitmix64).
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

pub const EXTENT: u64 = 16 << 10;

/// The plan of a volume of two parts.
pub fn plan(scheme: &str, fast: u64, slow: u64) -> String {
    let scheme = match scheme {
        "linear" => r#"{"kind": "linear"}"#.to_owned(),
        "tiering" => format!(
            r#"{{"kind": "tiering", "extent_bytes": {EXTENT}, "promotion_threshold": 2, "max_migrations": 3,
                "initial": {{"placement": "cold"}}}}"#
        ),
        write => format!(
            r#"{{"kind": "caching", "extent_bytes": {EXTENT}, "promotion_threshold": 2, "max_migrations": 3,
                "write": "{write}", "dirty_high": 0.4, "dirty_low": 0.2, "dirty_age_s": 0.0,
                "initial": {{"placement": "empty"}}, "sector_bytes": null, "allocate_on_write": false}}"#
        ),
    };
    format!(
        r#"{{"parts": [{{"pool": 0, "offset_bytes": 0, "capacity_bytes": {fast}}},
                       {{"pool": 1, "offset_bytes": 0, "capacity_bytes": {slow}}}], "scheme": {scheme}}}"#
    )
}
