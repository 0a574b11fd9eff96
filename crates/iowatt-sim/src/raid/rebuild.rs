//! The rebuild of failed drives onto spare space: in steps of consecutive stripes, in order, a few at a
//! time, no faster than the rate allows; one drive after another.
//!
//! A step reads what the lost units are computed from and, when all of that is there, writes them to their
//! new place. Stripes below the lowest unfinished step are served from there. Stripes are not locked: a
//! request that meets a step under way is served as a degraded one.

use super::losses::{Losses, Lost};
use super::{Extent, Layout, Pool, Role, Splitting};
use crate::clock::{Nanos, nanos};
use crate::device::{Drive, DriveOp, DriveOps, NO_OP};
use crate::plan::RebuildPlan;
use crate::slab::Slab;

/// Stripes that are restored together.
#[derive(Clone, Copy, Debug)]
struct Step {
    lbn: u64,
    sectors: u64,
    ops_left: u32,
    writing: bool,
    /// One of its operations met a drive that had failed: it starts again.
    spoiled: bool,
    /// Its rebuild was given up.
    orphan: bool,
}

/// The rebuild under way in a pool, and the pace of the next.
#[derive(Debug)]
pub(super) struct Rebuild {
    outstanding: u32,
    delay: Nanos,
    step_sectors: u64,
    /// Nanoseconds a sector at least.
    pace: f64,
    /// Index of the lost drive that is being rebuilt.
    active: Option<usize>,
    /// Sector of the next step.
    next: u64,
    /// When it may begin.
    next_at: Nanos,
    steps: Slab<Step>,
    under_way: Vec<u32>,
    /// When the engine will ask again.
    alarm: Option<Nanos>,
}

impl Rebuild {
    fn new(plan: &RebuildPlan, sector_bytes: u64, unit: u64) -> Self {
        let sectors = plan.step_bytes.div_ceil(sector_bytes);
        Self {
            outstanding: plan.outstanding,
            delay: nanos(plan.delay_s),
            // RAID-1 has no stripe unit to round up to.
            step_sectors: if unit == u64::MAX { sectors } else { sectors.next_multiple_of(unit) },
            pace: plan.rate_bytes_per_s.map_or(0.0, |rate| sector_bytes as f64 * 1e9 / rate),
            active: None,
            next: 0,
            next_at: 0,
            steps: Slab::default(),
            under_way: Vec::new(),
            alarm: None,
        }
    }

    /// Gives up the steps under way; their operations still come in.
    fn abandon(&mut self) {
        for key in self.under_way.drain(..) {
            self.steps.get_mut(key).orphan = true;
        }
        self.active = None;
    }

    /// The time to ask again, unless that is arranged already.
    fn wake_at(&mut self, at: Nanos) -> Option<Nanos> {
        (self.alarm != Some(at)).then(|| {
            self.alarm = Some(at);
            at
        })
    }
}

/// What a rebuild acts on besides its pool.
pub struct Workshop<'a> {
    /// The time.
    pub now: Nanos,
    /// All drives.
    pub drives: &'a [Drive],
    /// Operations, by key.
    pub ops: &'a mut DriveOps,
    /// Operations that may start at once.
    pub ready: &'a mut Vec<u32>,
}

impl Pool {
    /// The drives that failed, in order, and what became of them.
    #[must_use]
    pub fn lost(&self) -> &[Lost] {
        let whole_drives = || self.losses.as_ref().map_or(&[][..], |losses| &losses.lost);
        self.sparing.as_ref().map_or_else(whole_drives, |sparing| &sparing.lost)
    }

    /// Bytes of a sector.
    #[must_use]
    pub fn sector_bytes(&self) -> u64 {
        self.sector_bytes
    }

    /// Bytes of a stripe unit.
    #[must_use]
    pub fn unit_bytes(&self) -> u64 {
        self.layout.unit() * self.sector_bytes
    }

    /// A drive of the pool fails. Returns whether all data is still there.
    #[must_use]
    pub fn fail(&mut self, now: Nanos, drive: usize) -> bool {
        if self.map().is_some() {
            return self.fail_together(now, &[drive as u32]);
        }
        if let (Some(plan), Some(_)) = (&self.recovery, &self.chunklets) {
            let rebuild = plan.rebuild;
            return self.fail_chunklets(now, drive, &rebuild);
        }
        let Some(plan) = &self.recovery else { return false };
        self.degraded = true;
        if let Some(log) = &mut self.log {
            log.close();
        }
        let count = self.last_plain.len() - plan.spares;
        let losses = self.losses.get_or_insert_with(|| Box::new(Losses::new(plan, count)));
        let rebuild = self.rebuild.get_or_insert_with(|| {
            Box::new(Rebuild::new(&plan.rebuild, self.sector_bytes, self.layout.unit()))
        });
        let held = held_sectors(&self.layout, self.used_sectors, drive);
        let struck = losses.fail(now, drive, held);
        if struck.is_some() && struck == rebuild.active.map(|index| losses.lost[index].drive) {
            rebuild.abandon(); // its spare is gone
        }
        !losses.data_is_lost(&self.layout, self.level)
    }

    /// Goes on with the rebuild as far as window and rate allow. Returns when to ask again, if at all.
    pub fn rebuild(&mut self, shop: &mut Workshop<'_>) -> Option<Nanos> {
        if self.chunklets.is_some() {
            return self.rebuild_chunklets(shop);
        }
        if self.log.is_some() {
            let wake = self.work_on_log(shop);
            if wake.is_some() || !self.log.as_ref().is_some_and(|log| log.lets_rebuild()) {
                return wake;
            }
        }
        let mut rebuild = self.rebuild.take()?;
        let wake = self.pump(&mut rebuild, shop);
        self.rebuild = Some(rebuild);
        wake
    }

    /// An operation of a rebuild step is done, or was dropped because its drive had failed. Returns as
    /// [`Self::rebuild`].
    pub fn rebuild_done(&mut self, op: &DriveOp, dropped: bool, shop: &mut Workshop<'_>) -> Option<Nanos> {
        if self.chunklets.is_some() {
            return self.chunklet_step_done(op, dropped, shop);
        }
        if op.for_write {
            self.log_op_done(op, dropped, shop);
            return self.rebuild(shop);
        }
        let mut rebuild = self.rebuild.take()?;
        let step = rebuild.steps.get_mut(op.row);
        step.ops_left -= 1;
        step.spoiled |= dropped;
        let mut wake = None;
        if step.ops_left == 0 {
            if step.orphan {
                rebuild.steps.remove(op.row);
            } else {
                self.advance(op.row, &mut rebuild, shop);
                wake = self.pump(&mut rebuild, shop);
            }
        }
        self.rebuild = Some(rebuild);
        wake
    }

    fn pump(&mut self, rebuild: &mut Rebuild, shop: &mut Workshop<'_>) -> Option<Nanos> {
        loop {
            let index = match rebuild.active {
                Some(index) => index,
                None => {
                    let index = self.losses.as_mut()?.next_to_rebuild()?;
                    rebuild.active = Some(index);
                    rebuild.next = 0;
                    rebuild.next_at = shop.now.max(self.losses.as_ref()?.lost[index].failed + rebuild.delay);
                    index
                }
            };
            while rebuild.under_way.len() < rebuild.outstanding as usize && rebuild.next < self.used_sectors {
                if rebuild.next_at > shop.now {
                    return rebuild.wake_at(rebuild.next_at);
                }
                let sectors = rebuild.step_sectors.min(self.used_sectors - rebuild.next);
                let step = Step {
                    lbn: rebuild.next,
                    sectors,
                    ops_left: 0,
                    writing: false,
                    spoiled: true,
                    orphan: false,
                };
                let key = rebuild.steps.insert(step);
                rebuild.under_way.push(key);
                rebuild.next += sectors;
                let lost = &mut self.losses.as_mut()?.lost[index];
                lost.started.get_or_insert(shop.now);
                let lost = *lost;
                let held =
                    self.units(step.lbn, step.sectors, lost.drive).map(|(e, ..)| e.sectors).sum::<u64>();
                rebuild.next_at = shop.now + (held as f64 * rebuild.pace).round() as Nanos;
                self.advance(key, rebuild, shop);
            }
            if !rebuild.under_way.is_empty() {
                return None;
            }
            let lost = &mut self.losses.as_mut()?.lost[index];
            lost.finished = Some(shop.now);
            lost.restored = u64::MAX;
            rebuild.active = None;
        }
    }

    /// Takes a step without operations under way to its next phase, or to its end.
    fn advance(&mut self, key: u32, rebuild: &mut Rebuild, shop: &mut Workshop<'_>) {
        let (Some(index), Some(losses)) = (rebuild.active, &self.losses) else { return };
        let lost = losses.lost[index];
        let mut step = rebuild.steps.get(key);
        if step.spoiled {
            (step.spoiled, step.writing) = (false, false);
            step.ops_left = self.step_reads(&step, key, lost.drive, shop);
        }
        if step.ops_left == 0 && !step.writing {
            step.writing = true;
            step.ops_left = self.step_writes(&step, key, &lost, shop);
        }
        let ended = step.ops_left == 0;
        *rebuild.steps.get_mut(key) = step;
        if ended {
            self.end_step(key, index, rebuild);
        }
    }

    fn end_step(&mut self, key: u32, index: usize, rebuild: &mut Rebuild) {
        let step = rebuild.steps.remove(key);
        rebuild.under_way.retain(|&other| other != key);
        let lowest = rebuild.under_way.iter().map(|&k| rebuild.steps.get(k).lbn).min();
        let Some(losses) = &self.losses else { return };
        let lost = losses.lost[index];
        let written: u64 = self
            .units(step.lbn, step.sectors, lost.drive)
            .filter(|&(_, stripe, _)| self.target(&lost, stripe).is_some())
            .map(|(extent, ..)| extent.sectors)
            .sum();
        if let Some(losses) = &mut self.losses {
            losses.lost[index].rebuilt += written;
            losses.lost[index].restored = lowest.unwrap_or(rebuild.next);
        }
    }

    /// Where a unit of a lost drive is to be written, if that still works.
    fn target(&self, lost: &Lost, stripe: u64) -> Option<usize> {
        let losses = self.losses.as_ref()?;
        losses.substitute(&self.layout, lost, stripe).filter(|&drive| losses.works(drive))
    }

    /// What `drive` holds within a run of sectors: extents, stripes, roles.
    fn units(
        &self,
        lbn: u64,
        sectors: u64,
        drive: usize,
    ) -> impl Iterator<Item = (Extent, u64, Role)> + use<> {
        let (layout, unit, end) = (self.layout, self.layout.unit(), lbn + sectors);
        (lbn / unit..end.div_ceil(unit)).filter_map(move |stripe| {
            let from = layout.stripe_lbn(stripe).max(lbn);
            let until = layout.stripe_lbn(stripe).saturating_add(unit).min(end);
            let role = layout.role(stripe, drive as u64);
            (role != Role::Spare).then_some((
                Extent { drive, lbn: from, sectors: until - from },
                stripe,
                role,
            ))
        })
    }

    fn step_reads(&mut self, step: &Step, key: u32, drive: usize, shop: &mut Workshop<'_>) -> u32 {
        self.request += 1;
        let mut split = Splitting {
            host: NO_OP,
            row: key,
            ops: shop.ops,
            ready: shop.ready,
            asked: super::ALL,
            migrates: false,
            for_write: false,
            made: 0,
        };
        for (extent, stripe, role) in self.units(step.lbn, step.sectors, drive) {
            self.compute(extent, stripe, role, shop.drives, &mut split);
        }
        split.made
    }

    fn step_writes(&mut self, step: &Step, key: u32, lost: &Lost, shop: &mut Workshop<'_>) -> u32 {
        self.request += 1;
        let mut split = Splitting {
            host: NO_OP,
            row: key,
            ops: shop.ops,
            ready: shop.ready,
            asked: super::ALL,
            migrates: false,
            for_write: false,
            made: 0,
        };
        for (extent, stripe, _) in self.units(step.lbn, step.sectors, lost.drive) {
            if let Some(drive) = self.target(lost, stripe) {
                self.plain(Extent { drive, ..extent }, true, &mut split);
            }
        }
        split.made
    }
}

/// Sectors of data, copies and parity that `drive` has among its `used` sectors.
fn held_sectors(layout: &Layout, used: u64, drive: usize) -> u64 {
    if layout.unit() == u64::MAX {
        return used;
    }
    let stripes = used / layout.unit();
    (stripes - layout.spare_stripes(stripes, drive as u64)) * layout.unit()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests fail by panicking
mod tests {
    use super::*;
    use crate::plan::PoolPlan;
    use proptest::prelude::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    const STRIPES: u64 = 50;
    const UNIT: u64 = 8;

    fn pool(level: &str, count: usize, sparing: &str, outstanding: u32, step: u64) -> Pool {
        let code = if level == "ec" { json!({"data": count - 3, "parity": 3}) } else { json!(null) };
        let plan: PoolPlan = serde_json::from_value(json!({
            "count": count,
            "device": {
                "kind": "hdd", "rpm": 6000.0, "sector_bytes": 512, "surfaces": 1,
                "cylinders": 100,
                "layout": {"zoned": {"zones": [{"cylinders": 100, "sectors_per_track": 100,
                           "track_skew_sectors": 0.0, "cylinder_skew_sectors": 0.0}]}},
                "sectors": STRIPES * UNIT + 3, "seek": {"points": [[1, 0.001, 0.001]]},
                "head_switch_s": 0.0, "write_settle_s": 0.0, "phase": "zero",
                "power": {"active_w": 1.0, "positioning_w": 1.0, "levels": {"idle_w": 1.0}},
            },
            "raid": {"level": level, "code": code, "stripe_unit_bytes": UNIT * 512, "layout": "left-symmetric",
                     "small_write": "auto", "parity_check_on_read": false},
            "scheduler": "look", "power_policy": {"policy": "never"}, "bus_of_drive": [],
            "recovery": {
                "spares": 1, "sparing": sparing, "failures": [],
                "rebuild": {"delay_s": 0.0, "rate_bytes_per_s": null, "outstanding": outstanding,
                            "step_bytes": step, "priority": "equal"},
            },
        }))
        .unwrap();
        Pool::new(&plan, 1, 0)
    }

    proptest! {
        /// Whatever the order of completions, each lost unit is written once, to its place, after as many
        /// units of its stripe have been read as there are data units; and what is served as restored
        /// has been written.
        #[test]
        fn each_lost_unit_is_restored_once(
            n in 4usize..9, level in 0usize..4, distributed in any::<bool>(), failed in 0usize..4,
            outstanding in 1u32..6, step in 1u64..30_000, seed in any::<u64>(),
        ) {
            let level = ["4", "5", "6", "ec"][level];
            let distributed = distributed && level != "4";
            let sparing = if distributed { "distributed" } else { "dedicated" };
            let mut pool = pool(level, n, sparing, outstanding, step);
            let (mut ops, mut ready) = (DriveOps::default(), Vec::new());
            prop_assert!(pool.fail(0, failed));
            pool.rebuild(&mut Workshop { now: 0, drives: &[], ops: &mut ops, ready: &mut ready });
            let (mut read, mut written) = (BTreeMap::new(), BTreeMap::new());
            let mut random = seed;
            while !ready.is_empty() {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let key = ready.swap_remove((random >> 33) as usize % ready.len());
                let op = ops.remove(key);
                prop_assert_ne!(op.drive as usize, failed);
                for stripe in op.lbn / UNIT..(op.lbn + op.sectors) / UNIT {
                    let seen = if op.write { &mut written } else { &mut read };
                    *seen.entry((stripe, u64::from(op.drive))).or_insert(0u32) += 1;
                }
                pool.rebuild_done(&op, false, &mut Workshop { now: 0, drives: &[], ops: &mut ops, ready: &mut ready });
                let restored = pool.lost()[0].restored.min(STRIPES * UNIT) / UNIT;
                let place = |s| if distributed { pool.layout.spare_drive(s) } else { n as u64 };
                let served = (0..restored).all(|s| place(s) == failed as u64 || written.contains_key(&(s, place(s))));
                prop_assert!(served);
            }
            prop_assert!(pool.lost()[0].finished.is_some());
            for stripe in 0..STRIPES {
                let place = if distributed { pool.layout.spare_drive(stripe) } else { n as u64 };
                let of = |seen: &BTreeMap<(u64, u64), u32>| -> Vec<(u64, u32)> {
                    seen.range((stripe, 0)..(stripe + 1, 0)).map(|(&(_, drive), &times)| (drive, times)).collect()
                };
                if place == failed as u64 {
                    prop_assert!(of(&written).is_empty() && of(&read).is_empty());
                    continue;
                }
                prop_assert_eq!(of(&written), [(place, 1)]);
                prop_assert_eq!(of(&read).len() as u64, pool.layout.data_drives());
                prop_assert!(of(&read).iter().all(|&(drive, times)| times == 1 && drive != place));
            }
        }
    }
}
