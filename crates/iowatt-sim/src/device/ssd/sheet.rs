//! A drive whose insides are unknown: a service centre with the figures of its data sheet.
//!
//! A command holds the drive for a time by its size, one after another, and takes the rest of its latency together with
//! others. So alone it takes the latency, many make the IOPS, large ones the bandwidth, and the watts are those stated in
//! proportion to how long the drive is held.

use super::cache::Cache;
use super::hold::Hold;
use super::unloaded::Unloaded;
use crate::clock::{Nanos, nanos, whole};
use crate::plan::{DataSheetPlan, RatedPlan};
use crate::rng::KeyedDraws;

/// Bytes of the small command that a sheet's latency and IOPS are for.
const SMALL: f64 = 4_096.0;
/// Bytes that a cache of writes is emptied by at a time.
const FOLD: u64 = 65_536;

#[derive(Clone, Debug)]
struct Rated {
    hold: Hold,
    /// Of a small command alone, and where it varies, how.
    latency: Nanos,
    varies: Option<Unloaded>,
    /// Nanoseconds of a byte beyond those of a small command.
    byte: f64,
    watts: f64,
}

impl Rated {
    fn new(plan: &RatedPlan, link_bytes_per_s: f64, idle_w: f64, draws: KeyedDraws) -> Self {
        let hold = match plan.holds.as_slice() {
            [] => Hold::longer(1.0 / plan.iops, plan.bytes_per_s),
            holds => Hold::new(holds),
        };
        let varies = (!plan.quantiles.is_empty()).then(|| Unloaded::new(&plan.quantiles, draws));
        let byte = 1e9 / link_bytes_per_s;
        Self { hold, latency: nanos(plan.latency_s), varies, byte, watts: plan.active_w - idle_w }
    }
}

/// What a command takes.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Begins to hold the drive.
    pub begins: Nanos,
    /// Holds it no longer.
    pub ends: Nanos,
    /// Has its answer.
    pub done: Nanos,
    /// What it uses while it holds the drive, joules beyond the draw of an active drive.
    pub joules: f64,
}

/// One such drive.
#[derive(Debug)]
pub struct Sheet {
    rated: [Rated; 2],
    free: Nanos,
    /// Of writes, and nanoseconds of a byte that is folded.
    cache: Option<(Cache, f64)>,
    /// Bytes programmed for a byte written.
    pub write_amplification: f64,
}

impl Sheet {
    /// The drive of `plan` behind a link of so many bytes a second out and in, which draws `active_w` before any command adds
    /// to it.
    #[must_use]
    pub fn new(plan: &DataSheetPlan, link: [f64; 2], active_w: f64, draws: KeyedDraws) -> Self {
        let rated = [
            Rated::new(&plan.read, link[0], active_w, draws),
            Rated::new(&plan.write, link[1], active_w, draws),
        ];
        let cache = plan
            .write_cache
            .map(|cache| (Cache::new(cache.bytes, nanos(cache.idle_s)), 1e9 / cache.folding_bytes_per_s));
        Self { rated, free: 0, cache, write_amplification: plan.write_amplification }
    }

    /// The drive is held until then.
    #[must_use]
    pub fn busy_until(&self) -> Nanos {
        self.free
    }

    /// The turn of a command on `bytes` from `from` on.
    pub fn serve(&mut self, now: Nanos, from: u64, bytes: u64, write: bool) -> Turn {
        let rated = &self.rated[usize::from(write)];
        let mut held = rated.hold.exact(bytes);
        if write && let Some((cache, byte)) = &mut self.cache {
            let _ = cache.folds(self.free, now, FOLD, FOLD as f64 * *byte);
            if !cache.takes(bytes) {
                held = held.max(bytes as f64 * *byte);
            }
        }
        let begins = self.free.max(now);
        let ends = begins + whole(held).max(1);
        self.free = ends;
        let alone =
            rated.varies.as_ref().map_or(rated.latency, |law| law.draw([now, from, u64::from(write)]));
        let done = begins + alone + whole((bytes as f64 - SMALL).max(0.0) * rated.byte);
        Turn { begins, ends, done: done.max(ends), joules: rated.watts * held / 1e9 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::SheetCachePlan;
    use crate::rng::Component;

    /// 1 MiB at 1 GB/s, then 0.25 GB/s; a rest of 10 ms, of which 1 ms passes first, makes room for 2.25 MB of 1 MiB.
    #[test]
    fn writes_fall_to_the_rate_of_folding_until_a_rest() {
        let rated = |iops: f64| RatedPlan {
            latency_s: 10e-6,
            iops,
            bytes_per_s: 1e9,
            holds: Vec::new(),
            quantiles: Vec::new(),
            active_w: 1.0,
        };
        let write_cache = Some(SheetCachePlan { bytes: 1 << 20, folding_bytes_per_s: 0.25e9, idle_s: 1e-3 });
        let plan = DataSheetPlan {
            read: rated(1e6),
            write: rated(1e6),
            write_amplification: 1.0,
            write_cache,
            raw_bytes: None,
        };
        let draws = KeyedDraws::new(1, Component::SsdLatency, 0);
        let mut sheet = Sheet::new(&plan, [1e9; 2], 1.0, draws);
        let mut takes = |now: Nanos| {
            let turn = sheet.serve(now, 0, 131_072, true);
            (turn.ends - turn.begins, turn.ends)
        };
        let times: Vec<(Nanos, Nanos)> = (0..10).map(|_| takes(0)).collect();
        assert!(times[..8].iter().all(|t| t.0 == 131_072), "{times:?}");
        assert!(times[8..].iter().all(|t| t.0 == 4 * 131_072), "{times:?}");
        let rested = times[9].1 + 10_000_000;
        assert_eq!(takes(rested).0, 131_072);
    }
}
