//! Several controller nodes, each with processors of its own, joined by a mesh: a link from each to each other one.
//!
//! Requests come to the nodes in turn. Each byte has a node that owns it, whose cache and pools serve it: what came to
//! another one crosses the mesh. A node that is lost takes no requests, and its bytes are owned by the next one.

use super::Link;
use crate::plan::{NodesPlan, Ownership};
use crate::station::Station;

/// The node of no request.
const NOBODY: u8 = u8::MAX;

/// The nodes.
#[derive(Debug)]
pub struct Nodes {
    up: Vec<bool>,
    turn: usize,
    ownership: Ownership,
    /// The link from a node to another one, by `from x nodes + to`.
    mesh: Vec<Link>,
    /// The node that asked for the buffers of a request, by its key.
    asked: Vec<u8>,
}

impl Nodes {
    /// All of them up.
    #[must_use]
    pub fn new(plan: &NodesPlan) -> Self {
        let link = |_| Link::new(plan.mesh_bytes_per_s, plan.mesh_latency_s);
        Self {
            up: vec![true; plan.count],
            turn: 0,
            ownership: plan.ownership,
            mesh: (0..plan.count * plan.count).map(link).collect(),
            asked: Vec::new(),
        }
    }

    /// Nodes that are up, and all.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        (self.up.iter().filter(|up| **up).count(), self.up.len())
    }

    /// The links of the mesh between different nodes.
    pub fn links(&self) -> impl Iterator<Item = &Station> {
        let nodes = self.up.len();
        self.mesh.iter().enumerate().filter(move |(at, _)| at / nodes != at % nodes).map(|(_, l)| &l.station)
    }

    /// The first node that is up, from number `from` on.
    fn first_up(&self, from: usize) -> usize {
        let nodes = self.up.len();
        (from..from + nodes).map(|node| node % nodes).find(|&node| self.up[node]).unwrap_or(0)
    }

    /// The node that request `host` comes to. `asks`: for buffers, and it will come to the same one with its data.
    pub fn enter(&mut self, host: u32, asks: bool) -> u8 {
        let at = host as usize;
        let asked = self.asked.get(at).copied().unwrap_or(NOBODY);
        let node = if asked == NOBODY || !self.up[asked as usize] {
            let node = self.first_up(self.turn);
            self.turn = (node + 1) % self.up.len();
            node as u8
        } else {
            asked
        };
        if asks && at >= self.asked.len() {
            self.asked.resize(at + 1, NOBODY);
        }
        if let Some(place) = self.asked.get_mut(at) {
            *place = if asks { node } else { NOBODY };
        }
        node
    }

    /// The node that owns byte `offset` of a volume.
    #[must_use]
    pub fn owner(&self, volume: u32, offset: u64) -> u8 {
        let number = match self.ownership {
            Ownership::Volume => u64::from(volume),
            Ownership::Extent { bytes } => offset / bytes,
        };
        self.first_up((number % self.up.len() as u64) as usize) as u8
    }

    /// The node that has the copy of what `owner` has, where there is one.
    #[must_use]
    pub fn partner(&self, owner: u8) -> Option<u8> {
        let partner = self.first_up(owner as usize + 1) as u8;
        (partner != owner).then_some(partner)
    }

    /// The link from a node to another.
    pub fn link(&mut self, from: u8, to: u8) -> &mut Link {
        let nodes = self.up.len();
        &mut self.mesh[from as usize * nodes + to as usize]
    }

    /// The last node that is up is lost.
    pub fn lose(&mut self) {
        if let Some(last) = self.up.iter().rposition(|up| *up) {
            self.up[last] = false;
        }
    }

    /// It is back.
    pub fn regain(&mut self) {
        if let Some(first) = self.up.iter().position(|up| !*up) {
            self.up[first] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_lost_node_are_the_next_ones() {
        let plan = NodesPlan {
            count: 4,
            mesh_bytes_per_s: 1e9,
            mesh_latency_s: 0.0,
            ownership: Ownership::Extent { bytes: 100 },
        };
        let mut nodes = Nodes::new(&plan);
        assert_eq!([0, 99, 100, 399, 400].map(|byte| nodes.owner(0, byte)), [0, 0, 1, 3, 0]);
        assert_eq!((nodes.partner(0), nodes.partner(3), nodes.links().count()), (Some(1), Some(0), 12));
        nodes.lose();
        assert_eq!((nodes.owner(0, 399), nodes.partner(2), nodes.count()), (0, Some(0), (3, 4)));
        assert_eq!([0, 1, 2, 3].map(|host| nodes.enter(host, false)), [0, 1, 2, 0]);
        nodes.regain();
        assert_eq!(nodes.enter(5, true), 1);
        assert_eq!((nodes.enter(6, false), nodes.enter(5, false)), (2, 1), "with its data to the same node");
    }
}
