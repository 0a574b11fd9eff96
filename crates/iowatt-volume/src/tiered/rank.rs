//! Which page should be in which tier, by what was counted of it.

use super::{MOVING, TIERS, Tiered};
use crate::recency::NONE;

impl Tiered {
    /// The end of a cycle: a new target for every page, and lists of those that live elsewhere.
    ///
    /// Pages in the order of their heat each get the highest tier that has a slot left, whose pages together stay within
    /// its performance with this one (in other words: whose pages have no more accesses on average than its performance
    /// over its pages), and whose share of the page's policy is not used up. A page without any access is not brought up.
    pub(super) fn rank(&mut self) {
        let weight = self.weight as f32;
        for (heat, accesses) in self.heat.iter_mut().zip(&mut self.accesses) {
            *heat = weight * *accesses as f32 + (1.0 - weight) * *heat;
            *accesses = 0;
        }
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend((0..self.home.len() as u32).filter(|&page| self.home[page as usize] != NONE));
        let tier = |page: u32| self.tier_of(self.home[page as usize] & !MOVING);
        order.sort_unstable_by(|&a, &b| {
            let by_heat = self.heat[b as usize].total_cmp(&self.heat[a as usize]);
            by_heat.then_with(|| tier(a).cmp(&tier(b))).then(a.cmp(&b))
        });
        self.assign(&order);
        self.up.clear();
        self.down.clear();
        for &page in &order {
            let home = self.home[page as usize];
            let (now, target) = (self.tier_of(home & !MOVING), usize::from(self.target[page as usize]));
            if home & MOVING == 0 && target < now {
                self.up.push(page);
            } else if home & MOVING == 0 && target > now {
                self.down.push(page);
            }
        }
        // The next one is the last: the hottest of those that go up, the coldest of those that go down.
        self.up.reverse();
        self.order = order;
    }

    fn assign(&mut self, order: &[u32]) {
        let pages = order.len() as u64;
        let sum =
            |of: fn(&super::Tier) -> u32| self.tiers.iter().map(|tier| u64::from(of(tier))).sum::<u64>();
        // A pool that is fuller than the buffers for new pages allow uses them.
        let of: fn(&super::Tier) -> u32 =
            if pages <= sum(|tier| tier.planned) { |tier| tier.planned } else { |tier| tier.offered };
        let limits: Vec<u32> = self.tiers.iter().map(of).collect();
        let within = |page: u32| self.policies.iter().position(|policy| policy.pages.contains(&page));
        let mut owned = vec![0_u32; self.policies.len()];
        order.iter().filter_map(|&page| within(page)).for_each(|policy| owned[policy] += 1);
        let mut used = [0_u32; TIERS];
        let mut load = [0.0_f64; TIERS];
        let mut spread = vec![[0_u32; TIERS]; self.policies.len()];
        for &page in order {
            let heat = f64::from(self.heat[page as usize]);
            let policy = within(page);
            let now = self.tier_of(self.home[page as usize] & !MOVING);
            let fits = |tier: &usize| {
                let tier = *tier;
                let busy = self.tiers[tier].performance.is_some_and(|most| load[tier] + heat > most);
                let spent = policy.is_some_and(|policy| {
                    let most = self.policies[policy].most[tier] * f64::from(owned[policy]);
                    f64::from(spread[policy][tier] + 1) > most
                });
                used[tier] < limits[tier] && !busy && !spent
            };
            let highest = if heat > 0.0 { 0 } else { now };
            let tiers = self.tiers.len();
            let room = |tier: &usize| used[*tier] < limits[*tier];
            // Where no tier would do, capacity decides: the lowest with room, since the higher ones had better pages.
            let chosen = (highest..tiers).find(fits).or_else(|| (0..tiers).rev().find(room)).unwrap_or(now);
            used[chosen] += 1;
            load[chosen] += heat;
            if let Some(policy) = policy {
                spread[policy][chosen] += 1;
            }
            self.target[page as usize] = chosen as u8;
        }
    }
}
