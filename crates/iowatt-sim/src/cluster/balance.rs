//! Fair shares: how many members each rack, node and drive should hold, and the fewest moves that get there.
//!
//! Hashing alone leaves drives uneven (of 100 members a drive, the deviation is about 10). As Ceph's balancer does by upmap,
//! some members are moved: from the top of the tree down, first between racks, then between the nodes of a rack, then
//! between the drives of a node, so that what is even above stays so. Where nodes join or leave, only what has to goes to
//! the ones that join or away from those that leave. (By hashing alone, a node that joins would also move members between
//! the old ones, up to its share again at each level above it: Weil et al. 2006, section 5.2.)

use super::tree::Tree;

/// Members that each part of the tree should hold.
#[derive(Clone, Debug)]
pub struct Shares {
    racks: Vec<u32>,
    nodes: Vec<u32>,
    /// Of each drive.
    pub drives: Vec<u32>,
}

impl Shares {
    /// Shares of `members` in proportion to present drives, where a drive holds `slots` at most and a failure domain one
    /// member of each of `groups`; `None` where there is no room for all.
    #[must_use]
    pub fn fair(tree: &Tree, members: u64, groups: u64, slots: u32) -> Option<Self> {
        let groups = u32::try_from(groups).unwrap_or(u32::MAX);
        let cap_of_drive = |drive: u32| if tree.is_present(drive) { slots.min(groups) } else { 0 };
        let [of_node, of_rack] = tree.domain.joins().map(|one| if one { groups } else { u32::MAX });
        let sum =
            |caps: &mut dyn Iterator<Item = u32>, most: u32| caps.fold(0, u32::saturating_add).min(most);
        let nodes = tree.drives.iter().map(|d| sum(&mut d.iter().map(|&d| cap_of_drive(d)), of_node));
        let node_caps: Vec<u32> = nodes.collect();
        let racks = tree.nodes.iter().map(|n| sum(&mut n.iter().map(|&n| node_caps[n as usize]), of_rack));
        let rack_caps: Vec<u32> = racks.collect();
        let weights: Vec<u32> = (0..rack_caps.len() as u32).map(|rack| tree.rack_weight(rack)).collect();
        let racks = apportion(members, &weights, &rack_caps)?;
        let mut shares = Self { nodes: vec![0; node_caps.len()], drives: vec![0; tree.node_of.len()], racks };
        for (rack, nodes) in tree.nodes.iter().enumerate() {
            let weights: Vec<u32> = nodes.iter().map(|&node| tree.node_weight(node)).collect();
            let caps: Vec<u32> = nodes.iter().map(|&node| node_caps[node as usize]).collect();
            let parts = apportion(u64::from(shares.racks[rack]), &weights, &caps)?;
            nodes.iter().zip(parts).for_each(|(&node, part)| shares.nodes[node as usize] = part);
        }
        for (node, drives) in tree.drives.iter().enumerate() {
            let weights: Vec<u32> = drives.iter().map(|&drive| u32::from(tree.is_present(drive))).collect();
            let caps: Vec<u32> = drives.iter().map(|&drive| cap_of_drive(drive)).collect();
            let parts = apportion(u64::from(shares.nodes[node]), &weights, &caps)?;
            drives.iter().zip(parts).for_each(|(&drive, part)| shares.drives[drive as usize] = part);
        }
        Some(shares)
    }
}

/// Divides `total` in proportion to `weights` into whole parts of at most their caps, which differ from the exact ones by less
/// than one where no cap binds; what is left of rounding goes to the largest remainders. `None` where the caps leave no room.
fn apportion(total: u64, weights: &[u32], caps: &[u32]) -> Option<Vec<u32>> {
    let mut parts = vec![0u32; weights.len()];
    let mut open: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0 && caps[i] > 0).collect();
    let mut left = total;
    loop {
        let weight: u64 = open.iter().map(|&i| u64::from(weights[i])).sum();
        if weight == 0 {
            return (left == 0).then_some(parts);
        }
        let exact = |i: usize| u128::from(left) * u128::from(weights[i]);
        let full = |&i: &usize| exact(i) >= u128::from(caps[i]) * u128::from(weight);
        let filled: Vec<usize> = open.iter().copied().filter(full).collect();
        if filled.is_empty() {
            for &i in &open {
                parts[i] = (exact(i) / u128::from(weight)) as u32;
            }
            let rest = left - open.iter().map(|&i| u64::from(parts[i])).sum::<u64>();
            open.sort_by_key(|&i| (std::cmp::Reverse(exact(i) % u128::from(weight)), i));
            open.iter().take(rest as usize).for_each(|&i| parts[i] += 1);
            return Some(parts);
        }
        for i in filled {
            parts[i] = u64::from(caps[i]).min(left) as u32;
            left -= u64::from(parts[i]);
            open.retain(|&other| other != i);
        }
    }
}

/// Members, group by group.
pub struct Groups<'a> {
    /// Drive of each member.
    pub members: &'a mut [u32],
    /// Members of each group: first member, and one past the last.
    pub bounds: &'a dyn Fn(usize) -> std::ops::Range<usize>,
}

/// The levels at which members are moved, each between the children of one parent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Racks,
    Nodes,
    Drives,
}

/// Moves members until each part of the tree holds its share, as far as failure domains allow.
pub fn balance(tree: &Tree, shares: &Shares, groups: &mut Groups<'_>) {
    for level in [Level::Racks, Level::Nodes, Level::Drives] {
        Balancer::new(tree, shares, groups.members, level).run(groups);
    }
}

/// The moves at one level.
struct Balancer<'t> {
    tree: &'t Tree,
    level: Level,
    /// Members that each part of the level holds too many, or too few.
    excess: Vec<i64>,
    /// By parent: parts that hold too few.
    lacking: Vec<Vec<u32>>,
}

impl<'t> Balancer<'t> {
    fn new(tree: &'t Tree, shares: &Shares, members: &[u32], level: Level) -> Self {
        let wanted = match level {
            Level::Racks => &shares.racks,
            Level::Nodes => &shares.nodes,
            Level::Drives => &shares.drives,
        };
        let mut excess: Vec<i64> = wanted.iter().map(|&share| -i64::from(share)).collect();
        let mut balancer = Self { tree, level, excess: Vec::new(), lacking: Vec::new() };
        members.iter().for_each(|&drive| excess[balancer.part(drive) as usize] += 1);
        let parents = match level {
            Level::Racks => 1,
            Level::Nodes => tree.nodes.len(),
            Level::Drives => tree.drives.len(),
        };
        balancer.lacking = vec![Vec::new(); parents];
        for part in (0..excess.len() as u32).filter(|&part| excess[part as usize] < 0) {
            let parent = balancer.parent(part);
            balancer.lacking[parent].push(part);
        }
        Self { excess, ..balancer }
    }

    fn part(&self, drive: u32) -> u32 {
        let node = self.tree.node_of[drive as usize];
        match self.level {
            Level::Racks => self.tree.rack_of[node as usize],
            Level::Nodes => node,
            Level::Drives => drive,
        }
    }

    fn parent(&self, part: u32) -> usize {
        match self.level {
            Level::Racks => 0,
            Level::Nodes => self.tree.rack_of[part as usize] as usize,
            Level::Drives => self.tree.node_of[part as usize] as usize,
        }
    }

    fn run(&mut self, groups: &mut Groups<'_>) {
        for member in 0..groups.members.len() {
            let from = self.part(groups.members[member]);
            if self.excess[from as usize] <= 0 {
                continue;
            }
            let parent = self.parent(from);
            let group = (groups.bounds)(member);
            let others = || group.clone().filter(|&other| other != member).map(|other| groups.members[other]);
            let candidates = &self.lacking[parent];
            let turn = member % candidates.len().max(1);
            let order = (turn..candidates.len()).chain(0..turn);
            let found = order.take(TRIES).find_map(|at| {
                let target = self.target(candidates[at], member, &others)?;
                Some((at, target))
            });
            let Some((at, target)) = found else { continue };
            let to = self.lacking[parent][at];
            groups.members[member] = target;
            self.excess[from as usize] -= 1;
            self.excess[to as usize] += 1;
            if self.excess[to as usize] == 0 {
                self.lacking[parent].swap_remove(at);
            }
        }
    }

    /// A drive of `part` that may hold a member beside `others`.
    fn target<I: Iterator<Item = u32>>(
        &self,
        part: u32,
        turn: usize,
        others: &impl Fn() -> I,
    ) -> Option<u32> {
        let tree = self.tree;
        let of_node = |node: u32| {
            let drives = &tree.drives[node as usize];
            let first = turn % drives.len().max(1);
            let order = drives[first..].iter().chain(&drives[..first]).take(TRIES);
            order.copied().find(|&drive| tree.is_present(drive) && tree.is_apart(drive, others()))
        };
        match self.level {
            Level::Drives => (tree.is_present(part) && tree.is_apart(part, others())).then_some(part),
            Level::Nodes => of_node(part),
            Level::Racks => {
                let nodes = &tree.nodes[part as usize];
                let first = turn % nodes.len().max(1);
                nodes[first..].iter().chain(&nodes[..first]).take(TRIES).find_map(|&node| of_node(node))
            }
        }
    }
}

/// Places tried for a member before it stays where it is.
pub(super) const TRIES: usize = 64;

/// Puts the member of each group first whose drive is first of the fewest groups, so that drives serve alike.
pub fn share_first(drives: usize, members: &mut [u32], sizes: impl Iterator<Item = usize>) {
    let mut firsts = vec![0u32; drives];
    let mut from = 0;
    for size in sizes {
        let group = &mut members[from..from + size];
        if let Some(best) = (0..size).min_by_key(|&member| firsts[group[member] as usize]) {
            group.swap(0, best);
            firsts[group[0] as usize] += 1;
        }
        from += size;
    }
}
