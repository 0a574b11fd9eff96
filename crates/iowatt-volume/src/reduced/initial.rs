//! What a reduced volume holds at the start, in closed form: no table for pages that nothing has touched.
//!
//! Pages are filled in runs of [`RUN`], and which runs is drawn for every group of 64 of them, so that the share of each
//! group is the whole's. Filled pages have a rank; of the ranks some are unique, evenly spread, and have the slots in
//! their order, others repeat one of these, each unique page being repeated equally often (by one at most).

use crate::plan::ReducedPlan;

/// Pages that are filled together.
pub(super) const RUN: u64 = 64;
/// Runs of a group.
const GROUP: u64 = 64;
/// One, in fixed point.
const ONE: u64 = 1 << 32;

/// The mapping of what nothing has touched.
#[derive(Clone, Debug)]
pub(super) struct Initial {
    seed: u64,
    /// Share of runs that are filled, and of filled pages that are unique; in fixed point.
    filled: u64,
    unique: u64,
    /// Filled pages, unique ones among them.
    pages: u64,
    slots: u64,
    /// Repetition `d` repeats slot `d * step + offset`, and the inverse of the step.
    step: u64,
    offset: u64,
    inverse: u64,
}

fn fixed(share: f64) -> u64 {
    (share * ONE as f64).round() as u64
}

fn of(count: u64, share: u64) -> u64 {
    ((u128::from(count) * u128::from(share)) >> 32) as u64
}

/// Most slots that are taken at the start, whatever the seed: as many runs of the last group as may be are filled.
#[must_use]
pub fn initial_slots(plan: &ReducedPlan) -> u64 {
    let (filled, unique) = (fixed(plan.filled), fixed(1.0 - plan.duplicates));
    let count = plan.capacity_bytes / plan.page_bytes;
    let runs = count.div_ceil(RUN).max(1);
    let last = (runs - 1) / GROUP;
    let there = runs - last * GROUP;
    let within = there.min(of((last + 1) * GROUP, filled) - of(last * GROUP, filled));
    let cut = if within == there { runs * RUN - count } else { 0 };
    let pages = (of(last * GROUP, filled) + within) * RUN - cut;
    of(pages, unique).max(u64::from(pages > 0))
}

impl Initial {
    pub fn new(plan: &ReducedPlan, seed: u64) -> Self {
        let (filled, unique) = (fixed(plan.filled), fixed(1.0 - plan.duplicates));
        let count = plan.capacity_bytes / plan.page_bytes;
        let runs = count.div_ceil(RUN).max(1);
        let mut initial = Self { seed, filled, unique, pages: 0, slots: 0, step: 0, offset: 0, inverse: 0 };
        // The last group may be a part of one, and the last run too: what is filled of them is counted.
        let last = (runs - 1) / GROUP;
        let mask = initial.mask(last);
        let within = (0..runs - last * GROUP).filter(|run| mask >> run & 1 == 1).count() as u64;
        let cut = if mask >> (runs - 1 - last * GROUP) & 1 == 1 { runs * RUN - count } else { 0 };
        initial.pages = (of(last * GROUP, filled) + within) * RUN - cut;
        initial.slots = of(initial.pages, unique).max(u64::from(initial.pages > 0));
        if initial.slots > 1 {
            let mut step = (initial.slots as f64 * 0.618_033_988_749_895) as u64 | 1;
            while gcd(step, initial.slots) != 1 {
                step += 1;
            }
            initial.step = step % initial.slots;
            initial.inverse = inverse(initial.step, initial.slots);
            initial.offset = hash(seed) % initial.slots;
        }
        initial
    }

    /// Slots taken: `0..slots`.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// Pages filled.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Which runs of a group are filled.
    fn mask(&self, group: u64) -> u64 {
        let count = of((group + 1) * GROUP, self.filled) - of(group * GROUP, self.filled);
        match count {
            0 => 0,
            GROUP => u64::MAX,
            _ => {
                let drawn = hash(self.seed ^ hash(group));
                let (a, b) = (drawn | 1, drawn >> 32);
                (0..GROUP)
                    .filter(|run| a.wrapping_mul(*run).wrapping_add(b) % GROUP < count)
                    .fold(0, |mask, run| mask | 1 << run)
            }
        }
    }

    /// Where the contents of a page are, if it has any.
    pub fn slot(&self, page: u64) -> Option<u32> {
        let rank = if self.filled == ONE {
            page
        } else {
            let run = page / RUN;
            let (group, within) = (run / GROUP, run % GROUP);
            let mask = self.mask(group);
            if mask >> within & 1 == 0 {
                return None;
            }
            let before = u64::from((mask & ((1 << within) - 1)).count_ones());
            (of(group * GROUP, self.filled) + before) * RUN + page % RUN
        };
        if self.unique == ONE {
            return Some(rank as u32);
        }
        let slot = of(rank, self.unique);
        if of(rank + 1, self.unique) > slot {
            return Some(slot as u32);
        }
        let repeats = rank - slot;
        let repeated = u128::from(repeats) * u128::from(self.step) + u128::from(self.offset);
        Some((repeated % u128::from(self.slots)) as u32)
    }

    /// How many pages have their contents in a slot.
    pub fn references(&self, slot: u64) -> u64 {
        if slot >= self.slots {
            return 0;
        }
        let unique = of(self.pages, self.unique);
        let (own, repeats) = (u64::from(slot < unique), self.pages - unique);
        if repeats == 0 {
            return own;
        }
        let behind = u128::from(slot + self.slots - self.offset) * u128::from(self.inverse);
        let first = (behind % u128::from(self.slots)) as u64;
        own + if first < repeats { 1 + (repeats - 1 - first) / self.slots } else { 0 }
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
fn hash(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The inverse of `a` modulo `n`, which have no common factor.
fn inverse(a: u64, n: u64) -> u64 {
    let (mut r, mut s) = ((i128::from(n), i128::from(a)), (0i128, 1i128));
    while r.1 != 0 {
        let q = r.0 / r.1;
        r = (r.1, r.0 - q * r.1);
        s = (s.1, s.0 - q * s.1);
    }
    s.0.rem_euclid(i128::from(n)) as u64
}
