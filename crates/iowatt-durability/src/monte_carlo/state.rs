//! The state of one group in a trial: lost members, what their repair waits for, and the ages of drives.

mod life;

use super::model::Model;
use crate::code::Loss;
use crate::plan::{DelayPlan, Law};
use crate::repair::waiting;
use crate::rng::Random;

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
