//! Where data, parity and copies lie: pure arithmetic, no state.
//!
//! The four parity rotations are those of Linux md (drivers/md/raid5.c). Stripe `s` of a level with
//! `d` data drives holds the chunks `s*d .. s*d + d`, each `unit` sectors; every drive of the stripe uses
//! its own sectors `s*unit .. (s+1)*unit`.
//!
//! An erasure code of `m` parity units rotates as RAID-6 does: its parity lies on `m` consecutive drives, P first.
//!
//! With distributed sparing a stripe has one column more, of spare space. Stripe `s` then lies `s` drives to
//! the left of where stripe 0 lies, around all `n + 1` drives, and parity takes its next place among the
//! other `n` columns after every `n + 1` stripes: over `n + 1` consecutive stripes every drive holds the
//! spare space once and (each) parity once.

use super::code::{Code, Missing};
use crate::divisor::Divisor;
use crate::plan::{ParityLayout, RaidLevel, RaidPlan};

/// The arithmetic of one pool.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    level: RaidLevel,
    rotation: ParityLayout,
    code: Code,
    drives: Divisor,
    data: Divisor,
    unit: Divisor,
    /// Drives that stripes go around, the column of spare space included; 0 where there is none.
    around: u64,
    /// Stripes after which parity takes its next place; 0 where each stripe has its own.
    run: u64,
}

/// What a drive holds in a stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A data unit (or a copy of it), by its index in the stripe.
    Data(u64),
    /// Parity, by its number: 0 is P, 1 is Q; of an erasure code those of its groups come first.
    Parity(usize),
    /// Nothing, or spare space.
    Spare,
}

/// A run of sectors on one drive of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Drive within the pool.
    pub drive: usize,
    /// First sector on it.
    pub lbn: u64,
    /// Sectors.
    pub sectors: u64,
}

impl Layout {
    /// The arithmetic of `level` over `drives`. RAID-1 has no stripes: its unit is the whole drive.
    #[must_use]
    pub fn new(level: RaidLevel, rotation: ParityLayout, drives: usize, unit: u64) -> Self {
        Self::coded((level, Code::of_level(level, drives)), rotation, drives, unit)
    }

    /// The arithmetic of a pool, or of a set of chunklets, over `drives`, with stripe units of so many sectors.
    #[must_use]
    pub fn of(raid: &RaidPlan, drives: usize, unit: u64) -> Self {
        Self::coded((raid.level, Code::of(raid, drives)), raid.layout, drives, unit)
    }

    fn coded((level, code): (RaidLevel, Code), rotation: ParityLayout, drives: usize, unit: u64) -> Self {
        let drives = drives as u64;
        let (data, unit) = match level {
            RaidLevel::Raid1 => (1, u64::MAX),
            RaidLevel::Raid10 => (drives / 2, unit),
            _ => (drives - code.parity_units() as u64, unit),
        };
        let [drives, data, unit] = [drives, data, unit].map(Divisor::new);
        Self { level, rotation, code, drives, data, unit, around: 0, run: 0 }
    }

    /// Copies of units of `unit` sectors on each of `drives`: RAID-1 over a set of chunklets.
    #[must_use]
    pub fn replicas(rotation: ParityLayout, drives: usize, unit: u64) -> Self {
        Self { unit: Divisor::new(unit), ..Self::new(RaidLevel::Raid1, rotation, drives, unit) }
    }

    /// The same with a column of spare space, over one drive more.
    #[must_use]
    pub fn with_distributed_spare(self) -> Self {
        let around = self.drives.value() + 1;
        Self { around, run: around, ..self }
    }

    /// The same with the parity of so many consecutive stripes on the same drives.
    #[must_use]
    pub fn with_parity_runs(self, run: u64) -> Self {
        Self { run, ..self }
    }

    /// Drive of the spare space in a stripe, with distributed sparing.
    #[must_use]
    pub fn spare_drive(&self, stripe: u64) -> u64 {
        self.turned(stripe, self.drives.value())
    }

    /// Of the first `stripes`, how many have their spare space on `drive`.
    #[must_use]
    pub fn spare_stripes(&self, stripes: u64, drive: u64) -> u64 {
        if self.around == 0 {
            return 0;
        }
        let first = (self.around + self.drives.value() - drive) % self.around;
        (stripes + self.around - 1 - first) / self.around
    }

    /// Stripe by whose number parity rotates.
    #[inline]
    fn turn(&self, stripe: u64) -> u64 {
        stripe.checked_div(self.run).unwrap_or(stripe)
    }

    /// Drive of a column in a stripe.
    #[inline]
    fn turned(&self, stripe: u64, column: u64) -> u64 {
        if self.around == 0 { column } else { (column + self.around - stripe % self.around) % self.around }
    }

    /// What `drive` holds in a stripe.
    #[must_use]
    pub fn role(&self, stripe: u64, drive: u64) -> Role {
        let column = if self.around == 0 { drive } else { (drive + stripe) % self.around };
        if column >= self.drives.value() {
            return Role::Spare;
        }
        if self.parity_units() > 0 {
            let p = self.parity_column(self.turn(stripe));
            let behind = if column >= p { column - p } else { column + self.drives.value() - p };
            if behind < self.parity_units() as u64 {
                return Role::Parity(behind as usize);
            }
            let index = (0..self.data.value()).find(|&i| self.data_drive(stripe, i) == drive);
            return index.map_or(Role::Spare, Role::Data);
        }
        Role::Data(self.data.remainder(column))
    }

    /// Data drives of a stripe.
    #[must_use]
    #[inline]
    pub fn data_drives(&self) -> u64 {
        self.data.value()
    }

    /// Parity units of a stripe.
    #[must_use]
    #[inline]
    pub fn parity_units(&self) -> usize {
        self.code.parity_units()
    }

    /// What the parity units cover.
    #[must_use]
    #[inline]
    pub fn code(&self) -> Code {
        self.code
    }

    /// Whether the units of a stripe that are missing can be computed.
    #[must_use]
    pub fn is_decodable(&self, stripe: u64, is_missing: impl Fn(u64) -> bool) -> bool {
        let mut missing = Missing::default();
        for index in (0..self.data_drives()).filter(|&index| is_missing(self.data_drive(stripe, index))) {
            missing.add_data(self.code.group_of(index));
        }
        for number in (0..self.parity_units()).filter(|&number| is_missing(self.parity_drive(stripe, number)))
        {
            missing.add_parity(number);
        }
        self.code.is_decodable(&missing)
    }

    /// Stripes after which drives repeat their roles.
    #[must_use]
    pub fn period(&self) -> u64 {
        self.drives.value() * self.run.max(1)
    }

    /// Sectors of a stripe unit.
    #[must_use]
    #[inline]
    pub fn unit(&self) -> u64 {
        self.unit.value()
    }

    /// Sectors that the pool offers over drives of `drive_sectors`: whole stripes only.
    #[must_use]
    pub fn capacity(&self, drive_sectors: u64) -> u64 {
        if self.level == RaidLevel::Raid1 {
            return drive_sectors;
        }
        self.unit.quotient(drive_sectors) * self.unit.value() * self.data.value()
    }

    /// Stripe and index in the stripe of the unit that holds `sector`, and the offset in that unit.
    #[must_use]
    #[inline]
    pub fn locate(&self, sector: u64) -> (u64, u64, u64) {
        let (chunk, within) = self.unit.divide(sector);
        let (stripe, index) = self.data.divide(chunk);
        (stripe, index, within)
    }

    /// First sector of stripe `stripe` on each of its drives.
    #[must_use]
    #[inline]
    pub fn stripe_lbn(&self, stripe: u64) -> u64 {
        if stripe == 0 { 0 } else { stripe * self.unit.value() }
    }

    /// Drive of parity unit `number` of a stripe: 0 is P, and the others follow it.
    #[must_use]
    #[inline]
    pub fn parity_drive(&self, stripe: u64, number: usize) -> u64 {
        self.turned(stripe, self.wrapped(self.parity_column(self.turn(stripe)) + number as u64))
    }

    /// A column at most a round further on than the last one, in the round before.
    #[inline]
    fn wrapped(&self, column: u64) -> u64 {
        column.min(column.wrapping_sub(self.drives.value())) // where there is nothing to take off, it wraps to more
    }

    #[inline]
    fn parity_column(&self, stripe: u64) -> u64 {
        let last = self.drives.value() - 1;
        match (self.level, self.rotation) {
            (RaidLevel::Raid4, _) => last,
            (_, ParityLayout::LeftSymmetric | ParityLayout::LeftAsymmetric) => {
                last - self.drives.remainder(stripe)
            }
            (_, ParityLayout::RightSymmetric | ParityLayout::RightAsymmetric) => {
                self.drives.remainder(stripe)
            }
        }
    }

    /// Drive of data unit `index` of a stripe (RAID-10: its first copy).
    #[must_use]
    #[inline]
    pub fn data_drive(&self, stripe: u64, index: u64) -> u64 {
        self.turned(stripe, self.data_column(self.turn(stripe), index))
    }

    #[inline]
    fn data_column(&self, stripe: u64, index: u64) -> u64 {
        let n = self.drives.value();
        match self.level {
            RaidLevel::Raid0 | RaidLevel::Raid1 | RaidLevel::Raid10 | RaidLevel::Raid4 => index,
            RaidLevel::Raid5 | RaidLevel::Raid6 | RaidLevel::Ec => {
                let p = self.parity_column(stripe);
                let parities = n - self.data.value();
                match self.rotation {
                    ParityLayout::LeftSymmetric | ParityLayout::RightSymmetric => {
                        self.wrapped(self.wrapped(p + parities + index))
                    }
                    // Parity that begins on one of the last drives goes on at drive 0: data starts after it.
                    _ if p + parities > n => index + (p + parities - n),
                    _ if index >= p => index + parities,
                    _ => index,
                }
            }
        }
    }

    /// Drives that hold a copy of what `drive` holds, itself first (RAID-1 and RAID-10).
    pub fn copies(&self, drive: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let (step, count) = match self.level {
            RaidLevel::Raid1 => (1, self.drives.value() as usize),
            RaidLevel::Raid10 => (self.data.value() as usize, 2),
            _ => (0, 1),
        };
        let around = if self.around == 0 { usize::MAX } else { self.around as usize };
        (0..count).map(move |copy| {
            let column = drive + copy * step;
            if column < around { column } else { column - around }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::CodePlan;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const ROTATIONS: [ParityLayout; 4] = [
        ParityLayout::LeftSymmetric,
        ParityLayout::LeftAsymmetric,
        ParityLayout::RightSymmetric,
        ParityLayout::RightAsymmetric,
    ];

    /// A level that rotates parity, over `n` drives: RAID-5, RAID-6, or a code with `more` parity units, some of them local.
    fn rotating(more: usize, rotation: usize, n: usize) -> Layout {
        let rotation = ROTATIONS[rotation];
        let groups = if more > 3 && (n - more).is_multiple_of(2) { 2 } else { 0 };
        let code = CodePlan { data: n - more, parity: more - groups, local_groups: groups };
        match more {
            1 => Layout::new(RaidLevel::Raid5, rotation, n, 8),
            2 => Layout::new(RaidLevel::Raid6, rotation, n, 8),
            _ => Layout::coded((RaidLevel::Ec, Code::of_plan(code)), rotation, n, 8),
        }
    }

    /// Drives of a stripe: data units in order, then parity units.
    fn stripe(l: &Layout, s: u64) -> Vec<u64> {
        let mut drives: Vec<u64> = (0..l.data_drives()).map(|i| l.data_drive(s, i)).collect();
        drives.extend((0..l.parity_units()).map(|number| l.parity_drive(s, number)));
        drives
    }

    #[test]
    fn raid5_layouts_of_four_drives_as_md_draws_them() {
        // Rows: stripe 0, 1; columns: drives of data units 0, 1, 2, then of parity.
        let rows = |rotation| {
            let l = Layout::new(RaidLevel::Raid5, rotation, 4, 8);
            [stripe(&l, 0), stripe(&l, 1)]
        };
        assert_eq!(rows(ParityLayout::LeftSymmetric), [[0, 1, 2, 3], [3, 0, 1, 2]]);
        assert_eq!(rows(ParityLayout::LeftAsymmetric), [[0, 1, 2, 3], [0, 1, 3, 2]]);
        assert_eq!(rows(ParityLayout::RightSymmetric), [[1, 2, 3, 0], [2, 3, 0, 1]]);
        assert_eq!(rows(ParityLayout::RightAsymmetric), [[1, 2, 3, 0], [0, 2, 3, 1]]);
    }

    #[test]
    fn raid6_asymmetric_skips_both_parities() {
        let l = Layout::new(RaidLevel::Raid6, ParityLayout::LeftAsymmetric, 5, 8);
        assert_eq!(stripe(&l, 0), [1, 2, 3, 4, 0]); // P on 4, Q wraps to 0
        assert_eq!(stripe(&l, 1), [0, 1, 2, 3, 4]);
        assert_eq!(stripe(&l, 2), [0, 1, 4, 2, 3]);
    }

    #[test]
    fn copies_of_mirrors() {
        let l = Layout::new(RaidLevel::Raid10, ParityLayout::LeftSymmetric, 8, 8);
        assert_eq!(l.copies(2).collect::<Vec<_>>(), [2, 6]);
        let l = Layout::new(RaidLevel::Raid1, ParityLayout::LeftSymmetric, 3, 8);
        assert_eq!(l.copies(0).collect::<Vec<_>>(), [0, 1, 2]);
    }

    proptest! {
        /// V16: every stripe uses distinct drives; over n stripes parity visits each drive once.
        #[test]
        fn parity_is_balanced(n in 9usize..40, rotation in 0usize..4, start in 0u64..1000, more in 1usize..9) {
            let l = rotating(more, rotation, n);
            let mut parity = BTreeSet::new();
            for s in start..start + n as u64 {
                let used: BTreeSet<u64> = stripe(&l, s).into_iter().collect();
                prop_assert_eq!(used, (0..n as u64).collect::<BTreeSet<_>>());
                parity.insert(l.parity_drive(s, more - 1));
            }
            prop_assert_eq!(parity.len(), n);
        }

        /// V16: left-symmetric spreads any n consecutive chunks over all n drives.
        #[test]
        fn left_symmetric_touches_all_drives(n in 3u64..40, first in 0u64..10_000) {
            let l = Layout::new(RaidLevel::Raid5, ParityLayout::LeftSymmetric, n as usize, 8);
            let drives: BTreeSet<u64> = (first..first + n)
                .map(|chunk| l.data_drive(chunk / (n - 1), chunk % (n - 1)))
                .collect();
            prop_assert_eq!(drives.len() as u64, n);
        }

        /// Distributed sparing: in every stripe the spare space has a drive of its own, and over n + 1
        /// stripes every drive holds it once and parity once.
        #[test]
        fn spare_space_and_parity_go_around(n in 9usize..20, rotation in 0usize..4, start in 0u64..1000, more in 1usize..9) {
            let l = rotating(more, rotation, n).with_distributed_spare();
            let around = n as u64 + 1;
            let first = start * around;
            for drive in 0..around {
                let counted = (0..start + 3).filter(|&s| l.spare_drive(s) == drive).count() as u64;
                prop_assert_eq!(l.spare_stripes(start + 3, drive), counted);
            }
            let (mut spares, mut parities) = (BTreeSet::new(), BTreeSet::new());
            for s in first..first + around {
                let mut used = stripe(&l, s);
                used.push(l.spare_drive(s));
                prop_assert_eq!(used.iter().copied().collect::<BTreeSet<_>>(), (0..around).collect());
                spares.insert(l.spare_drive(s));
                parities.insert(l.parity_drive(s, more - 1));
            }
            prop_assert_eq!(spares.len() as u64, around);
            prop_assert_eq!(parities.len() as u64, around);
        }

        /// What a drive holds agrees with where things lie.
        #[test]
        fn roles_are_the_inverse_of_places(n in 9usize..16, rotation in 0usize..4, level in 0usize..10, s in 0u64..5000, spread in any::<bool>()) {
            let l = match level {
                0 => Layout::new(RaidLevel::Raid10, ROTATIONS[rotation], n / 2 * 2, 8),
                9 => Layout::new(RaidLevel::Raid4, ROTATIONS[rotation], n, 8),
                more => rotating(more, rotation, n),
            };
            let l = if spread { l.with_distributed_spare() } else { l };
            for index in 0..l.data_drives() {
                for copy in l.copies(l.data_drive(s, index) as usize) {
                    prop_assert_eq!(l.role(s, copy as u64), Role::Data(index));
                }
            }
            for number in 0..l.parity_units() {
                prop_assert_eq!(l.role(s, l.parity_drive(s, number)), Role::Parity(number));
            }
            if spread {
                prop_assert_eq!(l.role(s, l.spare_drive(s)), Role::Spare);
            }
        }

        /// RAID-4 keeps all parity on the last drive.
        #[test]
        fn raid4_parity_is_last(n in 3usize..40, s in 0u64..10_000) {
            let l = Layout::new(RaidLevel::Raid4, ParityLayout::LeftSymmetric, n, 8);
            prop_assert_eq!(l.parity_drive(s, 0), n as u64 - 1);
        }

        /// No two sectors of the pool share a place, and none lies on parity.
        #[test]
        fn sectors_have_places_of_their_own(n in 4usize..10, rotation in 0usize..4, level in 0usize..5) {
            let level = [RaidLevel::Raid0, RaidLevel::Raid10, RaidLevel::Raid4, RaidLevel::Raid5, RaidLevel::Raid6][level];
            let n = if level == RaidLevel::Raid10 { n / 2 * 2 } else { n };
            let l = Layout::new(level, ROTATIONS[rotation], n, 4);
            let mut seen = BTreeSet::new();
            for sector in 0..l.capacity(4 * 3 * n as u64) {
                let (s, i, within) = l.locate(sector);
                let drive = l.data_drive(s, i);
                prop_assert!(seen.insert((drive, l.stripe_lbn(s) + within)));
                for number in 0..l.parity_units() {
                    prop_assert_ne!(drive, l.parity_drive(s, number));
                }
            }
        }
    }
}
