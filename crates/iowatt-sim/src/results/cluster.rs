//! Results of clusters: what nodes and networks did, and where members of placement groups are.

use crate::clock::Nanos;
use serde::Serialize;

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
