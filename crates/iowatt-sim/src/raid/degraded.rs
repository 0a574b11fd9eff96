//! Requests to a pool in which a drive has failed: what is missing is computed from what is left.
//!
//! Per stripe. A unit that is missing is read by reading as many of the others as the stripe has data
//! units: all other data, then parity in order; with local groups the others of its group, where they do.
//! A write never touches what is missing. Parity that is missing
//! is not updated; where a data unit that is written is missing, parity is computed from the data that
//! stays (reconstruct-write); where one that stays is missing, by read-modify-write; where neither will
//! do, the stripe's old contents are read first, whatever they take.

use super::code::{Missing, Wanted};
use super::write::RowUpdate;
use super::{ALL, Extent, Pool, Role, Splitting, Touched};
use crate::device::{Drive, DriveOp, DriveOps, NO_OP};
use crate::plan::{MAX_PARITY, SmallWrite};
use crate::power::Cause;

/// Parity units, by number, that are there.
type Parity = [Option<Extent>; MAX_PARITY];

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

    /// Whether data unit `index` of a stripe is there.
    pub(super) fn has_data(&self, stripe: u64, index: u64) -> bool {
        self.unit_place(self.layout.data_drive(stripe, index), stripe).is_some()
    }

    /// Where parity unit `number` of a stripe is, if anywhere.
    pub(super) fn parity_place(&self, stripe: u64, number: usize) -> Option<usize> {
        self.unit_place(self.layout.parity_drive(stripe, number), stripe)
    }

    /// Units of a stripe that are missing; `lost` is, wherever it may be.
    fn missing_units(&self, stripe: u64, lost: Option<Role>) -> Missing {
        let (code, mut missing) = (self.layout.code(), Missing::default());
        for index in 0..self.layout.data_drives() {
            if lost == Some(Role::Data(index)) || !self.has_data(stripe, index) {
                missing.add_data(code.group_of(index));
            }
        }
        for number in 0..self.layout.parity_units() {
            if lost == Some(Role::Parity(number)) || self.parity_place(stripe, number).is_none() {
                missing.add_parity(number);
            }
        }
        missing
    }

    /// The parity of what is touched, as far as it is there.
    fn placed_parity(&self, t: &Touched) -> Parity {
        let mut placed = [None; MAX_PARITY];
        for number in self.layout.code().covering(t.first, t.last) {
            let extent = self.parity_extent(t, number);
            placed[number] = self.parity_place(t.stripe, number).map(|drive| Extent { drive, ..extent });
        }
        placed
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
        let (unit, code) = (self.layout.unit(), self.layout.code());
        let run = |(from, sectors): (u64, u64)| (from, from + sectors);
        let (mut gap, mut wanted) = (None, Wanted::default());
        for index in (t.first..=t.last).filter(|&index| !self.has_data(t.stripe, index)) {
            gap = hull(gap, Some(run(t.part(index, unit))));
            wanted.add_group(code.group_of(index));
        }
        let recipe = gap.map(|_| code.recipe(&self.missing_units(t.stripe, None), &wanted));
        let indices = if gap.is_some() { 0..self.layout.data_drives() } else { t.first..t.last + 1 };
        for index in indices {
            let home = self.layout.data_drive(t.stripe, index);
            let Some(drive) = self.unit_place(home, t.stripe) else { continue };
            let asked = (t.first..=t.last).contains(&index).then(|| run(t.part(index, unit)));
            let solving = gap.filter(|_| recipe.is_some_and(|r| r.reads_group(code.group_of(index))));
            let Some((from, until)) = hull(asked, solving) else { continue };
            let lbn = self.layout.stripe_lbn(t.stripe) + from;
            split.asked = asked.map_or(0, |(from, until)| until - from);
            self.plain(Extent { drive, lbn, sectors: until - from }, false, split);
        }
        split.asked = 0;
        for number in 0..self.layout.parity_units() {
            let solving = gap.filter(|_| recipe.is_some_and(|r| r.reads_parity(number)));
            let checks = self.parity_check_on_read && code.covers(number, t.first, t.last);
            let checked = checks.then(|| run(self.parity_part(t, number)));
            let Some((from, until)) = hull(solving, checked) else { continue };
            let Some(drive) = self.parity_place(t.stripe, number) else { continue };
            let lbn = self.layout.stripe_lbn(t.stripe) + from;
            self.plain(Extent { drive, lbn, sectors: until - from }, false, split);
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
        let parity = self.placed_parity(t);
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
        let missing = self.missing_units(t.stripe, None);
        let touched_missing =
            (t.first..=t.last).filter(|&index| !self.has_data(t.stripe, index)).count() as u64;
        let edge_missing =
            edges.iter().flatten().any(|&e| self.unit_place(e.drive as u64, t.stripe).is_none());
        let modify = (touched_missing == 0).then_some(t.units() + parities);
        let reconstruct = (touched_missing == missing.data_units() && !edge_missing)
            .then(|| data - t.units() + edges.iter().flatten().count() as u64);
        match (modify, reconstruct, self.small_write) {
            (Some(reads), None, _) | (Some(reads), Some(_), SmallWrite::ReadModifyWrite) => {
                self.modify_degraded(t, parity, reads, split);
            }
            (Some(reads), Some(others), SmallWrite::Auto | SmallWrite::ParityLog) if reads <= others => {
                self.modify_degraded(t, parity, reads, split);
            }
            (_, Some(reads), _) => self.reconstruct_degraded(t, parity, edges, reads, split),
            (None, None, _) => self.recompute(t, parity, &missing, split),
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
    fn modify_degraded(&mut self, t: &Touched, parity: Parity, reads: u64, split: &mut Splitting<'_>) {
        let row = self.begin_degraded_row(parity, reads as u32, split);
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
        parity: Parity,
        edges: [Option<Extent>; 2],
        reads: u64,
        split: &mut Splitting<'_>,
    ) {
        let row = self.begin_degraded_row(parity, reads as u32, split);
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
    fn recompute(&mut self, t: &Touched, parity: Parity, missing: &Missing, split: &mut Splitting<'_>) {
        let (data, code) = (self.layout.data_drives(), self.layout.code());
        let mut wanted = Wanted::default();
        wanted.add_global();
        let recipe = code.recipe(missing, &wanted);
        let reads = data - missing.data_units() + u64::from(recipe.parity_reads());
        let row = self.begin_degraded_row(parity, reads as u32, split);
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
        for number in (0..self.layout.parity_units()).filter(|&number| recipe.reads_parity(number)) {
            let Some(drive) = self.parity_place(t.stripe, number) else { continue };
            self.pre_read(Extent { drive, lbn, sectors }, row, NO_OP, split);
        }
    }

    /// Opens a parity update of the parity that is there, whose writes wait for `reads` reads.
    fn begin_degraded_row(&mut self, parity: Parity, reads: u32, split: &mut Splitting<'_>) -> u32 {
        split.asked = 0;
        let mut update = RowUpdate::waiting_for(reads);
        for extent in parity.into_iter().flatten() {
            update.push(self.make(extent, true, NO_OP, NO_OP, split));
        }
        split.asked = ALL;
        self.rows.insert(update)
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
        let (code, asked, mut wanted) = (self.layout.code(), split.asked, Wanted::default());
        match role {
            Role::Data(index) => wanted.add_group(code.group_of(index)),
            Role::Parity(number) if code.is_local(number) => wanted.add_group(number),
            _ => wanted.add_global(),
        }
        let recipe = code.recipe(&self.missing_units(stripe, Some(role)), &wanted);
        split.asked = 0;
        let data = (0..self.layout.data_drives())
            .filter(|&index| role != Role::Data(index) && recipe.reads_group(code.group_of(index)));
        for index in data {
            if let Some(drive) = self.unit_place(self.layout.data_drive(stripe, index), stripe) {
                self.plain(Extent { drive, lbn, sectors }, false, split);
            }
        }
        for number in (0..self.layout.parity_units()).filter(|&number| recipe.reads_parity(number)) {
            if let Some(drive) = self.parity_place(stripe, number) {
                self.plain(Extent { drive, lbn, sectors }, false, split);
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
