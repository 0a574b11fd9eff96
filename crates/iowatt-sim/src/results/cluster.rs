//! Results of clusters: what nodes and networks did, and where members of placement groups are.

use crate::clock::Nanos;
use crate::cluster::Clusters;
use crate::cluster::node::{Node, Port, Way};
use crate::raid::Moves;
use crate::raid::Pool;
use serde::Serialize;
use std::ops::Range;

/// Figures of one cluster.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterResult {
    /// By node.
    pub nodes: Vec<NodeResult>,
    /// By rack, its link to the others, where that takes time.
    pub uplinks: Vec<PortResult>,
    /// By pool of the cluster.
    pub pools: Vec<ClusterPoolResult>,
}

/// Figures of one node within the window.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct NodeResult {
    /// Requests of clients that it served.
    pub requests: u64,
    /// Operations of its drives.
    pub operations: u64,
    /// Busy time of its processors together.
    pub processor_busy_ns: Nanos,
    /// Time that work waited for them.
    pub processor_wait_ns: Nanos,
    /// Its front port.
    pub front: PortResult,
    /// Its back port; none where it has one port.
    pub back: Option<PortResult>,
}

/// Figures of a port or link, both ways.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PortResult {
    /// Bytes received (from the core, for a rack's uplink).
    pub bytes_in: u64,
    /// Bytes sent.
    pub bytes_out: u64,
    /// Busy time of receiving.
    pub busy_in_ns: Nanos,
    /// Busy time of sending.
    pub busy_out_ns: Nanos,
    /// Time that messages waited, both ways.
    pub wait_ns: Nanos,
}

/// Where the members of a pool's placement groups are, and what moved; over the whole run.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterPoolResult {
    /// Index of the pool.
    pub pool: usize,
    /// Members at the end.
    pub members: u64,
    /// Members of the drive with the fewest, among those that are there at the end.
    pub least_of_drive: u32,
    /// Members of the drive with the most.
    pub most_of_drive: u32,
    /// Drives that are there at the end.
    pub drives: usize,
    /// By node that joined or left.
    pub moves: Vec<MoveResult>,
}

/// What a node that joined or left made move.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MoveResult {
    /// The node.
    pub node: usize,
    /// When it joined, or was told to leave.
    pub at_ns: Nanos,
    /// When the last member had moved.
    pub finished_ns: Option<Nanos>,
    /// Members to move.
    pub members: u64,
    /// Of these, moved.
    pub moved: u64,
    /// Bytes moved.
    pub moved_bytes: u64,
}

/// The results of all clusters, over `pools`.
pub(super) fn results(clusters: &Clusters, pools: &[Pool]) -> Vec<ClusterResult> {
    let network = &clusters.network;
    let of_cluster = |(number, (nodes, racks)): (usize, &(Range<usize>, Range<usize>))| ClusterResult {
        nodes: network.nodes[nodes.clone()].iter().map(node_result).collect(),
        uplinks: network.uplinks[racks.clone()].iter().flatten().map(port_result).collect(),
        pools: pools
            .iter()
            .enumerate()
            .filter(|(pool, _)| clusters.pools[*pool].cluster == number)
            .map(|(index, pool)| pool_result(index, pool))
            .collect(),
    };
    clusters.parts.iter().enumerate().map(of_cluster).collect()
}

fn node_result(node: &Node) -> NodeResult {
    let [front, back] = node.ports();
    NodeResult {
        requests: node.counts[0],
        operations: node.counts[1],
        processor_busy_ns: node.processors.busy,
        processor_wait_ns: node.processors.waited,
        front: front.as_ref().map(port_result).unwrap_or_default(),
        back: back.as_ref().map(port_result),
    }
}

fn port_result(port: &Port) -> PortResult {
    let [received, sent] = [Way::In, Way::Out].map(|way| port.station(way));
    PortResult {
        bytes_in: port.bytes[Way::In as usize],
        bytes_out: port.bytes[Way::Out as usize],
        busy_in_ns: received.busy,
        busy_out_ns: sent.busy,
        wait_ns: received.waited + sent.waited,
    }
}

fn pool_result(index: usize, pool: &Pool) -> ClusterPoolResult {
    let members = pool.members_of_drives();
    let present: Vec<u32> =
        pool.map().into_iter().flat_map(|map| map.present()).map(|drive| members[drive as usize]).collect();
    let moved = |moves: &Moves| MoveResult {
        node: moves.cause.node,
        at_ns: moves.at,
        finished_ns: moves.finished,
        members: moves.members,
        moved: moves.moved,
        moved_bytes: moves.sectors * pool.sector_bytes(),
    };
    ClusterPoolResult {
        pool: index,
        members: members.iter().map(|&count| u64::from(count)).sum(),
        least_of_drive: present.iter().copied().min().unwrap_or(0),
        most_of_drive: present.iter().copied().max().unwrap_or(0),
        drives: present.len(),
        moves: pool.moves().iter().map(moved).collect(),
    }
}
