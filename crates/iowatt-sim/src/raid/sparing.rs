//! What is lost of a pool of chunklets when drives fail, and its rebuild onto spare chunklets.
//!
//! Every chunklet of a failed drive gets a spare chunklet of a drive that its set does not use, the one with the
//! least to do for rebuilds and then the most spare space. A rebuild works on as many chunklets at once as it has
//! steps outstanding, each from its front to its end; because sets and targets are spread, so are reads and
//! writes (many to many). A chunklet is served from its new place up to where it is restored. As with whole
//! drives, stripes are not locked.

use super::chunklets::{Chunklets, Place};
use super::losses::{Lost, fresh};
use super::recovery::Recovery;
use super::{ALL, Extent, Pool, Splitting, Workshop};
use crate::clock::{Nanos, nanos};
use crate::device::{DriveOp, NO_OP};
use crate::plan::{RaidLevel, RebuildPlan};
use crate::slab::Slab;
use std::collections::VecDeque;

pub(super) const NONE: u32 = u32::MAX;
/// Marks chunklets that move from a drive that works, in [`Missing::lost`].
pub(super) const MOVES: u32 = 1 << 31;

/// A chunklet whose drive has failed, or that moves to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missing {
    pub(super) chunklet: u32,
    /// Which failure it is of; or the number of the move, with [`MOVES`].
    pub(super) lost: u32,
    /// The spare chunklet that it is restored to.
    pub(super) target: Option<Place>,
    /// Sectors below this one of the chunklet are restored.
    pub(super) restored: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    pub(super) missing: u32,
    pub(super) from: u64,
    pub(super) until: u64,
    pub(super) ops_left: u32,
    pub(super) writing: bool,
    pub(super) spoiled: bool,
    /// The drive that it is for, in a cluster.
    pub(super) lane: u32,
}

/// Failed drives of a pool of chunklets.
#[derive(Debug)]
pub(super) struct Sparing {
    pub(super) dead: Vec<bool>,
    /// By chunklet in use: its entry in `missing`, or [`NONE`].
    pub(super) entry: Vec<u32>,
    pub(super) missing: Vec<Missing>,
    /// By drive and slot: the chunklet that is there, or [`NONE`].
    pub(super) owner: Vec<Vec<u32>>,
    /// By drive: the next spare chunklet.
    pub(super) next_spare: Vec<u32>,
    /// By drive: chunklets that rebuilds read from it or write to it.
    pub(super) work: Vec<u32>,
    /// Failures, in order, and chunklets that each has left to restore.
    pub(super) lost: Vec<Lost>,
    pub(super) left: Vec<u32>,
    /// Entries of `missing` that wait for their rebuild.
    pub(super) queue: VecDeque<u32>,
    pub(super) outstanding: usize,
    pub(super) delay: Nanos,
    pub(super) step_sectors: u64,
    /// Nanoseconds a sector at least.
    pub(super) pace: f64,
    pub(super) next_at: Nanos,
    pub(super) steps: Slab<Step>,
    pub(super) under_way: usize,
    pub(super) alarm: Option<Nanos>,
    /// Recovery drive by drive, in a cluster.
    pub(super) recovery: Option<Box<Recovery>>,
}

impl Sparing {
    pub(super) fn new(chunklets: &Chunklets, plan: &RebuildPlan, sector_bytes: u64) -> Self {
        let drives = chunklets.spare.len();
        let mut owner = vec![vec![NONE; chunklets.each as usize]; drives];
        for (chunklet, place) in chunklets.places.iter().enumerate() {
            owner[place.drive as usize][place.slot as usize] = chunklet as u32;
        }
        Self {
            dead: vec![false; drives],
            entry: vec![NONE; chunklets.places.len()],
            missing: Vec::new(),
            owner,
            next_spare: chunklets.spare.iter().map(|spare| spare.0).collect(),
            work: vec![0; drives],
            lost: Vec::new(),
            left: Vec::new(),
            queue: VecDeque::new(),
            outstanding: plan.outstanding as usize,
            delay: nanos(plan.delay_s),
            step_sectors: plan.step_bytes.div_ceil(sector_bytes),
            pace: plan.rate_bytes_per_s.map_or(0.0, |rate| sector_bytes as f64 * 1e9 / rate),
            next_at: 0,
            steps: Slab::default(),
            under_way: 0,
            alarm: None,
            recovery: chunklets.map.as_ref().map(|_| Box::new(Recovery::new(drives))),
        }
    }

    /// Where a chunklet is, as far as its sector `end`.
    fn place(&self, chunklets: &Chunklets, chunklet: usize, end: u64) -> Option<Place> {
        let home = chunklets.places[chunklet];
        if !self.dead[home.drive as usize] {
            return Some(home);
        }
        let missing = self.missing.get(self.entry[chunklet] as usize)?;
        missing.target.filter(|target| end <= missing.restored && !self.dead[target.drive as usize])
    }

    fn fail(&mut self, chunklets: &Chunklets, now: Nanos, drive: usize) {
        self.dead[drive] = true;
        let lost = self.lost.len() as u32;
        let (mut held, mut count) = (0, 0);
        for slot in 0..self.owner[drive].len() {
            let chunklet = self.owner[drive][slot];
            if chunklet == NONE {
                continue;
            }
            let entry = self.entry[chunklet as usize];
            if entry == NONE {
                held += chunklets.held(chunklet as usize);
                count += 1;
                self.entry[chunklet as usize] = self.missing.len() as u32;
                self.queue.push_back(self.missing.len() as u32);
                self.missing.push(Missing { chunklet, lost, target: None, restored: 0 });
                for member in chunklets.set_of(chunklet as usize) {
                    self.work[chunklets.places[member].drive as usize] += 1;
                }
            } else if self.missing[entry as usize].target.is_some_and(|t| t.drive as usize == drive) {
                // It was being restored to this drive: from the start, elsewhere.
                let missing = &mut self.missing[entry as usize];
                self.lost[missing.lost as usize].rebuilt -= missing.restored;
                (missing.target, missing.restored) = (None, 0);
                self.work[drive] -= 1;
            }
        }
        if count > 0 {
            self.left.push(count);
            self.lost.push(Lost { held, ..fresh(drive, now) });
        }
    }

    /// Whether data of a set with a chunklet on `drive`, which has failed, cannot be had any more.
    pub(super) fn data_is_lost(&self, chunklets: &Chunklets, drive: usize) -> bool {
        let held = self.owner[drive].iter().filter(|&&chunklet| chunklet != NONE);
        held.copied().any(|chunklet| {
            let chunklet = chunklet as usize;
            let gone = |&member: &usize| self.place(chunklets, member, u64::MAX).is_none();
            if !gone(&chunklet) || chunklets.held(chunklet) == 0 {
                return false;
            }
            let set = chunklets.set_of(chunklet);
            let (region, number, _) = chunklets.membership(chunklet);
            let region = &chunklets.regions[region];
            match region.plan.raid.level {
                RaidLevel::Raid10 => {
                    let (half, at) = (set.len() / 2, chunklet - set.start);
                    gone(&(set.start + (at + half) % set.len()))
                }
                RaidLevel::Raid1 => set.clone().all(|member| gone(&member)),
                _ => !region.is_decodable(number, |member| gone(&(set.start + member as usize))),
            }
        })
    }

    /// The best spare chunklet for one of a set, taken.
    fn take_spare(&mut self, chunklets: &Chunklets, chunklet: usize) -> Option<Place> {
        let used = |drive: u32| {
            chunklets.set_of(chunklet).any(|member| {
                let entry = self.missing.get(self.entry[member] as usize);
                chunklets.places[member].drive == drive
                    || entry.and_then(|e| e.target).is_some_and(|t| t.drive == drive)
            })
        };
        let free = |drive: u32| chunklets.spare[drive as usize].1 - self.next_spare[drive as usize];
        let drive = (0..self.dead.len() as u32)
            .filter(|&drive| !self.dead[drive as usize] && free(drive) > 0 && !used(drive))
            .min_by_key(|&drive| (self.work[drive as usize], std::cmp::Reverse(free(drive))))?;
        let slot = self.next_spare[drive as usize];
        self.next_spare[drive as usize] += 1;
        self.owner[drive as usize][slot as usize] = chunklet as u32;
        self.work[drive as usize] += 1;
        Some(Place { drive, slot })
    }

    fn wake_at(&mut self, at: Nanos) -> Option<Nanos> {
        (self.alarm != Some(at)).then(|| {
            self.alarm = Some(at);
            at
        })
    }
}

impl Pool {
    /// Where a column of the current region is in a stripe, up to sector `end`: the column, if anywhere.
    pub(super) fn column_place(
        &self,
        chunklets: &Chunklets,
        column: u64,
        stripe: u64,
        end: u64,
    ) -> Option<usize> {
        let Some(sparing) = &self.sparing else { return Some(column as usize) };
        let unit = self.layout.unit();
        let (chunklet, t) = chunklets.chunklet(column, stripe);
        let end = t * unit + (end - stripe * unit);
        sparing.place(chunklets, chunklet, end).map(|_| column as usize)
    }

    /// Where `extent`, in columns of the current region, is on drives.
    pub(super) fn physical(&self, chunklets: &Chunklets, extent: Extent) -> Extent {
        let (chunklet, there) = chunklets.at(extent);
        let Some(sparing) = &self.sparing else { return there };
        let entry = sparing.missing.get(sparing.entry[chunklet] as usize);
        let within = there.lbn % chunklets.sectors;
        // What moves is at its new place as far as it has come.
        let moved = |missing: &&Missing| {
            sparing.dead[there.drive]
                || (missing.lost & MOVES != 0 && within + there.sectors <= missing.restored)
        };
        entry.filter(moved).and_then(|missing| missing.target).map_or(there, |target| {
            let lbn = u64::from(target.slot) * chunklets.sectors + within;
            Extent { drive: target.drive as usize, lbn, ..there }
        })
    }

    /// What lies at a place of a drive, in columns, up to sector `end` or the end of its unit; its region
    /// becomes the current one.
    pub(super) fn unit_on(&mut self, drive: usize, lbn: u64, end: u64) -> Option<(u64, Extent)> {
        let (chunklets, sparing) = (self.chunklets.as_ref()?, self.sparing.as_ref()?);
        let slot = lbn / chunklets.sectors;
        let chunklet = sparing.owner[drive][slot as usize] as usize;
        if chunklet >= chunklets.places.len() {
            return None;
        }
        let region = chunklets.regions[chunklets.membership(chunklet).0].first;
        let first = slot * chunklets.sectors;
        let unit = chunklets.unit_of(chunklet, lbn - first, end - first);
        self.enter(region);
        unit
    }

    pub(super) fn fail_chunklets(&mut self, now: Nanos, drive: usize, rebuild: &RebuildPlan) -> bool {
        let Some(chunklets) = self.chunklets.take() else { return false };
        let sector_bytes = self.sector_bytes;
        let sparing =
            self.sparing.get_or_insert_with(|| Box::new(Sparing::new(&chunklets, rebuild, sector_bytes)));
        sparing.fail(&chunklets, now, drive);
        let whole = !sparing.data_is_lost(&chunklets, drive);
        self.chunklets = Some(chunklets);
        self.degraded = true;
        whole
    }

    /// Begins steps as far as window and rate allow. Returns when to ask again, if at all.
    pub(super) fn rebuild_chunklets(&mut self, shop: &mut Workshop<'_>) -> Option<Nanos> {
        if self.sparing.as_ref()?.recovery.is_some() {
            return self.recover(shop);
        }
        loop {
            let (sparing, chunklets) = (self.sparing.as_mut()?, self.chunklets.as_ref()?);
            if sparing.under_way >= sparing.outstanding {
                return None;
            }
            let number = *sparing.queue.front()?;
            let Missing { chunklet, lost, target, restored } = sparing.missing[number as usize];
            let at = sparing.next_at.max(sparing.lost[lost as usize].failed + sparing.delay);
            if at > shop.now {
                return sparing.wake_at(at);
            }
            sparing.queue.pop_front();
            if target.is_none() {
                // Without spare space it stays as it is.
                let Some(target) = sparing.take_spare(chunklets, chunklet as usize) else { continue };
                sparing.missing[number as usize].target = Some(target);
                sparing.lost[lost as usize].started.get_or_insert(shop.now);
            }
            let region = &chunklets.regions[chunklets.membership(chunklet as usize).0];
            let step = sparing.step_sectors.next_multiple_of(region.layout.unit());
            let until = (restored + step).min(chunklets.held(chunklet as usize));
            sparing.next_at = shop.now + ((until - restored) as f64 * sparing.pace).round() as Nanos;
            sparing.under_way += 1;
            let step = Step { missing: number, from: restored, until, ..Step::default() };
            let key = sparing.steps.insert(step);
            self.read_step(key, shop);
        }
    }

    pub(super) fn read_step(&mut self, key: u32, shop: &mut Workshop<'_>) {
        let Some(sparing) = &self.sparing else { return };
        let Step { missing, from, until, .. } = sparing.steps.get(key);
        let chunklet = sparing.missing[missing as usize].chunklet as usize;
        if sparing.missing[missing as usize].lost & MOVES != 0 {
            return self.read_moving(key, chunklet, (from, until), shop);
        }
        self.request += 1;
        let mut split = Splitting {
            host: NO_OP,
            row: key,
            ops: shop.ops,
            ready: shop.ready,
            asked: ALL,
            migrates: false,
            for_write: false,
            made: 0,
        };
        let mut offset = from;
        while let Some((stripe, extent)) = self
            .chunklets
            .as_ref()
            .and_then(|c| c.unit_of(chunklet, offset, until))
            .filter(|_| offset < until)
        {
            let first = self.chunklets.as_ref().map_or(0, |c| c.regions[c.membership(chunklet).0].first);
            self.enter(first);
            let role = self.layout.role(stripe, extent.drive as u64);
            self.compute(extent, stripe, role, shop.drives, &mut split);
            offset += extent.sectors;
        }
        let made = split.made;
        if let Some(sparing) = &mut self.sparing {
            let step = sparing.steps.get_mut(key);
            (step.ops_left, step.writing, step.spoiled) = (made, false, false);
        }
    }

    /// The one operation of a step that copies `extent` from its drive or to it.
    pub(super) fn step_operation(&mut self, key: u32, extent: Extent, write: bool, shop: &mut Workshop<'_>) {
        self.request += 1;
        let mut split = Splitting {
            host: NO_OP,
            row: key,
            ops: shop.ops,
            ready: shop.ready,
            asked: ALL,
            migrates: false,
            for_write: false,
            made: 0,
        };
        let operation = self.make_at(extent, write, (key, NO_OP), &mut split);
        split.ready.push(operation);
    }

    pub(super) fn write_step(&mut self, key: u32, shop: &mut Workshop<'_>) {
        let (Some(sparing), Some(chunklets)) = (&self.sparing, &self.chunklets) else { return };
        let Step { missing, from, until, .. } = sparing.steps.get(key);
        let Some(Place { drive, slot }) = sparing.missing[missing as usize].target else { return };
        let lbn = u64::from(slot) * chunklets.sectors + from;
        let extent = Extent { drive: drive as usize, lbn, sectors: until - from };
        self.step_operation(key, extent, true, shop);
        if let Some(sparing) = &mut self.sparing {
            let step = sparing.steps.get_mut(key);
            (step.ops_left, step.writing) = (1, true);
        }
    }

    pub(super) fn chunklet_step_done(
        &mut self,
        op: &DriveOp,
        dropped: bool,
        shop: &mut Workshop<'_>,
    ) -> Option<Nanos> {
        let sparing = self.sparing.as_mut()?;
        let step = sparing.steps.get_mut(op.row);
        step.ops_left -= 1;
        step.spoiled |= dropped;
        if step.ops_left > 0 {
            return None;
        }
        let step = *step;
        if sparing.recovery.is_some() {
            self.member_step_done(op.row, shop);
            return self.recover(shop);
        }
        let missing = sparing.missing[step.missing as usize];
        match missing.target {
            Some(_) if step.spoiled => self.read_step(op.row, shop),
            Some(_) if !step.writing => self.write_step(op.row, shop),
            target => {
                sparing.steps.remove(op.row);
                sparing.under_way -= 1;
                // Where its target has failed it waits for another.
                if target.is_some() {
                    sparing.lost[missing.lost as usize].rebuilt += step.until - step.from;
                    sparing.missing[step.missing as usize].restored = step.until;
                }
                let done = target.filter(|_| self.is_restored(missing.chunklet as usize, step.until));
                match (done, &mut self.sparing) {
                    (Some(target), _) => self.move_in(step.missing, target, shop.now),
                    (None, Some(sparing)) => sparing.queue.push_front(step.missing),
                    (None, None) => {}
                }
            }
        }
        self.rebuild_chunklets(shop)
    }

    pub(super) fn is_restored(&self, chunklet: usize, sectors: u64) -> bool {
        self.chunklets.as_ref().is_some_and(|chunklets| sectors >= chunklets.held(chunklet))
    }

    /// A chunklet is restored: its place is the new one.
    fn move_in(&mut self, number: u32, target: Place, now: Nanos) {
        let (Some(sparing), Some(chunklets)) = (&mut self.sparing, &mut self.chunklets) else { return };
        let Missing { chunklet, lost, .. } = sparing.missing[number as usize];
        // What it was read from and written to has that much less to do; for others of its set it is read elsewhere now.
        let (set, old) = (chunklets.set_of(chunklet as usize), chunklets.places[chunklet as usize].drive);
        for member in set.clone() {
            sparing.work[chunklets.places[member].drive as usize] -= 1;
        }
        let others = set.filter(|&m| m != chunklet as usize && sparing.entry[m] != NONE).count() as u32;
        sparing.work[old as usize] -= others;
        sparing.work[target.drive as usize] += others;
        sparing.work[target.drive as usize] -= 1;
        chunklets.places[chunklet as usize] = target;
        sparing.entry[chunklet as usize] = NONE;
        sparing.left[lost as usize] -= 1;
        if sparing.left[lost as usize] == 0 {
            sparing.lost[lost as usize].finished = Some(now);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests fail by panicking
mod tests {
    use super::*;
    use crate::device::DriveOps;
    use crate::plan::PoolPlan;
    use proptest::prelude::*;
    use serde_json::json;
    use std::collections::{BTreeMap, BTreeSet};

    const UNIT: u64 = 8;
    /// Three stripe units and a sector.
    const CHUNKLET: u64 = 3 * UNIT + 1;

    fn pool(level: &str, size: usize, drives: usize, sets: u64, outstanding: u32, step: u64) -> Pool {
        let code =
            if level == "ec" { json!({"data": 2, "parity": 2, "local_groups": 2}) } else { json!(null) };
        let raid = json!({"level": level, "code": code, "stripe_unit_bytes": UNIT * 512, "layout": "left-symmetric",
                          "small_write": "auto", "parity_check_on_read": false});
        let plan: PoolPlan = serde_json::from_value(json!({
            "count": drives - 1,
            "device": {
                "kind": "hdd", "rpm": 6000.0, "sector_bytes": 512, "surfaces": 1, "cylinders": 100,
                "layout": {"zoned": {"zones": [{"cylinders": 100, "sectors_per_track": 100,
                           "track_skew_sectors": 0.0, "cylinder_skew_sectors": 0.0}]}},
                "sectors": 40 * CHUNKLET, "seek": {"points": [[1, 0.001, 0.001]]},
                "head_switch_s": 0.0, "write_settle_s": 0.0, "phase": "zero",
                "power": {"active_w": 1.0, "positioning_w": 1.0, "levels": {"idle_w": 1.0}},
            },
            "raid": raid,
            "chunklets": {"bytes": CHUNKLET * 512, "spare": 20,
                          "regions": [{"raid": raid, "set_size": size, "sets": sets}]},
            "scheduler": "look", "power_policy": {"policy": "never"}, "bus_of_drive": [],
            "recovery": {
                "spares": 1, "sparing": "distributed", "failures": [],
                "rebuild": {"delay_s": 0.0, "rate_bytes_per_s": null, "outstanding": outstanding,
                            "step_bytes": step, "priority": "equal"},
            },
        }))
        .unwrap();
        Pool::new(&plan, 1, 0)
    }

    proptest! {
        /// Whatever the order of completions, and although a drive that is restored to fails on the way: every
        /// chunklet that was lost is written once to a drive that its set does not use, from as many others as it
        /// takes, and is there in the end.
        #[test]
        fn each_lost_chunklet_is_restored_once(
            level in 0usize..3, drives in 9usize..14, sets in 4u64..20, outstanding in 1u32..6, step in 1u64..20_000,
            failed in 0usize..9, second in 0usize..9, after in 1usize..60, seed in any::<u64>(),
        ) {
            let (level, size) = [("5", 4), ("6", 6), ("ec", 6)][level];
            let mut pool = pool(level, size, drives, sets, outstanding, step);
            let before = pool.chunklets.as_ref().unwrap().places.clone();
            let (mut ops, mut ready) = (DriveOps::default(), Vec::new());
            prop_assert!(pool.fail(0, failed));
            pool.rebuild(&mut Workshop { now: 0, drives: &[], ops: &mut ops, ready: &mut ready });
            let mut written: BTreeMap<(u32, u64), u32> = BTreeMap::new();
            let (mut random, mut done, mut gone) = (seed, 0, BTreeSet::from([failed]));
            while !ready.is_empty() {
                if done == after && second != failed {
                    gone.insert(second);
                    if !pool.fail(1, second) {
                        return Ok(()); // its level cannot do that
                    }
                }
                done += 1;
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let key = ready.swap_remove((random >> 33) as usize % ready.len());
                let op = ops.remove(key);
                let dropped = gone.contains(&(op.drive as usize));
                if op.write && !dropped {
                    for sector in op.lbn..op.lbn + op.sectors {
                        *written.entry((op.drive, sector)).or_insert(0) += 1;
                    }
                }
                let mut shop = Workshop { now: 2, drives: &[], ops: &mut ops, ready: &mut ready };
                pool.rebuild_done(&op, dropped, &mut shop);
            }
            let lost: u64 = pool.lost().iter().map(|lost| lost.held).sum();
            let rebuilt: u64 = pool.lost().iter().map(|lost| lost.rebuilt).sum();
            prop_assert_eq!(lost, rebuilt);
            prop_assert!(pool.lost().iter().all(|lost| lost.finished.is_some()));
            // Nothing is left to do anywhere.
            let work = &pool.sparing.as_ref().unwrap().work;
            prop_assert!(work.iter().all(|&work| work == 0), "{:?}", work);
            let chunklets = pool.chunklets.as_ref().unwrap();
            for (number, place) in chunklets.places.iter().enumerate() {
                prop_assert!(!gone.contains(&(place.drive as usize)));
                let set = chunklets.set_of(number);
                let on: BTreeSet<u32> = set.clone().map(|member| chunklets.places[member].drive).collect();
                prop_assert_eq!(on.len(), set.len(), "two of a set on one drive");
                if *place != before[number] {
                    let first = u64::from(place.slot) * CHUNKLET;
                    prop_assert!(place.slot >= 20);
                    for sector in first..first + 3 * UNIT {
                        prop_assert_eq!(written.get(&(place.drive, sector)), Some(&1));
                    }
                }
            }
            let places: BTreeSet<Place> = chunklets.places.iter().copied().collect();
            prop_assert_eq!(places.len(), chunklets.places.len());
        }
    }
}
