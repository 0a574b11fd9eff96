//! Racks, their nodes, the drives of a pool on these: the tree that placement descends.

use crate::plan::{ClusterPlan, ClusterPoolPlan, FailureDomain};

/// The tree over the drives of one pool. A drive that is not there, or that no more data shall go to, counts as absent.
#[derive(Clone, Debug)]
pub struct Tree {
    /// What no two members of a placement group share.
    pub domain: FailureDomain,
    /// The node of each drive.
    pub node_of: Vec<u32>,
    /// The rack of each node.
    pub rack_of: Vec<u32>,
    /// Nodes of each rack.
    pub nodes: Vec<Vec<u32>>,
    /// Drives of each node.
    pub drives: Vec<Vec<u32>>,
    /// Whether each drive takes data.
    present: Vec<bool>,
    /// Present drives of each node and of each rack.
    node_weight: Vec<u32>,
    rack_weight: Vec<u32>,
}

impl Tree {
    /// The tree of `pool` in `cluster`, without the nodes that join later.
    #[must_use]
    pub fn new(cluster: &ClusterPlan, pool: &ClusterPoolPlan) -> Self {
        let mut nodes = vec![Vec::new(); cluster.racks()];
        for (node, plan) in cluster.nodes.iter().enumerate() {
            nodes[plan.rack].push(node as u32);
        }
        let mut drives = vec![Vec::new(); cluster.nodes.len()];
        for (drive, &node) in pool.node_of_drive.iter().enumerate() {
            drives[node].push(drive as u32);
        }
        let joins = |node: usize| cluster.nodes[node].joins_at_s.is_some();
        let mut tree = Self {
            domain: pool.failure_domain,
            node_of: pool.node_of_drive.iter().map(|&node| node as u32).collect(),
            rack_of: cluster.nodes.iter().map(|node| node.rack as u32).collect(),
            node_weight: vec![0; drives.len()],
            rack_weight: vec![0; nodes.len()],
            present: vec![false; pool.node_of_drive.len()],
            nodes,
            drives,
        };
        for (drive, &node) in pool.node_of_drive.iter().enumerate() {
            tree.set_present(drive as u32, !joins(node));
        }
        tree
    }

    /// A drive takes data from now on, or takes none any more.
    pub fn set_present(&mut self, drive: u32, present: bool) {
        if std::mem::replace(&mut self.present[drive as usize], present) == present {
            return;
        }
        let node = self.node_of[drive as usize] as usize;
        let rack = self.rack_of[node] as usize;
        for weight in [&mut self.node_weight[node], &mut self.rack_weight[rack]] {
            *weight = if present { *weight + 1 } else { *weight - 1 };
        }
    }

    /// Whether a drive takes data.
    #[must_use]
    pub fn is_present(&self, drive: u32) -> bool {
        self.present[drive as usize]
    }

    /// Present drives of a node.
    #[must_use]
    pub fn node_weight(&self, node: u32) -> u32 {
        self.node_weight[node as usize]
    }

    /// Present drives of a rack.
    #[must_use]
    pub fn rack_weight(&self, rack: u32) -> u32 {
        self.rack_weight[rack as usize]
    }

    /// The failure domain of a drive.
    #[must_use]
    #[inline]
    pub fn domain_of(&self, drive: u32) -> u32 {
        match self.domain {
            FailureDomain::Drive => drive,
            FailureDomain::Node => self.node_of[drive as usize],
            FailureDomain::Rack => self.rack_of[self.node_of[drive as usize] as usize],
        }
    }

    /// Whether `drive` is in none of the failure domains of `others`.
    #[must_use]
    #[inline]
    pub fn is_apart(&self, drive: u32, mut others: impl Iterator<Item = u32>) -> bool {
        let domain = self.domain_of(drive);
        !others.any(|other| self.domain_of(other) == domain)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests fail by panicking
pub(super) mod tests {
    use super::*;

    /// A tree of racks of nodes of so many drives each.
    pub fn tree(racks: &[Vec<usize>], domain: FailureDomain) -> Tree {
        let (mut rack_of, mut node_of) = (Vec::new(), Vec::new());
        let (mut nodes, mut drives) = (Vec::new(), Vec::new());
        for (rack, of_nodes) in racks.iter().enumerate() {
            nodes.push(Vec::new());
            for &count in of_nodes {
                let node = rack_of.len() as u32;
                nodes[rack].push(node);
                rack_of.push(rack as u32);
                drives.push((0..count).map(|n| (node_of.len() + n) as u32).collect());
                node_of.extend(std::iter::repeat_n(node, count));
            }
        }
        let mut tree = Tree {
            domain,
            present: vec![false; node_of.len()],
            node_weight: vec![0; rack_of.len()],
            rack_weight: vec![0; racks.len()],
            node_of,
            rack_of,
            nodes,
            drives,
        };
        (0..tree.node_of.len() as u32).for_each(|drive| tree.set_present(drive, true));
        tree
    }
}
