//! Requests to a pool in which a drive has failed: what is missing is computed from what is left.
//!
//! Per stripe. A unit that is missing is read by reading as many of the others as the stripe has data
//! units: all other data, then P, then Q. A write never touches what is missing. Parity that is missing
//! is not updated; where a data unit that is written is missing, parity is computed from the data that
//! stays (reconstruct-write); where one that stays is missing, by read-modify-write; where neither will
//! do, the stripe's old contents are read first, whatever they take.

use super::{ALL, Extent, Pool, Role, Splitting, Touched};
use crate::device::{Drive, DriveOp, DriveOps, NO_OP};
use crate::plan::SmallWrite;
use crate::power::Cause;

impl Pool {
    /// Where the unit of `home` in `stripe` is now, if it is anywhere.
    pub(super) fn place(&self, home: u64, stripe: u64, end: u64) -> Option<usize> {
        if let Some(chunklets) = &self.chunklets {
            return self.column_place(chunklets, home, stripe, end);
        }
        let home = home as usize;
        self.losses.as_ref().map_or(Some(home), |l| l.place(&self.layout, home, stripe, end))
    }

    /// The same for a whole unit.
    pub(super) fn unit_place(&self, home: u64, stripe: u64) -> Option<usize> {
        self.place(home, stripe, self.layout.stripe_lbn(stripe).saturating_add(self.layout.unit()))
    }

    /// `extent`, which lies in one unit, where it is now.
    fn placed(&self, extent: Extent, stripe: u64) -> Option<Extent> {
        let end = extent.lbn + extent.sectors;
        self.place(extent.drive as u64, stripe, end).map(|drive| Extent { drive, ..extent })
    }

    /// Data units of a stripe that are missing.
    fn missing_data(&self, stripe: u64) -> usize {
        let home = |i| self.layout.data_drive(stripe, i);
        (0..self.layout.data_drives()).filter(|&i| self.unit_place(home(i), stripe).is_none()).count()
    }

    /// P and Q over sectors `from..from + sectors` of a unit, where they are now.
    fn placed_parity(&self, stripe: u64, (from, sectors): (u64, u64)) -> [Option<Extent>; 2] {
        let lbn = self.layout.stripe_lbn(stripe) + from;
        let units = self.layout.parity_units();
        let on = |home: u64| self.unit_place(home, stripe).map(|drive| Extent { drive, lbn, sectors });
        [
            (units >= 1).then(|| on(self.layout.parity_drive(stripe))).flatten(),
            (units == 2).then(|| on(self.layout.q_drive(stripe))).flatten(),
        ]
    }

    pub(super) fn read_degraded(&mut self, t: &Touched, drives: &[Drive], split: &mut Splitting<'_>) {
        if self.layout.parity_units() == 0 {
            for index in t.first..=t.last {
                let (lbn, sectors) = self.data_part(t, index);
                let primary = self.layout.data_drive(t.stripe, index) as usize;
                if let Some(drive) = self.surviving_copy(primary, t.stripe, (lbn, sectors), drives) {
                    self.plain(Extent { drive, lbn, sectors }, false, split);
                }
            }
            return;
        }
        // The smallest run of a unit that covers all that is asked for and missing.
        let unit = self.layout.unit();
        let home = |pool: &Self, index| pool.layout.data_drive(t.stripe, index);
        let mut gap: Option<(u64, u64)> = None;
        for index in t.first..=t.last {
            if self.unit_place(home(self, index), t.stripe).is_none() {
                let (from, sectors) = t.part(index, unit);
                gap = Some(gap.map_or((from, from + sectors), |g| (g.0.min(from), g.1.max(from + sectors))));
            }
        }
        let indices = if gap.is_some() { 0..self.layout.data_drives() } else { t.first..t.last + 1 };
        for index in indices {
            let Some(drive) = self.unit_place(home(self, index), t.stripe) else { continue };
            let asked = (t.first..=t.last).contains(&index).then(|| {
                let (from, sectors) = t.part(index, unit);
                (from, from + sectors)
            });
            let Some((from, until)) = hull(asked, gap) else { continue };
            let lbn = self.layout.stripe_lbn(t.stripe) + from;
            split.asked = asked.map_or(0, |(from, until)| until - from);
            self.plain(Extent { drive, lbn, sectors: until - from }, false, split);
        }
        split.asked = 0;
        let mut needed = if gap.is_some() { self.missing_data(t.stripe) } else { 0 };
        let checked = self.parity_check_on_read.then(|| {
            let (from, sectors) = t.hull(unit);
            (from, from + sectors)
        });
        let present = self.placed_parity(t.stripe, (0, unit));
        for parity in present.into_iter().flatten() {
            let solving = if needed > 0 { gap } else { None };
            needed = needed.saturating_sub(1);
            let Some((from, until)) = hull(solving, checked) else { continue };
            self.plain(
                Extent { lbn: parity.lbn + from, sectors: until - from, drive: parity.drive },
                false,
                split,
            );
        }
        split.asked = ALL;
    }

    pub(super) fn write_degraded(&mut self, t: &Touched, split: &mut Splitting<'_>) {
        if self.layout.parity_units() == 0 {
            for index in t.first..=t.last {
                let (lbn, sectors) = self.data_part(t, index);
                for home in self.layout.copies(self.layout.data_drive(t.stripe, index) as usize) {
                    if let Some(extent) = self.placed(Extent { drive: home, lbn, sectors }, t.stripe) {
                        self.plain(extent, true, split);
                        split.asked = 0; // further copies
                    }
                }
                split.asked = ALL;
            }
            return;
        }
        let (unit, data) = (self.layout.unit(), self.layout.data_drives());
        let parity = self.placed_parity(t.stripe, t.hull(unit));
        let parities = parity.iter().flatten().count() as u64;
        let whole_stripe = t.units() == data && t.start == 0 && t.end == unit;
        if whole_stripe || parities == 0 {
            self.write_touched(t, split);
            split.asked = 0;
            for extent in parity.into_iter().flatten() {
                self.plain(extent, true, split);
            }
            split.asked = ALL;
            return;
        }
        let edges = self.edges(t);
        let missing = self.missing_data(t.stripe);
        let touched_missing = (t.first..=t.last)
            .filter(|&i| self.unit_place(self.layout.data_drive(t.stripe, i), t.stripe).is_none())
            .count();
        let edge_missing =
            edges.iter().flatten().any(|&e| self.unit_place(e.drive as u64, t.stripe).is_none());
        let modify = (touched_missing == 0).then_some(t.units() + parities);
        let reconstruct = (touched_missing == missing && !edge_missing)
            .then(|| data - t.units() + edges.iter().flatten().count() as u64);
        match (modify, reconstruct, self.small_write) {
            (Some(reads), None, _) | (Some(reads), Some(_), SmallWrite::ReadModifyWrite) => {
                self.modify_degraded(t, parity, reads, split);
            }
            (Some(reads), Some(others), SmallWrite::Auto) if reads <= others => {
                self.modify_degraded(t, parity, reads, split);
            }
            (_, Some(reads), _) => self.reconstruct_degraded(t, parity, edges, reads, split),
            (None, None, _) => self.recompute(t, parity, missing, split),
        }
    }

    fn write_touched(&mut self, t: &Touched, split: &mut Splitting<'_>) {
        for index in t.first..=t.last {
            if let Some(extent) = self.placed(self.data_extent(t, index), t.stripe) {
                self.plain(extent, true, split);
            }
        }
    }

    /// All that is touched is there: read it and the parity that is there, write both.
    fn modify_degraded(
        &mut self,
        t: &Touched,
        parity: [Option<Extent>; 2],
        reads: u64,
        split: &mut Splitting<'_>,
    ) {
        let row = self.begin_row(parity, reads as u32, split);
        for index in t.first..=t.last {
            let Some(extent) = self.placed(self.data_extent(t, index), t.stripe) else { continue };
            let write = self.make(extent, true, NO_OP, NO_OP, split);
            self.pre_read(extent, row, write, split);
        }
        for extent in parity.into_iter().flatten() {
            self.pre_read(extent, row, NO_OP, split);
        }
    }

    /// All that is not touched is there: read it, write what is touched and parity.
    fn reconstruct_degraded(
        &mut self,
        t: &Touched,
        parity: [Option<Extent>; 2],
        edges: [Option<Extent>; 2],
        reads: u64,
        split: &mut Splitting<'_>,
    ) {
        let row = self.begin_row(parity, reads as u32, split);
        let (from, sectors) = t.hull(self.layout.unit());
        let lbn = self.layout.stripe_lbn(t.stripe) + from;
        for index in (0..t.first).chain(t.last + 1..self.layout.data_drives()) {
            let drive = self.layout.data_drive(t.stripe, index) as usize;
            if let Some(extent) = self.placed(Extent { drive, lbn, sectors }, t.stripe) {
                self.pre_read(extent, row, NO_OP, split);
            }
        }
        for edge in edges.into_iter().flatten() {
            if let Some(extent) = self.placed(edge, t.stripe) {
                self.pre_read(extent, row, NO_OP, split);
            }
        }
        self.write_touched(t, split);
    }

    /// Something touched and something that stays are missing: read the old contents of the stripe, as for
    /// a read of what is missing; then write what is touched and there, and parity.
    fn recompute(
        &mut self,
        t: &Touched,
        parity: [Option<Extent>; 2],
        missing: usize,
        split: &mut Splitting<'_>,
    ) {
        let data = self.layout.data_drives();
        let row = self.begin_row(parity, data as u32, split);
        let (from, sectors) = t.hull(self.layout.unit());
        let lbn = self.layout.stripe_lbn(t.stripe) + from;
        for index in 0..data {
            let home = self.layout.data_drive(t.stripe, index);
            let Some(drive) = self.unit_place(home, t.stripe) else { continue };
            let mut write = NO_OP;
            if (t.first..=t.last).contains(&index) {
                let extent = Extent { drive, ..self.data_extent(t, index) };
                write = self.make(extent, true, NO_OP, NO_OP, split);
            }
            self.pre_read(Extent { drive, lbn, sectors }, row, write, split);
        }
        for extent in parity.into_iter().flatten().take(missing) {
            self.pre_read(extent, row, NO_OP, split);
        }
    }

    /// Drives that hold a copy up to sector `end` of `primary`'s part of a stripe.
    fn left(&self, primary: usize, stripe: u64, end: u64) -> impl Iterator<Item = usize> + Clone {
        self.layout.copies(primary).filter_map(move |home| self.place(home as u64, stripe, end))
    }

    /// The copy to read among those that are left, chosen as in a whole pool.
    fn surviving_copy(
        &mut self,
        primary: usize,
        stripe: u64,
        (lbn, sectors): (u64, u64),
        drives: &[Drive],
    ) -> Option<usize> {
        let (request, chosen) = self.chosen_copy[primary];
        let end = lbn + sectors;
        let again = request == self.request && self.chunklets.is_none();
        if again && self.left(primary, stripe, end).any(|drive| drive == chosen) {
            return Some(chosen);
        }
        let best = self.best_copy(self.left(primary, stripe, end), (primary, lbn), drives)?;
        self.chosen_copy[primary] = (self.request, best);
        Some(best)
    }

    /// Replaces an operation that its drive can no longer do. A read of data goes where the data is now, or
    /// becomes the reads that it is computed from; reads of parity and all writes are dropped, but for a
    /// write of what has a new place. Returns the number of operations made.
    pub fn redirect(
        &mut self,
        op: &DriveOp,
        drives: &[Drive],
        ops: &mut DriveOps,
        ready: &mut Vec<u32>,
    ) -> u32 {
        self.request += 1;
        let asked = if op.cause == Cause::Redundancy || op.redundant > 0 { 0 } else { ALL };
        let migrates = op.cause == Cause::Migration;
        let (host, row, for_write) = (op.host, op.row, op.for_write);
        let mut split = Splitting { host, row, ops, ready, asked, migrates, for_write, made: 0 };
        let failed = op.drive as usize - self.first_drive;
        let end = op.lbn + op.sectors;
        let mut lbn = op.lbn;
        while lbn < end {
            let Some((stripe, extent)) = self.unit_held(failed, lbn, end) else { break };
            if let Some(there) = self.placed(extent, stripe) {
                self.plain(there, op.write, &mut split);
            } else if !op.write {
                // Parity that was to be read is not needed any more.
                let role = self.layout.role(stripe, extent.drive as u64);
                if matches!(role, Role::Data(_)) {
                    self.compute(extent, stripe, role, drives, &mut split);
                }
            }
            lbn += extent.sectors;
        }
        let made = split.made;
        if op.row != NO_OP && !op.write {
            self.rows.get_mut(op.row).reads_left += made;
        }
        made
    }

    /// The unit that a failed drive held at `lbn`, up to `end`: its stripe, and where it was at home.
    fn unit_held(&mut self, failed: usize, lbn: u64, end: u64) -> Option<(u64, Extent)> {
        if self.chunklets.is_some() {
            return self.unit_on(failed, lbn, end);
        }
        let stripe = lbn / self.layout.unit();
        let until = self.layout.stripe_lbn(stripe).saturating_add(self.layout.unit()).min(end);
        let home = self.losses.as_ref().map_or(failed, |l| l.home(&self.layout, failed, stripe));
        Some((stripe, Extent { drive: home, lbn, sectors: until - lbn }))
    }

    /// Reads what `lost`, a missing part of a unit, is computed from: another copy; or as many units of the
    /// stripe as it has data units, all other data first, then P, then Q.
    pub(super) fn compute(
        &mut self,
        lost: Extent,
        stripe: u64,
        role: Role,
        drives: &[Drive],
        split: &mut Splitting<'_>,
    ) {
        let Extent { lbn, sectors, .. } = lost;
        if self.layout.parity_units() == 0 {
            let Role::Data(index) = role else { return };
            let primary = self.layout.data_drive(stripe, index) as usize;
            if let Some(drive) = self.surviving_copy(primary, stripe, (lbn, sectors), drives) {
                self.plain(Extent { drive, ..lost }, false, split);
            }
            return;
        }
        let (data, asked) = (self.layout.data_drives(), split.asked);
        split.asked = 0;
        let mut needed = data;
        for index in 0..data {
            if role == Role::Data(index) {
                continue;
            }
            if let Some(drive) = self.unit_place(self.layout.data_drive(stripe, index), stripe) {
                self.plain(Extent { drive, lbn, sectors }, false, split);
                needed -= 1;
            }
        }
        let parity = self.placed_parity(stripe, (0, self.layout.unit()));
        for (number, extent) in parity.into_iter().enumerate() {
            if let Some(Extent { drive, .. }) = extent.filter(|_| needed > 0 && role != Role::Parity(number))
            {
                self.plain(Extent { drive, lbn, sectors }, false, split);
                needed -= 1;
            }
        }
        split.asked = asked;
    }
}

fn hull(a: Option<(u64, u64)>, b: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (one, other) => one.or(other),
    }
}
