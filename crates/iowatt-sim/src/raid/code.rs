//! What the parity units of a stripe cover, which of them a write changes, and what missing units are computed from.
//!
//! A stripe has `locals` parity units that cover a group of data units each, numbered first, and then `globals`
//! that cover all of them. RAID-5 and RAID-6 have no groups and one or two globals, as a Reed-Solomon code has `m`.
//!
//! With groups it is a local reconstruction code (Huang et al., Erasure Coding in Windows Azure Storage, USENIX
//! ATC 2012), taken as maximally recoverable: it restores every loss that a code of its shape can, that is one
//! unit of each group, and besides these as many more as there are globals.

use crate::plan::{CodePlan, MAX_PARITY, RaidLevel, RaidPlan};

/// The parity units of a stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    locals: usize,
    globals: usize,
    /// Data units of a group; without groups all of them.
    group: u64,
}

/// Units of a stripe that are missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Missing {
    /// Data units, by group.
    data: [u64; MAX_PARITY],
    /// Parity units, a bit each.
    parity: u32,
}

impl Missing {
    /// A data unit of `group` is missing.
    pub fn add_data(&mut self, group: usize) {
        self.data[group] += 1;
    }

    /// A parity unit is missing.
    pub fn add_parity(&mut self, number: usize) {
        self.parity |= 1 << number;
    }

    /// Data units that are missing.
    #[must_use]
    pub fn data_units(&self) -> u64 {
        self.data.iter().sum()
    }

    fn lacks(&self, number: usize) -> bool {
        self.parity >> number & 1 == 1
    }
}

/// What missing units are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    groups: u32,
    global: bool,
}

impl Wanted {
    /// A unit of a group: data or its local parity.
    pub fn add_group(&mut self, group: usize) {
        self.groups |= 1 << group;
    }

    /// A parity unit that covers all data.
    pub fn add_global(&mut self) {
        self.global = true;
    }
}

/// The units that missing ones are computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Groups whose data is read, a bit each.
    groups: u32,
    parity: u32,
}

impl Recipe {
    /// Whether data units of `group` that are there are read.
    #[must_use]
    pub fn reads_group(&self, group: usize) -> bool {
        self.groups >> group & 1 == 1
    }

    /// Whether a parity unit is read.
    #[must_use]
    pub fn reads_parity(&self, number: usize) -> bool {
        self.parity >> number & 1 == 1
    }

    /// Parity units that are read.
    #[must_use]
    pub fn parity_reads(&self) -> u32 {
        self.parity.count_ones()
    }
}

impl Code {
    /// The code of a level over stripes of `width` units.
    #[must_use]
    pub fn of(raid: &RaidPlan, width: usize) -> Self {
        match raid.code {
            Some(code) => Self::of_plan(code),
            None => Self::of_level(raid.level, width),
        }
    }

    /// The code of a plan.
    #[must_use]
    pub fn of_plan(code: CodePlan) -> Self {
        Self::with_groups(code.data as u64, code.local_groups, code.parity)
    }

    /// The code of a level that its name says.
    #[must_use]
    pub fn of_level(level: RaidLevel, width: usize) -> Self {
        let globals = match level {
            RaidLevel::Raid4 | RaidLevel::Raid5 => 1,
            RaidLevel::Raid6 => 2,
            RaidLevel::Raid0 | RaidLevel::Raid1 | RaidLevel::Raid10 | RaidLevel::Ec => 0,
        };
        Self::with_groups((width - globals.min(width)) as u64, 0, globals)
    }

    fn with_groups(data: u64, locals: usize, globals: usize) -> Self {
        Self { locals, globals, group: if locals == 0 { data.max(1) } else { data / locals as u64 } }
    }

    /// Parity units of a stripe.
    #[must_use]
    #[inline]
    pub fn parity_units(&self) -> usize {
        self.locals + self.globals
    }

    /// Whether some parity units cover a group only.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        self.locals > 0
    }

    /// Whether a parity unit covers one group only.
    #[must_use]
    #[inline]
    pub fn is_local(&self, number: usize) -> bool {
        number < self.locals
    }

    /// The group of a data unit; 0 where there are none.
    #[must_use]
    #[inline]
    pub fn group_of(&self, index: u64) -> usize {
        if self.locals == 0 { 0 } else { (index / self.group) as usize }
    }

    /// Data units of a group: the first, and one past the last.
    #[must_use]
    pub fn members(&self, group: usize) -> (u64, u64) {
        let first = group as u64 * self.group;
        (first, first + self.group)
    }

    /// Parity units that a change of data units `first..=last` changes, in order.
    #[inline]
    pub fn covering(&self, first: u64, last: u64) -> impl Iterator<Item = usize> + Clone + use<> {
        let locals = self.locals;
        let (from, until) = (self.group_of(first), self.group_of(last));
        (from..self.parity_units()).filter(move |&number| number <= until || number >= locals)
    }

    /// Whether `number` is one of them.
    #[must_use]
    pub fn covers(&self, number: usize, first: u64, last: u64) -> bool {
        !self.is_local(number) || (self.group_of(first)..=self.group_of(last)).contains(&number)
    }

    /// How many these are.
    #[must_use]
    #[inline]
    pub fn covering_count(&self, first: u64, last: u64) -> usize {
        let locals = if self.locals == 0 { 0 } else { self.group_of(last) - self.group_of(first) + 1 };
        locals + self.globals
    }

    /// Units of a group that are missing, its parity included.
    fn missing_of(&self, missing: &Missing, group: usize) -> u64 {
        missing.data[group] + u64::from(self.is_local(group) && missing.lacks(group))
    }

    /// Whether all data can be had or computed.
    #[must_use]
    pub fn is_decodable(&self, missing: &Missing) -> bool {
        let globals =
            (self.locals..self.parity_units()).filter(|&number| !missing.lacks(number)).count() as u64;
        if self.locals == 0 {
            return missing.data[0] <= globals;
        }
        let beyond_one = |group| self.missing_of(missing, group).saturating_sub(1);
        (0..self.locals).map(beyond_one).sum::<u64>() <= globals
    }

    /// What the wanted units are computed from: a group's own units where nothing else of it is missing; else all data,
    /// then the parity of groups that lack data, then globals, until as many units are read as there are of data.
    #[must_use]
    pub fn recipe(&self, missing: &Missing, wanted: &Wanted) -> Recipe {
        let mut asked = (0..self.locals).filter(|&group| wanted.groups >> group & 1 == 1);
        let local =
            self.locals > 0 && !wanted.global && asked.all(|group| self.missing_of(missing, group) <= 1);
        if local {
            return Recipe { groups: wanted.groups, parity: wanted.groups & !missing.parity };
        }
        let (mut parity, mut needed) = (0, missing.data_units());
        for number in 0..self.parity_units() {
            let helps = !self.is_local(number) || missing.data[number] > 0;
            if needed > 0 && helps && !missing.lacks(number) {
                parity |= 1 << number;
                needed -= 1;
            }
        }
        Recipe { groups: u32::MAX, parity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PRIME: u64 = (1 << 31) - 1;

    fn power(base: u64, mut exponent: u64) -> u64 {
        let (mut base, mut result) = (base, 1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * base % PRIME;
            }
            base = base * base % PRIME;
            exponent >>= 1;
        }
        result
    }

    /// Rank of rows of numbers modulo [`PRIME`].
    fn rank(mut rows: Vec<Vec<u64>>) -> usize {
        let columns = rows.first().map_or(0, Vec::len);
        let mut rank = 0;
        for column in 0..columns {
            let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
            rows.swap(rank, pivot);
            let inverse = power(rows[rank][column], PRIME - 2);
            let top = rows[rank].clone();
            for row in &mut rows[rank + 1..] {
                let factor = row[column] * inverse % PRIME;
                for (value, &above) in row.iter_mut().zip(&top) {
                    *value = (*value + (PRIME - factor) * above) % PRIME;
                }
            }
            rank += 1;
        }
        rank
    }

    /// Every unit as a sum of the data units, with coefficients drawn at random from a large field: a code that restores
    /// whatever one of its shape can, but for a chance of some parts in 2^31.
    fn equations(plan: CodePlan, seed: u64) -> Vec<Vec<u64>> {
        let code = Code::of_plan(plan);
        let mut random = seed | 1;
        let mut draw = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            1 + (random >> 33) % (PRIME - 1)
        };
        let data = plan.data;
        let mut rows: Vec<Vec<u64>> =
            (0..data).map(|i| (0..data).map(|j| u64::from(i == j)).collect()).collect();
        for number in 0..code.parity_units() {
            let covered = |index: usize| code.covers(number, index as u64, index as u64);
            rows.push((0..data).map(|index| if covered(index) { draw() } else { 0 }).collect());
        }
        rows
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Linear algebra as the oracle: a loss is survived if and only if the units that are left determine the data,
        /// and what a recipe reads determines what is wanted, with as few reads as one of its kind can do with.
        #[test]
        fn recipes_solve_what_can_be_solved(
            shape in 0usize..7, lost in 0usize..6, at in prop::collection::vec(0usize..1_000, 6), seed in any::<u64>(),
        ) {
            let (data, parity, local_groups) =
                [(4, 2, 0), (8, 3, 0), (17, 3, 0), (12, 2, 2), (6, 1, 3), (4, 3, 2), (3, 1, 0)][shape];
            let plan = CodePlan { data, parity, local_groups };
            let (code, rows) = (Code::of_plan(plan), equations(plan, seed));
            let mut gone: Vec<usize> = at[..lost].iter().map(|at| at % plan.width()).collect();
            gone.sort_unstable();
            gone.dedup();
            let mut missing = Missing::default();
            for &unit in &gone {
                if unit < data { missing.add_data(code.group_of(unit as u64)) } else { missing.add_parity(unit - data) }
            }
            let left: Vec<_> = (0..rows.len()).filter(|unit| !gone.contains(unit)).collect();
            let of = |units: &[usize]| units.iter().map(|&unit| rows[unit].clone()).collect::<Vec<_>>();
            let decodable = rank(of(&left)) == data;
            prop_assert_eq!(code.is_decodable(&missing), decodable, "{:?} of {:?}", gone, plan);
            for &unit in gone.iter().filter(|_| decodable) {
                let mut wanted = Wanted::default();
                let own = unit.checked_sub(data);
                match own {
                    None => wanted.add_group(code.group_of(unit as u64)),
                    Some(number) if code.is_local(number) => wanted.add_group(number),
                    Some(_) => wanted.add_global(),
                }
                let recipe = code.recipe(&missing, &wanted);
                let read: Vec<_> = left.iter().copied().filter(|&unit| match unit.checked_sub(data) {
                    None => recipe.reads_group(code.group_of(unit as u64)),
                    Some(number) => recipe.reads_parity(number),
                }).collect();
                let mut with = read.clone();
                with.push(unit);
                prop_assert_eq!(rank(of(&with)), rank(of(&read)), "{} of {:?}: {:?}", unit, gone, read);
                // Of a group that lacks nothing else its other units are read, else as many as there are of data.
                let group = own.unwrap_or_else(|| code.group_of(unit as u64));
                let alone = local_groups > 0 && own.is_none_or(|number| number < local_groups)
                    && gone.iter().filter(|&&other| match other.checked_sub(data) {
                        None => code.group_of(other as u64) == group,
                        Some(number) => number == group,
                    }).count() == 1;
                prop_assert_eq!(read.len(), if alone { data / local_groups } else { data });
            }
        }
    }
}
