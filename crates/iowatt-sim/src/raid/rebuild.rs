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
        self.losses.as_ref().map_or(&[], |l| &l.lost)
    }

    /// Bytes of a sector.
    #[must_use]
    pub fn sector_bytes(&self) -> u64 {
        self.sector_bytes
    }

    /// A drive of the pool fails. Returns whether all data is still there.
    #[must_use]
    pub fn fail(&mut self, now: Nanos, drive: usize) -> bool {
        let Some(plan) = &self.recovery else { return false };
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
        let mut rebuild = self.rebuild.take()?;
        let wake = self.pump(&mut rebuild, shop);
        self.rebuild = Some(rebuild);
        wake
    }

    /// An operation of a rebuild step is done, or was dropped because its drive had failed. Returns as
    /// [`Self::rebuild`].
    pub fn rebuild_done(&mut self, op: &DriveOp, dropped: bool, shop: &mut Workshop<'_>) -> Option<Nanos> {
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
        let mut split = Splitting { host: NO_OP, row: key, ops: shop.ops, ready: shop.ready, made: 0 };
        for (extent, stripe, role) in self.units(step.lbn, step.sectors, drive) {
            self.compute(extent, stripe, role, shop.drives, &mut split);
        }
        split.made
    }

    fn step_writes(&mut self, step: &Step, key: u32, lost: &Lost, shop: &mut Workshop<'_>) -> u32 {
        self.request += 1;
        let mut split = Splitting { host: NO_OP, row: key, ops: shop.ops, ready: shop.ready, made: 0 };
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
