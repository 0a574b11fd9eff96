//! Rules of repair that both engines follow.

use crate::code::{Code, Loss};
use crate::plan::RepairPlan;

/// Members lost.
#[must_use]
pub fn lost(pattern: &[Loss]) -> u32 {
    pattern.iter().map(|loss| loss.1).sum()
}

/// Lost members that wait for a drive, with so many on order: each loss orders one, so what spares do not cover waits.
#[must_use]
pub const fn waiting(orders: usize, repair: &RepairPlan) -> usize {
    orders.saturating_sub(repair.spares as usize)
}

/// The pattern with one more lost in a cell that has so many; 0 is a cell that had none.
#[must_use]
pub fn plus(pattern: &[Loss], cell: Loss) -> Vec<Loss> {
    let mut next = pattern.to_vec();
    match next.iter_mut().find(|loss| **loss == cell) {
        Some(loss) => loss.1 += 1,
        None => next.push((cell.0, 1)),
    }
    next.sort_unstable();
    next
}

/// The pattern with one less lost in such a cell.
#[must_use]
pub fn minus(pattern: &[Loss], cell: Loss) -> Vec<Loss> {
    let mut next = pattern.to_vec();
    if let Some(place) = next.iter().position(|loss| *loss == cell) {
        next[place].1 -= 1;
        if next[place].1 == 0 {
            next.swap_remove(place);
        }
    }
    next.sort_unstable();
    next
}

/// Cells that a finished rebuild may restore a member of, each kind once, with the number of lost members in them.
///
/// Any lost member is as likely as another; where what is critical comes first, those of the cells nearest to loss.
#[must_use]
pub fn restored(code: &Code, pattern: &[Loss], critical_first: bool) -> Vec<(Loss, f64)> {
    let most = pattern.iter().map(|&loss| code.urgency(loss)).max();
    let mut choices: Vec<(Loss, f64)> = Vec::new();
    for &loss in pattern {
        if critical_first && Some(code.urgency(loss)) != most {
            continue;
        }
        match choices.iter_mut().find(|choice| choice.0 == loss) {
            Some(choice) => choice.1 += f64::from(loss.1),
            None => choices.push((loss, f64::from(loss.1))),
        }
    }
    choices
}
