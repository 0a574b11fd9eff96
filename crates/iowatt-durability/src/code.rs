//! What a pattern of lost members means for the data.
//!
//! Members lie in cells: spans, local groups, or the units that a declustered set takes one drive of. A pattern is the
//! number lost in each cell that lost any, in any order. Codes with one rule for all stripes survive where the losses
//! beyond what each cell corrects itself add up to a budget at most. Declustered sets are drawn at random, so a pattern
//! has a probability: sets are taken as drawn independently, and their average is taken over all draws.

use crate::plan::{CodePlan, GroupPlan};

/// Like cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Members of a cell.
    pub size: u32,
    /// Like cells.
    pub cells: u32,
    /// Losses that a cell corrects by itself.
    pub corrects: u32,
}

/// The members lost in one cell: the index of its class, and how many.
pub type Loss = (usize, u32);

/// The code of a group.
#[derive(Clone, Debug)]
pub struct Code {
    /// Cells, by class; members are numbered class by class, cell by cell.
    pub classes: Vec<Class>,
    rule: Rule,
    /// The domain whose units are the cells.
    apart: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    Budget(u32),
    Sets { sets: f64, width: u32, losses: u32 },
}

impl Code {
    /// The code of a group.
    #[must_use]
    pub fn new(plan: &GroupPlan) -> Self {
        let cell = |size, cells, corrects| Class { size, cells, corrects };
        let n = plan.members;
        let (classes, rule, apart) = match plan.code {
            CodePlan::Any { losses } => (vec![cell(n, 1, 0)], Rule::Budget(losses), None),
            CodePlan::Spans { width, losses } => {
                (vec![cell(width, n / width, losses)], Rule::Budget(0), None)
            }
            CodePlan::Lrc { data, local_groups, local_parities, global_parities } => {
                let local = cell(data / local_groups + local_parities, local_groups, local_parities);
                let mut classes = vec![local];
                if global_parities > 0 {
                    classes.push(cell(global_parities, 1, 0));
                }
                (classes, Rule::Budget(global_parities), None)
            }
            CodePlan::Declustered { sets, width, losses, apart } => {
                let units = apart.map_or(n, |domain| plan.domains[domain].units);
                (vec![cell(n / units, units, 0)], Rule::Sets { sets, width, losses }, apart)
            }
        };
        Self { classes, rule, apart }
    }

    /// Class and number of the cell of a member.
    #[must_use]
    pub fn cell(&self, plan: &GroupPlan, member: u32) -> (usize, u32) {
        if let Some(domain) = self.apart {
            return (0, plan.domains[domain].unit(member, plan.members));
        }
        let (mut from, mut before) = (0, 0);
        for (number, class) in self.classes.iter().enumerate() {
            let members = class.size * class.cells;
            if member < from + members {
                return (number, before + (member - from) / class.size);
            }
            from += members;
            before += class.cells;
        }
        (0, 0) // plans are validated: members are those of the cells
    }

    /// Whether sets are drawn: a loss takes some of them, and the others go on.
    #[must_use]
    pub const fn is_declustered(&self) -> bool {
        matches!(self.rule, Rule::Sets { .. })
    }

    /// Whether some patterns of more losses than [`Self::tolerates`] survive.
    #[must_use]
    pub fn may_survive_more(&self) -> bool {
        self.is_declustered() || self.classes.iter().any(|class| class.corrects > 0)
    }

    /// Lost members that the data survives wherever they are.
    #[must_use]
    pub fn tolerates(&self) -> u32 {
        match self.rule {
            Rule::Budget(budget) => {
                // A cell that is no larger than the budget cannot lose more than it.
                let large = self.classes.iter().filter(|class| class.size > budget);
                budget + large.map(|class| class.corrects).min().unwrap_or(0)
            }
            Rule::Sets { losses, .. } => losses,
        }
    }

    /// Probability that no data is lost with this pattern.
    #[must_use]
    pub fn survival(&self, pattern: &[Loss]) -> f64 {
        match self.rule {
            Rule::Budget(budget) => f64::from(u8::from(self.excess(pattern) <= budget)),
            Rule::Sets { sets, .. } => (sets * (-self.lost_share(pattern)).ln_1p()).exp(),
        }
    }

    /// Probability that `after`, which has losses more than `before`, loses data where `before` lost none.
    #[must_use]
    pub fn loses(&self, before: &[Loss], after: &[Loss]) -> f64 {
        match self.rule {
            Rule::Budget(_) => 1.0 - self.survival(after),
            Rule::Sets { sets, .. } => {
                let (was, is) = (self.lost_share(before), self.lost_share(after));
                // ((1 - is) / (1 - was))^sets, without cancellation where both are small
                if is >= 1.0 || was >= 1.0 {
                    return 1.0;
                }
                -(sets * (-((is - was) / (1.0 - was)).clamp(0.0, 1.0)).ln_1p()).exp_m1()
            }
        }
    }

    /// Share of the data that is lost with a pattern, expected over the draws of sets.
    #[must_use]
    pub fn lost_share(&self, pattern: &[Loss]) -> f64 {
        match self.rule {
            Rule::Budget(_) => 1.0 - self.survival(pattern),
            Rule::Sets { losses, .. } => self.hits(pattern).iter().skip(losses as usize + 1).sum(),
        }
    }

    /// Drives' worth of data that one unreadable sector loses: what has no redundancy left, and a rebuild must read.
    #[must_use]
    pub fn critical_drives(&self, pattern: &[Loss]) -> f64 {
        match self.rule {
            Rule::Budget(budget) => {
                if self.excess(pattern) < budget {
                    return 0.0;
                }
                let mut critical = 0;
                for (number, class) in self.classes.iter().enumerate() {
                    let hit = pattern.iter().filter(|loss| loss.0 == number);
                    let full = hit.clone().filter(|loss| loss.1 >= class.corrects);
                    critical += full.map(|loss| class.size - loss.1).sum::<u32>();
                    if class.corrects == 0 {
                        critical += (class.cells - hit.count() as u32) * class.size;
                    }
                }
                f64::from(critical)
            }
            Rule::Sets { width, losses, .. } => {
                let members = f64::from(self.classes[0].size) * f64::from(self.classes[0].cells);
                let critical = self.hits(pattern).get(losses as usize).copied().unwrap_or(0.0);
                critical * members * f64::from(width - losses) / f64::from(width)
            }
        }
    }

    /// How near to loss a cell is: what is restored first where the critical comes first.
    #[must_use]
    pub fn urgency(&self, loss: Loss) -> i64 {
        i64::from(loss.1) - i64::from(self.classes[loss.0].corrects)
    }

    fn excess(&self, pattern: &[Loss]) -> u32 {
        pattern.iter().map(|&(class, lost)| lost.saturating_sub(self.classes[class].corrects)).sum()
    }

    /// Probabilities that a set has 0, 1, ... of its drives in the pattern; the last is of `losses` + 1 and more.
    ///
    /// Units are taken one by one: the set, which takes `width` of them, takes the next with a probability that
    /// depends on how many it took already, and then one of its drives.
    fn hits(&self, pattern: &[Loss]) -> Vec<f64> {
        let Rule::Sets { width, losses, .. } = self.rule else { return Vec::new() };
        let (width, most) = (width as usize, losses as usize + 1);
        let (units, size) = (self.classes[0].cells as usize, f64::from(self.classes[0].size));
        let taken = pattern.len().min(width) + 1;
        // [units taken so far][hits]
        let mut now = vec![0.0; taken * (most + 1)];
        now[0] = 1.0;
        for (done, &(_, lost)) in pattern.iter().enumerate() {
            let hit = f64::from(lost) / size;
            let mut next = vec![0.0; now.len()];
            for a in 0..taken.min(done + 1) {
                let takes = (width - a) as f64 / (units - done) as f64;
                for hits in 0..=most {
                    let p = now[a * (most + 1) + hits];
                    if p == 0.0 {
                        continue;
                    }
                    next[a * (most + 1) + hits] += p * (1.0 - takes).max(0.0);
                    if a + 1 < taken {
                        next[(a + 1) * (most + 1) + hits] += p * takes * (1.0 - hit);
                        next[(a + 1) * (most + 1) + (hits + 1).min(most)] += p * takes * hit;
                    }
                }
            }
            now = next;
        }
        (0..=most).map(|hits| (0..taken).map(|a| now[a * (most + 1) + hits]).sum()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn code(members: u32, plan: serde_json::Value) -> (GroupPlan, Code) {
        let group: GroupPlan = serde_json::from_value(json!({
            "members": members, "code": plan, "user_bytes": 1.0, "drive_bytes": 1.0,
            "life": {"law": "exponential", "per_s": 1.0}, "repair": {"rebuild_s": [1.0]},
        }))
        .unwrap_or_else(|error| unreachable!("{error}"));
        let code = Code::new(&group);
        (group, code)
    }

    /// The share of patterns of `lost` members, each as likely as another, that the code survives.
    fn decodable(group: &GroupPlan, code: &Code, lost: u32) -> f64 {
        let (mut survived, mut all) = (0.0, 0.0);
        for pattern in (0u32..1 << group.members).filter(|pattern| pattern.count_ones() == lost) {
            let mut cells = std::collections::BTreeMap::new();
            for member in (0..group.members).filter(|member| pattern & (1 << member) != 0) {
                *cells.entry(code.cell(group, member)).or_insert(0) += 1;
            }
            let pattern: Vec<Loss> = cells.into_iter().map(|((class, _), lost)| (class, lost)).collect();
            survived += code.survival(&pattern);
            all += 1.0;
        }
        survived / all
    }

    #[test]
    fn a_local_reconstruction_code_survives_what_the_best_can() {
        // LRC(12, 2, 2), 16 members: any three; of four, all but those with four in one local group of 7 and its
        // like: Huang et al. (ATC 2012) give 86 %.
        let plan =
            json!({"code": "lrc", "data": 12, "local_groups": 2, "local_parities": 1, "global_parities": 2});
        let (group, code) = code(16, plan);
        assert_eq!(code.tolerates(), 3);
        assert_eq!(decodable(&group, &code, 3), 1.0);
        // Lost: four in a group (2 x 35); three in a group and a global (2 x 35 x 2); two in a group and both
        // globals (2 x 21): 252 of 1,820.
        assert!((decodable(&group, &code, 4) - (1.0 - 252.0 / 1820.0)).abs() < 1e-12);
        assert_eq!(decodable(&group, &code, 5), 0.0);
    }

    #[test]
    fn mirrors_survive_one_of_each_pair() {
        let (group, code) = code(12, json!({"code": "spans", "width": 2, "losses": 1}));
        // Of two lost, the second is the other's twin in one of eleven cases.
        assert!((decodable(&group, &code, 2) - 10.0 / 11.0).abs() < 1e-12);
        assert_eq!(code.critical_drives(&[(0, 1), (0, 1)]), 2.0);
    }

    #[test]
    fn drawn_sets_lose_their_share() {
        // One set of 4 of 10 drives that survives a loss: three lost drives hit it twice or more with
        // (C(4,2) C(6,1) + C(4,3)) / C(10,3) = 40 / 120.
        let plan = json!({"code": "declustered", "sets": 1.0, "width": 4, "losses": 1});
        let (_, code) = code(10, plan);
        let lost = [(0, 1), (0, 1), (0, 1)];
        assert!((code.lost_share(&lost) - 1.0 / 3.0).abs() < 1e-12);
        assert!((code.survival(&lost) - 2.0 / 3.0).abs() < 1e-12);
        // It has exactly one of two lost drives with 4 x 6 x 2 / 90; what is left of it then is read.
        let critical = code.critical_drives(&[(0, 1), (0, 1)]);
        assert!((critical - 48.0 / 90.0 * 10.0 * 3.0 / 4.0).abs() < 1e-12);
    }
}
