//! The probability that not all data can be reached, with so many members lost.
//!
//! Units of failure domains are up or down independently of each other and of drives, each in its steady state. Up to
//! three units down at once are enumerated; of many units, up to eight at once are sampled. What lies beyond is left
//! out. Lost members are any that the data survives, averaged over a fixed sample of them.

use crate::code::{Code, Loss};
use crate::plan::GroupPlan;
use crate::rng::Random;
use std::collections::BTreeMap;

/// Lost members that are looked at; more are taken like the most of these.
const DEEPEST: usize = 8;
/// Samples of lost members.
const SAMPLES: usize = 24;
/// Most units whose combinations are all looked at, and how many of them are down at once.
const FEW_UNITS: usize = 48;
const FEW_DOWN: usize = 3;
/// How many of more units are down at once, and samples of such combinations.
const MANY_DOWN: usize = 8;
const DRAWS: usize = 48;

/// Probabilities by members lost.
#[derive(Clone, Debug)]
pub struct Unavailable(Vec<f64>);

/// A unit: how likely it is down, and the members in it.
struct Unit {
    down: f64,
    members: Vec<u32>,
}

impl Unavailable {
    /// Those of a group.
    #[must_use]
    pub fn new(group: &GroupPlan, code: &Code) -> Self {
        let units = units(group);
        if units.is_empty() {
            return Self(vec![0.0]);
        }
        let mut random = Random::new(0, 0);
        let mut found = Vec::new();
        for lost in 0..=DEEPEST {
            let samples = if lost == 0 { 1 } else { SAMPLES };
            let drawn: Vec<Vec<u32>> =
                (0..samples).filter_map(|_| survivable(group, code, lost, &mut random)).collect();
            if drawn.is_empty() {
                break;
            }
            let sum: f64 = drawn.iter().map(|lost| unreachable(group, code, lost, &units)).sum();
            found.push(sum / drawn.len() as f64);
        }
        Self(found)
    }

    /// With so many members lost.
    #[must_use]
    pub fn with(&self, lost: usize) -> f64 {
        self.0[lost.min(self.0.len() - 1)]
    }
}

impl Unit {
    fn odds(&self) -> f64 {
        self.down / (1.0 - self.down)
    }
}

fn units(group: &GroupPlan) -> Vec<Unit> {
    let mut found = Vec::new();
    for domain in group.domains.iter().filter(|domain| domain.failures_per_s > 0.0) {
        let load = domain.failures_per_s * domain.repair_s;
        let mut members = vec![Vec::new(); domain.units as usize];
        for member in 0..group.members {
            members[domain.unit(member, group.members) as usize].push(member);
        }
        let used = members.into_iter().filter(|members| !members.is_empty());
        found.extend(used.map(|members| Unit { down: load / (1.0 + load), members }));
    }
    found
}

/// Members, drawn one after the other, whose loss the data survives; none where there are no such.
fn survivable(group: &GroupPlan, code: &Code, lost: usize, random: &mut Random) -> Option<Vec<u32>> {
    let mut drawn: Vec<u32> = Vec::new();
    for _ in 0..64 * (lost + 1) {
        if drawn.len() == lost {
            return Some(drawn);
        }
        let member = random.below(group.members);
        if drawn.contains(&member) {
            continue;
        }
        drawn.push(member);
        if code.survival(&pattern(group, code, &drawn)) < 1e-9 {
            drawn.pop();
        }
    }
    None
}

fn pattern(group: &GroupPlan, code: &Code, members: &[u32]) -> Vec<Loss> {
    let mut cells: BTreeMap<(usize, u32), u32> = BTreeMap::new();
    for &member in members {
        *cells.entry(code.cell(group, member)).or_default() += 1;
    }
    cells.into_iter().map(|((class, _), lost)| (class, lost)).collect()
}

/// Probability that the units that are down make data unreachable, with these members lost.
fn unreachable(group: &GroupPlan, code: &Code, lost: &[u32], units: &[Unit]) -> f64 {
    let before = pattern(group, code, lost);
    let fails = |down: &[usize]| {
        let mut members = lost.to_vec();
        down.iter().for_each(|&unit| members.extend(&units[unit].members));
        members.sort_unstable();
        members.dedup();
        code.loses(&before, &pattern(group, code, &members))
    };
    let none_down = units.iter().map(|unit| (-unit.down).ln_1p()).sum::<f64>().exp();
    if units.len() <= FEW_UNITS {
        let mut sum = 0.0;
        enumerate(units, 0, &mut Vec::new(), &mut |down| {
            let odds: f64 = down.iter().map(|&unit| units[unit].odds()).product();
            sum += none_down * odds * fails(down);
        });
        return sum;
    }
    // Elementary symmetric sums of the odds: how likely so many are down.
    let mut sums = [0.0; MANY_DOWN + 1];
    sums[0] = 1.0;
    for unit in units {
        for count in (1..=MANY_DOWN).rev() {
            sums[count] += sums[count - 1] * unit.odds();
        }
    }
    let mut random = Random::new(1, 0);
    let mut sum = 0.0;
    for (count, likely) in sums.iter().enumerate().skip(1) {
        let drawn = (0..DRAWS).map(|_| fails(&some(units, count, sums[1], &mut random))).sum::<f64>();
        sum += none_down * likely * drawn / DRAWS as f64;
    }
    sum
}

/// So many different units, each drawn by its odds.
fn some(units: &[Unit], count: usize, all: f64, random: &mut Random) -> Vec<usize> {
    let mut down = Vec::new();
    while down.len() < count {
        let mut left = random.unit() * all;
        let drawn = units.iter().position(|unit| {
            left -= unit.odds();
            left <= 0.0
        });
        let drawn = drawn.unwrap_or(units.len() - 1);
        if !down.contains(&drawn) {
            down.push(drawn);
        }
    }
    down
}

/// Calls for every set of one to [`FEW_DOWN`] units.
fn enumerate(units: &[Unit], from: usize, down: &mut Vec<usize>, call: &mut dyn FnMut(&[usize])) {
    for unit in from..units.len() {
        down.push(unit);
        call(down);
        if down.len() < FEW_DOWN {
            enumerate(units, unit + 1, down, call);
        }
        down.pop();
    }
}
