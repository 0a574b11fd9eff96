//! The states of a group and the rates between them.
//!
//! A state is the pattern of lost members, how many of them are undetected, and how many ordered drives are yet to
//! come. States are found from the healthy one on.

use super::solve::Transient;
use crate::availability::Unavailable;
use crate::code::{Code, Loss};
use crate::hazard::Hazard;
use crate::plan::GroupPlan;
use crate::repair::{lost, minus, plus, restored, waiting};
use std::collections::BTreeMap;

/// Most states of a chain: its matrices are dense.
const MOST_STATES: usize = 320;
/// Members lost beyond what the code always survives, for codes that may survive more.
const BEYOND: u32 = 3;
/// Orders outstanding beyond spares and lost members.
const MORE_ORDERS: u32 = 3;

/// What ends a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absorb {
    /// Any loss of data.
    AnyLoss,
    /// A loss of more members than the code survives.
    GroupLoss,
    /// The loss of all data: sets that were drawn lose some, and the rest goes on.
    AllData,
}

/// A move to another state.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: usize,
    to: Option<usize>,
    rate: f64,
    /// Probability that it loses members' data, and the share of all data that it is expected to lose.
    loses: f64,
    share: f64,
    /// Drives' worth of data without redundancy that it reads.
    reads: f64,
}

/// What a state earns by second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Earned {
    /// Losses of members' data.
    pub drive_loss: f64,
    /// Losses by unreadable sectors.
    pub error_loss: f64,
    /// Bytes lost.
    pub bytes_lost: f64,
    /// 1 with a member lost.
    pub degraded: f64,
    /// Probability that not all data can be reached.
    pub unavailable: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    pattern: Vec<Loss>,
    undetected: u32,
    orders: u32,
}

/// The chain of a group.
#[derive(Debug)]
pub struct Chain {
    moves: Vec<Move>,
    earned: Vec<Earned>,
    /// Unreadable sectors of a drive.
    mean_errors: f64,
}

/// Whether the chain leaves out states that matter.
pub fn truncated(group: &GroupPlan, code: &Code) -> bool {
    let rate = Hazard::new(&group.life).0.at(0.0);
    let away = group.repair.detect.mean_s + group.repair.rebuild_s(1);
    // Where several members are lost at any time, the pattern may grow beyond what the chain holds.
    let crowded = code.may_survive_more() && f64::from(group.members) * rate * away > 0.1;
    crowded || Found::all(group, code, rate).cut
}

/// States, found breadth first.
struct Found<'a> {
    group: &'a GroupPlan,
    code: &'a Code,
    rate: f64,
    orders: bool,
    numbers: BTreeMap<State, usize>,
    states: Vec<State>,
    moves: Vec<Move>,
    cut: bool,
}

impl<'a> Found<'a> {
    fn all(group: &'a GroupPlan, code: &'a Code, rate: f64) -> Self {
        let start = State { pattern: Vec::new(), undetected: 0, orders: 0 };
        // Drives on order are counted only where spares could run out.
        let outstanding = f64::from(group.members) * rate * group.repair.replace.mean_s;
        let needed = outstanding + 10.0 * outstanding.sqrt() + 10.0;
        let orders = outstanding > 0.0 && f64::from(group.repair.spares) < needed;
        let numbers = BTreeMap::from([(start.clone(), 0)]);
        let mut found =
            Self { group, code, rate, orders, numbers, states: vec![start], moves: vec![], cut: false };
        let mut next = 0;
        while next < found.states.len() {
            found.leave(next);
            next += 1;
        }
        found
    }

    fn number(&mut self, state: State) -> Option<usize> {
        if let Some(&number) = self.numbers.get(&state) {
            return Some(number);
        }
        if self.states.len() == MOST_STATES {
            self.cut = true;
            return None;
        }
        let number = self.states.len();
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        Some(number)
    }

    /// Adds the moves out of a state.
    fn leave(&mut self, from: usize) {
        let state = self.states[from].clone();
        let repair = &self.group.repair;
        let plain = |this: &mut Self, next: State, rate: f64| {
            if let Some(to) = this.number(next) {
                this.moves.push(Move { from, to: Some(to), rate, loses: 0.0, share: 0.0, reads: 0.0 });
            }
        };
        if state.undetected > 0 {
            let next = detected(&state, self.orders);
            plain(self, next, f64::from(state.undetected) / repair.detect.mean_s);
        }
        if state.orders > 0 {
            let next = State { orders: state.orders - 1, ..state.clone() };
            plain(self, next, f64::from(state.orders) / repair.replace.mean_s);
        }
        self.rebuild(from, &state);
        self.fail(from, &state);
    }

    fn rebuild(&mut self, from: usize, state: &State) {
        let repair = &self.group.repair;
        let missing = lost(&state.pattern);
        let waiting = waiting(state.orders as usize, repair) as u32;
        let under_way = missing.saturating_sub(state.undetected + waiting);
        let under_way = if repair.at_once { under_way } else { under_way.min(1) };
        if under_way == 0 {
            return;
        }
        let rate = f64::from(under_way) / repair.rebuild_s(missing as usize);
        let reads = self.code.critical_drives(&state.pattern);
        let restored = restored(self.code, &state.pattern, repair.critical_first);
        let all: f64 = restored.iter().map(|choice| choice.1).sum();
        for (loss, weight) in restored {
            let pattern = minus(&state.pattern, loss);
            if let Some(to) = self.number(State { pattern, ..state.clone() }) {
                let rate = rate * weight / all;
                self.moves.push(Move { from, to: Some(to), rate, loses: 0.0, share: 0.0, reads });
            }
        }
    }

    fn fail(&mut self, from: usize, state: &State) {
        let missing = lost(&state.pattern);
        let deepest = missing >= self.code.tolerates() + BEYOND && self.code.may_survive_more();
        for (class, cells) in self.code.classes.iter().enumerate() {
            let mut hit: Vec<(u32, u32)> = Vec::new(); // lost in a cell, cells like it
            for loss in state.pattern.iter().filter(|loss| loss.0 == class) {
                match hit.iter_mut().find(|known| known.0 == loss.1) {
                    Some(known) => known.1 += 1,
                    None => hit.push((loss.1, 1)),
                }
            }
            let whole = cells.cells - hit.iter().map(|known| known.1).sum::<u32>();
            for (already, like) in hit.into_iter().chain([(0, whole)]) {
                let members = f64::from(cells.size - already) * f64::from(like);
                if members == 0.0 {
                    continue;
                }
                let pattern = plus(&state.pattern, (class, already));
                let loses = self.code.loses(&state.pattern, &pattern);
                let share = self.code.lost_share(&pattern) - self.code.lost_share(&state.pattern);
                let next = failed(state, pattern, self.group, self.orders);
                let to = if share >= 1.0 || deepest { None } else { self.number(next) };
                if to.is_some() || loses > 0.0 {
                    let rate = members * self.rate;
                    self.moves.push(Move { from, to, rate, loses, share, reads: 0.0 });
                }
            }
        }
    }
}

fn detected(state: &State, orders: bool) -> State {
    State { undetected: state.undetected - 1, orders: state.orders + u32::from(orders), ..state.clone() }
}

fn failed(state: &State, pattern: Vec<Loss>, group: &GroupPlan, orders: bool) -> State {
    let mut next = State { pattern, ..state.clone() };
    if group.repair.detect.mean_s > 0.0 {
        next.undetected += 1;
    } else if orders {
        next.orders = (next.orders + 1).min(group.repair.spares + lost(&next.pattern) + MORE_ORDERS);
    }
    next
}

impl Chain {
    /// The chain of a group; what it cannot hold is replaced, as [`super::beyond`] names it.
    pub fn new(group: &GroupPlan, code: &Code, unavailable: &Unavailable, horizon_s: f64) -> Self {
        let (hazard, age) = Hazard::new(&group.life);
        let rate = hazard.between(age, age + horizon_s) / horizon_s;
        let found = Found::all(group, code, rate);
        let mean_errors = group.errors_by_drive(age + horizon_s / 2.0);
        let mut earned = vec![Earned::default(); found.states.len()];
        for step in &found.moves {
            let here = &mut earned[step.from];
            let errors = step.reads * mean_errors;
            here.drive_loss += step.rate * step.loses;
            here.error_loss += step.rate * -(-errors).exp_m1();
            here.bytes_lost +=
                step.rate * (errors * group.errors.lost_bytes + step.share.max(0.0) * group.user_bytes);
        }
        for (state, here) in found.states.iter().zip(&mut earned) {
            let missing = lost(&state.pattern);
            here.degraded = f64::from(u8::from(missing > 0));
            here.unavailable = unavailable.with(missing as usize);
        }
        Self { moves: found.moves, earned, mean_errors }
    }

    /// How many states it has.
    pub fn states(&self) -> usize {
        self.earned.len()
    }

    /// A figure of each state.
    pub fn reward(&self, of: impl Fn(&Earned) -> f64) -> Vec<f64> {
        self.earned.iter().map(of).collect()
    }

    /// The chain that ends at such a loss.
    pub fn absorbing(&self, at: Absorb) -> Transient {
        let mut transient = Transient::new(self.states());
        for step in &self.moves {
            let stays = match at {
                Absorb::AnyLoss => (1.0 - step.loses) * (-step.reads * self.mean_errors).exp(),
                Absorb::GroupLoss => 1.0 - step.loses,
                Absorb::AllData => 1.0,
            };
            let stays = if step.to.is_some() { stays } else { 0.0 };
            transient.add(step.from, step.to, step.rate * stays, step.rate * (1.0 - stays));
        }
        transient
    }
}
