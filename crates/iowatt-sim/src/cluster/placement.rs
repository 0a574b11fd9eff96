//! Placement by hashing: which drives the members of a placement group are on.
//!
//! As CRUSH does (Weil et al. 2006), a member descends the tree: at each level a draw for every child, a hash of group, member
//! and child, and the child with the longest straw goes on. Straws are `ln(u) / weight` (straw2, Ceph's buckets since
//! Hammer), so that a child's chance is its share of the weight, and a change of one child's weight changes nothing
//! between the others. A draw that ends in a failure domain that the group has is repeated.

use super::tree::Tree;
use crate::plan::FailureDomain;
use crate::rng::{KeyedDraws, mixed};

/// Draws of a member before its domain is chosen among those that are left instead.
const ATTEMPTS: u64 = 32;

/// Where placement groups of one pool go.
#[derive(Clone, Debug)]
pub struct Hashing {
    draws: KeyedDraws,
}

impl Hashing {
    /// The placement that `draws` decide.
    #[must_use]
    pub fn new(draws: KeyedDraws) -> Self {
        Self { draws }
    }

    /// Drives of the `size` members of group `group`, in different failure domains, appended to `members`. The tree has as
    /// many domains.
    pub fn place(&self, tree: &Tree, group: u64, size: usize, members: &mut Vec<u32>) {
        let first = members.len();
        for member in 0..size {
            let found = (0..ATTEMPTS).find_map(|attempt| {
                let drive = self.draw(tree, group, (member as u64, attempt))?;
                tree.is_apart(drive, members[first..].iter().copied()).then_some(drive)
            });
            if let Some(drive) = found.or_else(|| self.left_over(tree, group, &members[first..])) {
                members.push(drive);
            }
        }
    }

    /// A drive for one more member of a group that has `others`, by draws of its own; `None` where no domain is left.
    #[must_use]
    pub fn another(&self, tree: &Tree, group: u64, others: &[u32], draw: u64) -> Option<u32> {
        let drawn = (0..ATTEMPTS).find_map(|attempt| {
            let drive = self.draw(tree, group, (1 << 32 | draw, attempt))?;
            tree.is_apart(drive, others.iter().copied()).then_some(drive)
        });
        drawn.or_else(|| self.left_over(tree, group, others))
    }

    /// A member's way down the tree.
    fn draw(&self, tree: &Tree, group: u64, (member, attempt): (u64, u64)) -> Option<u32> {
        let key = self.draws.word([group, attempt << 40 | member]);
        let racks = (0..tree.nodes.len() as u32).map(|rack| (rack, tree.rack_weight(rack)));
        let rack = longest(key, racks)?;
        let nodes = tree.nodes[rack as usize].iter().map(|&node| (node, tree.node_weight(node)));
        let node = longest(mixed(key ^ 1), nodes)?;
        let drives = tree.drives[node as usize].iter().map(|&d| (d, u32::from(tree.is_present(d))));
        longest(mixed(key ^ 2), drives)
    }

    /// A drive in a domain that `others` leave, drawn among all such drives.
    fn left_over(&self, tree: &Tree, group: u64, others: &[u32]) -> Option<u32> {
        let key = self.draws.word([group, u64::MAX - others.len() as u64]);
        let apart = |&drive: &u32| tree.is_apart(drive, others.iter().copied());
        let drives = (0..tree.node_of.len() as u32).filter(apart);
        longest(key, drives.map(|drive| (drive, u32::from(tree.is_present(drive)))))
    }

    /// A word that decides among equals on the occasion of `words`.
    #[must_use]
    pub fn word(&self, words: [u64; 2]) -> u64 {
        self.draws.word(words)
    }
}

/// The child with the longest straw; none where no child has weight.
///
/// Children of equal weight are compared by their hashes alone, which order as their straws do.
#[inline]
fn longest(key: u64, children: impl Iterator<Item = (u32, u32)> + Clone) -> Option<u32> {
    let mut weights = children.clone().map(|child| child.1).filter(|&weight| weight > 0);
    let first = weights.next()?;
    let hash = |child: u32| mixed(key ^ u64::from(child) << 8);
    let weighed = children.filter(|child| child.1 > 0);
    if weights.all(|weight| weight == first) {
        return weighed.map(|(child, _)| (hash(child), child)).max().map(|best| best.1);
    }
    let straw = |(child, weight): (u32, u32)| {
        let unit = ((hash(child) >> 11) + 1) as f64 / (1u64 << 53) as f64;
        (unit.ln() / f64::from(weight), child)
    };
    weighed.map(straw).max_by(|a, b| a.0.total_cmp(&b.0)).map(|best| best.1)
}

impl FailureDomain {
    /// Whether members on two drives of one node, and of one rack, would share it.
    #[must_use]
    pub fn joins(self) -> [bool; 2] {
        [self != Self::Drive, self == Self::Rack]
    }
}
