//! The state of one group in a trial: lost members, what their repair waits for, and the ages of drives.

use crate::code::{Code, Loss};
use crate::hazard::{Frailty, Hazard};
use crate::plan::{DelayPlan, GroupPlan, Law};
use crate::repair::waiting;
use crate::rng::Random;

/// What a group is, as trials need it.
#[derive(Debug)]
pub struct Model<'a> {
    pub group: &'a GroupPlan,
    pub code: &'a Code,
    pub hazard: Hazard,
    /// Age of all drives at the start.
    pub age: f64,
    pub batches: u32,
    pub frailty: Option<Frailty>,
    /// Failures a second that destroy members, by domain.
    pub unit_rates: Vec<f64>,
    pub units_rate: f64,
    /// Whether drives of one batch differ by when they came.
    ages: bool,
    /// Class and number of each member's cell.
    cells: Vec<(usize, u32)>,
}

/// A drive that is not of the first ones.
#[derive(Clone, Copy, Debug)]
struct Drive {
    slot: u32,
    /// When it came.
    born: f64,
    factor: f64,
}

#[derive(Clone, Copy, Debug)]
struct Lost {
    slot: u32,
    cell: (usize, u32),
    /// Whether a unit of a domain took it.
    by: Option<usize>,
}

/// What happens next without a failure.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A loss is noticed.
    Detected(usize),
    /// A drive arrives.
    Arrived(usize),
    /// A rebuild ends.
    Rebuilt(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    First,
    Later,
    Lost,
}

/// The state of a group at a time.
#[derive(Clone, Debug)]
pub struct State {
    pub time: f64,
    lost: Vec<Lost>,
    slots: Vec<Slot>,
    /// First drives that live, and the factor, by batch.
    first: Vec<(u32, f64)>,
    later: Vec<Drive>,
    /// When losses will be noticed, and ordered drives come.
    undetected: Vec<f64>,
    orders: Vec<f64>,
    /// What is left of each rebuild under way, in rebuilds.
    work: Vec<f64>,
}

impl<'a> Model<'a> {
    pub fn new(group: &'a GroupPlan, code: &'a Code) -> Self {
        let (hazard, age) = Hazard::new(&group.life);
        let rate = |d: &crate::plan::DomainPlan| f64::from(d.units) * d.failures_per_s * d.lost_share;
        let unit_rates: Vec<f64> = group.domains.iter().map(rate).collect();
        let frailty = group.batches.as_ref().map(Frailty::new);
        Self {
            age,
            batches: group.batches.map_or(1, |plan| plan.batches.min(group.members)),
            ages: frailty.is_some() || !matches!(hazard, Hazard::Constant(_)),
            frailty,
            units_rate: unit_rates.iter().sum(),
            unit_rates,
            cells: (0..group.members).map(|member| code.cell(group, member)).collect(),
            hazard,
            group,
            code,
        }
    }
}

fn drawn(plan: DelayPlan, random: &mut Random) -> f64 {
    match plan.law {
        Law::Fixed => plan.mean_s,
        Law::Exponential => plan.mean_s * random.exponential(),
    }
}

impl State {
    /// A group of which nothing is lost.
    pub fn new(model: &Model<'_>) -> Self {
        let mut first = vec![(0, 1.0); model.batches as usize];
        (0..model.group.members).for_each(|slot| first[(slot % model.batches) as usize].0 += 1);
        Self {
            time: 0.0,
            lost: Vec::new(),
            slots: vec![Slot::First; model.group.members as usize],
            first,
            later: Vec::new(),
            undetected: Vec::new(),
            orders: Vec::new(),
            work: Vec::new(),
        }
    }

    /// Draws the factors of the first batches; the likelihood ratio of how they were drawn.
    pub fn draw_batches(&mut self, model: &Model<'_>, random: &mut Random) -> f64 {
        let Some(frailty) = model.frailty else { return 1.0 };
        let mut ratio = 1.0;
        for batch in &mut self.first {
            let (factor, of) = frailty.draw_often(model.batches, random);
            batch.1 = factor;
            ratio *= of;
        }
        ratio
    }

    /// Copies `other`, keeping what is allocated.
    pub fn copy(&mut self, other: &Self) {
        self.time = other.time;
        self.lost.clone_from(&other.lost);
        self.slots.clone_from(&other.slots);
        self.first.clone_from(&other.first);
        self.later.clone_from(&other.later);
        self.undetected.clone_from(&other.undetected);
        self.orders.clone_from(&other.orders);
        self.work.clone_from(&other.work);
    }

    /// Members lost.
    pub fn missing(&self) -> usize {
        self.lost.len()
    }

    /// The domain that took a lost member, of those that are lost now.
    pub fn domain(&self) -> Option<usize> {
        self.lost.iter().rev().find_map(|lost| lost.by)
    }

    /// Members lost by cell, sorted, into `pattern`.
    pub fn pattern(&self, pattern: &mut Vec<Loss>, cells: &mut Vec<(usize, u32)>) {
        cells.clear();
        cells.extend(self.lost.iter().map(|lost| lost.cell));
        cells.sort_unstable();
        pattern.clear();
        for (at, cell) in cells.iter().enumerate() {
            if at > 0 && cells[at - 1] == *cell {
                if let Some(last) = pattern.last_mut() {
                    last.1 += 1;
                }
            } else {
                pattern.push((cell.0, 1));
            }
        }
    }

    /// Mean age of drives that live.
    pub fn mean_age(&self, model: &Model<'_>) -> f64 {
        let first: u32 = self.first.iter().map(|batch| batch.0).sum();
        let later: f64 = self.later.iter().map(|drive| self.time - drive.born).sum();
        let all = f64::from(first) + self.later.len() as f64;
        (f64::from(first) * (model.age + self.time) + later) / all.max(1.0)
    }

    /// Failures of drives expected from now on for `span`, and of units that destroy members.
    pub fn expected(&self, model: &Model<'_>, span: f64) -> f64 {
        let age = model.age + self.time;
        let from_first: f64 = self.first.iter().map(|batch| f64::from(batch.0) * batch.1).sum();
        let first = if from_first > 0.0 { from_first * model.hazard.between(age, age + span) } else { 0.0 };
        let of = |drive: &Drive| {
            let age = self.time - drive.born;
            drive.factor * model.hazard.between(age, age + span)
        };
        first + self.later.iter().map(of).sum::<f64>() + model.units_rate * span
    }

    /// The span in which `expected` becomes `target`; `most` is one in which it is as much at least.
    pub fn span_of(&self, model: &Model<'_>, target: f64, most: f64) -> f64 {
        let (mut low, mut high) = (0.0, most);
        let (mut below, mut above) = (-target, self.expected(model, most) - target);
        if above <= 0.0 {
            return most;
        }
        if matches!(model.hazard, Hazard::Constant(_)) {
            return (most * target / (above + target)).min(most);
        }
        // Regula falsi with the Illinois rule.
        let mut side = 0;
        for _ in 0..60 {
            let middle = (low * above - high * below) / (above - below);
            let error = self.expected(model, middle) - target;
            if error.abs() <= 1e-10 * target {
                return middle;
            }
            if error < 0.0 {
                (low, below) = (middle, error);
                above *= if side == -1 { 0.5 } else { 1.0 };
                side = -1;
            } else {
                (high, above) = (middle, error);
                below *= if side == 1 { 0.5 } else { 1.0 };
                side = 1;
            }
        }
        0.5 * (low + high)
    }

    /// The next step of repair and how long until then.
    pub fn next(&self, model: &Model<'_>) -> Option<(f64, Step)> {
        let mut next: Option<(f64, Step)> = None;
        let mut offer = |span: f64, step: Step| {
            if next.is_none_or(|(first, _)| span < first) {
                next = Some((span.max(0.0), step));
            }
        };
        for (number, at) in self.undetected.iter().enumerate() {
            offer(at - self.time, Step::Detected(number));
        }
        for (number, at) in self.orders.iter().enumerate() {
            offer(at - self.time, Step::Arrived(number));
        }
        let rebuild_s = model.group.repair.rebuild_s(self.lost.len());
        for (number, left) in self.work.iter().enumerate() {
            offer(left * rebuild_s, Step::Rebuilt(number));
        }
        next
    }

    /// Lets time pass in which nothing happens.
    pub fn pass(&mut self, model: &Model<'_>, span: f64) {
        self.time += span;
        if !self.work.is_empty() {
            let done = span / model.group.repair.rebuild_s(self.lost.len());
            self.work.iter_mut().for_each(|left| *left = (*left - done).max(0.0));
        }
    }

    /// Takes a step of repair, whose time has come.
    pub fn step(&mut self, model: &Model<'_>, step: Step, random: &mut Random) {
        match step {
            Step::Detected(number) => {
                self.undetected.swap_remove(number);
                self.order(model, random);
            }
            Step::Arrived(number) => {
                self.orders.swap_remove(number);
            }
            Step::Rebuilt(number) => {
                self.work.swap_remove(number);
                self.restore(model, random);
            }
        }
        self.begin(model, random);
    }

    fn order(&mut self, model: &Model<'_>, random: &mut Random) {
        let plan = model.group.repair.replace;
        if plan.mean_s > 0.0 {
            self.orders.push(self.time + drawn(plan, random));
        }
    }

    /// Begins rebuilds that may begin.
    fn begin(&mut self, model: &Model<'_>, random: &mut Random) {
        let repair = &model.group.repair;
        let held_up = self.undetected.len() + waiting(self.orders.len(), repair);
        let able = self.lost.len().saturating_sub(held_up);
        let under_way = if repair.at_once { able } else { able.min(1) };
        while self.work.len() < under_way {
            self.work.push(match repair.rebuild_law {
                Law::Fixed => 1.0,
                Law::Exponential => random.exponential(),
            });
        }
    }

    /// A rebuilt member comes back, as `repair::restored` has it.
    fn restore(&mut self, model: &Model<'_>, random: &mut Random) {
        let in_cell = |cell: (usize, u32)| self.lost.iter().filter(|lost| lost.cell == cell).count() as u32;
        let urgency = |lost: &Lost| model.code.urgency((lost.cell.0, in_cell(lost.cell)));
        let most = if model.group.repair.critical_first { self.lost.iter().map(urgency).max() } else { None };
        let able = |lost: &&Lost| most.is_none_or(|most| urgency(lost) == most);
        let count = self.lost.iter().filter(able).count() as u32;
        let chosen = random.below(count.max(1));
        let mut seen = 0;
        let place = self.lost.iter().position(|lost| {
            let found = able(&lost) && seen == chosen;
            seen += u32::from(able(&lost));
            found
        });
        let Some(place) = place else { return };
        let slot = self.lost.swap_remove(place).slot;
        if model.ages {
            self.slots[slot as usize] = Slot::Later;
            let factor = model.frailty.map_or(1.0, |frailty| frailty.draw(random));
            self.later.push(Drive { slot, born: self.time, factor });
        } else {
            self.slots[slot as usize] = Slot::First;
            self.first[0].0 += 1;
        }
    }

    /// Draws anew what is left of times without memory. The law stays the same; a weight that grew with a long time is
    /// no longer tied to what follows.
    pub fn forget(&mut self, model: &Model<'_>, random: &mut Random) {
        let repair = &model.group.repair;
        if repair.rebuild_law == Law::Exponential {
            self.work.iter_mut().for_each(|left| *left = random.exponential());
        }
        for (times, plan) in [(&mut self.undetected, repair.detect), (&mut self.orders, repair.replace)] {
            if plan.law == Law::Exponential {
                times.iter_mut().for_each(|at| *at = self.time + drawn(plan, random));
            }
        }
    }

    /// A drive fails, drawn by its hazard.
    pub fn fail(&mut self, model: &Model<'_>, random: &mut Random) {
        let first_rate = model.hazard.at(model.age + self.time);
        let of = |drive: &Drive| drive.factor * model.hazard.at(self.time - drive.born);
        let by_batch = |batch: &(u32, f64)| f64::from(batch.0) * batch.1 * first_rate;
        let all: f64 = self.first.iter().map(by_batch).sum::<f64>() + self.later.iter().map(of).sum::<f64>();
        let mut left = random.unit() * all;
        for (batch, found) in self.first.iter().enumerate() {
            left -= by_batch(found);
            if left < 0.0 {
                let slot = self.first_of(batch as u32, model, random);
                self.lose(model, slot, None, random);
                self.begin(model, random);
                return;
            }
        }
        let drawn = self.later.iter().position(|drive| {
            left -= of(drive);
            left < 0.0
        });
        if let Some(drive) = drawn.or(self.later.len().checked_sub(1)) {
            let slot = self.later[drive].slot;
            self.lose(model, slot, None, random);
        } else if let Some(batch) = self.first.iter().position(|batch| batch.0 > 0) {
            let slot = self.first_of(batch as u32, model, random);
            self.lose(model, slot, None, random);
        }
        self.begin(model, random);
    }

    /// A first drive of a batch that lives.
    fn first_of(&self, batch: u32, model: &Model<'_>, random: &mut Random) -> u32 {
        let slots = (model.group.members - batch).div_ceil(model.batches);
        loop {
            let slot = batch + model.batches * random.below(slots);
            if self.slots[slot as usize] == Slot::First {
                return slot;
            }
        }
    }

    /// Failures a second of drives, now.
    pub fn drives_rate(&self, model: &Model<'_>) -> f64 {
        let first: f64 = self.first.iter().map(|batch| f64::from(batch.0) * batch.1).sum();
        let later = self.later.iter().map(|drive| drive.factor * model.hazard.at(self.time - drive.born));
        first * model.hazard.at(model.age + self.time) + later.sum::<f64>()
    }

    /// A unit of a domain fails and destroys its members.
    pub fn destroy(&mut self, model: &Model<'_>, domain: usize, random: &mut Random) {
        let plan = &model.group.domains[domain];
        let unit = random.below(plan.units);
        for slot in 0..model.group.members {
            if plan.unit(slot, model.group.members) == unit && self.slots[slot as usize] != Slot::Lost {
                self.lose(model, slot, Some(domain), random);
            }
        }
        self.begin(model, random);
    }

    fn lose(&mut self, model: &Model<'_>, slot: u32, by: Option<usize>, random: &mut Random) {
        if self.slots[slot as usize] == Slot::First {
            self.first[(slot % model.batches) as usize].0 -= 1;
        } else if let Some(place) = self.later.iter().position(|drive| drive.slot == slot) {
            self.later.swap_remove(place);
        }
        self.slots[slot as usize] = Slot::Lost;
        self.lost.push(Lost { slot, cell: model.cells[slot as usize], by });
        let detect = model.group.repair.detect;
        if detect.mean_s > 0.0 {
            self.undetected.push(self.time + drawn(detect, random));
        } else {
            self.order(model, random);
        }
    }
}
