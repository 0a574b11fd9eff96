//! What the fast part of a hybrid holds at the start, and the count of accesses that `hot` requests for.

use crate::plan::{InitialPlan, PlacementPlan};
use crate::rng::{Component, Stream};

/// What the placement still has to decide, and what is counted for it.
#[derive(Debug)]
pub struct Initial {
    /// The rule. While accesses are counted it is first-touch.
    pub placement: PlacementPlan,
    /// Whether each extent has been touched, where that decides.
    pub touched: Vec<bool>,
    /// The next extent that may be untouched.
    pub next: u32,
    /// Accesses of each extent, where they are counted.
    accesses: Vec<u32>,
}

impl Initial {
    /// Nothing touched, of so many extents.
    #[must_use]
    pub fn new(plan: &InitialPlan, extents: u32) -> Self {
        let decides = |wanted: bool| if wanted { extents as usize } else { 0 };
        let counts = plan.placement == PlacementPlan::Hot && plan.extents.is_none();
        let first = plan.placement == PlacementPlan::FirstTouch || counts;
        let cold = plan.placement == PlacementPlan::Cold;
        Self {
            placement: if counts { PlacementPlan::FirstTouch } else { plan.placement },
            touched: vec![false; decides(first || cold)],
            next: if cold { extents } else { 0 },
            accesses: vec![0; decides(counts)],
        }
    }

    /// `extent` is accessed. Whether that is the first time, where the placement depends on it.
    pub fn touch(&mut self, extent: u32) -> bool {
        if let Some(accesses) = self.accesses.get_mut(extent as usize) {
            *accesses = accesses.saturating_add(1);
        }
        self.touched.get_mut(extent as usize).is_some_and(|touched| !std::mem::replace(touched, true))
    }

    /// The `most` extents with most accesses, in the order of their addresses; none where they are not counted. `used`:
    /// only those with any.
    #[must_use]
    pub fn hottest(&self, most: usize, used: bool) -> Option<Vec<u32>> {
        if self.accesses.is_empty() {
            return None;
        }
        let count = |extent: u32| self.accesses[extent as usize];
        let mut order: Vec<u32> =
            (0..self.accesses.len() as u32).filter(|&extent| !used || count(extent) > 0).collect();
        order.sort_by_key(|&extent| (std::cmp::Reverse(count(extent)), extent));
        order.truncate(most);
        order.sort_unstable();
        Some(order)
    }
}

/// The extents that are in the fast part from the first request on, in the order of their addresses: `fast` of `extents`, or
/// fewer. `seed` and the number of the virtual pool draw the random ones.
#[must_use]
pub fn chosen(plan: &InitialPlan, fast: u32, extents: u32, seed: u64, number: usize) -> Vec<u32> {
    let fast = fast.min(extents);
    match (plan.placement, &plan.extents) {
        (PlacementPlan::Random, _) => {
            // Each extent in turn, with the chance that leaves the right number for the rest.
            let mut random = Stream::new(seed, Component::InitialPlacement, number);
            let mut left = u64::from(fast);
            let chance = |extent: &u32| {
                let chosen = random.below(u64::from(extents - extent)) < left;
                left -= u64::from(chosen);
                chosen
            };
            (0..extents).filter(chance).collect()
        }
        (PlacementPlan::Hot, Some(hot)) => hot.clone(),
        (PlacementPlan::Cold, _) => (extents - fast..extents).collect(),
        (PlacementPlan::Empty, _) => Vec::new(),
        _ => (0..fast).collect(),
    }
}
